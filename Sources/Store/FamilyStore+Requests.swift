import Bytes
import Family
import Ledger
import Wire

// Proposals of HTTP requests, decided within a batch (`FamilyStore.commit`). Each is independent, like a mutation: a refusal
// leaves the others as they are, because nothing of a proposal is written before it is decided.
extension FamilyStore {
    /// Decides one request on top of all earlier decisions of the batch.
    ///
    /// - Throws: a failure of the engine.
    func answer(_ request: BatchRequest, at: Int64, _ batch: Batch, into results: inout [CommitResult]) throws -> BatchAnswer {
        do {
            switch request {
            case .document(let document): return .document(version: try add(document, at: at, batch, &results))
            case .share(let share): return .share(try make(share, at: at, batch, &results))
            case .calendar(let write): return .calendar(try perform(write, at: at, batch, &results))
            }
        } catch let rejection as Rejection {
            return .refused(rejection)
        }
    }

    /// Makes the record of a document under the rights of the person who uploads it (`Decider.add`).
    ///
    /// Adding it again, after a lost answer, changes nothing and gets the first answer, even if it was deleted in the
    /// meantime.
    private func add(_ document: NewDocument, at: Int64, _ batch: Batch, _ results: inout [CommitResult]) throws -> Int64 {
        let (family, decider) = try self.decider(document.family, document.member, context: .athlete(document.athlete), at: at, batch)
        let version: Int64
        do { version = try decider.known(document) ?? decider.add(document) } catch let rejection as Rejection {
            if rejection.code == .quotaExceeded { quotaRefusals[.files, default: 0] += 1 }
            throw rejection
        }
        try accept(try decider.decision(), family, batch, &results)
        return version
    }

    /// Makes a link with which a school opens a document, and adds the school to those with which the document is
    /// shared, under the rights of the member who shares. An existing link of the school ends.
    private func make(_ share: NewShare, at: Int64, _ batch: Batch, _ results: inout [CommitResult]) throws -> ShareCreated {
        let life = share.life ?? NewShare.usualLife
        guard life >= NewShare.shortestLife, life <= NewShare.longestLife else {
            throw Rejection(.outOfRange, "A share link is valid for at most 365 days: choose a shorter time", field: "expires")
        }
        let (family, decider) = try self.decider(share.family, share.member, context: .all, at: at, batch)
        guard let document = try family.overlay.record(share.document), document.kind == .document, !document.isDeleted else {
            throw Rejection(.notFound, "There is no such document. Nothing was shared", kind: .document, id: share.document)
        }
        let patch = FieldPatch(setEdits: [.init(field: Self.sharedSchools, add: [share.school])])
        try decider.apply(Operation(kind: .document, id: share.document, action: .update(base: document.version, merge: .none, patch: patch)), 0)
        let decision = try decider.decision()
        // A school with which the document is already shared may be deleted, too.
        guard let school = try family.overlay.record(share.school), school.kind == .school, !school.isDeleted else {
            throw Rejection(.unknownReference, "This school no longer exists. Nothing was shared", field: "school_id")
        }
        try accept(decision, family, batch, &results)
        // Earlier decisions can end links of the document, so they are written before the link is.
        try write(batch)
        let token = ShareToken.make(environment.random)
        let link = StoredShareLink(
            id: identifier(at), document: share.document, school: share.school, createdBy: share.member, createdAt: at, expiresAt: at + life)
        try shares.end(family: family.key, document: share.document, school: share.school, at: at)
        try audit(.shared, family: family.key, by: .member(share.member), about: document.athlete, at: at)
        try shares.insert(family: family.key, link, hash: ShareToken.hash(token), limit: StoredShareLink.maxLinks)
        return ShareCreated(link: link, token: token)
    }

    func decider(
        _ id: Identifier, _ member: Identifier, context: Context, at: Int64, _ batch: Batch
    ) throws -> (Batch.Family, Decider) {
        guard let family = try batch.family(id, of: self), let role = try entered(member, family.state, at: at)?.role else {
            throw Rejection.noSuchFamily
        }
        return (family, Decider(family.state, actor: Actor(member: member, role: role), context: context, at: at, on: family.overlay, ledger))
    }

    func accept(_ decision: Decision, _ family: Batch.Family, _ batch: Batch, _ results: inout [CommitResult]) throws {
        guard let change = CommittedChange(decision) else {
            // After a run whose COMMIT had no answer, the request finds the result of that run.
            results += try retold(since: batch.lost[family.state.id], family).map { CommitResult.change($0) }
            return
        }
        try checkRows(family.usage, family.state.quotas)
        batch.accept(decision, family)
        results.append(.change(change))
    }

    private static let sharedSchools = Kind.document.declaration.index(of: "shared_with_schools") ?? 0
}

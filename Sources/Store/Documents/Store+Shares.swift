import Bytes
package import Family
import Ledger
package import Wire

extension Store {
    /// Makes a link by which a school opens a document, and enters the school among those that the document is shared with, in one
    /// transaction, under the rights of who shares. A link that the school has already ends.
    ///
    /// - Returns: the link with its secret, or why nothing was done; and the change for the live rooms, when the school was not among them yet.
    package func share(_ share: NewShare) throws(StoreFailure) -> (Result<ShareCreated, Rejection>, [CommitResult]) {
        let outcome = try transaction(isDone: isDone) { _ in
            let life = share.life ?? NewShare.usualLife
            guard life >= NewShare.shortestLife, life <= NewShare.longestLife else {
                throw Rejection(.outOfRange, "A share link is good for at most 365 days: choose a shorter time", field: "expires")
            }
            guard let family = try family(share.family), let member = family.state.member(share.member) else { throw Rejection.noSuchFamily }
            let document = try document(share.document, family)
            let at = environment.now()
            let patch = FieldPatch(setEdits: [.init(field: Self.sharedSchools, add: [share.school])])
            let edit = Operation(kind: .document, id: share.document, action: .update(base: document.version, merge: .none, patch: patch))
            let (_, change) = try decide(family, actor: Actor(member: share.member, role: member.role), at: at) { try $0.apply(edit, 0) }
            // Also one that the document is shared with already may be gone.
            guard let school = try record(family: family.key, share.school), school.kind == .school, !school.isDeleted else {
                throw Rejection(.unknownReference, "This school is not there any more. Nothing was shared", field: "school_id")
            }
            let token = ShareToken.make(environment.random)
            let link = ShareLink(
                id: identifier(at), document: share.document, school: share.school, createdBy: share.member, createdAt: at, expiresAt: at + life)
            try shares.end(family: family.key, document: share.document, school: share.school, at: at)
            try shares.insert(family: family.key, link, hash: ShareToken.hash(token), limit: ShareLink.maxLinks)
            return (ShareCreated(link: link, token: token), change)
        } as Outcome<(ShareCreated, CommittedChange?)>
        switch outcome {
        case .done((let created, let change)): return (.success(created), change.map { [.change($0)] } ?? [])
        case .refused(let rejection): return (.failure(rejection), [])
        }
    }

    /// Ends a share link under the rights of the member who asks. A link that has ended already is no error. The school stays among those that
    /// the document is shared with.
    ///
    /// - Throws: a `Rejection` before anything is written.
    func endShare(_ end: ShareEnd) throws {
        guard let family = try family(end.family), let role = family.state.member(end.member)?.role else { throw Rejection.noSuchFamily }
        guard let document = try shares.document(family: family.key, of: end.link), end.document == nil || end.document == document,
            let record = try record(family: family.key, document)
        else { throw Rejection.noSuchShare(end.link) }
        let at = environment.now()
        let operation = Operation(kind: .document, id: document, action: .update(base: 0, merge: .none, patch: FieldPatch()))
        _ = try decide(family, actor: Actor(member: end.member, role: role), at: at) {
            try $0.check(.update, operation, 0, owner: record.athlete, author: record.createdBy)
        }
        try shares.end(family: family.key, link: end.link, at: at)
    }

    /// Whether a link whose COMMIT had no answer was made.
    private func isDone(_ created: ShareCreated, _ change: CommittedChange?) throws -> Bool {
        if let change { return try isDone(change) }
        return try shares.open(hash: ShareToken.hash(created.token), at: created.link.createdAt) != nil
    }

    /// A living document, for those who may see it.
    private func document(_ id: Identifier, _ family: StoredFamily) throws -> Record {
        guard let record = try record(family: family.key, id), record.kind == .document, !record.isDeleted else {
            throw Rejection(.notFound, "There is no such document. Nothing was shared", kind: .document, id: id)
        }
        return record
    }

    private static let sharedSchools = Kind.document.declaration.index(of: "shared_with_schools") ?? 0
}

extension Rejection {
    /// The one answer for a link that the document does not have, whether another has it or not.
    static func noSuchShare(_ link: Identifier) -> Rejection {
        Rejection(.notFound, "There is no such share link. Nothing was changed", id: link)
    }
}

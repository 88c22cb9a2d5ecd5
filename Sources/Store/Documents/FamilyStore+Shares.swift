import Bytes
package import Family
import Ledger
package import Wire

extension FamilyStore {
    /// Makes a link by which a school opens a document, in a transaction of its own; see `FamilyStore+Requests`.
    ///
    /// - Returns: the link with its secret, or the reason why nothing was done; and the change for the live rooms, if
    ///   the document was not shared with the school before.
    package func share(_ share: NewShare) throws(StoreFailure) -> (Result<ShareCreated, Rejection>, [CommitResult]) {
        let report = try commit([], requests: [.share(share)], pace: .unhurried)
        switch report.answers.first??.answer {
        case .share(let created)?: return (.success(created), report.results)
        case .refused(let rejection)?: return (.failure(rejection), report.results)
        case .document?, .calendar?, nil: preconditionFailure("the one request of a batch is answered in kind")
        }
    }

    /// Ends a share link under the rights of the member who asks. It is not an error if the link has ended already. The
    /// school stays among those that the document is shared with.
    ///
    /// - Throws: a `Rejection` before anything is written.
    func endShare(_ end: ShareEnd) throws {
        let at = environment.now()
        guard let family = try family(end.family), let role = try entered(end.member, family.state, at: at)?.role else { throw Rejection.noSuchFamily }
        guard let document = try shares.document(family: family.key, of: end.link), end.document == nil || end.document == document,
            let record = try record(family: family.key, document)
        else { throw Rejection.noSuchShare(end.link) }
        let operation = Operation(kind: .document, id: document, action: .update(base: 0, merge: .none, patch: FieldPatch()))
        _ = try decide(family, actor: Actor(member: end.member, role: role), at: at) {
            try $0.check(.update, operation, 0, owner: record.athlete, author: record.createdBy)
        }
        guard try shares.end(family: family.key, link: end.link, at: at) else { return }
        try audit(.shareEnded, family: family.key, by: .member(end.member), about: record.athlete, at: at)
    }
}

extension Rejection {
    /// The same answer for every link that the document does not have, whether another document has it or not.
    static func noSuchShare(_ link: Identifier) -> Rejection {
        Rejection(.notFound, "There is no such share link. Nothing was changed", id: link)
    }
}

package import Bytes
package import Family
import Ledger

extension StoreReader {
    /// Share links that one answer tells at most: all that a document can have, ended ones included.
    static let maxShares = 400

    /// What a share link opens; `nil` for a token of none, and just so for one that has ended, whose document or school was deleted, or
    /// whose document is not shared with the school any more.
    package func share(token: String) throws(StoreFailure) -> SharedDocument? {
        try reading {
            guard let open = try engine.shares.open(hash: ShareToken.hash(token), at: environment.now()),
                open.document.fields.set("shared_with_schools").contains(where: { $0.id == open.school }),
                let document = StoredDocument(open.document, family: open.family)
            else { return nil }
            return SharedDocument(document: document, link: open.link, expiresAt: open.expiresAt, school: open.schoolName)
        }
    }

    /// The links of one document, or of all, newest first, ended ones included.
    package func shares(family: Identifier, document: Identifier? = nil) throws(StoreFailure) -> [ShareLink] {
        try reading { try engine.shares.links(family: try key(family), document: document, limit: Self.maxShares) }
    }

    /// Whether somebody may end a link of a document now, by the rules that the writer asks again.
    ///
    /// - Returns: what the writer is to be asked; `nil` when the person sees no such document.
    package func shareEnd(
        _ link: Identifier, of document: Identifier, by signIn: SignIn
    ) throws(StoreFailure) -> Result<ShareEnd, Rejection>? {
        guard let (found, member) = try self.document(document, by: signIn) else { return nil }
        return try reading { () -> Result<ShareEnd, Rejection>? in
            let family = try key(found.family)
            guard try engine.shares.document(family: family, of: link) == document else { return .failure(.noSuchShare(link)) }
            guard let rights = try rights(of: member, family, found.family) else { return nil }
            let access = rights.access(.update, .document, document, owner: found.athlete)
            do throws(Rejection) { try Permission.check(access, operation: 0, id: document) } catch { return .failure(error) }
            return .success(ShareEnd(family: found.family, member: member, document: document, link: link))
        }
    }

    /// When a link was opened, newest first, at most `ShareLink.maxViews`.
    package func visits(family: Identifier, link: Identifier) throws(StoreFailure) -> [(at: Int64, what: ShareVisit.What)] {
        try reading { try engine.shares.visits(family: try key(family), link: link, limit: ShareLink.maxViews) }
    }
}

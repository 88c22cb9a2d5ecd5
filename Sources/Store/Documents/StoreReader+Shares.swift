package import Bytes
package import Family
import Ledger

extension StoreReader {
    /// The largest number of share links in one answer: as many as a document can have, including ended ones.
    static let maxShares = 400

    /// The document of a share link; `nil` for an unknown token, for a link that has ended, whose document or school
    /// was deleted, or whose document is no longer shared with the school.
    package func share(token: String) throws(StoreFailure) -> SharedDocument? {
        try reading {
            guard let open = try engine.shares.open(hash: ShareToken.hash(token), at: environment.now()),
                open.document.fields.set("shared_with_schools").contains(where: { $0.id == open.school }),
                let document = StoredDocument(open.document, family: open.family)
            else { return nil }
            return SharedDocument(document: document, link: open.link, expiresAt: open.expiresAt, school: open.schoolName)
        }
    }

    /// The links of one document, or of all, newest first, including ended ones.
    package func shares(family: Identifier, document: Identifier? = nil) throws(StoreFailure) -> [StoredShareLink] {
        try reading { try engine.shares.links(family: try key(family), document: document, limit: Self.maxShares) }
    }

    /// Whether a person may end a link of a document now, by the rules that the writer checks again.
    ///
    /// - Returns: the request for the writer; `nil` if the person sees no such document.
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

    /// The visits of a link, newest first, at most `StoredShareLink.maxViews`.
    package func visits(family: Identifier, link: Identifier) throws(StoreFailure) -> [(at: Int64, what: ShareVisit.What)] {
        try reading { try engine.shares.visits(family: try key(family), link: link, limit: StoredShareLink.maxViews) }
    }
}

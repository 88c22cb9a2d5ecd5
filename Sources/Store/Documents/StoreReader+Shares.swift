package import Bytes
package import Family
import Ledger
import SQLite

extension StoreReader {
    /// Share links that one answer tells at most: all that a document can have, ended ones included.
    static let maxShares: Int64 = 400

    /// What a share link opens; `nil` for a token of none, and just so for one that has ended, whose document or school was deleted, or
    /// whose document is not shared with the school any more.
    package func share(token: String) throws(StoreFailure) -> SharedDocument? {
        try reading {
            // One statement for all cases, after one hash: who guesses learns nothing from the time it took.
            let find = try database.prepare(
                """
                SELECT f.uuid, l.id, l.school, l.expires_at, \(Self.documentColumns),
                    (SELECT s.fields FROM records s WHERE s.family = l.family AND s.id = l.school AND s.deleted_at IS NULL)
                FROM share_links l JOIN families f ON f.key = l.family JOIN records r ON r.family = l.family AND r.id = l.document
                WHERE l.token_hash = ? AND l.ended_at IS NULL AND l.expires_at > ? AND r.deleted_at IS NULL
                """)
            find.bind(1, ShareToken.hash(token))
            find.bind(2, environment.now())
            return try find.one { row -> SharedDocument? in
                let school = try row.identifier(2)
                let columns = Int32(RecordTable.columns.split(separator: ",").count)
                guard !row.isNull(4 + columns) else { return nil }
                let name = try StoredFields.decode(.school, row, 4 + columns).text("name") ?? ""
                let record = try RecordTable.decode(row, from: 4).record
                guard record.fields.set("shared_with_schools").contains(where: { $0.id == school }),
                    let document = StoredDocument(record, family: try row.identifier(0))
                else { return nil }
                return SharedDocument(document: document, link: try row.identifier(1), expiresAt: row.int64(3), school: name)
            } ?? nil
        }
    }

    private static let documentColumns = RecordTable.columns.split(separator: ",")
        .map { "r." + $0.drop { $0 == " " || $0 == "\n" } }.joined(separator: ", ")

    /// The links of one document, or of all, newest first, ended ones included.
    package func shares(family: Identifier, document: Identifier? = nil) throws(StoreFailure) -> [ShareLink] {
        try reading {
            let list = try database.prepare(
                """
                SELECT \(ShareTable.columns), (SELECT max(at) FROM share_views v WHERE v.link = l.key)
                FROM share_links l WHERE family = ?1 AND (?2 IS NULL OR document = ?2) ORDER BY key DESC LIMIT ?3
                """)
            list.bind(1, try key(family))
            list.bind(2, document)
            list.bind(3, Self.maxShares)
            return try list.all { row in
                ShareLink(
                    id: try row.identifier(0), document: try row.identifier(1), school: try row.identifier(2), createdBy: try row.identifier(3),
                    createdAt: row.int64(4), expiresAt: row.int64(5), endedAt: row.optionalInt64(6), views: row.int64(7),
                    downloads: row.int64(8), lastOpenedAt: row.optionalInt64(9))
            }
        }
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
            let find = try database.prepare("SELECT 1 FROM share_links WHERE family = ? AND id = ? AND document = ?")
            find.bind(1, family)
            find.bind(2, link)
            find.bind(3, document)
            guard try find.one({ _ in true }) ?? false else { return .failure(.noSuchShare(link)) }
            guard let rights = try rights(of: member, family, found.family) else { return nil }
            let access = rights.access(.update, .document, document, owner: found.athlete)
            do throws(Rejection) { try Permission.check(access, operation: 0, id: document) } catch { return .failure(error) }
            return .success(ShareEnd(family: found.family, member: member, document: document, link: link))
        }
    }

    /// When a link was opened, newest first, at most `ShareTable.maxViews`.
    package func visits(family: Identifier, link: Identifier) throws(StoreFailure) -> [(at: Int64, what: ShareVisit.What)] {
        try reading {
            let list = try database.prepare(
                """
                SELECT v.at, v.what FROM share_views v JOIN share_links l ON l.key = v.link WHERE l.family = ? AND l.id = ?
                ORDER BY v.row DESC LIMIT ?
                """)
            list.bind(1, try key(family))
            list.bind(2, link)
            list.bind(3, ShareTable.maxViews)
            return try list.all { row in (row.int64(0), ShareVisit.What(rawValue: row.text(1)) ?? .page) }
        }
    }
}

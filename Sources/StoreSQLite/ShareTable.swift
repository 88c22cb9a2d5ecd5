import Bytes
import Family
import SQLite
import Store

/// The statements on share links. They run seldom, so they are compiled when they are used.
final class ShareTable: ShareWrites {
    private static let columns = "id, document, school, created_by, created_at, expires_at, ended_at, views, downloads"
    private static let documentColumns = RecordTable.columns.split(separator: ",")
        .map { "r." + $0.drop { $0 == " " || $0 == "\n" } }.joined(separator: ", ")

    private let database: Database

    init(_ database: Database) { self.database = database }

    func insert(family: Int64, _ link: ShareLink, hash: [UInt8], limit: Int) throws {
        let insert = try database.prepare(
            """
            INSERT INTO share_links (family, id, document, school, created_by, created_at, expires_at, token_hash)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """)
        insert.bind(1, family)
        insert.bind(2, link.id)
        insert.bind(3, link.document)
        insert.bind(4, link.school)
        insert.bind(5, link.createdBy)
        insert.bind(6, link.createdAt)
        insert.bind(7, link.expiresAt)
        insert.bind(8, hash)
        try insert.run()
        let trim = try database.prepare(
            """
            SELECT key FROM share_links WHERE family = ?1 AND document = ?2 AND (ended_at IS NOT NULL OR expires_at <= ?3)
            ORDER BY key DESC LIMIT -1 OFFSET ?4
            """)
        trim.bind(1, family)
        trim.bind(2, link.document)
        trim.bind(3, link.createdAt)
        trim.bind(4, Int64(limit))
        for key in try trim.all({ $0.int64(0) }) { try remove(key: key) }
    }

    func document(family: Int64, of link: Identifier) throws -> Identifier? {
        let find = try database.prepare("SELECT document FROM share_links WHERE family = ? AND id = ?")
        find.bind(1, family)
        find.bind(2, link)
        return try find.one { try $0.identifier(0) }
    }

    func end(family: Int64, link: Identifier, at: Int64) throws {
        let update = try database.prepare("UPDATE share_links SET ended_at = ? WHERE family = ? AND id = ? AND ended_at IS NULL")
        update.bind(1, at)
        update.bind(2, family)
        update.bind(3, link)
        try update.run()
    }

    func end(family: Int64, document: Identifier, school: Identifier?, at: Int64) throws {
        let update = try database.prepare(
            """
            UPDATE share_links SET ended_at = ?1 WHERE family = ?2 AND document = ?3 AND (?4 IS NULL OR school = ?4) AND ended_at IS NULL
            """)
        update.bind(1, at)
        update.bind(2, family)
        update.bind(3, document)
        update.bind(4, school)
        try update.run()
    }

    /// - Complexity: O(links of the family).
    func end(family: Int64, creator: Identifier, at: Int64) throws {
        let update = try database.prepare("UPDATE share_links SET ended_at = ? WHERE family = ? AND created_by = ? AND ended_at IS NULL")
        update.bind(1, at)
        update.bind(2, family)
        update.bind(3, creator)
        try update.run()
    }

    func note(family: Int64, link: Identifier, _ openings: ShareOpenings, limit: Int) throws {
        let column = openings.what == .page ? "views" : "downloads"
        let update = try database.prepare("UPDATE share_links SET \(column) = \(column) + ? WHERE family = ? AND id = ? RETURNING key, views + downloads")
        update.bind(1, openings.count)
        update.bind(2, family)
        update.bind(3, link)
        guard let (key, total) = try update.one({ ($0.int64(0), $0.int64(1)) }) else { return }
        let limit = Int64(limit)
        for row in 0..<min(openings.rows, limit) {
            let at = row == 0 ? openings.first : openings.last
            try database.run("INSERT INTO share_views (link, at, what) VALUES (?, ?, ?)", .integer(key), .integer(at), .text(openings.what.rawValue))
        }
        guard total > limit else { return }
        try database.run(
            "DELETE FROM share_views WHERE link = ?1 AND row <= (SELECT row FROM share_views WHERE link = ?1 ORDER BY row DESC LIMIT 1 OFFSET ?2)",
            .integer(key), .integer(limit))
    }

    func open(hash: [UInt8], at: Int64) throws -> OpenShare? {
        let find = try database.prepare(
            """
            SELECT f.uuid, l.id, l.school, l.expires_at, \(Self.documentColumns),
                (SELECT s.fields FROM records s WHERE s.family = l.family AND s.id = l.school AND s.deleted_at IS NULL)
            FROM share_links l JOIN families f ON f.key = l.family JOIN records r ON r.family = l.family AND r.id = l.document
            WHERE l.token_hash = ? AND l.ended_at IS NULL AND l.expires_at > ? AND r.deleted_at IS NULL
            """)
        find.bind(1, hash)
        find.bind(2, at)
        return try find.one { row -> OpenShare? in
            let columns = Int32(RecordTable.columns.split(separator: ",").count)
            guard !row.isNull(4 + columns) else { return nil }
            return OpenShare(
                family: try row.identifier(0), link: try row.identifier(1), school: try row.identifier(2), expiresAt: row.int64(3),
                document: try RecordTable.decode(row, from: 4).record,
                schoolName: try StoredFields.decode(.school, row, 4 + columns).text("name") ?? "")
        } ?? nil
    }

    func links(family: Int64, document: Identifier?, limit: Int) throws -> [ShareLink] {
        let list = try database.prepare(
            """
            SELECT \(Self.columns), (SELECT max(at) FROM share_views v WHERE v.link = l.key)
            FROM share_links l WHERE family = ?1 AND (?2 IS NULL OR document = ?2) ORDER BY key DESC LIMIT ?3
            """)
        list.bind(1, family)
        list.bind(2, document)
        list.bind(3, Int64(limit))
        return try list.all { row in
            ShareLink(
                id: try row.identifier(0), document: try row.identifier(1), school: try row.identifier(2), createdBy: try row.identifier(3),
                createdAt: row.int64(4), expiresAt: row.int64(5), endedAt: row.optionalInt64(6), views: row.int64(7), downloads: row.int64(8),
                lastOpenedAt: row.optionalInt64(9))
        }
    }

    func visits(family: Int64, link: Identifier, limit: Int) throws -> [(at: Int64, what: ShareVisit.What)] {
        let list = try database.prepare(
            """
            SELECT v.at, v.what FROM share_views v JOIN share_links l ON l.key = v.link WHERE l.family = ? AND l.id = ?
            ORDER BY v.row DESC LIMIT ?
            """)
        list.bind(1, family)
        list.bind(2, link)
        list.bind(3, Int64(limit))
        return try list.all { row in (row.int64(0), ShareVisit.What(rawValue: row.text(1)) ?? .page) }
    }

    private static let lost = "SELECT key FROM share_links l WHERE NOT EXISTS (SELECT 1 FROM records r WHERE r.family = l.family AND r.id = l.document)"

    func countLost() throws -> Int { try database.prepare("SELECT count(*) FROM (\(Self.lost))").one { Int($0.int64(0)) } ?? 0 }

    func forgetLost() throws {
        try database.execute("DELETE FROM share_views WHERE link IN (\(Self.lost)); DELETE FROM share_links WHERE key IN (\(Self.lost))")
    }

    func forget(family: Int64, document: Identifier) throws {
        let list = try database.prepare("SELECT key FROM share_links WHERE family = ? AND document = ?")
        list.bind(1, family)
        list.bind(2, document)
        for key in try list.all({ $0.int64(0) }) { try remove(key: key) }
    }

    func purge(before limit: Int64, count: Int) throws -> Int {
        let list = try database.prepare("SELECT key FROM share_links WHERE coalesce(ended_at, expires_at) < ? ORDER BY key LIMIT ?")
        list.bind(1, limit)
        list.bind(2, Int64(count))
        let keys = try list.all { $0.int64(0) }
        for key in keys { try remove(key: key) }
        return keys.count
    }

    private func remove(key: Int64) throws {
        try database.run("DELETE FROM share_views WHERE link = ?", .integer(key))
        try database.run("DELETE FROM share_links WHERE key = ?", .integer(key))
    }
}

@available(*, unavailable)
extension ShareTable: Sendable {}

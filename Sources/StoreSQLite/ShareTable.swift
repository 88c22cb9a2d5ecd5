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

    func insert(family: Int64, _ link: StoredShareLink, hash: [UInt8], limit: Int) throws {
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
            SELECT id FROM share_links WHERE family = ?1 AND document = ?2 AND (ended_at IS NOT NULL OR expires_at <= ?3)
            ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET ?4
            """)
        trim.bind(1, family)
        trim.bind(2, link.document)
        trim.bind(3, link.createdAt)
        trim.bind(4, Int64(limit))
        for id in try trim.all({ $0.octets(0) }) { try remove(family: family, id) }
    }

    func document(family: Int64, of link: Identifier) throws -> Identifier? {
        let find = try database.prepare("SELECT document FROM share_links WHERE family = ? AND id = ?")
        find.bind(1, family)
        find.bind(2, link)
        return try find.one { try $0.identifier(0) }
    }

    func end(family: Int64, link: Identifier, at: Int64) throws -> Bool {
        let update = try database.prepare("UPDATE share_links SET ended_at = ? WHERE family = ? AND id = ? AND ended_at IS NULL")
        update.bind(1, at)
        update.bind(2, family)
        update.bind(3, link)
        try update.run()
        return database.changes > 0
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

    func note(family: Int64, link: Identifier, _ openings: ShareOpenings, limit: Int) throws -> Int64? {
        let column = openings.what == .page ? "views" : "downloads"
        let update = try database.prepare("UPDATE share_links SET \(column) = \(column) + ? WHERE family = ? AND id = ? RETURNING views + downloads")
        update.bind(1, openings.count)
        update.bind(2, family)
        update.bind(3, link)
        guard let total = try update.one({ $0.int64(0) }) else { return nil }
        let limit = Int64(limit)
        let rows = min(openings.rows, limit)
        let insert = try database.prepare("INSERT INTO share_visits (family, link, number, at, what) VALUES (?, ?, ?, ?, ?)")
        insert.bind(1, family)
        insert.bind(2, link)
        insert.bind(5, openings.what.rawValue)
        for row in 0..<rows {
            insert.bind(3, total - rows + 1 + row)
            insert.bind(4, row == 0 ? openings.first : openings.last)
            try insert.run()
        }
        guard total > limit else { return total }
        let trim = try database.prepare(
            """
            DELETE FROM share_visits WHERE family = ?1 AND link = ?2
            AND number <= (SELECT number FROM share_visits WHERE family = ?1 AND link = ?2 ORDER BY number DESC LIMIT 1 OFFSET ?3)
            """)
        trim.bind(1, family)
        trim.bind(2, link)
        trim.bind(3, limit)
        try trim.run()
        return total
    }

    func openings(family: Int64, of link: Identifier) throws -> Int64? {
        let find = try database.prepare("SELECT views + downloads FROM share_links WHERE family = ? AND id = ?")
        find.bind(1, family)
        find.bind(2, link)
        return try find.one { $0.int64(0) }
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
            guard !row.isNull(4 + RecordTable.columnCount) else { return nil }
            return OpenShare(
                family: try row.identifier(0), link: try row.identifier(1), school: try row.identifier(2), expiresAt: row.int64(3),
                document: try RecordTable.decode(row, from: 4),
                schoolName: try StoredFields.decode(.school, row, 4 + RecordTable.columnCount).text("name") ?? "")
        } ?? nil
    }

    /// Links of a family, or of one of its documents, the newest first.
    static func linksQuery(ofDocument: Bool) -> String {
        """
        SELECT \(columns), (SELECT max(at) FROM share_visits v WHERE v.family = l.family AND v.link = l.id)
        FROM share_links l WHERE family = ?1\(ofDocument ? " AND document = ?3" : "") ORDER BY created_at DESC, id DESC LIMIT ?2
        """
    }

    func links(family: Int64, document: Identifier?, limit: Int) throws -> [StoredShareLink] {
        let list = try database.prepare(Self.linksQuery(ofDocument: document != nil))
        list.bind(1, family)
        list.bind(2, Int64(limit))
        if let document { list.bind(3, document) }
        return try list.all { row in
            StoredShareLink(
                id: try row.identifier(0), document: try row.identifier(1), school: try row.identifier(2), createdBy: try row.identifier(3),
                createdAt: row.int64(4), expiresAt: row.int64(5), endedAt: row.optionalInt64(6), views: row.int64(7), downloads: row.int64(8),
                lastOpenedAt: row.optionalInt64(9))
        }
    }

    func visits(family: Int64, link: Identifier, limit: Int) throws -> [(at: Int64, what: ShareVisit.What)] {
        let list = try database.prepare(
            """
            SELECT at, what FROM share_visits WHERE family = ? AND link = ? ORDER BY number DESC LIMIT ?
            """)
        list.bind(1, family)
        list.bind(2, link)
        list.bind(3, Int64(limit))
        return try list.all { row in (row.int64(0), ShareVisit.What(rawValue: row.text(1)) ?? .page) }
    }

    private static let lost = "SELECT family, id FROM share_links l WHERE NOT EXISTS (SELECT 1 FROM records r WHERE r.family = l.family AND r.id = l.document)"

    func countLost() throws -> Int { try database.prepare("SELECT count(*) FROM (\(Self.lost))").one { Int($0.int64(0)) } ?? 0 }

    func forgetLost() throws {
        try database.execute(
            "DELETE FROM share_visits WHERE (family, link) IN (\(Self.lost)); DELETE FROM share_links WHERE (family, id) IN (\(Self.lost))")
    }

    func forget(family: Int64, document: Identifier) throws {
        let list = try database.prepare("SELECT id FROM share_links WHERE family = ? AND document = ?")
        list.bind(1, family)
        list.bind(2, document)
        for id in try list.all({ $0.octets(0) }) { try remove(family: family, id) }
    }

    func purge(before limit: Int64, count: Int) throws -> Int {
        let list = try database.prepare("SELECT family, id FROM share_links WHERE coalesce(ended_at, expires_at) < ? ORDER BY family, id LIMIT ?")
        list.bind(1, limit)
        list.bind(2, Int64(count))
        let links = try list.all { (family: $0.int64(0), id: $0.octets(1)) }
        for link in links { try remove(family: link.family, link.id) }
        return links.count
    }

    /// - Parameter id: as it is stored: an id that is damaged still finds its row.
    private func remove(family: Int64, _ id: [UInt8]) throws {
        try database.run("DELETE FROM share_visits WHERE family = ? AND link = ?", .integer(family), .octets(id))
        try database.run("DELETE FROM share_links WHERE family = ? AND id = ?", .integer(family), .octets(id))
    }
}

@available(*, unavailable)
extension ShareTable: Sendable {}

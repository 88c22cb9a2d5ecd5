import Bytes
import Family
import SQLite

/// The writer's statements on share links. They run seldom, so they are compiled when they are used.
final class ShareTable {
    /// Entries of one link's log at most; past it the oldest go, the counts stay.
    static let maxViews: Int64 = 1_000
    /// An ended or expired link is kept so long for its figures, milliseconds: 365 days.
    static let retention: Int64 = 365 * 86_400_000
    /// Links of one document, ended ones included; past it the oldest ended go.
    static let maxLinks: Int64 = 300

    static let columns = "id, document, school, created_by, created_at, expires_at, ended_at, views, downloads"

    private let database: Database

    init(_ database: Database) { self.database = database }

    func insert(family: Int64, _ link: ShareLink, hash: [UInt8]) throws {
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
        trim.bind(4, Self.maxLinks)
        for key in try trim.all({ $0.int64(0) }) { try remove(key: key) }
    }

    /// The document of a link; `nil` when the family has no such link.
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

    /// Ends the links of a document: all, or those of one school.
    func end(family: Int64, document: Identifier, school: Identifier? = nil, at: Int64) throws {
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

    /// Ends the links that a member made.
    ///
    /// - Complexity: O(links of the family).
    func end(family: Int64, creator: Identifier, at: Int64) throws {
        let update = try database.prepare("UPDATE share_links SET ended_at = ? WHERE family = ? AND created_by = ? AND ended_at IS NULL")
        update.bind(1, at)
        update.bind(2, family)
        update.bind(3, creator)
        try update.run()
    }

    /// Counts openings of a link, and enters the newest `rows` of them into its log: the first with its time, the others with that of the last.
    func note(family: Int64, _ visit: ShareVisit, count: Int64, rows: Int64, first: Int64, last: Int64) throws {
        let column = visit.what == .page ? "views" : "downloads"
        let update = try database.prepare("UPDATE share_links SET \(column) = \(column) + ? WHERE family = ? AND id = ? RETURNING key, views + downloads")
        update.bind(1, count)
        update.bind(2, family)
        update.bind(3, visit.link)
        guard let (key, total) = try update.one({ ($0.int64(0), $0.int64(1)) }) else { return }
        for row in 0..<min(rows, Self.maxViews) {
            let at = row == 0 ? first : last
            try database.run("INSERT INTO share_views (link, at, what) VALUES (?, ?, ?)", .integer(key), .integer(at), .text(visit.what.rawValue))
        }
        guard total > Self.maxViews else { return }
        try database.run(
            "DELETE FROM share_views WHERE link = ?1 AND row <= (SELECT row FROM share_views WHERE link = ?1 ORDER BY row DESC LIMIT 1 OFFSET ?2)",
            .integer(key), .integer(Self.maxViews))
    }

    /// Forgets all links of a document.
    func forget(family: Int64, document: Identifier) throws {
        let list = try database.prepare("SELECT key FROM share_links WHERE family = ? AND document = ?")
        list.bind(1, family)
        list.bind(2, document)
        for key in try list.all({ $0.int64(0) }) { try remove(key: key) }
    }

    /// Forgets links that ended before a time.
    ///
    /// - Returns: how many, at most `count`.
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

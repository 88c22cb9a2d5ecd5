import SQLite
import Store

/// The statements on `blobs`. They run seldom, so they are compiled when they are used.
final class BlobTable: BlobWrites {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// The octets of a family's documents, each file counted once, and the octets of a file that has this content already.
    private static let usage = """
        SELECT coalesce(sum(octets), 0), coalesce(sum(octets) FILTER (WHERE sha256 = ?2), 0) FROM blobs WHERE family = ?1 AND documents > 0
        """

    func use(family: Int64, sha256: String, octets: Int64) throws {
        let insert = try database.prepare(
            """
            INSERT INTO blobs (family, sha256, octets, documents) VALUES (?, ?, ?, 1)
            ON CONFLICT (family, sha256) DO UPDATE SET documents = documents + 1, unused_since = NULL
            """)
        insert.bind(1, family)
        insert.bind(2, sha256)
        insert.bind(3, octets)
        try insert.run()
    }

    func release(family: Int64, sha256: String, at: Int64) throws {
        let update = try database.prepare(
            """
            UPDATE blobs SET documents = max(documents - 1, 0), unused_since = CASE WHEN documents <= 1 THEN ?3 END
            WHERE family = ?1 AND sha256 = ?2
            """)
        update.bind(1, family)
        update.bind(2, sha256)
        update.bind(3, at)
        try update.run()
    }

    func usage(family: Int64, besides sha256: String) throws -> (used: Int64, known: Int64) {
        let sum = try database.prepare(Self.usage)
        sum.bind(1, family)
        sum.bind(2, sha256)
        return try sum.one { ($0.int64(0), $0.int64(1)) } ?? (0, 0)
    }

    func octetsOfAll() throws -> Int64 { try database.prepare("SELECT coalesce(sum(octets), 0) FROM blobs").one { $0.int64(0) } ?? 0 }

    func forget(family: Int64, sha256: String) throws {
        try database.run("DELETE FROM blobs WHERE family = ? AND sha256 = ? AND documents = 0", .integer(family), .text(sha256))
    }

    func octets(family: Int64, sha256: String) throws -> Int64? {
        let find = try database.prepare("SELECT octets FROM blobs WHERE family = ? AND sha256 = ?")
        find.bind(1, family)
        find.bind(2, sha256)
        return try find.one { $0.int64(0) }
    }

    func inUse(family: Int64) throws -> [BlobRow] {
        let list = try database.prepare("SELECT sha256, octets FROM blobs WHERE family = ? AND documents > 0 ORDER BY sha256")
        list.bind(1, family)
        return try list.all { BlobRow(sha256: $0.text(0), octets: $0.int64(1)) }
    }

    func unused(before time: Int64, limit: Int) throws -> [FamilyBlobRow] {
        let list = try database.prepare(
            """
            SELECT f.uuid, b.sha256, b.octets FROM blobs b JOIN families f ON f.key = b.family
            WHERE b.unused_since < ? AND b.documents = 0 ORDER BY b.unused_since, b.family, b.sha256 LIMIT ?
            """)
        list.bind(1, time)
        list.bind(2, Int64(limit))
        return try list.all(Self.familyRow)
    }

    func unused(since time: Int64) throws -> [FamilyBlobRow] {
        let list = try database.prepare(
            """
            SELECT f.uuid, b.sha256, b.octets FROM blobs b JOIN families f ON f.key = b.family
            WHERE b.documents = 0 AND b.unused_since >= ? ORDER BY b.unused_since, b.family, b.sha256
            """)
        list.bind(1, time)
        return try list.all(Self.familyRow)
    }

    private static func familyRow(_ row: Statement) throws -> FamilyBlobRow {
        FamilyBlobRow(family: try row.identifier(0), blob: BlobRow(sha256: row.text(1), octets: row.int64(2)))
    }

    // MARK: Counts

    /// Every file that records name, as they do: family, digest, octets, records.
    private static let counted = """
        SELECT family, CAST(fields AS TEXT) ->> '$.sha256' AS sha256, max(CAST(fields AS TEXT) ->> '$.octets') AS octets, count(*) AS documents
        FROM records WHERE kind = 11 AND family IN (SELECT key FROM families) AND CAST(fields AS TEXT) ->> '$.sha256' IS NOT NULL GROUP BY 1, 2
        """

    func miscounted() throws -> Int {
        let stored = "SELECT family, sha256, octets, documents FROM blobs WHERE documents > 0 AND family IN (SELECT key FROM families)"
        let wrong = try database.prepare(
            """
            SELECT count(*) FROM (
                SELECT * FROM (\(Self.counted) EXCEPT \(stored)) UNION ALL SELECT * FROM (\(stored) EXCEPT \(Self.counted)))
            """)
        return try wrong.one { Int($0.int64(0)) } ?? 0
    }

    func recount(at: Int64) throws {
        try database.execute("CREATE TEMP TABLE counted AS \(Self.counted)")
        try database.execute(
            """
            INSERT INTO blobs (family, sha256, octets, documents) SELECT family, sha256, octets, documents FROM counted WHERE true
                ON CONFLICT (family, sha256) DO UPDATE SET octets = excluded.octets, documents = excluded.documents, unused_since = NULL
            """)
        try database.run(
            """
            UPDATE blobs SET documents = 0, unused_since = ? WHERE documents > 0
                AND NOT EXISTS (SELECT 1 FROM counted c WHERE c.family = blobs.family AND c.sha256 = blobs.sha256)
            """, .integer(at))
        try database.execute("DROP TABLE counted")
    }
}

@available(*, unavailable)
extension BlobTable: Sendable {}

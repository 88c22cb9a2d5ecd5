import SQLite

/// The writer's statements on `blobs`. They run seldom, so they are compiled when they are used.
final class BlobTable {
    let database: Database

    init(_ database: Database) { self.database = database }

    /// What a family's documents take, each file once, and how much of it is a file of this content already.
    static let usage = """
        SELECT coalesce(sum(octets), 0), coalesce(sum(octets) FILTER (WHERE sha256 = ?2), 0) FROM blobs WHERE family = ?1 AND documents > 0
        """

    /// One more record speaks of a file.
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

    /// A record that spoke of a file is gone.
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

    /// - Parameter besides: a file that counts as not there yet unless it is.
    /// - Returns: octets of the family's files, and of them those of `besides`.
    func usage(family: Int64, besides sha256: String) throws -> (used: Int64, known: Int64) {
        let sum = try database.prepare(Self.usage)
        sum.bind(1, family)
        sum.bind(2, sha256)
        return try sum.one { ($0.int64(0), $0.int64(1)) } ?? (0, 0)
    }

    /// Forgets files that are gone, unless a record speaks of them by now.
    func forget(family: Int64, sha256: String) throws {
        try database.run("DELETE FROM blobs WHERE family = ? AND sha256 = ? AND documents = 0", .integer(family), .text(sha256))
    }

    /// Forgets what an import that was cut short had.
    func forgetAll(family: Int64) throws {
        try database.run("DELETE FROM blobs WHERE family = ?", .integer(family))
    }
}

@available(*, unavailable)
extension BlobTable: Sendable {}

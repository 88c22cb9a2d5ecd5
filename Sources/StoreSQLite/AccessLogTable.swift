import Bytes
import SQLite
import Store

/// The statements on `access_log`.
final class AccessLogTable: AccessWrites {
    /// Insertions between two looks at that bound, because a look walks the entries.
    private static let trimInterval: Int64 = 100

    private let database: Database
    private let latest: Statement
    private let insertOne: Statement
    private let trim: Statement
    private let deleteOld: Statement
    private let list: Statement

    init(_ database: Database) throws(SQLiteError) {
        self.database = database
        latest = try database.prepare(
            """
            SELECT 1 FROM access_log
            WHERE family = ? AND athlete = ? AND member = ? AND record IS ? AND what = ? AND at > ? LIMIT 1
            """)
        insertOne = try database.prepare(
            "INSERT INTO access_log (family, athlete, member, at, what, record) VALUES (?, ?, ?, ?, ?, ?)")
        list = try database.prepare(
            """
            SELECT at, member, what, record FROM access_log WHERE family = ? AND athlete = ? AND at <= ?
            ORDER BY at DESC, row DESC LIMIT ?
            """)
        trim = try database.prepare(
            """
            DELETE FROM access_log WHERE row IN (
                SELECT row FROM access_log WHERE family = ? AND athlete = ? ORDER BY at DESC, row DESC LIMIT -1 OFFSET ?)
            """)
        deleteOld = try database.prepare(
            "DELETE FROM access_log WHERE at < ?1 AND row IN (SELECT row FROM access_log ORDER BY row LIMIT ?2)")
    }

    func entries(family: Int64, athlete: Identifier, upTo time: Int64, limit: Int) throws -> [AccessRow] {
        list.bind(1, family)
        list.bind(2, athlete)
        list.bind(3, time)
        list.bind(4, Int64(limit))
        return try list.all { row in
            AccessRow(
                athlete: athlete, member: try row.identifier(1), at: row.int64(0), what: row.text(2), record: try row.optionalIdentifier(3))
        }
    }

    func forEach(family: Int64, _ body: (AccessRow) throws -> Void) throws {
        let list = try database.prepare("SELECT athlete, member, at, what, record FROM access_log WHERE family = ? ORDER BY athlete, at, row")
        list.bind(1, family)
        try list.each { row in
            try body(
                AccessRow(
                    athlete: try row.identifier(0), member: try row.identifier(1), at: row.int64(2), what: row.text(3),
                    record: try row.optionalIdentifier(4)))
        }
    }

    func add(family: Int64, _ row: AccessRow, unlessSince visit: Int64, limit: Int) throws {
        latest.bind(1, family)
        latest.bind(2, row.athlete)
        latest.bind(3, row.member)
        latest.bind(4, row.record)
        latest.bind(5, row.what)
        latest.bind(6, visit)
        if try latest.one({ _ in true }) ?? false { return }
        try append(family: family, row)
        guard database.lastInsertRowID % Self.trimInterval == 0 else { return }
        trim.bind(1, family)
        trim.bind(2, row.athlete)
        trim.bind(3, Int64(limit))
        try trim.run()
    }

    func append(family: Int64, _ row: AccessRow) throws {
        insertOne.bind(1, family)
        insertOne.bind(2, row.athlete)
        insertOne.bind(3, row.member)
        insertOne.bind(4, row.at)
        insertOne.bind(5, row.what)
        insertOne.bind(6, row.record)
        try insertOne.run()
    }

    func purge(before limit: Int64, count: Int) throws -> Int {
        deleteOld.bind(1, limit)
        deleteOld.bind(2, Int64(count))
        try deleteOld.run()
        return database.changes
    }
}

@available(*, unavailable)
extension AccessLogTable: Sendable {}

import Bytes
import Family
import SQLite

/// The writer's statements on `access_log`.
final class AccessLogTable {
    /// Entries are kept so long, milliseconds: 365 days, so that an athlete can look back over a season.
    static let retention: Int64 = 365 * 86_400_000
    /// The same person looking at the same thing again within so many milliseconds is one visit: 15 minutes. Telephones reconnect often.
    static let visit: Int64 = 900_000
    /// Entries of one athlete at most; past it the oldest go. Ten a day for more than two years.
    static let maxEntries: Int64 = 10_000
    /// Insertions between two looks at that bound, because a look walks the entries.
    private static let trimInterval: Int64 = 100

    private let database: Database
    private let latest: Statement
    private let insertOne: Statement
    private let trim: Statement
    private let deleteOld: Statement

    init(_ database: Database) throws(SQLiteError) {
        self.database = database
        latest = try database.prepare(
            """
            SELECT 1 FROM access_log
            WHERE family = ? AND athlete = ? AND member = ? AND record IS ? AND what = ? AND at > ? LIMIT 1
            """)
        insertOne = try database.prepare(
            "INSERT INTO access_log (family, athlete, member, at, what, record) VALUES (?, ?, ?, ?, ?, ?)")
        trim = try database.prepare(
            """
            DELETE FROM access_log WHERE row IN (
                SELECT row FROM access_log WHERE family = ? AND athlete = ? ORDER BY at DESC, row DESC LIMIT -1 OFFSET ?)
            """)
        deleteOld = try database.prepare(
            "DELETE FROM access_log WHERE at < ?1 AND row IN (SELECT row FROM access_log ORDER BY row LIMIT ?2)")
    }

    /// Adds an entry, unless it belongs to a visit that is noted.
    func add(_ note: AccessNote, family: Int64, at: Int64) throws {
        latest.bind(1, family)
        latest.bind(2, note.athlete)
        latest.bind(3, note.member)
        latest.bind(4, note.record)
        latest.bind(5, note.subject.rawValue)
        latest.bind(6, at - Self.visit)
        if try latest.one({ _ in true }) ?? false { return }
        insertOne.bind(1, family)
        insertOne.bind(2, note.athlete)
        insertOne.bind(3, note.member)
        insertOne.bind(4, at)
        insertOne.bind(5, note.subject.rawValue)
        insertOne.bind(6, note.record)
        try insertOne.run()
        guard database.lastInsertRowID % Self.trimInterval == 0 else { return }
        trim.bind(1, family)
        trim.bind(2, note.athlete)
        trim.bind(3, Self.maxEntries)
        try trim.run()
    }

    /// An entry as another database had it.
    func append(family: Int64, _ row: ArchiveRow.Access) throws {
        insertOne.bind(1, family)
        insertOne.bind(2, row.athlete)
        insertOne.bind(3, row.member)
        insertOne.bind(4, row.at)
        insertOne.bind(5, row.what)
        insertOne.bind(6, row.record)
        try insertOne.run()
    }

    /// Deletes entries from before `limit` (UTC milliseconds), the oldest `count` rows being looked at.
    ///
    /// - Returns: how many.
    func purge(before limit: Int64, count: Int) throws(SQLiteError) -> Int {
        deleteOld.bind(1, limit)
        deleteOld.bind(2, Int64(count))
        try deleteOld.run()
        return database.changes
    }
}

@available(*, unavailable)
extension AccessLogTable: Sendable {}

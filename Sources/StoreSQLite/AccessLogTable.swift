import Bytes
import SQLite
import Store

/// The statements on `access_log`.
final class AccessLogTable: AccessWrites {
    /// Insertions between two looks at the bound of an athlete's entries, because a look walks the entries.
    private static let trimInterval = 100

    private let database: Database
    private var insertions = 0
    private let latest: Statement
    private let insertOne: Statement
    private let findExcess: Statement
    private let deleteUpTo: Statement
    private let nextFamily: Statement
    private let nextAthlete: Statement
    private let list: Statement

    init(_ database: Database) {
        self.database = database
        latest = database.prepareOnUse(
            """
            SELECT 1 FROM access_log
            WHERE family = ? AND athlete = ? AND member = ? AND record IS ? AND what = ? AND at > ? LIMIT 1
            """)
        insertOne = database.prepareOnUse(
            "INSERT INTO access_log (family, athlete, member, at, what, record) VALUES (?, ?, ?, ?, ?, ?)")
        list = database.prepareOnUse(Self.pageQuery)
        findExcess = database.prepareOnUse(Self.excessQuery)
        deleteUpTo = database.prepareOnUse(
            """
            DELETE FROM access_log WHERE family = ?1 AND athlete = ?2 AND at <= ?3
            AND (at < ?3 OR (member, what, coalesce(record, x'')) <= (?4, ?5, coalesce(?6, x'')))
            """)
        nextFamily = database.prepareOnUse("SELECT min(family) FROM access_log WHERE family > ?")
        nextAthlete = database.prepareOnUse(Self.nextAthleteQuery)
    }

    private static let newestFirst = "ORDER BY at DESC, member DESC, what DESC, record DESC"

    /// Entries of an athlete up to a time, the newest first.
    static let pageQuery = """
        SELECT at, member, what, record FROM access_log WHERE family = ? AND athlete = ? AND at <= ? \(newestFirst) LIMIT ?
        """
    /// The entry of an athlete after a given number of newer ones.
    static let excessQuery = """
        SELECT at, member, what, record FROM access_log WHERE family = ? AND athlete = ? \(newestFirst) LIMIT 1 OFFSET ?
        """
    /// The athlete after another, and the time of the first entry.
    static let nextAthleteQuery = "SELECT athlete, at FROM access_log WHERE family = ? AND athlete > ? ORDER BY athlete, at LIMIT 1"

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
        let list = try database.prepare("SELECT athlete, member, at, what, record FROM access_log WHERE family = ? ORDER BY athlete, at, member, what, record")
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
        insertions += 1
        guard insertions % Self.trimInterval == 0 else { return }
        findExcess.bind(1, family)
        findExcess.bind(2, row.athlete)
        findExcess.bind(3, Int64(limit))
        // As it is stored: an id that is damaged is compared like any other.
        let excess = try findExcess.one { (at: $0.int64(0), member: $0.octets(1), what: $0.text(2), record: $0.isNull(3) ? nil : $0.octets(3)) }
        guard let excess else { return }
        deleteUpTo.bind(3, excess.at)
        deleteUpTo.bind(4, excess.member)
        deleteUpTo.bind(5, excess.what)
        deleteUpTo.bind(6, excess.record)
        deleteUpTo.bind(1, family)
        deleteUpTo.bind(2, row.athlete)
        try deleteUpTo.run()
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

    func purge(before limit: Int64, afterFamily: Int64, count: Int, families: Int) throws -> PurgedPortion<Int64> {
        var portion = PurgedPortion(next: afterFamily)
        for _ in 0..<families {
            nextFamily.bind(1, portion.next)
            guard let family = try nextFamily.one({ $0.optionalInt64(0) }) ?? nil else {
                portion.isLast = true
                return portion
            }
            // As it is stored: an id that is damaged is passed like any other.
            var athlete: [UInt8] = []
            while true {
                nextAthlete.bind(1, family)
                nextAthlete.bind(2, athlete)
                guard let found = try nextAthlete.one({ (athlete: $0.octets(0), oldest: $0.int64(1)) }) else { break }
                athlete = found.athlete
                guard found.oldest < limit else { continue }
                portion.count += try purge(before: limit, family: family, athlete, count: count - portion.count)
                // The same family again: it may have more.
                guard portion.count < count else { return portion }
            }
            portion.next = family
        }
        return portion
    }

    /// Entries of the last moment go together, so that they may be more than `count`.
    private func purge(before limit: Int64, family: Int64, _ athlete: [UInt8], count: Int) throws -> Int {
        let last = try database.prepare("SELECT at FROM access_log WHERE family = ? AND athlete = ? AND at < ? ORDER BY at LIMIT 1 OFFSET ?")
        last.bind(1, family)
        last.bind(2, athlete)
        last.bind(3, limit)
        last.bind(4, Int64(count - 1))
        let delete = try database.prepare("DELETE FROM access_log WHERE family = ? AND athlete = ? AND at <= ?")
        delete.bind(1, family)
        delete.bind(2, athlete)
        delete.bind(3, try last.one { $0.int64(0) } ?? limit - 1)
        try delete.run()
        return database.changes
    }
}

@available(*, unavailable)
extension AccessLogTable: Sendable {}

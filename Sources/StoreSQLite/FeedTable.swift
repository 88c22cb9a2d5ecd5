import Bytes
import Family
import SQLite
import Store

/// The statements on calendar feeds. They run seldom, so they are compiled when they are used.
final class FeedTable: FeedWrites {
    private static let feeds = """
        SELECT c.family, f.uuid, c.member, c.id, c.name, c.scope, c.subjects, c.kinds, c.detail, c.alarms, c.created_at, c.expires_at, c.fetches,
        c.fetched_at, c.program FROM calendar_feeds c JOIN families f ON f.key = c.family
        """
    static let hashQuery = "\(feeds) WHERE c.token_hash = ?"
    static let memberQuery = "\(feeds) WHERE c.family = ? AND c.member = ? ORDER BY c.created_at, c.id"

    private let database: Database

    init(_ database: Database) { self.database = database }

    private static func feed(_ row: Statement) throws -> FeedRow {
        let subjects = Self.identifiers(row.octets(6))
        let scope: FeedScope
        switch (row.text(5), subjects.first) {
        case ("mine", _): scope = .mine(athletes: subjects)
        case ("athlete", let athlete?): scope = .athlete(athlete)
        case ("trip", let trip?): scope = .trip(trip)
        case ("all", nil): scope = .all
        // A scope that is not known must not open everything.
        default: throw StoreFailure("a calendar feed has a scope that is not known")
        }
        guard let detail = FeedDetail(rawValue: row.text(8)) else { throw StoreFailure("a calendar feed has a detail that is not known") }
        let kinds = row.int64(7)
        let settings = FeedSettings(
            name: row.text(4), scope: scope, kinds: FeedSettings.feedKinds.filter { kinds & 1 << Int64($0.rawValue) != 0 }, detail: detail,
            hasAlarms: row.int64(9) != 0, expiresAt: row.optionalInt64(11))
        return FeedRow(
            family: row.int64(0), familyID: try row.identifier(1), member: try row.identifier(2),
            feed: CalendarFeed(
                id: try row.identifier(3), settings: settings, createdAt: row.int64(10), fetches: row.int64(12), fetchedAt: row.optionalInt64(13),
                program: row.text(14)))
    }

    private static func identifiers(_ octets: [UInt8]) -> [Identifier] {
        stride(from: 0, to: octets.count / 16 * 16, by: 16).map { start in
            func half(_ from: Int) -> UInt64 { octets[from..<from + 8].reduce(0) { $0 << 8 | UInt64($1) } }
            return Identifier(high: half(start), low: half(start + 8))
        }
    }

    func feed(hash: [UInt8]) throws -> FeedRow? {
        let find = try database.prepare(Self.hashQuery)
        find.bind(1, hash)
        return try find.one(Self.feed)
    }

    func feed(family: Int64, id: Identifier) throws -> FeedRow? {
        let find = try database.prepare("\(Self.feeds) WHERE c.family = ? AND c.id = ?")
        find.bind(1, family)
        find.bind(2, id)
        return try find.one(Self.feed)
    }

    func feeds(family: Int64, member: Identifier) throws -> [CalendarFeed] {
        let list = try database.prepare(Self.memberQuery)
        list.bind(1, family)
        list.bind(2, member)
        return try list.all { try Self.feed($0).feed }
    }

    func addFeed(_ row: FeedRow, hash: [UInt8]) throws {
        let insert = try database.prepare(
            """
            INSERT INTO calendar_feeds (name, scope, subjects, kinds, detail, alarms, expires_at, family, id, member, token_hash, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        bind(row.feed.settings, to: insert)
        insert.bind(8, row.family)
        insert.bind(9, row.feed.id)
        insert.bind(10, row.member)
        insert.bind(11, hash)
        insert.bind(12, row.feed.createdAt)
        try insert.run()
    }

    func setFeed(family: Int64, id: Identifier, _ settings: FeedSettings) throws {
        let update = try database.prepare(
            """
            UPDATE calendar_feeds SET name = ?, scope = ?, subjects = ?, kinds = ?, detail = ?, alarms = ?, expires_at = ? WHERE family = ? AND id = ?
            """)
        bind(settings, to: update)
        update.bind(8, family)
        update.bind(9, id)
        try update.run()
    }

    private func bind(_ settings: FeedSettings, to statement: Statement) {
        var subjects: [UInt8] = []
        func append(_ id: Identifier) {
            BigEndian.append(id.high, to: &subjects)
            BigEndian.append(id.low, to: &subjects)
        }
        switch settings.scope {
        case .mine(let athletes): for athlete in athletes { append(athlete) }
        case .athlete(let id), .trip(let id): append(id)
        case .all: break
        }
        statement.bind(1, settings.name)
        statement.bind(2, settings.scope.word)
        statement.bind(3, subjects)
        statement.bind(4, settings.kinds.reduce(0) { $0 | 1 << Int64($1.rawValue) })
        statement.bind(5, settings.detail.rawValue)
        statement.bind(6, settings.hasAlarms ? 1 : 0)
        statement.bind(7, settings.expiresAt)
    }

    func removeFeed(family: Int64, id: Identifier) throws {
        let delete = try database.prepare("DELETE FROM calendar_feeds WHERE family = ? AND id = ?")
        delete.bind(1, family)
        delete.bind(2, id)
        try delete.run()
    }

    func removeFeeds(family: Int64, member: Identifier) throws {
        let delete = try database.prepare("DELETE FROM calendar_feeds WHERE family = ? AND member = ?")
        delete.bind(1, family)
        delete.bind(2, member)
        try delete.run()
    }

    func note(family: Int64, id: Identifier, _ fetches: FeedFetches) throws {
        let update = try database.prepare("UPDATE calendar_feeds SET fetches = fetches + ?, fetched_at = ?, program = ? WHERE family = ? AND id = ?")
        update.bind(1, fetches.count)
        update.bind(2, fetches.last)
        update.bind(3, fetches.program)
        update.bind(4, family)
        update.bind(5, id)
        try update.run()
    }
}

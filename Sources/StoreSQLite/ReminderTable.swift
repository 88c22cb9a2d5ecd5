import Bytes
import Family
import SQLite
import Store

/// The statements on reminders. Arming is part of each change of an item, so its statements are kept.
final class ReminderTable: ReminderWrites {
    static let nextQuery = "SELECT min(due) FROM reminders"
    static let dueQuery = "SELECT family, item, lead, start, due FROM reminders WHERE due <= ? ORDER BY due, family, item, lead LIMIT ?"
    static let unseenQuery = """
        SELECT family, member, item, lead, start, due, fired_at FROM fired_reminders
        WHERE family = ? AND member = ? AND seen_at IS NULL AND fired_at > ? ORDER BY fired_at DESC, due DESC, item DESC, lead DESC LIMIT ?
        """

    private let database: Database
    private let armItem: Statement
    private let disarmItem: Statement
    private let listUnseen: Statement

    init(_ database: Database) {
        self.database = database
        armItem = database.prepareOnUse(
            """
            INSERT INTO reminders (family, item, lead, start, due) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (family, item, lead) DO UPDATE SET start = excluded.start, due = excluded.due
            """)
        disarmItem = database.prepareOnUse("DELETE FROM reminders WHERE family = ? AND item = ?")
        listUnseen = database.prepareOnUse(Self.unseenQuery)
    }

    private static func armed(_ row: Statement) throws -> ArmedReminder {
        ArmedReminder(
            family: row.int64(0), key: Reminder.Key(item: try row.identifier(1), lead: row.int64(2), start: row.int64(3)), due: row.int64(4))
    }

    func armed(family: Int64, item: Identifier) throws -> [ArmedReminder] {
        let list = try database.prepare("SELECT family, item, lead, start, due FROM reminders WHERE family = ? AND item = ? ORDER BY lead")
        list.bind(1, family)
        list.bind(2, item)
        return try list.all(Self.armed)
    }

    func nextDue() throws -> Int64? { try database.prepare(Self.nextQuery).one { $0.optionalInt64(0) } ?? nil }

    func due(at time: Int64, limit: Int) throws -> [ArmedReminder] {
        let list = try database.prepare(Self.dueQuery)
        list.bind(1, time)
        list.bind(2, Int64(limit))
        return try list.all(Self.armed)
    }

    func hasFired(_ reminder: FiredReminder) throws -> Bool {
        let find = try database.prepare("SELECT 1 FROM fired_reminders WHERE family = ? AND member = ? AND item = ? AND lead = ? AND start = ?")
        bind(reminder.family, reminder.member, reminder.key, to: find)
        return try find.one { _ in true } ?? false
    }

    func unseen(family: Int64, member: Identifier, firedAfter time: Int64, limit: Int) throws -> [FiredReminder] {
        listUnseen.bind(1, family)
        listUnseen.bind(2, member)
        listUnseen.bind(3, time)
        listUnseen.bind(4, Int64(limit))
        return try listUnseen.all { row in
            FiredReminder(
                family: row.int64(0), member: try row.identifier(1), key: Reminder.Key(item: try row.identifier(2), lead: row.int64(3), start: row.int64(4)),
                due: row.int64(5), firedAt: row.int64(6))
        }
    }

    func zoneData() throws -> String? {
        try database.prepare("SELECT reminder_zones FROM meta").one { $0.isNull(0) ? nil : $0.text(0) } ?? nil
    }

    func arm(_ reminder: ArmedReminder) throws {
        armItem.bind(1, reminder.family)
        armItem.bind(2, reminder.key.item)
        armItem.bind(3, reminder.key.lead)
        armItem.bind(4, reminder.key.start)
        armItem.bind(5, reminder.due)
        try armItem.run()
    }

    func disarm(family: Int64, item: Identifier) throws -> Int {
        disarmItem.bind(1, family)
        disarmItem.bind(2, item)
        try disarmItem.run()
        return database.changes
    }

    func disarm(_ reminder: ArmedReminder) throws {
        let delete = try database.prepare("DELETE FROM reminders WHERE family = ? AND item = ? AND lead = ?")
        delete.bind(1, reminder.family)
        delete.bind(2, reminder.key.item)
        delete.bind(3, reminder.key.lead)
        try delete.run()
    }

    func fire(_ reminder: FiredReminder) throws -> Bool {
        let insert = try database.prepare(
            """
            INSERT INTO fired_reminders (family, member, item, lead, start, due, fired_at) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """)
        bind(reminder.family, reminder.member, reminder.key, to: insert)
        insert.bind(6, reminder.due)
        insert.bind(7, reminder.firedAt)
        try insert.run()
        return database.changes > 0
    }

    func see(family: Int64, member: Identifier, _ key: Reminder.Key, at: Int64) throws {
        let update = try database.prepare(
            """
            UPDATE fired_reminders SET seen_at = ?6
            WHERE family = ?1 AND member = ?2 AND item = ?3 AND lead = ?4 AND start = ?5 AND seen_at IS NULL
            """)
        bind(family, member, key, to: update)
        update.bind(6, at)
        try update.run()
    }

    private func bind(_ family: Int64, _ member: Identifier, _ key: Reminder.Key, to statement: Statement) {
        statement.bind(1, family)
        statement.bind(2, member)
        statement.bind(3, key.item)
        statement.bind(4, key.lead)
        statement.bind(5, key.start)
    }

    func forget(family: Int64, member: Identifier) throws {
        let delete = try database.prepare("DELETE FROM fired_reminders WHERE family = ? AND member = ?")
        delete.bind(1, family)
        delete.bind(2, member)
        try delete.run()
    }

    func purgeFired(before time: Int64, count: Int) throws -> Int {
        try database.run(
            """
            DELETE FROM fired_reminders WHERE (family, member, item, lead, start) IN
            (SELECT family, member, item, lead, start FROM fired_reminders WHERE fired_at < ?1 LIMIT ?2)
            """, .integer(time), .integer(Int64(count)))
        return database.changes
    }

    func setZoneData(_ version: String) throws { try database.run("UPDATE meta SET reminder_zones = ?", .text(version)) }
}

@available(*, unavailable)
extension ReminderTable: Sendable {}

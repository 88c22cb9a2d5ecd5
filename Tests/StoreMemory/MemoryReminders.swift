import Bytes
import Family
import Store

final class MemoryReminders: ReminderWrites {
    private let connection: MemoryConnection

    init(_ connection: MemoryConnection) { self.connection = connection }

    func armed(family: Int64, item: Identifier) throws -> [ArmedReminder] {
        try connection.read().family(family).armed[item]?.values.sorted { $0.key.lead < $1.key.lead } ?? []
    }

    func nextDue() throws -> Int64? { try connection.read().allArmed.map(\.due).min() }

    func due(at time: Int64, limit: Int) throws -> [ArmedReminder] {
        let due = try connection.read().allArmed.filter { $0.due <= time }
        return Array(due.sorted { ($0.due, $0.family, $0.key.item, $0.key.lead) < ($1.due, $1.family, $1.key.item, $1.key.lead) }.prefix(limit))
    }

    func hasFired(_ reminder: FiredReminder) throws -> Bool {
        try connection.read().family(reminder.family).fired[MemoryTables.FiredName(reminder.member, reminder.key)] != nil
    }

    func unseen(family: Int64, member: Identifier, firedAfter time: Int64, limit: Int) throws -> [FiredReminder] {
        let unseen = try connection.read().family(family).fired.values.filter {
            $0.seenAt == nil && $0.reminder.member == member && $0.reminder.firedAt > time
        }.map(\.reminder)
        return Array(unseen.sorted { ($0.firedAt, $0.due, $0.key.item, $0.key.lead) > ($1.firedAt, $1.due, $1.key.item, $1.key.lead) }.prefix(limit))
    }

    func zoneData() throws -> String? { try connection.read().reminderZones }

    func arm(_ reminder: ArmedReminder) throws {
        try connection.write { $0.families[reminder.family, default: MemoryTables.FamilyTables()].armed[reminder.key.item, default: [:]][reminder.key.lead] = reminder }
    }

    func disarm(family: Int64, item: Identifier) throws -> Int {
        try connection.write { $0.families[family]?.armed.removeValue(forKey: item)?.count ?? 0 }
    }

    func disarm(_ reminder: ArmedReminder) throws {
        try connection.write { $0.families[reminder.family]?.armed[reminder.key.item]?[reminder.key.lead] = nil }
    }

    func fire(_ reminder: FiredReminder) throws -> Bool {
        try connection.write { tables in
            let name = MemoryTables.FiredName(reminder.member, reminder.key)
            guard tables.family(reminder.family).fired[name] == nil else { return false }
            tables.families[reminder.family, default: MemoryTables.FamilyTables()].fired[name] = (reminder, nil)
            return true
        }
    }

    func see(family: Int64, member: Identifier, _ key: Reminder.Key, at: Int64) throws {
        try connection.write { tables in
            let name = MemoryTables.FiredName(member, key)
            guard let row = tables.family(family).fired[name], row.seenAt == nil else { return }
            tables.families[family]?.fired[name]?.seenAt = at
        }
    }

    func forget(family: Int64, member: Identifier) throws {
        try connection.write { tables in
            for name in tables.family(family).fired.keys where name.member == member { tables.families[family]?.fired[name] = nil }
        }
    }

    func purgeFired(before time: Int64, count: Int) throws -> Int {
        try connection.write { tables in
            var removed = 0
            for (key, family) in tables.families {
                for (name, row) in family.fired where row.reminder.firedAt < time && removed < count {
                    tables.families[key]?.fired[name] = nil
                    removed += 1
                }
            }
            return removed
        }
    }

    func setZoneData(_ version: String) throws { try connection.write { $0.reminderZones = version } }
}

@available(*, unavailable)
extension MemoryReminders: Sendable {}

extension MemoryTables {
    /// The name of a fired reminder in its family.
    struct FiredName: Hashable {
        var member: Identifier
        var key: Reminder.Key

        init(_ member: Identifier, _ key: Reminder.Key) {
            self.member = member
            self.key = key
        }
    }

    var allArmed: [ArmedReminder] { families.values.flatMap { $0.armed.values.flatMap(\.values) } }
}

import Bytes
import Family
import SQLite
import Store

// Requests to delete families, and erasures. Seldom, so every statement is compiled when it is used.
extension FamilyTable {
    func deletion(family: Int64) throws -> FamilyDeletion? {
        let find = try database.prepare(
            "SELECT deletion_at, deletion_by, deletion_due FROM families WHERE key = ? AND deletion_due IS NOT NULL")
        find.bind(1, family)
        return try find.one { FamilyDeletion(requestedAt: $0.int64(0), by: try $0.optionalIdentifier(1), dueAt: $0.int64(2)) }
    }

    func setDeletion(_ deletion: FamilyDeletion?, family: Int64) throws {
        let update = try database.prepare("UPDATE families SET deletion_due = ?, deletion_at = ?, deletion_by = ? WHERE key = ?")
        update.bind(1, deletion?.dueAt)
        update.bind(2, deletion?.requestedAt)
        update.bind(3, deletion?.by)
        update.bind(4, family)
        try update.run()
    }

    static let dueDeletionQuery = "SELECT key, uuid FROM families WHERE deletion_due <= ? ORDER BY deletion_due, key LIMIT 1"

    func dueDeletion(at time: Int64) throws -> (key: Int64, family: Identifier)? {
        let find = try database.prepare(Self.dueDeletionQuery)
        find.bind(1, time)
        return try find.one { ($0.int64(0), try $0.identifier(1)) }
    }

    func erasures(all: Bool) throws -> [Erasure] {
        let condition = all ? "" : "WHERE state <> 'done' "
        let list = try database.prepare("SELECT key, uuid, requested_at, begun_at, state, ended_at FROM erasures \(condition)ORDER BY key")
        return try list.all { row in
            guard let state = Erasure.State(rawValue: row.text(4)) else { throw StoreFailure("an erasure has a state that is not known") }
            return Erasure(
                key: row.int64(0), family: try row.identifier(1), requestedAt: row.int64(2), begunAt: row.int64(3), state: state,
                endedAt: row.optionalInt64(5))
        }
    }

    func beginErasure(of family: Identifier, key: Int64, _ deletion: FamilyDeletion, at: Int64) throws {
        // The family's arrival may be the newest position.
        try log.keepPositions()
        let insert = try database.prepare("INSERT INTO erasures (key, uuid, requested_at, begun_at, state) VALUES (?, ?, ?, ?, ?)")
        insert.bind(1, key)
        insert.bind(2, family)
        insert.bind(3, deletion.requestedAt)
        insert.bind(4, at)
        insert.bind(5, Erasure.State.rows.rawValue)
        try insert.run()
        try database.run("DELETE FROM families WHERE key = ?", .integer(key))
    }

    /// Tables whose rows may be large, with the content that makes them so.
    private static let largeTables = [
        ("records", "fields"), ("outlines", "outline"), ("history", "before"), ("receipts", "frame"), ("log", "frame"),
    ]
    /// Tables whose rows are small, with their keys. The first go before the records: a link without its document would be a finding of `huddled check`.
    private static let firstTables = [("calendar_feeds", "key"), ("reminders", "family, item, lead"), ("fired_reminders", "family, member, item, lead, start"), ("share_visits", "family, link, number"), ("share_links", "key")]
    private static let lastTables = [("clients", "key"), ("access_log", "row"), ("purged", "family, id"), ("blobs", "family, sha256"), ("audit", "family, number"), ("quotas", "family, name")]
    /// Every table with rows of families, but those of people.
    static var erasedTables: [String] { (firstTables + largeTables + lastTables).map(\.0) }

    func erase(family: Int64, rows: Int, octets: Int) throws -> Bool {
        try log.keepPositions()
        func removeSmall(_ tables: [(String, String)]) throws -> Bool {
            for (table, key) in tables {
                try database.run(
                    "DELETE FROM \(table) WHERE (\(key)) IN (SELECT \(key) FROM \(table) WHERE family = ?1 LIMIT ?2)", .integer(family),
                    .integer(Int64(rows)))
                if database.changes > 0 { return true }
            }
            return false
        }
        if try removeSmall(Self.firstTables) { return true }
        for (table, content) in Self.largeTables {
            let list = try database.prepare("SELECT row, coalesce(length(\(content)), 0) FROM \(table) WHERE family = ? LIMIT ?")
            list.bind(1, family)
            list.bind(2, Int64(rows))
            var found: [Int64] = []
            var taken: Int64 = 0
            while taken < octets, try list.step() {
                found.append(list.int64(0))
                taken += list.int64(1)
            }
            list.reset()
            guard !found.isEmpty else { continue }
            let remove = try database.prepare("DELETE FROM \(table) WHERE row = ?")
            for row in found {
                remove.bind(1, row)
                try remove.run()
            }
            return true
        }
        return try removeSmall(Self.lastTables)
    }

    func set(_ state: Erasure.State, ofErasure key: Int64, at: Int64) throws {
        try database.run(
            "UPDATE erasures SET state = ?, ended_at = ? WHERE key = ?", .text(state.rawValue), state == .done ? .integer(at) : .null, .integer(key))
    }
}

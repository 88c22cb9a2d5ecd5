import Bytes
import Family
import SQLite
import Store

/// The statements on `families` and `imports`. Those that run seldom are compiled when they are used.
final class FamilyTable: FamilyWrites {
    let database: Database
    let log: LogTable
    private let findOne: Statement
    private let findQuotas: Statement

    init(_ database: Database, _ log: LogTable) {
        self.database = database
        self.log = log
        findOne = database.prepareOnUse("SELECT key, uuid, floor, created_at FROM families WHERE uuid = ?")
        findQuotas = database.prepareOnUse("SELECT name, value FROM quotas WHERE family = ?")
    }

    static func row(_ row: Statement) throws -> FamilyRow {
        FamilyRow(key: row.int64(0), id: try row.identifier(1), floor: row.int64(2), createdAt: row.int64(3))
    }

    func find(_ id: Identifier) throws -> FamilyRow? {
        findOne.bind(1, id)
        return try findOne.one(Self.row)
    }

    func id(of key: Int64) throws -> Identifier? {
        let find = try database.prepare("SELECT uuid FROM families WHERE key = ?")
        find.bind(1, key)
        return try find.one { try? $0.identifier(0) } ?? nil
    }

    func all() throws -> [FamilyRow] {
        try database.prepare("SELECT key, uuid, floor, created_at FROM families ORDER BY key").all(Self.row)
    }

    func count() throws -> Int { try database.prepare("SELECT count(*) FROM families").one { Int($0.int64(0)) } ?? 0 }

    func all(after key: Int64, limit: Int) throws -> [FamilyRow] {
        let list = try database.prepare("SELECT key, uuid, floor, created_at FROM families WHERE key > ? ORDER BY key LIMIT ?")
        list.bind(1, key)
        list.bind(2, Int64(limit))
        return try list.all(Self.row)
    }

    func quotas(family: Int64) throws -> FamilyQuotas {
        findQuotas.bind(1, family)
        var quotas = FamilyQuotas()
        // This program ignores a name that a newer program wrote.
        try findQuotas.each { row in if let quota = FamilyQuota(rawValue: row.text(0)) { quotas[quota] = Int(row.int64(1)) } }
        return quotas
    }

    func ownQuotas() throws -> [Identifier: FamilyQuotas] {
        var all: [Identifier: FamilyQuotas] = [:]
        try database.prepare("SELECT f.uuid, q.name, q.value FROM quotas q JOIN families f ON f.key = q.family").each { row in
            guard let quota = FamilyQuota(rawValue: row.text(1)) else { return }
            all[try row.identifier(0), default: FamilyQuotas()][quota] = Int(row.int64(2))
        }
        return all
    }

    func setQuotas(family: Int64, _ quotas: FamilyQuotas) throws {
        for quota in FamilyQuota.allCases {
            if let value = quotas[quota] {
                try database.run(
                    "INSERT INTO quotas (family, name, value) VALUES (?, ?, ?) ON CONFLICT (family, name) DO UPDATE SET value = excluded.value",
                    .integer(family), .text(quota.rawValue), .integer(Int64(value)))
            } else {
                try database.run("DELETE FROM quotas WHERE family = ? AND name = ?", .integer(family), .text(quota.rawValue))
            }
        }
    }

    func nextKey() throws -> Int64 {
        let newest = try database.prepare("SELECT max(key) FROM (SELECT key FROM families UNION ALL SELECT key FROM imports UNION ALL SELECT key FROM erasures)")
        return (try newest.one { $0.int64(0) } ?? 0) + 1
    }

    func insert(_ family: FamilyRow) throws {
        let insert = try database.prepare("INSERT INTO families (key, uuid, floor, created_at) VALUES (?, ?, ?, ?)")
        insert.bind(1, family.key)
        insert.bind(2, family.id)
        insert.bind(3, family.floor)
        insert.bind(4, family.createdAt)
        try insert.run()
        try database.run("DELETE FROM imports WHERE key = ?", .integer(family.key))
        guard database.changes > 0 else { return }
        // The rows of the import have positions that followers have passed in the meantime: they find the family at a
        // new one.
        try database.run(
            "UPDATE families SET arrival = ?, arrived = ? WHERE key = ?", .integer(try log.takePosition()), .integer(try log.head(family: family.key)),
            .integer(family.key))
    }

    func raiseFloor(family: Int64, to sequence: Int64) throws {
        try database.run("UPDATE families SET floor = max(floor, ?) WHERE key = ?", .integer(sequence), .integer(family))
    }

    func free(family: Int64, octets: Int) throws {
        try database.run("UPDATE families SET freed = freed + ? WHERE key = ?", .integer(Int64(octets)), .integer(family))
    }

    func beginImport(key: Int64, id: Identifier, at: Int64) throws {
        let insert = try database.prepare("INSERT INTO imports (key, uuid, created_at) VALUES (?, ?, ?)")
        insert.bind(1, key)
        insert.bind(2, id)
        insert.bind(3, at)
        try insert.run()
    }

    func sweepImports(limit: Int) throws -> Bool {
        guard let key = try database.prepare("SELECT min(key) FROM imports").one({ $0.optionalInt64(0) }) ?? nil else { return false }
        try log.keepPositions()
        for (table, rest) in [
            ("records", "id"), ("log", "seq"), ("outlines", "seq"), ("history", "record, version"), ("receipts", "client, mutation"),
            ("clients", "member, client"), ("access_log", "athlete, at"), ("audit", "number"),
        ] {
            try database.run(
                "DELETE FROM \(table) WHERE (family, \(rest)) IN (SELECT family, \(rest) FROM \(table) WHERE family = ? LIMIT \(limit))",
                .integer(key))
            if database.changes > 0 { return true }
        }
        try database.run("DELETE FROM purged WHERE family = ?", .integer(key))
        try database.run("DELETE FROM blobs WHERE family = ?", .integer(key))
        try database.run("DELETE FROM imports WHERE key = ?", .integer(key))
        return true
    }
}

@available(*, unavailable)
extension FamilyTable: Sendable {}

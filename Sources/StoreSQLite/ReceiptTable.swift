import Bytes
import Family
import SQLite
import Store

/// The statements on `clients` and `receipts`.
final class ReceiptTable: ReceiptWrites {
    private let database: Database
    private let findClient: Statement
    private let insertClient: Statement
    private let raiseFloor: Statement
    private let findReceipt: Statement
    private let insertReceipt: Statement
    private let activeClients: Statement
    private let keptReceipts: Statement
    private let deleteKept: Statement
    private let oldest: Statement
    private let deleteUpTo: Statement

    init(_ database: Database) throws(SQLiteError) {
        self.database = database
        findClient = try database.prepare(
            """
            SELECT key, floor, coalesce((SELECT max(mutation) FROM receipts r WHERE r.family = c.family AND r.client = c.key), 0),
                (SELECT count(*) FROM receipts r WHERE r.family = c.family AND r.client = c.key AND r.kept > 0),
                coalesce((SELECT sum(kept) FROM receipts r WHERE r.family = c.family AND r.client = c.key AND r.kept > 0), 0)
            FROM clients c WHERE family = ? AND member = ? AND client = ?
            """)
        insertClient = try database.prepare("INSERT INTO clients (family, member, client, floor) VALUES (?, ?, ?, ?)")
        raiseFloor = try database.prepare("UPDATE clients SET floor = max(floor, ?) WHERE key = ?")
        findReceipt = try database.prepare("SELECT hash, frame, kept FROM receipts WHERE family = ? AND client = ? AND mutation = ?")
        insertReceipt = try database.prepare(
            "INSERT INTO receipts (family, client, mutation, at, hash, frame, kept) VALUES (?, ?, ?, ?, ?, ?, ?)")
        activeClients = try database.prepare(
            """
            SELECT count(*) FROM (SELECT 1 FROM clients c WHERE c.family = ? AND c.member = ?
                AND EXISTS (SELECT 1 FROM receipts r WHERE r.family = c.family AND r.client = c.key) LIMIT ?)
            """)
        keptReceipts = try database.prepare(
            "SELECT row, mutation, kept FROM receipts WHERE family = ? AND client = ? AND kept > 0 ORDER BY row DESC")
        deleteKept = try database.prepare("DELETE FROM receipts WHERE family = ? AND client = ? AND kept > 0 AND row <= ?")
        oldest = try database.prepare("SELECT row, client, mutation, at FROM receipts ORDER BY row LIMIT ?")
        deleteUpTo = try database.prepare("DELETE FROM receipts WHERE row <= ?")
    }

    func client(_ name: ClientName) throws -> ClientState? {
        findClient.bind(1, name.family)
        findClient.bind(2, name.member)
        findClient.bind(3, name.client)
        return try findClient.one { row in
            ClientState(
                key: row.int64(0), floor: row.int64(1), newest: row.int64(2),
                kept: KeptReceipts(count: Int(row.int64(3)), octets: Int(row.int64(4))))
        }
    }

    func addClient(_ name: ClientName, floor: Int64) throws -> Int64 {
        insertClient.bind(1, name.family)
        insertClient.bind(2, name.member)
        insertClient.bind(3, name.client)
        insertClient.bind(4, floor)
        try insertClient.run()
        return database.lastInsertRowID
    }

    func receipt(family: Int64, client: Int64, mutation: Int64) throws -> RecordedReceipt? {
        findReceipt.bind(1, family)
        findReceipt.bind(2, client)
        findReceipt.bind(3, mutation)
        return try findReceipt.one { row in
            RecordedReceipt(hash: row.octets(0), frame: row.octets(1), isOfChange: row.int64(2) == 0)
        }
    }

    func record(family: Int64, client: Int64, mutation: Int64, at: Int64, _ receipt: RecordedReceipt) throws {
        insertReceipt.bind(1, family)
        insertReceipt.bind(2, client)
        insertReceipt.bind(3, mutation)
        insertReceipt.bind(4, at)
        insertReceipt.bind(5, receipt.hash)
        insertReceipt.bind(6, receipt.frame)
        insertReceipt.bind(7, Int64(receipt.keptOctets))
        try insertReceipt.run()
    }

    func activeClients(family: Int64, member: Identifier, limit: Int) throws -> Int {
        activeClients.bind(1, family)
        activeClients.bind(2, member)
        activeClients.bind(3, Int64(limit))
        return Int(try activeClients.one { $0.int64(0) } ?? 0)
    }

    func clients(family: Int64) throws -> [(name: ClientName, state: ClientState)] {
        let list = try database.prepare("SELECT member, client FROM clients WHERE family = ? ORDER BY member, client")
        list.bind(1, family)
        return try list.all { ClientName(family: family, member: try $0.identifier(0), client: try $0.identifier(1)) }
            .compactMap { name in try client(name).map { (name, $0) } }
    }

    func forEach(family: Int64, client: Int64, _ body: (_ mutation: Int64, _ at: Int64, RecordedReceipt) throws -> Void) throws {
        let list = try database.prepare("SELECT mutation, at, hash, frame, kept FROM receipts WHERE family = ? AND client = ? ORDER BY mutation")
        list.bind(1, family)
        list.bind(2, client)
        try list.each { row in
            try body(
                row.int64(0), row.int64(1), RecordedReceipt(hash: row.octets(2), frame: row.octets(3), isOfChange: row.int64(4) == 0))
        }
    }

    func forgetOldest(family: Int64, _ client: ClientState) throws -> ClientState? {
        guard let key = client.key else { return nil }
        keptReceipts.bind(1, family)
        keptReceipts.bind(2, key)
        let newestFirst = try keptReceipts.all { (row: $0.int64(0), mutation: $0.int64(1), octets: Int($0.int64(2))) }
        let (left, gone) = KeptReceipts.shortened(newestFirst.map { ($0.mutation, $0.octets) })
        guard let first = gone.indices.first else { return nil }
        let newestDeleted = newestFirst[first].row
        let floor = gone.reduce(client.floor) { max($0, $1.mutation) }
        raiseFloor.bind(1, floor)
        raiseFloor.bind(2, key)
        try raiseFloor.run()
        deleteKept.bind(1, family)
        deleteKept.bind(2, key)
        deleteKept.bind(3, newestDeleted)
        try deleteKept.run()
        var shorter = client
        shorter.floor = floor
        shorter.kept = left
        return shorter
    }

    func purge(before limit: Int64, count: Int) throws -> Int {
        var last: Int64?
        var floors: [Int64: Int64] = [:]
        var purged = 0
        oldest.bind(1, Int64(count))
        // Rows are appended, so the first that is young enough ends the search.
        try oldest.first { row throws(SQLiteError) in
            repeat {
                guard row.int64(3) < limit else { return }
                last = row.int64(0)
                floors[row.int64(1)] = max(floors[row.int64(1)] ?? 0, row.int64(2))
                purged += 1
            } while try row.step()
        }
        guard let last else { return 0 }
        for (client, floor) in floors {
            raiseFloor.bind(1, floor)
            raiseFloor.bind(2, client)
            try raiseFloor.run()
        }
        deleteUpTo.bind(1, last)
        try deleteUpTo.run()
        return purged
    }
}

@available(*, unavailable)
extension ReceiptTable: Sendable {}

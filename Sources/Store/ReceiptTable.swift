import Bytes
import SQLite

/// One client of one member, as receipts know it.
struct ClientState {
    /// The integer that stands for the client in `receipts`; `nil` until its first receipt is written.
    var key: Int64?
    /// Ids at or below it may have had receipts that are gone.
    var floor: Int64
    /// The largest mutation id that has a receipt: a larger one is new without looking.
    var newest: Int64
}

/// The answer that a mutation got.
struct RecordedReceipt {
    var hash: [UInt8]
    /// Whole, the record of a conflict included: the first answer is what a repeated question gets, octet for octet, also when the record has
    /// gone on. That is no more than the same author could make the disk hold by succeeding, as the change and what it replaced are as
    /// large and stay for good; it goes after 30 days, and the rate of mutations bounds both.
    var frame: [UInt8]
}

/// The writer's statements on `clients` and `receipts`.
final class ReceiptTable {
    private let database: Database
    private let findClient: Statement
    private let insertClient: Statement
    private let raiseFloor: Statement
    private let findReceipt: Statement
    private let insertReceipt: Statement
    private let oldest: Statement
    private let deleteUpTo: Statement

    init(_ database: Database) throws(SQLiteError) {
        self.database = database
        findClient = try database.prepare(
            """
            SELECT key, floor, coalesce((SELECT max(mutation) FROM receipts r WHERE r.family = c.family AND r.client = c.key), 0)
            FROM clients c WHERE family = ? AND member = ? AND client = ?
            """)
        insertClient = try database.prepare("INSERT INTO clients (family, member, client, floor) VALUES (?, ?, ?, ?)")
        raiseFloor = try database.prepare("UPDATE clients SET floor = max(floor, ?) WHERE key = ?")
        findReceipt = try database.prepare("SELECT hash, frame FROM receipts WHERE family = ? AND client = ? AND mutation = ?")
        insertReceipt = try database.prepare(
            "INSERT INTO receipts (family, client, mutation, at, hash, frame) VALUES (?, ?, ?, ?, ?, ?)")
        oldest = try database.prepare("SELECT row, client, mutation, at FROM receipts ORDER BY row LIMIT ?")
        deleteUpTo = try database.prepare("DELETE FROM receipts WHERE row <= ?")
    }

    func client(family: Int64, member: Identifier, client: Identifier) throws(SQLiteError) -> ClientState? {
        findClient.bind(1, family)
        findClient.bind(2, member)
        findClient.bind(3, client)
        return try findClient.first { row throws(SQLiteError) in
            ClientState(key: row.int64(0), floor: row.int64(1), newest: row.int64(2))
        }
    }

    func addClient(family: Int64, member: Identifier, client: Identifier, floor: Int64 = 0) throws(SQLiteError) -> Int64 {
        insertClient.bind(1, family)
        insertClient.bind(2, member)
        insertClient.bind(3, client)
        insertClient.bind(4, floor)
        try insertClient.run()
        return database.lastInsertRowID
    }

    func receipt(family: Int64, client: Int64, mutation: Int64) throws(SQLiteError) -> RecordedReceipt? {
        findReceipt.bind(1, family)
        findReceipt.bind(2, client)
        findReceipt.bind(3, mutation)
        return try findReceipt.first { row throws(SQLiteError) in RecordedReceipt(hash: row.octets(0), frame: row.octets(1)) }
    }

    func record(family: Int64, client: Int64, mutation: Int64, at: Int64, _ receipt: RecordedReceipt) throws(SQLiteError) {
        insertReceipt.bind(1, family)
        insertReceipt.bind(2, client)
        insertReceipt.bind(3, mutation)
        insertReceipt.bind(4, at)
        insertReceipt.bind(5, receipt.hash)
        insertReceipt.bind(6, receipt.frame)
        try insertReceipt.run()
    }

    /// Deletes receipts from before `limit` (UTC milliseconds), oldest first, and raises their clients' floors.
    ///
    /// - Parameter count: at most so many.
    /// - Returns: how many.
    func purge(before limit: Int64, count: Int) throws(SQLiteError) -> Int {
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

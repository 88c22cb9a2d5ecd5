import Bytes
import Family
import SQLite

/// One client of one member, as receipts know it.
struct ClientState {
    /// The integer that stands for the client in `receipts`; `nil` until its first receipt is written.
    var key: Int64?
    /// Ids at or below it may have had receipts that are gone.
    var floor: Int64
    /// The largest mutation id that has a receipt: a larger one is new without looking.
    var newest: Int64
    /// Its receipts that belong to no change.
    var kept: KeptReceipts
}

/// Receipts of one client that belong to no change: refusals, and acks of mutations that changed nothing. They cost their author nothing, so
/// their number and size are bounded. Beyond the bound the older half goes and the client's floor rises: an id that had one is refused as
/// `mutation_expired`, never performed.
struct KeptReceipts: Hashable {
    /// Eight times what a session may have unanswered, so a client that resends its queue finds all of it.
    static let maxCount = 1_024
    static let maxOctets = 262_144

    var count = 0
    var octets = 0

    mutating func add(_ size: Int) {
        count += 1
        octets += size
    }

    var isTooMuch: Bool { count > Self.maxCount || octets > Self.maxOctets }
}

/// The answer that a mutation got.
struct RecordedReceipt {
    private static let codeHead = Array("{\"code\":\"".utf8)
    private static let codeTail = Array("\"}".utf8)
    /// What a receipt takes beside its frame.
    private static let overhead = 64

    var hash: [UInt8]
    /// The encoded `ack` or `reject`. Of a conflict's record it has the contested fields only. Of a refusal that the frame alone decides it is
    /// `{"code":…}`: the sentence is worked out again when the frame comes again.
    var frame: [UInt8]
    /// Whether the mutation made a change.
    var isOfChange: Bool

    /// What is kept of a refusal that the frame alone decides.
    static func frame(_ code: ErrorCode) -> [UInt8] { codeHead + Array(code.rawValue.utf8) + codeTail }

    /// The code of `frame(_:)`; `nil` for a whole answer.
    var code: ErrorCode? {
        guard frame.starts(with: Self.codeHead), frame.count > Self.codeHead.count + Self.codeTail.count else { return nil }
        return ErrorCode(rawValue: String(decoding: frame[Self.codeHead.count..<frame.count - Self.codeTail.count], as: UTF8.self))
    }

    var keptOctets: Int { isOfChange ? 0 : frame.count + Self.overhead }
}

/// The writer's statements on `clients` and `receipts`.
final class ReceiptTable {
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

    func client(family: Int64, member: Identifier, client: Identifier) throws(SQLiteError) -> ClientState? {
        findClient.bind(1, family)
        findClient.bind(2, member)
        findClient.bind(3, client)
        return try findClient.first { row throws(SQLiteError) in
            ClientState(
                key: row.int64(0), floor: row.int64(1), newest: row.int64(2),
                kept: KeptReceipts(count: Int(row.int64(3)), octets: Int(row.int64(4))))
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
        return try findReceipt.first { row throws(SQLiteError) in
            RecordedReceipt(hash: row.octets(0), frame: row.octets(1), isOfChange: row.int64(2) == 0)
        }
    }

    func record(family: Int64, client: Int64, mutation: Int64, at: Int64, _ receipt: RecordedReceipt) throws(SQLiteError) {
        insertReceipt.bind(1, family)
        insertReceipt.bind(2, client)
        insertReceipt.bind(3, mutation)
        insertReceipt.bind(4, at)
        insertReceipt.bind(5, receipt.hash)
        insertReceipt.bind(6, receipt.frame)
        insertReceipt.bind(7, Int64(receipt.keptOctets))
        try insertReceipt.run()
    }

    /// Clients of a member that have receipts.
    ///
    /// - Parameter limit: they are not counted beyond it.
    func activeClients(family: Int64, member: Identifier, limit: Int) throws(SQLiteError) -> Int {
        activeClients.bind(1, family)
        activeClients.bind(2, member)
        activeClients.bind(3, Int64(limit))
        return Int(try activeClients.first { row throws(SQLiteError) in row.int64(0) } ?? 0)
    }

    /// Deletes the older half of a client's receipts that belong to no change, and raises its floor over their ids.
    ///
    /// - Returns: the client afterwards; `nil` if nothing was deleted.
    func forgetOldest(family: Int64, _ client: ClientState) throws(SQLiteError) -> ClientState? {
        guard let key = client.key else { return nil }
        keptReceipts.bind(1, family)
        keptReceipts.bind(2, key)
        var left = KeptReceipts()
        var newestDeleted: Int64?
        var floor = client.floor
        try keptReceipts.forEach { row throws(SQLiteError) in
            let size = Int(row.int64(2))
            let isKept = newestDeleted == nil && left.count < KeptReceipts.maxCount / 2 && left.octets + size <= KeptReceipts.maxOctets / 2
            guard !isKept else { return left.add(size) }
            newestDeleted = newestDeleted ?? row.int64(0)
            floor = max(floor, row.int64(1))
        }
        guard let newestDeleted else { return nil }
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

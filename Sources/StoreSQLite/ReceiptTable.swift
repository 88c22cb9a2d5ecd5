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
    private let nextClient: Statement
    private let oldest: Statement
    private let deleteUpTo: Statement

    init(_ database: Database) {
        self.database = database
        findClient = database.prepareOnUse(
            """
            SELECT key, floor, coalesce((SELECT max(mutation) FROM receipts r WHERE r.family = c.family AND r.client = c.key), 0),
                (SELECT count(*) FROM receipts r WHERE r.family = c.family AND r.client = c.key AND r.kept > 0),
                coalesce((SELECT sum(kept) FROM receipts r WHERE r.family = c.family AND r.client = c.key AND r.kept > 0), 0)
            FROM clients c WHERE family = ? AND member = ? AND client = ?
            """)
        insertClient = database.prepareOnUse("INSERT INTO clients (family, member, client, floor) VALUES (?, ?, ?, ?) RETURNING key")
        raiseFloor = database.prepareOnUse("UPDATE clients SET floor = max(floor, ?) WHERE key = ?")
        findReceipt = database.prepareOnUse("SELECT hash, frame, kept FROM receipts WHERE family = ? AND client = ? AND mutation = ?")
        insertReceipt = database.prepareOnUse(
            "INSERT INTO receipts (family, client, mutation, at, hash, frame, kept) VALUES (?, ?, ?, ?, ?, ?, ?)")
        activeClients = database.prepareOnUse(
            """
            SELECT count(*) FROM (SELECT 1 FROM clients c WHERE c.family = ? AND c.member = ?
                AND EXISTS (SELECT 1 FROM receipts r WHERE r.family = c.family AND r.client = c.key) LIMIT ?)
            """)
        keptReceipts = database.prepareOnUse(Self.keptQuery)
        deleteKept = database.prepareOnUse("DELETE FROM receipts WHERE family = ? AND client = ? AND kept > 0 AND mutation <= ?")
        nextClient = database.prepareOnUse(Self.nextClientQuery)
        oldest = database.prepareOnUse("SELECT mutation, at FROM receipts WHERE family = ? AND client = ? ORDER BY mutation LIMIT ?")
        deleteUpTo = database.prepareOnUse("DELETE FROM receipts WHERE family = ? AND client = ? AND mutation <= ?")
    }

    /// The client with receipts after another, and the time of its first receipt.
    static let nextClientQuery = """
        SELECT family, client, at FROM receipts WHERE (family, client) > (?, ?) ORDER BY family, client, mutation LIMIT 1
        """

    /// The receipts of a client that count, the newest first.
    static let keptQuery = "SELECT mutation, kept FROM receipts WHERE family = ? AND client = ? AND kept > 0 ORDER BY mutation DESC"

    func client(_ name: ClientName) throws -> ClientState? {
        findClient.bind(1, name.family)
        findClient.bind(2, name.member)
        findClient.bind(3, name.client)
        return try findClient.one { row in
            ClientState(
                key: row.int64(0), floor: row.int64(1), newest: row.int64(2),
                kept: UnloggedReceipts(count: Int(row.int64(3)), octets: Int(row.int64(4))))
        }
    }

    func addClient(_ name: ClientName, floor: Int64) throws -> Int64 {
        insertClient.bind(1, name.family)
        insertClient.bind(2, name.member)
        insertClient.bind(3, name.client)
        insertClient.bind(4, floor)
        guard let key = try insertClient.one({ $0.int64(0) }) else { throw StoreFailure("a client has got no key") }
        return key
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
        let (left, gone) = UnloggedReceipts.shortened(try keptReceipts.all { ($0.int64(0), Int($0.int64(1))) })
        guard let newestDeleted = gone.first?.mutation else { return nil }
        let floor = max(client.floor, newestDeleted)
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

    func purge(before limit: Int64, after mark: ClientMark, count: Int, clients: Int) throws -> PurgedPortion<ClientMark> {
        var portion = PurgedPortion(next: mark)
        for _ in 0..<clients {
            nextClient.bind(1, portion.next.family)
            nextClient.bind(2, portion.next.client)
            let found = try nextClient.one { (client: ClientMark(family: $0.int64(0), client: $0.int64(1)), oldest: $0.int64(2)) }
            guard let found else {
                portion.isLast = true
                return portion
            }
            if found.oldest < limit { portion.count += try purge(before: limit, found.client, count: count - portion.count) }
            // The same client again: it may have more.
            guard portion.count < count else { return portion }
            portion.next = found.client
        }
        return portion
    }

    private func purge(before limit: Int64, _ mark: ClientMark, count: Int) throws -> Int {
        oldest.bind(1, mark.family)
        oldest.bind(2, mark.client)
        oldest.bind(3, Int64(count))
        var newestDeleted: Int64 = 0
        var purged = 0
        do {
            defer { oldest.reset() }
            while try oldest.step(), oldest.int64(1) < limit {
                newestDeleted = oldest.int64(0)
                purged += 1
            }
        }
        raiseFloor.bind(1, newestDeleted)
        raiseFloor.bind(2, mark.client)
        try raiseFloor.run()
        deleteUpTo.bind(1, mark.family)
        deleteUpTo.bind(2, mark.client)
        deleteUpTo.bind(3, newestDeleted)
        try deleteUpTo.run()
        return purged
    }
}

@available(*, unavailable)
extension ReceiptTable: Sendable {}

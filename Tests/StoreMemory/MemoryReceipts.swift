import Bytes
import Store

final class MemoryReceipts: ReceiptWrites {
    private let connection: MemoryConnection

    init(_ connection: MemoryConnection) { self.connection = connection }

    private func row(_ family: Int64, _ client: Int64) throws -> MemoryTables.ClientRow? { try connection.read().family(family).clients[client] }

    private static func state(_ key: Int64, _ row: MemoryTables.ClientRow) -> ClientState {
        var kept = UnloggedReceipts()
        for receipt in row.receipts.values where !receipt.receipt.isOfChange { kept.add(receipt.receipt.keptOctets) }
        return ClientState(key: key, floor: row.floor, newest: row.receipts.keys.max() ?? 0, kept: kept)
    }

    func client(_ name: ClientName) throws -> ClientState? {
        let tables = try connection.read()
        guard let key = tables.clientNames[name], let row = tables.family(name.family).clients[key] else { return nil }
        return Self.state(key, row)
    }

    func receipt(family: Int64, client: Int64, mutation: Int64) throws -> RecordedReceipt? { try row(family, client)?.receipts[mutation]?.receipt }

    func activeClients(family: Int64, member: Identifier, limit: Int) throws -> Int {
        min(limit, try connection.read().family(family).clients.values.count { $0.name.member == member && !$0.receipts.isEmpty })
    }

    func clients(family: Int64) throws -> [(name: ClientName, state: ClientState)] {
        try connection.read().family(family).clients.map { ($0.value.name, Self.state($0.key, $0.value)) }
            .sorted { ($0.0.member, $0.0.client) < ($1.0.member, $1.0.client) }
    }

    func forEach(family: Int64, client: Int64, _ body: (_ mutation: Int64, _ at: Int64, RecordedReceipt) throws -> Void) throws {
        let receipts = try row(family, client)?.receipts ?? [:]
        try connection.each(receipts.sorted { $0.key < $1.key }) { try body($0.key, $0.value.at, $0.value.receipt) }
    }

    func addClient(_ name: ClientName, floor: Int64) throws -> Int64 { try connection.write { $0.addClient(name, floor: floor) } }

    func record(family: Int64, client: Int64, mutation: Int64, at: Int64, _ receipt: RecordedReceipt) throws {
        try connection.write { $0.record(receipt, family: family, client: client, mutation: mutation, at: at) }
    }

    func forgetOldest(family: Int64, _ client: ClientState) throws -> ClientState? {
        guard let key = client.key, let row = try row(family, key) else { return nil }
        let kept = row.receipts.filter { !$0.value.receipt.isOfChange }.sorted { $0.key > $1.key }
        let (left, gone) = UnloggedReceipts.shortened(kept.map { ($0.key, $0.value.receipt.keptOctets) })
        guard !gone.isEmpty else { return nil }
        var shorter = client
        shorter.kept = left
        shorter.floor = gone.reduce(client.floor) { max($0, $1.mutation) }
        try connection.write { tables in
            tables.families[family]?.clients[key]?.floor = shorter.floor
            for receipt in gone { tables.families[family]?.clients[key]?.receipts[receipt.mutation] = nil }
        }
        return shorter
    }

    func purge(before limit: Int64, after mark: ClientMark, count: Int, clients: Int) throws -> PurgedPortion<ClientMark> {
        try connection.write { tables in
            var portion = PurgedPortion(next: mark)
            let all = tables.families.flatMap { family, content in
                content.clients.filter { !$0.value.receipts.isEmpty }.map { ClientMark(family: family, client: $0.key) }
            }
            func isAfter(_ one: ClientMark, _ other: ClientMark) -> Bool { (one.family, one.client) > (other.family, other.client) }
            let rest = all.filter { isAfter($0, mark) }.sorted { isAfter($1, $0) }
            for client in rest.prefix(clients) {
                guard var row = tables.families[client.family]?.clients[client.client] else { continue }
                let due = row.receipts.sorted { $0.key < $1.key }.prefix { $0.value.at < limit }.prefix(count - portion.count)
                for (mutation, _) in due {
                    row.floor = max(row.floor, mutation)
                    row.receipts[mutation] = nil
                }
                tables.families[client.family]?.clients[client.client] = row
                portion.count += due.count
                guard portion.count < count else { return portion }
                portion.next = client
            }
            portion.isLast = rest.count < clients
            return portion
        }
    }
}

@available(*, unavailable)
extension MemoryReceipts: Sendable {}

extension MemoryTables {
    mutating func addClient(_ name: ClientName, floor: Int64) -> Int64 {
        let key = next()
        clientNames[name] = key
        families[name.family, default: .init()].clients[key] = ClientRow(name: name, floor: floor)
        return key
    }

    mutating func record(_ receipt: RecordedReceipt, family: Int64, client: Int64, mutation: Int64, at: Int64) {
        families[family]?.clients[client]?.receipts[mutation] = ReceiptRow(receipt: receipt, at: at)
    }
}

import Bytes
import Family

@testable import Store

/// Reads and changes of an engine beside the store, on either engine.
extension World {
    /// The result of a read on a reader's engine.
    func stored<Value>(_ body: (any ReaderEngine) throws -> Value) throws -> Value { try reader.reading { try body(reader.engine) } }

    /// Changes rows behind the store's back, as purges do, and opens the database again.
    func change(_ body: (any StoreEngine) throws -> Void) throws {
        guard case .done = try store.transaction({ _ in try body(store.engine) }) else { throw Unexpected() }
        try reopen()
    }

    /// The tables of all families that hold a text in their octets.
    func holders(of text: String) throws -> [String] {
        let text = Array(text.utf8)
        var found: Set<String> = []
        func look(_ octets: [UInt8]?, _ table: String) { if octets?.firstRange(of: text) != nil { found.insert(table) } }
        try stored { engine in
            for family in try engine.families.all().map(\.key) {
                try engine.log.forEach(family: family) { look($0.frame, "log") }
                try engine.records.forEach(family: family) { look($0.record.map { StoredFields.encode($0.fields) }, "records") }
                try engine.history.forEach(family: family) { look($0.before, "history") }
                for receipt in try receipts(engine, family) { look(receipt.receipt.frame, "receipts") }
            }
        }
        return ["log", "records", "history", "receipts"].filter { found.contains($0) }
    }

    /// The receipts of a family, each client's by their mutations.
    func receipts(_ family: Int64 = 1) throws -> [(mutation: Int64, receipt: RecordedReceipt)] { try stored { try receipts($0, family) } }

    private func receipts(_ engine: any ReaderEngine, _ family: Int64) throws -> [(mutation: Int64, receipt: RecordedReceipt)] {
        var found: [(mutation: Int64, receipt: RecordedReceipt)] = []
        for case let client? in try engine.receipts.clients(family: family).map(\.state.key) {
            try engine.receipts.forEach(family: family, client: client) { found.append(($0, $2)) }
        }
        return found
    }

    /// Living records of a kind.
    func count(_ kind: Kind, family: Int64 = 1) throws -> Int { try stored { try $0.records.countKinds(family: family, athlete: nil)[kind] ?? 0 } }
}

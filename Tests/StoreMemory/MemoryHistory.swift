import Bytes
import Family
import Ledger
import Store

final class MemoryHistory: HistoryWrites {
    private let connection: MemoryConnection

    init(_ connection: MemoryConnection) { self.connection = connection }

    /// The versions of a record, oldest first.
    private func rows(_ family: Int64, _ record: Identifier) throws -> [HistoryRow] {
        (try connection.read().family(family).history[record] ?? [:]).values.sorted { $0.version < $1.version }
    }

    func entries(family: Int64, _ record: Record, after version: Int64, limit: Int, _ budget: inout ReadBudget) throws -> [HistoryEntry] {
        var entries: [HistoryEntry] = []
        for row in try rows(family, record.id).filter({ $0.version > version }).prefix(limit) {
            guard budget.take(row.before?.count ?? 0) else { break }
            if let entry = try row.entry(record.kind) { entries.append(entry) }
        }
        return entries
    }

    func sequences(family: Int64, of record: Identifier, before sequence: Int64, limit: Int) throws -> [Int64] {
        var sequences: [Int64] = []
        for row in try rows(family, record).reversed() where row.sequence < sequence && row.sequence != sequences.last {
            if sequences.count < limit { sequences.append(row.sequence) }
        }
        return sequences
    }

    func replaced(family: Int64, _ record: Identifier, version: Int64) throws -> [UInt8]? {
        try connection.read().family(family).history[record]?[version].map { $0.before ?? [] }
    }

    func versions(family: Int64, of record: Identifier, limit: Int) throws -> [(version: Int64, sequence: Int64)] {
        try rows(family, record).prefix(limit).map { ($0.version, $0.sequence) }
    }

    func lastChange(family: Int64, of record: Identifier) throws -> Int64? { try rows(family, record).last?.sequence }

    func forEach(family: Int64, _ body: (HistoryRow) throws -> Void) throws {
        for record in try connection.read().family(family).history.keys.sorted() {
            try connection.each(try rows(family, record), body)
        }
    }

    func append(family: Int64, _ row: HistoryRow) throws {
        try connection.write { $0.families[family, default: .init()].history[row.record, default: [:]][row.version] = row }
    }

    func forgetValues(family: Int64, _ record: Identifier, version: Int64) throws -> Int {
        try connection.write { tables in
            let freed = (tables.families[family]?.history[record]?[version]?.before?.count ?? 0) - FormerValues.forgotten.count
            guard freed > 0 else { return 0 }
            tables.families[family]?.history[record]?[version]?.before = FormerValues.forgotten
            return freed
        }
    }

    func remove(family: Int64, _ record: Identifier, version: Int64) throws -> Int {
        try connection.write { $0.families[family]?.history[record]?.removeValue(forKey: version)?.before?.count ?? 0 }
    }
}

@available(*, unavailable)
extension MemoryHistory: Sendable {}

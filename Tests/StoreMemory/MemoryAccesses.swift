import Bytes
import Store

final class MemoryAccesses: AccessWrites {
    /// Insertions between two looks at the bound of an athlete's entries.
    private static let trimInterval: Int64 = 100

    private let connection: MemoryConnection

    init(_ connection: MemoryConnection) { self.connection = connection }

    func entries(family: Int64, athlete: Identifier, upTo time: Int64, limit: Int) throws -> [AccessRow] {
        try connection.read().family(family).accesses.filter { $0.row.athlete == athlete && $0.row.at <= time }
            .sorted { ($1.row.at, $1.mark) < ($0.row.at, $0.mark) }.prefix(limit).map(\.row)
    }

    func forEach(family: Int64, _ body: (AccessRow) throws -> Void) throws {
        let rows = try connection.read().family(family).accesses
        for entry in rows.sorted(by: { ($0.row.athlete, $0.row.at, $0.mark) < ($1.row.athlete, $1.row.at, $1.mark) }) { try body(entry.row) }
    }

    func add(family: Int64, _ row: AccessRow, unlessSince visit: Int64, limit: Int) throws {
        let isNoted = try connection.read().family(family).accesses.contains { entry in
            var same = entry.row
            same.at = row.at
            return same == row && entry.row.at > visit
        }
        if isNoted { return }
        try append(family: family, row)
        try connection.write { tables in
            guard tables.next() % Self.trimInterval == 0, let accesses = tables.families[family]?.accesses else { return }
            let mine = accesses.filter { $0.row.athlete == row.athlete }.sorted { ($1.row.at, $1.mark) < ($0.row.at, $0.mark) }
            let gone = Set(mine.dropFirst(limit).map(\.mark))
            tables.families[family]?.accesses.removeAll { gone.contains($0.mark) }
        }
    }

    func append(family: Int64, _ row: AccessRow) throws {
        try connection.write { tables in
            let mark = tables.next()
            tables.families[family]?.accesses.append((row, mark))
        }
    }

    func purge(before limit: Int64, count: Int) throws -> Int {
        try connection.write { tables in
            let oldest = tables.families.values.flatMap(\.accesses).sorted { $0.mark < $1.mark }.prefix(count)
            let gone = Set(oldest.filter { $0.row.at < limit }.map(\.mark))
            for key in tables.families.keys { tables.families[key]?.accesses.removeAll { gone.contains($0.mark) } }
            return gone.count
        }
    }
}

@available(*, unavailable)
extension MemoryAccesses: Sendable {}

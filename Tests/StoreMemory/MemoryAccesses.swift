import Bytes
import Store

final class MemoryAccesses: AccessWrites {
    /// Insertions between two looks at the bound of an athlete's entries.
    private static let trimInterval = 100

    private let connection: MemoryConnection
    private var insertions = 0

    init(_ connection: MemoryConnection) { self.connection = connection }

    func entries(family: Int64, athlete: Identifier, upTo time: Int64, limit: Int) throws -> [AccessRow] {
        Array(try connection.read().family(family).accesses.filter { $0.athlete == athlete && $0.at <= time }.sorted { $0.isAfter($1) }.prefix(limit))
    }

    func forEach(family: Int64, _ body: (AccessRow) throws -> Void) throws {
        let rows = try connection.read().family(family).accesses
        try connection.each(rows.sorted { $0.athlete == $1.athlete ? $1.isAfter($0) : $0.athlete < $1.athlete }, body)
    }

    func add(family: Int64, _ row: AccessRow, unlessSince visit: Int64, limit: Int) throws {
        let isNoted = try connection.read().family(family).accesses.contains { entry in
            var same = entry
            same.at = row.at
            return same == row && entry.at > visit
        }
        if isNoted { return }
        try append(family: family, row)
        insertions += 1
        guard insertions % Self.trimInterval == 0 else { return }
        try connection.write { tables in
            let mine = tables.family(family).accesses.filter { $0.athlete == row.athlete }.sorted { $0.isAfter($1) }
            guard mine.count > limit else { return }
            tables.families[family]?.accesses.removeAll { $0.athlete == row.athlete && !$0.isAfter(mine[limit]) }
        }
    }

    func append(family: Int64, _ row: AccessRow) throws {
        try connection.write { $0.families[family]?.accesses.append(row) }
    }

    func purge(before limit: Int64, afterFamily: Int64, count: Int, families: Int) throws -> PurgedPortion<Int64> {
        try connection.write { tables in
            var portion = PurgedPortion(next: afterFamily)
            let rest = tables.families.filter { $0.key > afterFamily && !$0.value.accesses.isEmpty }.keys.sorted()
            for family in rest.prefix(families) {
                for athlete in Set(tables.family(family).accesses.map(\.athlete)).sorted() {
                    let due = tables.family(family).accesses.filter { $0.athlete == athlete && $0.at < limit }.map(\.at).sorted()
                    guard let last = due.prefix(count - portion.count).last else { continue }
                    tables.families[family]?.accesses.removeAll { $0.athlete == athlete && $0.at <= last }
                    portion.count += due.count { $0 <= last }
                    guard portion.count < count else { return portion }
                }
                portion.next = family
            }
            portion.isLast = rest.count < families
            return portion
        }
    }
}

extension AccessRow {
    /// Whether the entry of an athlete comes after another one: later, or in the same moment with the larger content. No record is the smallest.
    fileprivate func isAfter(_ other: AccessRow) -> Bool {
        func record(_ row: AccessRow) -> [Identifier] { row.record.map { [$0] } ?? [] }
        if (at, member, what) != (other.at, other.member, other.what) { return (at, member, what) > (other.at, other.member, other.what) }
        return record(other).lexicographicallyPrecedes(record(self))
    }
}

@available(*, unavailable)
extension MemoryAccesses: Sendable {}

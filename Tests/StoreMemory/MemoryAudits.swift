import Bytes
import Family
import Store

final class MemoryAudits: AuditWrites {
    /// Entries between two looks at the bound of a family's entries.
    private static let trimInterval: Int64 = 1_000

    private let connection: MemoryConnection

    init(_ connection: MemoryConnection) { self.connection = connection }

    func entries(family: Int64, of member: Identifier?, before: Int64, limit: Int) throws -> [AuditRow] {
        let rows = try connection.read().family(family).audits.filter { row in
            guard row.number < before else { return false }
            guard let member else { return true }
            return row.entry.about == member || row.entry.author == .member(member)
        }
        return Array(rows.sorted { $0.number > $1.number }.prefix(limit))
    }

    func hostEntries(after mark: HostActMark?, limit: Int) throws -> [(family: Int64, row: AuditRow)] {
        let mark = mark.map { ($0.at, $0.family, $0.number) } ?? (.max, .max, .max)
        let rows = try connection.read().families.flatMap { key, tables in tables.audits.filter { $0.entry.author == .host }.map { (family: key, row: $0) } }
        return Array(rows.filter { ($0.row.entry.at, $0.family, $0.row.number) < mark }
            .sorted { ($0.row.entry.at, $0.family, $0.row.number) > ($1.row.entry.at, $1.family, $1.row.number) }.prefix(limit))
    }

    func append(family: Int64, _ entry: Audit.Entry, limit: Int) throws {
        try connection.write { tables in
            let number = (tables.family(family).audits.last?.number ?? 0) + 1
            tables.families[family, default: .init()].audits.append(AuditRow(number: number, entry: entry))
            guard number % Self.trimInterval == 0, number > Int64(limit) else { return }
            tables.families[family]?.audits.removeAll { $0.number <= number - Int64(limit) }
        }
    }

    func addFailures(_ count: Int64, family: Int64, about member: Identifier, after time: Int64) throws -> Bool {
        try add(count, family) { $0.act == Audit.Act.signInFailed.rawValue && $0.about == member && $0.at > time }
    }

    func addRefusals(_ count: Int64, family: Int64, about member: Identifier, detail: String, after time: Int64) throws -> Bool {
        try add(count, family) { $0.act == Audit.Act.passkeyRefused.rawValue && $0.about == member && $0.detail == detail && $0.at > time }
    }

    private func add(_ count: Int64, _ family: Int64, _ isOne: (Audit.Entry) -> Bool) throws -> Bool {
        try connection.write { tables in
            let place = tables.family(family).audits.lastIndex { isOne($0.entry) }
            guard let place else { return false }
            tables.families[family]?.audits[place].entry.count += count
            return true
        }
    }

    func purge(before limit: Int64, afterFamily: Int64, count: Int, families: Int) throws -> PurgedPortion<Int64> {
        try connection.write { tables in
            var portion = PurgedPortion(next: afterFamily)
            let rest = tables.families.filter { $0.key > afterFamily && !$0.value.audits.isEmpty }.keys.sorted()
            for family in rest.prefix(families) {
                let due = tables.family(family).audits.prefix(count - portion.count).prefix { $0.entry.at < limit }
                tables.families[family]?.audits.removeFirst(due.count)
                portion.count += due.count
                guard portion.count < count else { return portion }
                portion.next = family
            }
            portion.isLast = rest.count < families
            return portion
        }
    }
}

@available(*, unavailable)
extension MemoryAudits: Sendable {}

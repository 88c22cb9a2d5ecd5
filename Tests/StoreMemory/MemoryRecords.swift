import Bytes
import Dates
import Family
import Ledger
import Store

final class MemoryRecords: RecordWrites {
    private let connection: MemoryConnection

    init(_ connection: MemoryConnection) { self.connection = connection }

    private func rows(_ family: Int64) throws -> [Identifier: MemoryTables.RecordRow] { try connection.read().family(family).records }

    private static func stored(_ row: MemoryTables.RecordRow) -> StoredRecord {
        StoredRecord(record: row.record, id: row.record.id, octets: row.octets)
    }

    func find(family: Int64, _ id: Identifier) throws -> StoredRecord? { try rows(family)[id].map(Self.stored) }

    func head(family: Int64, _ id: Identifier) throws -> RecordHead? {
        try rows(family)[id].map { RecordHead(kind: Int64($0.record.kind.rawValue), created: $0.created, deletedAt: $0.record.deletedAt) }
    }

    func count(family: Int64) throws -> Int { try rows(family).count }

    func members(family: Int64) throws -> [Identifier: MemberState] {
        let tables = try connection.read()
        var members: [Identifier: MemberState] = [:]
        for row in tables.family(family).records.values where row.record.kind == .member {
            guard let member = tables.members[row.record.id], member.family == family else { continue }
            members[row.record.id] = MemberState(
                row.record, born: member.born.flatMap { CalendarDate($0) }, isRemoved: member.removedAt != nil || row.record.isDeleted,
                hasConsent: member.consent != nil, lastDay: member.lastDay)
        }
        return members
    }

    /// Living records that match, in the order of the ids.
    private func living(_ family: Int64, _ isWanted: (Record) -> Bool) throws -> [MemoryTables.RecordRow] {
        try rows(family).values.filter { !$0.record.isDeleted && isWanted($0.record) }.sorted { $0.record.id < $1.record.id }
    }

    func referrers(family: Int64, _ target: Record, limit: Int, _ budget: inout ReadBudget) throws -> [Referrer] {
        var found: [Referrer] = []
        for (_, fields) in (Referrers.of[target.kind] ?? [:]).sorted(by: { $0.key < $1.key }) {
            let rows = try living(family) { record in
                fields.contains { $0.kind == record.kind && record.fields[$0.field] == .reference(target.id) }
            }
            for row in rows.prefix(limit) {
                guard budget.take(row.octets) else { break }
                guard let field = fields.first(where: { $0.kind == row.record.kind }) else { continue }
                found.append(Referrer(record: row.record, field: field.field))
            }
        }
        return found
    }

    func plans(
        family: Int64, from first: String, before last: String, limit: Int, _ budget: inout ReadBudget
    ) throws -> (events: [Record], items: [Record]) {
        func list(_ kind: Kind, _ field: String) throws -> [Record] {
            func start(_ record: Record) -> String { record.fields.text(field) ?? "" }
            let rows = try living(family) { $0.kind == kind && start($0) >= first && start($0) < last }
            var found: [Record] = []
            for row in rows.sorted(by: { (start($0.record), $0.record.id) < (start($1.record), $1.record.id) }).prefix(limit) {
                guard budget.take(row.octets) else { break }
                found.append(row.record)
            }
            return found
        }
        return (try list(.event, "start_date"), try list(.tripItem, "start_time"))
    }

    func successor(family: Int64, of document: Identifier, excluding isExcluded: (Identifier) -> Bool) throws -> Record? {
        try living(family) { $0.kind == .document && $0.fields.reference("replaces") == document && !isExcluded($0.id) }
            .max { ($0.created, $0.record.createdAt, $0.record.id) < ($1.created, $1.record.createdAt, $1.record.id) }?.record
    }

    func newestVersion(family: Int64, replacing document: Identifier) throws -> Int64 {
        try rows(family).values.filter { $0.record.kind == .document && $0.record.fields.reference("replaces") == document }
            .compactMap { row -> Int64? in
                guard case .integer(let version)? = row.record.fields["version"] else { return nil }
                return version
            }.max() ?? 0
    }

    func forEach(family: Int64, _ body: (StoredRecord) throws -> Void) throws {
        try connection.each(try rows(family).values.sorted { $0.record.id < $1.record.id }) { try body(Self.stored($0)) }
    }

    func forEachInSnapshot(family: Int64, deletedAfter limit: Int64, _ body: (StoredRecord) throws -> Void) throws {
        try forEach(family: family) { stored in
            guard let record = stored.record, record.kind != .message, record.deletedAt.map({ $0 > limit }) ?? true else { return }
            try body(stored)
        }
    }

    func isPurged(family: Int64, _ id: Identifier, kind: Kind?) throws -> Bool {
        guard let row = try connection.read().family(family).purged[id] else { return false }
        return kind == nil || row.kind == kind
    }

    func purged(family: Int64) throws -> [PurgedRow] { try connection.read().family(family).purged.values.sorted { $0.id < $1.id } }

    func nextDue(afterFamily: Int64, deletedBefore limit: Int64, families: Int) throws -> (due: DueRecord?, lastFamily: Int64?) {
        let tables = try connection.read()
        let keys = tables.keys.values.filter { $0 > afterFamily }.sorted().prefix(families)
        for key in keys {
            let due = tables.family(key).records.values.filter { $0.record.deletedAt.map { $0 <= limit } ?? false }
                .min { ($0.record.deletedAt ?? 0, $0.record.id) < ($1.record.deletedAt ?? 0, $1.record.id) }
            if let due { return (DueRecord(family: key, record: due.record, isDamaged: false), key) }
        }
        return (nil, keys.count == families ? keys.last : nil)
    }

    // MARK: Lists

    func forEach(family: Int64, of kind: Kind, after id: Identifier?, _ body: (StoredRecord) throws -> Void) throws {
        let wanted = try rows(family).values.filter { row in row.record.kind == kind && id.map { row.record.id > $0 } ?? true }
        try connection.each(wanted.sorted { $0.record.id < $1.record.id }) { try body(Self.stored($0)) }
    }

    func forEachUpcoming(family: Int64, of kind: Kind, from day: String, _ body: (StoredRecord) throws -> Void) throws {
        let field = kind == .event ? "start_date" : "start_time"
        func start(_ row: MemoryTables.RecordRow) -> String { row.record.fields.text(field) ?? "" }
        let wanted = try rows(family).values.filter { $0.record.kind == kind && !$0.record.isDeleted && start($0) >= day }
        try connection.each(wanted.sorted { (start($0), $0.record.id) < (start($1), $1.record.id) }) { try body(Self.stored($0)) }
    }

    private func comments(_ family: Int64, on record: Identifier, areDeleted: Bool) throws -> [MemoryTables.RecordRow] {
        try rows(family).values.filter { row in
            guard row.record.kind == .message, case .link(_, record)? = row.record.fields["about"] else { return false }
            return row.record.isDeleted == areDeleted
        }
    }

    func comments(
        family: Int64, on record: Identifier, before created: Int64, _ id: Identifier, areDeleted: Bool, _ body: (StoredRecord, Int64) throws -> Bool
    ) throws {
        let found = try comments(family, on: record, areDeleted: areDeleted).filter { ($0.created, $0.record.id) < (created, id) }
        try connection.walk(found.sorted { ($1.created, $1.record.id) < ($0.created, $0.record.id) }) { try body(Self.stored($0), $0.created) }
    }

    func countComments(family: Int64, on record: Identifier, areDeleted: Bool) throws -> Int {
        try comments(family, on: record, areDeleted: areDeleted).count
    }

    func countKinds(family: Int64, athlete: Identifier?) throws -> [Kind: Int] {
        var counts: [Kind: Int] = [:]
        for row in try living(family, { $0.kind != .message && (athlete == nil || $0.athlete == nil || $0.athlete == athlete) }) {
            counts[row.record.kind, default: 0] += 1
        }
        return counts
    }

    func countMessages(family: Int64) throws -> Int { try living(family) { $0.kind == .message }.count }

    // MARK: Writes

    func insert(family: Int64, _ record: Record, created: Int64) throws -> Bool {
        try connection.write { $0.put(record, family: family, created: created) }
    }

    func setCreation(family: Int64, _ id: Identifier, sequence: Int64) throws {
        try connection.write { $0.families[family]?.records[id]?.created = sequence }
    }

    /// Nothing is found by anything but the fields.
    func file(family: Int64, _ id: Identifier) {}

    func forgetValues(family: Int64, _ id: Identifier) throws {
        try connection.write { tables in
            guard var row = tables.families[family]?.records[id] else { return }
            row.created = 0
            row.record.fields = Fields(row.record.kind)
            row.octets = StoredFields.encode(row.record.fields).count
            tables.families[family]?.records[id] = row
        }
    }

    func remove(family: Int64, _ id: Identifier) throws { try connection.write { $0.families[family]?.records[id] = nil } }

    func insertPurged(family: Int64, _ row: PurgedRow) throws {
        try connection.write { tables in
            if tables.families[family]?.purged[row.id] == nil { tables.families[family]?.purged[row.id] = row }
        }
    }
}

@available(*, unavailable)
extension MemoryRecords: Sendable {}

extension MemoryTables {
    /// - Parameter created: `nil` replaces the record.
    /// - Returns: false if the record is there and must not be.
    mutating func put(_ record: Record, family: Int64, created: Int64?) -> Bool {
        let octets = StoredFields.encode(record.fields).count
        if let created {
            guard families[family]?.records[record.id] == nil else { return false }
            families[family, default: .init()].records[record.id] = RecordRow(record: record, octets: octets, created: created)
        } else {
            families[family]?.records[record.id]?.record = record
            families[family]?.records[record.id]?.octets = octets
        }
        return true
    }
}

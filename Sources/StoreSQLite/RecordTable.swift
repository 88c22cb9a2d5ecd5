import Bytes
import Dates
import Family
import Ledger
import SQLite
import Store

/// The writer's statements on `records`.
final class RecordTable {
    private let findOne: Statement
    private let insertOne: Statement
    private let updateValues: Statement
    private let updateStart: Statement
    private let updateAll: Statement
    private let countAll: Statement
    private let findCreation: Statement
    private let setCreation: Statement
    private let database: Database

    /// The columns that `decode` reads, in its order.
    static let columns = """
        kind, id, athlete, version, created_at, created_by, updated_at, updated_by, deleted_at, fields
        """

    static let columnCount: Int32 = 10

    init(_ database: Database) {
        self.database = database
        findOne = database.prepareOnUse("SELECT \(Self.columns) FROM records WHERE family = ? AND id = ?")
        insertOne = database.prepareOnUse(
            """
            INSERT INTO records (family, id, kind, athlete, version, created_at, created_by, updated_at, updated_by, fields, created_seq,
                deleted_at, \(RecordColumn.names))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?\(String(repeating: ", ?", count: RecordColumn.allCases.count)))
            ON CONFLICT (family, id) DO NOTHING
            """)
        // An index is written with each column that a statement names, whether its value differs or not.
        func update(_ columns: [String]) -> Statement {
            let values = columns.enumerated().map { ", \($1) = ?\($0 + Self.updatedColumns)" }.joined()
            return database.prepareOnUse(
                "UPDATE records SET version = ?3, updated_at = ?4, updated_by = ?5, fields = ?6\(values) WHERE family = ?1 AND id = ?2")
        }
        updateValues = update([])
        updateStart = update([RecordColumn.start.rawValue])
        updateAll = update(["deleted_at"] + RecordColumn.allCases.map(\.rawValue))
        findCreation = database.prepareOnUse("SELECT created_seq FROM records WHERE family = ? AND id = ?")
        setCreation = database.prepareOnUse("UPDATE records SET created_seq = ? WHERE family = ? AND id = ?")
        countAll = database.prepareOnUse("SELECT count(*) FROM records WHERE family = ?")
    }

    /// - Returns: the record, deleted or not; `nil` when the family has none of that id.
    /// - Throws: a rejection for a record that is damaged: what asks for it is refused, and nothing else is harmed (R132).
    func find(family: Int64, _ id: Identifier) throws -> Record? {
        findOne.bind(1, family)
        findOne.bind(2, id)
        do {
            return try findOne.one { try read($0, family: family) }
        } catch is StoreFailure {
            throw Rejection(
                .notFound, "This record is damaged on the server's disk. Nothing was changed; tell the person who runs the server.", id: id)
        }
    }

    /// - Parameter sequence: of the change that creates it.
    /// - Returns: false when the family has a record of that id already, deleted or not.
    func insert(family: Int64, _ record: Record, sequence: Int64) throws -> Bool {
        insertOne.bind(1, family)
        insertOne.bind(2, record.id)
        insertOne.bind(3, Int64(record.kind.rawValue))
        insertOne.bind(4, record.athlete)
        insertOne.bind(5, record.version)
        insertOne.bind(6, record.createdAt)
        insertOne.bind(7, record.createdBy)
        insertOne.bind(8, record.updatedAt)
        insertOne.bind(9, record.updatedBy)
        insertOne.bind(11, sequence)
        insertOne.bind(12, record.deletedAt)
        insertOne.bindColumns(record.fields, from: 13)
        try run(insertOne, record.fields, 10)
        return database.changes == 1
    }

    /// Says which change created a record that came without it.
    func setCreation(family: Int64, _ id: Identifier, sequence: Int64) throws {
        setCreation.bind(1, sequence)
        setCreation.bind(2, family)
        setCreation.bind(3, id)
        try setCreation.run()
    }

    /// The parameter of the first column after those that every update writes.
    private static let updatedColumns = 7

    /// Writes what can change of a record.
    ///
    /// - Parameter former: the record as it is stored; `nil`: all columns are written.
    func update(family: Int64, _ record: Record, over former: Record?) throws {
        let update: Statement
        let first = Int32(Self.updatedColumns)
        let changed = former.map { former in
            RecordColumn.filled(by: record.kind).filter { former.fields[$0.field] != record.fields[$0.field] }
        }
        if let changed, former?.deletedAt == record.deletedAt, changed.allSatisfy({ $0.column == .start }) {
            update = changed.isEmpty ? updateValues : updateStart
            for start in changed { update.bind(first, record.fields.columnText(start.field)) }
        } else {
            update = updateAll
            update.bind(first, record.deletedAt)
            update.bindColumns(record.fields, from: first + 1)
        }
        update.bind(1, family)
        update.bind(2, record.id)
        update.bind(3, record.version)
        update.bind(4, record.updatedAt)
        update.bind(5, record.updatedBy)
        try run(update, record.fields, 6)
    }

    /// The octets of the last fields that were written, whose storage is used again.
    private var octets: [UInt8] = []

    private func takeOctets() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &octets)
        return taken
    }

    /// Runs a statement whose other parameters are bound.
    private func run(_ statement: Statement, _ fields: Fields, _ parameter: Int32) throws {
        let octets = StoredFields.encode(fields, into: takeOctets())
        defer { self.octets = octets }
        try octets.withUnsafeBytes { octets in
            statement.bind(parameter, lending: octets)
            // The other parameters keep their memory for the next run.
            defer { statement.bindNull(parameter) }
            try statement.run()
        }
    }

    /// The sequence that created a record; `nil` when it is not known.
    func creation(family: Int64, _ id: Identifier) throws -> Int64? {
        findCreation.bind(1, family)
        findCreation.bind(2, id)
        guard let sequence = try findCreation.one({ $0.int64(0) }), sequence > 0 else { return nil }
        return sequence
    }

    /// How many records the family has, deleted ones included.
    func count(family: Int64) throws -> Int {
        countAll.bind(1, family)
        return try countAll.one { Int($0.int64(0)) } ?? 0
    }

    // MARK: Reading

    /// Records that the transaction has read. Deciding on a plan reads its items several times (to find them, to look for overlaps, for the
    /// radar), and most of the price of a read is the decoding of the fields.
    private var known: [RecordName: Record] = [:]
    private var knownOctets = 0
    /// Octets of fields that are held at most: what one mutation may read beside the records that it names.
    private static let maxKnownOctets = 1_048_576

    private struct RecordName: Hashable {
        let family: Int64
        let id: Identifier
    }

    /// Forgets what was read: call it at the end of each transaction.
    func forgetKnown() {
        guard !known.isEmpty else { return }
        known = [:]
        knownOctets = 0
    }

    /// Reads a row of `columns`, decoding it unless the transaction has read this version before.
    func read(_ row: Statement, family: Int64) throws -> Record {
        guard let halves = row.identifierHalves(1) else { return try Self.decode(row) }
        let name = RecordName(family: family, id: Identifier(high: halves.high, low: halves.low))
        if let known = known[name], known.version == row.int64(3) { return known }
        let record = try Self.decode(row)
        knownOctets += Self.octets(row)
        if knownOctets <= Self.maxKnownOctets { known[name] = record }
        return record
    }

    /// The octets of the fields of a row of `columns`.
    static func octets(_ row: Statement) -> Int { row.octetCount(9) }

    /// Reads a row of `columns`.
    static func decode(_ row: Statement) throws -> Record { try decode(row, from: 0) }

    /// Reads `columns` that stand behind others.
    static func decode(_ row: Statement, from first: Int32) throws -> Record {
        guard let raw = UInt8(exactly: row.int64(first)), let kind = Kind(rawValue: raw) else {
            throw StoreFailure("a stored record is of an unknown kind")
        }
        return Record(
            kind: kind, id: try row.identifier(first + 1), athlete: try row.optionalIdentifier(first + 2), version: row.int64(first + 3),
            createdAt: row.int64(first + 4), createdBy: try row.identifier(first + 5), updatedAt: row.int64(first + 6),
            updatedBy: try row.identifier(first + 7), deletedAt: row.optionalInt64(first + 8),
            fields: try StoredFields.decode(kind, row, first + 9))
    }
}

@available(*, unavailable)
extension RecordTable: Sendable {}

/// The statement by which writer and reader learn who is in a family.
final class MemberTable {
    private let list: Statement

    init(_ database: Database) {
        let columns = RecordTable.columns.split(separator: ", ").map { "r.\($0)" }.joined(separator: ", ")
        list = database.prepareOnUse(
            """
            SELECT \(columns), m.born, m.removed_at, m.consent_at, m.ends_on
            FROM records r JOIN memberships m ON m.family = r.family AND m.member = r.id
            WHERE r.family = ? AND r.kind = \(Kind.member.rawValue)
            """)
    }

    /// Everybody who is or was in the family.
    func members(family: Int64) throws -> [Identifier: MemberState] {
        var members: [Identifier: MemberState] = [:]
        list.bind(1, family)
        try list.each { row in
            let record = try RecordTable.decode(row)
            members[record.id] = MemberState(
                record, born: CalendarDate(row.text(RecordTable.columnCount)),
                isRemoved: !row.isNull(RecordTable.columnCount + 1) || record.isDeleted, hasConsent: !row.isNull(RecordTable.columnCount + 2),
                lastDay: row.isNull(RecordTable.columnCount + 3) ? nil : CalendarDate(row.text(RecordTable.columnCount + 3)))
        }
        return members
    }
}

@available(*, unavailable)
extension MemberTable: Sendable {}

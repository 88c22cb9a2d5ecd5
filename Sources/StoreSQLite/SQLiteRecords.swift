import Bytes
import Family
import Ledger
import SQLite
import Store

/// The statements on records that are neither of one table of relations (`ReferrerTable`, `PlanTable`) nor of a list. Those that run seldom
/// are compiled when they are used.
final class SQLiteRecords: RecordWrites {
    private let database: Database
    let table: RecordTable
    private let memberTable: MemberTable
    private let referrerTable: ReferrerTable
    private let planTable: PlanTable
    private let documentTable: DocumentTable
    private let findOne: Statement
    private let findHead: Statement
    private let isPurgedOne: Statement
    private let lists: ListStatements

    /// Records are read once in a transaction.
    private let isWriter: Bool

    init(_ database: Database, isWriter: Bool) {
        self.database = database
        self.isWriter = isWriter
        table = RecordTable(database)
        memberTable = MemberTable(database)
        referrerTable = ReferrerTable(database, table)
        planTable = PlanTable(database, table)
        documentTable = DocumentTable(database)
        findOne = database.prepareOnUse("SELECT \(RecordTable.columns) FROM records WHERE family = ? AND id = ?")
        findHead = database.prepareOnUse("SELECT kind, created_seq, deleted_at FROM records WHERE family = ? AND id = ?")
        lists = ListStatements(database)
        isPurgedOne = database.prepareOnUse("SELECT 1 FROM purged WHERE family = ? AND id = ? AND (?3 IS NULL OR kind = ?3)")
    }

    private static func stored(_ row: Statement, _ record: Record?) -> StoredRecord {
        StoredRecord(record: record, id: record?.id ?? (try? row.identifier(1)), octets: RecordTable.octets(row))
    }

    /// The record of a row of `RecordTable.columns`.
    static func stored(_ row: Statement) -> StoredRecord {
        stored(row, try? RecordTable.decode(row))
    }

    // MARK: Reads

    func find(family: Int64, _ id: Identifier) throws -> StoredRecord? {
        findOne.bind(1, family)
        findOne.bind(2, id)
        return try findOne.one { row in
            guard isWriter else { return Self.stored(row) }
            return Self.stored(row, try? table.read(row, family: family))
        }
    }

    func head(family: Int64, _ id: Identifier) throws -> RecordHead? {
        findHead.bind(1, family)
        findHead.bind(2, id)
        return try findHead.one { RecordHead(kind: $0.int64(0), created: $0.int64(1), deletedAt: $0.optionalInt64(2)) }
    }

    func count(family: Int64) throws -> Int { try table.count(family: family) }

    func members(family: Int64) throws -> [Identifier: MemberState] { try memberTable.members(family: family) }

    func referrers(family: Int64, _ target: Record, limit: Int, _ budget: inout ReadBudget) throws -> [Referrer] {
        try referrerTable.referrers(family: family, target, limit: limit, &budget)
    }

    func plans(
        family: Int64, from first: String, before last: String, limit: Int, _ budget: inout ReadBudget
    ) throws -> (events: [Record], items: [Record]) {
        try planTable.plans(family: family, from: first, before: last, limit: limit, &budget)
    }

    func successor(family: Int64, of document: Identifier, excluding isExcluded: (Identifier) -> Bool) throws -> Record? {
        try documentTable.successor(family: family, of: document, excluding: isExcluded)
    }

    func newestVersion(family: Int64, replacing document: Identifier) throws -> Int64 {
        try documentTable.newestVersion(family: family, replacing: document)
    }

    func forEach(family: Int64, _ body: (StoredRecord) throws -> Void) throws {
        let list = try database.prepare("SELECT \(RecordTable.columns), \(RecordColumn.names) FROM records WHERE family = ? ORDER BY id")
        list.bind(1, family)
        try list.each { row in
            var stored = Self.stored(row)
            if let record = stored.record { stored.isMisfiled = row.columns(from: RecordTable.columnCount) != record.fields.columns }
            try body(stored)
        }
    }

    func forEachInSnapshot(family: Int64, deletedAfter limit: Int64, _ body: (StoredRecord) throws -> Void) throws {
        let list = try database.prepare(
            """
            SELECT \(RecordTable.columns) FROM records WHERE family = ? AND kind <> \(Kind.message.rawValue)
            AND (deleted_at IS NULL OR deleted_at > ?) ORDER BY id
            """)
        list.bind(1, family)
        list.bind(2, limit)
        try list.each { try body(Self.stored($0)) }
    }

    func isPurged(family: Int64, _ id: Identifier, kind: Kind?) throws -> Bool {
        isPurgedOne.bind(1, family)
        isPurgedOne.bind(2, id)
        isPurgedOne.bind(3, (kind?.rawValue).map { Int64($0) })
        return try isPurgedOne.one { _ in true } ?? false
    }

    func purged(family: Int64) throws -> [PurgedRow] {
        let list = try database.prepare("SELECT id, kind, deleted_at FROM purged WHERE family = ? ORDER BY id")
        list.bind(1, family)
        return try list.all { row in
            guard let kind = UInt8(exactly: row.int64(1)).flatMap(Kind.init(rawValue:)) else {
                throw StoreFailure("a purged record is of an unknown kind")
            }
            return PurgedRow(id: try row.identifier(0), kind: kind, deletedAt: row.int64(2))
        }
    }

    /// The first deleted record of each family after one whose time has come.
    static let dueQuery = """
        SELECT f.key, (SELECT r.id FROM records r WHERE r.family = f.key AND r.deleted_at IS NOT NULL AND r.deleted_at <= ?2
            ORDER BY r.deleted_at, r.id LIMIT 1)
        FROM families f WHERE f.key > ?1 ORDER BY f.key LIMIT ?3
        """

    func nextDue(afterFamily: Int64, deletedBefore limit: Int64, families: Int) throws -> (due: DueRecord?, lastFamily: Int64?) {
        let find = try database.prepare(Self.dueQuery)
        find.bind(1, afterFamily)
        find.bind(2, limit)
        find.bind(3, Int64(families))
        var last: Int64?
        // As it is stored: an id that is damaged still finds its row.
        var found: [UInt8]?
        var count = 0
        defer { find.reset() }
        while found == nil, try find.step() {
            last = find.int64(0)
            found = find.isNull(1) ? nil : find.octets(1)
            count += 1
        }
        guard let found, let family = last else { return (nil, count == families ? last : nil) }
        if let record = try record(family: family, found, RecordTable.columns) { return (DueRecord(family: family, record: record, isDamaged: false), family) }
        let bare = RecordTable.columns.replacing("fields", with: "CAST('{}' AS BLOB)")
        return (DueRecord(family: family, record: try record(family: family, found, bare), isDamaged: true), family)
    }

    /// - Returns: `nil` if the row cannot be read.
    private func record(family: Int64, _ id: [UInt8], _ columns: String) throws -> Record? {
        let read = try database.prepare("SELECT \(columns) FROM records WHERE family = ? AND id = ?")
        read.bind(1, family)
        read.bind(2, id)
        do { return try read.one(RecordTable.decode) } catch is StoreFailure { return nil }
    }

    // MARK: Lists

    func forEach(family: Int64, of kind: Kind, after id: Identifier?, _ body: (StoredRecord) throws -> Void) throws {
        lists.ofKind.bind(1, family)
        lists.ofKind.bind(2, Int64(kind.rawValue))
        // Every id is above the empty one.
        if let id { lists.ofKind.bind(3, id) } else { lists.ofKind.bind(3, [] as [UInt8]) }
        try lists.ofKind.each { try body(Self.stored($0)) }
    }

    func forEachUpcoming(family: Int64, of kind: Kind, from day: String, _ body: (StoredRecord) throws -> Void) throws {
        lists.upcoming.bind(1, family)
        lists.upcoming.bind(2, Int64(kind.rawValue))
        lists.upcoming.bind(3, day)
        try lists.upcoming.each { try body(Self.stored($0)) }
    }

    func comments(
        family: Int64, on record: Identifier, before created: Int64, _ id: Identifier, areDeleted: Bool, _ body: (StoredRecord, Int64) throws -> Bool
    ) throws {
        let comments = lists.comments
        comments.bind(1, family)
        comments.bind(2, record.description)
        comments.bind(3, created)
        comments.bind(4, id)
        comments.bind(5, areDeleted ? 0 : 1)
        defer { comments.reset() }
        while try comments.step(), try body(Self.stored(comments), comments.int64(RecordTable.columnCount)) {}
    }

    func countComments(family: Int64, on record: Identifier, areDeleted: Bool) throws -> Int {
        lists.countComments.bind(1, family)
        lists.countComments.bind(2, record.description)
        lists.countComments.bind(3, areDeleted ? 0 : 1)
        return try lists.countComments.one { Int($0.int64(0)) } ?? 0
    }

    func countKinds(family: Int64, athlete: Identifier?) throws -> [Kind: Int] {
        lists.countKinds.bind(1, family)
        lists.countKinds.bind(2, athlete)
        var counts: [Kind: Int] = [:]
        try lists.countKinds.each { row in
            guard let kind = UInt8(exactly: row.int64(0)).flatMap({ Kind(rawValue: $0) }) else { return }
            counts[kind] = Int(row.int64(1))
        }
        return counts
    }

    func countMessages(family: Int64) throws -> Int {
        lists.countMessages.bind(1, family)
        return try lists.countMessages.one { Int($0.int64(0)) } ?? 0
    }

    // MARK: Writes

    func insert(family: Int64, _ record: Record, created: Int64) throws -> Bool { try table.insert(family: family, record, sequence: created) }

    func setCreation(family: Int64, _ id: Identifier, sequence: Int64) throws { try table.setCreation(family: family, id, sequence: sequence) }

    func file(family: Int64, _ id: Identifier) throws {
        guard let record = try find(family: family, id)?.record else { return }
        try table.update(family: family, record, over: nil)
    }

    func forgetValues(family: Int64, _ id: Identifier) throws {
        // The version stays, by which a record is known.
        table.forgetKnown()
        let columns = RecordColumn.allCases.map { ", \($0.rawValue) = NULL" }.joined()
        let update = try database.prepare("UPDATE records SET created_seq = 0, fields = CAST('{}' AS BLOB)\(columns) WHERE family = ? AND id = ?")
        update.bind(1, family)
        update.bind(2, id)
        try update.run()
    }

    func remove(family: Int64, _ id: Identifier) throws {
        let delete = try database.prepare("DELETE FROM records WHERE family = ? AND id = ?")
        delete.bind(1, family)
        delete.bind(2, id)
        try delete.run()
    }

    func insertPurged(family: Int64, _ row: PurgedRow) throws {
        let insert = try database.prepare("INSERT OR IGNORE INTO purged (family, id, kind, deleted_at) VALUES (?, ?, ?, ?)")
        insert.bind(1, family)
        insert.bind(2, row.id)
        insert.bind(3, Int64(row.kind.rawValue))
        insert.bind(4, row.deletedAt)
        try insert.run()
    }
}

@available(*, unavailable)
extension SQLiteRecords: Sendable {}

/// The statements on chains of documents. They run seldom, so they are compiled when they are used.
final class DocumentTable {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// The newest living document that replaces another.
    func successor(family: Int64, of id: Identifier, excluding isExcluded: (Identifier) -> Bool) throws -> Record? {
        let find = database.prepareOnUse(
            """
            SELECT \(RecordTable.columns) FROM records
            WHERE family = ? AND replaces = ? AND kind = \(Kind.document.rawValue) AND deleted_at IS NULL
            ORDER BY created_seq DESC, created_at DESC, id DESC
            """)
        find.bind(1, family)
        find.bind(2, id.description)
        defer { find.reset() }
        while try find.step() {
            let record = try RecordTable.decode(find)
            if !isExcluded(record.id) { return record }
        }
        return nil
    }

    /// The largest number in the chain among the documents that ever replaced another, deleted ones included; 0 for none.
    func newestVersion(family: Int64, replacing id: Identifier) throws -> Int64 {
        let find = try database.prepare(
            """
            SELECT max(json_extract(CAST(fields AS TEXT), '$.version')) FROM records
            WHERE family = ? AND replaces = ? AND kind = \(Kind.document.rawValue)
            """)
        find.bind(1, family)
        find.bind(2, id.description)
        return try find.one { $0.int64(0) } ?? 0
    }
}

@available(*, unavailable)
extension DocumentTable: Sendable {}

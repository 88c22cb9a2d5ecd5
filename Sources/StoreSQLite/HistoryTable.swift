import Bytes
import Family
import Ledger
import SQLite
import Store

/// The statements on `history`. Those that run seldom are compiled when they are used.
final class HistoryTable: HistoryWrites {
    private let database: Database
    private let insertOne: Statement
    private let since: Statement
    private let findLength: Statement
    private let setValues: Statement
    private let findSequences: Statement
    private let findValues: Statement

    init(_ database: Database) {
        self.database = database
        findSequences = database.prepareOnUse("SELECT seq FROM history WHERE family = ? AND record = ? AND seq < ? ORDER BY version DESC")
        findValues = database.prepareOnUse("SELECT before FROM history WHERE family = ? AND record = ? AND version = ?")
        insertOne = database.prepareOnUse(
            "INSERT INTO history (family, record, version, seq, member, at, before) VALUES (?, ?, ?, ?, ?, ?, ?)")
        findLength = database.prepareOnUse("SELECT length(before) FROM history WHERE family = ? AND record = ? AND version = ?")
        setValues = database.prepareOnUse("UPDATE history SET before = ?4 WHERE family = ?1 AND record = ?2 AND version = ?3")
        since = database.prepareOnUse(
            """
            SELECT version, seq, member, at, before FROM history
            WHERE family = ? AND record = ? AND version > ? ORDER BY version LIMIT ?
            """)
    }

    func append(family: Int64, _ row: HistoryRow) throws {
        insertOne.bind(1, family)
        insertOne.bind(2, row.record)
        insertOne.bind(3, row.version)
        insertOne.bind(4, row.sequence)
        insertOne.bind(5, row.member)
        insertOne.bind(6, row.at)
        insertOne.bind(7, row.before)
        try insertOne.run()
    }

    /// A row without values (NULL: a deletion or a restoration) frees nothing.
    func forgetValues(family: Int64, _ record: Identifier, version: Int64) throws -> Int {
        func bind(_ statement: Statement) {
            statement.bind(1, family)
            statement.bind(2, record)
            statement.bind(3, version)
        }
        bind(findLength)
        let length = try findLength.first { row throws(SQLiteError) in row.optionalInt64(0) } ?? nil
        let freed = Int(length ?? 0) - FormerValues.forgotten.count
        guard freed > 0 else { return 0 }
        bind(setValues)
        setValues.bind(4, FormerValues.forgotten)
        try setValues.run()
        return freed
    }

    func remove(family: Int64, _ record: Identifier, version: Int64) throws -> Int {
        let delete = try database.prepare(
            "DELETE FROM history WHERE family = ? AND record = ? AND version = ? RETURNING coalesce(length(before), 0)")
        delete.bind(1, family)
        delete.bind(2, record)
        delete.bind(3, version)
        var octets = 0
        try delete.each { octets += Int($0.int64(0)) }
        return octets
    }

    func entries(family: Int64, _ record: Record, after version: Int64, limit: Int, _ budget: inout ReadBudget) throws -> [HistoryEntry] {
        since.bind(1, family)
        since.bind(2, record.id)
        since.bind(3, version)
        since.bind(4, Int64(limit))
        defer { since.reset() }
        var entries: [HistoryEntry] = []
        while try since.step(), budget.take(since.octetCount(4)) {
            let row = HistoryRow(
                record: record.id, version: since.int64(0), sequence: since.int64(1), member: try since.identifier(2), at: since.int64(3),
                before: since.isNull(4) ? nil : since.octets(4))
            if let entry = try row.entry(record.kind) { entries.append(entry) }
        }
        return entries
    }

    func sequences(family: Int64, of record: Identifier, before sequence: Int64, limit: Int) throws -> [Int64] {
        findSequences.bind(1, family)
        findSequences.bind(2, record)
        findSequences.bind(3, sequence)
        defer { findSequences.reset() }
        var sequences: [Int64] = []
        while sequences.count < limit, try findSequences.step() {
            // A change may make more than one version of a record.
            if sequences.last != findSequences.int64(0) { sequences.append(findSequences.int64(0)) }
        }
        return sequences
    }

    func replaced(family: Int64, _ record: Identifier, version: Int64) throws -> [UInt8]? {
        findValues.bind(1, family)
        findValues.bind(2, record)
        findValues.bind(3, version)
        return try findValues.one { $0.octets(0) }
    }

    func versions(family: Int64, of record: Identifier, limit: Int) throws -> [(version: Int64, sequence: Int64)] {
        let list = try database.prepare("SELECT version, seq FROM history WHERE family = ? AND record = ? ORDER BY version LIMIT ?")
        list.bind(1, family)
        list.bind(2, record)
        list.bind(3, Int64(limit))
        return try list.all { ($0.int64(0), $0.int64(1)) }
    }

    func lastChange(family: Int64, of record: Identifier) throws -> Int64? {
        let find = try database.prepare("SELECT seq FROM history WHERE family = ? AND record = ? ORDER BY version DESC LIMIT 1")
        find.bind(1, family)
        find.bind(2, record)
        return try find.one { $0.int64(0) }
    }

    func forEach(family: Int64, _ body: (HistoryRow) throws -> Void) throws {
        let list = try database.prepare(
            "SELECT record, version, seq, member, at, before FROM history WHERE family = ? ORDER BY record, version")
        list.bind(1, family)
        try list.each { row in
            try body(
                HistoryRow(
                    record: try row.identifier(0), version: row.int64(1), sequence: row.int64(2), member: try row.identifier(3),
                    at: row.int64(4), before: row.isNull(5) ? nil : row.octets(5)))
        }
    }
}

@available(*, unavailable)
extension HistoryTable: Sendable {}

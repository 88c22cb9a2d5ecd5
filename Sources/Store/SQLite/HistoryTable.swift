import Bytes
import Family
import Ledger
import SQLite

/// The writer's statements on `history`.
final class HistoryTable {
    private let insertOne: Statement
    private let since: Statement
    private let findLength: Statement
    private let setValues: Statement

    init(_ database: Database) throws(SQLiteError) {
        insertOne = try database.prepare(
            "INSERT INTO history (family, record, version, seq, member, at, before) VALUES (?, ?, ?, ?, ?, ?, ?)")
        findLength = try database.prepare("SELECT length(before) FROM history WHERE family = ? AND record = ? AND version = ?")
        setValues = try database.prepare("UPDATE history SET before = ?4 WHERE family = ?1 AND record = ?2 AND version = ?3")
        since = try database.prepare(
            """
            SELECT version, seq, member, at, before FROM history
            WHERE family = ? AND record = ? AND version > ? ORDER BY version LIMIT ?
            """)
    }

    /// - Returns: octets of the values.
    func append(family: Int64, _ write: HistoryWrite) throws(SQLiteError) -> Int {
        let entry = write.entry
        let before = entry.before.map { FormerValues.encode(write.kind, $0) }
        insertOne.bind(1, family)
        insertOne.bind(2, write.record)
        insertOne.bind(3, entry.version)
        insertOne.bind(4, entry.sequence)
        insertOne.bind(5, entry.member)
        insertOne.bind(6, entry.at)
        insertOne.bind(7, before)
        try insertOne.run()
        return before?.count ?? 0
    }

    /// A row as another database had it.
    func append(family: Int64, _ row: ArchiveRow.Replaced) throws(SQLiteError) {
        insertOne.bind(1, family)
        insertOne.bind(2, row.record)
        insertOne.bind(3, row.version)
        insertOne.bind(4, row.sequence)
        insertOne.bind(5, row.member)
        insertOne.bind(6, row.at)
        insertOne.bind(7, row.before)
        try insertOne.run()
    }

    /// Forgets the values that one version replaced; that it was made, when and by whom stays.
    ///
    /// - Returns: the octets that they took. 0 if there are none: NULL stands for deletions and restorations.
    func forgetValues(family: Int64, _ record: Identifier, version: Int64) throws(SQLiteError) -> Int {
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

    /// What happened to a record after a version, oldest first, as far as its values are still there.
    ///
    /// - Parameter limit: of entries; a record can have thousands of versions.
    func entries(family: Int64, _ record: Record, after version: Int64, limit: Int, _ budget: inout ReadBudget) throws -> [HistoryEntry] {
        since.bind(1, family)
        since.bind(2, record.id)
        since.bind(3, version)
        since.bind(4, Int64(limit))
        defer { since.reset() }
        var entries: [HistoryEntry] = []
        while try since.step(), budget.take(since.octetCount(4)) {
            // Compacted: who asks finds a version missing, as after a purge.
            if !since.isNull(4), since.octets(4) == FormerValues.forgotten { continue }
            entries.append(
                HistoryEntry(
                    version: since.int64(0), sequence: since.int64(1), member: try since.identifier(2), at: since.int64(3),
                    before: since.isNull(4) ? nil : try FormerValues.decode(record.kind, since.octets(4))))
        }
        return entries
    }
}

@available(*, unavailable)
extension HistoryTable: Sendable {}

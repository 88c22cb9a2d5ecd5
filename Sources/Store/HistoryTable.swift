import Bytes
import Family
import SQLite

/// What one version of a record replaced.
struct HistoryEntry {
    var version: Int64
    var sequence: Int64
    var member: Identifier
    var at: Int64
    /// Fields that the version changed, with the values before; none for deletions and restorations.
    var before: [FieldPatch.Assignment]
}

/// The writer's statements on `history`.
final class HistoryTable {
    private let insertOne: Statement
    private let since: Statement

    init(_ database: Database) throws(SQLiteError) {
        insertOne = try database.prepare(
            "INSERT INTO history (family, record, version, seq, member, at, before) VALUES (?, ?, ?, ?, ?, ?, ?)")
        since = try database.prepare(
            """
            SELECT version, seq, member, at, before FROM history
            WHERE family = ? AND record = ? AND version > ? ORDER BY version LIMIT ?
            """)
    }

    /// - Parameter before: the values that were replaced; `nil` for a deletion or a restoration.
    func append(family: Int64, _ record: Record, sequence: Int64, before: [FieldPatch.Assignment]?) throws(SQLiteError) {
        insertOne.bind(1, family)
        insertOne.bind(2, record.id)
        insertOne.bind(3, record.version)
        insertOne.bind(4, sequence)
        insertOne.bind(5, record.updatedBy)
        insertOne.bind(6, record.updatedAt)
        insertOne.bind(7, before.map { FormerValues.encode(record.kind, $0) })
        try insertOne.run()
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

    /// What happened to a record after a version, oldest first.
    ///
    /// - Parameter limit: of entries; a record can have thousands of versions.
    func entries(family: Int64, _ record: Record, after version: Int64, limit: Int64 = .max) throws -> [HistoryEntry] {
        since.bind(1, family)
        since.bind(2, record.id)
        since.bind(3, version)
        since.bind(4, limit)
        return try since.all { row in
            HistoryEntry(
                version: row.int64(0), sequence: row.int64(1), member: try row.identifier(2), at: row.int64(3),
                before: row.isNull(4) ? [] : try FormerValues.decode(record.kind, row.octets(4)))
        }
    }

    /// What one version of a record replaced; `nil` when history does not know it (any more).
    func entry(family: Int64, _ record: Record, version: Int64) throws -> HistoryEntry? {
        try entries(family: family, record, after: version - 1, limit: 1).first { $0.version == version }
    }
}

@available(*, unavailable)
extension HistoryTable: Sendable {}

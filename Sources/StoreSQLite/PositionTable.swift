import Family
import SQLite

/// Where a family is in its log, and the checksum of its records there: the statements that writer, readers and check share.
final class PositionTable {
    private let newest: Statement
    private let living: Statement

    init(_ database: Database) {
        newest = database.prepareOnUse("SELECT seq, checksum FROM log WHERE family = ? ORDER BY seq DESC LIMIT 1")
        living = database.prepareOnUse("SELECT id, version FROM records WHERE family = ? AND deleted_at IS NULL")
    }

    /// The newest sequence (0 for a family without a change), and the checksum of the records at that sequence.
    ///
    /// - Complexity: O(1) if the newest row of the log holds a checksum. A row of an earlier program or of an import holds none; then it is
    ///   computed from all records, until the next change.
    func position(family: Int64) throws -> (sequence: Int64, checksum: StateChecksum) {
        newest.bind(1, family)
        let row = try newest.one { (sequence: $0.int64(0), checksum: $0.optionalInt64(1)) }
        let stored = row?.checksum.flatMap { UInt32(exactly: $0) }
        return (row?.sequence ?? 0, try stored.map { StateChecksum($0) } ?? computed(family: family))
    }

    /// The checksum of the records that are stored.
    func computed(family: Int64) throws -> StateChecksum {
        var checksum = StateChecksum()
        living.bind(1, family)
        try living.each { row in
            // A row with a damaged id is not a record of any family.
            if let id = try? row.identifier(0) { checksum.add(id, version: row.int64(1)) }
        }
        return checksum
    }
}

@available(*, unavailable)
extension PositionTable: Sendable {}

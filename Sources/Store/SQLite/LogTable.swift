import Bytes
import Family
import SQLite
import Wire

/// The writer's statements on `log`.
final class LogTable {
    /// Octets of a frame above which it has an outline: what a page of the database holds of a row.
    static let outlinedOctets = 4_000

    private let insertOne: Statement
    private let insertOutline: Statement
    private let removeOutline: Statement
    private let lastRow: Statement
    private let findFrame: Statement
    private let replaceFrame: Statement
    private let findUsage: Statement
    private let computeUsage: Statement

    init(_ database: Database) throws(SQLiteError) {
        insertOne = try database.prepare(
            "INSERT INTO log (family, seq, at, messages, frame, checksum, written) VALUES (?, ?, ?, ?, ?, ?, ?)")
        insertOutline = try database.prepare("INSERT INTO outlines (family, seq, outline) VALUES (?, ?, ?)")
        removeOutline = try database.prepare("DELETE FROM outlines WHERE family = ? AND seq = ?")
        findFrame = try database.prepare("SELECT frame FROM log WHERE family = ? AND seq = ?")
        replaceFrame = try database.prepare("UPDATE log SET frame = ? WHERE family = ? AND seq = ?")
        lastRow = try database.prepare("SELECT max(row) FROM log")
        findUsage = try database.prepare(
            "SELECT l.written, f.freed FROM families f JOIN log l ON l.family = f.key AND l.seq = ?2 WHERE f.key = ?1")
        computeUsage = try database.prepare(FamilyUsage.computed)
    }

    /// - Parameters:
    ///   - messages: how many messages the change created.
    ///   - change: the change itself, for the outline of a long frame.
    ///   - checksum: of the family's records after the change; `nil` if it is not known.
    ///   - written: `FamilyUsage.written` with this change; `nil`: it is to be computed when it is needed.
    func append(
        family: Int64, sequence: Int64, at: Int64, messages: Int, frame: [UInt8], _ change: Change, checksum: StateChecksum?, written: Int64?
    ) throws(SQLiteError) {
        insertOne.bind(1, family)
        insertOne.bind(2, sequence)
        insertOne.bind(3, at)
        insertOne.bind(4, Int64(messages))
        insertOne.bind(5, frame)
        if let checksum { insertOne.bind(6, Int64(checksum.value)) } else { insertOne.bindNull(6) }
        insertOne.bind(7, written)
        try insertOne.run()
        try outline(change, of: frame, family: family)
    }

    private func outline(_ change: Change, of frame: [UInt8], family: Int64) throws(SQLiteError) {
        guard frame.count > Self.outlinedOctets else { return }
        insertOutline.bind(1, family)
        insertOutline.bind(2, change.sequence)
        insertOutline.bind(3, ChangeOutline(change).encode())
        try insertOutline.run()
    }

    /// The change frame of a sequence; `nil` when the log has none.
    func frame(family: Int64, sequence: Int64) throws(SQLiteError) -> [UInt8]? {
        findFrame.bind(1, family)
        findFrame.bind(2, sequence)
        return try findFrame.first { row throws(SQLiteError) in row.octets(0) }
    }

    /// Only for purges: what was said is never changed otherwise.
    func replace(family: Int64, sequence: Int64, frame: [UInt8], _ change: Change) throws(SQLiteError) {
        replaceFrame.bind(1, frame)
        replaceFrame.bind(2, family)
        replaceFrame.bind(3, sequence)
        try replaceFrame.run()
        removeOutline.bind(1, family)
        removeOutline.bind(2, sequence)
        try removeOutline.run()
        try outline(change, of: frame, family: family)
    }

    /// What log and history of a family take.
    ///
    /// - Parameter head: its newest sequence.
    func usage(family: Int64, head: Int64) throws(SQLiteError) -> FamilyUsage {
        findUsage.bind(1, family)
        findUsage.bind(2, head)
        let found = try findUsage.first { row throws(SQLiteError) in (written: row.optionalInt64(0), freed: row.int64(1)) }
        guard let found else { return .none }
        if let written = found.written { return FamilyUsage(written: written, freed: found.freed) }
        computeUsage.bind(1, family)
        let taken = try computeUsage.first { row throws(SQLiteError) in row.int64(0) } ?? 0
        return FamilyUsage(written: taken + found.freed, freed: found.freed)
    }

    /// The last row of all families; 0 for none.
    func newestRow() throws(SQLiteError) -> Int64 {
        try lastRow.first { row throws(SQLiteError) in row.int64(0) } ?? 0
    }
}

@available(*, unavailable)
extension LogTable: Sendable {}

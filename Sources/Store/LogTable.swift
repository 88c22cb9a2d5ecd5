import Bytes
import SQLite

/// The writer's statements on `log`.
final class LogTable {
    private let insertOne: Statement
    private let newest: Statement
    private let lastRow: Statement
    private let findFrame: Statement
    private let replaceFrame: Statement

    init(_ database: Database) throws(SQLiteError) {
        insertOne = try database.prepare("INSERT INTO log (family, seq, at, messages, frame) VALUES (?, ?, ?, ?, ?)")
        newest = try database.prepare("SELECT max(seq) FROM log WHERE family = ?")
        findFrame = try database.prepare("SELECT frame FROM log WHERE family = ? AND seq = ?")
        replaceFrame = try database.prepare("UPDATE log SET frame = ? WHERE family = ? AND seq = ?")
        lastRow = try database.prepare("SELECT max(row) FROM log")
    }

    /// - Parameter messages: how many messages the change created.
    func append(family: Int64, sequence: Int64, at: Int64, messages: Int, frame: [UInt8]) throws(SQLiteError) {
        insertOne.bind(1, family)
        insertOne.bind(2, sequence)
        insertOne.bind(3, at)
        insertOne.bind(4, Int64(messages))
        insertOne.bind(5, frame)
        try insertOne.run()
    }

    /// The change frame of a sequence; `nil` when the log has none.
    func frame(family: Int64, sequence: Int64) throws(SQLiteError) -> [UInt8]? {
        findFrame.bind(1, family)
        findFrame.bind(2, sequence)
        return try findFrame.first { row throws(SQLiteError) in row.octets(0) }
    }

    /// Only for purges: what was said is never changed otherwise.
    func replace(family: Int64, sequence: Int64, frame: [UInt8]) throws(SQLiteError) {
        replaceFrame.bind(1, frame)
        replaceFrame.bind(2, family)
        replaceFrame.bind(3, sequence)
        try replaceFrame.run()
    }

    /// The last row of all families; 0 for none.
    func newestRow() throws(SQLiteError) -> Int64 {
        try lastRow.first { row throws(SQLiteError) in row.int64(0) } ?? 0
    }

    /// 0 for a family without a change.
    func head(family: Int64) throws(SQLiteError) -> Int64 {
        newest.bind(1, family)
        return try newest.first { row throws(SQLiteError) in row.int64(0) } ?? 0
    }
}

@available(*, unavailable)
extension LogTable: Sendable {}

import Family
import SQLite
import Store

/// The statements on `log` and `outlines`. Those that run seldom are compiled when they are used.
final class LogTable: LogWrites {
    private let database: Database
    private let positions: PositionTable
    private let findHead: Statement
    private let framesAfter: Statement
    private let framesBefore: Statement
    private let messages: Statement
    private let outlinesAfter: Statement
    private let outlinesBefore: Statement
    private let insertOne: Statement
    private let insertOutline: Statement
    private let removeOutline: Statement
    private let findFrame: Statement
    private let replaceFrame: Statement
    private let findUsage: Statement
    private let computeUsage: Statement
    /// The last position that was given, in a writer that has asked for it; `nil` after a transaction that was rolled back.
    private var lastPosition: Int64?

    init(_ database: Database) {
        self.database = database
        positions = PositionTable(database)
        findHead = database.prepareOnUse("SELECT max(seq) FROM log WHERE family = ?")
        framesAfter = database.prepareOnUse("SELECT seq, frame FROM log WHERE family = ? AND seq > ? ORDER BY seq")
        framesBefore = database.prepareOnUse("SELECT seq, frame FROM log WHERE family = ? AND seq < ? ORDER BY seq DESC")
        messages = database.prepareOnUse(
            "SELECT seq, frame FROM log WHERE family = ? AND seq <= ? AND seq > ? AND messages > 0 ORDER BY seq DESC")
        let outlines = """
            SELECT l.seq, coalesce(o.outline, l.frame) FROM log l LEFT JOIN outlines o ON o.family = l.family AND o.seq = l.seq
            WHERE l.family = ? AND l.seq > ? ORDER BY l.seq
            """
        outlinesAfter = database.prepareOnUse(outlines)
        outlinesBefore = database.prepareOnUse(outlines + " DESC")
        insertOne = database.prepareOnUse(
            "INSERT INTO log (family, seq, at, messages, frame, checksum, written, row) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        insertOutline = database.prepareOnUse("INSERT INTO outlines (family, seq, outline) VALUES (?, ?, ?)")
        removeOutline = database.prepareOnUse("DELETE FROM outlines WHERE family = ? AND seq = ?")
        findFrame = database.prepareOnUse("SELECT frame FROM log WHERE family = ? AND seq = ?")
        replaceFrame = database.prepareOnUse("UPDATE log SET frame = ? WHERE family = ? AND seq = ?")
        findUsage = database.prepareOnUse(
            "SELECT l.written, f.freed FROM families f JOIN log l ON l.family = f.key AND l.seq = ?2 WHERE f.key = ?1")
        computeUsage = database.prepareOnUse(Self.computedUsage)
    }

    // MARK: Writes

    func append(family: Int64, _ row: LogRow) throws {
        insertOne.bind(1, family)
        insertOne.bind(2, row.sequence)
        insertOne.bind(3, row.at)
        insertOne.bind(4, row.messages)
        insertOne.bind(5, row.frame)
        if let checksum = row.checksum { insertOne.bind(6, Int64(checksum.value)) } else { insertOne.bindNull(6) }
        insertOne.bind(7, row.written)
        insertOne.bind(8, try takePosition())
        try insertOne.run()
        if let outline = row.outline { try insert(outline, family: family, sequence: row.sequence) }
    }

    private func insert(_ outline: [UInt8], family: Int64, sequence: Int64) throws {
        insertOutline.bind(1, family)
        insertOutline.bind(2, sequence)
        insertOutline.bind(3, outline)
        try insertOutline.run()
    }

    func replace(family: Int64, sequence: Int64, frame: [UInt8], outline: [UInt8]?) throws {
        replaceFrame.bind(1, frame)
        replaceFrame.bind(2, family)
        replaceFrame.bind(3, sequence)
        try replaceFrame.run()
        removeOutline.bind(1, family)
        removeOutline.bind(2, sequence)
        try removeOutline.run()
        if let outline { try insert(outline, family: family, sequence: sequence) }
    }

    func forgetChecksums(family: Int64) throws {
        try database.run("UPDATE log SET checksum = NULL WHERE family = ? AND checksum IS NOT NULL", .integer(family))
    }

    func uncompacted(_ body: (LogScanRow) throws -> Bool) throws {
        let list = try database.prepare("SELECT row, family, seq, at, frame FROM log WHERE row > (SELECT compacted FROM meta) ORDER BY row")
        defer { list.reset() }
        while try list.step() {
            let row = LogScanRow(
                position: list.int64(0), family: list.int64(1), sequence: list.int64(2), at: list.int64(3), frame: list.octets(4))
            guard try body(row) else { return }
        }
    }

    func setCompacted(upTo position: Int64) throws { try database.run("UPDATE meta SET compacted = ?", .integer(position)) }

    // MARK: Reads

    func head(family: Int64) throws -> Int64 {
        findHead.bind(1, family)
        return try findHead.one { $0.int64(0) } ?? 0
    }

    func position(family: Int64) throws -> (sequence: Int64, checksum: StateChecksum) { try positions.position(family: family) }

    func computedChecksum(family: Int64) throws -> StateChecksum { try positions.computed(family: family) }

    func entry(family: Int64, sequence: Int64) throws -> (frame: [UInt8], checksum: StateChecksum?)? {
        let find = try database.prepare("SELECT frame, checksum FROM log WHERE family = ? AND seq = ?")
        find.bind(1, family)
        find.bind(2, sequence)
        return try find.one { ($0.octets(0), $0.optionalInt64(1).map { StateChecksum(UInt32(truncatingIfNeeded: $0)) }) }
    }

    func lastTime(family: Int64) throws -> Int64? {
        let newest = try database.prepare("SELECT at FROM log WHERE family = ? ORDER BY seq DESC LIMIT 1")
        newest.bind(1, family)
        return try newest.one { $0.int64(0) }
    }

    func frames(family: Int64, after sequence: Int64, _ body: (Int64, [UInt8]) throws -> Bool) throws {
        try walk(framesAfter, family, sequence, body)
    }

    func newestFrames(family: Int64, before sequence: Int64, _ body: (Int64, [UInt8]) throws -> Bool) throws {
        try walk(framesBefore, family, sequence, body)
    }

    func messageFrames(family: Int64, from newest: Int64, downTo oldest: Int64, _ body: (Int64, [UInt8]) throws -> Bool) throws {
        messages.bind(3, oldest)
        try walk(messages, family, newest, body)
    }

    func outlines(family: Int64, after sequence: Int64, _ body: (Int64, [UInt8]) throws -> Bool) throws {
        try walk(outlinesAfter, family, sequence, body)
    }

    func newestOutlines(family: Int64, after sequence: Int64, _ body: (Int64, [UInt8]) throws -> Bool) throws {
        try walk(outlinesBefore, family, sequence, body)
    }

    private func walk(_ statement: Statement, _ family: Int64, _ sequence: Int64, _ body: (Int64, [UInt8]) throws -> Bool) throws {
        statement.bind(1, family)
        statement.bind(2, sequence)
        defer { statement.reset() }
        while try statement.step(), try body(statement.int64(0), statement.octets(1)) {}
    }

    func forEach(family: Int64, _ body: (LogRow) throws -> Void) throws {
        let list = try database.prepare("SELECT seq, at, messages, frame, checksum FROM log WHERE family = ? ORDER BY seq")
        list.bind(1, family)
        try list.each { row in
            try body(
                LogRow(
                    sequence: row.int64(0), at: row.int64(1), messages: row.int64(2), frame: row.octets(3), outline: nil,
                    checksum: row.optionalInt64(4).map { StateChecksum(UInt32(truncatingIfNeeded: $0)) }, written: nil))
        }
    }

    func frame(family: Int64, sequence: Int64) throws -> [UInt8]? {
        findFrame.bind(1, family)
        findFrame.bind(2, sequence)
        return try findFrame.one { $0.octets(0) }
    }

    func usage(family: Int64, head: Int64) throws -> FamilyUsage {
        findUsage.bind(1, family)
        findUsage.bind(2, head)
        let found = try findUsage.one { (written: $0.optionalInt64(0), freed: $0.int64(1)) }
        guard let found else { return .none }
        if let written = found.written { return FamilyUsage(written: written, freed: found.freed) }
        return FamilyUsage(written: try computedUsage(family: family) + found.freed, freed: found.freed)
    }

    func computedUsage(family: Int64) throws -> Int64 {
        computeUsage.bind(1, family)
        return try computeUsage.one { $0.int64(0) } ?? 0
    }

    /// The sum, for a log whose rows do not hold it. Reads no frame: SQLite knows the length of a value from the head of its row.
    static let computedUsage = """
        SELECT (SELECT coalesce(sum(length(frame) + \(FamilyUsage.changeOverhead)), 0) FROM log WHERE family = ?1)
            + (SELECT coalesce(sum(coalesce(length(before), 0) + \(FamilyUsage.historyOverhead)), 0) FROM history WHERE family = ?1)
        """

    // MARK: The log of all families

    func newestPosition() throws -> Int64 {
        if let lastPosition { return lastPosition }
        let newest = try database.prepare(
            """
            SELECT max(position, (SELECT coalesce(max(row), 0) FROM log), (SELECT coalesce(max(arrival), 0) FROM families WHERE arrival > 0))
            FROM meta
            """)
        return try newest.one { $0.int64(0) } ?? 0
    }

    /// `newestPosition` for the writer, who remembers it: nobody else gives positions.
    func writersPosition() throws -> Int64 {
        let position = try newestPosition()
        lastPosition = position
        return position
    }

    /// A position that was never given before. For the writer.
    func takePosition() throws -> Int64 {
        let position = try writersPosition() + 1
        lastPosition = position
        return position
    }

    /// Keeps positions from being given again whose rows are about to be removed. For the writer.
    func keepPositions() throws { try database.run("UPDATE meta SET position = ?", .integer(try writersPosition())) }

    /// A transaction was rolled back: the positions that it took can be given again.
    func didRollBack() { lastPosition = nil }

    func follow(after position: Int64, _ body: (FollowedRow) throws -> Bool) throws {
        let rows = try database.prepare(
            """
            SELECT l.row, l.seq, f.uuid, f.floor, l.row <= f.arrival, CASE WHEN l.seq > f.floor AND l.row > f.arrival THEN l.frame END
            FROM log l LEFT JOIN families f ON f.key = l.family WHERE l.row > ? ORDER BY l.row
            """)
        let arrivals = try database.prepare(
            "SELECT arrival, arrived, uuid FROM families WHERE arrival > ? AND arrival > 0 ORDER BY arrival")
        rows.bind(1, position)
        arrivals.bind(1, position)
        defer {
            rows.reset()
            arrivals.reset()
        }
        func arrival() throws -> FollowedRow? {
            guard try arrivals.step() else { return nil }
            return FollowedRow(
                position: arrivals.int64(0), content: .arrival(family: try arrivals.identifier(2), sequence: arrivals.int64(1)))
        }
        func change() throws -> FollowedRow? {
            guard try rows.step() else { return nil }
            return FollowedRow(position: rows.int64(0), content: try Self.content(rows))
        }
        var (nextArrival, nextChange) = (try arrival(), try change())
        while true {
            if let found = nextArrival, nextChange.map({ found.position < $0.position }) ?? true {
                guard try body(found) else { return }
                nextArrival = try arrival()
            } else if let found = nextChange {
                guard try body(found) else { return }
                nextChange = try change()
            } else {
                return
            }
        }
    }

    private static func content(_ row: Statement) throws -> FollowedRow.Content {
        guard !row.isNull(2), row.int64(4) == 0 else { return .imported }
        let (family, sequence, floor) = (try row.identifier(2), row.int64(1), row.int64(3))
        return sequence > floor
            ? .change(family: family, sequence: sequence, frame: row.octets(5)) : .trimmed(family: family, sequence: sequence, floor: floor)
    }
}

@available(*, unavailable)
extension LogTable: Sendable {}

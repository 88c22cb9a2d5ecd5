package import Family
import Wire

/// A change in the log of its family.
package struct LogRow: Sendable {
    package var sequence: Int64
    /// UTC milliseconds.
    package var at: Int64
    /// The number of messages that the change created.
    package var messages: Int64
    /// The change frame, octet for octet as it was sent.
    package var frame: [UInt8]
    /// `ChangeOutline` of a long frame; `nil` for a short one.
    package var outline: [UInt8]?
    /// The checksum of the family's records after the change; `nil` if it is not known.
    package var checksum: StateChecksum?
    /// `FamilyUsage.written` including this change; `nil` if it is not known.
    package var written: Int64?

    /// The size of a frame above which the row has an outline: the part of a row that fits into a page of SQLite.
    package static let outlinedOctets = 4_000

    package init(sequence: Int64, at: Int64, messages: Int64, frame: [UInt8], outline: [UInt8]?, checksum: StateChecksum?, written: Int64?) {
        self.sequence = sequence
        self.at = at
        self.messages = messages
        self.frame = frame
        self.outline = outline
        self.checksum = checksum
        self.written = written
    }

    /// - Parameter frame: the encoded change.
    init(_ change: Change, frame: [UInt8], checksum: StateChecksum?, written: Int64?) {
        self.init(
            sequence: change.sequence, at: change.at, messages: Int64(change.entries.count { $0.isNewMessage }), frame: frame,
            outline: Self.outline(change, frame), checksum: checksum, written: written)
    }

    /// The outline of a change; `nil` for a short frame.
    static func outline(_ change: Change, _ frame: [UInt8]) -> [UInt8]? {
        frame.count > outlinedOctets ? ChangeOutline(change).encode() : nil
    }
}

/// A row of the log in a walk through all logs, oldest first.
package struct LogScanRow: Sendable {
    /// See `LogReads.newestPosition`.
    package var position: Int64
    package var family: Int64
    package var sequence: Int64
    /// UTC milliseconds.
    package var at: Int64
    package var frame: [UInt8]

    package init(position: Int64, family: Int64, sequence: Int64, at: Int64, frame: [UInt8]) {
        self.position = position
        self.family = family
        self.sequence = sequence
        self.at = at
        self.frame = frame
    }
}

/// The logs of families. `family` is the integer that stands for one. If a `body` returns false, the walk ends.
package protocol LogReads: AnyObject {
    /// The newest sequence; 0 for a family without a change.
    func head(family: Int64) throws -> Int64

    /// The newest sequence, and the checksum of the records at that sequence.
    ///
    /// - Complexity: O(1) if the newest row holds a checksum; otherwise all records are read.
    func position(family: Int64) throws -> (sequence: Int64, checksum: StateChecksum)

    /// The checksum of the stored records.
    func computedChecksum(family: Int64) throws -> StateChecksum

    /// The space of a family's log and history.
    ///
    /// - Parameter head: its newest sequence.
    func usage(family: Int64, head: Int64) throws -> FamilyUsage

    /// The same, counted from the rows.
    func computedUsage(family: Int64) throws -> Int64

    /// The change frame of a sequence; `nil` if the log does not hold it.
    func frame(family: Int64, sequence: Int64) throws -> [UInt8]?

    /// The change frame of a sequence with the checksum of the records after it, if that is known.
    func entry(family: Int64, sequence: Int64) throws -> (frame: [UInt8], checksum: StateChecksum?)?

    /// The time of the newest change, UTC milliseconds; `nil` for a family without a change.
    func lastTime(family: Int64) throws -> Int64?

    /// Passes the frames after a sequence to `body`, in order.
    func frames(family: Int64, after sequence: Int64, _ body: (Int64, [UInt8]) throws -> Bool) throws

    /// Passes the frames before a sequence to `body`, newest first.
    func newestFrames(family: Int64, before sequence: Int64, _ body: (Int64, [UInt8]) throws -> Bool) throws

    /// Passes the frames that created messages to `body`, newest first.
    ///
    /// - Parameters:
    ///   - newest: the first sequence to read.
    ///   - oldest: the sequence before the last one to read.
    func messageFrames(family: Int64, from newest: Int64, downTo oldest: Int64, _ body: (Int64, [UInt8]) throws -> Bool) throws

    /// Passes the outlines (for short changes the frames) after a sequence to `body`, in order.
    func outlines(family: Int64, after sequence: Int64, _ body: (Int64, [UInt8]) throws -> Bool) throws

    /// As `outlines`, newest first.
    func newestOutlines(family: Int64, after sequence: Int64, _ body: (Int64, [UInt8]) throws -> Bool) throws

    /// Passes every row of a family to `body`, in order, without outlines.
    func forEach(family: Int64, _ body: (LogRow) throws -> Void) throws

    /// The last position of the log of all families; 0 for none.
    ///
    /// Each change gets a position when it is written, and so does each family that an import has made. Positions rise
    /// in the order in which transactions commit. None is used twice, even if the rows of an import are removed.
    func newestPosition() throws -> Int64

    /// Passes the content of the log of all families after a position to `body`, in order.
    func follow(after position: Int64, _ body: (FollowedRow) throws -> Bool) throws
}

/// Writes that no decision makes: those of imports, purges, compaction and repairs.
package protocol LogWrites: LogReads {
    func append(family: Int64, _ row: LogRow) throws

    /// Replaces the frame of a change that has lost values.
    func replace(family: Int64, sequence: Int64, frame: [UInt8], outline: [UInt8]?) throws

    /// Removes the checksums of a family, so that they are computed again.
    func forgetChecksums(family: Int64) throws

    /// Passes the rows of all families that are not compacted yet to `body`, oldest first.
    func uncompacted(_ body: (LogScanRow) throws -> Bool) throws

    /// Notes that all rows up to a position are compacted.
    func setCompacted(upTo position: Int64) throws
}

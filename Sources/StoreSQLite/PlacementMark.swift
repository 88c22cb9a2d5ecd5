import Posix
import Store

/// A small file beside the database, by which the next start notices that another copy was put in its place (`epoch`).
///
/// It holds, in hexadecimal: the newest row of the log that was durable when it was written, the inode of the database file, and, after
/// a stop in good order, when that file had last changed. The row is written after commits and not synced: after a
/// power cut it is older than the database, never newer.
///
/// The device is not in it: its number may change when the machine starts.
final class PlacementMark {
    /// Why the database is not what this folder held when it was last served.
    enum Replacement: String {
        case unmarked = "there is no mark beside it"
        case copied = "the file is a copy"
        case changed = "the file was changed while no server had it"
        case older = "it is older than the last confirmed change"
    }

    private struct Content {
        var row: Int64
        var inode: UInt64
        /// 0 while a server has the database, and after its death.
        var stopped: Int64
    }

    private let file: FileDescriptor
    private let database: String
    private var content: Content

    /// Reads what the mark says of the database, and marks it as being served.
    ///
    /// - Parameters:
    ///   - path: of the mark.
    ///   - database: path of the database file, which is there.
    ///   - newest: the last row of its log, 0 for none.
    /// - Returns: the mark, and why the database must not continue under its epoch. A database without a log has not reported anything to a client yet.
    static func open(_ path: String, database: String, newest: Int64) throws(Errno) -> (mark: PlacementMark, replacement: Replacement?) {
        let identity = try Files.identity(database)
        let before = Files.exists(path) ? parse(try Files.read(path, limit: 4_096)) : nil
        let mark = try PlacementMark(path, database: database, Content(row: newest, inode: identity.inode, stopped: 0))
        guard newest > 0 || (before?.row ?? 0) > 0 else { return (mark, nil) }
        guard let before else { return (mark, .unmarked) }
        if before.inode != identity.inode { return (mark, .copied) }
        if before.row > newest { return (mark, .older) }
        if before.stopped != 0, before.stopped != identity.changed { return (mark, .changed) }
        return (mark, nil)
    }

    private init(_ path: String, database: String, _ content: Content) throws(Errno) {
        file = try Files.openForOverwriting(path)
        self.database = database
        self.content = content
    }

    /// Marks the database as being served from here on. Not before it has its new epoch, or a crash in between would forget that it
    /// needs one.
    func begin() throws(Errno) {
        try Files.overwrite(file.raw, PlacementMark.format(content), at: 0)
        // Once: a `stopped` that outlived a power cut would not fit any more.
        try Files.synchronize(file.raw)
    }

    /// Everything up to `row` is on stable storage.
    func didCommit(row: Int64) {
        guard row > content.row else { return }
        content.row = row
        // A mark that cannot be written stays behind, which is the safe side.
        try? Files.overwrite(file.raw, PlacementMark.digits(UInt64(bitPattern: row)), at: PlacementMark.rowOffset)
    }

    /// All is in the database file, and nothing is written any more.
    func didStop() {
        guard let identity = try? Files.identity(database) else { return }
        content.stopped = identity.changed
        try? Files.overwrite(file.raw, PlacementMark.format(content), at: 0)
    }

    // MARK: Form

    private static let rowOffset = 4

    private static func digits(_ value: UInt64) -> [UInt8] {
        let text = String(value, radix: 16)
        return Array((String(repeating: "0", count: 16 - text.utf8.count) + text).utf8)
    }

    private static func format(_ content: Content) -> [UInt8] {
        Array("row=".utf8) + digits(UInt64(bitPattern: content.row)) + Array(" inode=".utf8) + digits(content.inode)
            + Array(" stopped=".utf8) + digits(UInt64(bitPattern: content.stopped)) + Array("\n".utf8)
    }

    /// `nil` for what `format` has not written.
    private static func parse(_ octets: [UInt8]) -> Content? {
        let words = String(decoding: octets, as: UTF8.self).split(whereSeparator: { $0 == " " || $0 == "\n" })
        var values: [UInt64] = []
        for (word, name) in zip(words, ["row=", "inode=", "stopped="]) where word.hasPrefix(name) {
            if let value = UInt64(word.dropFirst(name.count), radix: 16) { values.append(value) }
        }
        guard words.count == 3, values.count == 3 else { return nil }
        return Content(row: Int64(bitPattern: values[0]), inode: values[1], stopped: Int64(bitPattern: values[2]))
    }
}

@available(*, unavailable)
extension PlacementMark: Sendable {}

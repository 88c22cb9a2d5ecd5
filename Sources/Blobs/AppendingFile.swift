internal import Crypto
import Posix

/// A file to whose end octets are added: whole blocks go to the disk at once, past the kernel's memory, where the disk can do that.
///
/// Why: what many uploads leave in the kernel's memory is written when somebody syncs, all at once, and the sync of the database's log, for
/// which families wait, comes behind it in the queue of the disk. Beside uploads of 150 MB/s in sum a sync of 12 KiB took 0.9 ms at the
/// median and 9 ms at p99 (ext4); when the same octets are written past the kernel's memory, 128 KiB at a time, 0.3 and 1 ms, which is what
/// it takes by itself. Nothing piles up, so there is nothing to wait behind: the sync of the file finds its octets on the disk already.
struct AppendingFile: ~Copyable, Sendable {
    private let file: DiskFile
    /// Octets that were added: where the next ones go.
    private(set) var count: Int64
    /// Those behind the last whole block, or `nil` when they have to be read first; and how many of them the file has.
    private var tail: [UInt8]?
    private var flushed = 0
    /// Something of what was given up may stand behind the end.
    private var isLonger = false

    /// - Parameter count: octets in the file.
    init(_ file: consuming DiskFile, count: Int64) {
        self.file = file
        self.count = count
        tail = count % Int64(DiskBlock.octets) == 0 ? [] : nil
    }

    /// Adds octets. When it throws none were added.
    mutating func append(_ octets: UnsafeRawBufferPointer) throws(Errno) {
        let before = try loadTail()
        let total = before + octets.count
        let whole = total / DiskBlock.octets * DiskBlock.octets
        if whole == 0 {
            tail?.append(contentsOf: octets)
        } else {
            let kept = UnsafeRawBufferPointer(rebasing: octets[(whole - before)...])
            try writeBlocks(whole, UnsafeRawBufferPointer(rebasing: octets[..<(whole - before)]), at: count - Int64(before))
            tail = Array(kept)
            flushed = 0
        }
        count += Int64(octets.count)
    }

    /// Writes the tail and `octets`, whole blocks together, from memory that is aligned as the disk wants it.
    private mutating func writeBlocks(_ whole: Int, _ octets: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) {
        let blocks = UnsafeMutableRawBufferPointer.allocate(byteCount: whole, alignment: DiskBlock.octets)
        defer { blocks.deallocate() }
        let begun = tail ?? []
        blocks.copyBytes(from: begun)
        UnsafeMutableRawBufferPointer(rebasing: blocks[begun.count...]).copyMemory(from: octets)
        do throws(Errno) { try file.write(UnsafeRawBufferPointer(blocks), at: offset) } catch {
            // What was written of it is cut off, now or before it could count; the tail is written again.
            flushed = 0
            isLonger = true
            try? file.cut(to: offset)
            throw error
        }
    }

    /// Returns when everything that was added is on stable storage, and the file has nothing else. After a failure nothing is known of what
    /// was added since the last success: `rewind`.
    mutating func synchronize() throws(Errno) {
        try flush()
        try file.synchronize()
    }

    /// Throws away what stands behind `length`.
    mutating func cut(to length: Int64) throws(Errno) {
        rewind(to: length)
        try file.cut(to: length)
        isLonger = false
    }

    /// Goes on from `length`, without asking the disk: what stands behind it does not count.
    mutating func rewind(to length: Int64) {
        precondition(length <= count, "nothing is added by going back")
        let start = count - Int64(tail?.count ?? 0)
        if let octets = tail, length >= start {
            tail = Array(octets.prefix(Int(length - start)))
        } else {
            tail = length % Int64(DiskBlock.octets) == 0 ? [] : nil
        }
        flushed = 0
        isLonger = isLonger || length < count
        count = length
    }

    /// At most `wanted` octets of what was added, from `offset` on.
    mutating func read(at offset: Int64, count wanted: Int) throws(Errno) -> [UInt8] {
        try flush()
        return try file.read(at: offset, count: Int(min(Int64(wanted), max(0, count - offset))))
    }

    /// The digest of everything that was added.
    mutating func digest() throws(Errno) -> SHA256 {
        try flush()
        return try Blobs.digest(file, length: count)
    }

    /// Lets the file have all that was added; the kernel may hold the last of it.
    private mutating func flush() throws(Errno) {
        if let tail, flushed < tail.count {
            try file.write(tail, at: count - Int64(tail.count))
            flushed = tail.count
        }
        if isLonger {
            try file.cut(to: count)
            isLonger = false
        }
    }

    /// How many octets stand behind the last whole block; they are at hand afterwards.
    private mutating func loadTail() throws(Errno) -> Int {
        if let tail { return tail.count }
        let length = Int(count % Int64(DiskBlock.octets))
        let found = try file.read(at: count - Int64(length), count: length)
        // A file that is shorter than what was promised is no file to go on with.
        guard found.count == length else { throw .invalid }
        tail = found
        flushed = length
        return length
    }
}

/// What disks write at once.
package enum DiskBlock {
    /// Octets: no disk or file system of today wants more for writing past the kernel's memory.
    package static let octets = 4_096

    /// Whether address, count and offset are whole blocks.
    static func fits(_ octets: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
        let isAligned = UInt(bitPattern: octets.baseAddress) % UInt(Self.octets) == 0
        return isAligned && octets.count > 0 && octets.count % Self.octets == 0 && offset % Int64(Self.octets) == 0
    }
}

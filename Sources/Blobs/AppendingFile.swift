internal import Crypto
import Posix

/// A file to whose end octets are added: whole blocks go to the disk a piece at a time, past the kernel's memory, where the disk can do that;
/// and its digest, which another thread may compute while a piece is written.
///
/// Why past the kernel's memory: what many uploads leave there is written when somebody syncs, all at once, and the sync of the database's
/// log, for which families wait, comes behind it in the queue of the disk. Beside uploads of 150 MB/s in sum a sync of 12 KiB took 0.9 ms at
/// the median and 9 ms at p99 (ext4); when the same octets are written past the kernel's memory 0.3 and 1 ms, which is what it takes by
/// itself. Nothing piles up, so there is nothing to wait behind: the sync of the file finds its octets on the disk already.
struct AppendingFile: ~Copyable, Sendable {
    /// Octets that are written at once: 100 MB take 108 ms in pieces of 128 KiB, about 85 in such of 256 KiB, 70 in such of 512 KiB, for which
    /// somebody else's sync waits longer, and which is more memory.
    static let pieceOctets = 262_144

    private let file: DiskFile
    /// Octets that were added: where the next ones go.
    private(set) var count: Int64
    /// Where the piece begins, at a whole block: what is before it is in the file, and in the digest.
    private var start: Int64
    /// From `start` on; `nil` when what is there, less than a block, has to be read from the file first.
    private var piece: Piece?
    /// Octets of the piece that are in the file.
    private var flushed = 0
    /// Something of what was given up may stand behind the end.
    private var isLonger = false
    private let digest: PieceDigest
    private let capacity: Int

    /// - Parameters:
    ///   - count: octets in the file.
    ///   - capacity: octets that are written at once, whole blocks.
    init(_ file: consuming DiskFile, count: Int64, pieceOctets capacity: Int = AppendingFile.pieceOctets, assistant: @escaping Assistant = { _ in }) {
        precondition(capacity > 0 && capacity % DiskBlock.octets == 0, "a piece has whole blocks")
        self.file = file
        self.count = count
        self.capacity = capacity
        start = DiskBlock.start(of: count)
        digest = PieceDigest(isEmpty: count == 0, assistant)
    }

    /// Adds octets. When it throws none were added.
    mutating func append(_ octets: UnsafeRawBufferPointer) throws(Errno) {
        let before = count
        do throws(Errno) {
            if !digest.isKnown { digest.go(on: try Blobs.digest(file, length: start)) }
            var rest = octets
            while rest.count > 0 {
                let piece = try loadPiece()
                let taken = piece.append(rest)
                count += Int64(taken)
                rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
                if piece.isFull { try writeBlocks(piece) }
            }
        } catch {
            rewind(to: before)
            throw error
        }
    }

    /// Writes the whole blocks of the piece; what is behind them begins it then.
    private mutating func writeBlocks(_ piece: Piece) throws(Errno) {
        let blocks = DiskBlock.start(of: piece.count)
        guard blocks > 0 else { return }
        digest.begin(piece, blocks)
        do throws(Errno) { try file.write(UnsafeRawBufferPointer(rebasing: piece.octets[..<blocks]), at: start) } catch {
            // What was written of it is cut off, now or before it could count; the piece is written again.
            digest.forget()
            flushed = 0
            isLonger = true
            try? file.cut(to: start)
            throw error
        }
        digest.finishPiece()
        piece.removeFirst(blocks)
        start += Int64(blocks)
        flushed = 0
    }

    /// Returns when everything that was added is on stable storage, and the file has nothing else. After a failure nothing is known of what
    /// was added since the last success: `rewind`.
    mutating func synchronize() throws(Errno) {
        try flush()
        try file.synchronize()
        // Nobody knows when more comes, and the file has it all.
        piece = nil
        flushed = 0
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
        isLonger = isLonger || length < count
        count = length
        if length < start {
            start = DiskBlock.start(of: length)
            piece = nil
            digest.forget()
        } else {
            piece?.cut(to: Int(length - start))
        }
        flushed = 0
    }

    /// At most `wanted` octets of what was added, from `offset` on.
    mutating func read(at offset: Int64, count wanted: Int) throws(Errno) -> [UInt8] {
        try flush()
        return try file.read(at: offset, count: Int(min(Int64(wanted), max(0, count - offset))))
    }

    /// SHA-256 of everything that was added, 32 octets.
    mutating func sha256() throws(Errno) -> [UInt8] {
        try flush()
        let last = try file.read(at: start, count: Int(count - start))
        guard last.count == Int(count - start) else { throw .invalid }
        if !digest.isKnown { digest.go(on: try Blobs.digest(file, length: start)) }
        return digest.finish(with: last)
    }

    /// Lets the file have all that was added; the kernel may hold what is behind the last whole block.
    private mutating func flush() throws(Errno) {
        if let piece {
            try writeBlocks(piece)
            if flushed < piece.count {
                try file.write(piece.octets, at: start)
                flushed = piece.count
            }
        }
        if isLonger {
            try file.cut(to: count)
            isLonger = false
        }
    }

    /// The piece, with what stands behind the last whole block.
    private mutating func loadPiece() throws(Errno) -> Piece {
        if let piece { return piece }
        let made = Piece(capacity: capacity)
        let length = Int(count - start)
        let found = try file.read(at: start, count: length)
        // A file that is shorter than what was promised is no file to go on with.
        guard found.count == length else { throw .invalid }
        found.withUnsafeBytes { _ = made.append($0) }
        flushed = length
        piece = made
        return made
    }
}

/// What disks write at once.
package enum DiskBlock {
    /// Octets: no disk or file system of today wants more for writing past the kernel's memory.
    package static let octets = 4_096

    /// Where the block begins in which `offset` is.
    static func start<Offset: BinaryInteger>(of offset: Offset) -> Offset { offset / Offset(octets) * Offset(octets) }

    /// Whether address, count and offset are whole blocks.
    static func fits(_ octets: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
        let isAligned = UInt(bitPattern: octets.baseAddress) % UInt(Self.octets) == 0
        return isAligned && octets.count > 0 && octets.count % Self.octets == 0 && offset % Int64(Self.octets) == 0
    }
}

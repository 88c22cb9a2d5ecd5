import Bytes
import HTTP1
import Posix
import TLS

/// An open file that is read by a download and by the thread that reads ahead for it; closed when both are done.
final class OpenFile: Sendable {
    private let descriptor: FileDescriptor

    init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

    var raw: Int32 { descriptor.raw }
}

/// Content of a response that is in a file: which octets of it, what stands between them, and how far they are sent.
///
/// Nothing of it is kept in memory, and the reactor reads and sends only what the kernel has in memory already; the rest is read ahead
/// by the file pool.
final class FileContent {
    let file: OpenFile
    /// Its line in the file pool, and the family whose turns it takes there.
    let key: Identifier
    let family: Identifier?
    /// Octets in all.
    let length: Int

    private var pieces: ArraySlice<Selection.Piece>
    /// Octets of the first piece that are sent.
    private var sent = 0
    /// What was read ahead. It is trusted to be in memory still: where the kernel cannot say, or forgets at once, one waits for once.
    private var ahead = 0..<0
    private(set) var isReading = false

    /// Octets that are read ahead at once: two or three milliseconds of a disk.
    static let window = 1 << 20
    /// Octets that are read and encrypted at once where the kernel does not do it: what the reactor's buffer holds.
    static let copied = 65_536

    init(_ file: OpenFile, key: Identifier, of family: Identifier? = nil, pieces: [Selection.Piece]) {
        self.file = file
        self.key = key
        self.family = family
        self.pieces = pieces[...]
        length = pieces.reduce(0) { sum, piece in
            switch piece {
            case .octets(let octets): sum + octets.count
            case .part(let range): sum + range.count
            }
        }
    }

    enum Step: Equatable {
        /// To be sent before the next step.
        case said([UInt8])
        /// So many octets have gone.
        case sent(Int)
        /// The kernel is full.
        case blocked
        /// To be read ahead: see `read`; tell `didRead` then.
        case needs(Range<Int>)
        /// It is being read ahead.
        case waits
        case finished
    }

    /// Sends the next octets, at most `limit` of them.
    ///
    /// - Parameter scratch: memory for what cannot go past this process.
    /// - Throws: what ended the connection; also when the file is shorter than it was said to be, or cannot be read.
    func step(_ transport: inout Transport, scratch: UnsafeMutableRawBufferPointer, limit: Int) throws(TransportError) -> Step {
        guard !isReading else { return .waits }
        while case .part(let range)? = pieces.first, sent == range.count { dropPiece() }
        switch pieces.first {
        case nil: return .finished
        case .octets(let octets)?:
            dropPiece()
            return .said(octets)
        case .part(let range)?:
            let place = range.lowerBound + sent
            var end = min(place + limit, range.upperBound)
            if ahead.contains(place) {
                end = min(end, ahead.upperBound)
            } else if !FileCache.holds(file.raw, at: place) || !FileCache.holds(file.raw, at: end - 1) {
                isReading = true
                return .needs(place..<min(place + FileContent.window, range.upperBound))
            }
            let result = try send(place..<end, &transport, scratch)
            guard case .done(let count) = result else {
                guard result == .wouldBlock else { throw .system(FileCache.cutShort) }
                return .blocked
            }
            sent += count
            return .sent(count)
        }
    }

    private func send(
        _ range: Range<Int>, _ transport: inout Transport, _ scratch: UnsafeMutableRawBufferPointer
    ) throws(TransportError) -> IOResult {
        if transport.sendsFiles { return try transport.sendFile(file.raw, from: range.lowerBound, count: range.count) }
        let buffer = UnsafeMutableRawBufferPointer(rebasing: scratch[..<min(range.count, FileContent.copied, scratch.count)])
        let count: Int
        do throws(Errno) {
            let result = try FileCache.read(file.raw, at: range.lowerBound, into: buffer)
            switch result {
            case .done(let found): count = found
            case .endOfStream: return .endOfStream
            case .wouldBlock:
                guard case .done(let found) = try FileCache.readWaiting(file.raw, at: range.lowerBound, into: buffer) else { return .endOfStream }
                count = found
            }
        } catch {
            throw .system(error)
        }
        return try transport.send(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }

    private func dropPiece() {
        pieces.removeFirst()
        sent = 0
    }

    /// What was to be read ahead has been.
    func didRead(_ range: Range<Int>) {
        isReading = false
        ahead = range
    }

    /// Brings a part of a file into the kernel's memory. On a thread that may wait.
    static func read(_ file: OpenFile, _ range: Range<Int>) throws(Errno) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(range.count, 262_144), alignment: 4_096)
        defer { buffer.deallocate() }
        var place = range.lowerBound
        while place < range.upperBound {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, range.upperBound - place)])
            guard case .done(let count) = try FileCache.readWaiting(file.raw, at: place, into: part) else { throw FileCache.cutShort }
            place += count
        }
    }
}

@available(*, unavailable) extension FileContent: Sendable {}

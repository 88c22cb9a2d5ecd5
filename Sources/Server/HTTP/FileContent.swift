import Bytes
import HTTP1
import Posix
import TLS

/// An open file that a download reads and a thread reads ahead for; closed when both are done.
final class OpenFile: Sendable {
    private let descriptor: FileDescriptor

    init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

    var raw: Int32 { descriptor.raw }
}

/// Content of a response that comes from a file: its octet ranges, the text between them, and the progress of sending.
///
/// The process keeps none of it in memory. The reactor reads and sends only the octets that the kernel already has in
/// memory; the file pool reads ahead.
final class FileContent {
    let file: OpenFile
    /// Its queue in the file pool, and the family whose turns it takes there.
    let key: Identifier
    let family: Identifier?
    /// The total number of octets.
    let length: Int

    private var pieces: ArraySlice<ContentSelection.Piece>
    /// The number of sent octets of the first piece.
    private var sent = 0
    /// The range that was read ahead. It is assumed to be still in memory: if the kernel cannot tell, or drops it
    /// immediately, the reactor waits for the disk once.
    private var ahead = 0..<0
    private(set) var isReading = false

    /// The number of octets that are read ahead at a time: two or three milliseconds of a disk.
    static let window = 1 << 20
    /// The number of octets that are read and encrypted at a time if the kernel does not encrypt: the size of the
    /// reactor's buffer.
    static let copied = 65_536

    init(_ file: OpenFile, key: Identifier, of family: Identifier? = nil, pieces: [ContentSelection.Piece]) {
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
        /// Octets to send before the next step.
        case said([UInt8])
        /// This number of octets has been sent.
        case sent(Int)
        /// The kernel's buffer is full.
        case blocked
        /// This range must be read ahead: call `read`, then `didRead`.
        case needs(Range<Int>)
        /// The range is being read ahead.
        case waits
        case finished
    }

    /// Sends the next octets, at most `limit` of them.
    ///
    /// - Parameter scratch: memory for octets that must pass through this process.
    /// - Throws: the error that ended the connection; also if the file is shorter than expected, or cannot be read.
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

    /// Notes that a range was read ahead.
    func didRead(_ range: Range<Int>) {
        isReading = false
        ahead = range
    }

    /// Reads a part of a file into the kernel's memory. Call this on a thread that may block.
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

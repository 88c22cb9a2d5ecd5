import Bytes
import Glibc

/// Lines out of a descriptor, with a time limit for each.
package final class LineReader {
    /// Longest content held while a line has not ended, octets: a child that never ends its line is stopped here.
    package static let limit = 64 << 20

    private let descriptor: FileDescriptor
    private var buffer = ByteBuffer(limit: LineReader.limit)
    private var searched = 0
    /// Whether the other side has closed; what is buffered may still be read.
    package private(set) var isAtEnd = false

    package init(_ descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }

    /// `nil` for no descriptor.
    convenience init?(_ descriptor: consuming FileDescriptor?) {
        guard let descriptor else { return nil }
        self.init(descriptor)
    }

    /// For waiting.
    package var raw: Int32 { descriptor.raw }

    /// The next line without its newline, repaired where it is no UTF-8; `nil` at the end.
    ///
    /// - Throws: `.timedOut` when no whole line came in time.
    package func line(_ timeoutMilliseconds: Int) throws(Errno) -> String? {
        let end = Clock.monotonicMilliseconds() + Int64(timeoutMilliseconds)
        while true {
            if let line = takeLine() { return line }
            if isAtEnd { return buffer.isEmpty ? nil : String(decoding: rest(), as: UTF8.self) }
            let left = Int(end - Clock.monotonicMilliseconds())
            guard left > 0, try Poll.wait(descriptor.raw, .readable, timeoutMilliseconds: left) != [] else {
                throw Errno(ETIMEDOUT, "poll")
            }
            try fill()
        }
    }

    /// Reads once what is there; waits when nothing is.
    package func fill() throws(Errno) {
        guard let space = buffer.reserve(65_536) else { throw Errno(EFBIG, "read") }
        var count = 0
        defer { buffer.commit(count) }
        switch try Octets.read(descriptor.raw, into: space) {
        case .done(let octets): count = octets
        case .wouldBlock: break
        case .endOfStream: isAtEnd = true
        }
    }

    /// Everything that is buffered.
    package func rest() -> [UInt8] {
        defer { buffer.removeAll() }
        searched = 0
        return Array(buffer.readable)
    }

    private func takeLine() -> String? {
        let readable = buffer.readable
        guard let newline = readable[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = readable.count
            return nil
        }
        let line = String(decoding: readable[..<newline], as: UTF8.self)
        buffer.consume(newline + 1)
        searched = 0
        return line
    }
}

@available(*, unavailable) extension LineReader: Sendable {}

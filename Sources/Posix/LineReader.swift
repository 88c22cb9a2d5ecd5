import Bytes
import Glibc

/// Reads lines from a descriptor, with a time limit for each.
package final class LineReader {
    /// The largest incomplete line in octets: a child that never ends its line is stopped here.
    package static let limit = 64 << 20

    private let descriptor: FileDescriptor
    private var buffer = ByteBuffer(limit: LineReader.limit)
    private var searched = 0
    /// Whether the peer has closed; buffered octets may still be read.
    package private(set) var isAtEnd = false

    package init(_ descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }

    /// Fails for `nil`.
    convenience init?(_ descriptor: consuming FileDescriptor?) {
        guard let descriptor else { return nil }
        self.init(descriptor)
    }

    /// The descriptor to wait for.
    package var raw: Int32 { descriptor.raw }

    /// The next line without its newline, repaired if it is not UTF-8; `nil` at the end.
    ///
    /// - Throws: `.timedOut` if no whole line came in time.
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

    /// Reads once; waits if no octets are available.
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

    /// All buffered octets.
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

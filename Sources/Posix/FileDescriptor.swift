import CLinux
import Glibc

/// The owner of one open descriptor: it closes the descriptor exactly once, when the value is destroyed.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The number, for calls; valid only while this value lives, so the value has to be stored: in `open(…).raw` it is
    /// already closed when the call is made.
    package let raw: Int32

    /// Takes over `raw`, which has to be open and without another owner.
    package init(owning raw: Int32) {
        precondition(raw >= 0, "an open descriptor is not negative")
        self.raw = raw
    }

    deinit {
        // Not retried: Linux has released the number even if close(2) returns EINTR.
        if close(raw) == -1 && errno == EBADF { preconditionFailure("a descriptor was closed behind its owner's back") }
    }

    /// Gives up the ownership: the caller has to close the number.
    package consuming func take() -> Int32 {
        let number = raw
        discard self
        return number
    }

    /// A second descriptor of the same open file, closed on exec.
    package borrowing func duplicate() throws(Errno) -> FileDescriptor {
        let copy = retrying { fcntl(raw, F_DUPFD_CLOEXEC, 0) }
        guard copy >= 0 else { throw Errno.last("fcntl") }
        return FileDescriptor(owning: copy)
    }
}

/// The result of a read or a write. Errors are thrown; these three are not errors.
package enum IOResult: Equatable, Sendable {
    /// The number of octets moved, at least one.
    case done(Int)
    /// Nothing can be moved now: wait for readiness.
    case wouldBlock
    /// The peer will send no more.
    case endOfStream
}

/// Reads and writes for any descriptor: files, pipes, terminals. For sockets see `Socket`.
package enum Octets {
    /// Reads at most as many octets as `buffer` holds; `buffer` must not be empty.
    package static func read(_ raw: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> IOResult {
        precondition(buffer.count > 0, "an empty read would look like the end of the stream")
        let count = retrying { Glibc.read(raw, buffer.baseAddress, buffer.count) }
        if count > 0 { return .done(count) }
        if count == 0 { return .endOfStream }
        return try wouldBlock("read")
    }

    /// Writes some of `octets`; returns `done(0)` only for an empty buffer.
    package static func write(_ raw: Int32, _ octets: UnsafeRawBufferPointer) throws(Errno) -> IOResult {
        let count = retrying { Glibc.write(raw, octets.baseAddress, octets.count) }
        if count >= 0 { return .done(count) }
        return try wouldBlock("write")
    }

    /// Writes all of `octets`, and waits if the descriptor is non-blocking.
    package static func writeAll(_ raw: Int32, _ octets: UnsafeRawBufferPointer) throws(Errno) {
        var left = octets
        while !left.isEmpty {
            switch try write(raw, left) {
            case .done(let count): left = UnsafeRawBufferPointer(rebasing: left[count...])
            case .wouldBlock: _ = try Poll.wait(raw, .writable, timeoutMilliseconds: -1)
            case .endOfStream: throw Errno(EPIPE, "write")
            }
        }
    }

    /// Writes all of `octets`; see `writeAll(_:_: UnsafeRawBufferPointer)`.
    package static func writeAll(_ raw: Int32, _ octets: [UInt8]) throws(Errno) {
        try octets.span.bytes.withUnsafeBytes { (all) throws(Errno) in try writeAll(raw, all) }
    }

    @inline(__always)
    static func wouldBlock(_ call: StaticString) throws(Errno) -> IOResult {
        if errno == EAGAIN || errno == EWOULDBLOCK { return .wouldBlock }
        throw Errno.last(call)
    }
}

/// A pipe: octets written into one end are read from the other. Closed on exec, blocking.
package struct Pipe: ~Copyable {
    var reading: FileDescriptor?
    var writing: FileDescriptor?

    package init() throws(Errno) {
        var ends: (Int32, Int32) = (-1, -1)
        let result = withUnsafeMutableBytes(of: &ends) { linux_pipe($0.assumingMemoryBound(to: Int32.self).baseAddress) }
        guard result == 0 else { throw Errno.last("pipe2") }
        reading = FileDescriptor(owning: ends.0)
        writing = FileDescriptor(owning: ends.1)
    }

    /// The end to read from, once; an end that is not taken is closed with the pipe.
    package mutating func takeReading() -> FileDescriptor { reading.takeOnce() }

    /// The end to write into, once.
    package mutating func takeWriting() -> FileDescriptor { writing.takeOnce() }

    /// The number of the end to read from, -1 once it was taken.
    var readingNumber: Int32 {
        switch reading {
        case .some(let open): open.raw
        case .none: -1
        }
    }

    /// The number of the end to write into, -1 once it was taken.
    var writingNumber: Int32 {
        switch writing {
        case .some(let open): open.raw
        case .none: -1
        }
    }
}

extension Optional where Wrapped == FileDescriptor {
    /// Takes the value and leaves `nil`. Taking it twice is a programming error.
    mutating func takeOnce() -> FileDescriptor {
        guard let descriptor = take() else { preconditionFailure("an end is taken once") }
        return descriptor
    }
}

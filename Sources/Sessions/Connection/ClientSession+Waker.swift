internal import Locks
internal import Posix

/// Lets other threads have something done on a session's thread.
package final class ClientWaker: Sendable {
    /// Commands that may wait; a session that does not take them is stuck, and its callers are told.
    package static let limit = 10_000

    private let waiting = Lock<[@Sendable (ClientSession) -> Void]>([])
    private let reading: FileDescriptor
    private let writing: FileDescriptor

    init() throws(Errno) {
        var pipe = try Pipe()
        reading = pipe.takeReading()
        writing = pipe.takeWriting()
    }

    /// For waiting: readable when commands wait.
    var raw: Int32 { reading.raw }

    /// Has `command` run on the session's thread, in the order of the calls.
    ///
    /// - Returns: false when too many wait already.
    @discardableResult
    package func post(_ command: @escaping @Sendable (ClientSession) -> Void) -> Bool {
        let (accepted, wasEmpty) = waiting.withLock { waiting in
            guard waiting.count < Self.limit else { return (false, false) }
            waiting.append(command)
            return (true, waiting.count == 1)
        }
        // One octet for a batch: the pipe can never fill.
        if wasEmpty { try? Octets.writeAll(writing.raw, [1]) }
        return accepted
    }

    /// Everything that waits; only after `raw` was readable.
    func take() -> [@Sendable (ClientSession) -> Void] {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { _ = try? Octets.read(reading.raw, into: $0) }
        return waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}

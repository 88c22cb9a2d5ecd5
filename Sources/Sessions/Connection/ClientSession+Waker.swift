internal import Locks
internal import Posix

/// Lets other threads run commands on a session's thread.
package final class ClientWaker: Sendable {
    /// The largest number of waiting commands; if a session does not take them it is stuck, and its callers get false.
    package static let limit = 10_000

    private let waiting = Lock<[@Sendable (ClientSession) -> Void]>([])
    private let reading: FileDescriptor
    private let writing: FileDescriptor

    init() throws(Errno) {
        var pipe = try Pipe()
        reading = pipe.takeReading()
        writing = pipe.takeWriting()
    }

    /// The descriptor to wait for: readable while commands wait.
    var raw: Int32 { reading.raw }

    /// Runs `command` on the session's thread, in the order of the calls.
    ///
    /// - Returns: false if too many commands wait already.
    @discardableResult
    package func post(_ command: @escaping @Sendable (ClientSession) -> Void) -> Bool {
        let (accepted, wasEmpty) = waiting.withLock { waiting in
            guard waiting.count < Self.limit else { return (false, false) }
            waiting.append(command)
            return (true, waiting.count == 1)
        }
        // One octet per batch: the pipe can never fill.
        if wasEmpty { try? Octets.writeAll(writing.raw, [1]) }
        return accepted
    }

    /// Takes all waiting commands; call it only after `raw` was readable.
    func take() -> [@Sendable (ClientSession) -> Void] {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { _ = try? Octets.read(reading.raw, into: $0) }
        return waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}

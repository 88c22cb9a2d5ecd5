internal import Locks
internal import Posix

/// The addresses of one host, resolved by a thread of its own: the system's resolver may take many seconds, during
/// which the user must be able to type.
///
/// If the object is released earlier, the thread ends by itself.
final class NameLookup: Sendable {
    private let found = Lock<Result<[SocketAddress], Errno>?>(nil)
    private let reading: FileDescriptor
    private let writing: FileDescriptor

    init(host: String, port: UInt16) throws(Errno) {
        var pipe = try Pipe()
        reading = pipe.takeReading()
        writing = pipe.takeWriting()
        _ = Thread.start(name: "resolver") { [self] in
            let answer: Result<[SocketAddress], Errno>
            do throws(Errno) { answer = .success(try SocketAddress.resolve(host: host, port: port)) } catch { answer = .failure(error) }
            found.withLock { $0 = answer }
            // One octet fits into any pipe.
            try? Octets.writeAll(writing.raw, [1])
        }
    }

    /// The descriptor to wait for: readable once there is a result.
    var raw: Int32 { reading.raw }

    /// The addresses, `nil` while there is no result.
    ///
    /// - Throws: the name is unknown, or no name server could be reached.
    func answer() throws(Errno) -> [SocketAddress]? { try found.withLock { $0 }?.get() }
}

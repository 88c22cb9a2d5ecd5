package import Posix

/// Octets to and from a server. Plain TCP here; what encrypts will be another.
///
/// Confined to the thread of its connection.
package protocol Transport: AnyObject {
    /// The descriptor to wait for.
    var raw: Int32 { get }

    /// Whether it waits for the socket to take octets, whatever its owner has to send.
    var wantsWrite: Bool { get }

    /// Goes on with what has to happen before octets flow (a handshake of its own).
    ///
    /// - Returns: whether octets flow now; else wait as `wantsWrite` says and call again.
    func open() throws(Errno) -> Bool

    /// Receives at most as many octets as `buffer` has.
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> IOResult

    /// Sends some of `octets`.
    func send(_ octets: UnsafeRawBufferPointer) throws(Errno) -> IOResult
}

/// Plain TCP.
final class PlainTransport: Transport {
    private let socket: FileDescriptor

    init(_ socket: consuming FileDescriptor) { self.socket = socket }

    var raw: Int32 { socket.raw }
    var wantsWrite: Bool { false }

    func open() throws(Errno) -> Bool { true }

    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> IOResult { try Socket.receive(socket.raw, into: buffer) }

    func send(_ octets: UnsafeRawBufferPointer) throws(Errno) -> IOResult { try Socket.send(socket.raw, octets) }
}

@available(*, unavailable) extension PlainTransport: Sendable {}

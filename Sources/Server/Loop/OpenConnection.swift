import HTTP1
import EventLoop
import Rooms
import Wire

/// A client's connection in the form that the parts of a shard use: an entry of `ConnectionTable`, work for
/// `TickQueues`, a session of `HubDriver`.
///
/// `Connection` is the only subclass. The parts know only this class, so none of them depends on HTTP, TLS or
/// WebSocket.
class OpenConnection: Channel {
    /// The session of the hub, from the upgrade until the close.
    final var session: SessionID?
    /// Position in `ConnectionTable.all`, for removal in O(1).
    final var index = 0
    /// The address whose limit of connections counts this one.
    final var group: NetworkAddress?
    /// Whether the client accepts compressed messages.
    final var inflates = false
    /// Whether the connection is above the server's limit, and receives only a refusal.
    final var isRefused = false
    /// Whether it is in the list of connections to flush before the loop sleeps.
    final var isDirty = false

    /// Whether the connection is a WebSocket.
    var isUpgraded: Bool { false }

    /// The number of octets that wait to be sent.
    var waitingOctets: Int { 0 }

    /// Whether nothing waits to be sent.
    var isFlushed: Bool { true }

    /// Sends the queued octets as far as the kernel accepts them.
    func flush() {}

    /// Reads the octets that an earlier tick had no time for.
    func resume() {}

    /// Takes the next step of the TLS handshake.
    func shakeHands() {}

    /// Queues one text message, whose octets may be shared with other connections.
    func send(_ payload: [UInt8]) {}

    /// Closes because of an act or omission of the peer, with a line in the log.
    func fail(_ code: CloseCode, _ reason: String) {}

    /// Sends a close frame after the queued octets.
    ///
    /// - Parameter dropsQueue: whether the octets that the kernel does not accept now are dropped, including the close
    ///   frame.
    func close(_ code: CloseCode, _ reason: String, dropsQueue: Bool) {}

    /// Ends without sending anything more.
    func drop() {}
}

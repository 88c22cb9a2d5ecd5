import HTTP1
import Reactor
import Rooms
import Wire

/// A client's connection as the parts of a shard see it: an entry of `ConnectionTable`, work for `TickQueues`, a session of `HubDriver`.
///
/// `Connection` is the only subclass. The parts know only this class, so none of them depends on HTTP, TLS or WebSocket.
class OpenConnection: Channel {
    /// The session of the hub, from the upgrade until the close.
    final var session: SessionID?
    /// Position in `ConnectionTable.all`, for removal in O(1).
    final var index = 0
    /// The address whose limit of connections counts this one.
    final var group: NetworkAddress?
    /// The client takes compressed messages.
    final var inflates = false
    /// Above the server's limit: gets only a refusal.
    final var isRefused = false
    /// In the list of connections to flush before the loop sleeps.
    final var isDirty = false

    /// The connection is a WebSocket.
    var isUpgraded: Bool { false }

    /// Octets that wait to be sent.
    var waitingOctets: Int { 0 }

    /// Nothing waits to be sent.
    var isFlushed: Bool { true }

    /// Sends what waits, as far as the kernel takes it.
    func flush() {}

    /// Reads what an earlier tick had no time for.
    func resume() {}

    /// Does the next step of the TLS handshake.
    func shakeHands() {}

    /// Queues one text message, whose octets may be shared with other connections.
    func send(_ payload: [UInt8]) {}

    /// Closes because of something that the peer did or did not do, with a line in the log.
    func fail(_ code: Wire.CloseCode, _ reason: String) {}

    /// Sends a close frame after what was queued.
    ///
    /// - Parameter dropsQueue: what the kernel does not take now is dropped, the close frame included.
    func close(_ code: Wire.CloseCode, _ reason: String, dropsQueue: Bool) {}

    /// Ends without another word.
    func drop() {}
}

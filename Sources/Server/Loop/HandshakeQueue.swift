/// Connections whose TLS handshake can go on, in the order in which their octets came.
///
/// A handshake costs as much as a hundred frames (about 0.3 ms of CPU with P-256, 0.5 with RSA), so that a flood of them would hold up
/// everyone who is in. Each tick does a few, after the frames of the tick; the rest wait here, unwatched by epoll.
struct HandshakeQueue {
    /// Steps in one tick: at most about a millisecond is added to the answers of those who are in.
    static let stepsPerTick = 3
    /// Handshakes under way at once. Past it the door waits; the kernel's backlog keeps those who come, and who does not go on has
    /// gone after `Connection.requestTime`.
    static let maxUnderWay = 1_024

    private var waiting: [OpenConnection] = []
    private var first = 0

    var isEmpty: Bool { first == waiting.count }

    mutating func append(_ connection: OpenConnection) { waiting.append(connection) }

    mutating func next() -> OpenConnection? {
        guard first < waiting.count else { return nil }
        defer {
            first += 1
            // Half of it done: the rest moves to the front, at one move for each handshake.
            if first == waiting.count || first >= 64 && first * 2 >= waiting.count {
                waiting.removeFirst(first)
                first = 0
            }
        }
        return waiting[first]
    }
}

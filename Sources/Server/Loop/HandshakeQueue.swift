/// Connections whose TLS handshake can continue, in the order in which their octets came.
///
/// A handshake costs as much as a hundred frames (about 0.3 ms of CPU with P-256, 0.5 with RSA), so that a flood of
/// them would delay every open connection. Each tick does a few, after the frames of the tick; the rest wait here,
/// without epoll.
struct HandshakeQueue {
    /// The number of steps in one tick: they delay the answers of open connections by at most about a millisecond.
    static let stepsPerTick = 3
    /// The largest number of simultaneous handshakes. Above it, the listener waits; the kernel's backlog keeps new
    /// connections, and a client that does not continue is disconnected after `Connection.requestTime`.
    static let maxUnderWay = 1_024

    private var waiting: [OpenConnection] = []
    private var first = 0

    var isEmpty: Bool { first == waiting.count }

    mutating func append(_ connection: OpenConnection) { waiting.append(connection) }

    mutating func next() -> OpenConnection? {
        guard first < waiting.count else { return nil }
        defer {
            first += 1
            // Half of the array is done: the rest moves to the front, which costs one move per handshake.
            if first == waiting.count || first >= 64 && first * 2 >= waiting.count {
                waiting.removeFirst(first)
                first = 0
            }
        }
        return waiting[first]
    }
}

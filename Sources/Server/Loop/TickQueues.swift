import EventLoop
import WebSocket

/// The connections with work in this tick or the next one, and the budgets that all connections share in one tick.
///
/// `Tick` explains the order in which its functions are called.
final class TickQueues {
    /// The largest number of octets that may be inflated from compressed messages in one tick, plus at most one
    /// message: two milliseconds of inflating and reading, four messages of the greatest length.
    static let inflatedPerTick = 1_048_576
    /// The largest number of octets of files that all connections send in one tick: a millisecond of copying to a fast
    /// network.
    private static let fileOctetsPerTick = 2 << 20
    /// Below the first a portion is not worth its system calls, and above the second it gains nothing.
    private static let leastPortion = 65_536
    private static let greatestPortion = 524_288

    /// Counts the ticks, wrapping around: each connection receives one portion per tick.
    private(set) var number: UInt32 = 0
    /// Memory and zlib streams for messages on their way. No connection holds any of them between two messages.
    let messages = MessagePool()
    private var deflater = SharedDeflater()
    private let waker: Waker
    /// Connections with something to send.
    private var dirty: [OpenConnection] = []
    /// Connections that have more to read in the next tick, in the order of their turns.
    private var postponed: [OpenConnection] = []
    private var handshakes = HandshakeQueue()
    /// Connections that sent part of a file in this tick, and in the one before.
    private var filesSent = 0
    private var filesBefore = 0

    init(waker: Waker) { self.waker = waker }

    /// Begins a tick.
    func begin() {
        number &+= 1
        messages.beginTurn()
        deflater.beginTurn()
    }

    // MARK: Input

    /// Whether compressed messages may be read in this tick.
    var mayInflate: Bool { messages.inflated < TickQueues.inflatedPerTick }

    /// Reads from a connection in the next tick, whether anything arrives or not.
    func postpone(_ connection: OpenConnection) {
        postponed.append(connection)
        waker.ring()
    }

    /// Reads connections whose turn ended in the last tick. They come first in this one; those that have had no turn
    /// stay ahead of those that have.
    func readPostponed() {
        guard !postponed.isEmpty else { return }
        let waiting = postponed
        postponed = []
        var still: [OpenConnection] = []
        for connection in waiting {
            if connection.inflates && !mayInflate { still.append(connection) } else { connection.resume() }
        }
        guard !still.isEmpty else { return }
        postponed = still + postponed
        waker.ring()
    }

    // MARK: Output

    /// The compressed frame of a message, made once for all consecutive connections that receive it; `nil` if it is
    /// better sent plain.
    func compressed(_ payload: [UInt8]) -> [UInt8]? { deflater.frame(.text, payload, pool: messages) }

    func markDirty(_ connection: OpenConnection) {
        guard !connection.isDirty else { return }
        connection.isDirty = true
        dirty.append(connection)
    }

    func flush() {
        var index = 0
        // Flushing can close a connection, whose leaving can queue presence for others: the list may grow during the
        // loop.
        while index < dirty.count {
            let connection = dirty[index]
            connection.isDirty = false
            connection.flush()
            index += 1
        }
        dirty.removeAll(keepingCapacity: true)
    }

    /// The number of octets of a file that one connection may send now: fewer if many do, so that all of them together
    /// delay nobody for long.
    func portionOfFile() -> Int {
        filesSent += 1
        return min(max(TickQueues.fileOctetsPerTick / max(filesBefore, 1), TickQueues.leastPortion), TickQueues.greatestPortion)
    }

    /// Begins the count of connections that send files.
    func countFiles() {
        filesBefore = filesSent
        filesSent = 0
    }

    // MARK: Handshakes

    func queueHandshake(_ connection: OpenConnection) { handshakes.append(connection) }

    /// Takes a few steps.
    func shakeHands() {
        guard !handshakes.isEmpty else { return }
        for _ in 0..<HandshakeQueue.stepsPerTick { handshakes.next()?.shakeHands() }
        flush()
        if !handshakes.isEmpty { waker.ring() }
    }
}

@available(*, unavailable) extension TickQueues: Sendable {}

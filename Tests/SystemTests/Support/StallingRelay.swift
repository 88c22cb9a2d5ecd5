import Locks
import Posix
import Testing

/// A relay between clients and a server on a thread of its own. A connection with more than the given octets in one direction stalls
/// until it is resumed, or cut: a network that fails in the middle of a file, at the same place each time.
final class StallingRelay: Sendable {
    enum Direction { case up, down }

    private struct State {
        var stalls = true
        var cuts = false
        var isOver = false
        /// Octets that clients have sent, of all connections together, and got.
        var up = 0
        var down = 0
    }

    private final class Link {
        let client: FileDescriptor
        let server: FileDescriptor
        var up = 0
        var down = 0
        var stands = false
        /// Cut off on the way up: the client is gone, and what the server still says is read until it has read all that it was sent.
        var isEnding = false

        init(_ client: consuming FileDescriptor, _ server: consuming FileDescriptor) {
            self.client = client
            self.server = server
        }
    }

    let port: UInt16
    private let state = Lock(State())
    /// The test's end of each, and the thread's: it gets requests to look again, and reports that a connection stalls.
    private let call: FileDescriptor
    private let news: FileDescriptor
    private let ends: (call: Int32, news: Int32)
    private let thread = Lock<Thread?>(nil)

    /// - Parameter limit: octets of one connection in `direction`.
    init(_ server: UInt16, _ direction: Direction, stallAfter limit: Int) throws {
        let listener = try Socket.listenTCP(host: "127.0.0.1", port: 0)
        port = try SocketAddress.local(of: listener.raw).port
        var calls = try Socket.Pair()
        var told = try Socket.Pair()
        call = calls.takeFirst()
        news = told.takeFirst()
        ends = (calls.takeSecond().take(), told.takeSecond().take())
        let raw = listener.take()
        let started = Thread.start(name: "relay") { [self] in
            try? run(FileDescriptor(owning: raw), server, direction, limit)
        }
        thread.withLock { $0 = started }
    }

    deinit {
        // `end` was called, or the test has failed.
        _ = FileDescriptor(owning: ends.call)
        _ = FileDescriptor(owning: ends.news)
    }

    var url: String { "ws://127.0.0.1:\(port)" }
    /// Octets that clients have sent and got since it was asked last.
    func takeCounts() -> (up: Int, down: Int) {
        state.withLock { state in
            defer { (state.up, state.down) = (0, 0) }
            return (state.up, state.down)
        }
    }

    /// Waits until a connection stalls.
    func waitForStall() throws {
        guard try Poll.wait(news.raw, .readable, timeoutMilliseconds: 20_000) != [] else { throw Unexpected("no connection stands still") }
        _ = try receive(news.raw)
    }

    /// Resumes stalled connections, or cuts them off at both ends; nothing stalls after it.
    func letGo(cutting: Bool = false) { change { ($0.stalls, $0.cuts) = (false, cutting) } }

    /// From now on connections stall again.
    func stallAgain() { change { $0.stalls = true } }

    /// Ends it, with its connections. Every test has to.
    func end() {
        change { $0.isOver = true }
        thread.withLock { $0.take() }?.join()
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        try? Socket.sendAll(call.raw, [1])
    }

    private func run(_ listener: consuming FileDescriptor, _ server: UInt16, _ direction: Direction, _ limit: Int) throws {
        var links: [Link] = []
        while true {
            let (stalls, cuts, isOver) = state.withLock { state in
                defer { state.cuts = false }
                return (state.stalls, state.cuts, state.isOver)
            }
            if isOver { return }
            if cuts, direction == .up {
                // To close here, with an answer unread, would take from the server what it has not read: a reset does that.
                for link in links where link.stands {
                    (link.stands, link.isEnding) = (false, true)
                    try? Socket.finishSending(link.client.raw)
                    try? Socket.finishSending(link.server.raw)
                }
            } else if cuts {
                links.removeAll(where: \.stands)
            }
            if !stalls { for link in links { link.stands = false } }
            var items = [Poll.Item(ends.call, .readable), Poll.Item(listener.raw, .readable)]
            for link in links where !link.stands {
                items.append(Poll.Item(link.server.raw, .readable))
                if !link.isEnding { items.append(Poll.Item(link.client.raw, .readable)) }
            }
            guard try Poll.wait(&items, timeoutMilliseconds: 60_000) > 0 else { return }
            let ready = Set(items.filter { $0.ready != [] }.map(\.raw))
            if ready.contains(ends.call) { _ = try receive(ends.call) }
            if ready.contains(listener.raw), let client = try Socket.accept(on: listener.raw) {
                // A server that is not there: the client notices that immediately.
                if let upstream = try? Socket.connectTCP(host: "127.0.0.1", port: server) {
                    try Socket.setBlocking(client.raw, true)
                    links.append(Link(client, upstream))
                }
            }
            links.removeAll { link in
                guard !link.stands else { return false }
                if link.isEnding {
                    guard ready.contains(link.server.raw) else { return false }
                    return ((try? receive(link.server.raw)) ?? nil) == nil
                }
                do {
                    if ready.contains(link.client.raw) {
                        guard let octets = try receive(link.client.raw) else { return true }
                        try Socket.sendAll(link.server.raw, octets)
                        link.up += octets.count
                        state.withLock { $0.up += octets.count }
                    }
                    if ready.contains(link.server.raw) {
                        guard let octets = try receive(link.server.raw) else { return true }
                        try Socket.sendAll(link.client.raw, octets)
                        link.down += octets.count
                        state.withLock { $0.down += octets.count }
                    }
                } catch { return true }
                if stalls, (direction == .up ? link.up : link.down) > limit {
                    link.stands = true
                    try? Socket.sendAll(ends.news, [1])
                }
                return false
            }
        }
    }

    /// - Returns: `nil` at the end of the stream.
    private func receive(_ raw: Int32) throws -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        switch try buffer.withUnsafeMutableBytes({ try Socket.receive(raw, into: $0) }) {
        case .done(let count): return Array(buffer[..<count])
        case .wouldBlock: return []
        case .endOfStream: return nil
        }
    }
}

import Bytes
import Family
import FrameCheck
import Posix
import Sessions
import Testing
import Wire

/// A connection to a server, frame by frame, without the engine that makes sense of them.
final class RawClient {
    private let connection: ClientConnection
    private var events: [ConnectionEvent] = []

    /// Connects and waits for the upgrade.
    convenience init(_ server: RunningServer) throws { try self.init(server.address()) }

    init(_ address: ServerAddress) throws {
        connection = try ClientConnection(address, now: Clock.monotonicMilliseconds())
        guard case .opened = try next() else { throw Unexpected("no upgrade") }
    }

    func send(_ frame: ClientFrame) { connection.send(frame) }

    func leave() { connection.close(code: CloseCode.normal.rawValue) }

    /// The next frame, or the close.
    func next(timeoutMilliseconds: Int64 = 10_000) throws -> ConnectionEvent {
        let deadline = Clock.monotonicMilliseconds() + timeoutMilliseconds
        while events.isEmpty {
            var items = [try #require(connection.item, "nothing follows a close")]
            let now = Clock.monotonicMilliseconds()
            guard now < deadline else { throw Unexpected("nothing came in \(timeoutMilliseconds) ms") }
            _ = try Poll.wait(&items, timeoutMilliseconds: Int(deadline - now))
            events = connection.ready(now: Clock.monotonicMilliseconds())
        }
        let event = events.removeFirst()
        // Written again by the encoder that the server wrote it with.
        if case .frame(let frame) = event, let problem = FrameCheck.problem(frame.encode()) { Issue.record("A frame of the server \(problem)") }
        return event
    }

    /// The first frame that `wanted` answers something for; others are passed over.
    func frame<Value>(_ wanted: (ServerFrame) -> Value?) throws -> Value {
        while true {
            switch try next() {
            case .opened: break
            case .frame(let frame): if let value = wanted(frame) { return value }
            case .closed(let code, let reason): throw Unexpected("closed: \(code.map(String.init) ?? "abruptly"), \(reason)")
            }
        }
    }

    /// Reads to the end.
    ///
    /// - Returns: the frames on the way, and the close code.
    func rest() throws -> (frames: [ServerFrame], code: UInt16?) {
        var frames: [ServerFrame] = []
        while true {
            switch try next() {
            case .opened: break
            case .frame(let frame): frames.append(frame)
            case .closed(let code, _): return (frames, code)
            }
        }
    }

    func signIn(_ token: String) throws -> Welcome {
        send(.signIn(token: token))
        return try frame { if case .welcome(let welcome) = $0 { welcome } else { nil } }
    }

    /// Signs in, joins, and reads until it is live.
    ///
    /// - Returns: the sequence.
    @discardableResult
    func enter(_ token: String, _ family: Identifier, client: Identifier, cursor: Cursor? = nil) throws -> Int64 {
        _ = try signIn(token)
        send(.join(Join(family: family, client: client, cursor: cursor)))
        return try frame { if case .live(let sequence, _) = $0 { sequence } else { nil } }
    }
}

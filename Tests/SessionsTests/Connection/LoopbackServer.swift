import Bytes
import ClientWorld
import Crypto
import Family
import HTTP1
import Posix
import WebSocket
import Wire

/// A simple server on a real socket, one connection at a time, driven by the test's own thread: `serve` handles the
/// received octets.
final class LoopbackServer {
    private let listener: FileDescriptor
    let port: UInt16
    private var connection: FileDescriptor?
    private var decoder = WebSocketDecoder(role: .server, limits: WebSocketLimits(maxMessage: 1 << 20, maxFragments: 16))
    private var head: [UInt8] = []
    private var isOpen = false
    var naive = NaiveServer()
    /// All frames from clients, over all connections.
    var heard: [ClientFrame] = []
    var pongs = 0
    /// The unanswered pings, while pongs are withheld.
    var heldPings: [[UInt8]] = []
    var holdsPings = false
    var pings = 0
    /// The reaction to a mutation; `.answer` commits and acknowledges it.
    var onMutation: (Int64) -> Reaction = { _ in .answer }
    /// The response to an upgrade request, in place of the correct one.
    var refusal: [UInt8]?

    enum Reaction { case answer, loseAnswer, close(UInt16) }

    init() throws {
        listener = try Socket.listenTCP(host: "127.0.0.1", port: 0)
        port = try SocketAddress.local(of: listener.raw).port
    }

    /// Takes the available octets without waiting.
    func serve() throws {
        if let accepted = try Socket.accept(on: listener.raw) {
            connection = consume accepted
            decoder = WebSocketDecoder(role: .server, limits: WebSocketLimits(maxMessage: 1 << 20, maxFragments: 16))
            head = []
            isOpen = false
        }
        guard let raw else { return }
        var octets: [UInt8] = []
        var ended = false
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 8) { buffer in
            switch try? Socket.receive(raw, into: buffer) {
            case .done(let count)?: octets = Array(buffer[..<count])
            case .wouldBlock?: break
            default: ended = true
            }
        }
        if ended { return cut() }
        if !isOpen {
            head += octets
            let held = head
            guard let (request, length) = try RequestHead.parse(held.span) else { return }
            if let refusal {
                try Socket.sendAll(raw, refusal)
                return cut()
            }
            let handshake = try WebSocketHandshake.accept(request, subprotocols: ["huddle.v1"])
            try Socket.sendAll(raw, handshake.response)
            octets = Array(held[length...])
            isOpen = true
        }
        try read(&octets)
    }

    func answerPings() {
        for payload in heldPings { payload.withUnsafeBytes { send(octets: WebSocketEncoder.pong($0)) } }
        heldPings = []
    }

    func cut() {
        connection = nil
        isOpen = false
    }

    func send(_ frame: ServerFrame) { send(octets: WebSocketEncoder.frame(.text, frame.encode())) }

    func send(octets: [UInt8]) {
        guard let raw else { return }
        try? Socket.sendAll(raw, octets)
    }

    private var raw: Int32? {
        switch connection {
        case .some(let connection): connection.raw
        case .none: nil
        }
    }

    private func read(_ octets: inout [UInt8]) throws {
        var messages: [[UInt8]] = []
        var goodbye = false
        try octets.withUnsafeMutableBytes { buffer in
            guard !buffer.isEmpty else { return }
            decoder.feed(buffer)
            while let event = try decoder.next() {
                switch event {
                case .message(_, let payload): messages.append(Array(payload))
                case .pong: pongs += 1
                case .ping(let payload):
                    pings += 1
                    if holdsPings { heldPings.append(Array(payload)) } else { send(octets: WebSocketEncoder.pong(payload)) }
                case .close: goodbye = true
                }
            }
        }
        for message in messages { try answer(message) }
        if goodbye { cut() }
    }

    private func answer(_ message: [UInt8]) throws {
        let frame = try message.withUnsafeBytes { try ClientFrame.decode($0, limits: Limits()) }
        heard.append(frame)
        switch frame {
        case .signIn: send(World.welcome())
        case .redeem(let code, _, _):
            let tries = heard.count { if case .redeem(code, _, _) = $0 { true } else { false } }
            if code == "lost", tries == 1 {
                cut()
            } else if code == "busy", tries == 1 {
                send(.error(Rejection(.busy, "busy", retryAfter: 10), request: nil))
            } else if ["good", "lost", "busy"].contains(code) {
                send(.token(token: "fresh", family: World.family, member: World.parent))
            } else {
                send(.error(Rejection(.codeUnknown, "unknown"), request: nil))
            }
        case .join(let join): for frame in naive.join(join) { send(frame) }
        case .mutation(let id, .operations(let operations), _):
            switch onMutation(id) {
            case .answer:
                let (answer, change) = naive.mutate(World.client, id, operations)
                send(answer)
                if let change { send(.change(change)) }
            case .loseAnswer:
                _ = naive.mutate(World.client, id, operations)
                cut()
            case .close(let code):
                send(octets: WebSocketEncoder.close(code))
                cut()
            }
        default: break
        }
    }
}

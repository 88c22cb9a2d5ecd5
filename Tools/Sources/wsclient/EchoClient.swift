import Crypto
import HTTP1
import Posix
import WebSocket

/// One blocking connection to a server, which sends back whatever it gets until the server closes.
///
/// Made of the same parts as the client of Huddle: the handshake, the decoder in the role of a client, masked frames.
final class EchoClient {
    /// Milliseconds that a server may be silent: the longest cases of the suite take no longer than 480 s.
    private static let silence = 500_000
    /// Octets per receive.
    private static let receiveOctets = 65_536

    private let socket: FileDescriptor
    private let pool: MessagePool
    private var decoder: WebSocketDecoder
    private var deflater: MessageDeflater?
    private var close = CloseState()
    private var outgoing: [UInt8] = []
    /// Takes messages instead of sending them back.
    private let hear: ((UnsafeRawBufferPointer) -> Void)?

    /// Connects and opens the WebSocket.
    ///
    /// - Parameters:
    ///   - offer: the compression to offer; `nil` for none.
    ///   - hear: gets each message; `nil` to send it back.
    init(
        host: String, port: UInt16, target: String, offer: CompressionOffer?, pool: MessagePool,
        hear: ((UnsafeRawBufferPointer) -> Void)? = nil
    ) throws {
        self.pool = pool
        self.hear = hear
        // The longest message of the suite has 16 MiB.
        decoder = WebSocketDecoder(role: .client, limits: WebSocketLimits(maxMessage: 64 << 20, maxFragments: 1 << 20), pool: pool)
        socket = try Socket.connectTCP(host: host, port: port)
        try Socket.setBlocking(socket.raw, true)
        try Socket.setReceiveTimeout(socket.raw, milliseconds: Self.silence)
        let handshake = WebSocketClientHandshake(
            host: "\(host):\(port)", target: target, compression: offer, nonce: Random.octets(16))
        try Socket.sendAll(socket.raw, handshake.request)
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: Self.receiveOctets)
        while true {
            guard case .done(let count) = try buffer.withUnsafeMutableBytes({ try Socket.receive(socket.raw, into: $0) }) else {
                throw Errno.timedOut
            }
            head += buffer[..<count]
            guard let (answer, length) = try ResponseHead.parse(head.span) else { continue }
            _ = try handshake.check(answer)
            if let terms = try handshake.compression(in: answer) {
                decoder.accept(compression: terms)
                deflater = MessageDeflater(terms, role: .client, threshold: 1, pool: pool)
            }
            // Frames may have come in the same octets.
            var rest = Array(head[length...])
            try rest.withUnsafeMutableBytes { try take($0) }
            return
        }
    }

    /// Answers until the connection is over.
    func run() throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.receiveOctets, alignment: 8)
        defer { buffer.deallocate() }
        while close.phase != .closed {
            do throws(Errno) {
                guard case .done(let count) = try Socket.receive(socket.raw, into: buffer) else {
                    _ = close.streamEnded()
                    return
                }
                try take(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
            } catch {
                // Servers of the suite end some cases by a reset; they know best how it went.
                guard error.isPeerGone else { throw error }
                _ = close.streamEnded()
            }
        }
    }

    private func take(_ octets: UnsafeMutableRawBufferPointer) throws(Errno) {
        decoder.feed(octets)
        do throws(WebSocketError) {
            while let event = try decoder.next() {
                switch event {
                case .message(let kind, let payload): answer(kind, payload)
                case .ping(let payload): if close.isOpen { append(.pong, payload) }
                case .pong: break
                case .close(let code, _): act(close.didReceiveClose(code))
                }
            }
        } catch {
            act(close.didFail(error.closeCode))
        }
        guard !outgoing.isEmpty else { return }
        try Socket.sendAll(socket.raw, outgoing)
        outgoing.removeAll(keepingCapacity: true)
        // The server ends the stream first (RFC 6455 §7.1.1): what is left is to read until it does.
    }

    private func answer(_ kind: MessageKind, _ payload: UnsafeRawBufferPointer) {
        if let hear { return hear(payload) }
        guard close.isOpen else { return }
        if let deflated = deflater?.deflate(payload) {
            append(kind.opcode, deflated, isCompressed: true)
        } else {
            append(kind.opcode, payload)
        }
    }

    private func append(_ opcode: Opcode, _ payload: UnsafeRawBufferPointer, isCompressed: Bool = false) {
        WebSocketEncoder.append(opcode, payload, isCompressed: isCompressed, maskKey: Self.maskKey(), to: &outgoing)
    }

    private func act(_ action: CloseState.Action) {
        switch action {
        case .sendClose(let code), .sendCloseAndFinish(let code):
            outgoing += WebSocketEncoder.close(code, maskKey: Self.maskKey())
        case .nothing, .finish, .drop: break
        }
    }

    private static func maskKey() -> UInt32 { UInt32(truncatingIfNeeded: Random.uint64()) }
}

@available(*, unavailable) extension EchoClient: Sendable {}

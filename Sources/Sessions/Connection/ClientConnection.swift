internal import Bytes
internal import Crypto
internal import Family
internal import HTTP1
package import Posix
package import TLS
internal import Terminal
internal import WebSocket
package import Wire

/// An event of a connection.
package enum ConnectionEvent: Sendable {
    /// The server supports `huddle.v1`: frames may be sent.
    case opened
    case frame(ServerFrame)
    /// The connection has ended; no event follows. `reason` is for people: why it could not be opened, or how it broke.
    case closed(code: UInt16?, reason: String)
}

/// One attempt to talk to a server: name lookup, TCP, TLS, the opening handshake of WebSocket, frames, pings, the end.
///
/// Never blocks. Its owner polls `item`, calls `ready` when the descriptor is ready, and `timeout` at `deadline`; both
/// return events. Confined to its owner's thread.
///
/// Source: RFC 6455 §4.1 (client), §5.5.2 (ping).
package final class ClientConnection {
    /// The time limit for the handshake in milliseconds; a reachable server takes a few.
    package static let openTime: Int64 = 10_000
    /// The milliseconds of silence after which the client sends a ping. The server pings more often, so this silence
    /// means that the server, or the path to it, is gone.
    package static let silenceTime: Int64 = 60_000
    /// The time limit for the pong in milliseconds.
    package static let pongTime: Int64 = 10_000
    /// The longest message from a server: several times its largest chunk of a snapshot.
    package static let maxMessage = 16 << 20
    /// The largest number of frames per message; a Huddle server sends one.
    static let maxFragments = 4_096
    /// The largest number of octets that may wait for the socket: a full window of mutations of the largest size fits.
    static let maxOutgoing = 64 << 20
    /// The number of octets per receive call.
    static let receiveOctets = 64 << 10
    /// The WebSocket subprotocol.
    package static let subprotocol = "huddle.v1"

    private enum Phase {
        case resolving
        case connecting
        case opening
        case handshaking
        case open
        case closed
    }

    private let address: ServerAddress
    private var candidates: [SocketAddress]
    private var phase = Phase.connecting
    private let trust: TLSClientContext?
    private var lookup: NameLookup?
    private var socket: FileDescriptor?
    private var transport: Transport?
    private var handshake: WebSocketClientHandshake
    private var head: [UInt8] = []
    private var decoder = WebSocketDecoder(
        role: .client, limits: WebSocketLimits(maxMessage: ClientConnection.maxMessage, maxFragments: ClientConnection.maxFragments))
    private var outgoing: [UInt8] = []
    private var sent = 0
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ClientConnection.receiveOctets, alignment: 8)
    private var events: [ConnectionEvent] = []
    private var heardAt: Int64
    private var askedAt: Int64?
    private var lag: LagMeter?
    private let beganAt: Int64

    /// Begins to connect.
    ///
    /// - Parameters:
    ///   - trust: the result of `trust(for:)`; a connection with the context of an earlier connection begins faster.
    ///   - measuresLag: whether to measure `lagSeconds`.
    /// - Throws: a sentence, if the connection cannot even begin: the file of trusted certificates cannot be used.
    /// - Throws: a sentence, when not even that can be done: the file of trusted certificates cannot be used.
    package init(_ address: ServerAddress, trust: TLSClientContext? = nil, measuresLag: Bool = false, now: Int64) throws(ConnectionFailure) {
        self.address = address
        lag = measuresLag ? LagMeter() : nil
        if let trust { self.trust = trust } else { self.trust = try Self.trust(for: address) }
        handshake = WebSocketClientHandshake(
            host: address.authority, target: address.target, subprotocols: [Self.subprotocol], compression: CompressionOffer(),
            nonce: Random.octets(16))
        beganAt = now
        heardAt = now
        candidates = SocketAddress(host: address.host, port: address.port).map { [$0] } ?? []
        guard candidates.isEmpty else {
            try connectNext(ConnectionFailure("\(address) cannot be reached."))
            return
        }
        do throws(Errno) {
            lookup = try NameLookup(host: address.host, port: address.port)
        } catch {
            throw ConnectionFailure("\(address.host.printable) cannot be looked up: \(error.text).")
        }
        phase = .resolving
    }

    /// The certificates to trust for this server; `nil` if the connection is not encrypted. Keep the result for later
    /// connections.
    ///
    /// - Throws: a sentence about the file of `address.authorities`.
    package static func trust(for address: ServerAddress) throws(ConnectionFailure) -> TLSClientContext? {
        guard address.isSecure else { return nil }
        do throws(TLSError) {
            return try TLSClientContext(authorities: address.authorities)
        } catch {
            guard let file = address.authorities else { throw ConnectionFailure("Encryption cannot be set up: \(error).") }
            throw ConnectionFailure("The certificates to trust cannot be read from \(file.printable): \(error.reason).")
        }
    }

    deinit { buffer.deallocate() }

    /// The descriptor to wait for; `nil` once the connection has ended.
    package var item: Poll.Item? {
        guard phase != .closed else { return nil }
        if phase == .resolving { return lookup.map { Poll.Item($0.raw, .readable) } }
        if phase == .connecting { return rawSocket.map { Poll.Item($0, .writable) } }
        switch transport {
        case .none: return nil
        case .some(let open):
            let writes = sent < outgoing.count && !open.sendWaitsForReadable || open.receiveWaitsForWritable
            return Poll.Item(open.raw, writes ? [.readable, .writable] : .readable)
        }
    }

    /// The time at which `timeout` has to be called.
    package var deadline: Int64 {
        guard phase == .open else { return beganAt + Self.openTime }
        let silence = askedAt.map { $0 + Self.pongTime } ?? heardAt + Self.silenceTime
        return min(silence, lag?.deadline ?? silence)
    }

    /// The server's response time, in whole seconds; 0 if it is not noticeable or not measured.
    package var lagSeconds: Int { lag?.seconds ?? 0 }

    package var isClosed: Bool { phase == .closed }

    /// Handles a descriptor that is ready, or that the peer has closed.
    package func ready(now: Int64) -> [ConnectionEvent] {
        if phase == .resolving { finishLookup() }
        if phase == .connecting { finishConnecting() }
        if phase == .opening { openTransport() }
        if phase == .handshaking || phase == .open {
            flush()
            receive(now)
            flush()
        }
        defer { events = [] }
        return events
    }

    package func timeout(now: Int64) -> [ConnectionEvent] {
        guard phase != .closed, now >= deadline else { return [] }
        lag?.timerFired(now: now)
        if phase == .open, now < askedAt.map({ $0 + Self.pongTime }) ?? heardAt + Self.silenceTime { return [] }
        if phase != .open {
            end(nil, "\(address) did not answer in \(Self.openTime / 1_000) seconds.")
        } else if askedAt != nil {
            end(nil, "\(address) has gone silent.")
        } else {
            askedAt = now
            WebSocketEncoder.append(.ping, [], maskKey: Self.maskKey(), to: &outgoing)
            flush()
        }
        defer { events = [] }
        return events
    }

    /// Sends a frame; has no effect once the connection has ended.
    package func send(_ frame: ClientFrame) {
        guard phase == .open else { return }
        guard outgoing.count - sent < Self.maxOutgoing else { return end(nil, "\(address) takes nothing more.") }
        WebSocketEncoder.append(.text, frame.encode(), maskKey: Self.maskKey(), to: &outgoing)
        if let payload = lag?.ask(now: Clock.monotonicMilliseconds()) { WebSocketEncoder.append(.ping, payload, maskKey: Self.maskKey(), to: &outgoing) }
        flush()
    }

    /// Sends a close frame and closes the connection: unsent octets are tried once more and then dropped. No event
    /// follows.
    package func close(code: UInt16) {
        if phase == .open {
            outgoing += WebSocketEncoder.close(code, maskKey: Self.maskKey())
            flush()
        }
        drop()
        events = []
    }

    // MARK: Opening

    private var rawSocket: Int32? {
        switch socket {
        case .some(let socket): socket.raw
        case .none: nil
        }
    }

    private func connectNext(_ failure: ConnectionFailure) throws(ConnectionFailure) {
        var failure = failure
        while let next = candidates.first {
            candidates.removeFirst()
            do {
                socket = try Socket.startConnecting(to: next)
                return
            } catch {
                failure = ConnectionFailure("\(address) cannot be reached: \(error.text).")
            }
        }
        throw failure
    }

    private func finishLookup() {
        do throws(Errno) {
            guard let answer = try lookup?.answer() else { return }
            candidates = answer
        } catch {
            return end(nil, "\(address.host.printable) is not known: \(error.text).")
        }
        lookup = nil
        phase = .connecting
        do throws(ConnectionFailure) {
            try connectNext(ConnectionFailure("\(address) cannot be reached."))
        } catch {
            end(nil, error.message)
        }
    }

    private func finishConnecting() {
        guard let raw = rawSocket else { return }
        do throws(Errno) {
            // Another descriptor was ready: a connection in progress has no error yet.
            guard try Poll.wait(raw, .writable, timeoutMilliseconds: 0) != [] else { return }
            try Socket.finishConnecting(raw)
        } catch {
            let failure = ConnectionFailure("\(address) cannot be reached: \(error.text).")
            do throws(ConnectionFailure) { try connectNext(failure) } catch { end(nil, error.message) }
            return
        }
        guard let connected = socket.take() else { return }
        if let trust {
            do throws(TLSError) {
                transport = try Transport(connected, client: trust, host: address.host)
            } catch {
                return end(nil, "Encryption cannot be set up: \(error).")
            }
        } else {
            transport = Transport(connected)
        }
        phase = .opening
    }

    private func openTransport() {
        do throws(TransportError) {
            guard try transport?.handshake() == .done(0) else { return }
        } catch {
            return end(nil, complaint(error))
        }
        phase = .handshaking
        outgoing += handshake.request
    }

    /// The sentence about a failed TLS handshake.
    private func complaint(_ error: TransportError) -> String {
        guard case .tls(let error) = error else { return "\(address) cannot be reached: \(error.text)." }
        let distrust = switch transport {
        case .some(let open): open.distrust
        case .none: String?.none
        }
        if error.isUntrusted {
            return "\(address) cannot prove that it is \(address.host): \(distrust ?? error.reason). Nothing was sent to it. "
                + "If its certificate is of an authority of your own, name that one's file with --tls-ca FILE."
        }
        if error.isNoTLS { return "\(address) does not speak TLS there: use another port, or ws:// on a network that you trust." }
        return "\(address) refused to encrypt: \(error.reason)."
    }

    // MARK: Octets

    private func flush() {
        guard phase != .closed else { return }
        do throws(TransportError) {
            while sent < outgoing.count {
                let result = try outgoing.span.bytes.withUnsafeBytes { (octets) throws(TransportError) in
                    try transport?.send(UnsafeRawBufferPointer(rebasing: octets[sent...]))
                }
                guard case .done(let count) = result else { break }
                sent += count
            }
        } catch {
            // The server's last octets are still to be read, above all its close code.
            guard !error.isPeerGone else {
                sent = outgoing.count
                return
            }
            return end(nil, "The connection to \(address) broke: \(error.text).")
        }
        if sent == outgoing.count {
            outgoing.removeAll(keepingCapacity: outgoing.capacity <= 1 << 16)
            sent = 0
        }
    }

    /// Receives until no octets are left: a client has one connection and serves nobody else.
    private func receive(_ now: Int64) {
        while phase == .handshaking || phase == .open {
            let result: IOResult
            do throws(TransportError) {
                guard let some = try transport?.receive(into: buffer) else { return }
                result = some
            } catch {
                return end(nil, "The connection to \(address) broke: \(error.text).")
            }
            switch result {
            case .wouldBlock: return
            case .endOfStream: return end(nil, "\(address) ended the connection.")
            case .done(let count):
                heardAt = now
                askedAt = nil
                if phase == .handshaking {
                    head += buffer[..<count]
                    readHandshake()
                } else {
                    decode(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
                }
            }
        }
    }

    private func readHandshake() {
        do {
            guard let (answer, length) = try ResponseHead.parse(head.span) else { return }
            guard try handshake.check(answer) == Self.subprotocol else {
                return end(nil, "\(address) does not speak \(Self.subprotocol).")
            }
            // Outgoing messages stay uncompressed: mutations are short, and a family's text is never compressed
            // together with a token.
            if let terms = try handshake.compression(in: answer) { decoder.accept(compression: terms) }
            phase = .open
            events.append(.opened)
            var rest = Array(head[length...])
            head = []
            rest.withUnsafeMutableBytes { decode($0) }
        } catch HandshakeFailure.status(let status) {
            end(nil, "\(address) answered with status \(status): is it a Huddle server?")
        } catch {
            end(nil, "\(address) is no Huddle server.")
        }
    }

    private func decode(_ octets: UnsafeMutableRawBufferPointer) {
        guard !octets.isEmpty else { return }
        decoder.feed(octets)
        do throws(WebSocketError) {
            while let event = try decoder.next() {
                switch event {
                case .message(.text, let payload): receive(payload)
                case .message(.binary, _): fail(1003, "\(address) sent something that is no frame of ours.")
                case .ping(let payload):
                    outgoing += WebSocketEncoder.pong(payload, maskKey: Self.maskKey())
                    if let payload = lag?.askAgain(now: heardAt) { WebSocketEncoder.append(.ping, payload, maskKey: Self.maskKey(), to: &outgoing) }
                case .pong(let payload): lag?.receive(payload, now: heardAt)
                case .close(let code, _):
                    outgoing += WebSocketEncoder.close(code, maskKey: Self.maskKey())
                    flush()
                    end(code, "\(address) closed the connection\(code.map { " (\($0))" } ?? "").")
                }
                // The connection has ended, so the rest of the borrowed octets is dropped.
                if phase == .closed { break }
            }
        } catch {
            fail(error.closeCode, "\(address) broke the WebSocket protocol.")
        }
    }

    private func receive(_ payload: UnsafeRawBufferPointer) {
        do throws(Rejection) {
            events.append(.frame(try ServerFrame.decode(payload)))
        } catch {
            fail(1007, "\(address) sent a frame that cannot be read: \(error.message.printable)")
        }
    }

    // MARK: The end

    private func fail(_ code: UInt16, _ reason: String) {
        guard phase != .closed else { return }
        outgoing += WebSocketEncoder.close(code, maskKey: Self.maskKey())
        flush()
        end(nil, reason)
    }

    private func end(_ code: UInt16?, _ reason: String) {
        guard phase != .closed else { return }
        drop()
        events.append(.closed(code: code, reason: reason))
    }

    private func drop() {
        phase = .closed
        transport = nil
        socket = nil
        lookup = nil
        outgoing = []
        sent = 0
    }

    private static func maskKey() -> UInt32 { UInt32(truncatingIfNeeded: Random.uint64()) }
}

@available(*, unavailable) extension ClientConnection: Sendable {}

/// The reason why a connection could not begin, for people.
package struct ConnectionFailure: Error, Hashable, Sendable {
    package let message: String

    package init(_ message: String) { self.message = message }
}

import HTTP1
import Posix
import EventLoop
import TLS
import WebSocket

/// An upgrade, then echoes until either side closes.
///
/// At each readiness at most one receive into the reactor's buffer, and one send of all that it gave rise to.
struct Echo: ~Copyable {
    /// Octets that may wait for a peer before we stop reading what it sends (TCP then stops it too).
    private static let pauseAt = 4 << 20
    /// Octets of the queue that only control frames may take: pongs are no longer than the pings of one receive.
    private static let controlRoom = 2 * Reactor.receiveBufferSize
    /// From this size on a message is queued by reference: past the receive buffer it came by the decoder's store anyway.
    private static let shareFrom = Reactor.receiveBufferSize
    /// Milliseconds for the TLS and opening handshakes.
    private static let openingMilliseconds: Int64 = 10_000
    /// Milliseconds for the peer to answer a close frame, and to end its side of the stream.
    private static let closingMilliseconds: Int64 = 5_000

    private enum Phase {
        /// Waiting for the whole request head.
        case opening
        case open
        /// All is said: what is queued leaves, input is dropped unread.
        case finishing
        /// Our side of the stream has ended: waiting for the peer's end, so that no reset overtakes our last octets (RFC 6455 §7.1.1).
        case lingering
        case ended
    }

    private let reactor: Reactor
    private var transport: Transport
    private var outbox: Outbox
    private var decoder: WebSocketDecoder
    /// There when compression was agreed on.
    private var deflater: MessageDeflater?
    private let pool: MessagePool
    private let compression: CompressionPolicy?
    private var close = CloseState()
    private var phase = Phase.opening
    private var registration: Registration?
    private var timer: TimerID?
    /// The start of a request head that came in pieces.
    private var head: [UInt8] = []

    init(_ transport: consuming Transport, reactor: Reactor, limits: WebSocketLimits, pool: MessagePool, compression: CompressionPolicy?) {
        self.reactor = reactor
        self.transport = transport
        self.pool = pool
        self.compression = compression
        decoder = WebSocketDecoder(role: .server, limits: limits, pool: pool)
        // The octets that one receive can add to a queue that is not yet paused: one assembled message, and what else the buffer held.
        outbox = Outbox(pool: reactor.buffers, limit: Self.pauseAt + limits.maxMessage + Reactor.receiveBufferSize + Self.controlRoom)
    }

    /// The reactor has forgotten it; the descriptor closes with this value.
    var hasEnded: Bool { phase == .ended }

    /// - Parameter channel: whom the reactor calls; here and below, the owner of this value.
    mutating func start(_ channel: Channel) throws(Errno) {
        registration = try reactor.add(fd: transport.raw, interest: .readable, channel: channel)
        timer = reactor.schedule(afterMilliseconds: Self.openingMilliseconds, channel, kind: 0)
    }

    /// Close with 1001, or just end when nothing was opened yet.
    mutating func goAway(_ channel: Channel) {
        guard phase == .open else { return end() }
        act(close.close(WebSocketCloseCode.goingAway), channel)
        settle()
    }

    mutating func ready(_ events: ReadyEvents, _ channel: Channel) {
        let isReadable = !events.isDisjoint(with: [.readable, .hungUp, .failed]) || transport.receiveWaitsForWritable
        if isReadable, outbox.octets <= Self.pauseAt || phase == .lingering { receive(channel) }
        settle()
        // Both directions are closed or broken; what could be read has been.
        if !events.isDisjoint(with: [.hungUp, .failed]) { end() }
    }

    /// Leaves the reactor; further calls do nothing.
    mutating func end() {
        guard phase != .ended else { return }
        phase = .ended
        stopTimer()
        if let registration { reactor.remove(registration) }
        registration = nil
        outbox.removeAll()
    }

    // MARK: In

    private mutating func receive(_ channel: Channel) {
        let buffer = reactor.receiveBuffer
        do throws(TransportError) {
            switch try transport.receive(into: buffer) {
            case .done(let count):
                let octets = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
                switch phase {
                case .open: echo(octets, channel)
                case .opening: open(octets, channel)
                case .finishing, .lingering, .ended: break
                }
            case .wouldBlock:
                break
            case .endOfStream:
                // Waiting octets are offered once more to a peer that closed only its own side.
                try flush()
                end()
            }
        } catch {
            end()
        }
    }

    private mutating func open(_ octets: UnsafeMutableRawBufferPointer, _ channel: Channel) {
        guard !head.isEmpty else {
            let length = octets.withMemoryRebound(to: UInt8.self) { answer(UnsafeBufferPointer($0).span, channel) }
            if let length {
                // Frames may follow the request immediately, in the same octets.
                if phase == .open, length < octets.count { echo(UnsafeMutableRawBufferPointer(rebasing: octets[length...]), channel) }
            } else {
                head = Array(octets)
            }
            return
        }
        head.append(contentsOf: octets)
        let whole = head
        guard let length = answer(whole.span, channel) else { return }
        head = []
        var rest = Array(whole[length...])
        if phase == .open, !rest.isEmpty { rest.withUnsafeMutableBytes { echo($0, channel) } }
    }

    /// Answers the request at the front of `octets`; its length, or `nil` when it is not all there.
    private mutating func answer(_ octets: Span<UInt8>, _ channel: Channel) -> Int? {
        do throws(HTTPError) {
            guard let (request, length) = try RequestHead.parse(octets) else { return nil }
            do throws(HandshakeRefusal) {
                let handshake = try WebSocketHandshake.accept(request, compression: compression)
                queue(handshake.response)
                if let terms = handshake.compression {
                    decoder.accept(compression: terms)
                    // Whatever gets shorter is compressed, so that conformance suites see all of it.
                    deflater = MessageDeflater(terms, role: .server, threshold: 1, pool: pool)
                }
                phase = .open
                stopTimer()
            } catch {
                queue(error.response)
                finish(channel)
            }
            return length
        } catch {
            queue(ResponseHead.closing(error.status))
            finish(channel)
            return octets.count
        }
    }

    private mutating func echo(_ octets: UnsafeMutableRawBufferPointer, _ channel: Channel) {
        decoder.feed(octets)
        let now = reactor.now
        do throws(WebSocketError) {
            while let event = try decoder.next() {
                switch event {
                case .message(let kind, let payload): send(kind, payload, channel, now)
                case .ping(let payload): if close.isOpen { append(.pong, payload, isCompressed: false, now) }
                case .pong: break
                case .close(let code, _): act(close.didReceiveClose(code), channel)
                }
            }
        } catch {
            act(close.didFail(error.closeCode), channel)
        }
    }

    // MARK: Out

    private mutating func send(_ kind: MessageKind, _ payload: UnsafeRawBufferPointer, _ channel: Channel, _ now: Int64) {
        guard close.isOpen else { return }
        // Of compressed messages one receive may hold more than any queue: who sends such and reads too slowly is cut off.
        guard payload.count + FrameHead.maxLength + Self.controlRoom <= outbox.room else {
            return act(close.didFail(WebSocketCloseCode.policyViolation), channel)
        }
        if let deflated = deflater?.deflate(payload) {
            append(kind.opcode, deflated, isCompressed: true, now)
        } else {
            append(kind.opcode, payload, isCompressed: false, now)
        }
    }

    private mutating func append(_ opcode: Opcode, _ payload: UnsafeRawBufferPointer, isCompressed: Bool, _ now: Int64) {
        // The longest head is 14 octets.
        var head: (UInt64, UInt64) = (0, 0)
        let isQueued = withUnsafeMutableBytes(of: &head) { head in
            let length = WebSocketEncoder.writeHead(opcode, payload: payload.count, isCompressed: isCompressed, into: head)
            return outbox.append(copying: UnsafeRawBufferPointer(rebasing: head[..<length]), now: now)
        }
        let isWhole =
            payload.count < Self.shareFrom
            ? outbox.append(copying: payload, now: now) : outbox.append(sharing: Array(payload), now: now)
        precondition(isQueued && isWhole, "there is room: for a message it was asked, for control frames it is kept")
    }

    private mutating func queue(_ octets: [UInt8]) {
        let isQueued = outbox.append(copying: octets, now: reactor.now)
        precondition(isQueued, "there is room kept for what is no message")
    }

    private mutating func act(_ action: CloseState.Action, _ channel: Channel) {
        switch action {
        case .nothing: break
        case .sendClose(let code):
            queue(WebSocketEncoder.close(code))
            startTimer(channel)
        case .sendCloseAndFinish(let code):
            queue(WebSocketEncoder.close(code))
            finish(channel)
        case .finish: finish(channel)
        case .drop: end()
        }
    }

    /// Sends waiting octets, enters the next phase when none wait, and watches for the next event.
    private mutating func settle() {
        guard let registration else { return }
        do throws(TransportError) {
            try flush()
        } catch {
            return end()
        }
        if phase == .finishing, outbox.isEmpty {
            transport.finishSending()
            phase = .lingering
        }
        var interest: Interest = outbox.octets <= Self.pauseAt || transport.sendWaitsForReadable ? .readable : []
        if !outbox.isEmpty && !transport.sendWaitsForReadable || transport.receiveWaitsForWritable { interest.insert(.writable) }
        // Octets that TLS holds are not seen by epoll, neither now nor after a pause: they have to be asked for.
        if transport.hasMore, interest.contains(.readable) { reactor.callAgain(registration) }
        do throws(Errno) {
            try reactor.modify(registration, interest: interest)
        } catch {
            end()
        }
    }

    private mutating func flush() throws(TransportError) {
        guard !outbox.isEmpty else { return }
        guard transport.isSecure else {
            do throws(Errno) { _ = try outbox.flush(to: transport.raw) } catch { throw .system(error) }
            return
        }
        while !outbox.isEmpty {
            guard case .done(let count) = try transport.send(outbox.front) else { return }
            outbox.consume(count)
        }
    }

    // MARK: Ending

    private mutating func finish(_ channel: Channel) {
        guard phase == .opening || phase == .open else { return }
        phase = .finishing
        startTimer(channel)
    }

    private mutating func startTimer(_ channel: Channel) {
        stopTimer()
        timer = reactor.schedule(afterMilliseconds: Self.closingMilliseconds, channel, kind: 0)
    }

    private mutating func stopTimer() {
        if let timer { reactor.cancel(timer) }
        timer = nil
    }
}

import HTTP1
import Posix
import Reactor
import TLS
import WebSocket

/// One connection: an upgrade, then echoes until either side closes.
///
/// At each readiness at most one receive into the reactor's buffer, and one send of all that it gave rise to.
final class EchoConnection: Channel {
    /// Octets that may wait for a peer before we stop reading what it sends (TCP then stops it too).
    private static let pauseAt = 4 << 20
    /// From this size on a message is queued by reference: past the receive buffer it came by our own store anyway.
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

    /// Where the server lists this connection.
    var place = 0
    private unowned let server: EchoServer
    private let reactor: Reactor
    private var transport: Transport?
    private var outbox: Outbox
    private var decoder: WebSocketDecoder
    private var close = CloseState()
    private var phase = Phase.opening
    private var registration: Registration?
    private var timer: TimerID?
    /// The start of a request head that came in pieces.
    private var head: [UInt8] = []

    init(_ server: EchoServer, _ transport: consuming Transport) {
        self.server = server
        reactor = server.reactor
        self.transport = consume transport
        decoder = WebSocketDecoder(role: .server, limits: server.limits)
        // What one receive can add to a queue that is not yet paused: one assembled message, and what else the buffer held.
        outbox = Outbox(
            pool: server.reactor.buffers, limit: Self.pauseAt + server.limits.maxMessage + 2 * Reactor.receiveBufferSize)
    }

    func start() throws(Errno) {
        guard let raw = transport?.raw else { return }
        registration = try reactor.add(fd: raw, interest: .readable, channel: self)
        timer = reactor.schedule(afterMilliseconds: Self.openingMilliseconds, self, kind: 0)
    }

    /// The server stops: close with 1001, or just end when nothing was opened yet.
    func goAway() {
        guard phase == .open else { return end() }
        act(close.close(CloseCode.goingAway))
        settle()
    }

    override func timerFired(kind: Int) {
        timer = nil
        end()
    }

    override func ready(_ events: ReadyEvents) {
        let mayRead = outbox.octets <= Self.pauseAt || phase == .lingering
        if mayRead, !events.isDisjoint(with: [.readable, .hungUp, .failed]) || transport?.receiveWaitsForWritable == true { receive() }
        guard phase != .ended else { return }
        settle()
        // Both directions are closed or broken; what could be read has been.
        if !events.isDisjoint(with: [.hungUp, .failed]) { end() }
    }

    // MARK: In

    private func receive() {
        let buffer = reactor.receiveBuffer
        do throws(TransportError) {
            switch try transport?.receive(into: buffer) {
            case .done(let count):
                took(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
            case .wouldBlock, nil:
                break
            case .endOfStream:
                // What waits is offered once more to a peer that closed only its own side.
                _ = try? flush()
                end()
            }
        } catch {
            end()
        }
    }

    private func took(_ octets: UnsafeMutableRawBufferPointer) {
        switch phase {
        case .open: echo(octets)
        case .opening: open(octets)
        case .finishing, .lingering, .ended: break
        }
    }

    private func open(_ octets: UnsafeMutableRawBufferPointer) {
        guard !head.isEmpty else {
            let length = octets.withMemoryRebound(to: UInt8.self) { answer(UnsafeBufferPointer($0).span) }
            if let length {
                // Frames may follow the request at once, in the same octets.
                if phase == .open, length < octets.count { echo(UnsafeMutableRawBufferPointer(rebasing: octets[length...])) }
            } else {
                head = Array(octets)
            }
            return
        }
        head.append(contentsOf: octets)
        guard let length = answer(head.span) else { return }
        var rest = Array(head[length...])
        head = []
        if phase == .open, !rest.isEmpty { rest.withUnsafeMutableBytes { echo($0) } }
    }

    /// Answers the request at the front of `octets`; its length, or `nil` when it is not all there.
    private func answer(_ octets: Span<UInt8>) -> Int? {
        do throws(HTTPError) {
            guard let (request, length) = try RequestHead.parse(octets) else { return nil }
            do throws(HandshakeRefusal) {
                let handshake = try WebSocketHandshake.accept(request)
                queue(handshake.response)
                phase = .open
                stopTimer()
            } catch {
                queue(error.response)
                finish()
            }
            return length
        } catch {
            queue(ResponseHead.closing(error.status))
            finish()
            return octets.count
        }
    }

    private func echo(_ octets: UnsafeMutableRawBufferPointer) {
        decoder.feed(octets)
        do throws(WebSocketError) {
            while let event = try decoder.next() {
                switch event {
                case .message(let kind, let payload): send(kind.opcode, payload)
                case .ping(let payload): send(.pong, payload)
                case .pong: break
                case .close(let code, _): act(close.didReceiveClose(code))
                }
            }
        } catch {
            act(close.didFail(error.closeCode))
        }
    }

    // MARK: Out

    private func send(_ opcode: Opcode, _ payload: UnsafeRawBufferPointer) {
        guard close.isOpen else { return }
        let now = reactor.now
        let isQueued = withUnsafeTemporaryAllocation(byteCount: FrameHead.maxLength, alignment: 8) { head in
            let length = WebSocketEncoder.writeHead(opcode, payload: payload.count, into: head)
            guard outbox.append(copying: UnsafeRawBufferPointer(rebasing: head[..<length]), now: now) else { return false }
            return payload.count < Self.shareFrom
                ? outbox.append(copying: payload, now: now) : outbox.append(sharing: Array(payload), now: now)
        }
        precondition(isQueued, "the outbox's limit covers all that one receive can give rise to")
    }

    private func queue(_ octets: [UInt8]) {
        let isQueued = outbox.append(copying: octets, now: reactor.now)
        precondition(isQueued, "the outbox's limit covers all that one receive can give rise to")
    }

    private func act(_ action: CloseState.Action) {
        switch action {
        case .nothing: break
        case .sendClose(let code):
            queue(WebSocketEncoder.close(code))
            startTimer()
        case .sendCloseAndFinish(let code):
            queue(WebSocketEncoder.close(code))
            finish()
        case .finish: finish()
        case .drop: end()
        }
    }

    /// Sends what waits, goes on to the next phase when nothing does, and watches for what is needed next.
    private func settle() {
        do throws(TransportError) {
            try flush()
        } catch {
            return end()
        }
        if phase == .finishing, outbox.isEmpty {
            transport?.finishSending()
            phase = .lingering
        }
        guard phase != .ended, let registration else { return }
        var interest: Interest = outbox.octets <= Self.pauseAt ? .readable : []
        if !outbox.isEmpty && transport?.sendWaitsForReadable != true || transport?.receiveWaitsForWritable == true {
            interest.insert(.writable)
        }
        if transport?.sendWaitsForReadable == true { interest.insert(.readable) }
        // Octets that TLS holds are not seen by epoll, neither now nor after a pause: they have to be asked for.
        if interest.contains(.readable), transport?.hasMore == true { reactor.callAgain(registration) }
        do throws(Errno) {
            try reactor.modify(registration, interest: interest)
        } catch {
            end()
        }
    }

    private func flush() throws(TransportError) {
        guard !outbox.isEmpty, let raw = transport?.raw else { return }
        guard transport?.isSecure == true else {
            do throws(Errno) { _ = try outbox.flush(to: raw) } catch { throw .system(error) }
            return
        }
        while !outbox.isEmpty {
            guard case .done(let count) = try transport?.send(outbox.front) else { return }
            outbox.consume(count)
        }
    }

    // MARK: End

    private func finish() {
        guard phase != .ended, phase != .lingering else { return }
        phase = .finishing
        startTimer()
    }

    private func startTimer() {
        stopTimer()
        timer = reactor.schedule(afterMilliseconds: Self.closingMilliseconds, self, kind: 0)
    }

    private func stopTimer() {
        if let timer { reactor.cancel(timer) }
        timer = nil
    }

    private func end() {
        guard phase != .ended else { return }
        phase = .ended
        stopTimer()
        if let registration { reactor.remove(registration) }
        registration = nil
        outbox.removeAll()
        // After the reactor has forgotten it.
        transport = nil
        server.didEnd(self)
    }
}

import Bytes
import Family
import HTTP1
import Posix
import EventLoop
import Rooms
import TLS
import WebSocket
import Wire

/// One client's connection, plain or through TLS: HTTP until the upgrade, WebSocket after it. Owned by its shard, on the reactor's thread.
final class Connection: OpenConnection {
    private unowned let services: ConnectionServices
    private var transport: Transport
    private var registration: Registration?
    private var decoder: WebSocketDecoder
    private var outbox: Outbox
    private let peer: NetworkAddress?
    private var closing = CloseState()
    /// Frames of an earlier tick that are handled in the next one; until then nothing more is received.
    private var held: [UInt8] = []
    private var deadlines: Deadlines
    private var phase: Phase
    /// The end of the connection: nothing is sent after the queued octets, and received octets are discarded; `nil`
    /// before. `Deadlines.since` is the time when it began.
    private var ending: Ending?
    /// The timer of the next check, and its time.
    private var timer: TimerID?
    private var timerDue = Int64.max

    // Small fields are grouped: each one between two large ones would take eight octets of every connection.

    /// Whether `held` is handled in the next tick.
    private var isPostponed = false
    /// Whether the kernel's buffer is full; epoll reports when it is not.
    private var isBlocked = false
    /// The tick in which octets were last received (`TickQueues.number`).
    private var receivedIn: UInt32 = 0

    /// The phases of a connection, each with the data that exists only in it.
    private enum Phase {
        /// The TLS handshake is not complete; each step waits for its turn (`TickQueues.queueHandshake`).
        case handshaking(HTTPExchange, isQueued: Bool)
        /// Requests and responses. While `isHeld` is true, responses must be sent before another request is read.
        case http(HTTPExchange, isHeld: Bool)
        /// A WebSocket. A wide one takes messages of the full size, because its session has signed in.
        case socket(isWide: Bool)
        /// All octets were sent and this side ended the stream; octets that still arrive are read and dropped. Closing
        /// the socket over unread octets would reset it, and the reset can overtake the close frame or the response.
        /// The exchange is `nil` after a WebSocket.
        case lingering(HTTPExchange?)
        case closed
    }

    private struct Ending {
        /// The number of discarded octets.
        var discarded: UInt32 = 0
    }

    /// The largest number of fragments of one message: a client that sends each kilobyte alone stays below it, a client
    /// that sends each octet alone does not.
    static let maxFragments = 1_024
    /// Octets kept free for control frames, so that a client that reads too slowly still receives the reason for the
    /// close.
    static let controlRoom = 4_096
    /// Milliseconds between requests on a connection that is kept: longer than proxies keep theirs (nginx: 60 s), so
    /// that no proxy sends a request into a connection that is being closed.
    static let idleTime: Int64 = 75_000
    /// Milliseconds for a whole request head, for content that is discarded, and for the first request of a connection.
    static let requestTime: Int64 = 10_000
    /// Milliseconds from the last octet to the close of the socket: time for the peer to answer a close frame, to read
    /// the sent octets, and to notice that nobody listens.
    static let closingTime: Int64 = 2_000
    /// The largest number of octets that are discarded in that time: those that a peer has in flight when the last
    /// octet reaches it, 84 Mbit/s with a delay of 0.1 s. Above it, nothing more is received, and the kernel makes the
    /// peer wait.
    static let maxDiscarded: UInt32 = 1_048_576
    /// The largest number of octets received from one connection in a tick: a hundred small frames, so that a few
    /// members who flood delay the others by only a few milliseconds. The kernel keeps the rest, and makes the sender
    /// wait.
    static let octetsPerTick = 16_384
    /// The largest number of messages taken from one connection in a tick: each may go to a whole family, so that many
    /// small ones cost more than their octets.
    static let messagesPerTick = 64

    init(_ services: ConnectionServices, transport: consuming Transport, peer: NetworkAddress?) {
        self.services = services
        self.peer = peer
        let isEstablished = transport.isEstablished
        self.transport = transport
        decoder = WebSocketDecoder(
            role: .server, limits: WebSocketLimits(maxMessage: services.hub.messageLimit(nil), maxFragments: Connection.maxFragments),
            pool: services.queues.messages)
        outbox = Outbox(pool: services.reactor.buffers, limit: services.limits.outboxOctets + Connection.controlRoom)
        deadlines = Deadlines(now: services.reactor.now)
        phase = .closed
        super.init()
        let exchange = HTTPExchange(wake: { [unowned self] in self.services.queues.markDirty(self) })
        phase = isEstablished ? .http(exchange, isHeld: false) : .handshaking(exchange, isQueued: false)
    }

    func register() throws(Errno) {
        registration = try services.reactor.add(fd: transport.raw, interest: .readable, channel: self)
        wake(by: deadlines.since + Connection.requestTime)
    }

    /// Refuses a connection above the limit: sends the response and ends.
    func refuse(_ response: [UInt8]) { end(response) }

    /// Requests and their responses; `nil` after the upgrade.
    private var http: HTTPExchange? {
        switch phase {
        case .handshaking(let exchange, _), .http(let exchange, _): exchange
        case .lingering(let exchange): exchange
        case .socket, .closed: nil
        }
    }

    /// Whether the WebSocket is open, both ways.
    private var isOpen: Bool { if case .socket = phase { closing.isOpen } else { false } }

    override var isUpgraded: Bool { http == nil }

    var isShakingHands: Bool { if case .handshaking = phase { true } else { false } }

    /// Whether responses must be sent before another request is read.
    private var isHeld: Bool { if case .http(_, isHeld: true) = phase { true } else { false } }

    private var isLingering: Bool { if case .lingering = phase { true } else { false } }

    private var isClosed: Bool { if case .closed = phase { true } else { false } }

    /// The number of octets that were discarded at the end.
    var discarded: UInt32 { ending?.discarded ?? 0 }

    /// The number of octets that wait to be sent.
    override var waitingOctets: Int { outbox.octets }

    /// Whether nothing waits to be sent.
    override var isFlushed: Bool { outbox.isEmpty }

    // MARK: Input

    override func ready(_ events: ReadyEvents) {
        guard !isShakingHands else { return queueHandshake() }
        // TLS may have to receive before it can send, and the other way round.
        if events.contains(.writable) || transport.sendWaitsForReadable {
            isBlocked = false
            services.queues.markDirty(self)
        }
        // The peer has disconnected, and receiving, which would show it, is paused.
        if isHeld || !mayDiscard, !events.isDisjoint(with: [.hungUp, .failed]) { return drop() }
        if !events.isDisjoint(with: [.readable, .hungUp, .failed]) || transport.receiveWaitsForWritable { receive() }
    }

    private func queueHandshake() {
        guard case .handshaking(let exchange, isQueued: false) = phase, let registration else { return }
        phase = .handshaking(exchange, isQueued: true)
        try? services.reactor.modify(registration, interest: [])
        services.queues.queueHandshake(self)
    }

    /// Takes the next step of the TLS handshake; after the last one a request may come.
    override func shakeHands() {
        guard case .handshaking(let exchange, _) = phase else { return }
        phase = .handshaking(exchange, isQueued: false)
        receive()
        endHandshake()
        if !isShakingHands { services.queues.markDirty(self) }
        watch()
    }

    /// Requests may come, once TLS is established.
    private func endHandshake() {
        guard case .handshaking(let exchange, _) = phase, transport.isEstablished else { return }
        phase = .http(exchange, isHeld: false)
        services.table.didEndHandshake()
    }

    /// Receives one portion per tick. The rest raises the next event, after the other connections had their turn.
    private func receive() {
        guard !isLingering else { return discard() }
        guard !isHeld, !isPostponed, receivedIn != services.queues.number else { return }
        guard !inflates || services.queues.mayInflate else { return postpone() }
        if !isShakingHands { receivedIn = services.queues.number }
        guard mayDiscard else { return watch() }
        let portion = http?.takesContent == true ? Reactor.receiveBufferSize : Connection.octetsPerTick
        let buffer = UnsafeMutableRawBufferPointer(rebasing: services.reactor.receiveBuffer[..<min(portion, discardable)])
        let isContent = http?.receivesContent == true
        let result: IOResult
        do throws(TransportError) {
            if isContent, let http {
                result = try http.receiveContent(from: &transport, now: services.reactor.now)
            } else {
                result = try transport.receive(into: buffer)
            }
        } catch {
            return didBreak(error)
        }
        // Octets after the handshake belong to the first request.
        endHandshake()
        if transport.receiveWaitsForWritable { services.queues.markDirty(self) }
        switch result {
        case .wouldBlock: return
        case .endOfStream: streamEnded()
        case .done(let count):
            // epoll does not see the octets that TLS holds.
            if transport.hasMore, let registration { services.reactor.callAgain(registration) }
            deadlines.heard(now: services.reactor.now)
            if ending != nil { didDiscard(count) }
            if isContent {
                services.site.counts.contentReceived.add(count)
                return resumeRequests()
            }
            let octets = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            if http == nil { receiveFrames(octets) } else { receiveRequests(UnsafeRawBufferPointer(octets)) }
        }
    }

    /// The number of octets that may be received now; at the end of a connection, those that may still be discarded.
    private var discardable: Int { ending.map { Int(Connection.maxDiscarded - $0.discarded) } ?? .max }

    private var mayDiscard: Bool { discardable > 0 }

    private func discard() {
        guard mayDiscard else { return watch() }
        let space = services.reactor.receiveBuffer
        switch try? transport.discard(into: UnsafeMutableRawBufferPointer(rebasing: space[..<min(space.count, discardable)])) {
        case .done(let count)?: didDiscard(count)
        case .wouldBlock?: break
        case .endOfStream?, nil: drop()
        }
    }

    private func didDiscard(_ count: Int) {
        let more = UInt32(min(count, discardable))
        ending?.discarded += more
        if !mayDiscard { watch() }
    }

    /// TLS reports the peer's mistake to it, if the socket is still open; then the stream ends.
    private func didBreak(_ error: TransportError) {
        guard case .tls(let error) = error, !isClosed else { return drop() }
        services.table.counts.failedHandshakes.add()
        services.log(.info, "tls_failed", [.init("reason", error.reason)])
        if error.isPlainHTTP {
            let answer = ResponseHead.closing(400, [Field("Date", services.site.date)], body: "This port speaks TLS. Use https:// or wss:// in the address.\n")
            _ = try? answer.withUnsafeBytes { octets throws(Errno) in try Socket.send(transport.raw, octets) }
        }
        outbox.removeAll()
        _ = closing.streamEnded()
        endSession()
        http?.cancel()
        linger()
    }

    // MARK: Requests

    private var caller: HTTPExchange.Caller {
        HTTPExchange.Caller(
            site: services.site, peer: peer, isSecure: transport.isSecure, now: services.reactor.now,
            admits: { [unowned self] address in services.table.move(self, to: address) })
    }

    private func receiveRequests(_ octets: UnsafeRawBufferPointer) {
        guard closing.isOpen, let phase = http?.phase else { return }
        var output: [UInt8] = []
        guard let outcome = http?.receive(octets, caller, to: &output) else { return }
        follow(outcome, output, from: phase)
    }

    /// The responses have been sent: the requests behind them are handled.
    private func resumeRequests() {
        hold(false)
        guard closing.isOpen, let phase = http?.phase else { return }
        var output: [UInt8] = []
        guard let outcome = http?.resume(caller, to: &output) else { return }
        follow(outcome, output, from: phase)
        if !isHeld, transport.hasMore, let registration { services.reactor.callAgain(registration) }
    }

    private func hold(_ isHeld: Bool) {
        if case .http(let exchange, _) = phase { phase = .http(exchange, isHeld: isHeld) }
    }

    private func follow(_ outcome: HTTPExchange.Outcome, _ output: [UInt8], from former: HTTPServerConnection.Phase) {
        if !output.isEmpty { queue(output) }
        guard !isClosed else { return }
        if !output.isEmpty || http?.phase != former || http?.due(since: deadlines.since) != nil {
            deadlines.since = services.reactor.now
            wake(by: requestDue)
        }
        if let status = http?.takeRefusal() { services.log(.info, "http", [.init("status", status)]) }
        switch outcome {
        case .waits, .blocked, .suspended:
            hold(outcome != .waits || outbox.octets >= HTTPExchange.maxOutput)
            // Otherwise epoll would report again and again that there is something to read.
            watch()
            if http?.sendsFile == true { services.queues.markDirty(self) }
        case .ends: end([])
        case .upgraded(let handshake, var frames, let cookie):
            phase = .socket(isWide: false)
            if let compression = handshake.compression {
                decoder.accept(compression: compression)
                inflates = true
            }
            session = services.hub.didOpen(self, cookie: cookie)
            // These frames came in the same segment as the request.
            if !frames.isEmpty { frames.withUnsafeMutableBytes { receiveFrames($0) } }
        }
    }

    /// The peer ended its stream. An HTTP client may do so and still wait for its response.
    private func streamEnded() {
        // The rest of the content will not come.
        if http?.takesContent == true { return drop() }
        guard http != nil, closing.isOpen, !outbox.isEmpty else { return act(closing.streamEnded()) }
        end([])
    }

    /// Sends a last response and then ends the stream.
    private func end(_ response: [UInt8]) {
        _ = outbox.append(copying: response, now: services.reactor.now)
        _ = closing.didReceiveClose(nil)
        beginClosing()
        services.queues.markDirty(self)
    }

    private func receiveFrames(_ octets: UnsafeMutableRawBufferPointer) {
        if case .socket(isWide: false) = phase {
            let limit = services.hub.messageLimit(session)
            phase = .socket(isWide: limit >= services.limits.messageOctets)
            decoder.raise(maxMessage: limit)
        }
        decoder.feed(octets)
        var messages = 0
        do throws(WebSocketError) {
            while let event = try decoder.next() {
                switch event {
                case .message(.text, let payload):
                    messages += 1
                    // After our close frame, received octets are only discarded.
                    if isOpen { services.hub.received(payload, from: self) }
                case .message(.binary, _): fail(.unsupportedData, "huddle.v1 uses text messages")
                case .ping(let payload): answer(ping: payload)
                case .pong: deadlines.ponged()
                case .close(let code, _): act(closing.didReceiveClose(code))
                }
                if messages >= Connection.messagesPerTick || (inflates && !services.queues.mayInflate) {
                    held = Array(decoder.takeBack())
                    if !held.isEmpty { postpone() }
                    break
                }
            }
        } catch {
            note("protocol_error", error.closeCode, "\(error)")
            act(closing.didFail(error.closeCode))
        }
        noteProgress(octets.count)
    }

    /// Notes received octets of a message, which must make progress.
    private func noteProgress(_ count: Int) {
        let now = services.reactor.now
        if deadlines.noteProgress(count, isWithinMessage: decoder.isWithinMessage, now: now) { wake(by: now + Int64(services.limits.messageTime)) }
    }

    /// Leaves the rest for the next tick, after the connections that already wait for theirs.
    private func postpone() {
        guard !isPostponed else { return }
        isPostponed = true
        services.queues.postpone(self)
    }

    /// Handles the held frames in the next tick.
    override func resume() {
        isPostponed = false
        guard !isClosed, !isLingering else { return }
        guard !held.isEmpty else { return receive() }
        receivedIn = services.queues.number
        var octets = held
        held = []
        octets.withUnsafeMutableBytes { receiveFrames($0) }
        // epoll does not report octets that TLS holds, and nobody has asked for them in the meantime.
        if transport.hasMore, let registration { services.reactor.callAgain(registration) }
    }

    // MARK: Output

    /// Queues one text message, whose octets may be shared with other connections.
    override func send(_ payload: [UInt8]) {
        guard isOpen else { return }
        let compressed = inflates ? services.queues.compressed(payload) : nil
        guard (compressed?.count ?? payload.count + FrameHead.maxLength) + Connection.controlRoom <= outbox.room else {
            closeSlowReader()
            return
        }
        let now = services.reactor.now
        if let compressed {
            _ = outbox.append(sharing: compressed, now: now)
            services.queues.markDirty(self)
            return
        }
        withUnsafeTemporaryAllocation(byteCount: FrameHead.maxLength, alignment: 8) { head in
            let length = WebSocketEncoder.writeHead(.text, payload: payload.count, into: head)
            _ = outbox.append(copying: UnsafeRawBufferPointer(rebasing: head[..<length]), now: now)
        }
        _ = outbox.append(sharing: payload, now: now)
        services.queues.markDirty(self)
    }

    private func answer(ping payload: UnsafeRawBufferPointer) {
        guard isOpen else { return }
        // The last of the room is reserved for the close frame.
        guard outbox.room >= Connection.controlRoom else {
            closeSlowReader()
            return
        }
        queue(WebSocketEncoder.pong(payload))
    }

    /// Queues octets that are not a message: the upgrade's response and control frames.
    private func queue(_ octets: [UInt8]) {
        if outbox.append(copying: octets, now: services.reactor.now) {
            services.queues.markDirty(self)
        } else {
            drop()
        }
    }

    /// Sends the queued octets as far as the kernel accepts them.
    override func flush() {
        switch phase {
        case .http, .socket: break
        case .handshaking, .lingering, .closed: return
        }
        guard !isBlocked else { return }
        do throws(TransportError) {
            try sendQueued()
            if http?.sendsFile == true { try sendFile() }
        } catch {
            return drop()
        }
        if outbox.isEmpty, let http, isHeld ? http.canResume : http.isWoken { resumeRequests() }
        watch()
        if isBlocked, let oldest = outbox.oldest { wake(by: oldest + Int64(services.limits.outboxAge)) }
        if outbox.isEmpty, case .drop = closing.didFlush() { linger() }
    }

    private func sendQueued() throws(TransportError) {
        guard transport.isSecure else {
            do throws(Errno) { isBlocked = try outbox.flush(to: transport.raw) == .blocked } catch { throw .system(error) }
            return
        }
        while !outbox.isEmpty {
            guard case .done(let count) = try transport.send(outbox.front) else {
                isBlocked = true
                return
            }
            outbox.consume(count)
        }
    }

    /// Sends as much of a file as the shard allows per tick; the next portion follows when the kernel reports room.
    private func sendFile() throws(TransportError) {
        var left = services.queues.portionOfFile()
        while outbox.isEmpty, !isBlocked, let http, http.sendsFile {
            guard left > 0 else {
                isBlocked = true
                return
            }
            switch try http.sendFile(to: &transport, scratch: services.reactor.receiveBuffer, limit: left) {
            case .said(let octets):
                _ = outbox.append(copying: octets, now: services.reactor.now)
                try sendQueued()
            case .sent(let count):
                left -= count
                services.site.counts.contentSent.add(count)
            case .blocked: isBlocked = true
            case .needs(let range): readAhead(range, http)
            case .waits: return
            case .finished: deadlines.since = services.reactor.now
            }
        }
    }

    private func readAhead(_ range: Range<Int>, _ http: HTTPExchange) {
        guard let content = http.sentFile else { return }
        deadlines.since = services.reactor.now
        let file = content.file
        services.workers.work(content.key, of: content.family) {
            (try? FileContent.read(file, range)) != nil
        } then: { [weak self] isRead in
            guard let self, self.http?.sentFile === content else { return }
            guard isRead == true else {
                self.services.log(.error, "file_unreadable", [])
                return self.drop()
            }
            content.didRead(range)
            self.http?.beginProgress(now: self.services.reactor.now)
            self.wake(by: self.requestDue)
            self.services.queues.markDirty(self)
        }
    }

    /// Ends the stream from this side, and waits for the peer to end it too.
    private func linger() {
        transport.finishSending()
        if isShakingHands { services.table.didEndHandshake() }
        phase = .lingering(http)
        isBlocked = false
        beginClosing()
        watch()
    }

    private func watch() {
        guard let registration, !isClosed else { return }
        var interest: Interest = isHeld || !mayDiscard ? [] : .readable
        if !isLingering, isBlocked && !transport.sendWaitsForReadable || transport.receiveWaitsForWritable { interest.insert(.writable) }
        try? services.reactor.modify(registration, interest: interest)
    }

    /// Closes for a client that reads too slowly: it may still read the queued octets, and the reason, for a moment.
    private func closeSlowReader() {
        services.table.counts.slowReaders.add()
        services.hub.counts.closes.add(.slowReader)
        services.log(.warning, "slow_reader", [.init("session", session ?? 0), .init("octets", outbox.octets)])
        close(.slowReader, "too slow; reconnect with your cursor", dropsQueue: false)
    }

    // MARK: The end

    /// Closes because of an act or omission of the peer, with a line in the log.
    override func fail(_ code: CloseCode, _ reason: String) {
        guard isOpen else { return }
        note("closing", code.rawValue, reason)
        services.hub.counts.closes.add(code)
        close(code, reason, dropsQueue: false)
    }

    private func note(_ event: StaticString, _ code: UInt16, _ reason: String) {
        services.log(.info, event, [.init("session", session ?? 0), .init("code", code), .init("reason", reason)])
    }

    /// Sends a close frame after the queued octets. With `dropsQueue`, the octets that the kernel does not accept
    /// immediately are dropped, including the close frame: a person without rights receives nothing more.
    override func close(_ code: CloseCode, _ reason: String, dropsQueue: Bool) {
        guard isOpen else { return }
        if dropsQueue {
            flush()
            if !outbox.isEmpty {
                drop()
                return
            }
        }
        pendingReason = reason
        act(closing.close(code.rawValue))
    }

    private var pendingReason = ""

    private func act(_ action: CloseState.Action) {
        switch action {
        case .nothing: break
        case .sendClose(let code), .sendCloseAndFinish(let code):
            beginClosing()
            queue(WebSocketEncoder.close(code, reason: pendingReason))
            endSession()
        case .finish:
            beginClosing()
            endSession()
            services.queues.markDirty(self)
        case .drop: drop()
        }
    }

    private func endSession() {
        guard let session else { return }
        self.session = nil
        services.hub.didEnd(session)
    }

    /// Drops the connection: the socket is closed, or the peer is not worth waiting for.
    override func drop() {
        guard let registration, !isClosed else { return }
        let exchange = http
        if isShakingHands { services.table.didEndHandshake() }
        phase = .closed
        services.reactor.remove(registration)
        if let timer { services.reactor.cancel(timer) }
        timer = nil
        outbox.removeAll()
        _ = closing.streamEnded()
        endSession()
        exchange?.cancel()
        services.table.remove(self)
    }

    // MARK: Time

    /// The time at which the server gives up a peer that makes no progress with its request, or does not take its
    /// responses.
    private var requestDue: Int64 {
        if let oldest = outbox.oldest { return oldest + Int64(services.limits.outboxAge) }
        if let due = http?.due(since: deadlines.since) { return due }
        let isKept = http?.phase == .idle && http?.hasAnswered == true
        return deadlines.since + (isKept ? Connection.idleTime : Connection.requestTime)
    }

    private func endRequests() {
        guard outbox.isEmpty, !isShakingHands else { return drop() }
        if http?.sendsFile == true {
            services.log(.info, "slow_reader", [])
            return drop()
        }
        var output: [UInt8] = []
        http?.timedOut(services.site, to: &output)
        if !output.isEmpty { services.log(.info, "http", [.init("status", 408)]) }
        end(output)
    }

    /// Checks no later than then. One timer serves every deadline: it is set again when it fires, and when an earlier
    /// deadline begins.
    private func wake(by due: Int64) {
        guard due < timerDue, !isClosed else { return }
        if let timer { services.reactor.cancel(timer) }
        timerDue = due
        timer = services.reactor.schedule(afterMilliseconds: due - services.reactor.now, self, kind: 0)
    }

    /// Starts the clock for the end, once.
    private func beginClosing() {
        guard ending == nil else { return }
        ending = Ending()
        deadlines.since = services.reactor.now
        wake(by: deadlines.since + Connection.closingTime)
    }

    override func timerFired(kind: Int) {
        timer = nil
        timerDue = .max
        let next = check(now: services.reactor.now)
        wake(by: next)
    }

    /// Ends the connection if it takes too long.
    ///
    /// - Returns: the time of the next check.
    private func check(now: Int64) -> Int64 {
        guard !isLingering, closing.isOpen else {
            guard now - deadlines.since >= Connection.closingTime else { return deadlines.since + Connection.closingTime }
            if isLingering || isShakingHands { drop() } else { act(closing.timerFired()) }
            return deadlines.since + Connection.closingTime
        }
        guard http == nil else {
            let due = requestDue
            guard now >= due else { return due }
            if outbox.isEmpty, http?.goesOn(now: now) == true { return requestDue }
            endRequests()
            return now + Connection.closingTime
        }
        if let oldest = outbox.oldest, now - oldest >= Int64(services.limits.outboxAge) {
            closeSlowReader()
            return now + Connection.closingTime
        }
        let messageDue = deadlines.messageDue(time: services.limits.messageTime)
        if let messageDue, now >= messageDue {
            fail(.slowSender, "a message that makes no progress")
            return now + Connection.closingTime
        }
        return min(checkPing(now), outbox.oldest.map { $0 + Int64(services.limits.outboxAge) } ?? .max, messageDue ?? .max)
    }

    /// Detects peers that have vanished without closing.
    ///
    /// - Returns: the time of the next check.
    private func checkPing(_ now: Int64) -> Int64 {
        switch deadlines.liveness(now: now, interval: services.limits.pingInterval, pongTime: services.limits.pongTime) {
        case .quiet(let until): return until
        case .asks:
            deadlines.pinged(now: now)
            queue(WebSocketEncoder.ping())
            return now + Int64(services.limits.pongTime)
        case .gone:
            fail(.pongTimeout, "no answer to a ping")
            return now + Connection.closingTime
        }
    }
}

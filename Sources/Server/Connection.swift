import Bytes
import Family
import HTTP1
import Posix
import Reactor
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
    /// Requests and their answers; `nil` after the upgrade.
    private var http: HTTPExchange?
    private let peer: NetworkAddress?
    private var closing = CloseState()
    /// Frames of an earlier tick whose turn comes with the next one; until then nothing more is received.
    private var held: [UInt8] = []
    /// The last octet from the peer; when this state began; the ping that is not answered: milliseconds of the reactor's clock.
    private var heardAt: Int64
    private var since: Int64
    private var pingedAt: Int64?
    /// Since when a message has been on its way, and the octets of it that came.
    private var messageSince: Int64?
    private var messageOctets = 0
    /// The next look at the clock, and when it is due.
    private var timer: TimerID?
    private var timerDue = Int64.max

    // The small ones stand together: each between two large ones would take eight octets of every connection.

    /// Answers have to leave before another request is read.
    private var isHoldingRequests = false
    /// Everything is said and the stream ended from this side; what still comes is read and dropped. Closing the socket over unread
    /// octets would reset it, and the reset can overtake the close frame or the response.
    private var isLingering = false
    /// The decoder takes messages of the full size.
    private var isWide = false
    /// TLS has not come to an end of its beginning; each step waits for its turn in the shard's queue.
    private(set) var isShakingHands: Bool
    private var isInHandshakeQueue = false
    /// `held` has its turn in the next tick.
    private var isPostponed = false
    /// The kernel is full; epoll says when it is not.
    private var isBlocked = false
    /// Nothing more is said after what is queued; what comes now is discarded. `since` is when that began.
    private var isEnding = false
    /// The tick that received last (`TickQueues.number`).
    private var receivedIn: UInt32 = 0
    /// Octets that were discarded.
    private(set) var discarded: UInt32 = 0

    /// Fragments of one message: who sends each kilobyte alone stays below, who sends each octet alone does not.
    static let maxFragments = 1_024
    /// Octets kept free for control frames, so that a reader who is too slow is still told why it is closed.
    static let controlRoom = 4_096
    /// Milliseconds between requests on a connection that is kept: longer than proxies keep theirs (nginx: 60 s), so that none sends a
    /// request into a connection that is just being closed.
    static let idleTime: Int64 = 75_000
    /// Milliseconds for a whole request head, for content that is read away, and for the first request of a connection.
    static let requestTime: Int64 = 10_000
    /// Milliseconds from the last word to the end of the socket: for the peer to answer a close frame, to take what was sent before it, and to
    /// notice that nobody listens.
    static let closingTime: Int64 = 2_000
    /// Octets that are discarded in that time: what a peer that reads has on its way when the last word reaches it, 84 Mbit/s with 0.1 s between the
    /// two. Then nothing more is received, and the kernel makes the peer wait.
    static let maxDiscarded: UInt32 = 1_048_576
    /// Octets taken from one connection in a tick: a hundred small frames, so that a few members who flood hold the others up by a few
    /// milliseconds. The kernel keeps the rest, and makes the sender wait.
    static let octetsPerTick = 16_384
    /// Messages taken from one connection in a tick: each may be news to a whole family, so that many small ones cost more than their octets.
    static let messagesPerTick = 64
    /// Octets of a message that have to come for each second past `Limits.messageTime`: less than any link that people use.
    static let octetsPerSecond = 1_024

    init(_ services: ConnectionServices, transport: consuming Transport, peer: NetworkAddress?) {
        self.services = services
        self.peer = peer
        isShakingHands = !transport.isEstablished
        self.transport = transport
        decoder = WebSocketDecoder(
            role: .server, limits: WebSocketLimits(maxMessage: services.hub.messageLimit(nil), maxFragments: Connection.maxFragments),
            pool: services.queues.messages)
        outbox = Outbox(pool: services.reactor.buffers, limit: services.limits.outboxOctets + Connection.controlRoom)
        heardAt = services.reactor.now
        since = services.reactor.now
        super.init()
        http = HTTPExchange(wake: { [unowned self] in self.services.queues.markDirty(self) })
    }

    func register() throws(Errno) {
        registration = try services.reactor.add(fd: transport.raw, interest: .readable, channel: self)
        wake(by: since + Connection.requestTime)
    }

    /// One too many: says so and ends.
    func refuse(_ response: [UInt8]) { end(response) }

    /// Whether the WebSocket is open, both ways.
    private var isOpen: Bool { http == nil && closing.isOpen }

    override var isUpgraded: Bool { http == nil }

    /// Octets that wait to be sent.
    var waitingOctets: Int { outbox.octets }

    /// Nothing waits to be sent.
    override var isFlushed: Bool { outbox.isEmpty }

    // MARK: Input

    override func ready(_ events: ReadyEvents) {
        guard !isShakingHands || isLingering else { return queueHandshake() }
        // TLS may have to receive before it can send, and the other way round.
        if events.contains(.writable) || transport.sendWaitsForReadable {
            isBlocked = false
            services.queues.markDirty(self)
        }
        // The peer has disconnected, and nothing is received that would show it.
        if isHoldingRequests || !mayDiscard, !events.isDisjoint(with: [.hungUp, .failed]) { return drop() }
        if !events.isDisjoint(with: [.readable, .hungUp, .failed]) || transport.receiveWaitsForWritable { receive() }
    }

    private func queueHandshake() {
        guard !isInHandshakeQueue, let registration else { return }
        isInHandshakeQueue = true
        try? services.reactor.modify(registration, interest: [])
        services.queues.queueHandshake(self)
    }

    /// The next step of the TLS handshake; with the last one the request may come.
    override func shakeHands() {
        isInHandshakeQueue = false
        guard registration != nil, !isLingering else { return }
        receive()
        if isShakingHands, transport.isEstablished { endHandshake() }
        if !isShakingHands { services.queues.markDirty(self) }
        watch()
    }

    private func endHandshake() {
        guard isShakingHands else { return }
        isShakingHands = false
        services.table.didEndHandshake()
    }

    /// One portion a tick: what is left raises the next event, and the others have their turn before it.
    private func receive() {
        guard !isLingering else { return discard() }
        guard !isHoldingRequests, !isPostponed, receivedIn != services.queues.number else { return }
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
        if transport.receiveWaitsForWritable { services.queues.markDirty(self) }
        switch result {
        case .wouldBlock: return
        case .endOfStream: streamEnded()
        case .done(let count):
            // epoll does not see what TLS holds.
            if transport.hasMore, let registration { services.reactor.callAgain(registration) }
            heardAt = services.reactor.now
            if isEnding { didDiscard(count) }
            if isContent { return resumeRequests() }
            let octets = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            if http == nil { receiveFrames(octets) } else { receiveRequests(UnsafeRawBufferPointer(octets)) }
        }
    }

    /// Octets that may be received now: at the end of a connection, those that are left to be discarded.
    private var discardable: Int { isEnding ? Int(Connection.maxDiscarded - discarded) : .max }

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
        discarded += UInt32(min(count, discardable))
        if !mayDiscard { watch() }
    }

    /// TLS tells the peer what it did wrong, if the socket lives; the stream ends after that.
    private func didBreak(_ error: TransportError) {
        guard case .tls(let error) = error, registration != nil else { return drop() }
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

    /// The answers have left: the requests behind them have their turn.
    private func resumeRequests() {
        isHoldingRequests = false
        guard closing.isOpen, let phase = http?.phase else { return }
        var output: [UInt8] = []
        guard let outcome = http?.resume(caller, to: &output) else { return }
        follow(outcome, output, from: phase)
        if !isHoldingRequests, transport.hasMore, let registration { services.reactor.callAgain(registration) }
    }

    private func follow(_ outcome: HTTPExchange.Outcome, _ output: [UInt8], from phase: HTTPServerConnection.Phase) {
        if !output.isEmpty { queue(output) }
        guard registration != nil else { return }
        if !output.isEmpty || http?.phase != phase || http?.due(since: since) != nil {
            since = services.reactor.now
            wake(by: requestDue)
        }
        if let status = http?.takeRefusal() { services.log(.info, "http", [.init("status", status)]) }
        switch outcome {
        case .waits, .blocked, .suspended:
            isHoldingRequests = outcome != .waits || outbox.octets >= HTTPExchange.maxOutput
            // Epoll would say again and again that there is something to read.
            watch()
            if http?.sendsFile == true { services.queues.markDirty(self) }
        case .ends: end([])
        case .upgraded(let handshake, var frames):
            http = nil
            if let compression = handshake.compression {
                decoder.accept(compression: compression)
                inflates = true
            }
            session = services.hub.didOpen(self)
            // They came in the same segment as the request.
            if !frames.isEmpty { frames.withUnsafeMutableBytes { receiveFrames($0) } }
        }
    }

    /// The peer sends nothing more. A client of HTTP may do so and still wait for its answer.
    private func streamEnded() {
        // Content that will not come.
        if http?.takesContent == true { return drop() }
        guard http != nil, closing.isOpen, !outbox.isEmpty else { return act(closing.streamEnded()) }
        end([])
    }

    /// A response is the last thing said; then the stream ends.
    private func end(_ response: [UInt8]) {
        _ = outbox.append(copying: response, now: services.reactor.now)
        _ = closing.didReceiveClose(nil)
        beginClosing()
        services.queues.markDirty(self)
    }

    private func receiveFrames(_ octets: UnsafeMutableRawBufferPointer) {
        if !isWide {
            let limit = services.hub.messageLimit(session)
            isWide = limit >= services.limits.messageOctets
            decoder.raise(maxMessage: limit)
        }
        decoder.feed(octets)
        var messages = 0
        do throws(WebSocketError) {
            while let event = try decoder.next() {
                switch event {
                case .message(.text, let payload):
                    messages += 1
                    // After our close frame what comes is only read away.
                    if isOpen { services.hub.received(payload, from: self) }
                case .message(.binary, _): fail(.unsupportedData, "huddle.v1 is made of text messages")
                case .ping(let payload): answer(ping: payload)
                case .pong: pingedAt = nil
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

    /// The rest has its turn with the next tick, after those who wait for theirs already.
    private func postpone() {
        guard !isPostponed else { return }
        isPostponed = true
        services.queues.postpone(self)
    }

    /// It is the next tick.
    override func resume() {
        isPostponed = false
        guard registration != nil, !isLingering else { return }
        guard !held.isEmpty else { return receive() }
        receivedIn = services.queues.number
        var octets = held
        held = []
        octets.withUnsafeMutableBytes { receiveFrames($0) }
        // What TLS holds epoll does not tell, and nobody asked for it meanwhile.
        if transport.hasMore, let registration { services.reactor.callAgain(registration) }
    }

    /// Who sends a message octet by octet holds its memory for as long: it has to get on.
    private func noteProgress(_ count: Int) {
        guard decoder.isWithinMessage else {
            messageSince = nil
            return
        }
        if messageSince == nil {
            messageSince = services.reactor.now
            messageOctets = 0
            wake(by: services.reactor.now + Int64(services.limits.messageTime))
        }
        messageOctets += count
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
        // The last of the room is for the close frame.
        guard outbox.room >= Connection.controlRoom else {
            closeSlowReader()
            return
        }
        queue(WebSocketEncoder.pong(payload))
    }

    /// Queues what is not a message: the upgrade's response, control frames.
    private func queue(_ octets: [UInt8]) {
        if outbox.append(copying: octets, now: services.reactor.now) {
            services.queues.markDirty(self)
        } else {
            drop()
        }
    }

    /// Sends what waits, as far as the kernel takes it.
    override func flush() {
        guard registration != nil, !isBlocked, !isLingering, !isShakingHands else { return }
        do throws(TransportError) {
            try sendQueued()
            if http?.sendsFile == true { try sendFile() }
        } catch {
            return drop()
        }
        if outbox.isEmpty, let http, isHoldingRequests ? http.canResume : http.isWoken { resumeRequests() }
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

    /// Sends what the shard allows for a tick of a file; the kernel's word that there is room for more brings the next portion.
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
            case .sent(let count): left -= count
            case .blocked: isBlocked = true
            case .needs(let range): readAhead(range, http)
            case .waits: return
            case .finished: since = services.reactor.now
            }
        }
    }

    private func readAhead(_ range: Range<Int>, _ http: HTTPExchange) {
        guard let content = http.sentFile else { return }
        since = services.reactor.now
        let file = content.file
        services.workers.work(content.key) {
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
        isLingering = true
        isBlocked = false
        beginClosing()
        watch()
    }

    private func watch() {
        guard let registration else { return }
        var interest: Interest = isHoldingRequests && !isLingering || !mayDiscard ? [] : .readable
        if !isLingering, isBlocked && !transport.sendWaitsForReadable || transport.receiveWaitsForWritable { interest.insert(.writable) }
        try? services.reactor.modify(registration, interest: interest)
    }

    /// Takes nothing more for a reader who is too slow; what waits, and why it ends, it may still read for a moment.
    private func closeSlowReader() {
        services.log(.warning, "slow_reader", [.init("session", session ?? 0), .init("octets", outbox.octets)])
        close(.slowReader, "too slow; come back with your cursor", dropsQueue: false)
    }

    // MARK: Ends

    /// Closes for what the peer did or did not do, with a line in the log.
    override func fail(_ code: Wire.CloseCode, _ reason: String) {
        guard isOpen else { return }
        note("closing", code.rawValue, reason)
        close(code, reason, dropsQueue: false)
    }

    private func note(_ event: StaticString, _ code: UInt16, _ reason: String) {
        services.log(.info, event, [.init("session", session ?? 0), .init("code", code), .init("reason", reason)])
    }

    /// Sends a close frame after what was queued. With `dropsQueue`, what the kernel does not take at once is not sent any more,
    /// the close frame included: a person without rights gets nothing more.
    override func close(_ code: Wire.CloseCode, _ reason: String, dropsQueue: Bool) {
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

    /// The socket is gone, or not worth waiting for.
    override func drop() {
        guard let registration else { return }
        self.registration = nil
        services.reactor.remove(registration)
        if let timer { services.reactor.cancel(timer) }
        timer = nil
        endHandshake()
        outbox.removeAll()
        _ = closing.streamEnded()
        endSession()
        http?.cancel()
        services.table.remove(self)
    }

    // MARK: Time

    /// When a peer that has not got on with its request, or has not taken its answers, is given up.
    private var requestDue: Int64 {
        if let oldest = outbox.oldest { return oldest + Int64(services.limits.outboxAge) }
        if let due = http?.due(since: since) { return due }
        let isKept = http?.phase == .idle && http?.hasAnswered == true
        return since + (isKept ? Connection.idleTime : Connection.requestTime)
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

    /// Has a look at the clock no later than then. One timer serves all that can become due: it is set anew when it fires, and when
    /// something shorter begins.
    private func wake(by due: Int64) {
        guard due < timerDue, registration != nil else { return }
        if let timer { services.reactor.cancel(timer) }
        timerDue = due
        timer = services.reactor.schedule(afterMilliseconds: due - services.reactor.now, self, kind: 0)
    }

    /// Begins the time for the end, once.
    private func beginClosing() {
        guard !isEnding else { return }
        isEnding = true
        since = services.reactor.now
        wake(by: since + Connection.closingTime)
    }

    override func timerFired(kind: Int) {
        timer = nil
        timerDue = .max
        let next = check(now: services.reactor.now)
        wake(by: next)
    }

    /// Ends what takes too long.
    ///
    /// - Returns: when to look again.
    private func check(now: Int64) -> Int64 {
        guard !isLingering, closing.isOpen else {
            guard now - since >= Connection.closingTime else { return since + Connection.closingTime }
            if isLingering || isShakingHands { drop() } else { act(closing.timerFired()) }
            return since + Connection.closingTime
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
        if let messageDue, now >= messageDue {
            fail(.slowSender, "a message that does not get on")
            return now + Connection.closingTime
        }
        return min(checkPing(now), outbox.oldest.map { $0 + Int64(services.limits.outboxAge) } ?? .max, messageDue ?? .max)
    }

    private var messageDue: Int64? {
        messageSince.map { $0 + Int64(services.limits.messageTime) + Int64(messageOctets) * 1_000 / Int64(Connection.octetsPerSecond) }
    }

    /// Finds peers who have gone without a word.
    private func checkPing(_ now: Int64) -> Int64 {
        if let asked = pingedAt {
            guard heardAt <= asked else {
                pingedAt = nil
                return checkPing(now)
            }
            guard now - asked >= Int64(services.limits.pongTime) else { return asked + Int64(services.limits.pongTime) }
            fail(.pongTimeout, "no answer to a ping")
            return now + Connection.closingTime
        }
        guard now - heardAt >= Int64(services.limits.pingInterval) else { return heardAt + Int64(services.limits.pingInterval) }
        pingedAt = now
        queue(WebSocketEncoder.ping())
        return now + Int64(services.limits.pongTime)
    }
}

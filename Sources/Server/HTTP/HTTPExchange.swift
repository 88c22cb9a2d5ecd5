import HTTP1
import Posix
import TLS
import WebSocket

/// The requests of one connection until it is upgraded or ends: the waiting octets, the handler of the current request,
/// and the responses.
///
/// Requests are answered one after the other. Most are answered immediately; while a handler (`RequestHandler`) works
/// on one, everything behind it waits. Content that a handler accepts is received into its buffers, and a file in a
/// response is sent from the disk.
///
/// A class, so that its memory is released once the connection is a WebSocket, as nearly all connections are.
final class HTTPExchange: HandlerTurn {
    private var machine = HTTPServerConnection()
    /// Received octets that are not consumed: part of a head, or requests that wait until responses are sent.
    private var held: [UInt8] = []
    /// The handler of the current request.
    private var work: RequestHandler?
    /// The handler's output that is not sent: octets before its response, and the response.
    private var interim: [UInt8] = []
    private var answer: HTTPResponse?
    private var content = HTTPContent()
    /// The content of the response that is being sent.
    private var file: FileContent?
    /// The progress of the peer, while it sends content or receives a file.
    private var progress: Progress?
    /// The time at which octets of accepted content last came: milliseconds of the reactor's clock.
    private(set) var contentAt: Int64 = 0
    /// Whether a request was answered and the connection is kept for another.
    private(set) var hasAnswered = false
    /// The time at which the head of the request was complete: milliseconds of the reactor's clock.
    private var requestAt: Int64 = 0
    private var refusedStatus: Int?
    private var isRefusalTaken = false
    /// Called when a handler has output or accepts more: `resume`.
    private let wake: () -> Void

    init(wake: @escaping () -> Void) { self.wake = wake }

    /// The largest number of octets of unsent responses: from a client that sends requests and reads no responses, the
    /// server stops reading.
    static let maxOutput = 65_536
    /// Milliseconds for a handler's answer: a disk that takes longer for one step will not do it at all.
    static let workTime: Int64 = 120_000

    enum Outcome: Equatable {
        /// More octets have to come.
        case waits
        /// The responses must be sent first: receive nothing, and then call `resume`.
        case blocked
        /// A handler works on a response, or on the received content: receive nothing until `canResume`.
        case suspended
        /// The stream ends when the responses are sent.
        case ends
        /// The WebSocket began; the octets behind the request are frames. The cookie is a token, if a valid one came.
        case upgraded(WebSocketHandshake, [UInt8], cookie: String?)
    }

    /// The client of a request, and the facts about it that the exchange needs.
    struct Caller {
        var site: HTTPSite
        var peer: NetworkAddress?
        var isSecure: Bool
        /// Milliseconds of the reactor's clock.
        var now: Int64
        /// Whether one more WebSocket from this address is allowed.
        var admits: (NetworkAddress?) -> Bool
    }

    /// The status of the first refusal, once, for the log: a client that sends invalid requests sends many.
    func takeRefusal() -> Int? {
        guard !isRefusalTaken, let refusedStatus else { return nil }
        isRefusalTaken = true
        return refusedStatus
    }

    /// The event for which the connection waits.
    var phase: HTTPServerConnection.Phase { machine.phase }

    // MARK: Requests

    /// Takes received octets, and appends the octets to send to `output`.
    func receive(_ octets: UnsafeRawBufferPointer, _ caller: Caller, to output: inout [UInt8]) -> Outcome {
        guard held.isEmpty else {
            held += octets
            return resume(caller, to: &output)
        }
        let (outcome, consumed) = proceed(octets.assumingMemoryBound(to: UInt8.self).span, caller, &output)
        return keep(outcome, octets[consumed...], caller.now)
    }

    /// Continues with the waiting octets.
    func resume(_ caller: Caller, to output: inout [UInt8]) -> Outcome {
        let all = held
        held = []
        let (outcome, consumed) = proceed(all.span, caller, &output)
        return keep(outcome, all[consumed...], caller.now)
    }

    private func keep(_ outcome: Outcome, _ rest: some Collection<UInt8>, _ now: Int64) -> Outcome {
        if case .upgraded(let handshake, _, let cookie) = outcome { return .upgraded(handshake, Array(rest), cookie: cookie) }
        if outcome != .ends { held = Array(rest) }
        let isWaitedFor = file != nil || takesContent && outcome == .waits
        progress = isWaitedFor ? progress ?? Progress(now: now) : nil
        return outcome
    }

    private func proceed(_ octets: Span<UInt8>, _ caller: Caller, _ output: inout [UInt8]) -> (Outcome, consumed: Int) {
        var consumed = 0
        while true {
            if file != nil { return (.blocked, consumed) }
            if answer != nil { caller.site.counts.time.record(max(caller.now - requestAt, 0) * 1_000_000) }
            say(caller.site, &output)
            if file != nil { return (.blocked, consumed) }
            if output.count >= HTTPExchange.maxOutput, machine.phase != .closing { return (.blocked, consumed) }
            handOver(atLeast: HTTPContent.enough)
            if takesContent, !content.hasRoom { return (.suspended, consumed) }
            let end = takesContent ? min(octets.count, consumed + content.room) : octets.count
            let (event, count) = machine.next(octets.extracting(consumed..<end))
            let start = consumed
            consumed += count
            switch event {
            case .needsMore, .waits:
                if machine.phase == .closing { return (.ends, consumed) }
                if count == 0 {
                    // Output that was made in the meantime is sent first.
                    if isWoken { continue }
                    return (work == nil || takesContent ? .waits : .suspended, consumed)
                }
            // Content that no handler accepts, or that comes after the response, is discarded.
            case .content(let range) where takesContent:
                content.append(octets.extracting(start + range.lowerBound..<start + range.upperBound))
                progress?.move(range.count)
                contentAt = caller.now
            case .content: break
            case .contentEnd:
                handOver(atLeast: 1)
                work?.endContent()
            case .refused(let error): refuse(error, caller.site, &output)
            case .request(let head):
                requestAt = caller.now
                switch caller.site.answer(head, peer: caller.peer, isSecure: caller.isSecure) {
                case .response(let response):
                    caller.site.counts.time.record(0)
                    respond(response, caller.site, &output)
                case .handler(let new):
                    work = new
                    new.start(in: self)
                case .upgrade(let handshake, let source, let cookie):
                    guard caller.admits(source.address) else {
                        respond(caller.site.crowded, caller.site, &output)
                        continue
                    }
                    machine.upgrade()
                    output += handshake.response
                    return (.upgraded(handshake, [], cookie: cookie), consumed)
                }
            }
        }
    }

    private func refuse(_ error: HTTPError, _ site: HTTPSite, _ output: inout [UInt8]) {
        handOver(atLeast: 1)
        let own = work?.refused(error)
        work?.leave()
        work = nil
        answer = nil
        respond(own ?? site.refusal(error.status), site, &output)
    }

    private func respond(_ response: HTTPResponse, _ site: HTTPSite, _ output: inout [UInt8]) {
        hasAnswered = true
        site.counts.responses.add(response.status)
        if response.status >= 400, refusedStatus == nil { refusedStatus = response.status }
        let head = ResponseHead(response.status, response.fields(with: HTTPSite.security))
        let hasContent = machine.respond(head, .octets(response.length), date: site.date, to: &output)
        if hasContent, let file = response.file, file.length > 0 {
            self.file = file
            return
        }
        if hasContent { response.content.withUnsafeBytes { machine.append($0, to: &output) } }
        machine.finishResponse(to: &output)
    }

    /// The awaited octets did not come: 408 if a request has begun, otherwise nothing. The stream ends after it.
    func timedOut(_ site: HTTPSite, to output: inout [UInt8]) {
        held = []
        let own = answer == nil ? work?.tooSlow() : nil
        cancel()
        if machine.timedOut() { respond(own ?? site.refusal(408), site, &output) }
    }

    /// The server is shutting down: the current request is the last.
    func endSoon() { machine.endSoon() }

    // MARK: Handlers

    /// Whether a handler works on a request and has not answered.
    var isSuspended: Bool { work != nil && answer == nil }

    /// Whether a handler has output.
    var isWoken: Bool { answer != nil || !interim.isEmpty }

    /// Whether `resume` would make progress, once the responses are sent.
    var canResume: Bool { file == nil && (work == nil || isWoken || takesContent && content.hasRoom) }

    /// Whether content is accepted, with or without room for it.
    var takesContent: Bool { work != nil && answer == nil && machine.takesContent }

    private func say(_ site: HTTPSite, _ output: inout [UInt8]) {
        output += interim
        interim = []
        guard let answer else { return }
        self.answer = nil
        work = nil
        content = HTTPContent()
        respond(answer, site, &output)
    }

    /// For `RequestHandler`.
    func handOverAll() { handOver(atLeast: 1) }

    /// For `RequestHandler`.
    var gathered: Int { content.gathered }

    private func handOver(atLeast least: Int) {
        guard let work, answer == nil, let buffer = content.handOver(atLeast: least) else { return }
        work.take(buffer)
    }

    /// The peer has disconnected, or was given up: nobody will read the response.
    func cancel() {
        handOver(atLeast: 1)
        let cancelled = answer == nil ? work : nil
        work?.leave()
        work = nil
        answer = nil
        interim = []
        file = nil
        progress = nil
        cancelled?.cancelled()
    }

    /// For `RequestHandler`.
    func accept(limit: Int) -> Bool {
        do throws(HTTPError) {
            interim += try machine.accept(limit: limit)
        } catch {
            return false
        }
        wake()
        return true
    }

    /// For `RequestHandler`.
    func inform(_ head: ResponseHead) {
        machine.inform(head, to: &interim)
        wake()
    }

    /// For `RequestHandler`.
    func respond(_ response: HTTPResponse) {
        answer = response
        wake()
    }

    /// For `RequestHandler`.
    func pass(to other: RequestHandler) {
        work = other
        other.start(in: self)
    }

    /// For `RequestHandler`.
    func takeBack(_ buffer: consuming ContentBuffer) {
        let wasFull = !content.hasRoom
        content.takeBack(buffer)
        if wasFull { wake() }
    }

    // MARK: Content of requests

    /// Whether the next octets are content that goes directly into a handler's buffers: call `receiveContent` when they
    /// come.
    var receivesContent: Bool { takesContent && held.isEmpty && machine.contentLeft > 0 && content.hasRoom }

    /// Receives content. Then call `resume`, which hands over full buffers and detects the end.
    func receiveContent(from transport: inout Transport, now: Int64) throws(TransportError) -> IOResult {
        let result = try content.receive(from: &transport, limit: machine.contentLeft)
        if case .done(let count) = result {
            machine.didReceive(count)
            progress?.move(count)
            contentAt = now
        }
        return result
    }

    // MARK: Files

    /// Whether a file is being sent.
    var sendsFile: Bool { file != nil }

    /// The file, for reading ahead in it.
    var sentFile: FileContent? { file }

    /// See `FileContent.step`. After `.finished` the response is complete.
    func sendFile(
        to transport: inout Transport, scratch: UnsafeMutableRawBufferPointer, limit: Int
    ) throws(TransportError) -> FileContent.Step {
        guard let file else { return .finished }
        let step = try file.step(&transport, scratch: scratch, limit: limit)
        switch step {
        case .said(let octets): machine.didSend(octets.count)
        case .sent(let count):
            machine.didSend(count)
            progress?.move(count)
        case .finished:
            self.file = nil
            progress = nil
            var nothing: [UInt8] = []
            machine.finishResponse(to: &nothing)
        case .blocked, .needs, .waits: break
        }
        return step
    }

    // MARK: Time

    /// The time of the next check of the peer's or the handler's progress; `nil` if the connection's own deadlines
    /// apply.
    ///
    /// - Parameter since: the time of the last event.
    func due(since: Int64) -> Int64? {
        if let progress, file?.isReading != true { return progress.due }
        // A response that is not sent yet belongs to its handler: until then the server waits for no request.
        return work != nil || file != nil ? since + HTTPExchange.workTime : nil
    }

    /// The server waits for the peer again, after it waited for the disk.
    func beginProgress(now: Int64) { progress = Progress(now: now) }

    /// Whether a peer that sends content or receives a file has moved enough of it.
    func goesOn(now: Int64) -> Bool { file?.isReading != true && progress?.goesOn(now: now) == true }
}

@available(*, unavailable) extension HTTPExchange: Sendable {}

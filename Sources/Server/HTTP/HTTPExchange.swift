import HTTP1
import Posix
import TLS
import WebSocket

/// The requests of one connection until it is upgraded or ends: the octets that wait, who works on a request, and the answers.
///
/// Requests are answered one after the other. Most are answered at once; for one that is worked on (`RequestHandler`) everything behind it waits.
/// Content that a work takes is received into its buffers, a file that is the answer is sent from where it is.
///
/// A class, so that its memory is given back once the connection is a WebSocket, which is what nearly all of them are.
final class HTTPExchange: HandlerTurn {
    private var machine = HTTPServerConnection()
    /// What came and is not consumed: part of a head, or requests behind one whose answers have to leave first.
    private var held: [UInt8] = []
    /// Who has the turn.
    private var work: RequestHandler?
    /// What it has said and is not sent: octets before its response, and the response.
    private var interim: [UInt8] = []
    private var answer: HTTPResponse?
    private var content = HTTPContent()
    /// The content of the response that is being sent.
    private var file: FileContent?
    /// Of the peer, while it sends content or takes a file.
    private var progress: Progress?
    /// When octets of content last came that a work takes: milliseconds of the reactor's clock.
    private(set) var contentAt: Int64 = 0
    /// A request was answered: the connection is kept for another.
    private(set) var hasAnswered = false
    /// When the head of the request was complete: milliseconds of the reactor's clock.
    private var requestAt: Int64 = 0
    private var refusedStatus: Int?
    private var isRefusalTaken = false
    /// Called when a work has said something or takes more: `resume`.
    private let wake: () -> Void

    init(wake: @escaping () -> Void) { self.wake = wake }

    /// Octets of answers that are made before they have left: who sends requests and reads no answers is not read from either.
    static let maxOutput = 65_536
    /// Milliseconds for an answer that is worked on: a disk that takes longer for one step will not do it at all.
    static let workTime: Int64 = 120_000

    enum Outcome: Equatable {
        /// More octets have to come.
        case waits
        /// The answers have to leave first: receive nothing, and call `resume` then.
        case blocked
        /// Somebody works on an answer, or is busy with the content that came: receive nothing until `canResume`.
        case suspended
        /// The stream ends when the answers have left.
        case ends
        /// The WebSocket began; the octets behind the request are frames. The cookie is a token, if there is one that counts.
        case upgraded(WebSocketHandshake, [UInt8], cookie: String?)
    }

    /// Who asks, and what for.
    struct Caller {
        var site: HTTPSite
        var peer: NetworkAddress?
        var isSecure: Bool
        /// Milliseconds of the reactor's clock.
        var now: Int64
        /// Whether one more WebSocket from this address is welcome.
        var admits: (NetworkAddress?) -> Bool
    }

    /// The status of the first refusal, once, for the log: who sends nonsense sends much of it.
    func takeRefusal() -> Int? {
        guard !isRefusalTaken, let refusedStatus else { return nil }
        isRefusalTaken = true
        return refusedStatus
    }

    /// What the peer is waited for.
    var phase: HTTPServerConnection.Phase { machine.phase }

    // MARK: Requests

    /// Takes what came, and appends to `output` what is to be sent.
    func receive(_ octets: UnsafeRawBufferPointer, _ caller: Caller, to output: inout [UInt8]) -> Outcome {
        guard held.isEmpty else {
            held += octets
            return resume(caller, to: &output)
        }
        let (outcome, consumed) = proceed(octets.assumingMemoryBound(to: UInt8.self).span, caller, &output)
        return keep(outcome, octets[consumed...], caller.now)
    }

    /// Goes on with what waits.
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
                    // What was said meanwhile goes out first.
                    if isWoken { continue }
                    return (work == nil || takesContent ? .waits : .suspended, consumed)
                }
            // Before somebody takes it, or after the answer, it is read away.
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

    /// What was waited for did not come: 408 when a request is open, nothing when none is. The stream ends after it.
    func timedOut(_ site: HTTPSite, to output: inout [UInt8]) {
        held = []
        let own = answer == nil ? work?.tooSlow() : nil
        cancel()
        if machine.timedOut() { respond(own ?? site.refusal(408), site, &output) }
    }

    /// The server ends: what is being answered is the last.
    func endSoon() { machine.endSoon() }

    // MARK: Works

    /// Somebody works on a request, and has not answered.
    var isSuspended: Bool { work != nil && answer == nil }

    /// A work has something to say.
    var isWoken: Bool { answer != nil || !interim.isEmpty }

    /// `resume` would get on, once the answers have left.
    var canResume: Bool { file == nil && (work == nil || isWoken || takesContent && content.hasRoom) }

    /// Content is wanted, whether there is room for it or not.
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

    /// The peer has gone, or is given up: nobody hears the answer.
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

    /// The next octets are content that is received where it belongs: by `receiveContent`, when they come.
    var receivesContent: Bool { takesContent && held.isEmpty && machine.contentLeft > 0 && content.hasRoom }

    /// Receives content. Call `resume` then: it hands over what is enough, and sees the end.
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

    /// A file is being sent.
    var sendsFile: Bool { file != nil }

    /// The file, for reading ahead in it.
    var sentFile: FileContent? { file }

    /// See `FileContent.step`. After `.finished` the response is whole.
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

    /// When to look whether the peer or a work is given up; `nil` when the connection's own times hold.
    ///
    /// - Parameter since: when something last happened.
    func due(since: Int64) -> Int64? {
        if let progress, file?.isReading != true { return progress.due }
        // An answer that is there and has not left belongs to its work: in that moment no request is waited for.
        return work != nil || file != nil ? since + HTTPExchange.workTime : nil
    }

    /// The peer is waited for again, after the disk was.
    func beginProgress(now: Int64) { progress = Progress(now: now) }

    /// Whether a peer that sends content or takes a file has moved enough of it to go on.
    func goesOn(now: Int64) -> Bool { file?.isReading != true && progress?.goesOn(now: now) == true }
}

@available(*, unavailable) extension HTTPExchange: Sendable {}

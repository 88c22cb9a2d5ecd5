import HTTP1
import WebSocket

/// The requests of one connection until it is upgraded or ends: the octets that wait, and the answers.
///
/// Content of requests is wanted by no resource yet: it is read away. An upload would `accept` it and stop receiving while its disk is
/// busy; a file would be sent from where it is, between `respond` and `finishResponse`, and told to the machine with `didSend`.
///
/// A class, so that its memory is given back once the connection is a WebSocket, which is what nearly all of them are.
final class HTTPExchange {
    private var machine = HTTPServerConnection()
    /// What came and is not consumed: part of a head, or requests behind one whose answers have to leave first.
    private var held: [UInt8] = []
    /// A request was answered: the connection is kept for another.
    private(set) var hasAnswered = false
    private var refusedStatus: Int?
    private var isRefusalTaken = false

    /// Octets of answers that are made before they have left: who sends requests and reads no answers is not read from either.
    static let maxOutput = 65_536

    enum Outcome: Equatable {
        /// More octets have to come.
        case waits
        /// The answers have to leave first: receive nothing, and call `resume` then.
        case blocked
        /// The stream ends when the answers have left.
        case ends
        /// The WebSocket began; the octets behind the request are frames.
        case upgraded(WebSocketHandshake, [UInt8])
    }

    /// Who asks, and what for.
    struct Caller {
        var site: HTTPSite
        var peer: NetworkAddress?
        var isSecure: Bool
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

    /// Takes what came, and appends to `output` what is to be sent.
    func receive(_ octets: UnsafeRawBufferPointer, _ caller: Caller, to output: inout [UInt8]) -> Outcome {
        guard held.isEmpty else {
            held += octets
            return resume(caller, to: &output)
        }
        let (outcome, consumed) = proceed(octets.assumingMemoryBound(to: UInt8.self).span, caller, &output)
        return keep(outcome, octets[consumed...], &output)
    }

    /// Goes on with what waits.
    func resume(_ caller: Caller, to output: inout [UInt8]) -> Outcome {
        let all = held
        held = []
        let (outcome, consumed) = proceed(all.span, caller, &output)
        return keep(outcome, all[consumed...], &output)
    }

    private func keep(_ outcome: Outcome, _ rest: some Collection<UInt8>, _ output: inout [UInt8]) -> Outcome {
        if case .upgraded(let handshake, _) = outcome { return .upgraded(handshake, Array(rest)) }
        if outcome != .ends { held = Array(rest) }
        return outcome
    }

    private func proceed(_ octets: Span<UInt8>, _ caller: Caller, _ output: inout [UInt8]) -> (Outcome, consumed: Int) {
        var consumed = 0
        while true {
            let (event, count) = machine.next(octets.extracting(consumed...))
            consumed += count
            switch event {
            case .needsMore, .waits:
                if machine.phase == .closing { return (.ends, consumed) }
                if count == 0 { return (.waits, consumed) }
            // Nobody accepts any.
            case .content, .contentEnd: break
            case .refused(let error): respond(caller.site.refusal(error.status), caller.site, &output)
            case .request(let head):
                switch caller.site.answer(head, peer: caller.peer, isSecure: caller.isSecure) {
                case .response(let response): respond(response, caller.site, &output)
                case .upgrade(let handshake, let source):
                    guard caller.admits(source.address) else {
                        respond(caller.site.crowded, caller.site, &output)
                        continue
                    }
                    machine.upgrade()
                    output += handshake.response
                    return (.upgraded(handshake, []), consumed)
                }
                if output.count >= HTTPExchange.maxOutput, machine.phase != .closing { return (.blocked, consumed) }
            }
        }
    }

    private func respond(_ response: HTTPResponse, _ site: HTTPSite, _ output: inout [UInt8]) {
        hasAnswered = true
        if response.status >= 400, refusedStatus == nil { refusedStatus = response.status }
        let head = ResponseHead(response.status, response.fields + HTTPSite.security)
        let hasContent = machine.respond(head, .octets(response.content.count), date: site.date, to: &output)
        if hasContent { response.content.withUnsafeBytes { machine.append($0, to: &output) } }
        machine.finishResponse(to: &output)
    }

    /// What was waited for did not come: 408 when a request is open, nothing when none is. The stream ends after it.
    func timedOut(_ site: HTTPSite, to output: inout [UInt8]) {
        held = []
        if machine.timedOut() { respond(site.refusal(408), site, &output) }
    }

    /// The server ends: what is being answered is the last.
    func endSoon() { machine.endSoon() }
}

@available(*, unavailable) extension HTTPExchange: Sendable {}

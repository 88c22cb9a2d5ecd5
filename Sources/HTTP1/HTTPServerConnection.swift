/// One connection at a server, request after request (RFC 9112 §9): it interprets the received octets and frames the
/// responses.
///
/// It stores no octets. The caller keeps the unconsumed ones, at most `maxHeld` of a head; while no octets are needed
/// (`.waits`) the caller stops receiving, and TCP stops the peer. It has no clock: `phase` says what the connection is
/// waiting for. Requests are answered one at a time and in order, even if many were sent together.
package struct HTTPServerConnection: Sendable {
    /// The next event.
    package enum Event: Equatable, Sendable {
        /// Nothing until more octets arrive.
        case needsMore
        /// Nothing until the caller acts: it has to `accept` content or to finish its response.
        case waits
        /// A request. `accept` its content if it has some that is needed; then, or immediately, `respond`, or
        /// `upgrade`.
        case request(RequestHead)
        /// Octets of accepted content, as a range of the given octets.
        case content(Range<Int>)
        /// The accepted content is complete.
        case contentEnd
        /// The request is invalid, or has too much content: `respond` with the error's status. The connection ends
        /// after it.
        case refused(HTTPError)
    }

    /// The phase in which the peer is awaited, for the caller's timers.
    package enum Phase: Equatable, Sendable {
        /// A request of which no octet has arrived: on a connection kept alive, or a new one.
        case idle
        /// The rest of a head.
        case head
        /// Content that was accepted, or is being discarded.
        case content
        /// Nothing: the server has to respond, or the peer has to receive the response.
        case answering
        /// Nothing more: end the stream once everything is sent.
        case closing
        /// The next protocol owns all octets.
        case upgraded
    }

    /// The octets of content that are discarded after an early response, to keep the connection for the next request:
    /// about the size of a receive buffer. Above the limit, closing is cheaper.
    package static let maxDrain = 65_536
    /// The largest number of requests on one connection. New connections are counted, per address and in total; this
    /// limit makes a long-lived client count again as well, and lets a load balancer move it to where there is room.
    package static let maxRequests = 1_000
    /// The number of new octets after which an incomplete head is parsed again although no line has ended; it bounds
    /// the work for a head that arrives slowly.
    private static let lookAgain = 4_096

    private enum Input: Sendable {
        case head
        /// Content that was not accepted yet, or that is being read, or that is being discarded.
        case pending(Framing)
        case content(ContentReader)
        case draining(ContentReader)
        case done
    }

    private enum Output: Equatable, Sendable {
        case none
        /// A request, or a refusal, without a response so far.
        case awaited
        case sending(ResponseFraming)
    }

    private enum ResponseFraming: Equatable, Sendable {
        case length(left: Int)
        case chunked
        case toTheEnd
    }

    private let limits: HeadLimits
    private var input = Input.head
    private var output = Output.none
    /// The octets of the head that were parsed without success.
    private var tried = 0
    private var requests = 0
    private var method = ""
    private var minorVersion = 1
    private var keepsAlive = true
    /// Whether the client withholds its content until it receives 100 or a final status.
    private var awaitsContinue = false
    private var isClosed = false
    private var isUpgraded = false

    package init(limits: HeadLimits = .standard) { self.limits = limits }

    /// The largest number of octets of an unfinished head that the caller may have to keep.
    package var maxHeld: Int { limits.total }

    package var phase: Phase {
        if isUpgraded { return .upgraded }
        if isClosed { return .closing }
        switch input {
        case .head: return output != .none ? .answering : tried == 0 ? .idle : .head
        case .content, .draining: return .content
        case .pending, .done: return .answering
        }
    }

    // MARK: Input

    /// Reads the front of `octets`, which are all octets received and not consumed yet.
    ///
    /// - Returns: the event, and the number of consumed octets. Call it again with the rest until it returns
    ///   `.needsMore` or `.waits` and consumes nothing.
    package mutating func next(_ octets: Span<UInt8>) -> (event: Event, consumed: Int) {
        guard !isUpgraded, !isClosed else { return (.waits, 0) }
        do throws(HTTPError) {
            switch input {
            case .head: return output == .none ? try nextHead(octets) : (.waits, 0)
            case .pending, .done: return (.waits, 0)
            case .content(var reader):
                let piece = try reader.read(octets)
                let isEnd = piece.isEnd && piece.content.isEmpty
                input = isEnd ? .done : .content(reader)
                return (isEnd ? .contentEnd : piece.content.isEmpty ? .needsMore : .content(piece.content), piece.consumed)
            case .draining(let reader): return drain(octets, reader)
            }
        } catch {
            keepsAlive = false
            input = .done
            output = .awaited
            return (.refused(error), 0)
        }
    }

    private mutating func nextHead(_ octets: Span<UInt8>) throws(HTTPError) -> (event: Event, consumed: Int) {
        var isWorthIt = tried == 0 || octets.count - tried >= Self.lookAgain
        var index = tried
        while !isWorthIt, index < octets.count {
            // A line feed, or an octet that is not allowed in a head at all, including a CR without a line feed.
            isWorthIt = octets[index] < 0x20 && octets[index] != 0x0D && octets[index] != 0x09 || index > 0 && octets[index - 1] == 0x0D
            index += 1
        }
        guard isWorthIt, octets.count > 0 else { return (.needsMore, 0) }
        // The values of the previous request must not shape the response to an invalid one.
        method = ""
        minorVersion = 1
        guard let (head, length) = try RequestHead.parse(octets, limits: limits) else {
            tried = octets.count
            return (.needsMore, 0)
        }
        tried = 0
        requests += 1
        method = head.method
        minorVersion = head.minorVersion
        keepsAlive = head.keepsAlive && requests < Self.maxRequests
        // Expectations in HTTP/1.0 are ignored (RFC 9110 §10.1.1).
        let expectations = minorVersion == 1 ? head.fields.members("expect").map { $0.lowercased() } : []
        guard expectations.allSatisfy({ $0 == "100-continue" }) else { throw .expectation }
        awaitsContinue = !expectations.isEmpty
        input = .pending(head.framing)
        output = .awaited
        return (.request(head), length)
    }

    /// Accepts the content of the request: it arrives as `.content` events followed by `.contentEnd`, even if it is
    /// empty.
    ///
    /// - Parameter limit: octets; above the limit the event is `.refused(.contentTooLarge)`.
    /// - Returns: the octets to send immediately: none, or the `100` that the client waits for.
    /// - Throws: `.contentTooLarge` if the request declares more; `respond` with 413.
    package mutating func accept(limit: Int) throws(HTTPError) -> [UInt8] {
        guard case .pending(let framing) = input else { preconditionFailure("the content of a request is accepted once") }
        input = .content(try ContentReader(framing, limit: limit))
        guard awaitsContinue, framing != .none, framing != .length(0) else { return [] }
        awaitsContinue = false
        var octets: [UInt8] = []
        ResponseHead(100).append(to: &octets)
        return octets
    }

    /// The octets of accepted content that come next without anything between them, if their number is known. The
    /// caller may receive them directly where it needs them, instead of passing them to `next`, and reports them with
    /// `didReceive`. 0 if content is chunked or not accepted.
    package var contentLeft: Int {
        if case .content(let reader) = input { reader.left ?? 0 } else { 0 }
    }

    /// Whether content was accepted and is incomplete.
    package var takesContent: Bool {
        if case .content = input { true } else { false }
    }

    /// Reports octets of content, at most `contentLeft`, that were received without `next`. After the last of them
    /// `next` returns `.contentEnd`.
    package mutating func didReceive(_ count: Int) {
        guard case .content(var reader) = input else { preconditionFailure("content is received where it was accepted") }
        reader.skip(count)
        input = .content(reader)
    }

    /// Discards content that no handler accepted.
    private mutating func drain(_ octets: Span<UInt8>, _ start: ContentReader) -> (event: Event, consumed: Int) {
        var reader = start
        var consumed = 0
        while consumed < octets.count {
            // An error here can no longer be reported: the response has been sent.
            guard let piece = try? reader.read(octets.extracting(consumed...)) else {
                keepsAlive = false
                input = .done
                if output == .none { isClosed = true }
                return (.waits, consumed)
            }
            consumed += piece.consumed
            if piece.isEnd {
                input = output == .none ? .head : .done
                return (.needsMore, consumed)
            }
        }
        input = .draining(reader)
        return (.needsMore, consumed)
    }

    /// Changes the protocol: a 101 response was queued, and every unconsumed octet belongs to the next protocol.
    package mutating func upgrade() {
        precondition(output == .awaited, "an upgrade answers a request")
        isUpgraded = true
    }

    /// Prepares the end of the stream or the server: a pending response is the last one, and without one the connection
    /// is over.
    package mutating func endSoon() {
        keepsAlive = false
        if output == .none { isClosed = true }
    }

    /// Reports that the awaited octets did not come in time.
    ///
    /// - Returns: true if there is a request to answer: `respond` with 408, the connection ends after it. A connection
    ///   without a request just closes (RFC 9112 §9.5).
    package mutating func timedOut() -> Bool {
        let isTold =
            switch phase {
            case .head: true
            case .content: output == .awaited
            default: false
            }
        guard isTold else {
            endSoon()
            return false
        }
        keepsAlive = false
        input = .done
        output = .awaited
        return true
    }

    // MARK: Output

    /// Sends an interim response, any number of times; sends none to an HTTP/1.0 client, which would take it for the
    /// final one (RFC 9110 §15.2).
    ///
    /// - Parameter head: a status of 102...199; `accept` sends 100, the next protocol sends 101.
    package func inform(_ head: ResponseHead, to octets: inout [UInt8]) {
        precondition(output == .awaited && (102...199).contains(head.status), "an interim response comes before the final one")
        if minorVersion == 1 { head.append(to: &octets) }
    }

    /// The length of a response's content.
    package enum ResponseLength: Equatable, Sendable {
        case octets(Int)
        /// Sent in chunks; to an HTTP/1.0 client, until the end of the stream.
        case unknown
    }

    /// Begins the response: appends its head with `Date`, `Connection` and the framing of its content. Content of the
    /// request that has not arrived is discarded from now on, or the connection ends if that would be too much.
    ///
    /// - Parameters:
    ///   - head: a final status; its fields describe the content, but not its length.
    ///   - date: `HTTPDate.text` of now.
    /// - Returns: whether to send the content: `append` it, or send it from elsewhere and call `didSend`. False for
    ///   HEAD, 204 and 304. Call `finishResponse` after it.
    package mutating func respond(_ head: ResponseHead, _ length: ResponseLength, date: String, to octets: inout [UInt8]) -> Bool {
        precondition(output == .awaited && head.status >= 200, "one final response answers one request")
        dropContent()
        let isBare = head.status == 204 || head.status == 304
        var fields = head.fields.list
        fields.append(Field("Date", date))
        var framing = ResponseFraming.length(left: 0)
        switch length {
        case _ where isBare: break
        case .octets(let count):
            fields.append(Field("Content-Length", String(count)))
            framing = .length(left: count)
        case .unknown where minorVersion == 0:
            framing = .toTheEnd
            keepsAlive = false
        case .unknown:
            fields.append(Field("Transfer-Encoding", "chunked"))
            framing = .chunked
        }
        if let option = keepsAlive ? minorVersion == 0 ? "keep-alive" : nil : "close" {
            // After a refused upgrade it already contains `Upgrade` (RFC 9110 §7.8).
            if let index = fields.firstIndex(where: { $0.name.lowercased() == "connection" }) {
                fields[index].value += ", " + option
            } else {
                fields.append(Field("Connection", option))
            }
        }
        ResponseHead(head.status, fields, reason: head.reason).append(to: &octets)
        let hasContent = !isBare && method != "HEAD"
        output = .sending(hasContent ? framing : .length(left: 0))
        return hasContent
    }

    private mutating func dropContent() {
        defer { awaitsContinue = false }
        var reader: ContentReader
        switch input {
        case .pending(.none), .pending(.length(0)), .done, .head, .draining:
            input = .done
            return
        case .pending(let framing):
            // A client that waits for 100 may or may not send the content (RFC 9110 §10.1.1): the next octets could be
            // either.
            guard !awaitsContinue, let fresh = try? ContentReader(framing, limit: Self.maxDrain) else {
                keepsAlive = false
                input = .done
                return
            }
            reader = fresh
        case .content(let begun): reader = begun
        }
        guard keepsAlive, (try? reader.limit(to: Self.maxDrain)) != nil else {
            keepsAlive = false
            input = .done
            return
        }
        input = reader.left == 0 ? .done : .draining(reader)
    }

    /// Appends a part of the response's content, framed.
    ///
    /// - Parameter content: not empty; in total at most the declared length.
    package mutating func append(_ content: UnsafeRawBufferPointer, to octets: inout [UInt8]) {
        guard output == .sending(.chunked) else {
            octets.append(contentsOf: content)
            didSend(content.count)
            return
        }
        // An empty chunk would be the last one.
        guard content.count > 0 else { return }
        octets.append(contentsOf: String(content.count, radix: 16).utf8)
        octets.append(0x0D)
        octets.append(0x0A)
        octets.append(contentsOf: content)
        octets.append(0x0D)
        octets.append(0x0A)
    }

    /// Reports octets of content of a known length that were sent to the socket in another way: from a file, for
    /// example.
    package mutating func didSend(_ count: Int) {
        switch output {
        case .sending(.length(let left)):
            precondition(count <= left, "a response has the length that its head says")
            output = .sending(.length(left: left - count))
        case .sending(.toTheEnd): break
        default: preconditionFailure("content of a known length follows the head of a response")
        }
    }

    /// Completes the response: appends the end of its content. Then call `next` again, and check `phase`.
    package mutating func finishResponse(to octets: inout [UInt8]) {
        switch output {
        case .sending(.chunked): octets.append(contentsOf: "0\r\n\r\n".utf8)
        case .sending(.length(let left)): precondition(left == 0, "a response has the length that its head says")
        case .sending(.toTheEnd): break
        default: preconditionFailure("a response is finished once")
        }
        output = .none
        if !keepsAlive { isClosed = true } else if case .done = input { input = .head }
    }
}

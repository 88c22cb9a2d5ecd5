/// One connection at a server, request after request (RFC 9112 §9): what the octets that came mean, and how a response is framed.
///
/// It holds no octets. The caller keeps those that are not consumed, at most `maxHeld` of a head; while nothing is asked for
/// (`.waits`) it stops receiving, and TCP stops the peer. It has no clock: `phase` says what the peer is being waited for.
/// Requests are answered one at a time and in order, however many were sent at once.
package struct HTTPServerConnection: Sendable {
    /// What comes next.
    package enum Event: Equatable, Sendable {
        /// Nothing before more octets come.
        case needsMore
        /// Nothing before the caller acts: it has to `accept` content or to finish its response.
        case waits
        /// A request. `accept` its content if it has some that is wanted; then, or at once, `respond`, or `upgrade`.
        case request(RequestHead)
        /// Octets of accepted content, by their place in the octets given.
        case content(Range<Int>)
        /// The accepted content is whole.
        case contentEnd
        /// The request cannot be understood, or has too much content: `respond` with the error's status. The connection ends after it.
        case refused(HTTPError)
    }

    /// What the peer is waited for, for whoever keeps time.
    package enum Phase: Equatable, Sendable {
        /// A request, of which nothing has come: a connection kept alive, or a new one.
        case idle
        /// The rest of a head.
        case head
        /// Content that was accepted, or is read away.
        case content
        /// Nothing: we are to answer, or the peer is to take the answer.
        case answering
        /// Nothing more, ever: end the stream once all is sent.
        case closing
        /// Everything is the next protocol's.
        case upgraded
    }

    /// Octets of content that are read away after an early response, to keep the connection for the next request: about what a
    /// receive buffer holds anyway. Past it, closing is cheaper.
    package static let maxDrain = 65_536
    /// Requests on one connection. New connections are counted, per address and in all; so that who holds one forever is counted again
    /// too, and comes back through a balancer to where there is room.
    package static let maxRequests = 1_000
    /// Octets that come before a head is looked at again although no line has ended: it bounds the work for a head that drips in.
    private static let lookAgain = 4_096

    private enum Input: Sendable {
        case head
        /// Content that nobody has asked for yet, or that is being read, or that is read away.
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
    /// Octets of the head that were looked at in vain.
    private var tried = 0
    private var requests = 0
    private var method = ""
    private var minorVersion = 1
    private var keepsAlive = true
    /// The client holds its content back until it hears 100 or a final status.
    private var awaitsContinue = false
    private var isClosed = false
    private var isUpgraded = false

    package init(limits: HeadLimits = .standard) { self.limits = limits }

    /// Octets of an unfinished head that the caller may have to keep.
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

    /// Looks at the front of `octets`, which are all that came and were not consumed yet.
    ///
    /// - Returns: the event, and how many octets are done with. Call it again with the rest until it is `.needsMore` or `.waits` and
    ///   nothing was consumed.
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
            // A line feed, or what may not be in a head at all, a CR without one included.
            isWorthIt = octets[index] < 0x20 && octets[index] != 0x0D && octets[index] != 0x09 || index > 0 && octets[index - 1] == 0x0D
            index += 1
        }
        guard isWorthIt, octets.count > 0 else { return (.needsMore, 0) }
        // What they were for the request before must not shape the answer to one that cannot be read.
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
        // Of HTTP/1.0 no expectation is heard (RFC 9110 §10.1.1).
        let expectations = minorVersion == 1 ? head.fields.members("expect").map { $0.lowercased() } : []
        guard expectations.allSatisfy({ $0 == "100-continue" }) else { throw .expectation }
        awaitsContinue = !expectations.isEmpty
        input = .pending(head.framing)
        output = .awaited
        return (.request(head), length)
    }

    /// Takes the content of the request: it comes as `.content` events, and then `.contentEnd`, also when there is none.
    ///
    /// - Parameter limit: octets; past them the event is `.refused(.contentTooLarge)`.
    /// - Returns: what to send at once: nothing, or the `100` that the client waits for.
    /// - Throws: `.contentTooLarge` when the request says so in advance; `respond` with 413.
    package mutating func accept(limit: Int) throws(HTTPError) -> [UInt8] {
        guard case .pending(let framing) = input else { preconditionFailure("the content of a request is accepted once") }
        input = .content(try ContentReader(framing, limit: limit))
        guard awaitsContinue, framing != .none, framing != .length(0) else { return [] }
        awaitsContinue = false
        var octets: [UInt8] = []
        ResponseHead(100).append(to: &octets)
        return octets
    }

    /// Octets of accepted content that come next and nothing between them, when that is known: they may be received where they are
    /// wanted instead of being given to `next`, and told by `didReceive`. 0 when content is in chunks, or none is taken.
    package var contentLeft: Int {
        if case .content(let reader) = input { reader.left ?? 0 } else { 0 }
    }

    /// Whether content was accepted and is not whole.
    package var takesContent: Bool {
        if case .content = input { true } else { false }
    }

    /// So many octets of content, `contentLeft` at most, came without `next`. After the last of them `next` gives `.contentEnd`.
    package mutating func didReceive(_ count: Int) {
        guard case .content(var reader) = input else { preconditionFailure("content is received where it was accepted") }
        reader.skip(count)
        input = .content(reader)
    }

    /// Reads away what nobody wants.
    private mutating func drain(_ octets: Span<UInt8>, _ start: ContentReader) -> (event: Event, consumed: Int) {
        var reader = start
        var consumed = 0
        while consumed < octets.count {
            // What is wrong now has nobody left to be told: the response is said.
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

    /// The protocol changes: a 101 response was queued, and every octet not consumed is the next protocol's.
    package mutating func upgrade() {
        precondition(output == .awaited, "an upgrade answers a request")
        isUpgraded = true
    }

    /// The stream or the server ends: an answer that is due is the last one, and without one it is over.
    package mutating func endSoon() {
        keepsAlive = false
        if output == .none { isClosed = true }
    }

    /// What was waited for did not come.
    ///
    /// - Returns: true when there is somebody to tell: `respond` with 408, the connection ends after it. A connection that nobody asked
    ///   anything on just closes (RFC 9112 §9.5).
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

    /// Says something before the final response, any number of times; nothing to an HTTP/1.0 client, which would take it for the
    /// final one (RFC 9110 §15.2).
    ///
    /// - Parameter head: a status of 102...199; 100 is said by `accept`, 101 by the next protocol.
    package func inform(_ head: ResponseHead, to octets: inout [UInt8]) {
        precondition(output == .awaited && (102...199).contains(head.status), "an interim response comes before the final one")
        if minorVersion == 1 { head.append(to: &octets) }
    }

    /// How long the content of a response is.
    package enum ResponseLength: Equatable, Sendable {
        case octets(Int)
        /// Sent in chunks; to an HTTP/1.0 client, up to the end of the stream.
        case unknown
    }

    /// Begins the response: appends its head with `Date`, `Connection` and what frames its content. Content of the request that has not
    /// come is read away from now on, or the connection ends where that would be too much.
    ///
    /// - Parameters:
    ///   - head: a final status; its fields say what the content is, not how long.
    ///   - date: `HTTPDate.text` of now.
    /// - Returns: whether the content is to be sent: `append` it, or send it from elsewhere and tell `didSend`. False for HEAD, 204 and
    ///   304. After it `finishResponse`.
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
            // After an upgrade that was refused it already names `Upgrade` (RFC 9110 §7.8).
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
            // Who waits for a word may send the content or not (RFC 9110 §10.1.1): what comes next could be either.
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

    /// Appends some of the response's content, framed.
    ///
    /// - Parameter content: not empty; no more in all than the length that was said.
    package mutating func append(_ content: UnsafeRawBufferPointer, to octets: inout [UInt8]) {
        guard output == .sending(.chunked) else {
            octets.append(contentsOf: content)
            didSend(content.count)
            return
        }
        // A chunk of no octets would be the last.
        guard content.count > 0 else { return }
        octets.append(contentsOf: String(content.count, radix: 16).utf8)
        octets.append(0x0D)
        octets.append(0x0A)
        octets.append(contentsOf: content)
        octets.append(0x0D)
        octets.append(0x0A)
    }

    /// So many octets of content of a known length went their own way to the socket: from a file, say.
    package mutating func didSend(_ count: Int) {
        switch output {
        case .sending(.length(let left)):
            precondition(count <= left, "a response has the length that its head says")
            output = .sending(.length(left: left - count))
        case .sending(.toTheEnd): break
        default: preconditionFailure("content of a known length follows the head of a response")
        }
    }

    /// The response is whole: appends what ends its content. Then look at `next` again, and at `phase`.
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

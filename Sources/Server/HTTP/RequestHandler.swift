import Family
import HTTP1

/// The handler of one request, which may answer later and receives its content in pieces. Subclass it, and return it
/// from a `Route`.
///
/// Everything runs on the reactor's thread. The order of events:
/// 1. `begin`: the handler has the request. Now or later it may
///    - `acceptContent`, once, if it wants the content: a client that waits for 100 receives it only then;
///    - `inform`, any number of times: an interim response (104) is sent immediately;
///    - `respond`, once: at any time, also before the content is complete. The rest of the content is discarded, or the
///      connection ends.
/// 2. `received`: some content. Give each buffer back after use; while `HTTPContent.maxBuffers` are lent out nothing
/// more is received, and TCP slows the client. Before each of the three events below, the last octets are delivered,
/// however few.
/// 3. `contentEnded`: the content is complete.
/// 4. `cancelled` instead, at any time before `respond`: the client has disconnected, or was too slow, or the server is
/// shutting down. `respond` and the other functions do nothing after it, so that a running job need not check.
///
/// Requests behind this one on the same connection wait until its response is sent. Jobs on other threads go through
/// `Workers`, whose results come back on this thread.
class RequestHandler {
    let context: RequestContext
    /// The destination of the response; `nil` before `begin` and after the response.
    private var exchange: (any HandlerTurn)?
    /// The content so far, and the function that takes all of it, after `acceptJSON`.
    private var octets: [UInt8] = []
    private var whenWhole: (([UInt8]) -> Void)?

    init(_ context: RequestContext) { self.context = context }

    // MARK: Events, for subclasses

    func begin() {}

    /// - Parameter buffer: at least one octet; `giveBack` it.
    func received(_ buffer: ContentBuffer) {}

    func contentEnded() {}

    func cancelled() {}

    /// The rest of the content cannot be read: malformed chunks (400), or more octets than were accepted (413). The
    /// connection ends after the answer, and `cancelled` is not called.
    ///
    /// - Returns: the answer; `nil` for the server's default.
    func refused(_ error: HTTPError) -> HTTPResponse? { nil }

    /// The content came too slowly for too long. The connection ends after the answer, and `cancelled` is called next.
    ///
    /// - Returns: the answer; `nil` for the server's default 408.
    func tooSlow() -> HTTPResponse? { nil }

    // MARK: Functions for subclasses

    /// Whether the client still waits for an answer.
    final var isOpen: Bool { exchange != nil }

    /// Accepts the content, also if there is none.
    ///
    /// - Parameter limit: the limit in octets.
    /// - Returns: false if the request declares more: `respond` with 413. True if the length is not known, or if no
    ///   client waits any more.
    final func acceptContent(limit: Int) -> Bool { exchange?.accept(limit: limit) ?? true }

    /// Accepts the content as one JSON object (`JSONBody`), and refuses all other content by itself.
    ///
    /// - Parameter then: called when the content is complete; `received` and `contentEnded` are not.
    final func acceptJSON<Content: JSONContent>(_ type: Content.Type = Content.self, then: @escaping (Content) -> Void) {
        if let refusal = JSONBody.refusal(context.head.fields) { return respond(refusal) }
        whenWhole = { [unowned self] octets in
            do throws(Rejection) { then(try JSONBody.read(octets)) } catch { respond(HTTPResponse(error)) }
        }
        if !acceptContent(limit: Content.maxOctets) { respond(JSONBody.tooLarge) }
    }

    /// Hands over the content that has come, however little it is: `received` is called before this returns.
    final func gather() { exchange?.handOverAll() }

    /// The number of octets that have come and were not handed over.
    final var gathered: Int { exchange?.gathered ?? 0 }

    /// The time at which content last came: milliseconds of the reactor's clock; 0 before any content.
    final var contentAt: Int64 { exchange?.contentAt ?? 0 }

    final func giveBack(_ buffer: consuming ContentBuffer) { exchange?.takeBack(buffer) }

    /// - Parameter status: 102...199, not 101.
    final func inform(_ status: Int, _ fields: [Field]) { exchange?.inform(ResponseHead(status, fields)) }

    final func respond(_ response: HTTPResponse) {
        guard let exchange else { return }
        leave()
        exchange.respond(response)
    }

    /// Passes the turn to another handler, which begins in this call. No content may have been accepted.
    final func pass(to other: RequestHandler) {
        guard let exchange else { return }
        leave()
        exchange.pass(to: other)
    }

    /// For the exchange.
    final func start(in exchange: any HandlerTurn) {
        self.exchange = exchange
        begin()
    }

    /// For the exchange: some content.
    final func take(_ buffer: ContentBuffer) {
        guard whenWhole != nil else { return received(buffer) }
        buffer.withOctets { octets += $0 }
        giveBack(buffer)
    }

    /// For the exchange: the content is complete.
    final func endContent() {
        guard let whenWhole else { return contentEnded() }
        self.whenWhole = nil
        whenWhole(octets)
    }

    /// For the exchange: no answer can be sent any more.
    final func leave() {
        exchange = nil
        whenWhole = nil
    }
}

@available(*, unavailable) extension RequestHandler: Sendable {}

/// The exchange of a request, with the functions that the current handler may use; each is behind one of
/// `RequestHandler`.
protocol HandlerTurn: AnyObject {
    /// The number of octets of content that have come and were not handed over.
    var gathered: Int { get }
    /// The time at which content last came: milliseconds of the reactor's clock.
    var contentAt: Int64 { get }
    func accept(limit: Int) -> Bool
    func handOverAll()
    func takeBack(_ buffer: consuming ContentBuffer)
    func inform(_ head: ResponseHead)
    func respond(_ response: HTTPResponse)
    func pass(to other: RequestHandler)
}

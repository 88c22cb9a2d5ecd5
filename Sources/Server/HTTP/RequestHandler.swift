import Family
import HTTP1

/// The handler of one request, whose answer comes later and whose content comes in pieces. Subclass it, and give it out by a `Route`.
///
/// All on the reactor's thread. The order of what happens:
/// 1. `begin`: the request is this one's. Now or later, not only here, it may
///    - `acceptContent`, once, when it wants the content: a client that waits for it hears 100 only then;
///    - `inform`, any number of times: an interim response (104) goes out at once;
///    - `respond`, once: at any time, also before the content is whole. What is left of it is read away, or the connection ends.
/// 2. `received`: some content. Give each buffer back when it is done with; while `HTTPContent.maxBuffers` are out nothing more is
///    received, and TCP slows the client. Before each of the three that follow the last octets come, however few.
/// 3. `contentEnded`: the content is whole.
/// 4. `cancelled` instead, at any time before `respond`: the client has gone, or was too slow, or the server ends. `respond` and the like do
///    nothing after it, so that a job that is still under way needs not ask.
///
/// Requests behind this one on the same connection wait until its response has left. Jobs on other threads go through `Workers`, whose
/// results come back on this thread.
class RequestHandler {
    let context: RequestContext
    /// Where the response goes; `nil` before `begin` and after the response.
    private var exchange: (any HandlerTurn)?
    /// The content so far, and what is done with the whole, after `acceptJSON`.
    private var octets: [UInt8] = []
    private var whenWhole: (([UInt8]) -> Void)?

    init(_ context: RequestContext) { self.context = context }

    // MARK: What happens; for subclasses

    func begin() {}

    /// - Parameter buffer: at least one octet; `giveBack` it.
    func received(_ buffer: ContentBuffer) {}

    func contentEnded() {}

    func cancelled() {}

    /// The content cannot be read on: chunks that are none (400), or more octets than were accepted (413). The connection ends after the
    /// answer, and `cancelled` is not called.
    ///
    /// - Returns: the answer; `nil` for the server's plain one.
    func refused(_ error: HTTPError) -> HTTPResponse? { nil }

    /// Too little content came for too long. The connection ends after the answer, and `cancelled` is called next.
    ///
    /// - Returns: the answer; `nil` for the server's plain 408.
    func tooSlow() -> HTTPResponse? { nil }

    // MARK: What it does

    /// Whether there is still somebody to answer.
    final var isOpen: Bool { exchange != nil }

    /// Takes the content, also when there is none.
    ///
    /// - Parameter limit: octets.
    /// - Returns: false when the request says that it has more: `respond` with 413. True when that is not known, or nobody waits any more.
    final func acceptContent(limit: Int) -> Bool { exchange?.accept(limit: limit) ?? true }

    /// Takes the content as one JSON object (`JSONBody`); refuses everything else itself.
    ///
    /// - Parameter then: called when the content is whole; `received` and `contentEnded` are not.
    final func acceptJSON<Content: JSONContent>(_ type: Content.Type = Content.self, then: @escaping (Content) -> Void) {
        if let refusal = JSONBody.refusal(context.head.fields) { return respond(refusal) }
        whenWhole = { [unowned self] octets in
            do throws(Rejection) { then(try JSONBody.read(octets)) } catch { respond(HTTPResponse(error)) }
        }
        if !acceptContent(limit: Content.maxOctets) { respond(JSONBody.tooLarge) }
    }

    /// Hands over what came of the content, however little it is: `received` is called before this returns.
    final func gather() { exchange?.handOverAll() }

    /// Octets that came and were not handed over.
    final var gathered: Int { exchange?.gathered ?? 0 }

    /// When some of the content last came: milliseconds of the reactor's clock; 0 before any has.
    final var contentAt: Int64 { exchange?.contentAt ?? 0 }

    final func giveBack(_ buffer: consuming ContentBuffer) { exchange?.takeBack(buffer) }

    /// - Parameter status: 102...199, not 101.
    final func inform(_ status: Int, _ fields: [Field]) { exchange?.inform(ResponseHead(status, fields)) }

    final func respond(_ response: HTTPResponse) {
        guard let exchange else { return }
        leave()
        exchange.respond(response)
    }

    /// Gives the turn to another handler, which begins in this call. Nothing of the content may have been accepted.
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

    /// For the exchange: the content is whole.
    final func endContent() {
        guard let whenWhole else { return contentEnded() }
        self.whenWhole = nil
        whenWhole(octets)
    }

    /// For the exchange: nothing can be said any more.
    final func leave() {
        exchange = nil
        whenWhole = nil
    }
}

@available(*, unavailable) extension RequestHandler: Sendable {}

/// The exchange of a request, as far as the handler that has the turn may use it; each function is behind one of `RequestHandler`.
protocol HandlerTurn: AnyObject {
    /// Octets of content that came and were not handed over.
    var gathered: Int { get }
    /// When octets of content last came: milliseconds of the reactor's clock.
    var contentAt: Int64 { get }
    func accept(limit: Int) -> Bool
    func handOverAll()
    func takeBack(_ buffer: consuming ContentBuffer)
    func inform(_ head: ResponseHead)
    func respond(_ response: HTTPResponse)
    func pass(to other: RequestHandler)
}

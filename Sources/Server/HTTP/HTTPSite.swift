import Bytes
import Crypto
import HTTP1
import Posix
import WebSocket

/// The resources that the server offers over HTTP, in a table of routes.
///
/// | path | methods | purpose |
/// | --- | --- | --- |
/// | `/`, `/events` … | GET HEAD OPTIONS | the web client (`WebClientRoutes`), or a page that explains the server |
/// | `/health` | GET HEAD OPTIONS | whether the server accepts new clients, for a load balancer |
/// | `/ws` | GET HEAD OPTIONS | the WebSocket |
///
/// Other parts of the server add their own routes.
final class HTTPSite {
    /// The proxies whose `Forwarded` is trusted.
    var trust: ProxyTrust
    /// The web pages that may connect.
    private(set) var origins: OriginPolicy
    private let page: Representation
    /// The source of the web client.
    let web: WebClientSource
    /// Makes the files of the web client if `web` is the program.
    let webMaker: WebClientMaker
    private var routes = RouteTable<Route>()
    /// Identifies the client of a request; set once before the loop runs.
    var admission: RequestAdmission?
    private var clock = HTTPDateClock()
    /// Called with each request before it is answered, and with the address at the other end of its socket.
    var whenAsked: (HTTPFields, NetworkAddress?) -> Void = { _, _ in }
    /// Whether the server has stopped accepting new clients.
    var isDraining = false
    let counts = RequestCounts()

    static let socketPath = "/ws"

    /// - Parameter web: the source of the web client, whose routes the shard adds; without one, `/` is a page that
    ///   explains the server.
    init(trust: ProxyTrust = ProxyTrust(), origins: OriginPolicy = OriginPolicy(), web: WebClientSource = .off, webMaker: WebClientMaker = .program) {
        self.trust = trust
        self.origins = origins
        self.web = web
        self.webMaker = webMaker
        let tag = Hex.encode(Array(Digest.sha256(HTTPSite.pageContent).prefix(8)))
        page = Representation(
            length: HTTPSite.pageContent.count, contentType: "text/html; charset=utf-8", validators: Validators(tag: EntityTag(tag)),
            fields: [Field("Cache-Control", "no-cache")])
        let group = RouteGroup()
        if web == .off { add([group.resource("/", .get { [unowned self] in .response(pageResponse($0.head)) }, CalendarDiscovery.propfind)]) }
        add([
            group.resource("/health", .get { [unowned self] _ in .response(healthResponse) }),
            group.resource(HTTPSite.socketPath, .get { [unowned self] in socket($0) }),
        ])
    }

    /// Accepts other host names and pages from now on; open connections stay.
    func allow(_ other: OriginPolicy) {
        (origins.allowed, origins.hosts) = (other.allowed, other.hosts)
    }

    /// Adds resources. Their paths must not be in the table yet.
    func add(_ more: [RouteGroup.Resource]) { for resource in more { routes.add(resource) } }

    /// With these fields a browser treats nothing in a response as a script, a frame or another type. A route that
    /// needs another value sets the field itself.
    static let security = [
        Field("X-Content-Type-Options", "nosniff"), Field("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
        Field("Referrer-Policy", "no-referrer"),
    ]

    /// The current text of `Date`.
    var date: String { clock.text(HTTPSite.now) }

    /// Seconds since 1970.
    static var now: Int64 { Clock.wallMilliseconds() / 1_000 }

    /// - Parameters:
    ///   - peer: the address at the other end of the socket.
    ///   - isSecure: whether that socket speaks TLS.
    func answer(_ head: RequestHead, peer: NetworkAddress?, isSecure: Bool) -> HTTPAnswer {
        whenAsked(head.fields, peer)
        let source = trust.source(of: head, peer: peer, isSecure: isSecure)
        let address = AddressCounts.group(source?.address)
        let resolution = routes.resolve(head)
        guard case .handler(let route, let path, let method, let allow) = resolution else {
            return admission?.refusal(from: address).map { HTTPAnswer.response(HTTPResponse(refusal: $0)) } ?? answer(resolution)
        }
        var context = RequestContext(head: head, path: path, peer: peer, isSecure: isSecure, source: source)
        context.head.method = method
        context.cookie = SessionCookie(source)
        context.isOwnPage = source.map { origins.isOwnPage(head.fields, from: $0, isProxied: isProxied(peer)) } ?? false
        if case .anyone = route.credential {
            let answer = route.answer(context)
            // New connections have a rate limit of their own, and each becomes at most one WebSocket.
            if case .upgrade = answer { return answer }
            if let refusal = admission?.refusal(from: address) { return .response(route.refuse(refusal, context)) }
            guard method == "OPTIONS", case .response(var response) = answer else { return answer }
            response.fields.append(Field("Allow", allow))
            return .response(response)
        }
        guard let admission else { preconditionFailure("no route asks for a credential before the site can check it") }
        if let refusal = admission.refusal(from: address) { return .response(route.refuse(refusal, context)) }
        return .handler(PendingRequest(context, route, admission))
    }

    /// The answer to a request that no handler takes.
    private func answer(_ resolution: RouteTable<Route>.Resolution) -> HTTPAnswer {
        switch resolution {
        case .unknownMethod: refusal(501, "method_unknown", "The server does not know this method. OPTIONS lists the allowed ones.")
        case .nothing, .handler: refusal(404, "not_found", "There is no resource at this address. Clients connect to \(HTTPSite.socketPath).")
        case .options(let allow): .response(HTTPResponse(204, [Field("Allow", allow)]))
        case .notAllowed(let allow, isReadOnly: true):
            refusal(
                405, "method_not_allowed", "Nothing can be changed here by HTTP. Use GET, or connect to \(HTTPSite.socketPath).", [Field("Allow", allow)])
        case .notAllowed(let allow, isReadOnly: false):
            refusal(405, "method_not_allowed", "This method is not allowed here. Allowed: \(allow).", [Field("Allow", allow)])
        }
    }

    /// The response to a request that is malformed, too large or incomplete; the connection ends after it.
    func refusal(_ status: Int) -> HTTPResponse {
        let (code, sentence) =
            switch status {
            case 408: ("too_slow", "The request did not come in time. Send it again.")
            case 413: ("too_large", "The request body is too large. Send a smaller one.")
            case 414: ("address_too_long", "This address is too long. Use a shorter one.")
            case 417: ("expectation_unknown", "The server supports only the expectation 100-continue. Send the request without another.")
            case 431: ("fields_too_large", "The fields of this request are too large. Send fewer or shorter ones.")
            case 501: ("coding_unknown", "The server supports only the transfer coding chunked. Send the content without another.")
            case 505: ("version_unknown", "This server speaks HTTP/1.1. Use that version.")
            default: ("bad_request", "This is not a valid HTTP/1.1 request (RFC 9110, RFC 9112). Check its syntax.")
            }
        return HTTPResponse(status, code: code, sentence: sentence)
    }

    /// The response to a client whose address has its limit of connections.
    var crowded: HTTPResponse {
        HTTPResponse(429, "Too many connections come from your network. Close some.", [Field("Retry-After", "5")])
    }

    private func refusal(_ status: Int, _ sentence: String, _ fields: [Field] = []) -> HTTPAnswer {
        .response(HTTPResponse(status, sentence, fields))
    }

    private func refusal(_ status: Int, _ code: String, _ sentence: String, _ fields: [Field] = []) -> HTTPAnswer {
        .response(HTTPResponse(status, code: code, sentence: sentence, fields))
    }

    // MARK: The page, and health

    private static let pageContent = Array(
        """
        <!DOCTYPE html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>Huddle</title>
        <h1>Huddle</h1>
        <p>This is a Huddle server: families of recruited athletes share their season here, live.
        <p>There is nothing to see in a browser. Connect with the client, giving this address with
        <code>ws://</code> for <code>http://</code> or <code>wss://</code> for <code>https://</code>:
        <pre>huddle --server ws://HOST:PORT</pre>
        <p>If you have no sign-in yet, ask a parent of your family for a code, and use it with
        <code>huddle join CODE</code>.
        </html>

        """.utf8)

    private func pageResponse(_ head: RequestHead) -> HTTPResponse {
        let selection = ContentSelection(head, page, now: HTTPSite.now, boundary: Hex.encode(Random.octets(16)))
        var content: [UInt8] = []
        for piece in selection.pieces {
            switch piece {
            case .octets(let octets): content += octets
            case .part(let range): content += HTTPSite.pageContent[range]
            }
        }
        return HTTPResponse(selection.status, selection.fields, content: content)
    }

    private var healthResponse: HTTPResponse {
        HTTPResponse(
            isDraining ? 503 : 200, [Field("Content-Type", "application/json"), Field("Cache-Control", "no-store")],
            content: Array("{\"status\":\"\(isDraining ? "draining" : "ready")\"}\n".utf8))
    }

    // MARK: The WebSocket

    private func socket(_ request: RequestContext) -> HTTPAnswer {
        let head = request.head
        guard let source = request.source else {
            return refusal(
                400, "Forwarded and X-Forwarded-For name different clients. Let the proxy set one of them and remove the other.")
        }
        let handshake: WebSocketHandshake
        do throws(HandshakeRefusal) {
            handshake = try WebSocketHandshake.accept(head, subprotocols: [Upgrade.subprotocol], compression: .shared)
        } catch {
            return HTTPSite.refusal(error)
        }
        guard handshake.subprotocol == Upgrade.subprotocol else {
            return refusal(
                400, "This address speaks the WebSocket subprotocol \(Upgrade.subprotocol); name it in Sec-WebSocket-Protocol.")
        }
        // This check comes last, so that a developer first sees the mistakes that every client can make.
        guard origins.allows(head.fields, from: source, isProxied: isProxied(request.peer)) else {
            return refusal(
                403, "A page of another site may not connect to this server. The person who runs the server can allow it with --allow-origin, or name the server with --host.")
        }
        let cookie = request.cookie?.token(in: head.fields)
        guard cookie == nil || !head.fields.contains("authorization") else { return .response(HTTPResponse(refusal: .twoCredentials)) }
        return .upgrade(handshake, from: source, cookie: request.isOwnPage ? cookie : nil)
    }

    private func isProxied(_ peer: NetworkAddress?) -> Bool { peer.map { trust.contains($0) } ?? false }

    private static func refusal(_ error: HandshakeRefusal) -> HTTPAnswer {
        let upgrade = [Field("Connection", "Upgrade"), Field("Upgrade", "websocket")]
        switch error {
        case .method, .notUpgrade: return .response(HTTPResponse(426, "This address speaks WebSocket. Connect with a WebSocket client.", upgrade))
        case .version:
            return .response(
                HTTPResponse(426, "This address speaks version 13 of WebSocket. Use that.", upgrade + [Field("Sec-WebSocket-Version", "13")]))
        case .malformed(let sentence): return .response(HTTPResponse(400, sentence + "."))
        }
    }
}

@available(*, unavailable) extension HTTPSite: Sendable {}

import HTTP1
import WebSocket

/// The server's answer to a request.
enum HTTPAnswer {
    /// A complete final response.
    case response(HTTPResponse)
    /// The WebSocket begins; with the place of the client, and the token of its cookie if that is valid here.
    case upgrade(WebSocketHandshake, from: RequestSource, cookie: String?)
    /// A handler, which answers later or wants the content.
    case handler(RequestHandler)
}

/// The credential that a route asks for.
enum Credential {
    case anyone
    /// `Authorization: Bearer` with the token of a session, or the cookie of one. Every method except reading needs the
    /// scope `write` of a token for a program.
    case session
    /// As `session`, but not a token for a program.
    case account
    /// As `session`, or no credential.
    case anySession
    /// `Authorization: Basic` with any user name and a token for calendars as the password. No other credential is
    /// accepted: no session, and no person's password.
    case calendar
    /// As `session`; without a token, `?link=`, which is signed for the document that a parameter of the path names.
    case sessionOrLink(to: String)
}

/// One method of a resource: the credential of its clients, the form of its refusals, and its answer.
struct Route {
    let credential: Credential
    let refuse: (RequestRefusal, RequestContext) -> HTTPResponse
    let answer: (RequestContext) -> HTTPAnswer
}

/// Resources that share the beginning of their paths, their credential and the form of their refusals.
struct RouteGroup {
    typealias Resource = RouteTable<Route>.Resource

    private let path: String
    private let credential: Credential
    private let refuse: (RequestRefusal, RequestContext) -> HTTPResponse

    /// - Parameter path: the beginning of all paths, as `PathPattern` takes it; empty for none.
    init(
        _ path: String = "", _ credential: Credential = .anyone,
        refuse: @escaping (RequestRefusal, RequestContext) -> HTTPResponse = { refusal, _ in HTTPResponse(refusal: refusal) }
    ) {
        self.path = path
        self.credential = credential
        self.refuse = refuse
    }

    /// A group within this one.
    func group(_ more: String, _ credential: Credential? = nil) -> RouteGroup {
        RouteGroup(path + more, credential ?? self.credential, refuse: refuse)
    }

    /// A resource: `GET` includes `HEAD`, and `OPTIONS` is answered with `Allow`.
    ///
    /// - Parameters:
    ///   - more: the rest of the path.
    ///   - methods: in the order of `Allow`.
    ///   - other: see `RouteTable.Resource`; needs no credential.
    func resource(
        _ more: String, _ methods: RouteMethod..., credential: Credential? = nil, other: ((RequestContext) -> HTTPAnswer)? = nil,
        overridesMethod: Bool = false
    ) -> Resource {
        let usual = credential ?? self.credential
        func route(_ credential: Credential, _ answer: @escaping (RequestContext) -> HTTPAnswer) -> Route {
            Route(credential: credential, refuse: refuse, answer: answer)
        }
        return Resource(
            PathPattern(path + more), methods.map { ($0.name, route($0.credential ?? usual, $0.answer)) },
            other: other.map { route(.anyone, $0) }, overridesMethod: overridesMethod)
    }
}

/// A method with its answer, for `RouteGroup.resource`.
struct RouteMethod {
    let name: String
    /// The credential, if it is not the resource's.
    let credential: Credential?
    let answer: (RequestContext) -> HTTPAnswer

    init(_ name: String, _ credential: Credential? = nil, answer: @escaping (RequestContext) -> HTTPAnswer) {
        self.name = name
        self.credential = credential
        self.answer = answer
    }

    static func get(_ answer: @escaping (RequestContext) -> HTTPAnswer) -> RouteMethod { RouteMethod("GET", answer: answer) }
    static func post(_ answer: @escaping (RequestContext) -> HTTPAnswer) -> RouteMethod { RouteMethod("POST", answer: answer) }
    static func patch(_ answer: @escaping (RequestContext) -> HTTPAnswer) -> RouteMethod { RouteMethod("PATCH", answer: answer) }
    static func delete(_ answer: @escaping (RequestContext) -> HTTPAnswer) -> RouteMethod { RouteMethod("DELETE", answer: answer) }
}

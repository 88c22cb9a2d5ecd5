import Bytes
import Family
import HTTP1
import Store

/// Identifies the client of a request before the handler exists. Only this class reads the credentials of HTTP
/// requests.
final class RequestAdmission {
    private let workers: Workers
    private let access: AccessControl
    private let budget: RequestBudget

    init(workers: Workers, access: AccessControl, budget: RequestBudget) {
        self.workers = workers
        self.access = access
        self.budget = budget
    }

    /// Counts a request before its client is known.
    ///
    /// - Parameter address: `RequestContext.address`.
    func refusal(from address: NetworkAddress?) -> RequestRefusal? { budget.take(from: address).map { .tooMany(.tooManyRequests($0)) } }

    /// Finds the identity of a client, and counts the request against it.
    func admit(_ context: RequestContext, _ credential: Credential, then: @escaping (Result<Identity, RequestRefusal>) -> Void) {
        identify(context, credential) { [budget] result in
            guard case .success(let identity) = result, let refusal = budget.take(of: identity, from: context.address) else { return then(result) }
            then(.failure(.tooMany(refusal)))
        }
    }

    /// Finds the identity of a client.
    ///
    /// - Parameter then: called in this tick or a later one.
    private func identify(_ context: RequestContext, _ credential: Credential, then: @escaping (Result<Identity, RequestRefusal>) -> Void) {
        if case .anyone = credential { return then(.success(.anyone)) }
        let fields = context.head.fields
        let bearer = Self.token(fields)
        let cookie = context.cookie?.token(in: fields)
        guard cookie == nil || !fields.contains("authorization") else { return then(.failure(.twoCredentials)) }
        let isReading = context.head.method == "GET" || context.head.method == "HEAD"
        func identifySession(_ then: @escaping (Result<Identity, RequestRefusal>) -> Void) {
            guard bearer != nil || cookie == nil || isReading || context.isOwnPage else { return then(.failure(.foreignPage)) }
            identify(token: bearer ?? cookie) { result in
                guard case .success(.session(let signIn)) = result else { return then(result) }
                then(Self.isWithinScope(signIn, credential, isReading) ? result : .failure(.beyondScope))
            }
        }
        switch credential {
        case .anyone, .session, .account: identifySession(then)
        case .calendar: identifyCalendar(fields, then)
        case .anySession:
            identifySession { result in
                if case .failure(.signedOut) = result { then(.success(.anyone)) } else { then(result) }
            }
        case .sessionOrLink(let parameter):
            // A client that shows a token is that session, whatever else it shows. A browser sends its cookie with
            // every request.
            guard bearer == nil, let link = context.query("link") else { return identifySession(then) }
            guard let document = Identifier(context.path[parameter]) else { return then(.failure(.deadLink)) }
            workers.read { reader throws(StoreFailure) in
                try reader.document(document, link: link)
            } then: { found in
                guard let found else { return then(.failure(.busy)) }
                then(found.map { .success(.link($0.document, member: $0.member)) } ?? .failure(.deadLink))
            }
        }
    }

    private func identifyCalendar(_ fields: HTTPFields, _ then: @escaping (Result<Identity, RequestRefusal>) -> Void) {
        guard let token = Self.password(fields) else { return then(.failure(.noCalendar)) }
        workers.read { reader throws(StoreFailure) in
            try reader.calendarAccess(token: token)
        } then: { [access] found in
            guard let found else { return then(.failure(.busy)) }
            guard let calendars = found, !access.hasEnded(calendars.session) else { return then(.failure(.noCalendar)) }
            if calendars.isRenewalDue { access.usage.renew(calendars.session) }
            then(.success(.calendar(calendars)))
        }
    }

    /// The password in `Authorization: Basic …` (RFC 7617), of any user; `nil` if there is none, or several.
    private static func password(_ fields: HTTPFields) -> String? {
        guard let value = fields.only("authorization"), let space = value.utf8.firstIndex(of: UInt8(ascii: " ")),
            value[..<space].lowercased() == "basic", let octets = Base64.decode(String(value[space...].drop { $0 == " " })),
            let colon = octets.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let password = octets[colon...].dropFirst()
        return password.isEmpty ? nil : String(validating: password, as: UTF8.self)
    }

    /// Whether a token for a program may do what a route does; true for every other session.
    private static func isWithinScope(_ signIn: SignIn, _ credential: Credential, _ isReading: Bool) -> Bool {
        switch signIn.scope {
        case nil: true
        case .calendar: false
        case .read, .write:
            if case .account = credential { false } else { isReading || signIn.scope == .write }
        }
    }

    private func identify(token: String?, _ then: @escaping (Result<Identity, RequestRefusal>) -> Void) {
        guard let token else { return then(.failure(.signedOut(hasToken: false))) }
        workers.read { reader throws(StoreFailure) in
            try reader.signIn(token: token)
        } then: { [access] found in
            guard let found else { return then(.failure(.busy)) }
            guard let signIn = found, !access.hasEnded(signIn.session) else { return then(.failure(.signedOut(hasToken: true))) }
            access.noteUse(of: signIn) { isNoted in
                guard isNoted else { return then(.failure(.busy)) }
                // Noting the use can take a commit, and the session can end in the meantime.
                then(access.hasEnded(signIn.session) ? .failure(.signedOut(hasToken: true)) : .success(.session(signIn)))
            }
        }
    }

    /// The token in `Authorization: Bearer …` (RFC 6750); `nil` if there is none, or several.
    private static func token(_ fields: HTTPFields) -> String? {
        guard let value = fields.only("authorization"), let space = value.utf8.firstIndex(of: UInt8(ascii: " ")),
            value[..<space].lowercased() == "bearer"
        else { return nil }
        let token = value[space...].drop { $0 == " " }
        return token.isEmpty ? nil : String(token)
    }
}

@available(*, unavailable) extension RequestAdmission: Sendable {}

/// A request whose client is being identified: it has the turn until the handler of its route begins, or until it is
/// refused.
final class PendingRequest: RequestHandler {
    private let route: Route
    private let admission: RequestAdmission

    init(_ context: RequestContext, _ route: Route, _ admission: RequestAdmission) {
        self.route = route
        self.admission = admission
        super.init(context)
    }

    override func begin() {
        admission.admit(context, route.credential) { [self] result in
            guard isOpen else { return }
            switch result {
            case .failure(let refusal): respond(route.refuse(refusal, context))
            case .success(let identity):
                var context = context
                context.identity = identity
                switch route.answer(context) {
                case .response(let response): respond(response)
                case .handler(let handler): pass(to: handler)
                case .upgrade: preconditionFailure("a route to a WebSocket asks for no credential")
                }
            }
        }
    }
}

import HTTP1
import Store

/// Authorization by a session token (RFC 6750).
enum Bearer {
    /// The token in `Authorization: Bearer …`; `nil` when there is none, or several.
    static func token(_ fields: Fields) -> String? {
        guard let value = fields.only("authorization"), let space = value.utf8.firstIndex(of: UInt8(ascii: " ")),
            value[..<space].lowercased() == "bearer"
        else { return nil }
        let token = value[space...].drop { $0 == " " }
        return token.isEmpty ? nil : String(token)
    }

    /// To who shows no token, and to who shows one that opens nothing: it does not tell why.
    static func refusal(hasToken: Bool) -> HTTPResponse {
        HTTPResponse(
            401, code: "token_unknown", sentence: "This sign-in is not known or has ended. Sign in again.",
            [Field("WWW-Authenticate", hasToken ? "Bearer realm=\"huddle\", error=\"invalid_token\"" : "Bearer realm=\"huddle\"")])
    }

    /// When the database cannot be read now.
    static var busy: HTTPResponse {
        HTTPResponse(503, code: "busy", sentence: "The server is busy. Try again in a moment.", [Field("Retry-After", "5")])
    }
}

extension Shard {
    /// Finds out whose request it is; answers 401 itself to who is nobody.
    ///
    /// - Parameter then: called in a later tick; not when the request was answered here or its client has gone.
    func authenticate(_ work: HTTPWork, then: @escaping (SignIn) -> Void) {
        guard let token = Bearer.token(work.request.head.fields) else { return work.respond(Bearer.refusal(hasToken: false)) }
        signIn(token) { [self] found in
            guard work.isOpen else { return }
            guard let answer = found else { return work.respond(Bearer.busy) }
            guard let signIn = answer, !hasEnded(signIn.session) else { return work.respond(Bearer.refusal(hasToken: true)) }
            then(signIn)
        }
    }

    /// Finds out whose a token is, and notes its use.
    ///
    /// - Parameter then: as of `read`; the second `nil` for a token that opens nothing.
    func signIn(_ token: String, then: @escaping (SignIn??) -> Void) {
        read { reader throws(StoreFailure) in
            try reader.signIn(token: token)
        } then: { [weak self] found in
            guard let self, let signIn = found ?? nil else { return then(found) }
            noteUse(of: signIn) { then($0 ? found : nil) }
        }
    }

    /// Notes that a session is in use. On the first use of a token that a code gave, the code is dead on disk before `then` is called
    /// (`Store.closeRedemption`).
    ///
    /// - Parameter then: called in this tick or a later one; with false when the use could not be noted, and the request is to be refused.
    func noteUse(of signIn: SignIn, then: @escaping (Bool) -> Void) {
        if signIn.isRenewalDue { renew(signIn.session) }
        guard signIn.isRedemptionOpen else { return then(true) }
        write { store throws(StoreFailure) in
            (try store.closeRedemption(session: signIn.session) == nil, [])
        } then: {
            then($0 ?? false)
        }
    }
}

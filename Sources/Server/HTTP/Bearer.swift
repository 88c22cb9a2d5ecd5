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
        read { reader throws(StoreFailure) in
            try reader.signIn(token: token)
        } then: { [weak self] found in
            guard work.isOpen, let self else { return }
            guard let answer = found else { return work.respond(Bearer.busy) }
            guard let signIn = answer else { return work.respond(Bearer.refusal(hasToken: true)) }
            if signIn.isRenewalDue { renew(signIn.session) }
            then(signIn)
        }
    }
}

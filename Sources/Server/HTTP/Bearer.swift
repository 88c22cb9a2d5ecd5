import HTTP1

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

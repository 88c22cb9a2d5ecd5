import Family
import HTTP1

/// The reason why a request is refused before its handler exists. Each group of routes has its own sentence for it.
enum RequestRefusal: Error {
    /// There is no token, or the token is not valid; the answer does not say which.
    case signedOut(hasToken: Bool)
    /// There is no token for calendars, or it is not valid; the answer does not say which.
    case noCalendar
    /// The signed link is not valid.
    case deadLink
    /// The database cannot be read now.
    case busy
    /// The address or the member has sent too many requests.
    case tooMany(Rejection)
    /// There are both a cookie and a token, which may belong to two sessions.
    case twoCredentials
    /// The cookie came with a request that another web page caused, or may have caused.
    case foreignPage
    /// The token is for a program, and the request is beyond its scope.
    case beyondScope
}

extension HTTPResponse {
    /// A refusal as JSON, for groups that have no sentences of their own.
    init(refusal: RequestRefusal) {
        switch refusal {
        case .signedOut(let hasToken):
            self = HTTPResponse(
                401, code: "token_unknown", sentence: "This sign-in is not valid or has ended. Sign in again.",
                [Field("WWW-Authenticate", hasToken ? "Bearer realm=\"huddle\", error=\"invalid_token\"" : "Bearer realm=\"huddle\"")])
        case .noCalendar:
            self = HTTPResponse(
                401, code: "token_unknown", sentence: "This sign-in is not valid or has ended. Sign in again.",
                [Field("WWW-Authenticate", "Basic realm=\"huddle\", charset=\"UTF-8\"")])
        case .deadLink: self = .noDocument
        case .tooMany(let rejection): self = HTTPResponse(rejection)
        case .twoCredentials:
            self = HTTPResponse(400, code: "two_credentials", sentence: "This request has a cookie and a token. Send one of them.")
        case .foreignPage:
            self = HTTPResponse(
                403, code: "foreign_page", sentence: "A page of another site may not do this. Nothing was done; open this server's own page.")
        case .beyondScope: self = HTTPResponse(Rejection.beyondScope)
        case .busy: self = HTTPResponse(503, code: "busy", sentence: "The server is busy. Try again in a moment.", [Field("Retry-After", "5")])
        }
    }

    /// The same sentence whether a document is deleted, belongs to others, or never existed; and for a link that has
    /// ended.
    static var noDocument: HTTPResponse {
        HTTPResponse(
            404, code: "not_found", sentence: "This document no longer exists, or this link has ended. Look for it in your list of documents.")
    }
}

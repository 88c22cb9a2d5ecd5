import Bytes
import HTTP1
import Store

/// The client of a request, as far as its credential says.
enum Identity {
    /// The route asks for no credential.
    case anyone
    /// The holder of a session.
    case session(SignIn)
    /// The holder of a token for calendars.
    case calendar(CalendarAccess)
    /// The holder of a signed link, which opens this document to this member.
    case link(StoredDocument, member: Identifier)
}

/// One request with everything that is known of it before its handler exists: the head, the parameters of its path, its address and its identity.
struct RequestContext {
    /// With the method that is meant, which `X-HTTP-Method-Override` may have changed.
    var head: RequestHead
    /// The parameters of the route's path.
    var path: PathParameters
    /// The address at the other end of the socket.
    var peer: NetworkAddress?
    /// Whether that socket speaks TLS.
    var isSecure: Bool
    /// Where the client is, as far as its proxy is trusted; `nil` when proxies contradict each other.
    var source: RequestSource?
    var identity = Identity.anyone
    /// The cookie of a session as the client would have it; `nil` where the request names no host.
    var cookie: SessionCookie?
    /// The request was caused by this server's own web page, and says so.
    var isOwnPage = false

    /// The address by which limits count the client; `nil` if none does.
    var address: NetworkAddress? { AddressCounts.group(source?.address) }

    /// The session of the client. The route has to ask for `Credential.session`, or one like it.
    var signIn: SignIn? { if case .session(let signIn) = identity { signIn } else { nil } }

    /// The value of `name=` in the query, percent-decoded; `nil` without one.
    func query(_ name: String) -> String? {
        for pair in (head.query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard String(pair[..<equals]) == name else { continue }
            return PercentCoding.text(pair[equals...].dropFirst())
        }
        return nil
    }
}

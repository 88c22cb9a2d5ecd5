import Bytes
import HTTP1
import Store

/// The client of a request, according to its credential.
enum Identity {
    /// The route needs no credential.
    case anyone
    /// The holder of a session.
    case session(SignIn)
    /// The holder of a token for calendars.
    case calendar(CalendarAccess)
    /// The holder of a signed link, which opens this document to this member.
    case link(StoredDocument, member: Identifier)
}

/// One request with all facts that are known before its handler exists: the head, the parameters of its path, its
/// address and its identity.
struct RequestContext {
    /// The head with the effective method, which `X-HTTP-Method-Override` may have changed.
    var head: RequestHead
    /// The parameters of the route's path.
    var path: PathParameters
    /// The address at the other end of the socket.
    var peer: NetworkAddress?
    /// Whether that socket speaks TLS.
    var isSecure: Bool
    /// The place of the client, as far as its proxy is trusted; `nil` if proxies contradict each other.
    var source: RequestSource?
    var identity = Identity.anyone
    /// The session cookie of the client; `nil` if the request names no host.
    var cookie: SessionCookie?
    /// Whether a page of this server's own web client caused the request, according to its fields.
    var isOwnPage = false

    /// The address by which limits count the client; `nil` if none counts it.
    var address: NetworkAddress? { AddressCounts.group(source?.address) }

    /// The session of the client. The route must ask for `Credential.session`, or a similar credential.
    var signIn: SignIn? { if case .session(let signIn) = identity { signIn } else { nil } }

    /// The value of `name=` in the query, percent-decoded; `nil` if there is none.
    func query(_ name: String) -> String? {
        for pair in (head.query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard String(pair[..<equals]) == name else { continue }
            return PercentCoding.text(pair[equals...].dropFirst())
        }
        return nil
    }
}

import Family
import HTTP1

/// The cookie of a browser's session with this server, for the host of one request.
///
/// Cookies do not distinguish ports, so the port is part of the name. The prefix `__Host-` keeps other hosts of the
/// same domain from setting the cookie; browsers accept the prefix only with `Secure`, that is over TLS and on
/// loopback. Over plain HTTP elsewhere the cookie has neither.
struct SessionCookie: Equatable {
    let name: String
    let isSecure: Bool

    /// - Returns: `nil` if the request names no host.
    init?(_ source: RequestSource?) {
        guard let source, let authority = source.authority else { return nil }
        isSecure = source.isSecure || Self.isLoopback(authority.host)
        let port = authority.port ?? (source.isSecure ? 443 : 80)
        name = isSecure ? "__Host-huddle-\(port)" : "huddle-\(port)"
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        return NetworkAddress(host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host)?.isLoopback ?? false
    }

    /// The token in a request.
    func token(in fields: HTTPFields) -> String? { Cookies.value(of: name, in: fields).flatMap { $0.isEmpty ? nil : $0 } }

    /// - Parameter isBrief: the cookie ends with the browser.
    func field(_ token: String, isBrief: Bool) -> Field {
        Cookies.set(name, token, isSecure: isSecure, life: isBrief ? nil : AccountSession.lifeDays * 86_400)
    }

    /// The name of the cookie by which an account knows this browser, signed in or not.
    private var deviceName: String { name + "-device" }

    /// The secret by which an account knows the browser of a request.
    func device(in fields: HTTPFields) -> String? { Cookies.value(of: deviceName, in: fields).flatMap { $0.isEmpty ? nil : $0 } }

    func deviceField(_ secret: String) -> Field { Cookies.set(deviceName, secret, isSecure: isSecure, life: AccountSession.lifeDays * 86_400) }

    /// The field that removes the cookie.
    var removal: Field { Cookies.set(name, "", isSecure: isSecure, life: 0) }
}

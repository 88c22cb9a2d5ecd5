/// Scheme, host and port of a web page (RFC 6454 §4), the port always a number.
package struct WebOrigin: Hashable, Sendable {
    let scheme: String
    let host: String
    let port: UInt16

    /// Reads `https://huddle.example` or `http://localhost:3000`; `nil` for anything else: paths, `null`, other schemes.
    package init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://"),
            let scheme = ForwardedField.scheme(String(text[..<colon])), let authority = Authority(String(text[colon...].dropFirst(3)))
        else { return nil }
        self.init(scheme: scheme, authority)
    }

    init(scheme: String, _ authority: Authority) {
        self.scheme = scheme
        host = authority.host
        port = authority.port ?? (scheme == "https" ? 443 : 80)
    }
}

/// Which web pages may open a WebSocket. A browser lets any page of the world connect anywhere and only says from where
/// (RFC 6455 §10.2): who does not check that lets every page act as its visitor.
package struct OriginPolicy: Equatable, Sendable {
    /// Pages elsewhere that may connect too.
    package var allowed: Set<WebOrigin>

    /// Names of this server, as `Authority.host` has them. None: any name, or those of loopback if `isLoopback`.
    package var hosts: Set<String> = []
    /// Only this machine can connect. A page whose name was made to lead here (DNS rebinding) must not pass for the server's own.
    package var isLoopback = false

    package init(_ allowed: Set<WebOrigin> = []) { self.allowed = allowed }

    /// True without an `Origin`, which only programs that are no browsers leave out; for the page of the very host that was asked,
    /// scheme and port included, if that is a name of this server; and for those that are listed. `null` (a sandbox, a file) is nobody.
    ///
    /// - Parameter isProxied: a trusted proxy passed the request on; without `hosts` its word about the host counts.
    package func allows(_ fields: Fields, from source: RequestSource, isProxied: Bool = false) -> Bool {
        guard fields.contains("origin") else { return true }
        guard let origin = fields.only("origin").flatMap({ WebOrigin($0) }) else { return false }
        if let authority = source.authority, isOwn(authority.host, isProxied: isProxied),
            origin == WebOrigin(scheme: source.isSecure ? "https" : "http", authority)
        {
            return true
        }
        return allowed.contains(origin)
    }

    private func isOwn(_ host: String, isProxied: Bool) -> Bool {
        guard hosts.isEmpty else { return hosts.contains(host) }
        guard isLoopback, !isProxied else { return true }
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        let address = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        return NetworkAddress(address)?.isLoopback ?? false
    }
}

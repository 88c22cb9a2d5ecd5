/// Scheme, host and port of a web page (RFC 6454 §4), the port always a number.
package struct WebOrigin: Hashable, Sendable {
    let scheme: String
    let host: String
    let port: UInt16

    /// Reads `https://huddle.example` or `http://localhost:3000`; `nil` for any other text: paths, `null`, other
    /// schemes.
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

    /// The form that `init` reads, without the port that goes without saying.
    package var text: String { "\(scheme)://\(host)\(port == (scheme == "https" ? 443 : 80) ? "" : ":\(port)")" }
}

/// The web pages that may open a WebSocket. A browser lets any page connect to any server and only reports the page's
/// origin (RFC 6455 §10.2): a server that does not check the origin lets every page act as its visitor.
package struct OriginPolicy: Equatable, Sendable {
    /// Pages of other servers that may also connect.
    package var allowed: Set<WebOrigin>

    /// The names of this server, in the form of `Authority.host`. Empty: any name, or the names of loopback if
    /// `isLoopback`.
    package var hosts: Set<String> = []
    /// Whether only this machine can connect. A page whose name was made to resolve to this machine (DNS rebinding)
    /// must not pass for the server's own.
    package var isLoopback = false

    /// The origin of this server's own pages, whatever a request says about its host; `nil`: the host of the request says it.
    package var publicOrigin: WebOrigin?

    package init(_ allowed: Set<WebOrigin> = []) { self.allowed = allowed }

    /// True without an `Origin`, which only programs other than browsers omit; for the page of the requested host, with
    /// the same scheme and port, if that is a name of this server; and for listed pages. `null` (a sandbox, a file)
    /// never matches.
    ///
    /// - Parameter isProxied: whether a trusted proxy forwarded the request; without `hosts` its statement about the
    ///   host counts.
    package func allows(_ fields: HTTPFields, from source: RequestSource, isProxied: Bool = false) -> Bool {
        guard fields.contains("origin") else { return true }
        guard let origin = fields.only("origin").flatMap({ WebOrigin($0) }) else { return false }
        return isOwnPage(fields, from: source, isProxied: isProxied) || allowed.contains(origin)
    }

    /// Whether a web page of this server caused a request: `Origin` is there, and it is the requested host with the same scheme and port, under a name of
    /// this server. Pages that are merely listed are not the server's own.
    ///
    /// With `publicOrigin` its pages are the server's own, and of others only those of `hosts`: a proxy that changes host or scheme does not change that.
    package func isOwnPage(_ fields: HTTPFields, from source: RequestSource, isProxied: Bool = false) -> Bool {
        guard let origin = fields.only("origin").flatMap({ WebOrigin($0) }) else { return false }
        if let publicOrigin {
            if origin == publicOrigin { return true }
            guard !hosts.isEmpty else { return false }
        }
        guard let authority = source.authority else { return false }
        return isOwn(authority.host, isProxied: isProxied) && origin == WebOrigin(scheme: source.isSecure ? "https" : "http", authority)
    }

    /// Whether a host is a name of this server, for a listener that only this machine can reach or that has its names listed.
    package func takes(_ host: String) -> Bool { isOwn(host, isProxied: false) }

    private func isOwn(_ host: String, isProxied: Bool) -> Bool {
        guard hosts.isEmpty else { return hosts.contains(host) }
        guard isLoopback, !isProxied else { return true }
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        let address = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        return NetworkAddress(address)?.isLoopback ?? false
    }
}

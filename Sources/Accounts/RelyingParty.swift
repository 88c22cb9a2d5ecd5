internal import Crypto
package import HTTP1

/// The server as browsers know it when they make and use passkeys (Web Authentication Level 2, §5.1.2).
///
/// Both values come from the address that the operator set, never from a field of a request: a field is what the client says.
package struct RelyingParty: Equatable, Sendable {
    /// The only origin whose pages make and use passkeys of this server.
    package let origin: WebOrigin
    /// The host of the origin, without port.
    package let id: String
    let idHash: [UInt8]

    /// - Parameter publicURL: the address of the server, like `https://huddle.example`, with or without a path.
    /// - Returns: `nil` for any other text, for an address (browsers demand a name), and for plain HTTP beyond this machine.
    package init?(publicURL: String) {
        guard let scheme = publicURL.firstRange(of: "://") else { return nil }
        let rest = publicURL[scheme.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        guard rest[end...].first == nil || rest[end...].first == "/", let origin = WebOrigin(String(publicURL[..<end])),
            let host = Authority(String(rest[..<end]))?.host
        else { return nil }
        guard !host.hasPrefix("["), NetworkAddress(host) == nil else { return nil }
        let isSecure = publicURL[..<scheme.lowerBound].lowercased() == "https"
        guard isSecure || host == "localhost" || host.hasSuffix(".localhost") else { return nil }
        self.origin = origin
        id = host
        idHash = Digest.sha256(Array(host.utf8))
    }
}

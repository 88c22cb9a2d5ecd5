/// The origin of a request, as far as it can be trusted.
package struct RequestSource: Equatable, Sendable {
    /// The address that limits per address count (see `NetworkAddress.limitGroup`): the peer, or behind trusted proxies
    /// the right-most address that is not one of theirs. `nil` if the peer has no IP address.
    package var address: NetworkAddress?
    /// Whether the client used TLS, to this server or to a trusted proxy.
    package var isSecure: Bool
    /// The host that the client requested; `nil` if an HTTP/1.0 request names none.
    package var authority: Authority?
}

/// The proxies whose statements about a request's origin count: `Forwarded` (RFC 7239) and `X-Forwarded-For`, `-Proto`
/// and `-Host` are read only if the peer is one of these proxies.
package struct ProxyTrust: Equatable, Sendable {
    package var proxies: [AddressRange]

    /// Without proxies no field is trusted.
    package init(_ proxies: [AddressRange] = []) { self.proxies = proxies }

    package func contains(_ address: NetworkAddress) -> Bool {
        proxies.contains { $0.contains(address) }
    }

    /// The source of one request.
    ///
    /// - Parameters:
    ///   - peer: the address at the other end of the socket.
    ///   - isSecure: whether that socket uses TLS.
    /// - Returns: `nil` if a trusted proxy forwarded both `Forwarded` and `X-Forwarded-For` and they name different
    ///   clients: the client made up one of them, and the server cannot decide which. Respond with 400.
    package func source(of head: RequestHead, peer: NetworkAddress?, isSecure: Bool) -> RequestSource? {
        let direct = RequestSource(address: peer, isSecure: isSecure, authority: head.authority)
        guard let peer, contains(peer) else { return direct }
        let forwarded = head.fields.contains("forwarded")
        let older = head.fields.contains("x-forwarded-for")
        let ends = follow(ForwardedField.elements(head.fields.all("forwarded")), from: direct)
        guard older || !forwarded else { return ends }
        let elements = Self.elements(head.fields)
        let olderEnds = follow(elements, from: direct)
        guard forwarded else { return olderEnds }
        return ends.address == olderEnds.address ? ends : nil
    }

    /// Goes from the peer outward for as long as the next statement comes from a trusted proxy; the outermost trusted
    /// statement counts.
    private func follow(_ elements: [ForwardedElement], from direct: RequestSource) -> RequestSource {
        var source = direct
        for element in elements {
            guard let speaker = source.address, contains(speaker) else { break }
            if let scheme = element.scheme { source.isSecure = scheme == "https" }
            if let host = element.host { source.authority = host }
            guard let address = element.address else { break }
            source.address = address
        }
        return source
    }

    /// `X-Forwarded-For` has an address for each proxy; the other two have the nearest proxy's observation, regardless
    /// of the text left of it.
    private static func elements(_ fields: HTTPFields) -> [ForwardedElement] {
        var elements: [ForwardedElement] = []
        for text in fields.members("x-forwarded-for").reversed().prefix(ForwardedField.maxElements) {
            // Some proxies write IPv6 addresses without brackets.
            guard let node = NetworkAddress(text).map(Optional.some) ?? ForwardedField.node(text) else { break }
            elements.append(ForwardedElement(address: node))
        }
        if elements.isEmpty { elements.append(ForwardedElement()) }
        elements[0].scheme = fields.members("x-forwarded-proto").last.flatMap(ForwardedField.scheme)
        elements[0].host = fields.members("x-forwarded-host").last.flatMap { Authority($0) }
        return elements
    }
}

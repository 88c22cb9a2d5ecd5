package import HTTP1
import Bytes

/// The opening handshake at a client (RFC 6455 §4.1): the request, and the check of the response.
package struct WebSocketClientHandshake: Equatable, Sendable {
    /// The complete request.
    package let request: [UInt8]
    private let accept: String
    private let subprotocols: [String]
    private let offer: CompressionOffer?

    /// - Parameters:
    ///   - host: the host as in the URL, with the port if it is not the scheme's default.
    ///   - target: path and query, begins with `/`.
    ///   - subprotocols: the wanted subprotocols, in order of preference; tokens, each once.
    ///   - compression: the offer; `nil` for none.
    ///   - fields: further fields, such as `Authorization` or `Origin`.
    ///   - nonce: 16 octets, random for every connection.
    package init(
        host: String, target: String = "/", subprotocols: [String] = [], compression offer: CompressionOffer? = nil, fields: [Field] = [],
        nonce: [UInt8]
    ) {
        precondition(nonce.count == WebSocketHandshake.keyOctets, "the nonce of a handshake is 16 octets")
        precondition(subprotocols.allSatisfy(Grammar.isToken), "a subprotocol is a token")
        let key = Base64.encode(nonce)
        var all = [
            Field("Host", host),
            Field("Upgrade", "websocket"),
            Field("Connection", "Upgrade"),
            Field("Sec-WebSocket-Key", key),
            Field("Sec-WebSocket-Version", WebSocketHandshake.version),
        ]
        if !subprotocols.isEmpty { all.append(Field("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", "))) }
        if let offer { all.append(Field("Sec-WebSocket-Extensions", offer.element.text)) }
        var octets: [UInt8] = []
        RequestHead(method: "GET", target: target, fields: HTTPFields(all + fields)).append(to: &octets)
        request = octets
        accept = WebSocketHandshake.answer(to: key)
        self.subprotocols = subprotocols
        self.offer = offer
    }

    /// Checks the response; octets after its head are already frames.
    ///
    /// - Returns: the subprotocol that the server chose, `nil` if it chose none.
    /// - Throws: the connection must be closed, and nothing may be sent.
    package func check(_ head: ResponseHead) throws(HandshakeFailure) -> String? {
        guard head.status == 101 else { throw .status(head.status) }
        guard head.minorVersion == 1, head.fields.hasToken("websocket", in: "upgrade"), head.fields.hasToken("upgrade", in: "connection")
        else { throw .notUpgraded }
        guard head.fields.only("sec-websocket-accept") == accept else { throw .accept }
        _ = try compression(in: head)
        guard head.fields.contains("sec-websocket-protocol") else { return nil }
        guard let chosen = head.fields.only("sec-websocket-protocol"), subprotocols.contains(chosen) else { throw .subprotocol }
        return chosen
    }

    /// The terms for compressed messages in a response; `nil` if messages are not compressed.
    ///
    /// - Throws: `.extensions` for an extension that was not offered or is malformed (§4.1, on the response, item 5);
    ///   `check` throws it too.
    package func compression(in head: ResponseHead) throws(HandshakeFailure) -> CompressionTerms? {
        guard let elements = ExtensionElement.read(head.fields), elements.count <= 1 else { throw .extensions }
        guard let element = elements.first else { return nil }
        guard let terms = offer?.terms(answer: element) else { throw .extensions }
        return terms
    }
}

/// The reason why a client does not accept a response as the opening of a WebSocket (RFC 6455 §4.1).
package enum HandshakeFailure: Error, Equatable, Sendable {
    /// Any status except 101: the server refused, or is not a WebSocket server.
    case status(Int)
    /// 101 without `Upgrade: websocket` and `Connection: Upgrade`.
    case notUpgraded
    /// `Sec-WebSocket-Accept` does not match our key.
    case accept
    /// An extension that we did not offer, or not in this form.
    case extensions
    /// A subprotocol that we did not request.
    case subprotocol
}

package import HTTP1
import Bytes

/// The opening handshake at a client (RFC 6455 §4.1): the request, and the check of its answer.
package struct WebSocketClientHandshake: Equatable, Sendable {
    /// The request, whole.
    package let request: [UInt8]
    private let accept: String
    private let subprotocols: [String]
    private let offer: CompressionOffer?

    /// - Parameters:
    ///   - host: as in the URL, with the port when it is not the scheme's own.
    ///   - target: path and query, begins with `/`.
    ///   - subprotocols: wanted, the dearest first; tokens, each once.
    ///   - compression: what to offer; `nil` for nothing.
    ///   - fields: more, such as `Authorization` or `Origin`.
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
        RequestHead(method: "GET", target: target, fields: Fields(all + fields)).append(to: &octets)
        request = octets
        accept = WebSocketHandshake.answer(to: key)
        self.subprotocols = subprotocols
        self.offer = offer
    }

    /// Checks the answer; octets after its head are already frames.
    ///
    /// - Returns: the subprotocol that the server chose, `nil` when it chose none.
    /// - Throws: the connection must be closed, nothing may be sent.
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

    /// How messages may be compressed, by an answer; `nil` when they may not.
    ///
    /// - Throws: `.extensions`, for what was not offered or is malformed (§4.1, on the answer, item 5); `check` throws it too.
    package func compression(in head: ResponseHead) throws(HandshakeFailure) -> CompressionTerms? {
        guard let elements = ExtensionElement.read(head.fields), elements.count <= 1 else { throw .extensions }
        guard let element = elements.first else { return nil }
        guard let terms = offer?.terms(answer: element) else { throw .extensions }
        return terms
    }
}

/// Why a client does not take an answer for the opening of a WebSocket (RFC 6455 §4.1).
package enum HandshakeFailure: Error, Equatable, Sendable {
    /// Any status but 101: the server refused, or is none.
    case status(Int)
    /// 101 without `Upgrade: websocket` and `Connection: Upgrade`.
    case notUpgraded
    /// `Sec-WebSocket-Accept` is not the answer to our key.
    case accept
    /// An extension that we did not offer, or not so.
    case extensions
    /// A subprotocol that we did not ask for.
    case subprotocol
}

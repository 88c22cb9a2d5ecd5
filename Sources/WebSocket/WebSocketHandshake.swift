package import HTTP1
import Bytes
import Crypto

/// The opening handshake at a server (RFC 6455 §4.2): from a request head to the octets that switch protocols.
package struct WebSocketHandshake: Equatable, Sendable {
    /// The complete 101 response; send it before any frame. Octets after the request's head are already frames.
    package let response: [UInt8]
    /// The agreed subprotocol, `nil` if the client named none that we support.
    package let subprotocol: String?
    /// The terms for compressed messages, `nil` if the client offered nothing that the policy grants.
    package let compression: CompressionTerms?

    /// The only version of the protocol (§4.1 item 9).
    static let version = "13"
    /// The octets of a key before base64 (§4.1 item 7).
    static let keyOctets = 16
    /// The longest list of subprotocols that is searched: far above any client's, so that a head full of them costs
    /// little.
    static let maxSubprotocols = 32

    /// Accepts or refuses an upgrade.
    ///
    /// The caller checks `Origin`, path and authentication, before or after.
    ///
    /// - Parameters:
    ///   - head: the parsed head, whose `Host` was checked.
    ///   - subprotocols: the subprotocols that we support. The server takes the first of the *client's* list that is
    ///     among them (§4.1 item 10: its order is its preference); an empty list takes none. If the caller requires
    ///     one, it checks `subprotocol`.
    ///   - compression: the policy for offers to compress messages; `nil` grants none. No other extension is supported.
    /// - Throws: the refusal, with the complete response to send before closing.
    package static func accept(
        _ head: RequestHead, subprotocols: [String] = [], compression policy: CompressionPolicy? = nil
    ) throws(HandshakeRefusal) -> WebSocketHandshake {
        guard head.method == "GET" else { throw .method }
        guard head.minorVersion == 1 else { throw .malformed("the handshake takes HTTP/1.1") }
        guard head.framing == .none || head.framing == .length(0) else { throw .malformed("the handshake has no content") }
        guard head.fields.hasToken("websocket", in: "upgrade"), head.fields.hasToken("upgrade", in: "connection") else {
            throw .notUpgrade
        }
        guard head.fields.only("sec-websocket-version") == version else {
            throw head.fields.contains("sec-websocket-version") ? .version : .malformed("Sec-WebSocket-Version is missing")
        }
        guard let key = head.fields.only("sec-websocket-key"), Base64.decode(key)?.count == keyOctets else {
            throw .malformed("Sec-WebSocket-Key is not 16 octets in base64")
        }
        let subprotocol = try choose(head.fields, from: subprotocols)
        guard let extensions = ExtensionElement.read(head.fields) else {
            throw .malformed("Sec-WebSocket-Extensions is malformed")
        }
        let compression = policy?.choose(extensions)

        var fields = [
            Field("Upgrade", "websocket"),
            Field("Connection", "Upgrade"),
            Field("Sec-WebSocket-Accept", answer(to: key)),
        ]
        if let subprotocol { fields.append(Field("Sec-WebSocket-Protocol", subprotocol)) }
        if let compression { fields.append(Field("Sec-WebSocket-Extensions", compression.answer.text)) }
        var response: [UInt8] = []
        ResponseHead(101, fields).append(to: &response)
        return WebSocketHandshake(response: response, subprotocol: subprotocol, compression: compression?.terms)
    }

    private static func choose(_ fields: HTTPFields, from ours: [String]) throws(HandshakeRefusal) -> String? {
        guard fields.contains("sec-websocket-protocol") else { return nil }
        let theirs = fields.members("sec-websocket-protocol")
        // One or more tokens, each once (§4.1 item 10).
        guard !theirs.isEmpty, theirs.count <= maxSubprotocols, theirs.allSatisfy(Grammar.isToken), Set(theirs).count == theirs.count else {
            throw .malformed("Sec-WebSocket-Protocol is not a list of different tokens")
        }
        return theirs.first(where: ours.contains)
    }

    /// `Sec-WebSocket-Accept` for a key (§4.2.2 item 5.4).
    static func answer(to key: String) -> String {
        Base64.encode(Digest.sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }
}

/// The reason why a server does not switch protocols.
package enum HandshakeRefusal: Error, Equatable, Sendable {
    /// Not GET: 405.
    case method
    /// Not a request to upgrade to WebSocket: 426, which names the protocol (RFC 9110 §15.5.22).
    case notUpgrade
    /// A version other than 13: 426 with the supported version (RFC 6455 §4.4).
    case version
    /// A field of the handshake is missing or malformed: 400. The sentence names it, and contains nothing from the
    /// request.
    case malformed(String)

    package var status: Int {
        switch self {
        case .method: 405
        case .notUpgrade, .version: 426
        case .malformed: 400
        }
    }

    /// The complete response; the connection is closed after it.
    package var response: [UInt8] {
        switch self {
        case .method:
            ResponseHead.closing(status, [Field("Allow", "GET")])
        case .notUpgrade:
            ResponseHead.closing(
                status, [Field("connection", "Upgrade"), Field("Upgrade", "websocket")], body: "This address speaks WebSocket.\n")
        case .version:
            ResponseHead.closing(
                status,
                [
                    Field("connection", "Upgrade"), Field("Upgrade", "websocket"),
                    Field("Sec-WebSocket-Version", WebSocketHandshake.version),
                ])
        case .malformed(let sentence):
            ResponseHead.closing(status, body: sentence + "\n")
        }
    }
}

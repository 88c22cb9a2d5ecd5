package import HTTP1
import Bytes

/// The opening handshake at a client (RFC 6455 §4.1): the request, and the check of its answer.
package struct WebSocketClientHandshake: Equatable, Sendable {
    /// The request, whole.
    package let request: [UInt8]
    private let accept: String
    private let subprotocols: [String]

    /// - Parameters:
    ///   - host: as in the URL, with the port when it is not the scheme's own.
    ///   - target: path and query, begins with `/`.
    ///   - subprotocols: wanted, the dearest first; tokens, each once.
    ///   - fields: more, such as `Authorization` or `Origin`.
    ///   - nonce: 16 octets, random for every connection.
    package init(host: String, target: String = "/", subprotocols: [String] = [], fields: [Field] = [], nonce: [UInt8]) {
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
        var octets: [UInt8] = []
        RequestHead(method: "GET", target: target, fields: Fields(all + fields)).append(to: &octets)
        request = octets
        accept = WebSocketHandshake.answer(to: key)
        self.subprotocols = subprotocols
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
        // We ask for no extension, so none may be there (§4.1, on the answer, item 5).
        guard head.fields.members("sec-websocket-extensions").isEmpty else { throw .extensions }
        guard head.fields.contains("sec-websocket-protocol") else { return nil }
        guard let chosen = head.fields.only("sec-websocket-protocol"), subprotocols.contains(chosen) else { throw .subprotocol }
        return chosen
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
    /// An extension that we did not ask for.
    case extensions
    /// A subprotocol that we did not ask for.
    case subprotocol
}

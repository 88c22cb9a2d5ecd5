import HTTP1
import Testing

@testable import WebSocket

@Suite("Opening handshake, RFC 6455 §4")
struct HandshakeTests {
    /// The request of §1.3, with lines replaced or removed.
    static func request(_ changes: [String: String?] = [:], line: String = "GET /chat HTTP/1.1") throws -> RequestHead {
        var fields = [
            ("Host", "server.example.com"), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("Sec-WebSocket-Protocol", "chat, superchat"),
            ("Sec-WebSocket-Version", "13"),
        ]
        for (name, value) in changes {
            fields.removeAll { $0.0 == name }
            if let value { fields.append((name, value)) }
        }
        let text = line + "\r\n" + fields.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n"
        return try #require(try RequestHead.parse(Array(text.utf8).span)).head
    }

    static func field(_ name: String, of refusal: HandshakeRefusal?) throws -> String? {
        try refusal.flatMap { try ResponseHead.parse($0.response.span)?.head.fields.only(name) }
    }

    @Test("The RFC's example is accepted with its response")
    func example() throws {
        let accepted = try WebSocketHandshake.accept(Self.request(), subprotocols: ["superchat", "chat"])
        #expect(accepted.subprotocol == "chat")
        let (head, length) = try #require(try ResponseHead.parse(accepted.response.span))
        #expect(length == accepted.response.count)
        #expect(head.status == 101)
        #expect(head.fields.only("sec-websocket-accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(head.fields.only("sec-websocket-protocol") == "chat")
        #expect(head.fields.only("upgrade") == "websocket")
        #expect(head.fields.hasToken("upgrade", in: "connection"))
    }

    @Test("No subprotocol is named if none is shared")
    func noneShared() throws {
        let accepted = try WebSocketHandshake.accept(Self.request(), subprotocols: ["huddle.v1"])
        #expect(accepted.subprotocol == nil)
        #expect(try ResponseHead.parse(accepted.response.span)?.head.fields.contains("sec-websocket-protocol") == false)
    }

    @Test("Tokens are compared ignoring case, among others", arguments: [
        ["Upgrade": "WebSocket"], ["Connection": "keep-alive, UPGRADE"], ["Upgrade": "h2c, websocket"],
        ["Sec-WebSocket-Protocol": nil], ["Content-Length": "0"],
    ] as [[String: String?]])
    func tolerant(changes: [String: String?]) throws {
        _ = try WebSocketHandshake.accept(Self.request(changes))
    }

    @Test("An invalid handshake is refused with its status", arguments: [
        (["Upgrade": nil], 426), (["Upgrade": "h2c"], 426), (["Connection": nil], 426), (["Connection": "close"], 426),
        (["Sec-WebSocket-Version": "8"], 426), (["Sec-WebSocket-Version": nil], 400),
        (["Sec-WebSocket-Key": nil], 400), (["Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25j"], 400),
        (["Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZWU="], 400), (["Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ"], 400),
        (["Sec-WebSocket-Key": "not base64 at all!!!!!=="], 400), (["Sec-WebSocket-Protocol": "a b"], 400),
        (["Sec-WebSocket-Protocol": "a, a"], 400), (["Sec-WebSocket-Protocol": ""], 400), (["Sec-WebSocket-Protocol": "a,\"b\""], 400),
        (["Content-Length": "5"], 400), (["Transfer-Encoding": "chunked"], 400),
    ] as [([String: String?], Int)])
    func refused(changes: [String: String?], status: Int) throws {
        let head = try Self.request(changes)
        let refusal = #expect(throws: HandshakeRefusal.self) { try WebSocketHandshake.accept(head) }
        #expect(refusal?.status == status)
        let octets = try #require(refusal).response
        let response = try #require(try ResponseHead.parse(octets.span))
        #expect(response.head.status == status)
        #expect(response.head.fields.hasToken("close", in: "connection"))
        #expect(response.head.framing == .length(octets.count - response.length))
    }

    @Test("Another method gets the allowed one, another version the supported one")
    func told() throws {
        let post = try Self.request(line: "POST /chat HTTP/1.1")
        let method = #expect(throws: HandshakeRefusal.method) { try WebSocketHandshake.accept(post) }
        #expect(try Self.field("allow", of: method) == "GET")
        let old = try Self.request(["Sec-WebSocket-Version": "8"])
        let version = #expect(throws: HandshakeRefusal.version) { try WebSocketHandshake.accept(old) }
        #expect(try Self.field("sec-websocket-version", of: version) == "13")
        let http10 = try Self.request(line: "GET /chat HTTP/1.0")
        #expect(throws: HandshakeRefusal.malformed("the handshake takes HTTP/1.1")) { try WebSocketHandshake.accept(http10) }
    }

    @Test("Client and server sides agree, and octets after the heads are kept")
    func bothSides() throws {
        let client = WebSocketClientHandshake(
            host: "localhost:8787", target: "/ws?x=1", subprotocols: ["huddle.v2", "huddle.v1"],
            fields: [Field("Authorization", "Bearer t")], nonce: [UInt8](0..<16))
        let first = WebSocketEncoder.frame(.text, [0x61], maskKey: 3)
        let sent = client.request + first
        let (head, length) = try #require(try RequestHead.parse(sent.span))
        #expect(Array(sent[length...]) == first)
        #expect(head.path == "/ws")
        #expect(head.fields.only("authorization") == "Bearer t")
        let accepted = try WebSocketHandshake.accept(head, subprotocols: ["huddle.v1"])
        let answer = try #require(try ResponseHead.parse(accepted.response.span)).head
        #expect(try client.check(answer) == "huddle.v1")
    }

    @Test("A client refuses a wrong response")
    func wrongAnswers() throws {
        let client = WebSocketClientHandshake(host: "h", subprotocols: ["a"], nonce: [UInt8](repeating: 1, count: 16))
        let head = try #require(try RequestHead.parse(client.request.span)).head
        let accepted = try WebSocketHandshake.accept(head, subprotocols: ["a"])
        let good = try #require(try ResponseHead.parse(accepted.response.span)).head
        func changed(_ name: String, _ value: String?) -> ResponseHead {
            var head = good
            head.fields.list.removeAll { $0.name == name }
            if let value { head.fields.list.append(Field(name, value)) }
            return head
        }
        #expect(try client.check(good) == "a")
        #expect(try client.check(changed("sec-websocket-protocol", nil)) == nil)
        #expect(throws: HandshakeFailure.status(403)) { try client.check(ResponseHead(403)) }
        #expect(throws: HandshakeFailure.notUpgraded) { try client.check(changed("upgrade", nil)) }
        #expect(throws: HandshakeFailure.notUpgraded) { try client.check(changed("connection", "close")) }
        #expect(throws: HandshakeFailure.accept) { try client.check(changed("sec-websocket-accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")) }
        #expect(throws: HandshakeFailure.extensions) { try client.check(changed("sec-websocket-extensions", "permessage-deflate")) }
        #expect(throws: HandshakeFailure.subprotocol) { try client.check(changed("sec-websocket-protocol", "b")) }
    }
}

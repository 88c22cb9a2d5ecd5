import HTTP1
import Testing

@testable import WebSocket

@Suite("Extensions by their grammar, RFC 6455 §9.1")
struct ExtensionListTests {
    static func read(_ lines: [String]) -> [ExtensionElement]? {
        ExtensionElement.read(HTTPFields(lines.map { Field("sec-websocket-extensions", $0) }))
    }

    @Test("The reader accepts elements and parameters, over lines, with white space, quotes and empty elements", arguments: [
        ([], []), (["a"], ["a"]), (["a, b;c ;d=1"], ["a", "b; c; d=1"]), (["a ; b = 2", " c\t;d=\"3\""], ["a; b=2", "c; d=3"]),
        ([",a,, b,"], ["a", "b"]), (["a;b=\"\\c\\d\""], ["a; b=cd"]), (["foo; a=\"x\" , bar"], ["foo; a=x", "bar"]),
    ] as [([String], [String])])
    func reads(lines: [String], texts: [String]) {
        #expect(Self.read(lines)?.map(\.text) == texts)
    }

    @Test("Other texts are malformed", arguments: [
        "", ",", "a b", "a;", "a;;b", "a;b=", ";a", "a;=1", "a=1", "a;b=\"", "a;b=\"x", "a;b=\"\"", "a;b=\"x y\"", "a;b=\"x,y\"", "a;b=\"x\\",
        "a;b=1 2", "a;b=\"1\"2", "a/b", "ä", "a;b=é",
    ])
    func malformed(line: String) {
        #expect(Self.read([line]) == nil)
        #expect(Self.read(["good", line]) == nil)
    }
}

@Suite("Agreeing on compression, RFC 7692 §5, §7.1")
struct CompressionTermsTests {
    /// A server's reply to an offer; empty for none.
    private static func answer(_ offer: String, _ policy: CompressionPolicy) throws -> (text: String, terms: CompressionTerms?) {
        let head = try HandshakeTests.request(["Sec-WebSocket-Extensions": offer])
        let accepted = try WebSocketHandshake.accept(head, compression: policy)
        let fields = try #require(try ResponseHead.parse(accepted.response.span)).head.fields
        #expect(fields.contains("sec-websocket-extensions") == (accepted.compression != nil))
        return (fields.only("sec-websocket-extensions") ?? "", accepted.compression)
    }

    private static func terms(_ server: Bool, _ client: Bool, _ serverBits: Int, _ clientBits: Int) -> CompressionTerms {
        CompressionTerms(serverKeepsContext: server, clientKeepsContext: client, serverWindowBits: serverBits, clientWindowBits: clientBits)
    }

    @Test("A generous server grants all requests", arguments: [
        ("permessage-deflate", "permessage-deflate", terms(true, true, 15, 15)),
        ("permessage-deflate; client_max_window_bits", "permessage-deflate", terms(true, true, 15, 15)),
        (
            "permessage-deflate; client_max_window_bits; server_max_window_bits=10", "permessage-deflate; server_max_window_bits=10",
            terms(true, true, 10, 15)
        ),
        // §7.1: the first offer that can be granted; others are skipped.
        (
            "permessage-deflate; client_max_window_bits; server_max_window_bits=7, permessage-deflate; client_max_window_bits",
            "permessage-deflate", terms(true, true, 15, 15)
        ),
        ("permessage-snappy, permessage-deflate", "permessage-deflate", terms(true, true, 15, 15)),
        ("permessage-deflate; server_no_context_takeover", "permessage-deflate; server_no_context_takeover", terms(false, true, 15, 15)),
        ("permessage-deflate; client_no_context_takeover", "permessage-deflate; client_no_context_takeover", terms(true, false, 15, 15)),
        (
            "permessage-deflate; server_max_window_bits=8", "permessage-deflate; server_max_window_bits=8", terms(true, true, 8, 15)
        ),
        (
            "permessage-deflate; client_max_window_bits=\"9\"", "permessage-deflate; client_max_window_bits=9", terms(true, true, 15, 9)
        ),
        (
            "permessage-deflate;client_max_window_bits=15;server_max_window_bits=15", "permessage-deflate; server_max_window_bits=15",
            terms(true, true, 15, 15)
        ),
    ])
    func generous(offer: String, answer: String, terms: CompressionTerms) throws {
        let given = try Self.answer(offer, .generous)
        #expect(given.text == answer)
        #expect(given.terms == terms)
        #expect(try Self.answer("x; y, " + offer, .generous).terms == terms)
    }

    @Test("A server declines an offer with an unknown, invalid or repeated parameter", arguments: [
        "server_max_window_bits", "server_max_window_bits=7", "server_max_window_bits=16", "server_max_window_bits=08",
        "server_max_window_bits=\"+9\"", "server_max_window_bits=1000000000000000000000", "client_max_window_bits=7",
        "client_max_window_bits=16", "client_max_window_bits=a", "server_no_context_takeover=1", "client_no_context_takeover=\"x\"",
        "server_no_context_takeover; server_no_context_takeover", "client_max_window_bits; client_max_window_bits=9", "unknown", "x=1",
        "Server_no_context_takeover",
    ])
    func declined(parameters: String) throws {
        #expect(try Self.answer("permessage-deflate; \(parameters)", .generous).terms == nil)
        // The next offer can still be granted.
        let second = try Self.answer("permessage-deflate; \(parameters), permessage-deflate; server_max_window_bits=11", .generous)
        #expect(second.terms == Self.terms(true, true, 11, 15))
    }

    @Test("A server that shares compressed messages keeps no context and uses its own window", arguments: [
        ("permessage-deflate", "permessage-deflate; server_no_context_takeover; client_no_context_takeover", terms(false, false, 13, 15)),
        (
            "permessage-deflate; client_max_window_bits",
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover; client_max_window_bits=13",
            terms(false, false, 13, 13)
        ),
        (
            "permessage-deflate; client_max_window_bits=10; server_max_window_bits=14",
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=13; client_max_window_bits=10",
            terms(false, false, 13, 10)
        ),
    ])
    func shared(offer: String, answer: String, terms: CompressionTerms) throws {
        let given = try Self.answer(offer, .shared)
        #expect(given.text == answer)
        #expect(given.terms == terms)
        #expect(try Self.answer("permessage-deflate; server_max_window_bits=12", .shared).terms == nil)
    }

    @Test("A malformed field is refused, with and without compression", arguments: [nil, CompressionPolicy.generous])
    func malformed(policy: CompressionPolicy?) throws {
        let head = try HandshakeTests.request(["Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits="])
        let refusal = #expect(throws: HandshakeRefusal.self) { try WebSocketHandshake.accept(head, compression: policy) }
        #expect(refusal?.status == 400)
        let fine = try WebSocketHandshake.accept(HandshakeTests.request(["Sec-WebSocket-Extensions": "permessage-deflate"]))
        #expect(fine.compression == nil)
    }

    private static let full = CompressionOffer(
        serverNoContextTakeover: true, clientNoContextTakeover: true, serverMaxWindowBits: 13, clientMaxWindowBits: 11)

    @Test("A client writes its offer, and reads it as a server does", arguments: [
        (CompressionOffer(), "permessage-deflate; client_max_window_bits"),
        (CompressionOffer(clientMaxWindowBits: nil), "permessage-deflate"),
        (
            full,
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=13; client_max_window_bits=11"
        ),
    ])
    func offers(offer: CompressionOffer, text: String) throws {
        let client = WebSocketClientHandshake(host: "h", compression: offer, nonce: [UInt8](repeating: 1, count: 16))
        let head = try #require(try RequestHead.parse(client.request.span)).head
        #expect(head.fields.only("sec-websocket-extensions") == text)
        #expect(try #require(ExtensionElement.read(head.fields)).map { CompressionOffer($0) } == [offer])
        for policy in [CompressionPolicy.generous, .shared] {
            let accepted = try WebSocketHandshake.accept(head, compression: policy)
            let answer = try #require(try ResponseHead.parse(accepted.response.span)).head
            #expect(try client.check(answer) == nil)
            var terms = try #require(accepted.compression)
            // A server may use less than it declares.
            if offer.serverMaxWindowBits == nil { terms.serverWindowBits = 15 }
            #expect(try client.compression(in: answer) == terms)
        }
    }

    @Test("A client accepts a reply within its offer", arguments: [
        (CompressionOffer(), "permessage-deflate", terms(true, true, 15, 15)),
        (CompressionOffer(), "permessage-deflate; client_max_window_bits=8", terms(true, true, 15, 8)),
        // Not offered, but the server may declare it (§7.1.1.1, §7.1.2.1).
        (CompressionOffer(), "permessage-deflate; server_no_context_takeover; server_max_window_bits=9", terms(false, true, 9, 15)),
        (CompressionOffer(), "permessage-deflate; client_no_context_takeover", terms(true, false, 15, 15)),
        // The client's own declarations hold without a reply.
        (full, "permessage-deflate; server_no_context_takeover; server_max_window_bits=12", terms(false, false, 12, 11)),
        (full, "permessage-deflate; server_max_window_bits=\"8\"; server_no_context_takeover", terms(false, false, 8, 11)),
    ])
    func taken(offer: CompressionOffer, answer: String, terms: CompressionTerms) throws {
        #expect(ExtensionListTests.read([answer])?.first.flatMap { offer.terms(answer: $0) } == terms)
    }

    @Test("A client fails the connection for any other reply", arguments: [
        (CompressionOffer(), "permessage-deflate; client_max_window_bits"), (CompressionOffer(), "permessage-deflate; server_max_window_bits"),
        (CompressionOffer(), "permessage-deflate; server_max_window_bits=16"), (CompressionOffer(), "permessage-deflate; x"),
        (CompressionOffer(), "permessage-deflate; server_no_context_takeover=1"), (CompressionOffer(), "permessage-foo"),
        (CompressionOffer(), "permessage-deflate, permessage-deflate"), (CompressionOffer(), "permessage-deflate; client_max_window_bits=09"),
        (CompressionOffer(), "permessage-deflate;"), (CompressionOffer(clientMaxWindowBits: nil), "permessage-deflate; client_max_window_bits=10"),
        (full, "permessage-deflate"), (full, "permessage-deflate; server_no_context_takeover"),
        (full, "permessage-deflate; server_max_window_bits=12"),
        (full, "permessage-deflate; server_no_context_takeover; server_max_window_bits=14"),
    ])
    func failed(offer: CompressionOffer, answer: String) throws {
        let client = WebSocketClientHandshake(host: "h", compression: offer, nonce: [UInt8](repeating: 1, count: 16))
        let request = try #require(try RequestHead.parse(client.request.span)).head
        let accepted = try WebSocketHandshake.accept(request)
        var head = try #require(try ResponseHead.parse(accepted.response.span)).head
        #expect(try client.check(head) == nil)
        head.fields.list.append(Field("sec-websocket-extensions", answer))
        #expect(throws: HandshakeFailure.extensions) { try client.check(head) }
        #expect(throws: HandshakeFailure.extensions) { try client.compression(in: head) }
    }
}

import Family
import Store
import Testing
import WebSocket

@testable import Server

@Suite("Compressed messages, proto/protocol.md §1", .serialized)
struct CompressionTests {
    private static let agreed = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"

    /// A message that shrinks, of the given octets as text.
    private static func text(_ count: Int) -> String {
        String((0..<count / 4).map { "w\($0 % 50) " }.joined().prefix(count))
    }

    @Test("compression terms that are granted, and those that are not", arguments: [
        ("permessage-deflate", agreed), ("permessage-deflate; client_max_window_bits", agreed + "; client_max_window_bits=13"),
        ("permessage-deflate; server_max_window_bits=10", nil), ("permessage-bzip2", nil), (nil, nil),
    ] as [(String?, String?)])
    func granted(offer: String?, answer: String?) throws {
        let server = try TestShard()
        let client = try server.connect()
        try client.upgrade(offering: offer)
        #expect(client.extensions == answer)
        client.say("{\"type\":\"sign_in\",\"token\":\"\(server.parent.token)\"}")
        #expect(try client.next() == "welcome")
    }

    @Test("a malformed offer is refused with 400")
    func malformed() throws {
        let server = try TestShard()
        let client = try server.connect()
        client.send(text: TestClient.request(offering: "permessage-deflate;").replacing("Connection: Upgrade", with: "Connection: Upgrade, close"))
        #expect(try client.status() == 400)
    }

    @Test("a long message to a family is deflated once for all clients that accept it, and is the same for the others")
    func broadcast() throws {
        let server = try TestShard()
        let plain = try server.live(server.parent, client: 1)
        let others = try (2...4).map { try server.live(server.athlete, client: $0, offering: "permessage-deflate") }
        let before = server.shard.queues.messages.deflations
        let octets = (plain.received, others.map(\.received))
        plain.mutate(1, text: Self.text(3_000))
        try plain.skip(to: "ack 1")
        let change = try plain.skip(to: "change")
        for other in others { #expect(try other.skip(to: "change") == change) }
        #expect(server.shard.queues.messages.deflations == before + 1)
        #expect(plain.received - octets.0 > 3_000)
        for (other, before) in zip(others, octets.1) { #expect(other.received - before < 1_500) }
        // A short one is not deflated, and all receive it as it is.
        others[0].mutate(1, text: "Hi")
        let short = try plain.skip(to: "change")
        for other in others { #expect(try other.skip(to: "change") == short) }
        #expect(server.shard.queues.messages.deflations == before + 1)
    }

    @Test("a client may send compressed, within the limit on inflated octets")
    func fromClient() throws {
        let server = try TestShard()
        let client = try server.live(server.parent, offering: "permessage-deflate")
        client.isCompressing = true
        client.mutate(1, text: Self.text(3_000))
        try client.skip(to: "ack 1")
        client.send(.text, [UInt8](repeating: 0x20, count: server.limits.messageOctets + 1))
        try client.skip(to: "close 1009")
        // Without an agreement a compressed frame is not valid.
        let bare = try server.live(server.parent, client: 2)
        bare.send([0xC1, 0x80, 0, 0, 0, 0])
        try bare.skip(to: "close 1002")
    }

    @Test("an idle connection that compresses holds no memory, whatever it has sent")
    func memory() throws {
        let server = try TestShard()
        let clients = try (1...5).map { try server.live(server.parent, client: $0, offering: "permessage-deflate") }
        for (number, client) in clients.enumerated() {
            client.isCompressing = true
            client.mutate(number + 1, text: Self.text(2_000))
            try client.skip(to: "ack \(number + 1)")
        }
        #expect(server.shard.queues.messages.lent == 0)
        // A message that stops in its middle holds what it came to, until its connection ends.
        clients[0].send([0x41, 0x83, 0, 0, 0, 0, 0xF2, 0x48, 0xCD])
        try server.until("the fragment") { server.shard.queues.messages.lent > 0 }
        clients[0].leave()
        try server.until("the end") { server.shard.queues.messages.lent == 0 }
    }
}

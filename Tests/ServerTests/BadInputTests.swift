import Bytes
import Family
import Posix
import Store
import TLS
import Testing
import WebSocket

@testable import Server

@Suite("HTTP before the upgrade, RFC 9112, RFC 6455 §4", .serialized)
struct RequestTests {
    /// An upgrade that, refused, is the last request.
    static let closing = TestClient.request.replacing("Connection: Upgrade", with: "Connection: Upgrade, close")

    @Test("a request that is not an upgrade gets its status, then the end of the stream, and one line in the log", arguments: [
        ("\u{16}\u{3}\u{1}\u{2}\r\n\r\n", 400), ("GET /ws HTTP/1.1\r\n\r\n", 400), ("GET /ws HTTP/9.9\r\nHost: a\r\n\r\n", 505),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello", 405),
        ("GET /other HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 404), ("GET /ws HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 426),
        (closing.replacing("Sec-WebSocket-Protocol: huddle.v1\r\n", with: ""), 400),
        (closing.replacing("huddle.v1", with: "huddle.v2, chat"), 400),
        (closing.replacing("Version: 13", with: "Version: 8"), 426),
        (closing.replacing("dGhlIHNhbXBsZSBub25jZQ==", with: "short"), 400),
        ("GET /\(String(repeating: "a", count: 9_000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
        ("GET /ws HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 17_000))\r\n\r\n", 431),
    ])
    func refusals(request: String, status: Int) throws {
        let server = try TestShard()
        let client = try server.connect()
        client.send(text: request)
        #expect(try client.status() == status)
        #expect(server.lines.count("event=http", "status=\(status)") == 1)
        client.leave()
        try server.until("the connection is forgotten") { server.shard.table.all.isEmpty }
    }

    @Test("the response arrives whole although the client continues to send, over TCP, where an early close would reset the connection")
    func sendsOn() throws {
        let server = try TestShard()
        let listener = try Socket.listenTCP(host: "127.0.0.1", port: 0)
        let socket = try Socket.startConnecting(to: try SocketAddress.local(of: listener.raw))
        let client = TestClient(server, socket)
        _ = try Poll.wait(listener.raw, .readable, timeoutMilliseconds: 10_000)
        guard let accepted = try Socket.accept(on: listener.raw) else { throw Unexpected("nobody came") }
        server.shard.acceptor.accept(Transport(accepted))
        client.isReading = false
        client.send(text: "GET /other HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n")
        client.send([UInt8](repeating: 65, count: 4_000_000))
        for _ in 0..<20 {
            server.turn()
            try client.receive()
        }
        client.isReading = true
        #expect(try client.status() == 404)
    }

    @Test("a request that never ends: before 10 s nothing, then 408, and a peer that stays is cut off two seconds later")
    func drip() throws {
        let server = try TestShard()
        let client = try server.connect()
        client.send(text: "GET /ws HTTP/1.1\r\nHo")
        server.turn()
        server.pass(milliseconds: Connection.requestTime - 500)
        #expect(try client.soFar() == [])
        server.pass(milliseconds: 500)
        #expect(try client.status() == 408)
        #expect(server.lines.count("event=http", "status=408") == 1)
        #expect(server.shard.table.all.count == 1)
        server.pass(milliseconds: Connection.closingTime)
        #expect(server.shard.table.all.isEmpty)
    }

    @Test("frames that come in the same segment as the request, or cut anywhere in it, are processed")
    func pipelined() throws {
        let server = try TestShard()
        var frame: [UInt8] = []
        WebSocketEncoder.append(
            .text, Array("{\"type\":\"sign_in\",\"token\":\"\(server.parent.token)\"}".utf8), isFinal: true, maskKey: 99, to: &frame)
        let all = Array(TestClient.request.utf8) + frame
        for cut in stride(from: 0, through: all.count, by: 17) {
            let client = try server.connect()
            client.send(Array(all[..<cut]))
            server.turn()
            client.send(Array(all[cut...]))
            #expect(try client.next() == "welcome", "cut at \(cut)")
        }
    }

    @Test("connections: one at the limit is served, one above it gets 503 and a line, and a freed place is used again")
    func connectionLimit() throws {
        var limits = Limits()
        limits.connections = 2
        let server = try TestShard(limits)
        let first = try server.open()
        let second = try server.open()
        let third = try server.connect()
        third.send(text: TestClient.request)
        #expect(try third.status() == 503)
        #expect(String(decoding: third.octets, as: UTF8.self).contains("Retry-After"))
        #expect(server.lines.count("event=connection_refused") == 1)
        first.leave()
        third.leave()
        try server.until("a free place") { server.shard.table.all.count == 1 }
        let fourth = try server.open()
        #expect(!second.hasEnded && !fourth.hasEnded)
    }

    @Test("hundreds of connections that vanish at any stage leave nothing behind")
    func vanish() throws {
        let server = try TestShard()
        let frame = "{\"type\":\"sign_in\",\"token\":\"\(server.parent.token)\"}"
        for stage in 0..<300 {
            let client = try server.connect()
            switch stage % 5 {
            case 0: break
            case 1: client.send(text: "GET /ws HT")
            case 2: client.send(text: TestClient.request)
            case 3:
                client.send(text: TestClient.request)
                client.say(frame)
            default:
                client.send(text: TestClient.request)
                client.say(frame)
                client.join(server.parent.family)
                client.mutate(stage)
            }
            if stage % 3 == 0 { server.turn() }
            client.leave()
        }
        try server.until("all have gone") { server.shard.table.all.isEmpty }
        #expect(try server.live(server.parent).soFar() == [])
    }
}

@Suite("Frames that break WebSocket's rules or a limit, RFC 6455 §7.4.1", .serialized)
struct BrokenFrameTests {
    @Test("the close code names the fault, one line is logged, and the others continue", arguments: [
        ("binary", 1003), ("invalid UTF-8", 1007), ("unmasked", 1002), ("reserved bits", 1002), ("reserved opcode", 1002),
        ("long ping", 1002), ("continuation of nothing", 1002), ("1,025 fragments", 1009), ("too long", 1009), ("too long, announced", 1009),
        ("too long, in fragments", 1009), ("close with a code that may not travel", 1002),
    ])
    func codes(fault: String, code: Int) throws {
        let server = try TestShard()
        let other = try server.live(server.athlete)
        let client = try server.live(server.parent)
        try other.skip(to: "presence 1")
        let limit = server.limits.messageOctets
        switch fault {
        case "binary": client.send(.binary, [1, 2, 3])
        case "invalid UTF-8": client.send(.text, [0x22, 0xC3, 0x28])
        case "unmasked": client.send(.text, [0x7B, 0x7D], isMasked: false)
        case "reserved bits": client.send([0xF1, 0x80, 0, 0, 0, 0])
        case "reserved opcode": client.send([0x83, 0x80, 0, 0, 0, 0])
        case "long ping": client.send([0x89, 0xFE, 0, 126, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 126))
        case "continuation of nothing": client.send(.continuation, [1])
        case "1,025 fragments":
            client.send(.text, [0x20], isFinal: false)
            for _ in 1..<Connection.maxFragments { client.send(.continuation, [0x20], isFinal: false) }
            client.send(.continuation, [0x20])
        case "too long": client.send(.text, [UInt8](repeating: 0x20, count: limit + 1))
        case "too long, announced": client.send([0x81, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])
        case "too long, in fragments":
            for number in 0..<5 {
                client.send(number == 0 ? .text : .continuation, [UInt8](repeating: 0x20, count: limit / 4), isFinal: number == 4)
            }
        default: client.send(.close, [0x03, 0xED])
        }
        #expect(try client.rest().suffix(2) == ["close \(code)", "end"])
        #expect(server.lines.count("code=\(code)") == 1)
        try other.skip(to: "presence 0")
        other.mutate(1)
        try other.skip(to: "ack 1")
    }

    @Test("at the limits a message is accepted: message_octets, and 1,024 fragments of it")
    func atTheLimit() throws {
        let server = try TestShard()
        let client = try server.signedIn(server.parent)
        var message = Array("{\"type\":\"context\",\"context\":\"all\"}".utf8)
        message += [UInt8](repeating: 0x20, count: server.limits.messageOctets - message.count)
        client.send(.text, message)
        #expect(try client.next() == "error not_joined")
        let piece = message.count / Connection.maxFragments
        for number in 0..<Connection.maxFragments {
            let part = Array(message[number * piece..<(number + 1) * piece])
            client.send(number == 0 ? .text : .continuation, part, isFinal: number == Connection.maxFragments - 1)
        }
        #expect(try client.next() == "error not_joined")
    }

    @Test("before the sign-in: a message of sign_in_octets is accepted, one octet more is 1009, and the announcement is enough")
    func beforeSignIn() throws {
        let server = try TestShard()
        let client = try server.open()
        var message = Array("{\"type\":\"context\",\"context\":\"all\"}".utf8)
        message += [UInt8](repeating: 0x20, count: server.limits.signInOctets - message.count)
        client.send(.text, message)
        #expect(try client.next() == "error not_signed_in")
        client.send([0x81, 0xFE, 0x10, 0x01, 0, 0, 0, 0])
        #expect(try client.rest() == ["close 1009", "end"])
    }

    @Test("the close code arrives although the client continues to send")
    func sendsOn() throws {
        let server = try TestShard()
        let client = try server.signedIn(server.parent)
        client.isReading = false
        client.send(.text, [UInt8](repeating: 0x20, count: 1_000_000))
        for _ in 0..<30 {
            server.turn()
            try client.receive()
        }
        client.isReading = true
        #expect(try client.rest() == ["close 1009", "end"])
    }

    @Test("a client that closes gets its code back, and then the end")
    func closes() throws {
        let server = try TestShard()
        let client = try server.live(server.parent)
        client.send(.close, [0x03, 0xE8, 0x62, 0x79, 0x65])
        #expect(try client.rest() == ["close 1000", "end"])
        client.leave()
        try server.until("gone") { server.shard.table.all.isEmpty }
    }

    @Test("a client that ends only its side of the stream has left, for the others immediately")
    func halfClosed() throws {
        let server = try TestShard()
        let other = try server.live(server.athlete)
        let client = try server.live(server.parent)
        try other.skip(to: "presence 1")
        try client.finishSending()
        #expect(try other.skip(to: "presence 0") == "presence 0")
        #expect(server.shard.table.all.count == 1)
    }
}

@Suite("Messages that are no frames of the protocol, errors.json", .serialized)
struct BadMessageTests {
    static let badFrames: [String] = [
        "", "null", "[]", "{", "{\"type\":\"redeem\"}", "{\"type\":\"nothing\"}", "{\"type\":\"sign_in\",\"token\":5}",
        "{\"type\":\"sign_in\",\"token\":\"a\",\"token\":\"b\"}", "{\"type\":\"sign_in\",\"token\":\"a\",\"more\":1}",
        "{\"type\":\"sign_in\",\"token\":\"\\ud800\"}", "{\"type\":\"sign_in\",\"token\":\"a\"} x", String(repeating: "[", count: 4_000),
        "{\"type\":\"list\",\"request\":1e5,\"kind\":\"message\"}", "{\"a\":" + String(repeating: "{\"a\":", count: 700) + "1",
        "{\"type\":\"context\",\"context\":" + String(repeating: "9", count: 4_000) + "}",
    ]

    @Test("bad_frame and close 4502, that connection alone, one line each", arguments: badFrames)
    func refused(message: String) throws {
        let server = try TestShard()
        let other = try server.live(server.parent)
        let client = try server.open()
        client.say(message)
        #expect(try client.rest() == ["error bad_frame", "close 4502", "end"])
        #expect(server.lines.count("event=closing", "code=4502") == 1)
        other.mutate(1)
        try other.skip(to: "ack 1")
    }

    @Test("JSON bombs as large as a message may be, from somebody who is signed in", arguments: [
        String(repeating: "[", count: 262_144), String(repeating: "{\"\":", count: 65_536),
        "{\"type\":\"mutate\",\"mutation\":1,\"operations\":" + String(repeating: "[", count: 200_000),
        "{" + (0..<20_000).map { "\"k\($0)\":1" }.joined(separator: ",") + "}",
    ])
    func bombs(message: String) throws {
        let server = try TestShard()
        let client = try server.live(server.parent)
        client.say(message)
        let words = try client.rest()
        #expect(words.suffix(3) == ["error bad_frame", "close 4502", "end"] || words.first == "reject 1 invalid", "\(words)")
    }

    @Test("a frame out of turn gets its error and leaves the session as it was")
    func outOfTurn() throws {
        let server = try TestShard()
        let client = try server.open()
        client.mutate(1)
        #expect(try client.next() == "reject 1 not_signed_in")
        client.join(server.parent.family)
        #expect(try client.next() == "error not_signed_in")
        client.say("{\"type\":\"sign_out\"}")
        #expect(try client.next() == "error not_signed_in")
        client.say("{\"type\":\"list\",\"request\":1,\"kind\":\"message\",\"limit\":1}")
        #expect(try client.next() == "error not_signed_in")
        client.say("{\"type\":\"sign_in\",\"token\":\"\(server.parent.token)\"}")
        #expect(try client.next() == "welcome")
        client.say("{\"type\":\"sign_in\",\"token\":\"\(server.parent.token)\"}")
        #expect(try client.next() == "error already_signed_in")
        client.say("{\"type\":\"redeem\",\"code\":\"AAAA-AAAA-AAAA\",\"nonce\":\"\(TestClient.nonce)\",\"name\":\"Gus\"}")
        #expect(try client.next() == "error code_unknown")
        client.mutate(1)
        #expect(try client.next() == "reject 1 not_joined")
        // Of another family, of none, and of one's own with another's athlete: nobody learns which of them exists.
        client.join(server.stranger.family)
        #expect(try client.next() == "error not_found")
        client.join(Identifier(high: 5, low: 5))
        #expect(try client.next() == "error not_found")
        client.join(server.parent.family, extra: ",\"context\":\"\(server.stranger.member)\"")
        #expect(try client.next() == "error not_found")
        client.join(server.parent.family, extra: ",\"cursor\":{\"epoch\":\"old\",\"seq\":0}")
        #expect(try client.next().hasPrefix("joined"))
        #expect(try client.next() == "reset epoch_changed")
        try client.skip(to: "live")
        client.join(server.parent.family)
        #expect(try client.next() == "error already_joined")
        client.say("{\"type\":\"context\",\"context\":\"\(server.stranger.member)\"}")
        #expect(try client.next() == "error not_found")
        client.mutate(1)
        #expect(try client.skip(to: "ack 1") == "ack 1")
    }

    @Test("an invalid token ends the connection; a code may be tried five times, not six")
    func guessing() throws {
        let server = try TestShard()
        let guesser = try server.open()
        guesser.say("{\"type\":\"sign_in\",\"token\":\"\(server.parent.token.dropLast())x\"}")
        #expect(try guesser.rest() == ["error token_unknown", "close 4501", "end"])
        let client = try server.open()
        for _ in 0..<5 {
            client.say("{\"type\":\"redeem\",\"code\":\"AAAA-AAAA-AAAA\",\"nonce\":\"\(TestClient.nonce)\",\"name\":\"Gus\"}")
            #expect(try client.next() == "error code_unknown")
        }
        client.say("{\"type\":\"redeem\",\"code\":\"\(server.code)\",\"nonce\":\"\(TestClient.nonce)\",\"name\":\"Gus\"}")
        #expect(try client.rest() == ["close 1008", "end"])
        // The right code is still good on another connection.
        let friend = try server.open()
        friend.say("{\"type\":\"redeem\",\"code\":\"\(server.code)\",\"nonce\":\"\(TestClient.nonce)\",\"name\":\"Gus\"}")
        #expect(try friend.next() == "token")
    }
}

extension AbuseCase {
    /// HTTP that is none, or that two readers could read differently (RFC 9112 §2.2, §3, §5.1, §6.3, §11.2).
    static let requests: [AbuseCase] = {
        let get = "GET / HTTP/1.1\r\nHost: a\r\n"
        let post = "POST / HTTP/1.1\r\nHost: a\r\n"
        var cases: [AbuseCase] = [
            http("HTTP/0.9", "GET /\r\n\r\n", 400),
            http("another protocol", "EHLO me\r\n\r\n", 400),
            http("a TLS hello on the plain port", "\u{16}\u{3}\u{1}\u{0}\u{5}\u{1}\u{0}\u{0}\u{1}\u{3}\r\n\r\n", 400),
            http("HTTP/2 by prior knowledge", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, 501, 505),
            http("a version that is not", "GET / HTTP/1.1x\r\nHost: a\r\n\r\n", 400, 505),
            http("a version in lower case", "GET / http/1.1\r\nHost: a\r\n\r\n", 400),
            http("two spaces in the request line", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            http("a tab in the request line", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            http("a control character in the target", "GET /\u{1} HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            http("NUL in a value", get + "X: a\u{0}b\r\n\r\n", 400),
            http("bare LF", "GET / HTTP/1.1\nHost: a\n\n", 400),
            http("bare LF after a field", get + "X: a\n\r\n", 400),
            http("bare CR in a value", get + "X: a\rY: b\r\n\r\n", 400),
            http("a folded field", get + "X: a\r\n b\r\n\r\n", 400),
            http("a space before the colon", get + "X : a\r\n\r\n", 400),
            http("a space before the first field", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400),
            http("a field without a name", get + ": a\r\n\r\n", 400),
            http("a field without a colon", get + "X\r\n\r\n", 400),
            http("a name that is not a token", get + "X(y): a\r\n\r\n", 400),
            http("no Host", "GET / HTTP/1.1\r\n\r\n", 400),
            http("two Hosts", get + "Host: b\r\n\r\n", 400),
            http("the same Host twice", get + "Host: a\r\n\r\n", 400),
            http("a Host that is none", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400),
            http("both framings", post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
            http("both framings, the other order", post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400),
            http("two lengths", post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 400),
            http("a list of lengths", post + "Content-Length: 5, 6\r\n\r\nhello", 400),
            http("a signed length", post + "Content-Length: +5\r\n\r\nhello", 400),
            http("a negative length", post + "Content-Length: -5\r\n\r\nhello", 400),
            http("a hexadecimal length", post + "Content-Length: 0x5\r\n\r\nhello", 400),
            http("an empty length", post + "Content-Length: \r\n\r\nhello", 400),
            http("a length past 64 bits", post + "Content-Length: 99999999999999999999\r\n\r\nhello", 400, 413),
            http("chunked by another name", post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 400, 501),
            http("chunked, not last", post + "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n", 400, 501),
            http("chunked twice", post + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", 400, 501),
            http("chunked in two fields", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
            http("chunked, with a vertical tab", post + "Transfer-Encoding: \u{B}chunked\r\n\r\n0\r\n\r\n", 400, 501),
            http("chunked in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
            http("a target of 9,000 octets", "GET /\(String(repeating: "a", count: 9_000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
            http("a field of 17,000 octets", get + "X: \(String(repeating: "a", count: 17_000))\r\n\r\n", 431),
            http("a thousand fields", get + String(repeating: "X: a\r\n", count: 1_000) + "\r\n", 431),
            http("a request line without an end", String(repeating: "A", count: 100_000), 400, 414),
            http("an upgrade to something else", get + "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n", 200, 400, 426),
            http(
                "an upgrade without a key",
                "GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n", 400),
        ]
        // A refusal of what could be read does not end the connection by itself.
        let request = String(decoding: upgrade, as: UTF8.self).replacing("Connection: Upgrade", with: "Connection: Upgrade, close")
        cases += [
            http("an upgrade with a short key", request.replacing("dGhlIHNhbXBsZSBub25jZQ==", with: "c2hvcnQ="), 400),
            http(
                "an upgrade with two keys",
                request.replacing("Sec-WebSocket-Protocol", with: "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol"),
                400),
            http("an upgrade of another version", request.replacing("Version: 13", with: "Version: 12"), 426),
            http("an upgrade with content", request.replacing("Host: a\r\n", with: "Host: a\r\nContent-Length: 3\r\n"), 400),
            http("an upgrade by POST", request.replacing("GET", with: "POST"), 400, 405),
            http("an upgrade in HTTP/1.0", request.replacing("HTTP/1.1", with: "HTTP/1.0"), 400, 426),
            http("an upgrade without our subprotocol", request.replacing("huddle.v1", with: "huddle.v9"), 400),
        ]
        return cases
    }()

    /// Frames that break RFC 6455: §5.1 masks, §5.2 heads, §5.4 fragments, §5.5 control frames, §7.4 codes, §8.1 text.
    static let frames: [AbuseCase] = {
        var cases: [AbuseCase] = [
            webSocket("an unmasked frame", frame(1, [0x7B, 0x7D], isMasked: false), 1002),
            webSocket("a fragmented ping", frame(9, [1], fin: false), 1002),
            webSocket("a fragmented close", frame(8, [3, 0xE8], fin: false), 1002),
            webSocket("a ping of 126 octets", frame(9, [UInt8](repeating: 1, count: 126)), 1002),
            webSocket("a close of 126 octets", frame(8, [3, 0xE8] + [UInt8](repeating: 0x61, count: 124)), 1002),
            webSocket("a length of 5 in 2 octets", frame(1, Array("hello".utf8), form: 2), 1002),
            webSocket("a length of 5 in 8 octets", frame(1, Array("hello".utf8), form: 8), 1002),
            webSocket("a length of 300 in 8 octets", frame(1, [UInt8](repeating: 0x20, count: 300), form: 8), 1002),
            webSocket("a length with the highest bit", [0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 1002),
            webSocket("a length of 2^62", [0x81, 0xFF, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 1009),
            webSocket("one octet more than a stranger may send, announced", [0x81, 0xFE, 0x10, 0x01, 0, 0, 0, 0], 1009),
            webSocket(
                "the same in two fragments",
                frame(1, [UInt8](repeating: 0x20, count: 4_000), fin: false) + frame(0, [UInt8](repeating: 0x20, count: 97)), 1009),
            webSocket("a continuation of nothing", frame(0, [0x20]), 1002),
            webSocket("a new text within a message", text("a", fin: false) + text("b"), 1002),
            webSocket("a new binary within a message", text("a", fin: false) + frame(2, [1]), 1002),
            webSocket("a binary message", frame(2, [1, 2, 3]), 1003),
            webSocket("text that is not UTF-8", frame(1, [0x22, 0xC3, 0x28]), 1007),
            webSocket("a surrogate in UTF-8", frame(1, [0xED, 0xA0, 0x80]), 1007),
            webSocket("an overlong solidus", frame(1, [0xC0, 0xAF]), 1007),
            webSocket("past U+10FFFF", frame(1, [0xF4, 0x90, 0x80, 0x80]), 1007),
            webSocket("text that ends within a character", frame(1, [0x22, 0xE2, 0x82]), 1007),
            webSocket(
                "bad text in a fragment, the end not there: fails immediately",
                frame(1, [0xCE, 0xBA], fin: false) + frame(0, [0xFF], fin: false), 1007),
            webSocket(
                "a character cut between fragments that continues wrongly",
                frame(1, [0xE2, 0x82], fin: false) + frame(0, [0x28], fin: false), 1007),
            webSocket("a close of one octet", frame(8, [3]), 1002),
            webSocket("a close whose reason is not UTF-8", close(1000, [0xC3, 0x28]), 1007),
            webSocket("1,025 fragments", text("", fin: false) + (0..<1_025).flatMap { _ in frame(0, [0x20], fin: false) }, 1009),
            webSocket("20,000 empty fragments", text("a", fin: false) + (0..<20_000).flatMap { _ in frame(0, [], fin: false) }, 1009),
            webSocket("an orderly close", close(1000, Array("bye".utf8)), 1000),
            webSocket("a close without a code", frame(8, []), nil),
            webSocket("a message behind the close", close(1001) + text("{"), 1001),
            webSocket("no frame of the protocol", text("{\"type\":\"nothing\"}"), 4502),
            webSocket("a nesting of 4,000", text(String(repeating: "[", count: 4_000)), 4502),
            webSocket(
                "eleven refusals before the sign-in", (0..<60).flatMap { _ in text("{\"type\":\"context\",\"context\":\"all\"}") }, 1008),
        ]
        for opcode: UInt8 in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] { cases.append(webSocket("opcode \(opcode)", frame(opcode, []), 1002)) }
        for bits: UInt8 in [1, 2, 3, 4, 7] {
            cases.append(webSocket("reserved bits \(bits), nothing negotiated", frame(1, [0x20], reserved: bits), 1002))
        }
        for code: UInt16 in [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535] {
            cases.append(webSocket("a close with \(code)", close(code), 1002))
        }
        cases += [
            AbuseCase(
                name: "pings within a message, and 500 of them",
                steps: [
                    .send(
                        upgrade + text("{\"type\":", fin: false) + (0..<500).flatMap { frame(9, [UInt8($0 & 0xFF)]) }
                            + frame(9, [0x65, 0x6E, 0x64]))
                ], outcome: .answer([0x8A, 3, 0x65, 0x6E, 0x64])),
            AbuseCase(
                name: "a ping of 125 octets", steps: [.send(upgrade + frame(9, [UInt8](repeating: 7, count: 125)))],
                outcome: .answer([0x8A, 125] + [UInt8](repeating: 7, count: 125))),
            AbuseCase(
                name: "a frame octet by octet",
                steps: [.send(upgrade)] + [.drip([0x89], every: 0, times: 1), .pause(20)]
                    + frame(9, [1, 2, 3]).dropFirst().map { .drip([$0], every: 5, times: 1) }, outcome: .answer([0x8A, 3, 1, 2, 3])),
            AbuseCase(
                name: "the stream ends within a frame",
                steps: [.send(upgrade + frame(1, [0x20, 0x20]).dropLast()), .finish], outcome: .end),
        ]
        return cases
    }()

    /// Time as a weapon; each is ended by a timer of about ten seconds.
    static let drips: [AbuseCase] = [
        AbuseCase(name: "says nothing", steps: [], outcome: .end),
        AbuseCase(
            name: "a head without an end, octet by octet",
            steps: [.send(Array("GET /ws HTTP/1.1\r\nX: ".utf8)), .drip([0x61], every: 100, times: 400)], outcome: .status([408])),
        AbuseCase(name: "upgrades and never signs in", steps: [.send(upgrade)], outcome: .close(4003)),
        AbuseCase(
            name: "upgrades and drips a message",
            steps: [.send(upgrade + [0x81, 0xFE, 0x01, 0, 0, 0, 0, 0]), .drip([0x20], every: 100, times: 400)],
            // Ten seconds for a message and ten for the sign-in are over together.
            outcome: .close(4005, or: 4003)),
        AbuseCase(
            name: "upgrades and pings all the while", steps: [.send(upgrade), .drip(frame(9, [1]), every: 50, times: 400)],
            outcome: .close(4003)),
        AbuseCase(
            name: "guesses six codes",
            steps: [.send(upgrade)] + [
                .drip(
                    text("{\"type\":\"redeem\",\"code\":\"78MRK-7D87Z-W4JJ4-7874G\",\"nonce\":\"5f1c9a7e20b4d3865f1c9a7e20b4d386\"}"),
                    every: 300, times: 6)
            ], outcome: .close(1008)),
        AbuseCase(name: "connects and ends its side", steps: [.finish], outcome: .end),
    ]

    /// Disconnects with a reset after the given octets of an upgrade, an unknown sign-in, and half a message.
    static let departures: [AbuseCase] = {
        let all = upgrade + text("{\"type\":\"sign_in\",\"token\":\"nobody\"}") + text("{\"type\":\"mutate\"", fin: false)
        return stride(from: 0, through: all.count, by: 7).map {
            AbuseCase(name: "gone after \($0) octets", steps: [.send(Array(all[..<$0])), .cut], outcome: .nothing)
        }
    }()
}

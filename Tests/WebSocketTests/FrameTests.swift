import TestSupport
import Testing

@testable import WebSocket

@Suite("Frames as octets, RFC 6455 §5.2, §5.7")
struct FrameTests {
    /// The examples of §5.7, and lengths on both sides of each change of form.
    @Test("The RFC's own examples decode", arguments: [
        ([0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f], WebSocketRole.client, Said.message(.text, [UInt8](text: "Hello"))),
        ([0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58], .server, .message(.text, [UInt8](text: "Hello"))),
        ([0x01, 0x03, 0x48, 0x65, 0x6c, 0x80, 0x02, 0x6c, 0x6f], .client, .message(.text, [UInt8](text: "Hello"))),
        ([0x89, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f], .client, .ping([UInt8](text: "Hello"))),
        ([0x8a, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58], .server, .pong([UInt8](text: "Hello"))),
        ([0x82, 0x7E, 0x01, 0x00] + [UInt8](repeating: 7, count: 256), .client, .message(.binary, [UInt8](repeating: 7, count: 256))),
        (
            [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + [UInt8](repeating: 7, count: 65536), .client,
            .message(.binary, [UInt8](repeating: 7, count: 65536))
        ),
        ([0x88, 0x00], .client, .close(nil, "")),
        ([0x88, 0x06, 0x03, 0xE8, 0x67, 0x6f, 0x6e, 0x65], .client, .close(1000, "gone")),
    ] as [([UInt8], WebSocketRole, Said)])
    func examples(octets: [UInt8], role: WebSocketRole, said: Said) {
        #expect(decode([octets], role: role) == [said])
        #expect(decode(octets.map { [$0] }, role: role) == [said])
    }

    @Test("The encoder uses the shortest length", arguments: [
        (0, [0x82, 0x00]), (125, [0x82, 125]), (126, [0x82, 126, 0, 126]), (65535, [0x82, 126, 0xFF, 0xFF]),
        (65536, [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
    ] as [(Int, [UInt8])])
    func shortest(count: Int, head: [UInt8]) {
        let payload = [UInt8](repeating: 0x61, count: count)
        #expect(WebSocketEncoder.frame(.binary, payload) == head + payload)
        let masked = WebSocketEncoder.frame(.binary, payload, maskKey: 0x0403_0201)
        #expect(Array(masked[..<(head.count + 4)]) == [head[0], head[1] | 0x80] + head[2...] + [1, 2, 3, 4])
        #expect(decode([masked]) == [.message(.binary, payload)])
    }

    @Test("Masking is the XOR of §5.3 at every length and offset")
    func masking() {
        var random = SplitMix64(seed: 1)
        for count in 0..<70 {
            for offset in 0..<9 {
                let key = UInt32.random(in: 0...UInt32.max, using: &random)
                var octets = (0..<offset + count).map { _ in UInt8.random(in: 0...255, using: &random) }
                let naive = octets.enumerated().map { index, octet in
                    index < offset ? octet : octet ^ UInt8(truncatingIfNeeded: key >> UInt32(8 * ((index - offset) % 4)))
                }
                octets.withUnsafeMutableBytes { Masking.apply(key, to: UnsafeMutableRawBufferPointer(rebasing: $0[offset...])) }
                #expect(octets == naive)
            }
        }
    }

    @Test("A close reason is cut between scalars to the size of a control frame")
    func longReason() {
        let frame = WebSocketEncoder.close(1000, reason: String(repeating: "é", count: 100))
        #expect(decode([frame], role: .client) == [.close(1000, String(repeating: "é", count: 61))])
        #expect(decode([WebSocketEncoder.close(nil)], role: .client) == [.close(nil, "")])
    }
}

@Suite("Masked text, RFC 3629")
struct TextCheckTests {
    @Test("The check agrees with the standard library on every text of one and two octets, and on many longer")
    func againstLibrary() {
        func agrees(_ octets: [UInt8]) -> Bool {
            octets.withUnsafeBytes { TextCheck.isText($0) } == (String(validating: octets, as: UTF8.self) != nil)
        }
        for first in 0...UInt8.max {
            #expect(agrees([first]))
            for second in 0...UInt8.max where !agrees([first, second]) {
                Issue.record("\(first) \(second)")
            }
        }
        // Octets at the borders of the grammar make long valid and nearly valid sequences likely.
        let borders: [UInt8] = [
            0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3,
            0xF4, 0xF5, 0xFF,
        ]
        for first in borders where first >= 0xE0 {
            for second in borders {
                for third in borders where third >= 0x7F && third <= 0xC0 {
                    for fourth in [0x61, 0x80, 0xBF, 0xC2, 0xF0] as [UInt8] {
                        for tail in [[first, second, third], [first, second, third, fourth]] {
                            let padded = [UInt8](repeating: 0x61, count: 9) + tail + [UInt8](repeating: 0x62, count: 40)
                            if !agrees(tail) || !agrees(padded) { Issue.record("\(tail)") }
                        }
                    }
                }
            }
        }
    }

    @Test("Text is checked the same however it is cut, and fails at the first invalid octet")
    func pieces() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        for _ in 0..<400 {
            var octets = [UInt8](text: "Zażółć gęślą jaźń – naïve 日本語 👨‍👩‍👧 plain ascii that is long enough for words 0123456789 ")
            if Bool.random(using: &random) {
                octets[Int.random(in: octets.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let whole = String(validating: octets, as: UTF8.self) != nil
            var check = TextCheck()
            var ok = true
            var offset = 0
            while offset < octets.count, ok {
                let end = min(octets.count, offset + Int.random(in: 1...40, using: &random))
                ok = octets[offset..<end].withUnsafeBytes { check.accept($0) }
                offset = end
            }
            #expect((ok && check.isComplete) == whole, "seed \(seed)")
        }
        // ED A0 is the start of a surrogate: no third octet can make it valid (Autobahn 6.4 requires this).
        var check = TextCheck()
        #expect([UInt8(0xED)].withUnsafeBytes { check.accept($0) })
        #expect(![UInt8(0xA0)].withUnsafeBytes { check.accept($0) })
    }
}

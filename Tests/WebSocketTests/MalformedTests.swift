import Testing

@testable import WebSocket

/// One malformed input: octets for a server, the events still delivered, and the error.
struct Malformed: Sendable, CustomTestStringConvertible {
    var name: String
    var octets: [UInt8]
    var error: WebSocketError
    var code: UInt16
    /// The number of octets after which the error must be thrown, if that is before the last.
    var at: Int?

    var testDescription: String { name }

    init(_ name: String, _ octets: [UInt8], _ error: WebSocketError, _ code: UInt16, at: Int? = nil) {
        self.name = name
        self.octets = octets
        self.error = error
        self.code = code
        self.at = at
    }

    /// A key of zeros: payloads stay unchanged.
    static let mask: [UInt8] = [0, 0, 0, 0]

    static func close(_ code: UInt16) -> [UInt8] { [0x88, 0x82] + mask + [UInt8(code >> 8), UInt8(code & 0xFF)] }

    static let all: [Malformed] =
        [
            Malformed("RSV1", [0xC1, 0x80] + mask, .reservedBits, 1002, at: 2),
            Malformed("RSV2", [0xA1, 0x80] + mask, .reservedBits, 1002, at: 2),
            Malformed("RSV3 on a ping", [0x99, 0x80] + mask, .reservedBits, 1002, at: 2),
            Malformed("a text frame without a mask", [0x81, 0x01, 0x61], .maskMissing, 1002, at: 2),
            Malformed("a ping of 126 octets", [0x89, 0xFE, 0, 126] + mask, .controlTooLong, 1002, at: 2),
            Malformed("a close with a 64-bit length", [0x88, 0xFF, 0, 0, 0, 0, 0, 0, 0, 1] + mask, .controlTooLong, 1002, at: 2),
            Malformed("a ping without FIN", [0x09, 0x80] + mask, .controlFragmented, 1002, at: 2),
            Malformed("125 in 16 bits", [0x82, 0xFE, 0, 125] + mask, .lengthNotMinimal, 1002, at: 4),
            Malformed("0 in 16 bits", [0x82, 0xFE, 0, 0] + mask, .lengthNotMinimal, 1002, at: 4),
            Malformed("65535 in 64 bits", [0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] + mask, .lengthNotMinimal, 1002, at: 10),
            Malformed(
                "a length with its top bit set", [0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 1] + mask, .lengthOutOfRange, 1002, at: 10),
            Malformed(
                "the longest length", [0x82, 0xFF, 0x7F, 255, 255, 255, 255, 255, 255, 255] + mask, .messageTooLong, 1009),
            Malformed("a continuation of nothing", [0x80, 0x80] + mask, .continuationUnexpected, 1002),
            Malformed("a continuation after a whole message", [0x81, 0x80] + mask + [0x80, 0x80] + mask, .continuationUnexpected, 1002),
            Malformed("text within a message", [0x01, 0x81] + mask + [0x61] + [0x81, 0x80] + mask, .continuationExpected, 1002),
            Malformed("binary within a text message", [0x01, 0x80] + mask + [0x02, 0x80] + mask, .continuationExpected, 1002),
            Malformed("a close of one octet", [0x88, 0x81] + mask + [3], .closeTruncated, 1002),
            Malformed("a close reason that is not text", [0x88, 0x83] + mask + [3, 0xE8, 0xFF], .closeReasonInvalid, 1007),
            Malformed("a close reason cut in a scalar", [0x88, 0x84] + mask + [3, 0xE8, 0xE2, 0x82], .closeReasonInvalid, 1007),
            Malformed("text that is not text", [0x81, 0x82] + mask + [0x61, 0xFF], .textInvalid, 1007),
            Malformed("text that ends in a scalar", [0x81, 0x82] + mask + [0xE2, 0x82], .textInvalid, 1007),
            Malformed("a surrogate", [0x81, 0x83] + mask + [0xED, 0xA0, 0x80], .textInvalid, 1007),
            Malformed(
                "a scalar cut by the end of a fragmented message",
                [0x01, 0x81] + mask + [0xE2] + [0x80, 0x81] + mask + [0x82], .textInvalid, 1007),
            Malformed(
                "a hopeless octet within a fragment: the rest is not waited for",
                [0x01, 0xFE, 0x01, 0x00] + mask + [0xF4, 0x90, 0x61], .textInvalid, 1007, at: 10),
            Malformed("a message past the limit", [0x82, 0xFE, 0x04, 0x01] + mask, .messageTooLong, 1009),
            Malformed(
                "fragments past the limit together",
                [0x02, 0xFE, 0x04, 0x00] + mask + [UInt8](repeating: 0, count: 1024) + [0x80, 0x81] + mask,
                .messageTooLong, 1009),
            Malformed(
                "one fragment too many", [0x01, 0x80] + mask + [0x00, 0x80] + mask + [0x00, 0x80] + mask + [0x80, 0x81] + mask,
                .tooManyFragments, 1009),
            Malformed(
                "one empty fragment too many", [0x01, 0x80] + mask + [0x00, 0x80] + mask + [0x00, 0x80] + mask + [0x00, 0x80] + mask,
                .tooManyFragments, 1009),
        ]
        + [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map { opcode in
            Malformed("opcode \(opcode)", [0x80 | opcode, 0x80] + mask, .reservedOpcode, 1002, at: 2)
        }
        + ([0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535] as [UInt16]).map { code in
            Malformed("close code \(code)", close(code), .closeCodeInvalid, 1002)
        }
}

@Suite("Forbidden input from a peer, with its close code, RFC 6455 §5, §7.4, §8.1")
struct MalformedTests {
    static let limits = WebSocketLimits(maxMessage: 1024, maxFragments: 3)

    @Test("Each malformed input ends the connection with its code, however it is cut", arguments: Malformed.all)
    func refused(input: Malformed) {
        #expect(input.error.closeCode == input.code)
        let octets = input.octets
        for pieces in octets.count < 100 ? cuts(octets) : [[octets], octets.map { [$0] }] {
            let said = decode(pieces, limits: Self.limits)
            #expect(said.last == .failure(input.error), "in \(pieces.count) pieces")
        }
        // A valid frame before it is still delivered, one after it is not.
        let good = WebSocketEncoder.frame(.text, [0x68, 0x69], maskKey: 7)
        let glued = decode([good + octets + good], limits: Self.limits)
        #expect(glued.first == .message(.text, [0x68, 0x69]))
        #expect(glued.last == .failure(input.error))
    }

    @Test("Invalid input is refused at the octet that proves it", arguments: Malformed.all.filter { $0.at != nil })
    func atOnce(input: Malformed) throws {
        let at = try #require(input.at)
        var decoder = WebSocketDecoder(role: .server, limits: Self.limits)
        for (index, octet) in input.octets.enumerated() {
            let said = feed([octet], to: &decoder)
            #expect(said.contains(.failure(input.error)) == (index + 1 == at), "octet \(index + 1)")
            #expect(decoder.hasEnded == (index + 1 >= at))
        }
    }

    @Test("A masked frame from a server is refused")
    func masked() {
        #expect(decode([[0x81, 0x80, 0, 0, 0, 0]], role: .client) == [.failure(.maskUnexpected)])
    }

    @Test("Close codes that are allowed in a frame are accepted", arguments: [
        1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999,
    ] as [UInt16])
    func goodCodes(code: UInt16) {
        #expect(decode([Malformed.close(code)]) == [.close(code, "")])
    }

    @Test("Limits hold up to and including their number")
    func atLimit() {
        let mask = Malformed.mask
        let payload = [UInt8](repeating: 1, count: 1024)
        #expect(decode([[0x82, 0xFE, 0x04, 0x00] + mask + payload], limits: Self.limits) == [.message(.binary, payload)])
        let three: [UInt8] = [0x02, 0x80] + mask + [0x00, 0x80] + mask + [0x80, 0x80] + mask
        #expect(decode([three], limits: Self.limits) == [.message(.binary, [])])
        // An empty last frame does not count as a fragment.
        let four: [UInt8] = [0x02, 0x80] + mask + [0x00, 0x80] + mask + [0x00, 0x81] + mask + [7] + [0x80, 0x80] + mask
        #expect(decode([four], limits: Self.limits) == [.message(.binary, [7])])
    }

    @Test("All octets after a close frame are ignored")
    func afterClose() {
        let close = Malformed.close(1000)
        #expect(decode([close + [0xFF, 0xFF, 0xFF]]) == [.close(1000, "")])
        #expect(decode([close, WebSocketEncoder.frame(.text, [0x61], maskKey: 1), close]) == [.close(1000, "")])
    }
}

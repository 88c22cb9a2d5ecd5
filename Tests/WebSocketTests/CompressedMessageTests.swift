import Deflate
import TestSupport
import Testing

@testable import WebSocket

/// A sender of compressed messages, for any kind of peer: the test decides about compression and fragments.
struct CompressingPeer {
    let terms: CompressionTerms
    let role: WebSocketRole
    let pool = MessagePool()
    var deflater: MessageDeflater
    var octets: [UInt8] = []

    init(_ terms: CompressionTerms, role: WebSocketRole) {
        self.terms = terms
        self.role = role
        deflater = MessageDeflater(terms, role: role, threshold: 1, pool: pool)
    }

    var key: UInt32? { role == .client ? 0xA1B2_C3D4 : nil }

    /// The payload to send, and whether it is compressed.
    mutating func deflate(_ message: [UInt8]) -> (payload: [UInt8], isCompressed: Bool) {
        let deflated = message.withUnsafeBytes { octets in deflater.deflate(octets).map { Array($0) } }
        return (deflated ?? message, deflated != nil)
    }

    /// Appends a message in one frame for each mark and one more, cut there; `between` is appended after each except
    /// the last.
    mutating func send(_ kind: MessageKind, _ payload: [UInt8], isCompressed: Bool, marks: [Int] = [], between: [UInt8] = []) {
        let edges = [0] + marks + [payload.count]
        for index in 0..<edges.count - 1 {
            WebSocketEncoder.append(
                index == 0 ? kind.opcode : .continuation, Array(payload[edges[index]..<edges[index + 1]]), isFinal: index == edges.count - 2,
                isCompressed: index == 0 && isCompressed, maskKey: key, to: &octets)
            if index < edges.count - 2 { octets += between }
        }
    }
}

@Suite("Compressed messages, RFC 7692 §6, §7.2")
struct CompressedMessageTests {
    static let full = CompressionTerms(serverKeepsContext: true, clientKeepsContext: true, serverWindowBits: 15, clientWindowBits: 15)
    static let bare = CompressionTerms(serverKeepsContext: false, clientKeepsContext: false, serverWindowBits: 12, clientWindowBits: 9)
    static let hello = Said.message(.text, [UInt8](text: "Hello"))
    static let limits = WebSocketLimits(maxMessage: 1024, maxFragments: 8)
    private static let tiny = [UInt8](text: "{\"name\":\"Infield camp\",\"host\":\"Infield camp\",\"name2\":\"Infield camp\"}")

    private static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] { [first, UInt8(payload.count)] + payload }

    @Test("The RFC's examples decode, each after a plain message and before another", arguments: [
        [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
        [0x41, 0x03, 0xF2, 0x48, 0xCD, 0x80, 0x04, 0xC9, 0xC9, 0x07, 0x00],
        [0xC1, 0x0B, 0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
        [0xC1, 0x08, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
        [0xC1, 0x0D, 0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
        // A ping between fragments, an empty last one, an empty first one.
        [0x41, 0x03, 0xF2, 0x48, 0xCD, 0x89, 0x00, 0x00, 0x04, 0xC9, 0xC9, 0x07, 0x00, 0x80, 0x00],
        [0x41, 0x00, 0x80, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
    ] as [[UInt8]])
    func examples(octets: [UInt8]) {
        let plain: [UInt8] = [0x81, 0x02, 0x68, 0x69]
        let hi = Said.message(.text, [UInt8](text: "hi"))
        for terms in [Self.full, Self.bare] {
            for pieces in cuts(plain + octets + plain) {
                let said = decode(pieces, role: .client, terms: terms).filter { $0 != .ping([]) }
                #expect(said == [hi, Self.hello, hi], "\(pieces.map(\.count))")
            }
        }
    }

    @Test("With context takeover a message may refer to the previous one, without it may not, §7.2.3.2")
    func context() {
        let first: [UInt8] = [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        let again: [UInt8] = [0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00]
        #expect(decode([first + again], role: .client, terms: Self.full) == [Self.hello, Self.hello])
        #expect(decode([first + first], role: .client, terms: Self.bare) == [Self.hello, Self.hello])
        #expect(decode([first + again], role: .client, terms: Self.bare) == [Self.hello, .failure(.compressionInvalid)])
        #expect(WebSocketError.compressionInvalid.closeCode == 1007)
    }

    @Test("RSV1 is valid in the first frame of a message, and nowhere else, §6.1", arguments: [
        // On control frames, on a continuation; the other two bits; without compression.
        ([0xC9, 0x00], 2), ([0xCA, 0x00], 2), ([0xC8, 0x00], 2), ([0x41, 0x01, 0xF2, 0xC0, 0x00], 5), ([0x01, 0x00, 0xC0, 0x00], 4),
        ([0xA1, 0x00], 2), ([0x91, 0x00], 2), ([0xE1, 0x00], 2), ([0xD2, 0x00], 2), ([0xF1, 0x00], 2),
    ] as [([UInt8], Int)])
    func reservedBits(octets: [UInt8], at: Int) {
        for pieces in cuts(octets) {
            #expect(decode(pieces, role: .client, terms: Self.full).last == .failure(.reservedBits))
        }
        #expect(decode([Array(octets[..<(at - 1)])], role: .client, terms: Self.full) == [])
        #expect(decode([[0xC1, 0x00]], role: .client) == [.failure(.reservedBits)])
        // A reserved opcode stays reserved.
        #expect(decode([[0xC3, 0x00]], role: .client, terms: Self.full) == [.failure(.reservedOpcode)])
    }

    @Test("A conversation reads the same whole, cut at each octet, octet by octet", arguments: [full, bare])
    func split(terms: CompressionTerms) {
        for role in [WebSocketRole.client, .server] {
            var peer = CompressingPeer(terms, role: role)
            var said: [Said] = []
            for (kind, text) in [
                (MessageKind.text, "zażółć zażółć zażółć gęślą gęślą jaźń 🏈🏈🏈🏈🏈🏈🏈🏈"), (.binary, "aaaaaaaaaaaaaaaaaaaaaaaaaaa"), (.text, "short"),
                (.text, "zażółć zażółć zażółć gęślą gęślą jaźń 🏈🏈🏈🏈🏈🏈🏈🏈 zażółć"),
            ] {
                let message = [UInt8](text: text)
                let (payload, isCompressed) = peer.deflate(message)
                #expect(isCompressed == (text != "short"))
                let ping = WebSocketEncoder.ping([1, 2], maskKey: peer.key)
                peer.send(kind, payload, isCompressed: isCompressed, marks: payload.count > 9 ? [3, 3, 9] : [], between: ping)
                said += (payload.count > 9 ? [.ping([1, 2]), .ping([1, 2]), .ping([1, 2])] : []) + [.message(kind, message)]
            }
            peer.octets += WebSocketEncoder.close(1000, maskKey: peer.key)
            said.append(.close(1000, ""))
            for pieces in cuts(peer.octets) {
                #expect(decode(pieces, role: role == .client ? .server : .client, terms: terms) == said, "\(pieces.map(\.count))")
            }
        }
    }

    @Test("Random conversations round-trip, with any windows, memory and fragments", arguments: [WebSocketRole.server, .client])
    func random(role: WebSocketRole) {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        let words = (0..<60).map { index in String(repeating: ["a", "ź", "語", "🏈"][index % 4], count: 1 + index % 7) + "\(index)" }
        for round in 0..<60 {
            let terms = CompressionTerms(
                serverKeepsContext: Bool.random(using: &random), clientKeepsContext: Bool.random(using: &random),
                serverWindowBits: Int.random(in: 8...15, using: &random), clientWindowBits: Int.random(in: 8...15, using: &random))
            var peer = CompressingPeer(terms, role: role == .server ? .client : .server)
            var said: [Said] = []
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                var message: [UInt8] = []
                let isText = Bool.random(using: &random)
                let size = [0, 1, 20, 300, 3000, 70_000].randomElement(using: &random) ?? 0
                while message.count < size {
                    if isText || Int.random(in: 0...3, using: &random) > 0 {
                        message += [UInt8](text: words.randomElement(using: &random) ?? "")
                    } else {
                        message += (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
                    }
                }
                let plain = Int.random(in: 0...5, using: &random) == 0
                let (payload, isCompressed) = plain ? (message, false) : peer.deflate(message)
                let marks = (0..<Int.random(in: 0...3, using: &random)).map { _ in Int.random(in: 0...payload.count, using: &random) }.sorted()
                let pong = Bool.random(using: &random) ? WebSocketEncoder.frame(.pong, [7], maskKey: peer.key) : []
                peer.send(isText ? .text : .binary, payload, isCompressed: isCompressed, marks: marks, between: pong)
                if !pong.isEmpty { said += [Said](repeating: .pong([7]), count: marks.count) }
                said.append(.message(isText ? .text : .binary, message))
            }
            var pieces: [[UInt8]] = []
            var offset = 0
            let most = [1, 9, 500, 1 << 20].randomElement(using: &random) ?? 1
            while offset < peer.octets.count {
                let end = min(peer.octets.count, offset + Int.random(in: 1...most, using: &random))
                pieces.append(Array(peer.octets[offset..<end]))
                offset = end
            }
            guard decode(pieces, role: role, terms: terms) == said else {
                Issue.record("seed \(seed), round \(round), \(terms)")
                return
            }
        }
    }

    @Test("Invalid DEFLATE, or an incomplete message, closes with 1007", arguments: [
        [], [0x07], [0xF2, 0x48, 0xCD], [0x00, 0x05, 0x00, 0xFA, 0xFE, 1, 2, 3, 4, 5, 0], [0x02, 0x42, 0x00],
        [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0xFF, 0xFF, 0xFF],
        // The receiver adds the tail: here it ends the first block, and the one added after it is not a block.
        [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00, 0x00, 0xFF, 0xFF],
    ] as [[UInt8]])
    func corrupt(payload: [UInt8]) {
        for pieces in cuts(Self.frame(0xC2, payload)) {
            #expect(decode(pieces, role: .client, terms: Self.full) == [.failure(.compressionInvalid)], "\(pieces.count) pieces")
        }
    }

    @Test("An empty message is one octet, and may consist of empty blocks only")
    func empty() {
        let empty = Said.message(.text, [])
        for payload: [UInt8] in [[0x00], [0x02, 0x00], [0x00, 0x00, 0x00, 0xFF, 0xFF, 0x00], [0x03, 0x00], [0x01, 0x00, 0x00, 0xFF, 0xFF, 0x00]] {
            for pieces in cuts(Self.frame(0xC1, payload) + Self.frame(0xC1, payload)) {
                #expect(decode(pieces, role: .client, terms: Self.full) == [empty, empty], "\(payload)")
            }
        }
    }

    @Test("A bomb closes with 1009 after one octet above the limit, however it arrives")
    func bomb() throws {
        let limit = 100_000
        let deflater = Deflater(windowBits: 15, level: 9, memoryLevel: 9)
        var output = [UInt8](repeating: 0, count: 50_000_004)
        let count = try #require([UInt8](repeating: 0x20, count: 50_000_000).withUnsafeBytes { octets in
            output.withUnsafeMutableBytes { deflater.deflate(octets, into: $0) }
        })
        let frame = WebSocketEncoder.frame(.text, Array(output[..<count]), maskKey: 5)
        let bomb = [frame[0] | 0x40] + frame[1...]
        for size in [bomb.count, 65_536, 100, 1] {
            let pool = MessagePool()
            var decoder = WebSocketDecoder(
                role: .server, limits: WebSocketLimits(maxMessage: limit, maxFragments: 1), pool: pool)
            decoder.accept(compression: Self.full)
            var inflated = 0
            var said: [Said] = []
            for start in stride(from: 0, to: bomb.count, by: size) where said.isEmpty {
                said = feed(Array(bomb[start..<min(bomb.count, start + size)]), to: &decoder)
                inflated = decoder.inflatedOctets ?? inflated
                #expect(decoder.heldOctets <= 2 * limit)
            }
            #expect(said == [.failure(.messageTooLong)])
            // The inflater is back in the pool, and knows its output count.
            #expect(pool.takeInflater(windowBits: 15).produced == limit + 1, "in pieces of \(size)")
            #expect(inflated <= limit)
            #expect(decoder.heldOctets == 0 && pool.lent == 0)
        }
        #expect(WebSocketError.messageTooLong.closeCode == 1009)
    }

    @Test("The limit counts decompressed octets, and holds up to its number")
    func atLimit() {
        func send(_ count: Int) -> [Said] {
            var peer = CompressingPeer(Self.full, role: .client)
            let (payload, isCompressed) = peer.deflate([UInt8](repeating: 0x61, count: count))
            #expect(isCompressed)
            peer.send(.text, payload, isCompressed: true, marks: [payload.count / 2])
            return decode([peer.octets], limits: Self.limits, terms: Self.full)
        }
        #expect(send(1024) == [.message(.text, [UInt8](repeating: 0x61, count: 1024))])
        #expect(send(1025) == [.failure(.messageTooLong)])
        // At most twice as many compressed octets and a few more: blocks may be inefficient, but not endless.
        let empty: [UInt8] = [0x00, 0x00, 0x00, 0xFF, 0xFF]
        let blocks = [[UInt8]](repeating: empty, count: 600).joined() + [0x00]
        var frames: [UInt8] = [0x42, 0x00]
        for start in stride(from: 0, to: blocks.count, by: 120) { frames += Self.frame(0x00, Array(blocks[start..<min(blocks.count, start + 120)])) }
        let many = WebSocketLimits(maxMessage: 1024, maxFragments: 100)
        #expect(decode([frames + [0x80, 0x00]], role: .client, limits: many, terms: Self.full) == [.message(.binary, [])])
        let more = (0..<7).reduce(into: frames) { octets, _ in octets += Self.frame(0x00, Array([[UInt8]](repeating: empty, count: 24).joined())) }
        #expect(decode([more], role: .client, limits: many, terms: Self.full) == [.failure(.messageTooLong)])
        // Fragments are counted as before.
        let nine: [UInt8] = [0x42, 0x00] + [UInt8](repeating: 0x00, count: 16)
        #expect(decode([nine], role: .client, limits: Self.limits, terms: Self.full) == [.failure(.tooManyFragments)])
    }

    @Test("Decompressed text is checked as it arrives, and fails within a fragment, Autobahn 6.4")
    func failsFast() throws {
        // A stored block of four octets, the third of which is invalid; the message continues.
        let octets: [UInt8] = [0x41, 0x7D, 0x00, 0x78, 0x00, 0x87, 0xFF, 0x61, 0xF4, 0x90, 0x61]
        var decoder = WebSocketDecoder(role: .client, limits: Self.limits)
        decoder.accept(compression: Self.full)
        for (index, octet) in octets.enumerated() {
            let said = feed([octet], to: &decoder)
            #expect(said == (index == 9 ? [.failure(.textInvalid)] : []), "octet \(index)")
        }
        // The first error is reported, in one piece or in many.
        let both = Self.frame(0xC1, [0x00, 0x02, 0x00, 0xFD, 0xFF, 0x61, 0xFF, 0x07])
        for pieces in cuts(both) { #expect(decode(pieces, role: .client, terms: Self.full) == [.failure(.textInvalid)]) }
        // A text that ends within a scalar.
        var peer = CompressingPeer(Self.bare, role: .server)
        let (payload, isCompressed) = peer.deflate([UInt8](text: "€€€€€€€€€€€€€").dropLast(1).map { $0 })
        peer.send(.text, payload, isCompressed: isCompressed)
        peer.send(.binary, payload, isCompressed: isCompressed)
        #expect(decode([peer.octets], role: .client, terms: Self.bare) == [.failure(.textInvalid)])
    }

    @Test("Between messages no memory is held, except the context for the next one")
    func memory() {
        for (terms, inflaters) in [(Self.bare, false), (Self.full, true)] {
            let pool = MessagePool()
            do {
                var peer = CompressingPeer(terms, role: .client)
                var decoder = WebSocketDecoder(role: .server, limits: Self.limits, pool: pool)
                decoder.accept(compression: terms)
                for _ in 0..<3 {
                    let (payload, isCompressed) = peer.deflate(Self.tiny)
                    peer.send(.text, payload, isCompressed: isCompressed)
                    #expect(isCompressed)
                    // Cut in its middle: a store and an inflater exist then.
                    let middle = peer.octets.count / 2
                    #expect(feed(Array(peer.octets[..<middle]), to: &decoder) == [])
                    #expect(decoder.inflatedOctets != nil)
                    // A second message that only refers to the first may have produced no output yet.
                    if !inflaters { #expect(pool.lent > 0) }
                    #expect(feed(Array(peer.octets[middle...]), to: &decoder) == [.message(.text, Self.tiny)])
                    peer.octets = []
                    #expect(decoder.heldOctets == 0 && pool.lent == 0)
                    #expect((decoder.inflatedOctets != nil) == inflaters)
                }
                #expect(feed(Array(WebSocketEncoder.frame(.text, Self.tiny, maskKey: 8)[..<30]), to: &decoder) == [])
                #expect(pool.lent > 0)
            }
            // The memory that a connection held at its end is returned too.
            #expect(pool.lent == 0)
        }
    }
}

@Suite("Sending compressed messages, RFC 7692 §6.1")
struct MessageDeflaterTests {
    private static let terms = CompressedMessageTests.full
    private static let text = [UInt8](text: (0..<40).map { "field \($0): value \($0 % 3); " }.joined())

    @Test("Short messages and those that do not shrink are sent plain, and the next one still decodes")
    func plain() {
        for terms in [CompressedMessageTests.full, CompressedMessageTests.bare] {
            let pool = MessagePool()
            var deflater = MessageDeflater(terms, role: .client, threshold: 100, pool: pool)
            var random = SplitMix64(seed: 3)
            let noise = (0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) }
            var octets: [UInt8] = []
            var said: [Said] = []
            var compressed: [Bool] = []
            for message in [Self.text, Array(Self.text[..<99]), Self.text, noise, Self.text, Array(Self.text[..<100]), []] {
                let deflated = message.withUnsafeBytes { octets in deflater.deflate(octets).map { Array($0) } }
                compressed.append(deflated != nil)
                WebSocketEncoder.append(.binary, deflated ?? message, isCompressed: deflated != nil, maskKey: 3, to: &octets)
                said.append(.message(.binary, message))
            }
            #expect(compressed == [true, false, true, false, true, true, false])
            #expect(decode([octets], terms: terms) == said)
            #expect(pool.lent == 0)
        }
    }

    @Test("A message for many is compressed once, one after another, and not at all if it does not pay off")
    func shared() throws {
        let pool = MessagePool()
        var shared = SharedDeflater()
        let terms = CompressionTerms(serverKeepsContext: false, clientKeepsContext: false, serverWindowBits: 13, clientWindowBits: 15)
        let long = [UInt8](text: (0..<90).map { "field \($0): value \($0 % 3); " }.joined())
        // The same octets at another address: another message.
        let twin = long + []
        for (message, deflations) in [(long, 1), (Array(long.reversed()), 2), (long, 3), (twin.map { $0 }, 4)] {
            for _ in 0..<50 {
                let made = shared.frame(.text, message, pool: pool)
                let frame = try #require(made)
                #expect(frame.count < message.count / 2)
                #expect(decode([frame, frame], role: .client, terms: terms) == [.message(.text, message), .message(.text, message)])
            }
            #expect(pool.deflations == deflations)
        }
        #expect(shared.frame(.text, Array(long[..<1023]), pool: pool) == nil)
        #expect(pool.deflations == 4)
        // A message that does not shrink is not tried again and again either.
        var random = SplitMix64(seed: 3)
        let noise = (0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) }
        for _ in 0..<3 { #expect(shared.frame(.binary, noise, pool: pool) == nil) }
        #expect(pool.deflations == 5)
        #expect(shared.frame(.text, Array(long[..<1024]), pool: pool) != nil)
    }

    @Test("One turn compresses up to its budget and one message more; the rest is plain, and the next turn compresses again")
    func budget() {
        let pool = MessagePool()
        var shared = SharedDeflater()
        // Three times, to detect a budget that is never reset.
        for turn in 1...3 {
            shared.beginTurn()
            let messages = (0..<6).map { number in [UInt8](repeating: UInt8(number), count: 65_536) }
            #expect(messages.map { shared.frame(.text, $0, pool: pool) != nil } == [true, true, true, true, false, false])
            #expect(pool.deflations == 4 * turn)
        }
    }
}

import TestSupport
import Testing

@testable import WebSocket

@Suite("Messages from frames, RFC 6455 §5.4, §5.5")
struct DecoderTests {
    /// A conversation with all features: fragments, control frames between them, empty frames, each length form.
    static let conversation: (octets: [UInt8], said: [Said]) = {
        var octets: [UInt8] = []
        WebSocketEncoder.append(.text, [UInt8](text: "dzień dobry"), maskKey: 0x1234_5678, to: &octets)
        WebSocketEncoder.append(.text, [UInt8](text: "one €").dropLast(2).map { $0 }, isFinal: false, maskKey: 0xFFFF_0001, to: &octets)
        WebSocketEncoder.append(.ping, [1, 2, 3], maskKey: 9, to: &octets)
        WebSocketEncoder.append(.continuation, [], isFinal: false, maskKey: 10, to: &octets)
        WebSocketEncoder.append(.continuation, [0x82, 0xAC], maskKey: 11, to: &octets)
        WebSocketEncoder.append(.pong, [], maskKey: 12, to: &octets)
        WebSocketEncoder.append(.binary, [], maskKey: 13, to: &octets)
        WebSocketEncoder.append(.binary, [UInt8](repeating: 5, count: 126), maskKey: 14, to: &octets)
        octets += WebSocketEncoder.close(4001, reason: "bye", maskKey: 15)
        return (
            octets,
            [
                .message(.text, [UInt8](text: "dzień dobry")), .ping([1, 2, 3]), .message(.text, [UInt8](text: "one €")), .pong([]),
                .message(.binary, []), .message(.binary, [UInt8](repeating: 5, count: 126)), .close(4001, "bye"),
            ]
        )
    }()

    @Test("A conversation reads the same whole, cut at each octet, octet by octet")
    func split() {
        for pieces in cuts(Self.conversation.octets) {
            #expect(decode(pieces) == Self.conversation.said, "\(pieces.map(\.count))")
        }
    }

    @Test("A whole frame is delivered in place, and nothing is held")
    func inPlace() throws {
        var frames = WebSocketEncoder.frame(.text, [UInt8](text: "here"), maskKey: 77)
        frames += WebSocketEncoder.ping([1], maskKey: 78)
        var decoder = WebSocketDecoder(role: .server, limits: WebSocketLimits(maxMessage: 100, maxFragments: 1))
        try frames.withUnsafeMutableBytes { lent in
            decoder.feed(lent)
            let range = UnsafeRawBufferPointer(lent)
            for offset in [6, 16] {
                switch try decoder.next() {
                case .message(_, let octets), .ping(let octets):
                    #expect(octets.baseAddress == range.baseAddress.map { $0 + offset })
                default: Issue.record("no event")
                }
                #expect(decoder.heldOctets == 0)
            }
            #expect(try decoder.next() == nil)
        }
        #expect(decoder.heldOctets == 0)
    }

    @Test("Memory grows with the arrived octets, not with the announced length, and is released")
    func memory() throws {
        let limits = WebSocketLimits(maxMessage: 1 << 20, maxFragments: 10)
        var decoder = WebSocketDecoder(role: .server, limits: limits)
        // One MiB is announced, one octet arrives.
        #expect(feed([0x82, 0xFF, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 42], to: &decoder) == [])
        #expect(decoder.heldOctets <= 1024)
        let chunk = [UInt8](repeating: 42, count: 4095)
        var said = feed(chunk, to: &decoder)
        for _ in 1..<256 { said += feed([UInt8](repeating: 42, count: 4096), to: &decoder) }
        #expect(said == [.message(.binary, [UInt8](repeating: 42, count: 1 << 20))])
        #expect(decoder.heldOctets == 0)
        // A ping in pieces leaves nothing either.
        #expect(feed([0x89, 0x82, 0, 0, 0, 0, 1], to: &decoder) == [])
        #expect(decoder.heldOctets > 0)
        #expect(feed([2], to: &decoder) == [.ping([1, 2])])
        #expect(decoder.heldOctets == 0)
    }

    @Test("An idle connection's decoder is small")
    func size() {
        #expect(MemoryLayout<WebSocketDecoder>.size < 200)
    }

    @Test("Random conversations come back as they were sent", arguments: [WebSocketRole.server, .client])
    func random(role: WebSocketRole) {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        for round in 0..<100 {
            let (octets, said) = randomConversation(role: role, &random)
            var pieces: [[UInt8]] = []
            var offset = 0
            let most = [1, 7, 200, 5000, 1 << 20].randomElement(using: &random) ?? 1
            while offset < octets.count {
                let end = min(octets.count, offset + Int.random(in: 1...most, using: &random))
                pieces.append(Array(octets[offset..<end]))
                offset = end
            }
            guard decode(pieces, role: role) == said else {
                Issue.record("seed \(seed), round \(round)")
                return
            }
        }
    }

    private func randomConversation(role: WebSocketRole, _ random: inout SplitMix64) -> ([UInt8], [Said]) {
        var octets: [UInt8] = []
        var said: [Said] = []
        func key(_ random: inout SplitMix64) -> UInt32? { role == .server ? UInt32.random(in: 0...UInt32.max, using: &random) : nil }
        func control(_ random: inout SplitMix64) {
            let payload = (0..<Int.random(in: 0...125, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            let isPing = Bool.random(using: &random)
            WebSocketEncoder.append(isPing ? .ping : .pong, payload, maskKey: key(&random), to: &octets)
            said.append(isPing ? .ping(payload) : .pong(payload))
        }
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            // Rarely above 65,535, which needs the longest length form: octet by octet, this is slow.
            let size = Int.random(in: 0..<40, using: &random) == 0 ? 66_000 : [0, 5, 125, 126, 300].randomElement(using: &random) ?? 0
            let isText = Bool.random(using: &random)
            var message: [UInt8] = []
            while message.count < size {
                let scalar = ["a", "ź", "語", "🏈"].randomElement(using: &random) ?? "a"
                let run = Int.random(in: 1...max(1, size / 20), using: &random)
                message += isText ? [UInt8](text: String(repeating: scalar, count: run)) : [UInt8](repeating: UInt8(run & 0xFF), count: run)
            }
            let pieces = Int.random(in: 1...5, using: &random)
            let marks = ([0, message.count] + (1..<pieces).map { _ in Int.random(in: 0...message.count, using: &random) }).sorted()
            for index in 0..<pieces {
                let opcode: Opcode = index > 0 ? .continuation : isText ? .text : .binary
                WebSocketEncoder.append(
                    opcode, Array(message[marks[index]..<marks[index + 1]]), isFinal: index == pieces - 1, maskKey: key(&random),
                    to: &octets)
                // Between fragments the control frame comes before the message, after the last one behind it.
                if index < pieces - 1, Int.random(in: 0...2, using: &random) == 0 { control(&random) }
            }
            said.append(.message(isText ? .text : .binary, message))
        }
        if Bool.random(using: &random) {
            octets += WebSocketEncoder.close(1000, reason: "end", maskKey: key(&random))
            said.append(.close(1000, "end"))
        }
        return (octets, said)
    }
}

@Suite("Closing handshake, RFC 6455 §7")
struct CloseStateTests {
    @Test("The peer's close is echoed, then the stream ends")
    func peerCloses() {
        var state = CloseState()
        #expect(state.didFlush() == .nothing)
        #expect(state.didReceiveClose(4001) == .sendCloseAndFinish(4001))
        #expect(!state.isOpen)
        #expect(state.didReceiveClose(1000) == .nothing)
        #expect(state.close(1000) == .nothing)
        #expect(state.didFlush() == .drop)
        #expect(state.peerCode == 4001)
        #expect(state.streamEnded() == .nothing)
    }

    @Test("Our close waits for the peer's")
    func weClose() {
        var state = CloseState()
        #expect(state.close(1001) == .sendClose(1001))
        #expect(state.didFlush() == .nothing)
        #expect(state.didReceiveClose(nil) == .finish)
        #expect(state.didFlush() == .drop)
        #expect(state.peerCode == 1005)
    }

    @Test("The timer drops a peer that never replies to our close")
    func timeout() {
        var state = CloseState()
        #expect(state.timerFired() == .nothing)
        #expect(state.close(1001) == .sendClose(1001))
        #expect(state.timerFired() == .drop)
        #expect(state.peerCode == 1006)
    }

    @Test("A protocol violation sends one close and ends; during the closing handshake it sends none")
    func failing() {
        var state = CloseState()
        #expect(state.didFail(1002) == .sendCloseAndFinish(1002))
        #expect(state.didFail(1002) == .nothing)
        #expect(state.didFlush() == .drop)
        var closing = CloseState()
        _ = closing.close(1000)
        #expect(closing.didFail(1007) == .finish)
    }

    @Test("A stream that ends without a close is abnormal")
    func ends() {
        var state = CloseState()
        #expect(state.streamEnded() == .drop)
        #expect(state.peerCode == 1006)
    }

    @Test("A turn may end after any event: octets taken back and lent again continue seamlessly", arguments: [false, true])
    func takeBack(isCompressed: Bool) throws {
        let terms = CompressionTerms(serverKeepsContext: false, clientKeepsContext: true, serverWindowBits: 15, clientWindowBits: 15)
        let pool = MessagePool()
        var deflater = MessageDeflater(terms, role: .client, threshold: 1, pool: pool)
        var octets: [UInt8] = []
        func message(_ text: String) {
            let payload = [UInt8](text: text)
            let deflated = isCompressed ? payload.withUnsafeBytes { deflater.deflate($0).map { Array($0) } } : nil
            WebSocketEncoder.append(.text, deflated ?? payload, isFinal: true, isCompressed: deflated != nil, maskKey: 0x0102_0304, to: &octets)
        }
        message("one one one one")
        WebSocketEncoder.append(.text, [UInt8](text: "tw"), isFinal: false, maskKey: 5, to: &octets)
        octets += WebSocketEncoder.ping([7], maskKey: 9)
        WebSocketEncoder.append(.continuation, [UInt8](text: "o"), isFinal: true, maskKey: 6, to: &octets)
        message("three three three")
        octets += WebSocketEncoder.close(1000, maskKey: 8)
        let expected: [Said] = [
            .message(.text, [UInt8](text: "one one one one")), .ping([7]), .message(.text, [UInt8](text: "two")),
            .message(.text, [UInt8](text: "three three three")), .close(1000, ""),
        ]
        for pieces in cuts(octets) {
            var decoder = WebSocketDecoder(role: .server, limits: WebSocketLimits(maxMessage: 1_000, maxFragments: 9), pool: pool)
            decoder.accept(compression: terms)
            var said: [Said] = []
            for piece in pieces {
                var left = piece
                while true {
                    let lent = UnsafeMutableRawBufferPointer.allocate(byteCount: left.count, alignment: 1)
                    defer { lent.deallocate() }
                    lent.copyBytes(from: left)
                    decoder.feed(lent)
                    guard let event = try decoder.next() else { break }
                    said.append(Said(event))
                    left = Array(decoder.takeBack())
                }
            }
            #expect(said == expected)
            #expect(decoder.heldOctets == 0)
        }
    }
}

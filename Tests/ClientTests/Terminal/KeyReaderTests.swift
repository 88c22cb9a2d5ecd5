import Client
import Testing

@Suite("Keys, ECMA-48 and bracketed paste")
struct KeyReaderTests {
    static let cases: [([UInt8], [Key])] = [
        (Array("héllo 👍🏽 日本".utf8), [.text("héllo 👍🏽 日本")]),
        (Array("a\u{1B}[Ab\u{1B}[B".utf8), [.text("a"), .up, .text("b"), .down]),
        (Array("\u{1B}[C\u{1B}[D\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~\u{1B}[3~".utf8), [.right, .left, .home, .end, .home, .end, .delete]),
        (Array("\u{1B}OH\u{1B}OF\u{1B}[1;5C\u{1B}[1;3D\u{1B}b\u{1B}f".utf8), [.home, .end, .wordRight, .wordLeft, .wordLeft, .wordRight]),
        ([1, 5, 11, 21, 23, 3, 4, 26, 12, 13, 10, 127, 8, 9],
            [
                .home, .end, .killToEnd, .killToStart, .killWord, .interrupt, .endOfFile, .suspend, .clearScreen, .enter, .enter, .backspace, .backspace,
                .tab,
            ]),
        (Array("\u{1B}[200~one\r\ntwo\u{1B}[31m\u{7}\t3\u{1B}[201~x".utf8), [.paste("one\ntwo\u{5B}31m 3"), .text("x")]),
        (Array("\u{1B}[99;99;99qz".utf8), [.text("z")]),
        (Array("\u{1B}[1\ry".utf8), [.enter, .text("y")]),
        (Array("\u{1B}[5~k".utf8), [.text("k")]),
    ]

    /// Joins neighbouring texts, because where input is cut text may come in pieces.
    static func joined(_ keys: [Key]) -> [Key] {
        keys.reduce(into: []) { result, key in
            if case .text(let more) = key, case .text(let before)? = result.last {
                result[result.count - 1] = .text(before + more)
            } else {
                result.append(key)
            }
        }
    }

    @Test("Whole, cut at each octet, octet by octet, glued to itself", arguments: cases)
    func cuts(octets: [UInt8], keys: [Key]) {
        var reader = KeyReader()
        #expect(reader.feed(octets) == keys)
        for place in octets.indices {
            var reader = KeyReader()
            let both = reader.feed(octets[..<place]) + reader.feed(octets[place...])
            #expect(Self.joined(both) == Self.joined(keys), "cut at \(place)")
        }
        var slow = KeyReader()
        #expect(Self.joined(octets.flatMap { slow.feed([$0]) }) == Self.joined(keys))
        var glued = KeyReader()
        #expect(Self.joined(glued.feed(octets + octets)) == Self.joined(keys + keys))
    }

    @Test("Octets that are no text become substitutes and steer nothing")
    func invalid() {
        var reader = KeyReader()
        let keys = reader.feed([0xFF, 0xC3, 0x28, 0x80, 0x41])
        #expect(Self.joined(keys) == [.text("\u{FFFD}\u{FFFD}(\u{FFFD}A")])
    }

    @Test("A paste is bounded")
    func bounded() {
        var reader = KeyReader()
        _ = reader.feed(Array("\u{1B}[200~".utf8))
        for _ in 0..<40 { #expect(reader.feed(Array(repeating: UInt8(ascii: "x"), count: 4_096)) == []) }
        let keys = reader.feed(Array("\u{1B}[201~".utf8))
        #expect(keys == [.paste(String(repeating: "x", count: KeyReader.pasteLimit))])
    }

    @Test("Whatever comes, reading goes on", arguments: 0..<20)
    func random(seed: Int) {
        var random = Seeded(state: UInt64(seed))
        var reader = KeyReader()
        for _ in 0..<2_000 {
            let octets = (0..<Int.random(in: 1...8, using: &random)).map { _ in
                random.chance(40) ? [0x1B, 0x5B, 0x30, 0x7E][Int(random.next() % 4)] : UInt8(truncatingIfNeeded: random.next())
            }
            _ = reader.feed(octets)
        }
        // The end of an unfinished sequence or paste, then a key that must be seen.
        _ = reader.feed(Array("AAAA\u{1B}[201~".utf8))
        #expect(reader.feed([13]).contains(.enter), "seed \(seed)")
    }
}

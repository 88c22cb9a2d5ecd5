import LibVTerm
import PseudoTerminal
import Terminal
import TestSupport
import Testing

/// Sends the same octets to both terminals.
private struct BothTerminals {
    private(set) var ours: VirtualTerminal
    let theirs: ReferenceTerminal

    init(columns: Int, rows: Int) throws {
        ours = VirtualTerminal(columns: columns, rows: rows)
        theirs = try #require(ReferenceTerminal(columns: columns, rows: rows))
    }

    mutating func feed(_ octets: [UInt8]) {
        ours.feed(octets)
        theirs.feed(octets)
    }

    mutating func feed(_ text: String) { feed(Array(text.utf8)) }

    var differences: [String] { theirs.differences(from: ours) }
}

@Suite("The tests' own terminal compared with libvterm")
struct LibVTermTests {
    // MARK: Sequences by hand

    /// On six columns and three rows.
    static let sequences: [String] = [
        // Text, lines, the last column.
        "ab\r\ncd", "abcdef", "abcdefg", "abcdefgh", "abcdef\r\ngh", "abcdef\rx", "abcdef\u{8}x", "ab\u{8}\u{8}\u{8}c", "1\r\n2\r\n3\r\n4", "abcdefghijklmnopqrs", "abcdef\u{1B}[mg",
        "abcdef\u{1B}[1mg", "abcdef\u{1B}[?25lg", "abcdef\u{1B}[6ng", "abcdef\u{1B}[2;2Hg", "abcdef\u{1B}[1;6Hx", "abcdef\u{1B}[Dg", "\u{1B}[?7labcdefgh", "\u{1B}[?7labcdefgh\u{1B}[?7hijk", "a\u{B}b\u{C}c",
        // Tabs.
        "\tx", "a\tb", "ab\t\t\tc", "abcdefg\tx",
        // The cursor.
        "\u{1B}[2;3Hx\u{1B}[Hy", "\u{1B}[9;9Hx", "\u{1B}[0;0Hx", "\u{1B}[;4Hx", "\u{1B}[2Hx", "\u{1B}[3;2fx", "a\u{1B}[Bb\u{1B}[Ac", "\u{1B}[9B\u{1B}[9Cx\u{1B}[9A\u{1B}[9Dy", "\u{1B}[3Cx\u{1B}[2Dy",
        "abc\u{1B}[Gx", "abc\u{1B}[5Gx", "abc\u{1B}[9`x", "a\u{1B}[3dx", "a\u{1B}[9dx", "abc\u{1B}[2Ex", "\u{1B}[3;3Ha\u{1B}[Fx", "a\u{1B}[2ax", "a\u{1B}[2ex",
        "1\u{1B}7\u{1B}[3;3Hx\u{1B}82", "1\u{1B}[31;4m\u{1B}7\u{1B}[0m\u{1B}[3;3Hx\u{1B}82", "ab\u{1B}[6nc", "\u{1B}[3;6H\u{1B}[6n",
        // Erasing.
        "abc\u{1B}[2D\u{1B}[K", "abc\u{1B}[1Kx", "abc\u{1B}[2Kx", "abc\u{1B}[0Kx", "abc\r\ndef\r\nghi\u{1B}[2;2H\u{1B}[J", "abc\r\ndef\r\nghi\u{1B}[2;2H\u{1B}[1J", "abc\r\ndef\u{1B}[2Jx",
        "a\u{1B}[3Xb", "abcdef\r\u{1B}[2X", "abcdef\u{1B}[2G\u{1B}[99X", "\u{1B}[44mabc\u{1B}[2G\u{1B}[K\u{1B}[0m", "\u{1B}[44m\u{1B}[2J\u{1B}[0mx", "\u{1B}[42mabc\u{1B}[41m\u{1B}[2G\u{1B}[X",
        // Inserting and deleting.
        "abc\r\u{1B}[@x", "abcdef\r\u{1B}[3@x", "abcdef\u{1B}[3G\u{1B}[99@", "abc\r\u{1B}[P", "abcdef\u{1B}[2G\u{1B}[3P", "abcdef\u{1B}[2G\u{1B}[99P",
        "abcdef\u{1B}[44m\u{1B}[2G\u{1B}[2P", "abcdef\u{1B}[44m\u{1B}[2G\u{1B}[2@", "1\r\n2\r\n3\u{1B}[2;1H\u{1B}[L", "1\r\n2\r\n3\u{1B}[1;1H\u{1B}[2L", "1\r\n2\r\n3\u{1B}[1;1H\u{1B}[M",
        "1\r\n2\r\n3\u{1B}[2;2H\u{1B}[9M", "1\r\n2\r\n3\u{1B}[1;1H\u{1B}[9L", "1\r\n2\r\n3\u{1B}[45m\u{1B}[1;1H\u{1B}[M",
        // Scrolling and regions.
        "1\r\n2\r\n3\u{1B}[2;3r\u{1B}[3;1H\nx", "1\r\n2\r\n3\u{1B}[1;2r\u{1B}[2;1H\nx", "1\r\n2\r\n3\u{1B}[1;2r\u{1B}[3;1H\nx", "1\r\n2\r\n3\u{1B}[2;3r\u{1B}M\u{1B}Mx", "1\r\n2\r\n3\u{1B}[2;3r\u{1B}[2;1H\u{1B}Mx",
        "1\r\n2\r\n3\u{1B}[H\u{1B}Mx", "1\r\n2\r\n3\u{1B}[H\u{1B}Dx", "1\r\n2\r\n3\u{1B}Dx", "1\r\n2\r\n3\u{1B}[Sx", "1\r\n2\r\n3\u{1B}[2Tx", "1\r\n2\r\n3\u{1B}[9S", "1\r\n2\r\n3\u{1B}[1;2r\u{1B}[S",
        "1\r\n2\r\n3\u{1B}[1;2r\u{1B}[T\u{1B}[r", "1\r\n2\r\n3\u{1B}[2;3r\u{1B}[1;1H\u{1B}[L", "1\r\n2\r\n3\u{1B}[2;3r\u{1B}[2;1H\u{1B}[L", "1\r\n2\r\n3\u{1B}[1;2r\u{1B}[1;1H\u{1B}[M", "1\r\n2\r\n3\u{1B}[44m\n",
        "1\r\n2\r\n3\u{1B}[44m\u{1B}[S", "1\r\n2\r\n3\u{1B}[44m\u{1B}[H\u{1B}M", "\u{1B}[2;9rabc", "\u{1B}[1;2r\u{1B}[rabc\u{1B}[3;1H\n",
        // Styles.
        "\u{1B}[1;31ma\u{1B}[4;7mb\u{1B}[0mc\u{1B}[44m\u{1B}[K", "\u{1B}[38;5;75;48;2;1;2;3mx\u{1B}[39;49my\u{1B}[9;3mz", "\u{1B}[1;3;4;7;9ma\u{1B}[22mb\u{1B}[23mc\u{1B}[24md\u{1B}[27me\u{1B}[29mf",
        "\u{1B}[90;107ma\u{1B}[97;100mb\u{1B}[37;40mc\u{1B}[mz", "\u{1B}[38;5;0ma\u{1B}[38;5;15mb\u{1B}[48;5;255mc\u{1B}[38;2;0;0;0md", "\u{1B}[;1ma", "\u{1B}[2ma\u{1B}[22mb",
        // Wide characters and marks.
        "日本x", "a日本x", "ab日本語x", "日本語日", "abcde日", "ab日\u{1B}[1;3Hc", "ab日\u{1B}[1;4Hc", "日本\u{1B}[1;2H語", "日本\r\u{1B}[P", "日本\u{1B}[1;2H\u{1B}[@", "日本\u{1B}[1;2H\u{1B}[K", "日本\u{1B}[1;3H\u{1B}[1K",
        "日本語\r\u{1B}[@", "日本\u{1B}[1;2H\u{1B}[X", "日本\u{1B}[1;4H\u{1B}[X", "e\u{301}x", "ze\u{301}\u{302}x", "abcdee\u{301}x", "日\u{301}x", "żółć", "Яй한x", "─│•…",
        // Modes, the other screen, titles, bells, invisible output.
        "ab\u{1B}[?1049hcd", "ab\u{1B}[?1049hcd\u{1B}[?1049lef", "ab\u{1B}[31m\u{1B}[?1049h\u{1B}[32mcd\u{1B}[?1049lef", "ab\u{1B}[44m\u{1B}[?1049h\u{1B}[0m", "ab\r\n\u{1B}[?1049h\u{1B}[2J\u{1B}[Hx\u{1B}[?1049l\u{1B}[?1049hy",
        "a\u{1B}[?25l", "a\u{1B}[?25l\u{1B}[?25h", "\u{1B}[?2004h\u{1B}[?1004h\u{1B}[?1002;1006ha", "\u{1B}]2;a title\u{7}x", "\u{1B}]0;other; title\u{1B}\\x", "a\u{7}b\u{7}", "\u{1B}]8;id=1;https://a.example/\u{1B}\\link\u{1B}]8;;\u{1B}\\x",
        "\u{1B}]9;Huddle: hello\u{7}x", "\u{1B}Phello\u{1B}\\x", "\u{1B}(B\u{F}x", "\u{1B}=x\u{1B}>", "\u{1B}[22;2tx\u{1B}[23;2t",
        // Interrupted in the middle, as by a killed program.
        "\u{1B}[38;5\u{1B}[0mx", "\u{1B}[38;5\u{18}x", "\u{1B}[3\u{1B}[?1049hx", "\u{1B}]2;half\u{1B}[1mx", "ab\u{1B}cd", "\u{1B}[31;2;3rab\u{1B}[?25l\u{1B}cd\u{1B}[3;1H\n",
    ]

    @Test("Sequences that programs use give the same in both, whole, cut at every octet, and octet by octet", arguments: sequences)
    func same(text: String) throws {
        let octets = Array(text.utf8)
        var whole = try BothTerminals(columns: 6, rows: 3)
        whole.feed(octets)
        #expect(whole.differences == [], "ours:\n\(whole.ours.text)\nlibvterm:\n\(whole.theirs.text)")
        for cut in 1..<max(octets.count, 2) {
            var split = VirtualTerminal(columns: 6, rows: 3)
            split.feed(octets[..<cut])
            split.feed(octets[cut...])
            #expect(whole.theirs.differences(from: split) == [], "cut at \(cut)")
        }
        var slow = VirtualTerminal(columns: 6, rows: 3)
        for octet in octets { slow.feed([octet]) }
        #expect(whole.theirs.differences(from: slow) == [], "octet by octet")
        #expect(slow.answers == whole.ours.answers)
        // Only the position of the cursor is compared here.
        #expect(whole.ours.answers == whole.theirs.answers)
    }

    // MARK: Differences

    struct Difference: Sendable, CustomTestStringConvertible {
        let octets: String
        /// The cells of our terminal, which match xterm's.
        let ours: String
        let reason: String
        var testDescription: String { reason }
    }

    /// The differences of libvterm 0.1, on six columns and three rows. None of our programs depends on them;
    /// Tests/TERMINAL.md lists them in words.
    static let differences = [
        Difference(octets: "abcdef\u{1B}[Kx", ours: "abcdex\n\n", reason: "libvterm keeps waiting for the next line when it erases"),
        Difference(octets: "\u{1B}[3;1Habcdef\nx", ours: "\nabcdef\n     x", reason: "libvterm keeps waiting for the next line when the screen scrolls"),
        Difference(octets: "abcdef\u{1B}7\u{1B}[H\u{1B}8x", ours: "abcdef\nx\n", reason: "libvterm does not keep with the cursor that it waits for the next line"),
        Difference(octets: "abcd日\u{8}x", ours: "abcdx\n\n", reason: "libvterm leaves the cursor before a wide character in the last columns"),
        Difference(octets: "a\u{1B}[?25l\u{1B}7\u{1B}[?25h\u{1B}8", ours: "a\n\n", reason: "libvterm keeps with the cursor whether it is shown"),
        Difference(octets: "\u{1B}[31me\u{1B}[32m\u{301}x", ours: "e\u{301}x\n\n", reason: "libvterm gives a letter the colour of the mark that comes later"),
        Difference(octets: "\u{1B}[?7labcde日", ours: "abcd日\n\n", reason: "libvterm goes to the next line with a wide character although it must not"),
        Difference(octets: "1\r\n2\r\n3\u{1B}[2;2r\u{1B}[S", ours: "2\n3\n", reason: "libvterm takes a scrolling region of one line"),
        Difference(octets: "abc\u{1B}[2;3r\u{1B}[P", ours: "bc\n\n", reason: "libvterm inserts and deletes characters in the scrolling region only"),
        Difference(octets: "a\u{1B}[sbc\u{1B}[ud", ours: "adc\n\n", reason: "libvterm knows the cursor kept by ESC 7 only"),
        Difference(octets: "👨‍👩‍👧x", ours: "👨‍👩‍👧x\n\n", reason: "libvterm shows the people of a family one by one"),
        Difference(octets: "❤\u{FE0F}x", ours: "❤\u{FE0F}x\n\n", reason: "libvterm does not widen a character for its picture"),
    ]

    @Test("Every difference of libvterm 0.1 is known, and ours follows xterm", arguments: differences)
    func known(difference: Difference) throws {
        var both = try BothTerminals(columns: 6, rows: 3)
        both.feed(difference.octets)
        #expect(both.ours.text == difference.ours)
        // Another version may have fewer differences.
        guard ReferenceTerminal.minorVersion == 1 else { return }
        let isSame = both.differences == [] && both.theirs.text == both.ours.text && both.theirs.column == both.ours.column
        #expect(!isSame, "It is the same now: move it to the sequences.")
    }

    /// The ranges in which the tables of libvterm 0.1 (Unicode 9) and of libutf8proc (Unicode 14) differ, for
    /// characters after which the client does not position the cursor again.
    static let otherWidths: [ClosedRange<UInt32>] = [
        0x6DE...0x6DE, 0x1160...0x11FF, 0x3248...0x324F, 0x4DC0...0x4DFF, 0x16FE1...0x16FF1, 0x187ED...0x187F7, 0x18AF3...0x1AFFE, 0x1B002...0x1B2FB,
    ]

    @Test("Every letter that the client draws has the same width in libvterm, except for eight ranges that its table lacks")
    func widths() throws {
        var other: [String] = []
        let theirs = try #require(ReferenceTerminal(columns: 8, rows: 1))
        for value in UInt32(0xA0)...0x1_FFFF where !Self.otherWidths.contains(where: { $0.contains(value) }) {
            guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned, scalar.properties.generalCategory != .privateUse else { continue }
            let character = Character(scalar)
            // Newer than both tables: Unicode 15 and later.
            guard let age = scalar.properties.age, age.major <= 14 else { continue }
            guard TextWidth.shown(character) == character, !TextWidth.isOdd(character) else { continue }
            theirs.feed(Array("\r\u{1B}[K\(character)".utf8))
            if theirs.column != TextWidth.of(character) { other.append("\(String(value, radix: 16)): \(TextWidth.of(character)), libvterm \(theirs.column)") }
        }
        #expect(other.prefix(20) == [], "\(other.count)")
    }

    // MARK: Random frames and sequences

    static let pieces = ["a", "Z", " ", "日", "本", "e\u{301}", "ż", "─", "│", "•", "…", "Я", "한", "▸", "✓"]
    static let pictures = ["👨‍👩‍👧‍👦", "❤️", "🇵🇱", "👍🏽", "🎉", "⌚"]

    private static func style(_ random: inout SplitMix64) -> Style {
        func colour(_ random: inout SplitMix64) -> Colour {
            switch random.below(4) {
            case 0: .indexed(UInt8(random.below(16)))
            case 1: .indexed(UInt8(random.below(256)))
            case 2: .rgb(UInt8(random.below(256)), UInt8(random.below(256)), UInt8(random.below(256)))
            default: .standard
            }
        }
        return Style(colour(&random), on: random.chance(60) ? .standard : colour(&random), Attributes(rawValue: random.chance(50) ? 0 : UInt8(random.below(64))))
    }

    @Test("Frames of the encoder give the same cells in both, also after changes and at another size; seeded", arguments: 0..<24)
    func frames(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        var size = Size(columns: random.number(4..<50), rows: random.number(2..<12))
        var both = try BothTerminals(columns: size.columns, rows: size.rows)
        var encoder = FrameEncoder(depth: random.one(of: [.none, .eight, .sixteen, .palette, .direct]), hasItalics: random.chance(80))
        encoder.hasLinks = random.chance(50)
        both.feed("shell$ \u{1B}[?1049h\u{1B}[?7l\u{1B}[2J")
        var canvas = Canvas(size)
        for frame in 0..<16 {
            if random.chance(30) { canvas = Canvas(size) }
            for _ in 0..<random.below(12) {
                let text = (0..<random.below(10)).map { _ in random.one(of: Self.pieces) }.joined()
                canvas.draw(text, at: random.number(-2..<size.columns), random.below(size.rows), Self.style(&random))
                // Not at the margin, where libvterm breaks lines within an emoji.
                let column = random.number(-2..<size.columns)
                if random.chance(20), column + 10 < size.columns { canvas.draw(random.one(of: Self.pictures), at: column, random.below(size.rows), Self.style(&random)) }
            }
            canvas.cursor = random.chance(70) ? Point(random.below(size.columns), random.below(size.rows)) : nil
            var octets: [UInt8] = []
            encoder.encode(canvas, into: &octets)
            both.feed(octets)
            #expect(both.differences == [], "seed \(seed), frame \(frame)")
            guard frame == 7 else { continue }
            size = Size(columns: random.number(4..<50), rows: random.number(2..<12))
            both.resize(columns: size.columns, rows: size.rows)
            canvas = Canvas(size)
        }
        both.feed("\u{1B}[?7h\u{1B}[?1049l")
        #expect(!both.ours.isOtherScreen && !both.theirs.isOtherScreen)
        #expect(both.ours.unknown == [])
    }

    /// One step of a program that uses all compared features, without those in `differences`.
    private static func step(_ both: BothTerminals, _ hasSaved: inout Bool, _ random: inout SplitMix64) -> String {
        let screen = both.ours
        let (columns, rows) = (screen.columns, screen.rows)
        if screen.column != both.theirs.column { return random.one(of: ["\r", "\u{1B}[1;1H"]) }
        let place = "\u{1B}[\(random.number(0..<rows + 2));\(random.number(0..<columns + 2))H"
        // After the last column only sequences for which both end the pending wrap.
        if screen.isWrapPending { return random.one(of: ["x", "日", "\r", "\u{1B}[1;1H", "\u{1B}[1mz", "\u{8}"]) }
        let count = random.chance(30) ? "" : "\(random.below(5))"
        switch random.below(24) {
        case 0...6:
            let text = (0..<random.below(6)).map { _ in random.one(of: Self.pieces) }.joined()
            return screen.modes.contains(7) || TextWidth.of(text) <= columns - screen.column ? text : "x"
        case 7: return random.one(of: ["\r\n", "\n", "\r", "\u{8}", "\t"])
        case 8, 9: return place
        case 10: return "\u{1B}[\(count)\(random.one(of: ["A", "B", "C", "D", "E", "F", "G", "d", "a", "e", "`"]))"
        case 11, 12: return "\u{1B}[\(random.one(of: ["", "0", "1", "2"]))K"
        case 13: return "\u{1B}[\(random.one(of: ["", "0", "1", "2"]))J"
        case 14: return "\u{1B}[\(count)\(random.one(of: screen.region.contains(screen.row) ? ["X", "@", "P"] : ["X"]))"
        case 15: return "\u{1B}[\(count)\(random.one(of: ["L", "M", "S", "T"]))"
        case 16:
            let top = random.number(1..<rows)
            return random.chance(40) ? "\u{1B}[r" : "\u{1B}[\(top);\(random.number(top + 1..<rows + 2))r"
        case 17: return random.one(of: ["\u{1B}M", "\u{1B}D"])
        case 18, 19:
            let style = style(&random)
            let attributes = [(Attributes.bold, 1), (.italic, 3), (.underline, 4), (.reverse, 7), (.strike, 9)].filter { style.attributes.contains($0.0) }.map(\.1)
            let colours = ColourDepth.direct.parameters(style.foreground, isBackground: false) + ColourDepth.direct.parameters(style.background, isBackground: true)
            return "\u{1B}[\((attributes + (random.chance(50) ? colours : [])).map(String.init).joined(separator: ";"))m"
        case 20: return "\u{1B}[\(random.one(of: ["0", "22", "23", "24", "27", "29", "39", "49"]))m"
        case 21: return screen.isOtherScreen ? "\u{1B}[?1049l\u{1B}[?25h" : "\u{1B}[?1049h"
        case 22: return "\u{1B}[?\(random.one(of: ["7", "25"]))\(random.one(of: ["h", "l"]))"
        default:
            guard hasSaved, random.chance(50) else {
                hasSaved = true
                return "\u{1B}7"
            }
            return "\u{1B}8\u{1B}[?25h"
        }
    }

    @Test("Random sequences give the same after each of them, and when cut anywhere; seeded", arguments: 0..<40)
    func random(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let (columns, rows) = (random.number(3..<16), random.number(2..<7))
        var both = try BothTerminals(columns: columns, rows: rows)
        var split = VirtualTerminal(columns: columns, rows: rows)
        var sent: [String] = []
        var hasSaved = false
        for _ in 0..<150 {
            let octets = Self.step(both, &hasSaved, &random)
            sent.append(octets)
            both.feed(octets)
            let differences = both.differences
            #expect(differences == [], "seed \(seed), \(columns) × \(rows): \(sent.suffix(8).joined().debugDescription)\nours:\n\(both.ours.text)\nlibvterm:\n\(both.theirs.text)")
            guard differences == [] else { return }
        }
        var rest = Array(sent.joined().utf8)[...]
        while !rest.isEmpty {
            let count = random.number(1..<20)
            split.feed(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        #expect(both.theirs.differences(from: split) == [], "seed \(seed)")
        #expect(both.ours.unknown == [], "seed \(seed)")
    }
}

extension BothTerminals {
    fileprivate mutating func resize(columns: Int, rows: Int) {
        ours.resize(columns: columns, rows: rows)
        theirs.resize(columns: columns, rows: rows)
    }
}

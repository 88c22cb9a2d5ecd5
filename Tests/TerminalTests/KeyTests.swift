import Terminal
import TestSupport
import Testing

@Suite("Keys from a terminal, ECMA-48 §5.4 and xterm's sequences")
struct KeyParserTests {
    /// The octets sent, and the events that they mean if nothing follows.
    static let cases: [(String, [InputEvent])] = [
        ("a", [.key(.character("a"))]), ("é日👍🏽", [.key(.character("é")), .key(.character("日")), .key(.character("👍🏽"))]),
        ("\r", [.key(Key(.enter))]), ("\n", [.key(.control("j"))]), ("\t", [.key(Key(.tab))]), ("\u{7F}", [.key(Key(.backspace))]),
        ("\u{1}", [.key(.control("a"))]), ("\u{1F}", [.key(.control("_"))]), ("\u{0}", [.key(.control(" "))]),
        ("\u{1B}", [.key(Key(.escape))]), ("\u{1B}\u{1B}", [.key(Key(.escape)), .key(Key(.escape))]),
        ("\u{1B}a", [.key(.alt("a"))]), ("\u{1B}é", [.key(.alt("é"))]), ("\u{1B}\r", [.key(Key(.enter, .alt))]),
        ("\u{1B}\u{7F}", [.key(Key(.backspace, .alt))]), ("\u{1B}[", [.key(.alt("["))]), ("\u{1B}O", [.key(.alt("O"))]),
        ("\u{1B}1x", [.key(.alt("1")), .key(.character("x"))]),
        ("\u{1B}[A", [.key(Key(.up))]), ("\u{1B}OA", [.key(Key(.up))]), ("\u{1B}[1;5C", [.key(Key(.right, .control))]),
        ("\u{1B}[1;3D", [.key(Key(.left, .alt))]), ("\u{1B}[1;4B", [.key(Key(.down, [.alt, .shift]))]), ("\u{1B}[H", [.key(Key(.home))]),
        ("\u{1B}[1~", [.key(Key(.home))]), ("\u{1B}[7~", [.key(Key(.home))]), ("\u{1B}[4~", [.key(Key(.end))]), ("\u{1B}OF", [.key(Key(.end))]),
        ("\u{1B}[3~", [.key(Key(.delete))]), ("\u{1B}[3;5~", [.key(Key(.delete, .control))]), ("\u{1B}[5~", [.key(Key(.pageUp))]),
        ("\u{1B}[6$", [.key(Key(.pageDown, .shift))]), ("\u{1B}[5^", [.key(Key(.pageUp, .control))]), ("\u{1B}[a", [.key(Key(.up, .shift))]),
        ("\u{1B}OP", [.key(Key(.function(1)))]), ("\u{1B}[15~", [.key(Key(.function(5)))]), ("\u{1B}[24~", [.key(Key(.function(12)))]),
        ("\u{1B}[[A", [.key(Key(.function(1)))]), ("\u{1B}[Z", [.key(Key(.tab, .shift))]), ("\u{1B}\u{1B}[A", [.key(Key(.up, .alt))]),
        ("\u{1B}[97;5u", [.key(.control("a"))]), ("\u{1B}[13;3u", [.key(Key(.enter, .alt))]), ("\u{1B}[27;5;13~", [.key(Key(.enter, .control))]),
        ("\u{1B}[97;2u", [.key(.character("A"))]), ("\u{1B}[97:65;6u", [.key(Key(.character("a"), [.control, .shift]))]),
        ("\u{1B}[57441u", []), ("\u{1B}[I\u{1B}[O", [.focus(true), .focus(false)]),
        ("\u{1B}[<0;10;5M", [.mouse(MouseEvent(.press(1), at: Point(9, 4)))]), ("\u{1B}[<2;1;1m", [.mouse(MouseEvent(.release(3), at: Point(0, 0)))]),
        ("\u{1B}[<64;3;3M", [.mouse(MouseEvent(.wheelUp, at: Point(2, 2)))]), ("\u{1B}[<81;3;3M", [.mouse(MouseEvent(.wheelDown, at: Point(2, 2), .control))]),
        ("\u{1B}[<32;3;3M", [.mouse(MouseEvent(.drag(1), at: Point(2, 2)))]), ("\u{1B}[<0;0;0M", []), ("\u{1B}[<;;M", []),
        ("\u{1B}[M !!x", [.key(.character("x"))]),
        ("\u{1B}[200~two\r\nlines\t\u{1B}[31m\u{1B}[201~!", [.paste("two\nlines [31m"), .key(.character("!"))]),
        ("\u{1B}[200~\u{1B}[201~", [.paste("")]),
        ("\u{1B}[999999999999999999999;9999~x", [.key(.character("x"))]), ("\u{1B}[1;\u{1}", [.key(.control("a"))]),
        ("\u{1B}[?1;2c", []),
    ]

    static func parse(_ parts: [ArraySlice<UInt8>], sequences: [[UInt8]: Key] = [:]) -> [InputEvent] {
        var parser = KeyParser(sequences: sequences)
        var events: [InputEvent] = []
        for part in parts { events += parser.feed(part) }
        while parser.isWaiting {
            let rest = parser.flush()
            guard !rest.isEmpty else { break }
            events += rest
        }
        return events
    }

    @Test("Each sequence is its key", arguments: cases)
    func whole(text: String, events: [InputEvent]) {
        #expect(Self.parse([Array(text.utf8)[...]]) == events)
    }

    @Test("Each sequence is its key, wherever it is cut", arguments: cases)
    func split(text: String, events: [InputEvent]) {
        let octets = Array(text.utf8)
        // Characters that join with the previous one become separate keys if they arrive later.
        guard !text.contains("👍🏽") else { return }
        for cut in 0...octets.count { #expect(Self.parse([octets[..<cut], octets[cut...]]) == events, "cut at \(cut)") }
        #expect(Self.parse(octets.indices.map { octets[$0...$0] }) == events)
    }

    @Test("Each sequence is its key, joined to its neighbour")
    func glued() {
        let complete = Self.cases.filter { !["\u{1B}", "\u{1B}\u{1B}", "\u{1B}[", "\u{1B}O"].contains($0.0) }
        let all = Array(complete.map(\.0).joined(separator: "\u{5}").utf8)
        let events = Array(complete.map(\.1).joined(separator: [.key(.control("e"))]))
        #expect(Self.parse([all[...]]) == events)
    }

    @Test("Invalid text becomes a substitute, and invalid sequences are skipped, for any input; seeded")
    func hostile() {
        var generator = SplitMix64(seed: 3)
        #expect(Self.parse([[0xFF, 0x41]]) == [.key(.character("\u{FFFD}")), .key(.character("A"))])
        #expect(Self.parse([[0xE2, 0x82]]) == [])
        for _ in 0..<500 {
            let interesting: [UInt8] = [0x1B, 0x5B, 0x4F, 0x3B, 0x30, 0x39, 0x7E, 0x3C, 0x4D, 0xC3, 0xE2, 0xF0, 0x9F, 0xFF, 0x00, 0x61, 0x24]
            let octets = (0..<40).map { _ in interesting.randomElement(using: &generator) ?? 0 }
            var parser = KeyParser()
            for octet in octets { _ = parser.feed([octet]) }
            _ = parser.flush()
            _ = parser.feed(Array("\u{18}\u{1B}[201~".utf8))
            let last = parser.feed([0x78]).last
            #expect(last == .key(.character("x")), "seed 3: \(octets)")
        }
    }

    @Test("A paste is cut at its limit, and its end is still found")
    func longPaste() {
        let octets = Array("\u{1B}[200~".utf8) + Array(repeating: UInt8(ascii: "x"), count: KeyParser.pasteLimit + 10) + Array("\u{1B}[201~y".utf8)
        let events = Self.parse([octets[...]])
        #expect(events == [.paste(String(repeating: "x", count: KeyParser.pasteLimit)), .key(.character("y"))])
    }

    @Test("The sequences of terminfo take precedence, also when cut")
    func ownSequences() {
        let sequences: [[UInt8]: Key] = [
            Array("\u{1B}Oc".utf8): Key(.right, .control), Array("\u{1B}[25~".utf8): Key(.function(3), .shift), Array("\u{1B}k".utf8): Key(.up), [0x41]: Key(.down),
        ]
        let text = "\u{1B}Oc\u{1B}[25~\u{1B}kA\u{1B}OA"
        let events: [InputEvent] = [.key(Key(.right, .control)), .key(Key(.function(3), .shift)), .key(Key(.up)), .key(.character("A")), .key(Key(.up))]
        let octets = Array(text.utf8)
        for cut in 0...octets.count { #expect(Self.parse([octets[..<cut], octets[cut...]], sequences: sequences) == events, "cut at \(cut)") }
    }

    @Test("Only an escape that may begin a sequence makes the caller wait")
    func waiting() {
        var parser = KeyParser()
        let letter = parser.feed([0x61])
        #expect(letter.count == 1)
        #expect(!parser.isWaiting)
        let escape = parser.feed([0x1B])
        #expect(escape.isEmpty)
        #expect(parser.isWaiting)
        let flushed = parser.flush()
        #expect(flushed == [.key(Key(.escape))])
        #expect(!parser.isWaiting)
        _ = parser.feed(Array("\u{1B}[200~\u{1B}".utf8))
        #expect(!parser.isWaiting)
    }
}

@Suite("Names of keys")
struct KeyNameTests {
    @Test("Names are read as people write them", arguments: [
        ("ctrl-x", Key.control("x")), ("C-x", .control("x")), ("^X", .control("x")), ("Ctrl-X", .control("x")), ("alt-1", .alt("1")), ("M-a", .alt("a")),
        ("alt-A", .alt("A")), ("meta-enter", Key(.enter, .alt)), ("S-tab", Key(.tab, .shift)), ("f12", Key(.function(12))), ("PgUp", Key(.pageUp)),
        ("space", .character(" ")), ("?", .character("?")), ("-", .character("-")), ("ctrl--", .control("-")), ("^", .character("^")), ("ctrl-alt-left", Key(.left, [.control, .alt])),
        ("shift-g", .character("G")), ("G", .character("G")), ("ö", .character("ö")), ("esc", Key(.escape)), ("f", .character("f")), ("ctrl-_", .control("_")),
    ] as [(String, Key)])
    func names(name: String, key: Key) {
        #expect(Key(name: name) == key)
        #expect(Key(name: key.name) == key)
    }

    @Test("An invalid key name is refused", arguments: ["", "ctrl-", "hyper-x", "f0", "f25", "xy", "ctrl-xy", "\u{1B}", "\u{200B}"])
    func refused(name: String) {
        #expect(Key(name: name) == nil)
    }

    @Test("Every key that a terminal sends has a name that is read back")
    func roundTrip() {
        for (text, events) in KeyParserTests.cases {
            for case .key(let key) in events { #expect(Key(name: key.name) == key, "\(text.debugDescription): \(key.name)") }
        }
    }
}

@Suite("Keymap")
struct KeymapTests {
    static func keymap() -> Keymap {
        var keymap = Keymap()
        keymap.bind("ctrl-x ctrl-e", to: "edit-outside")
        keymap.bind("alt-1", to: "first")
        keymap.bind("j", to: "down", in: "list")
        keymap.bind("g g", to: "top", in: "list")
        keymap.bind("ctrl-x", to: "cut", in: "form")
        return keymap
    }

    @Test("Keys take the meaning of their mode, then the common one", arguments: [
        ("j", ["list"], .action("down")), ("j", ["form"], .unbound(.character("j"))), ("alt-1", ["list"], .action("first")),
        ("ctrl-x ctrl-e", ["list"], .action("edit-outside")), ("ctrl-x", ["list"], .waiting), ("ctrl-x", ["form"], .action("cut")),
        ("ctrl-x q", ["list"], .undefined([.control("x"), .character("q")])), ("g g", ["form", "list"], .action("top")),
        ("ctrl-x", ["list", "form"], .action("cut")),
    ] as [(String, [String], ChordReader.Outcome)])
    func outcomes(names: String, modes: [String], outcome: ChordReader.Outcome) throws {
        var reader = ChordReader()
        var last: ChordReader.Outcome?
        for key in try #require(Keymap.keys(names)) { last = reader.feed(key, Self.keymap(), in: modes) }
        #expect(last == outcome)
        #expect(reader.pressed.isEmpty == (outcome != .waiting))
    }

    @Test("A configuration binds and unbinds, and reports invalid lines")
    func configuration() {
        var keymap = Self.keymap()
        let mistakes = keymap.read(
            configuration: """
                set theme dark
                bind ctrl-t first
                bind @list x down
                unbind alt-1
                unbind @list g g
                bind @nowhere x down
                bind ctrl-t nothing
                bind hyper-t first
                bind first
                bind
                """, modes: ["list", "form"], actions: ["first", "down"])
        #expect(keymap.outcome(of: [.control("t")], in: []) == .action("first"))
        #expect(keymap.outcome(of: [.character("x")], in: ["list"]) == .action("down"))
        #expect(keymap.outcome(of: [.alt("1")], in: []) == .unbound)
        #expect(keymap.outcome(of: [.character("g")], in: ["list"]) == .unbound)
        #expect(mistakes.map(\.line) == [6, 7, 8, 9, 10])
        for mistake in mistakes { #expect(mistake.sentence.hasSuffix("."), "\(mistake.sentence)") }
    }

    @Test("Help lists the keys of an action, those of the mode first")
    func help() {
        var keymap = Self.keymap()
        keymap.bind("down", to: "down")
        #expect(keymap.keys(of: "down", in: "list") == ["j"])
        #expect(keymap.keys(of: "down", in: "form") == ["Down"])
        #expect(keymap.keys(of: "top", in: "list") == ["g g"])
        #expect(keymap.keys(of: "nothing").isEmpty)
        #expect(keymap.bindings(in: "list").map(\.action) == ["down", "top"])
    }
}

import PseudoTerminal
import Terminal
import TestSupport
import Testing

@Suite("The tests' own terminal, ECMA-48")
struct VirtualTerminalTests {
    static func terminal(_ octets: String, columns: Int = 6, rows: Int = 3) -> VirtualTerminal {
        var terminal = VirtualTerminal(columns: columns, rows: rows)
        terminal.feed(octets.utf8)
        return terminal
    }

    @Test("Sequences move, erase, scroll and wrap", arguments: [
        ("ab\r\ncd", "ab\ncd\n"), ("abcdefgh", "abcdef\ngh\n"), ("abcdef\r\ngh", "abcdef\ngh\n"), ("\u{1B}[?7labcdefgh", "abcdeh\n\n"),
        ("1\r\n2\r\n3\r\n4", "2\n3\n4"), ("\u{1B}[2;3Hx\u{1B}[Hy", "y\n  x\n"), ("abc\u{1B}[2D\u{1B}[K", "a\n\n"), ("abc\u{1B}[1Kx", "   x\n\n"),
        ("abc\u{1B}[2Jx", "   x\n\n"), ("a\u{1B}[Bb\u{1B}[Ac", "a c\n b\n"), ("abc\r\u{1B}[@x", "xabc\n\n"), ("abc\r\u{1B}[P", "bc\n\n"),
        ("1\r\n2\r\n3\u{1B}[2;1H\u{1B}[L", "1\n\n2"), ("1\r\n2\r\n3\u{1B}[1;1H\u{1B}[M", "2\n3\n"), ("1\r\n2\r\n3\u{1B}[2;3r\u{1B}[3;1H\nx", "1\n3\nx"),
        ("1\u{1B}7\u{1B}[3;3Hx\u{1B}82", "12\n\n  x"), ("日本x", "日本x\n\n"), ("a日本x", "a日本x\n\n"), ("ab日\u{1B}[1;4Hc", "ab c\n\n"), ("👨‍👩‍👧‍👦x", "👨‍👩‍👧‍👦x\n\n"),
        ("\u{1B}]0;title\u{07}x", "x\n\n"), ("\u{1B}(Bx\u{1B}=", "x\n\n"), ("a\u{1B}[3Xb\tc", "ab   c\n\n"),
    ] as [(String, String)])
    func sequences(octets: String, text: String) {
        let terminal = Self.terminal(octets)
        #expect(terminal.text == text)
        #expect(terminal.unknown.isEmpty, "\(terminal.unknown)")
        var split = VirtualTerminal(columns: 6, rows: 3)
        for octet in octets.utf8 { split.feed([octet]) }
        #expect(split.text == text)
    }

    @Test("The terminal switches to the other screen and back, and knows the modes")
    func otherScreen() {
        var terminal = Self.terminal("shell$ \u{1B}[?1049h\u{1B}[?25l\u{1B}[?2004hfull")
        #expect(terminal.isOtherScreen)
        #expect(!terminal.modes.contains(25) && terminal.modes.contains(2004))
        terminal.feed("\u{1B}[?2004l\u{1B}[?25h\u{1B}[?1049l".utf8)
        #expect(terminal.text == "shell$\n\n")
        #expect(terminal.modes == [25, 7])
    }

    @Test("The terminal knows styles, and reports unknown sequences")
    func styles() {
        let terminal = Self.terminal("\u{1B}[1;38;5;75ma\u{1B}[48;2;1;2;3mb\u{1B}[0;97mc\u{1B}[77m\u{1B}Q", columns: 10)
        #expect(terminal.cells[0][0].style == Style(.indexed(75), on: .standard, .bold))
        #expect(terminal.cells[0][1].style == Style(.indexed(75), on: .rgb(1, 2, 3), .bold))
        #expect(terminal.cells[0][2].style == Style(.indexed(15)))
        #expect(terminal.unknown == ["SGR 77", "ESC Q"])
    }

    @Test("The terminal shows the encoder's output as the canvas, also after changes and at both sizes; seeded")
    func encoder() {
        var generator = SplitMix64(seed: 21)
        let pieces = ["a", "日", "👨‍👩‍👧‍👦", "e\u{301}", " ", "🇵🇱", "─", "❤️", "x"]
        for _ in 0..<60 {
            let size = Size(columns: Int.random(in: 4...20, using: &generator), rows: 4)
            var terminal = VirtualTerminal(columns: size.columns, rows: size.rows)
            terminal.feed("\u{1B}[?7l".utf8)
            var encoder = FrameEncoder(depth: .palette)
            encoder.hasLinks = true
            var canvas = Canvas(size)
            for round in 0..<8 {
                // A new canvas numbers its links from the beginning.
                if round == 4 { canvas = Canvas(size) }
                let links = ["https://a.example/", "https://b.example/x;y"].compactMap(Hyperlink.init)
                if Bool.random(using: &generator) {
                    canvas.link(Rect(.random(in: -2...12, using: &generator), .random(in: 0...3, using: &generator), columns: .random(in: 1...9, using: &generator), rows: 2), links.randomElement(using: &generator))
                }
                let text = (0..<4).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
                let style = Bool.random(using: &generator) ? Style.plain : Style(.indexed(3), on: .indexed(UInt8.random(in: 16...20, using: &generator)), .bold)
                canvas.draw(text, at: .random(in: -1...18, using: &generator), .random(in: 0...3, using: &generator), style)
                canvas.cursor = Bool.random(using: &generator) ? Point(1, 1) : nil
                var octets: [UInt8] = []
                encoder.encode(canvas, into: &octets)
                terminal.feed(octets)
                #expect(terminal.text == canvas.text, "seed 21")
                #expect(terminal.modes.contains(25) == (canvas.cursor != nil), "seed 21")
                for row in 0..<4 {
                    for column in 0..<size.columns where canvas[column, row].width > 0 {
                        #expect(terminal.cells[row][column].style == canvas[column, row].style, "seed 21")
                        let link = Int(canvas[column, row].link)
                        #expect(terminal.cells[row][column].link == (link > 0 ? canvas.links[link - 1].address : ""), "seed 21")
                    }
                }
            }
        }
    }
}


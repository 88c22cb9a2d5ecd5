import Terminal
import Testing

@Suite("Frames to a terminal")
struct FrameEncoderTests {
    static func canvas(_ rows: [String], _ style: Style = .plain, columns: Int = 10) -> Canvas {
        var canvas = Canvas(Size(columns: columns, rows: rows.count))
        for (row, text) in rows.enumerated() { canvas.draw(text, at: 0, row, style) }
        return canvas
    }

    static func encode(_ encoder: inout FrameEncoder, _ canvas: Canvas) -> String {
        var octets: [UInt8] = []
        encoder.encode(canvas, into: &octets)
        return String(decoding: octets, as: UTF8.self).replacing("\u{1B}", with: "^")
    }

    @Test("The encoder sends the first frame whole, an equal frame for free, then only differences")
    func differences() {
        var encoder = FrameEncoder(depth: .palette)
        #expect(Self.encode(&encoder, Self.canvas(["hello", ""])) == "^[?25l^[1;1H^[0mhello^[K^[2;1H^[K")
        #expect(Self.encode(&encoder, Self.canvas(["hello", ""])) == "")
        #expect(Self.encode(&encoder, Self.canvas(["hallo", ""])) == "^[?25l^[1;2H^[0ma")
        #expect(Self.encode(&encoder, Self.canvas(["ha", ""])) == "^[?25l^[1;3H^[0m^[K")
        #expect(Self.encode(&encoder, Self.canvas(["ha", "x"])) == "^[?25l^[2;1H^[0mx")
        encoder.invalidate()
        #expect(Self.encode(&encoder, Self.canvas(["ha", "x"])).contains("ha"))
    }

    @Test("The encoder opens and closes a link; without support it sends none; text drawn over it has none; a link alone is a difference")
    func links() throws {
        let link = try #require(Hyperlink("https://example.org/a?b=c"))
        var canvas = Self.canvas(["go here"])
        canvas.link(Rect(3, 0, columns: 4, rows: 1), link)
        var encoder = FrameEncoder(depth: .palette)
        #expect(Self.encode(&encoder, canvas) == "^[?25l^[1;1H^[0mgo here^[K")
        encoder.hasLinks = true
        encoder.invalidate()
        #expect(Self.encode(&encoder, canvas) == "^[?25l^[1;1H^[0mgo ^]8;id=1;https://example.org/a?b=c^\\here^]8;;^\\^[K")
        #expect(Self.encode(&encoder, canvas) == "")
        var other = Self.canvas(["go here"])
        other.link(Rect(3, 0, columns: 4, rows: 1), Hyperlink("http://x"))
        #expect(Self.encode(&encoder, other) == "^[?25l^[1;1H^[0mgo ^]8;id=1;http://x^\\here^]8;;^\\^[K")
        other.draw("re", at: 5, 0)
        #expect(Self.encode(&encoder, other) == "^[?25l^[1;6H^[0mre")
        #expect(Self.encode(&encoder, Self.canvas(["go here"])) == "^[?25l^[1;1H^[0mgo here^[K")
    }

    @Test("The console of Linux gets glyphs of its fonts, in as many columns; letters stay; another terminal gets all")
    func console() {
        let text = "▸ Camp … “ok” 🎥│é日"
        var encoder = FrameEncoder(depth: .sixteen, isConsole: true)
        let shown = Self.encode(&encoder, Self.canvas([text], columns: 24))
        #expect(shown.contains("> Camp ~ \"ok\" ") && shown.contains("* ") && shown.contains("│é日") && !shown.contains("🎥") && !shown.contains("▸"), "\(shown)")
        var other = FrameEncoder(depth: .sixteen)
        #expect(Self.encode(&other, Self.canvas([text], columns: 24)).contains("▸ Camp … “ok” "))
        for character in "▸…–“🎥📄▢✓●━é日łxи" { #expect(TextWidth.of(ConsoleGlyph.text(character)) == TextWidth.of(character), "\(character)") }
        #expect(ConsoleGlyph.isConsole("linux") && ConsoleGlyph.isConsole("linux-16color") && !ConsoleGlyph.isConsole("linuxterm") && !ConsoleGlyph.isConsole(nil))
    }

    @Test("No address ends its sequence, and an invalid address gives no link", arguments: [
        ("https://example.org/a;b?c=d&e#f", "https://example.org/a;b?c=d&e#f"), ("HTTP://x", "HTTP://x"), ("https://é.example/日", "https://%C3%A9.example/%E6%97%A5"),
        ("https://x/\u{7}", nil), ("https://x/\u{1B}\\", nil), ("https://x/\u{9C}", nil), ("https://x/ y", nil), ("https://x/\n", nil), ("https://x/\u{7F}", nil), ("https://x/\u{2028}", nil),
        ("javascript:alert(1)", nil), ("file:///etc/passwd", nil), ("https://", nil), ("", nil), ("https://" + String(repeating: "a", count: 2_075), "https://" + String(repeating: "a", count: 2_075)),
        ("https://" + String(repeating: "a", count: 2_076), nil), ("https://" + String(repeating: "é", count: 700), nil),
    ] as [(String, String?)])
    func hyperlinks(text: String, address: String?) {
        let link = Hyperlink(text)
        #expect(link?.address == address)
        #expect(link?.address.utf8.allSatisfy { (0x21...0x7E).contains($0) } ?? true)
    }

    @Test("The cursor is hidden while cells are drawn and shown at its position")
    func cursor() {
        var encoder = FrameEncoder(depth: .palette)
        var canvas = Self.canvas(["a"])
        canvas.cursor = Point(1, 0)
        #expect(Self.encode(&encoder, canvas) == "^[?25l^[1;1H^[0ma^[K^[1;2H^[?25h")
        canvas.cursor = Point(0, 0)
        #expect(Self.encode(&encoder, canvas) == "^[1;1H^[?25h")
        canvas.cursor = nil
        #expect(Self.encode(&encoder, canvas) == "^[?25l")
    }

    @Test("After characters of uncertain width the encoder positions the cursor again, clears both cells, and sends whole rows")
    func oddCharacters() {
        var encoder = FrameEncoder(depth: .palette)
        _ = Self.encode(&encoder, Self.canvas(["a👨‍👩‍👧‍👦bc"]))
        #expect(Self.encode(&encoder, Self.canvas(["a👨‍👩‍👧‍👦bd"])) == "^[?25l^[1;1H^[0ma  ^[1;2H👨‍👩‍👧‍👦^[1;4Hbd^[K")
        #expect(Self.encode(&encoder, Self.canvas(["abc"])) == "^[?25l^[1;1H^[0mabc^[K")
        _ = Self.encode(&encoder, Self.canvas(["日本"]))
        #expect(Self.encode(&encoder, Self.canvas(["日語"])) == "^[?25l^[1;3H^[0m語")
    }

    @Test("A frame of another size is sent whole")
    func resized() {
        var encoder = FrameEncoder(depth: .palette)
        _ = Self.encode(&encoder, Self.canvas(["abc"]))
        #expect(Self.encode(&encoder, Self.canvas(["abc"], columns: 5)) == "^[?25l^[1;1H^[0mabc^[K")
    }

    @Test("Colours degrade to those of the terminal", arguments: [
        (.direct, "38;2;59;130;246;48;5;237"), (.palette, "38;5;69;48;5;237"), (.sixteen, "94;40"), (.eight, "36;40"),
        (.none, ""),
    ] as [(ColourDepth, String)])
    func colours(depth: ColourDepth, parameters: String) {
        var encoder = FrameEncoder(depth: depth)
        let style = Style(.rgb(0x3B, 0x82, 0xF6), on: .indexed(237), .bold)
        let text = Self.encode(&encoder, Self.canvas(["x"], style, columns: 1))
        #expect(text == "^[?25l^[1;1H^[0;1\(parameters.isEmpty ? "" : ";")\(parameters)mx^[0m")
    }

    @Test("The encoder sends all attributes; without italics others replace them")
    func attributes() {
        let all = Style(.standard, on: .standard, [.bold, .dim, .italic, .underline, .reverse, .strike])
        var encoder = FrameEncoder(depth: .none)
        #expect(Self.encode(&encoder, Self.canvas(["x"], all, columns: 1)).contains("[0;1;2;3;4;7;9m"))
        encoder = FrameEncoder(depth: .none, hasItalics: false)
        #expect(Self.encode(&encoder, Self.canvas(["x"], all, columns: 1)).contains("[0;1;2;4;7m"))
    }

    @Test("The user's own sixteen colours stay theirs", arguments: [
        (.palette, 1, "31"), (.palette, 9, "91"), (.direct, 9, "91"), (.sixteen, 9, "91"), (.eight, 9, "31"), (.eight, 196, "31"),
        (.sixteen, 196, "31"), (.sixteen, 231, "97"), (.eight, 16, "30"), (.eight, 245, "39"), (.eight, 240, "39"), (.eight, 252, "37"),
        (.sixteen, 245, "90"),
    ] as [(ColourDepth, UInt8, String)])
    func indexed(depth: ColourDepth, number: UInt8, parameters: String) {
        #expect(depth.parameters(.indexed(number), isBackground: false).map(String.init).joined(separator: ";") == parameters)
    }
}

@Suite("Themes")
struct ThemeTests {
    @Test("The number of colours comes from NO_COLOR first, then COLORTERM, then terminfo", arguments: [
        (256, ["NO_COLOR": "1", "COLORTERM": "truecolor"], .none), (256, ["NO_COLOR": ""], .palette),
        (256, ["COLORTERM": "truecolor"], .direct), (8, ["COLORTERM": "24bit"], .direct), (8, ["TERM": "xterm-direct"], .direct),
        (8, [:], .eight), (8, ["TERM": "linux"], .sixteen), (16, [:], .sixteen), (-1, [:], .none), (0, [:], .none),
    ] as [(Int, [String: String], ColourDepth)])
    func depth(colours: Int, environment: [String: String], depth: ColourDepth) {
        #expect(ColourDepth(colours: colours, environment: { environment[$0] }) == depth)
    }

    @Test("The theme follows the user's choice, the terminal's background and whether there are colours", arguments: [
        (nil, .palette, [:], "dark"), (nil, .palette, ["COLORFGBG": "0;15"], "light"), (nil, .palette, ["COLORFGBG": "15;0"], "dark"),
        ("light", .palette, ["COLORFGBG": "15;0"], "light"), ("light", .none, [:], "mono"), ("pink", .palette, [:], "dark"),
    ] as [(String?, ColourDepth, [String: String], String)])
    func choice(wanted: String?, depth: ColourDepth, environment: [String: String], name: String) {
        #expect(Theme(wanted: wanted, depth: depth, environment: { environment[$0] }).name == name)
    }

    @Test("Without colours all important roles still differ from plain text")
    func mono() {
        for role in [StyleRole.status, .context, .selection, .mention, .unread, .failure, .today, .offline, .match, .draft] {
            #expect(Theme.mono[role] != .plain, "\(role.rawValue)")
        }
        #expect(Theme.mono[.context] != Theme.mono[.status])
        #expect(Theme.mono.colours(of: ["Ana".utf8]) == [.standard])
        for theme in [Theme.dark, .light] {
            let names = (0..<25).map { "Person \($0)".utf8 }
            let colours = theme.colours(of: names)
            #expect(Set(colours[..<10]).count == 10 && Set(colours[10..<20]).count == 10, "no two share one while there are others")
            #expect(Array(colours[..<7]) == theme.colours(of: Array(names[..<7])), "who comes later changes nobody's")
        }
    }

    @Test("Text of each theme reaches the contrast of WCAG AA on its background", arguments: [("dark", 0.0), ("light", 1.0)])
    func contrast(name: String, background: Double) throws {
        let theme = try #require(Theme(named: name))
        for role in StyleRole.allCases where ![StyleRole.frame, .outside].contains(role) {
            let style = theme[role]
            guard let text = Self.luminance(style.foreground, standard: 1 - background) else { continue }
            let behind = Self.luminance(style.background, standard: background) ?? background
            let ratio = (max(text, behind) + 0.05) / (min(text, behind) + 0.05)
            #expect(ratio >= 4.5, "\(role.rawValue): \(ratio)")
        }
    }

    private static func luminance(_ colour: Colour, standard: Double) -> Double? {
        let parts: [Int]
        switch colour.kind {
        case .standard: return standard
        case .rgb(let red, let green, let blue): parts = [Int(red), Int(green), Int(blue)]
        case .indexed(let number) where number >= 232: parts = Array(repeating: 8 + 10 * (Int(number) - 232), count: 3)
        case .indexed(let number) where number >= 16:
            parts = [36, 6, 1].map { (Int(number) - 16) / $0 % 6 }.map { $0 == 0 ? 0 : 55 + 40 * $0 }
        case .indexed: return nil
        }
        // WCAG 2.2, relative luminance, with the exponent 2.2 for the curve.
        let linear = parts.map { value -> Double in
            let part = Double(value) / 255
            return part * part * (0.8 + 0.2 * part)
        }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    @Test("A configuration can change a role", arguments: [
        ("#3B82F6 on 237 bold", Style(.rgb(0x3B, 0x82, 0xF6), on: .indexed(237), .bold)), ("default underline", Style(.standard, on: .standard, .underline)),
        ("9", Style(.indexed(9))),
    ] as [(String, Style)])
    func configured(words: String, style: Style) {
        var theme = Theme.dark
        let isSet = theme.set(.status, words.split(separator: " ").map(String.init))
        #expect(isSet)
        #expect(theme[.status] == style)
    }

    @Test("An invalid style changes nothing", arguments: ["", "blue", "#12", "1 on", "1 on x", "1 loud", "256", "#GGGGGG"])
    func refused(words: String) {
        var theme = Theme.dark
        let isSet = theme.set(.status, words.split(separator: " ").map(String.init))
        #expect(!isSet)
        #expect(theme[.status] == Theme.dark[.status])
    }
}

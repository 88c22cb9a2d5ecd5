import Terminal
import TestSupport
import Testing

@Suite("Text width, UAX #11 and UTS #51")
struct TextWidthTests {
    @Test("The target drawn last is on top; clipped targets and those behind a question take no clicks")
    func targets() {
        var canvas = Canvas(Size(columns: 10, rows: 4))
        canvas.target(Rect(0, 0, columns: 10, rows: 2), .place("row", 1))
        canvas.clipped(to: Rect(2, 0, columns: 3, rows: 1)) { canvas in canvas.target(Rect(0, 0, columns: 10, rows: 4), .keys([.character("x")])) }
        canvas.target(Rect(20, 20, columns: 5, rows: 5), .place("outside", 0))
        #expect(canvas.target(at: Point(0, 0)) == .place("row", 1) && canvas.target(at: Point(2, 0)) == .keys([.character("x")]))
        #expect(canvas.target(at: Point(2, 1)) == .place("row", 1) && canvas.target(at: Point(0, 3)) == nil && canvas.targets.count == 2)
        canvas.dropTargets()
        #expect(canvas.target(at: Point(2, 0)) == nil)
    }

    @Test("A character takes the columns that terminals give it", arguments: [
        ("a", 1), ("é", 1), ("e\u{301}", 1), ("日", 2), ("ｱ", 1), ("Ａ", 2), ("한", 2), ("각", 2), ("ß", 1), ("…", 1),
        ("👍", 2), ("👍🏽", 2), ("👨‍👩‍👧‍👦", 2), ("🇵🇱", 2), ("❤️", 2), ("❤", 1), ("⚾", 2), ("1️⃣", 2), ("🫨", 2), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2),
        ("\u{200B}", 0), ("\u{AD}", 0), ("\u{301}", 1), ("\u{1B}", 1), ("\u{202E}", 1), ("─", 1), ("•", 1), ("ก็", 1), ("नि", 1),
        ("☀\u{FE0E}", 1), ("\u{E0041}", 1), ("a\u{E0041}", 1),
    ] as [(String, Int)])
    func widths(text: String, width: Int) {
        #expect(TextWidth.of(text) == width)
    }

    @Test("Characters that could steer the terminal become substitutes; lone marks get a circle; invisible ones are omitted")
    func shown() {
        #expect(TextWidth.shown("\u{1B}") == "\u{FFFD}")
        #expect(TextWidth.shown("\u{9B}") == "\u{FFFD}")
        #expect(TextWidth.shown("\r\n") == "\u{FFFD}")
        // Tags hide a text, except in the flag of a part of a country.
        #expect(TextWidth.shown("\u{E0041}") == "\u{FFFD}")
        #expect(TextWidth.shown("a\u{E0041}") == "\u{FFFD}")
        #expect(TextWidth.shown("🏴󠁧󠁢󠁥󠁮󠁧󠁿") == "🏴󠁧󠁢󠁥󠁮󠁧󠁿")
        #expect(TextWidth.shown("\u{301}") == "\u{25CC}\u{301}")
        #expect(TextWidth.shown("\u{200B}") == nil)
        #expect(TextWidth.shown("ż") == "ż")
    }

    @Test("Stacked marks on one character are cut")
    func heapedMarks() {
        let heap = Character("a" + String(repeating: "\u{301}", count: 1_000))
        #expect(TextWidth.shown(heap)?.unicodeScalars.count == TextWidth.longestCluster)
    }

    @Test("Cutting never splits a character", arguments: [
        ("abcdef", 4, "abc…"), ("日本語", 4, "日…"), ("日本語", 5, "日本…"), ("日本語", 6, "日本語"), ("👨‍👩‍👧‍👦x", 2, "…"), ("abc", 0, ""), ("", 0, ""),
    ] as [(String, Int, String)])
    func cut(text: String, columns: Int, result: String) {
        #expect(TextWidth.cut(text, to: columns) == result)
        #expect(TextWidth.of(TextWidth.fit(text, to: columns)) == columns)
    }
}

@Suite("Canvas")
struct CanvasTests {
    @Test("Text, boxes and wide characters are where they were drawn")
    func golden() {
        var canvas = Canvas(Size(columns: 16, rows: 5))
        canvas.box(canvas.bounds, title: "Família")
        canvas.draw("日本 👍🏽 é", at: 2, 1)
        canvas.draw("to the edge and on", at: 2, 2)
        canvas.rule(1, 3, columns: 14)
        #expect(canvas.text == """
            ┌─ Família ────┐
            │ 日本 👍🏽 é    │
            │ to the edge an
            │──────────────│
            └──────────────┘
            """)
    }

    @Test("Drawing never leaves the clip, and clips nest")
    func clip() {
        var canvas = Canvas(Size(columns: 6, rows: 3))
        canvas.clipped(to: Rect(1, 1, columns: 4, rows: 1)) { canvas in
            canvas.fill(Rect(0, 0, columns: 6, rows: 3), "x")
            canvas.clipped(to: Rect(0, 0, columns: 3, rows: 3)) { $0.fill($0.bounds, "y") }
            #expect(canvas.clip == Rect(1, 1, columns: 4, rows: 1))
            canvas.draw("zzz", at: -2, 1)
            canvas.draw("zzz", at: .max - 5, -4)
        }
        #expect(canvas.text == "\n yyxx\n")
    }

    @Test("A wide character that does not fit becomes a blank, at both edges")
    func wideAtEdges() {
        var canvas = Canvas(Size(columns: 4, rows: 2))
        canvas.fill(canvas.bounds, ".")
        canvas.clipped(to: Rect(1, 0, columns: 2, rows: 2)) { canvas in
            canvas.draw("a日", at: 1, 0)
            canvas.draw("日b", at: 0, 1)
        }
        #expect(canvas.text == ".a .\n. b.")
    }

    @Test("Half of a wide character never remains", arguments: [
        (0, "x", "x 本"), (1, "x", " x本"), (2, "x", "日x"), (1, "語", " 語"), (0, "語", "語本"),
    ] as [(Int, String, String)])
    func overdrawn(column: Int, text: String, result: String) {
        var canvas = Canvas(Size(columns: 4, rows: 1))
        canvas.draw("日本", at: 0, 0)
        canvas.draw(text, at: column, 0)
        #expect(canvas.text == result)
        for place in 0..<4 where canvas[place, 0].width == 0 { #expect(canvas[place - 1, 0].width == 2) }
    }

    @Test("After any drawing, every covered cell follows its wide character; seeded")
    func invariant() {
        var generator = SplitMix64(seed: 7)
        let texts = ["a", "日", "👨‍👩‍👧‍👦", "e\u{301}", "\u{200B}", "\u{1B}[2J", "🇵🇱", " "]
        for _ in 0..<200 {
            var canvas = Canvas(Size(columns: Int.random(in: 1...9, using: &generator), rows: 3))
            for _ in 0..<30 {
                let text = (0..<4).map { _ in texts.randomElement(using: &generator) ?? "" }.joined()
                let rect = Rect(.random(in: -2...8, using: &generator), .random(in: -1...2, using: &generator), columns: 4, rows: 2)
                canvas.clipped(to: rect) { $0.draw(text, at: .random(in: -4...9, using: &generator), .random(in: -1...3, using: &generator)) }
            }
            for row in 0..<3 {
                var column = 0
                while column < canvas.size.columns {
                    let width = Int(canvas[column, row].width)
                    #expect(width == 1 || width == 2 && canvas[column + 1, row].width == 0, "seed 7")
                    column += max(width, 1)
                }
                #expect(column == canvas.size.columns, "seed 7")
                #expect(TextWidth.of(canvas.text(row: row)) <= canvas.size.columns, "seed 7")
            }
        }
    }

    @Test("A terminal may report any size")
    func sizes() {
        #expect(Canvas(Size(columns: .max, rows: .max)).size == Size.largest)
        #expect(Canvas(Size(columns: 0, rows: -1)).size == Size(columns: 1, rows: 1))
    }

    @Test("Restyling keeps the characters; a style over another keeps its unset parts")
    func styles() {
        var canvas = Canvas(Size(columns: 3, rows: 1))
        canvas.draw(StyledText("a", Style(.indexed(1))) + StyledText("b"), at: 0, 0, over: Style(.indexed(2), on: .indexed(3)))
        #expect(canvas[0, 0].style == Style(.indexed(1), on: .indexed(3)))
        #expect(canvas[1, 0].style == Style(.indexed(2), on: .indexed(3)))
        canvas.restyle(canvas.bounds) { $0.with(.reverse) }
        #expect(canvas.text == "ab")
        #expect(canvas[2, 0].style == Style(.standard, on: .standard, .reverse))
    }

    @Test("Rectangles split, shrink and are centred")
    func rectangles() {
        let all = Rect(Size(columns: 80, rows: 24))
        let (top, rest) = all.splitTop(1)
        let (list, bottom) = rest.splitBottom(2)
        #expect(top == Rect(0, 0, columns: 80, rows: 1))
        #expect(list == Rect(0, 1, columns: 80, rows: 21))
        #expect(bottom == Rect(0, 22, columns: 80, rows: 2))
        #expect(all.splitLeft(100).1.isEmpty)
        #expect(all.centred(columns: 20, rows: 100) == Rect(30, 0, columns: 20, rows: 24))
        #expect(all.inset(50, 1).isEmpty)
        #expect(all.contains(Point(79, 23)) && !all.contains(Point(80, 23)))
    }
}

@Suite("Wrapped text")
struct WrapTests {
    @Test("Lines break between words, long words anywhere, and line ends stay", arguments: [
        ("the quick brown fox", 10, 0, ["the quick", "brown fox"]),
        ("the quick brown fox", 9, 2, ["the quick", "  brown", "  fox"]),
        ("exactly ten", 7, 0, ["exactly", "ten"]),
        ("exactly   ten", 7, 0, ["exactly", "ten"]),
        ("abcdefghij", 4, 0, ["abcd", "efgh", "ij"]),
        ("a abcdefghij", 4, 0, ["a", "abcd", "efgh", "ij"]),
        ("one\n  two\n\nthree", 8, 0, ["one", "  two", "", "three"]),
        ("日本語日本語", 5, 0, ["日本", "語日", "本語"]),
        ("x👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 3, 0, ["x👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"]),
        ("日", 1, 0, ["日"]),
        ("", 5, 0, [""]),
        ("a\tb", 5, 0, ["a b"]),
        ("word ", 4, 0, ["word", ""]),
    ] as [(String, Int, Int, [String])])
    func wraps(text: String, columns: Int, indent: Int, lines: [String]) {
        #expect(StyledText(text).wrapped(columns: columns, indent: indent).map(\.text) == lines)
    }

    @Test("Wrapping loses only blanks, and no line is too wide, at any width; seeded")
    func property() {
        var generator = SplitMix64(seed: 11)
        let pieces = ["word", " ", "  ", "日本", "👍🏽", "a", "longer-than-most", "\n", "é"]
        for _ in 0..<300 {
            let text = (0..<12).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let columns = Int.random(in: 2...20, using: &generator)
            let lines = StyledText(text).wrapped(columns: columns, indent: .random(in: 0...3, using: &generator))
            for line in lines { #expect(line.width <= columns, "seed 11: \(text)") }
            #expect(lines.map(\.text).joined().filter { !$0.isWhitespace } == text.filter { !$0.isWhitespace }, "seed 11")
        }
    }

    @Test("Styles stay with their characters, across lines")
    func styles() {
        let red = Style(.indexed(1))
        let lines = (StyledText("ab ") + StyledText("cd ef", red)).wrapped(columns: 5)
        #expect(lines[0] == StyledText("ab ") + StyledText("cd", red))
        #expect(lines[1] == StyledText("ef", red))
        #expect(StyledText("abc").highlighting([1], red).runs.map(\.text) == ["a", "b", "c"])
    }
}


import Client
import Testing

@Suite("Line editor and its row")
struct LineEditorTests {
    static func type(_ keys: [Key]) -> LineEditor {
        var editor = LineEditor()
        for key in keys { _ = editor.handle(key) }
        return editor
    }

    @Test("Keys edit the line", arguments: [
        ([.text("hello")], "hello", 5),
        ([.text("hello"), .left, .left, .text("X")], "helXlo", 4),
        ([.text("hello"), .backspace, .backspace], "hel", 3),
        ([.text("hello"), .home, .delete], "ello", 0),
        ([.text("hello"), .home, .backspace], "hello", 0),
        ([.text("one two  "), .killWord], "one ", 4),
        ([.text("one two"), .wordLeft, .killToEnd], "one ", 4),
        ([.text("one two"), .wordLeft, .killToStart], "two", 0),
        ([.text("one two"), .home, .wordRight, .text("!")], "one! two", 4),
        ([.text("👍🏽é"), .left, .backspace], "é", 0),
        ([.text("e"), .text("\u{301}"), .backspace], "", 0),
        ([.text("日本"), .left, .text("x")], "日x本", 2),
        ([.text("a\u{1B}\u{7}b")], "ab", 2),
        ([.paste("x\ny")], "x\ny", 3),
        ([.text("abc"), .interrupt], "", 0),
        ([.text("ab"), .left, .endOfFile], "a", 1),
        ([.text("🇵"), .text("🇱"), .backspace], "", 0),
    ] as [([Key], String, Int)])
    func edits(keys: [Key], text: String, cursor: Int) {
        let editor = Self.type(keys)
        #expect(editor.text == text)
        #expect(editor.cursor == cursor)
    }

    @Test("Enter gives the line away; the history gives it back, and the line that was being typed")
    func history() {
        var editor = Self.type([.text("one")])
        #expect(editor.handle(.enter) == .submitted("one"))
        #expect(editor.text == "")
        for line in ["two", "two", "  "] {
            _ = editor.handle(.text(line))
            _ = editor.handle(.enter)
        }
        #expect(editor.history == ["one", "two"])
        _ = editor.handle(.text("now"))
        _ = editor.handle(.up)
        #expect(editor.text == "two")
        _ = editor.handle(.up)
        #expect(editor.text == "one")
        #expect(editor.handle(.up) == .none)
        _ = editor.handle(.down)
        _ = editor.handle(.down)
        #expect(editor.text == "now")
        #expect(editor.handle(.down) == .none)
    }

    @Test("Ctrl-D ends only an empty line")
    func endOfFile() {
        var editor = LineEditor()
        #expect(editor.handle(.endOfFile) == .ended)
    }

    @Test("Line and history are bounded")
    func bounds() {
        var editor = Self.type([.paste(String(repeating: "x", count: LineEditor.limit + 10)), .text("y")])
        #expect(editor.characters.count == LineEditor.limit)
        _ = editor.handle(.killToStart)
        for number in 0..<(LineEditor.historyLimit + 5) {
            _ = editor.handle(.text("\(number)"))
            _ = editor.handle(.enter)
        }
        #expect(editor.history.count == LineEditor.historyLimit)
        #expect(editor.history.first == "5")
    }

    @Test("The row shows prompt, line and cursor; long lines around the cursor; wide characters whole", arguments: [
        ("> ", [.text("hi")], 80, "> hi", 4),
        ("> ", [.text("hi"), .home], 80, "> hi", 2),
        ("> ", [.text("0123456789")], 10, "> 456789", 8),
        ("> ", [.text("0123456789"), .home], 10, "> 0123456", 2),
        ("> ", [.text("日本語日本語")], 10, "> 語日本語".dropFirstWide(1), 8),
        ("> ", [.paste("a\nb")], 80, "> a⏎b", 5),
        ("a long prompt> ", [.text("x")], 12, "a …> x", 6),
    ] as [(String, [Key], Int, String, Int)])
    func row(prompt: String, keys: [Key], columns: Int, text: String, cursor: Int) {
        let view = PromptView(prompt: prompt, Self.type(keys), columns: columns)
        #expect(view.text == text)
        #expect(view.cursorColumn == cursor)
    }

    @Test("The cursor is always on the row, whatever is typed", arguments: 0..<20)
    func random(seed: Int) {
        var random = Seeded(state: UInt64(seed))
        let keys: [Key] = [
            .text("a"), .text("日"), .text("👨‍👩‍👧"), .text("\u{301}"), .text("\u{200D}"), .text(" "), .paste("x\n日"), .backspace, .delete,
            .left,
            .right, .home, .end, .up, .down, .wordLeft, .wordRight, .killWord, .killToEnd, .killToStart, .enter,
            .text("🇵"), .text("\u{FE0F}"),
        ]
        var editor = LineEditor()
        for _ in 0..<1_000 {
            _ = editor.handle(keys.randomElement(using: &random) ?? .enter)
            #expect((0...editor.characters.count).contains(editor.cursor), "seed \(seed)")
            #expect(Array(editor.text) == editor.characters, "seed \(seed): characters are those of the text")
            let columns = Int.random(in: 5...40, using: &random)
            let view = PromptView(prompt: "prompt> ", editor, columns: columns)
            #expect(view.cursorColumn < columns, "seed \(seed)")
            #expect(DisplayWidth.of(view.text) < columns, "seed \(seed)")
        }
    }
}

extension String {
    /// Without the first `count` characters behind the prompt of two.
    fileprivate func dropFirstWide(_ count: Int) -> String { String(prefix(2)) + String(dropFirst(2 + count)) }
}

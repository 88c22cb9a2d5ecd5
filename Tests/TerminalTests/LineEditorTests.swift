import Terminal
import TestSupport
import Testing

@Suite("Line editor, readline's keys")
struct LineEditorTests {
    static let keymap: Keymap = {
        var keymap = Keymap()
        EditCommand.bindDefaults(&keymap, in: "edit")
        return keymap
    }()

    /// Types: words in angle brackets are keys ("<ctrl-a>"), all other text is typed.
    static func type(_ script: String, _ editor: inout LineEditor) -> [String] {
        var accepted: [String] = []
        var rest = script[...]
        while let character = rest.first {
            if character == "<", let end = rest.firstIndex(of: ">"), let key = Key(name: String(rest[rest.index(after: rest.startIndex)..<end])) {
                rest = rest[rest.index(after: end)...]
                guard case .action(let name) = keymap.outcome(of: [key], in: ["edit"]), let command = EditCommand(rawValue: name) else { continue }
                if case .accepted(let text) = editor.perform(command) { accepted.append(text) }
            } else {
                rest = rest.dropFirst()
                _ = editor.insert(String(character))
            }
        }
        return accepted
    }

    /// A bar marks the cursor.
    static func shown(_ editor: LineEditor) -> String {
        String(editor.characters[..<editor.cursor]) + "|" + String(editor.characters[editor.cursor...])
    }

    @Test("Alt-. inserts the last word of the previous line, repeated that of an older one; undo removes it")
    func lastWord() {
        var editor = LineEditor()
        _ = Self.type("/event Camp<enter>/attend 1 <enter>see <alt-.>", &editor)
        #expect(Self.shown(editor) == "see 1|")
        _ = Self.type("<alt-.>", &editor)
        #expect(Self.shown(editor) == "see Camp|")
        _ = Self.type("<alt-.>", &editor)
        #expect(Self.shown(editor) == "see Camp|", "there is none further back")
        _ = Self.type("<ctrl-_>", &editor)
        #expect(Self.shown(editor) == "see |")
        _ = Self.type("x<alt-.>", &editor)
        #expect(Self.shown(editor) == "see x1|", "it begins with the latest again")
    }

    @Test("A search takes 256 characters, whatever is typed or pasted, and a key costs the same behind a long text; accents still join")
    func searchLimit() {
        var editor = LineEditor(limit: LineEditor.searchLimit)
        for _ in 0..<2 * LineEditor.searchLimit { _ = editor.insert("x") }
        #expect(editor.characters.count == LineEditor.searchLimit)
        editor.set("")
        _ = editor.insert(String(repeating: "word ", count: 1_000))
        #expect(editor.characters.count == LineEditor.searchLimit)
        #expect(editor.insert("y") == .none)
        var joined = LineEditor()
        for piece in ["e", "\u{301}", "x", "\u{301}"] { _ = joined.insert(piece) }
        #expect(joined.characters == ["e\u{301}", "x\u{301}"])
        joined.moveCursor(to: 1)
        _ = joined.insert("a")
        #expect(Self.shown(joined) == "e\u{301}a|x\u{301}")
        // A mark without a base joins the letter that is typed before it.
        var mark = LineEditor()
        _ = mark.insert("\u{301}")
        mark.moveCursor(to: 0)
        _ = mark.insert("e")
        #expect(mark.characters == ["e\u{301}"])
    }

    @Test("Keys edit the text", arguments: [
        ("hello<ctrl-a>", "|hello"), ("hello<home><ctrl-e>!", "hello!|"), ("hello<ctrl-b><left>X", "helX|lo"), ("ab<ctrl-a><ctrl-f>x", "ax|b"),
        ("one two<alt-b>", "one |two"), ("one two<alt-b><alt-b><alt-f>", "one| two"), ("a-b c<alt-b><alt-b>", "a-|b c"), ("ab<ctrl-a><alt-b>", "|ab"),
        ("hello<backspace><ctrl-h>", "hel|"), ("hello<home><delete><ctrl-d>", "|llo"), ("a<ctrl-a><backspace>", "|a"), ("a<delete>", "a|"),
        ("one two<alt-b><ctrl-k>", "one |"), ("one two<alt-b><ctrl-u>", "|two"), ("one a-b  <ctrl-w>", "one |"), ("one a-b<alt-backspace>", "one a-|"),
        ("one two<home><alt-d>", "| two"), ("one two<ctrl-w><ctrl-y><ctrl-y>", "one twotwo|"),
        ("one two<alt-t>", "two one|"), ("one two three<alt-b><alt-t>", "one three two|"), ("a, b<alt-t>", "b, a|"), ("one<alt-t>", "one|"), ("  <alt-t>", "  |"),
        ("one two  <alt-t>", "two one|  "), ("żółw kot<home><alt-t>", "|żółw kot"), ("<alt-.>", "|"),
        ("abc<ctrl-t>", "acb|"), ("abc<left><ctrl-t>", "acb|"), ("abc<home><ctrl-t>", "|abc"), ("a<ctrl-t>", "a|"),
        ("one two<home><alt-u><alt-c>", "ONE Two|"), ("ONE<home><alt-l>", "one|"), ("straße<home><alt-u>", "STRASSE|"),
        ("one<alt-enter>two<ctrl-a>x", "one\nx|two"), ("one<alt-enter>two<up>", "one|\ntwo"), ("one<alt-enter>t<up><home><down>", "one\n|t"),
        ("long line<alt-enter>x<alt-enter>long line<up><up>", "long line|\nx\nlong line"), ("a<alt-enter>b<home><ctrl-u>", "a\n|b"),
        ("a<alt-enter>b<up><end><ctrl-k>", "a|b"), ("e\u{301}<backspace>", "|"), ("👨‍👩‍👧‍👦x<left><left>y", "y|👨‍👩‍👧‍👦x"), ("日本<left>x", "日x|本"),
        ("\u{1B}a\u{7}b\tc", "ab c|"), ("abc<ctrl-g>", "|"),
    ] as [(String, String)])
    func edits(script: String, result: String) {
        var editor = LineEditor()
        _ = Self.type(script, &editor)
        #expect(Self.shown(editor) == result)
    }

    @Test("Consecutive cuts are joined; yank inserts them, Alt-Y goes back in the ring", arguments: [
        ("one two three<ctrl-w><ctrl-w><ctrl-y>", "one two three|"), ("one two<home><alt-d><alt-d><ctrl-y>", "one two|"),
        ("one<ctrl-u>two<ctrl-u><ctrl-y><alt-y>", "one|"), ("one<ctrl-u>two<ctrl-u><ctrl-y><alt-y><alt-y>", "two|"),
        ("one<ctrl-u><ctrl-y>x<alt-y>", "onex|"), ("a b<ctrl-w><left><right><ctrl-w><ctrl-y><alt-y>", "b|"), ("<ctrl-y><alt-y>", "|"),
    ] as [(String, String)])
    func ring(script: String, result: String) {
        var editor = LineEditor()
        _ = Self.type(script, &editor)
        #expect(Self.shown(editor) == result)
    }

    @Test("Undo reverts a typed word, a cut, a change", arguments: [
        ("one two<ctrl-_>", "one |"), ("one two<ctrl-_><ctrl-_><ctrl-_>", "|"), ("one<ctrl-u><ctrl-_>", "one|"), ("one<home><alt-u><ctrl-_>", "|one"),
        ("abc<ctrl-t><ctrl-_>", "abc|"), ("<ctrl-_>", "|"), ("one<ctrl-g><ctrl-_>", "one|"), ("a<ctrl-w><ctrl-y><ctrl-_>", "|"),
    ] as [(String, String)])
    func undo(script: String, result: String) {
        var editor = LineEditor()
        _ = Self.type(script, &editor)
        #expect(Self.shown(editor) == result)
    }

    @Test("The history returns lines with the typed beginning, and then the typed text", arguments: [
        ("<up>", "/events|"), ("<up><up>", "hello|"), ("<up><up><up><up><up>", "/edit 1|"), ("<up><up><down>", "/events|"), ("<up><down>", "|"),
        ("x<up>", "x|"), ("/e<up>", "/events|"), ("/e<up><up>", "/edit 1|"), ("/e<up><up><down><down>", "/e|"), ("now<ctrl-p><ctrl-n>", "now|"),
        ("<up>!<up>", "/events!|"), ("<down>", "|"),
    ] as [(String, String)])
    func history(script: String, result: String) {
        var editor = LineEditor()
        editor.history = EditHistory(["/edit 1", "hello", "/events"])
        _ = Self.type(script, &editor)
        #expect(Self.shown(editor) == result)
    }

    @Test("Ctrl-R searches while the user types", arguments: [
        ("<ctrl-r>e", "/events|"), ("<ctrl-r>ed", "/edit 1|"), ("<ctrl-r>e<ctrl-r>", "Hello|"), ("<ctrl-r>e<ctrl-r><ctrl-r><ctrl-s>", "Hello|"),
        ("<ctrl-r>ev<backspace><backspace>h", "Hello|"), ("draft<left><ctrl-r>ed<ctrl-g>", "draf|t"), ("<ctrl-r>ed<ctrl-a>", "|/edit 1"),
        ("<ctrl-r>H", "Hello|"), ("x<ctrl-r>zzz", "x|"), ("x<ctrl-r>nothing", "/events|"),
    ] as [(String, String)])
    func search(script: String, result: String) {
        var editor = LineEditor()
        editor.history = EditHistory(["/edit 1", "Hello", "/events"])
        _ = Self.type(script, &editor)
        #expect(Self.shown(editor) == result)
    }

    @Test("A search shows its text, and reports that there are no more matches")
    func searchState() {
        var editor = LineEditor()
        editor.history = EditHistory(["one", "two"])
        _ = Self.type("<ctrl-r>tw", &editor)
        #expect(editor.search?.wanted == "tw")
        #expect(editor.search?.hasFailed == false)
        _ = Self.type("<ctrl-r>", &editor)
        #expect(editor.search?.hasFailed == true)
        #expect(editor.text == "two")
        let accepted = Self.type("<enter>", &editor)
        #expect(accepted == ["two"])
        #expect(editor.search == nil)
    }

    @Test("Enter returns the text; the history drops consecutive duplicates, and lines above its limit")
    func accepting() {
        var editor = LineEditor()
        let accepted = Self.type("one<enter>one<enter>  <enter>a<alt-enter>b<enter>", &editor)
        #expect(accepted == ["one", "one", "  ", "a\nb"])
        #expect(editor.history.lines == ["one", "a\nb"])
        #expect(editor.isEmpty)
        for number in 0..<EditHistory.limit + 5 { editor.history.add("line \(number)") }
        #expect(editor.history.lines.count == EditHistory.limit)
        #expect(EditHistory((0..<5_000).map(String.init)).lines.count == EditHistory.limit)
    }

    @Test("A text has limits, in characters and in octets")
    func limits() {
        var editor = LineEditor()
        _ = editor.insert(String(repeating: "x", count: LineEditor.limit + 1))
        #expect(editor.characters.count == LineEditor.limit)
        #expect(editor.insert("y") == .none)
        editor = LineEditor()
        _ = editor.insert(String(repeating: "👨‍👩‍👧‍👦", count: LineEditor.octetLimit / 25))
        #expect(editor.insert("👨‍👩‍👧‍👦") == .none)
        #expect(editor.text.utf8.count <= LineEditor.octetLimit)
        for number in 0..<1_000 { _ = Self.type("w\(number) <ctrl-w>", &editor) }
    }

    @Test("After any keys, the cursor is within the text, and undo leads back; seeded")
    func property() {
        var generator = SplitMix64(seed: 5)
        let pieces = ["a", "日", "e\u{301}", "👨‍👩‍👧‍👦", "🇵", "🇱", " ", "\n", "\u{200D}", "word"]
        for _ in 0..<100 {
            var editor = LineEditor()
            editor.history = EditHistory(["one", "two words", "日本"])
            for _ in 0..<60 {
                if Bool.random(using: &generator) {
                    _ = editor.insert(pieces.randomElement(using: &generator) ?? "")
                } else if let command = EditCommand.allCases.randomElement(using: &generator) {
                    _ = editor.perform(command)
                }
                #expect((0...editor.characters.count).contains(editor.cursor), "seed 5")
                #expect(editor.characters == Array(editor.text), "seed 5: \(editor.text.debugDescription)")
                let view = EditorView(editor, columns: 7, rows: 3)
                #expect(view.lines.count <= 3 && view.lines.indices.contains(view.cursor.row) && (0...7).contains(view.cursor.column), "seed 5")
            }
        }
    }
}

@Suite("Line editor's rows")
struct EditorViewTests {
    static func editor(_ text: String, cursor: Int? = nil) -> LineEditor {
        var editor = LineEditor()
        _ = editor.insert(text)
        if let cursor { editor.moveCursor(to: cursor) }
        return editor
    }

    @Test("The text is wrapped at the edge and scrolled to the cursor", arguments: [
        ("hello", nil, 10, 3, ["hello"], Point(5, 0)), ("hello world", nil, 5, 3, ["hello", " worl", "d"], Point(1, 2)),
        ("hello", nil, 5, 3, ["hello", ""], Point(0, 1)), ("hello", 2, 5, 3, ["hello"], Point(2, 0)), ("", nil, 5, 3, [""], Point(0, 0)),
        ("a\nb\nc\nd", nil, 5, 2, ["c", "d"], Point(1, 1)), ("a\nb\nc\nd", 0, 5, 2, ["a", "b"], Point(0, 0)), ("a\nb\n", nil, 5, 5, ["a", "b", ""], Point(0, 2)),
        ("日本語", nil, 5, 3, ["日本", "語"], Point(2, 1)), ("abcde\nf", 5, 5, 3, ["abcde", "f"], Point(4, 0)), ("abcdefg", 5, 5, 3, ["abcde", "fg"], Point(0, 1)),
    ] as [(String, Int?, Int, Int, [String], Point)])
    func rows(text: String, cursor: Int?, columns: Int, rows: Int, lines: [String], place: Point) {
        let view = EditorView(Self.editor(text, cursor: cursor), columns: columns, rows: rows)
        #expect(view.lines == lines)
        #expect(view.cursor == place)
    }

    @Test("The view reports hidden rows, and the clicked character")
    func clicks() {
        let view = EditorView(Self.editor("a\nb日c\nd\ne", cursor: 6), columns: 5, rows: 2)
        #expect((view.hiddenAbove, view.hiddenBelow) == (1, 1))
        #expect(view.lines == ["b日c", "d"])
        #expect([0, 1, 2, 3, 9].map { view.character(at: Point($0, 0)) } == [2, 3, 3, 4, 5])
        #expect(view.character(at: Point(0, 1)) == 6)
    }
}

@Suite("Completion by sigil")
struct CompletionTests {
    static func word(_ text: String, cursor: Int? = nil) -> CompletionWord? {
        CompletionWord(Array(text), cursor: cursor ?? text.count)
    }

    @Test("The sigil of the word at the cursor decides its kind", arguments: [
        ("/ev", .command, "ev"), ("hi @an", .person, "an"), ("see #sho", .event, "sho"), ("~", .trip, ""), ("ok :thu", .emoji, "thu"), ("(@an", .person, "an"),
    ] as [(String, Sigil, String)])
    func words(text: String, sigil: Sigil, letters: String) {
        #expect(Self.word(text)?.sigil == sigil)
        #expect(Self.word(text)?.letters == letters)
    }

    @Test("A word without a valid sigil is ignored", arguments: ["", "hello", "and /ev", "ana@home", "/path/to", ":smile:", "@ana ", "9:30"])
    func others(text: String) {
        #expect(Self.word(text) == nil)
    }

    @Test("With the cursor in a word, the whole word is replaced")
    func within() {
        let word = Self.word("hi @anna there", cursor: 5)
        #expect(word?.letters == "a")
        #expect(word?.range == 3..<8)
    }

    static let people = LabelIndex(["Ana Rivera", "Elena Rivera", "Pablo Ruiz"].map { CompletionCandidate($0, insertion: "@" + $0.split(separator: " ")[0]) })

    @Test("Tab cycles through the matches, forward and backward, in a circle")
    func cycling() throws {
        var editor = LineEditor()
        _ = editor.insert("hi @na")
        let word = try #require(CompletionWord(editor.characters, cursor: editor.cursor))
        var people = Self.people
        var menu = try #require(CompletionMenu(word, &people))
        #expect(menu.entries.map(\.candidate.label) == ["Ana Rivera", "Elena Rivera"])
        #expect(menu.entries[0].positions == [1, 2])
        menu.cycle(1, in: &editor)
        #expect(editor.text == "hi @Ana ")
        menu.cycle(1, in: &editor)
        #expect(editor.text == "hi @Elena ")
        menu.cycle(1, in: &editor)
        #expect(editor.text == "hi @Ana ")
        menu.cycle(-1, in: &editor)
        #expect(editor.text == "hi @Elena ")
        #expect(menu.selected == 1)
        #expect(editor.cursor == editor.characters.count)
    }

    @Test("In the middle of a text the rest stays, with one blank between")
    func middle() throws {
        var editor = LineEditor()
        _ = editor.insert("@pa comes")
        editor.moveCursor(to: 3)
        let word = try #require(CompletionWord(editor.characters, cursor: 3))
        var people = Self.people
        var menu = try #require(CompletionMenu(word, &people))
        menu.select(0, in: &editor)
        #expect(editor.text == "@Pablo comes")
        #expect(editor.cursor == 6)
        _ = editor.perform(.undo)
        #expect(editor.text == "@pa comes")
    }

    @Test("No match opens no menu; too many matches are limited")
    func none() throws {
        let word = try #require(Self.word("@zzz"))
        var people = Self.people
        #expect(CompletionMenu(word, &people) == nil)
        var many = LabelIndex((0..<500).map { CompletionCandidate("n\($0)", insertion: "n") })
        let all = try #require(Self.word("@n"))
        #expect(CompletionMenu(all, &many)?.entries.count == CompletionMenu.limit)
        #expect(Self.word(":a")?.offersItself == false)
        #expect(Self.word(":ab")?.offersItself == true)
    }

    @Test("Names between colons become emoji, all other text stays", arguments: [
        ("well done :tada:!", "well done 🎉!"), (":thumbsup::heart:", "👍❤️"), ("at 9:30: go", "at 9:30: go"), (":nothing:", ":nothing:"), ("a:", "a:"), ("::tada:", ":🎉"),
    ] as [(String, String)])
    func emoji(text: String, result: String) {
        #expect(Emoji.replacingNames(in: text) == result)
    }

    @Test("Every emoji has a name of its own and is drawn two columns wide")
    func emojiTable() {
        #expect(Emoji.table.count > 100)
        #expect(Set(Emoji.table.map(\.name)).count == Emoji.table.count)
        for entry in Emoji.table { #expect(entry.emoji.count == 1 && TextWidth.of(entry.emoji) == 2, "\(entry.name)") }
    }
}

@Suite("Fuzzy match")
struct FuzzyMatchTests {
    @Test("The better name comes first", arguments: [
        ("ss", ["Classes", "Spring Showcase"], "Spring Showcase"), ("show", ["Snow hour owl", "Summer Showcase", "Showcase"], "Showcase"),
        ("rv", ["River", "Rivera V"], "Rivera V"), ("doc", ["dropped occasions", "Documents"], "Documents"), ("ev2", ["Event 12", "Event 2"], "Event 2"),
        ("an", ["Ana", "Elena N"], "Ana"), ("lodz", ["Lodging zone", "Łódź"], "Łódź"),
    ] as [(String, [String], String)])
    func best(letters: String, names: [String], first: String) {
        #expect(FuzzyMatch.rank(letters, names) { $0 }.first?.candidate == first)
    }

    @Test("A match needs all letters, in their order", arguments: [("xyz", "abc"), ("ba", "ab"), ("aa", "a"), ("a", "")])
    func none(letters: String, name: String) {
        #expect(FuzzyMatch(letters, in: name) == nil)
    }

    @Test("A match reports its positions, for highlighting", arguments: [
        ("ssc", "Spring Showcase", [0, 7, 11]), ("", "x", []), ("É", "café", [3]),
    ] as [(String, String, [Int])])
    func positions(letters: String, name: String, positions: [Int]) throws {
        let match = try #require(FuzzyMatch(letters, in: name))
        #expect(match.positions == positions)
    }

    @Test("The positions spell the letters, and a name that begins with them fits at least as well; seeded")
    func property() throws {
        var generator = SplitMix64(seed: 9)
        for _ in 0..<300 {
            let name = String((0..<8).map { _ in "ab -A".randomElement(using: &generator) ?? "a" })
            let letters = String((0..<3).map { _ in "ab".randomElement(using: &generator) ?? "a" })
            guard let match = FuzzyMatch(letters, in: name) else { continue }
            let characters = Array(name)
            #expect(String(match.positions.map { characters[$0] }).lowercased() == letters, "seed 9")
            #expect(match.positions == match.positions.sorted(), "seed 9")
            let better = try #require(FuzzyMatch(letters, in: letters + " " + name))
            #expect(better.score >= match.score, "seed 9: \(letters) in \(name)")
        }
    }

    @Test("Typed letter by letter, deleted, or pasted: an index finds the same as comparing every name; seeded")
    func index() throws {
        struct Name: Labelled, Equatable { let label: String }
        var generator = SplitMix64(seed: 11)
        let names = (0..<90).map { _ in Name(label: String((0..<7).map { _ in "abcdé Łß-A1".randomElement(using: &generator) ?? "a" })) }
        var index = LabelIndex(names)
        for _ in 0..<300 {
            var letters = String((0..<Int.random(in: 0...4, using: &generator)).map { _ in "abcdel ".randomElement(using: &generator) ?? "a" })
            while true {
                let expected = FuzzyMatch.rank(letters, names, limit: 10) { $0.label }.map(\.candidate)
                #expect(index.best(letters, limit: 10).map(\.candidate) == expected, "seed 11: '\(letters)'")
                if letters.isEmpty { break }
                if Bool.random(using: &generator) { letters.removeLast() } else { break }
            }
        }
    }

    @Test("Equal names keep their order, without letters all do")
    func order() {
        #expect(FuzzyMatch.rank("", ["b", "a", "c"]) { $0 }.map(\.candidate) == ["b", "a", "c"])
        #expect(FuzzyMatch.rank("x", ["x1", "x2"]) { $0 }.map(\.candidate) == ["x1", "x2"])
        #expect(FuzzyMatch.rank("", ["b", "a", "c"], limit: 2) { $0 }.count == 2)
    }
}

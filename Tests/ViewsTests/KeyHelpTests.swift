import Family
import Terminal
import Testing
@testable import Views

@Suite("The overlay of keys")
struct KeyHelpTests {
    static let modes: [(mode: String, commands: [(String, String)])] = [
        ("input", (RoomCommand.helpLines + BufferCommand.helpLines)), ("select", (RoomCommand.helpLines + BufferCommand.helpLines)), ("events", EventsCommand.helpLines + BufferCommand.helpLines), ("trips", ItineraryCommand.helpLines),
        ("documents", DocumentsCommand.helpLines), ("drafts", ConflictCommand.helpLines), ("conflict", ConflictCommand.helpLines), ("form", FormCommand.helpLines + BufferCommand.helpLines),
    ]

    static func drawn(_ lines: [KeyHelp.Line], columns: Int, rows: Int) -> Canvas {
        var canvas = Canvas(Size(columns: columns, rows: rows))
        KeyHelp.draw(lines, &canvas, .dark)
        return canvas
    }

    /// The content without frames, each block from its top to its end.
    static func words(_ text: String) -> [String: Int] {
        Dictionary(text.split { $0.isWhitespace || "│─┌┐└┘".contains($0) }.map { (String($0), 1) }, uniquingKeysWith: +)
    }

    @Test("From 80 by 24 on, the overlay shows every key with its full summary, in every mode", arguments: modes.indices, [(80, 24), (100, 30), (200, 60)])
    func whole(place: Int, size: (Int, Int)) {
        let lines = KeyHelp.lines(ViewCommands.defaultKeymap(), Self.modes[place].mode, Self.modes[place].commands)
        let text = Self.drawn(lines, columns: size.0, rows: size.1).text
        let there = Self.words(text)
        let wanted = Self.words(lines.map { "\($0.keys[0]) \($0.summary)" }.joined(separator: " "))
        for (word, count) in wanted { #expect(there[word, default: 0] + there[word + ",", default: 0] >= count, "\(word) in \(Self.modes[place].mode):\n\(text)") }
        #expect(!text.contains("…") && text.contains("Keys — any key closes"))
    }

    @Test("A summary that is too long continues below; a second key is shown if there is room")
    func wraps() {
        let lines = [
            KeyHelp.Line(keys: ["n", "Alt-N"], summary: "a new one"), KeyHelp.Line(keys: ["x"], summary: "delete it, which can be undone for thirty days by anybody"),
        ]
        #expect(Self.drawn(lines, columns: 44, rows: 8).text == """

            ┌─ Keys — any key closes ──────────────────┐
            │ n, Alt-N  a new one                      │
            │ x         delete it, which can be undone │
            │            for thirty days by anybody    │
            └──────────────────────────────────────────┘


            """)
        for columns in stride(from: 1, through: 60, by: 7) {
            for rows in 1...6 {
                let text = Self.drawn(lines, columns: columns, rows: rows).text
                for line in text.split(separator: "\n") { #expect(TextWidth.of(line) <= columns) }
                if columns > 40, rows == 4 { #expect(text.contains("/help keys lists all"), "\(text)") }
            }
        }
    }
}

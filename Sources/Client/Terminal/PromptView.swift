/// The last row of the terminal: a prompt and the line that is being typed, always on one row; a long line is shown around the cursor.
package struct PromptView: Hashable, Sendable {
    /// What stands on the row.
    package let text: String
    /// Columns before the cursor.
    package let cursorColumn: Int

    /// - Parameters:
    ///   - columns: of the terminal. The last one stays free, because writing into it makes some terminals wrap.
    package init(prompt: String, _ editor: LineEditor, columns: Int) {
        let width = max(columns - 1, 4)
        // Half of the row at least is for typing.
        let prompt = Self.fitted(prompt.printable, to: max(width / 2, 2))
        let room = width - DisplayWidth.of(prompt)
        let cells = editor.characters.map { character -> (String, Int) in
            let shown = character == "\n" ? "⏎" : String(character).printable
            return (shown, DisplayWidth.of(shown))
        }
        // Shown from the first character from which the cursor still fits on the row.
        var start = 0
        var before = cells[..<editor.cursor].reduce(0) { $0 + $1.1 }
        while before >= room, start < editor.cursor {
            before -= cells[start].1
            start += 1
        }
        var shown = ""
        var used = 0
        for cell in cells[start...] {
            guard used + cell.1 <= room else { break }
            shown += cell.0
            used += cell.1
        }
        text = prompt + shown
        cursorColumn = DisplayWidth.of(prompt) + before
    }

    /// Cut, but with its last two characters, by which one sees where typing begins.
    private static func fitted(_ prompt: String, to columns: Int) -> String {
        guard DisplayWidth.of(prompt) > columns, columns > 4 else { return DisplayWidth.cut(prompt, to: columns) }
        let end = String(prompt.suffix(2))
        return DisplayWidth.cut(String(prompt.dropLast(2)), to: columns - DisplayWidth.of(end)) + end
    }

    /// The octets that draw the row over whatever is on it.
    package var drawing: String { "\r\u{1B}[K" + text + "\r" + (cursorColumn > 0 ? "\u{1B}[\(cursorColumn)C" : "") }

    /// Takes the row away, so that lines can be printed where it was.
    package static let erasing = "\r\u{1B}[K"
}

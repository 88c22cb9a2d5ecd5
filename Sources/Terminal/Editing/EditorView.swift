/// The input text laid out in a few rows: wrapped at the edge, scrolled so that the cursor is visible.
package struct EditorView: Hashable, Sendable {
    /// The visible lines, one per row; at least one.
    package let lines: [String]
    /// The position of the cursor within them.
    package let cursor: Point
    /// The numbers of hidden rows above and below.
    package let hiddenAbove: Int
    package let hiddenBelow: Int
    private let firstCharacters: [Int]
    private let characters: [Character]

    /// - Parameters:
    ///   - columns: at least 2, so that a wide character fits.
    ///   - rows: the largest number of rows.
    package init(_ editor: LineEditor, columns: Int, rows: Int) {
        let columns = max(columns, 2)
        let rows = max(rows, 1)
        var lines: [String] = [""]
        var starts = [0]
        var width = 0
        var cursor = Point(0, 0)
        for (index, character) in editor.characters.enumerated() {
            let isNewline = character.isNewline
            let wide = isNewline ? 0 : TextWidth.of(character)
            // A cursor after the last column is at the beginning of the next row.
            if width + wide > columns || width == columns && index == editor.cursor && !isNewline {
                lines.append("")
                starts.append(index)
                width = 0
            }
            if index == editor.cursor { cursor = Point(min(width, columns - 1), lines.count - 1) }
            if isNewline {
                lines.append("")
                starts.append(index + 1)
                width = 0
            } else {
                lines[lines.count - 1].append(character)
                width += wide
            }
        }
        if editor.cursor == editor.characters.count {
            if width == columns {
                lines.append("")
                starts.append(editor.characters.count)
                width = 0
            }
            cursor = Point(width, lines.count - 1)
        }
        let first = min(max(cursor.row - rows + 1, 0), max(lines.count - rows, 0))
        let end = min(first + rows, lines.count)
        self.lines = Array(lines[first..<end])
        self.cursor = Point(cursor.column, cursor.row - first)
        hiddenAbove = first
        hiddenBelow = lines.count - end
        firstCharacters = Array(starts[first..<end])
        characters = editor.characters
    }

    /// The character at a position, for clicks: the number of characters before it.
    package func character(at point: Point) -> Int {
        guard !lines.isEmpty else { return 0 }
        let row = min(max(point.row, 0), lines.count - 1)
        var width = 0
        var index = firstCharacters[row]
        for character in lines[row] {
            width += TextWidth.of(character)
            if width > point.column { break }
            index += 1
        }
        return min(index, characters.count)
    }
}

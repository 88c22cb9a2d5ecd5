package import Terminal

/// A text that the user types into a view: a search, a reason, a path, a merged text.
package struct LineField: Sendable {
    package enum Outcome: Hashable, Sendable {
        /// The user is still typing.
        case typing
        case accepted(String)
        case cancelled
        /// Tab: forward (1), or backward (-1).
        case tab(Int)
        /// Edit the text in the user's own editor.
        case outside(String)
        /// An action that every view shares.
        case shared(SharedAction)
    }

    package let prompt: String
    /// Whether line feeds may be typed.
    package let isMultiline: Bool
    package private(set) var editor: Terminal.LineEditor
    private var chord = ChordReader()

    /// - Parameter limit: the largest number of characters in the text.
    package init(_ prompt: String, text: String = "", isMultiline: Bool = false, limit: Int = Terminal.LineEditor.limit) {
        self.prompt = prompt
        self.isMultiline = isMultiline
        editor = Terminal.LineEditor(limit: limit)
        editor.set(text)
    }

    package var text: String { editor.text }

    package mutating func set(_ text: String) { editor.set(isMultiline ? text : Self.line(text)) }

    package mutating func paste(_ text: String) { _ = editor.insert(isMultiline ? text : Self.line(text)) }

    private static func line(_ text: String) -> String { text.split(whereSeparator: \.isNewline).joined(separator: " ") }

    package mutating func press(_ key: Terminal.Key, _ keymap: Keymap) -> Outcome {
        switch chord.feed(key, keymap, in: ["input"]) {
        case .waiting, .undefined: return .typing
        case .unbound(let key):
            if let character = key.typed { _ = editor.insert(String(character)) }
            return .typing
        case .action(let name):
            if let command = EditCommand(rawValue: name) {
                switch command {
                case .accept: return .accepted(editor.text)
                case .abort: return .cancelled
                case .newline where !isMultiline: return .typing
                case .searchHistory, .searchHistoryForward: return .typing
                default:
                    _ = editor.perform(command)
                    return .typing
                }
            }
            if let shared = SharedAction(named: name) { return .shared(shared) }
            return switch RoomCommand(rawValue: name) {
            case .complete: .tab(1)
            case .completeBackward: .tab(-1)
            case .cancel, .interrupt: .cancelled
            case .editOutside: .outside(editor.text)
            default: .typing
            }
        }
    }

    /// Draws prompt and text in one or more rows, with the cursor.
    package func draw(_ canvas: inout Canvas, _ rect: Rect, _ theme: Theme) {
        let start = min(TextWidth.of(prompt), rect.columns / 2)
        canvas.draw(TextWidth.cut(prompt, to: start), at: rect.column, rect.row, theme[.accent])
        let view = EditorView(editor, columns: max(rect.columns - start, 2), rows: max(rect.rows, 1))
        for (row, line) in view.lines.enumerated() { canvas.draw(line, at: rect.column + start, rect.row + row) }
        canvas.cursor = Point(min(rect.column + start + view.cursor.column, canvas.size.columns - 1), rect.row + view.cursor.row)
    }
}

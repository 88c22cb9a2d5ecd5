package import Bytes
package import Family
package import Terminal
package import Words

/// The overlay that asks for the records and the path of an export (R112). Pure.
package struct ExportDialog: Sendable {
    /// Records of one kind.
    package struct Choice: Hashable, Sendable {
        /// "Results at Spring Showcase".
        package let label: String
        package let kind: Kind
        package let records: [Identifier]
        /// The file name without folder and extension.
        package let fileName: String

        package init(_ label: String, _ kind: Kind, _ records: [Identifier], fileName: String) {
            self.label = label
            self.kind = kind
            self.records = records
            self.fileName = Self.plain(fileName)
        }

        /// The text as letters and digits with dashes between, so that every program opens the file.
        private static func plain(_ text: String) -> String {
            let words = text.lowercased().split { !($0.isLetter || $0.isNumber) }
            return words.isEmpty ? "export" : String(words.joined(separator: "-").prefix(80))
        }
    }

    package enum Outcome: Hashable, Sendable {
        case open
        case closed
        /// The caller calls `refuse` if the file cannot be written, and closes the dialog after success.
        case write(Choice, path: String)
        /// The caller passes the matches to `complete`.
        case completePath(String)
    }

    package let choices: [Choice]
    package private(set) var selected = 0
    private var path: LineField
    /// The problem, or the possible continuations of the path.
    private var words = ""
    private var isWrong = false
    private let keymap: Keymap
    private let theme: Theme

    /// - Parameter choices: at least one.
    package init(_ choices: [Choice], theme: Theme, keymap: Keymap) {
        self.choices = choices
        self.theme = theme
        self.keymap = keymap
        path = LineField("File: ")
        path.set(Self.path(choices.first, .csv))
    }

    private static func path(_ choice: Choice?, _ format: ExportFormat) -> String { "~/\(choice?.fileName ?? "export").\(format.rawValue)" }

    /// The format, from the extension of the file name.
    package var format: ExportFormat { ExportFormat(path: path.text) ?? .csv }

    /// Reports that the file was not written, and why.
    package mutating func refuse(_ sentence: String) { (words, isWrong) = (sentence, true) }

    package mutating func complete(_ path: String, _ options: [String]) {
        self.path.set(path)
        (words, isWrong) = (options.joined(separator: "  "), false)
    }

    private static let target = "export-choice", formatTarget = "export-format"

    package mutating func handle(_ input: InputEvent) -> Outcome {
        switch input {
        case .key(let key): return press(key)
        case .paste(let text): path.paste(text)
        case .mouse(let mouse):
            guard mouse.action == .press(1) else { return .open }
            switch mouse.target {
            case .place(Self.target, let place)?: choose(place)
            case .place(Self.formatTarget, let place)? where ExportFormat.allCases.indices.contains(place): write(as: ExportFormat.allCases[place])
            default: break
            }
        case .focus: break
        }
        return .open
    }

    private mutating func press(_ key: Key) -> Outcome {
        switch (key.code, key.modifiers) {
        case (.up, []): choose(selected - 1)
        case (.down, []): choose(selected + 1)
        case (.tab, .shift): write(as: format == .csv ? .pdf : .csv)
        default:
            (words, isWrong) = ("", false)
            switch path.press(key, keymap) {
            case .typing, .outside, .shared: break
            case .cancelled: return .closed
            case .tab: return .completePath(path.text)
            case .accepted(let text):
                guard choices.indices.contains(selected), text.contains(where: { !$0.isWhitespace }) else {
                    refuse("Write where the file is to be.")
                    return .open
                }
                return .write(choices[selected], path: text)
            }
        }
        return .open
    }

    private mutating func choose(_ place: Int) {
        guard choices.indices.contains(place) else { return }
        // A path that the user did not edit follows the choice.
        if path.text == Self.path(choices[selected], format) { path.set(Self.path(choices[place], format)) }
        selected = place
        words = ""
    }

    /// Gives the file name the extension of that format.
    private mutating func write(as format: ExportFormat) {
        let name = ExportFormat(path: path.text).map { String(path.text.dropLast($0.rawValue.count + 1)) } ?? path.text
        path.set("\(name).\(format.rawValue)")
        words = ""
    }

    private static func label(_ format: ExportFormat) -> String {
        switch format {
        case .csv: "CSV: every field, as every spreadsheet opens it"
        case .pdf: "PDF: pages to print or send"
        }
    }

    /// Draws over the content of the screen.
    package func draw(_ canvas: inout Canvas) {
        var lines = choices.enumerated().map { place, choice in
            let count = choice.records.count
            let words = "\(choice.label)  (\(count == 1 ? "1 line" : "\(count) lines"))"
            return StyledText(place == selected ? "▸ " : "  ", theme[.accent]) + StyledText(words, theme[place == selected ? .title : .text])
        }
        let formats = ExportFormat.allCases
        lines.append(StyledText(""))
        lines += formats.map { StyledText($0 == format ? "▸ " : "  ", theme[.accent]) + StyledText(Self.label($0), theme[$0 == format ? .title : .text]) }
        lines += [StyledText(""), StyledText("Shift-Tab CSV or PDF   Tab completes the path", theme[.muted])]
        lines.append(StyledText("Enter save   Esc cancel", theme[.muted]))
        let rest = PaneParts.dialog(lines, &canvas, theme, title: "Export", rows: 2)
        for place in choices.indices { canvas.target(Rect(rest.column, rest.row - lines.count + place, columns: rest.columns, rows: 1), .place(Self.target, place)) }
        for place in formats.indices {
            let line = choices.count + 1 + place
            canvas.target(Rect(rest.column, rest.row - lines.count + line, columns: rest.columns, rows: 1), .place(Self.formatTarget, place))
        }
        let (field, below) = rest.splitTop(1)
        path.draw(&canvas, field, theme)
        if below.rows > 0 { canvas.draw(TextWidth.cut(words, to: below.columns), at: below.column, below.row, theme[isWrong ? .failure : .muted]) }
    }
}

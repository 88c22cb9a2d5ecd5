/// A text with styles: a sequence of runs.
package struct StyledText: Hashable, Sendable {
    package struct Run: Hashable, Sendable {
        package var text: String
        package var style: Style
    }

    package private(set) var runs: [Run] = []

    package init() {}

    package init(_ text: String, _ style: Style = .plain) { append(text, style) }

    package mutating func append(_ text: String, _ style: Style = .plain) {
        guard !text.isEmpty else { return }
        if let last = runs.last, last.style == style {
            runs[runs.count - 1].text += text
        } else {
            runs.append(Run(text: text, style: style))
        }
    }

    package static func + (left: StyledText, right: StyledText) -> StyledText {
        right.runs.reduce(into: left) { $0.append($1.text, $1.style) }
    }

    package var text: String { runs.map(\.text).joined() }
    package var isEmpty: Bool { runs.isEmpty }
    /// The width on one line, in columns.
    package var width: Int { runs.reduce(0) { $0 + TextWidth.of($1.text) } }

    /// The text with the characters at `positions` in another style; for search matches.
    package func highlighting(_ positions: Set<Int>, _ style: Style) -> StyledText {
        guard !positions.isEmpty else { return self }
        var result = StyledText()
        var index = 0
        for run in runs {
            for character in run.text {
                result.append(String(character), positions.contains(index) ? style.over(run.style) : run.style)
                index += 1
            }
        }
        return result
    }

    /// The text broken between words into lines of at most `columns`. Words that are too long are broken anywhere,
    /// spaces at a break are removed, line feeds are kept. Later lines begin with `indent` blanks.
    ///
    /// - Parameter columns: at least 1; `indent` leaves at least half of them.
    /// - Returns: at least one line.
    package func wrapped(columns: Int, indent: Int = 0) -> [StyledText] {
        let columns = max(columns, 1)
        if fits(columns) { return [self] }
        // A wide character still fits after the indent.
        let indent = min(max(indent, 0), columns / 2, max(columns - 2, 0))
        var lines: [StyledText] = []
        var line = Line()
        for run in runs {
            for character in run.text {
                if character.isNewline {
                    lines.append(line.takeAll())
                    line.begin(indent)
                    continue
                }
                let character: Character = character == "\t" ? " " : character
                let width = TextWidth.of(character)
                while character != " ", line.width + width > columns, !line.isFresh {
                    lines.append(line.takeToBreak(columns))
                    line.begin(indent)
                }
                if character == " ", line.width + width > columns {
                    // The line ends at the blank that does not fit; the blanks after it belong to the same gap.
                    lines.append(line.takeAll())
                    line.begin(indent)
                    line.isAfterBreak = true
                } else if character != " " || !line.isAfterBreak {
                    line.append(character, width, run.style)
                }
            }
        }
        lines.append(line.takeAll())
        return lines
    }

    /// Whether the text is one line already: printable ASCII that fits, without a blank at the end.
    private func fits(_ columns: Int) -> Bool {
        guard runs.last?.text.utf8.last != 0x20 else { return false }
        var count = 0
        for run in runs {
            let octets = run.text.utf8
            count += octets.count
            guard count <= columns, octets.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return false }
        }
        return true
    }

    /// The current line.
    private struct Line {
        private var characters: [(character: Character, width: Int, style: Style)] = []
        private(set) var width = 0
        /// The number of characters up to the last blank at which the line may be broken.
        private var breakPlace: Int?
        private var indent = 0
        private var hasText = false
        /// Whether the line follows a break at a blank, and is still empty.
        var isAfterBreak = false

        /// Whether the line contains only the indent.
        var isFresh: Bool { characters.count == indent }

        /// Puts the indent before the rest of the previous line.
        mutating func begin(_ indent: Int) {
            characters = Array(repeating: (" ", 1, .plain), count: indent) + characters
            width += indent
            self.indent = indent
        }

        mutating func append(_ character: Character, _ width: Int, _ style: Style) {
            isAfterBreak = false
            characters.append((character, width, style))
            self.width += width
            if character != " " {
                hasText = true
            } else if hasText {
                breakPlace = characters.count
            }
        }

        mutating func takeAll() -> StyledText { take(characters.count) }

        /// Takes the line up to the last possible break, or otherwise as much as fits; the rest starts the next line.
        mutating func takeToBreak(_ columns: Int) -> StyledText {
            if let breakPlace { return take(breakPlace) }
            var fitting = 0
            var used = 0
            while fitting < characters.count, used + characters[fitting].width <= columns {
                used += characters[fitting].width
                fitting += 1
            }
            return take(max(fitting, indent + 1))
        }

        private mutating func take(_ count: Int) -> StyledText {
            var kept = characters[..<count]
            while let last = kept.last, last.character == " " { kept.removeLast() }
            var text = StyledText()
            for (character, _, style) in kept { text.append(String(character), style) }
            characters = Array(characters[count...])
            width = characters.reduce(0) { $0 + $1.width }
            breakPlace = nil
            hasText = !characters.isEmpty
            indent = 0
            return text
        }
    }
}

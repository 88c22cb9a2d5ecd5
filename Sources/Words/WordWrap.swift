internal import Terminal

/// Lines that are wider than the terminal, broken between words: a terminal by itself breaks anywhere.
package enum WordWrap {
    /// Where a message's words begin, behind "09:14 ".
    package static let indent = 6

    /// `line` as lines of at most `columns`; later ones stand under the text that they continue: behind the last gap of two spaces or more
    /// in the first half ("  Location   Riverfront Park …"), else a little to the right. Words that are too long by themselves are broken.
    ///
    /// - Parameters:
    ///   - columns: of the terminal, at least 20 are used.
    ///   - indent: how much to the right.
    package static func lines(_ line: String, columns: Int, indent: Int = indent) -> [String] {
        let columns = max(columns, 20)
        guard TextWidth.of(line) > columns else { return [line] }
        let margin = String(repeating: " ", count: margin(of: line, columns: columns, indent))
        var result: [String] = []
        var current: [Character] = []
        var width = 0
        /// Where a line may end: behind this many characters of `current`.
        var space: Int?
        // Spaces at the beginning and in the gap are no place to break.
        let fixed = max(line.prefix { $0 == " " }.count, margin.count)
        for character in line {
            let wide = TextWidth.of(character)
            if width + wide > columns {
                let end = character == " " ? current.count : space ?? current.count
                var rest = Array(current[end...])
                if space != nil, rest.first == " " { rest.removeFirst() }
                result.append(trimmed(current[..<end]))
                current = Array(margin) + rest
                width = TextWidth.of(String(current))
                space = nil
                if character == " ", rest.isEmpty { continue }
            }
            if character == " ", current.count > fixed { space = current.count }
            current.append(character)
            width += wide
        }
        result.append(trimmed(current[...]))
        return result
    }

    private static func margin(of line: String, columns: Int, _ indent: Int) -> Int {
        var margin = indent
        var column = 0
        var spaces = 0
        for character in line {
            guard column < columns / 2 else { break }
            if character == " " {
                spaces += 1
            } else {
                if spaces >= 2 { margin = column }
                spaces = 0
            }
            column += TextWidth.of(character)
        }
        return margin
    }

    private static func trimmed(_ characters: ArraySlice<Character>) -> String {
        var rest = characters
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}

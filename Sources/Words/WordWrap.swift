internal import Terminal

/// Wraps lines that are wider than the terminal between words: a terminal itself breaks lines anywhere.
package enum WordWrap {
    /// The column at which a message's text begins, after "09:14 ".
    package static let indent = 6

    /// `line` as lines of at most `columns`. Later lines are aligned with the text that they continue: after the last
    /// gap of two or more spaces in the first half ("  Location   Riverfront Park …"), otherwise `indent` columns to
    /// the right. A single word that is too long is broken.
    ///
    /// - Parameters:
    ///   - columns: the width of the terminal; at least 20 are used.
    ///   - indent: the indentation of later lines.
    package static func lines(_ line: String, columns: Int, indent: Int = indent) -> [String] {
        let columns = max(columns, 20)
        guard TextWidth.of(line) > columns else { return [line] }
        let margin = String(repeating: " ", count: margin(of: line, columns: columns, indent))
        var result: [String] = []
        var current: [Character] = []
        var width = 0
        /// The last possible break: after this many characters of `current`.
        var space: Int?
        // A line does not break at spaces at its beginning or in the gap.
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

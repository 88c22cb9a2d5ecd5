internal import Terminal

/// Tables in a format that other programs open: comma-separated values.
///
/// UTF-8 with a byte order mark, because the most used spreadsheet reads a file without the mark in the country's old
/// character set; other programs have to skip three octets. Lines end with CR LF.
///
/// Source: RFC 4180 §2.
package enum CSV {
    package enum Cell: Hashable, Sendable {
        /// A text; characters that could steer a terminal become a visible substitute.
        case text(String)
        /// Digits, point and sign, unchanged, so that a spreadsheet can calculate with the number.
        case number(String)
        case empty
    }

    /// The whole file.
    package static func octets(_ rows: [[Cell]]) -> [UInt8] {
        Array("\u{FEFF}".utf8) + rows.flatMap { row in row.map(encode).joined(separator: ",").utf8 + [0x0D, 0x0A] }
    }

    private static func encode(_ cell: Cell) -> String {
        switch cell {
        case .empty: ""
        case .number(let number): number
        case .text(let text): quoted(safe(text.printableCell))
        }
    }

    /// Protects a text that begins like a formula: an apostrophe goes before it, as a person would type it, so that a
    /// spreadsheet shows the text and calculates nothing.
    ///
    /// Source: OWASP, "CSV Injection".
    static func safe(_ text: String) -> String {
        guard let first = text.unicodeScalars.first(where: { $0 != " " && $0 != "\u{FEFF}" }) else { return text }
        // The wide forms count as well: spreadsheets in East Asia read them like the narrow ones.
        return "=+-@\t\r\n＝＋－＠".unicodeScalars.contains(first) ? "'" + text : text
    }

    /// Quotes a text if RFC 4180 requires it, or if white space at an end would be lost.
    private static func quoted(_ text: String) -> String {
        let needsQuotes = text.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D || $0 == 0x3B || $0 == 0x09 }
            || text.first == " " || text.last == " "
        return needsQuotes ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
    }
}

internal import Terminal

/// Tables as other programs open them: comma-separated values.
///
/// UTF-8 with a byte order mark, because the most used spreadsheet takes everything else for its country's old character set; programs
/// that mind it skip three octets. Lines end with CR LF.
///
/// Source: RFC 4180 §2.
package enum CSV {
    package enum Cell: Hashable, Sendable {
        /// Characters that could steer a terminal become a visible substitute.
        case text(String)
        /// Digits, point and sign, as they are: a spreadsheet calculates with it.
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

    /// A text that begins as a formula does is shown as text, not calculated: an apostrophe goes before it, as a person would type it.
    ///
    /// Source: OWASP, "CSV Injection".
    static func safe(_ text: String) -> String {
        guard let first = text.unicodeScalars.first(where: { $0 != " " && $0 != "\u{FEFF}" }) else { return text }
        // The wide forms count as well: spreadsheets of East Asia read them as the narrow ones.
        return "=+-@\t\r\n＝＋－＠".unicodeScalars.contains(first) ? "'" + text : text
    }

    /// In quotes where RFC 4180 wants them, and where white space at an end would be lost.
    private static func quoted(_ text: String) -> String {
        let needsQuotes = text.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D || $0 == 0x3B || $0 == 0x09 }
            || text.first == " " || text.last == " "
        return needsQuotes ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
    }
}

internal import Terminal

/// Rows under headings, in columns that are as wide as their content needs and the terminal allows.
package struct Table: Sendable {
    /// One column, and how it shrinks if there is not enough room.
    package struct Column: Sendable, ExpressibleByStringLiteral {
        package var heading: String
        /// The smallest width to which cells are cut; `nil`: never cut.
        package var least: Int?
        /// The rank in which columns are omitted, lowest first, until the others fit; `nil`: never omitted.
        package var leaves: Int?
        /// Whether the column stays if it is empty in every row.
        package var isKept: Bool

        package init(_ heading: String, least: Int? = nil, leaves: Int? = nil, isKept: Bool = false) {
            self.heading = heading
            self.least = least
            self.leaves = leaves
            self.isKept = isKept
        }

        package init(stringLiteral heading: String) { self.init(heading) }
    }

    /// Blank columns of the terminal between two columns of the table.
    private static let gap = 2

    package var columns: [Column]
    package var rows: [[String]]

    package init(_ columns: [Column], _ rows: [[String]] = []) {
        self.columns = columns
        self.rows = rows
    }

    /// The lines at full width, for a file or a pipe.
    package var lines: [String] { lines(within: nil) }

    /// The lines, headings first, without spaces at their ends. Columns that are empty in every row are omitted, unless they are kept.
    ///
    /// - Parameter room: the width of the terminal; `nil` for no limit. Lines exceed the limit only if columns can be
    ///   neither cut nor omitted.
    package func lines(within room: Int?) -> [String] {
        var used = columns.indices.filter { column in columns[column].isKept || rows.contains { !cell($0, column).isEmpty } }
        var widths = columns.indices.map { column in
            rows.reduce(TextWidth.of(columns[column].heading)) { max($0, TextWidth.of(cell($1, column))) }
        }
        if let room {
            let least = columns.indices.map { min(widths[$0], columns[$0].least ?? widths[$0]) }
            while Self.total(used, least) > room,
                let first = used.filter({ columns[$0].leaves != nil }).min(by: { columns[$0].leaves ?? 0 < columns[$1].leaves ?? 0 }) {
                used.removeAll { $0 == first }
            }
            // The widest column shrinks first, so that no column is cut while another is much wider.
            while Self.total(used, widths) > room,
                let widest = used.filter({ widths[$0] > least[$0] }).max(by: { widths[$0] < widths[$1] }) {
                widths[widest] -= 1
            }
        }
        return ([columns.map(\.heading)] + rows).map { row in
            var line = ""
            for column in used {
                let text = TextWidth.cut(cell(row, column), to: widths[column])
                line += TextWidth.pad(text, to: widths[column] + Self.gap)
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    private func cell(_ row: [String], _ column: Int) -> String { row.indices.contains(column) ? row[column] : "" }

    private static func total(_ used: [Int], _ widths: [Int]) -> Int {
        used.reduce(-gap) { $0 + widths[$1] + gap }
    }
}

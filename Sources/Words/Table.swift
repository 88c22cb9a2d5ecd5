internal import Terminal

/// Rows under headings, in columns that are as wide as they have to be and may be.
package struct Table: Sendable {
    /// One column, and what becomes of it where there is no room for all.
    package struct Column: Sendable, ExpressibleByStringLiteral {
        package var heading: String
        /// Cells are cut down to so many columns of the terminal; `nil`: never cut.
        package var least: Int?
        /// Columns with a number are left out, lowest first, until the others fit; `nil`: always there.
        package var leaves: Int?

        package init(_ heading: String, least: Int? = nil, leaves: Int? = nil) {
            self.heading = heading
            self.least = least
            self.leaves = leaves
        }

        package init(stringLiteral heading: String) { self.init(heading) }
    }

    /// Columns of the terminal between two of the table.
    private static let gap = 2

    package var columns: [Column]
    package var rows: [[String]]

    package init(_ columns: [Column], _ rows: [[String]] = []) {
        self.columns = columns
        self.rows = rows
    }

    /// The lines at their full width: for a file or a pipe.
    package var lines: [String] { lines(within: nil) }

    /// The lines, headings first, without spaces at their ends. Columns that are empty in every row are left out.
    ///
    /// - Parameter room: columns of the terminal; `nil` for no bound. Lines are wider only when what may neither be cut nor left out is.
    package func lines(within room: Int?) -> [String] {
        var used = columns.indices.filter { column in rows.contains { !cell($0, column).isEmpty } }
        var widths = columns.indices.map { column in
            rows.reduce(TextWidth.of(columns[column].heading)) { max($0, TextWidth.of(cell($1, column))) }
        }
        if let room {
            let least = columns.indices.map { min(widths[$0], columns[$0].least ?? widths[$0]) }
            while Self.total(used, least) > room,
                let first = used.filter({ columns[$0].leaves != nil }).min(by: { columns[$0].leaves ?? 0 < columns[$1].leaves ?? 0 }) {
                used.removeAll { $0 == first }
            }
            // The widest gives first, so that no column is cut while another has much more.
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

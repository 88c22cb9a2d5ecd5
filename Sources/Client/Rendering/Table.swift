/// Rows under headings, in columns that are as wide as they have to be.
package struct Table: Sendable {
    package var headings: [String]
    package var rows: [[String]]

    package init(_ headings: [String], _ rows: [[String]] = []) {
        self.headings = headings
        self.rows = rows
    }

    /// The lines, headings first, without spaces at their ends. Columns that are empty in every row are left out.
    package var lines: [String] {
        let used = headings.indices.filter { column in rows.contains { $0.indices.contains(column) && !$0[column].isEmpty } }
        let all = [headings] + rows
        let widths = used.map { column in all.map { $0.indices.contains(column) ? DisplayWidth.of($0[column]) : 0 }.max() ?? 0 }
        return all.map { row in
            var line = ""
            for (place, column) in used.enumerated() {
                let cell = row.indices.contains(column) ? row[column] : ""
                line += place + 1 == used.count ? cell : DisplayWidth.pad(cell, to: widths[place] + 2)
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}

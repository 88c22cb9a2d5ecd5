internal import CPango

extension PDFReport {
    /// Draws the report: in portrait if its columns fit, otherwise in landscape, otherwise with narrower columns whose
    /// texts wrap. No text is cut and none leaves its column: a text longer than a page continues on the next page,
    /// under repeated headings.
    ///
    /// Loads pango at the first call. Not for concurrent use by two threads.
    ///
    /// - Complexity: some 20 µs per cell.
    package func pages(on paper: PDFPaper) throws(PDFError) -> PDFPages {
        guard PDFSheet.isReady else { throw .notInstalled }
        let sheet = PDFSheet(title: title, footer: footer)
        let used = headings.indices.filter { column in rows.contains { !cell($0, column).isEmpty } }
        let natural = used.map { column in
            rows.reduce(sheet.width(headings[column], .heading)) { max($0, sheet.width(cell($1, column), .text)) }
        }
        let gaps = Double(max(0, used.count - 1)) * PDFSheet.gap
        let isUpright = natural.reduce(gaps, +) <= paper.width - 2 * PDFSheet.margin
        sheet.begin(isUpright ? paper : PDFPaper(width: paper.height, height: paper.width))
        let widths = Self.fitted(natural, into: sheet.columns - gaps)
        var places: [(x: Double, width: Double)] = []
        for width in widths { places.append((places.last.map { $0.x + $0.width + PDFSheet.gap } ?? PDFSheet.margin, width)) }

        let whole = (x: PDFSheet.margin, width: sheet.columns)
        sheet.flow([(title, .title, whole)], space: 4)
        for note in notes { sheet.flow([(note, .note, whole)], space: 1) }
        sheet.skip(10)
        let head = zip(used, places).map { (headings[$0], PDFSheet.Style.heading, $1) }
        sheet.head(head)
        for row in rows {
            sheet.flow(zip(used, places).map { (cell(row, $0), .text, $1) }, space: row.details.isEmpty ? 3 : 1)
            for detail in row.details { sheet.flow([(detail, .note, (whole.x + PDFSheet.gap, whole.width - PDFSheet.gap))], space: 3) }
            sheet.rule(0.3, grey: 0.7)
        }
        return try sheet.finish()
    }

    private func cell(_ row: Row, _ column: Int) -> String { row.cells.indices.contains(column) ? row.cells[column] : "" }

    /// The natural widths; if their sum is too large, the widest columns shrink.
    static func fitted(_ natural: [Double], into room: Double) -> [Double] {
        var widths = natural
        var left = room
        var open = natural.count
        for column in natural.indices.sorted(by: { natural[$0] < natural[$1] }) {
            widths[column] = max(1, min(natural[column], left / Double(open)))
            left -= widths[column]
            open -= 1
        }
        return widths
    }
}

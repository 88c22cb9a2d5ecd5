internal import Bytes
internal import Family
package import Terminal
package import Words

/// A line of a record in full, and the record that it is about: a result, a coach, an interaction.
package struct DetailLine: Hashable, Sendable {
    package let text: StyledText
    package let record: RecordReference?
    /// The key that does what the line says, as it is shown.
    package let key: String
    /// Where a click of the terminal's own leads.
    package let link: Hyperlink?

    package init(_ text: StyledText, _ record: RecordReference? = nil, key: String = "", link: String? = nil) {
        self.text = text
        self.record = record
        self.key = key
        self.link = link.flatMap(Hyperlink.init)
    }
}

/// A record in full: scrolled, and with the records in it selected one after the other. Pure.
package struct DetailPane: Sendable {
    package private(set) var lines: [DetailLine] = []
    /// The record in it that is selected.
    package private(set) var selected: RecordReference?
    private var offset = 0

    package init(_ lines: [DetailLine] = []) { self.lines = lines }

    /// Shows what it is now; where one is in it stays.
    package mutating func refresh(_ lines: [DetailLine]) {
        self.lines = lines
        if let selected, !records.contains(selected) { self.selected = nil }
    }

    /// Those in it, in their order.
    var records: [RecordReference] {
        var found: [RecordReference] = []
        for line in lines { if let record = line.record, !found.contains(record) { found.append(record) } }
        return found
    }

    package mutating func scroll(_ count: Int) {
        selected = nil
        offset = min(max(offset + count, 0), max(lines.count - 1, 0))
    }

    package mutating func scrollToTop() { (offset, selected) = (0, nil) }

    /// Selects the next record in it, or the one before; behind the last none is.
    ///
    /// - Returns: whether there are any.
    package mutating func step(_ count: Int) -> Bool {
        let records = records
        guard !records.isEmpty else { return false }
        let place = selected.flatMap { records.firstIndex(of: $0) }
        let next = (place ?? (count > 0 ? -1 : records.count)) + count
        selected = records.indices.contains(next) ? records[next] : nil
        return true
    }

    /// Selects the record in it that was clicked.
    ///
    /// - Returns: the record, when it was selected already: it is to be opened.
    mutating func click(_ clicked: ClickTarget?) -> RecordReference? {
        guard case .place(Self.target, let place)? = clicked, records.indices.contains(place) else { return nil }
        defer { selected = records[place] }
        return selected == records[place] ? selected : nil
    }

    /// What clicks on a record in it are called; the number is its place among them.
    package static let target = "detail"

    /// - Returns: rows that are further down.
    @discardableResult
    package func draw(_ canvas: inout Canvas, _ rect: Rect, _ theme: Theme) -> Int {
        let rows = lines.enumerated().flatMap { place, line in line.text.wrapped(columns: max(rect.columns, 2), indent: 4).map { (place, $0) } }
        var first = min(offset, max(rows.count - rect.rows, 0))
        // What is selected is in sight.
        if let selected, let top = rows.firstIndex(where: { lines[$0.0].record == selected }), let end = rows.lastIndex(where: { lines[$0.0].record == selected }) {
            first = min(max(first, end - rect.rows + 1), top)
        }
        let records = records
        canvas.clipped(to: rect) { canvas in
            for (place, row) in rows.dropFirst(first).prefix(rect.rows).enumerated() {
                let line = lines[row.0]
                let area = Rect(rect.column, rect.row + place, columns: rect.columns, rows: 1)
                let end = canvas.draw(row.1, at: area.column, area.row)
                canvas.link(Rect(area.column, area.row, columns: end - area.column, rows: 1), line.link)
                if line.link == nil { canvas.linkAddresses(in: row.1, at: area.column, area.row, of: line.text.text) }
                if let key = PaneParts.key(line.key) { canvas.target(area, .keys([key])) }
                guard let record = line.record, let number = records.firstIndex(of: record) else { continue }
                canvas.target(area, .place(Self.target, number))
                if record == selected { canvas.restyle(area) { theme[.selection].over($0) } }
            }
        }
        return max(rows.count - first - rect.rows, 0)
    }

    /// What is asked before a record in it goes.
    static func question(_ record: RecordReference, _ text: String) -> [String] {
        let what =
            switch record.kind {
            case .coach: "Take this coach off the event?"
            default: "Are you sure you want to delete this \(record.kind.declaration.label.lowercased())?"
            }
        return [what, text, "It can be undone for 30 days.", "y does it   any other key keeps it"]
    }

    /// The first words of a record in it.
    func text(of record: RecordReference) -> String { lines.first { $0.record == record }.map { TextWidth.cut($0.text.text, to: 60) } ?? "" }
}

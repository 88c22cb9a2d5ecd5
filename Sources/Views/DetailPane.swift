internal import Bytes
internal import Family
package import Terminal
package import Words

/// A line of a record in full, and the record that the line is about: a result, a coach, an interaction.
package struct DetailLine: Hashable, Sendable {
    package let text: StyledText
    package let record: RecordReference?
    /// The key that runs the action in the line, as it is shown.
    package let key: String
    /// The target of a click that the terminal itself handles.
    package let link: Hyperlink?

    package init(_ text: StyledText, _ record: RecordReference? = nil, key: String = "", link: String? = nil) {
        self.text = text
        self.record = record
        self.key = key
        self.link = link.flatMap(Hyperlink.init)
    }
}

/// A record in full: it scrolls, and the records in it can be selected one after the other. Pure.
package struct DetailPane: Sendable {
    package private(set) var lines: [DetailLine] = []
    /// The selected record among those in the lines.
    package private(set) var selected: RecordReference?
    private var offset = 0

    package init(_ lines: [DetailLine] = []) { self.lines = lines }

    /// Shows the current lines; the scroll position and the selection stay.
    package mutating func refresh(_ lines: [DetailLine]) {
        self.lines = lines
        if let selected, !records.contains(selected) { self.selected = nil }
    }

    /// The records in the lines, in their order.
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

    /// Selects the next or previous record in the lines; after the last record none is selected.
    ///
    /// - Returns: whether the lines have any records.
    package mutating func step(_ count: Int) -> Bool {
        let records = records
        guard !records.isEmpty else { return false }
        let place = selected.flatMap { records.firstIndex(of: $0) }
        let next = (place ?? (count > 0 ? -1 : records.count)) + count
        selected = records.indices.contains(next) ? records[next] : nil
        return true
    }

    /// Selects the clicked record in the lines.
    ///
    /// - Returns: the record if it was already selected: the caller opens it.
    mutating func click(_ clicked: ClickTarget?) -> RecordReference? {
        guard case .place(Self.target, let place)? = clicked, records.indices.contains(place) else { return nil }
        defer { selected = records[place] }
        return selected == records[place] ? selected : nil
    }

    /// The name of click targets for records in the lines; the number is the record's position among them.
    package static let target = "detail"

    /// - Returns: the number of rows below the visible part.
    @discardableResult
    package func draw(_ canvas: inout Canvas, _ rect: Rect, _ theme: Theme) -> Int {
        let rows = lines.enumerated().flatMap { place, line in line.text.wrapped(columns: max(rect.columns, 2), indent: 4).map { (place, $0) } }
        var first = min(offset, max(rows.count - rect.rows, 0))
        // The selected record stays visible.
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

    /// The question before a record in the lines is removed.
    static func question(_ record: RecordReference, _ text: String) -> [String] {
        let what =
            switch record.kind {
            case .coach: "Remove this coach from the event?"
            default: "Are you sure you want to delete this \(record.kind.declaration.label.lowercased())?"
            }
        return [what, text, "It can be undone for 30 days.", "y remove   any other key cancels"]
    }

    /// The first words of a record in the lines.
    func text(of record: RecordReference) -> String { lines.first { $0.record == record }.map { TextWidth.cut($0.text.text, to: 60) } ?? "" }
}

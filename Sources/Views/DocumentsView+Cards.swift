internal import Bytes
internal import Family
internal import Terminal
internal import Words

/// The documents as cards next to each other, or as a list (R124, R129–R131). Only visible documents are drawn (R144).
extension DocumentsView {
    private static var cardRows: Int { 6 }
    private static var listRows: Int { 2 }

    /// The positions in `found` that are visible in a rectangle: whole rows, which include the selected document.
    func shownPlaces(_ rect: Rect) -> Range<Int> {
        let across = columns
        let shown = max(rect.rows / (isGrid ? Self.cardRows : Self.listRows), 1)
        let rows = (found.count + across - 1) / across
        let first = PaneParts.first(selected: (selectedIndex ?? 0) / across, count: rows, shown: shown)
        return min(first * across, found.count)..<min((first + shown) * across, found.count)
    }

    /// The outlines of the places for six documents.
    func bones(_ rect: Rect) -> [Rect] {
        let (across, wide) = (columns, max(rect.columns / columns, 10))
        return (0..<6).flatMap { place -> [Rect] in
            let row = rect.row + place / across * (isGrid ? Self.cardRows : Self.listRows)
            let column = rect.column + place % across * wide + 2
            if isGrid { return [Rect(column, row + 1, columns: wide - 4, rows: 1), Rect(column, row + 3, columns: wide / 2, rows: 1)] }
            return [Rect(column, row, columns: rect.columns / 2, rows: 1)]
        }
    }

    private func school(_ record: Record) -> String {
        (record.fields.text("school_name")?.printable).flatMap { $0.isEmpty ? nil : $0 } ?? record.fields.reference("school_id").flatMap { names[$0] } ?? "General"
    }

    func date(_ record: Record) -> String { record.createdAt > 0 ? EventText.date(day(record.createdAt)) : "Unknown" }

    func drawGrid(_ canvas: inout Canvas, _ rect: Rect) {
        let across = columns
        let wide = max(rect.columns / across, 10)
        canvas.clipped(to: rect) { canvas in
            for (place, index) in shownPlaces(rect).enumerated() {
                let area = Rect(rect.column + place % across * wide, rect.row + place / across * Self.cardRows, columns: wide, rows: Self.cardRows)
                drawCard(found[index], &canvas, area)
                canvas.target(area, .place(Self.documentTarget, index))
            }
        }
    }

    private func drawCard(_ record: Record, _ canvas: inout Canvas, _ rect: Rect) {
        let isSelected = record.id == selected
        let type = record.fields.text("type") ?? ""
        canvas.box(rect, theme[isSelected ? .accent : .frame], title: "\(DocumentWords.glyph(record)) \(Self.label(ofType: type))", titleStyle: theme[isSelected ? .accent : .muted])
        let inner = rect.inset(2, 1)
        canvas.clipped(to: inner) { canvas in
            // R130: a title takes at most two lines.
            let title = StyledText(RecordNames.name(record), theme[.title]).wrapped(columns: inner.columns)
            for (row, line) in title.prefix(2).enumerated() {
                canvas.draw(row == 1 && title.count > 2 ? StyledText(TextWidth.cut(line.text + " …", to: inner.columns), theme[.title]) : line, at: inner.column, inner.row + row)
            }
            canvas.draw(TextWidth.cut(school(record), to: inner.columns), at: inner.column, inner.row + 2, theme[.muted])
            let column = canvas.draw("\(DocumentWords.version(record)) · \(date(record))", at: inner.column, inner.row + 3, theme[.muted])
            let (badge, role) = DocumentWords.badge(record)
            canvas.draw(badge, at: max(inner.endColumn - badge.count, column + 1), inner.row + 3, theme[role])
        }
    }

    func drawList(_ canvas: inout Canvas, _ rect: Rect) {
        canvas.clipped(to: rect) { canvas in
            for (place, index) in shownPlaces(rect).enumerated() {
                let record = found[index]
                let row = rect.row + place * Self.listRows
                canvas.target(Rect(rect.column, row, columns: rect.columns, rows: Self.listRows), .place(Self.documentTarget, index))
                let type = record.fields.text("type") ?? ""
                let right = Self.label(ofType: type)
                let left = max(rect.columns - TextWidth.of(right) - 7, 4)
                canvas.draw(record.id == selected ? "▸" : " ", at: rect.column, row, theme[.accent])
                canvas.draw(TextWidth.cut("\(DocumentWords.glyph(record)) \(RecordNames.name(record))", to: left), at: rect.column + 2, row, theme[.title])
                canvas.draw(right, at: rect.endColumn - 1 - TextWidth.of(right), row, theme[.accent])
                var parts = [school(record), DocumentWords.version(record), date(record)]
                if context == .all, let athlete = record.athlete.flatMap({ names[$0] }) { parts.append(athlete) }
                let column = canvas.draw(TextWidth.cut(parts.joined(separator: " · "), to: left), at: rect.column + 5, row + 1, theme[.muted])
                let (badge, role) = DocumentWords.badge(record)
                canvas.draw(badge, at: max(rect.endColumn - 1 - badge.count, column + 1), row + 1, theme[role])
                if record.id == selected { canvas.restyle(Rect(rect.column, row, columns: rect.columns, rows: Self.listRows)) { theme[.selection].over($0) } }
            }
        }
    }
}

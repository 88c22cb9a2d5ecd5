internal import Bytes
internal import Client
internal import Dates
internal import Family
package import Terminal

extension EventsView {
    /// From which width on the month stands beside the list.
    private static var wideColumns: Int { 72 }
    private static var monthColumns: Int { 30 }

    /// Draws the whole screen.
    package func draw(_ facts: StatusFacts, _ canvas: inout Canvas) {
        let (title, rest) = canvas.bounds.splitTop(1)
        TitleLine.draw(facts, &canvas, title, theme)
        let (body, status) = rest.splitBottom(1)
        StatusLine.draw(facts, below: 0, chord: Keymap.names(chord.pressed), &canvas, status, theme)
        let (head, main) = body.splitTop(min(2, body.rows))
        canvas.draw("Events", at: 1, head.row, theme[.title])
        canvas.draw("Track camps, showcases, visits, and games", at: 9, head.row, columns: max(canvas.size.columns - 30, 0), theme[.muted])
        let add = "n + Add Event"
        if canvas.size.columns >= 60 { canvas.draw(add, at: canvas.size.columns - add.count - 1, head.row, theme[.accent].with(.bold)) }
        drawFilters(&canvas, head)
        var list = main
        if main.columns >= Self.wideColumns {
            let (left, right) = main.splitLeft(Self.monthColumns)
            drawMonth(&canvas, left)
            list = right
        }
        if let detail { drawDetail(detail, &canvas, list) } else { drawList(&canvas, list) }
        if isAskingToDelete { ask(&canvas) }
        if isHelpOpen { KeyHelp.draw(KeyHelp.lines(keymap, "events", EventsCommand.helpLines + BufferCommand.helpLines), &canvas, theme) }
    }

    private func drawFilters(_ canvas: inout Canvas, _ head: Rect) {
        guard head.rows > 1 else { return }
        let row = head.row + 1
        var column = canvas.draw(count == 1 ? "1 result" : "\(count) results", at: 1, row, theme[.title])
        column = canvas.draw("  \(sortWords)", at: column, row, theme[.muted])
        for word in filterWords { column = canvas.draw(word, at: column + 2, row, theme[.accent].with(.reverse)) }
        if isSearching || !search.isEmpty {
            column = canvas.draw("  Search: ", at: column, row, theme[.accent])
            let view = EditorView(search, columns: max(canvas.size.columns - column, 2), rows: 1)
            canvas.draw(view.lines.first ?? "", at: column, row)
            if isSearching { canvas.cursor = Point(min(column + view.cursor.column, canvas.size.columns - 1), row) }
        }
    }

    private func drawMonth(_ canvas: inout Canvas, _ rect: Rect) {
        let names = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]
        canvas.draw("‹ \(names[month.month - 1]) \(month.year) ›", at: rect.column + 1, rect.row, columns: rect.columns - 2, theme[.title])
        // The grid shows a week more at either side.
        let near = found(from: month.days - month.day - 7, to: month.days + 45)
        let spans = near.compactMap { span($0) }
        let byID = Dictionary(near.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let grid = MonthGrid(month: month, today: today, firstWeekday: firstWeekday, spans: spans)
        let theme = theme
        let look = MonthGrid<Identifier>.Look(theme: theme, selected: selectedRecord.flatMap { span($0)?.first }) { id in
            byID[id].map { theme[Self.role(ofType: $0)] } ?? .plain
        }
        grid.draw(&canvas, in: Rect(rect.column, rect.row + 1, columns: rect.columns - 1, rows: MonthGrid<Identifier>.compactRows), look)
        let count = Set(grid.days.filter(\.isInMonth).flatMap(\.ids)).count
        canvas.draw("\(count) event\(count == 1 ? "" : "s") this month", at: rect.column + 1, rect.row + 9, theme[.muted])
    }

    private func drawList(_ canvas: inout Canvas, _ rect: Rect) {
        guard count > 0 else { return drawEmpty(&canvas, rect) }
        let high = 2
        let shown = max(rect.rows / high, 1)
        let first = min(max((selectedIndex ?? 0) - shown / 2, 0), max(count - shown, 0))
        canvas.clipped(to: rect) { canvas in
            for (place, index) in (first..<min(first + shown, count)).enumerated() {
                draw(found(index), &canvas, Rect(rect.column, rect.row + place * high, columns: rect.columns, rows: high))
            }
        }
    }

    /// A card: name and type; dates, time, place, cost and status (R041).
    private func draw(_ record: Record, _ canvas: inout Canvas, _ rect: Rect) {
        let fields = record.fields
        let isSelected = record.id == selected
        let type = EventText.type(fields)
        let status = EventText.status(fields)
        let right = max(TextWidth.of(type), TextWidth.of(status)) + 1
        let left = max(rect.columns - right - 4, 4)
        canvas.draw(isSelected ? "▸" : " ", at: rect.column, rect.row, theme[.accent])
        canvas.draw(TextWidth.cut(EventText.name(fields), to: left), at: rect.column + 2, rect.row, theme[.title])
        canvas.draw(type, at: rect.endColumn - 1 - TextWidth.of(type), rect.row, theme[Self.role(ofType: record)])
        var parts = [EventText.dates(fields), EventText.times(fields), EventText.place(fields)]
        if let cost = fields.text("cost") { parts.append("$" + cost) }
        if context == .all, let athlete = record.athlete.flatMap({ names[$0] }) { parts.append(athlete) }
        if let notes = fields.text("performance_notes") { parts.append("“\(notes.split(whereSeparator: \.isNewline).first ?? "")”") }
        let line = parts.filter { !$0.isEmpty }.joined(separator: " · ")
        canvas.draw(TextWidth.cut(line, to: left), at: rect.column + 2, rect.row + 1, theme[.muted])
        canvas.draw(status, at: rect.endColumn - 1 - TextWidth.of(status), rect.row + 1, theme[Self.role(ofStatus: fields)])
        if isSelected { canvas.restyle(rect) { theme[.selection].over($0) } }
    }

    private func drawEmpty(_ canvas: inout Canvas, _ rect: Rect) {
        let lines =
            isEmpty
            ? ["📅", "No events yet", "Create your first event to start tracking camps and showcases", "n  + Add Event"]
            : ["No events match your filters", "Try adjusting your search criteria", "c  Clear filters"]
        for (row, line) in lines.enumerated() {
            let text = TextWidth.cut(line, to: rect.columns - 2)
            let column = rect.column + max((rect.columns - TextWidth.of(text)) / 2, 1)
            canvas.draw(text, at: column, rect.row + max((rect.rows - lines.count) / 2, 0) + row, row == lines.count - 1 ? theme[.accent] : theme[.text])
        }
    }

    private func drawDetail(_ detail: [StyledText], _ canvas: inout Canvas, _ rect: Rect) {
        canvas.box(rect, theme[.accent], title: "Esc back  a attended  e edit  x delete  i interaction  p result  m directions", titleStyle: theme[.muted])
        let inner = rect.inset(2, 1)
        let lines = detail.flatMap { $0.wrapped(columns: inner.columns, indent: 4) }
        let first = min(detailOffset, max(lines.count - inner.rows, 0))
        canvas.clipped(to: inner) { canvas in
            for (row, line) in lines.dropFirst(first).prefix(inner.rows).enumerated() { canvas.draw(line, at: inner.column, inner.row + row) }
        }
    }

    private func ask(_ canvas: inout Canvas) {
        let lines = ["Are you sure you want to delete this event?", selectedRecord.map { EventText.name($0.fields) } ?? "", "It can be undone for 30 days.", "y delete   any other key keeps it"]
        Question.draw(lines, &canvas, theme)
    }

    static func role(ofType record: Record) -> Terminal.Role {
        switch record.fields.text("type") {
        case "camp": .camp
        case "showcase": .showcase
        case "official_visit": .officialVisit
        case "unofficial_visit": .unofficialVisit
        case "game": .game
        default: .other
        }
    }

    static func role(ofStatus fields: Fields) -> Terminal.Role {
        fields.flag("attended") ? .attended : fields.flag("registered") ? .registered : .notRegistered
    }
}

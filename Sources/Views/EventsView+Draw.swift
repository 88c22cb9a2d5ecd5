internal import Bytes
internal import Dates
internal import Family
package import Terminal
internal import Words

extension EventsView {
    /// The smallest width at which the month is drawn next to the list.
    private static var wideColumns: Int { 72 }
    private static var monthColumns: Int { 30 }
    /// The largest width of the list beside an event.
    private static var listColumns: Int { 72 }
    /// The smallest size at which the month has room for events of several days, and its columns at that size.
    private static var tall: Size { Size(columns: 112, rows: 30) }
    private static var tallColumns: Int { 45 }

    /// Draws the whole screen.
    package func draw(_ facts: StatusFacts, _ canvas: inout Canvas) {
        let (title, rest) = canvas.bounds.splitTop(1)
        TitleLine.draw(facts, &canvas, title, theme)
        let (body, status) = rest.splitBottom(1)
        let (head, below) = body.splitTop(min(2, body.rows))
        canvas.draw("Events", at: 1, head.row, theme[.title])
        canvas.draw("Track camps, showcases, visits, and games", at: 9, head.row, columns: max(canvas.size.columns - 30, 0), theme[.muted])
        let add = "n + Add Event"
        if canvas.size.columns >= 60, mayWrite {
            let column = canvas.size.columns - add.count - 1
            canvas.draw(add, at: column, head.row, theme[.accent].with(.bold))
            canvas.target(Rect(column, head.row, columns: add.count, rows: 1), .keys([.character("n")]))
        }
        drawFilters(&canvas, head)
        // Key hints, unless the events need the row more.
        let (main, foot) = below.splitBottom(canvas.size.rows >= 20 ? 1 : 0)
        if foot.rows > 0 { PaneParts.hints(allowed(hints), namesHelp: !isSearching, &canvas, foot, theme) }
        var list = main
        let isWide = main.columns >= Self.wideColumns
        if isWide {
            let (left, right) = main.splitLeft(isTall(canvas.size) ? Self.tallColumns : Self.monthColumns)
            drawMonth(&canvas, left)
            list = right
        }
        var hidden = 0
        if list.columns > Self.listColumns, canvas.size.columns >= Self.paneColumns {
            // Lines that the eye cannot follow help nobody: the rest shows the selected event.
            let (left, right) = list.splitLeft(min(Self.listColumns, list.columns / 2))
            hidden = drawList(facts, &canvas, left)
            if let detail {
                hidden = drawDetail(detail, &canvas, right)
            } else if let preview, preview.event == selected, count > 0 {
                canvas.box(right, theme[.frame])
                preview.pane.draw(&canvas, right.inset(2, 1), theme)
            }
        } else if let detail {
            hidden = drawDetail(detail, &canvas, list)
        } else if !isWide, dayCursor != nil {
            // If only one of the two fits, the part that the keys move in is drawn.
            drawMonth(&canvas, list)
        } else {
            hidden = drawList(facts, &canvas, list)
        }
        StatusLine.draw(facts, below: hidden, chord: Keymap.names(chord.pressed), &canvas, status, theme)
        if monthChoice != nil { drawMonthChoice(&canvas) }
        if let asked { ask(asked, &canvas) }
        if isHelpOpen { KeyHelp.draw(KeyHelp.lines(keymap, "events", EventsCommand.helpLines + BufferCommand.helpLines), &canvas, theme) }
    }

    /// The most useful keys for a new user in the current state.
    private var hints: [(String, String)] {
        if isSearching { return [("Enter", "to the list"), ("Esc", "no search")] }
        if dayCursor != nil { return [("Enter", "its events"), ("Space", "stay here"), ("n", "new on it"), ("M", "month"), ("Tab", "list")] }
        // Next to a month, the edge of the detail's frame has no room for these hints.
        if detail != nil { return [("Tab", "its parts"), ("p", "result"), ("+", "coach"), ("m", "directions"), ("E", "export"), ("u", "undo"), ("?", "all keys")] }
        return [("Enter", "open"), ("/", "search"), ("t", "type"), ("s", "status"), ("d", "dates"), ("r", "order"), ("a", "attended"), ("Tab", "days"), ("?", "all keys"), ("E", "export")]
    }

    private func drawFilters(_ canvas: inout Canvas, _ head: Rect) {
        guard head.rows > 1 else { return }
        let row = head.row + 1
        var column = canvas.draw(count == 1 ? "1 result" : "\(count) results", at: 1, row, theme[.title])
        let start = column
        column = canvas.draw("  \(sortWords)", at: column, row, theme[.muted])
        target(.sort, &canvas, Rect(start, row, columns: column - start, rows: 1))
        for chip in filterChips {
            let start = column + 2
            column = canvas.draw(chip.words, at: start, row, theme[.accent].with(.reverse))
            target(chip.command, &canvas, Rect(start, row, columns: column - start, rows: 1))
        }
        if isSearching || !search.text.isEmpty {
            let cursor = canvas.cursor
            search.draw(&canvas, Rect(column + 2, row, columns: max(canvas.size.columns - column - 2, 0), rows: 1), theme)
            if !isSearching { canvas.cursor = cursor }
        } else {
            // The upcoming events, if there is room (R026).
            let ahead = ahead
            guard ahead.count > 0, let days = ahead.days else { return }
            let next = days == 0 ? "one today" : days == 1 ? "next tomorrow" : "next in \(days) days"
            let words = "\(ahead.count) upcoming, \(next)"
            let place = canvas.size.columns - TextWidth.of(words) - 1
            if place > column + 2 { canvas.draw(words, at: place, row, theme[.muted]) }
        }
    }

    /// Makes a click in `rect` press the first key of a command, if the command has a key of its own.
    private func target(_ command: EventsCommand, _ canvas: inout Canvas, _ rect: Rect) {
        guard let names = keymap.keys(of: command.rawValue, in: "events").first, let keys = Keymap.keys(names) else { return }
        canvas.target(rect, .keys(keys))
    }

    private func isTall(_ size: Size) -> Bool { size.columns >= Self.tall.columns && size.rows >= Self.tall.rows }

    private func drawMonth(_ canvas: inout Canvas, _ rect: Rect) {
        let end = canvas.draw("‹ \(TripWords.months[month.month - 1]) \(month.year) ›", at: rect.column + 1, rect.row, theme[.title])
        target(.previousMonth, &canvas, Rect(rect.column, rect.row, columns: 3, rows: 1))
        target(.chooseMonth, &canvas, Rect(rect.column + 3, rect.row, columns: end - rect.column - 5, rows: 1))
        target(.nextMonth, &canvas, Rect(end - 2, rect.row, columns: 3, rows: 1))
        // The grid also shows one week before and one week after the month.
        let near = found(from: month.days - month.day - 7, to: month.days + 45)
        let spans = near.compactMap { span($0) }
        let byID = Dictionary(near.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let grid = MonthGrid(month: month, today: today, firstWeekday: firstWeekday, spans: spans)
        let theme = theme
        let look = MonthGrid<Identifier>.Look(theme: theme, selected: selectedDay ?? selectedRecord.flatMap { span($0)?.first }, cursor: dayCursor) { id in
            byID[id].map { theme[Self.role(ofType: $0)] } ?? .plain
        }
        let isTall = isTall(canvas.size)
        let rows = isTall ? MonthGrid<Identifier>.tallRows : MonthGrid<Identifier>.compactRows
        let columns = min(rect.columns, isTall ? Self.tallColumns : Self.monthColumns) - 1
        grid.draw(&canvas, in: Rect(rect.column, rect.row + 1, columns: columns, rows: rows), look)
        let count = Set(grid.days.filter(\.isInMonth).flatMap(\.ids)).count
        canvas.clipped(to: rect) { canvas in
            canvas.draw("\(count) event\(count == 1 ? "" : "s") this month", at: rect.column + 1, rect.row + rows + 2, theme[.muted])
            canvas.draw(TextWidth.cut(dayWords, to: rect.columns - 2), at: rect.column + 1, rect.row + rows + 3, theme[.accent])
        }
    }

    /// Draws the years below each other, with their months side by side.
    private func drawMonthChoice(_ canvas: inout Canvas) {
        guard let monthChoice else { return }
        let wide = canvas.size.columns >= 60 ? 4 : 3
        let rect = canvas.bounds.centred(columns: 6 + 12 * wide + 4, rows: years.count + 4)
        canvas.dropTargets()
        canvas.fill(rect)
        canvas.box(rect, theme[.accent], title: "Which month?", titleStyle: theme[.title])
        canvas.cursor = nil
        let inner = rect.inset(2, 1)
        canvas.clipped(to: inner) { canvas in
            for (row, year) in years.enumerated() {
                canvas.draw("\(year)", at: inner.column, inner.row + row, theme[.title])
                for number in 1...12 {
                    guard let date = CalendarDate(year: year, month: number, day: 1) else { continue }
                    let area = Rect(inner.column + 6 + (number - 1) * wide, inner.row + row, columns: wide - 1, rows: 1)
                    let isOpen = isReachable(date)
                    var style = theme[isOpen ? .text : .outside]
                    if year == today.year, number == today.month { style = theme[.today] }
                    if date == monthChoice { style = theme[.selection].with(.bold) }
                    let name = wide > 3 ? String(TripWords.months[number - 1].prefix(3)) : number < 10 ? " \(number)" : "\(number)"
                    canvas.draw(name, at: area.column, area.row, style)
                    if date == monthChoice { canvas.draw("▸", at: area.column - 1, area.row, theme[.accent]) }
                    if isOpen { canvas.target(area, .place(Self.monthTarget, date.days)) }
                }
            }
            let words = "Enter open   Esc close"
            canvas.draw(words, at: inner.column, inner.endRow - 1, theme[.muted])
            PaneParts.targets(words, &canvas, at: inner.column, inner.endRow - 1)
        }
    }

    /// - Returns: the number of events below the visible part.
    private func drawList(_ facts: StatusFacts, _ canvas: inout Canvas, _ rect: Rect) -> Int {
        guard count > 0 else {
            drawEmpty(facts, &canvas, rect)
            return 0
        }
        let high = 2
        let shown = max(rect.rows / high, 1)
        let first = PaneParts.first(selected: selectedIndex ?? 0, count: count, shown: shown)
        canvas.clipped(to: rect) { canvas in
            for (place, index) in (first..<min(first + shown, count)).enumerated() {
                let area = Rect(rect.column, rect.row + place * high, columns: rect.columns, rows: high)
                draw(found(index), &canvas, area)
                canvas.target(area, .place(Self.eventTarget, index))
            }
        }
        return max(count - first - shown, 0)
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

    private func drawEmpty(_ facts: StatusFacts, _ canvas: inout Canvas, _ rect: Rect) {
        if isEmpty, PaneParts.loading(facts, "events", &canvas, rect, theme, bones: PaneParts.lineBones) { return }
        let lines =
            isEmpty && !mayWrite
            ? ["📅", "No events yet", PaneParts.nothingYet]
            : isEmpty && !hasAthletes
            ? ["📅", "No athletes yet", "An event belongs to an athlete. Add one in the room (Alt-1):", "/invite NAME --role athlete --born YYYY-MM-DD"]
            : isEmpty
            ? ["📅", "No events yet", "Create your first event to start tracking camps and showcases", "n  + Add Event"]
            : ["▽", "No events match your filters", "Try adjusting your search criteria", "c  Clear filters"]
        PaneParts.empty(lines, &canvas, rect, theme)
    }

    /// - Returns: the number of rows below the visible part.
    private func drawDetail(_ detail: DetailPane, _ canvas: inout Canvas, _ rect: Rect) -> Int {
        canvas.box(rect, theme[.accent])
        PaneParts.detailHints(event: true, attended: selectedRecord?.fields.flag("attended") == true, mayWrite: mayWrite, &canvas, rect, theme)
        return detail.draw(&canvas, rect.inset(2, 1), theme)
    }

    private func ask(_ asked: RemovalQuestion, _ canvas: inout Canvas) {
        if let detail, case .part(let part, _) = asked { return QuestionDialog.draw(DetailPane.question(part, detail.text(of: part)), &canvas, theme) }
        let lines = ["Are you sure you want to delete this event?", selectedRecord.map { EventText.name($0.fields, columns: .max) } ?? "", "It can be undone for 30 days.", "y delete   any other key cancels"]
        QuestionDialog.draw(lines, &canvas, theme)
    }

    static func role(ofType record: Record) -> StyleRole {
        switch record.fields.text("type") {
        case "camp": .camp
        case "showcase": .showcase
        case "official_visit": .officialVisit
        case "unofficial_visit": .unofficialVisit
        case "game": .game
        default: .other
        }
    }

    static func role(ofStatus fields: Fields) -> StyleRole {
        fields.flag("attended") ? .attended : fields.flag("registered") ? .registered : .notRegistered
    }
}

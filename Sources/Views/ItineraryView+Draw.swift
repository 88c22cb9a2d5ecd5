internal import Bytes
internal import Dates
internal import Family
package import Terminal

extension ItineraryView {
    /// The smallest width at which a month is drawn next to the days.
    private static var wideColumns: Int { 76 }
    private static var monthColumns: Int { 30 }

    /// Draws the whole screen.
    package func draw(_ facts: StatusFacts, _ canvas: inout Canvas) {
        let (title, rest) = canvas.bounds.splitTop(1)
        TitleLine.draw(facts, &canvas, title, theme)
        let (body, status) = rest.splitBottom(1)
        let (upper, foot) = body.splitBottom(1)
        let hidden = if let plan { drawPlan(plan, &canvas, upper, foot) } else { drawTrips(facts, &canvas, upper, foot) }
        StatusLine.draw(facts, below: hidden, chord: Keymap.names(chord.pressed), &canvas, status, theme)
        drawQuestion(&canvas)
        if isHelpOpen { KeyHelp.draw(KeyHelp.lines(keymap, "trips", ItineraryCommand.helpLines), &canvas, theme) }
    }

    // MARK: Trips

    /// - Returns: the number of trips below the visible part.
    private func drawTrips(_ facts: StatusFacts, _ canvas: inout Canvas, _ rect: Rect, _ foot: Rect) -> Int {
        let (head, main) = rect.splitTop(1)
        let column = canvas.draw("Trips", at: 1, head.row, theme[.title])
        let over = overCount == 0 ? "" : showsPast ? ", \(overCount) over" : " ahead, \(overCount) over (p shows them)"
        canvas.draw("  \(rows.count - (showsPast ? overCount : 0))\(over)", at: column, head.row, theme[.muted])
        var list = main
        if main.columns >= Self.wideColumns, !everyRow.isEmpty {
            let (left, right) = main.splitLeft(Self.monthColumns)
            drawMonthOfTrips(&canvas, left)
            list = right
        }
        guard !rows.isEmpty else {
            if !PaneParts.loading(facts, "trips", &canvas, list, theme, bones: PaneParts.lineBones) {
                let lines = mayWrite ? ["A trip has its days, where you stay, and who comes along", "n  + Add Trip"] : [PaneParts.nothingYet]
                PaneParts.empty(["🧳", "No trips ahead"] + lines, &canvas, list, theme)
            }
            return 0
        }
        let high = 2
        let shown = max(list.rows / high, 1)
        let first = PaneParts.first(selected: rows.firstIndex { $0.id == selectedTrip } ?? 0, count: rows.count, shown: shown)
        canvas.clipped(to: list) { canvas in
            for (place, row) in rows[first..<min(first + shown, rows.count)].enumerated() {
                let line = list.row + place * high
                let count = row.items == 1 ? "1 item" : "\(row.items) items"
                let right = (row.isNow ? "now  " : row.isOver ? "over  " : "") + count
                let left = max(list.columns - TextWidth.of(right) - 5, 4)
                canvas.draw(row.id == selectedTrip ? "▸" : " ", at: list.column, line, theme[.accent])
                canvas.draw(TextWidth.cut(row.name, to: left), at: list.column + 2, line, theme[row.isOver ? .muted : .title])
                canvas.draw(right, at: list.endColumn - 1 - TextWidth.of(right), line, theme[row.isNow ? .success : .muted])
                canvas.draw(TextWidth.cut(row.facts, to: list.columns - 4), at: list.column + 2, line + 1, theme[.muted])
                canvas.target(Rect(list.column, line, columns: list.columns, rows: high), .place(Self.tripTarget, first + place))
                if row.id == selectedTrip { canvas.restyle(Rect(list.column, line, columns: list.columns, rows: high)) { theme[.selection].over($0) } }
            }
        }
        let paging = list.columns < main.columns ? [("← →", "month")] : []
        PaneParts.hints(allowed([("Enter", "by day")] + paging + [("n", "new"), ("e", "change"), ("s", "move"), ("c", "copy"), ("x", "delete"), ("q", "back")]), &canvas, foot, theme)
        return max(rows.count - first - shown, 0)
    }

    // MARK: One trip

    /// - Returns: the number of rows below the visible part.
    private func drawPlan(_ plan: TripPlan, _ canvas: inout Canvas, _ rect: Rect, _ foot: Rect) -> Int {
        let (head, main) = rect.splitTop(min(2, rect.rows))
        canvas.draw(TextWidth.cut(plan.name, to: head.columns - 2), at: 1, head.row, theme[.title])
        let hidden = plan.hidden == 0 ? "" : " · \(plan.hidden) not in the itinerary"
        if head.rows > 1 { canvas.draw(TextWidth.cut(plan.facts + hidden, to: head.columns - 2), at: 1, head.row + 1, theme[.muted]) }
        var list = main
        if main.columns >= Self.wideColumns {
            let (left, right) = main.splitLeft(Self.monthColumns)
            drawMonth(plan, &canvas, left)
            list = right
        }
        if let detail { return drawDetail(detail, &canvas, list) }
        PaneParts.hints(
            allowed([("← →", "day"), ("Enter", "all of it"), ("n", "new"), ("e", "change"), ("s", "move"), ("x", "delete"), ("Esc", "trips"), ("u", "undo")]), &canvas, foot, theme)
        return drawDays(plan, &canvas, list)
    }

    private func drawMonthOfTrips(_ canvas: inout Canvas, _ rect: Rect) {
        canvas.draw("\(TripWords.months[month.month - 1]) \(month.year)", at: rect.column + 1, rect.row, columns: rect.columns - 2, theme[.title])
        let grid = MonthGrid(month: month, today: today, firstWeekday: firstWeekday, spans: tripSpans)
        let (theme, selected) = (theme, selectedTrip)
        let first = everyRow.first { $0.id == selected }?.days?.lowerBound
        let look = MonthGrid<Identifier>.Look(theme: theme, selected: tripDay ?? first) { id in theme[id == selected ? .accent : .muted] }
        grid.draw(&canvas, in: Rect(rect.column, rect.row + 1, columns: rect.columns - 1, rows: MonthGrid<Identifier>.compactRows), look)
        let count = Set(grid.days.filter(\.isInMonth).flatMap(\.ids)).count
        canvas.clipped(to: rect) { canvas in
            let row = rect.row + MonthGrid<Identifier>.compactRows + 2
            canvas.draw("\(count) trip\(count == 1 ? "" : "s") this month", at: rect.column + 1, row, theme[.muted])
            canvas.draw(TextWidth.cut(tripDayWords, to: rect.columns - 2), at: rect.column + 1, row + 1, theme[.accent])
        }
    }

    private func drawMonth(_ plan: TripPlan, _ canvas: inout Canvas, _ rect: Rect) {
        canvas.draw("\(TripWords.months[day.month - 1]) \(day.year)", at: rect.column + 1, rect.row, columns: rect.columns - 2, theme[.title])
        let spans = plan.days.flatMap { day in day.entries.map { MonthGrid<Identifier>.Span($0.id, day.date) } }
        let grid = MonthGrid(month: day, today: today, firstWeekday: firstWeekday, spans: spans)
        let categories = Dictionary(plan.days.flatMap { $0.entries.map { ($0.id, $0.category) } }, uniquingKeysWith: { first, _ in first })
        let theme = theme
        let look = MonthGrid<Identifier>.Look(theme: theme, selected: day) { id in theme[Self.role(categories[id] ?? "")] }
        grid.draw(&canvas, in: Rect(rect.column, rect.row + 1, columns: rect.columns - 1, rows: MonthGrid<Identifier>.compactRows), look)
    }

    /// One row of the list of days, and its day.
    private struct Line {
        let day: CalendarDate
        var item: Identifier?
        var isHeader = false
        let pieces: [(column: Int, text: StyledText)]
    }

    /// - Returns: the number of rows below the visible part.
    private func drawDays(_ plan: TripPlan, _ canvas: inout Canvas, _ rect: Rect) -> Int {
        guard !plan.days.isEmpty else {
            PaneParts.empty(["Nothing is planned."] + (mayWrite ? ["n  + Add Item"] : []), &canvas, rect, theme)
            return 0
        }
        var lines: [Line] = []
        for day in plan.days {
            lines.append(header(day.date, day.entries.count, rect.columns))
            if day.entries.isEmpty {
                lines.append(Line(day: day.date, pieces: [(3, StyledText("Nothing is planned.", theme[.muted]))]))
            }
            for entry in day.entries { lines += card(entry, rect.columns) }
        }
        let selected = lines.firstIndex { $0.day == day && (selectedItem == nil ? $0.isHeader : $0.item == selectedItem) } ?? 0
        let first = PaneParts.first(selected: selected, count: lines.count, shown: rect.rows)
        var shown = Array(lines.dropFirst(first).prefix(rect.rows))
        // The header of the day stays visible when its own line is above the visible part (R160).
        if let top = shown.first, !top.isHeader { shown[0] = header(top.day, plan.days.first { $0.date == top.day }?.entries.count ?? 0, rect.columns) }
        let stops = stops
        canvas.clipped(to: rect) { canvas in
            for (row, line) in shown.enumerated() {
                let area = Rect(rect.column, rect.row + row, columns: rect.columns, rows: 1)
                if line.isHeader {
                    canvas.target(area, .place(Self.dayTarget, line.day.days))
                } else if let stop = stops.firstIndex(where: { $0.day == line.day && $0.item == line.item }) {
                    canvas.target(area, .place(Self.stopTarget, stop))
                }
                for piece in line.pieces { canvas.draw(piece.text, at: rect.column + piece.column, rect.row + row) }
                let isSelected = line.day == day && (selectedItem == nil ? line.isHeader : line.item != nil && line.item == selectedItem)
                guard isSelected else { continue }
                if line.isHeader || line.pieces.count > 1 { canvas.draw("▸", at: rect.column, rect.row + row, theme[.accent]) }
                canvas.restyle(Rect(rect.column, rect.row + row, columns: rect.columns, rows: 1)) { theme[.selection].over($0) }
            }
        }
        return max(lines.count - first - rect.rows, 0)
    }

    private func header(_ date: CalendarDate, _ count: Int, _ columns: Int) -> Line {
        var text = StyledText(TripWords.day(date), theme[date == today ? .today : .title])
        if date == today { text.append("  today", theme[.muted]) }
        if count > 0 { text.append("  \(count)", theme[.muted]) }
        return Line(day: date, isHeader: true, pieces: [(1, text)])
    }

    private func card(_ entry: TripPlan.Entry, _ columns: Int) -> [Line] {
        let style = theme[Self.role(entry.category)]
        let start = 3 + max(13, TextWidth.of(entry.times)) + 2
        let duration = StyledText(entry.duration, style)
        let room = max(columns - start - 3 - duration.width - 2, 6)
        let title = StyledText(TripWords.glyph(entry.category) + " ", style) + StyledText(TextWidth.cut(entry.title, to: room), theme[.title])
        var lines = [
            Line(
                day: entry.day, item: entry.id,
                pieces: [(3, StyledText(entry.times, theme[.text])), (start, title), (max(columns - 1 - duration.width, 0), duration)])
        ]
        let words = ([entry.label] + entry.details).joined(separator: " · ")
        // Next to a month on a small screen, the details need the room below the times.
        let below = columns < 60 ? 4 : start + 3
        lines.append(Line(day: entry.day, item: entry.id, pieces: [(below, StyledText(TextWidth.cut(words, to: max(columns - below - 1, 6)), theme[.muted]))]))
        return lines
    }

    /// - Returns: the number of rows below the visible part.
    private func drawDetail(_ detail: [String], _ canvas: inout Canvas, _ rect: Rect) -> Int {
        canvas.box(rect, theme[.accent])
        PaneParts.hints(
            allowed([("Esc", "back"), ("e", "edit"), ("s", "move"), ("x", "delete")]), &canvas, Rect(rect.column + 1, rect.row, columns: max(rect.columns - 2, 0), rows: 1), theme)
        let inner = rect.inset(2, 1)
        let lines = detail.flatMap { StyledText($0).wrapped(columns: inner.columns, indent: 4) }
        let first = min(detailOffset, max(lines.count - inner.rows, 0))
        canvas.clipped(to: inner) { canvas in
            for (row, line) in lines.dropFirst(first).prefix(inner.rows).enumerated() { canvas.draw(line, at: inner.column, inner.row + row) }
        }
        return max(lines.count - first - inner.rows, 0)
    }

    // MARK: Questions

    private func drawQuestion(_ canvas: inout Canvas) {
        if let clash, question != .reason { return drawClash(clash, &canvas) }
        switch question {
        case nil: break
        case .delete(let kind, _, let name, let items):
            let what = kind == .trip ? "this trip" : "this item"
            var lines = [StyledText("Are you sure you want to delete \(what)?"), StyledText(name, theme[.title])]
            if items > 0 { lines.append(StyledText(items == 1 ? "Its item goes with it." : "Its \(items) items go with it.")) }
            lines += [StyledText("It can be undone for 30 days.", theme[.muted]), StyledText("y delete   any other key cancels")]
            PaneParts.dialog(lines, &canvas, theme, style: .failure)
        case .shift(let kind, _, let name):
            let words = kind == .trip ? "All its items move with it; times of day stay." : "Its times of day stay."
            ask([StyledText(name, theme[.title]), StyledText("By how many days? \(words)"), StyledText("-7 is a week earlier.   Enter move   Esc cancel", theme[.muted])], "Move", &canvas)
        case .copy(_, let name):
            ask([StyledText(name, theme[.title]), StyledText("How many days later is the new one? Its items come along."), StyledText("Enter copy   Esc cancel", theme[.muted])], "Copy", &canvas)
        case .reason:
            ask((clash?.reason ?? []).map { StyledText($0) } + [StyledText("Why do both fit? (saved with the change)   Esc back", theme[.muted])], "Overlap", &canvas)
        }
    }

    private func ask(_ lines: [StyledText], _ title: String, _ canvas: inout Canvas) {
        let rest = PaneParts.dialog(lines, &canvas, theme, title: title, rows: 1)
        input?.draw(&canvas, rest, theme)
    }

    private func drawClash(_ clash: DraftItem, _ canvas: inout Canvas) {
        let lines = [StyledText(clash.what, theme[.title])] + clash.reason.map { StyledText($0, theme[.warning]) }
            + [StyledText(""), StyledText("w keep both…   e edit   x discard   Esc later")]
        PaneParts.dialog(lines, &canvas, theme, title: "Overlap", style: .warning)
    }

    static func role(_ category: String) -> StyleRole {
        switch category {
        case "accommodation": .accommodation
        case "food": .food
        case "transportation": .transportation
        case "activity": .activity
        case "entertainment": .entertainment
        default: .other
        }
    }
}

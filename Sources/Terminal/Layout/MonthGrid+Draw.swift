package import Dates

extension MonthGrid {
    /// The appearance of the grid on a day; the caller knows the meaning of its ids.
    package struct Look {
        package let theme: Theme
        package let selected: CalendarDate?
        /// The day that the arrow keys have selected.
        package let cursor: CalendarDate?
        /// The style of a span, for dots and bars.
        package let style: (ID) -> Style

        package init(theme: Theme, selected: CalendarDate? = nil, cursor: CalendarDate? = nil, style: @escaping (ID) -> Style) {
            self.theme = theme
            self.selected = selected
            self.cursor = cursor
            self.style = style
        }
    }

    /// The width of the compact grid, and its height: a row of names and six weeks.
    package static var compactColumns: Int { 28 }
    package static var compactRows: Int { 1 + weeks }
    /// The height with room for bars below the weeks.
    package static var tallRows: Int { 1 + weeks * 2 }

    /// Draws the names of the days and the weeks into the upper left of `rect`. Each day takes four columns, or more if
    /// there is room, and one row, or two if there is room for bars. A click on a day is `day` with its number
    /// (`CalendarDate.days`).
    ///
    /// A dot follows a day with one span, a plus follows a day with several; a line joins the days of a span of several
    /// days.
    package func draw(_ canvas: inout Canvas, in rect: Rect, _ look: Look) {
        let wide = min(max(rect.columns / 7, 4), 10)
        let high = rect.rows >= 1 + Self.weeks * 2 ? 2 : 1
        canvas.clipped(to: rect) { canvas in
            for (index, name) in weekdayNames.enumerated() {
                canvas.draw(name, at: rect.column + index * wide + 1, rect.row, look.theme[.muted])
            }
            for (index, day) in days.enumerated() {
                let column = rect.column + index % 7 * wide
                let row = rect.row + 1 + index / 7 * high
                draw(day, &canvas, Rect(column, row, columns: wide, rows: high), look)
            }
            for (week, bars) in bars.enumerated() {
                let row = rect.row + 1 + week * high
                for bar in bars where bar.lane == 0 { draw(bar, &canvas, rect.column, row, high, wide, look) }
            }
            if let place = days.firstIndex(where: { $0.date == look.cursor }) {
                canvas.draw("▸", at: rect.column + place % 7 * wide, rect.row + 1 + place / 7 * high, look.theme[.accent].with(.bold))
            }
        }
    }

    private func draw(_ day: Day, _ canvas: inout Canvas, _ rect: Rect, _ look: Look) {
        let (column, row) = (rect.column, rect.row)
        var style = day.isInMonth ? Style.plain : look.theme[.outside]
        if day.isToday { style = look.theme[.today] }
        if day.date == look.selected { style = style.over(look.theme[.selection]).with(.underline) }
        if day.date == look.cursor { style = style.with([.reverse, .bold]) }
        canvas.target(rect, .place("day", day.date.days))
        let number = day.date.day < 10 ? " \(day.date.day)" : "\(day.date.day)"
        canvas.draw(number, at: column + 1, row, style)
        guard let first = day.ids.first else { return }
        let dot = day.ids.count > 1 ? "+" : "•"
        canvas.draw(dot, at: column + 3, row, day.isInMonth ? look.style(first) : look.theme[.outside])
    }

    private func draw(_ bar: Bar, _ canvas: inout Canvas, _ left: Int, _ row: Int, _ high: Int, _ wide: Int, _ look: Look) {
        if high == 2 {
            let first = left + bar.days.lowerBound * wide + (bar.beginsEarlier ? 0 : 1)
            let end = left + bar.days.upperBound * wide + (bar.endsLater ? wide : 3)
            canvas.rule(first, row + 1, columns: end - first, look.style(bar.id), "━")
        } else {
            // The free space between the days: from the dot of one day to the number of the next.
            for day in bar.days.dropLast() {
                canvas.rule(left + day * wide + 4, row, columns: wide - 3, look.style(bar.id), "─")
            }
        }
    }
}

internal import Bytes
internal import Dates
internal import Family
package import Terminal

extension FormView {
    /// The width of the labels, if there is room.
    private static var labelColumns: Int { 24 }

    package func draw(_ facts: StatusFacts, _ canvas: inout Canvas) {
        let (top, rest) = canvas.bounds.splitTop(1)
        TitleLine.draw(facts, &canvas, top, theme)
        let (body, status) = rest.splitBottom(1)
        canvas.box(body, theme[.accent], title: isSaving ? "\(title)   \(savingLabel)" : "\(title)   Ctrl-S \(saveLabel)  Esc Cancel", titleStyle: theme[.muted])
        let save = body.column + 3 + TextWidth.of(title) + 3
        canvas.target(Rect(save, body.row, columns: 7 + TextWidth.of(saveLabel), rows: 1), .keys([.control("s")]))
        canvas.target(Rect(save + 9 + TextWidth.of(saveLabel), body.row, columns: 10, rows: 1), .keys([Key(.escape)]))
        var inner = body.inset(2, 1)
        if let banner {
            // A sentence ends with what to do, so it is not cut while there is room.
            let lines = StyledText(banner, theme[.failure].with(.bold)).wrapped(columns: max(inner.columns, 1))
            let (top, below) = inner.splitTop(min(lines.count, max(inner.rows / 2, 1)))
            canvas.clipped(to: top) { canvas in
                for (row, line) in lines.enumerated() { canvas.draw(line, at: top.column, top.row + row) }
            }
            inner = below
        }
        let below = drawRows(&canvas, inner)
        StatusLine.draw(facts, below: below, chord: Keymap.names(chord.pressed), &canvas, status, theme)
        if isSaving { canvas.cursor = nil }
        if let clash { drawClash(clash, &canvas) }
        if isAskingToDiscard { QuestionDialog.draw(["Discard changes?", "You'll lose what you typed.", "y discard   any other key keeps editing"], &canvas, theme) }
        if isHelpOpen { KeyHelp.draw(KeyHelp.lines(keymap, "form", FormCommand.helpLines + BufferCommand.helpLines), &canvas, theme) }
    }

    /// A line of the form, and the row to which it belongs.
    private struct Line {
        let row: Int
        let text: StyledText
        var cursor: Int?
        /// The keys that a click on the line presses, if the click does not go to the row.
        var keys: [Key]?
    }

    /// - Returns: the number of lines below the visible part.
    private func drawRows(_ canvas: inout Canvas, _ rect: Rect) -> Int {
        guard rect.rows > 0, rect.columns > 4 else { return 0 }
        let labels = min(Self.labelColumns, max(rect.columns / 3, 4))
        var lines: [Line] = []
        var part = -1
        for (place, row) in rows.enumerated() {
            if row.part != part {
                part = row.part
                let heading = parts[part].title
                if !heading.isEmpty { lines.append(Line(row: place, text: StyledText(heading, theme[.title]))) }
            }
            if !row.section.isEmpty { lines.append(Line(row: place, text: StyledText(row.section, theme[.title]))) }
            lines += self.lines(of: row, place, labels, rect.columns)
            if row.kind == .event, row.declaration?.name == "state", directions != nil {
                let words = StyledText(String(repeating: " ", count: labels + 2)) + StyledText("Ctrl-X m  Get Directions", theme[.accent])
                lines.append(Line(row: place, text: words, keys: [.control("x"), .character("m")]))
            }
        }
        let isButton = focus == rows.count
        lines.append(Line(row: rows.count, text: StyledText(isButton ? "▸ " : "  ", theme[.accent]) + StyledText("[ \(isSaving ? savingLabel : saveLabel) ]", isButton ? theme[.selection].with(.bold) : theme[.accent])))
        let first = lines.firstIndex { $0.row == focus } ?? 0
        let last = lines.lastIndex { $0.row == focus } ?? first
        let top = min(max((first + last) / 2 - rect.rows / 2, 0), max(lines.count - rect.rows, 0))
        canvas.clipped(to: rect) { canvas in
            canvas.cursor = nil
            for (place, line) in lines.dropFirst(top).prefix(rect.rows).enumerated() {
                canvas.draw(line.text, at: rect.column, rect.row + place)
                let area = Rect(rect.column, rect.row + place, columns: rect.columns, rows: 1)
                canvas.target(area, line.keys.map { ClickTarget.keys($0) } ?? .place(Self.fieldTarget, line.row))
                if isSaving { canvas.restyle(area) { $0.with(.dim) } }
                if let cursor = line.cursor { canvas.cursor = Point(min(rect.column + cursor, rect.endColumn - 1), rect.row + place) }
            }
            if picker != nil { drawPicker(&canvas, rect, column: rect.column + labels + 2, below: rect.row + last - top) }
        }
        return max(lines.count - top - rect.rows, 0)
    }

    private func lines(of row: FormRow, _ place: Int, _ labels: Int, _ columns: Int) -> [Line] {
        let isFocused = place == focus
        // An optional part requires nothing until it is begun.
        let isWanted = row.isRequired && (!parts[row.part].isOptional || rows.contains { $0.part == row.part && $0.isChanged })
        let mark = isWanted ? "*" : " "
        let label = TextWidth.fit(TextWidth.cut(row.label, to: labels - 2) + mark, to: labels)
        var head = StyledText(isFocused ? "▸ " : "  ", theme[.accent])
        head.append(label, row.problem != nil ? theme[.failure] : isFocused ? theme[.title] : theme[.muted])
        let width = max(columns - labels - 2, 2)
        var lines: [Line] = []
        switch row.content {
        case .typed:
            if row.editor.isEmpty {
                let hint = filledIn(place)
                lines.append(Line(row: place, text: head + StyledText(TextWidth.cut(hint.isEmpty && isFocused ? self.hint(row) : hint, to: width), theme[.muted]), cursor: isFocused ? labels + 2 : nil))
                break
            }
            let view = EditorView(row.editor, columns: width, rows: row.height)
            for (number, text) in view.lines.enumerated() {
                var line = number == 0 ? head : StyledText(String(repeating: " ", count: labels + 2))
                line.append(text, theme[.text])
                if number == 0, let (words, role) = remark(row) { line.append("  " + words, theme[role]) }
                lines.append(Line(row: place, text: line, cursor: isFocused && view.cursor.row == number ? labels + 2 + view.cursor.column : nil))
            }
        case .choice(let chosen):
            var text = head
            if case .choice(_, let all) = row.type {
                let shown = chosen.map { all[$0] } ?? filledIn(place)
                text.append(isFocused ? "‹ " : "", theme[.accent])
                text.append(shown.isEmpty ? "-- Select --" : shown, chosen == nil ? theme[.muted] : theme[.text])
                text.append(isFocused ? " ›" : "", theme[.accent])
            }
            lines.append(Line(row: place, text: text, cursor: isFocused ? labels + 2 : nil))
        case .flag(let isOn):
            lines.append(Line(row: place, text: head + StyledText(isOn ? "[x]" : "[ ]", isOn ? theme[.success] : theme[.text]), cursor: isFocused ? labels + 3 : nil))
        case .chosen(let ids):
            let names = ids.map { name($0, of: row.names) }.joined(separator: ", ")
            let nobody = row.names == .school ? "-- Select a school --" : row.kind == .tripItem && row.declaration?.name == "participants" ? "everyone on the trip" : "-- None --"
            let empty = isFocused ? "type a few letters, or Space" : nobody
            lines.append(
                Line(row: place, text: head + StyledText(TextWidth.cut(names.isEmpty ? empty : names, to: width), names.isEmpty ? theme[.muted] : theme[.text]), cursor: isFocused ? labels + 2 : nil))
        }
        if let rival = row.rival {
            let margin = StyledText(String(repeating: " ", count: labels + 2))
            lines += StyledText(rival, theme[.warning]).wrapped(columns: width).map { Line(row: place, text: margin + $0) }
        }
        if let problem = row.problem {
            let margin = StyledText(String(repeating: " ", count: labels + 2))
            lines += StyledText(problem, theme[.failure]).wrapped(columns: width).map { Line(row: place, text: margin + $0) }
        }
        return lines
    }

    private func hint(_ row: FormRow) -> String {
        switch row.type {
        case .date: "2026-04-15, 4-15, friday, tomorrow, +7; Ctrl-Up a day later"
        case .time: "09:30, 930, 2pm; Ctrl-Up a quarter later"
        case .localDateTime: day(of: focus) == nil ? "2026-04-15 9:30, friday 6pm" : "9:30, 6pm; with another day: friday 6pm"
        case .url: "https://…"
        case .decimal: "150.00"
        case .state: "two letters"
        case .zone: "America/New_York"
        case .text: "Alt-Enter begins a line, Ctrl-X Ctrl-E your editor"
        default: ""
        }
    }

    /// The remark after a value: the day of the week of a date; the reminder that a state usually has two letters
    /// (R068).
    private func remark(_ row: FormRow) -> (String, StyleRole)? {
        switch row.type {
        case .date:
            guard let date = CalendarDate(row.editor.text) else { return nil }
            return (["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][((date.days % 7) + 10) % 7], .muted)
        case .state: return row.editor.characters.count == 1 ? ("Use two letters, such as NY", .warning) : nil
        default: return nil
        }
    }

    private func drawPicker(_ canvas: inout Canvas, _ rect: Rect, column: Int, below row: Int) {
        guard let picker else { return }
        let offered = picker.offered
        let extras = extras
        let hidden = picker.hidden
        let high = max(offered.count + extras.count, 1) + 1 + (hidden > 0 ? 1 : 0)
        let start = row + 1 + high > rect.endRow ? max(row - high, rect.row) : row
        let area = Rect(column, start, columns: max(min(rect.endColumn - column, 60), 1), rows: high).intersection(rect)
        canvas.fill(area, " ", theme[.status])
        for row in 0..<max(offered.count + extras.count, 0) {
            canvas.target(Rect(area.column, area.row + 1 + row, columns: area.columns, rows: 1), .place(Self.offerTarget, row))
        }
        let prompt = canvas.draw("> ", at: area.column, area.row, theme[.accent].over(theme[.status]))
        let view = EditorView(picker.editor, columns: max(area.columns - 2, 2), rows: 1)
        canvas.draw(view.lines.first ?? "", at: prompt, area.row, theme[.status])
        canvas.cursor = Point(min(prompt + view.cursor.column, area.endColumn - 1), area.row)
        for (index, entry) in offered.enumerated() {
            let base = index == picker.selected ? theme[.selection] : theme[.status]
            canvas.fill(Rect(area.column, area.row + 1 + index, columns: area.columns, rows: 1), " ", base)
            var isChosen = false
            if case .chosen(let ids) = rows[focus].content { isChosen = ids.contains(entry.candidate.id) }
            let label = StyledText(entry.candidate.label, base).highlighting(Set(entry.match.positions), theme[.match])
            let end = canvas.draw(label, at: canvas.draw(isChosen ? "✓ " : "  ", at: area.column, area.row + 1 + index, base), area.row + 1 + index, over: base)
            if !entry.candidate.detail.isEmpty { canvas.draw("  " + entry.candidate.detail, at: end, area.row + 1 + index, Style(theme[.muted].foreground, on: base.background, base.attributes)) }
        }
        for (index, extra) in extras.enumerated() {
            let words: String =
                switch extra {
                case .new(let name): name.isEmpty ? "+ Add new school" : "+ Add new school: \(name)"
                case .notListed(let name): name.isEmpty ? "Other (not listed)" : "Other (not listed): \(name)"
                case .noSchool: "None"
                }
            let place = offered.count + index
            canvas.draw(words, at: area.column, area.row + 1 + place, columns: area.columns, theme[place == picker.selected ? .selection : .status])
        }
        if hidden > 0 {
            canvas.draw("↓ \(hidden) more; type a few letters", at: area.column + 2, area.endRow - 1, columns: max(area.columns - 2, 0), theme[.muted].over(theme[.status]))
        }
        if offered.isEmpty, extras.isEmpty {
            canvas.draw(rows[focus].field == nil && athletes.isEmpty ? "No athletes yet. Invite one: /invite NAME --role athlete --born DATE" : "No matches.", at: area.column, area.row + 1, theme[.muted].over(theme[.status]))
        }
    }

    /// "Creating...", "Saving..." (R077, R098).
    var savingLabel: String { saveLabel.hasPrefix("Create") ? "Creating..." : "Saving..." }

    /// Draws the overlapping items and the possible decisions.
    private func drawClash(_ clash: DraftItem, _ canvas: inout Canvas) {
        let lines = [StyledText(clash.what, theme[.title])] + clash.reason.map { StyledText($0, theme[.warning]) } + [StyledText("")]
        guard let input else {
            PaneParts.dialog(
                lines + [StyledText("w keep both…   e edit   x discard")], &canvas, theme, title: "Overlap", style: .warning)
            return
        }
        let rest = PaneParts.dialog(
            lines + [StyledText("Why do both fit? (saved with the change)   Esc back", theme[.muted])], &canvas, theme, title: "Overlap", style: .warning, rows: 1)
        input.draw(&canvas, rest, theme)
    }
}

internal import Bytes
package import Terminal
internal import Words

extension RoomView {
    /// The width of names, and the smallest width at which names have a column of their own.
    private static var nameColumns: Int { 12 }
    private static var wideColumns: Int { 64 }

    /// Draws the whole room.
    package func draw(_ canvas: inout Canvas) {
        let areas = areas
        TitleLine.draw(facts, &canvas, areas.title, theme)
        drawList(&canvas, areas.list)
        drawMenu(&canvas, areas.menu)
        let below = scrollback.hiddenBelow(scrollItems(columns: areas.list.columns), rows: areas.list.rows)
        StatusLine.draw(facts, below: below, chord: Keymap.names(chord.pressed), note: editorNote, &canvas, areas.status, theme)
        if let target { canvas.draw(target.isRewritten ? "  instead of: \(target.label) (Esc leaves it as it is)" : "  about \(target.label) (Esc discards it)", at: 0, areas.target.row, columns: areas.target.columns, theme[.accent]) }
        drawInput(&canvas, areas)
        if let asked { QuestionDialog.draw(asked.lines, &canvas, theme) }
        if isHelpOpen { KeyHelp.draw(KeyHelp.lines(keymap, isSelecting ? "select" : "input", RoomCommand.helpLines + BufferCommand.helpLines), &canvas, theme) }
    }

    /// The number of lines that the next Enter sends, and the length of the text when it is above or near the limit of
    /// a message.
    private var editorNote: String {
        guard question == nil else { return "" }
        let count = editor.characters.count
        if count > Self.messageLimit { return "\(count) characters, a message has at most \(Self.messageLimit)" }
        if count > Self.messageLimit * 9 / 10 { return "\(Self.messageLimit - count) characters left" }
        let lines = 1 + editor.characters.count { $0.isNewline }
        return lines > 1 ? "\(lines) lines, Enter sends them together" : ""
    }

    private func drawInput(_ canvas: inout Canvas, _ areas: Areas) {
        let start = areas.input.column + TextWidth.of(areas.prompt)
        canvas.draw(areas.prompt, at: areas.input.column, areas.input.row, theme[isSelecting ? .muted : .accent])
        for (row, line) in areas.view.lines.enumerated() { canvas.draw(line, at: start, areas.input.row + row) }
        if areas.view.hiddenAbove > 0 { canvas.draw("↑", at: areas.input.column, areas.input.row, theme[.muted]) }
        if isSelecting {
            canvas.draw("r comment  e rewrite  u undo  o open  y copy  l link  Esc back", at: start, areas.input.row, columns: areas.input.columns - start, theme[.muted])
        } else if !isHelpOpen {
            canvas.cursor = Point(start + areas.view.cursor.column, areas.input.row + areas.view.cursor.row)
        }
    }

    private func drawList(_ canvas: inout Canvas, _ rect: Rect) {
        guard !items.isEmpty else {
            let text = facts.connection == .live ? "Nothing has been said yet. Write something, or /help." : facts.firstLoad == .begun ? "" : "Loading …"
            canvas.draw(text, at: rect.column + 1, rect.endRow - 1, theme[.muted])
            return
        }
        let found = scrollItems(columns: rect.columns)
        canvas.clipped(to: rect) { canvas in
            for placed in scrollback.layout(found, rows: rect.rows) {
                let item = items[placed.index]
                let isSelected = isSelecting && item.id == scrollback.selected
                for (row, line) in rows(at: placed.index, columns: rect.columns).enumerated() {
                    let place = rect.row + placed.row + row
                    canvas.draw(line, at: rect.column, place)
                    canvas.linkAddresses(in: line, at: rect.column, place, of: item.text)
                    if isSelected { canvas.restyle(Rect(rect.column, place, columns: rect.columns, rows: 1)) { theme[.selection].over($0) } }
                }
            }
        }
    }

    // MARK: Items

    /// An item as rows of at most `columns`.
    func rows(of item: RoomItem, columns: Int) -> [StyledText] {
        switch item {
        case .marker: return [rule(" new ", columns, theme[.unread])]
        case .notice(let notice):
            // Text in two columns stays in its column when it wraps.
            return notice.lines.flatMap { WordWrap.lines($0, columns: columns, indent: 2) }.flatMap { StyledText($0, theme[.notice]).wrapped(columns: columns, indent: 2) }
        case .timeline(let item):
            switch item.kind {
            case .day: return [rule(" \(item.text) ", columns, theme[.muted])]
            case .gap: return [rule(" \(item.text) ", columns, theme[.warning], "·")]
            case .message, .change, .presence: return entry(item, columns)
            }
        }
    }

    private func rule(_ text: String, _ columns: Int, _ style: Style, _ character: Character = "─") -> StyledText {
        let text = TextWidth.cut(text, to: max(columns - 4, 1))
        let rest = max(columns - TextWidth.of(text), 0)
        let left = min(3, rest)
        return StyledText(String(repeating: character, count: left), theme[.frame]) + StyledText(text, style)
            + StyledText(String(repeating: character, count: rest - left), theme[.frame])
    }

    /// Time, author and text, with later rows aligned under the first.
    private func entry(_ item: TimelineItem, _ columns: Int) -> [StyledText] {
        var head = StyledText(TextWidth.fit(time(item.at), to: 5) + " ", theme[.muted])
        let isWide = columns >= Self.wideColumns
        let author = item.author.flatMap { name[$0] } ?? "somebody"
        var nameStyle = item.author == viewer ? theme[.ownName] : theme[.name]
        if item.author != viewer, let colour = item.author.flatMap({ colours[$0] }) { nameStyle.foreground = colour }
        let isMessage = item.kind == .message
        if isWide {
            let who = item.isAction ? "*" : isMessage ? TextWidth.cut(author.split(separator: " ").first.map(String.init) ?? author, to: Self.nameColumns) : item.kind == .change ? "*" : "–"
            head.append(String(repeating: " ", count: max(Self.nameColumns - TextWidth.of(who), 0)))
            head.append(who, isMessage ? nameStyle : theme[.muted])
            head.append(item.isMention ? " ┃ " : " │ ", item.isMention ? theme[.mention] : theme[.frame])
        } else if item.isAction {
            head.append("* ", nameStyle)
        } else if isMessage {
            head.append(author.split(separator: " ").first.map(String.init) ?? author, nameStyle)
            head.append(": ", nameStyle)
        } else {
            head.append(item.kind == .change ? "* " : "– ", theme[.muted])
        }
        var body = StyledText()
        if item.isAction { body.append((author.split(separator: " ").first.map(String.init) ?? author) + " ", nameStyle) }
        for run in item.runs { body.append(run.text, style(run.style, item, nameStyle)) }
        if item.isEdited { body.append(" (edited)", theme[.muted]) }
        if item.isPending { body.append(" …", theme[.pending]) }
        if !item.readers.isEmpty { body.append("  " + read(by: item.readers), theme[.muted]) }
        let indent = isWide ? head.width : min(head.width, 8)
        guard isWide else { return (head + body).wrapped(columns: columns, indent: indent) }
        let lines = body.wrapped(columns: max(columns - indent, 8))
        return lines.enumerated().map { index, line in
            guard index > 0 else { return head + line }
            return StyledText(String(repeating: " ", count: max(indent - 2, 0))) + StyledText("│ ", theme[.frame]) + line
        }
    }

    /// "read by Carmen and David", "read by Carmen, David and 2 more".
    private func read(by members: [Identifier]) -> String {
        var names = members.map { id in name[id].map { $0.split(separator: " ").first.map(String.init) ?? $0 } ?? "somebody" }.sorted()
        if names.count > Self.mostReaders { names = names.prefix(Self.mostReaders - 1) + ["\(names.count - Self.mostReaders + 1) more"] }
        guard let last = names.popLast() else { return "" }
        return "read by " + (names.isEmpty ? last : names.joined(separator: ", ") + " and " + last)
    }

    /// The largest number of names behind a message.
    private static var mostReaders: Int { 3 }

    private func style(_ style: TextRun.Style, _ item: TimelineItem, _ nameStyle: Style) -> Style {
        let base: Style
        switch style {
        case .plain: base = item.kind == .message ? theme[.text] : theme[.notice]
        case .author: base = nameStyle
        case .record: base = theme[.accent]
        case .mention: base = theme[.mention]
        case .quiet: base = theme[.muted]
        }
        return item.isPending ? theme[.pending].over(base) : base
    }

    // MARK: Menus

    private func drawMenu(_ canvas: inout Canvas, _ rect: Rect) {
        guard let menu, rect.rows > 0 else { return }
        let selected = menu.selected ?? 0
        let first = min(max(selected - rect.rows + 1, 0), max(menu.entries.count - rect.rows, 0))
        let shown = menu.entries[first..<min(first + rect.rows, menu.entries.count)]
        let labels = min(shown.map { TextWidth.of($0.candidate.label) }.max() ?? 0, rect.columns / 2)
        canvas.clipped(to: rect) { canvas in
            canvas.fill(rect, " ", theme[.status])
            for (row, entry) in shown.enumerated() {
                let base = first + row == menu.selected ? theme[.selection] : theme[.status]
                canvas.fill(Rect(rect.column, rect.row + row, columns: rect.columns, rows: 1), " ", base)
                let label = StyledText(TextWidth.cut(entry.candidate.label, to: labels), base).highlighting(Set(entry.positions), theme[.match])
                canvas.draw(label, at: rect.column + 2, rect.row + row, over: base)
                canvas.draw(
                    TextWidth.cut(entry.candidate.detail, to: max(rect.columns - labels - 6, 0)), at: rect.column + labels + 5, rect.row + row,
                    Style(theme[.muted].foreground, on: base.background, base.attributes))
            }
        }
    }
}

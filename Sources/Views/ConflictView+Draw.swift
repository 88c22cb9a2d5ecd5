internal import Family
internal import Sync
package import Terminal

extension ConflictView {
    /// The smallest width at which the sides are drawn next to each other.
    private static var wideColumns: Int { 72 }

    /// Draws the whole screen.
    package func draw(_ facts: StatusFacts, _ canvas: inout Canvas) {
        let (title, rest) = canvas.bounds.splitTop(1)
        TitleLine.draw(facts, &canvas, title, theme)
        let (body, status) = rest.splitBottom(1)
        StatusLine.draw(facts, below: 0, chord: Keymap.names(chord.pressed), &canvas, status, theme)
        let (upper, foot) = body.splitBottom(1)
        if let item, isOpen { drawSides(item, &canvas, upper, foot) } else { drawList(&canvas, upper, foot) }
        if isAskingToDrop, let item {
            PaneParts.dialog(
                [
                    StyledText("Discard this?"), StyledText(item.what, theme[.title]), StyledText("Your text will be lost.", theme[.muted]),
                    StyledText("y discard   any other key cancels"),
                ], &canvas, theme, style: .failure)
        }
        if let input { drawInput(input, &canvas) }
        if isHelpOpen { KeyHelp.draw(KeyHelp.lines(keymap, isOpen ? "conflict" : "drafts", ConflictCommand.helpLines), &canvas, theme) }
    }

    private func drawInput(_ input: LineField, _ canvas: inout Canvas) {
        if isOpen, let item, item.fields.indices.contains(field) {
            let rest = PaneParts.dialog(
                [
                    StyledText(item.fields[field].label, theme[.title]),
                    StyledText(
                        "Enter takes it\(input.isMultiline ? ", Alt-Enter a new line" : ""), \(item.fields[field].candidates.isEmpty ? "C-x C-e your own editor" : "Tab completes a name"), Esc leaves it as it was",
                        theme[.muted]),
                ], &canvas, theme, title: "Combined", rows: min(max(canvas.size.rows - 8, 1), input.isMultiline ? 8 : 1))
            input.draw(&canvas, rest, theme)
        } else if let item {
            let rest = PaneParts.dialog(
                [StyledText(item.what, theme[.title])] + item.reason.map { StyledText($0) } + [StyledText("Why do both fit? (saved with the change)   Enter send   Esc cancel", theme[.muted])],
                &canvas, theme, title: "Overlap", rows: 1)
            input.draw(&canvas, rest, theme)
        }
    }

    // MARK: The list

    private func drawList(_ canvas: inout Canvas, _ rect: Rect, _ foot: Rect) {
        let (head, list) = rect.splitTop(1)
        let column = canvas.draw("Outbox", at: 1, head.row, theme[.title])
        canvas.draw(
            "  \(drafts.count) refused, \(waiting.count) waiting to be sent", at: column, head.row, theme[.muted])
        guard !drafts.isEmpty || !waiting.isEmpty else {
            return PaneParts.empty(["Nothing was refused, and nothing is waiting.", "q  goes back"], &canvas, list, theme)
        }
        var rows: [(line: StyledText, draft: Int64?)] = []
        for draft in drafts {
            var first = StyledText(draft.id == selected ? "▸ " : "  ", theme[.accent])
            first.append(draft.at + " ", theme[.muted])
            first.append(draft.what, theme[.title])
            rows += first.wrapped(columns: list.columns - 2, indent: 8).map { ($0, draft.id) }
            let words = draft.sides == nil ? draft.reason : [draft.head, decided(draft)]
            for word in words where !word.isEmpty {
                let style = draft.sides == nil ? theme[.draft] : theme[.warning]
                rows += StyledText("      " + word, style).wrapped(columns: list.columns - 2, indent: 8).map { ($0, draft.id) }
            }
        }
        if !waiting.isEmpty {
            rows.append((StyledText("  Waiting to be sent", theme[.muted]), nil))
            rows += waiting.map { (StyledText("    " + TextWidth.cut($0, to: list.columns - 6), theme[.pending]), nil) }
        }
        let from = rows.firstIndex { $0.draft == selected && selected != nil } ?? 0
        let first = PaneParts.first(selected: from, count: rows.count, shown: list.rows)
        canvas.clipped(to: list) { canvas in
            for (place, row) in rows.dropFirst(first).prefix(list.rows).enumerated() {
                canvas.draw(row.line, at: list.column, list.row + place)
                if let number = drafts.firstIndex(where: { $0.id == row.draft }) {
                    canvas.target(Rect(list.column, list.row + place, columns: list.columns, rows: 1), .place(Self.draftTarget, number))
                }
                guard row.draft != nil, row.draft == selected else { continue }
                canvas.restyle(Rect(list.column, list.row + place, columns: list.columns, rows: 1)) { theme[.selection].over($0) }
            }
        }
        var hints = [("Enter", "both sides"), ("r", "send again"), ("e", "change"), ("x", "forget"), ("u", "undo"), ("q", "back")]
        if item?.sides == nil { hints.removeFirst() }
        if item?.parts ?? 1 > 1 { hints.insert(("s", "one by one"), at: 1) }
        if item?.isOverlap == true { hints.insert(("w", "keep both"), at: 0) }
        PaneParts.hints(hints, &canvas, foot, theme)
    }

    /// "2 of 3 fields are chosen."
    private func decided(_ draft: DraftItem) -> String {
        guard let sides = draft.sides, sides.matter == .fields else { return "" }
        let all = sides.contested.count
        let chosen = sides.contested.count { choices[draft.id]?[$0.field] != nil }
        if all == 0 { return "Both changes go together: Enter, Enter sends yours." }
        return all == 1 ? "1 field to choose." : "\(chosen) of \(all) fields are chosen."
    }

    // MARK: Both sides

    /// One field as rows; each row has pieces that begin at given columns.
    private struct Block {
        var rows: [[(column: Int, text: StyledText)]] = []
    }

    private func drawSides(_ item: DraftItem, _ canvas: inout Canvas, _ rect: Rect, _ foot: Rect) {
        let head = StyledText(item.head, theme[.title]).wrapped(columns: rect.columns - 2)
        for (row, line) in head.enumerated() { canvas.draw(line, at: 1, rect.row + row) }
        let (_, main) = rect.splitTop(head.count)
        guard item.sides?.matter == .fields else { return drawWhole(item, &canvas, main, foot) }
        var list = main
        let isWide = rect.columns >= Self.wideColumns
        let columns = columns(rect.columns)
        if isWide {
            let (names, below) = main.splitTop(1)
            for (name, column) in zip(["yours", "theirs", "before"], columns.starts) { canvas.draw(name, at: column + 2, names.row, theme[.muted].with(.underline)) }
            list = below
        }
        let blocks = item.fields.indices.map { isWide ? wide(item, $0, columns.starts, columns.width) : narrow(item, $0, rect.columns) }
        let start = blocks.prefix(field).reduce(0) { $0 + $1.rows.count }
        let rows = blocks.enumerated().flatMap { index, block in block.rows.map { (index, $0) } }
        let height = blocks.indices.contains(field) ? blocks[field].rows.count : 0
        // The view begins at the selected field; a field longer than the screen is scrolled.
        let wanted = start + min(height, list.rows) / 2 - list.rows / 2
        let first = min(max(wanted + scroll, 0), max(rows.count - list.rows, 0))
        canvas.clipped(to: list) { canvas in
            for (place, row) in rows.dropFirst(first).prefix(list.rows).enumerated() {
                for piece in row.1 { canvas.draw(piece.text, at: piece.column, list.row + place) }
                let line = Rect(0, list.row + place, columns: list.columns, rows: 1)
                canvas.target(line, .place(Self.fieldTarget, row.0))
                if isWide {
                    canvas.target(Rect(columns.starts[0], line.row, columns: columns.width, rows: 1), .place(Self.yoursTarget, row.0))
                    canvas.target(Rect(columns.starts[1], line.row, columns: columns.width, rows: 1), .place(Self.theirsTarget, row.0))
                }
                if row.0 == field { canvas.draw("▎", at: 0, list.row + place, theme[.accent]) }
            }
        }
        let both = item.fields.indices.contains(field) && item.fields[field].canBeBoth
        PaneParts.hints(
            allowed([("y", "yours"), ("t", "theirs")] + (both ? [("b", "both")] : []) + [("e", "combine"), ("Enter", "done"), ("Y T", "all"), ("Esc", "later")]),
            &canvas, foot, theme)
    }

    private func columns(_ all: Int) -> (starts: [Int], width: Int) {
        let width = max((all - 4) / 3 - 2, 8)
        return ([2, 2 + width + 2, 2 + 2 * (width + 2)], width)
    }

    private func label(_ item: DraftItem, _ place: Int) -> StyledText {
        let field = item.fields[place]
        var text = StyledText(field.label, place == self.field ? theme[.accent].with(.bold) : theme[.title])
        if !field.isContested {
            text.append("  only you changed it", theme[.muted])
        } else if !field.who.isEmpty {
            text.append("  theirs: \(field.who)", theme[.muted])
        }
        return text
    }

    /// The mark in front of a side: whether that side is chosen.
    private func mark(_ place: Int, _ sides: [Choice], _ item: DraftItem) -> StyledText {
        guard item.fields[place].isContested else { return StyledText(sides.contains(.yours) ? "● " : "  ", theme[.success]) }
        guard let choice = choice(place), sides.contains(choice) else { return StyledText("○ ", theme[.muted]) }
        return StyledText("● ", theme[.success])
    }

    private func style(_ place: Int, _ sides: [Choice]) -> Style {
        guard let choice = choice(place) else { return theme[.text] }
        return sides.contains(choice) ? theme[.success] : theme[.muted]
    }

    private func wide(_ item: DraftItem, _ place: Int, _ starts: [Int], _ width: Int) -> Block {
        let field = item.fields[place]
        var block = Block()
        block.rows.append([(2, label(item, place))])
        let cells = [
            (field.yours, mark(place, [.yours, .both], item), style(place, [.yours, .both])),
            (field.isContested ? field.theirs : "", field.isContested ? mark(place, [.theirs, .both], item) : StyledText(), style(place, [.theirs, .both])),
            (field.base, StyledText("  "), theme[.muted]),
        ]
        let texts = cells.map { StyledText($0.0, $0.2).wrapped(columns: max(width - 2, 2)) }
        for row in 0..<(texts.map(\.count).max() ?? 0) {
            var pieces: [(Int, StyledText)] = []
            for (index, text) in texts.enumerated() where row < text.count {
                if row == 0 { pieces.append((starts[index], cells[index].1)) }
                pieces.append((starts[index] + 2, text[row]))
            }
            block.rows.append(pieces)
        }
        block.rows += written(place, columns: starts[2] + width - 4)
        block.rows.append([])
        return block
    }

    private func narrow(_ item: DraftItem, _ place: Int, _ columns: Int) -> Block {
        let field = item.fields[place]
        var block = Block()
        block.rows += label(item, place).wrapped(columns: columns - 3, indent: 2).map { [(2, $0)] }
        func side(_ name: String, _ text: String, _ mark: StyledText, _ style: Style) {
            for (row, line) in StyledText(text, style).wrapped(columns: max(columns - 13, 4)).enumerated() {
                block.rows.append(row == 0 ? [(2, mark), (4, StyledText(name, theme[.muted])), (12, line)] : [(12, line)])
            }
        }
        side("yours", field.yours, mark(place, [.yours, .both], item), style(place, [.yours, .both]))
        if field.isContested { side("theirs", field.theirs, mark(place, [.theirs, .both], item), style(place, [.theirs, .both])) }
        if !field.base.isEmpty { side("before", field.base, StyledText("  "), theme[.muted]) }
        block.rows += written(place, columns: columns - 13)
        block.rows.append([])
        return block
    }

    private func written(_ place: Int, columns: Int) -> [[(column: Int, text: StyledText)]] {
        guard case .text(let text)? = choice(place) else { return [] }
        let shown = text.printableLines.joined(separator: "\n")
        return StyledText(shown, theme[.success]).wrapped(columns: max(columns, 4)).enumerated().map { row, line in
            row == 0 ? [(2, StyledText("● ", theme[.success])), (4, StyledText("new", theme[.muted])), (12, line)] : [(12, line)]
        }
    }

    private func drawWhole(_ item: DraftItem, _ canvas: inout Canvas, _ rect: Rect, _ foot: Rect) {
        let whole = wholes[item.id]
        let rows = [
            StyledText(""), StyledText(item.what, theme[.title]),
            StyledText(whole == .yours ? "● " : "○ ", theme[whole == .yours ? .success : .muted]) + StyledText("yours: it is done all the same"),
            StyledText(whole == .theirs ? "● " : "○ ", theme[whole == .theirs ? .success : .muted]) + StyledText("theirs: it stays as it is, and yours is let go"),
            StyledText(""),
        ] + item.fields.map { StyledText("\($0.label): ", theme[.muted]) + StyledText($0.yours) }
        canvas.clipped(to: rect) { canvas in
            for (row, line) in rows.flatMap({ $0.wrapped(columns: rect.columns - 4, indent: 4) }).enumerated() { canvas.draw(line, at: 2, rect.row + row) }
        }
        PaneParts.hints(allowed([("y", "yours"), ("t", "theirs"), ("Enter", "done"), ("Esc", "later")]), &canvas, foot, theme)
    }
}

internal import Terminal

/// The pieces that several views draw in the same way.
enum PaneParts {
    /// The first visible row or card, chosen so that the selected one is visible, and in the middle if possible.
    static func first(selected: Int, count: Int, shown: Int) -> Int { min(max(selected - shown / 2, 0), max(count - shown, 0)) }

    /// Draws a box in the middle with lines in it; the last line shows the keys.
    ///
    /// - Parameter rows: further rows at its end, for input.
    /// - Returns: these rows.
    @discardableResult
    static func dialog(
        _ lines: [StyledText], _ canvas: inout Canvas, _ theme: Theme, title: String = "", style: StyleRole = .accent, rows: Int = 0, link: Hyperlink? = nil
    ) -> Rect {
        let widest = lines.map(\.width).max() ?? 0
        let columns = min(max(widest, TextWidth.of(title) + 4, rows > 0 ? 56 : 0) + 4, canvas.size.columns)
        let wrapped = lines.flatMap { $0.wrapped(columns: max(columns - 4, 1), indent: 2) }
        let rect = canvas.bounds.centred(columns: columns, rows: wrapped.count + rows + 2)
        canvas.dropTargets()
        canvas.fill(rect)
        canvas.box(rect, theme[style], title: title, titleStyle: theme[.title])
        canvas.cursor = nil
        let inner = rect.inset(2, 1)
        let (text, rest) = inner.splitBottom(rows)
        canvas.clipped(to: text) { canvas in
            // The link belongs to the first line, which names the subject.
            let linked = link == nil ? 0 : lines.first?.wrapped(columns: max(columns - 4, 1), indent: 2).count ?? 0
            for (row, line) in wrapped.enumerated() {
                let end = canvas.draw(line, at: text.column, text.row + row)
                if row < linked { canvas.link(Rect(text.column, text.row + row, columns: end - text.column, rows: 1), link) }
            }
            if let last = wrapped.last { targets(last.text, &canvas, at: text.column, text.row + wrapped.count - 1) }
        }
        return rest
    }

    /// Draws a text in the middle of an otherwise empty area.
    static func empty(_ lines: [String], _ canvas: inout Canvas, _ rect: Rect, _ theme: Theme) {
        canvas.clipped(to: rect) { canvas in
            for (row, line) in lines.enumerated() {
                let text = TextWidth.cut(line, to: rect.columns - 2)
                let column = rect.column + max((rect.columns - TextWidth.of(text)) / 2, 1)
                let place = rect.row + max((rect.rows - lines.count) / 2, 0) + row
                canvas.draw(text, at: column, place, row == lines.count - 1 ? theme[.accent] : theme[.text])
                if row == lines.count - 1 { targets(text, &canvas, at: column, place) }
            }
        }
    }

    // MARK: The first load

    /// Draws the area before the first load is done: nothing at first, then outlines of the content (R009), or the
    /// reason why it cannot be loaded.
    ///
    /// - Returns: false when the first load is done: a record that is not here then does not exist.
    static func loading(
        _ facts: StatusFacts, _ what: String, _ canvas: inout Canvas, _ rect: Rect, _ theme: Theme, bones: (Rect) -> [Rect]
    ) -> Bool {
        switch facts.firstLoad {
        case .done: return false
        case .begun: break
        case .slow:
            if case .offline(let reason) = facts.connection {
                empty(["Unable to load \(what). Check your connection.", reason, "It is tried again by itself."], &canvas, rect, theme)
            } else {
                canvas.clipped(to: rect) { canvas in
                    for bone in bones(rect) { canvas.fill(bone, "░", theme[.outside]) }
                    canvas.draw("Loading …", at: rect.column + 2, rect.endRow - 1, theme[.muted])
                }
            }
        }
        return true
    }

    /// The outlines of three list entries, of two lines each.
    static func lineBones(_ rect: Rect) -> [Rect] {
        (0..<3).flatMap { place in
            [
                Rect(rect.column + 2, rect.row + place * 3, columns: min(rect.columns / 2, 30), rows: 1),
                Rect(rect.column + 2, rect.row + place * 3 + 1, columns: min(rect.columns / 3, 20), rows: 1),
            ]
        }
    }

    /// The key that a label names; `nil` for a label that names no key, or several.
    static func key(_ shown: some StringProtocol) -> Terminal.Key? { Terminal.Key(name: String(shown)) }

    /// Makes the key hints of a line clickable: "y delete   any other key cancels".
    static func targets(_ line: String, _ canvas: inout Canvas, at column: Int, _ row: Int) {
        var column = column
        for piece in line.split(separator: "   ", omittingEmptySubsequences: false) {
            let width = TextWidth.of(piece)
            let word = piece.split(separator: " ").first ?? ""
            let key = word == "any" ? Terminal.Key(.escape) : key(word)
            if let key, piece.contains(" ") { canvas.target(Rect(column, row, columns: width, rows: 1), .keys([key])) }
            column += width + 3
        }
    }

    /// Draws the keys for a record shown in full, in the upper edge of its frame.
    ///
    /// - Parameters:
    ///   - label: the name of the record's kind, in front.
    ///   - event: whether the record is an event; `attended` says whether it is marked attended.
    static func detailHints(_ label: String = "", event: Bool, attended: Bool, mayWrite: Bool, _ canvas: inout Canvas, _ rect: Rect, _ theme: Theme) {
        var all = [("Esc", "back")]
        if mayWrite {
            all.append(("e", "edit"))
            if event, !attended { all.append(("a", "attended")) }
            all.append(("x", "delete"))
            if event { all += [("i", "interaction"), ("p", "result"), ("+", "coach")] }
        }
        if event { all += [("m", "directions"), ("E", "export"), ("Tab", "parts")] }
        let start = label.isEmpty ? rect.column + 1 : canvas.draw(" \(label)   ", at: rect.column + 1, rect.row, theme[.muted]) - 1
        hints(all, &canvas, Rect(start, rect.row, columns: max(rect.endColumn - start - 1, 0), rows: 1), theme)
    }

    /// The last line of an empty page for a guest.
    static let nothingYet = "You see here what the family adds"

    /// The answer to a guest's key that would change something.
    static let guests = "You are a guest here: you can read everything, but not change it."

    /// Draws key hints at the foot of a view, as many as there is room for, and always the key that lists all.
    static func hints(_ hints: [(String, String)], namesHelp: Bool = true, _ canvas: inout Canvas, _ rect: Rect, _ theme: Theme) {
        let help = ("?", "keys")
        let end = rect.endColumn - (namesHelp ? TextWidth.of("\(help.0) \(help.1)  ") : 0)
        var column = rect.column + 1
        var shown = hints.filter { $0.0 != help.0 }
        var width = column
        if let cut = shown.firstIndex(where: { hint in
            width += TextWidth.of(hint.0) + TextWidth.of(hint.1) + 3
            return width - 2 >= end
        }) { shown.removeSubrange(cut...) }
        for (key, what) in shown + (namesHelp ? [help] : []) {
            guard column + TextWidth.of(key) + 1 + TextWidth.of(what) < rect.endColumn else { return }
            let start = column
            column = canvas.draw(key, at: column, rect.row, theme[.accent].with(.bold))
            column = canvas.draw(" \(what)  ", at: column, rect.row, theme[.muted])
            if let key = Self.key(key) { canvas.target(Rect(start, rect.row, columns: column - start - 2, rows: 1), .keys([key])) }
        }
    }
}

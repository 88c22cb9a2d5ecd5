package import Terminal
package import Words

/// The overlay that lists what was deleted, over any buffer; Enter brings a record back. Pure.
package struct DeletedMenu: Sendable {
    package enum Outcome: Hashable, Sendable {
        case open
        case closed
        case restore(RecordReference)
    }

    /// A deleted record.
    package struct Entry: Hashable, Sendable {
        package let record: RecordReference
        package let name: String
        /// When it was deleted, and by whom.
        package let detail: String

        package init(_ record: RecordReference, _ name: String, _ detail: String) {
            self.record = record
            self.name = name
            self.detail = detail
        }
    }

    private let entries: [Entry]
    private var selected = 0
    private let theme: Theme

    /// - Parameter entries: the latest first.
    package init(_ entries: [Entry], theme: Theme) {
        self.entries = entries
        self.theme = theme
    }

    private static let target = "deleted-choice"

    package mutating func handle(_ input: InputEvent) -> Outcome {
        switch input {
        case .key(let key):
            switch (key.code, key.modifiers) {
            case (.up, []), (.character("k"), []): move(-1)
            case (.down, []), (.character("j"), []): move(1)
            case (.pageUp, []): move(-10)
            case (.pageDown, []): move(10)
            case (.home, []): move(-entries.count)
            case (.end, []): move(entries.count)
            case (.enter, []): return choose(selected)
            case (.escape, []), (.character("q"), []), (.character("c"), .control), (.character("g"), .control): return .closed
            default: break
            }
        case .mouse(let mouse):
            switch mouse.action {
            case .wheelUp: move(-1)
            case .wheelDown: move(1)
            case .press:
                guard case .place(Self.target, let place)? = mouse.target else { return .closed }
                // The first click selects: a restored record is seen by the whole family.
                if place == selected { return choose(place) }
                selected = place
            case .release, .drag: break
            }
        case .paste, .focus: break
        }
        return .open
    }

    private func choose(_ place: Int) -> Outcome { entries.indices.contains(place) ? .restore(entries[place].record) : .closed }

    private mutating func move(_ step: Int) { selected = min(max(selected + step, 0), max(entries.count - 1, 0)) }

    /// Draws over the content of the screen.
    package func draw(_ canvas: inout Canvas) {
        let shown = max(min(entries.count, canvas.size.rows - 5), 1)
        let widest = entries.map { TextWidth.of($0.name) + TextWidth.of($0.detail) + 6 }.max() ?? 0
        let columns = min(max(widest, 44) + 4, canvas.size.columns)
        let rest = PaneParts.dialog(
            [StyledText(entries.isEmpty ? "Nothing was deleted in the last 30 days." : "Enter restore   Esc close", theme[.muted])], &canvas, theme, title: "Deleted", rows: entries.isEmpty ? 0 : shown)
        let first = PaneParts.first(selected: selected, count: entries.count, shown: shown)
        canvas.clipped(to: rest) { canvas in
            for (row, entry) in entries.dropFirst(first).prefix(shown).enumerated() {
                let place = first + row
                let area = Rect(rest.column, rest.row + row, columns: min(rest.columns, columns), rows: 1)
                let detail = TextWidth.cut(entry.detail, to: max(area.columns / 2, 1))
                let base = place == selected ? theme[.selection] : theme[.text]
                canvas.fill(area, " ", base)
                canvas.draw(TextWidth.cut(entry.name, to: max(area.columns - TextWidth.of(detail) - 2, 1)), at: area.column, area.row, base)
                canvas.draw(detail, at: area.endColumn - TextWidth.of(detail), area.row, Style(theme[.muted].foreground, on: base.background, base.attributes))
                canvas.target(area, .place(Self.target, place))
            }
        }
    }
}

package import Family
package import Terminal

/// A season that the user can look at.
package struct Season: Hashable, Sendable {
    package let context: Context
    /// The name of the person whose season it is.
    package let name: String

    package init(_ context: Context, _ name: String) {
        self.context = context
        self.name = name
    }
}

/// The overlay that asks which season the user wants to look at, over any buffer. Pure.
package struct SeasonMenu: Sendable {
    package enum Outcome: Hashable, Sendable {
        case open
        case closed
        /// The context may be gone by now.
        case chosen(Context)
    }

    private let seasons: [Season]
    private var selected: Int
    private let theme: Theme

    /// - Parameters:
    ///   - seasons: the season of the whole family comes first.
    ///   - selected: the season that the user looks at now.
    package init(_ seasons: [Season], selected: Context, theme: Theme) {
        self.seasons = seasons
        self.selected = seasons.firstIndex { $0.context == selected } ?? 0
        self.theme = theme
    }

    private static let target = "season-choice"

    package mutating func handle(_ input: InputEvent) -> Outcome {
        switch input {
        case .key(let key):
            switch (key.code, key.modifiers) {
            case (.up, []), (.character("k"), []): move(-1)
            case (.down, []), (.character("j"), []), (.tab, []): move(1)
            case (.enter, []): return choose(selected)
            default:
                return choose((key.typed?.wholeNumberValue ?? 0) - 1)
            }
        case .mouse(let mouse):
            switch mouse.action {
            case .wheelUp: move(-1)
            case .wheelDown: move(1)
            case .press:
                guard case .place(Self.target, let place)? = mouse.target else { return .closed }
                return choose(place)
            case .release, .drag: break
            }
        case .paste, .focus: break
        }
        return .open
    }

    private func choose(_ place: Int) -> Outcome { seasons.indices.contains(place) ? .chosen(seasons[place].context) : .closed }

    private mutating func move(_ step: Int) { selected = min(max(selected + step, 0), max(seasons.count - 1, 0)) }

    /// Draws over the content of the screen.
    package func draw(_ canvas: inout Canvas) {
        let wide = max((seasons.map { TextWidth.of($0.name) }.max() ?? 0) + 8, 30)
        let rect = canvas.bounds.centred(columns: wide, rows: seasons.count + 2)
        canvas.dropTargets()
        canvas.fill(rect)
        canvas.box(rect, theme[.accent], title: "Whose season?", titleStyle: theme[.title])
        canvas.cursor = nil
        canvas.clipped(to: rect.inset(1, 1)) { canvas in
            for (place, season) in seasons.enumerated() {
                let row = Rect(rect.column + 1, rect.row + 1 + place, columns: rect.columns - 2, rows: 1)
                let column = canvas.draw(place < 9 ? " \(place + 1) " : "   ", at: row.column, row.row, theme[.accent].with(.bold))
                canvas.draw(season.name, at: column, row.row)
                if place == selected { canvas.restyle(row) { theme[.selection].over($0) } }
                canvas.target(row, .place(Self.target, place))
            }
        }
    }
}

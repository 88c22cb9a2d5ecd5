internal import Bytes
package import Family
package import Terminal
package import Words

/// A destination of the switcher.
package struct SwitchTarget: Hashable, Labelled {
    package enum Place: Hashable, Sendable {
        case buffer(BufferKey)
        case season(Context)
    }

    package let place: Place
    package let label: String
    package let detail: String

    package init(_ place: Place, _ label: String, _ detail: String) {
        self.place = place
        self.label = label
        self.detail = detail
    }

    /// The open buffers and the seasons.
    fileprivate static func near(_ buffers: BufferList, seasons: [Season]) -> [SwitchTarget] {
        buffers.entries.enumerated().filter { $0.element.key != buffers.current }.map { index, entry in
            SwitchTarget(.buffer(entry.key), entry.title, "page \(index + 1)\(entry.unread > 0 ? ", \(entry.unread) new" : "")")
        } + seasons.map { SwitchTarget(.season($0.context), "\($0.name)'s season", "season") }
    }

    private static let recordKinds: [(kind: Kind, date: String?)] = [
        (.trip, "start_date"), (.event, "start_date"), (.school, nil), (.coach, nil), (.document, nil), (.tripItem, "start_time"),
    ]

    /// All records that the switcher can open: trips, then the other kinds, each with the latest first. With thousands
    /// of records this takes longer than one key press may.
    package static func records(_ names: RecordNames) -> LabelIndex<SwitchTarget> {
        LabelIndex(
            recordKinds.flatMap { kind, date in
                let records = names.records(of: kind)
                let label = kind.declaration.label.lowercased()
                let dates = records.map { record in date.flatMap { record.fields.text($0) } ?? "" }
                return records.indices.sorted { dates[$0] > dates[$1] }.map { place in
                    SwitchTarget(.buffer(.record(kind, records[place].id)), RecordNames.name(records[place]), dates[place].isEmpty ? label : label + " " + dates[place].prefix(10))
                }
            })
    }

    /// The revisions of the kinds behind `records`: equal revisions mean equal records.
    package static func revisions(_ names: RecordNames) -> [Int] { recordKinds.map { names.revision(of: $0.kind) } }
}

/// The overlay that goes to any destination by a few letters of its name. Pure.
package struct SwitcherView: Sendable {
    /// The largest number of destinations on the screen at the same time.
    private static let shown = 12

    package enum Outcome: Hashable, Sendable {
        case open
        case closed
        case chosen(SwitchTarget.Place)
    }

    private var near: LabelIndex<SwitchTarget>
    private var records: LabelIndex<SwitchTarget>
    /// The open buffers; `records` offers none of them a second time.
    private let open: Set<BufferKey>
    private var editor = Terminal.LineEditor(limit: Terminal.LineEditor.searchLimit)
    private var found: [(candidate: SwitchTarget, match: FuzzyMatch)] = []
    private var selected = 0
    private let keymap: Keymap
    private let theme: Theme

    /// - Parameter records: `SwitchTarget.records`.
    package init(_ buffers: BufferList, seasons: [Season], records: LabelIndex<SwitchTarget>, theme: Theme, keymap: Keymap) {
        near = LabelIndex(SwitchTarget.near(buffers, seasons: seasons))
        self.records = records
        open = Set(buffers.entries.map(\.key))
        self.theme = theme
        self.keymap = keymap
        find()
    }

    private mutating func find() {
        selected = 0
        let far = records.best(editor.text, limit: Self.shown + open.count).filter { entry in
            if case .buffer(let key) = entry.candidate.place { !open.contains(key) } else { true }
        }
        found = FuzzyMatch.merged(near.best(editor.text, limit: Self.shown), far, limit: Self.shown)
    }

    package mutating func handle(_ input: InputEvent) -> Outcome {
        switch input {
        case .paste(let text):
            _ = editor.insert(text.split(whereSeparator: \.isNewline).joined(separator: " "))
            find()
        case .mouse(let mouse):
            switch mouse.action {
            case .wheelUp: move(-1)
            case .wheelDown: move(1)
            case .press:
                guard case .place(Self.target, let place)? = mouse.target, found.indices.contains(place) else { return .closed }
                return .chosen(found[place].candidate.place)
            case .release, .drag: break
            }
        case .focus: break
        case .key(let key): return press(key)
        }
        return .open
    }

    private static let target = "entry"

    private mutating func press(_ key: Key) -> Outcome {
        switch (key.code, key.modifiers) {
        case (.escape, []), (.character("c"), .control), (.character("g"), .control): return .closed
        case (.enter, []):
            guard found.indices.contains(selected) else { return .open }
            return .chosen(found[selected].candidate.place)
        case (.up, []), (.tab, .shift), (.character("p"), .control): move(-1)
        case (.down, []), (.tab, []), (.character("n"), .control): move(1)
        default:
            if case .action(let name) = keymap.outcome(of: [key], in: ["input"]), let command = EditCommand(rawValue: name), command != .newline {
                _ = editor.perform(command)
            } else if let character = key.typed {
                _ = editor.insert(String(character))
            }
            find()
        }
        return .open
    }

    private mutating func move(_ step: Int) {
        if !found.isEmpty { selected = (selected + step + found.count) % found.count }
    }

    /// Draws over the content of the screen.
    package func draw(_ canvas: inout Canvas) {
        let rect = canvas.bounds.centred(columns: min(70, canvas.size.columns - 4), rows: Self.shown + 3)
        canvas.dropTargets()
        canvas.fill(rect)
        canvas.box(rect, theme[.accent], title: "Go to — Enter open, Esc close", titleStyle: theme[.title])
        let inner = rect.inset(2, 1)
        canvas.cursor = nil
        canvas.clipped(to: inner) { canvas in
            let start = canvas.draw("> ", at: inner.column, inner.row, theme[.accent])
            let view = EditorView(editor, columns: max(inner.columns - 2, 2), rows: 1)
            canvas.draw(view.lines.first ?? "", at: start, inner.row)
            canvas.cursor = Point(start + view.cursor.column, inner.row)
            if found.isEmpty { canvas.draw("No matches.", at: inner.column, inner.row + 1, theme[.muted]) }
            for (row, entry) in found.enumerated() {
                let base = row == selected ? theme[.selection] : theme[.text]
                let area = Rect(inner.column, inner.row + 1 + row, columns: inner.columns, rows: 1)
                canvas.fill(area, " ", base)
                canvas.target(area, .place(Self.target, row))
                let detail = TextWidth.cut(entry.candidate.detail, to: max(inner.columns / 3, 1))
                let room = max(inner.columns - TextWidth.of(detail) - 1, 1)
                let label = StyledText(TextWidth.cut(entry.candidate.label, to: room), base).highlighting(Set(entry.match.positions), theme[.match])
                canvas.draw(label, at: inner.column, inner.row + 1 + row, over: base)
                let muted = Style(theme[.muted].foreground, on: base.background, base.attributes)
                canvas.draw(detail, at: inner.endColumn - TextWidth.of(detail), inner.row + 1 + row, muted)
            }
        }
    }
}

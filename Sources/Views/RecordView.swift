package import Bytes
package import Family
package import Terminal

/// What a record's view asks of whoever has the session.
package enum RecordAction: Hashable, Sendable {
    case edit, attend, delete
    /// A result or an interaction at the event.
    case log(Kind)
    case directions(String)
    case shared(SharedAction)
}

/// One record in full, with what can be done with it. Pure.
package struct RecordView: Sendable {
    package let kind: Kind
    package let id: Identifier
    package private(set) var record: Record?
    package private(set) var lines: [StyledText] = []
    package private(set) var isAskingToDelete = false
    private var isHelpOpen = false
    private var offset = 0
    private var rows = 20
    private var chord = ChordReader()
    private let keymap: Keymap
    private let theme: Theme

    package init(_ kind: Kind, _ id: Identifier, theme: Theme, keymap: Keymap) {
        self.kind = kind
        self.id = id
        self.theme = theme
        self.keymap = keymap
    }

    /// - Parameter record: `nil` when it is gone.
    package mutating func show(_ record: Record?, _ lines: [StyledText]) {
        self.record = record
        self.lines = lines
    }

    package mutating func handle(_ input: InputEvent) -> [RecordAction] {
        switch input {
        case .key(let key): return press(key)
        case .mouse(let mouse):
            switch mouse.action {
            case .wheelUp: scroll(-3)
            case .wheelDown: scroll(3)
            case .press, .release, .drag: break
            }
            return []
        case .paste, .focus: return []
        }
    }

    private mutating func press(_ key: Key) -> [RecordAction] {
        if isHelpOpen {
            isHelpOpen = false
            return []
        }
        if isAskingToDelete {
            isAskingToDelete = false
            return key.typed?.lowercased() == "y" ? [.delete] : []
        }
        switch chord.feed(key, keymap, in: ["events"]) {
        case .waiting, .undefined: return []
        case .unbound(let key):
            isHelpOpen = key == .character("?")
            return []
        case .action(let name):
            if let shared = SharedAction(named: name) { return [.shared(shared)] }
            if let command = EventsCommand(rawValue: name) { return run(command) }
            switch RoomCommand(rawValue: name) {
            case .help: isHelpOpen = true
            case .pageUp: scroll(-10)
            case .pageDown: scroll(10)
            case .scrollUp: scroll(-1)
            case .scrollDown: scroll(1)
            default: break
            }
            return []
        }
    }

    private mutating func run(_ command: EventsCommand) -> [RecordAction] {
        switch command {
        case .next: scroll(1)
        case .previous: scroll(-1)
        case .first: offset = 0
        case .last: scroll(lines.count)
        case .undo: return [.shared(.undoLast)]
        case .close: return [.shared(.close)]
        case .edit: return record == nil ? [.shared(.bell)] : [.edit]
        case .attend:
            guard let record, kind == .event, !record.fields.flag("attended") else { return [.shared(.bell)] }
            return [.attend]
        case .delete:
            guard record != nil else { return [.shared(.bell)] }
            isAskingToDelete = true
        case .directions:
            guard let link = record.flatMap({ kind == .event ? Directions.link($0.fields) : nil }) else { return [.shared(.bell)] }
            return [.directions(link)]
        case .interaction where kind == .event && record != nil: return [.log(.interaction)]
        case .metric where kind == .event && record != nil: return [.log(.metric)]
        default: return [.shared(.bell)]
        }
        return []
    }

    private mutating func scroll(_ count: Int) { offset = min(max(offset + count, 0), max(lines.count - 1, 0)) }

    // MARK: Drawing

    package func draw(_ facts: StatusFacts, _ canvas: inout Canvas) {
        let (title, rest) = canvas.bounds.splitTop(1)
        TitleLine.draw(facts, &canvas, title, theme)
        let (body, status) = rest.splitBottom(1)
        let keys = "Esc back  e edit" + (kind == .event && record?.fields.flag("attended") == false ? "  a attended" : "") + "  x delete" + (kind == .event ? "  i interaction  p result" : "")
        canvas.box(body, theme[.frame], title: kind.declaration.label + "   " + keys, titleStyle: theme[.muted])
        let inner = body.inset(2, 1)
        let gone = [StyledText("\(kind.declaration.label) not found", theme[.title]), StyledText("It was deleted, or it never was. Esc goes back.", theme[.muted])]
        let shown = (record == nil ? gone : lines).flatMap { $0.wrapped(columns: max(inner.columns, 2), indent: 4) }
        let first = min(offset, max(shown.count - inner.rows, 0))
        canvas.clipped(to: inner) { canvas in
            for (row, line) in shown.dropFirst(first).prefix(inner.rows).enumerated() { canvas.draw(line, at: inner.column, inner.row + row) }
        }
        StatusLine.draw(facts, below: max(shown.count - first - inner.rows, 0), chord: Keymap.names(chord.pressed), &canvas, status, theme)
        if isAskingToDelete {
            let name = record.map { $0.fields.text("name") ?? $0.fields.text("title") ?? "" } ?? ""
            Question.draw(["Are you sure you want to delete this \(kind.declaration.label.lowercased())?", name, "It can be undone for 30 days.", "y delete   any other key keeps it"], &canvas, theme)
        }
        if isHelpOpen { KeyHelp.draw(KeyHelp.lines(keymap, "events", EventsCommand.helpLines + BufferCommand.helpLines), &canvas, theme) }
    }
}

/// A question over what is on the screen; the second line is what it is about.
enum Question {
    static func draw(_ lines: [String], _ canvas: inout Canvas, _ theme: Theme) {
        let rect = canvas.bounds.centred(columns: (lines.map { TextWidth.of($0) }.max() ?? 0) + 4, rows: lines.count + 2)
        canvas.fill(rect)
        canvas.box(rect, theme[.failure])
        canvas.cursor = nil
        canvas.clipped(to: rect.inset(1, 1)) { canvas in
            for (row, line) in lines.enumerated() { canvas.draw(line, at: rect.column + 2, rect.row + 1 + row, row == 1 ? theme[.title] : theme[.text]) }
        }
    }
}

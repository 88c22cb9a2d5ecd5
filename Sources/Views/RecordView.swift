package import Bytes
package import Family
package import Terminal
package import Words

/// The actions that a record's view requests from the holder of the session.
package enum RecordAction: Hashable, Sendable {
    case edit, attend, delete
    /// Choose the school's coaches who were at the event.
    case coaches
    /// Add a result or an interaction at the event.
    case log(Kind)
    /// Open a record of the shown record, or remove it from there.
    case record(RecordReference)
    case remove(RecordReference)
    case directions(String)
    /// Export the event's records to a file.
    case export
    case shared(SharedAction)
}

/// One record in full, with the actions on it. Pure.
package struct RecordView: Sendable, Pane {
    package let kind: Kind
    package let id: Identifier
    package private(set) var record: Record?
    package private(set) var pane = DetailPane()
    private(set) var asked: RemovalQuestion?
    var isHelpOpen = false
    package var mayWrite = true
    var chord = ChordReader()
    package var keymap: Keymap
    package var theme: Theme

    package init(_ kind: Kind, _ id: Identifier, theme: Theme, keymap: Keymap) {
        self.kind = kind
        self.id = id
        self.theme = theme
        self.keymap = keymap
    }

    /// - Parameter record: `nil` if the record is gone.
    package mutating func show(_ record: Record?, _ lines: [DetailLine]) {
        self.record = record
        pane.refresh(lines)
        switch asked {
        case .record? where record == nil: asked = nil
        case .part(let part, _)? where !pane.records.contains(part): asked = nil
        case .record?, .part?, nil: break
        }
    }

    package mutating func handle(_ input: InputEvent) -> [RecordAction] { receive(input) }

    mutating func roll(_ count: Int) { pane.scroll(3 * count) }

    mutating func page(_ count: Int) -> [RecordAction] {
        pane.scroll(10 * count)
        return []
    }

    mutating func click(_ target: ClickTarget?) -> [RecordAction] { pane.click(target).map { [.record($0)] } ?? [] }

    mutating func press(_ key: Terminal.Key) -> [RecordAction] {
        if let asked {
            self.asked = nil
            guard key.typed?.lowercased() == "y" else { return [] }
            if case .part(let part, _) = asked { return [.remove(part)] }
            return [.delete]
        }
        return dispatch(key, in: "events")
    }

    mutating func run(_ command: EventsCommand) -> [RecordAction] {
        let isEvent = kind == .event && record != nil
        switch command {
        case .next: pane.scroll(1)
        case .previous: pane.scroll(-1)
        case .first: pane.scrollToTop()
        case .last: pane.scroll(.max / 2)
        case .focusMonth, .nextPart: if !pane.step(1) { return [.shared(.bell)] }
        case .previousPart: if !pane.step(-1) { return [.shared(.bell)] }
        case .open: return [pane.selected.map { .record($0) } ?? .shared(.bell)]
        case .undo: return [.shared(.undoLast)]
        case .back: return [.shared(record == nil && kind == .event ? .show(2) : .stepBack)]
        case .close: return [.shared(.close)]
        case .edit:
            if let part = pane.selected, part.kind != .coach { return [.record(part)] }
            return record == nil ? [.shared(.bell)] : [.edit]
        case .attend where isEvent: return record?.fields.flag("attended") == true ? [.shared(.say(EventsSentence.attended))] : [.attend]
        case .coaches where isEvent: return [.coaches]
        case .export where isEvent: return [.export]
        case .delete where record != nil: asked = RemovalQuestion(id, pane.selected)
        case .directions:
            guard let record, kind == .event else { return [.shared(.bell)] }
            guard let link = Directions.link(record.fields) else { return [.shared(.say(EventsSentence.noPlace))] }
            return [.directions(link)]
        case .interaction where isEvent: return [.log(.interaction)]
        case .metric where isEvent: return [.log(.metric)]
        default: return [.shared(.bell)]
        }
        return []
    }

    // MARK: Drawing

    /// The outlines of a title and two sections.
    private static func bones(_ rect: Rect) -> [Rect] {
        [(0, 2), (1, 3), (3, 4), (4, 2), (5, 2), (7, 4), (8, 2), (9, 3)].map { Rect(rect.column, rect.row + $0.0, columns: rect.columns / $0.1, rows: 1) }
    }

    package func draw(_ facts: StatusFacts, _ canvas: inout Canvas) {
        let (title, rest) = canvas.bounds.splitTop(1)
        TitleLine.draw(facts, &canvas, title, theme)
        let (body, status) = rest.splitBottom(1)
        canvas.box(body, theme[.frame])
        PaneParts.detailHints(
            kind.declaration.label, event: kind == .event, attended: kind != .event || record?.fields.flag("attended") != false, mayWrite: mayWrite, &canvas, body, theme)
        let inner = body.inset(2, 1)
        var below = 0
        if record == nil, PaneParts.loading(facts, kind.declaration.label.lowercased(), &canvas, inner, theme, bones: Self.bones) {
            // The outlines are already drawn.
        } else if record == nil {
            let back = kind == .event ? "Esc  Return to Events →" : "q  goes back"
            PaneParts.empty(["\(kind.declaration.label) not found", "It was deleted, or it never was.", back], &canvas, inner, theme)
        } else {
            below = pane.draw(&canvas, inner, theme)
        }
        StatusLine.draw(facts, below: below, chord: Keymap.names(chord.pressed), &canvas, status, theme)
        switch asked {
        case .part(let part, _)?: QuestionDialog.draw(DetailPane.question(part, pane.text(of: part)), &canvas, theme)
        case .record?:
            let name = record.map { RecordNames.name($0) } ?? ""
            QuestionDialog.draw(
                ["Are you sure you want to delete this \(kind.declaration.label.lowercased())?", name, "It can be undone for 30 days.", "y delete   any other key cancels"],
                &canvas, theme)
        case nil: break
        }
        if isHelpOpen { KeyHelp.draw(KeyHelp.lines(keymap, "events", EventsCommand.helpLines + BufferCommand.helpLines), &canvas, theme) }
    }
}

/// The subject of an open question about removal; another record may be selected by the time of the answer.
enum RemovalQuestion: Hashable, Sendable {
    case record(Identifier)
    /// A record inside another record.
    case part(RecordReference, of: Identifier)

    init(_ record: Identifier, _ part: RecordReference?) { self = part.map { .part($0, of: record) } ?? .record(record) }
}

/// A question over the content of the screen; the second line names its subject.
enum QuestionDialog {
    static func draw(_ lines: [String], _ canvas: inout Canvas, _ theme: Theme) {
        PaneParts.dialog(lines.enumerated().map { StyledText($1, $0 == 1 ? theme[.title] : theme[.text]) }, &canvas, theme, style: .failure)
    }
}

extension RecordAction: ViewAction {}

internal import Bytes
internal import Family
package import Sync
package import Terminal

/// The commands for refused changes; configurations use these names.
package enum ConflictCommand: String, CaseIterable, Sendable, PaneCommand {
    case next = "draft-next", previous = "draft-previous", first = "draft-first", last = "draft-last", open = "draft-open"
    case split = "draft-split"
    case retry = "draft-retry", override = "draft-override", edit = "draft-edit", drop = "draft-drop"
    case yours = "choose-yours", theirs = "choose-theirs", both = "choose-both", merge = "choose-merged"
    case allYours = "choose-all-yours", allTheirs = "choose-all-theirs"
    case back = "drafts-back", close = "drafts-close"

    package var summary: String {
        switch self {
        case .next: "the next one"
        case .previous: "the one before"
        case .first: "to the first"
        case .last: "to the last"
        case .open: "both sides; when all is chosen, done"
        case .retry: "send it again as it is"
        case .split: "send its parts one by one"
        case .override: "keep both, with a reason"
        case .edit: "change it, then send it"
        case .drop: "discard it"
        case .yours: "yours is to be"
        case .theirs: "theirs is to be"
        case .both: "both: theirs, then yours"
        case .merge: "combine both"
        case .allYours: "yours for all that is open"
        case .allTheirs: "theirs for all that is open"
        case .back: "close the change"
        case .close: "back"
        }
    }

    package static let helpLines = allCases.map { ($0.rawValue, $0.summary) }

    /// Binds the keys of two modes: the list, and one conflict.
    static func bindDefaults(_ keymap: inout Keymap) {
        let list: [(String, ConflictCommand)] = [
            ("down", .next), ("j", .next), ("up", .previous), ("k", .previous), ("home", .first), ("g g", .first), ("end", .last), ("G", .last), ("enter", .open), ("o", .open), ("r", .retry), ("w", .override), ("s", .split), ("e", .edit),
            ("x", .drop), ("delete", .drop), ("esc", .back), ("q", .close), ("ctrl-c", .close),
        ]
        keymap.bind("u", to: RoomCommand.undoLast.rawValue, in: "drafts")
        keymap.bind("U", to: RoomCommand.redoLast.rawValue, in: "drafts")
        for (names, command) in list { keymap.bind(names, to: command.rawValue, in: "drafts") }
        let sides: [(String, ConflictCommand)] = [
            ("down", .next), ("j", .next), ("up", .previous), ("k", .previous), ("home", .first), ("g g", .first), ("end", .last), ("G", .last), ("enter", .open), ("y", .yours), ("t", .theirs), ("b", .both), ("e", .merge),
            ("Y", .allYours), ("T", .allTheirs), ("x", .drop), ("esc", .back), ("q", .close), ("ctrl-c", .close),
        ]
        for (names, command) in sides { keymap.bind(names, to: command.rawValue, in: "conflict") }
    }
}

/// The actions that this view requests.
package enum ConflictAction: Hashable, Sendable {
    case pane(PaneAction)
    case retry(Int64)
    /// Send the operations of the draft one by one.
    case split(Int64)
    case drop(Int64)
    case override(Int64, reason: String)
    /// `choices` by position in the kind's declaration; `whole` if the whole record is in conflict.
    case resolve(ConflictSides, [Int: ConflictView.Choice], whole: ConflictView.Choice?)
}

/// The refused changes that the client has saved: a list, and the two sides of each conflict, field by field. Pure.
///
/// Nothing is discarded without a key for it: choices and rewritten texts stay with their draft while the user looks at
/// other buffers.
///
/// Source: `guarantees.md`, "no lost update" and "nothing lost at the client".
package struct ConflictView: Sendable, PromptPane {
    /// The side or text that the author chose for a field.
    package enum Choice: Hashable, Sendable {
        case yours, theirs, both
        /// A new text, as the author typed it.
        case text(String)
    }

    package private(set) var drafts: [DraftItem] = []
    /// The changes that wait to be sent, one line each.
    package private(set) var waiting: [String] = []
    package internal(set) var selected: Int64?
    /// Whether the selected draft's sides are shown.
    package private(set) var isOpen = false
    /// The choices by draft, then by position in the kind's declaration.
    package internal(set) var choices: [Int64: [Int: Choice]] = [:]
    /// The choices for drafts whose whole record is in conflict.
    package internal(set) var wholes: [Int64: Choice] = [:]
    package private(set) var isAskingToDrop = false
    package internal(set) var isHelpOpen = false
    /// A message for the user, which the caller shows.
    package var toast: String?
    package var theme: Theme
    package var keymap: Keymap
    /// The position among the fields of the open conflict, and the rows that the view is scrolled down from there.
    var field = 0
    var scroll = 0
    var input: LineField?
    var chord = ChordReader()

    package init(theme: Theme, keymap: Keymap) {
        self.theme = theme
        self.keymap = keymap
    }

    /// Shows the drafts that the client holds now. The choices of drafts that are gone are dropped. If their side of a
    /// conflict has changed since, choices that rest on it are dropped and the view asks for them again.
    package mutating func show(_ drafts: [DraftItem], waiting: [String]) {
        let place = selectedIndex ?? 0
        for draft in drafts {
            guard let before = self.drafts.first(where: { $0.id == draft.id }), before.sides != draft.sides, let sides = draft.sides else { continue }
            for field in sides.fields where before.sides?.fields.first(where: { $0.field == field.field })?.theirs != field.theirs {
                switch choices[draft.id]?[field.field] {
                case .theirs?, .both?:
                    choices[draft.id]?[field.field] = nil
                    toast = "It was changed once more: look again."
                case .yours?, .text?, nil: break
                }
            }
            if before.sides?.record.version != sides.record.version { wholes[draft.id] = nil }
        }
        self.drafts = drafts
        self.waiting = waiting
        let known = Set(drafts.map(\.id))
        choices = choices.filter { known.contains($0.key) }
        wholes = wholes.filter { known.contains($0.key) }
        if selectedIndex == nil {
            // The draft is gone, so the text typed for it is dropped.
            (isOpen, input, isAskingToDrop) = (false, nil, false)
            selected = drafts.isEmpty ? nil : drafts[min(place, drafts.count - 1)].id
        }
        if let item, isOpen {
            if item.sides == nil { isOpen = false }
            field = min(field, max(item.fields.count - 1, 0))
        }
    }

    var selectedIndex: Int? { drafts.firstIndex { $0.id == selected } }
    package var item: DraftItem? { selectedIndex.map { drafts[$0] } }

    /// Selects and opens a draft.
    package mutating func open(_ draft: Int64) {
        guard drafts.contains(where: { $0.id == draft }) else { return }
        selected = draft
        begin()
    }

    /// Takes the text that came back from the user's own editor.
    package mutating func take(_ text: String) {
        guard let item, isOpen, let sides = item.sides, sides.fields.indices.contains(field) else { return }
        input = nil
        choices[item.id, default: [:]][sides.fields[field].field] = .text(text)
    }

    func choice(_ place: Int) -> Choice? {
        guard let item, let sides = item.sides, sides.fields.indices.contains(place) else { return nil }
        return choices[item.id]?[sides.fields[place].field]
    }

    // MARK: Keys

    package mutating func handle(_ input: InputEvent) -> [ConflictAction] { receive(input) }

    mutating func roll(_ count: Int) { isOpen ? (scroll += 3 * count) : move(count) }

    mutating func page(_ count: Int) -> [ConflictAction] {
        isOpen ? (scroll += 8 * count) : move(8 * count)
        return []
    }

    /// The names of click targets: a draft by its position; a field by its position, and its two sides.
    static let draftTarget = "draft", fieldTarget = "field", yoursTarget = "yours", theirsTarget = "theirs"

    mutating func click(_ target: ClickTarget?) -> [ConflictAction] {
        guard case .place(let name, let place)? = target, input == nil else { return [] }
        if name == Self.draftTarget, !isOpen, drafts.indices.contains(place) {
            if drafts[place].id == selected { return run(.open) }
            selected = drafts[place].id
        } else if isOpen, let item, item.fields.indices.contains(place) || item.sides?.matter != .fields {
            field = min(place, max(item.fields.count - 1, 0))
            if name == Self.yoursTarget { return run(.yours) }
            if name == Self.theirsTarget { return run(.theirs) }
        }
        return []
    }

    mutating func press(_ key: Terminal.Key) -> [ConflictAction] {
        toast = nil
        if isAskingToDrop {
            isAskingToDrop = false
            guard key.typed?.lowercased() == "y", let selected else { return [] }
            return [.drop(selected)]
        }
        if input != nil { return type(key) }
        return dispatch(key, in: isOpen ? "conflict" : "drafts")
    }

    mutating func accept(_ text: String) -> [ConflictAction] {
        if isOpen {
            take(text)
            return []
        }
        guard let item, text.contains(where: { !$0.isWhitespace }) else {
            toast = "A reason is required."
            return [.shared(.bell)]
        }
        input = nil
        return [.override(item.id, reason: text)]
    }

    func editOutside(_ text: String) -> [ConflictAction] { [isOpen ? .pane(.editOutside(text)) : .shared(.bell)] }

    /// Completes the name after the last comma up to the longest common beginning of all matches.
    mutating func complete() {
        guard isOpen, let item, item.fields.indices.contains(field), let text = input?.text else { return }
        let field = item.fields[field]
        guard !field.candidates.isEmpty else { return }
        let start = field.isList ? text.lastIndex(of: ",").map { text.index(after: $0) } ?? text.startIndex : text.startIndex
        let typed = String(text[start...]).trimmed
        let fitting = field.candidates.filter { $0.lowercased().hasPrefix(typed.lowercased()) }
        guard var common = fitting.first else {
            toast = "Nobody and nothing here is called that."
            return
        }
        for name in fitting { while !name.lowercased().hasPrefix(common.lowercased()) { common.removeLast() } }
        let before = text[..<start]
        input?.set(before + (before.isEmpty ? "" : " ") + common)
        if fitting.count > 1 { toast = fitting.prefix(5).joined(separator: ", ") }
    }

    mutating func run(_ command: ConflictCommand) -> [ConflictAction] {
        if command == .close || command == .back {
            guard isOpen else { return [.shared(command == .back ? .stepBack : .close)] }
            isOpen = false
            return []
        }
        guard let item else { return [.shared(.bell)] }
        switch command {
        case .next: move(1)
        case .previous: move(-1)
        case .first: move(-Self.far)
        case .last: move(Self.far)
        case .open:
            if isOpen { return finish(item) }
            guard item.sides != nil else {
                toast = item.isOverlap ? "w sends it again with a reason; e changes it." : "r sends it again, e changes it, x discards it."
                return [.shared(.bell)]
            }
            begin()
        case .retry: return [.retry(item.id)]
        case .split:
            guard item.parts > 1 else {
                toast = "It is one thing: r sends it again."
                return [.shared(.bell)]
            }
            return [.split(item.id)]
        case .override:
            guard item.isOverlap else {
                toast = "Nothing is at the same time here: r sends it again."
                return [.shared(.bell)]
            }
            input = LineField(Self.reason)
        case .edit:
            guard let command = item.command else {
                toast = item.parts > 1 ? "It has \(item.parts) parts: s sends them one by one, then each can be changed." : "It undoes something: r sends it again, x discards it."
                return [.shared(.bell)]
            }
            return [.pane(.compose(command))]
        case .drop: isAskingToDrop = true
        case .yours: choose(item, .yours)
        case .theirs: choose(item, .theirs)
        case .both:
            guard item.fields.indices.contains(field), item.fields[field].canBeBoth else {
                toast = "It cannot be both: choose yours or theirs."
                return [.shared(.bell)]
            }
            choose(item, .both)
        case .merge: return merge(item)
        case .allYours: chooseAll(item, .yours)
        case .allTheirs: chooseAll(item, .theirs)
        case .back, .close: break
        }
        return []
    }

    private mutating func begin() {
        isOpen = item?.sides != nil
        scroll = 0
        field = item?.fields.firstIndex(where: \.isContested) ?? 0
    }

    /// More than any list has.
    private static let far = 1_000_000

    private mutating func move(_ count: Int) {
        scroll = 0
        if isOpen, let item {
            field = min(max(field + count, 0), max(item.fields.count - 1, 0))
        } else if !drafts.isEmpty {
            selected = drafts[min(max((selectedIndex ?? 0) + count, 0), drafts.count - 1)].id
        }
    }

    private mutating func choose(_ item: DraftItem, _ choice: Choice) {
        guard let sides = item.sides else { return }
        guard sides.matter == .fields else { return wholes[item.id] = choice }
        guard sides.fields.indices.contains(field), item.fields[field].isContested else {
            toast = "Nobody else changed this: yours is done."
            return
        }
        choices[item.id, default: [:]][sides.fields[field].field] = choice
        // Move to the next field without a choice.
        if let next = item.fields.indices.first(where: { item.fields[$0].isContested && self.choice($0) == nil && $0 > field }) { move(next - field) }
    }

    private mutating func chooseAll(_ item: DraftItem, _ choice: Choice) {
        guard let sides = item.sides else { return }
        guard sides.matter == .fields else { return wholes[item.id] = choice }
        for field in sides.contested where choices[item.id]?[field.field] == nil { choices[item.id, default: [:]][field.field] = choice }
    }

    private mutating func merge(_ item: DraftItem) -> [ConflictAction] {
        guard item.fields.indices.contains(field), item.fields[field].isContested, let merged = item.fields[field].merged else {
            toast = "This cannot be written: choose yours or theirs."
            return [.shared(.bell)]
        }
        var text = merged
        if case .text(let written)? = choice(field) { text = written }
        // A text too long for the line is not cut: it opens in the external editor, which has no such limit.
        guard text.count <= Terminal.LineEditor.limit, text.utf8.count <= Terminal.LineEditor.octetLimit else { return [.pane(.editOutside(text))] }
        input = LineField("", text: text, isMultiline: item.fields[field].isMultiline)
        return []
    }

    private mutating func finish(_ item: DraftItem) -> [ConflictAction] {
        guard let sides = item.sides else { return [] }
        guard sides.matter == .fields else {
            guard let whole = wholes[item.id] else {
                toast = "Choose first: y for yours, t for theirs."
                return [.shared(.bell)]
            }
            return [.resolve(sides, [:], whole: whole)]
        }
        let open = item.fields.indices.first { item.fields[$0].isContested && choice($0) == nil }
        if let open {
            toast = "Choose for \(item.fields[open].label) first: y yours, t theirs\(item.fields[open].canBeBoth ? ", b both" : "")."
            move(open - field)
            return [.shared(.bell)]
        }
        return [.resolve(sides, choices[item.id] ?? [:], whole: nil)]
    }
}

extension ConflictAction: ViewAction {
    static func shared(_ action: SharedAction) -> Self { .pane(.shared(action)) }
}

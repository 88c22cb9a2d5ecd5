package import Bytes
package import Family
internal import Terminal

/// The actions that every view except the room requests from the holder of the session.
package enum PaneAction: Hashable, Sendable {
    /// Run a command, as a user would type it.
    case submit(String)
    /// Put a command into the input line, where the user completes it.
    case compose(String)
    /// Add a record with known values by field name, or edit a record.
    case add(Kind, [String: Value]), edit(Identifier)
    /// Open the text in the user's own editor; the caller passes the result to the view.
    case editOutside(String)
    case shared(SharedAction)
}

/// The actions of a view, including those that every view shares.
protocol ViewAction {
    static func shared(_ action: SharedAction) -> Self
}

/// The commands of a view.
protocol PaneCommand: RawRepresentable<String>, Hashable {
    /// The commands that change records; guests have none of them.
    static var writing: Set<Self> { get }
}

extension PaneCommand {
    static var writing: Set<Self> { [] }
}

/// A view other than the room. It holds the common behaviour: the overlay of keys, chords, paging, the mouse wheel.
protocol Pane {
    associatedtype Action: ViewAction
    associatedtype Command: PaneCommand

    var keymap: Keymap { get }
    var chord: ChordReader { get set }
    var isHelpOpen: Bool { get set }
    /// False for guests, who read.
    var mayWrite: Bool { get }

    /// Handles a key while the overlay of keys is closed: passes it to a dialog over the view, or to `dispatch`.
    mutating func press(_ key: Terminal.Key) -> [Action]
    mutating func run(_ command: Command) -> [Action]
    /// Handles a key without a binding.
    mutating func pressUnbound(_ key: Terminal.Key) -> [Action]
    /// Runs an editing command where the user types.
    mutating func edit(_ command: EditCommand)
    /// Moves down by a number of pages.
    mutating func page(_ count: Int) -> [Action]
    /// Moves down by a number of wheel notches.
    mutating func roll(_ count: Int)
    mutating func click(_ target: ClickTarget?) -> [Action]
    mutating func paste(_ text: String)
}

extension Pane {
    mutating func receive(_ input: InputEvent) -> [Action] {
        switch input {
        case .key where isHelpOpen: isHelpOpen = false
        case .key(let key): return press(key)
        case .paste(let text): paste(text)
        case .mouse(let mouse):
            switch mouse.action {
            case .wheelUp: roll(-1)
            case .wheelDown: roll(1)
            case .press(1): return click(mouse.target)
            case .press, .release, .drag: break
            }
        case .focus: break
        }
        return []
    }

    /// Runs the command of a key, once its chord is complete.
    mutating func dispatch(_ key: Terminal.Key, in modes: String...) -> [Action] {
        switch chord.feed(key, keymap, in: modes) {
        case .waiting, .undefined: return []
        case .unbound(let key): return pressUnbound(key)
        case .action(let name):
            if let command = Command(rawValue: name) {
                guard mayWrite || !Command.writing.contains(command) else { return [.shared(.say(PaneParts.guests))] }
                return run(command)
            }
            if let shared = SharedAction(named: name) { return [.shared(shared)] }
            if let command = EditCommand(rawValue: name) { edit(command) }
            switch RoomCommand(rawValue: name) {
            case .help: isHelpOpen = true
            case .pageUp: return page(-1)
            case .pageDown: return page(1)
            case .scrollUp: roll(-1)
            case .scrollDown: roll(1)
            default: break
            }
            return []
        }
    }

    mutating func pressUnbound(_ key: Terminal.Key) -> [Action] {
        isHelpOpen = key == .character("?")
        return []
    }

    var mayWrite: Bool { true }

    /// The hints without keys that the viewer may not use.
    func allowed(_ hints: [(String, String)]) -> [(String, String)] {
        guard !mayWrite else { return hints }
        let writing = Set(keymap.bound.lazy.filter { Command(rawValue: $0.action).map(Command.writing.contains) ?? false }.map(\.keys))
        return hints.filter { !writing.contains($0.0) }
    }

    mutating func edit(_ command: EditCommand) {}
    mutating func page(_ count: Int) -> [Action] { [] }
    mutating func paste(_ text: String) {}
}

/// A view that asks for a line over its content: a reason, a path, a number of days.
protocol PromptPane: Pane {
    var input: LineField? { get set }

    mutating func accept(_ text: String) -> [Action]
    /// Closes the question.
    mutating func dropInput()
    mutating func complete()
    func editOutside(_ text: String) -> [Action]
}

extension PromptPane {
    /// Handles a key for the open question.
    mutating func type(_ key: Terminal.Key) -> [Action] {
        let keymap = keymap
        switch input?.press(key, keymap) {
        case .accepted(let text): return accept(text)
        case .cancelled: dropInput()
        case .tab: complete()
        case .outside(let text): return editOutside(text)
        case .shared(let action): return [.shared(action)]
        case .typing, nil: break
        }
        return []
    }

    mutating func dropInput() { input = nil }
    mutating func complete() {}
    func editOutside(_ text: String) -> [Action] { [] }
    mutating func paste(_ text: String) { input?.paste(text) }
}

/// A view whose list is searched as the user types.
protocol SearchPane: Pane {
    var search: LineField { get set }
    var isSearching: Bool { get set }

    mutating func apply()
}

extension SearchPane {
    /// Handles a key for the search: Enter and Down go to the matches, Esc removes the search.
    mutating func seek(_ key: Terminal.Key) -> [Action] {
        if key == Key(.down) || key == Key(.enter) {
            isSearching = false
            return []
        }
        let keymap = keymap
        switch search.press(key, keymap) {
        case .shared(let action): return [.shared(action)]
        case .cancelled:
            isSearching = false
            search.set("")
        case .typing, .accepted, .tab, .outside: break
        }
        apply()
        return []
    }

    mutating func seek(pasted text: String) {
        guard isSearching else { return }
        search.paste(text)
        apply()
    }
}

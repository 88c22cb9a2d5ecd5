package import Bytes
package import Family
internal import Terminal

/// What every view besides the room asks of whoever has the session.
package enum PaneAction: Hashable, Sendable {
    /// A command, as it would be typed.
    case submit(String)
    /// A command that the person goes on typing.
    case compose(String)
    /// A new record, with what is known of it by the names of its fields; or a change of one.
    case add(Kind, [String: Value]), edit(Identifier)
    /// Into the person's own editor; what comes back is given to the view.
    case editOutside(String)
    case shared(SharedAction)
}

/// The actions of a view, among which is what every view may ask for.
protocol Asking {
    static func shared(_ action: SharedAction) -> Self
}

/// A view besides the room. What is the same in all of them is here: the overlay of keys, chords, paging, the wheel.
protocol Pane {
    associatedtype Action: Asking
    associatedtype Command: RawRepresentable<String>

    var keymap: Keymap { get }
    var chord: ChordReader { get set }
    var isHelpOpen: Bool { get set }

    /// A key, while the overlay of keys is closed: to what stands over the view, or to `dispatch`.
    mutating func press(_ key: Terminal.Key) -> [Action]
    mutating func run(_ command: Command) -> [Action]
    /// A key that nothing is bound to.
    mutating func pressUnbound(_ key: Terminal.Key) -> [Action]
    /// What an editor's key does, where one types.
    mutating func edit(_ command: EditCommand)
    /// So many pages down.
    mutating func page(_ count: Int) -> [Action]
    /// So many notches of the wheel down.
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

    /// Does what is bound to a key, once the chord that it belongs to is whole.
    mutating func dispatch(_ key: Terminal.Key, in modes: String...) -> [Action] {
        switch chord.feed(key, keymap, in: modes) {
        case .waiting, .undefined: return []
        case .unbound(let key): return pressUnbound(key)
        case .action(let name):
            if let command = Command(rawValue: name) { return run(command) }
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

    mutating func edit(_ command: EditCommand) {}
    mutating func page(_ count: Int) -> [Action] { [] }
    mutating func paste(_ text: String) {}
}

/// A view that asks for a line over what it shows: a reason, a place, a number of days.
protocol AskingPane: Pane {
    var input: LineField? { get set }

    mutating func accept(_ text: String) -> [Action]
    /// Nothing is asked any more.
    mutating func dropInput()
    mutating func complete()
    func editOutside(_ text: String) -> [Action]
}

extension AskingPane {
    /// A key for what is asked.
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

/// A view whose list is searched while one types.
protocol SearchingPane: Pane {
    var search: LineField { get set }
    var isSearching: Bool { get set }

    mutating func apply()
}

extension SearchingPane {
    /// A key for the search: Enter and Down go to what was found, Esc to all.
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

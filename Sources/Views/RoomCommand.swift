internal import Terminal

/// The commands for the room besides editing (`EditCommand`); configurations use these names.
package enum RoomCommand: String, CaseIterable, Sendable {
    case pageUp = "page-up", pageDown = "page-down", scrollUp = "scroll-up", scrollDown = "scroll-down"
    case top = "oldest", bottom = "newest", unread = "first-unread"
    case complete = "complete", completeBackward = "complete-backward"
    case select = "select", selectOlder = "select-older", selectNewer = "select-newer", leaveSelect = "leave-select"
    case comment = "comment", rewrite = "rewrite", undoSelected = "undo-selected", open = "open", copy = "copy", copyLink = "copy-link"
    case find = "find", findOlder = "find-older", findNewer = "find-newer"
    case undoLast = "undo-last", redoLast = "redo-last", season = "season", drafts = "drafts", editOutside = "edit-outside"
    /// The older name of `season`, which configurations may have.
    case events = "events"
    case help = "help-keys", redraw = "redraw", suspend = "suspend", interrupt = "interrupt", quit = "quit", cancel = "cancel"

    /// The description in help, without a full stop.
    package var summary: String {
        switch self {
        case .pageUp: "a page up"
        case .pageDown: "a page down"
        case .scrollUp: "three lines up"
        case .scrollDown: "three lines down"
        case .top: "jump to the oldest loaded"
        case .bottom: "to the newest"
        case .unread: "to the first unread"
        case .complete: "complete / @ # ~ :"
        case .completeBackward: "the one before"
        case .select: "select, to act on it"
        case .selectOlder: "the older one"
        case .selectNewer: "the newer one"
        case .leaveSelect: "back to typing"
        case .comment: "comment on it"
        case .rewrite: "change your message"
        case .undoSelected: "undo that change"
        case .open: "show all of the record"
        case .copy: "copy its text"
        case .copyLink: "copy the link in it"
        case .find: "find words"
        case .findOlder: "the older one with them"
        case .findNewer: "the newer one with them"
        case .undoLast: "undo your last change"
        case .redoLast: "redo the change that you undid"
        case .season, .events: "the season"
        case .drafts: "refused changes"
        case .editOutside: "write in your editor"
        case .help: "these keys"
        case .redraw: "redraw"
        case .suspend: "suspend (fg resumes)"
        case .interrupt: "discard the line"
        case .quit: "leave"
        case .cancel: "close what is open"
        }
    }

    /// The commands with their summaries, for help.
    static let helpLines = allCases.filter { $0 != .cancel }.map { ($0.rawValue, $0.summary) }

    /// Binds the keys of the room itself.
    static func bindDefaults(_ keymap: inout Keymap) {
        EditCommand.bindDefaults(&keymap, in: "input")
        let input: [(String, RoomCommand)] = [
            ("tab", .complete), ("shift-tab", .completeBackward), ("ctrl-up", .select), ("alt-s", .select), ("esc", .cancel),
            ("ctrl-c", .interrupt), ("ctrl-x ctrl-e", .editOutside),
        ]
        for (names, command) in input { keymap.bind(names, to: command.rawValue, in: "input") }
        let select: [(String, RoomCommand)] = [
            ("up", .selectOlder), ("k", .selectOlder), ("down", .selectNewer), ("j", .selectNewer), ("esc", .leaveSelect), ("q", .leaveSelect),
            ("ctrl-c", .leaveSelect), ("ctrl-up", .selectOlder), ("ctrl-down", .selectNewer), ("r", .comment), ("c", .comment), ("e", .rewrite), ("u", .undoSelected),
            ("o", .open), ("enter", .open), ("y", .copy), ("l", .copyLink), ("/", .find), ("n", .findOlder), ("N", .findNewer), ("?", .help),
        ]
        for (names, command) in select { keymap.bind(names, to: command.rawValue, in: "select") }
        let menu: [(String, RoomCommand)] = [("tab", .complete), ("down", .complete), ("shift-tab", .completeBackward), ("up", .completeBackward), ("esc", .cancel)]
        for (names, command) in menu { keymap.bind(names, to: command.rawValue, in: "menu") }
    }

    /// Binds the keys of all views, after those of each view.
    static func bindEverywhere(_ keymap: inout Keymap) {
        let everywhere: [(String, RoomCommand)] = [
            ("pageup", .pageUp), ("pagedown", .pageDown), ("shift-up", .scrollUp), ("shift-down", .scrollDown), ("ctrl-home", .top), ("ctrl-end", .bottom),
            ("alt-n", .unread), ("f1", .help), ("ctrl-l", .redraw), ("ctrl-z", .suspend), ("ctrl-x ctrl-c", .quit),
            ("ctrl-x u", .undoLast), ("ctrl-x r", .redoLast), ("ctrl-x d", .drafts), ("f2", .season),
        ]
        for (names, command) in everywhere { keymap.bind(names, to: command.rawValue) }
    }
}

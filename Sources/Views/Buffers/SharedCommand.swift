internal import Terminal

/// The commands that keys run in every buffer besides those of `RoomCommand`; configurations use these names.
package enum BufferCommand: String, CaseIterable, Sendable {
    case first = "buffer-1", second = "buffer-2", third = "buffer-3", fourth = "buffer-4", fifth = "buffer-5"
    case sixth = "buffer-6", seventh = "buffer-7", eighth = "buffer-8", ninth = "buffer-9"
    case nextActive = "buffer-next-active", last = "buffer-last", switchTo = "buffer-switch", close = "buffer-close"
    case previous = "buffer-previous", next = "buffer-next", back = "buffer-back", forth = "buffer-forth"
    case season = "season-menu", deleted = "deleted-menu"

    /// The buffer number of a command that goes to a number.
    var number: Int? { rawValue.last.flatMap(\.wholeNumberValue) }

    /// The command that goes to a number, 1 to 9.
    package static func named(_ number: Int) -> BufferCommand? { allCases.first { $0.number == number } }

    package var summary: String {
        switch self {
        case .nextActive: "the next unread page"
        case .last: "the previous page"
        case .switchTo: "anywhere, by a few letters"
        case .close: "close the page"
        case .previous: "the page above"
        case .next: "the page below"
        case .back: "back through the pages you saw"
        case .forth: "forth again"
        case .season: "choose the season"
        case .deleted: "deleted records"
        default: "page \(number ?? 0)"
        }
    }

    /// The lines for help; the nine numbers share one line.
    package static let helpLines = [("buffer-1", "room; 2 season 3 trips 4 documents 5 outbox")] + [nextActive, last, switchTo, season, close].map { ($0.rawValue, $0.summary) }

    static func bindDefaults(_ keymap: inout Keymap) {
        for command in allCases {
            if let number = command.number { keymap.bind("alt-\(number)", to: command.rawValue) }
        }
        let keys: [(String, BufferCommand)] = [
            ("alt-a", .nextActive), ("alt-/", .last), ("ctrl-x b", .switchTo), ("alt-g", .switchTo), ("ctrl-x k", .close),
            ("alt-up", .previous), ("f5", .previous), ("alt-down", .next), ("f6", .next), ("alt-<", .back), ("alt->", .forth), ("alt-z", .deleted),
        ]
        for (names, command) in keys { keymap.bind(names, to: command.rawValue) }
        // In other modes with text input the key belongs to the editor.
        for mode in ["input", "events", "trips", "documents", "drafts", "conflict"] { keymap.bind("ctrl-o", to: season.rawValue, in: mode) }
    }
}

/// The actions that every view may request from the holder of the session.
package enum SharedAction: Hashable, Sendable {
    /// The buffer of this number, from 1.
    case show(Int)
    case showNextActive, showLast, switchBuffer
    /// The buffer with the next number, or the one before (-1).
    case showNeighbour(Int)
    /// A step back (-1) or forward (1) through the visited buffers.
    case travel(Int)
    /// The menu of seasons.
    case chooseSeason
    /// The list of what was deleted.
    case showDeleted
    /// Back to the previous buffer; fixed buffers stay open.
    case close
    /// Esc where nothing is left to clear: a record's page closes, and everything else stays. It never leads into the
    /// room, where the next hot key would become a message.
    case stepBack
    /// Undo the user's last change.
    case undoLast
    /// Redo what the user undid last.
    case redoLast
    /// Put the text into the terminal's clipboard.
    case copy(String)
    /// The reason why a key does nothing here, as a sentence.
    case say(String)
    case bell, redraw, suspend, quit

    /// The action for a name in the keymap that every view shares; `nil` for the names of a single view.
    package init?(named name: String) {
        if let command = BufferCommand(rawValue: name) {
            if let number = command.number {
                self = .show(number)
                return
            }
            switch command {
            case .nextActive: self = .showNextActive
            case .last: self = .showLast
            case .switchTo: self = .switchBuffer
            case .season: self = .chooseSeason
            case .deleted: self = .showDeleted
            case .previous: self = .showNeighbour(-1)
            case .next: self = .showNeighbour(1)
            case .back: self = .travel(-1)
            case .forth: self = .travel(1)
            default: self = .close
            }
            return
        }
        switch RoomCommand(rawValue: name) {
        case .season, .events: self = .show(2)
        case .drafts: self = .show(5)
        case .undoLast: self = .undoLast
        case .redoLast: self = .redoLast
        case .redraw: self = .redraw
        case .suspend: self = .suspend
        case .quit: self = .quit
        default: return nil
        }
    }
}

package import Bytes
internal import Terminal

/// The commands for forms besides editing; configurations use these names.
package enum FormCommand: String, CaseIterable, Sendable, PaneCommand {
    case next = "form-next", previous = "form-previous", save = "form-save", cancel = "form-cancel"
    case later = "form-later", earlier = "form-earlier", editOutside = "form-edit-outside"
    case directions = "form-directions"

    package var summary: String {
        switch self {
        case .next: "the next field; at the end: save"
        case .previous: "the field before"
        case .save: "save"
        case .cancel: "close; asks first when something was typed"
        case .later: "a day, a quarter of an hour or one later"
        case .earlier: "a day, a quarter of an hour or one earlier"
        case .editOutside: "write the text in your own editor"
        case .directions: "a link to the directions"
        }
    }

    /// The commands with their summaries, for help.
    static let helpLines = allCases.map { ($0.rawValue, $0.summary) }

    static func bindDefaults(_ keymap: inout Keymap) {
        let keys: [(String, FormCommand)] = [
            ("tab", .next), ("down", .next), ("enter", .next), ("shift-tab", .previous), ("up", .previous), ("ctrl-s", .save), ("f10", .save),
            ("esc", .cancel), ("ctrl-c", .cancel), ("ctrl-up", .later), ("ctrl-down", .earlier), ("ctrl-x ctrl-e", .editOutside), ("ctrl-x m", .directions),
        ]
        for (names, command) in keys { keymap.bind(names, to: command.rawValue, in: "form") }
    }
}

/// The actions that a form requests from the holder of the session.
package enum FormAction: Hashable, Sendable {
    /// Save one batch. The caller closes the form when the batch is sent, or calls `refuse`.
    case save([FormEntry], athlete: Identifier?)
    /// Add a school of this name immediately; the caller puts it into the form with `choose`.
    case addSchool(String)
    /// The caller passes the edited text to `write`.
    case editOutside(String)
    /// Close the form; its input is dropped.
    case discard
    /// Send overlapping items again, with the reason.
    case accept(reason: String)
    case shared(SharedAction)
}

extension FormAction: ViewAction {}

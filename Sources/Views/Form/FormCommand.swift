package import Bytes
internal import Terminal

/// What a key can do in a form besides editing; the names stand in configurations.
package enum FormCommand: String, CaseIterable, Sendable {
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

    /// For help.
    static let helpLines = allCases.map { ($0.rawValue, $0.summary) }

    static func bindDefaults(_ keymap: inout Keymap) {
        let keys: [(String, FormCommand)] = [
            ("tab", .next), ("down", .next), ("enter", .next), ("shift-tab", .previous), ("up", .previous), ("ctrl-s", .save), ("f10", .save),
            ("esc", .cancel), ("ctrl-c", .cancel), ("ctrl-up", .later), ("ctrl-down", .earlier), ("ctrl-x ctrl-e", .editOutside), ("ctrl-x m", .directions),
        ]
        for (names, command) in keys { keymap.bind(names, to: command.rawValue, in: "form") }
    }
}

/// What a form asks of whoever has the session.
package enum FormAction: Hashable, Sendable {
    /// One batch. The caller closes the form when it is on its way, or says `refuse`.
    case save([FormEntry], athlete: Identifier?)
    /// A school of this name is to be added at once, and put into the form with `choose`.
    case addSchool(String)
    /// What comes back is given to `write`.
    case editOutside(String)
    /// It is done with.
    case discard
    /// What overlaps is sent all the same, with the reason.
    case accept(reason: String)
    case shared(SharedAction)
}

extension FormAction: Asking {}

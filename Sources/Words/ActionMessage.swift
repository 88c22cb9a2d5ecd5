internal import Terminal

/// An action of a member, sent as a message: "/me packs the car" is shown as "* Dana packs the car".
///
/// It is sent and stored as typed, so that a client without support for it still shows the meaning.
///
/// Source: XEP-0245, the /me command.
package enum ActionMessage {
    /// The beginning of the text of an action.
    package static let prefix = "/me "

    /// The action; `nil` for any other text.
    package static func of(_ text: String) -> String? {
        guard text.hasPrefix(prefix) else { return nil }
        let action = String(text.dropFirst(prefix.count)).trimmed
        return action.isEmpty ? nil : action
    }
}

internal import Terminal

/// What somebody does, told as a message: "/me packs the car" is shown as "* Dana packs the car".
///
/// It is sent and kept as it was typed, so that a client that knows nothing of it still shows what was meant.
///
/// Source: XEP-0245, the /me command.
package enum Deed {
    /// How such a text begins.
    package static let prefix = "/me "

    /// What is done; `nil` for any other text.
    package static func of(_ text: String) -> String? {
        guard text.hasPrefix(prefix) else { return nil }
        let deed = String(text.dropFirst(prefix.count)).trimmed
        return deed.isEmpty ? nil : deed
    }
}

package import Terminal

/// The commands of all views together: the names that a configuration may use, and the default keys.
package enum ViewCommands {
    /// The modes whose keys can be bound, besides the mode for all views.
    package static let modes: Set<String> = ["input", "select", "menu", "events", "form", "drafts", "conflict", "trips", "documents"]

    /// All names that can be bound.
    package static let names = Set(RoomCommand.allCases.map(\.rawValue) + EditCommand.allCases.map(\.rawValue) + EventsCommand.allCases.map(\.rawValue) + ConflictCommand.allCases.map(\.rawValue) + ItineraryCommand.allCases.map(\.rawValue) + DocumentsCommand.allCases.map(\.rawValue) + BufferCommand.allCases.map(\.rawValue) + FormCommand.allCases.map(\.rawValue))

    /// The default keys.
    package static func defaultKeymap() -> Keymap {
        var keymap = Keymap()
        RoomCommand.bindDefaults(&keymap)
        EventsCommand.bindDefaults(&keymap)
        BufferCommand.bindDefaults(&keymap)
        FormCommand.bindDefaults(&keymap)
        ConflictCommand.bindDefaults(&keymap)
        ItineraryCommand.bindDefaults(&keymap)
        DocumentsCommand.bindDefaults(&keymap)
        RoomCommand.bindEverywhere(&keymap)
        return keymap
    }
}

package import Bytes
internal import Terminal

/// What a key can do among trips; the names stand in configurations.
package enum ItineraryCommand: String, CaseIterable, Sendable {
    case next = "trip-next", previous = "trip-previous", nextDay = "trip-next-day", previousDay = "trip-previous-day", today = "trip-today"
    case open = "trip-open", add = "trip-add", edit = "trip-edit", delete = "trip-delete", shift = "trip-shift", copy = "trip-copy"
    case past = "trip-past", directions = "trip-directions", close = "trip-close"

    package var summary: String {
        switch self {
        case .next: "the next one"
        case .previous: "the one before"
        case .nextDay: "the next day"
        case .previousDay: "the day before"
        case .today: "today"
        case .open: "the trip by day; all of the item"
        case .add: "a new trip, or a new item on this day"
        case .edit: "change it"
        case .delete: "delete, which can be undone"
        case .shift: "move it by days, a trip with all its items"
        case .copy: "the same trip once more, days later"
        case .past: "trips that are over as well"
        case .directions: "a link to the place"
        case .close: "back"
        }
    }

    package static let helpLines = allCases.map { ($0.rawValue, $0.summary) }

    static func bindDefaults(_ keymap: inout Keymap) {
        let keys: [(String, ItineraryCommand)] = [
            ("down", .next), ("j", .next), ("up", .previous), ("k", .previous), ("right", .nextDay), ("l", .nextDay), ("left", .previousDay), ("h", .previousDay),
            (".", .today), ("enter", .open), ("o", .open), ("n", .add), ("e", .edit), ("x", .delete), ("delete", .delete), ("s", .shift), ("c", .copy),
            ("p", .past), ("m", .directions), ("esc", .close), ("q", .close), ("ctrl-c", .close),
        ]
        keymap.bind("u", to: RoomCommand.undoLast.rawValue, in: "trips")
        for (names, command) in keys { keymap.bind(names, to: command.rawValue, in: "trips") }
    }
}

/// What the itinerary asks for.
package enum ItineraryAction: Hashable, Sendable {
    case pane(PaneAction)
    /// All fields of a record; the caller gives its lines to `showDetail`.
    case open(Identifier)
    /// What was refused because items overlap, sent again with a reason; or forgotten.
    case override(Int64, reason: String)
    case drop(Int64)
}

extension ItineraryAction: Asking {
    static func shared(_ action: SharedAction) -> Self { .pane(.shared(action)) }
}

package import Bytes
internal import Terminal

/// The commands for trips; configurations use these names.
package enum ItineraryCommand: String, CaseIterable, Sendable, PaneCommand {
    case next = "trip-next", previous = "trip-previous", nextDay = "trip-next-day", previousDay = "trip-previous-day", today = "trip-today"
    case first = "trip-first", last = "trip-last"
    case open = "trip-open", add = "trip-add", edit = "trip-edit", delete = "trip-delete", shift = "trip-shift", copy = "trip-copy"
    case past = "trip-past", directions = "trip-directions", back = "trip-back", close = "trip-close"

    package var summary: String {
        switch self {
        case .next: "the next one"
        case .previous: "the one before"
        case .nextDay: "the next day; in the list: the next month"
        case .previousDay: "the day before; in the list: the month before"
        case .today: "today"
        case .first: "to the first"
        case .last: "to the last"
        case .open: "the trip by day; all of the item"
        case .add: "a new trip, or a new item on this day"
        case .edit: "change it"
        case .delete: "delete, which can be undone"
        case .shift: "move it by days, a trip with all its items"
        case .copy: "the same trip once more, days later"
        case .past: "trips that are over as well"
        case .directions: "a link to the place"
        case .back: "close the item, then the trip"
        case .close: "back"
        }
    }

    static let writing: Set<Self> = [.add, .edit, .delete, .shift, .copy]

    package static let helpLines = allCases.map { ($0.rawValue, $0.summary) }

    static func bindDefaults(_ keymap: inout Keymap) {
        let keys: [(String, ItineraryCommand)] = [
            ("down", .next), ("j", .next), ("up", .previous), ("k", .previous), ("right", .nextDay), ("l", .nextDay), ("left", .previousDay), ("h", .previousDay),
            (".", .today), ("home", .first), ("g g", .first), ("end", .last), ("G", .last), ("enter", .open), ("o", .open), ("n", .add), ("e", .edit), ("x", .delete), ("delete", .delete), ("s", .shift), ("c", .copy),
            ("p", .past), ("m", .directions), ("esc", .back), ("q", .close), ("ctrl-c", .close),
        ]
        keymap.bind("u", to: RoomCommand.undoLast.rawValue, in: "trips")
        keymap.bind("U", to: RoomCommand.redoLast.rawValue, in: "trips")
        for (names, command) in keys { keymap.bind(names, to: command.rawValue, in: "trips") }
    }
}

/// The actions that the itinerary requests.
package enum ItineraryAction: Hashable, Sendable {
    case pane(PaneAction)
    /// Open a record with all its fields; the caller passes its lines to `showDetail`.
    case open(Identifier)
    /// Send a change that was refused because items overlap again with a reason, or drop it.
    case override(Int64, reason: String)
    case drop(Int64)
}

extension ItineraryAction: ViewAction {
    static func shared(_ action: SharedAction) -> Self { .pane(.shared(action)) }
}

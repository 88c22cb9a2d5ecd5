package import Bytes
package import Dates
package import Family
package import Queries
internal import Terminal
package import Words

/// The commands for events; configurations use these names.
package enum EventsCommand: String, CaseIterable, Sendable, PaneCommand {
    case next = "event-next", previous = "event-previous", first = "event-first", last = "event-last"
    case nextMonth = "month-next", previousMonth = "month-previous", thisMonth = "month-today"
    case open = "event-open", add = "event-add", edit = "event-edit", attend = "event-attend", delete = "event-delete"
    case directions = "event-directions", interaction = "event-interaction", metric = "event-metric"
    case coaches = "event-coaches", export = "event-export", focusMonth = "month-focus", chooseMonth = "month-choose"
    case nextPart = "detail-next", previousPart = "detail-previous"
    case search = "event-search", type = "filter-type", status = "filter-status", date = "filter-date", sort = "event-sort", clear = "filter-clear"
    case undo = "event-undo", back = "events-back", close = "events-close"

    package var summary: String {
        switch self {
        case .next: "the next event"
        case .previous: "the event before"
        case .first: "to the first of the list"
        case .last: "to the last of the list"
        case .nextMonth: "the next month"
        case .previousMonth: "the month before"
        case .thisMonth: "today's month"
        case .open: "open; on a day: its events"
        case .add: "a new event"
        case .edit: "change the event"
        case .attend: "mark attended, with a log"
        case .delete: "delete; u brings it back"
        case .directions: "a link to the directions"
        case .interaction: "log an interaction"
        case .metric: "log a result"
        case .coaches: "which coaches were there"
        case .export: "export results or events"
        case .focusMonth: "to the days, and back"
        case .chooseMonth: "choose a month and year"
        case .nextPart: "in an event: the next coach, result or interaction"
        case .previousPart: "in an event: part before"
        case .search: "search while you type"
        case .type: "type: all, camps, showcases, visits, games"
        case .status: "status: all, registered, not registered, attended"
        case .date: "dates: all, upcoming, past, this month, next month"
        case .sort: "order: newest, oldest, name, type"
        case .clear: "clear filters and search"
        case .undo: "undo your last change; U redoes it"
        case .back: "close the event, then clear search and filters"
        case .close: "back to where you were"
        }
    }

    static let writing: Set<Self> = [.add, .edit, .attend, .delete, .interaction, .metric, .coaches]

    /// The commands with their summaries, for help.
    package static let helpLines = allCases.map { ($0.rawValue, $0.summary) }

    static func bindDefaults(_ keymap: inout Keymap) {
        let keys: [(String, EventsCommand)] = [
            ("down", .next), ("j", .next), ("up", .previous), ("k", .previous), ("home", .first), ("g g", .first), ("end", .last), ("G", .last),
            ("right", .nextMonth), ("l", .nextMonth), ("left", .previousMonth), ("h", .previousMonth), (".", .thisMonth),
            ("enter", .open), ("o", .open), ("n", .add), ("e", .edit), ("a", .attend), ("x", .delete), ("delete", .delete), ("m", .directions), ("i", .interaction), ("p", .metric),
            ("+", .coaches), ("E", .export), ("tab", .focusMonth), ("shift-tab", .previousPart), ("M", .chooseMonth),
            ("/", .search), ("t", .type), ("s", .status), ("d", .date), ("r", .sort), ("c", .clear), ("esc", .back), ("q", .close), ("ctrl-c", .close), ("u", .undo),
        ]
        for (names, command) in keys { keymap.bind(names, to: command.rawValue, in: "events") }
        keymap.bind("U", to: RoomCommand.redoLast.rawValue, in: "events")
    }
}

/// The reasons why a key does nothing.
enum EventsSentence {
    static let attended = "It is marked attended already; e changes it."
    static let noPlace = "No address or city is known; e adds one."
    static let noEvent = "No events that day. n adds one."
    static let farMonth = "Two years back and ahead at most."
    static let none = "No event is selected."
}

/// The actions that the events view requests from the holder of the session.
package enum EventsAction: Hashable, Sendable {
    /// The caller passes the event's lines to `showDetail`.
    case open(Identifier)
    case attend(Identifier), delete(Identifier), edit(Identifier)
    /// Choose the school's coaches who were at the event.
    case coaches(Identifier)
    /// A result or an interaction at the event.
    case log(Kind, Identifier)
    /// Open a record of the open event, or remove it from there.
    case record(RecordReference)
    case remove(RecordReference, from: Identifier)
    /// A link to copy.
    case directions(String)
    /// Add an event, on a day if one was chosen.
    case add(on: CalendarDate?)
    /// Export the listed events, or the records of the open event, to a file.
    case export([Identifier], event: Identifier?)
    /// The user chose this order; it is used again next time.
    case sorted(Query.Sort?)
    case shared(SharedAction)
}

extension EventsAction: ViewAction {}

package import Bytes
package import Client
package import Dates
package import Family
import Queries
package import Terminal

/// What a key can do among the events; the names stand in configurations.
package enum EventsCommand: String, CaseIterable, Sendable {
    case next = "event-next", previous = "event-previous", first = "event-first", last = "event-last"
    case nextMonth = "month-next", previousMonth = "month-previous", thisMonth = "month-today"
    case open = "event-open", add = "event-add", edit = "event-edit", attend = "event-attend", delete = "event-delete"
    case directions = "event-directions", interaction = "event-interaction", metric = "event-metric"
    case search = "event-search", type = "filter-type", status = "filter-status", date = "filter-date", sort = "event-sort", clear = "filter-clear"
    case undo = "event-undo", close = "events-close"

    package var summary: String {
        switch self {
        case .next: "the next event"
        case .previous: "the event before"
        case .first: "to the first of the list"
        case .last: "to the last of the list"
        case .nextMonth: "the next month"
        case .previousMonth: "the month before"
        case .thisMonth: "today's month"
        case .open: "all of the event"
        case .add: "a new event"
        case .edit: "change the event"
        case .attend: "mark attended, and log what happened"
        case .delete: "delete, which can be undone"
        case .directions: "a link to the directions"
        case .interaction: "log an interaction with a coach"
        case .metric: "log a result"
        case .search: "search while you type"
        case .type: "type: all, camps, showcases, visits, games"
        case .status: "status: all, registered, not registered, attended"
        case .date: "dates: all, upcoming, past, this month, next month"
        case .sort: "order: newest, oldest, name, type"
        case .clear: "clear filters and search"
        case .undo: "take back your last change"
        case .close: "back to where you were"
        }
    }

    /// For help.
    package static let helpLines = allCases.map { ($0.rawValue, $0.summary) }

    static func bindDefaults(_ keymap: inout Keymap) {
        let keys: [(String, EventsCommand)] = [
            ("down", .next), ("j", .next), ("up", .previous), ("k", .previous), ("home", .first), ("g g", .first), ("end", .last), ("G", .last),
            ("right", .nextMonth), ("l", .nextMonth), ("left", .previousMonth), ("h", .previousMonth), (".", .thisMonth),
            ("enter", .open), ("o", .open), ("n", .add), ("e", .edit), ("a", .attend), ("x", .delete), ("delete", .delete), ("m", .directions), ("i", .interaction), ("p", .metric),
            ("/", .search), ("t", .type), ("s", .status), ("d", .date), ("r", .sort), ("c", .clear), ("esc", .close), ("q", .close), ("ctrl-c", .close), ("u", .undo),
        ]
        for (names, command) in keys { keymap.bind(names, to: command.rawValue, in: "events") }
    }
}

/// What the events ask of whoever has the session.
package enum EventsAction: Hashable, Sendable {
    /// The caller gives its lines to `showDetail`.
    case open(Identifier)
    case attend(Identifier), delete(Identifier), edit(Identifier)
    /// A result or an interaction at the event.
    case log(Kind, Identifier)
    /// A link to copy.
    case directions(String)
    case add
    case shared(SharedAction)
}

/// The season: a month beside the list of events, with filters, search, counts and one event in full. Pure.
///
/// Source: R025–R054. Lists are those of `Queries`, so that the server would answer the same.
package struct EventsView: Sendable {
    package private(set) var filter = ListFilter(.event)
    package private(set) var month: CalendarDate
    package private(set) var isSearching = false
    /// Those of the context that the filter leaves, in its order, by their places in `keyed`.
    private(set) var places: [Int] = []
    /// All with what lists ask of them, in their order, worked out once: the list is filtered with each letter of a search.
    private var keyed: [(Record, ListKeys)] = []
    private var order: Query.Sort?
    /// How many the filter leaves.
    package var count: Int { places.count }

    /// One of those, by its place in the list.
    func found(_ index: Int) -> Record { keyed[places[index]].0 }

    /// Those of them that have a day in a part of the calendar, in days since 1970.
    func found(from first: Int, to last: Int) -> [Record] {
        places.filter { keyed[$0].1.firstDay != ListKeys.none && Int(keyed[$0].1.firstDay) <= last && Int(keyed[$0].1.lastDay) >= first }.map { keyed[$0].0 }
    }
    /// Whether the context has no event at all.
    package var isEmpty: Bool { keyed.isEmpty }
    package private(set) var selected: Identifier?
    /// The lines of the event that is open.
    package private(set) var detail: [StyledText]?
    package private(set) var isAskingToDelete = false
    package private(set) var isHelpOpen = false
    var detailOffset = 0
    var search = Terminal.LineEditor()
    var chord = ChordReader()
    package var keymap: Keymap
    package var theme: Theme
    package let firstWeekday: Weekday
    /// Names of athletes; shown beside events when everybody's are listed.
    package var names: [Identifier: String] = [:]
    package private(set) var today: CalendarDate
    private(set) var context = Context.all

    package init(today: CalendarDate, theme: Theme, keymap: Keymap, firstWeekday: Weekday) {
        self.today = today
        month = today
        self.theme = theme
        self.keymap = keymap
        self.firstWeekday = firstWeekday
    }

    /// Shows these records, of which the filter leaves some.
    package mutating func show(_ records: [Record], context: Context, today: CalendarDate) {
        self.today = today
        self.context = context
        keyed = ListFilter.keyed(
            records.filter { record in
                if case .athlete(let id) = context { record.athlete == id } else { true }
            })
        order = nil
        apply()
    }

    /// Shows one event in full.
    package mutating func showDetail(_ lines: [StyledText]) {
        detail = lines
        detailOffset = 0
    }

    /// The event that is open is different now.
    package mutating func refreshDetail(_ lines: [StyledText]) { detail = lines }

    private mutating func apply() {
        filter.text = search.text
        // What cannot be asked was refused when it was typed.
        guard let query = try? filter.query(context: context) else { return }
        if order != query.sort {
            keyed = query.ordered(keyed)
            order = query.sort
        }
        places = query.wanted(keyed, today: today)
        if selectedIndex == nil { selected = places.first.map { keyed[$0].0.id } }
    }

    var selectedIndex: Int? { places.firstIndex { keyed[$0].0.id == selected } }
    package var selectedRecord: Record? { selectedIndex.map { found($0) } }

    /// The filters that are on, in words.
    package var filterWords: [String] {
        var words: [String] = []
        if let types = filter.types, let name = Self.typeFilters.first(where: { $0.types == types })?.label { words.append(name) }
        switch filter.status {
        case .registered: words.append("Registered")
        case .notRegistered: words.append("Not Registered")
        case .attended: words.append("Attended")
        case nil: break
        }
        switch filter.time {
        case .all: break
        case .upcoming: words.append("Upcoming")
        case .past: words.append("Past")
        case .thisMonth: words.append("This Month")
        case .nextMonth: words.append("Next Month")
        }
        return words
    }

    var sortWords: String {
        switch filter.sort ?? (filter.time == .upcoming ? .dateAscending : nil) {
        case .dateAscending: "Date (Oldest First)"
        case .name: "Name"
        case .type: "Type"
        default: "Date (Newest First)"
        }
    }

    private static let typeFilters: [(label: String, types: Set<String>?)] = [
        ("All", nil), ("Camps", ["camp"]), ("Showcases", ["showcase"]), ("Visits", ["official_visit", "unofficial_visit"]), ("Games", ["game"]),
    ]

    // MARK: Keys

    package mutating func handle(_ input: InputEvent) -> [EventsAction] {
        switch input {
        case .key(let key): return press(key)
        case .paste(let text):
            if isSearching {
                _ = search.insert(text.split(whereSeparator: \.isNewline).joined(separator: " "))
                apply()
            }
            return []
        case .mouse(let mouse):
            switch mouse.action {
            case .wheelUp: move(-1)
            case .wheelDown: move(1)
            case .press, .release, .drag: break
            }
            return []
        case .focus: return []
        }
    }

    private mutating func press(_ key: Key) -> [EventsAction] {
        if isHelpOpen {
            isHelpOpen = false
            return []
        }
        if isAskingToDelete {
            isAskingToDelete = false
            guard key.typed?.lowercased() == "y", let selected else { return [] }
            detail = nil
            return [.delete(selected)]
        }
        if isSearching { return type(key) }
        switch chord.feed(key, keymap, in: ["events"]) {
        case .waiting, .undefined: return []
        case .unbound(let key):
            isHelpOpen = key == .character("?")
            return []
        case .action(let name):
            if let shared = SharedAction(named: name) { return [.shared(shared)] }
            if let command = EventsCommand(rawValue: name) { return run(command) }
            switch RoomCommand(rawValue: name) {
            case .help: isHelpOpen = true
            case .pageUp: move(-8)
            case .pageDown: move(8)
            case .scrollUp: move(-1)
            case .scrollDown: move(1)
            default: break
            }
            return []
        }
    }

    private mutating func type(_ key: Key) -> [EventsAction] {
        switch (key.code, key.modifiers) {
        case (.enter, []), (.down, []): isSearching = false
        case (.escape, []), (.character("c"), .control):
            isSearching = false
            search = Terminal.LineEditor()
            apply()
        default:
            if case .action(let name) = keymap.outcome(of: [key], in: ["input"]) {
                if let shared = SharedAction(named: name) { return [.shared(shared)] }
                if let command = EditCommand(rawValue: name), command != .newline, command != .accept { _ = search.perform(command) }
            } else if let character = key.typed {
                _ = search.insert(String(character))
            }
            apply()
        }
        return []
    }

    private mutating func run(_ command: EventsCommand) -> [EventsAction] {
        switch command {
        case .next: detail == nil ? move(1) : scrollDetail(1)
        case .previous: detail == nil ? move(-1) : scrollDetail(-1)
        case .first: select(0)
        case .last: select(count - 1)
        case .nextMonth: return page(1)
        case .previousMonth: return page(-1)
        case .thisMonth: month = today
        case .open: return detail == nil ? selected.map { [.open($0)] } ?? [.shared(.bell)] : []
        case .add: return [.add]
        case .edit: return selected.map { [.edit($0)] } ?? [.shared(.bell)]
        case .attend:
            guard let record = selectedRecord, !record.fields.flag("attended") else { return [.shared(.bell)] }
            return [.attend(record.id)]
        case .delete: isAskingToDelete = selectedRecord != nil
        case .directions:
            guard let link = selectedRecord.flatMap({ Directions.link($0.fields) }) else { return [.shared(.bell)] }
            return [.directions(link)]
        case .interaction: return selected.map { [.log(.interaction, $0)] } ?? [.shared(.bell)]
        case .metric: return selected.map { [.log(.metric, $0)] } ?? [.shared(.bell)]
        case .search:
            detail = nil
            isSearching = true
        case .type:
            let place = Self.typeFilters.firstIndex { $0.types == filter.types } ?? 0
            filter.types = Self.typeFilters[(place + 1) % Self.typeFilters.count].types
            apply()
        case .status:
            let all: [Query.Status?] = [nil, .registered, .notRegistered, .attended]
            filter.status = all[((all.firstIndex(of: filter.status) ?? 0) + 1) % all.count]
            apply()
        case .date:
            let all: [ListFilter.Time] = [.all, .upcoming, .past, .thisMonth, .nextMonth]
            filter.time = all[((all.firstIndex(of: filter.time) ?? 0) + 1) % all.count]
            apply()
        case .sort:
            let all: [Query.Sort?] = [nil, .dateAscending, .name, .type]
            filter.sort = all[((all.firstIndex(of: filter.sort) ?? 0) + 1) % all.count]
            apply()
        case .clear:
            let sort = filter.sort
            filter = ListFilter(.event)
            filter.sort = sort
            search = Terminal.LineEditor()
            apply()
        case .undo: return [.shared(.undoLast)]
        case .close:
            guard detail == nil else {
                detail = nil
                return []
            }
            return [.shared(.close)]
        }
        return []
    }

    private mutating func scrollDetail(_ count: Int) { detailOffset = min(max(detailOffset + count, 0), max((detail?.count ?? 1) - 1, 0)) }

    private mutating func move(_ count: Int) {
        guard detail == nil else { return scrollDetail(count) }
        select((selectedIndex ?? 0) + count)
    }

    /// Selects by place in the list, and shows its month.
    private mutating func select(_ index: Int) {
        guard !places.isEmpty else { return }
        let record = found(min(max(index, 0), count - 1))
        selected = record.id
        if let start = record.fields.text("start_date").flatMap({ CalendarDate($0) }), MonthGrid<Identifier>.month(start, movedBy: 0, today: today) != nil {
            month = start
        }
    }

    /// Pages the months; the first event of the month that comes is selected, if the list has one.
    private mutating func page(_ count: Int) -> [EventsAction] {
        guard let next = MonthGrid<Identifier>.month(month, movedBy: count, today: today) else { return [.shared(.bell)] }
        month = next
        let inMonth = found(from: next.days - next.day + 1, to: last(of: next).days)
        if let first = inMonth.min(by: { ($0.fields.text("start_date") ?? "") < ($1.fields.text("start_date") ?? "") }) { selected = first.id }
        return []
    }

    private func last(of month: CalendarDate) -> CalendarDate { month.adding(days: month.daysInMonth - month.day) ?? month }

    /// An event as days; `nil` for one whose date cannot be read (R048).
    func span(_ record: Record) -> MonthGrid<Identifier>.Span? {
        guard let first = record.fields.text("start_date").flatMap({ CalendarDate($0) }) else { return nil }
        return .init(record.id, first, record.fields.text("end_date").flatMap { CalendarDate($0) })
    }
}

/// The way to an event (R080, R087).
package enum Directions {
    /// A link that maps open; `nil` without an address or a city.
    package static func link(_ fields: Fields) -> String? {
        guard fields.text("address") != nil || fields.text("city") != nil else { return nil }
        let place = ["address", "city", "state"].compactMap { fields.text($0) }.filter { !$0.isEmpty }.joined(separator: ", ")
        return link(place)
    }

    /// The same for a place as people write it; `nil` for an empty one.
    package static func link(_ place: String) -> String? {
        place.isEmpty ? nil : "https://www.openstreetmap.org/search?query=" + encoded(place)
    }

    /// Percent-encoded for a query, RFC 3986 §2.
    private static func encoded(_ text: String) -> String {
        var result = ""
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.append(Character(Unicode.Scalar(octet)))
            default:
                let digits = String(octet, radix: 16, uppercase: true)
                result += "%" + (digits.count < 2 ? "0" : "") + digits
            }
        }
        return result
    }
}

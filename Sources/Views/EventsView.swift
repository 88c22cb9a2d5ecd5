package import Bytes
package import Commands
package import Dates
package import Family
package import Queries
package import Terminal

/// The season: a month beside the list of events, with filters, search, counts and one event in full. Pure.
///
/// Source: R025–R054. The lists use `Queries`, so that they match the server's results.
package struct EventsView: Sendable, SearchPane {
    package internal(set) var filter = ListFilter(.event)
    package internal(set) var month: CalendarDate
    package internal(set) var isSearching = false
    /// The day that the arrow keys are on while they move in the month; `nil` while they move in the list.
    package internal(set) var dayCursor: CalendarDate?
    /// The day whose events the user asked for.
    package internal(set) var selectedDay: CalendarDate?
    /// The first day of the month under the cursor while the user chooses a month.
    package internal(set) var monthChoice: CalendarDate?
    /// The events of the context that pass the filter, in its order, by their positions in `keyed`.
    private(set) var places: [Int] = []
    /// All events with the keys that lists need, computed once: each letter of a search filters the list.
    private var keyed: [(Record, ListKeys)] = []
    /// The values of all events that each frame needs, by the same positions.
    private var ids: [Identifier] = []
    private var days: [(first: Int32, last: Int32)] = []
    /// The positions of all events in each order that was used or prepared.
    private var orders: [Query.Sort: [Int]] = [:]
    /// The number of events that pass the filter.
    package var count: Int { places.count }

    /// One of these events, by its position in the list.
    func found(_ index: Int) -> Record { keyed[places[index]].0 }

    /// The events among these that cover a day between two days, in days since 1970.
    func found(from first: Int, to last: Int) -> [Record] {
        places.filter { days[$0].first != ListKeys.none && Int(days[$0].first) <= last && Int(days[$0].last) >= first }.map { keyed[$0].0 }
    }
    /// Whether the context has no event at all.
    package var isEmpty: Bool { keyed.isEmpty }
    package internal(set) var selected: Identifier? {
        // The open detail and the open question are about the selected event.
        didSet { if selected != oldValue { (detail, asked) = (nil, nil) } }
    }
    /// The event that is open.
    package internal(set) var detail: DetailPane?
    /// On a wide screen: the selected event, beside the list, while none is open.
    private(set) var preview: (event: Identifier, pane: DetailPane)?
    var asked: RemovalQuestion?
    package internal(set) var isHelpOpen = false
    package var mayWrite = true
    /// Whether the family has an athlete: without one, nobody can have an event.
    package var hasAthletes = true
    var search = LineField("Search: ", limit: Terminal.LineEditor.searchLimit)
    var chord = ChordReader()
    package var keymap: Keymap
    package var theme: Theme
    package let firstWeekday: Weekday
    /// The names of the athletes, shown with events when the list covers the whole family.
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

    /// Shows the records that pass the filter.
    package mutating func show(_ records: [Record], context: Context, today: CalendarDate) {
        self.today = today
        self.context = context
        keyed = ListFilter.keyed(
            records.filter { record in
                if case .athlete(let id) = context { record.athlete == id } else { true }
            })
        orders = [:]
        // The most common order is also the order in memory: reading neighbours is fast.
        if let query = try? Query(.event, sort: .dateDescending) {
            keyed = query.ordered(keyed)
            orders[query.sort] = Array(keyed.indices)
        }
        ids = keyed.map(\.0.id)
        days = keyed.map { ($0.1.firstDay, $0.1.lastDay) }
        apply()
    }

    /// Prepares an order that was not used yet: with thousands of events this takes longer than one key press may.
    ///
    /// - Returns: false when all orders are ready.
    package mutating func prepare() -> Bool {
        for sort in Self.sorts.map({ $0 ?? .dateDescending }) where orders[sort] == nil {
            guard let query = try? Query(.event, sort: sort) else { continue }
            orders[sort] = query.order(keyed)
            return true
        }
        return false
    }

    /// Shows one event in full.
    package mutating func showDetail(_ lines: [DetailLine]) { detail = DetailPane(lines) }

    /// Whether a screen has room for the selected event beside month and list.
    package func hasPreview(_ size: Size) -> Bool { size.columns >= Self.paneColumns && detail == nil && selected != nil }

    /// The smallest width at which month, list and an event are side by side.
    package static let paneColumns = 150

    /// Shows the selected event beside the list.
    package mutating func showPreview(_ event: Identifier, _ lines: [DetailLine]) { preview = (event, DetailPane(lines)) }

    /// Updates the lines of the open event.
    package mutating func refreshDetail(_ lines: [DetailLine]) {
        detail?.refresh(lines)
        if case .part(let part, _)? = asked, detail?.records.contains(part) != true { asked = nil }
    }

    /// Restores the order of the last visit (R040).
    package mutating func restore(_ sort: Query.Sort?) {
        let sort = Self.sorts.contains(sort) ? sort : nil
        guard sort != filter.sort else { return }
        filter.sort = sort
        apply()
    }

    mutating func apply() {
        filter.text = search.text
        // An invalid query was already refused when it was typed.
        guard let query = try? filter.query(context: context) else { return }
        let order = orders[query.sort] ?? query.order(keyed)
        orders[query.sort] = order
        places = query.wanted(keyed, today: today, in: order)
        if selectedIndex == nil {
            selected = places.first.map { ids[$0] }
            selectedDay = nil
        }
        // The month shows what was found.
        if !search.text.isEmpty, let start = selectedRecord?.fields.text("start_date").flatMap({ CalendarDate($0) }), isReachable(start) { month = start }
    }

    /// Resets the filters when the user goes to another page, so that the next visit begins with all events (R040). An
    /// open event stays open.
    package mutating func leave() {
        isSearching = false
        if !filterWords.isEmpty || !search.text.isEmpty { clear() }
    }

    /// Removes all filters and the search; the order stays (R040).
    mutating func clear() {
        let sort = filter.sort
        filter = ListFilter(.event)
        filter.sort = sort
        search.set("")
        selectedDay = nil
        apply()
    }

    var selectedIndex: Int? { places.firstIndex { ids[$0] == selected } }
    package var selectedRecord: Record? { selectedIndex.map { found($0) } }

    /// The number of upcoming events, and the days until the next one, regardless of the filter (R026).
    var ahead: (count: Int, days: Int?) {
        let today = Int32(clamping: self.today.days)
        var (count, soonest) = (0, Int32?.none)
        for (first, last) in days where first != ListKeys.none && last >= today {
            count += 1
            soonest = min(soonest ?? .max, max(first - today, 0))
        }
        return (count, soonest.map { Int($0) })
    }

    // MARK: Filters and orders

    static let typeFilters: [(label: String, types: Set<String>?)] = [
        ("All", nil), ("Camps", ["camp"]), ("Showcases", ["showcase"]), ("Visits", ["official_visit", "unofficial_visit"]), ("Games", ["game"]),
    ]
    static let statuses: [Query.Status?] = [nil, .registered, .notRegistered, .attended]
    static let times: [ListFilter.Time] = [.all, .upcoming, .past, .thisMonth, .nextMonth]
    static let sorts: [Query.Sort?] = [nil, .dateAscending, .name, .type]

    /// The active filters, in words, and the command that switches each to its next value.
    var filterChips: [(words: String, command: EventsCommand)] {
        var chips: [(String, EventsCommand)] = []
        if let types = filter.types, let name = Self.typeFilters.first(where: { $0.types == types })?.label { chips.append((name, .type)) }
        switch filter.status {
        case .registered: chips.append(("Registered", .status))
        case .notRegistered: chips.append(("Not Registered", .status))
        case .attended: chips.append(("Attended", .status))
        case nil: break
        }
        switch filter.time {
        case .all: break
        case .upcoming: chips.append(("Upcoming", .date))
        case .past: chips.append(("Past", .date))
        case .thisMonth: chips.append(("This Month", .date))
        case .nextMonth: chips.append(("Next Month", .date))
        }
        return chips
    }

    package var filterWords: [String] { filterChips.map(\.words) }

    var sortWords: String {
        switch filter.sort ?? (filter.time == .upcoming ? .dateAscending : nil) {
        case .dateAscending: "Date (Oldest First)"
        case .name: "Name"
        case .type: "Type"
        default: "Date (Newest First)"
        }
    }

    // MARK: Moving

    mutating func move(_ count: Int) {
        guard detail == nil else {
            detail?.scroll(count)
            return
        }
        select((selectedIndex ?? 0) + count)
    }

    /// Selects by position in the list, and shows the event's month.
    mutating func select(_ index: Int) {
        guard !places.isEmpty else { return }
        let record = found(min(max(index, 0), count - 1))
        selected = record.id
        selectedDay = nil
        if let start = record.fields.text("start_date").flatMap({ CalendarDate($0) }), isReachable(start) { month = start }
    }

    /// The days of an event; `nil` if its date cannot be read (R048).
    func span(_ record: Record) -> MonthGrid<Identifier>.Span? {
        guard let first = record.fields.text("start_date").flatMap({ CalendarDate($0) }) else { return nil }
        return .init(record.id, first, record.fields.text("end_date").flatMap { CalendarDate($0) })
    }
}

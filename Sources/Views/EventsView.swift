package import Bytes
package import Commands
package import Dates
package import Family
package import Queries
package import Terminal

/// The season: a month beside the list of events, with filters, search, counts and one event in full. Pure.
///
/// Source: R025–R054. Lists are those of `Queries`, so that the server would answer the same.
package struct EventsView: Sendable, SearchingPane {
    package internal(set) var filter = ListFilter(.event)
    package internal(set) var month: CalendarDate
    package internal(set) var isSearching = false
    /// The day that the arrow keys are on while they move in the month; `nil` while they move in the list.
    package internal(set) var dayCursor: CalendarDate?
    /// The day whose events were asked for.
    package internal(set) var selectedDay: CalendarDate?
    /// The first day of the month that is about to be chosen, while one chooses.
    package internal(set) var monthChoice: CalendarDate?
    /// Those of the context that the filter leaves, in its order, by their places in `keyed`.
    private(set) var places: [Int] = []
    /// All with what lists ask of them, worked out once: the list is filtered with each letter of a search.
    private var keyed: [(Record, ListKeys)] = []
    /// Of those, by the same places, what each frame asks of all of them.
    private var ids: [Identifier] = []
    private var days: [(first: Int32, last: Int32)] = []
    /// Their places in each order that was asked for, or may be.
    private var orders: [Query.Sort: [Int]] = [:]
    /// How many the filter leaves.
    package var count: Int { places.count }

    /// One of those, by its place in the list.
    func found(_ index: Int) -> Record { keyed[places[index]].0 }

    /// Those of them that have a day in a part of the calendar, in days since 1970.
    func found(from first: Int, to last: Int) -> [Record] {
        places.filter { days[$0].first != ListKeys.none && Int(days[$0].first) <= last && Int(days[$0].last) >= first }.map { keyed[$0].0 }
    }
    /// Whether the context has no event at all.
    package var isEmpty: Bool { keyed.isEmpty }
    package internal(set) var selected: Identifier? {
        // What is open, and asked, is about the one that the keys are about.
        didSet { if selected != oldValue { (detail, asked) = (nil, nil) } }
    }
    /// The event that is open.
    package internal(set) var detail: DetailPane?
    var asked: Asked?
    package internal(set) var isHelpOpen = false
    var search = LineField("Search: ")
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
        orders = [:]
        // As they are mostly wanted: whatever lies behind one another is looked at quickly.
        if let query = try? Query(.event, sort: .dateDescending) {
            keyed = query.ordered(keyed)
            orders[query.sort] = Array(keyed.indices)
        }
        ids = keyed.map(\.0.id)
        days = keyed.map { ($0.1.firstDay, $0.1.lastDay) }
        apply()
    }

    /// Makes ready an order that was not asked for yet: with thousands of events it takes longer than a key may.
    ///
    /// - Returns: false when all are.
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

    /// The event that is open is different now.
    package mutating func refreshDetail(_ lines: [DetailLine]) {
        detail?.refresh(lines)
        if case .part(let part, _)? = asked, detail?.records.contains(part) != true { asked = nil }
    }

    /// The order of the last time (R040).
    package mutating func restore(_ sort: Query.Sort?) {
        let sort = Self.sorts.contains(sort) ? sort : nil
        guard sort != filter.sort else { return }
        filter.sort = sort
        apply()
    }

    mutating func apply() {
        filter.text = search.text
        // What cannot be asked was refused when it was typed.
        guard let query = try? filter.query(context: context) else { return }
        let order = orders[query.sort] ?? query.order(keyed)
        orders[query.sort] = order
        places = query.wanted(keyed, today: today, in: order)
        guard selectedIndex == nil else { return }
        selected = places.first.map { ids[$0] }
        selectedDay = nil
    }

    /// Another page is looked at: whoever comes back finds all events again (R040). What is open stays.
    package mutating func leave() {
        isSearching = false
        if !filterWords.isEmpty || !search.text.isEmpty { clear() }
    }

    /// All filters and the search are off; the order stays (R040).
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

    /// How many are ahead, and in how many days the next begins; whatever the filter leaves (R026).
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

    /// The filters that are on, in words, and the command that goes on to the next of each.
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

    /// Selects by place in the list, and shows its month.
    mutating func select(_ index: Int) {
        guard !places.isEmpty else { return }
        let record = found(min(max(index, 0), count - 1))
        selected = record.id
        selectedDay = nil
        if let start = record.fields.text("start_date").flatMap({ CalendarDate($0) }), isReachable(start) { month = start }
    }

    /// An event as days; `nil` for one whose date cannot be read (R048).
    func span(_ record: Record) -> MonthGrid<Identifier>.Span? {
        guard let first = record.fields.text("start_date").flatMap({ CalendarDate($0) }) else { return nil }
        return .init(record.id, first, record.fields.text("end_date").flatMap { CalendarDate($0) })
    }
}

package import Bytes
package import Dates
package import Family
package import Terminal
package import Words

/// Trips: a list, and each trip by day with a month beside it; a stay is on every day that it covers. Pure.
///
/// Source: R150–R165; product.md, "Trips and itinerary".
package struct ItineraryView: Sendable, PromptPane {
    /// A trip in the list.
    package struct Row: Hashable, Sendable {
        package let id: Identifier
        package let name: String
        package let facts: String
        package let items: Int
        package let isOver: Bool
        package let isNow: Bool
        /// The days of the trip; `nil` if its date cannot be read.
        let days: ClosedRange<CalendarDate>?
    }

    /// The confirmations before an action.
    enum Question: Hashable, Sendable {
        case delete(Kind, Identifier, name: String, items: Int)
        case shift(Kind, Identifier, name: String)
        case copy(Identifier, name: String)
        /// The reason why both items of `clash` are valid.
        case reason
    }

    package private(set) var rows: [Row] = []
    /// Every trip, for the month beside the list.
    private(set) var everyRow: [Row] = []
    /// A day of the month beside the list, and the day that the user asked for there.
    package internal(set) var month: CalendarDate
    package internal(set) var tripDay: CalendarDate?
    /// The open trip.
    package private(set) var plan: TripPlan?
    package private(set) var day: CalendarDate
    package private(set) var today: CalendarDate
    package private(set) var showsPast = false
    /// The change that was refused because of an overlap, while the user decides.
    package private(set) var clash: DraftItem?
    package private(set) var detail: [String]?
    package internal(set) var isHelpOpen = false
    package var mayWrite = true
    /// A message for the user, which the caller shows.
    package var toast: String?
    package var theme: Theme
    package var keymap: Keymap
    package let firstWeekday: Weekday
    var selectedTrip: Identifier? {
        didSet { if selectedTrip != oldValue { showMonthOfTrip() } }
    }
    package internal(set) var selectedItem: Identifier? {
        // An open detail belongs to the selected item.
        didSet { if selectedItem != oldValue { detail = nil } }
    }
    var detailOffset = 0
    var question: Question?
    var input: LineField?
    var chord = ChordReader()
    private var trips: [Record] = []
    private var items: [Record] = []
    /// The current time, for new items of today.
    package var time = LocalTime.midnight

    package init(today: CalendarDate, theme: Theme, keymap: Keymap, firstWeekday: Weekday) {
        self.today = today
        day = today
        month = today
        self.theme = theme
        self.keymap = keymap
        self.firstWeekday = firstWeekday
    }

    /// Shows these records.
    ///
    /// - Parameter now: the current time in the family's zone.
    package mutating func show(trips: [Record], items: [Record], names: RecordNames, now: LocalDateTime) {
        (self.trips, self.items) = (trips, items)
        (today, time) = (now.date, now.time)
        let today = today.description
        let counts = Dictionary(items.compactMap { $0.fields.reference("trip_id") }.map { ($0, 1) }, uniquingKeysWith: +)
        let all: [(row: Row, start: String)] = trips.map { trip in
            let start = trip.fields.text("start_date") ?? ""
            let end = EventText.lastDay(trip.fields) ?? start
            let people = trip.fields.set("participants").map { $0.name.isEmpty ? names.member($0.id) : $0.name.printable }
            let facts: [String] = [EventText.dates(trip.fields), trip.fields.text("location")?.printable ?? "", people.joined(separator: ", ")]
            let first = CalendarDate(start)
            let last = max(CalendarDate(end) ?? first ?? .first, first ?? .first)
            let row = Row(
                id: trip.id, name: RecordNames.name(trip), facts: facts.filter { !$0.isEmpty }.joined(separator: " · "), items: counts[trip.id] ?? 0,
                isOver: end < today, isNow: start <= today && end >= today, days: first.map { $0...last })
            return (row, start)
        }
        let ahead = all.filter { !$0.row.isOver }.sorted { ($0.start, $0.row.id) < ($1.start, $1.row.id) }
        let over = all.filter { $0.row.isOver }.sorted { ($0.start, $0.row.id) > ($1.start, $1.row.id) }
        rows = (ahead + (showsPast ? over : [])).map { $0.row }
        everyRow = (over.reversed() + ahead).map { $0.row }
        overCount = over.count
        members = names.records(of: .member)
        if !rows.contains(where: { $0.id == selectedTrip }) { selectedTrip = rows.first?.id }
        guard let open = plan?.trip else { return }
        if let trip = trips.first(where: { $0.id == open }) {
            plan = TripPlan(trip, items, names)
            settle()
        } else {
            (plan, selectedItem) = (nil, nil)
        }
    }

    /// The number of past trips.
    package private(set) var overCount = 0
    private var members: [Record] = []

    /// Shows a record in full.
    package mutating func showDetail(_ lines: [String]) { (detail, detailOffset) = (lines, 0) }

    /// Updates the lines of the open record.
    package mutating func refreshDetail(_ lines: [String]) { if detail != nil { detail = lines } }

    /// Asks about overlapping items.
    package mutating func show(_ clash: DraftItem) {
        guard clash.isOverlap else { return }
        (self.clash, question, input) = (clash, nil, nil)
    }

    /// Opens a trip, at today if today is one of its days.
    package mutating func open(_ trip: Identifier) {
        guard let record = trips.first(where: { $0.id == trip }) else { return }
        let plan = TripPlan(record, items, RecordNames(members))
        self.plan = plan
        selectedTrip = trip
        selectedItem = nil
        day = plan.days.contains { $0.date == today } ? today : plan.days.first?.date ?? today
        settle()
    }

    /// Moves the selection to a day of the trip and to an item of that day.
    private mutating func settle() {
        guard let plan else { return }
        if !plan.days.contains(where: { $0.date == day }) {
            day = plan.days.first { $0.date >= day }?.date ?? plan.days.last?.date ?? day
        }
        if !entries.contains(where: { $0.id == selectedItem }) { selectedItem = entries.first?.id }
    }

    /// The items of the selected day.
    var entries: [TripPlan.Entry] { plan?.days.first { $0.date == day }?.entries ?? [] }
    var selectedEntry: TripPlan.Entry? { entries.first { $0.id == selectedItem } }
    var selectedRow: Row? { rows.first { $0.id == selectedTrip } }

    // MARK: Keys

    package mutating func handle(_ input: InputEvent) -> [ItineraryAction] { receive(input) }

    mutating func roll(_ count: Int) { move(count) }

    mutating func page(_ count: Int) -> [ItineraryAction] {
        move(count * 5)
        return []
    }

    /// The names of click targets: a trip by its position, a stop of the days by its position, a day by its days since
    /// 1970.
    static let tripTarget = "trip", stopTarget = "stop", dayTarget = "day"

    /// Handles a click. A second click on a selected trip or stop opens it.
    mutating func click(_ target: ClickTarget?) -> [ItineraryAction] {
        guard case .place(let name, let number)? = target, question == nil, clash == nil, !isHelpOpen else { return [] }
        let stops = stops
        switch name {
        case Self.tripTarget where rows.indices.contains(number):
            if rows[number].id == selectedTrip { return run(.open) }
            selectedTrip = rows[number].id
        case Self.stopTarget where stops.indices.contains(number):
            let stop = stops[number]
            if stop.day == day, stop.item == selectedItem, stop.item != nil { return run(.open) }
            (day, selectedItem) = stop
        case Self.dayTarget where plan == nil:
            if let date = CalendarDate(days: number) { choose(tripDay: date) }
        case Self.dayTarget:
            guard let date = CalendarDate(days: number), plan?.days.contains(where: { $0.date == date }) == true else { return [.shared(.bell)] }
            detail = nil
            day = date
            selectedItem = entries.first?.id
        default: break
        }
        return []
    }

    mutating func press(_ key: Terminal.Key) -> [ItineraryAction] {
        toast = nil
        if input != nil { return type(key) }
        if case .delete(let kind, let id, _, _)? = question {
            question = nil
            guard key.typed?.lowercased() == "y" else { return [] }
            detail = nil
            return [.pane(.submit("/rm \(KindWords.singular(kind)[0]) \(id)"))]
        }
        if let clash { return decide(clash, key) }
        return dispatch(key, in: "trips")
    }

    /// Decides about an overlap: accept both items with a reason, edit one of them, or drop the change. An undecided
    /// change stays among the refused ones.
    private mutating func decide(_ clash: DraftItem, _ key: Terminal.Key) -> [ItineraryAction] {
        switch key.typed {
        case "w", "o":
            question = .reason
            input = LineField("Reason: ")
        case "e":
            guard let command = clash.command else { return [.shared(.bell)] }
            self.clash = nil
            return [.pane(.compose(command))]
        case "x":
            self.clash = nil
            return [.drop(clash.id)]
        default:
            guard key.code == .escape || key == .control("c") || key.typed == "q" else { return [.shared(.bell)] }
            self.clash = nil
            toast = "It is kept with what was refused."
        }
        return []
    }

    mutating func dropInput() { (input, question) = (nil, nil) }

    mutating func accept(_ text: String) -> [ItineraryAction] {
        if question == .reason {
            guard text.contains(where: { !$0.isWhitespace }), let clash else {
                toast = "A reason is required."
                return [.shared(.bell)]
            }
            dropInput()
            self.clash = nil
            return [.override(clash.id, reason: text)]
        }
        guard let days = Int(text.filter { !$0.isWhitespace }), (1...36_500).contains(days.magnitude) else {
            toast = "Write a number of days, as 7 or -7."
            return [.shared(.bell)]
        }
        defer { dropInput() }
        return switch question {
        case .shift(let kind, let id, _): [.pane(.submit("/shift \(KindWords.singular(kind)[0]) \(id) \(days)"))]
        case .copy(let id, _): [.pane(.submit("/copy trip \(id) \(days)"))]
        case .delete, .reason, nil: []
        }
    }

    mutating func run(_ command: ItineraryCommand) -> [ItineraryAction] {
        switch command {
        case .next: move(1)
        case .previous: move(-1)
        case .nextDay: plan == nil ? moveMonth(1) : moveDay(1)
        case .previousDay: plan == nil ? moveMonth(-1) : moveDay(-1)
        case .first: moveToEnd(first: true)
        case .last: moveToEnd(first: false)
        case .today:
            if plan != nil {
                day = today
                settle()
            } else {
                choose(tripDay: today)
            }
        case .open:
            guard detail == nil else { return [] }
            if plan == nil {
                guard let selectedTrip else { return [.shared(.bell)] }
                open(selectedTrip)
            } else if let entry = selectedEntry {
                return [.open(entry.id)]
            }
        case .add: return [add()]
        case .edit:
            guard let id = target?.id else { return [.shared(.bell)] }
            return [.pane(.edit(id))]
        case .delete:
            guard let (kind, id, name) = target else { return [.shared(.bell)] }
            question = .delete(kind, id, name: name, items: kind == .trip ? selectedRow?.items ?? 0 : 0)
        case .shift:
            guard let (kind, id, name) = target else { return [.shared(.bell)] }
            question = .shift(kind, id, name: name)
            input = LineField("Days: ")
        case .copy:
            guard let trip = plan.map({ ($0.trip, $0.name) }) ?? selectedRow.map({ ($0.id, $0.name) }) else { return [.shared(.bell)] }
            question = .copy(trip.0, name: trip.1)
            input = LineField("Days later: ")
        case .past: showPast(!showsPast)
        case .directions:
            guard let item = selectedItem.flatMap({ id in items.first { $0.id == id } }), let place = item.fields.text("location"),
                let link = Directions.link(place)
            else { return [.shared(.bell)] }
            return [.shared(.copy(link))]
        case .back, .close:
            if detail != nil {
                detail = nil
            } else if plan != nil {
                (plan, selectedItem) = (nil, nil)
            } else {
                return [.shared(command == .back ? .stepBack : .close)]
            }
        }
        return []
    }

    /// The record that a key acts on: the selected item, or the trip.
    private var target: (kind: Kind, id: Identifier, name: String)? {
        if let plan {
            if let entry = selectedEntry { return (.tripItem, entry.id, entry.title) }
            return (.trip, plan.trip, plan.name)
        }
        return selectedRow.map { (.trip, $0.id, $0.name) }
    }

    /// Adds a trip, or an item of one hour on the selected day: at the current time if the day is today, otherwise at
    /// nine (R163).
    private func add() -> ItineraryAction {
        guard let plan else { return .pane(.add(.trip, [:])) }
        let nine = LocalTime(hour: 9, minute: 0) ?? .midnight
        let start = LocalDateTime(date: day, time: day == today ? LocalTime(minutes: time.minutes / 5 * 5) ?? nine : nine)
        let end = LocalDateTime(minutes: start.minutes + 60) ?? start
        return .pane(
            .add(.tripItem, ["trip_id": .reference(plan.trip), "start_time": .text(Self.text(start)), "end_time": .text(Self.text(end)), "category": .text("activity")]))
    }

    private static func text(_ moment: LocalDateTime) -> String { "\(moment.date)T\(moment.time)" }

    private mutating func move(_ count: Int) {
        if detail != nil {
            detailOffset = min(max(detailOffset + count, 0), max((detail?.count ?? 1) - 1, 0))
        } else if plan != nil {
            let all = stops
            guard !all.isEmpty else { return }
            let place = all.firstIndex { $0.day == day && $0.item == selectedItem } ?? all.firstIndex { $0.day == day } ?? 0
            let next = all[min(max(place + count, 0), all.count - 1)]
            (day, selectedItem) = (next.day, next.item)
        } else if !rows.isEmpty {
            let place = rows.firstIndex { $0.id == selectedTrip } ?? 0
            selectedTrip = rows[min(max(place + count, 0), rows.count - 1)].id
        }
    }

    mutating func showPast(_ isWanted: Bool) {
        showsPast = isWanted
        show(trips: trips, items: items, names: RecordNames(members), now: LocalDateTime(date: today, time: time))
    }

    private mutating func moveToEnd(first: Bool) {
        if detail != nil {
            detailOffset = first ? 0 : max((detail?.count ?? 1) - 1, 0)
        } else if plan != nil {
            if let stop = first ? stops.first : stops.last { (day, selectedItem) = (stop.day, stop.item) }
        } else if let row = first ? rows.first : rows.last {
            selectedTrip = row.id
        }
    }

    /// The items of all days, in their order on the screen; a day without items counts as one stop.
    var stops: [(day: CalendarDate, item: Identifier?)] {
        (plan?.days ?? []).flatMap { day -> [(day: CalendarDate, item: Identifier?)] in
            day.entries.isEmpty ? [(day.date, nil)] : day.entries.map { (day.date, $0.id) }
        }
    }

    private mutating func moveDay(_ count: Int) {
        guard let plan, !plan.days.isEmpty else { return }
        let place = plan.days.firstIndex { $0.date == day } ?? 0
        day = plan.days[min(max(place + count, 0), plan.days.count - 1)].date
        selectedItem = entries.first?.id
    }
}

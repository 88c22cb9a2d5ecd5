package import Bytes
package import Dates
package import Family
internal import Terminal
package import Words

/// One trip by day, in words, as a view shows it. It is computed when records change, not when it is drawn.
package struct TripPlan: Hashable, Sendable {
    /// An item on one of its days.
    package struct Entry: Hashable, Sendable {
        package let id: Identifier
        package let day: CalendarDate
        /// "09:30 - 11:30", "all night" for a stay that continues.
        package let times: String
        package let title: String
        /// "accommodation", as declared.
        package let category: String
        /// "Food"
        package let label: String
        package let duration: String
        /// Place, zone if it differs from the trip's, participants if not the whole family, and description; each may
        /// be missing.
        package let details: [String]
        /// Whether the item is on more days than this one.
        package let isStay: Bool
    }

    package struct Day: Hashable, Sendable {
        package let date: CalendarDate
        package let entries: [Entry]
    }

    package let trip: Identifier
    package let name: String
    /// "Jun 11 - 12, 2027 · Albany · America/New_York"
    package let facts: String
    /// Each day of the trip, and the days outside of it that have items.
    package let days: [Day]
    /// The number of items that are not in the itinerary.
    package let hidden: Int

    /// The largest number of empty trip days in the list, so that a mistyped year does not fill the screen.
    private static let mostEmptyDays = 100

    /// - Parameter items: items of any trip.
    package init(_ trip: Record, _ items: [Record], _ names: RecordNames) {
        self.trip = trip.id
        name = RecordNames.name(trip)
        let own = items.filter { $0.fields.reference("trip_id") == trip.id }
        let shown = own.filter { $0.fields.flag("include_in_itinerary") }
        hidden = own.count - shown.count
        let home = trip.fields.text("time_zone")
        let people = trip.fields.set("participants").map { $0.name.isEmpty ? names.member($0.id) : $0.name.printable }
        facts = [EventText.dates(trip.fields), trip.fields.text("location")?.printable, home?.printable, people.isEmpty ? nil : people.joined(separator: ", ")]
            .compactMap(\.self).joined(separator: " · ")
        // Each zone is read only once.
        let zoneNames = Set(own.flatMap { [$0.fields.text("start_zone"), $0.fields.text("end_zone")] }.compactMap(\.self))
        let zones = Dictionary(zoneNames.map { ($0, LocalClock.rules($0)) }, uniquingKeysWith: { first, _ in first })
        let environment = RuleEnvironment(zone: { zones[$0] ?? nil })
        let byID = Dictionary(shown.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var days: [CalendarDate: [Entry]] = [:]
        if let first = trip.fields.text("start_date").flatMap({ CalendarDate($0) }) {
            let last = trip.fields.text("end_date").flatMap { CalendarDate($0) } ?? first
            for count in 0...min(max(first.days(until: last), 0), Self.mostEmptyDays - 1) {
                if let date = first.adding(days: count) { days[date] = [] }
            }
        }
        for day in Itinerary.days(shown, environment) {
            days[day.date] = day.items.compactMap { byID[$0].map { Entry($0, on: day.date, home: home, environment, names) } }
        }
        self.days = days.keys.sorted().map { Day(date: $0, entries: days[$0] ?? []) }
    }
}

extension TripPlan.Entry {
    fileprivate init(_ item: Record, on day: CalendarDate, home: String?, _ environment: RuleEnvironment, _ names: RecordNames) {
        let fields = item.fields
        id = item.id
        self.day = day
        let start = fields.text("start_time").flatMap { LocalDateTime($0) }
        let end = fields.text("end_time").flatMap { LocalDateTime($0) }
        let startZone = fields.text("start_zone")
        let endZone = fields.text("end_zone") ?? startZone
        isStay = Itinerary.dates(fields).count > 1
        switch (start, end) {
        case (let start?, let end?) where start.date == day && end.date == day: times = "\(start.time) - \(end.time)"
        case (let start?, _?) where start.date == day && isStay: times = "from \(start.time)"
        case (let start?, let end?) where start.date == day: times = "\(start.time) - \(Self.short(end.date)) \(end.time)"
        case (_, let end?) where end.date == day: times = "until \(end.time)"
        case (let start?, nil): times = "\(start.time)"
        default: times = "stays"
        }
        title = RecordNames.name(item)
        category = fields.text("category") ?? "other"
        label = (fields.choiceLabel("category") ?? "Other").printable
        duration = TripItemSpan(fields, environment)?.duration ?? "Unknown"
        let people = fields.set("participants").map { $0.name.isEmpty ? names.member($0.id) : $0.name.printable }
        var zone: String?
        if let startZone, startZone != home { zone = TripWords.city(startZone) }
        if let endZone, end != nil, endZone != startZone { zone = "\(TripWords.city(startZone ?? "UTC")) to \(TripWords.city(endZone))" }
        details = [
            fields.text("location")?.printable, zone, people.isEmpty ? nil : people.joined(separator: ", "),
            fields.text("description").flatMap { $0.printableLines.first { !$0.isEmpty } },
        ].compactMap(\.self)
    }

    private static func short(_ date: CalendarDate) -> String { EventText.dayAndMonth(date.description) }
}

/// Days in words.
enum TripWords {
    static let months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]
    private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

    /// "Friday, June 11" (R160).
    static func day(_ date: CalendarDate) -> String {
        let month = months[date.month - 1]
        return "\(weekdays[date.weekday.rawValue - 1]), " + (DateOrder.current == .monthFirst ? "\(month) \(date.day)" : "\(date.day) \(month)")
    }

    /// "Fri, Jun 11"
    static func short(_ date: CalendarDate) -> String { "\(weekdays[date.weekday.rawValue - 1].prefix(3)), \(EventText.dayAndMonth(date.description))" }

    /// "New York" of a zone's name.
    static func city(_ zone: String) -> String { (zone.split(separator: "/").last.map(String.init) ?? zone).replacing("_", with: " ").printable }

    /// The picture of a category (R151).
    static func glyph(_ category: String) -> String {
        switch category {
        case "accommodation": "🏨"
        case "food": "🍴"
        case "transportation": "🚗"
        case "activity": "🚶"
        case "entertainment": "🎭"
        default: "📅"
        }
    }
}

package import Dates
package import Family
internal import Terminal

/// Trip items in words, as the requirements define them.
package enum TripText {
    /// "Apr 15, 2026 09:30" of `YYYY-MM-DDTHH:MM`; any other text as it is.
    package static func moment(_ text: String) -> String {
        guard let local = LocalDateTime(text) else { return text.printable }
        return EventText.dates(local.date.description, nil) + " " + local.time.description
    }

    /// The duration of an item: "2h 0m", "45m", "All day" without an end (R152).
    package static func duration(_ fields: Fields) -> String {
        TripItemSpan(fields, RuleEnvironment(zone: LocalClock.rules))?.duration ?? "Unknown"
    }

    /// "    09:30 - 11:30  Flight to Austin (Transportation, 2h 0m), Gate B: Maya", for a day of the itinerary.
    package static func line(_ item: Record, of trip: Record, on day: CalendarDate, _ names: RecordNames) -> String {
        let fields = item.fields
        let start = fields.text("start_time").flatMap { LocalDateTime($0) }
        let end = fields.text("end_time").flatMap { LocalDateTime($0) }
        var times = start.map { $0.date == day ? $0.time.description : "since \(EventText.dayAndMonth($0.date.description))" } ?? ""
        if let end { times += " - " + (end.date == day ? end.time.description : EventText.dayAndMonth(end.date.description)) }
        let zone = fields.text("start_zone") ?? ""
        if !zone.isEmpty, zone != trip.fields.text("time_zone") { times += " (\(zone.printable))" }
        var text = "    \(times)  \(RecordNames.name(item)) (\((fields.choiceLabel("category") ?? "").printable), \(duration(fields)))"
        if let location = fields.text("location") { text += ", \(location.printable)" }
        let people = fields.set("participants").map { $0.name.isEmpty ? names.member($0.id) : $0.name.printable }
        return people.isEmpty ? text : text + ": " + people.joined(separator: ", ")
    }

    /// "Zoo, Jul 2, 2026 10:00 - 12:00" of one side of an overlap.
    static func overlapping(_ item: Overlap.Item) -> String {
        let sameDay = item.start.prefix(10) == item.end.prefix(10)
        let end = sameDay ? String(item.end.dropFirst(11)) : moment(item.end)
        return "\(item.title.printable), \(moment(item.start)) - \(end.printable)"
    }
}

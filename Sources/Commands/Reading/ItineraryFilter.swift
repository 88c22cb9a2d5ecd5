package import Arguments
internal import Bytes
package import Dates
package import Family
package import Words

/// The part of the itinerary that a person wants.
package struct ItineraryFilter: Hashable, Sendable {
    /// The name or id of a trip; `nil`: all trips that are not over.
    package var trip: String?
    package var day: CalendarDate?

    package init(trip: String? = nil, day: CalendarDate? = nil) {
        self.trip = trip
        self.day = day
    }

    /// The wanted trips by first day, each with its items by start (R156).
    ///
    /// - Parameters:
    ///   - items: all items.
    ///   - today: `YYYY-MM-DD` in the family's zone.
    package func apply(_ items: [Record], today: String, _ lookup: RecordLookup) throws(UsageError) -> [(trip: Record, items: [Record])] {
        let trips: [Record]
        if let trip {
            trips = [try lookup.find([.trip], trip)]
        } else {
            trips = lookup.names.records(of: .trip).filter { EventText.lastDay($0.fields) ?? "" >= today }
                .sorted { ($0.fields.text("start_date") ?? "", $0.id) < ($1.fields.text("start_date") ?? "", $1.id) }
        }
        let environment = RuleEnvironment(zone: LocalClock.rules)
        return trips.map { trip in
            let planned = items.filter { item in
                item.fields.reference("trip_id") == trip.id && item.fields.flag("include_in_itinerary")
                    && (day.map { Itinerary.dates(item.fields).contains($0) } ?? true)
            }
            let starts = planned.map { (item: $0, start: TripItemSpan($0.fields, environment)?.start ?? .max) }
            return (
                trip,
                starts.sorted { ($0.start, $0.item.fields.shownName, $0.item.id) < ($1.start, $1.item.fields.shownName, $1.item.id) }
                    .map(\.item)
            )
        }
    }

    /// The itinerary for people: each trip, its days, and the items of each day.
    package func lines(_ trips: [(trip: Record, items: [Record])], names: RecordNames) -> [String] {
        guard !trips.isEmpty else { return ["No trips ahead."] }
        return trips.flatMap { trip, items -> [String] in
            var lines = ["\(RecordNames.name(trip)), \(EventText.dates(trip.fields))"]
            if items.isEmpty { lines.append("  Nothing is planned.") }
            let byID = Dictionary(items.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            for day in Itinerary.days(items, RuleEnvironment(zone: LocalClock.rules)) where self.day == nil || self.day == day.date {
                lines.append("  " + EventText.dates(day.date.description, nil))
                lines += day.items.compactMap { byID[$0].map { TripText.line($0, of: trip, on: day.date, names) } }
            }
            return lines
        }
    }
}

package import Bytes
package import Dates

/// The items of a trip by local day (product.md, "Itinerary"; R156, R159).
package enum Itinerary {
    package struct Day: Hashable, Sendable {
        package let date: CalendarDate
        /// In the order of their starts; then by title and id.
        package let items: [Identifier]
    }

    /// Days of one stay that are shown: longer ones are homes, and an input error must not fill a screen with centuries.
    package static let maxStayDays = 400

    /// The days that have something, ascending. Each item is on the local day of its start; a stay on every day that it covers, the
    /// last one included unless it ends at midnight. Deleted items and those not in the itinerary are left out.
    package static func days(_ items: [Record], _ environment: RuleEnvironment) -> [Day] {
        var byDay: [CalendarDate: [(start: Int64, title: String, id: Identifier)]] = [:]
        for item in items where item.kind == .tripItem && !item.isDeleted && item.fields.flag("include_in_itinerary") {
            guard let span = TripItemSpan(item.fields, environment) else { continue }
            for date in dates(item.fields) { byDay[date, default: []].append((span.start, item.fields.shownName, item.id)) }
        }
        return byDay.sorted { $0.key < $1.key }.map { date, items in
            Day(date: date, items: items.sorted { ($0.start, $0.title, $0.id) < ($1.start, $1.title, $1.id) }.map(\.id))
        }
    }

    /// The local days on which an item shows: that of its start, for a stay all that it covers; none without a start.
    package static func dates(_ fields: Fields) -> [CalendarDate] {
        guard let start = fields.text("start_time").flatMap({ LocalDateTime($0) }) else { return [] }
        guard fields.text("category") == "accommodation", let end = fields.text("end_time").flatMap({ LocalDateTime($0) }) else {
            return [start.date]
        }
        let isMidnight = end.time == .midnight
        let nights = min(max(0, start.date.days(until: end.date) - (isMidnight ? 1 : 0)), maxStayDays - 1)
        return (0...nights).compactMap { start.date.adding(days: $0) }
    }
}

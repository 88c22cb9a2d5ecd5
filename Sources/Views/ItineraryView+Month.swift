internal import Bytes
internal import Dates
internal import Terminal

/// The month beside the list of trips: every trip of the family, on the days that it covers (R161).
extension ItineraryView {
    /// The days of the trips that touch the month on the screen, its week before and its week after.
    var tripSpans: [MonthGrid<Identifier>.Span] {
        let near = (month.days - month.day - 7)...(month.days + 45)
        return everyRow.compactMap { row in
            guard let days = row.days, days.lowerBound.days <= near.upperBound, days.upperBound.days >= near.lowerBound else { return nil }
            return .init(row.id, days.lowerBound, days.upperBound)
        }
    }

    /// The trips on a day.
    func trips(on day: CalendarDate) -> [Row] { everyRow.filter { $0.days?.contains(day) == true } }

    /// Shows the month in which the selected trip begins.
    mutating func showMonthOfTrip() {
        tripDay = nil
        if let first = everyRow.first(where: { $0.id == selectedTrip })?.days?.lowerBound { month = first }
    }

    /// Pages through the months, and selects the first trip of the new month if the list has one.
    mutating func moveMonth(_ count: Int) {
        guard let next = month.adding(days: 1 - month.day)?.adding(months: count), abs(next.year - today.year) <= Self.mostYears else {
            toast = "\(Self.mostYears) years back and ahead at most."
            return
        }
        let last = next.adding(days: next.daysInMonth - 1) ?? next
        if let row = rows.filter({ $0.days?.overlaps(next...last) == true }).min(by: { ($0.days?.lowerBound ?? next) < ($1.days?.lowerBound ?? next) }) {
            selectedTrip = row.id
        }
        (month, tripDay) = (next, nil)
    }

    /// The number of years that the months reach back and ahead.
    private static var mostYears: Int { 10 }

    /// Shows a day, and selects the trip on it; a trip that is over comes into the list.
    mutating func choose(tripDay day: CalendarDate) {
        if let row = trips(on: day).first {
            if row.isOver, !showsPast { showPast(true) }
            selectedTrip = row.id
        }
        (month, tripDay) = (day, day)
    }

    /// "Fri, Dec 4: Asheville", "Fri, Dec 4: no trip".
    var tripDayWords: String {
        guard let day = tripDay else { return "" }
        let names = trips(on: day).map(\.name)
        return "\(TripWords.short(day)): \(names.isEmpty ? "no trip" : names.joined(separator: ", "))"
    }
}

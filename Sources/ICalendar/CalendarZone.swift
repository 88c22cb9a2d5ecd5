package import Dates

/// `VTIMEZONE` (RFC 5545 §3.6.5), made of the rules of a zone.
package enum CalendarZone {
    /// Changes that are listed one by one at most; a zone whose changes follow a yearly rule needs few.
    static let maxChanges = 400

    /// Writes the component for local times from the first day of a year to the last day of another one.
    ///
    /// The changes until the yearly rule of the zone is valid are listed one by one; that rule follows as a recurrence.
    package static func write(_ name: String, _ rules: ZoneRules, years: ClosedRange<Int>, into writer: inout CalendarWriter) {
        writer.begin("VTIMEZONE")
        writer.text("TZID", name)
        // A day earlier, since no zone is further from UTC.
        let first = second(years.lowerBound) - 93_600
        let base = rules.time(at: first)
        observance("STANDARD", local: first + base.offset, before: base.offset, after: base.offset, name: base.designation, into: &writer)
        let yearly = rules.yearlyChanges(from: years.lowerBound)
        let end = second(yearly.map { min($0.year, years.upperBound + 1) } ?? years.upperBound + 1)
        // The year of a change is that of the clocks before it.
        for change in rules.changes(from: first, before: end + 93_600, limit: maxChanges) where change.localSecond < end {
            observance(
                kind(change.offsetBefore, change.offsetAfter), local: change.localSecond, before: change.offsetBefore, after: change.offsetAfter,
                name: change.designation, into: &writer)
        }
        if let yearly, yearly.year <= years.upperBound {
            for change in yearly.changes {
                guard let date = date(of: change, in: yearly.year) else { continue }
                observance(
                    kind(change.offsetBefore, change.offsetAfter), local: date.days * 86_400 + change.time, before: change.offsetBefore,
                    after: change.offsetAfter, name: change.designation, rule: rule(change), into: &writer)
            }
        }
        writer.end("VTIMEZONE")
    }

    /// The first second of a year on the clock of UTC.
    private static func second(_ year: Int) -> Int { (CalendarDate(year: min(max(year, 1), 9999), month: 1, day: 1) ?? .last).days * 86_400 }

    /// Clocks that go forward begin daylight time; the offsets alone decide what readers calculate.
    private static func kind(_ before: Int, _ after: Int) -> String { after > before ? "DAYLIGHT" : "STANDARD" }

    private static func observance(
        _ kind: String, local: Int, before: Int, after: Int, name: String, rule: String? = nil, into writer: inout CalendarWriter
    ) {
        let minutes = local >= 0 ? local / 60 : (local - 59) / 60
        guard let start = LocalDateTime(minutes: minutes) else { return }
        writer.begin(kind)
        writer.moment("DTSTART", .floating(CalendarDateTime(start, second: local - minutes * 60)))
        writer.value("TZOFFSETFROM", offset(before))
        writer.value("TZOFFSETTO", offset(after))
        if let rule { writer.value("RRULE", rule) }
        writer.text("TZNAME", name)
        writer.end(kind)
    }

    private static func rule(_ change: YearlyZoneChange) -> String {
        let weekdays = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"]
        let day: String
        switch change.day {
        case .weekday(let weekday, let number): day = "BYDAY=\(number)\(weekdays[weekday])"
        case .lastWeekday(let weekday): day = "BYDAY=-1\(weekdays[weekday])"
        case .weekdayFrom(let weekday, let first):
            day = "BYMONTHDAY=" + (first..<first + 7).map(String.init).joined(separator: ",") + ";BYDAY=\(weekdays[weekday])"
        }
        return "FREQ=YEARLY;BYMONTH=\(change.month);\(day)"
    }

    private static func date(of change: YearlyZoneChange, in year: Int) -> CalendarDate? {
        guard let first = CalendarDate(year: year, month: change.month, day: 1) else { return nil }
        func next(_ weekday: Int, from date: CalendarDate) -> CalendarDate? {
            date.adding(days: (weekday - date.weekday.rawValue % 7 + 7) % 7)
        }
        switch change.day {
        case .weekday(let weekday, let number): return next(weekday, from: first)?.adding(days: (number - 1) * 7)
        case .lastWeekday(let weekday): return first.adding(days: first.daysInMonth - 7).flatMap { next(weekday, from: $0) }
        case .weekdayFrom(let weekday, let day): return first.adding(days: day - 1).flatMap { next(weekday, from: $0) }
        }
    }

    /// A value of the type UTC-OFFSET: `+0530`, `-0456`; with seconds if it has any.
    static func offset(_ seconds: Int) -> String {
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let rest = abs(seconds)
        // -0000 is not allowed.
        return (seconds < 0 ? "-" : "+") + digits(rest / 3600) + digits(rest / 60 % 60) + (rest % 60 == 0 ? "" : digits(rest % 60))
    }
}

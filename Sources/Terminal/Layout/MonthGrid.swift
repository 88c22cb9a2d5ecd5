package import Dates

/// A month as six weeks of seven days, with the spans on them. Source: R028, R029, R031.
package struct MonthGrid<ID: Hashable & Sendable>: Sendable {
    /// The number of weeks in every month, so that the layout is stable while the user pages.
    package static var weeks: Int { 6 }

    /// A value on one day or on several days.
    package struct Span: Hashable, Sendable {
        package let id: ID
        package let first: CalendarDate
        package let last: CalendarDate

        /// - Parameter last: a day before `first` counts as `first`.
        package init(_ id: ID, _ first: CalendarDate, _ last: CalendarDate? = nil) {
            self.id = id
            self.first = first
            self.last = max(last ?? first, first)
        }

        package func contains(_ date: CalendarDate) -> Bool { first <= date && date <= last }
    }

    /// One of the 42 days.
    package struct Day: Hashable, Sendable {
        package let date: CalendarDate
        package let isInMonth: Bool
        package let isToday: Bool
        /// The spans on this day, in the given order.
        package let ids: [ID]
    }

    /// A piece of a span of several days within one week.
    package struct Bar: Hashable, Sendable {
        package let id: ID
        /// Days of the week that it covers, 0...6.
        package let days: ClosedRange<Int>
        /// Bars of a week with the same lane do not touch.
        package let lane: Int
        /// Whether the bar continues before and after this week.
        package let beginsEarlier: Bool
        package let endsLater: Bool
    }

    /// The first day of the month.
    package let month: CalendarDate
    package let firstWeekday: Weekday
    /// 42 days, from the first day of the week on or before the first of the month. Fewer only at the ends of the calendar.
    package let days: [Day]
    /// The spans of several days, for each of the six weeks.
    package let bars: [[Bar]]

    /// - Parameters:
    ///   - date: any day of the month.
    ///   - spans: the spans, including those outside of the month.
    package init(month date: CalendarDate, today: CalendarDate, firstWeekday: Weekday = .sunday, spans: [Span] = []) {
        let month = date.adding(days: 1 - date.day) ?? date
        self.month = month
        self.firstWeekday = firstWeekday
        let before = (month.weekday.rawValue - firstWeekday.rawValue + 7) % 7
        let start = month.days - before
        let count = Self.weeks * 7
        var ids: [[ID]] = Array(repeating: [], count: count)
        var bars: [[Bar]] = Array(repeating: [], count: Self.weeks)
        for span in spans {
            let first = span.first.days - start
            let last = span.last.days - start
            guard last >= 0, first < count else { continue }
            for index in max(first, 0)...min(last, count - 1) { ids[index].append(span.id) }
            guard first < last else { continue }
            for week in max(first, 0) / 7...min(last, count - 1) / 7 {
                let days = max(first - week * 7, 0)...min(last - week * 7, 6)
                // The lowest lane that is free on all of these days.
                let taken = Set(bars[week].filter { $0.days.overlaps(days) }.map(\.lane))
                let lane = (0...taken.count).first { !taken.contains($0) } ?? taken.count
                bars[week].append(
                    Bar(id: span.id, days: days, lane: lane, beginsEarlier: first < week * 7, endsLater: last > week * 7 + 6))
            }
        }
        self.bars = bars
        days = (0..<count).compactMap { index in
            CalendarDate(days: start + index).map {
                Day(date: $0, isInMonth: $0.year == month.year && $0.month == month.month, isToday: $0 == today, ids: ids[index])
            }
        }
    }

    /// The names of the seven columns, two letters each.
    package var weekdayNames: [String] {
        let names = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]
        return (0..<7).map { names[(firstWeekday.rawValue - 1 + $0) % 7] }
    }

    /// The month this many months away; `nil` beyond two years from `today`'s month.
    package static func month(_ date: CalendarDate, movedBy count: Int, today: CalendarDate) -> CalendarDate? {
        guard let month = date.adding(days: 1 - date.day)?.adding(months: count) else { return nil }
        let distance = (month.year - today.year) * 12 + month.month - today.month
        return abs(distance) <= 24 ? month : nil
    }
}

extension Weekday {
    /// The first day of the week in a locale.
    ///
    /// Source: Unicode CLDR 44, supplemental/weekData.xml, `firstDay`; Sunday without a territory, as the product
    /// requires (R028).
    ///
    /// - Parameter locale: the locale as in `LC_TIME`: "en_US.UTF-8", "de_DE", "C".
    package static func first(locale: String?) -> Weekday {
        let name = (locale ?? "").prefix { $0 != "." && $0 != "@" }
        guard let separator = name.firstIndex(where: { $0 == "_" || $0 == "-" }) else { return .sunday }
        let territory = name[name.index(after: separator)...].uppercased()
        let sunday = """
            AG AS BD BR BS BT BW BZ CA CO DM DO ET GT GU HK HN ID IL IN JM JP KE KH KR LA MH MM MO MT MX MZ NI NP PA PE PH PK PR PT PY SA \
            SG SV TH TT TW UM US VE VI WS YE ZA ZW
            """
        let saturday = "AE AF BH DJ DZ EG IQ IR JO KW LY OM QA SD SY"
        if sunday.split(separator: " ").contains(where: { $0 == territory }) { return .sunday }
        if saturday.split(separator: " ").contains(where: { $0 == territory }) { return .saturday }
        return territory == "MV" ? .friday : .monday
    }
}

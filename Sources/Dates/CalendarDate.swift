/// A day of the Gregorian calendar, 0001-01-01...9999-12-31, without a zone; written `YYYY-MM-DD` (RFC 3339 §5.6,
/// full-date).
package struct CalendarDate: Hashable, Comparable, Sendable {
    private let packedYear: Int16
    private let packedMonth: UInt8
    private let packedDay: UInt8

    /// The year, 1...9999.
    package var year: Int { Int(packedYear) }
    /// The month, 1...12.
    package var month: Int { Int(packedMonth) }
    /// The day of the month, 1...31.
    package var day: Int { Int(packedDay) }

    package static let first = CalendarDate(checked: (1, 1, 1))
    package static let last = CalendarDate(checked: (9999, 12, 31))

    private init(checked civil: (year: Int, month: Int, day: Int)) {
        packedYear = Int16(truncatingIfNeeded: civil.year)
        packedMonth = UInt8(truncatingIfNeeded: civil.month)
        packedDay = UInt8(truncatingIfNeeded: civil.day)
    }

    /// Fails with `nil` if there is no such day.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1, day <= Gregorian.days(inMonth: month, of: year)
        else { return nil }
        self.init(checked: (year, month, day))
    }

    /// - Parameter days: days since 1970-01-01, negative before. The result is `nil` outside of the range of dates.
    package init?(days: Int) {
        guard days >= Self.first.days, days <= Self.last.days else { return nil }
        self.init(checked: Gregorian.civil(days: days))
    }

    /// Reads the only accepted form, `YYYY-MM-DD`; `nil` for any other text and for days that do not exist.
    package init?(_ text: Span<UInt8>) {
        guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            let year = digits(text, at: 0, count: 4), let month = digits(text, at: 5, count: 2), let day = digits(text, at: 8, count: 2)
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    package init?(_ text: String) {
        guard let date = CalendarDate(text.utf8Span.span) else { return nil }
        self = date
    }

    /// Days since 1970-01-01, negative before.
    package var days: Int {
        Gregorian.days(year: year, month: month, day: day)
    }

    package var weekday: Weekday {
        switch Gregorian.weekday(days: days) {
        case 1: .monday
        case 2: .tuesday
        case 3: .wednesday
        case 4: .thursday
        case 5: .friday
        case 6: .saturday
        default: .sunday
        }
    }

    /// The number of days in the month of this date.
    package var daysInMonth: Int {
        Gregorian.days(inMonth: month, of: year)
    }

    /// The date `count` days later (earlier if negative); `nil` outside of the range of dates.
    package func adding(days count: Int) -> CalendarDate? {
        let (sum, overflow) = days.addingReportingOverflow(count)
        return overflow ? nil : CalendarDate(days: sum)
    }

    /// The same day `count` months later, or the last day of that month if it has no such day; `nil` outside of the
    /// range of dates.
    package func adding(months count: Int) -> CalendarDate? {
        let (sum, overflow) = (year * 12 + month - 1).addingReportingOverflow(count)
        guard !overflow, sum >= 12, sum < 10_000 * 12 else { return nil }
        let (year, month) = (sum / 12, sum % 12 + 1)
        return CalendarDate(year: year, month: month, day: min(day, Gregorian.days(inMonth: month, of: year)))
    }

    /// The number of days from this date to `other`, negative if `other` is earlier.
    package func days(until other: CalendarDate) -> Int {
        other.days - days
    }

    /// Appends the 10 octets of the textual form.
    package func append(to octets: inout [UInt8]) {
        appendDigits(year, count: 4, to: &octets)
        octets.append(UInt8(ascii: "-"))
        appendDigits(month, count: 2, to: &octets)
        octets.append(UInt8(ascii: "-"))
        appendDigits(day, count: 2, to: &octets)
    }

    package static func < (left: CalendarDate, right: CalendarDate) -> Bool {
        (left.packedYear, left.packedMonth, left.packedDay) < (right.packedYear, right.packedMonth, right.packedDay)
    }
}

extension CalendarDate: CustomStringConvertible {
    package var description: String {
        var octets: [UInt8] = []
        append(to: &octets)
        return String(decoding: octets, as: UTF8.self)
    }
}

/// A day of the week, numbered as in ISO 8601.
package enum Weekday: Int, Sendable, CaseIterable {
    case monday = 1, tuesday, wednesday, thursday, friday, saturday, sunday
}

import Dates

/// Instants in HTTP's formats (RFC 9110 §5.6.7): whole seconds of UTC.
package enum HTTPDate {
    private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let longDays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`, the only format that is sent.
    ///
    /// - Parameter seconds: since 1970-01-01T00:00:00Z; outside of the years 1 to 9999 the nearest that can be written.
    package static func text(_ seconds: Int64) -> String {
        let last = CalendarDate.last
        let clamped = min(max(Int(seconds), CalendarDate.first.days * 86_400), last.days * 86_400 + 86_399)
        let day = (clamped >= 0 ? clamped : clamped - 86_399) / 86_400
        let second = clamped - day * 86_400
        let date = CalendarDate(days: day) ?? last
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let year = String(repeating: "0", count: 4 - String(date.year).utf8.count) + String(date.year)
        return "\(days[date.weekday.rawValue - 1]), \(two(date.day)) \(months[date.month - 1]) \(year) "
            + "\(two(second / 3_600)):\(two(second / 60 % 60)):\(two(second % 60)) GMT"
    }

    /// Reads any of the three formats that recipients must accept: IMF-fixdate, the format of RFC 850 and that of
    /// asctime().
    ///
    /// The name of the day must be valid, and is not compared with the date.
    /// - Parameter now: seconds; a two-digit year that would be more than 50 years after it is in the previous century.
    /// - Returns: seconds since 1970; `nil` for any other text, which recipients ignore.
    package static func seconds(_ text: String, now: Int64) -> Int64? {
        let words = text.utf8.split(separator: 0x20, omittingEmptySubsequences: false).map { Substring($0) }
        if let comma = words[0].utf8.last, comma == UInt8(ascii: ",") {
            let name = String(words[0].dropLast())
            if words.count == 6, days.contains(name), words[5] == "GMT" {
                return seconds(year: number(words[3], 4), month: words[2], day: number(words[1], 2), time: words[4])
            }
            guard words.count == 4, longDays.contains(name), words[3] == "GMT" else { return nil }
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 3, let short = number(parts[2], 2) else { return nil }
            let thisYear = CalendarDate(days: Int(now / 86_400))?.year ?? 1970
            let year = thisYear / 100 * 100 + short
            return seconds(year: year > thisYear + 50 ? year - 100 : year, month: parts[1], day: number(parts[0], 2), time: words[2])
        }
        guard days.contains(String(words[0])) else { return nil }
        // A day of one digit has a space before it.
        if words.count == 6, words[2].isEmpty {
            return seconds(year: number(words[5], 4), month: words[1], day: number(words[3], 1), time: words[4])
        }
        guard words.count == 5 else { return nil }
        return seconds(year: number(words[4], 4), month: words[1], day: number(words[2], 2), time: words[3])
    }

    private static func seconds(year: Int?, month: Substring, day: Int?, time: Substring) -> Int64? {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard let year, let day, let month = months.firstIndex(of: String(month)), parts.count == 3,
            let date = CalendarDate(year: year, month: month + 1, day: day),
            let hour = number(parts[0], 2), let minute = number(parts[1], 2), let second = number(parts[2], 2),
            // 60: a leap second.
            hour < 24, minute < 60, second <= 60
        else { return nil }
        return Int64(date.days * 86_400 + hour * 3_600 + minute * 60 + second)
    }

    /// The value of exactly `count` digits.
    private static func number(_ text: Substring, _ count: Int) -> Int? {
        guard text.utf8.count == count else { return nil }
        var value = 0
        for octet in text.utf8 {
            guard let digit = HeadLines.digit(octet) else { return nil }
            value = value * 10 + digit
        }
        return value
    }
}

/// The text of `Date`, formatted at most once per second.
package struct HTTPDateClock: Sendable {
    private var second = Int64.min
    private var cached = ""

    package init() {}

    /// - Parameter seconds: the time of the wall clock, since 1970.
    package mutating func text(_ seconds: Int64) -> String {
        if seconds != second {
            second = seconds
            cached = HTTPDate.text(seconds)
        }
        return cached
    }
}

package import Dates
package import Family
internal import Terminal

/// Dates, times and numbers as people type them, converted to the one spelling that the rules accept: the same for
/// forms, for the shell and for the conversation.
package enum TypedValue {
    /// "tomorrow" and "friday" as 2026-11-22, "+7" as a week from today, "12-24" as the next 24th of December, "930",
    /// "9:30" and "9:30am" as 09:30, "$150" as 150.
    ///
    /// - Parameter day: the day of a date and time if the person types only the time; `nil` if the day is unknown.
    /// - Returns: `nil` to leave the text as it is.
    package static func spelled(_ text: String, _ type: FieldType, today: CalendarDate, day: CalendarDate? = nil) -> String? {
        let text = text.trimmed.lowercased()
        guard !text.isEmpty else { return nil }
        switch type {
        case .date: return date(text, today)?.description
        case .time: return time(text)?.description
        case .localDateTime:
            if let day, let clock = time(text) { return LocalDateTime(date: day, time: clock).description }
            // "friday 6 pm" and "2026-11-27T18:00": the time follows the last separator that leaves a date before it.
            for separator in text.indices.reversed() where text[separator] == " " || text[separator] == "t" {
                let before = String(text[..<separator]).trimmed, after = String(text[text.index(after: separator)...]).trimmed
                guard let day = date(before, today), let clock = time(after) else { continue }
                return LocalDateTime(date: day, time: clock).description
            }
            return nil
        case .state: return text.uppercased()
        case .decimal: return text.hasPrefix("$") ? String(text.dropFirst()).trimmed : nil
        default: return nil
        }
    }

    /// Steps a date by a day, a time by a quarter of an hour, a number by one. An empty date begins today, an empty
    /// time at noon.
    package static func stepped(_ text: String, _ type: FieldType, by count: Int, today: CalendarDate, day: CalendarDate? = nil) -> String? {
        let text = spelled(text, type, today: today, day: day) ?? text.trimmed
        switch type {
        case .date: return text.isEmpty ? today.description : CalendarDate(text)?.adding(days: count)?.description
        case .time:
            guard !text.isEmpty else { return "12:00" }
            guard let time = LocalTime(text), let moved = LocalDateTime(date: today, time: time).adding(minutes: 15 * count) else { return nil }
            return moved.time.description
        case .localDateTime:
            guard !text.isEmpty else { return (day ?? today).description + "T12:00" }
            return LocalDateTime(text)?.adding(minutes: 15 * count)?.description
        case .integer: return Int64(text.isEmpty ? "0" : text).flatMap { $0.addingReportingOverflow(Int64(count)).overflow ? nil : String($0 + Int64(count)) }
        default: return nil
        }
    }

    /// The largest number of days that a count may reach: ten years.
    private static let reach = 3_660

    private static func date(_ text: String, _ today: CalendarDate) -> CalendarDate? {
        if let date = CalendarDate(text.uppercased()) { return date }
        switch text {
        case "today": return today
        case "tomorrow": return today.adding(days: 1)
        case "yesterday": return today.adding(days: -1)
        default: break
        }
        if let sign = text.first, sign == "+" || sign == "-", let days = Int(text.dropFirst()), (0...reach).contains(days) {
            return today.adding(days: sign == "+" ? days : -days)
        }
        return weekday(text, today) ?? monthAndDay(text, today)
    }

    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
    ]

    /// "fri" and "friday": the next one after today. "next friday": the Friday of next week; weeks begin on Monday.
    private static func weekday(_ text: String, _ today: CalendarDate) -> CalendarDate? {
        let words = text.split(separator: " ").map(String.init)
        guard let name = words.last, name.count >= 3, words.count == 1 || words.count == 2 && words[0] == "next",
            let wanted = weekdays.firstIndex(where: { $0.hasPrefix(name) })
        else { return nil }
        // The first day of the calendar's count, 1970-01-01, was a Thursday.
        let current = ((today.days + 3) % 7 + 7) % 7
        if words.count == 2 { return today.adding(days: 7 - current + wanted) }
        return today.adding(days: (wanted - current + 6) % 7 + 1)
    }

    /// "12-24", "12/24", "dec 24" and "24 dec": the next such day, today included.
    private static func monthAndDay(_ text: String, _ today: CalendarDate) -> CalendarDate? {
        let parts = text.split { $0 == "-" || $0 == "/" || $0 == " " }.map(String.init)
        guard parts.count == 2 else { return nil }
        func number(_ part: String) -> Int? { part.count <= 2 && part.allSatisfy { $0.isASCII && $0.isNumber } ? Int(part) : nil }
        func month(_ part: String) -> Int? { part.count >= 3 ? months.firstIndex { $0.hasPrefix(part) }.map { $0 + 1 } : nil }
        var place: (month: Int, day: Int)?
        if let named = month(parts[0]), let day = number(parts[1]) {
            place = (named, day)
        } else if let day = number(parts[0]), let named = month(parts[1]) {
            place = (named, day)
        } else if let first = number(parts[0]), let second = number(parts[1]), !text.contains(" ") {
            place = (first, second)
        }
        guard let place else { return nil }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        for year in [today.year, today.year + 1] {
            if let date = CalendarDate("\(year)-\(two(place.month))-\(two(place.day))"), date >= today { return date }
        }
        return nil
    }

    private static func time(_ text: String) -> LocalTime? {
        var digits = text
        var later = 0
        var isTwelve = false
        for (suffix, hours) in [("am", 0), ("pm", 12)] where digits.hasSuffix(suffix) {
            digits = String(digits.dropLast(2)).trimmed
            later = hours
            isTwelve = true
        }
        let parts = digits.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.count <= 4 && $0.allSatisfy { $0.isASCII && $0.isNumber } }) else { return nil }
        var hour: Int
        let minute: Int
        if parts.count == 2 {
            guard let h = Int(parts[0]), let m = Int(parts[1]), parts[1].count == 2 else { return nil }
            (hour, minute) = (h, m)
        } else {
            guard let number = Int(digits) else { return nil }
            (hour, minute) = digits.count > 2 ? (number / 100, number % 100) : (number, 0)
        }
        if isTwelve {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + later
        }
        guard (0...23).contains(hour), (0...59).contains(minute) else { return nil }
        return LocalTime((hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)")
    }
}

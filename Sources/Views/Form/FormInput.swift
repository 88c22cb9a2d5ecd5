package import Dates
package import Family
internal import Terminal

/// Dates, times and numbers as people type them, in the spelling that the rules accept.
package enum FormInput {
    /// "tomorrow" as 2026-11-22, "+7" as a week from today, "12-24" as the next 24th of December, "930" and "9:30" as 09:30, "2pm" as 14:00,
    /// "$150" as 150.
    ///
    /// - Returns: `nil` to leave the text as it is.
    package static func spelled(_ text: String, _ type: FieldType, today: CalendarDate) -> String? {
        let text = text.trimmed.lowercased()
        guard !text.isEmpty else { return nil }
        switch type {
        case .date: return date(text, today)?.description
        case .time: return time(text)?.description
        case .localDateTime:
            let parts = text.split(separator: text.contains(" ") ? " " : "t", maxSplits: 1).map(String.init)
            guard parts.count == 2, let day = CalendarDate(parts[0]) ?? date(parts[0], today), let clock = LocalTime(parts[1]) ?? time(parts[1]) else { return nil }
            return LocalDateTime(date: day, time: clock).description
        case .state: return text.uppercased()
        case .decimal: return text.hasPrefix("$") ? String(text.dropFirst()).trimmed : nil
        default: return nil
        }
    }

    /// Steps a date by a day, a time by a quarter of an hour, a number by one; an empty date begins today, an empty
    /// time at noon.
    package static func stepped(_ text: String, _ type: FieldType, by count: Int, today: CalendarDate) -> String? {
        let text = spelled(text, type, today: today) ?? text.trimmed
        switch type {
        case .date: return text.isEmpty ? today.description : CalendarDate(text)?.adding(days: count)?.description
        case .time:
            guard !text.isEmpty else { return "12:00" }
            guard let time = LocalTime(text), let moved = LocalDateTime(date: today, time: time).adding(minutes: 15 * count) else { return nil }
            return moved.time.description
        case .localDateTime:
            guard !text.isEmpty else { return today.description + "T12:00" }
            return LocalDateTime(text)?.adding(minutes: 15 * count)?.description
        case .integer: return Int64(text.isEmpty ? "0" : text).flatMap { $0.addingReportingOverflow(Int64(count)).overflow ? nil : String($0 + Int64(count)) }
        default: return nil
        }
    }

    private static func date(_ text: String, _ today: CalendarDate) -> CalendarDate? {
        if text == "today" { return today }
        if text == "tomorrow" { return today.adding(days: 1) }
        if text.hasPrefix("+"), let days = Int(text.dropFirst()), days <= 3_660 { return today.adding(days: days) }
        let parts = text.split { $0 == "-" || $0 == "/" }
        guard parts.count == 2, parts.allSatisfy({ $0.count <= 2 && $0.allSatisfy(\.isNumber) }) else { return nil }
        func two(_ part: Substring) -> String { part.count < 2 ? "0" + part : String(part) }
        for year in [today.year, today.year + 1] {
            if let date = CalendarDate("\(year)-\(two(parts[0]))-\(two(parts[1]))"), date >= today { return date }
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

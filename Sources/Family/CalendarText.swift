/// Dates and times as the text that travels.
enum CalendarText {
    /// `YYYY-MM-DD`, a day that exists, 0001...9999.
    static func isDate(_ text: String) -> Bool { date(text) != nil }

    /// `HH:MM`, 00:00...23:59.
    static func isTime(_ text: String) -> Bool { minutes(text) != nil }

    /// The day after; `nil` after the last one, 9999-12-31.
    static func dayAfter(_ text: String) -> String? {
        guard var (year, month, day) = date(text) else { return nil }
        day += 1
        if day > length(year, month) { (month, day) = (month + 1, 1) }
        if month > 12 { (year, month) = (year + 1, 1) }
        guard year <= 9999 else { return nil }
        return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2)
    }

    /// The time one hour later, and whether that is on the next day.
    static func oneHourAfter(_ text: String) -> (time: String, nextDay: Bool)? {
        guard let minutes = minutes(text) else { return nil }
        let later = (minutes + 60) % 1_440
        return (padded(later / 60, 2) + ":" + padded(later % 60, 2), minutes + 60 >= 1_440)
    }

    private static func date(_ text: String) -> (Int, Int, Int)? {
        let octets = Array(text.utf8)
        guard octets.count == 10, octets[4] == UInt8(ascii: "-"), octets[7] == UInt8(ascii: "-"),
            let year = number(octets[0..<4]), let month = number(octets[5..<7]), let day = number(octets[8..<10]),
            year >= 1, (1...12).contains(month), day >= 1, day <= length(year, month)
        else { return nil }
        return (year, month, day)
    }

    private static func minutes(_ text: String) -> Int? {
        let octets = Array(text.utf8)
        guard octets.count == 5, octets[2] == UInt8(ascii: ":"), let hour = number(octets[0..<2]), let minute = number(octets[3..<5]),
            hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }

    private static func length(_ year: Int, _ month: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy(TextRules.isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 & 0xF) }
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

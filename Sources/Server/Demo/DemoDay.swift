/// A date of the demo, by which the season moves with the day on which it is made.
struct DemoDay: Comparable {
    /// Days since 1970-01-01.
    private let number: Int

    private init(number: Int) { self.number = number }

    /// Reads `YYYY-MM-DD`; anything else traps.
    init(_ text: String) {
        let parts = text.split(separator: "-").compactMap { Int($0) }
        precondition(parts.count == 3 && text.utf8.count == 10, "the demo's today is written YYYY-MM-DD")
        // Days from a civil date, counted in eras of 400 years that begin on 1 March.
        let year = parts[1] > 2 ? parts[0] : parts[0] - 1
        let era = year / 400
        let dayOfYear = (153 * ((parts[1] + 9) % 12) + 2) / 5 + parts[2] - 1
        let yearOfEra = year - era * 400
        number = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    func adding(_ days: Int) -> DemoDay { DemoDay(number: number + days) }

    /// 0 Sunday … 6 Saturday.
    var weekday: Int { (number + 4) % 7 }

    /// Year, month, day.
    private var civil: (Int, Int, Int) {
        let shifted = number + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let march = (5 * dayOfYear + 2) / 153
        let month = march < 10 ? march + 3 : march - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * march + 2) / 5 + 1)
    }

    var text: String {
        let (year, month, day) = civil
        return "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
    }

    /// The word for the time of year, so that a camp in July is not called a winter camp.
    var season: String {
        switch civil.1 {
        case 3...5: "Spring"
        case 6...8: "Summer"
        case 9...11: "Fall"
        default: "Winter"
        }
    }

    static func < (left: DemoDay, right: DemoDay) -> Bool { left.number < right.number }
}

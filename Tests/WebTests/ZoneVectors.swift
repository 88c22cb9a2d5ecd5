import Dates
import EngineScripts
import Posix

/// Local times around the changes of clocks, for `proto/views/zones.json`.
enum ZoneVectors {
    /// Zones north and south, with half hours, quarter hours, changes of half an hour, changes of law, and none.
    static let zones = [
        "UTC", "Europe/Warsaw", "Europe/London", "Europe/Dublin", "Europe/Lisbon", "America/New_York", "America/Chicago", "America/Denver",
        "America/Phoenix", "America/Los_Angeles", "America/Anchorage", "America/St_Johns", "America/Sao_Paulo", "America/Santiago", "America/Toronto",
        "Pacific/Honolulu", "Pacific/Apia", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Kiritimati", "Asia/Tokyo", "Asia/Kolkata", "Asia/Kathmandu",
        "Asia/Tehran", "Australia/Lord_Howe", "Australia/Sydney", "Africa/Casablanca", "Etc/GMT+5",
    ]
    /// Years of rules that have been in force, and of rules that repeat.
    static let years = [2000, 2007, 2011, 2016, 2024, 2026, 2027, 2031, 2036]

    static func rules(_ zone: String) -> ZoneRules? {
        guard let name = ZoneName(zone), let octets = try? Files.read("/usr/share/zoneinfo/" + name.text, limit: ZoneRules.maxOctets) else { return nil }
        return try? ZoneRules(tzif: octets)
    }

    @Sendable static func page() -> String {
        var rows: [JSONValue] = []
        for zone in zones {
            guard let rules = rules(zone) else { continue }
            for year in years { for local in locals(of: year, rules) { rows.append(row(zone, local, rules)) } }
        }
        return ViewVectors.lines([("times", .array(rows)), ("days", .array(days))])
    }

    /// Dates as numbers of days: the ends of the calendar, of centuries and of Februaries, and steps through all years.
    private static var days: [JSONValue] {
        let ends = [1, 4, 100, 400, 1600, 1700, 1900, 1970, 2000, 2024, 2026, 2100, 9999].flatMap { year in
            [(1, 1), (2, 28), (2, 29), (3, 1), (12, 31)].compactMap { CalendarDate(year: year, month: $0.0, day: $0.1) }
        }
        let steps = (0...300).compactMap { CalendarDate.first.adding(days: $0 * 12_173) }
        return (ends + steps).map { .array([.text($0.description), .integer(Int64($0.days))]) }
    }

    /// A local time, its instant, and the time that the clocks show then.
    private static func row(_ zone: String, _ local: LocalDateTime, _ rules: ZoneRules) -> JSONValue {
        let instant = rules.instant(of: local)
        return .array([.text(zone), .text(local.description), .integer(instant), .text(rules.local(at: instant).description)])
    }

    /// Two ordinary times of a year, and times before, in and after each gap and each repeated hour.
    private static func locals(of year: Int, _ rules: ZoneRules) -> [LocalDateTime] {
        guard let first = CalendarDate(year: year, month: 1, day: 1), let noon = LocalTime(hour: 12, minute: 0) else { return [] }
        var locals = [LocalDateTime(date: first, time: .midnight)]
        if let summer = CalendarDate(year: year, month: 7, day: 4) { locals.append(LocalDateTime(date: summer, time: noon)) }
        let step: Int64 = 21_600_000
        let start = Int64(first.days) * 86_400_000
        for index in 0..<Int64(366 * 4) {
            var (low, high) = (start + index * step, start + (index + 1) * step)
            let (old, new) = (rules.offset(at: low), rules.offset(at: high))
            guard old != new else { continue }
            while high - low > 60_000 {
                let middle = (low + high) / 120_000 * 60_000
                if rules.offset(at: middle) == old { low = middle } else { high = middle }
            }
            let (from, to) = (Int(high / 60_000) + min(old, new) / 60, Int(high / 60_000) + max(old, new) / 60)
            for minutes in [from - 1, from, (from + to) / 2, to - 1, to, to + 61] { LocalDateTime(minutes: minutes).map { locals.append($0) } }
        }
        return locals
    }
}

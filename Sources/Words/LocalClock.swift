package import Dates
internal import Posix

/// The date and time in the family's zone.
package struct LocalClock {
    /// The folder of Debian's tzdata.
    static let folder = "/usr/share/zoneinfo/"

    private let rules: ZoneRules

    /// - Parameter zone: an IANA name; `nil`, or a name that this machine does not know, means UTC.
    package init(zone: String?) { rules = zone.flatMap(Self.rules) ?? .utc }

    /// Today, `YYYY-MM-DD`.
    ///
    /// - Parameter now: UTC milliseconds.
    package func today(_ now: Int64) -> String { rules.today(at: now).description }

    /// The date at `now`, UTC milliseconds.
    package func date(_ now: Int64) -> CalendarDate { rules.local(at: now).date }

    /// The end of a day, UTC milliseconds; `nil` for a text that is not a date.
    package func end(of day: String) -> Int64? {
        CalendarDate(day)?.adding(days: 1).map { rules.instant(of: LocalDateTime(date: $0, time: .midnight)) }
    }

    /// Milliseconds until the day ends, at least one; if clocks change that day, the result may be an hour off.
    package func untilMidnight(_ now: Int64) -> Int64 {
        let day: Int64 = 86_400_000
        let passed = Int64(rules.local(at: now).time.minutes) * 60_000 + (now % 60_000 + 60_000) % 60_000
        return max(day - passed, 1)
    }

    /// "Apr 15, 2027".
    package func day(_ at: Int64) -> String { EventText.dates(today(at), nil) }

    /// "Apr 15, 2027 09:14".
    package func moment(_ at: Int64) -> String { "\(day(at)) \(rules.local(at: at).time)" }

    /// The local date and time.
    package func now(_ at: Int64) -> LocalDateTime { rules.local(at: at) }

    /// "09:14", preceded by the date if that is not today: "Apr 15 09:14".
    package func time(_ at: Int64, now: Int64) -> String {
        let local = rules.local(at: at)
        let time = local.time.description
        guard local.date != rules.today(at: now) else { return time }
        return EventText.dayAndMonth(local.date.description) + " " + time
    }

    /// Whether this machine's zone data has a zone of that name.
    package static func knows(_ zone: String) -> Bool { rules(zone) != nil }

    /// The rules of a zone; `nil` if this machine's zone data has no zone of that name.
    package static func rules(_ zone: String) -> ZoneRules? {
        guard let name = ZoneName(zone), let octets = try? Files.read(folder + name.text, limit: ZoneRules.maxOctets) else { return nil }
        return try? ZoneRules(tzif: octets)
    }
}

import Dates
package import Family

/// The hours in which nothing reaches a member outside of Huddle: mail, push and other programs. Their devices that are
/// connected to Huddle show a reminder at its time.
package struct QuietHours: Sendable {
    /// Milliseconds after the end of the quiet hours up to which an item still begins too early for a message that
    /// waits for that end: 30 minutes.
    package static let margin: Int64 = 30 * 60_000
    /// Milliseconds before the beginning of the quiet hours at which a message leaves that cannot wait: the last minute.
    package static let lastMinute: Int64 = 60_000

    private let from: LocalTime
    private let until: LocalTime
    private let rules: ZoneRules

    /// - Parameters:
    ///   - zone: the family's, for a member who has named none.
    ///   - environment: the rules of zones. An unknown zone counts as UTC.
    package init(_ quiet: ReminderRule.Quiet, zone: String, _ environment: RuleEnvironment) {
        from = quiet.from
        until = quiet.until
        rules = environment.rules(quiet.zone ?? zone)
    }

    /// The time at which a reminder leaves for the outside, UTC milliseconds.
    ///
    /// - Parameters:
    ///   - due: the time of the reminder, UTC milliseconds.
    ///   - start: of the item, UTC milliseconds.
    /// - Returns: `due` outside of the quiet hours. Inside, their end; or the last minute before they begin, if the item
    ///   begins before their end or within `margin` after it.
    package func release(due: Int64, start: Int64) -> Int64 {
        guard let quiet = hours(at: due) else { return due }
        return start <= quiet.upperBound + Self.margin ? quiet.lowerBound - Self.lastMinute : quiet.upperBound
    }

    /// The quiet hours in which a moment is: from the first millisecond on, and before the last one.
    func hours(at moment: Int64) -> Range<Int64>? {
        let today = rules.localDate(at: moment)
        // They began today or yesterday, on the clocks.
        for day in [today, today.adding(days: -1)] {
            guard let day, let last = until > from ? day : day.adding(days: 1) else { continue }
            let begin = rules.instant(of: LocalDateTime(date: day, time: from))
            let end = rules.instant(of: LocalDateTime(date: last, time: until))
            // In the gap of the clocks nothing may be left of them.
            if begin < end, (begin..<end).contains(moment) { return begin..<end }
        }
        return nil
    }
}

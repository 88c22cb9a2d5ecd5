// When items remind, and whom. No clock, no files, no database: time is a parameter.

package import Dates
package import Family

/// The times of an item's reminders.
///
/// Local times are the truth, and instants follow from them by the rules of the item's zone. A time in the gap of the
/// clocks moves forward by the gap; a time that the clocks show twice is the first of the two.
package struct ReminderPlan: Hashable, Sendable {
    /// The default lead of an item with a time, minutes.
    package static let timedLead: Int64 = 30
    /// The default lead of an item without a time, minutes before its first midnight: 18:00 of the evening before.
    package static let dayLead: Int64 = 360

    /// The start on the clocks of the place: the check-in if there is one, otherwise the start; the first midnight of an
    /// item without a time.
    package let local: LocalDateTime
    /// Whether the item has no time.
    package let isWholeDay: Bool
    /// UTC milliseconds.
    package let start: Int64
    /// The first moment after the item, UTC milliseconds. At this moment a reminder is missed.
    package let end: Int64
    /// The time of the reminder with the default lead, UTC milliseconds.
    package let due: Int64
    /// The zone of the start; `nil`: UTC.
    private let zone: String?

    /// - Parameters:
    ///   - zone: the family's, for an event that has none of its own.
    ///   - environment: the rules of zones. An unknown zone counts as UTC.
    /// - Returns: `nil` for a record that does not remind: of another kind, deleted, or without a first day.
    package init?(_ record: Record, zone: String, _ environment: RuleEnvironment) {
        guard !record.isDeleted else { return nil }
        switch record.kind {
        case .event: self.init(event: record.fields, zone: zone, environment)
        case .tripItem: self.init(item: record.fields, environment)
        default: return nil
        }
    }

    private init?(event fields: Fields, zone: String, _ environment: RuleEnvironment) {
        guard let first = fields.text("start_date").flatMap({ CalendarDate($0) }) else { return nil }
        let last = max(first, fields.text("end_date").flatMap { CalendarDate($0) } ?? first)
        let zone = fields.text("time_zone") ?? zone
        let rules = environment.rules(zone)
        let time = (fields.text("checkin_time") ?? fields.text("start_time")).flatMap { LocalTime($0) }
        let end = time == nil ? nil : fields.text("end_time").flatMap { LocalTime($0) }
        self.init(
            LocalDateTime(date: first, time: time ?? .midnight), isWholeDay: time == nil, zone, rules,
            end: end.map { LocalDateTime(date: last, time: $0) } ?? Self.midnight(after: last), rules)
    }

    private init?(item fields: Fields, _ environment: RuleEnvironment) {
        guard let start = fields.text("start_time").flatMap({ LocalDateTime($0) }) else { return nil }
        let zone = fields.text("start_zone")
        let rules = environment.rules(zone)
        if let end = fields.text("end_time").flatMap({ LocalDateTime($0) }) {
            self.init(start, isWholeDay: false, zone, rules, end: end, environment.rules(fields.text("end_zone") ?? zone))
        } else {
            // Without an end an item lasts all day.
            self.init(
                LocalDateTime(date: start.date, time: .midnight), isWholeDay: true, zone, rules, end: Self.midnight(after: start.date), rules)
        }
    }

    private init(_ local: LocalDateTime, isWholeDay: Bool, _ zone: String?, _ rules: ZoneRules, end: LocalDateTime, _ endRules: ZoneRules) {
        self.local = local
        self.zone = zone
        self.isWholeDay = isWholeDay
        start = rules.instant(of: local)
        self.end = max(start, endRules.instant(of: end))
        due = Self.due(local, start, isWholeDay ? Self.dayLead : Self.timedLead, isWholeDay: isWholeDay, rules)
    }

    /// The first midnight after a day; after the last day of the calendar there is only its last minute.
    private static func midnight(after day: CalendarDate) -> LocalDateTime {
        day.adding(days: 1).map { LocalDateTime(date: $0, time: .midnight) }
            ?? LocalDateTime(date: day, time: LocalTime(hour: 23, minute: 59) ?? .midnight)
    }

    /// Before a time, minutes pass as they do; before a day, the clocks on the wall count, so that the evening before
    /// is at 18:00 also when the clocks change in that night.
    private static func due(_ local: LocalDateTime, _ start: Int64, _ lead: Int64, isWholeDay: Bool, _ rules: ZoneRules) -> Int64 {
        guard isWholeDay, let evening = local.adding(minutes: -Int(lead)) else { return start - lead * 60_000 }
        // A zone may leave out a whole day, and the evening with it.
        return min(rules.instant(of: evening), start)
    }

    /// The default lead of this item, minutes.
    package var lead: Int64 { isWholeDay ? Self.dayLead : Self.timedLead }

    /// The time of the reminder with a lead, UTC milliseconds.
    ///
    /// - Parameter lead: minutes.
    package func due(lead: Int64, _ environment: RuleEnvironment) -> Int64 {
        lead == self.lead ? due : Self.due(local, start, lead, isWholeDay: isWholeDay, environment.rules(zone))
    }

    /// The start for people, as in `Reminder.when`.
    package var when: String { isWholeDay ? "\(local.date)" : "\(local)" }

    /// The rule by which the reminder with a lead is due, for people.
    ///
    /// - Parameter isOwn: whether the member has chosen the lead.
    package func reason(lead: Int64, isOwn: Bool) -> String {
        (isWholeDay ? dayReason(lead) : "\(ReminderText.lead(lead)) \(local.time)") + (isOwn ? ", by the member's own rule" : "")
    }

    private func dayReason(_ lead: Int64) -> String {
        guard lead != Self.dayLead else { return "18:00 of the evening before, because it has no time" }
        let moment = local.adding(minutes: -Int(lead)) ?? local
        return "\(moment.time) on \(moment.date), because it has no time"
    }

    /// How a reminder reaches a member at a moment.
    ///
    /// - Parameter due: the time of the reminder.
    package func state(due: Int64, at now: Int64) -> Reminder.State {
        if now >= end, now >= due + Reminder.lateness { return .missed }
        return now > due + Reminder.lateness ? .late : .due
    }
}

internal import Arguments
package import Dates
package import Family
internal import Terminal

/// A change of the member's own reminder rule, in the member's words.
package struct ReminderRuleChange: Hashable, Sendable {
    /// Lead times for one kind of item.
    package enum Leads: Hashable, Sendable {
        /// Those of the next more general rule.
        case usual
        /// Minutes, ascending; empty for no reminders.
        case own([Int64])
    }

    package enum Quiet: Hashable, Sendable {
        case none
        case hours(from: LocalTime, until: LocalTime)
    }

    package var leads: [ReminderRule.Item: Leads] = [:]
    /// The name of the athlete for whose events alone `leads` are; `nil`: for all.
    package var athlete: String?
    package var isMuted: Bool?
    package var calendarReminds: Bool?
    package var quiet: Quiet?
    /// Deletes the rule.
    package var isReset = false

    package init() {}

    init(_ list: ArgumentList) throws(UsageError) {
        try list.expectNoPositional()
        if let text = list.value("--events") { leads[.event] = try Self.leads(text) }
        if let text = list.value("--items") { leads[.tripItem] = try Self.leads(text) }
        if let text = list.value("--days") { leads[.allDay] = try Self.leads(text, isDay: true) }
        athlete = list.value("--athlete")
        if athlete != nil, leads[.tripItem] != nil { throw UsageError("--items does not go with --athlete: trip items belong to the family.") }
        if athlete != nil, leads.isEmpty { throw UsageError("--athlete goes with --events or --days.") }
        guard !list.has("--on") || !list.has("--off") else { throw UsageError("Write either --on or --off.") }
        if list.has("--on") || list.has("--off") { isMuted = list.has("--off") }
        switch list.value("--calendar") {
        case nil: break
        case "yes"?: calendarReminds = true
        case "no"?: calendarReminds = false
        default: throw UsageError("--calendar takes yes or no.")
        }
        if let text = list.value("--quiet") { quiet = try Self.quiet(text) }
        isReset = list.has("--usual")
        let changes = self
        var reset = ReminderRuleChange()
        reset.isReset = true
        if isReset, changes != reset { throw UsageError("--usual goes alone: it deletes your own rule.") }
        if changes == ReminderRuleChange() { throw UsageError("Nothing to change: write for example huddle reminders set --events 1d,2h. See huddle reminders set --help.") }
    }

    /// Reads `1d,2h,30m,0`, `none` and `usual`; for days also times of the day before.
    private static func leads(_ text: String, isDay: Bool = false) throws(UsageError) -> Leads {
        if text == "usual" { return .usual }
        if text == "none" { return .own([]) }
        var found: Set<Int64> = []
        let parts = text.split(separator: ",").map { String($0).trimmed }
        for part in parts { found.insert(try lead(part, isDay: isDay)) }
        guard !parts.isEmpty, found.count == parts.count, found.count <= ReminderRule.mostLeads else {
            throw UsageError("Name 1 to \(ReminderRule.mostLeads) different lead times, like 1d,2h,30m; or none, or usual.")
        }
        return .own(found.sorted())
    }

    private static func lead(_ text: String, isDay: Bool) throws(UsageError) -> Int64 {
        if isDay, let time = LocalTime(text) { return Int64(1440 - time.minutes) }
        let units: [Character: Int64] = ["m": 1, "h": 60, "d": 1440, "w": 7 * 1440]
        let unit = text.last.flatMap { units[$0] }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), digits.utf8.count <= 6, let number = Int64(digits),
            number * (unit ?? 1) <= ReminderRule.mostLead
        else {
            throw UsageError(
                "A lead time is written like 30m, 2h, 1d or 0, at most 28d" + (isDay ? "; or as a time of the day before, like 18:00." : ".") + " Yours is '\(text.printable)'.")
        }
        return number * (unit ?? 1)
    }

    private static func quiet(_ text: String) throws(UsageError) -> Quiet {
        if text == "off" { return .none }
        let parts = text.split(separator: "-").map { LocalTime(String($0).trimmed) }
        guard parts.count == 2, let from = parts[0], let until = parts[1], from != until else {
            throw UsageError("--quiet takes two times, like 22:00-07:00, or off.")
        }
        return .hours(from: from, until: until)
    }
}

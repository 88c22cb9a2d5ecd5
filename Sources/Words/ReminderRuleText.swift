internal import Bytes
package import Family
internal import Terminal

/// A member's own reminder rule in words.
package enum ReminderRuleText {
    /// The rule, one fact per line.
    ///
    /// - Parameters:
    ///   - record: of the kind `reminder_rule`; `nil` or deleted: the member has none.
    ///   - isGuest: whether the member is a guest, who gets no reminders without a rule.
    ///   - command: that changes the rule.
    package static func lines(_ record: Record?, isGuest: Bool, command: String, _ names: RecordNames) -> [String] {
        let hasRule = record.map { !$0.isDeleted } ?? false
        let rule = ReminderRule(record)
        guard hasRule || !isGuest else { return ["Guests get no reminders unless they ask for them: \(command) --on"] }
        var lines: [String] = []
        if rule.isMuted { lines.append("Reminders are off: \(command) --on") }
        if rule.calendarReminds { lines.append("Your calendar app reminds you, Huddle does not: \(command) --calendar no") }
        lines.append("Events: \(leads(rule.leads(.event)))")
        lines.append("Trip items: \(leads(rule.leads(.tripItem)))")
        lines.append("Without a time: \(days(rule.leads(.allDay)))")
        for (athlete, own) in rule.athletes.sorted(by: { $0.key < $1.key }) {
            if let list = own[.event] { lines.append("Events of \(names.member(athlete)): \(leads(list))") }
            if let list = own[.allDay] { lines.append("Events of \(names.member(athlete)) without a time: \(days(list))") }
        }
        if let quiet = rule.quiet { lines.append("Quiet from \(quiet.from) to \(quiet.until)" + (quiet.zone.map { " (\($0.printable))" } ?? "")) }
        if !hasRule { lines.append("These are the usual reminders. Change yours: \(command) --events 1d,2h") }
        return lines
    }

    /// "1 day and 2 hours before", "at the start", "no reminders".
    package static func leads(_ leads: [Int64]) -> String {
        let before = leads.filter { $0 > 0 }.reversed().map { ReminderRule.words($0) }
        var parts = before.isEmpty ? [] : [joined(Array(before)) + " before"]
        if leads.contains(0) { parts.append("at the start") }
        return parts.isEmpty ? "no reminders" : parts.joined(separator: ", and ")
    }

    /// Leads from the first midnight: "18:00 of the day before", "09:00 2 days before".
    package static func days(_ leads: [Int64]) -> String {
        leads.isEmpty ? "no reminders" : joined(leads.reversed().map(day))
    }

    private static func day(_ lead: Int64) -> String {
        guard lead > 0 else { return "00:00 of the first day" }
        let days = (lead + 1439) / 1440
        let minutes = days * 1440 - lead
        let time = (minutes / 60 < 10 ? "0" : "") + "\(minutes / 60):" + (minutes % 60 < 10 ? "0" : "") + "\(minutes % 60)"
        return days == 1 ? "\(time) of the day before" : "\(time) \(days) days before"
    }

    private static func joined(_ parts: [String]) -> String {
        parts.count > 1 ? parts.dropLast().joined(separator: ", ") + " and " + (parts.last ?? "") : parts.first ?? ""
    }
}

package import Family

/// The texts of reminders (R166).
package enum ReminderText {
    /// "Upcoming: " and the name of an item.
    package static func title(_ record: Record) -> String { "Upcoming: \(record.fields.shownName)" }

    /// A lead of an item with a time, before that time: "30 minutes before", "at".
    package static func lead(_ lead: Int64) -> String {
        lead > 0 ? "\(ReminderRule.words(lead)) before" : "at"
    }

    /// The place of an item, or "No location".
    package static func body(_ record: Record) -> String {
        let names = record.kind == .event ? ["location", "address", "city", "state"] : ["location"]
        let parts = names.compactMap { record.fields.text($0) }.filter { !$0.isEmpty }
        return parts.isEmpty ? "No location" : parts.joined(separator: ", ")
    }
}

extension Reminder {
    /// A reminder of a record with this plan.
    ///
    /// - Parameters:
    ///   - due: the time of the reminder.
    ///   - now: the moment at which the member gets it.
    package init(_ record: Record, _ plan: ReminderPlan, lead: Int64, due: Int64, at now: Int64) {
        self.init(
            kind: record.kind, key: Key(item: record.id, lead: lead, start: plan.start), state: plan.state(due: due, at: now), when: plan.when,
            title: ReminderText.title(record), body: ReminderText.body(record))
    }
}

package import Family
import Wire

extension SyncEngine {
    mutating func receive(_ reminder: Reminder) {
        reminders.removeAll { $0.key == reminder.key }
        if reminders.count >= SyncEngine.maxReminders { reminders.removeFirst() }
        reminders.append(reminder)
        output.append(.notify(.reminder(reminder)))
    }

    /// Reports that the member has seen reminders. If the report is lost with the connection, the server sends them
    /// again after the next join.
    package mutating func see(_ seen: [Reminder.Key], now: Int64) -> [SyncAction] {
        guard isJoined else { return [] }
        for key in seen where reminders.contains(where: { $0.key == key }) {
            reminders.removeAll { $0.key == key }
            output.append(.send(.reminderSeen(key)))
        }
        return flush(now)
    }
}

package import Family
import Terminal

/// Reminders as text.
package enum ReminderWords {
    /// "Upcoming: Fall Camp, Apr 15, 2026 08:00, Main field".
    package static func line(_ reminder: Reminder) -> String {
        let parts = reminder.when.split(separator: "T")
        let when = ([EventText.date(String(parts.first ?? ""))] + parts.dropFirst().map(String.init)).joined(separator: " ")
        let line = "\(reminder.title), \(when), \(reminder.body)".printable
        return switch reminder.state {
        case .due: line
        case .late: "Late. \(line)"
        case .missed: "Missed. \(line)"
        }
    }

    /// The reminders that no device has seen.
    package static func lines(_ reminders: [Reminder]) -> [String] {
        reminders.isEmpty ? ["No reminders."] : reminders.map(line)
    }
}

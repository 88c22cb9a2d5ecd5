/// The time of the next reminder of all families, as a number in memory, so that nobody looks for one every minute.
///
/// The number may be too early, because an armed reminder can be removed; it is never too late.
package struct ReminderAlarm: Hashable, Sendable {
    /// UTC milliseconds; `nil` if nothing is armed.
    package private(set) var next: Int64?

    package init(next: Int64? = nil) { self.next = next }

    /// A reminder was armed.
    package mutating func armed(_ due: Int64) { next = min(next ?? due, due) }

    /// All reminders that were due were taken.
    ///
    /// - Parameter next: the time of the earliest one that is left.
    package mutating func taken(next: Int64?) { self.next = next }

    /// Whether a reminder may be due.
    package func isDue(at now: Int64) -> Bool { next.map { $0 <= now } ?? false }
}

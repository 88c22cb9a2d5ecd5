package import Bytes
package import Family

/// A reminder that has not fired.
package struct ArmedReminder: Hashable, Sendable {
    /// The integer that stands for the family.
    package var family: Int64
    package var key: Reminder.Key
    /// UTC milliseconds.
    package var due: Int64

    package init(family: Int64, key: Reminder.Key, due: Int64) {
        self.family = family
        self.key = key
        self.due = due
    }
}

/// A reminder that has fired for one member.
package struct FiredReminder: Hashable, Sendable {
    /// The integer that stands for the family.
    package var family: Int64
    package var member: Identifier
    package var key: Reminder.Key
    /// UTC milliseconds.
    package var due: Int64
    /// UTC milliseconds.
    package var firedAt: Int64

    package init(family: Int64, member: Identifier, key: Reminder.Key, due: Int64, firedAt: Int64) {
        self.family = family
        self.member = member
        self.key = key
        self.due = due
        self.firedAt = firedAt
    }
}

/// The reminders of families. `family` is the integer that stands for one.
package protocol ReminderReads: AnyObject {
    /// The reminders of an item that have not fired, in the order of their leads.
    func armed(family: Int64, item: Identifier) throws -> [ArmedReminder]

    /// The time of the earliest reminder that has not fired; `nil` if there is none.
    func nextDue() throws -> Int64?

    /// The reminders that are due at a time, the earliest first, then by family, item and lead.
    func due(at time: Int64, limit: Int) throws -> [ArmedReminder]

    /// Whether a reminder has fired for its member, seen or not.
    func hasFired(_ reminder: FiredReminder) throws -> Bool

    /// The reminders of a member that fired after a time and that no device has seen, the newest first, then by time,
    /// item and lead, the largest first.
    func unseen(family: Int64, member: Identifier, firedAfter time: Int64, limit: Int) throws -> [FiredReminder]

    /// The zone data by which all reminders are armed; `nil` if they were not armed yet.
    func zoneData() throws -> String?
}

package protocol ReminderWrites: ReminderReads {
    /// Arms a reminder, in place of the one that the item has with this lead.
    ///
    /// A batch is written before its reminders are armed, so a change of the zone or of a rule in it may already have
    /// armed an item that a later change of the batch creates.
    func arm(_ reminder: ArmedReminder) throws

    /// Disarms all reminders of an item.
    ///
    /// - Returns: how many there were.
    func disarm(family: Int64, item: Identifier) throws -> Int

    /// Disarms one reminder.
    func disarm(_ reminder: ArmedReminder) throws

    /// Notes that a reminder has fired for a member.
    ///
    /// - Returns: false if it had fired before; then nothing changes.
    func fire(_ reminder: FiredReminder) throws -> Bool

    /// Notes that a member has seen a reminder. Does nothing for one that has not fired or was seen before.
    func see(family: Int64, member: Identifier, _ key: Reminder.Key, at: Int64) throws

    /// Removes the reminders that have fired for a member.
    func forget(family: Int64, member: Identifier) throws

    /// Removes reminders that fired before a time.
    ///
    /// - Returns: how many, at most `count`.
    func purgeFired(before time: Int64, count: Int) throws -> Int

    /// Notes the zone data by which all reminders are armed.
    func setZoneData(_ version: String) throws
}

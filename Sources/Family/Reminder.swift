package import Bytes

/// A reminder of one item, as one member gets it.
package struct Reminder: Hashable, Sendable {
    /// The name of a reminder among those of one member. Each fires at most once.
    package struct Key: Hashable, Sendable {
        /// The event or the trip item.
        package var item: Identifier
        /// Minutes before the start, at which it is due.
        package var lead: Int64
        /// The start of which it reminds, UTC milliseconds. An item that is moved gets another reminder.
        package var start: Int64

        package init(item: Identifier, lead: Int64, start: Int64) {
            self.item = item
            self.lead = lead
            self.start = start
        }
    }

    /// How a reminder reaches its member.
    package enum State: String, CaseIterable, Sendable {
        /// In time.
        case due
        /// Later than `lateness` after its time, and before the end of the item.
        case late
        /// The item is over.
        case missed
    }

    /// `event` or `trip_item`.
    package var kind: Kind
    package var key: Key
    package var state: State
    /// The start on the clocks of the place, `YYYY-MM-DDTHH:MM`; `YYYY-MM-DD` for an item without a time.
    package var when: String
    /// "Upcoming: " and the name of the item.
    package var title: String
    /// The place, or "No location".
    package var body: String

    package init(kind: Kind, key: Key, state: State, when: String, title: String, body: String) {
        self.kind = kind
        self.key = key
        self.state = state
        self.when = when
        self.title = title
        self.body = body
    }

    /// Milliseconds after its time up to which a reminder is in time.
    package static let lateness: Int64 = 60_000
    /// The largest number of reminders that a member gets at a join: the newest ones.
    package static let mostAtJoin = 100
    /// Milliseconds for which a reminder is kept that no device has seen: 30 days.
    package static let retention: Int64 = 30 * 86_400_000
}

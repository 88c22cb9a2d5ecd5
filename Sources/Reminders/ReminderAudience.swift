package import Bytes
package import Family

/// The members who get the reminders of an item.
///
/// They are found when a reminder fires, so that a change of roles, members or participants needs no change of what is
/// armed.
package enum ReminderAudience {
    /// The athlete of an event, everyone on the trip of an item, and the parents; guests only if they asked for it.
    ///
    /// - Parameters:
    ///   - trip: of an item; `nil` if it is gone.
    ///   - members: the members of the family who may sign in now, with their roles.
    ///   - askers: the members who have a rule of their own. A guest's rule is the request to be reminded, as parents are.
    /// - Returns: in the order of their ids.
    package static func members(of item: Record, trip: Record?, among members: [Identifier: Role], askers: Set<Identifier> = []) -> [Identifier] {
        let onTrip: Set<Identifier>?
        if item.kind == .tripItem {
            // Nobody named is everybody.
            let named = item.fields.set("participants")
            let travellers = named.isEmpty ? trip?.fields.set("participants") ?? [] : named
            onTrip = travellers.isEmpty ? nil : Set(travellers.map(\.id))
        } else {
            onTrip = Set(item.athlete.map { [$0] } ?? [])
        }
        return members.filter { member, role in
            switch role {
            case .parent: true
            case .athlete: onTrip?.contains(member) ?? true
            case .guest: askers.contains(member)
            }
        }.keys.sorted()
    }
}

import Bytes
import Family

/// What a mutation planned anew, so that its final state can be checked.
struct Plans {
    /// Trip items to be checked, with the operation that touched each first.
    private(set) var items: [Identifier: Int] = [:]
    /// Trips whose participants changed, and with them those of the items that name none.
    private(set) var trips: [Identifier: Int] = [:]
    private(set) var events: Set<Identifier> = []
    /// Items that moved or were copied together: how they lie to each other is as it was, so it is not asked again.
    var together: [Identifier: Int] = [:]

    var isEmpty: Bool { items.isEmpty && trips.isEmpty && events.isEmpty }

    /// - Parameter old: the record before; `nil` when it was not there.
    mutating func note(from old: Record?, to new: Record, _ index: Int) {
        switch new.kind {
        case .tripItem:
            if new.isDeleted {
                items[new.id] = nil
            } else if Self.differ(old, new, Self.itemFields) {
                if items[new.id] == nil { items[new.id] = index }
            }
        case .trip:
            if new.isDeleted {
                trips[new.id] = nil
            } else if let old, old.fields["participants"] != new.fields["participants"], trips[new.id] == nil {
                trips[new.id] = index
            }
        case .event:
            if new.isDeleted {
                events.remove(new.id)
            } else if Self.differ(old, new, Self.eventFields) {
                events.insert(new.id)
            }
        default: break
        }
    }

    private static func differ(_ old: Record?, _ new: Record, _ fields: [Int]) -> Bool {
        guard let old else { return true }
        return fields.contains { old.fields[$0] != new.fields[$0] }
    }

    private static let itemFields = indices(
        .tripItem, ["trip_id", "start_time", "start_zone", "end_time", "end_zone", "participants", "category"])
    private static let eventFields = indices(.event, ["start_date", "end_date", "start_time", "end_time", "time_zone"])

    private static func indices(_ kind: Kind, _ names: [String]) -> [Int] { names.compactMap { kind.declaration.index(of: $0) } }
}

import Bytes
import Family

/// The plans that a mutation changed, so that their final state can be checked.
struct Plans {
    /// Trip items that the conflict check looks at, with the operation that touched each first.
    private(set) var items: [Identifier: Int] = [:]
    /// Trips whose participants changed, and with them those of the items that name none.
    private(set) var trips: [Identifier: Int] = [:]
    /// Items that moved or were copied with their whole trip: how they lie to each other is as it was, and was accepted or in order before.
    private(set) var moved: Set<Identifier> = []
    private(set) var events: Set<Identifier> = []
    /// Trip items with long texts, with the operation that wrote each first: all texts of a trip together have a bound.
    private(set) var large: [Identifier: Int] = [:]

    /// Octets of the texts of one item up to which a full trip of such items keeps its bound (`Limits.relatedOctets`), escapes included.
    static let usualOctets = 512
    /// Where the mutation takes back a change: what stood before that is not asked about again.
    var undone: Undone?

    struct Undone {
        /// Of the change that is taken back.
        var sequence: Int64
        /// Records that nobody has written since, so that they are again as they were before it.
        var restored: Set<Identifier>
    }

    var isEmpty: Bool { items.isEmpty && trips.isEmpty && moved.isEmpty && events.isEmpty && large.isEmpty }

    /// - Parameter old: the record before; `nil` when it was not there.
    mutating func note(from old: Record?, to new: Record, _ index: Int) {
        switch new.kind {
        case .tripItem:
            if new.isDeleted {
                items[new.id] = nil
                large[new.id] = nil
                moved.remove(new.id)
                return
            }
            if new.fields.textOctets > max(Self.usualOctets, old?.fields.textOctets ?? 0), large[new.id] == nil { large[new.id] = index }
            if OverlapCheck.isDue(from: old?.fields, to: new.fields), items[new.id] == nil {
                items[new.id] = index
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
            } else if old.map({ old in Self.eventFields.contains { old.fields[$0] != new.fields[$0] } }) ?? true {
                events.insert(new.id)
            }
        default: break
        }
    }

    /// An item was written because its whole trip moved.
    ///
    /// - Parameter wasDue: whether another operation had touched it before.
    mutating func move(_ item: Identifier, wasDue: Bool) {
        moved.insert(item)
        if !wasDue { items[item] = nil }
    }

    private static let eventFields = ["start_date", "end_date", "start_time", "end_time", "time_zone"].compactMap {
        Kind.event.declaration.index(of: $0)
    }
}

extension Fields {
    /// The octets of the fields on disk, at most, except with an unusual number of escapes.
    var octetsAtMost: Int { textOctets + 512 }

    /// The octets of the texts in the fields, without keys, quotes and escapes.
    var textOctets: Int {
        values.reduce(0) { sum, value in
            switch value {
            case .text(let text): sum + text.utf8.count
            case .json(let octets): sum + octets.count
            case .set(let elements): elements.reduce(sum) { $0 + $1.name.utf8.count + $1.role.utf8.count + 36 }
            case .integer, .flag, .reference, .link, nil: sum
            }
        }
    }
}

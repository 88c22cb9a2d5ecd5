package import Bytes

/// Which items of one trip are at the same time for the same people (product.md, "Conflict check"; semantics.md, "Trip conflict check").
///
/// `[start, end)` as instants: touching is not an overlap. An item without an end lasts all day and overlaps with nothing;
/// `accommodation` only with `accommodation`; an item never with itself.
package enum OverlapCheck {
    /// An item that has an end, as the check sees it.
    package struct Item: Sendable {
        package let id: Identifier
        package let start: Int64
        package let end: Int64
        package let isStay: Bool
        /// Empty: everybody on the trip.
        package let participants: Set<Identifier>
        let brief: Overlap.Item

        /// `nil` for an item that lasts all day, and for one without a start.
        package init?(id: Identifier, _ fields: Fields, _ environment: RuleEnvironment) {
            guard let span = TripItemSpan.timed(fields, environment) else { return nil }
            self.id = id
            (start, end) = span
            isStay = fields.text("category") == "accommodation"
            participants = Set(fields.set("participants").map(\.id))
            let startZone = fields.text("start_zone") ?? ""
            brief = Overlap.Item(
                id: id, title: fields.text("title") ?? "", start: fields.text("start_time") ?? "", startZone: startZone,
                end: fields.text("end_time") ?? "", endZone: fields.text("end_zone") ?? startZone)
        }
    }

    /// The fields of an item a change of which lets it be checked.
    private static let checkedFields = [
        "trip_id", "start_time", "start_zone", "end_time", "end_zone", "participants", "category",
    ].compactMap { Kind.tripItem.declaration.index(of: $0) }

    /// Whether a written item has to be checked: it is new or back, or what the check looks at has changed.
    ///
    /// - Parameter old: the item before; `nil` for one that was created or restored.
    package static func isDue(from old: Fields?, to new: Fields) -> Bool {
        guard let old else { return true }
        return checkedFields.contains { old[$0] != new[$0] }
    }

    /// The overlaps of the items that are due, in the final state of a batch.
    ///
    /// - Parameters:
    ///   - due: ids of the items to check; overlaps of others among themselves are none of this mutation's.
    ///   - items: all items of the trip with an end, living ones only.
    ///   - travellers: who is on the trip: its participants, or everybody in the family when it names none.
    ///   - accepted: pairs that the author lets through.
    /// - Returns: each pair once, by start; at most `Rejection.maxOverlaps`.
    /// - Complexity: O(n log n), and the pairs that are at the same time.
    package static func overlaps(
        of due: Set<Identifier>, among items: [Item], travellers: Set<Identifier>, accepted: Set<OverlapPair> = []
    ) -> [Overlap] {
        let sorted = items.sorted { ($0.start, $0.id) < ($1.start, $1.id) }
        var found: [Overlap] = []
        for (place, earlier) in sorted.enumerated() {
            for later in sorted[(place + 1)...] {
                guard later.start < earlier.end else { break }
                guard due.contains(earlier.id) || due.contains(later.id), earlier.isStay == later.isStay, earlier.id != later.id,
                    !accepted.contains(OverlapPair(earlier.id, later.id))
                else { continue }
                let shared = people(earlier, travellers).intersection(people(later, travellers))
                guard !shared.isEmpty else { continue }
                let isEarlierFirst = due.contains(earlier.id) && !(due.contains(later.id) && later.id < earlier.id)
                found.append(
                    Overlap(
                        item: isEarlierFirst ? earlier.brief : later.brief, with: isEarlierFirst ? later.brief : earlier.brief,
                        members: shared.sorted()))
                if found.count == Rejection.maxOverlaps { return found }
            }
        }
        return found
    }

    /// The error sentence for the author.
    ///
    /// - Parameter operation: position of the operation that wrote the first overlap's item, if one did.
    package static func rejection(_ overlaps: [Overlap], operation: Int?) -> Rejection {
        let more = overlaps.count > 1 ? " (and \(overlaps.count - 1) more)" : ""
        let sentence = "\(overlaps.first?.item.title ?? "") is at the same time as \(overlaps.first?.with.title ?? "")\(more). "
            + "Not saved. Keep both? Send it again with a reason."
        return Rejection(
            .overlap, sentence, operation: operation, kind: .tripItem, id: overlaps.first?.item.id, overlaps: overlaps)
    }

    private static func people(_ item: Item, _ travellers: Set<Identifier>) -> Set<Identifier> {
        item.participants.isEmpty ? travellers : item.participants
    }
}

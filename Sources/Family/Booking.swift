package import Bytes
import Dates

/// The time and place of an appointment: a recruiting event or an item of a trip, for the double-booking radar (product.md, "Beyond
/// the trip").
package struct Booking: Sendable {
    package let kind: Kind
    package let id: Identifier
    /// The trip of an item.
    package let trip: Identifier?
    package let title: String
    /// UTC milliseconds, `[start, end)`.
    package let start: Int64
    package let end: Int64
    package let isStay: Bool
    package let people: Set<Identifier>

    /// Warnings of one answer: more than a person reads.
    package static let maxWarnings = 20

    /// An event is its athlete's. `nil` without times of start and end: a day that is only named clashes with nothing.
    ///
    /// - Parameter zone: the family's, for an event that has none of its own.
    package init?(event: Record, zone: String, _ environment: RuleEnvironment) {
        guard event.kind == .event, let athlete = event.athlete, let first = event.fields.text("start_date").flatMap({ CalendarDate($0) }),
            let from = event.fields.text("start_time").flatMap({ LocalTime($0) }),
            let to = event.fields.text("end_time").flatMap({ LocalTime($0) })
        else { return nil }
        let last = event.fields.text("end_date").flatMap { CalendarDate($0) } ?? first
        let rules = environment.rules(event.fields.text("time_zone") ?? zone)
        let start = rules.instant(of: LocalDateTime(date: first, time: from))
        let end = rules.instant(of: LocalDateTime(date: last, time: to))
        guard end > start else { return nil }
        kind = .event
        id = event.id
        trip = nil
        title = event.fields.shownName
        (self.start, self.end) = (start, end)
        isStay = false
        people = [athlete]
    }

    /// - Parameter travellers: who is on the item's trip, for an item that names nobody.
    /// - Returns: `nil` for an item that lasts all day.
    package init?(item: Record, travellers: Set<Identifier>, _ environment: RuleEnvironment) {
        guard item.kind == .tripItem, let span = TripItemSpan.timed(item.fields, environment) else { return nil }
        kind = .tripItem
        id = item.id
        trip = item.fields.reference("trip_id")
        title = item.fields.shownName
        (start, end) = span
        isStay = item.fields.text("category") == "accommodation"
        let named = Set(item.fields.set("participants").map(\.id))
        people = named.isEmpty ? travellers : named
    }

    private func overlaps(_ other: Booking) -> Bool { start < other.end && other.start < end }

    /// The people of both bookings at the same time, ordered by id. Two items of one trip belong to the conflict check; two events are not
    /// reported; a bed is double booked only with another bed.
    package func clashes(with other: Booking) -> [Identifier] {
        guard id != other.id, overlaps(other), isStay == other.isStay, kind == .tripItem || other.kind == .tripItem,
            trip == nil || trip != other.trip
        else { return [] }
        return people.intersection(other.people).sorted()
    }

    /// The warnings that the author of the written bookings gets with the receipt: one for each clash and person, at most `maxWarnings`.
    ///
    /// - Parameter name: of a member.
    package static func warnings(
        _ written: [Booking], among others: [Booking], name: (Identifier) -> String
    ) -> [MutationWarning] {
        var warnings: [MutationWarning] = []
        var seen: Set<OverlapPair> = []
        for booking in written {
            // Of hundreds of plans few are at the same time, and only of these it matters whether the pair came before.
            for other in others
            where booking.overlaps(other) && booking.id != other.id && seen.insert(OverlapPair(booking.id, other.id)).inserted {
                for member in booking.clashes(with: other) {
                    guard warnings.count < maxWarnings else { return warnings }
                    warnings.append(
                        MutationWarning(
                            code: .doubleBooking, kind: booking.kind, id: booking.id, withKind: other.kind, withID: other.id, member: member,
                            message: "\(booking.title) is at the same time as \(other.title) for \(name(member))."))
                }
            }
        }
        return warnings
    }
}

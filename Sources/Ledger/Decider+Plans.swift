import Bytes
import Dates
import Family

// People with two items at the same time: the conflict check of trips and the double-booking radar (product.md, "Trips and itinerary";
// semantics.md, "Trip conflict check"). On the final state of a mutation, inside its transaction, so that of two authors who take the
// same hour one is refused.
extension Decider {
    /// Plans of others that the radar looks at, of each kind.
    private static let radarPlans = 500
    /// Days before a plan in which what overlaps it may have begun.
    private static let radarDays = 31

    /// Checks what a mutation planned.
    ///
    /// - Parameter accepted: pairs of items that the author lets overlap.
    /// - Returns: what overlaps beyond a trip, as warnings.
    /// - Throws: `overlap` with the pairs of one trip that share somebody and are not accepted.
    func checkPlans(accepted: Set<OverlapPair>) throws -> [MutationWarning] {
        guard !plans.isEmpty else { return [] }
        // The operations have used their budget; the check gets one of its own, of the same size.
        budget = ReadBudget(octets: environment.limits.relatedOctets)
        var travellers = Travellers(family)
        var written: [Booking] = []
        for (id, touched) in try touchedTrips().sorted(by: { $0.key < $1.key }) {
            guard let trip = try view.record(id), !trip.isDeleted else { continue }
            written += try checkTrip(trip, touched, &travellers, accepted)
        }
        return try radar(written, &travellers)
    }

    /// The travellers of items that name nobody, and the trips that were read for them.
    private struct Travellers {
        let everybody: Set<Identifier>
        var trips: [Identifier: Set<Identifier>] = [:]

        init(_ family: FamilyState) {
            everybody = Set(family.members.filter { !$0.value.isRemoved && $0.value.role != .guest }.keys)
        }

        mutating func on(_ trip: Record) -> Set<Identifier> {
            if let known = trips[trip.id] { return known }
            let named = Set(trip.fields.set("participants").map(\.id))
            let travellers = named.isEmpty ? everybody : named
            trips[trip.id] = travellers
            return travellers
        }
    }

    private struct TouchedTrip {
        /// Items to be checked, with the operation to name.
        var due: [Identifier: Int] = [:]
        /// Items that only moved with the trip.
        var moved: Set<Identifier> = []
        /// The operation that changed who travels.
        var participants: Int?
        /// The first operation that wrote an item of long texts.
        var large: Int?

        /// Whether the items lie to each other as they did, with the texts that they had: then the other items need no look.
        var hasOnlyMoved: Bool { due.isEmpty && participants == nil && large == nil }
    }

    private func touchedTrips() throws -> [Identifier: TouchedTrip] {
        var touched: [Identifier: TouchedTrip] = [:]
        func trip(of item: Identifier) throws -> Identifier? {
            try view.record(item)?.fields.reference("trip_id")
        }
        for (item, index) in plans.items {
            if let trip = try trip(of: item) { touched[trip, default: TouchedTrip()].due[item] = index }
        }
        for item in plans.moved {
            if let trip = try trip(of: item) { touched[trip, default: TouchedTrip()].moved.insert(item) }
        }
        for (item, index) in plans.large {
            guard let trip = try trip(of: item) else { continue }
            touched[trip, default: TouchedTrip()].large = min(index, touched[trip]?.large ?? index)
        }
        for (trip, index) in plans.trips { touched[trip, default: TouchedTrip()].participants = index }
        return touched
    }

    /// - Returns: the items that were written, for the radar.
    private func checkTrip(
        _ trip: Record, _ touched: TouchedTrip, _ travel: inout Travellers, _ accepted: Set<OverlapPair>
    ) throws -> [Booking] {
        guard !touched.hasOnlyMoved else {
            let travellers = travel.on(trip)
            return try touched.moved.compactMap { try view.record($0) }
                .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
                .compactMap { Booking(item: $0, travellers: travellers, environment.rules) }
        }
        let limit = environment.limits.relatedRecords
        let operation = Operation(kind: .trip, id: trip.id, action: .delete(base: trip.version))
        let first = (touched.due.values + [touched.participants, touched.large].compactMap { $0 }).min() ?? 0
        let items = try referrers(of: trip, limit: limit + 1, operation, first).map(\.record)
        var due = touched.due
        if let index = touched.participants {
            for item in items where item.fields.set("participants").isEmpty && due[item.id] == nil { due[item.id] = index }
        }
        guard items.count <= limit else {
            throw Rejection(
                .tooMany, "A trip can have at most \(limit) items: make another trip for the rest. Nothing was changed",
                operation: due.values.min(), kind: .trip, id: trip.id)
        }
        let travellers = travel.on(trip)
        if !due.isEmpty {
            let timed = items.compactMap { OverlapCheck.Item(id: $0.id, $0.fields, environment.rules) }
            var accepted = accepted
            while true {
                let overlaps = OverlapCheck.overlaps(of: Set(due.keys), among: timed, travellers: travellers, accepted: accepted)
                guard let first = overlaps.first else { break }
                let standing = try overlaps.filter { try stood($0, on: trip) }
                guard !standing.isEmpty else { throw OverlapCheck.rejection(overlaps, operation: due[first.item.id]) }
                // There may be more than one answer holds.
                accepted.formUnion(standing.map { OverlapPair($0.item.id, $0.with.id) })
            }
        }
        return items.filter { due[$0.id] != nil || touched.moved.contains($0.id) }
            .compactMap { Booking(item: $0, travellers: travellers, environment.rules) }
    }

    /// Whether an undo only brings back an overlap that was there before the change that it takes back: with both items and their trip as they
    /// were then, somebody has let it be already (or the trip was moved with it), and nothing is new that could be asked about.
    private func stood(_ overlap: Overlap, on trip: Record) throws -> Bool {
        guard let undone = plans.undone else { return false }
        return try [overlap.item.id, overlap.with.id, trip.id].allSatisfy { id in
            if undone.restored.contains(id) { return true }
            guard let record = try view.record(id) else { return false }
            let last = try view.history(of: record, after: record.version - 1, limit: 1, &budget).first?.sequence
                ?? view.creation(of: id)
            return last.map { $0 < undone.sequence } ?? false
        }
    }

    // MARK: Beyond the trip

    private func radar(_ items: [Booking], _ travel: inout Travellers) throws -> [MutationWarning] {
        let zone = family.zone
        var written = items
        for id in plans.events.sorted() {
            guard let event = try view.record(id) else { continue }
            if let booking = Booking(event: event, zone: zone, environment.rules) { written.append(booking) }
        }
        guard let start = written.map(\.start).min(), let end = written.map(\.end).max() else { return [] }
        // A day more at both ends: local days begin and end half a day off UTC.
        guard let first = ZoneRules.utc.localDate(at: start).adding(days: -Self.radarDays - 1),
            let last = ZoneRules.utc.localDate(at: end).adding(days: 2)
        else { return [] }
        // Best effort: plans beyond the budget are not compared.
        var budget = ReadBudget(octets: environment.limits.relatedOctets / 4)
        let found = try view.plans(from: first.description, before: last.description, limit: Self.radarPlans, &budget)
        var others = found.events.compactMap { Booking(event: $0, zone: zone, environment.rules) }
        for item in found.items {
            guard let id = item.fields.reference("trip_id"), let trip = try view.record(id) else { continue }
            if let booking = Booking(item: item, travellers: travel.on(trip), environment.rules) { others.append(booking) }
        }
        return Booking.warnings(written, among: others) { family.members[$0]?.name ?? "somebody" }
    }
}

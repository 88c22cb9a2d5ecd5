// Records as entries of a calendar (RFC 5545), and what a feed has; no clock, no files, no database.

package import Bytes
internal import Dates
package import Family

/// The member to whom a feed belongs.
package struct FeedOwner: Hashable, Sendable {
    package var member: Identifier
    package var role: Role

    package init(member: Identifier, role: Role) {
        self.member = member
        self.role = role
    }
}

/// All of a family that a feed can show, at one moment.
package struct FeedRecords: Sendable {
    /// The family's zone, an IANA name.
    package var zone: String
    /// Living ones, and those that were deleted not long ago.
    package var events: [Record]
    package var trips: [Record]
    package var items: [Record]
    /// Living ones; empty for a feed without details.
    package var schools: [Record]
    package var coaches: [Record]
    /// The names of all who are or were in the family.
    package var names: [Identifier: String]
    /// When the owner of the feed wants to be reminded: the times of the alarms.
    package var rule = ReminderRule.standard

    package init(
        zone: String, events: [Record] = [], trips: [Record] = [], items: [Record] = [], schools: [Record] = [], coaches: [Record] = [],
        names: [Identifier: String] = [:]
    ) {
        self.zone = zone
        self.events = events
        self.trips = trips
        self.items = items
        self.schools = schools
        self.coaches = coaches
        self.names = names
    }
}

/// Chooses the records of a feed.
struct FeedSelection {
    private let scope: FeedScope
    private let owner: FeedOwner
    private let trips: [Identifier: Record]

    init(_ scope: FeedScope, _ owner: FeedOwner, trips: [Record]) {
        self.scope = scope
        self.owner = owner
        self.trips = Dictionary(trips.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Whether the feed shows the seasons of several athletes, so that each entry has to name its own.
    var isOfSeveralAthletes: Bool {
        switch scope {
        case .mine(let athletes): owner.role != .athlete && athletes.count != 1
        case .all: true
        case .athlete, .trip: false
        }
    }

    func has(event: Record) -> Bool {
        switch scope {
        case .mine(let athletes):
            if owner.role == .athlete { return event.athlete == owner.member }
            return athletes.isEmpty || event.athlete.map(athletes.contains) ?? false
        case .athlete(let athlete): return event.athlete == athlete
        case .trip: return false
        case .all: return true
        }
    }

    func has(trip: Record) -> Bool {
        switch scope {
        case .mine: Self.takesPart(owner.member, trip)
        case .athlete(let athlete): Self.takesPart(athlete, trip)
        case .trip(let id): trip.id == id
        case .all: true
        }
    }

    func has(item: Record) -> Bool {
        guard item.fields.flag("include_in_itinerary"), let id = item.fields.reference("trip_id") else { return false }
        switch scope {
        case .mine: return isOnTrip(owner.member, id) && Self.takesPart(owner.member, item)
        case .athlete(let athlete): return isOnTrip(athlete, id) && Self.takesPart(athlete, item)
        case .trip(let trip): return id == trip
        case .all: return true
        }
    }

    func trip(of item: Record) -> Record? { item.fields.reference("trip_id").flatMap { trips[$0] } }

    /// A trip that is gone names nobody who stays away.
    private func isOnTrip(_ member: Identifier, _ trip: Identifier) -> Bool { trips[trip].map { Self.takesPart(member, $0) } ?? true }

    /// Nobody named is everybody.
    private static func takesPart(_ member: Identifier, _ record: Record) -> Bool {
        let participants = record.fields.set("participants")
        return participants.isEmpty || participants.contains { $0.id == member }
    }
}

import Bytes
package import Dates
import Family
import Ledger
import Wire

// Calendars that programs read with a token: the season of each athlete that the token names, and the itinerary of each trip
// of their families.
extension StoreReader {
    /// Days after its end for which a trip has a calendar.
    package static let itineraryDays = 30
    /// The largest number of calendars of one token. Above it, the trips that end last are left out.
    package static let maxCalendars = 500
    /// The largest number of changes of a family that one request reads, and of their octets: some milliseconds.
    static let syncChanges = 2_000
    static let syncOctets = 4_194_304

    /// The rules of a zone; `nil` for one that is not known.
    package var zoneRules: (String) -> ZoneRules? { environment.rules.zone }

    /// The calendars that a token opens now, seasons first.
    package func calendarCollections(_ access: CalendarAccess) throws(StoreFailure) -> [CalendarCollection] {
        try reading {
            var seasons: [CalendarCollection] = []
            var trips: [(end: String, collection: CalendarCollection)] = []
            for owner in Self.families(of: access) {
                guard let family = try openFamily(owner, access) else { continue }
                seasons += family.athletes.compactMap { season(of: $0, family) }
                try engine.records.forEach(family: family.key, of: .trip, after: nil) { stored in
                    guard let trip = readable(stored), let itinerary = itinerary(of: trip, family) else { return }
                    trips.append((trip.fields.text("end_date") ?? trip.fields.text("start_date") ?? "", itinerary))
                }
            }
            trips.sort { ($0.end, $0.collection.name.subject) < ($1.end, $1.collection.name.subject) }
            return Array((seasons + trips.map(\.collection)).prefix(Self.maxCalendars))
        }
    }

    /// A calendar, with records that a program asks for.
    ///
    /// - Returns: `nil` if the token does not open a calendar with this name.
    package func calendar(_ name: CalendarCollectionName, _ access: CalendarAccess, _ selection: CalendarSelection) throws(StoreFailure) -> CalendarPortion? {
        try reading {
            guard let owner = Self.families(of: access).first(where: { $0.family == name.family }), let family = try openFamily(owner, access) else { return nil }
            let collection: CalendarCollection?
            switch name.content {
            case .season: collection = family.athletes.contains(name.subject) ? season(of: name.subject, family) : nil
            case .itinerary: collection = try record(family: family.key, name.subject).flatMap { itinerary(of: $0, family) }
            }
            guard let collection else { return nil }
            var portion = CalendarPortion(collection: collection, token: collection.token)
            switch selection {
            case .nothing: break
            case .all: portion.records = try all(name, family, after: nil)
            case .records(let ids):
                for id in ids { if let record = try record(family: family.key, id), Self.isIn(name, record) { portion.records.append(record) } }
            case .changes(let token, let limit): try addChanges(since: token, limit: limit, family, to: &portion)
            }
            return portion
        }
    }

    // MARK: Families and calendars

    /// A family that a token opens, at this moment.
    private struct OpenFamily {
        var id: Identifier
        var key: Int64
        var floor: Int64
        var zone: String
        var today: CalendarDate?
        var token: CalendarSyncToken
        var actor: Actor
        var members: [Identifier: MemberState]
        /// Those of the token that are in the family now.
        var athletes: [Identifier]
    }

    /// The families of a token, each once, with the member that its person is there.
    private static func families(of access: CalendarAccess) -> [CalendarAthlete] {
        var seen: Set<Identifier> = []
        return access.athletes.filter { seen.insert($0.family).inserted }
    }

    /// - Returns: `nil` if the member may not enter the family now.
    private func openFamily(_ owner: CalendarAthlete, _ access: CalendarAccess) throws -> OpenFamily? {
        guard let found = try engine.families.find(owner.family) else { return nil }
        let members = try engine.records.members(family: found.key)
        guard let member = members[owner.member], !member.isRemoved else { return nil }
        let zone = try record(family: found.key, owner.family)?.fields.text("time_zone") ?? "UTC"
        let now = environment.now()
        guard environment.bar(member, zone: zone, at: now) == nil else { return nil }
        let athletes = access.athletes.filter { $0.family == owner.family }.map(\.athlete).filter { id in
            members[id].map { !$0.isRemoved && $0.role == .athlete } ?? false
        }
        return OpenFamily(
            id: owner.family, key: found.key, floor: found.floor, zone: zone,
            today: environment.localDate(zone, now).flatMap { CalendarDate($0) },
            token: CalendarSyncToken(epoch: Cursor.epoch(of: owner.family, database: epoch), sequence: try head(found.key)),
            actor: Actor(member: owner.member, role: member.role), members: members, athletes: athletes)
    }

    private func season(of athlete: Identifier, _ family: OpenFamily) -> CalendarCollection? {
        guard let state = family.members[athlete] else { return nil }
        let allows = Age.parentAccess(state.parentAccess, age: environment.age(born: state.born, zone: family.zone, at: environment.now()))
        let access = Access(actor: family.actor, kind: .event, action: .update, owner: athlete, ownerAllowsParents: allows)
        return CalendarCollection(
            name: CalendarCollectionName(.season, family: family.id, subject: athlete), title: "\(state.name): season", zone: family.zone,
            member: family.actor.member, isWritable: Permission.allows(access), token: family.token)
    }

    /// - Returns: `nil` for another record than a trip, for a trip that ended long ago, and for one in which neither the
    ///   member nor an athlete of the token takes part.
    private func itinerary(of trip: Record, _ family: OpenFamily) -> CalendarCollection? {
        guard trip.kind == .trip, !trip.isDeleted else { return nil }
        if let today = family.today, let end = (trip.fields.text("end_date") ?? trip.fields.text("start_date")).flatMap({ CalendarDate($0) }) {
            guard end.days(until: today) <= Self.itineraryDays else { return nil }
        }
        let participants = trip.fields.set("participants").map(\.id)
        guard participants.isEmpty || participants.contains(where: { $0 == family.actor.member || family.athletes.contains($0) }) else { return nil }
        return CalendarCollection(
            name: CalendarCollectionName(.itinerary, family: family.id, subject: trip.id), title: trip.fields.shownName, zone: family.zone,
            member: family.actor.member, isWritable: Permission.allows(Access(actor: family.actor, kind: .tripItem, action: .update)), token: family.token)
    }

    // MARK: Records

    /// Whether a record is an object of a calendar now.
    private static func isIn(_ name: CalendarCollectionName, _ record: Record) -> Bool { name.has(record) && !record.isDeleted }

    private func all(_ name: CalendarCollectionName, _ family: OpenFamily, after id: Identifier?, limit: Int = .max) throws -> [Record] {
        var found: [Record] = []
        try engine.records.forEach(family: family.key, of: name.kind, after: id) { stored in
            guard found.count < limit, let record = readable(stored), Self.isIn(name, record) else { return }
            found.append(record)
        }
        return found
    }

    private func addChanges(since token: CalendarSyncToken?, limit: Int, _ family: OpenFamily, to portion: inout CalendarPortion) throws {
        if let token, token.epoch != family.token.epoch || token.sequence > family.token.sequence || token.sequence < family.floor {
            portion.isTokenInvalid = true
            return
        }
        let name = portion.collection.name
        guard let token, token.after == nil else {
            // A first listing. Its changes from the first portion on follow when it is complete.
            let start = token?.sequence ?? family.token.sequence
            portion.records = try all(name, family, after: token?.after, limit: limit + 1)
            portion.isTruncated = portion.records.count > limit
            if portion.isTruncated { portion.records.removeLast() }
            portion.token = CalendarSyncToken(epoch: family.token.epoch, sequence: start, after: portion.isTruncated ? portion.records.last?.id : nil)
            return
        }
        var touched: [Identifier] = []
        var known: Set<Identifier> = []
        var moved: Set<Identifier> = []
        var (changes, octets, last) = (0, 0, token.sequence)
        try engine.log.frames(family: family.key, after: token.sequence) { sequence, frame in
            changes += 1
            octets += frame.count
            // A change is never divided: a program could not say at which part it stopped.
            guard changes == 1 || touched.count < limit && changes <= Self.syncChanges && octets <= Self.syncOctets else {
                portion.isTruncated = true
                return false
            }
            guard let change = LogCodec.decode(frame) else { throw StoreFailure("a change is damaged") }
            last = sequence
            for entry in change.entries {
                if entry.kind == .family, entry.assigns("time_zone") { portion.isTokenInvalid = true }
                guard entry.kind == name.kind else { continue }
                if entry.assigns("trip_id") { moved.insert(entry.id) }
                if known.insert(entry.id).inserted { touched.append(entry.id) }
            }
            return !portion.isTokenInvalid
        }
        // Every object may look different in another zone: the program reads all of them.
        guard !portion.isTokenInvalid else { return }
        portion.token = CalendarSyncToken(epoch: family.token.epoch, sequence: last)
        for id in touched {
            guard let record = try record(family: family.key, id) else { continue }
            if Self.isIn(name, record) {
                portion.records.append(record)
            } else if record.athlete == name.subject || record.fields.reference("trip_id") == name.subject || moved.contains(id) {
                portion.gone.append(id)
            }
        }
    }
}

extension ChangeEntry {
    /// Whether it gives a field of an existing record another value.
    fileprivate func assigns(_ field: String) -> Bool {
        guard case .update(let assignments) = effect, let index = kind.declaration.index(of: field) else { return false }
        return assignments.contains { $0.field == index }
    }
}

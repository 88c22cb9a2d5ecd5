import Bytes
import Family
import TestSupport
import Testing
import Wire

@testable import Store

@Suite("Calendars that a token opens", .bothEngines)
struct CalendarCollectionTests {
    let world: World
    let home: World.Home
    let leo: Identifier
    let mia: Identifier
    private let token: String

    init() throws {
        world = try World()
        home = try world.home()
        (leo, mia) = (try world.athlete(home), try world.athlete(home, name: "Mia"))
        guard case .token(let created) = try world.store.perform(.token(member: home.parent)).0.get() else { throw Unexpected() }
        let session = try #require(try world.reader.signIn(token: created.token)).session
        let new = NewToken(id: world.newID(), nonce: World.nonce(3), name: "Phone", scope: .calendar, days: 365, athletes: [leo])
        token = try world.store.makeToken(new, by: session).get().token
    }

    private var access: CalendarAccess { get throws { try #require(try world.reader.calendarAccess(token: token)) } }

    private var season: CalendarCollectionName { CalendarCollectionName(.season, family: home.family, subject: leo) }

    private func trip(_ id: Identifier, end: String = "2026-12-02", participants: [Identifier] = []) throws {
        try world.mutate(home, home.parent, create(.trip, id, ["name": .text("Trip"), "start_date": .text("2026-10-01"), "end_date": .text(end)]))
        if !participants.isEmpty { try world.mutate(home, home.parent, editSet(.trip, id, base: 1, "participants", add: participants)) }
    }

    private func item(_ id: Identifier, of trip: Identifier) -> Operation {
        create(.tripItem, id, ["trip_id": .reference(trip), "title": .text("Hotel"), "start_time": .text("2026-12-01T15:00")])
    }

    private func changes(_ name: CalendarCollectionName, since token: CalendarSyncToken?, limit: Int = 1_000) throws -> CalendarPortion {
        try #require(try world.reader.calendar(name, try access, .changes(since: token, limit: limit)))
    }

    @Test("A token has the seasons that it names and the itineraries of trips that concern them, until 30 days after their end")
    func collections() throws {
        let (open, old, mias, all) = (world.newID(), world.newID(), world.newID(), world.newID())
        try trip(open, participants: [leo])
        try trip(old, end: "2026-10-21")
        try trip(mias, participants: [mia])
        try trip(all, end: "2026-10-22")
        let found = try world.reader.calendarCollections(try access)
        #expect(found.map(\.name) == [season] + [all, open].map { CalendarCollectionName(.itinerary, family: home.family, subject: $0) })
        #expect(found.map(\.title) == ["Leo: season", "Trip", "Trip"] && found.allSatisfy { $0.isWritable && $0.member == home.parent && $0.zone == "UTC" })
        for name in [
            CalendarCollectionName(.season, family: home.family, subject: mia), CalendarCollectionName(.itinerary, family: home.family, subject: mias),
            CalendarCollectionName(.itinerary, family: home.family, subject: old), CalendarCollectionName(.season, family: world.newID(), subject: leo),
            CalendarCollectionName(.itinerary, family: home.family, subject: leo),
        ] { #expect(try world.reader.calendar(name, try access, .all) == nil, "\(name.segment)") }
        // A parent who only looks on writes nothing.
        try world.mutate(home, leo, update(.member, leo, base: 1, ["parent_access": .text("view")]))
        #expect(try world.reader.calendarCollections(try access).first?.isWritable == false)
        try world.mutate(home, home.parent, delete(.member, leo, base: 2))
        #expect(try world.reader.calendar(season, CalendarAccess(session: 1, athletes: [CalendarAthlete(family: home.family, athlete: leo, member: home.parent)], isRenewalDue: false), .all) == nil)
    }

    @Test("A state knows what changed since: written, deleted and moved records, in this calendar alone")
    func sync() throws {
        let (one, two, other) = (world.newID(), world.newID(), world.newID())
        try world.mutate(home, home.parent, camp(one, athlete: leo), camp(two, athlete: leo, name: "Two"), camp(other, athlete: mia))
        let first = try changes(season, since: nil)
        #expect(Set(first.records.map(\.id)) == [one, two] && first.gone.isEmpty && !first.isTruncated)
        #expect(try changes(season, since: first.token).records.isEmpty)
        try world.mutate(home, home.parent, update(.event, one, base: 1, ["name": .text("One")]))
        try world.mutate(home, home.parent, update(.event, one, base: 2, ["name": .text("One!")]), delete(.event, two, base: 1))
        try world.mutate(home, home.parent, delete(.event, other, base: 1))
        let second = try changes(season, since: first.token)
        #expect(second.records.map(\.fields.shownName) == ["One!"] && second.gone == [two])
        #expect(try changes(season, since: second.token) == (records: [], gone: []))
        try world.mutate(home, home.parent, restore(.event, two, base: 2))
        #expect(try changes(season, since: second.token).records.map(\.id) == [two])
    }

    @Test("An item that moves to another trip is gone in the first one and in the other one there; so is one that leaves the itinerary")
    func moves() throws {
        let (here, there, hotel) = (world.newID(), world.newID(), world.newID())
        try trip(here)
        try trip(there)
        try world.mutate(home, home.parent, item(hotel, of: here))
        func name(_ trip: Identifier) -> CalendarCollectionName { CalendarCollectionName(.itinerary, family: home.family, subject: trip) }
        let before = (try changes(name(here), since: nil).token, try changes(name(there), since: nil).token)
        try world.mutate(home, home.parent, update(.tripItem, hotel, base: 1, ["trip_id": .reference(there)]))
        #expect(try changes(name(here), since: before.0) == (records: [], gone: [hotel]))
        #expect(try changes(name(there), since: before.1) == (records: [hotel], gone: []))
        try world.mutate(home, home.parent, update(.tripItem, hotel, base: 2, ["include_in_itinerary": .flag(false)]))
        #expect(try changes(name(there), since: before.1) == (records: [], gone: [hotel]))
    }

    @Test("Portions follow each other by their states, in a first listing and later, and leave nothing out")
    func portions() throws {
        let ids = (0..<7).map { _ in world.newID() }
        for id in ids { try world.mutate(home, home.parent, camp(id, athlete: leo)) }
        func follow(_ start: CalendarSyncToken?, between: () throws -> Void = {}) throws -> (records: [Identifier], token: CalendarSyncToken, portions: Int) {
            var (token, found, portions) = (start, [Identifier](), 0)
            while true {
                let portion = try changes(season, since: token, limit: 3)
                #expect(portion.records.count <= 3)
                found += portion.records.map(\.id)
                portions += 1
                // A state survives its way as a text.
                let next = CalendarSyncToken(portion.token.text)
                token = next
                if !portion.isTruncated { return (found, try #require(next), portions) }
                if portions == 1 { try between() }
            }
        }
        let late = world.newID()
        let first = try follow(nil) { try world.mutate(home, home.parent, camp(late, athlete: leo), delete(.event, ids[0], base: 1)) }
        #expect(first.portions == 3 && Set(ids).isSubset(of: Set(first.records)))
        let then = try changes(season, since: first.token)
        #expect(then.gone == [ids[0]] && then.records.map(\.id) == [late], "changes during the listing follow it")
        for id in ids[1...] { try world.mutate(home, home.parent, update(.event, id, base: 1, ["name": .text("New")])) }
        let second = try follow(then.token)
        #expect(second.portions == 2 && second.records == Array(ids[1...]))
    }

    @Test("A state of another database, of the future, from before the floor, or from before another zone of the family is not valid")
    func invalid() throws {
        try world.mutate(home, home.parent, camp(world.newID(), athlete: leo))
        let token = try changes(season, since: nil).token
        for other in [
            CalendarSyncToken(epoch: "other", sequence: token.sequence), CalendarSyncToken(epoch: token.epoch, sequence: token.sequence + 1),
            CalendarSyncToken(epoch: "other", sequence: token.sequence, after: leo),
        ] { #expect(try changes(season, since: other).isTokenInvalid, "\(other.text)") }
        try world.mutate(home, home.parent, update(.family, home.family, base: 1, ["time_zone": .text("Europe/Warsaw")]))
        let zone = try changes(season, since: token)
        #expect(zone.isTokenInvalid && zone.records.isEmpty)
        let gone = world.newID()
        try world.mutate(home, home.parent, camp(gone, athlete: leo))
        let before = try changes(season, since: nil).token
        try world.mutate(home, home.parent, delete(.event, gone, base: 1))
        world.surroundings.now += 31 * Surroundings.day
        try world.purge()
        #expect(try changes(season, since: before).isTokenInvalid, "purged")
    }

    @Test("Texts that are not states are not read", arguments: ["", "urn:huddle:sync:", "urn:huddle:sync:a", "urn:huddle:sync:a:-1", "urn:huddle:sync:a:01", "urn:huddle:sync:a:1:x", "urn:huddle:sync::1", "urn:huddle:sync:a:1:", "x:a:1"])
    func texts(_ text: String) {
        #expect(CalendarSyncToken(text) == nil)
    }

    @Test("The name of a calendar is read in one spelling")
    func names() {
        #expect(CalendarCollectionName(season.segment) == season)
        for text in ["", "season-", season.segment + "x", season.segment.uppercased(), "other-" + season.segment.dropFirst(7), season.segment.replacing("season-", with: "season_")] {
            #expect(CalendarCollectionName(text) == nil, "\(text)")
        }
    }
}

private func == (portion: CalendarPortion, expected: (records: [Identifier], gone: [Identifier])) -> Bool {
    portion.records.map(\.id) == expected.records && portion.gone == expected.gone
}

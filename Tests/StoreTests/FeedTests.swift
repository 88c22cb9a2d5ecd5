import Bytes
import Calendar
import Dates
import Family
import TestSupport
import Testing
import Wire

@testable import Store

@Suite("Calendar feeds in the database: made, changed, fetched, ended", .bothEngines)
struct FeedTests {
    /// SQL that makes a database of this program what the step before `feeds` made.
    static let takenBack = "DROP TABLE calendar_feeds;"

    private let world: World
    private let home: World.Home
    private let session: Int64

    init() throws {
        world = try World()
        home = try world.home()
        session = try world.signIn(home.parent).session
    }

    private func perform(_ act: FeedCommand.Act, as member: Identifier? = nil) throws -> Result<(feeds: [CalendarFeed], made: CalendarMade?), Rejection> {
        try world.store.perform(FeedCommand(family: home.family, member: member ?? home.parent, session: session, act))
    }

    private func add(_ settings: FeedSettings = FeedSettings(name: "Phone"), id: Identifier? = nil, nonce: Int = 1, as member: Identifier? = nil) throws -> CalendarMade {
        try #require(try perform(.add(id ?? world.newID(), nonce: World.nonce(nonce), settings), as: member).get().made)
    }

    private func refusal(_ act: FeedCommand.Act, as member: Identifier? = nil) throws -> ErrorCode? { try perform(act, as: member).failure?.code }

    private func end(_ feed: Identifier, as member: Identifier? = nil) throws -> ErrorCode? {
        try world.store.revoke([.feed(FeedEnd(family: home.family, member: member ?? home.parent, feed: feed))])[0]?.code
    }

    @Test("A feed opens by its token, over a restart, until its member ends it; the token is stored as a hash alone")
    func life() throws {
        let made = try add()
        #expect(made.token.utf8.count == 32)
        try world.reopen()
        let open = try #require(try world.reader.feed(token: made.token))
        #expect(open.id == made.id && open.owner == FeedOwner(member: home.parent, role: .parent) && open.settings == FeedSettings(name: "Phone"))
        #expect(try world.reader.feeds(family: home.family, member: home.parent).map(\.id) == [made.id])
        for wrong in ["", made.token + "A", String(made.token.dropLast()), made.token.uppercased()] { #expect(try world.reader.feed(token: wrong) == nil) }
        #expect(try end(made.id) == nil)
        #expect(try world.reader.feed(token: made.token) == nil)
        #expect(try end(made.id) == nil, "ending it again is not an error")
    }

    @Test("A feed keeps its settings over a restart, whatever it shows, when it is made and when it is changed")
    func settings() throws {
        let (leo, mia) = (try world.athlete(home, name: "Leo"), try world.athlete(home, name: "Mia"))
        let trip = world.newID()
        try world.mutate(home, home.parent, create(.trip, trip, ["name": .text("Asheville"), "start_date": .text("2026-12-05"), "end_date": .text("2026-12-06")]))
        let changed = try add().id
        for scope in [FeedScope.mine(athletes: []), .mine(athletes: [leo]), .mine(athletes: [mia, leo]), .athlete(mia), .trip(trip), .all] {
            let settings = FeedSettings(name: "Phone", scope: scope, kinds: [.trip], detail: .busy, hasAlarms: false, expiresAt: world.surroundings.now + 86_400_000)
            let made = try add(settings, nonce: 2)
            _ = try perform(.change(changed, settings)).get()
            try world.reopen()
            #expect(try world.reader.feed(token: made.token)?.settings == settings)
            let held = try world.reader.feeds(family: home.family, member: home.parent)
            #expect(held.filter { $0.settings == settings }.map(\.id).contains(changed) && held.contains { $0.id == made.id && $0.settings == settings })
            _ = try end(made.id)
        }
    }

    @Test("The same request gets the same token and makes one feed; with other content, or by another member, it is refused")
    func repeated() throws {
        let id = world.newID()
        let first = try add(id: id)
        world.surroundings.now += 5
        try world.reopen()
        #expect(try add(id: id) == first)
        #expect(try world.reader.feeds(family: home.family, member: home.parent).count == 1)
        #expect(try refusal(.add(id, nonce: World.nonce(2), FeedSettings(name: "Phone"))) == .alreadyExists)
        #expect(try refusal(.add(id, nonce: World.nonce(1), FeedSettings(name: "Other"))) == .alreadyExists)
        let other = try world.member(home, .guest)
        #expect(try refusal(.add(id, nonce: World.nonce(1), FeedSettings(name: "Phone")), as: other) == .alreadyExists)
    }

    @Test("Names, kinds, athletes, trips and ends are checked; the twenty-first feed is refused until one has ended")
    func bounds() throws {
        let new = { (settings: FeedSettings) in FeedCommand.Act.add(world.newID(), nonce: World.nonce(1), settings) }
        let now = world.surroundings.now, day: Int64 = 86_400_000
        #expect(try refusal(new(FeedSettings(name: " "))) == .required)
        #expect(try refusal(new(FeedSettings(name: String(repeating: "a", count: 61)))) == .tooLong)
        #expect(try refusal(new(FeedSettings(name: "A", kinds: []))) == .required)
        #expect(try refusal(new(FeedSettings(name: "A", kinds: [.message]))) == .required)
        #expect(try refusal(new(FeedSettings(name: "A", scope: .athlete(home.parent)))) == .notFound)
        #expect(try refusal(new(FeedSettings(name: "A", scope: .mine(athletes: [world.newID()])))) == .notFound)
        #expect(try refusal(new(FeedSettings(name: "A", scope: .trip(world.newID())))) == .notFound)
        for end in [now, now - 1, 0, now + 3_650 * day + 1] { #expect(try refusal(new(FeedSettings(name: "A", expiresAt: end))) == .outOfRange) }
        let brief = try add(FeedSettings(name: "A", expiresAt: now + day))
        for _ in 1..<FeedSettings.most { _ = try add() }
        #expect(try refusal(new(FeedSettings(name: "A"))) == .tooMany)
        world.surroundings.now += day - 1
        #expect(try world.reader.feed(token: brief.token) != nil)
        world.surroundings.now += 1
        #expect(try world.reader.feed(token: brief.token) == nil, "its day is over")
        _ = try add()
        #expect(try world.reader.feeds(family: home.family, member: home.parent).count == FeedSettings.most)
    }

    @Test("A change keeps the address; only its member changes or ends a feed, and a stranger's family does not exist")
    func rights() throws {
        let made = try add()
        let other = try world.member(home, .guest), stranger = try world.home("Okafor")
        let changed = FeedSettings(name: "Work", scope: .all, kinds: [.trip], detail: .busy, hasAlarms: false)
        #expect(try refusal(.change(made.id, changed), as: other) == .notFound)
        #expect(try refusal(.change(made.id, changed), as: stranger.parent) == .notFound)
        #expect(try refusal(.change(world.newID(), changed)) == .notFound)
        #expect(try end(made.id, as: other) == nil)
        #expect(try world.reader.feed(token: made.token)?.settings == FeedSettings(name: "Phone"), "nothing of it was done")
        #expect(try perform(.change(made.id, changed)).get().feeds.map(\.settings) == [changed])
        #expect(try world.reader.feed(token: made.token)?.settings == changed)
    }

    @Test("A feed ends with its member, for good; a guest whose last day is over sees nothing")
    func removal() throws {
        let guest = try world.member(home, .guest)
        let made = try add(as: guest)
        #expect(try world.reader.feed(token: made.token)?.owner.role == .guest)
        try #require(try world.mutate(home, home.parent, operations: [delete(.member, guest, base: 1)]).ack != nil)
        #expect(try world.reader.feed(token: made.token) == nil)
        try #require(try world.mutate(home, home.parent, operations: [restore(.member, guest, base: 2)]).ack != nil)
        #expect(try world.reader.feed(token: made.token) == nil, "a member who comes back makes another one")
    }

    @Test("The records of a feed are of one moment, with the head that they follow from, and their octets are a calendar")
    func records() throws {
        let athlete = try world.athlete(home)
        let event = world.newID()
        _ = try world.mutate(home, home.parent, operations: [camp(event, athlete: athlete)])
        let made = try add(FeedSettings(name: "All", scope: .all, kinds: FeedSettings.feedKinds))
        let (feed, records) = try #require(try world.reader.feedRecords(made.id, family: home.family))
        #expect(records.events.map(\.id) == [event] && records.names[athlete] == "Leo")
        #expect(feed.head == (try world.reader.feed(token: made.token)?.head))
        let content = try #require(try world.reader.feedContent(made.id, family: home.family, address: "https://huddle.example/feeds/x.ics"))
        #expect(content.file.octets.starts(with: Array("BEGIN:VCALENDAR\r\n".utf8)))
        _ = try world.mutate(home, home.parent, operations: [delete(.event, event, base: 1)])
        let after = try #require(try world.reader.feed(token: made.token))
        #expect(after.head == feed.head + 1)
        let gone = try #require(try world.reader.feedContent(made.id, family: home.family, address: nil))
        #expect(gone.file.entries == content.file.entries, "it is shown as cancelled")
        #expect(String(decoding: gone.file.octets, as: UTF8.self).contains("STATUS:CANCELLED"))
        world.surroundings.now += 9 * Surroundings.day
        #expect(try world.reader.feedContent(made.id, family: home.family, address: nil)?.file.entries == 0)
    }

    @Test("The audit log has each feed, and the access log of an athlete each one that others make of their season")
    func logs() throws {
        let athlete = try world.athlete(home)
        let made = try add(FeedSettings(name: "Phone", scope: .athlete(athlete)))
        _ = try perform(.change(made.id, FeedSettings(name: "Tablet", scope: .athlete(athlete)))).get()
        _ = try end(made.id)
        let entries = try world.reader.audit(family: home.family, member: home.parent, AuditRequest(request: 1, limit: 50)).get().entries
        #expect(entries.filter { $0.act.hasPrefix("calendar") }.map { "\($0.act) \($0.detail ?? "")" } == ["calendar_removed Tablet", "calendar_changed Tablet", "calendar_added Phone"])
        let looks = try world.reader.accessLog(family: home.family, member: home.parent, AccessLogRequest(request: 1, limit: 50)).get().entries
        #expect(looks.filter { $0.what == "calendar" }.map(\.athlete) == [athlete])
    }

    @Test("Fetches are counted with the last program, and those of a feed that is gone are left out")
    func fetches() throws {
        let made = try add()
        var notes = UsageNotes()
        for time in [100, 200, 300] as [Int64] { notes.add(FeedName(family: home.family, feed: made.id), program: "P \(time)", at: time) }
        notes.add(FeedName(family: home.family, feed: world.newID()), program: "x", at: 1)
        try world.store.write(notes, now: 350)
        let feed = try #require(try world.reader.feeds(family: home.family, member: home.parent).first)
        #expect(feed.fetches == 3 && feed.program == "P 300" && feed.fetchedAt == world.surroundings.now - 50)
    }

    @Test("Without the check that the person can give, no feed is made and none is changed")
    func checks() throws {
        let made = try add()
        let person = try world.signIn(home.parent).person
        try world.change { try $0.people.setHasCredential(true, person: person) }
        world.surroundings.now += 3_600_000
        #expect(try refusal(.add(world.newID(), nonce: World.nonce(1), FeedSettings(name: "A"))) == .confirmFirst)
        #expect(try refusal(.change(made.id, FeedSettings(name: "B"))) == .confirmFirst)
        #expect(try end(made.id) == nil, "taking rights away needs none")
    }
}

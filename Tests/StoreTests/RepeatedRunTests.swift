import Bytes
import Family
import StoreMemory
import Testing
import Wire

@testable import Store

@Suite("A family for load tests", .bothEngines)
struct SeedingTests {
    private static let family = SeededFamily(
        id: Identifier(high: 0x0191_0000_0000_7000, low: 0x8000_0000_0000_5EED), name: "Load", zone: "UTC",
        parents: [.init(name: "Ana", token: "token-of-ana"), .init(name: "Bea", token: "token-of-bea"), .init(name: "Cleo", token: "token-of-cleo")])

    private static func check(_ world: World, _ members: [Identifier], _ comment: Comment) throws {
        let home = World.Home(family: family.id, parent: members[0])
        let records = try world.snapshot(home).records.values
        #expect(records.count { $0.kind == .member } == 3 && records.count { $0.kind == .family } == 1, comment)
        #expect(try world.count("sessions") == 3 && world.count("memberships") == 3, comment)
        for (parent, member) in zip(family.parents, members) {
            #expect(try world.reader.signIn(token: parent.token)?.memberships.map(\.member) == [member], comment)
        }
        #expect(try world.log(home).count == 3, comment)
    }

    @Test("A family that was seeded is not seeded again")
    func twice() throws {
        let world = try World()
        let members = try world.store.seed(Self.family).get()
        try Self.check(world, members, "first")
        #expect(throws: Rejection.self) { try world.store.seed(Self.family).get() }
        try Self.check(world, members, "second")
    }

    @Test("Whichever call of the engine fails, the family is seeded once and its members are those that are reported", arguments: [
        MemoryDatabase.Fault.again, .unknownAndDone, .unknownAndLost,
    ])
    func fails(_ fault: MemoryDatabase.Fault) throws {
        var call = 1
        while true {
            let world = try World(inMemory: Surroundings())
            let memory = try #require(world.memory)
            memory.fail(at: call, of: nil, fault)
            try Self.check(world, try world.store.seed(Self.family).get(), "call \(call)")
            if memory.failures == 0 { break }
            call += 1
        }
        #expect(call > 10)
    }
}

@Suite("Counts of share openings", .bothEngines)
struct ShareCountTests {
    private struct Fixture {
        let world: World
        let home: World.Home
        let links: [Identifier]

        init(_ world: World) throws {
            self.world = world
            home = try world.home()
            let leo = try world.athlete(home)
            let document = world.newID()
            try world.add(world.document(home, leo, id: document))
            var links: [Identifier] = []
            for name in ["Rice", "Brook"] {
                let school = world.newID()
                try world.mutate(home, home.parent, StoreTests.school(school, name))
                world.surroundings.now += 1
                links.append(
                    try world.store.share(NewShare(family: home.family, member: home.parent, document: document, school: school)).0.get().link.id)
            }
            self.links = links
        }

        /// Pages and downloads of both links, a link that is gone, and an entry of the access log.
        var notes: UsageNotes {
            var notes = UsageNotes()
            for (time, (link, what)) in [
                (links[0], ShareVisit.What.page), (links[0], .download), (links[1], .page), (links[0], .page), (Identifier(high: 9, low: 9), .page),
            ].enumerated() { notes.add(ShareVisit(family: home.family, link: link, what: what), at: Int64(time)) }
            return notes
        }

        var counts: [[Int64]] {
            get throws {
                try world.reader.shares(family: home.family, document: nil).sorted { $0.createdAt < $1.createdAt }.map { link in
                    [link.views, link.downloads, Int64(try world.reader.visits(family: home.family, link: link.id).count)]
                }
            }
        }
    }

    @Test("Openings are counted once for each time that they are written")
    func counts() throws {
        let fixture = try Fixture(try World())
        try fixture.world.store.write(fixture.notes, now: 10)
        #expect(try fixture.counts == [[2, 1, 3], [1, 0, 1]])
        try fixture.world.store.write(fixture.notes, now: 10)
        #expect(try fixture.counts == [[4, 2, 6], [2, 0, 2]])
    }

    @Test("Whichever call of the engine fails, each opening is counted once", arguments: [
        MemoryDatabase.Fault.again, .unknownAndDone, .unknownAndLost,
    ])
    func fails(_ fault: MemoryDatabase.Fault) throws {
        var call = 1
        while true {
            let fixture = try Fixture(try World(inMemory: Surroundings()))
            let memory = try #require(fixture.world.memory)
            memory.fail(at: call, of: nil, fault)
            try fixture.world.store.write(fixture.notes, now: 10)
            #expect(try fixture.counts == [[2, 1, 3], [1, 0, 1]], "call \(call)")
            if memory.failures == 0 { break }
            call += 1
        }
        #expect(call > 5)
    }
}

import Bytes
import Family
import Testing
import Wire

@Suite("Mutations, semantics.md", .bothEngines)
struct MutationTests {
    let world: World
    let home: World.Home
    let athlete: Identifier

    init() throws {
        world = try World()
        home = try world.home()
        athlete = try world.athlete(home)
    }

    @Test("a create is acked with its sequence and version 1, and is in the log and in the snapshot")
    func creates() throws {
        let id = world.newID()
        let answer = try world.mutate(home, home.parent, camp(id, athlete: athlete))
        #expect(answer.ack == Ack(mutation: 1, sequence: 3, records: [.init(id: id, version: 1)]))
        let change = try #require(answer.change)
        #expect(change.member == home.parent)
        #expect(change.client == World.client(of: home.parent))
        #expect(change.mutation == 1)
        #expect(change.at == world.surroundings.now)
        #expect(try world.log(home).last == change)
        let record = try world.record(home, id)
        #expect(record.athlete == athlete)
        #expect(record.createdBy == home.parent)
        #expect(record.fields.text("end_date") == "2026-12-05", "defaults are applied")
        #expect(record.fields["registered"] == .flag(false))
        guard case .create(let owner, let fields)? = change.entries.first?.effect else { throw Unexpected() }
        #expect(owner == athlete)
        #expect(fields == record.fields)
    }

    @Test("R095 P02 an update raises the version and reports only the fields that changed, in canonical spelling")
    func updates() throws {
        let id = world.newID()
        try world.mutate(home, home.parent, camp(id, athlete: athlete))
        let answer = try world.mutate(
            home, home.parent, update(.event, id, base: 1, ["cost": .text("150"), "state": .text(" tx"), "name": .text("Fall Camp")]))
        #expect(answer.versions == [2])
        guard case .update(let changed)? = answer.change?.entries.first?.effect else { throw Unexpected() }
        #expect(changed == [
            .init(field: Kind.event.field("cost"), value: .text("150.00")), .init(field: Kind.event.field("state"), value: .text("TX")),
        ])
        #expect(try world.record(home, id).fields.text("cost") == "150.00")
    }

    @Test("R024 a delete leaves a tombstone with its fields, and a restore brings the record back as it was")
    func deletesAndRestores() throws {
        let id = world.newID()
        try world.mutate(home, home.parent, camp(id, athlete: athlete))
        let created = try world.record(home, id)
        world.surroundings.now += 1000
        let deleted = try world.mutate(home, home.parent, delete(.event, id, base: 1))
        #expect(deleted.versions == [2])
        #expect(deleted.change?.entries.first?.effect == .delete)
        let tombstone = try world.record(home, id)
        #expect(tombstone.deletedAt == world.surroundings.now)
        #expect(tombstone.fields == created.fields)
        let restored = try world.mutate(home, home.parent, restore(.event, id, base: 2))
        #expect(restored.versions == [3])
        #expect(restored.change?.entries.first?.effect == .restore(
            athlete: athlete, fields: created.fields, createdAt: created.createdAt, createdBy: home.parent))
        let record = try world.record(home, id)
        #expect(record.deletedAt == nil)
        #expect(record.createdAt == created.createdAt)
        #expect(record.version == 3)
    }

    @Test("a tombstone past its 30 days is gone for everyone, and its id is not free")
    func tombstonesExpire() throws {
        let id = world.newID()
        try world.mutate(home, home.parent, school(id, "Rice"))
        try world.mutate(home, home.parent, delete(.school, id, base: 1))
        world.surroundings.now += 30 * Surroundings.day
        #expect(try world.snapshot(home).records[id] == nil)
        #expect(try world.mutate(home, home.parent, restore(.school, id, base: 2)).code == .notFound)
        #expect(try world.mutate(home, home.parent, school(id, "Rice")).code == .alreadyExists)
    }

    @Test("a mutation that changes nothing is acked without a sequence, and makes no version")
    func changesNothing() throws {
        let id = world.newID()
        try world.mutate(home, home.parent, school(id, "Rice"))
        let answer = try world.mutate(home, home.parent, update(.school, id, base: 1, ["name": .text("  Rice ")]))
        #expect(answer.ack == Ack(mutation: 2, sequence: nil, records: []))
        #expect(answer.change == nil)
        #expect(try world.record(home, id).version == 1)
        let next = try world.mutate(home, home.parent, message(world.newID(), "Hi"))
        #expect(next.sequence == 4, "no sequence was used up")
    }

    @Test("a batch is one change with one sequence; later operations see earlier ones")
    func batches() throws {
        let school = world.newID()
        let coach = world.newID()
        let answer = try world.mutate(
            home, home.parent, StoreTests.school(school, "Rice"),
            create(.coach, coach, ["first_name": .text("Jo"), "last_name": .text("Diaz"), "school_id": .reference(school)]),
            update(.school, school, base: 1, ["location": .text("Houston")]))
        #expect(answer.sequence == 3)
        #expect(answer.change?.entries.map(\.id) == [school, coach, school])
        #expect(answer.ack?.records == [.init(id: school, version: 2), .init(id: coach, version: 1)])
    }

    @Test("R061 P03 a batch with one bad operation does nothing at all")
    func batchesAreAtomic() throws {
        let before = try world.snapshot(home)
        let answer = try world.mutate(
            home, home.parent, school(world.newID(), "Rice"), coach(world.newID(), "Jo", "Diaz"),
            create(.school, world.newID(), ["location": .text("Houston")]))
        #expect(answer.code == .required)
        #expect(answer.rejection?.operation == 2)
        #expect(answer.rejection?.field == "name")
        #expect(try world.snapshot(home) == before)
        #expect(try world.mutate(home, home.parent, message(world.newID(), "Hi")).sequence == 3)
    }

    @Test("one rejected proposal leaves the others of its commit as they are")
    func proposalsStandAlone() throws {
        let first = world.newID()
        let answers = try world.commit([
            world.proposal(home, home.parent, [school(first, "Rice")]),
            world.proposal(home, home.parent, [school(first, "Rice again")]),
            world.proposal(home, home.parent, [update(.school, first, base: 1, ["name": .text("Rice University")])]),
        ])
        #expect(answers.map(\.code) == [nil, .alreadyExists, nil])
        #expect(answers.map(\.sequence) == [3, nil, 4])
    }

    @Test("the owner is the named one, otherwise the context's; in the context of all it must be named")
    func owners() throws {
        let other = try world.athlete(home, name: "Mia")
        let byContext = world.newID()
        let byName = world.newID()
        try world.mutate(home, home.parent, camp(byContext), context: .athlete(athlete))
        try world.mutate(home, home.parent, camp(byName, athlete: other), context: .athlete(athlete))
        #expect(try world.record(home, byContext).athlete == athlete)
        #expect(try world.record(home, byName).athlete == other)
        let none = try world.mutate(home, home.parent, camp(world.newID()))
        #expect(none.code == .required)
        #expect(none.rejection?.field == "athlete")
        let parent = try world.mutate(home, home.parent, camp(world.newID(), athlete: home.parent))
        #expect(parent.code == .unknownReference, "the owner is an athlete")
        #expect(parent.rejection?.field == "athlete")
        try world.mutate(home, home.parent, delete(.member, other, base: 1))
        #expect(try world.mutate(home, home.parent, camp(world.newID(), athlete: other)).code == .unknownReference)
    }

    @Test("a reference must name a living record of the family and of the right kind")
    func references() throws {
        let school = world.newID()
        let coach = world.newID()
        try world.mutate(home, home.parent, StoreTests.school(school, "Rice"), StoreTests.coach(coach, "Jo", "Diaz"))
        let elsewhere = try world.home("Other")
        let foreign = world.newID()
        try world.mutate(elsewhere, elsewhere.parent, StoreTests.school(foreign, "Baylor"))
        func refer(_ id: Identifier) throws -> Answer {
            try world.mutate(
                home, home.parent,
                create(.coach, world.newID(), ["first_name": .text("Al"), "last_name": .text("Fox"), "school_id": .reference(id)]))
        }
        #expect(try refer(school).code == nil)
        for id in [coach, foreign, world.newID()] {
            let answer = try refer(id)
            #expect(answer.code == .unknownReference)
            #expect(answer.rejection?.field == "school_id")
        }
        try world.mutate(home, home.parent, delete(.school, school, base: 1))
        #expect(try refer(school).code == .unknownReference)
        let about = create(.message, world.newID(), ["text": .text("Look"), "about": .link(.coach, coach)])
        #expect(try world.mutate(home, home.parent, about).code == nil)
        let wrong = create(.message, world.newID(), ["text": .text("Look"), "about": .link(.event, coach)])
        #expect(try world.mutate(home, home.parent, wrong).rejection?.field == "about")
    }

    @Test("R105 P23 coaches present keep name and role as they were when they were added, also after the coach is gone")
    func setsKeepNames() throws {
        let coach = world.newID()
        let event = world.newID()
        try world.mutate(home, home.parent, StoreTests.coach(coach, "Jo", "Diaz", role: "Pitching"), camp(event, athlete: athlete))
        let added = try world.mutate(home, home.parent, editSet(.event, event, base: 1, "coaches_present", add: [coach]))
        #expect(added.code == nil)
        try world.mutate(home, home.parent, update(.coach, coach, base: 1, ["role": .text("Head")]))
        try world.mutate(home, home.parent, delete(.coach, coach, base: 2))
        let record = try world.record(home, event)
        #expect(record.fields.set("coaches_present") == [SetElement(id: coach, name: "Jo Diaz", role: "Pitching")])
        let again = try world.mutate(home, home.parent, editSet(.event, event, base: 2, "coaches_present", add: [world.newID()]))
        #expect(again.code == .unknownReference)
        let rename = try world.mutate(home, home.parent, update(.event, event, base: 2, ["name": .text("Winter Camp")]))
        #expect(rename.code == nil, "what is referred to already may be gone")
    }

    @Test("a family is full at its limit, tombstones included, and the refusal names it")
    func familyLimit() throws {
        let world = try World { $0.limits.recordsPerFamily = 4 }
        let home = try world.home()
        let id = world.newID()
        #expect(try world.mutate(home, home.parent, message(id, "1"), message(world.newID(), "2")).code == nil)
        try world.mutate(home, home.parent, delete(.message, id, base: 1))
        #expect(try world.mutate(home, home.parent, message(world.newID(), "3")).code == .familyFull)
        try world.reopen()
        #expect(try world.mutate(home, home.parent, message(world.newID(), "3")).code == .familyFull)
        #expect(try world.mutate(home, home.parent, restore(.message, id, base: 2)).code == nil)
    }

    @Test("a mutation whose change would be larger than a frame is refused and changes nothing; one at the limit is done")
    func changeLimit() throws {
        var ids: [Identifier] = []
        for _ in 0..<50 {
            let id = world.newID()
            ids.append(id)
            try world.mutate(home, home.parent, create(.school, id, ["name": .text("S"), "notes": .text(String(repeating: "ß", count: 10_000))]))
            try world.mutate(home, home.parent, delete(.school, id, base: 1))
        }
        let head = try world.snapshot(home).sequence
        let all = ids.map { restore(.school, $0, base: 2) }
        let refused = try world.commit(world.proposal(home, home.parent, all))
        #expect(refused.code == .tooMany)
        #expect(refused.change == nil)
        #expect(try world.snapshot(home).sequence == head)
        #expect(try world.record(home, ids[0]).deletedAt != nil)
        // As many as fit, to the record.
        let fitting = (1...50).last { number in
            let frame = 300 + number * (20_000 + 260)
            return frame <= world.surroundings.limits.changeOctets
        }
        let done = try world.commit(world.proposal(home, home.parent, Array(all.prefix(try #require(fitting)))))
        #expect(done.sequence == head + 1)
    }

    @Test("a mutation of more operations than the limit is refused, one at the limit is done")
    func operationsLimit() throws {
        let limit = world.surroundings.limits.operationsPerMutation
        let operations = (0...limit).map { _ in message(world.newID(), "Hi") }
        #expect(try world.commit(world.proposal(home, home.parent, operations)).code == .tooMany)
        #expect(try world.commit(world.proposal(home, home.parent, Array(operations.dropLast()))).versions.count == limit)
    }
}

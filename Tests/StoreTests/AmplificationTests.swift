import Bytes
import Family
import Store
import Testing
import Wire

/// A few octets of an author must not make the writer read or rewrite megabytes (guarantee `fair`): what one mutation may touch beside the
/// records that it names has a bound in octets, and the bound is looked at before the work.
@Suite("One mutation reads a bounded amount, guarantees `bounded` and `fair`", .bothEngines)
struct AmplificationTests {
    private static let octets = 20_000

    /// A trip whose items hold more than the limit allows, as an older server left it.
    private func fullTrip(items: Int = 40) throws -> (world: World, home: World.Home, trip: Identifier, items: [Identifier]) {
        let world = try World { $0.limits.relatedOctets = 10_000_000 }
        let home = try world.home()
        let trip = world.newID()
        try world.mutate(home, home.parent, create(.trip, trip, ["name": .text("Albany"), "start_date": .text("2027-06-11"), "end_date": .text("2027-06-30")]))
        let ids = (0..<items).map { _ in world.newID() }
        for (place, id) in ids.enumerated() {
            let answer = try world.mutate(home, home.parent, item(id, trip, day: 1 + place % 20, letters: 1_000))
            #expect(answer.rejection == nil)
        }
        world.surroundings.limits.relatedOctets = Self.octets
        try world.reopen()
        return (world, home, trip, ids)
    }

    private func item(_ id: Identifier, _ trip: Identifier, day: Int, letters: Int) -> Family.Operation {
        create(
            .tripItem, id,
            [
                "trip_id": .reference(trip), "title": .text("Batting"), "category": .text("activity"),
                "start_time": .text("2027-06-\(10 + day)T10:00"), "description": .text(String(repeating: "a", count: letters)),
            ])
    }

    @Test("A trip takes items up to the bound of their texts, and not one more")
    func growth() throws {
        let world = try World { $0.limits.relatedOctets = Self.octets }
        let home = try world.home()
        let trip = world.newID()
        try world.mutate(home, home.parent, create(.trip, trip, ["name": .text("Albany"), "start_date": .text("2027-06-11"), "end_date": .text("2027-06-30")]))
        var taken: [Identifier] = []
        var refused: Answer?
        while refused == nil, taken.count < 100 {
            let id = world.newID()
            let answer = try world.mutate(home, home.parent, item(id, trip, day: 1 + taken.count % 20, letters: 1_000))
            if answer.rejection == nil { taken.append(id) } else { refused = answer }
        }
        #expect((10...20).contains(taken.count), "\(taken.count) items")
        #expect(refused?.code == .tooMany)
        // The items that are there can still be edited, and the trip can be moved.
        #expect(try world.mutate(home, home.parent, update(.tripItem, taken[0], base: 1, ["start_time": .text("2027-06-12T08:00")])).rejection == nil)
        #expect(try world.mutate(home, home.parent, update(.tripItem, taken[1], base: 1, ["description": .text("Short")])).rejection == nil)
        #expect(try world.mutate(home, home.parent, Operation(kind: .trip, id: trip, action: .shift(base: 1, days: 1))).rejection == nil)
    }

    @Test("A copy, a shift and a deletion of more are refused, and nothing changes")
    func whole() throws {
        let (world, home, trip, items) = try fullTrip()
        let before = try world.snapshot(home).records
        for operation in [
            Operation(kind: .trip, id: world.newID(), action: .copy(from: trip, days: 7)),
            Operation(kind: .trip, id: trip, action: .shift(base: 1, days: 7)), delete(.trip, trip, base: 1),
        ] {
            #expect(try world.mutate(home, home.parent, operation).code == .tooMany, "\(operation.action)")
        }
        #expect(try world.snapshot(home).records == before)
        // Making the texts shorter is the way out, one by one.
        for id in items.prefix(35) {
            #expect(try world.mutate(home, home.parent, update(.tripItem, id, base: 1, ["description": .text("Short")])).rejection == nil)
        }
        #expect(try world.mutate(home, home.parent, Operation(kind: .trip, id: trip, action: .shift(base: 1, days: 7))).rejection == nil)
    }

    @Test("Many operations of one mutation share the bound")
    func shared() throws {
        let (world, home, trip, _) = try fullTrip(items: 8)
        let copies = { (count: Int) in
            (0..<count).map { _ in Operation(kind: .trip, id: world.newID(), action: .copy(from: trip, days: 30)) }
        }
        #expect(try world.mutate(home, home.parent, operations: copies(1)).rejection == nil)
        #expect(try world.mutate(home, home.parent, operations: copies(3)).code == .tooMany)
    }

    @Test("A stale edit with more history than that is a conflict, though the edits are of different fields")
    func stale() throws {
        let world = try World { $0.limits.relatedOctets = Self.octets }
        let home = try world.home()
        let id = world.newID()
        try world.mutate(home, home.parent, school(id, "Ashgrove"))
        for version in 1...30 {
            let notes = String(repeating: version % 2 == 0 ? "a" : "b", count: 1_000)
            try world.mutate(home, home.parent, update(.school, id, base: Int64(version), ["notes": .text(notes)]))
        }
        let near = try world.mutate(home, home.parent, update(.school, id, base: 25, merge: .disjoint, ["name": .text("Brook")]))
        #expect(near.rejection == nil)
        let far = try world.mutate(home, home.parent, update(.school, id, base: 1, merge: .disjoint, ["name": .text("Birch")]))
        #expect(far.code == .conflict)
        #expect(far.rejection?.conflict?.record.fields.text("name") == "Brook")
    }

    @Test("An undo that long later versions contradict names a change that stands in the way")
    func undo() throws {
        let world = try World { $0.limits.relatedOctets = Self.octets }
        let home = try world.home()
        let id = world.newID()
        try world.mutate(home, home.parent, school(id, "Ashgrove"))
        let renamed = try world.mutate(home, home.parent, update(.school, id, base: 1, ["name": .text("Brook")]))
        for version in 2...40 {
            let notes = String(repeating: version % 2 == 0 ? "a" : "b", count: 1_000)
            try world.mutate(home, home.parent, update(.school, id, base: Int64(version), ["notes": .text(notes)]))
        }
        try world.mutate(home, home.parent, update(.school, id, base: 41, ["name": .text("Birch")]))
        var proposal = world.proposal(home, home.parent, [])
        proposal.mutation.body = .undo(sequence: try #require(renamed.sequence))
        let answer = try world.commit(proposal)
        #expect(answer.code == .contradicted)
        #expect((answer.rejection?.sequence ?? 0) > renamed.sequence ?? 0)
    }
}

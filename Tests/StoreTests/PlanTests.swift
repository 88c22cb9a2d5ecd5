import Bytes
import Family
import Store
import TestSupport
import Testing
import Wire

@Suite("Trips: conflict check, radar, shift and copy, product.md and semantics.md (Trip conflict check)", .bothEngines)
struct PlanTests {
    let world: World
    let home: World.Home
    let leo: Identifier
    let road: Identifier

    init() throws {
        world = try World()
        home = try world.home(zone: "America/Chicago")
        leo = try world.athlete(home)
        road = world.newID()
        try world.mutate(home, home.parent, trip(road))
    }

    private func item(
        _ start: String, _ end: String?, _ values: KeyValuePairs<String, Value?> = [:], in trip: Identifier? = nil
    ) -> Operation {
        item(world.newID(), start, end, values, in: trip)
    }

    private func item(
        _ id: Identifier, _ start: String, _ end: String?, _ values: KeyValuePairs<String, Value?> = [:], in trip: Identifier? = nil
    ) -> Operation {
        tripItem(id, trip ?? road, start: "2026-12-05T\(start)", end: end.map { "2026-12-05T\($0)" }, values)
    }

    private func people(_ ids: Identifier...) -> Value { .set(ids.map { SetElement(id: $0) }) }

    @Test("P30 R154 two items at the same time for the same people are refused, with both sides")
    func overlaps() throws {
        let lunch = world.newID(), walk = world.newID()
        try world.mutate(home, home.parent, item(lunch, "12:00", "13:00", ["title": .text("Lunch")]))
        let refused = try world.mutate(home, home.parent, item(walk, "12:30", "14:00", ["title": .text("Walk")]))
        #expect(refused.code == .overlap)
        let overlap = try #require(refused.rejection?.overlaps.first)
        #expect(refused.rejection?.overlaps.count == 1)
        #expect(overlap.item.id == walk && overlap.with.id == lunch && overlap.with.title == "Lunch" && overlap.with.end == "2026-12-05T13:00")
        #expect(Set(overlap.members) == [home.parent, leo], "nobody named: everybody who is not a guest")
        #expect(try world.snapshot(home).records[walk] == nil)
    }

    /// Each row: the second item beside one from 12:00 to 13:00 with Leo.
    @Test("P31 the conflict matrix: times, participants, categories", arguments: [
        ("12:00", "13:00", "activity", "leo", true), ("11:00", "12:00", "activity", "leo", false), ("13:00", "14:00", "activity", "leo", false),
        ("11:00", "12:01", "activity", "leo", true), ("12:59", "14:00", "food", "leo", true), ("11:00", "14:00", "other", "leo", true),
        ("12:15", "12:45", "transportation", "leo", true), ("12:15", nil, "activity", "leo", false), ("12:00", "13:00", "activity", "parent", false),
        ("12:00", "13:00", "activity", "nobody", true), ("12:00", "13:00", "accommodation", "leo", false),
        ("12:00", "13:00", "accommodation", "nobody", false),
    ] as [(String, String?, String, String, Bool)])
    func matrix(start: String, end: String?, category: String, who: String, isRefused: Bool) throws {
        try world.mutate(home, home.parent, item("12:00", "13:00", ["participants": people(leo)]))
        let named: Value? = who == "nobody" ? nil : people(who == "leo" ? leo : home.parent)
        let second = world.newID()
        let answer = try world.mutate(home, home.parent, item(second, start, end, ["participants": named, "category": .text(category)]))
        #expect(answer.code == (isRefused ? .overlap : nil))
        // The same by an update that moves it there, and by a restore.
        let moved = world.newID()
        try world.mutate(home, home.parent, item(moved, "20:00", end == nil ? nil : "21:00", ["participants": named, "category": .text(category)]))
        let times: [FieldPatch.Assignment] = [
            .init(field: Kind.tripItem.field("start_time"), value: .text("2026-12-05T\(start)")),
            .init(field: Kind.tripItem.field("end_time"), value: end.map { .text("2026-12-05T\($0)") }),
        ]
        if !isRefused { try world.mutate(home, home.parent, delete(.tripItem, second, base: 1)) }
        let update = Operation(
            kind: .tripItem, id: moved, action: .update(base: 1, merge: .none, patch: FieldPatch(assignments: times.sorted { $0.field < $1.field })))
        #expect(try world.mutate(home, home.parent, update).code == (isRefused ? .overlap : nil))
    }

    @Test("P31 two stays are in conflict with each other, and only they are")
    func stays() throws {
        try world.mutate(home, home.parent, item("15:00", "20:00", ["category": .text("accommodation")]))
        #expect(try world.mutate(home, home.parent, item("16:00", "17:00", ["category": .text("food")])).code == nil)
        #expect(try world.mutate(home, home.parent, item("19:00", "23:00", ["category": .text("accommodation")])).code == .overlap)
    }

    @Test("the final state of a batch counts: two items that swap places do not overlap")
    func finalState() throws {
        let one = world.newID(), two = world.newID()
        try world.mutate(home, home.parent, item(one, "12:00", "13:00"), item(two, "13:00", "14:00"))
        func move(_ id: Identifier, _ start: String, _ end: String) -> Operation {
            update(.tripItem, id, base: 1, ["start_time": .text("2026-12-05T\(start)"), "end_time": .text("2026-12-05T\(end)")])
        }
        #expect(try world.mutate(home, home.parent, move(one, "13:00", "14:00")).code == .overlap)
        #expect(try world.mutate(home, home.parent, move(one, "13:00", "14:00"), move(two, "12:00", "13:00")).sequence != nil)
        // And two in one batch that overlap each other are refused.
        #expect(try world.mutate(home, home.parent, item("16:00", "17:00"), item("16:30", "18:00")).code == .overlap)
    }

    @Test("P32 an accepted overlap is saved with its reason; only what an edit could bring into conflict is checked again")
    func accepted() throws {
        let lunch = world.newID(), walk = world.newID(), other = world.newID()
        try world.mutate(home, home.parent, item(lunch, "12:00", "13:00"))
        var proposal = world.proposal(home, home.parent, [item(walk, "12:30", "14:00")])
        proposal.mutation.overlap = OverlapOverride(reason: "They walk, we eat", pairs: [OverlapPair(walk, lunch)])
        let saved = try world.commit(proposal)
        #expect(saved.sequence != nil)
        #expect(saved.change?.overlap == proposal.mutation.overlap)
        #expect(try world.log(home).last?.overlap?.reason == "They walk, we eat")
        // A new name and the itinerary's flag are not asked; a new time is.
        #expect(try world.mutate(home, home.parent, update(.tripItem, walk, base: 1, ["title": .text("Stroll"), "include_in_itinerary": .flag(false)])).sequence != nil)
        #expect(try world.mutate(home, home.parent, update(.tripItem, walk, base: 2, ["end_time": .text("2026-12-05T14:30")])).code == .overlap)
        // Accepting one pair does not accept another.
        var third = world.proposal(home, home.parent, [item(other, "12:45", "13:30")])
        third.mutation.overlap = OverlapOverride(reason: "Both", pairs: [OverlapPair(other, lunch)])
        let refused = try world.commit(third)
        #expect(refused.code == .overlap && refused.rejection?.overlaps.map(\.with.id) == [walk])
        // Sent again with another override it is another mutation.
        third.mutation.overlap = OverlapOverride(reason: "All", pairs: [OverlapPair(other, lunch), OverlapPair(other, walk)])
        #expect(try world.commit(third).code == .mutationReused)
        third.mutation.id += 1
        #expect(try world.commit(third).sequence != nil)
    }

    @Test("items that name nobody are checked when the trip's participants change")
    func inherited() throws {
        let other = try world.athlete(home, name: "Mia")
        let trip2 = world.newID()
        try world.mutate(home, home.parent, trip(trip2, ["participants": people(leo)]))
        try world.mutate(home, home.parent, item("12:00", "13:00", in: trip2), item("12:00", "13:00", ["participants": people(other)], in: trip2))
        let refused = try world.mutate(home, home.parent, editSet(.trip, trip2, base: 1, "participants", add: [other]))
        #expect(refused.code == .overlap && refused.rejection?.overlaps.first?.members == [other])
        #expect(try world.mutate(home, home.parent, editSet(.trip, trip2, base: 1, "participants", add: [home.parent])).sequence != nil)
    }

    @Test("a restored item is checked, and so is one that an undo restores")
    func restored() throws {
        let lunch = world.newID()
        try world.mutate(home, home.parent, item(lunch, "12:00", "13:00"))
        let deletion = try #require(try world.mutate(home, home.parent, delete(.tripItem, lunch, base: 1)).sequence)
        let walk = world.newID()
        try world.mutate(home, home.parent, item(walk, "12:30", "14:00"))
        #expect(try world.mutate(home, home.parent, restore(.tripItem, lunch, base: 2)).code == .overlap)
        #expect(try world.undo(home, home.parent, deletion).code == .overlap)
        let overlap = OverlapOverride(reason: "Both", pairs: [OverlapPair(lunch, walk)])
        #expect(try world.commit(world.undoProposal(home, home.parent, deletion, overlap: overlap)).sequence != nil)
    }

    @Test("P30 R154 of many who take the same hour at the same time exactly one wins, in any order of commits", arguments: [1, 2, 3])
    func race(seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        let parents = try (0..<20).map { try world.member(home, .parent, name: "P\($0)") }
        for hour in 10..<16 {
            let proposals = parents.shuffled(using: &dice).map { parent in
                world.proposal(home, parent, [item("\(hour):00", "\(hour):45", ["participants": people(leo)])])
            }
            // Some share a commit with others, as threads and ticks have it.
            let cut = Int.random(in: 0...20, using: &dice)
            let answers = try world.commit(Array(proposals.prefix(cut))) + world.commit(Array(proposals.dropFirst(cut)))
            #expect(answers.count { $0.sequence != nil } == 1, "seed \(seed), hour \(hour)")
            #expect(answers.count { $0.code == .overlap } == 19)
        }
    }

    // MARK: Beyond the trip

    @Test("P33 an item during a recruiting event of the same person, or another trip's item, is saved with a warning that is given again")
    func radar() throws {
        let event = world.newID(), other = world.newID(), flight = world.newID()
        try world.mutate(home, home.parent, create(.event, event, athlete: leo, [
            "type": .text("camp"), "name": .text("Fall Camp"), "start_date": .text("2026-12-05"), "start_time": .text("12:00"), "end_time": .text("16:00"),
        ]))
        try world.mutate(home, home.parent, trip(other), item(flight, "17:00", "18:00", ["participants": people(leo)], in: other))
        let proposal = world.proposal(home, home.parent, [item("15:00", "17:30", ["title": .text("Drive")])])
        let answer = try world.commit(proposal)
        let warnings = try #require(answer.ack?.warnings)
        #expect(Set(warnings.map(\.withID)) == [event, flight])
        #expect(warnings.allSatisfy { $0.code == .doubleBooking && $0.member == leo && $0.kind == .tripItem })
        #expect(warnings.contains { $0.message.contains("Drive") && $0.message.contains("Fall Camp") && $0.message.contains("Leo") })
        #expect(try world.commit(proposal).frame == answer.frame, "it stands in the receipt")
        // The event's side sees it, too; another person's item and a hotel do not.
        let moved = try world.mutate(home, home.parent, update(.event, event, base: 1, ["start_time": .text("11:00")]))
        #expect(moved.ack?.warnings.count == 1)
        let apart = try world.mutate(home, home.parent, item("11:00", "12:30", ["participants": people(home.parent)]))
        #expect(apart.ack?.warnings == [])
        let hotel = try world.mutate(home, home.parent, item("11:00", "20:00", ["category": .text("accommodation")]))
        #expect(hotel.ack?.warnings == [])
        #expect(try world.mutate(home, home.parent, update(.event, event, base: 2, ["city": .text("Waco")])).ack?.warnings == [])
    }

    @Test("the overlap check reads no other family")
    func radarIsIsolated() throws {
        let other = try world.home("Birch", zone: "America/Chicago")
        let trip2 = world.newID()
        try world.mutate(other, other.parent, trip(trip2), item("12:00", "13:00", in: trip2))
        #expect(try world.mutate(home, home.parent, item("12:00", "13:00")).ack?.warnings == [])
    }

    // MARK: Shift and copy

    @Test("P35 a shifted trip takes its items along, local times stay over the change of clocks, and one undo puts all back")
    func shifts() throws {
        let spring = world.newID(), flight = world.newID(), dinner = world.newID()
        try world.mutate(
            home, home.parent, trip(spring, ["start_date": .text("2027-03-06"), "end_date": .text("2027-03-08")]),
            tripItem(flight, spring, start: "2027-03-06T09:30", end: "2027-03-06T13:00", ["end_zone": .text("America/New_York")]),
            tripItem(dinner, spring, start: "2027-03-07T18:00"))
        let deleted = world.newID()
        try world.mutate(home, home.parent, tripItem(deleted, spring, start: "2027-03-07T20:00"))
        try world.mutate(home, home.parent, delete(.tripItem, deleted, base: 1))
        let shift = Operation(kind: .trip, id: spring, action: .shift(base: 1, days: 14))
        let answer = try world.mutate(home, home.parent, shift)
        #expect(answer.change?.entries.count == 3)
        #expect(try world.record(home, spring).fields.text("start_date") == "2027-03-20")
        #expect(try world.record(home, spring).fields.text("end_date") == "2027-03-22")
        let moved = try world.record(home, flight)
        #expect(moved.fields.text("start_time") == "2027-03-20T09:30" && moved.fields.text("end_time") == "2027-03-20T13:00" && moved.version == 2)
        #expect(try world.record(home, dinner).fields.text("start_time") == "2027-03-21T18:00")
        #expect(try world.record(home, deleted).version == 2)
        #expect(try world.mutate(home, home.parent, shift).code == .conflict, "its base is stale now")
        _ = try world.undo(home, home.parent, try #require(answer.sequence))
        #expect(try world.record(home, dinner).fields.text("start_time") == "2027-03-07T18:00")
        #expect(try world.record(home, spring).fields.text("start_date") == "2027-03-06")
    }

    @Test("items that overlap by consent stay so when the trip moves; one item alone is asked again")
    func shiftsConsent() throws {
        let one = world.newID(), two = world.newID()
        var proposal = world.proposal(home, home.parent, [item(one, "12:00", "13:00"), item(two, "12:00", "13:00")])
        proposal.mutation.overlap = OverlapOverride(reason: "Both", pairs: [OverlapPair(one, two)])
        #expect(try world.commit(proposal).sequence != nil)
        #expect(try world.mutate(home, home.parent, Operation(kind: .trip, id: road, action: .shift(base: 1, days: -3))).sequence != nil)
        #expect(try world.record(home, one).fields.text("start_time") == "2026-12-02T12:00")
        let apart = try world.mutate(home, home.parent, Operation(kind: .tripItem, id: one, action: .shift(base: 2, days: 1)))
        #expect(apart.sequence != nil)
        let back = try world.mutate(home, home.parent, Operation(kind: .tripItem, id: one, action: .shift(base: 3, days: -1)))
        #expect(back.code == .overlap)
    }

    @Test("An undo brings back what overlapped by consent without asking again, unless somebody changed either of them since")
    func undoesConsent() throws {
        let one = world.newID(), two = world.newID()
        var proposal = world.proposal(home, home.parent, [item(one, "12:00", "13:00"), item(two, "12:00", "13:00")])
        proposal.mutation.overlap = OverlapOverride(reason: "Both", pairs: [OverlapPair(one, two)])
        #expect(try world.commit(proposal).sequence != nil)
        func shift(_ kind: Kind, _ id: Identifier, _ days: Int) throws -> Int64 {
            let version = try world.record(home, id).version
            return try #require(try world.mutate(home, home.parent, Operation(kind: kind, id: id, action: .shift(base: version, days: days))).sequence)
        }
        // The whole trip, one item of it, and the redoing of that.
        let whole = try shift(.trip, road, -3)
        #expect(try world.undo(home, home.parent, whole).sequence != nil)
        #expect(try world.record(home, one).fields.text("start_time") == "2026-12-05T12:00")
        let apart = try shift(.tripItem, one, 1)
        let back = try world.undo(home, home.parent, apart)
        let undone = try #require(back.sequence)
        #expect(try world.record(home, one).fields.text("start_time") == "2026-12-05T12:00")
        #expect(try world.undo(home, home.parent, undone).sequence != nil)
        let again = try #require(try world.undo(home, home.parent, apart + 2).sequence, "the undo of that undo")
        #expect(again > undone)
        // Nobody has accepted the later overlaps: a third item, and the second one at another time.
        let later = try shift(.tripItem, one, 1)
        let three = world.newID()
        #expect(try world.mutate(home, home.parent, item(three, "12:30", "13:30")).code == .overlap, "the second is there")
        var third = world.proposal(home, home.parent, [item(three, "12:30", "13:30")])
        third.mutation.overlap = OverlapOverride(reason: "Both", pairs: [OverlapPair(two, three)])
        #expect(try world.commit(third).sequence != nil)
        let refused = try world.undo(home, home.parent, later)
        #expect(refused.code == .overlap)
        #expect(refused.rejection?.overlaps.map { OverlapPair($0.item.id, $0.with.id) } == [OverlapPair(one, three)], "only what is new is asked about")
    }

    @Test("P35 a copied trip has copies of its living items, with ids that a retry and an offline client know")
    func copies() throws {
        let one = world.newID(), copy = world.newID()
        try world.mutate(home, home.parent, item(one, "12:00", "13:00", ["source_data": .json(Array(#"{"a":1}"#.utf8))]))
        let answer = try world.mutate(home, home.parent, Operation(kind: .trip, id: copy, action: .copy(from: road, days: 365)))
        #expect(answer.change?.entries.count == 2)
        let item = try world.record(home, DateShift.itemID(trip: copy, item: one))
        #expect(item.fields.reference("trip_id") == copy && item.fields.text("start_time") == "2027-12-05T12:00" && item.version == 1)
        #expect(item.fields["source_data"] == .json(Array(#"{"a":1}"#.utf8)))
        #expect(try world.record(home, copy).fields.text("start_date") == "2027-12-04")
        #expect(try world.record(home, one).version == 1)
        #expect(try world.mutate(home, home.parent, Operation(kind: .trip, id: copy, action: .copy(from: road, days: 1))).code == .alreadyExists)
    }

    @Test("P35 a copied camp is planned, not attended, and belongs to the same athlete")
    func copiesEvents() throws {
        let event = world.newID(), copy = world.newID(), jo = world.newID()
        try world.mutate(home, home.parent, camp(event, athlete: leo), coach(jo, "Jo", "Diaz"))
        try world.mutate(home, home.parent, update(.event, event, base: 1, ["attended": .flag(true), "registered": .flag(true), "start_time": .text("09:00")]))
        try world.mutate(home, home.parent, editSet(.event, event, base: 2, "coaches_present", add: [jo]))
        try world.mutate(home, home.parent, Operation(kind: .event, id: copy, action: .copy(from: event, days: 364)))
        let record = try world.record(home, copy)
        #expect(record.athlete == leo && record.fields.text("start_date") == "2027-12-04" && record.fields.text("start_time") == "09:00")
        #expect(!record.fields.flag("attended") && !record.fields.flag("registered") && record.fields.set("coaches_present").isEmpty)
        let mia = try world.athlete(home, name: "Mia")
        #expect(try world.mutate(home, mia, Operation(kind: .event, id: world.newID(), action: .copy(from: event, days: 1))).code == .notAllowed)
        #expect(try world.mutate(home, mia, Operation(kind: .event, id: event, action: .shift(base: 3, days: 1))).code == .notAllowed)
    }

    @Test("a move or copy is refused for other kinds, no days, too many days, and deleted records")
    func refusals() throws {
        let id = world.newID()
        try world.mutate(home, home.parent, school(id, "Rice"))
        func code(_ kind: Kind, _ id: Identifier, _ action: Operation.Action) throws -> ErrorCode? {
            try world.mutate(home, home.parent, Operation(kind: kind, id: id, action: action)).code
        }
        #expect(try code(.school, id, .shift(base: 1, days: 1)) == .invalid)
        #expect(try code(.school, world.newID(), .copy(from: id, days: 1)) == .invalid)
        #expect(try code(.trip, road, .shift(base: 1, days: 0)) == .outOfRange)
        #expect(try code(.trip, road, .shift(base: 1, days: 3_661)) == .outOfRange)
        #expect(try code(.trip, road, .shift(base: 9, days: 1)) == .conflict)
        #expect(try code(.trip, world.newID(), .copy(from: world.newID(), days: 1)) == .notFound)
        #expect(try code(.event, world.newID(), .copy(from: road, days: 1)) == .notFound)
        try world.mutate(home, home.parent, delete(.trip, road, base: 1))
        #expect(try code(.trip, road, .shift(base: 2, days: 1)) == .conflict)
        #expect(try code(.trip, world.newID(), .copy(from: road, days: 1)) == .conflict)
        let far = world.newID()
        try world.mutate(home, home.parent, trip(far, ["start_date": .text("9999-12-30"), "end_date": nil]))
        #expect(try code(.trip, far, .shift(base: 1, days: 5)) == .outOfRange)
    }

    @Test("a trip holds a bounded number of items")
    func bounded() throws {
        let world = try World { $0.limits.relatedRecords = 3 }
        let home = try world.home()
        let trip = world.newID()
        try world.mutate(home, home.parent, StoreTests.trip(trip))
        for hour in 10..<13 { try world.mutate(home, home.parent, tripItem(world.newID(), trip, start: "2026-12-05T\(hour):00")) }
        let refused = try world.mutate(home, home.parent, tripItem(world.newID(), trip, start: "2026-12-05T20:00"))
        #expect(refused.code == .tooMany && refused.rejection?.message.contains("at most 3 items") == true)
    }
}

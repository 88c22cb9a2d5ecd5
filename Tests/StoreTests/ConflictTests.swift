import Bytes
import Family
import Store
import Testing
import Wire

@Suite("No lost update: stale bases, semantics.md", .bothEngines)
struct ConflictTests {
    let world: World
    let home: World.Home
    let leo: Identifier
    let event: Identifier

    /// An event at version 3: Ana changed name and city (2), then Leo the city again (3).
    init() throws {
        world = try World()
        home = try world.home()
        leo = try world.athlete(home)
        event = world.newID()
        try world.mutate(home, home.parent, camp(event, athlete: leo))
        world.surroundings.now += 1000
        try world.mutate(home, home.parent, update(.event, event, base: 1, ["name": .text("Winter Camp"), "city": .text("Waco")]))
        world.surroundings.now += 1000
        try world.mutate(home, leo, update(.event, event, base: 2, ["city": .text("Austin")]))
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var base: Int64
        var merge: MergeMode
        var values: [String: String?]
        /// Fields in the conflict, `nil`: applied.
        var contested: [String]? = nil
        var acked: Int64? = nil
    }

    static let cases = [
        Case(testDescription: "current base", base: 3, merge: .none, values: ["name": "X"], acked: 4),
        Case(testDescription: "current base, disjoint", base: 3, merge: .disjoint, values: ["name": "X"], acked: 4),
        Case(testDescription: "stale, same field", base: 2, merge: .none, values: ["city": "X"], contested: ["city"]),
        Case(testDescription: "stale, other field, default", base: 2, merge: .none, values: ["name": "X"], contested: []),
        Case(testDescription: "stale, other field, disjoint", base: 2, merge: .disjoint, values: ["name": "X"], acked: 4),
        Case(
            testDescription: "stale, same field, disjoint", base: 2, merge: .disjoint, values: ["city": "X"], contested: ["city"]),
        Case(
            testDescription: "stale, one of two contested, disjoint", base: 2, merge: .disjoint, values: ["city": "X", "name": "Y"],
            contested: ["city"]),
        Case(
            testDescription: "stale by two, both contested", base: 1, merge: .disjoint, values: ["city": "X", "name": "Y"],
            contested: ["name", "city"]),
        Case(
            testDescription: "stale by two, untouched field, disjoint", base: 1, merge: .disjoint, values: ["location": "X"],
            acked: 4),
        Case(
            testDescription: "stale, equal value agrees, disjoint", base: 1, merge: .disjoint, values: ["city": "Austin", "location": "X"],
            acked: 4),
        Case(
            testDescription: "stale, equal value alone changes nothing, disjoint", base: 1, merge: .disjoint, values: ["city": "Austin"]),
        Case(
            testDescription: "stale, clearing, disjoint", base: 1, merge: .disjoint, values: ["city": nil], contested: ["city"]),
        Case(testDescription: "base of the future", base: 9, merge: .disjoint, values: ["city": "X"], contested: ["city"]),
        Case(
            testDescription: "base before the first", base: 0, merge: .disjoint, values: ["location": "X"], contested: ["location"]),
        Case(testDescription: "negative base", base: .min, merge: .none, values: ["location": "X"], contested: ["location"]),
    ]

    @Test("stale updates", arguments: cases)
    func stale(_ one: Case) throws {
        let assignments = one.values.map { name, text in
            FieldPatch.Assignment(field: Kind.event.field(name), value: text.map(Value.text))
        }
        let patch = FieldPatch(assignments: assignments.sorted { $0.field < $1.field })
        let before = try world.snapshot(home)
        let answer = try world.mutate(
            home, home.parent, Operation(kind: .event, id: event, action: .update(base: one.base, merge: one.merge, patch: patch)))
        if let contested = one.contested {
            #expect(answer.code == .conflict)
            let conflict = try #require(answer.rejection?.conflict)
            #expect(conflict.record == before.records[event])
            #expect(conflict.fields.map { Kind.event.declaration.fields[$0.field].name } == contested)
            for field in conflict.fields {
                #expect(field.yours == assignments.first { $0.field == field.field }?.value)
                #expect(field.theirs == conflict.record.fields[field.field])
            }
            #expect(try world.snapshot(home) == before)
        } else {
            #expect(answer.rejection == nil)
            #expect(answer.versions == (one.acked.map { [$0] } ?? []))
            for assignment in assignments { #expect(try world.record(home, event).fields[assignment.field] == assignment.value) }
        }
    }

    @Test("a conflict shows base, yours, theirs, author and time of each field")
    func tellsEverything() throws {
        let answer = try world.mutate(
            home, home.parent, update(.event, event, base: 1, ["name": .text("Camp"), "city": .text("Dallas")]))
        let fields = try #require(answer.rejection?.conflict?.fields)
        let start = world.surroundings.now - 2000
        #expect(fields == [
            Conflict.Field(
                field: Kind.event.field("name"), base: .text("Fall Camp"), yours: .text("Camp"), theirs: .text("Winter Camp"),
                member: home.parent, at: start + 1000),
            Conflict.Field(
                field: Kind.event.field("city"), base: nil, yours: .text("Dallas"), theirs: .text("Austin"), member: leo, at: start + 2000),
        ])
        #expect(answer.rejection?.message.hasPrefix("Leo changed this event") == true)
    }

    @Test("values of every type are read from history unchanged")
    func shapes() throws {
        let jo = world.newID()
        let rice = world.newID()
        let statistics = Value.json(Array(#"{"velo":[88,  90],"note":"\u00e9"}"#.utf8))
        try world.mutate(home, home.parent, coach(jo, "Jo", "Diaz"), school(rice, "Rice"))
        try world.mutate(
            home, home.parent,
            update(.event, event, base: 3, [
                "stats_recorded": statistics, "coaches_present": .set([SetElement(id: jo)]), "school_id": .reference(rice),
                "attended": .flag(true), "cost": .text("150.00"), "description": .text("Line\n\"two\""),
            ]))
        let former = try world.record(home, event).fields
        let cleared: KeyValuePairs<String, Value?> = [
            "stats_recorded": nil, "coaches_present": nil, "school_id": nil, "attended": .flag(false), "cost": nil, "description": nil,
        ]
        try world.mutate(home, leo, update(.event, event, base: 4, cleared))
        let answer = try world.mutate(
            home, home.parent,
            update(.event, event, base: 4, merge: .disjoint, [
                "stats_recorded": .json(Array("{}".utf8)), "school_id": .reference(world.newID()), "cost": .text("1"),
                "description": .text("X"),
                "coaches_present": .set([SetElement(id: world.newID())]),
            ]))
        let fields = try #require(answer.rejection?.conflict?.fields)
        #expect(fields.count == 5)
        for field in fields { #expect(field.base == former[field.field] && field.theirs == nil && field.member == leo) }
    }

    @Test("where history does not reach back to the base, nothing is merged")
    func historyIsGone() throws {
        try world.change { _ = try $0.history.remove(family: 1, event, version: 2) }
        let answer = try world.mutate(home, home.parent, update(.event, event, base: 1, merge: .disjoint, ["location": .text("X")]))
        #expect(answer.code == .conflict)
        #expect(answer.rejection?.conflict?.fields.map(\.field) == [Kind.event.field("location")])
    }

    @Test("an update of set operations alone is valid on any base; with another field it is not")
    func setOperations() throws {
        let jo = world.newID()
        let al = world.newID()
        try world.mutate(home, home.parent, coach(jo, "Jo", "Diaz"), coach(al, "Al", "Fox"))
        try world.mutate(home, home.parent, editSet(.event, event, base: 1, "coaches_present", add: [jo]))
        try world.mutate(home, leo, editSet(.event, event, base: 1, "coaches_present", add: [al]))
        #expect(try world.record(home, event).fields.set("coaches_present").map(\.id) == [jo, al])
        try world.mutate(home, leo, editSet(.event, event, base: 3, "coaches_present", remove: [jo]))
        #expect(try world.record(home, event).fields.set("coaches_present").map(\.id) == [al])
        var mixed = patch(.event, ["city": .text("X")])
        mixed.setEdits = [.init(field: Kind.event.field("coaches_present"), add: [jo])]
        let answer = try world.mutate(
            home, leo, Operation(kind: .event, id: event, action: .update(base: 3, merge: .none, patch: mixed)))
        #expect(answer.code == .conflict)
    }

    @Test("assigning a whole set is a scalar write")
    func wholeSets() throws {
        let jo = world.newID()
        try world.mutate(home, home.parent, coach(jo, "Jo", "Diaz"))
        try world.mutate(home, home.parent, editSet(.event, event, base: 3, "coaches_present", add: [jo]))
        let answer = try world.mutate(
            home, leo, update(.event, event, base: 3, merge: .disjoint, ["coaches_present": .set([])]))
        #expect(answer.code == .conflict)
        #expect(answer.rejection?.conflict?.fields.map(\.field) == [Kind.event.field("coaches_present")])
    }

    @Test("after a disjoint merge all rules are run again")
    func rulesRunAgain() throws {
        try world.mutate(home, leo, update(.event, event, base: 3, ["end_date": .text("2026-12-06")]))
        let answer = try world.mutate(
            home, home.parent, update(.event, event, base: 3, merge: .disjoint, ["start_date": .text("2026-12-09")]))
        #expect(answer.code == .endBeforeStart)
    }

    @Test("a stale delete and a stale restore always conflict, with the record and no fields")
    func staleDeletes() throws {
        let deleted = try world.mutate(home, leo, delete(.event, event, base: 2))
        #expect(deleted.code == .conflict)
        #expect(deleted.rejection?.conflict == Conflict(record: try world.record(home, event), fields: []))
        let restored = try world.mutate(home, leo, restore(.event, event, base: 3))
        #expect(restored.code == .conflict, "it is not deleted")
        try world.mutate(home, leo, delete(.event, event, base: 3))
        #expect(try world.mutate(home, leo, restore(.event, event, base: 3)).code == .conflict)
        #expect(try world.mutate(home, leo, delete(.event, event, base: 4)).code == .conflict, "it is deleted already")
        #expect(try world.mutate(home, leo, restore(.event, event, base: 4)).versions == [5])
    }

    @Test("editing what another deleted is a conflict with the tombstone, set operations included; restoring it is one step")
    func editingTheDeleted() throws {
        try world.mutate(home, leo, delete(.event, event, base: 3))
        let operations = [
            update(.event, event, base: 3, merge: .disjoint, ["location": .text("X")]),
            update(.event, event, base: 4, ["location": .text("X")]),
            editSet(.event, event, base: 3, "coaches_present", remove: [world.newID()]),
        ]
        for operation in operations {
            let answer = try world.mutate(home, home.parent, operation)
            #expect(answer.code == .conflict)
            #expect(answer.rejection?.conflict?.record.deletedAt == world.surroundings.now)
            #expect(answer.rejection?.conflict?.fields == [])
        }
        let both = try world.mutate(
            home, home.parent, restore(.event, event, base: 4), update(.event, event, base: 5, ["location": .text("X")]))
        #expect(both.versions == [6])
    }

    @Test("a deletion and restoration since the base does not hide who changed what")
    func acrossATombstone() throws {
        try world.mutate(home, leo, delete(.event, event, base: 3))
        try world.mutate(home, leo, restore(.event, event, base: 4))
        let merged = try world.mutate(home, home.parent, update(.event, event, base: 2, merge: .disjoint, ["location": .text("X")]))
        #expect(merged.versions == [6])
        let contested = try world.mutate(home, home.parent, update(.event, event, base: 2, merge: .disjoint, ["city": .text("X")]))
        #expect(contested.rejection?.conflict?.fields.first?.member == leo)
    }
}

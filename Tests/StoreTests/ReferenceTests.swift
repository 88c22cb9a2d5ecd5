import Bytes
import Family
import Ledger
import SQLite
import Testing
import Wire

@testable import Store
@testable import StoreSQLite

@Suite("References, product.md (Events, Trips): what goes with a record, what stays, one change", .bothEngines)
struct ReferenceTests {
    let world: World
    let home: World.Home
    let leo: Identifier

    init() throws {
        world = try World()
        home = try world.home()
        leo = try world.athlete(home)
    }

    @Test("each reference with an action on the deletion of its target is found by an index that begins with the family", .sqliteOnly("It asks SQLite for its plans"))
    func indexes() throws {
        for names in Referrers.of.values {
            for (name, fields) in names {
                let plan = try world.plan(Referrers.query(name, fields))
                #expect(plan.contains("USING INDEX records_by_") && plan.contains("family=?"), "\(name): \(plan)")
            }
        }
        for kind in [Kind.event, .tripItem] {
            let plan = try world.plan(PlanTable.query(kind))
            #expect(plan.contains("USING INDEX records_by_start (family=? AND kind=? AND start>? AND start<?)"), "\(plan)")
            #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
        }
    }

    @Test("P24 the name of a school or coach is kept as it is assigned, follows a new assignment, and goes with the reference")
    func keepsNames() throws {
        let rice = world.newID(), baylor = world.newID(), event = world.newID(), jo = world.newID(), call = world.newID()
        try world.mutate(
            home, home.parent, school(rice, "Rice"), school(baylor, "Baylor"), coach(jo, "Jo", "Diaz"), camp(event, athlete: leo),
            interaction(call, athlete: leo, ["coach_id": .reference(jo)]))
        #expect(try world.record(home, call).fields.text("coach_name") == "Jo Diaz")
        try world.mutate(home, home.parent, update(.event, event, base: 1, ["school_id": .reference(rice)]))
        #expect(try world.record(home, event).fields.text("school_name") == "Rice")
        let renamed = try world.mutate(home, home.parent, update(.school, rice, base: 1, ["name": .text("Rice University")]))
        // A new name is the school's alone, until it is deleted.
        #expect(renamed.change?.entries.count == 1)
        let again = try world.mutate(home, home.parent, update(.event, event, base: 2, ["school_id": .reference(baylor)]))
        #expect(again.change?.entries.first?.effect == .update([
            .init(field: Kind.event.field("school_id"), value: .reference(baylor)), .init(field: Kind.event.field("school_name"), value: .text("Baylor")),
        ]))
        try world.mutate(home, home.parent, update(.event, event, base: 3, ["school_id": nil]))
        #expect(try world.record(home, event).fields["school_name"] == nil)
    }

    @Test("P24 the deletion of a school updates kept names in the same change; the reference stays")
    func deletesSchool() throws {
        let rice = world.newID(), event = world.newID(), other = world.newID(), jo = world.newID()
        try world.mutate(
            home, home.parent, school(rice, "Rice"), camp(event, athlete: leo),
            create(.coach, jo, ["first_name": .text("Jo"), "last_name": .text("Diaz"), "school_id": .reference(rice)]))
        try world.mutate(home, home.parent, update(.event, event, base: 1, ["school_id": .reference(rice)]))
        try world.mutate(home, home.parent, update(.school, rice, base: 1, ["name": .text("Rice University")]))
        try world.mutate(home, home.parent, create(.event, other, athlete: leo, [
            "type": .text("game"), "name": .text("Game"), "start_date": .text("2026-12-05"), "school_id": .reference(rice),
        ]))
        let answer = try world.mutate(home, home.parent, delete(.school, rice, base: 2))
        let ids = try #require(answer.change?.entries.map(\.id))
        #expect(ids.last == rice && Set(ids) == [event, jo, rice], "the one that has the name already is left alone")
        for id in [event, other, jo] {
            let fields = try world.record(home, id).fields
            #expect(fields.text("school_name") == "Rice University" && fields.reference("school_id") == rice)
        }
        #expect(Set(answer.ack?.records.map(\.id) ?? []) == [event, jo, rice])
        // It can still be edited, with the reference as it was.
        #expect(try world.mutate(home, home.parent, update(.event, event, base: 3, ["name": .text("X")])).sequence != nil)
    }

    @Test("P25 deleting an event unlinks its metrics and interactions, in one change and with versions raised")
    func unlinks() throws {
        let event = world.newID(), other = world.newID()
        let metrics = (0..<3).map { _ in world.newID() }
        let call = world.newID()
        try world.mutate(home, home.parent, camp(event, athlete: leo), camp(other, athlete: leo))
        for id in metrics { try world.mutate(home, home.parent, metric(id, athlete: leo, ["event_id": .reference(event)])) }
        try world.mutate(home, home.parent, interaction(call, athlete: leo, ["event_id": .reference(event)]))
        let kept = world.newID()
        try world.mutate(home, home.parent, metric(kept, athlete: leo, ["event_id": .reference(other)]))
        let answer = try world.mutate(home, home.parent, delete(.event, event, base: 1))
        #expect(answer.change?.entries.map(\.version) == [2, 2, 2, 2, 2])
        for id in metrics + [call] {
            let record = try world.record(home, id)
            #expect(record.fields["event_id"] == nil && record.version == 2 && !record.isDeleted)
        }
        #expect(try world.record(home, kept).version == 1)
        #expect(Twin(try world.log(home)).faults == [])
        #expect(try Twin(world.log(home)).records == world.snapshot(home).records)
    }

    @Test("P26 deleting a trip deletes its items, and a restored item needs its trip")
    func cascades() throws {
        let trip = world.newID(), item = world.newID(), gone = world.newID()
        try world.mutate(home, home.parent, StoreTests.trip(trip), tripItem(item, trip), tripItem(gone, trip, start: "2026-12-06T09:00"))
        try world.mutate(home, home.parent, delete(.tripItem, gone, base: 1))
        let answer = try world.mutate(home, home.parent, delete(.trip, trip, base: 1))
        #expect(answer.change?.entries.map(\.id) == [item, trip])
        #expect(try world.record(home, item).isDeleted && world.record(home, item).version == 2)
        let refused = try world.mutate(home, home.parent, restore(.tripItem, item, base: 2))
        #expect(refused.code == .unknownReference && refused.rejection?.field == "trip_id")
        #expect(refused.rejection?.message.contains("restore that first") == true)
        let both = try world.mutate(home, home.parent, restore(.trip, trip, base: 2), restore(.tripItem, item, base: 2))
        #expect(both.sequence != nil)
        #expect(try !world.record(home, item).isDeleted)
    }

    @Test("a record restored after the deletion of its event returns without it, in two steps of one change")
    func restoresUnlinked() throws {
        let event = world.newID(), result = world.newID()
        try world.mutate(home, home.parent, camp(event, athlete: leo))
        try world.mutate(home, home.parent, metric(result, athlete: leo, ["event_id": .reference(event)]))
        try world.mutate(home, home.parent, delete(.metric, result, base: 1))
        try world.mutate(home, home.parent, delete(.event, event, base: 1))
        let answer = try world.mutate(home, home.parent, restore(.metric, result, base: 2))
        #expect(answer.change?.entries.map(\.version) == [3, 4])
        #expect(answer.versions == [4])
        #expect(try world.record(home, result).fields["event_id"] == nil)
        #expect(Twin(try world.log(home)).faults == [])
    }

    @Test("a trip with more items than one change may touch is refused, whole, with what to do", .sqliteOnly("It makes records by a back door"))
    func bounded() throws {
        let world = try World { $0.limits.relatedRecords = 5 }
        let home = try world.home()
        let trip = world.newID()
        try world.mutate(home, home.parent, StoreTests.trip(trip))
        // Past the bound by a back door: no mutation can bring a trip there.
        let items = (0..<6).map { _ in world.newID() }
        for item in items { try world.mutate(home, home.parent, camp(item, athlete: try world.athlete(home))) }
        try world.damage(
            """
            UPDATE records SET kind = 10, fields = CAST('{"trip_id":"\(trip)","title":"x","start_time":"2026-12-05T09:00","start_zone":"UTC"}' AS BLOB),
                trip = '\(trip)', start = '2026-12-05T09:00'
            WHERE kind = 5
            """)
        let answer = try world.mutate(home, home.parent, delete(.trip, trip, base: 1))
        #expect(answer.code == .tooMany)
        #expect(answer.rejection?.message.contains("delete some of them first") == true)
        #expect(try world.query("SELECT count(*) FROM records WHERE deleted_at IS NOT NULL") == 0)
        try world.mutate(home, home.parent, delete(.tripItem, items[0], base: 1))
        #expect(try world.mutate(home, home.parent, delete(.trip, trip, base: 1)).versions.count == 6)
    }

    @Test("a trip whose items are more than one undo could bring back is refused as well")
    func boundedOctets() throws {
        let world = try World { $0.limits.changeOctets = 20_000 }
        let home = try world.home()
        let trip = world.newID()
        try world.mutate(home, home.parent, StoreTests.trip(trip))
        for _ in 0..<3 {
            try world.mutate(home, home.parent, tripItem(world.newID(), trip, ["description": .text(String(repeating: "long ", count: 1_500))]))
        }
        #expect(try world.mutate(home, home.parent, delete(.trip, trip, base: 1)).code == .tooMany)
    }

    @Test("references of another family with the same ids are left alone")
    func isolated() throws {
        let other = try world.home("Birch")
        let kim = try world.athlete(other, name: "Kim")
        let event = world.newID(), result = world.newID(), theirs = world.newID()
        try world.mutate(home, home.parent, camp(event, athlete: leo), metric(result, athlete: leo, ["event_id": .reference(event)]))
        try world.mutate(other, other.parent, camp(event, athlete: kim), metric(theirs, athlete: kim, ["event_id": .reference(event)]))
        try world.mutate(home, home.parent, delete(.event, event, base: 1))
        #expect(try world.record(other, theirs).fields.reference("event_id") == event)
        #expect(try world.record(other, theirs).version == 1)
    }
}

// MARK: Short ways to say operations

func trip(_ id: Identifier, _ values: KeyValuePairs<String, Value?> = [:]) -> Operation {
    create(.trip, id, ["name": .text("Road trip"), "start_date": .text("2026-12-04"), "end_date": .text("2026-12-08")], more: values)
}

func tripItem(
    _ id: Identifier, _ trip: Identifier, start: String = "2026-12-05T09:00", end: String? = nil, _ values: KeyValuePairs<String, Value?> = [:]
) -> Operation {
    create(
        .tripItem, id,
        ["trip_id": .reference(trip), "title": .text("Item \(start)"), "start_time": .text(start), "end_time": end.map(Value.text)],
        more: values)
}

func metric(_ id: Identifier, athlete: Identifier, _ values: KeyValuePairs<String, Value?> = [:]) -> Operation {
    create(.metric, id, athlete: athlete, ["metric_type": .text("velocity"), "value": .text("91.5")], more: values)
}

func interaction(_ id: Identifier, athlete: Identifier, _ values: KeyValuePairs<String, Value?> = [:]) -> Operation {
    create(
        .interaction, id, athlete: athlete,
        ["interaction_type": .text("phone_call"), "direction": .text("inbound"), "content": .text("They asked about grades.")], more: values)
}

func create(
    _ kind: Kind, _ id: Identifier, athlete: Identifier? = nil, _ values: KeyValuePairs<String, Value?>, more: KeyValuePairs<String, Value?>
) -> Operation {
    let own = patch(kind, more).assignments
    let rest = patch(kind, values).assignments.filter { base in base.value != nil && !own.contains { $0.field == base.field } }
    return Operation(
        kind: kind, id: id, action: .create(athlete: athlete, patch: FieldPatch(assignments: (own + rest).sorted { $0.field < $1.field })))
}

extension World {
    /// How SQLite would answer a query.
    func plan(_ sql: String) throws -> String {
        try Database(path: path, mode: .readOnly, vfs: vfs).prepare("EXPLAIN QUERY PLAN " + sql).all { $0.text(3) }.joined(separator: "; ")
    }
}

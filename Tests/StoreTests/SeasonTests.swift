import Bytes
import Family
import Store
import Testing
import Wire

/// What a family does with its season, straight on the store.
@Suite("A season's records, through their lives")
struct SeasonTests {
    private struct Season {
        let world: World
        let home: World.Home
        let athlete: Identifier

        init() throws {
            world = try World(seed: 31)
            home = try world.home(zone: "America/New_York")
            athlete = try world.athlete(home)
        }

        func create(_ kind: Kind, _ values: KeyValuePairs<String, Value?>) throws -> Record {
            let id = world.newID()
            let owner = kind.declaration.scope == .athlete ? athlete : nil
            let answer = try world.mutate(home, home.parent, StoreTests.create(kind, id, athlete: owner, values))
            try #require(answer.ack != nil, "\(String(describing: answer.rejection))")
            return try world.record(home, id)
        }

        func change(_ record: Record, _ values: KeyValuePairs<String, Value?>) throws -> Record {
            let answer = try world.mutate(home, home.parent, update(record.kind, record.id, base: record.version, values))
            try #require(answer.ack != nil, "\(String(describing: answer.rejection))")
            return try world.record(home, record.id)
        }
    }

    @Test("R050 R067 R089 R115 an event of long ago, free of charge, is entered, edited and marked attended, and that is taken back")
    func longAgo() throws {
        let season = try Season()
        var event = try season.create(
            .event, ["type": .text("showcase"), "name": .text("First one"), "start_date": .text("2009-03-08"), "registered": .flag(true), "cost": .text("0")])
        #expect(event.fields.text("cost") == "0.00")
        event = try season.change(event, ["description": .text("Snow on the field")])
        event = try season.change(event, ["attended": .flag(true)])
        #expect(event.fields.flag("attended") && event.fields.flag("registered"))
        event = try season.change(event, ["attended": .flag(false)])
        #expect(!event.fields.flag("attended"))
        #expect(event.version == 4)
    }

    @Test("R066 two events may have the same name of 255 characters, and it is kept whole; one more is refused")
    func names() throws {
        let season = try Season()
        let name = String(repeating: "ż", count: 255)
        let values: KeyValuePairs<String, Value?> = ["type": .text("game"), "name": .text(name), "start_date": .text("2026-12-01")]
        let (one, two) = (try season.create(.event, values), try season.create(.event, values))
        #expect(one.id != two.id && one.fields.text("name") == name && two.fields.text("name") == name)
        let long = try season.world.mutate(
            season.home, season.home.parent,
            create(.event, season.world.newID(), athlete: season.athlete, [
                "type": .text("game"), "name": .text(name + "z"), "start_date": .text("2026-12-01"),
            ]))
        #expect(long.code == .tooLong && long.rejection?.field == "name")
    }

    @Test("R069 a new record is the family's with owner, id and times by the server, and comes whole in the change")
    func created() throws {
        let season = try Season()
        season.world.surroundings.now += 5_000
        let id = season.world.newID()
        let answer = try season.world.mutate(
            season.home, season.home.parent, camp(id), context: .athlete(season.athlete))
        let record = try season.world.record(season.home, id)
        #expect(record.athlete == season.athlete && record.createdBy == season.home.parent)
        #expect(record.createdAt == season.world.surroundings.now && record.updatedAt == record.createdAt && record.version == 1)
        guard case .create(season.athlete, let fields)? = answer.change?.entries.first?.effect else { throw Unexpected() }
        #expect(fields == record.fields)
    }

    @Test("R106 R109 R110 metrics of one event: several of a type, of which one is deleted and the others stay")
    func metrics() throws {
        let season = try Season()
        let event = try season.create(.event, ["type": .text("camp"), "name": .text("Camp"), "start_date": .text("2026-12-05")])
        let metrics = try ["88.5", "89", "-0.25"].map {
            try season.create(.metric, ["event_id": .reference(event.id), "metric_type": .text("velocity"), "value": .text($0)])
        }
        #expect(metrics.map { $0.fields.text("value") } == ["88.5", "89", "-0.25"])
        #expect(metrics.allSatisfy { $0.fields.text("recorded_date") == "2026-12-05" && $0.fields.text("unit") == "mph" })
        try season.world.mutate(season.home, season.home.parent, delete(.metric, metrics[1].id, base: 1))
        let left = try season.world.snapshot(season.home).records.values.filter { $0.kind == .metric && !$0.isDeleted }
        #expect(Set(left.map(\.id)) == [metrics[0].id, metrics[2].id])
    }

    @Test("R157 R158 any part of a trip item is updated by its version, and an item is deleted and comes back")
    func items() throws {
        let season = try Season()
        let trip = try season.create(.trip, ["name": .text("South"), "start_date": .text("2026-12-04"), "end_date": .text("2026-12-06")])
        var item = try season.create(
            .tripItem, ["trip_id": .reference(trip.id), "title": .text("Drive"), "start_time": .text("2026-12-04T15:00"), "end_time": .text("2026-12-04T19:00")])
        item = try season.change(item, ["title": .text("Long drive"), "end_time": nil])
        #expect(item.version == 2 && item.fields["end_time"] == nil && item.fields.text("start_time") == "2026-12-04T15:00")
        let stale = try season.world.mutate(
            season.home, season.home.parent, update(.tripItem, item.id, base: 1, ["title": .text("Short drive")]))
        #expect(stale.code == .conflict)
        try season.world.mutate(season.home, season.home.parent, delete(.tripItem, item.id, base: 2))
        #expect(try season.world.record(season.home, item.id).isDeleted)
        try season.world.mutate(season.home, season.home.parent, restore(.tripItem, item.id, base: 3))
        #expect(try season.world.record(season.home, item.id).fields == item.fields)
    }
}

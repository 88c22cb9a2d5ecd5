import Bytes
import Family
import Store
import Testing
import Wire

/// The work of a family with its season, straight on the store.
@Suite("A season's records, through their lives", .bothEngines)
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

    @Test("R050 R067 R089 R115 P21 an event of long ago, free of charge, is entered, edited and marked attended, and that is undone")
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

    @Test("R066 P20 two events may have the same name of 255 characters, and it is kept whole; one more character is refused")
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

    @Test("R069 a new record belongs to the family, with owner, id and times by the server, and is whole in the change")
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

    /// Straight to the writer, as if a client had checked nothing and the frame's reader neither.
    @Test("R061 the server refuses every wrong value by its field, whatever the client accepted", arguments: [
        ("type", .text("tournament")), ("name", .text(" ")), ("name", .flag(true)), ("start_date", .text("2026-02-30")), ("cost", .text("-1")),
        ("cost", .text("1.234")), ("url", .text("ftp://example.com")), ("state", .text("Texas")), ("start_time", .text("25:00")),
        ("time_zone", .text("Mars/Base")), ("school_id", .reference(Identifier(high: 1, low: 2))), ("end_date", .text("2026-12-04")),
        ("stats_recorded", .json(Array("[1]".utf8))), ("coaches_present", .set([SetElement(id: Identifier(high: 1, low: 2))])),
    ] as [(String, Value)])
    func wrongValues(_ field: String, _ value: Value) throws {
        let season = try Season()
        let before = try season.world.snapshot(season.home)
        let whole: KeyValuePairs<String, Value?> = ["type": .text("camp"), "name": .text("Camp"), "start_date": .text("2026-12-05")]
        var values = patch(.event, whole).assignments.filter { $0.field != Kind.event.field(field) }
        values.append(.init(field: Kind.event.field(field), value: value))
        let operation = Operation(
            kind: .event, id: season.world.newID(),
            action: .create(athlete: season.athlete, patch: FieldPatch(assignments: values.sorted { $0.field < $1.field })))
        let refused = try season.world.mutate(season.home, season.home.parent, operation)
        #expect(refused.rejection?.field == field && refused.rejection?.kind == .event, "\(String(describing: refused.rejection))")
        #expect(try season.world.snapshot(season.home) == before)
    }

    @Test("R153 free data of an item goes through frame, disk, change and snapshot octet for octet", arguments: [
        #"{ "b":1.50, "a":[null,true,{"x":1e-7}],"e":"\u00e9","é":"/\/" }"#, #"{"n":123456789012345678901234567890,"n2":-0.0,"":{}}"#,
    ])
    func freeData(_ text: String) throws {
        let season = try Season()
        let trip = try season.create(.trip, ["name": .text("South"), "start_date": .text("2026-12-04")])
        let id = season.world.newID()
        let frame = """
            {"type":"mutate","mutation":1,"operations":[{"op":"create","kind":"trip_item","id":"\(id)","fields":{"trip_id":"\(trip.id)",\
            "title":"Museum","start_time":"2026-12-04T10:00","source_data":\(text)}}]}
            """
        guard case .mutation(_, .operations(let operations), _) = try ClientFrame.decode(Array(frame.utf8), limits: Limits()) else { throw Unexpected() }
        let answer = try season.world.mutate(season.home, season.home.parent, operations: operations)
        #expect(answer.change.map { String(decoding: ServerFrame.change($0).encode(), as: UTF8.self).contains(text) } == true)
        #expect(try season.world.record(season.home, id).fields["source_data"] == .json(Array(text.utf8)))
        try season.world.reopen()
        #expect(try season.world.record(season.home, id).fields["source_data"] == .json(Array(text.utf8)))
    }

    @Test("R003 each refusal says by its code whether it is the content, the rights, a missing record or the moment")
    func classes() throws {
        let season = try Season()
        let (world, home) = (season.world, season.home)
        let guest = try world.member(home, .guest, name: "Gus")
        #expect(try world.mutate(home, home.parent, camp(world.newID(), athlete: season.athlete, date: "soon")).code == .invalid)
        #expect(try world.mutate(home, guest, camp(world.newID(), athlete: season.athlete)).code == .notAllowed)
        #expect(try world.mutate(home, home.parent, delete(.event, world.newID(), base: 1)).code == .notFound)
        #expect(try world.reader.signIn(token: "no token") == nil)
        let long = camp(world.newID(), athlete: season.athlete, name: String(repeating: "x", count: 256))
        #expect(try world.mutate(home, home.parent, long).code == .tooLong)
        #expect(Set(ErrorCode.allCases.filter(\.isRetryable)) == [.rateLimited, .tooManyPending, .storageFull, .busy, .notJoined])
    }
}

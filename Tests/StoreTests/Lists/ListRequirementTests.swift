import Bytes
import Dates
import Family
import Ledger
import Queries
import Store
import Testing
import Wire

@Suite("Lists by their requirements, and what a list has to do with the records around it", .bothEngines)
struct ListRequirementTests {
    let world: World
    let home: World.Home
    let leo: Identifier
    let maya: Identifier

    init() throws {
        world = try World()
        home = try world.home(zone: "America/New_York")
        leo = try world.athlete(home)
        maya = try world.athlete(home, name: "Maya")
    }

    private func list(_ kind: Kind, _ sort: Query.Sort? = nil, search: String = "", _ fill: (inout Query.Filter) -> Void = { _ in }) throws -> [Record] {
        var filter = Query.Filter()
        fill(&filter)
        return try world.page(home, ListRequest(request: 1, kind: kind, filter: filter, search: search, sort: sort, limit: 200)).get().records
    }

    private func document(
        _ title: String, type: String = "transcript", school: Identifier? = nil, replaces: Identifier? = nil, _ description: String? = nil
    ) throws -> Identifier {
        let id = world.newID()
        world.surroundings.now += 1_000
        let fields = patch(.document, [
            "type": .text(type), "title": .text(title), "school_id": school.map(Value.reference), "description": description.map(Value.text),
        ])
        _ = try world.store.addDocument(
            NewDocument(
                id: id, family: home.family, member: home.parent, athlete: leo, replaces: replaces, fields: fields,
                file: .init(name: "a.pdf", type: "application/pdf", octets: 10, sha256: "ab"))
        ).0.get()
        return id
    }

    private func titles(_ records: [Record]) -> [String] { records.map(\.fields.shownName) }

    @Test("R004 P05 one context is the owner of what is created and the filter of every list, unless the request says whose", arguments: [
        Kind.event, .metric, .interaction, .document,
    ])
    func context(_ kind: Kind) throws {
        var season = try SeasonAtRandom(seed: 11)
        for kind in [Kind.event, .event, .event, kind, kind, kind, kind, kind, kind] { try season.add(kind) }
        let all = try season.living(kind).filter { kind != .document || $0.fields.flag("is_current") }
        for athlete in [season.leo, season.maya] {
            let request = ListRequest(request: 1, kind: kind, limit: 50)
            let seen = try season.world.page(season.home, request, context: .athlete(athlete)).get().records
            #expect(Set(seen.map(\.id)) == Set(all.filter { $0.athlete == athlete }.map(\.id)))
            var everybody = request
            everybody.athlete = .all
            #expect(try season.world.page(season.home, everybody, context: .athlete(athlete)).get().records.count == all.count)
        }
        let id = season.world.newID()
        try season.world.mutate(season.home, season.home.parent, camp(id), context: .athlete(season.maya))
        #expect(try season.world.record(season.home, id).athlete == season.maya)
    }

    @Test("R012 with 500 events a list takes less than 2 s, another filter less than 100 ms, saving and deleting less than 2 s")
    func quick() throws {
        for part in 0..<5 {
            let operations = (0..<100).map { camp(world.newID(), athlete: leo, name: "Camp \(part) \($0)") }
            try world.mutate(home, home.parent, operations: operations)
        }
        let clock = ContinuousClock()
        func least(of count: Int, _ body: () throws -> Void) rethrows -> Duration {
            try (0..<count).map { _ in try clock.measure(body) }.min() ?? .zero
        }
        #expect(try clock.measure { _ = try list(.event) } < .seconds(2))
        // The best of some: other tests run beside this one.
        #expect(try least(of: 7) { _ = try list(.event, search: "camp 3") { $0.status = .registered } } < .milliseconds(100))
        let id = world.newID()
        #expect(try clock.measure { try world.mutate(home, home.parent, camp(id, athlete: leo)) } < .seconds(2))
        #expect(try clock.measure { try world.mutate(home, home.parent, delete(.event, id, base: 1)) } < .seconds(2))
    }

    @Test("R071 schools come by name, as people read, with their places")
    func schools() throws {
        for name in ["Zoo State", "ärmel College", "Baylor", "Łódź Academy", "baylor Prep"] {
            try world.mutate(home, home.parent, create(.school, world.newID(), ["name": .text(name), "location": .text("Near \(name)")]))
        }
        let schools = try list(.school)
        #expect(titles(schools) == ["ärmel College", "Baylor", "baylor Prep", "Łódź Academy", "Zoo State"])
        #expect(schools.allSatisfy { $0.fields.text("location") == "Near \($0.fields.shownName)" })
    }

    @Test("R023 R084 R101 R106 one event with its coaches and its metrics, and the coaches of its school")
    func detail() throws {
        let (rice, event, other) = (world.newID(), world.newID(), world.newID())
        let (jo, ann, al) = (world.newID(), world.newID(), world.newID())
        try world.mutate(
            home, home.parent, school(rice, "Rice"), coach(al, "Al", "Bo"),
            create(.coach, jo, ["first_name": .text("Jo"), "last_name": .text("Diaz"), "school_id": .reference(rice)]),
            create(.coach, ann, ["first_name": .text("Ann"), "last_name": .text("Lee"), "school_id": .reference(rice)]),
            camp(event, athlete: leo), camp(other, athlete: leo))
        try world.mutate(home, home.parent, update(.event, event, base: 1, ["school_id": .reference(rice)]))
        try world.mutate(home, home.parent, editSet(.event, event, base: 2, "coaches_present", add: [jo]))
        for (value, on) in [("88.5", event), ("90", event), ("91", other)] {
            try world.mutate(
                home, home.parent,
                create(.metric, world.newID(), athlete: leo, [
                    "event_id": .reference(on), "metric_type": .text("velocity"), "value": .text(value),
                ]))
        }
        let record = try world.record(home, event)
        #expect(record.fields.set("coaches_present").map(\.name) == ["Jo Diaz"])
        #expect(Set(try list(.metric) { $0.event = event }.map { $0.fields.text("value") }) == ["88.5", "90"])
        #expect(titles(try list(.coach) { $0.school = rice }) == ["Ann Lee", "Jo Diaz"])
    }

    @Test("R121 R125 R127 documents: newest first; by text, types, school and shared, several together; in five orders")
    func documents() throws {
        let rice = world.newID(), baylor = world.newID()
        try world.mutate(home, home.parent, school(rice, "Rice"), school(baylor, "Baylor"))
        let fall = try document("Fall grades", school: rice, "All A, even Łacina")
        let video = try document("At bat", type: "highlight_video")
        let resume = try document("Resume", type: "resume", school: rice)
        try world.mutate(home, home.parent, editSet(.document, resume, base: 1, "shared_with_schools", add: [rice]))
        try world.mutate(home, home.parent, editSet(.document, fall, base: 1, "shared_with_schools", add: [rice, baylor]))
        #expect(try list(.document).map(\.id) == [resume, video, fall])
        for (sort, expected) in [
            (Query.Sort.newest, [resume, video, fall]), (.oldest, [fall, video, resume]), (.name, [video, fall, resume]),
            (.type, [video, resume, fall]), (.mostShared, [fall, resume, video]),
        ] { #expect(try list(.document, sort).map(\.id) == expected, "\(sort)") }
        #expect(try list(.document, search: "BAT").map(\.id) == [video])
        #expect(try list(.document, search: "lacina").map(\.id) == [fall], "the description too")
        #expect(try list(.document) { $0.types = ["resume", "highlight_video"] }.map(\.id) == [resume, video])
        #expect(try list(.document) { $0.school = rice }.map(\.id) == [resume, fall])
        #expect(try list(.document) { $0.shared = true }.map(\.id) == [resume, fall])
        #expect(try list(.document, search: "grades") { ($0.shared, $0.school, $0.types) = (true, rice, ["transcript"]) }.map(\.id) == [fall])
    }

    @Test("R132 a record that is damaged is left out of lists, figures and snapshots, its changes are refused, and all others continue", .sqliteOnly("It damages a row"))
    func damaged() throws {
        let (good, bad) = (world.newID(), world.newID())
        try world.mutate(home, home.parent, camp(good, athlete: leo), camp(bad, athlete: leo, name: "Broken"))
        try world.damage("UPDATE records SET fields = CAST('{\"name\":7}' AS BLOB) WHERE kind = 5 AND CAST(fields AS TEXT) LIKE '%Broken%'")
        #expect(try list(.event).map(\.id) == [good])
        #expect(try world.snapshot(home).records[good] != nil)
        #expect(world.reader.damaged.count == 1)
        let refused = try world.mutate(home, home.parent, update(.event, bad, base: 1, ["name": .text("Fixed")]))
        #expect(refused.code == .notFound && refused.rejection?.message.contains("damaged") == true)
        #expect(try world.mutate(home, home.parent, update(.event, good, base: 1, ["name": .text("Renamed")])).ack != nil)
        #expect(titles(try list(.event)) == ["Renamed"])
    }

    @Test("R142 a deleted document is gone from lists and figures immediately, and a second deletion changes nothing")
    func deletedDocument() throws {
        let id = try document("Fall grades")
        try world.mutate(home, home.parent, delete(.document, id, base: 1))
        #expect(try list(.document).isEmpty)
        guard case .statistics(let answer) = try travelled(
            .statistics(try world.reader.statistics(family: home.family, StatisticsRequest(request: 1, kind: .document), athlete: nil).get()))
        else { throw Unexpected() }
        // Its file still takes room, until the document is purged.
        var figures = Statistics.Documents()
        (figures.storageUsed, figures.storageQuota) = (10, Int64(world.surroundings.limits.familyStorage))
        #expect(answer.statistics == .documents(figures))
        #expect(try world.mutate(home, home.parent, delete(.document, id, base: 2)).code == .conflict)
        #expect(try world.mutate(home, home.parent, delete(.document, world.newID(), base: 1)).code == .notFound)
    }

    @Test("R143 P44 two documents may have one title; versions of a chain have numbers of their own, and lists show the newest")
    func sameTitle() throws {
        let first = try document("Grades")
        let second = try document("Grades")
        let newer = try document("Grades", replaces: first)
        #expect(try list(.document).map(\.id) == [newer, second])
        let versions = try [first, newer, second].map { try world.record(home, $0).fields["version"] }
        #expect(versions == [.integer(1), .integer(2), .integer(1)])
        #expect(Set(try list(.document) { $0.current = false }.map(\.id)) == [first])
    }

    @Test("R144 120 documents come in three pages of fifty")
    func pages() throws {
        for number in 0..<120 { _ = try document("Document \(number)") }
        var sizes: [Int] = []
        var request = ListRequest(request: 1, kind: .document, limit: 50, counts: true)
        repeat {
            let page = try world.page(home, request).get()
            #expect(page.total == 120)
            sizes.append(page.records.count)
            request.before = page.next
        } while request.before != nil
        #expect(sizes == [50, 50, 20])
    }

    @Test("R149 the uploader and the athlete of a document stay known; schools are added to and removed from those it is shared with")
    func shared() throws {
        let rice = world.newID(), baylor = world.newID()
        try world.mutate(home, home.parent, school(rice, "Rice"), school(baylor, "Baylor"))
        let id = try document("Grades")
        try world.mutate(home, leo, editSet(.document, id, base: 1, "shared_with_schools", add: [rice, baylor]))
        try world.mutate(home, leo, editSet(.document, id, base: 2, "shared_with_schools", remove: [rice]))
        let record = try world.record(home, id)
        #expect(record.fields.set("shared_with_schools").map(\.id) == [baylor])
        #expect(record.fields.reference("uploaded_by") == home.parent && record.athlete == leo)
    }

    @Test("R156 the items of one trip that are in its itinerary come by the instant of their start")
    func itinerary() throws {
        let road = world.newID(), other = world.newID()
        try world.mutate(home, home.parent, trip(road), trip(other))
        let flight = world.newID(), dinner = world.newID(), hidden = world.newID(), elsewhere = world.newID()
        // Ten in Chicago is after half past ten in New York.
        try world.mutate(home, home.parent, tripItem(dinner, road, start: "2026-12-05T10:00", ["start_zone": .text("America/Chicago")]))
        try world.mutate(home, home.parent, tripItem(flight, road, start: "2026-12-05T10:30"))
        try world.mutate(home, home.parent, tripItem(hidden, road, start: "2026-12-05T12:00", ["include_in_itinerary": .flag(false)]))
        try world.mutate(home, home.parent, tripItem(elsewhere, other, start: "2026-12-05T09:00"))
        #expect(try list(.tripItem) { ($0.trip, $0.itinerary) = (road, true) }.map(\.id) == [flight, dinner])
    }

    /// Each row: a zone, a day, the first UTC minute of it there.
    @Test("R035 P14 today begins at midnight of the family's zone: half hours, changes of clocks, midnights that do not exist", arguments: [
        ("Asia/Kolkata", "2026-12-01", "2026-11-30T18:30"), ("Asia/Kathmandu", "2026-12-01", "2026-11-30T18:15"),
        ("America/St_Johns", "2026-12-01", "2026-12-01T03:30"), ("Australia/Lord_Howe", "2026-12-01", "2026-11-30T13:00"),
        ("Pacific/Chatham", "2026-12-01", "2026-11-30T10:15"), ("Pacific/Kiritimati", "2026-12-01", "2026-11-30T10:00"),
        ("Etc/GMT+12", "2026-12-01", "2026-12-01T12:00"), ("Europe/Warsaw", "2027-03-28", "2027-03-27T23:00"),
        // Days of 23 and 25 hours, and of half an hour more.
        ("Europe/Warsaw", "2027-03-29", "2027-03-28T22:00"), ("America/New_York", "2026-11-02", "2026-11-02T05:00"),
        ("Australia/Lord_Howe", "2027-04-05", "2027-04-04T13:30"),
        // Clocks go from 24:00 to 01:00, or show midnight twice.
        ("America/Santiago", "2026-09-06", "2026-09-06T04:00"), ("Asia/Beirut", "2027-03-28", "2027-03-27T22:00"),
        ("America/Havana", "2026-11-01", "2026-11-01T04:00"),
    ])
    func todays(_ zone: String, _ day: String, _ begins: String) throws {
        let home = try world.home("Zone", zone: zone)
        let leo = try world.athlete(home)
        let first = try #require(CalendarDate(day)), yesterday = try #require(first.adding(days: -1))
        let (old, new) = (world.newID(), world.newID())
        try world.mutate(home, home.parent, camp(old, athlete: leo, date: yesterday.description), camp(new, athlete: leo, date: day))
        func found(_ window: Query.Window) throws -> [Identifier] {
            var filter = Query.Filter()
            filter.date = window
            return try world.page(home, ListRequest(request: 1, kind: .event, filter: filter, limit: 9)).get().records.map(\.id)
        }
        let midnight = try #require(RFC3339.instant(begins + ":00.000Z"))
        world.surroundings.now = midnight - 1
        #expect(try found(.past).isEmpty)
        #expect(try found(.upcoming) == [new, old])
        let isNewMonth = first.day == 1
        #expect(try found(.thisMonth) == (isNewMonth ? [old] : [new, old]))
        #expect(try found(.nextMonth) == (isNewMonth ? [new] : []))
        world.surroundings.now = midnight
        #expect(try found(.past) == [old])
        #expect(try found(.upcoming) == [new])
        #expect(try found(.thisMonth) == (isNewMonth ? [new] : [new, old]))
        #expect(try found(.nextMonth).isEmpty)
    }
}

import Bytes
import Dates
import Family
import Queries
import Testing

@Suite("Lists of events, R021, R022, R033-R038")
struct EventQueryTests {
    private func query(
        _ sort: Query.Sort? = nil, search: String = "", athlete: Identifier? = nil, _ fill: (inout Query.Filter) -> Void = { _ in }
    ) throws -> Query {
        var filter = Query.Filter()
        fill(&filter)
        return try Query(.event, athlete: athlete, filter: filter, search: search, sort: sort)
    }

    private let types = [
        event(10, "camp", "2026-06-01"), event(11, "showcase", "2026-06-02", type: "showcase"),
        event(12, "official", "2026-06-03", type: "official_visit"), event(13, "unofficial", "2026-06-04", type: "unofficial_visit"),
        event(14, "game", "2026-06-05", type: "game"),
    ]

    @Test("R033 P15 visit means both visits, the other words mean themselves", arguments: [
        (["camp"], ["camp"]), (["showcase"], ["showcase"]), (["visit"], ["unofficial", "official"]),
        (["official_visit"], ["official"]), (["game"], ["game"]), (["visit", "game"], ["game", "unofficial", "official"]),
        ([], ["game", "unofficial", "official", "showcase", "camp"]),
    ])
    func type(_ words: [String], _ expected: [String]) throws {
        #expect(try query { $0.types = words }.names(of: types) == expected)
    }

    @Test("R033: an unknown type is refused, with the known ones")
    func unknownType() {
        let refusal = #expect(throws: Rejection.self) { try query { $0.types = ["tournament"] } }
        #expect(refusal?.field == "type")
        #expect(refusal?.message.contains("official_visit") == true)
    }

    @Test("R034: attended takes precedence over registered", arguments: [
        (Query.Status.registered, ["r"]), (.attended, ["ra", "a"]), (.notRegistered, ["n"]),
    ])
    func status(_ status: Query.Status, _ expected: [String]) throws {
        let records = [
            event(10, "n", "2026-06-01"), event(11, "r", "2026-06-02", ["registered": .flag(true)]),
            event(12, "a", "2026-06-03", ["attended": .flag(true)]),
            event(13, "ra", "2026-06-04", ["registered": .flag(true), "attended": .flag(true)]),
        ]
        #expect(try query { $0.status = status }.names(of: records) == expected)
    }

    @Test("R035: a camp in progress is upcoming; the months count any day of an event", arguments: [
        (Query.Window.upcoming, ["later", "long", "next", "today", "running"]), (.past, ["over", "May"]),
        (.thisMonth, ["today", "over", "running"]), (.nextMonth, ["long", "next"]),
    ])
    func windows(_ window: Query.Window, _ expected: [String]) throws {
        let records = [
            event(10, "May", "2026-05-31"), event(11, "over", "2026-06-14"), event(12, "running", "2026-06-10", end: "2026-06-15"),
            event(13, "today", "2026-06-15"), event(14, "next", "2026-07-01"), event(15, "later", "2026-08-01"),
            event(16, "long", "2026-07-31", end: "2026-08-02"),
        ]
        #expect(try query { $0.date = window }.names(of: records) == expected)
    }

    @Test("R035: an event that covers a whole month is in it, and January follows December")
    func monthEdges() throws {
        let records = [event(10, "all year", "2026-01-01", end: "2026-12-31"), event(11, "January", "2027-01-31")]
        #expect(try query { $0.date = .thisMonth }.names(of: records, today: "2026-12-31") == ["all year"])
        #expect(try query { $0.date = .nextMonth }.names(of: records, today: "2026-12-31") == ["January"])
        #expect(try query { $0.date = .nextMonth }.names(of: [event(12, "leap", "2028-02-29")], today: "2028-01-31") == ["leap"])
    }

    @Test("R036 P17 search covers name, description, location, address and city, ignoring case and accents, at any position", arguments: [
        ("lodz", ["city"]), ("ŁÓDŹ", ["city"]), ("straße 5", ["address"]), ("STRASSE", ["address"]), ("ark", ["location"]),
        ("éme", ["description"]), ("cri", ["description"]), ("e", ["address", "description", "name"]), ("nothing of it", []),
        ("", ["city", "address", "location", "description", "name"]), ("performance", []), ("locationSports", []),
    ])
    func search(_ text: String, _ expected: [String]) throws {
        let records = [
            event(10, "name", "2026-06-01", ["performance_notes": .text("performance")]),
            event(11, "description", "2026-06-02", ["description": .text("Deuxième étape")]),
            event(12, "location", "2026-06-03", ["location": .text("Sports Park")]),
            event(13, "address", "2026-06-04", ["address": .text("Hauptstraße 5")]),
            event(14, "city", "2026-06-05", ["city": .text("Łódź")]),
        ]
        #expect(try query(search: text).names(of: records) == expected)
    }

    @Test("R037: filters and search combine by and")
    func combined() throws {
        let records = [
            event(10, "Fall Camp", "2026-07-01", ["registered": .flag(true)]),
            event(11, "Fall Camp", "2026-05-01", ["registered": .flag(true)]), event(12, "Fall Camp", "2026-07-02"), event(13, "Fall Game", "2026-07-03", type: "game", ["registered": .flag(true)]),
            event(14, "Spring Camp", "2026-07-04", ["registered": .flag(true)]),
        ]
        let query = try query(search: "fall") {
            $0.types = ["camp"]
            $0.status = .registered
            $0.date = .upcoming
        }
        #expect(query.apply(records, today: day("2026-06-15"), instant: instant).map(\.id) == [id(10)])
    }

    @Test("R022 P13 school, first day from and to, each including its ends")
    func bounds() throws {
        let school = id(90)
        let records = [
            event(10, "a", "2026-06-01", end: "2026-06-30"), event(11, "b", "2026-06-02", ["school_id": .reference(school)]),
            event(12, "c", "2026-06-03"),
        ]
        #expect(try query { $0.school = school }.names(of: records) == ["b"])
        #expect(try query { $0.from = day("2026-06-02") }.names(of: records) == ["c", "b"])
        #expect(try query { $0.to = day("2026-06-02") }.names(of: records) == ["b", "a"])
        #expect(try query { ($0.from, $0.to) = (day("2026-06-02"), day("2026-06-02")) }.names(of: records) == ["b"])
        #expect(try query { $0.day = day("2026-06-20") }.names(of: records) == ["a"])
    }

    @Test("R038 P16 newest first is the default; oldest first, name ignoring case, type by its word", arguments: [
        (nil, ["Zoo", "Émile", "eva", "Ärmel"]), (.dateDescending, ["Zoo", "Émile", "eva", "Ärmel"]),
        (.dateAscending, ["Ärmel", "eva", "Émile", "Zoo"]), (.name, ["Ärmel", "Émile", "eva", "Zoo"]),
        (.type, ["eva", "Ärmel", "Zoo", "Émile"]),
    ] as [(Query.Sort?, [String])])
    func sorts(_ sort: Query.Sort?, _ expected: [String]) throws {
        let records = [
            event(10, "Zoo", "2026-06-04", type: "official_visit"), event(11, "Ärmel", "2026-06-01", type: "game"),
            event(12, "eva", "2026-06-02", type: "camp"), event(13, "Émile", "2026-06-03", type: "unofficial_visit"),
        ]
        #expect(try query(sort).names(of: records) == expected)
    }

    @Test("R021 P16 Ties are broken by start time, then name, then id; a day without a time comes before its times")
    func ties() throws {
        let records = [
            event(10, "b", "2026-06-01", time: "09:00"), event(11, "a", "2026-06-01", time: "09:00"), event(12, "z", "2026-06-01"),
            event(13, "a", "2026-06-01", time: "09:00"), event(14, "m", "2026-06-01", time: "00:00"),
        ]
        func order(_ sort: Query.Sort) throws -> [Identifier] {
            try query(sort).apply(records, today: day("2026-06-15"), instant: instant).map(\.id)
        }
        #expect(try order(.dateAscending) == [12, 14, 11, 13, 10].map(id))
        #expect(try order(.dateDescending) == [11, 13, 10, 14, 12].map(id))
        #expect(try order(.name) == [11, 13, 10, 14, 12].map(id))
    }

    @Test("R004: a context excludes other athletes' events, the family's context has all")
    func context() throws {
        let records = [event(10, "hers", "2026-06-01"), event(11, "his", "2026-06-02", athlete: leo)]
        #expect(try query(athlete: leo).names(of: records) == ["his"])
        #expect(try query().names(of: records) == ["his", "hers"])
    }

    @Test("Deleted events are listed on request, and only then")
    func deleted() throws {
        let records = [
            event(10, "here", "2026-06-01"),
            record(.event, 11, deletedAt: 5, ["name": .text("gone"), "start_date": .text("2026-06-02")]),
        ]
        #expect(try query().names(of: records) == ["here"])
        #expect(try Query(.event, deleted: true).names(of: records) == ["gone"])
    }

    @Test("An unknown condition on events is refused by name")
    func refusals() {
        func field(_ make: () throws -> Query) -> String? { #expect(throws: Rejection.self) { try make() }?.field }
        #expect(field { try query { $0.trip = id(1) } } == "trip_id")
        #expect(field { try query { $0.shared = true } } == "shared")
        #expect(field { try query(.mostShared) } == "sort")
        #expect(field { try query(search: String(repeating: "x", count: 256)) } == "search")
        #expect(throws: Never.self) { try query(search: String(repeating: "ß", count: 255)) }
        #expect(field { try Query(.family) } == "kind")
    }
}

import Bytes
import Dates
import Family
import Ledger
import Queries
import Store
import TestSupport
import Testing
import Wire

/// A family with records of every kind that lists know, of which many are alike, and questions about them.
struct SeasonAtRandom {
    let world: World
    let home: World.Home
    let leo: Identifier
    let maya: Identifier
    var random: SplitMix64
    /// The family's records, kept current from its log: a snapshot for each new record would cost most of the test's time.
    private let records = Records()

    private final class Records {
        var twin = Twin()
    }

    /// Kinds whose lists have filters and orders of their own; messages have their own tests.
    static let kinds: [Kind] = [.school, .coach, .event, .metric, .interaction, .trip, .tripItem, .document]

    init(seed: UInt64, zone: String = "Europe/Warsaw") throws {
        world = try World(seed: seed)
        home = try world.home(zone: zone)
        leo = try world.athlete(home)
        maya = try world.athlete(home, name: "Maya")
        random = SplitMix64(seed: seed)
    }

    /// Fills the family: some records of each kind, one in eight deleted, documents in chains.
    mutating func fill(_ count: Int) throws {
        for kind in Self.kinds {
            for _ in 0..<(kind == .school || kind == .trip ? count / 4 : count) {
                world.surroundings.now += chance(50) ? 0 : Int64.random(in: 1...7_200_000, using: &random)
                try add(kind)
            }
        }
    }

    /// Makes a record, or where a rule refuses it (items that overlap) none; now and then it deletes one, or shares a document.
    mutating func add(_ kind: Kind) throws {
        if kind == .document { try addDocument() } else { try world.mutate(home, home.parent, operation(kind)) }
        guard chance(15), let record = try living(kind).randomElement(using: &random) else { return }
        if kind == .document, chance(60), let school = try living(.school).randomElement(using: &random) {
            try world.mutate(home, home.parent, editSet(.document, record.id, base: record.version, "shared_with_schools", add: [school.id]))
        } else {
            try world.mutate(home, home.parent, delete(kind, record.id, base: record.version))
        }
    }

    func living(_ kind: Kind) throws -> [Record] {
        for change in try world.log(home, after: records.twin.sequence) { records.twin.apply(change) }
        #expect(records.twin.faults.isEmpty)
        return records.twin.records.values.filter { $0.kind == kind && !$0.isDeleted }.sorted { $0.id < $1.id }
    }

    // MARK: Values

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func one<Element>(_ elements: [Element]) -> Element { elements[Int.random(in: 0..<elements.count, using: &random)] }

    private mutating func word() -> Value { .text(one(["Fall Camp", "fall camp", "Łódź Open", "Ärmel", "Zoo", "Émile", "armel"])) }

    private mutating func maybe(_ value: Value) -> Value? { chance(40) ? value : nil }

    private mutating func day() -> String {
        let day = Int.random(in: 1...28, using: &random)
        return "2026-1\(Int.random(in: 0...2, using: &random))-\(day < 10 ? "0" : "")\(day)"
    }

    private mutating func clock() -> String { one(["00:00", "09:00", "09:30", "23:59"]) }

    private mutating func reference(_ kind: Kind) throws -> Value? {
        guard chance(60) else { return nil }
        return try living(kind).prefix(4).randomElement(using: &random).map { .reference($0.id) }
    }

    private mutating func choice(_ kind: Kind, _ field: String) -> Value {
        guard case .choice(let words, _) = kind.declaration.fields[kind.field(field)].type else { return .text("") }
        return .text(one(words))
    }

    mutating func operation(_ kind: Kind) throws -> Family.Operation {
        let id = world.newID()
        let owner = kind.declaration.scope == .athlete ? one([leo, maya]) : nil
        let start = day()
        switch kind {
        case .school: return create(kind, id, ["name": word(), "location": maybe(word())])
        case .coach:
            return create(kind, id, [
                "first_name": word(), "last_name": word(), "school_id": try reference(.school), "role": maybe(.text("Scout")),
            ])
        case .event:
            return create(kind, id, athlete: owner, [
                "type": choice(kind, "type"), "name": word(), "school_id": try reference(.school), "start_date": .text(start),
                "end_date": chance(40) ? .text(max(start, day())) : nil, "start_time": maybe(.text("09:00")), "city": maybe(word()),
                "description": maybe(.text("On the way to Łódź")), "registered": .flag(chance(50)), "attended": .flag(chance(30)),
            ])
        case .metric:
            let type = choice(kind, "metric_type"), isOther = type == .text("other")
            return create(kind, id, athlete: owner, [
                "event_id": try reference(.event), "metric_type": type, "label": isOther ? word() : nil,
                "value": .text(one(["88.5", "88.50", "7", "-0.25", "90.1"])), "unit": isOther || chance(20) ? .text(one(["m", "km/h"])) : nil,
                "recorded_date": .text(start), "notes": maybe(word()),
            ])
        case .interaction:
            return create(kind, id, athlete: owner, [
                "event_id": try reference(.event), "school_id": try reference(.school), "coach_id": try reference(.coach),
                "interaction_type": choice(kind, "interaction_type"), "direction": choice(kind, "direction"), "subject": maybe(word()),
                "content": word(), "occurred_at": .text("\(start)T\(clock())"),
            ])
        case .trip:
            return create(kind, id, [
                "name": word(), "start_date": .text(start), "end_date": chance(60) ? .text(max(start, day())) : nil, "notes": maybe(word()),
            ])
        default:
            let zone = one(["Europe/Warsaw", "Asia/Kolkata", "America/St_Johns", "Australia/Lord_Howe"])
            let end = chance(30) ? "\(max(start, day()))T\(one(["00:00", "23:59"]))" : nil
            return create(.tripItem, id, [
                "trip_id": try living(.trip).prefix(3).randomElement(using: &random).map { .reference($0.id) }, "title": word(),
                "start_time": .text("\(start)T\(clock())"), "start_zone": .text(zone), "end_time": end.map(Value.text),
                "participants": end == nil ? nil : .set([SetElement(id: one([leo, maya]))]), "category": choice(.tripItem, "category"),
                "include_in_itinerary": .flag(chance(70)), "description": maybe(word()),
            ])
        }
    }

    private mutating func addDocument() throws {
        let athlete = one([leo, maya])
        let chain = try living(.document).filter { $0.athlete == athlete }.map(\.id)
        let fields = patch(.document, [
            "type": choice(.document, "type"), "title": word(), "description": maybe(word()), "school_id": try reference(.school),
        ])
        // Some documents have the same file.
        let content = Int.random(in: 1...30, using: &random)
        _ = try world.store.addDocument(
            NewDocument(
                id: world.newID(), family: home.family, member: home.parent, athlete: athlete,
                replaces: chance(25) ? chain.randomElement(using: &random) : nil, fields: fields,
                file: .init(name: "a.pdf", type: "application/pdf", octets: Int64(content * 301), sha256: World.digest(content))))
    }

    // MARK: Questions

    /// Each filter of the kind with a value that finds something, and none.
    mutating func filters(_ kind: Kind) throws -> [Query.Filter] {
        let declaration = QueryDeclaration.of(kind)
        var filters = [Query.Filter()]
        func add(_ fill: (inout Query.Filter) -> Void) {
            var filter = Query.Filter()
            fill(&filter)
            filters.append(filter)
        }
        func ids(_ kind: Kind) throws -> [Identifier] { try living(kind).prefix(4).map(\.id) }
        for key in declaration.filters {
            switch key {
            case .type: for word in declaration.types + (kind == .event ? ["visit"] : []) { add { $0.types = [word] } }
            case .types: add { $0.types = Array(declaration.types.prefix(3)) }
            case .status: for status in Query.Status.allCases { add { $0.status = status } }
            case .date: for window in Query.Window.allCases { add { $0.date = window } }
            case .school: for id in try ids(.school).prefix(2) { add { $0.school = id } }
            case .coach: for id in try ids(.coach).prefix(2) { add { $0.coach = id } }
            case .event: for id in try ids(.event).prefix(2) { add { $0.event = id } }
            case .trip: for id in try ids(.trip) { add { $0.trip = id } }
            case .from: for day in [one(days), one(days)] { add { $0.from = day } }
            case .to: for day in [one(days), one(days)] { add { $0.to = day } }
            case .day: for day in [one(days), one(days)] { add { $0.day = day } }
            case .itinerary: for flag in [true, false] { add { $0.itinerary = flag } }
            case .shared: for flag in [true, false] { add { $0.shared = flag } }
            case .current: for flag in [true, false] { add { $0.current = flag } }
            case .about: break
            }
        }
        return filters
    }

    private let days = (0..<92).compactMap { CalendarDate("2026-10-01")?.adding(days: $0) }

    /// Several filters together, a search, somebody's season.
    mutating func request(_ kind: Kind) throws -> ListRequest {
        let all = try filters(kind)
        var filter = one(all)
        for other in [one(all), one(all)] {
            if filter.types.isEmpty { filter.types = other.types }
            filter.status = filter.status ?? other.status
            filter.date = filter.date ?? other.date
            filter.school = filter.school ?? other.school
            filter.from = filter.from ?? other.from
            filter.itinerary = filter.itinerary ?? other.itinerary
            filter.shared = filter.shared ?? other.shared
        }
        return ListRequest(
            request: 1, kind: kind, athlete: one([nil, .all, .athlete(leo), .athlete(maya)]), filter: filter,
            search: one(["", "", "lodz", "FALL", "zoo", "ärm", "scout"]), sort: one(QueryDeclaration.of(kind).sorts),
            limit: one([1, 3, 10, 50]), counts: true, deleted: chance(15))
    }
}

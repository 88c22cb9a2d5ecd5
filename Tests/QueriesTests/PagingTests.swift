import Bytes
import Dates
import Family
import TestSupport
import Testing

@testable import Queries

@Suite("Pages by keys: semantics, Rooms (page marks)")
struct PagingTests {
    private let today = day("2026-06-15")

    private func keys(_ records: [Record]) -> [ListKeys] { records.map { ListKeys($0, instant: instant) } }

    /// Reads page after page; between two of them `change` may change the records in any way.
    private func walk(_ query: Query, _ records: inout [Record], limit: Int, change: (inout [Record]) -> Void) throws -> [Identifier] {
        var seen: [Identifier] = []
        var mark: String?
        while true {
            let after = try mark.map { try PageMark.place($0, query) }
            let page = query.select(keys(records), today: today, after: after, limit: limit)
            #expect(page.places.count <= limit)
            #expect(page.total == query.apply(records, today: today, instant: instant).count)
            seen += page.ids
            guard page.hasMore, let last = page.places.last else { return seen }
            mark = PageMark.text(last, query)
            change(&records)
        }
    }

    @Test("R052 R109 R144 The joined pages are the list, for every sort, filter, search and size", arguments: 1...60)
    func glued(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<10 {
            var records = Random.events(&random, count: random.below(60))
            let query = try Random.query(&random)
            let whole = query.apply(records, today: today, instant: instant).map(\.id)
            #expect(whole == Naive.list(query, records, today: "2026-06-15").map(\.id), "seed \(seed) \(query)")
            let pages = try walk(query, &records, limit: 1 + random.below(12)) { _ in }
            #expect(pages == whole, "seed \(seed) \(query)")
        }
    }

    @Test("Leads order places like the places themselves, with any beginnings of names", arguments: [Kind.event, .document, .tripItem, .metric])
    func leads(_ kind: Kind) throws {
        var random = SplitMix64(seed: 17)
        let names = ["", "a", "ab", "abcdefg", "abcdefgh", "abcdefghi", "abcdefgh\u{0}", "ABCDEFGHJ", "\u{0}", "ł", "zzzzzzzzz"]
        let declaration = QueryDeclaration.of(kind)
        let records = (1...60).map { number in
            var values: [String: Value] = [:]
            for name in ["name", "title", "label"] where kind.declaration.index(of: name) != nil { values[name] = .text(random.one(of: names)) }
            for name in ["type", "category", "metric_type"] where kind.declaration.index(of: name) != nil {
                values[name] = .text(random.one(of: declaration.types + [""]))
            }
            for name in ["start_date", "recorded_date"] where kind.declaration.index(of: name) != nil {
                values[name] = .text(random.one(of: ["2026-11-21", "2026-11-22"]))
            }
            return record(kind, number, createdAt: Int64(number % 3), values)
        }
        for sort in declaration.sorts {
            let query = try Query(kind, sort: sort)
            let all = keys(records)
            for left in all {
                #expect(query.lead(left) == query.lead(query.place(left)))
                for right in all where query.lead(left) != query.lead(right) {
                    #expect((query.lead(left) < query.lead(right)) == (query.place(left) < query.place(right)), "\(sort)")
                }
            }
        }
    }

    @Test("After any changes between pages, no record comes twice and unchanged ones come once", arguments: 1...60)
    func concurrent(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<10 {
            var records = Random.events(&random, count: 20 + random.below(40))
            let query = try Random.query(&random)
            // The records that no change touches.
            let still = Set(records.filter { _ in random.chance(50) }.map(\.id))
            let wanted = Set(query.apply(records.filter { still.contains($0.id) }, today: today, instant: instant).map(\.id))
            var next = 10_000
            let seen = try walk(query, &records, limit: 1 + random.below(8)) { records in
                for _ in 0..<random.below(6) {
                    switch random.below(3) {
                    case 0:
                        records.append(Random.event(&random, next))
                        next += 1
                    case 1: records.removeAll { !still.contains($0.id) && random.chance(10) }
                    default:
                        let touchable = records.indices.filter { !still.contains(records[$0].id) }
                        if let index = touchable.randomElement(using: &random) { records[index].deletedAt = 1 }
                    }
                }
            }
            #expect(Set(seen).count == seen.count, "seed \(seed): something came twice")
            #expect(Set(seen).isSuperset(of: wanted), "seed \(seed): something was skipped")
        }
    }

    @Test("A mark belongs to one query, and to no other", arguments: 1...20)
    func bound(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let place = OrderKey(text: [1, 2], first: -5, second: .max, name: [3], id: id(4))
        let one = try Random.query(&random)
        let mark = PageMark.text(place, one)
        #expect(try PageMark.place(mark, one) == place)
        #expect(mark.utf8.count <= PageMark.maxOctets)
        for _ in 0..<20 {
            let other = try Random.query(&random)
            if other == one { continue }
            #expect(throws: Rejection.self, "seed \(seed): \(one) took a mark of \(other)") {
                try PageMark.place(PageMark.text(place, other), one)
            }
        }
    }

    @Test("A mark that was cut, lengthened or changed in its head is refused, and none traps")
    func tampered() throws {
        let query = try Query(.event)
        let long = [UInt8](repeating: 0x61, count: ListKeys.orderedNameOctets)
        let mark = PageMark.text(OrderKey(text: long[...], first: .min, second: .max, name: long[...], id: id(4)), query)
        #expect(mark.utf8.count == PageMark.maxOctets)
        for length in 0..<mark.utf8.count { _ = try? PageMark.place(String(mark.prefix(length)), query) }
        #expect(throws: Rejection.self) { try PageMark.place(mark + "AAAA", query) }
        #expect(throws: Rejection.self) { try PageMark.place("", query) }
        #expect(throws: Rejection.self) { try PageMark.place("not a mark", query) }
        for place in 0..<12 {
            var letters = Array(mark.utf8)
            letters[place] = letters[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: Rejection.self) { try PageMark.place(String(decoding: letters, as: UTF8.self), query) }
        }
        let refusal = #expect(throws: Rejection.self) { try PageMark.place("AAAA", query) }
        #expect(refusal?.field == "before" && refusal?.code == .invalid)
    }

    @Test("Records with equal names up to the ordered length still each come once")
    func longNames() throws {
        let name = String(repeating: "ü", count: 255)
        var records = (0..<30).map { event(10 + $0, name + "\($0)", "2026-06-01") }
        let query = try Query(.event, sort: .name)
        let seen = try walk(query, &records, limit: 7) { _ in }
        #expect(seen == (10..<40).map(id))
    }
}

/// Events and queries, many of them equal.
enum Random {
    static func event(_ random: inout SplitMix64, _ number: Int) -> Record {
        let name = random.one(of: ["Camp", "camp", "Ärmel", "armel", "Łódź Open", "Zoo", ""])
        let day = 1 + random.below(28)
        let start = "2026-0\(5 + random.below(4))-\(day < 10 ? "0" : "")\(day)"
        var more: [String: Value] = ["registered": .flag(random.chance(50)), "attended": .flag(random.chance(30))]
        if random.chance(30) { more["description"] = .text(random.one(of: ["on the way to Łódź", "CAMP of the year", "ö"])) }
        if random.chance(30) { more["city"] = .text(random.one(of: ["Lodz", "Köln"])) }
        if random.chance(40) { more["school_id"] = .reference(id(90 + random.below(2))) }
        let times: [String?] = [nil, "00:00", "09:00", "23:59"]
        var made = QueriesTests.event(
            number, name, start, end: random.chance(30) ? "2026-09-0\(1 + random.below(9))" : nil, time: random.one(of: times),
            type: random.one(of: ["camp", "showcase", "official_visit", "unofficial_visit", "game"]),
            athlete: random.chance(50) ? ana : leo, more)
        if random.chance(10) { made.deletedAt = 7 }
        return made
    }

    static func events(_ random: inout SplitMix64, count: Int) -> [Record] { (0..<count).map { event(&random, 100 + $0) } }

    static func query(_ random: inout SplitMix64) throws -> Query {
        var filter = Query.Filter()
        if random.chance(30) { filter.types = [random.one(of: ["camp", "visit", "game", "official_visit"])] }
        if random.chance(30) { filter.status = random.one(of: Query.Status.allCases) }
        if random.chance(40) { filter.date = random.one(of: Query.Window.allCases) }
        if random.chance(20) { filter.school = id(90 + random.below(2)) }
        if random.chance(20) { filter.from = day("2026-06-10") }
        if random.chance(20) { filter.to = day("2026-07-10") }
        if random.chance(10) { filter.day = day("2026-07-05") }
        return try Query(
            .event, athlete: random.one(of: [nil, nil, ana, leo]), filter: filter,
            search: random.one(of: ["", "", "", "camp", "ŁÓDŹ", "o", "koln"]),
            sort: random.one(of: [nil, .dateAscending, .dateDescending, .name, .type]), deleted: random.chance(10))
    }
}

/// The definition of a list of events, written a second time in the simplest way.
enum Naive {
    static func list(_ query: Query, _ records: [Record], today: String) -> [Record] {
        let wanted = records.filter { matches(query, $0, today: today) }
        return wanted.sorted { left, right in
            for order in criteria(query.sort) {
                let (a, b) = (order.key(left), order.key(right))
                if a != b { return order.descends ? b < a : a < b }
            }
            return left.id < right.id
        }
    }

    private struct Criterion {
        var descends = false
        var key: (Record) -> String
    }

    private static func criteria(_ sort: Query.Sort) -> [Criterion] {
        func text(_ name: String) -> (Record) -> String { { $0.fields.text(name) ?? "" } }
        func date(_ descends: Bool) -> [Criterion] {
            [.init(descends: descends, key: text("start_date")), .init(descends: descends, key: text("start_time"))]
        }
        let name = Criterion { folded($0.fields.text("name") ?? "") }
        switch sort {
        case .dateAscending: return date(false) + [name]
        case .name: return [name] + date(true)
        case .type: return [Criterion(key: text("type"))] + date(true) + [name]
        default: return date(true) + [name]
        }
    }

    private static func matches(_ query: Query, _ record: Record, today: String) -> Bool {
        let (fields, filter) = (record.fields, query.filter)
        let start = fields.text("start_date") ?? "", last = fields.text("end_date") ?? start
        let status = fields.flag("attended") ? "attended" : fields.flag("registered") ? "registered" : "not_registered"
        let searched = ["name", "description", "location", "address", "city"].map { folded(fields.text($0) ?? "") }
        func inMonth(_ month: String) -> Bool { start.prefix(7) <= month && month <= last.prefix(7) }
        let inWindow =
            switch filter.date {
            case .upcoming?: last >= today
            case .past?: last < today
            case .thisMonth?: inMonth("2026-06")
            case .nextMonth?: inMonth("2026-07")
            case nil: true
            }
        return (record.deletedAt != nil) == query.isDeleted && (query.athlete == nil || record.athlete == query.athlete)
            && (filter.types.isEmpty || filter.types.contains(fields.text("type") ?? ""))
            && (filter.status == nil || filter.status?.rawValue == status) && inWindow
            && (filter.school == nil || fields.reference("school_id") == filter.school)
            && (filter.from == nil || start >= "\(filter.from ?? .first)") && (filter.to == nil || start <= "\(filter.to ?? .first)")
            && (filter.day == nil || (start <= "\(filter.day ?? .first)" && "\(filter.day ?? .first)" <= last))
            && (query.search.isEmpty || searched.contains { $0.contains(folded(query.search)) })
    }

    /// Folds the letters that these tests use.
    private static func folded(_ text: String) -> String {
        String(text.lowercased().map { ["ä": "a", "ł": "l", "ó": "o", "ź": "z", "ö": "o"][$0] ?? $0 })
    }
}

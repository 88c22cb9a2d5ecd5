import Bytes
import Dates
import EngineScripts
import Family
import JSON
@testable import Queries
import TestSupport
import Wire

/// Lists and figures of a random family, for `proto/views/queries.json`, and the declarations of lists for JavaScript.
enum QueryVectors {
    /// The module `queries/declarations.js`.
    static var module: String {
        func text(_ text: String) -> String { JSONValue.text(text).description }
        func list(_ words: [String]) -> String { "[" + words.map(text).joined(separator: ", ") + "]" }
        var module = """
            // Written from the declarations in Swift (HUDDLE_WRITE_PROTO=1); not edited by hand.

            /**
             * The possible lists of one kind, with the fields that they use; the first order is the usual one.
             * @typedef {object} QueryDeclaration
             * @property {string[]} name
             * @property {string[]} searched
             * @property {string} [type]
             * @property {string} [first]
             * @property {string} [last]
             * @property {string} [time]
             * @property {string[]} filters
             * @property {string[]} sorts
             */

            /** @type {{[kind: string]: QueryDeclaration}} */
            export const QUERIES = {

            """
        for kind in Kind.allCases {
            let declared = QueryDeclaration.of(kind)
            func name(_ place: Int) -> String { "\(kind.declaration.fields[place].name)" }
            var members = ["name: \(list(declared.places.name.map(name)))", "searched: \(list(declared.places.searched.map(name)))"]
            for (key, place) in [("type", declared.places.type), ("first", declared.places.first), ("last", declared.places.last), ("time", declared.places.time)] {
                if let place { members.append("\(key): \(text(name(place)))") }
            }
            members += ["filters: \(list(declared.filters.map(\.rawValue)))", "sorts: \(list(declared.sorts.map(\.rawValue)))"]
            // Kinds without lists share one declaration.
            if declared.sorts.isEmpty { members = ["name: []", "searched: []", "filters: []", "sorts: []"] }
            module += "  \(kind.name): { \(members.joined(separator: ", ")) },\n"
        }
        return module + "};\n\n/** The longest search in characters. */\nexport const MAX_SEARCH = \(Query.maxSearch);\n"
            + "/** The octets of a folded name that count for the order. */\nexport const ORDERED_NAME_OCTETS = \(ListKeys.orderedNameOctets);\n"
    }

    @Sendable static func page() -> String {
        var world = World(seed: 20_261_123)
        return world.page()
    }

    /// Records and queries drawn from one seed.
    private struct World {
        var random: SplitMix64
        var records: [Record] = []
        /// The zones that were used, each read once.
        var zones: [String: ZoneRules?] = [:]
        static let kinds: [Kind] = [.member, .school, .coach, .event, .message, .metric, .interaction, .trip, .tripItem, .document]
        static let days = ["2026-06-15", "2026-01-31", "2024-02-29", "2026-12-31"]
        static let words = [
            "Łódź Camp", "lodz camp", "Fall Showcase", "fall  showcase", "Straße", "STRASSE 5", "Zoo", "álbum", "𝔘nicode", "\u{FF5A}one", "한글", "Ærø cup", "",
            "a very long name that has more than seventy two octets in its folded form, ends A", "a very long name that has more than seventy two octets in its folded form, ends B",
            "ĄĘŚĆŻŹÓŁ ĄĘŚĆŻŹÓŁ ĄĘŚĆŻŹÓŁ ĄĘŚĆŻŹÓŁ 한글한글한글한글한글한글한글한글한글", "U+FFFF \u{FFFF} end", "50% off, row_1",
        ]
        static let searches = ["", "", "lodz", "ŁÓDŹ", "strasse", "camp", " ", "a", "zone", "unicode", "글", "%", "_", "\u{301}", "x y", "campfall", "\u{10000}"]

        init(seed: UInt64) { random = SplitMix64(seed: seed) }

        mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        mutating func one(in sides: Int) -> Bool { number(1...sides) == 1 }
        mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }
        func id(_ number: Int) -> Identifier { Identifier(high: 0x7000, low: 0x8000_0000_0000_0000 | UInt64(number)) }

        mutating func page() -> String {
            for kind in Self.kinds { for _ in 0..<30 { records.append(record(kind)) } }
            var queries: [JSONValue] = []
            for kind in Self.kinds {
                for _ in 0..<60 { if let row = query(kind) { queries.append(row) } }
                // Each order over everything: the filters of random queries leave few records.
                for sort in QueryDeclaration.of(kind).sorts { if let query = try? Query(kind, sort: sort) { queries.append(row(query, Self.days[0])) } }
            }
            var figures: [JSONValue] = []
            for kind in [Kind.event, .document, .metric] {
                for athlete in [nil, id(1), id(2)] { for today in Self.days.prefix(2) { figures.append(statistics(kind, athlete, today)) } }
            }
            return ViewVectors.lines([
                ("records", .array(records.map(Self.value))), ("queries", .array(queries)), ("refused", .array(refused())), ("statistics", .array(figures)),
            ])
        }

        static func value(_ record: Record) -> JSONValue {
            var writer = JSONWriter()
            RecordCodec.encode(record, into: &writer)
            return (try? JSONValue(writer.octets)) ?? .null
        }

        // MARK: Records

        private mutating func record(_ kind: Kind) -> Record {
            var fields = Fields(kind)
            for field in kind.declaration.fields where !one(in: 4) {
                if let value = value(field.type) { fields["\(field.name)"] = value }
            }
            // A time without its end, and an end before its start, are in old records.
            let created = Int64(1_780_000_000_000 + number(0...4) * 1_000)
            return Record(
                kind: kind, id: id(number(1_000...9_999_999)), athlete: kind.declaration.scope == .athlete ? id(number(1...2)) : nil, version: 1, createdAt: created,
                createdBy: id(1), updatedAt: created, updatedBy: id(1), deletedAt: one(in: 8) ? created + 1 : nil, fields: fields)
        }

        private mutating func date() -> String {
            let base = CalendarDate("2026-06-15") ?? .first
            return (base.adding(days: one(in: 3) ? number(-3...3) : number(-70...70)) ?? base).description
        }

        private mutating func value(_ type: FieldType) -> Value? {
            switch type {
            case .line, .text: return .text(pick(Self.words))
            case .choice(let words, _): return .text(pick(words))
            case .flag: return .flag(one(in: 2))
            case .integer(let range): return .integer(min(max(Int64(number(0...100_000)), Int64(range.lowerBound)), Int64(range.upperBound)))
            case .decimal, .measure: return .text(pick(["92.5", "92.50", "0.311", "-3", "7", "007.1", "6.71", "0", "12345678.1234"]))
            case .date: return .text(date())
            case .time: return .text(pick(["00:00", "09:30", "09:31", "23:59"]))
            case .localDateTime: return .text(date() + "T" + pick(["00:00", "02:30", "09:30", "23:59"]))
            case .zone: return .text(pick(["UTC", "Europe/Warsaw", "America/New_York", "Asia/Tokyo", "Mars/Base"]))
            case .reference: return .reference(id(number(20...24)))
            case .set(let kind, _):
                return .set((20..<20 + number(0...3)).map { SetElement(id: id($0), name: kind == .coach ? "Rivera" : "") })
            case .url, .state, .link, .json: return nil
            }
        }

        // MARK: Queries

        private mutating func filter(_ kind: Kind) -> Query.Filter {
            var filter = Query.Filter()
            let declared = QueryDeclaration.of(kind)
            for key in declared.filters where one(in: 5) {
                switch key {
                case .type, .types: if !declared.types.isEmpty { filter.types = (0..<number(1...2)).map { _ in pick(declared.types + (kind == .event ? ["visit"] : [])) } }
                case .status: filter.status = pick([.registered, .notRegistered, .attended])
                case .date: filter.date = pick([.upcoming, .past, .thisMonth, .nextMonth])
                case .school: filter.school = id(number(20...25))
                case .coach: filter.coach = id(number(20...25))
                case .event: filter.event = id(number(20...25))
                case .trip: filter.trip = id(number(20...25))
                case .from: filter.from = CalendarDate(date())
                case .to: filter.to = CalendarDate(date())
                case .day: filter.day = CalendarDate(date())
                case .itinerary: filter.itinerary = one(in: 2)
                case .shared: filter.shared = one(in: 2)
                case .current: filter.current = one(in: 2)
                // Comments come from the timeline, not from a list in memory.
                case .about: break
                }
            }
            return filter
        }

        private mutating func query(_ kind: Kind) -> JSONValue? {
            let made = try? Query(
                kind, athlete: one(in: 3) ? id(number(1...3)) : nil, filter: filter(kind), search: one(in: 2) ? pick(Self.searches) : "",
                sort: one(in: 4) ? nil : pick(QueryDeclaration.of(kind).sorts), deleted: one(in: 8))
            return made.map { row($0, pick(Self.days)) }
        }

        private static func value(_ filter: Query.Filter) -> JSONValue {
            var members: [String: JSONValue] = [:]
            for key in filter.keys {
                members[key.rawValue] =
                    switch key {
                    case .type, .types: .array(filter.types.map { .text($0) })
                    case .status: filter.status.map { .text($0.rawValue) }
                    case .date: filter.date.map { .text($0.rawValue) }
                    case .school: filter.school.map { .text($0.description) }
                    case .coach: filter.coach.map { .text($0.description) }
                    case .event: filter.event.map { .text($0.description) }
                    case .trip: filter.trip.map { .text($0.description) }
                    case .from: filter.from.map { .text($0.description) }
                    case .to: filter.to.map { .text($0.description) }
                    case .day: filter.day.map { .text($0.description) }
                    case .itinerary: filter.itinerary.map { .flag($0) }
                    case .shared: filter.shared.map { .flag($0) }
                    case .current: filter.current.map { .flag($0) }
                    case .about: filter.about.map { .text($0.description) }
                    }
            }
            return .object(members)
        }

        /// Milliseconds of UTC by this machine's zone data.
        private mutating func instant(_ zone: String, _ local: LocalDateTime) -> Int64? {
            let rules = zones[zone] ?? ZoneVectors.rules(zone)
            zones[zone] = rules
            return rules?.instant(of: local)
        }

        private mutating func row(_ query: Query, _ today: String) -> JSONValue {
            let date = CalendarDate(today) ?? .first
            var copy = self
            let found = query.apply(records, today: date) { copy.instant($0, $1) }
            let places = Dictionary(records.enumerated().map { ($1.id, Int64($0)) }) { first, _ in first }
            var members: [String: JSONValue] = [
                "kind": .text("\(query.kind.name)"), "filter": Self.value(query.filter), "search": .text(query.search), "sort": .text(query.sort.rawValue),
                "deleted": .flag(query.isDeleted), "today": .text(today), "found": .array(found.map { .integer(places[$0.id] ?? -1) }),
            ]
            if let athlete = query.athlete { members["athlete"] = .text(athlete.description) }
            return .object(members)
        }

        /// Queries that no kind or not this kind has, with the sentence.
        private func refused() -> [JSONValue] {
            var rows: [JSONValue] = []
            func refuse(_ kind: Kind, filter: Query.Filter = .init(), search: String = "", sort: Query.Sort? = nil) {
                do throws(Rejection) {
                    _ = try Query(kind, filter: filter, search: search, sort: sort)
                } catch {
                    var members: [String: JSONValue] = [
                        "kind": .text("\(kind.name)"), "filter": Self.value(filter), "search": .text(search), "code": .text(error.code.rawValue),
                        "message": .text(error.message), "field": .text(error.field ?? ""),
                    ]
                    if let sort { members["sort"] = .text(sort.rawValue) }
                    rows.append(.object(members))
                }
            }
            for kind in Kind.allCases { for sort in Query.Sort.allCases { refuse(kind, sort: sort) } }
            for kind in Kind.allCases {
                var filter = Query.Filter()
                filter.types = ["camp", "none such"]
                refuse(kind, filter: filter)
                filter = Query.Filter()
                filter.coach = id(20)
                refuse(kind, filter: filter)
                filter = Query.Filter()
                filter.status = .attended
                filter.shared = true
                refuse(kind, filter: filter)
            }
            for length in [Query.maxSearch, Query.maxSearch + 1] { refuse(.event, search: String(repeating: "𝔘", count: length)) }
            return rows
        }

        // MARK: Figures

        private mutating func statistics(_ kind: Kind, _ athlete: Identifier?, _ today: String) -> JSONValue {
            var copy = self
            let keys = records.filter { $0.kind == kind }.map { ListKeys($0) { copy.instant($0, $1) } }
            var members: [String: JSONValue] = ["kind": .text("\(kind.name)"), "today": .text(today)]
            if let athlete { members["athlete"] = .text(athlete.description) }
            func types(_ types: [Statistics.TypeCount]) -> JSONValue {
                .array(types.map { .object(["type": .text($0.type), "records": .integer(Int64($0.records))]) })
            }
            func mark(_ mark: Statistics.Metric.Mark) -> JSONValue {
                .object(["id": .text(mark.id.description), "value": .text(mark.value), "unit": .text(mark.unit), "date": .text(mark.date)])
            }
            switch Statistics(kind, keys, athlete: athlete, today: CalendarDate(today) ?? .first) {
            case .events(let events):
                members["figures"] = .object([
                    "total": .integer(Int64(events.total)), "upcoming": .integer(Int64(events.upcoming)), "registered": .integer(Int64(events.registered)),
                    "not_registered": .integer(Int64(events.notRegistered)), "attended": .integer(Int64(events.attended)), "types": types(events.types),
                ])
            case .documents(let documents):
                var figures: [String: JSONValue] = [
                    "total": .integer(Int64(documents.total)), "shared": .integer(Int64(documents.shared)), "octets": .integer(documents.octets),
                    "types": types(documents.types),
                ]
                if let most = documents.mostCommonType { figures["most_common_type"] = .text(most) }
                members["figures"] = .object(figures)
            case .metrics(let metrics):
                members["figures"] = .array(metrics.map { metric in
                    var figures: [String: JSONValue] = [
                        "type": .text(metric.type), "records": .integer(Int64(metric.records)), "best": mark(metric.best), "latest": mark(metric.latest),
                    ]
                    if let label = metric.label { figures["label"] = .text(label) }
                    return .object(figures)
                })
            case .family, nil: break
            }
            return .object(members)
        }
    }
}

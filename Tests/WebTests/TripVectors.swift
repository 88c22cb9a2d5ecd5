import Bytes
import Dates
import EngineScripts
import Family
import JSON
import TestSupport
import Wire

/// Itineraries, durations and overlaps of random trips, for `proto/views/trips.json`.
enum TripVectors {
    private static func id(_ number: Int) -> Identifier { Identifier(high: 0x7000, low: 0x8000_0000_0000_0000 | UInt64(number)) }

    @Sendable static func page() -> String {
        var random = SplitMix64(seed: 20_261_124)
        let environment = RuleVectors.Zones().environment
        let trips = (0..<40).map { number in trip(number, &random, environment) }
        return ViewVectors.lines([("trips", .array([touching(environment), sameStart(environment)] + trips))])
    }

    private static func item(_ number: Int, _ title: String, _ start: String, _ end: String?, _ category: String = "food") -> Record {
        var fields = Fields(.tripItem)
        fields["title"] = .text(title)
        fields["category"] = .text(category)
        fields["start_time"] = .text(start)
        fields["start_zone"] = .text("Europe/Warsaw")
        fields["end_time"] = end.map(Value.text)
        fields["include_in_itinerary"] = .flag(true)
        return Record(kind: .tripItem, id: id(number), athlete: nil, version: 1, createdAt: 1, createdBy: id(1), updatedAt: 1, updatedBy: id(1), fields: fields)
    }

    /// Items that touch, one that ends a minute later, and stays that touch at noon and at midnight.
    private static func touching(_ environment: RuleEnvironment) -> JSONValue {
        row(
            [
                item(1, "Breakfast", "2026-07-02T09:00", "2026-07-02T10:00"), item(2, "Zoo", "2026-07-02T10:00", "2026-07-02T12:01"), item(3, "Lunch", "2026-07-02T12:00", "2026-07-02T13:00"),
                item(4, "Inn", "2026-07-02T12:00", "2026-07-03T12:00", "accommodation"), item(5, "Farm", "2026-07-03T12:00", "2026-07-05T00:00", "accommodation"),
                item(6, "Tent", "2026-07-05T00:00", "2026-07-06T00:00", "accommodation"),
            ], due: [1, 2, 3, 4, 5, 6].map(id), travellers: [id(1)], environment)
    }

    /// Titles decide among equal starts, then ids; accents in two spellings are one title.
    private static func sameStart(_ environment: RuleEnvironment) -> JSONValue {
        let titles = ["z", "\u{E9}", "e\u{301}", "\u{FFFF}", "𝔘", "e", "\u{E9}"]
        return row(titles.enumerated().map { item(90 - $0, $1, "2026-07-02T09:00", nil) }, due: [], travellers: [id(1)], environment)
    }

    private static func trip(_ number: Int, _ random: inout SplitMix64, _ environment: RuleEnvironment) -> JSONValue {
        func pick<Element>(_ elements: [Element]) -> Element { elements[Int.random(in: 0..<elements.count, using: &random)] }
        func one(in sides: Int) -> Bool { Int.random(in: 1...sides, using: &random) == 1 }
        // Both nights on which clocks change are near the first days.
        let first = CalendarDate(pick(["2026-03-28", "2026-10-24", "2026-07-02", "9999-12-30"])) ?? .first
        let zones = ["Europe/Warsaw", "America/New_York", "UTC", "Asia/Tokyo", "Mars/Base"]
        func local(_ days: ClosedRange<Int>) -> String {
            let day = first.adding(days: Int.random(in: days, using: &random)) ?? first
            return day.description + "T" + pick(["00:00", "01:30", "02:30", "09:00", "09:30", "12:00", "23:59"])
        }
        let items = (0..<Int.random(in: 3...10, using: &random)).map { place in
            var fields = Fields(.tripItem)
            fields["title"] = one(in: 9) ? nil : .text(pick(["Zoo", "zoo", "Flight", "ł", "e\u{301}", "\u{E9}", "\u{FFFF}", "𝔘"]))
            fields["category"] = .text(pick(["accommodation", "accommodation", "food", "activity"]))
            fields["start_time"] = one(in: 12) ? nil : .text(local(0...2))
            fields["start_zone"] = one(in: 8) ? nil : .text(pick(zones))
            fields["end_time"] = one(in: 5) ? nil : .text(local(one(in: 9) ? 0...900 : 0...4))
            fields["end_zone"] = one(in: 2) ? nil : .text(pick(zones))
            fields["include_in_itinerary"] = one(in: 8) ? nil : .flag(!one(in: 8))
            if one(in: 2) { fields["participants"] = .set([1, 2, 3].filter { _ in one(in: 2) }.map { SetElement(id: id($0)) }) }
            return Record(
                kind: .tripItem, id: id(1_000 + (place * 7 + number) % 11 + place * 20), athlete: nil, version: 1, createdAt: 1, createdBy: id(1), updatedAt: 1, updatedBy: id(1),
                deletedAt: one(in: 12) ? 2 : nil, fields: fields)
        }
        let living = items.filter { !$0.isDeleted }
        let due = living.filter { _ in !one(in: 3) }.map(\.id)
        let travellers = [1, 2, 3].filter { _ in !one(in: 3) }.map(id)
        return row(items, due: due, travellers: travellers, environment)
    }

    /// The answers about the items of one trip.
    private static func row(_ items: [Record], due: [Identifier], travellers: [Identifier], _ environment: RuleEnvironment) -> JSONValue {
        let found = OverlapCheck.overlaps(
            of: Set(due), among: items.filter { !$0.isDeleted }.compactMap { OverlapCheck.Item(id: $0.id, $0.fields, environment) }, travellers: Set(travellers))
        return .object([
            "items": .array(items.map(value)), "due": .array(due.map { .text($0.description) }), "travellers": .array(travellers.map { .text($0.description) }),
            "durations": .array(items.map { TripItemSpan($0.fields, environment).map { .text($0.duration) } ?? .null }),
            "dates": .array(items.map { item in
                let dates = Itinerary.dates(item.fields)
                return .array([dates.first, dates.last].compactMap { date in date.map { .text($0.description) } })
            }),
            "days": .array(Itinerary.days(items, environment).map { .array([.text($0.date.description)] + $0.items.map { .text($0.description) }) }),
            "overlaps": .array(found.map { overlap in
                .object([
                    "item": .text(overlap.item.id.description), "with": .text(overlap.with.id.description), "members": .array(overlap.members.map { .text($0.description) }),
                ])
            }),
        ])
    }

    private static func value(_ record: Record) -> JSONValue {
        var writer = JSONWriter()
        RecordCodec.encode(record, into: &writer)
        return (try? JSONValue(writer.octets)) ?? .null
    }
}

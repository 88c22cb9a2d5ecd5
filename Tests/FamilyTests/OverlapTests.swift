import Bytes
import Dates
import Family
import TestSupport
import Testing

private func item(
    _ number: UInt64, _ start: String, _ end: String?, zone: String = "America/Chicago", endZone: String? = nil, trip: UInt64 = 900,
    category: String = "activity", _ who: [UInt64] = []
) -> Record {
    record(.tripItem, number, [
        "trip_id": .reference(id(trip)), "title": .text("Item \(number)"), "start_time": .text(start), "start_zone": .text(zone),
        "end_time": end.map(Value.text), "end_zone": end.map { _ in .text(endZone ?? zone) }, "category": .text(category),
        "participants": who.isEmpty ? nil : .set(who.map { SetElement(id: id($0)) }), "include_in_itinerary": .flag(true),
    ])
}

private let everybody: Set<Identifier> = [id(1), id(2), id(3)]

private func overlaps(_ due: [UInt64], _ records: [Record], travellers: Set<Identifier> = everybody, accepted: Set<OverlapPair> = []) -> [Overlap] {
    let zones = machineZones()
    return OverlapCheck.overlaps(
        of: Set(due.map { id($0) }), among: records.compactMap { OverlapCheck.Item(id: $0.id, $0.fields, zones) }, travellers: travellers,
        accepted: accepted)
}

@Suite("Trip conflict check (product.md, Trips and itinerary)")
struct OverlapCheckTests {
    @Test("R154 two items overlap when they share a moment; touching is not an overlap", arguments: [
        ("2026-07-02T10:00", "2026-07-02T12:00", "2026-07-02T11:00", "2026-07-02T11:30", true),
        ("2026-07-02T10:00", "2026-07-02T12:00", "2026-07-02T12:00", "2026-07-02T13:00", false),
        ("2026-07-02T10:00", "2026-07-02T12:00", "2026-07-02T09:00", "2026-07-02T10:00", false),
        ("2026-07-02T10:00", "2026-07-02T12:00", "2026-07-02T09:00", "2026-07-02T10:01", true),
        ("2026-07-02T10:00", "2026-07-02T12:00", "2026-07-02T10:00", "2026-07-02T12:00", true),
        ("2026-07-02T10:00", "2026-07-02T12:00", "2026-07-01T10:00", "2026-07-09T12:00", true),
        ("2026-07-02T10:00", "2026-07-02T12:00", "2026-07-03T10:00", "2026-07-03T12:00", false),
    ])
    func time(_ oneStart: String, _ oneEnd: String, _ otherStart: String, _ otherEnd: String, _ isOverlap: Bool) {
        let both = [item(10, oneStart, oneEnd), item(11, otherStart, otherEnd)]
        #expect(overlaps([10], both).count == (isOverlap ? 1 : 0))
        #expect(overlaps([11], both).map(\.pair) == overlaps([10], both).map(\.pair))
        #expect(overlaps([11], both).first?.item.id == (isOverlap ? id(11) : nil))
    }

    @Test("R154 moments count, not clocks: zones and changes of clocks", arguments: [
        // 10:00 in Chicago is 11:00 in New York.
        ("2026-07-02T10:00", "2026-07-02T11:00", "America/Chicago", "2026-07-02T11:30", "2026-07-02T13:00", "America/New_York", true),
        ("2026-07-02T10:00", "2026-07-02T11:00", "America/Chicago", "2026-07-02T12:00", "2026-07-02T13:00", "America/New_York", false),
        // Half-hour zone.
        ("2026-07-02T10:00", "2026-07-02T11:00", "Asia/Kolkata", "2026-07-02T10:40", "2026-07-02T11:00", "Asia/Kathmandu", true),
        // The night of 25 October has two hours from 02:00 to 03:00 in Warsaw; in UTC the second ends at 02:00.
        ("2026-10-25T01:00", "2026-10-25T03:00", "Europe/Warsaw", "2026-10-25T01:30", "2026-10-25T01:45", "Etc/UTC", true),
        // On 29 March 02:00...03:00 is missing: what begins at 02:30 begins at 03:30.
        ("2026-03-29T02:30", "2026-03-29T04:00", "Europe/Warsaw", "2026-03-29T03:00", "2026-03-29T03:30", "Europe/Warsaw", false),
    ])
    func moments(_ s1: String, _ e1: String, _ z1: String, _ s2: String, _ e2: String, _ z2: String, _ isOverlap: Bool) {
        #expect(overlaps([10], [item(10, s1, e1, zone: z1), item(11, s2, e2, zone: z2)]).count == (isOverlap ? 1 : 0))
    }

    @Test("It takes a shared participant; who names none takes everybody on the trip", arguments: [
        ([1], [2], []), ([1], [1, 2], [1]), ([], [2], [2]), ([], [], [1, 2, 3]), ([1, 2, 3], [2, 3], [2, 3]), ([], [7], []),
    ] as [([UInt64], [UInt64], [UInt64])])
    func people(_ one: [UInt64], _ other: [UInt64], _ shared: [UInt64]) {
        let found = overlaps([10], [
            item(10, "2026-07-02T10:00", "2026-07-02T12:00", one), item(11, "2026-07-02T11:00", "2026-07-02T13:00", other),
        ])
        #expect(found.first?.members ?? [] == shared.map { id($0) })
        #expect(found.count == (shared.isEmpty ? 0 : 1))
    }

    @Test("Accommodation conflicts only with accommodation; all-day items with nothing; nothing with itself")
    func kinds() {
        let stay = item(10, "2026-07-01T15:00", "2026-07-04T11:00", category: "accommodation")
        let zoo = item(11, "2026-07-02T10:00", "2026-07-02T12:00")
        let hotel = item(12, "2026-07-03T15:00", "2026-07-05T11:00", category: "accommodation")
        let day = item(13, "2026-07-02T00:00", nil)
        #expect(overlaps([10, 11, 13], [stay, zoo, day]).isEmpty)
        #expect(overlaps([12], [stay, zoo, hotel, day]).map(\.pair) == [OverlapPair(id(10), id(12))])
        #expect(overlaps([11], [zoo]).isEmpty)
        #expect(overlaps([11], [zoo, zoo]).isEmpty)
    }

    @Test("Only what the mutation wrote is checked, and accepted pairs are let through")
    func dueAndAccepted() {
        let three = [
            item(10, "2026-07-02T10:00", "2026-07-02T12:00"), item(11, "2026-07-02T11:00", "2026-07-02T13:00"),
            item(12, "2026-07-02T11:30", "2026-07-02T14:00"),
        ]
        #expect(overlaps([], three).isEmpty)
        #expect(Set(overlaps([12], three).map(\.pair)) == [OverlapPair(id(10), id(12)), OverlapPair(id(11), id(12))])
        #expect(overlaps([12], three, accepted: [OverlapPair(id(12), id(10))]).map(\.pair) == [OverlapPair(id(11), id(12))])
        #expect(overlaps([10, 11, 12], three).count == 3)
    }

    @Test("R155 the rejection names both items, who is at both, and how to continue")
    func rejection() throws {
        let found = overlaps([11], [
            item(10, "2026-07-02T10:00", "2026-07-02T12:00", [1]), item(11, "2026-07-02T11:00", "2026-07-02T13:00"),
        ])
        let rejection = OverlapCheck.rejection(found, operation: 0)
        #expect(rejection.code == .overlap)
        #expect(rejection.id == id(11))
        #expect(rejection.message == "Item 11 is at the same time as Item 10. Not saved. Keep both? Send it again with a reason.")
        let first = try #require(rejection.overlaps.first)
        #expect(first.with.start == "2026-07-02T10:00")
        #expect(first.with.endZone == "America/Chicago")
        #expect(first.members == [id(1)])
    }

    @Test("An item is due when its times, zones, people, category or trip changed, or it is new or back, and not otherwise", arguments: [
        ("start_time", Value.text("2026-07-02T09:00"), true), ("end_time", .text("2026-07-02T19:00"), true), ("end_time", nil, true),
        ("start_zone", .text("UTC"), true), ("category", .text("food"), true), ("participants", .set([SetElement(id: id(2))]), true),
        ("trip_id", .reference(id(901)), true), ("title", .text("Other"), false), ("include_in_itinerary", .flag(false), false),
        ("location", .text("There"), false), ("source_data", .json([123, 125]), false),
    ] as [(String, Value?, Bool)])
    func due(_ field: String, _ value: Value?, _ isDue: Bool) {
        let old = item(10, "2026-07-02T10:00", "2026-07-02T12:00").fields
        var new = old
        new[field] = value
        #expect(OverlapCheck.isDue(from: old, to: new) == isDue)
        #expect(OverlapCheck.isDue(from: nil, to: new))
        #expect(!OverlapCheck.isDue(from: old, to: old))
    }

    @Test("The same as asking each pair by itself", arguments: [UInt64(11), 12, 13, 14])
    func property(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let zones = machineZones()
        for _ in 0..<60 {
            let records = (0..<UInt64.random(in: 0...12, using: &random)).map { number in
                let start = Int.random(in: 0..<36, using: &random)
                let length = Int.random(in: 1...9, using: &random)
                func clock(_ hour: Int) -> String {
                    (CalendarDate(year: 2026, month: 10, day: 24)?.adding(days: hour / 24)?.description ?? "")
                        + (hour % 24 < 10 ? "T0" : "T") + "\(hour % 24):00"
                }
                return item(
                    number, clock(start), Bool.random(using: &random) || Bool.random(using: &random) ? clock(start + length) : nil,
                    zone: ["Europe/Warsaw", "UTC"].randomElement(using: &random) ?? "UTC", category: Bool.random(using: &random) ? "accommodation" : "food",
                    (1...3).filter { _ in Int.random(in: 0..<3, using: &random) == 0 })
            }
            let due = Set(records.map(\.id).filter { _ in Bool.random(using: &random) })
            var wanted: Set<OverlapPair> = []
            for one in records {
                for other in records where other.id != one.id && due.contains(one.id) {
                    guard let a = TripItemSpan(one.fields, zones), let b = TripItemSpan(other.fields, zones), let aEnd = a.end, let bEnd = b.end,
                        aEnd > a.start, bEnd > b.start, max(a.start, b.start) < min(aEnd, bEnd),
                        (one.fields.text("category") == "accommodation") == (other.fields.text("category") == "accommodation")
                    else { continue }
                    func who(_ record: Record) -> Set<Identifier> {
                        let named = Set(record.fields.set("participants").map(\.id))
                        return named.isEmpty ? everybody : named
                    }
                    if !who(one).isDisjoint(with: who(other)) { wanted.insert(OverlapPair(one.id, other.id)) }
                }
            }
            let found = overlaps(due.map(\.low).map { $0 & 0xFFFF }, records)
            if wanted.count <= Rejection.maxOverlaps { #expect(Set(found.map(\.pair)) == wanted, "seed \(seed)") }
            #expect(found.count == Set(found.map(\.pair)).count)
            #expect(overlaps(due.map(\.low).map { $0 & 0xFFFF }, records, accepted: wanted).isEmpty)
            #expect(found.allSatisfy { due.contains($0.item.id) })
        }
    }

    @Test("A rejection names a bounded number of overlaps")
    func bounded() {
        let many = (0..<100).map { item($0, "2026-07-02T10:00", "2026-07-02T12:00") }
        #expect(overlaps([5], many).count == Rejection.maxOverlaps)
    }

    @Test("A reason is one line of at most 500 characters")
    func reason() throws {
        #expect(try OverlapOverride.canonicalReason("  Tom joins later ") == "Tom joins later")
        #expect(try OverlapOverride.canonicalReason(" \n") == nil)
        #expect(try OverlapOverride.canonicalReason(String(repeating: "é", count: 500)) != nil)
        #expect(throws: Rejection.self) { try OverlapOverride.canonicalReason(String(repeating: "é", count: 501)) }
        #expect(throws: Rejection.self) { try OverlapOverride.canonicalReason("a\nb") }
    }
}

@Suite("Double-booking radar (product.md, Beyond the trip)")
struct BookingTests {
    private func event(_ start: String?, _ end: String?, zone: String? = nil, athlete: UInt64 = 1, lastDay: String? = nil) -> Booking? {
        let made = record(.event, 50, athlete: id(athlete), [
            "name": .text("Camp"), "start_date": .text("2026-07-02"), "end_date": lastDay.map(Value.text), "start_time": start.map(Value.text),
            "end_time": end.map(Value.text), "time_zone": zone.map(Value.text),
        ])
        return Booking(event: made, zone: "America/Chicago", machineZones())
    }

    private func booking(_ record: Record) -> Booking? { Booking(item: record, travellers: everybody, machineZones()) }

    @Test("An item that overlaps a recruiting event of a participant is a clash for that person", arguments: [
        ("10:00", "12:00", nil, [UInt64](), true), ("10:00", "12:00", nil, [1, 2], true), ("10:00", "12:00", nil, [2], false),
        ("12:30", "13:00", nil, [], false), ("10:00", "12:00", "Europe/Warsaw", [], false), ("18:00", "19:00", "Europe/Warsaw", [], true),
    ] as [(String, String, String?, [UInt64], Bool)])
    func withEvent(_ start: String, _ end: String, _ zone: String?, _ who: [UInt64], _ isClash: Bool) throws {
        let zoo = try #require(booking(item(10, "2026-07-02T11:00", "2026-07-02T12:30", who)))
        let camp = try #require(event(start, end, zone: zone))
        #expect(zoo.clashes(with: camp) == (isClash ? [id(1)] : []))
        #expect(camp.clashes(with: zoo) == (isClash ? [id(1)] : []))
    }

    @Test("Of two items only those of different trips clash; a bed only with a bed; events not with events")
    func others() throws {
        let zoo = try #require(booking(item(10, "2026-07-02T11:00", "2026-07-02T12:30", [1, 2])))
        let same = try #require(booking(item(11, "2026-07-02T11:00", "2026-07-02T12:30", [1])))
        let elsewhere = try #require(booking(item(12, "2026-07-02T11:00", "2026-07-02T12:30", trip: 901, [2, 3])))
        let hotel = try #require(booking(item(13, "2026-07-01T11:00", "2026-07-04T12:30", trip: 902, category: "accommodation")))
        let inn = try #require(booking(item(14, "2026-07-03T11:00", "2026-07-05T12:30", trip: 903, category: "accommodation", [3])))
        let camp = try #require(event("10:00", "12:00"))
        #expect(zoo.clashes(with: same).isEmpty)
        #expect(zoo.clashes(with: elsewhere) == [id(2)])
        #expect(zoo.clashes(with: hotel).isEmpty)
        #expect(hotel.clashes(with: camp).isEmpty)
        #expect(hotel.clashes(with: inn) == [id(3)])
        #expect(camp.clashes(with: camp).isEmpty)
    }

    @Test("A day without times clashes with nothing")
    func allDay() {
        #expect(event(nil, nil) == nil)
        #expect(event("10:00", nil) == nil)
        #expect(booking(item(10, "2026-07-02T11:00", nil)) == nil)
        #expect(event("10:00", "09:00", lastDay: "2026-07-03") != nil)
    }

    @Test("Warnings name both and the person, each pair once, up to a limit")
    func warnings() throws {
        let zoo = try #require(booking(item(10, "2026-07-02T11:00", "2026-07-02T12:30", [1])))
        let camp = try #require(event("10:00", "12:00"))
        let told = Booking.warnings([zoo], among: [camp, zoo], name: { $0 == id(1) ? "Leo" : "?" })
        #expect(told == [
            MutationWarning(
                code: .doubleBooking, kind: .tripItem, id: id(10), withKind: .event, withID: id(50), member: id(1),
                message: "Item 10 is at the same time as Camp for Leo."),
        ])
        #expect(Booking.warnings([zoo, camp], among: [camp, zoo], name: { _ in "" }).count == 1)
        let many = try (20..<60).map { try #require(booking(item($0, "2026-07-02T11:00", "2026-07-02T12:30", trip: 901, [1]))) }
        #expect(Booking.warnings([zoo], among: many, name: { _ in "" }).count == Booking.maxWarnings)
    }
}

@Suite("Itinerary (product.md, Itinerary)")
struct ItineraryTests {
    @Test("R159 P34 items stand on the local day of their start, days ascend, and within a day starts ascend")
    func grouping() {
        let items = [
            item(10, "2026-07-03T09:00", "2026-07-03T10:00"), item(11, "2026-07-02T23:30", "2026-07-03T06:00", category: "transportation"),
            item(12, "2026-07-02T08:00", nil), item(13, "2026-07-02T08:00", "2026-07-02T09:00"),
        ]
        let days = Itinerary.days(items, machineZones())
        #expect(days.map(\.date.description) == ["2026-07-02", "2026-07-03"])
        #expect(days.map(\.items) == [[id(12), id(13), id(11)], [id(10)]])
    }

    @Test("A local day is the one of the item's own zone, whatever day it is elsewhere")
    func zones() {
        let days = Itinerary.days([
            item(10, "2026-07-02T00:30", "2026-07-02T01:00", zone: "Pacific/Auckland"),
            item(11, "2026-07-02T23:30", "2026-07-03T00:30", zone: "America/Los_Angeles"),
        ], machineZones())
        #expect(days.map(\.date.description) == ["2026-07-02"])
        #expect(days.first?.items == [id(10), id(11)])
    }

    @Test("P34 A stay shows on every day that it covers", arguments: [
        ("2026-07-01T15:00", "2026-07-03T11:00", ["2026-07-01", "2026-07-02", "2026-07-03"]),
        ("2026-07-01T15:00", "2026-07-03T00:00", ["2026-07-01", "2026-07-02"]),
        ("2026-07-01T15:00", "2026-07-01T18:00", ["2026-07-01"]), ("2026-07-01T15:00", nil, ["2026-07-01"]),
        ("2026-02-28T15:00", "2026-03-01T11:00", ["2026-02-28", "2026-03-01"]),
    ] as [(String, String?, [String])])
    func stays(_ start: String, _ end: String?, _ days: [String]) {
        let stay = item(10, start, end, category: "accommodation")
        #expect(Itinerary.days([stay], machineZones()).map(\.date.description) == days)
        let ride = item(10, start, end, category: "transportation")
        #expect(Itinerary.days([ride], machineZones()).map(\.date.description) == [days[0]])
    }

    @Test("R156 only what is in the itinerary, and nothing deleted; a stay without end in sight stays bounded")
    func leftOut() {
        var hidden = item(10, "2026-07-02T08:00", nil)
        hidden.fields["include_in_itinerary"] = .flag(false)
        var deleted = item(11, "2026-07-02T08:00", nil)
        deleted.deletedAt = 1
        #expect(Itinerary.days([hidden, deleted], machineZones()).isEmpty)
        let house = item(12, "2026-07-02T08:00", "9999-12-31T08:00", category: "accommodation")
        #expect(Itinerary.days([house], machineZones()).count == Itinerary.maxStayDays)
    }
}

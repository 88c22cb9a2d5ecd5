import Bytes
import Dates
import Family
import TestSupport
import Testing

@Suite("Shift and copy by days (product.md, Trips and itinerary)")
struct DateShiftTests {
    @Test("Every date moves, every local time stays")
    func moves() throws {
        let event = fields(.event, [
            "name": .text("Camp"), "start_date": .text("2026-02-27"), "end_date": .text("2026-03-01"), "start_time": .text("09:30"),
            "checkin_time": .text("09:00"), "attended": .flag(true),
        ])
        let moved = try #require(DateShift.moved(event, days: 2))
        #expect(moved.text("start_date") == "2026-03-01")
        #expect(moved.text("end_date") == "2026-03-03")
        #expect(moved.text("start_time") == "09:30")
        #expect(moved.text("checkin_time") == "09:00")
        #expect(moved["attended"] == .flag(true))
        let item = fields(.tripItem, ["start_time": .text("2026-12-31T23:30"), "end_time": .text("2027-01-01T00:30")])
        let later = try #require(DateShift.moved(item, days: 1))
        #expect(later.text("start_time") == "2027-01-01T23:30")
        #expect(later.text("end_time") == "2027-01-02T00:30")
    }

    @Test("Over a change of clocks the local time stays, and a day of it is 23 or 25 hours", arguments: [
        ("2026-03-28T10:00", 23), ("2026-10-24T10:00", 25), ("2026-06-01T10:00", 24),
        // 02:30 does not exist on the 29th: the text stays, the moment is 03:30 by the clock.
        ("2026-03-28T02:30", 24),
        // It exists twice on 25 October: the first of them counts.
        ("2026-10-24T02:30", 24),
    ])
    func clocks(_ start: String, _ hours: Int64) throws {
        let zones = machineZones()
        let item = fields(.tripItem, ["start_time": .text(start), "start_zone": .text("Europe/Warsaw")])
        let moved = try #require(DateShift.moved(item, days: 1))
        #expect(moved.text("start_time")?.suffix(5) == start.suffix(5))
        let before = try #require(TripItemSpan(item, zones))
        let after = try #require(TripItemSpan(moved, zones))
        #expect(after.start - before.start == hours * 3_600_000)
    }

    @Test("A move there and back restores the date, and two moves equal one", arguments: [UInt64(1), 2, 3])
    func property(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<500 {
            let start = Int.random(in: -300_000...2_900_000, using: &random)
            let first = Int.random(in: -3_660...3_660, using: &random)
            let second = Int.random(in: -3_660...3_660, using: &random)
            guard let date = CalendarDate(days: start / 1_000 + 10_000) else { continue }
            let item = fields(.tripItem, ["start_time": .text(date.description + "T08:15")])
            let there = try #require(DateShift.moved(item, days: first))
            #expect(DateShift.moved(there, days: -first) == item, "seed \(seed)")
            #expect(DateShift.moved(there, days: second) == DateShift.moved(item, days: first + second), "seed \(seed)")
        }
    }

    @Test("A date that would leave the calendar is not moved", arguments: [("9999-12-31", 1), ("0001-01-01", -1), ("9990-01-01", 3_660)])
    func outOfCalendar(_ date: String, _ days: Int) {
        #expect(DateShift.moved(fields(.event, ["start_date": .text(date)]), days: days) == nil)
        #expect(DateShift.copied(fields(.event, ["start_date": .text(date)]), days: days) == nil)
    }

    @Test("A copy of an event has not happened yet")
    func copy() throws {
        let event = fields(.event, [
            "name": .text("Camp"), "start_date": .text("2026-02-27"), "attended": .flag(true), "registered": .flag(true), "cost": .text("20.00"),
            "coaches_present": .set([SetElement(id: id(4), name: "Al")]), "performance_notes": .text("Fast"), "stats_recorded": .json([123, 125]),
        ])
        let copy = try #require(DateShift.copied(event, days: 7))
        #expect(copy == fields(.event, [
            "name": .text("Camp"), "start_date": .text("2026-03-06"), "attended": .flag(false), "registered": .flag(false),
            "cost": .text("20.00"),
        ]))
    }

    @Test("Ids of copied items follow from both ids, are UUIDs of version 8, and differ")
    func itemIDs() {
        let ids = (0..<200).map { DateShift.itemID(trip: id(1), item: id($0)) } + (0..<200).map { DateShift.itemID(trip: id(2), item: id($0)) }
        #expect(Set(ids).count == 400)
        #expect(ids == (0..<200).map { DateShift.itemID(trip: id(1), item: id($0)) } + (0..<200).map { DateShift.itemID(trip: id(2), item: id($0)) })
        for identifier in ids {
            let text = Array(identifier.description)
            #expect(text[14] == "8")
            #expect("89ab".contains(text[19]))
        }
        // Computed by Python: uuid of sha256(trip.bytes + item.bytes)[:16] with version and variant set.
        #expect(DateShift.itemID(trip: id(1), item: id(2)).description == "479d08a0-57ff-87f4-9be9-5e086e2a4fe6")
    }
}


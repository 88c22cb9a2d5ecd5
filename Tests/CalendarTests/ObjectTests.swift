import Bytes
import Calendar
import Dates
import Family
import ICalendar
import Testing

@Suite("Records as objects of calendars")
struct ObjectTests {
    private func object(_ record: Record, zone: String = "America/New_York") throws -> CalendarObject {
        var builder = CalendarObjectBuilder(zone: zone, rules: zoneRules)
        let object = builder.object(record)
        return try #require(object)
    }

    @Test("An object has one entry with its zone, and of the description only what people wrote")
    func octets() throws {
        let event = record(
            .event, 10, athlete: Who.sofia, version: 3,
            [
                "type": "camp", "name": "Elite Camp", "start_date": "2026-06-20", "end_date": "2026-06-20", "start_time": "09:00", "end_time": "16:30",
                "time_zone": "America/Los_Angeles", "host": "Coach Lee", "cost": "150.00", "description": "Bring water.", "city": "Palo Alto",
            ])
        let object = try object(event)
        let calendar = try #require(try CalendarDecoder.components(object.octets).first)
        #expect(calendar.components.map(\.name) == ["VTIMEZONE", "VEVENT"])
        #expect(calendar.components[0].text("TZID") == "America/Los_Angeles")
        let entry = calendar.components[1]
        #expect(entry.text("DESCRIPTION") == "Bring water." && entry.text("LOCATION") == "Palo Alto" && entry.components.isEmpty)
        #expect(entry.text("UID") == event.id.description && object.id == event.id)
        #expect(object.tag.hasPrefix("3-") && CalendarObject.version(of: object.tag) == 3 && CalendarObject.version(of: "x") == nil)
        // 16:00 and 23:30 UTC.
        #expect(object.start == 1_781_971_200_000 && object.end == 1_781_998_200_000)
    }

    @Test("Days are days of the family's zone; the tag follows the octets as well as the version")
    func days() throws {
        let event = record(.event, 10, athlete: Who.sofia, ["type": "game", "name": "Game", "start_date": "2026-01-10"])
        let object = try object(event)
        // From midnight to midnight in New York.
        #expect(object.start == 1_768_021_200_000 && object.end == 1_768_107_600_000)
        let timed = record(.event, 10, athlete: Who.sofia, ["type": "game", "name": "Game", "start_date": "2026-01-10", "start_time": "09:00", "end_time": "10:00"])
        let here = try self.object(timed), there = try self.object(timed, zone: "Europe/Warsaw")
        #expect(here.tag != there.tag && here.tag.hasPrefix("1-") && there.tag.hasPrefix("1-"), "the family's zone shows")
        #expect(try self.object(timed).tag == here.tag)
    }

    @Test("Deleted records, and records without a date or of another kind, are not objects")
    func none() {
        var builder = CalendarObjectBuilder(zone: "UTC", rules: zoneRules)
        for none in [
            record(.event, 1, athlete: Who.sofia, deletedAt: noon, ["name": "Gone", "start_date": "2026-01-10"]),
            record(.event, 1, athlete: Who.sofia, ["name": "Someday"]), record(.trip, 1, ["name": "Trip", "start_date": "2026-01-10"]),
        ] {
            let object = builder.object(none)
            #expect(object?.tag == nil)
        }
    }

    @Test("A filter finds the texts of an entry by the names of its properties")
    func texts() throws {
        let item = record(
            .tripItem, 20, ["title": "Flight", "start_time": "2026-06-20T09:00", "end_time": "2026-06-20T11:00", "start_zone": "UTC", "category": "transportation"],
            references: ["trip_id": id(5)])
        let object = try object(item)
        #expect(object.text("SUMMARY") == "Flight" && object.text("UID") == item.id.description && object.text("CATEGORIES") == "Transportation")
        #expect(object.text("DTSTART") == "20260620T090000Z" && object.text("DESCRIPTION") == nil && object.text("X-OTHER") == nil)
    }
}

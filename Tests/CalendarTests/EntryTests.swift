import Bytes
import Calendar
import Dates
import Family
import ICalendar
import Testing

/// The one entry of a record.
private func entry(_ record: Record, zone: String = "America/New_York", records: FeedRecords? = nil) throws -> CalendarComponent {
    var all = records ?? FeedRecords(zone: zone, names: Who.names)
    switch record.kind {
    case .event: all.events.append(record)
    case .trip: all.trips.append(record)
    default: all.items.append(record)
    }
    let events = try feed(all).events
    return try #require(events.first { $0.text("UID") == record.id.description })
}

@Suite("Entries of records")
struct EntryTests {
    @Test("An event on a day is a date with an exclusive end, tentative, and its alarm is at 18:00 of the evening before")
    func wholeDay() throws {
        let entry = try CalendarTests.entry(record(.event, 10, athlete: Who.sofia, version: 3, ["type": "showcase", "name": "Fall, Showcase; A", "start_date": "2026-10-31", "end_date": "2026-11-01"]))
        #expect(entry["DTSTART"]?.value == "20261031" && entry["DTSTART"]?[parameter: "VALUE"] == "DATE")
        #expect(entry["DTEND"]?.value == "20261102" && entry["DTEND"]?[parameter: "VALUE"] == "DATE")
        #expect(entry.text("SUMMARY") == "Fall, Showcase; A")
        #expect(entry["STATUS"]?.value == "TENTATIVE" && entry["TRANSP"]?.value == "TRANSPARENT")
        #expect(entry["SEQUENCE"]?.value == "2" && entry["CREATED"]?.value == "20260401T100000Z")
        #expect(entry["DTSTAMP"]?.value == "20260401T120000Z" && entry["LAST-MODIFIED"]?.value == "20260401T120000Z")
        #expect(entry["CATEGORIES"]?.value == "Showcase")
        #expect(entry.components.map { $0["TRIGGER"]?.value } == ["-PT6H"])
    }

    @Test("An event with times has its own zone or else the family's, and its alarm is 30 minutes before its check-in")
    func timed() throws {
        var texts = [
            "type": "camp", "name": "Elite Camp", "start_date": "2026-06-20", "end_date": "2026-06-21", "start_time": "09:00", "end_time": "16:30",
            "time_zone": "America/Los_Angeles", "checkin_time": "08:15", "location": "Main field", "address": "1 Ball Rd", "city": "Palo Alto", "state": "CA",
            "cost": "150.00", "url": "https://camp.example/a,b;c", "description": "Bring water.\nAnd cleats.", "host": "Coach Lee",
        ]
        var entry = try CalendarTests.entry(record(.event, 10, athlete: Who.sofia, texts, flags: ["registered"]))
        #expect(entry["DTSTART"]?.value == "20260620T090000" && entry["DTSTART"]?[parameter: "TZID"] == "America/Los_Angeles")
        #expect(entry["DTEND"]?.value == "20260621T163000" && entry["DTEND"]?[parameter: "TZID"] == "America/Los_Angeles")
        #expect(entry["STATUS"]?.value == "CONFIRMED" && entry["TRANSP"]?.value == "OPAQUE")
        #expect(entry.text("LOCATION") == "Main field, 1 Ball Rd, Palo Alto, CA")
        #expect(entry["URL"]?.value == "https://camp.example/a,b;c")
        #expect(
            entry.text("DESCRIPTION")
                == "Athlete: Sofia Rivera\nCheck-in: 08:15\nHost: Coach Lee\nCost: $150.00\nLink: https://camp.example/a,b;c\n\nBring water.\nAnd cleats.")
        #expect(entry.components.map { $0["TRIGGER"]?.value } == ["-PT1H15M"])
        texts["time_zone"] = nil
        texts["checkin_time"] = "10:00"
        entry = try self.entry(texts)
        #expect(entry["DTSTART"]?[parameter: "TZID"] == "America/New_York")
        #expect(entry.components.map { $0["TRIGGER"]?.value } == ["PT30M"], "a check-in after the start")
    }

    @Test("Alarms are at the owner's own lead times, by kind and athlete, and a member without reminders has none")
    func ownLeads() throws {
        var records = FeedRecords(zone: "America/New_York", names: Who.names)
        records.rule.leads = [.event: [0, 120], .tripItem: [10], .allDay: [900, 1800]]
        records.rule.athletes = [Who.mateo: [.event: []]]
        let timed = ["type": "game", "name": "A", "start_date": "2026-06-20", "start_time": "09:00", "end_time": "10:00", "checkin_time": "08:00"]
        func alarms(_ record: Record) throws -> [String?] { try CalendarTests.entry(record, records: records).components.map { $0["TRIGGER"]?.value } }
        #expect(try alarms(record(.event, 10, athlete: Who.sofia, timed)) == ["-PT3H", "-PT1H"])
        #expect(try alarms(record(.event, 11, athlete: Who.mateo, timed)) == [])
        #expect(try alarms(record(.event, 12, athlete: Who.mateo, ["type": "game", "name": "B", "start_date": "2026-06-20"])) == ["-PT30H", "-PT15H"])
        let item = ["title": "Bus", "start_time": "2026-06-20T09:00", "start_zone": "UTC", "end_time": "2026-06-20T10:00", "end_zone": "UTC"]
        records.trips = [record(.trip, 20, ["name": "Tour", "start_date": "2026-06-20"])]
        let bus = record(.tripItem, 13, item, flags: ["include_in_itinerary"], references: ["trip_id": id(20)])
        #expect(try alarms(bus) == ["-PT10M"])
        records.rule.calendarReminds = true
        #expect(try alarms(bus) == ["-PT10M"])
        records.rule.isMuted = true
        #expect(try alarms(bus) == [])
    }

    private func entry(_ texts: [String: String]) throws -> CalendarComponent { try CalendarTests.entry(record(.event, 10, athlete: Who.sofia, texts)) }

    @Test("School and contacts come from their records, and a school that is gone by its kept name")
    func contacts() throws {
        let school = record(.school, 20, ["name": "State University"])
        let coaches = (0..<7).map { record(.coach, 30 + $0, ["first_name": "Coach", "last_name": "\($0)", "role": "Head", "email": "c\($0)@state.example"], references: ["school_id": school.id]) }
        let event = record(
            .event, 10, athlete: Who.sofia, ["type": "official_visit", "name": "Visit", "start_date": "2026-06-20", "school_name": "Old name"],
            references: ["school_id": school.id])
        let known = try CalendarTests.entry(event, records: FeedRecords(zone: "UTC", schools: [school], coaches: coaches, names: Who.names)).text("DESCRIPTION")
        #expect(known == "Athlete: Sofia Rivera\nSchool: State University\n" + (0..<5).map { "Contact: Coach \($0), Head, c\($0)@state.example" }.joined(separator: "\n"))
        let gone = try CalendarTests.entry(event).text("DESCRIPTION")
        #expect(gone == "Athlete: Sofia Rivera\nSchool: Old name")
    }

    @Test("An item has a zone for its start and one for its end; without an end it lasts all day")
    func items() throws {
        var texts = [
            "title": "Flight", "start_time": "2026-06-19T21:30", "start_zone": "America/New_York", "end_time": "2026-06-20T00:45", "end_zone": "America/Los_Angeles",
            "category": "transportation", "location": "JFK", "description": "Seat 12A",
        ]
        let trip = record(.trip, 40, ["name": "West coast", "start_date": "2026-06-19", "end_date": "2026-06-24", "time_zone": "America/Los_Angeles"])
        var records = FeedRecords(zone: "America/New_York", names: Who.names)
        records.trips = [trip]
        func item() -> Record { record(.tripItem, 41, texts, flags: ["include_in_itinerary"], references: ["trip_id": trip.id], participants: [Who.sofia, Who.parent]) }
        var entry = try CalendarTests.entry(item(), records: records)
        #expect(entry["DTSTART"]?[parameter: "TZID"] == "America/New_York" && entry["DTEND"]?[parameter: "TZID"] == "America/Los_Angeles")
        #expect(entry.text("DESCRIPTION") == "Trip: West coast\nWith: Sofia Rivera, Ana Rivera\n\nSeat 12A")
        #expect(entry["STATUS"]?.value == "CONFIRMED" && entry["TRANSP"]?.value == "OPAQUE" && entry["CATEGORIES"]?.value == "Transportation")
        #expect(entry.components.map { $0["TRIGGER"]?.value } == ["-PT30M"])
        texts["end_time"] = nil
        entry = try CalendarTests.entry(item(), records: records)
        #expect(entry["DTSTART"]?.value == "20260619" && entry["DTEND"]?.value == "20260620")
        #expect(entry.text("DESCRIPTION")?.hasPrefix("From 21:30\n") == true)
        #expect(entry["TRANSP"]?.value == "TRANSPARENT")
        let shown = try CalendarTests.entry(trip)
        #expect(shown["DTSTART"]?.value == "20260619" && shown["DTEND"]?.value == "20260625" && shown["CATEGORIES"]?.value == "Trip")
    }

    @Test("A time in the gap of the clocks is said as they show it, and an end that the gap passes is left out")
    func gap() throws {
        var texts = ["type": "game", "name": "Early", "start_date": "2026-03-08", "end_date": "2026-03-08", "start_time": "02:30", "end_time": "03:15"]
        var entry = try entry(texts)
        #expect(entry["DTSTART"]?.value == "20260308T033000" && entry["DTEND"] == nil)
        texts["end_time"] = "04:00"
        entry = try self.entry(texts)
        #expect(entry["DTSTART"]?.value == "20260308T033000" && entry["DTEND"]?.value == "20260308T040000")
    }

    @Test("Zones that have no rules here are taken for UTC, as everywhere in Huddle")
    func unknownZone() throws {
        for zone in ["Mars/Olympus", "UTC", "Etc/UTC"] {
            let feed = feed(FeedRecords(zone: zone, events: [record(.event, 10, ["type": "game", "name": "A", "start_date": "2026-05-01", "start_time": "10:00", "end_time": "11:00"])]))
            #expect(try feed.calendar.components.map(\.name) == ["VEVENT"])
            #expect(try feed.events[0]["DTSTART"]?.value == "20260501T100000Z")
        }
    }

    @Test("Events at the ends of the calendar have an entry")
    func ends() throws {
        #expect(try entry(["type": "game", "name": "Last", "start_date": "9999-12-31"])["DTEND"] == nil)
        #expect(try entry(["type": "game", "name": "Last", "start_date": "9999-12-31", "start_time": "23:30", "end_time": "23:45"])["DTSTART"]?.value == "99991231T233000")
    }

    @Test("A deleted record is cancelled for seven days, without alarm, and gone afterwards")
    func cancelled() throws {
        let texts = ["type": "game", "name": "Off", "start_date": "2026-05-01", "start_time": "10:00", "end_time": "11:00"]
        let day: Int64 = 86_400_000
        let gone = record(.event, 10, athlete: Who.sofia, version: 2, deletedAt: noon - 6 * day, texts, flags: ["registered"])
        let entry = try CalendarTests.entry(gone)
        #expect(entry["STATUS"]?.value == "CANCELLED" && entry["TRANSP"]?.value == "TRANSPARENT" && entry.components.isEmpty)
        #expect(try feed(FeedRecords(zone: "UTC", events: [record(.event, 10, deletedAt: noon - 8 * day, texts)])).events.isEmpty)
    }
}

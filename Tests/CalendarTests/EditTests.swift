import Bytes
import Calendar
import Dates
import Family
import ICalendar
import TestSupport
import Testing

/// The object of a record, as a program gets it.
private func object(_ record: Record, zone: String = "America/New_York") throws -> String {
    var builder = CalendarObjectBuilder(zone: zone, rules: zoneRules)
    let object = builder.object(record)
    return String(decoding: try #require(object).octets, as: UTF8.self)
}

private func edit(_ text: String) throws(CalendarFault) -> CalendarEdit { try CalendarEdit(Array(text.utf8)) }

/// The fields that an edited object changes, by name; an empty text stands for an emptied field.
private func changes(_ record: Record, zone: String = "America/New_York", _ change: (String) -> String) throws -> [String: String] {
    let patch = try edit(change(try object(record, zone: zone))).patch(of: record, zone: zone, rules: zoneRules)
    #expect(patch.setEdits.isEmpty)
    return Dictionary(
        uniqueKeysWithValues: patch.assignments.map { (record.kind.declaration.fields[$0.field].name, text($0.value)) })
}

private func text(_ value: Value?) -> String {
    switch value {
    case .text(let text)?: text
    case .flag(let flag)?: "\(flag)"
    case nil: ""
    default: "?"
    }
}

/// An object of one VEVENT with these lines.
private func calendar(_ lines: [String], zones: String = "") -> String {
    (["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//T//T//EN"] + (zones.isEmpty ? [] : [zones]) + ["BEGIN:VEVENT", "UID:\(id(10))", "DTSTAMP:20260101T000000Z"] + lines
        + ["END:VEVENT", "END:VCALENDAR", ""]).joined(separator: "\r\n")
}

private func fault(_ text: String) -> CalendarFault? {
    do throws(CalendarFault) {
        _ = try edit(text)
        return nil
    } catch { return error }
}

private let camp = record(
    .event, 10, athlete: Who.sofia,
    [
        "type": "camp", "name": "Camp", "start_date": "2026-06-20", "end_date": "2026-06-21", "start_time": "09:00", "end_time": "16:30",
        "location": "Field", "address": "1 Ball Rd", "city": "Palo Alto", "state": "CA", "url": "https://camp.example/a", "description": "Bring water.\nAnd cleats.",
        "checkin_time": "08:15",
    ])

@Suite("Entries that programs edit")
struct EditTests {
    @Test("An entry that comes back as it is changes nothing, whatever the record (500 records)")
    func roundTrip() throws {
        var random = SplitMix64.fresh()
        let zones = ["America/New_York", "Europe/Warsaw", "Asia/Kolkata", "Australia/Lord_Howe", "America/St_Johns", "UTC"]
        for number in 0..<500 {
            func time() -> String { LocalTime(minutes: random.below(1_440))?.description ?? "00:00" }
            let day = date("2026-01-01").adding(days: random.below(730)) ?? today
            let last = day.adding(days: random.chance(30) ? random.below(4) : 0) ?? day
            let family = random.one(of: zones)
            var record: Record
            if random.chance(50) {
                record = CalendarTests.record(.event, 10, athlete: Who.sofia, ["type": random.one(of: ["camp", "game"]), "name": "A, b; \\c\n", "start_date": day.description, "end_date": last.description], flags: random.chance(50) ? ["registered"] : [])
                if random.chance(70) {
                    let (start, end) = (time(), time())
                    record.fields["start_time"] = .text(start)
                    if random.chance(80) { record.fields["end_time"] = .text(last > day ? end : max(start, end)) }
                    if random.chance(50) { record.fields["time_zone"] = .text(random.one(of: zones)) }
                }
            } else {
                record = CalendarTests.record(.tripItem, 10, ["title": "Flight", "start_time": "\(day)T\(time())", "start_zone": random.one(of: zones), "category": "activity"], references: ["trip_id": id(5)])
                if random.chance(70) {
                    record.fields["end_time"] = .text("\(last.adding(days: 2) ?? last)T\(time())")
                    record.fields["end_zone"] = .text(random.one(of: zones))
                }
            }
            if random.chance(50) { record.fields["location"] = .text("Łódź, 1") }
            if random.chance(50) { record.fields["description"] = .text("Line\n\nLine 🏟") }
            #expect(try changes(record, zone: family) { $0 } == [:], "seed \(random.seed), \(number): \(record.fields)")
        }
    }

    @Test("Only what differs is written: a title, a text, a link, a status, a type")
    func texts() throws {
        #expect(try changes(camp) { $0.replacing("SUMMARY:Camp", with: "SUMMARY:Elite\\, Camp") } == ["name": "Elite, Camp"])
        #expect(try changes(camp) { $0.replacing("DESCRIPTION:Bring water.\\nAnd cleats.\r\n", with: "") } == ["description": ""])
        #expect(try changes(camp) { $0.replacing("STATUS:TENTATIVE", with: "STATUS:CONFIRMED") } == ["registered": "true"])
        #expect(try changes(camp) { $0.replacing("URL:https://camp.example/a", with: "URL:https://camp.example/b") } == ["url": "https://camp.example/b"])
        #expect(try changes(camp) { $0.replacing("CATEGORIES:Camp", with: "CATEGORIES:Friends,showcase") } == ["type": "showcase"])
        #expect(try changes(camp) { $0.replacing("CATEGORIES:Camp", with: "CATEGORIES:Friends") } == [:])
        #expect(try changes(camp) { $0.replacing("END:VEVENT", with: "X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC\r\nBEGIN:VALARM\r\nTRIGGER:-PT1H\r\nEND:VALARM\r\nEND:VEVENT") } == [:])
    }

    @Test("Another place clears the parts of the old address")
    func location() throws {
        #expect(try changes(camp) { $0.replacing("LOCATION:Field\\, 1 Ball Rd\\, Palo Alto\\, CA", with: "LOCATION:Gym\\nHall 2") } == ["location": "Gym, Hall 2", "address": "", "city": "", "state": ""])
    }

    @Test("A moved event keeps its zone, and its end is on the clocks of its start")
    func moves() throws {
        func move(_ start: String, _ end: String) throws -> [String: String] {
            try changes(camp) { $0.replacing("DTSTART;TZID=America/New_York:20260620T090000", with: start).replacing("DTEND;TZID=America/New_York:20260621T163000", with: end) }
        }
        #expect(try move("DTSTART;TZID=America/New_York:20260622T100000", "DTEND;TZID=America/New_York:20260622T120000") == ["start_date": "2026-06-22", "end_date": "2026-06-22", "start_time": "10:00", "end_time": "12:00"])
        #expect(try move("DTSTART:20260620T130000Z", "DTEND:20260621T203000Z") == [:], "the same instants")
        #expect(try move("DTSTART:20260620T140000Z", "DTEND:20260621T203000Z") == ["start_time": "10:00"])
        #expect(try move("DTSTART:20260620T100000", "DURATION:P1DT30M") == ["start_time": "10:00", "end_time": "10:30"])
        #expect(try move("DTSTART;VALUE=DATE:20260620", "DTEND;VALUE=DATE:20260621") == ["end_date": "2026-06-20", "start_time": "", "end_time": ""])
        #expect(try move("DTSTART;TZID=Europe/Warsaw:20260620T090000", "DTEND;TZID=America/New_York:20260620T040000") == ["end_date": "2026-06-20", "end_time": "10:00", "time_zone": "Europe/Warsaw"])
    }

    @Test("Zones are found by the names of IANA, of programs and of Windows, and a private one by its clocks")
    func zones() throws {
        func zone(_ name: String, _ component: String = "") throws -> String? {
            let patch = try edit(calendar(["DTSTART;TZID=\"\(name)\":20260620T090000", "SUMMARY:X"], zones: component)).fields(of: .event, zone: "America/New_York", rules: zoneRules)
            return patch.assignments.first { $0.field == Kind.event.declaration.index(of: "time_zone") }.map { text($0.value) }
        }
        #expect(try zone("Europe/Warsaw") == "Europe/Warsaw" && zone("/mozilla.org/20050126_1/Europe/Berlin") == "Europe/Berlin")
        #expect(try zone("Pacific Standard Time") == "America/Los_Angeles" && zone("America/New_York") == nil, "the family's own needs no field")
        func component(_ name: String, _ standard: String, _ daylight: String?, _ more: String = "X-A:1") -> String {
            (["BEGIN:VTIMEZONE", "TZID:\(name)", more, "BEGIN:STANDARD", "DTSTART:19701101T020000", "TZOFFSETFROM:\(daylight ?? standard)", "TZOFFSETTO:\(standard)", "END:STANDARD"]
                + (daylight.map { ["BEGIN:DAYLIGHT", "DTSTART:19700301T020000", "TZOFFSETFROM:\(standard)", "TZOFFSETTO:\($0)", "END:DAYLIGHT"] } ?? []) + ["END:VTIMEZONE"]).joined(separator: "\r\n")
        }
        #expect(try zone("My zone", component("My zone", "-0800", "-0700")) == "America/Los_Angeles")
        #expect(try zone("India", component("India", "+0530", nil)) == "Asia/Kolkata")
        #expect(try zone("Custom", component("Custom", "-0800", "-0700", "X-LIC-LOCATION:Europe/Madrid")) == "Europe/Madrid")
        for (name, component) in [("Mars/Base", ""), ("Odd", component("Odd", "+0317", nil)), ("Bad", component("Bad", "x", nil)), ("../etc/passwd", "")] {
            #expect(throws: CalendarFault(.object, "The time zone \(name) is not known.")) { try zone(name, component) }
        }
    }

    @Test("A new entry is an event of the type in CATEGORIES, otherwise a game; in an itinerary it is an activity by the rules")
    func creation() throws {
        func fields(_ kind: Kind, _ lines: String...) throws -> [String: String] {
            let patch = try edit(calendar(lines)).fields(of: kind, zone: "America/New_York", rules: zoneRules)
            return Dictionary(uniqueKeysWithValues: patch.assignments.map { (kind.declaration.fields[$0.field].name, text($0.value)) })
        }
        #expect(try fields(.event, "SUMMARY:Final", "DTSTART;VALUE=DATE:20260620") == ["type": "game", "name": "Final", "start_date": "2026-06-20", "end_date": "2026-06-20"])
        #expect(
            try fields(.event, "SUMMARY:Final", "CATEGORIES:Official Visit", "STATUS:CONFIRMED", "DTSTART:20260620T130000Z", "DTEND:20260620T150000Z")
                == ["type": "official_visit", "name": "Final", "registered": "true", "start_date": "2026-06-20", "end_date": "2026-06-20", "start_time": "09:00", "end_time": "11:00"])
        #expect(
            try fields(.tripItem, "SUMMARY:Flight", "DTSTART;TZID=America/New_York:20260620T090000", "DTEND;TZID=Europe/London:20260620T210000", "CATEGORIES:Transportation")
                == [
                    "title": "Flight", "category": "transportation", "start_time": "2026-06-20T09:00", "start_zone": "America/New_York", "end_time": "2026-06-20T21:00",
                    "end_zone": "Europe/London",
                ])
        #expect(
            try fields(.tripItem, "SUMMARY:Hotel", "DTSTART;VALUE=DATE:20260620", "DTEND;VALUE=DATE:20260623")
                == ["title": "Hotel", "start_time": "2026-06-20T00:00", "start_zone": "America/New_York", "end_time": "2026-06-23T00:00", "end_zone": "America/New_York"])
    }

    @Test("An item on a day keeps the time that it has")
    func days() throws {
        let item = record(.tripItem, 10, ["title": "Check in", "start_time": "2026-06-20T15:00", "start_zone": "UTC", "category": "other"], references: ["trip_id": id(5)])
        #expect(try changes(item) { $0.replacing("20260620", with: "20260625").replacing("20260621", with: "20260626") } == ["start_time": "2026-06-25T15:00"])
    }

    @Test("Content that is not one entry is refused with the condition of the RFC")
    func faults() {
        let start = "DTSTART:20260620T130000Z"
        #expect(fault(calendar([start])) == nil)
        for (text, condition) in [
            ("", .data), ("BEGIN:VEVENT\r\nEND:VEVENT\r\n", .data), (calendar([start]) + calendar([start]), .data), ("BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", .object),
            (calendar([]), .object), (calendar(["DTSTART:tomorrow"]), .data), (calendar([start, "DTEND;VALUE=DATE:20260621"]), .object),
            (calendar([start, "DTEND:20260620T140000Z", "DURATION:PT1H"]), .object), (calendar([start, "DURATION:-PT1H"]), .data),
            (calendar([start, "RRULE:FREQ=WEEKLY"]), .object), (calendar([start, "RECURRENCE-ID:20260620T130000Z"]), .object), (calendar([start, "UID:2"]), .object),
            (calendar([start]).replacing("VEVENT", with: "VTODO"), .component), (calendar([start]).replacing("VERSION:2.0", with: "METHOD:REQUEST"), .object),
            (calendar([start, "END:VEVENT", "BEGIN:VEVENT", "UID:2", start]), .object), (calendar([start, "X-A:\u{1}"]), .data),
            (calendar([start, "X-A:" + String(repeating: "a", count: 65_536)]), .size), (calendar([start, "SUMMARY:a\rb"]), .data),
            (calendar(Array(repeating: "X-A:1", count: 10_000)), .size), (calendar([start] + Array(repeating: "X:1", count: 3_000)), .data),
        ] as [(String, CalendarFault.Condition)] {
            #expect(fault(text)?.condition == condition, "\(text.prefix(300))")
        }
        for (first, last) in [("DTSTART:20260620T130000Z", "DTEND:20260620T120000Z"), ("DTSTART;VALUE=DATE:20260620", "DTEND;VALUE=DATE:20260618")] {
            #expect(throws: CalendarFault(.object, "The entry ends before it starts.")) {
                try edit(calendar([first, last])).fields(of: .event, zone: "UTC", rules: zoneRules)
            }
        }
        #expect(throws: Never.self) { try edit(calendar(["DTSTART;VALUE=DATE:20260620", "DTEND;VALUE=DATE:20260620"])).fields(of: .event, zone: "UTC", rules: zoneRules) }
    }
}

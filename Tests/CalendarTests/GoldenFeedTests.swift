import Bytes
import Calendar
import Dates
import Family
import ICalendar
import JSON
import Posix
import Testing

/// Feeds of every kind in zones of every sort, kept in `proto/calendars` for other programs: each feed, and what a reader has to find in it.
/// `Tests/Python/calendars.py` reads them with three other parsers.
@Suite("Golden feeds")
struct GoldenFeedTests {
    private static let folder =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/") + "/proto/calendars"

    /// Half an hour off, gap and fold by an hour and by half of one, southern summers, no rules, none that this machine has.
    private static let zones = [
        ("new-york", "America/New_York"), ("st-johns", "America/St_Johns"), ("warsaw", "Europe/Warsaw"), ("kolkata", "Asia/Kolkata"),
        ("lord-howe", "Australia/Lord_Howe"), ("nuuk", "America/Nuuk"), ("utc", "UTC"), ("unknown", "Mars/Olympus"),
    ]

    private static func records(_ zone: String) -> FeedRecords {
        var records = FeedRecords(zone: zone, names: Who.names)
        let school = record(.school, 1, ["name": "State, University; of \\ Łódź"])
        records.schools = [school]
        records.coaches = [record(.coach, 2, ["first_name": "Zoë", "last_name": "Ó Briain", "role": "Pitching", "phone": "+1 555 0100"], references: ["school_id": school.id])]
        func event(_ number: UInt64, _ name: String, _ texts: [String: String], version: Int64 = 1, deleted: Bool = false, registered: Bool = false) {
            var texts = texts
            texts["name"] = name
            records.events.append(
                record(
                    .event, 0x100 + number, athlete: number % 2 == 0 ? Who.sofia : Who.mateo, version: version, deletedAt: deleted ? noon : nil, texts,
                    flags: registered ? ["registered"] : [], references: number % 3 == 0 ? ["school_id": school.id] : [:]))
        }
        func timed(_ type: String, _ first: String, _ start: String, _ last: String, _ end: String, _ more: [String: String] = [:]) -> [String: String] {
            more.merging(["type": type, "start_date": first, "start_time": start, "end_date": last, "end_time": end]) { first, _ in first }
        }
        event(0, "Camp of three days", timed("camp", "2026-06-20", "09:00", "2026-06-22", "15:00", ["checkin_time": "08:00", "cost": "149.50", "url": "https://camp.example/?a=1,2;b"]), registered: true)
        event(1, "Showcase on a day", ["type": "showcase", "start_date": "2026-07-04", "end_date": "2026-07-04"])
        event(2, "Official visit over the year's end", ["type": "official_visit", "start_date": "2026-12-30", "end_date": "2027-01-02"], version: 4)
        event(3, "Unofficial visit", timed("unofficial_visit", "2026-09-01", "13:00", "2026-09-01", "14:00", ["description": "Línea uno, 🏟\n\\two; \"three\""]))
        event(4, "Game at midnight", timed("game", "2026-12-31", "23:30", "2027-01-01", "00:30"))
        event(5, "Game that was cancelled", timed("game", "2026-05-02", "10:00", "2026-05-02", "12:00"), version: 2, deleted: true)
        event(6, "Game on 29 February", timed("game", "2028-02-29", "08:00", "2028-02-29", "09:00"))
        // Each is in a gap or a fold of one of the zones.
        for (number, day, start, end) in [
            (10, "2026-03-08", "02:30", "04:30"), (11, "2026-11-01", "01:30", "02:30"), (12, "2026-03-29", "02:15", "03:45"), (13, "2026-10-25", "02:30", "03:30"),
            (14, "2026-10-04", "02:15", "03:15"), (15, "2026-04-05", "01:45", "02:15"), (16, "2027-03-27", "23:30", "23:59"), (17, "2026-10-24", "23:30", "23:45"),
        ] as [(UInt64, String, String, String)] {
            event(number, "Night of \(day)", timed("game", day, start, day, end))
        }
        records.trips = [
            record(.trip, 0x200, ["name": "Trip", "start_date": "2026-10-24", "end_date": "2026-10-26", "time_zone": zone, "location": "Coast", "notes": "Passports"], participants: [Who.sofia, Who.parent])
        ]
        for (number, title, start, end, category) in [
            (0, "Flight", "2026-10-24T22:00", "2026-10-25T06:30", "transportation"), (1, "Hotel", "2026-10-25T15:00", "2026-10-26T11:00", "accommodation"),
            (2, "Museum", "2026-10-25T10:00", nil, "activity"), (3, "Dinner", "2026-10-25T19:00", "2026-10-25T20:30", "food"),
            (4, "Concert", "2026-10-25T21:00", "2026-10-26T00:00", "entertainment"), (5, "Packing", "2026-10-24T00:00", nil, "other"),
        ] as [(UInt64, String, String, String?, String)] {
            var texts = ["title": title, "start_time": start, "start_zone": number == 0 ? "Asia/Kathmandu" : zone, "category": category]
            if let end { (texts["end_time"], texts["end_zone"]) = (end, zone) }
            records.items.append(record(.tripItem, 0x300 + number, texts, flags: ["include_in_itinerary"], references: ["trip_id": records.trips[0].id]))
        }
        return records
    }

    /// The content of a feed, found without the code that wrote it: days and instants by the rules of the zones.
    private static func expected(_ records: FeedRecords) -> [UInt8] {
        func rules(_ zone: String?) -> ZoneRules { zone.flatMap { zoneRules($0) } ?? .utc }
        var writer = JSONWriter()
        writer.beginArray()
        for record in records.events + records.trips + records.items {
            let fields = record.fields
            var (start, end, isDay): (String, String?, Bool)
            func instant(_ local: LocalDateTime, _ zone: String?) -> String { RFC3339.text(rules(zone).instant(of: local)).replacing(".000Z", with: "Z") }
            func following(_ day: String) -> String { date(day).adding(days: 1)?.description ?? "" }
            switch record.kind {
            case .tripItem:
                let local = fields.text("start_time").flatMap { LocalDateTime($0) } ?? LocalDateTime(date: .first, time: .midnight)
                isDay = fields["end_time"] == nil
                start = isDay ? local.date.description : instant(local, fields.text("start_zone"))
                end = isDay ? following(local.date.description) : fields.text("end_time").flatMap { LocalDateTime($0) }.map { instant($0, fields.text("end_zone")) }
            default:
                let (first, last) = (fields.text("start_date") ?? "", fields.text("end_date") ?? "")
                isDay = fields["start_time"] == nil
                start = isDay ? first : LocalDateTime(first + "T" + (fields.text("start_time") ?? "")).map { instant($0, records.zone) } ?? ""
                end = isDay ? following(last) : LocalDateTime(last + "T" + (fields.text("end_time") ?? "")).map { instant($0, records.zone) }
            }
            if let last = end, last <= start { end = nil }
            writer.beginObject()
            for (name, text) in [
                ("uid", record.id.description), ("title", fields.shownName), ("start", start), ("end", end),
                ("status", record.isDeleted ? "CANCELLED" : record.kind != .event || fields.flag("registered") ? "CONFIRMED" : "TENTATIVE"),
            ] where text != nil {
                writer.key(name)
                writer.string(text ?? "")
            }
            writer.key("revision")
            writer.integer(record.version - 1)
            writer.endObject()
        }
        writer.endArray()
        return writer.octets + [0x0A]
    }

    @Test("The feeds in proto/calendars are what the rules write, and say what the records say", arguments: zones.map(\.0))
    func golden(_ name: String) throws {
        let zone = try #require(Self.zones.first { $0.0 == name }?.1)
        let records = Self.records(zone)
        let file = feed(records, FeedSettings(name: "Season in \(zone)", scope: .all, kinds: FeedSettings.feedKinds))
        #expect(file.leftOut == 0 && file.entries == 22)
        let expected = Self.expected(records)
        for (path, octets) in [("\(Self.folder)/\(name).ics", file.octets), ("\(Self.folder)/\(name).json", expected)] {
            if Environment.value("HUDDLE_WRITE_PROTO") != nil {
                try Files.makeFolders(Self.folder, mode: 0o755)
                try Files.write(octets, to: path, mode: 0o644)
            }
            #expect(try Files.read(path, limit: 1 << 20) == octets, "\(path) differs: run this test with HUDDLE_WRITE_PROTO=1")
        }
        let lines = String(decoding: file.octets, as: UTF8.self).replacing("\r\n", with: "\u{1}").split(separator: "\u{1}")
        #expect(lines.allSatisfy { $0.utf8.count <= 75 && !$0.utf8.contains(0x0A) && !$0.utf8.contains(0x0D) })
    }

    @Test("An export has the given records and no address")
    func export() throws {
        let records = Self.records("Europe/Warsaw")
        let file = FeedFile(exporting: [records.events[0]], records, name: "Camp", today: today, rules: zoneRules)
        #expect(try file.titles == ["Camp of three days"])
        #expect(try file.calendar["SOURCE"] == nil && file.calendar.text("NAME") == "Camp")
    }
}

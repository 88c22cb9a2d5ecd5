import Bytes
import Calendar
import Dates
import Family
import ICalendar
import TestSupport
import Testing

private func event(_ number: UInt64, _ name: String, _ athlete: Identifier, _ day: String = "2026-05-01", text: String = "Bring water") -> Record {
    record(.event, number, athlete: athlete, ["type": "game", "name": name, "start_date": day, "start_time": "10:00", "end_time": "11:00", "description": text, "city": "Boston"])
}

private func trip(_ number: UInt64, _ name: String, _ participants: [Identifier] = []) -> Record {
    record(.trip, number, ["name": name, "start_date": "2026-06-01", "end_date": "2026-06-03", "time_zone": "Europe/Warsaw"], participants: participants)
}

private func item(_ number: UInt64, _ title: String, _ trip: UInt64, _ participants: [Identifier] = [], isShown: Bool = true) -> Record {
    record(
        .tripItem, number, ["title": title, "start_time": "2026-06-01T10:00", "start_zone": "Europe/Warsaw", "category": "food"],
        flags: isShown ? ["include_in_itinerary"] : [], references: ["trip_id": id(trip)], participants: participants)
}

private let season = FeedRecords(
    zone: "America/New_York", events: [event(10, "Sofia's game", Who.sofia), event(11, "Mateo's game", Who.mateo)],
    trips: [trip(20, "All of us"), trip(21, "Mateo's trip", [Who.mateo])],
    items: [
        item(30, "Breakfast", 20), item(31, "Sofia's lunch", 20, [Who.sofia]), item(32, "Mateo's dinner", 21), item(33, "Left out", 20, isShown: false),
    ], names: Who.names)

@Suite("Feeds")
struct FeedTests {
    @Test(
        "The scope decides what a feed shows",
        arguments: [
            (FeedScope.all, Who.parent, Role.parent, ["All of us", "Breakfast", "Mateo's dinner", "Mateo's game", "Mateo's trip", "Sofia's game", "Sofia's lunch"]),
            (.mine(athletes: []), Who.sofia, .athlete, ["All of us", "Breakfast", "Sofia's game", "Sofia's lunch"]),
            (.mine(athletes: []), Who.mateo, .athlete, ["All of us", "Breakfast", "Mateo's dinner", "Mateo's game", "Mateo's trip"]),
            (.mine(athletes: []), Who.parent, .parent, ["All of us", "Breakfast", "Mateo's game", "Sofia's game"]),
            (.mine(athletes: [Who.sofia]), Who.parent, .parent, ["All of us", "Breakfast", "Sofia's game"]),
            (.athlete(Who.mateo), Who.parent, .parent, ["All of us", "Breakfast", "Mateo's dinner", "Mateo's game", "Mateo's trip"]),
            (.trip(id(20)), Who.guest, .guest, ["All of us", "Breakfast", "Sofia's lunch"]),
            (.trip(id(77)), Who.parent, .parent, []),
        ])
    func scopes(_ scope: FeedScope, _ member: Identifier, _ role: Role, _ titles: [String]) throws {
        let feed = feed(season, FeedSettings(name: "F", scope: scope, kinds: FeedSettings.feedKinds), of: FeedOwner(member: member, role: role))
        #expect(try feed.titles.sorted() == titles)
        #expect(feed.entries == titles.count && feed.leftOut == 0)
    }

    @Test("The kinds decide as well", arguments: [
        ([Kind.event], ["Mateo's game", "Sofia's game"]), ([.trip], ["All of us", "Mateo's trip"]), ([.tripItem], ["Breakfast", "Mateo's dinner", "Sofia's lunch"]),
    ])
    func kinds(_ kinds: [Kind], _ titles: [String]) throws {
        #expect(try feed(season, FeedSettings(name: "F", scope: .all, kinds: kinds)).titles.sorted() == titles)
    }

    @Test("A busy feed shows times and nothing else")
    func busy() throws {
        let feed = feed(season, FeedSettings(name: "F", scope: .all, kinds: FeedSettings.feedKinds, detail: .busy))
        let full = try self.full()
        let events = try feed.events
        #expect(events.count == 7)
        for entry in events {
            #expect(entry.text("SUMMARY") == "Busy")
            for name in ["DESCRIPTION", "LOCATION", "URL", "CATEGORIES"] { #expect(entry[name] == nil) }
            #expect(entry.components.allSatisfy { $0.text("DESCRIPTION") == "Busy" })
            let same = try #require(full.first { $0.text("UID") == entry.text("UID") })
            for name in ["DTSTART", "DTEND", "STATUS", "TRANSP", "SEQUENCE"] { #expect(entry[name] == same[name]) }
        }
        // No word of a record is anywhere in the octets.
        let text = String(decoding: feed.octets, as: UTF8.self)
        for word in ["Sofia", "Mateo", "game", "Boston", "water", "Breakfast"] { #expect(!text.contains(word), "\(word)") }
    }

    private func full() throws -> [CalendarComponent] { try feed(season).events }

    @Test("Alarms can be switched off")
    func alarms() throws {
        #expect(try full().allSatisfy { $0.components.map(\.name) == ["VALARM"] })
        #expect(try feed(season, FeedSettings(name: "F", scope: .all, hasAlarms: false)).events.allSatisfy(\.components.isEmpty))
    }

    @Test("The feed has a name, a colour, its refresh interval and its address, and one VTIMEZONE per zone")
    func head() throws {
        let calendar = try feed(season, FeedSettings(name: "Season, Rivera", scope: .all)).calendar
        #expect(calendar.text("NAME") == "Season, Rivera" && calendar.text("X-WR-CALNAME") == "Season, Rivera")
        #expect(calendar["COLOR"]?.value == "slateblue" && calendar["VERSION"]?.value == "2.0")
        #expect(calendar["REFRESH-INTERVAL"] == CalendarProperty("REFRESH-INTERVAL", [CalendarParameter("VALUE", "DURATION")], value: "PT1H"))
        #expect(calendar["X-PUBLISHED-TTL"]?.value == "PT1H")
        #expect(calendar["SOURCE"]?.value == "https://huddle.example/feeds/TOKEN.ics")
        #expect(calendar["METHOD"] == nil && calendar["DESCRIPTION"] == nil)
        #expect(calendar.components.filter { $0.name == "VTIMEZONE" }.compactMap { $0.text("TZID") } == ["America/New_York"])
        // Items without an end are days, so that the zone of the trips is not used.
        #expect(try feed(FeedRecords(zone: "Europe/Warsaw")).calendar.components.map(\.name) == ["VTIMEZONE"], "a calendar is never empty")
    }

    @Test("The octets follow from the records: the order in which they are read changes nothing")
    func isDeterministic() {
        var random = SplitMix64.fresh()
        let octets = feed(season).octets
        for _ in 0..<20 {
            var shuffled = season
            shuffled.events.shuffle(using: &random)
            shuffled.trips.shuffle(using: &random)
            shuffled.items.shuffle(using: &random)
            #expect(feed(shuffled).octets == octets, "seed \(random.seed)")
        }
    }

    @Test("A feed goes 400 days back, and as far forward as the plans do")
    func window() throws {
        let records = FeedRecords(
            zone: "UTC",
            events: [
                event(10, "Gone", Who.sofia, "2025-03-10"), event(11, "Just in", Who.sofia, "2025-03-11"), event(12, "Far", Who.sofia, "2031-01-01"),
            ])
        #expect(date("2025-03-11").days(until: today) == 400)
        #expect(try feed(records).titles == ["Just in", "Far"])
    }

    @Test("Beyond its bounds a feed keeps the entries nearest to today, and says so")
    func bounds() throws {
        var records = FeedRecords(zone: "Europe/Warsaw", names: Who.names)
        for day in -30...30 { records.events.append(event(UInt64(100 + day), "\(day)", Who.sofia, today.adding(days: day)?.description ?? "")) }
        let few = feed(records, bounds: FeedFile.Bounds(entries: 7))
        #expect(try few.titles == ["-3", "-2", "-1", "0", "1", "2", "3"])
        #expect(few.entries == 7 && few.leftOut == 54)
        #expect(try few.calendar.text("DESCRIPTION")?.contains("54 more are in Huddle") == true)
        for octets in [2_000, 5_000, 9_999, 20_000] {
            let small = feed(records, bounds: FeedFile.Bounds(octets: octets))
            #expect(small.octets.count <= octets, "\(octets)")
            #expect(small.entries + small.leftOut == 61)
            let kept = try small.titles.compactMap { Int($0) }.map(abs)
            #expect(Set(kept).isSubset(of: Set(0...(kept.count / 2 + 1))), "the nearest")
        }
        #expect(feed(records, bounds: FeedFile.Bounds(octets: 20_000)).entries < 61 && feed(records, bounds: FeedFile.Bounds(octets: 60_000)).entries == 61)
    }

    @Test("3,000 entries and 2 MiB are the bounds of a feed, however much the family writes")
    func realBounds() throws {
        var records = FeedRecords(zone: "Europe/Warsaw", names: Who.names)
        let text = String(repeating: "é,", count: 500)
        let zones = ["Europe/Warsaw", "Africa/Casablanca", "America/New_York", "Asia/Kolkata", "Asia/Gaza"]
        for number in 0..<1_900 {
            var event = event(UInt64(number), "E \(number)", Who.sofia, today.adding(days: number - 300)?.description ?? "", text: text)
            event.fields["time_zone"] = .text(zones[number % zones.count])
            records.events.append(event)
        }
        let long = feed(records)
        #expect(long.octets.count <= FeedFile.maxOctets && long.octets.count > FeedFile.maxOctets - 5_000)
        #expect(long.leftOut > 0 && long.entries < 1_900)
        #expect(try long.events.count == long.entries)
    }

    @Test("Hostile texts stay inside of their property", arguments: [
        "a\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:x", "a\nBEGIN:VALARM", "\u{2028}END:VCALENDAR", "\u{85}X:1", "a\u{0}b", "\\n\\N\\;", String(repeating: "🏕", count: 255),
        String(repeating: "\\", count: 200), "a\u{B}\u{C}b", "\"quoted\"^n",
    ])
    func hostile(_ text: String) throws {
        var record = event(10, text, Who.sofia, text: text)
        record.fields["location"] = .text(text)
        record.fields["host"] = .text(text)
        record.fields["url"] = .text("https://a.example/" + text)
        let feed = feed(FeedRecords(zone: "UTC", events: [record]), FeedSettings(name: text, scope: .all))
        let clean = String(text.unicodeScalars.filter { $0 == "\n" || $0 == "\r" || $0 == "\t" || !($0.value < 0x20) }).replacing("\r\n", with: "\n")
        let entry = try #require(try feed.events.first)
        #expect(try feed.events.count == 1)
        #expect(entry.text("SUMMARY") == clean)
        #expect(entry.text("UID") == record.id.description)
        #expect(entry.components.count == 1)
    }
}

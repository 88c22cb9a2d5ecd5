import Dates
import TestSupport
import Testing

@Suite("Zone rules against Python's zoneinfo")
struct ZoneGoldenTests {
    struct Change {
        var moment: Instant
        var before: Int
        var after: Int
    }

    static func changes(_ zone: String) throws -> [Change] {
        let text = try #require(Golden.transitions[zone])
        return try text.split(whereSeparator: \.isWhitespace).map { entry in
            let parts = try entry.split(separator: ":").map { try #require(Int($0)) }
            return Change(moment: Instant(parts[0]) * 60_000, before: parts[1] * 60, after: parts[2] * 60)
        }
    }

    @Test("The offset changes at each golden instant, and only there, from 1970 to 2100", arguments: Golden.transitions.keys.sorted())
    func offsets(zone: String) throws {
        let rules = try ZoneRules(tzif: try zoneFile(zone))
        let changes = try Self.changes(zone)
        let end: Instant = 4_133_894_400_000
        for (index, change) in changes.enumerated() {
            #expect(rules.offset(at: change.moment - 1) == change.before)
            #expect(rules.offset(at: change.moment) == change.after)
            let next = index + 1 < changes.count ? changes[index + 1].moment : end
            for part in 1..<16 {
                #expect(rules.offset(at: change.moment + (next - change.moment) / 16 * Int64(part)) == change.after)
            }
        }
        if changes.isEmpty {
            for instant in stride(from: 0, to: end, by: 86_400_000 * 30) { #expect(rules.offset(at: instant) == 5 * 3600 + 1800) }
        }
    }

    @Test("Around each change a time in a gap moves forward by the gap, and the first of two counts", arguments: Golden.transitions.keys.sorted())
    func locals(zone: String) throws {
        let rules = try ZoneRules(tzif: try zoneFile(zone))
        for change in try Self.changes(zone) {
            func local(_ offset: Int, _ minutes: Int) throws -> LocalDateTime {
                try #require(LocalDateTime(minutes: Int(change.moment / 60_000) + offset / 60 + minutes))
            }
            let width = abs(change.after - change.before) / 60
            // The last minute before, and the first minute that is certainly after it.
            #expect(rules.instant(of: try local(min(change.before, change.after), -1)) == change.moment
                - 60_000 - Int64(change.before - min(change.before, change.after)) * 1000)
            #expect(rules.instant(of: try local(max(change.before, change.after), 0)) == change.moment
                + Int64(max(change.before, change.after) - change.after) * 1000)
            for minutes in Set([0, 1, width / 2, width - 1]) {
                // Within the gap or a repeated hour, the previous clock is right: it gives the first instant, or moves
                // forward.
                let instant = rules.instant(of: try local(min(change.before, change.after), minutes))
                let expected = change.moment + Int64(min(change.before, change.after) - change.before) * 1000 + Int64(minutes) * 60_000
                #expect(instant == expected)
                if change.after > change.before {
                    #expect(rules.local(at: instant) == (try local(change.after, minutes)))
                } else {
                    #expect(rules.local(at: instant) == (try local(change.after, minutes)))
                    #expect(instant < change.moment)
                }
            }
        }
    }

    @Test("Local times have the instants that Python gives them", arguments: Golden.instants)
    func instants(zone: String, local: String, instant: String) throws {
        let rules = try ZoneRules(tzif: try zoneFile(zone))
        #expect(RFC3339.text(rules.instant(of: try #require(LocalDateTime(local)))) == instant)
    }

    @Test("The date is the local one: Samoa had no 30 December 2011")
    func days() throws {
        let apia = try ZoneRules(tzif: try zoneFile("Pacific/Apia"))
        let change = try #require(RFC3339.instant("2011-12-30T10:00:00.000Z"))
        #expect(apia.localDate(at: change - 1).description == "2011-12-29")
        #expect(apia.today(at: change).description == "2011-12-31")
        let newYork = try ZoneRules(tzif: try zoneFile("America/New_York"))
        let evening = try #require(RFC3339.instant("2026-07-05T03:59:59.999Z"))
        #expect(newYork.today(at: evening).description == "2026-07-04")
        #expect(newYork.today(at: evening + 1).description == "2026-07-05")
        #expect(newYork.designation(at: evening) == "EDT")
        #expect(ZoneRules.utc.today(at: evening).description == "2026-07-05")
        #expect(ZoneRules.utc.designation(at: evening) == "UTC")
    }

    @Test("Any local time has one instant, and every instant a local time, at the ends of time too")
    func ends() throws {
        for zone in Golden.transitions.keys {
            let rules = try ZoneRules(tzif: try zoneFile(zone))
            for instant in [Instant.min, .max, -62_135_596_800_000, 253_402_300_799_999] { _ = rules.local(at: instant) }
            #expect(rules.local(at: .min).description == "0001-01-01T00:00")
            #expect(rules.local(at: .max).description == "9999-12-31T23:59")
            for date in [CalendarDate.first, .last] {
                let local = LocalDateTime(date: date, time: .midnight)
                #expect(abs(rules.instant(of: local) - Instant(local.minutes) * 60_000) < 26 * 3_600_000)
            }
        }
    }
}

@Suite("Zones of this machine")
struct MachineZoneTests {
    /// Below /usr/share/zoneinfo, from the machine's own list.
    static let names: [String] = {
        let table = file("/usr/share/zoneinfo/zone1970.tab") ?? file("/usr/share/zoneinfo/zone.tab") ?? []
        return String(decoding: table, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
            .compactMap { $0.split(separator: "\t").dropFirst(2).first.map(String.init) }
    }()

    @Test("Each zone is read, and local times convert in both directions")
    func all() throws {
        var random = SplitMix64.fresh()
        #expect(Self.names.count > 100, "tzdata is not installed")
        for name in Self.names {
            let zone = try #require(ZoneName(name))
            let octets = try #require(file("/usr/share/zoneinfo/" + zone.text))
            let rules = try ZoneRules(tzif: octets)
            for _ in 0..<100 {
                let instant = Instant.random(in: -2_208_988_800_000...4_133_894_400_000, using: &random)
                let local = rules.local(at: instant)
                let back = rules.instant(of: local)
                // The same minute, or the first of two.
                #expect(back <= instant && rules.local(at: back) == local, "\(name) \(instant) seed \(random.seed)")
                if rules.offset(at: back) == rules.offset(at: instant) {
                    #expect(instant - back < 120_000, "\(name) \(instant) seed \(random.seed)")
                }
            }
        }
    }

    @Test("Files of the same folder that are not zones are refused", arguments: [
        "zone.tab", "leapseconds", "iso3166.tab", "tzdata.zi",
    ])
    func others(name: String) throws {
        guard let octets = file("/usr/share/zoneinfo/" + name) else { return }
        #expect(refusal(octets) == .notTZif)
    }

    @Test("A zone with leap seconds is refused")
    func leapSeconds() {
        guard let octets = file("/usr/share/zoneinfo/right/UTC") else { return }
        #expect(refusal(octets) == .leapSeconds)
    }

    @Test("A catalogue reads each zone once, and reports unknown ones")
    func catalogue() throws {
        var loads = 0
        var catalogue = ZoneCatalogue { name in
            loads += 1
            return file("/usr/share/zoneinfo/" + name.text)
        }
        let name = try #require(ZoneName("Europe/Warsaw"))
        #expect(try catalogue.rules(name).offset(at: 0) == 3600)
        #expect(try catalogue.rules(name).offset(at: 0) == 3600)
        #expect(loads == 1)
        let made = try #require(ZoneName("Europe/Atlantis"))
        #expect(throws: ZoneError.unknownZone("Europe/Atlantis")) { _ = try catalogue.rules(made) }
    }
}

@Suite("Zone names")
struct ZoneNameTests {
    @Test("Names of zones are accepted", arguments: [
        "UTC", "Europe/Warsaw", "America/Argentina/Buenos_Aires", "America/Port-au-Prince", "Etc/GMT+5", "Etc/GMT-14", "EST5EDT", "GMT0", "W-SU",
    ])
    func taken(name: String) {
        #expect(ZoneName(name)?.text == name)
    }

    @Test("Unsafe or invalid names are refused", arguments: [
        "", "/", "/etc/passwd", "..", "../UTC", "Europe/..", "Europe/../UTC", "Europe//Warsaw", "Europe/", "/Europe/Warsaw", ".", "./UTC", "a.b",
        "Europe/Warsaw\0", "Europe\\Warsaw", "Europe/Łódź", "zone.tab", "1Zone", "-UTC", "+UTC", "Etc/+5", " UTC", "UTC ", "UTC\n", "posix/UTC",
        "right/UTC", "posixrules", "localtime", String(repeating: "a", count: 65),
    ])
    func refused(name: String) {
        #expect(ZoneName(name) == nil)
    }
}

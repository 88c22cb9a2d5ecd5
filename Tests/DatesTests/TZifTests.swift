import Dates
import TestSupport
import Testing

@Suite("TZ strings, RFC 9636 §3.3 and POSIX.1-2024 §8.3")
struct FooterTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var text: String
        /// Instants with the offset in hours and the name from then on.
        var expected: [(String, Double, String)]
        var testDescription: String { text }
        init(_ text: String, _ expected: (String, Double, String)...) {
            self.text = text
            self.expected = expected
        }
    }

    @Test("The reader accepts each form", arguments: [
        Case("UTC0", ("2026-01-01T00:00:00.000Z", 0, "UTC")),
        Case("<+0330>-3:30", ("2026-01-01T00:00:00.000Z", 3.5, "+0330")),
        Case("<-02>+02:00:00", ("2026-07-01T00:00:00.000Z", -2, "-02")),
        // Weekdays; default time 02:00; default difference one hour.
        Case("EST5EDT,M3.2.0,M11.1.0", ("2026-03-08T06:59:59.999Z", -5, "EST"), ("2026-03-08T07:00:00.000Z", -4, "EDT"),
            ("2026-11-01T05:59:59.999Z", -4, "EDT"), ("2026-11-01T06:00:00.000Z", -5, "EST")),
        // South of the equator: the year begins in daylight time.
        Case("AEST-10AEDT,M10.1.0,M4.1.0/3", ("2026-01-01T00:00:00.000Z", 11, "AEDT"), ("2026-04-04T15:59:59.999Z", 11, "AEDT"),
            ("2026-04-04T16:00:00.000Z", 10, "AEST"), ("2026-10-03T16:00:00.000Z", 11, "AEDT")),
        // Half an hour.
        Case("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", ("2026-01-01T00:00:00.000Z", 11, "+11"), ("2026-06-01T00:00:00.000Z", 10.5, "+1030")),
        // Negative daylight time: Ireland's winter.
        Case("IST-1GMT0,M10.5.0,M3.5.0/1", ("2026-01-01T00:00:00.000Z", 0, "GMT"), ("2026-03-29T00:59:59.999Z", 0, "GMT"),
            ("2026-03-29T01:00:00.000Z", 1, "IST"), ("2026-10-25T01:00:00.000Z", 0, "GMT")),
        // More than a day: 50 hours after the Thursday of the fourth week is Saturday, 02:00.
        Case("EET-2EEST,M3.4.4/50,M10.4.4/50", ("2026-03-27T23:59:59.999Z", 2, "EET"), ("2026-03-28T00:00:00.000Z", 3, "EEST"),
            ("2026-10-23T22:59:59.999Z", 3, "EEST"), ("2026-10-23T23:00:00.000Z", 2, "EET")),
        // Before the day: Saturday, 23:00, and from 29 March 00:00 back.
        Case("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", ("2026-03-29T00:59:59.999Z", -2, "-02"), ("2026-03-29T01:00:00.000Z", -1, "-01"),
            ("2026-10-25T00:59:59.999Z", -1, "-01"), ("2026-10-25T01:00:00.000Z", -2, "-02")),
        // Days of the year: J60 is always 1 March, 59 is 29 February in leap years.
        Case("AAA0BBB,J60/0,J365/0", ("2028-02-29T23:59:59.999Z", 0, "AAA"), ("2028-03-01T00:00:00.000Z", 1, "BBB"),
            ("2026-02-28T23:59:59.999Z", 0, "AAA"), ("2026-03-01T00:00:00.000Z", 1, "BBB"), ("2028-12-30T23:00:00.000Z", 0, "AAA")),
        Case("AAA0BBB,59/0,365/0", ("2028-02-28T23:59:59.999Z", 0, "AAA"), ("2028-02-29T00:00:00.000Z", 1, "BBB"),
            ("2026-02-28T23:59:59.999Z", 0, "AAA"), ("2026-03-01T00:00:00.000Z", 1, "BBB"), ("2028-12-30T23:00:00.000Z", 0, "AAA")),
        // Daylight time all year (RFC 9636 §3.3.1), over both ends of years, leap or not.
        Case("XXX3EDT4,0/0,J365/23", ("2027-12-31T23:59:59.999Z", -4, "EDT"), ("2026-01-01T02:59:59.999Z", -4, "EDT"),
            ("2026-01-01T03:00:00.000Z", -4, "EDT"), ("2026-07-01T00:00:00.000Z", -4, "EDT"), ("2028-12-31T23:59:59.999Z", -4, "EDT"),
            ("2029-01-01T03:00:00.000Z", -4, "EDT")),
        // A week in each direction into the adjacent years.
        Case("AAA0BBB,0/-167,J365/167", ("2025-12-25T01:00:00.000Z", 1, "BBB"), ("2026-01-03T00:00:00.000Z", 1, "BBB")),
        // The fifth week is the last, also if the month has five or begins on that day.
        Case("AAA0BBB,M3.5.0/0,M5.5.0/1", ("2026-03-28T23:59:59.999Z", 0, "AAA"), ("2026-03-29T00:00:00.000Z", 1, "BBB"),
            ("2026-05-30T23:59:59.999Z", 1, "BBB"), ("2026-05-31T00:00:00.000Z", 0, "AAA")),
        Case("AAA0BBB,M2.5.0/0,M4.5.6/1", ("2026-02-21T23:59:59.999Z", 0, "AAA"), ("2026-02-22T00:00:00.000Z", 1, "BBB"),
            ("2027-04-23T23:59:59.999Z", 1, "BBB"), ("2027-04-24T00:00:00.000Z", 0, "AAA")),
        // It ends where it begins: there is none.
        Case("AAA0BBB,M2.5.0/0,M2.5.0/1", ("2026-02-22T00:00:00.000Z", 0, "AAA"), ("2026-07-01T00:00:00.000Z", 0, "AAA")),
    ])
    func forms(example: Case) throws {
        let rules = try ZoneRules(tzif: TZifFile.footer(example.text))
        for (text, hours, name) in example.expected {
            let instant = try #require(RFC3339.instant(text))
            #expect(rules.offset(at: instant) == Int(hours * 3600), "\(text)")
            #expect(rules.designation(at: instant) == name, "\(text)")
        }
    }

    @Test("The reader refuses any other text", arguments: [
        "E", "ES5", "EST", "5", "EST5EDT", "EST5EDT,", "EST5EDT,M3.2.0", "EST5EDT,M3.2.0,", "EST5EDT,M3.2.0,M11.1.0,", "EST5EDT,M3.2.0,M11.1.0x",
        "EST5EDTM3.2.0,M11.1.0", "EST25", "EST5:60", "EST5:00:60", "EST5:", "EST5:0:", "EST--5", "EST5EDT,M0.2.0,M11.1.0", "EST5EDT,M13.2.0,M11.1.0",
        "EST5EDT,M3.0.0,M11.1.0", "EST5EDT,M3.6.0,M11.1.0", "EST5EDT,M3.2.7,M11.1.0", "EST5EDT,M3.2,M11.1.0", "EST5EDT,J0,J365", "EST5EDT,J1,J366",
        "EST5EDT,366,1", "EST5EDT,-1,1", "EST5EDT,M3.2.0/168,M11.1.0", "EST5EDT,M3.2.0/-168,M11.1.0", "EST5EDT,M3.2.0/,M11.1.0", "EST5EDT,M3.2.0/2:60,M11.1.0",
        "<EST5", "<>5", "<E>5", "<E T>5", "<+05", ":America/New_York", "EST5EDT,M3.2.0/2222222222222222222222,M11.1.0", "EST99999999999999999999",
        "EST5EDT,M3.2.0,M11.1.0\0", "É́ST5",
    ])
    func refused(text: String) {
        #expect(refusal(TZifFile.footer(text)) == .badFooter)
    }
}

@Suite("TZif, RFC 9636 §3")
struct TZifTests {
    private func changed(_ change: (inout TZifFile) -> Void) -> [UInt8] {
        var file = TZifFile()
        file.transitions = [(-1000, 1), (0, 0), (1000, 1)]
        file.types = [(3600, 0, 0), (7200, 1, 4)]
        file.characters = Array("AAA\0BBB\0".utf8)
        file.footer = Array("\nAAA-1\n".utf8)
        change(&file)
        return file.octets
    }

    @Test("The first type holds before the table, the footer after it", arguments: [UInt8(ascii: "2"), UInt8(ascii: "3"), UInt8(ascii: "4"), UInt8(ascii: "9")])
    func table(version: UInt8) throws {
        let rules = try ZoneRules(tzif: changed { $0.version = version })
        let offsets = [-1_000_001, -1_000_000, -1, 0, 999_999, 1_000_000].map { rules.offset(at: $0) }
        #expect(offsets == [3600, 7200, 7200, 3600, 3600, 3600])
        #expect(rules.designation(at: -1) == "BBB")
    }

    @Test("Version 1 has no footer: the last type stays")
    func version1() throws {
        let rules = try ZoneRules(tzif: changed { $0.version = 0 })
        #expect(rules.offset(at: -1_000_001) == 3600)
        #expect(rules.offset(at: 999_999) == 3600)
        #expect(rules.offset(at: .max) == 7200)
        #expect(refusal(Array(changed { $0.version = 0 }.dropLast())) == .truncated)
    }

    @Test("An empty footer keeps the last type; octets after the footer are for later versions")
    func emptyFooter() throws {
        let rules = try ZoneRules(tzif: changed { $0.footer = Array("\n\n".utf8) })
        #expect(rules.offset(at: 1_000_000) == 7200)
        #expect(refusal(changed { $0.footer = Array("\nAAA-1\nmore".utf8) }) == nil)
        #expect(refusal(changed { $0.standardIndicators = [0, 1]; $0.utIndicators = [0, 1] }) == nil)
    }

    @Test("Violations of the RFC are refused by name")
    func forbidden() {
        #expect(refusal(changed { $0.version = UInt8(ascii: "1") }) == .malformed("version"))
        #expect(refusal(changed { $0.types = [] }) == .malformed("number of types"))
        #expect(refusal(changed { $0.types = Array(repeating: (0, 0, 0), count: 257) }) == .malformed("number of types"))
        #expect(refusal(changed { $0.characters = [] }) == .malformed("number of characters"))
        #expect(refusal(changed { $0.standardIndicators = [0] }) == .malformed("number of indicators"))
        #expect(refusal(changed { $0.utIndicators = [0, 0, 0] }) == .malformed("number of indicators"))
        #expect(refusal(changed { $0.standardIndicators = [0, 2] }) == .malformed("indicator"))
        #expect(refusal(changed { $0.leapSeconds = 1 }) == .leapSeconds)
        #expect(refusal(changed { $0.transitions = [(0, 0), (0, 1)] }) == .malformed("order of transitions"))
        #expect(refusal(changed { $0.transitions = [(1, 0), (0, 1)] }) == .malformed("order of transitions"))
        #expect(refusal(changed { $0.transitions = [(.min, 0)] }) == .malformed("moment of a transition"))
        #expect(refusal(changed { $0.transitions = [(.max, 0)] }) == .malformed("moment of a transition"))
        #expect(refusal(changed { $0.transitions = [(-(1 << 59), 0), (1 << 59, 0)] }) == nil)
        #expect(refusal(changed { $0.transitions = [(0, 2)] }) == .malformed("type of a transition"))
        #expect(refusal(changed { $0.types[0].offset = 26 * 3600 }) == .malformed("offset"))
        #expect(refusal(changed { $0.types[0].offset = 26 * 3600 - 1 }) == nil)
        #expect(refusal(changed { $0.types[0].offset = -25 * 3600 }) == .malformed("offset"))
        #expect(refusal(changed { $0.types[0].offset = .min }) == .malformed("offset"))
        #expect(refusal(changed { $0.types[0].isDaylight = 2 }) == .malformed("mark of daylight time"))
        #expect(refusal(changed { $0.types[0].name = 8 }) == .malformed("designation"))
        #expect(refusal(changed { $0.characters = Array("AAA\0BBB".utf8) }) == .malformed("designation"))
        #expect(refusal(changed { $0.characters = Array("A\nA\0BBB\0".utf8) }) == .malformed("designation"))
        #expect(refusal(changed { $0.footer = Array("AAA-1\n".utf8) }) == .badFooter)
        #expect(refusal(changed { $0.footer = Array("\nAAA-1".utf8) }) == .truncated)
        #expect(refusal([]) == .truncated)
        #expect(refusal(Array("TZIF".utf8)) == .notTZif)
        #expect(refusal(Array(repeating: 0, count: ZoneRules.maxOctets)) == .notTZif)
        #expect(refusal(Array(repeating: 0, count: ZoneRules.maxOctets + 1)) == .tooLarge)
        // The largest counts that can be written.
        for at in 20..<44 {
            var octets = changed { _ in }
            octets[at] = 0xFF
            #expect(refusal(octets) != nil, "octet \(at)")
        }
    }

    @Test("A file is refused when cut at any octet", arguments: Golden.transitions.keys.sorted())
    func truncated(zone: String) throws {
        let octets = try zoneFile(zone)
        #expect(refusal(octets) == nil)
        for count in 0..<octets.count {
            let error = refusal(Array(octets[..<count]))
            #expect(error == .truncated, "cut at \(count)")
        }
    }

    @Test("Flipped octets never trap, neither in reading nor in queries")
    func mutations() throws {
        var random = SplitMix64.fresh()
        var taken = 0
        for zone in Golden.transitions.keys.sorted() {
            let original = try zoneFile(zone)
            for _ in 0..<2000 {
                var octets = original
                for _ in 0...random.next() % 3 {
                    octets[Int(random.next() % UInt64(octets.count))] = UInt8(truncatingIfNeeded: random.next() % 4 == 0 ? 0xFF : random.next())
                }
                guard let rules = try? ZoneRules(tzif: octets) else { continue }
                taken += 1
                for _ in 0..<4 {
                    let instant = Instant(bitPattern: random.next()) >> Int64(random.next() % 40)
                    let local = rules.local(at: instant)
                    _ = rules.instant(of: local)
                }
            }
        }
        #expect(taken > 1000, "seed \(random.seed)")
    }
}

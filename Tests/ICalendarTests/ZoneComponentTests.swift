import Dates
import Glibc
import ICalendar
import TestSupport
import Testing

/// The rules of a zone of this machine.
private func rules(_ name: String) throws -> ZoneRules {
    let file = try #require(fopen("/usr/share/zoneinfo/\(name)", "r"))
    defer { fclose(file) }
    var octets = [UInt8](repeating: 0, count: 400_000)
    octets.removeLast(octets.count - fread(&octets, 1, octets.count, file))
    return try ZoneRules(tzif: octets)
}

/// A reader of VTIMEZONE that knows nothing of `ZoneRules`: it lists the onsets of each observance until a year.
private struct Onsets {
    var sorted: [(second: Int, offset: Int, name: String)]

    init(_ component: CalendarComponent, until year: Int) throws {
        var onsets: [(second: Int, offset: Int, name: String)] = []
        for observance in component.components {
            let start = try #require(observance["DTSTART"].flatMap { CalendarMoment($0) })
            guard case .floating(let time) = start else { throw NotLocal() }
            let before = try Self.offset(try #require(observance["TZOFFSETFROM"]).value)
            let after = try Self.offset(try #require(observance["TZOFFSETTO"]).value)
            let name = try #require(observance.text("TZNAME"))
            var dates = [time.local.date]
            if let rule = observance["RRULE"]?.value { dates = try Self.dates(rule, from: time.local.date, until: year) }
            #expect(dates.first == time.local.date, "DTSTART is the first of its rule")
            for date in dates {
                onsets.append((date.days * 86_400 + time.local.time.minutes * 60 + time.second - before, after, name))
            }
        }
        sorted = onsets.sorted { $0.second < $1.second }
    }

    struct NotLocal: Error {}

    func time(at second: Int) -> (Int, String)? { sorted.last { $0.second <= second }.map { ($0.offset, $0.name) } }

    private static func offset(_ text: String) throws -> Int {
        let digits = text.dropFirst().map { Int(String($0)) ?? -1 }
        try #require(digits.count == 4 || digits.count == 6)
        let pairs = stride(from: 0, to: digits.count, by: 2).map { digits[$0] * 10 + digits[$0 + 1] }
        return (text.first == "-" ? -1 : 1) * (pairs[0] * 3600 + pairs[1] * 60 + (pairs.count > 2 ? pairs[2] : 0))
    }

    private static func dates(_ rule: String, from first: CalendarDate, until year: Int) throws -> [CalendarDate] {
        var parts: [String: String] = [:]
        for part in rule.split(separator: ";") {
            let pair = part.split(separator: "=")
            parts[String(pair[0])] = String(pair[1])
        }
        #expect(parts["FREQ"] == "YEARLY")
        let month = try #require(parts["BYMONTH"].flatMap { Int($0) })
        let day = try #require(parts["BYDAY"])
        let weekday = try #require(["SU", "MO", "TU", "WE", "TH", "FR", "SA"].firstIndex(of: String(day.suffix(2))))
        let number = Int(day.dropLast(2))
        let days = parts["BYMONTHDAY"].map { $0.split(separator: ",").compactMap { Int($0) } }
        return try (first.year...year).map { year in
            let start = try #require(CalendarDate(year: year, month: month, day: 1))
            var found = (0..<start.daysInMonth).compactMap { start.adding(days: $0) }.filter { $0.weekday.rawValue % 7 == weekday }
            if let days { found = found.filter { days.contains($0.day) } }
            return try #require(number == -1 ? found.last : found[(number ?? 1) - 1])
        }
    }
}

private func written(_ name: String, _ rules: ZoneRules, _ years: ClosedRange<Int>) throws -> CalendarComponent {
    var writer = CalendarWriter()
    CalendarZone.write(name, rules, years: years, into: &writer)
    return try #require(try CalendarDecoder.components(writer.octets).first)
}

@Suite("Zones in calendars")
struct ZoneComponentTests {
    @Test(
        "A reader of the component sees the offsets and names of the rules, in each year that was asked for",
        arguments: [
            "America/New_York", "America/Los_Angeles", "America/Phoenix", "America/St_Johns", "America/Nuuk", "America/Santiago", "America/Havana",
            "America/Sao_Paulo", "Europe/Warsaw", "Europe/Dublin", "Europe/London", "Europe/Istanbul", "Africa/Casablanca", "Africa/Cairo", "Asia/Tokyo",
            "Asia/Kolkata", "Asia/Kathmandu", "Asia/Gaza", "Asia/Jerusalem", "Australia/Sydney", "Australia/Lord_Howe", "Australia/Adelaide",
            "Pacific/Auckland", "Pacific/Chatham", "Pacific/Apia", "Pacific/Kiritimati", "Etc/GMT+5", "UTC",
        ])
    func offsets(_ name: String) throws {
        let rules = try rules(name)
        var random = SplitMix64.fresh()
        for years in [2025...2027, 2015...2016, 1995...1995, 2036...2041, 2090...2092] {
            let component = try written(name, rules, years)
            #expect(component.text("TZID") == name)
            let onsets = try Onsets(component, until: years.upperBound + 1)
            let first = try #require(CalendarDate(year: years.lowerBound, month: 1, day: 1)).days * 86_400
            let last = try #require(CalendarDate(year: years.upperBound + 1, month: 1, day: 1)).days * 86_400 - 50_400
            var seconds = (0..<300).map { _ in random.number(first..<last) } + [first - 50_400, last - 1]
            for change in rules.changes(from: first, before: last, limit: 20) { seconds += [change.second - 1, change.second] }
            for second in seconds {
                let expected = rules.time(at: second)
                let found = try #require(onsets.time(at: second))
                #expect(found == expected, "\(name) at \(RFC3339.text(Int64(second) * 1000)), seed \(random.seed)")
            }
        }
    }

    @Test("A zone with a yearly rule has it as a recurrence; one without changes has one part")
    func forms() throws {
        let warsaw = try written("Europe/Warsaw", try rules("Europe/Warsaw"), 2026...2030)
        #expect(warsaw.components.map(\.name) == ["STANDARD", "DAYLIGHT", "STANDARD"])
        #expect(warsaw.components.compactMap { $0["RRULE"]?.value } == ["FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU"])
        #expect(warsaw.components[1]["DTSTART"]?.value == "20260329T020000")
        #expect(warsaw.components[1]["TZOFFSETTO"]?.value == "+0200")
        let tokyo = try written("Asia/Tokyo", try rules("Asia/Tokyo"), 2026...2030)
        #expect(tokyo.components.map(\.name) == ["STANDARD"])
        let nuuk = try written("America/Nuuk", try rules("America/Nuuk"), 2040...2041)
        #expect(nuuk.components.contains { $0["RRULE"]?.value == "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=24,25,26,27,28,29,30;BYDAY=SA" })
    }

    @Test("Years at both ends of the calendar write something")
    func extremes() throws {
        let rules = try rules("Europe/Warsaw")
        for years in [1...1, 9999...9999, 1...9999] { #expect(try written("Europe/Warsaw", rules, years).components.count <= 400) }
    }
}

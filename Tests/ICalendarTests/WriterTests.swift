import Dates
import ICalendar
import TestSupport
import Testing

private func lines(_ write: (inout CalendarWriter) -> Void) -> [String] {
    var writer = CalendarWriter()
    write(&writer)
    let text = String(decoding: writer.octets, as: UTF8.self)
    return text.utf8.isEmpty ? [] : text.replacing("\r\n", with: "\u{1}").split(separator: "\u{1}").map(String.init)
}

@Suite("Writing calendars")
struct WriterTests {
    @Test("Texts, lists, parameters, dates and times have the form of RFC 5545")
    func forms() throws {
        let day = try #require(CalendarDate("2026-07-04"))
        let time = CalendarDateTime(LocalDateTime(date: day, time: try #require(LocalTime("09:05"))), second: 7)
        #expect(
            lines { writer in
                writer.begin("VEVENT")
                writer.text("SUMMARY", "a,b;c\\d\r\ne\nf\rg\u{0}h\ti")
                writer.list("CATEGORIES", ["Camp, summer", "Game"])
                writer.value("X-A", "raw;,\\", [CalendarParameter("P", "plain", "a:b", "c\"d^e\nf")])
                writer.moment("DTSTART", .date(day))
                writer.moment("DTSTART", .floating(time))
                writer.moment("DTSTART", .utc(time))
                writer.moment("DTSTART", .zoned(time, zone: "Europe/Warsaw"))
                writer.instant("DTSTAMP", 1_783_155_907_123)
                writer.end("VEVENT")
            } == [
                "BEGIN:VEVENT", "SUMMARY:a\\,b\\;c\\\\d\\ne\\nf\\ngh\ti", "CATEGORIES:Camp\\, summer,Game", "X-A;P=plain,\"a:b\",c^'d^^e^nf:raw;,\\",
                "DTSTART;VALUE=DATE:20260704", "DTSTART:20260704T090507", "DTSTART:20260704T090507Z",
                "DTSTART;TZID=Europe/Warsaw:20260704T090507", "DTSTAMP:20260704T090507Z", "END:VEVENT",
            ])
    }

    @Test("No line has more than 75 octets, and no fold is inside a character or an escape", arguments: ["a", "é", "€", "🏕", "a\\,", "\\n", "🏕a,é\\"])
    func folds(_ part: String) throws {
        for shift in 0..<80 {
            let text = String(repeating: "x", count: shift) + String(repeating: part, count: 60)
            var writer = CalendarWriter()
            writer.begin("A")
            writer.text("SUMMARY", text)
            writer.end("A")
            let rows = String(decoding: writer.octets, as: UTF8.self).replacing("\r\n", with: "\u{1}").split(separator: "\u{1}")
            for row in rows {
                #expect(row.utf8.count <= 75, "\(row)")
                // An even number of backslashes at the end: no escape is cut.
                #expect(row.reversed().prefix { $0 == "\\" }.count % 2 == 0, "\(row)")
                #expect(!row.unicodeScalars.contains("\u{FFFD}"))
            }
            for row in rows.dropFirst(2).dropLast(2) { #expect(row.utf8.count >= 72, "folds no earlier than needed") }
            #expect(try CalendarDecoder.components(writer.octets)[0].text("SUMMARY") == text)
        }
    }

    @Test("A random component is read back as it was written")
    func roundTrip() throws {
        var random = SplitMix64.fresh()
        for _ in 0..<200 {
            let component = Self.component(&random, depth: 3)
            var writer = CalendarWriter()
            writer.component(component)
            #expect(try CalendarDecoder.components(writer.octets) == [component], "seed \(random.seed)")
            // A reader does not trap because an octet was changed.
            var broken = writer.octets
            broken[random.below(broken.count)] = UInt8(random.below(256))
            _ = try? CalendarDecoder.components(broken)
        }
    }

    private static let letters = ["a", "Z", "0", " ", "\t", "\\", ";", ",", ":", "\"", "^", "é", "🏕", "n", "\u{301}", "\u{85}", "\u{2028}", "'", "="]

    private static func text(_ random: inout SplitMix64, _ extra: [String] = []) -> String {
        (0..<random.below(60)).map { _ in random.one(of: letters + extra) }.joined()
    }

    private static func component(_ random: inout SplitMix64, depth: Int) -> CalendarComponent {
        let names = ["UID", "X-LONG-NAME-OF-A-PROPERTY", "SUMMARY", "A1"]
        var component = CalendarComponent(random.one(of: ["VEVENT", "X-A", "VALARM"]))
        for _ in 0..<random.below(5) {
            let parameters = (0..<random.below(3)).map { _ in
                CalendarParameter(random.one(of: names), values: (0...random.below(3)).map { _ in text(&random, ["\n"]) })
            }
            component.properties.append(CalendarProperty(random.one(of: names), parameters, value: text(&random)))
        }
        if depth > 0 { for _ in 0..<random.below(3) { component.components.append(Self.component(&random, depth: depth - 1)) } }
        return component
    }

    @Test("Unescaping reverses escaping, for random texts")
    func escapes() {
        var random = SplitMix64.fresh()
        for _ in 0..<500 {
            let text = Self.text(&random, ["\n"])
            #expect(CalendarText.unescape(CalendarText.escape(text)) == text, "seed \(random.seed)")
            #expect(CalendarText.list(CalendarText.escape(text) + "," + CalendarText.escape(text)) == [text, text], "seed \(random.seed)")
        }
    }
}

@Suite("Values of calendars")
struct ValueTests {
    @Test("Dates and times are read in their three forms, and nothing else is", arguments: [
        "20260704", "20260704T090507", "20260704T090507Z", "00010101", "99991231T235959Z",
    ])
    func moments(_ text: String) throws {
        #expect(try #require(CalendarMoment(text)).text == text)
        #expect(CalendarMoment(text + "x") == nil)
        #expect(CalendarMoment(String(text.dropLast())) == nil || text.hasSuffix("Z"))
    }

    @Test("Days and times that do not exist are refused", arguments: [
        "", "20260230", "20260704T240000", "20260704T096000", "20260704T090061", "20260704 090507", "2026-07-04", "20260704T090507z", "２０２６0704",
    ])
    func badMoments(_ text: String) {
        #expect(CalendarMoment(text) == nil)
    }

    @Test("VALUE and TZID decide the type")
    func types() {
        func moment(_ value: String, _ parameters: CalendarParameter...) -> CalendarMoment? { CalendarMoment(CalendarProperty("DTSTART", parameters, value: value)) }
        #expect(moment("20260704", CalendarParameter("VALUE", "date"))?.text == "20260704")
        #expect(moment("20260704", CalendarParameter("VALUE", "DATE-TIME")) == nil)
        #expect(moment("20260704T090507", CalendarParameter("VALUE", "DATE")) == nil)
        #expect(moment("20260704T090507", CalendarParameter("VALUE", "PERIOD")) == nil)
        if case .zoned(_, let zone)? = moment("20260704T090507", CalendarParameter("TZID", "A/B")) { #expect(zone == "A/B") } else { Issue.record("not zoned") }
        if case .utc? = moment("20260704T090507Z", CalendarParameter("TZID", "A/B")) {} else { Issue.record("not in UTC") }
    }

    @Test("Durations are read, and written in their shortest form", arguments: [
        ("P1W", 7, 0, "P7D"), ("-PT30M", 0, -1800, "-PT30M"), ("P1DT2H", 1, 7200, "P1DT2H"), ("PT0S", 0, 0, "PT0S"), ("+PT1H0M5S", 0, 3605, "PT1H0M5S"),
        ("-P1DT6H", -1, -21_600, "-P1DT6H"), ("PT90M", 0, 5400, "PT1H30M"), ("P15DT5H0M20S", 15, 18_020, "P15DT5H0M20S"),
    ])
    func durations(_ text: String, _ days: Int, _ seconds: Int, _ written: String) throws {
        let duration = try #require(CalendarDuration(text))
        #expect(duration == CalendarDuration(days: days, seconds: seconds))
        #expect(duration.text == written)
        #expect(CalendarDuration(duration.text) == duration)
    }

    @Test("Texts that are not durations are refused", arguments: [
        "", "P", "PT", "1D", "P1", "PT1D", "P1H", "P1DT", "PT1H1H", "PT1M1H", "--PT1H", "PT1234567890S", "P1D1W", "PTT1H", "pt1h",
    ])
    func badDurations(_ text: String) {
        #expect(CalendarDuration(text) == nil)
    }
}

import Dates
import Testing

@Suite("Calendar dates, RFC 3339 §5.6")
struct CalendarDateTests {
    @Test("Existing days are read and written unchanged", arguments: [
        ("0001-01-01", -719_162, Weekday.monday), ("1600-02-29", -135_081, .tuesday), ("1900-03-01", -25_508, .thursday), ("1969-12-31", -1, .wednesday),
        ("1970-01-01", 0, .thursday), ("2000-02-29", 11_016, .tuesday), ("2026-04-15", 20_558, .wednesday), ("2100-02-28", 47_540, .sunday),
        ("9999-12-31", 2_932_896, .friday),
    ])
    func reading(text: String, days: Int, weekday: Weekday) throws {
        let date = try #require(CalendarDate(text))
        #expect(date.days == days)
        #expect(date.weekday == weekday)
        #expect(date.description == text)
        #expect(CalendarDate(days: days) == date)
    }

    @Test("Any other text is not a date", arguments: [
        "", "2026", "2026-04", "2026-4-15", "26-04-15", "2026-04-15 ", " 2026-04-15", "2026-04-15T", "2026/04/15", "2026-04-1x", "-026-04-15",
        "+026-04-15", "0000-01-01", "2026-00-10", "2026-13-10", "2026-04-00", "2026-04-31", "2026-02-29", "1900-02-29", "2100-02-29", "２０２６-04-15",
        "2026-04-32", "20260415", "2026-04–15",
    ])
    func refused(text: String) {
        #expect(CalendarDate(text) == nil)
    }

    @Test("Every day from 1890 to 2110 follows the previous one, in all ways of counting")
    func sequence() throws {
        var date = try #require(CalendarDate("1890-01-01"))
        var text = date.description
        while date.year < 2110 {
            let next = try #require(date.adding(days: 1))
            let isLast = CalendarDate(year: date.year, month: date.month, day: date.day + 1) == nil
            #expect(isLast == (date.day == date.daysInMonth))
            #expect(isLast ? next.day == 1 && next.month == date.month % 12 + 1 : next.day == date.day + 1 && next.month == date.month)
            #expect(next.weekday.rawValue == date.weekday.rawValue % 7 + 1)
            #expect(next > date && date.days(until: next) == 1)
            let nextText = next.description
            #expect(nextText > text && CalendarDate(nextText) == next)
            text = nextText
            date = next
        }
    }

    @Test("Arithmetic ends at the range of dates, without a trap", arguments: [1, -1, .max, .min, 4_000_000, -4_000_000] as [Int])
    func range(count: Int) {
        let edge = count > 0 ? CalendarDate.last : CalendarDate.first
        #expect(edge.adding(days: count) == nil)
        #expect(edge.adding(months: count) == nil)
        #expect(CalendarDate(days: edge.days &+ count) == nil)
        let local = LocalDateTime(date: edge, time: LocalTime(minutes: count > 0 ? 1439 : 0) ?? .midnight)
        #expect(local.adding(minutes: count == .max || count == .min ? count : count * 1440) == nil)
        #expect(LocalDateTime(minutes: count == .max || count == .min ? count : local.minutes + count) == nil)
    }

    @Test("A month later is the same day, or the last of a short month", arguments: [
        ("2026-01-31", 1, "2026-02-28"), ("2028-01-31", 1, "2028-02-29"), ("2026-01-31", -2, "2025-11-30"), ("2026-12-15", 1, "2027-01-15"),
        ("2026-03-31", 12, "2027-03-31"), ("0001-01-15", 0, "0001-01-15"),
    ])
    func months(date: String, count: Int, expected: String) {
        #expect(CalendarDate(date)?.adding(months: count)?.description == expected)
    }

    @Test("Times are read and written unchanged, and no other text is a time")
    func times() throws {
        for minutes in 0..<1440 {
            let time = try #require(LocalTime(minutes: minutes))
            #expect(LocalTime(time.description) == time)
            #expect(LocalTime(hour: time.hour, minute: time.minute) == time)
        }
        for text in ["", "9:00", "24:00", "23:60", "09-00", "09:0", "09:000", "-1:00", "ab:cd", "09:00Z", " 9:00"] {
            #expect(LocalTime(text) == nil, "\(text)")
        }
        #expect(LocalTime(minutes: 1440) == nil && LocalTime(minutes: -1) == nil && LocalTime(hour: 24, minute: 0) == nil)
    }

    @Test("A date with a time is read, written, and refused when cut at any octet")
    func dateTimes() throws {
        let text = "2026-04-15T09:30"
        let local = try #require(LocalDateTime(text))
        #expect(local.description == text)
        #expect(LocalDateTime(minutes: local.minutes) == local)
        #expect(local.adding(minutes: 870)?.description == "2026-04-16T00:00")
        #expect(local.adding(minutes: -571)?.description == "2026-04-14T23:59")
        for count in 0..<text.count { #expect(LocalDateTime(String(text.prefix(count))) == nil) }
        for other in [text + "Z", text + ":00", "2026-04-15 09:30", "2026-04-15t09:30", "2026-02-30T09:30", "2026-04-15T24:00"] {
            #expect(LocalDateTime(other) == nil, "\(other)")
        }
        let later = try #require(LocalDateTime("2026-04-15T09:31"))
        let tomorrow = try #require(LocalDateTime("2026-04-16T00:00"))
        #expect(local < later && later < tomorrow && !(tomorrow < local))
    }

    @Test("Instants are written in RFC 3339's form, and read again", arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"), (1_795_238_220_123, "2026-11-21T05:17:00.123Z"),
        (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ] as [(Instant, String)])
    func instants(instant: Instant, text: String) {
        #expect(RFC3339.text(instant) == text)
        #expect(RFC3339.instant(text) == instant)
    }

    @Test("Instants without such a form give the nearest, and other texts give none")
    func instantBounds() {
        #expect(RFC3339.text(.max) == "9999-12-31T23:59:59.999Z")
        #expect(RFC3339.text(.min) == "0001-01-01T00:00:00.000Z")
        for text in ["", "2026-11-21T05:17:00Z", "2026-11-21T05:17:60.000Z", "2026-11-21T05:17:00,000Z", "2026-11-21T05:17:00.000+"] {
            #expect(RFC3339.instant(text) == nil, "\(text)")
        }
    }
}

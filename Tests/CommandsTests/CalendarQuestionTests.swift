import Arguments
import Bytes
import Family
import Testing
import Wire

@testable import Commands

@Suite("Calendar feeds as a person names them")
struct CalendarQuestionTests {
    private static func feed(_ number: UInt64, _ name: String) -> CalendarFeed {
        CalendarFeed(id: Identifier(high: 0x0191_0000_0000_7000, low: number), settings: FeedSettings(name: name), createdAt: 0)
    }

    private static let feeds = [feed(0xABCDEF, "Phone"), feed(0xABCD00, "Work"), feed(0x123456, "work")]

    private func action(_ words: String...) throws -> CommandAction { try Invocation(words).action }

    private func remove(_ text: String) throws -> CalendarsRequest.Act {
        try CalendarQuestion.remove(text).act(Self.feeds, endOf: { _ in nil }) { _, name throws(UsageError) in throw UsageError("no \(name)") }
    }

    @Test("A feed is found by its name in any case, and by the beginning or end of its id")
    func finds() throws {
        for text in ["phone", "PHONE", "abcdef", "\(Self.feeds[0].id)"] { #expect(try remove(text) == .remove(Self.feeds[0].id), "\(text)") }
        for text in ["work", "nothing", "def", "", "0191"] { #expect(throws: UsageError.self, "\(text)") { try remove(text) } }
    }

    @Test("The command line says what the feed shows")
    func reads() throws {
        #expect(try action("calendar") == .ask(.calendar(.list)))
        #expect(try action("calendar", "list") == .ask(.calendar(.list)))
        #expect(try action("calendar", "remove", "My phone") == .ask(.calendar(.remove("My phone"))))
        var words = CalendarWords(name: "My phone")
        #expect(try action("calendar", "add", "My phone") == .ask(.calendar(.add(words))))
        (words.isAll, words.isBusy, words.isSilent, words.until, words.kinds) = (true, true, true, "2027-06-30", [.trip, .event])
        #expect(
            try action("calendar", "add", "My phone", "--all", "--busy", "--no-alarms", "--until", "2027-06-30", "--kinds", "trips,events") == .ask(.calendar(.add(words))))
        for wrong in [
            ["calendar", "add"], ["calendar", "drop", "it"], ["calendar", "add", "A", "--all", "--trip", "T"], ["calendar", "add", "A", "--kinds", "coaches"],
            ["calendar", "add", "A", "--until", "soon"], ["calendar", "remove", "A", "--all"], ["calendar", "--busy"],
        ] { #expect(throws: UsageError.self, "\(wrong)") { try Invocation(wrong).action } }
    }

    @Test("export takes --ics, or a file with that ending, for kinds that have a time")
    func exports() throws {
        guard case .exportCalendar(_, nil) = try action("export", "events", "--ics"), case .exportCalendar(_, "a.ics"?) = try action("export", "items", "--output", "a.ics") else {
            Issue.record("not a calendar")
            return
        }
        #expect(throws: UsageError.self) { try action("export", "metrics", "--ics") }
        #expect(throws: UsageError.self) { try action("export", "events", "--ics", "--pdf") }
    }
}

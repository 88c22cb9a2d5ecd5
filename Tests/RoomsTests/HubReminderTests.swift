import Bytes
import Family
import Testing
import Wire

@testable import Rooms

@Suite("Hub: reminders reach every device of their member, once")
struct HubReminderTests {
    private let script = HubScript()

    private static let item = Identifier(high: 9, low: 9)

    /// The lead shows in what the script has seen.
    private func reminder(_ lead: Int64) -> Reminder {
        Reminder(
            kind: .event, key: Reminder.Key(item: Self.item, lead: lead, start: 1_000), state: .due, when: "2026-04-15T08:00", title: "Upcoming: Camp",
            body: "No location")
    }

    @Test("A reminder is sent to all of its member's sessions, and to nobody else")
    func devices() {
        let (first, second) = (script.live(at: 5), script.live(at: 5))
        let other = script.live(HubScript.maya, role: .athlete, at: 5)
        _ = script.seen()
        script.hub.remind(HubScript.dana, of: HubScript.family, reminder(30))
        #expect(script.seen() == [.frame(first, "reminder 30"), .frame(second, "reminder 30")])
        script.hub.didSeeReminder(HubScript.maya, of: HubScript.family, reminder(30).key)
        #expect(script.seen() == [.frame(other, "reminder seen 30")])
        script.hub.remind(HubScript.dana, of: Identifier(high: 1, low: 77), reminder(30))
        script.hub.didSeeReminder(HubScript.dana, of: Identifier(high: 1, low: 77), reminder(30).key)
        #expect(script.seen() == [])
    }

    @Test("A session that joins gets what no device has seen, each once, whether the seat was read before it fired or after")
    func joins() {
        let id = script.joining(at: 5)
        _ = script.seen()
        script.hub.remind(HubScript.dana, of: HubScript.family, reminder(30))
        script.hub.remind(HubScript.dana, of: HubScript.family, reminder(60))
        script.hub.didSeeReminder(HubScript.dana, of: HubScript.family, reminder(5).key)
        #expect(script.seen() == [], "before its seat a session expects nothing")
        var seat = HubScript.seat(head: 5)
        seat.reminders = [reminder(5), reminder(10), reminder(30)]
        script.answer(.join(.success(seat)), id)
        #expect(
            script.seen().filter { if case .frame = $0 { true } else { false } }.dropFirst()
                == [.frame(id, "reminder 10"), .frame(id, "reminder 30"), .frame(id, "reminder 60")])
        script.hub.remind(HubScript.dana, of: HubScript.family, reminder(90))
        #expect(script.seen() == [.frame(id, "reminder 90")], "while it catches up")
    }

    @Test("A member who has seen a reminder reports it to the writer; outside of a room, and with a token for a program, the report is refused")
    func sees() {
        let id = script.live(at: 5)
        script.say(.reminderSeen(reminder(30).key), id)
        #expect(script.seen() == [.see(HubScript.dana, reminder(30).key)])
        script.hub.session(id)?.scope = .read
        script.say(.reminderSeen(reminder(30).key), id)
        #expect(script.seen() == [.frame(id, "error not_allowed")])
        let stranger = script.hub.opened(now: 0)
        script.say(.reminderSeen(reminder(30).key), stranger)
        #expect(script.seen() == [.frame(stranger, "error not_signed_in")])
    }
}

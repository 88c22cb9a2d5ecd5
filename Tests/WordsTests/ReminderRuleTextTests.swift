import Bytes
import ClientWorld
import Dates
import Family
import Testing
import Words

@Suite("Reminder rules as text")
struct ReminderRuleTextTests {
    private func lines(_ rule: ReminderRule?, isGuest: Bool = false, deletedAt: Int64? = nil) -> [String] {
        let record = rule.map {
            Record(
                kind: .reminderRule, id: World.id(9), athlete: nil, version: 1, createdAt: 1, createdBy: World.parent, updatedAt: 1, updatedBy: World.parent,
                deletedAt: deletedAt, fields: $0.fields)
        }
        return ReminderRuleText.lines(record, isGuest: isGuest, command: "huddle reminders set", RecordNames([]))
    }

    @Test("Without a rule the usual reminders are shown, with the command that changes them; guests read how to ask for theirs")
    func usual() {
        let usual = [
            "Events: 30 minutes before", "Trip items: 30 minutes before", "Without a time: 18:00 of the day before",
            "These are the usual reminders. Change yours: huddle reminders set --events 1d,2h",
        ]
        #expect(lines(nil) == usual && lines(ReminderRule(), deletedAt: 5) == usual)
        #expect(lines(nil, isGuest: true) == ["Guests get no reminders unless they ask for them: huddle reminders set --on"])
        #expect(lines(ReminderRule(), isGuest: true) == Array(usual.dropLast()))
    }

    @Test("A rule is shown fact by fact")
    func own() throws {
        var rule = ReminderRule()
        rule.leads = [.event: [0, 120, 1440], .tripItem: [], .allDay: [900, 1800]]
        rule.athletes = [World.athlete: [.event: [0]]]
        rule.quiet = ReminderRule.Quiet(from: try #require(LocalTime(hour: 22, minute: 0)), until: try #require(LocalTime(hour: 7, minute: 0)), zone: "Europe/Warsaw")
        rule.isMuted = true
        rule.calendarReminds = true
        #expect(lines(rule) == [
            "Reminders are off: huddle reminders set --on", "Your calendar app reminds you, Huddle does not: huddle reminders set --calendar no",
            "Events: 1 day and 2 hours before, and at the start", "Trip items: no reminders", "Without a time: 18:00 2 days before and 09:00 of the day before",
            "Events of somebody: at the start", "Quiet from 22:00 to 07:00 (Europe/Warsaw)",
        ])
        #expect(ReminderRuleText.days([0, 10_080]) == "00:00 7 days before and 00:00 of the first day")
    }
}

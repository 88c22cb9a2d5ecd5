import Arguments
import Bytes
import ClientWorld
import Dates
import Family
import Testing
import Words

@testable import Commands

@Suite("The reminder rule as a member changes it")
struct ReminderRuleChangeTests {
    private static let id = ReminderRule.id(of: World.parent)

    private func change(_ words: String...) throws -> ReminderRuleChange {
        guard case .remind(let change) = try Invocation(["reminders", "set"] + words).action else { throw UsageError("no change") }
        return change
    }

    private func record(_ rule: ReminderRule, version: Int64 = 4, deletedAt: Int64? = nil) -> Record {
        Record(
            kind: .reminderRule, id: Self.id, athlete: nil, version: version, createdAt: 1, createdBy: World.parent, updatedAt: 1, updatedBy: World.parent,
            deletedAt: deletedAt, fields: rule.fields)
    }

    /// The rule that a change leaves, and the actions of its batch in words.
    private func applied(_ change: ReminderRuleChange, to held: Record?) throws -> (rule: ReminderRule, actions: String) {
        var fields = held?.fields ?? Fields(.reminderRule)
        var actions: [String] = []
        let leo = Record(
            kind: .member, id: World.athlete, athlete: nil, version: 1, createdAt: 1, createdBy: World.parent, updatedAt: 1, updatedBy: World.parent,
            fields: { var fields = Fields(.member); fields["name"] = .text("Leo"); fields["role"] = .text("athlete"); return fields }())
        for operation in try change.operations(Self.id, held: held, RecordNames([leo])) {
            #expect(operation.id == Self.id && operation.kind == .reminderRule)
            switch operation.action {
            case .create(_, let patch), .update(_, _, let patch):
                for assignment in patch.assignments { fields[assignment.field] = assignment.value }
                actions.append(held == nil ? "create" : "update \(patch.assignments.count)")
            case .delete(let base): actions.append("delete \(base)")
            case .restore(let base): actions.append("restore \(base)")
            default: actions.append("?")
            }
        }
        return (ReminderRule(fields), actions.joined(separator: ", "))
    }

    @Test("Lead times are read in minutes, hours, days and weeks, those of days also as times of the day before", arguments: [
        (["--events", "1d,2h,30m,0"], ReminderRule.Item.event, [0, 30, 120, 1440]), (["--items", "45"], .tripItem, [45]), (["--days", "18:00,09:00,2d"], .allDay, [360, 900, 2880]),
        (["--events", "none"], .event, []), (["--days", "4w"], .allDay, [40_320]),
    ] as [([String], ReminderRule.Item, [Int64])])
    func leads(words: [String], item: ReminderRule.Item, leads: [Int64]) throws {
        guard case .remind(let change) = try Invocation(["reminders", "set"] + words).action else { throw UsageError("no change") }
        #expect(change.leads == [item: .own(leads)])
        #expect(try applied(change, to: nil).rule.leads == [item: leads])
    }

    @Test("Words that cannot be read are refused", arguments: [
        [], ["--events", "soon"], ["--events", "29d"], ["--events", "30,30"], ["--events", "1,2,3,4,5,6"], ["--events", ""], ["--events", "18:00"], ["--items", "-5"],
        ["--athlete", "Leo"], ["--athlete", "Leo", "--items", "1d"], ["--on", "--off"], ["--calendar", "maybe"], ["--quiet", "22:00"], ["--quiet", "22:00-22:00"],
        ["--quiet", "25:00-07:00"], ["--usual", "--on"], ["now"], ["--events", "99999999999999999999d"],
    ])
    func refuses(words: [String]) { #expect(throws: UsageError.self) { try Invocation(["reminders", "set"] + words).action } }

    @Test("A change writes only the fields that differ, creates the record if there is none, and restores a deleted one")
    func operations() throws {
        let made = try applied(try change("--events", "1d"), to: nil)
        #expect(made.actions == "create" && made.rule.leads == [.event: [1440]] && !made.rule.isMuted)
        var rule = ReminderRule()
        rule.leads = [.event: [60], .tripItem: [10]]
        let quiet = try applied(try change("--quiet", "22:00-07:00"), to: record(rule))
        #expect(quiet.actions == "update 2" && quiet.rule.quiet?.from == LocalTime(hour: 22, minute: 0) && quiet.rule.leads == rule.leads)
        #expect(try applied(try change("--events", "usual"), to: record(rule)).rule.leads == [.tripItem: [10]])
        #expect(try applied(try change("--events", "60m"), to: record(rule)).actions == "", "nothing differs")
        let back = try applied(try change("--off"), to: record(rule, deletedAt: 5))
        #expect(back.actions == "restore 4, update 2" && back.rule.isMuted && back.rule.leads.isEmpty, "a deleted rule says nothing any more")
        #expect(try applied(try change("--usual"), to: record(rule)).actions == "delete 4")
        for held in [nil, record(rule, deletedAt: 5)] { #expect(throws: UsageError.self) { try applied(try change("--usual"), to: held) } }
    }

    @Test("The lead times of one athlete's events are apart from those of all, and end with usual")
    func athletes() throws {
        let made = try applied(try change("--athlete", "Leo", "--events", "2h", "--days", "none"), to: nil).rule
        #expect(made.athletes == [World.athlete: [.event: [120], .allDay: []]] && made.leads.isEmpty)
        let less = try applied(try change("--athlete", "leo", "--events", "usual"), to: record(made)).rule
        #expect(less.athletes == [World.athlete: [.allDay: []]])
        #expect(try applied(try change("--athlete", "leo", "--days", "usual"), to: record(less)).rule.athletes.isEmpty)
        #expect(throws: UsageError.self) { try applied(try change("--athlete", "Nobody", "--events", "1d"), to: nil) }
    }

    @Test("Reminders are switched on and off, and a calendar app takes them over")
    func switches() throws {
        #expect(try applied(try change("--on"), to: nil).actions == "create", "the request of a guest")
        #expect(try applied(try change("--off"), to: nil).rule.isMuted)
        let calendar = try applied(try change("--calendar", "yes"), to: nil).rule
        #expect(calendar.calendarReminds && !calendar.reminds)
        #expect(try applied(try change("--calendar", "no"), to: record(calendar)).rule.reminds)
        var quiet = ReminderRule()
        quiet.quiet = ReminderRule.Quiet(from: .midnight, until: try #require(LocalTime(hour: 7, minute: 0)), zone: "Europe/Warsaw")
        #expect(try applied(try change("--quiet", "23:00-06:00"), to: record(quiet)).rule.quiet?.zone == "Europe/Warsaw")
        #expect(try applied(try change("--quiet", "off"), to: record(quiet)).rule.quiet == nil)
    }
}

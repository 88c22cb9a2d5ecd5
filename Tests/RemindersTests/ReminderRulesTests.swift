import Bytes
import Dates
import Family
import Posix
import TestSupport
import Testing

@testable import Reminders

private func id(_ number: UInt64) -> Identifier { Identifier(high: 0x0191_0000_0000_7000, low: 0x8000_0000_0000_0000 | number) }

private func record(_ kind: Kind, _ number: UInt64, _ fields: Fields, athlete: Identifier? = nil, deletedAt: Int64? = nil) -> Record {
    Record(
        kind: kind, id: id(number), athlete: athlete, version: 1, createdAt: 0, createdBy: id(2), updatedAt: 0, updatedBy: id(2), deletedAt: deletedAt,
        fields: fields)
}

private func event(_ time: String?, athlete: Identifier) -> Record {
    var fields = Fields(.event)
    fields["start_date"] = .text("2026-06-20")
    fields["start_time"] = time.map { .text($0) }
    return record(.event, 1, fields, athlete: athlete)
}

private func rule(of member: Identifier, deletedAt: Int64? = nil, _ change: (inout ReminderRule) -> Void) -> Record {
    var rule = ReminderRule()
    change(&rule)
    return Record(
        kind: .reminderRule, id: ReminderRule.id(of: member), athlete: nil, version: 1, createdAt: 0, createdBy: member, updatedAt: 0, updatedBy: member,
        deletedAt: deletedAt, fields: rule.fields)
}

@Suite("The rules of a family's members")
struct ReminderRulesTests {
    private static let (ana, bo, leo, mia) = (id(10), id(11), id(12), id(13))
    private let utc = RuleEnvironment { _ in .utc }

    private func leads(_ rules: ReminderRules, _ record: Record, for member: Identifier) throws -> [Int64] {
        rules.leads(of: record, try #require(ReminderPlan(record, zone: "UTC", utc)), for: member)
    }

    private func armed(_ rules: ReminderRules, _ record: Record) throws -> [Int64] { rules.leads(of: record, try #require(ReminderPlan(record, zone: "UTC", utc))) }

    @Test("An item is armed at the usual leads and at those of all rules, and reminds each member at their own")
    func union() throws {
        let camp = event("09:00", athlete: Self.leo)
        #expect(try armed(ReminderRules(), camp) == [30] && leads(ReminderRules(), camp, for: Self.ana) == [30])
        let rules = ReminderRules([
            rule(of: Self.ana) { $0.leads = [.event: [60, 1440]] }, rule(of: Self.bo) { $0.athletes = [Self.leo: [.event: [5]]] },
            rule(of: Self.mia, deletedAt: 5) { $0.leads = [.event: [7]] },
        ])
        #expect(try armed(rules, camp) == [5, 30, 60, 1440])
        #expect(try leads(rules, camp, for: Self.ana) == [60, 1440] && leads(rules, camp, for: Self.bo) == [5] && leads(rules, camp, for: Self.mia) == [30])
        let other = event("09:00", athlete: Self.mia)
        #expect(try armed(rules, other) == [30, 60, 1440] && leads(rules, other, for: Self.bo) == [30])
        #expect(try armed(rules, event(nil, athlete: Self.leo)) == [360])
        #expect(rules.askers(among: [Self.ana, Self.mia, Self.leo]) == [Self.ana] && rules.own(Self.mia) == nil)
    }

    @Test("A member who is muted, or whom a calendar app reminds, has no leads, and arms none", arguments: [true, false])
    func silent(isMuted: Bool) throws {
        let rules = ReminderRules([
            rule(of: Self.ana) {
                $0.leads = [.event: [60]]
                if isMuted { $0.isMuted = true } else { $0.calendarReminds = true }
            }
        ])
        let camp = event("09:00", athlete: Self.leo)
        #expect(try leads(rules, camp, for: Self.ana) == [] && armed(rules, camp) == [30] && leads(rules, camp, for: Self.leo) == [30])
    }

    @Test("Items are armed again for a change of leads, and for no other change of a rule")
    func rearms() {
        let usual = rule(of: Self.ana) { _ in }
        let early = rule(of: Self.ana) { $0.leads = [.event: [60]] }
        let quiet = rule(of: Self.ana) { $0.quiet = ReminderRule.Quiet(from: .midnight, until: LocalTime(minutes: 60) ?? .midnight) }
        let muted = rule(of: Self.ana) {
            $0.leads = [.event: [60]]
            $0.isMuted = true
        }
        for (former, next, isArmed) in [
            (nil, usual, false), (nil, quiet, false), (usual, quiet, false), (nil, early, true), (usual, early, true), (early, usual, true), (early, muted, true),
            (muted, early, true), (usual, muted, false), (early, rule(of: Self.ana, deletedAt: 5) { $0.leads = [.event: [60]] }, true),
        ] as [(Record?, Record, Bool)] { #expect(ReminderRules.rearms(from: former, to: next) == isArmed) }
    }

    @Test("A lead of a day is on the wall, one of a time passes in minutes, and both have a reason in words")
    func plans() throws {
        let timed = try #require(ReminderPlan(event("09:00", athlete: Self.leo), zone: "UTC", utc))
        #expect(timed.due(lead: 90, utc) == timed.start - 90 * 60_000 && timed.due(lead: 0, utc) == timed.start && timed.due(lead: 30, utc) == timed.due)
        #expect(timed.reason(lead: 90, isOwn: true) == "90 minutes before 09:00, by the member's own rule" && timed.reason(lead: 0, isOwn: false) == "at 09:00")
        #expect(timed.reason(lead: 1440, isOwn: false) == "1 day before 09:00")
        let day = try #require(ReminderPlan(event(nil, athlete: Self.leo), zone: "UTC", utc))
        #expect(day.due(lead: 900, utc) == day.start - 900 * 60_000)
        #expect(day.reason(lead: 360, isOwn: false) == "18:00 of the evening before, because it has no time")
        #expect(day.reason(lead: 900, isOwn: true) == "09:00 on 2026-06-19, because it has no time, by the member's own rule")
        // The night in which the clocks go back has an hour more.
        let catalogue = ZoneCatalogue { try? Files.read("/usr/share/zoneinfo/" + $0.text) }
        var zones = catalogue
        let rules = try zones.rules(try #require(ZoneName("America/New_York")))
        let newYork = RuleEnvironment { _ in rules }
        var fields = Fields(.event)
        fields["start_date"] = .text("2026-11-02")
        let after = try #require(ReminderPlan(record(.event, 1, fields, athlete: Self.leo), zone: "America/New_York", newYork))
        #expect(after.due(lead: 1800, newYork) == after.start - (1800 + 60) * 60_000, "18:00 of the day before the change")
    }

    @Test("Guests are reminded as parents are, if they have a rule")
    func guests() {
        let guest = id(14)
        let members: [Identifier: Role] = [Self.ana: .parent, Self.leo: .athlete, guest: .guest]
        let camp = event("09:00", athlete: Self.leo)
        #expect(ReminderAudience.members(of: camp, trip: nil, among: members) == [Self.ana, Self.leo])
        #expect(ReminderAudience.members(of: camp, trip: nil, among: members, askers: [guest]) == [Self.ana, Self.leo, guest])
    }
}

@Suite("Quiet hours")
struct QuietHoursTests {
    private func quiet(_ from: String, _ until: String, zone: String? = nil) throws -> QuietHours {
        var catalogue = ZoneCatalogue { try? Files.read("/usr/share/zoneinfo/" + $0.text) }
        let rules = zone.flatMap { ZoneName($0) }.flatMap { try? catalogue.rules($0) }
        return QuietHours(
            ReminderRule.Quiet(from: try #require(LocalTime(from)), until: try #require(LocalTime(until)), zone: zone), zone: "UTC",
            RuleEnvironment { name in name == zone ? rules : .utc })
    }

    private func utc(_ text: String) -> Int64 { RFC3339.instant(text + ":00.000Z") ?? -1 }

    @Test("Outside of the quiet hours a reminder leaves at its time, inside at their end; what begins too early leaves in the last minute before them", arguments: [
        ("2026-06-20T12:00", "2026-06-20T12:30", "2026-06-20T12:00"), ("2026-06-20T21:59", "2026-06-20T22:30", "2026-06-20T21:59"),
        ("2026-06-20T22:00", "2026-06-21T09:00", "2026-06-21T07:00"), ("2026-06-21T06:59", "2026-06-21T07:31", "2026-06-21T07:00"),
        ("2026-06-21T06:59", "2026-06-21T07:30", "2026-06-20T21:59"), ("2026-06-21T05:30", "2026-06-21T06:00", "2026-06-20T21:59"),
        ("2026-06-21T07:00", "2026-06-21T07:10", "2026-06-21T07:00"),
    ])
    func overNight(due: String, start: String, leaves: String) throws {
        #expect(try quiet("22:00", "07:00").release(due: utc(due), start: utc(start)) == utc(leaves))
    }

    @Test("Quiet hours within a day end on that day")
    func byDay() throws {
        let school = try quiet("08:00", "15:00")
        #expect(school.release(due: utc("2026-06-20T08:00"), start: utc("2026-06-20T18:00")) == utc("2026-06-20T15:00"))
        #expect(school.release(due: utc("2026-06-20T14:00"), start: utc("2026-06-20T15:30")) == utc("2026-06-20T07:59"))
        #expect(school.release(due: utc("2026-06-20T15:00"), start: utc("2026-06-20T15:30")) == utc("2026-06-20T15:00"))
        #expect(school.release(due: utc("2026-06-20T07:59"), start: utc("2026-06-20T18:00")) == utc("2026-06-20T07:59"))
    }

    @Test("They are on the clocks of their zone, also in nights in which these change")
    func zones() throws {
        let night = try quiet("22:00", "07:00", zone: "America/New_York")
        #expect(night.release(due: utc("2026-06-21T03:00"), start: utc("2026-06-21T20:00")) == utc("2026-06-21T11:00"))
        // On 8 March the clocks go forward, on 1 November back.
        #expect(night.hours(at: utc("2026-03-08T06:00")) == utc("2026-03-08T03:00")..<utc("2026-03-08T11:00"))
        #expect(night.hours(at: utc("2026-11-01T06:00")) == utc("2026-11-01T02:00")..<utc("2026-11-01T12:00"))
        // The hour from 02:00 does not exist on 8 March: its times move forward by the gap.
        let gap = try quiet("02:10", "02:50", zone: "America/New_York")
        #expect(gap.hours(at: utc("2026-03-08T07:05")) == nil && gap.hours(at: utc("2026-03-08T07:30")) == utc("2026-03-08T07:10")..<utc("2026-03-08T07:50"))
        #expect(try quiet("02:10", "03:05", zone: "America/New_York").hours(at: utc("2026-03-08T07:07")) == nil, "nothing is left of them")
    }

    @Test("For 5,000 random moments a reminder leaves outside of the quiet hours, and before the item begins")
    func random() throws {
        var random = SplitMix64(seed: 29)
        for _ in 0..<5_000 {
            let (from, until) = (random.number(0..<1440), random.number(0..<1440))
            guard from != until else { continue }
            let rules = ReminderRule.Quiet(from: try #require(LocalTime(minutes: from)), until: try #require(LocalTime(minutes: until)))
            let quiet = QuietHours(rules, zone: "UTC", RuleEnvironment { _ in .utc })
            let start = utc("2026-06-20T00:00") + Int64(random.number(0..<4 * 1440)) * 60_000
            let due = start - Int64(random.number(0..<2 * 1440)) * 60_000
            let leaves = quiet.release(due: due, start: start)
            #expect(quiet.hours(at: leaves) == nil && leaves <= start, "\(from) \(until) \(due) \(start)")
            if quiet.hours(at: due) == nil { #expect(leaves == due) }
        }
    }
}

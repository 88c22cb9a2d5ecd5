import Bytes
import Calendar
import Dates
import Family
import ICalendar
import Posix
import TestSupport
import Testing

@testable import Reminders

/// The zones of this machine, each read once.
private final class MachineZones {
    private var catalogue = ZoneCatalogue { try? Files.read("/usr/share/zoneinfo/" + $0.text) }

    func rules(_ name: String) -> ZoneRules? { ZoneName(name).flatMap { try? catalogue.rules($0) } }
}

private func id(_ number: UInt64) -> Identifier { Identifier(high: 0x0191_0000_0000_7000, low: 0x8000_0000_0000_0000 | number) }

private func record(_ kind: Kind, _ texts: [String: String], athlete: Identifier? = nil, deletedAt: Int64? = nil) -> Record {
    var fields = Fields(kind)
    for (name, text) in texts { fields[name] = .text(text) }
    return Record(
        kind: kind, id: id(1), athlete: athlete, version: 1, createdAt: 0, createdBy: id(2), updatedAt: 0, updatedBy: id(2), deletedAt: deletedAt,
        fields: fields)
}

private func utc(_ text: String) -> Int64 { RFC3339.instant(text + ":00.000Z") ?? -1 }

@Suite("When items remind")
struct ReminderPlanTests {
    private let environment: RuleEnvironment

    init() {
        let zones = MachineZones()
        environment = RuleEnvironment(zone: zones.rules)
    }

    private func plan(_ kind: Kind, _ texts: [String: String], zone: String = "America/New_York") throws -> ReminderPlan {
        try #require(ReminderPlan(record(kind, texts), zone: zone, environment))
    }

    @Test("An event with a time reminds 30 minutes before its check-in, or else before its start, by its own zone or the family's")
    func timed() throws {
        var texts = ["start_date": "2026-06-20", "start_time": "09:00", "end_time": "12:00"]
        var plan = try self.plan(.event, texts)
        #expect(plan.start == utc("2026-06-20T13:00") && plan.due == utc("2026-06-20T12:30") && plan.end == utc("2026-06-20T16:00"))
        #expect(plan.lead == 30 && plan.when == "2026-06-20T09:00" && !plan.isWholeDay)
        texts["checkin_time"] = "08:15"
        plan = try self.plan(.event, texts)
        #expect(plan.due == utc("2026-06-20T11:45") && plan.when == "2026-06-20T08:15" && plan.end == utc("2026-06-20T16:00"))
        texts["time_zone"] = "America/Los_Angeles"
        #expect(try self.plan(.event, texts).due == utc("2026-06-20T14:45"))
        texts["time_zone"] = "Mars/Olympus"
        #expect(try self.plan(.event, texts).due == utc("2026-06-20T07:45"), "an unknown zone counts as UTC")
        texts = ["start_date": "2026-06-20", "checkin_time": "08:15"]
        #expect(try self.plan(.event, texts).due == utc("2026-06-20T11:45"), "a check-in is a time, too")
    }

    @Test("An event or item without a time reminds at 18:00 of the evening before, and is over after its last day")
    func wholeDay() throws {
        var plan = try self.plan(.event, ["start_date": "2026-06-20", "end_date": "2026-06-21"])
        #expect(plan.due == utc("2026-06-19T22:00") && plan.start == utc("2026-06-20T04:00") && plan.end == utc("2026-06-22T04:00"))
        #expect(plan.lead == 360 && plan.when == "2026-06-20" && plan.isWholeDay)
        plan = try self.plan(.tripItem, ["start_time": "2026-06-20T15:00", "start_zone": "Europe/Warsaw"])
        #expect(plan.due == utc("2026-06-19T16:00") && plan.end == utc("2026-06-20T22:00") && plan.when == "2026-06-20")
    }

    @Test("An item with an end reminds 30 minutes before its start, in the zone of the start")
    func items() throws {
        let plan = try self.plan(
            .tripItem,
            ["start_time": "2026-06-19T21:30", "start_zone": "America/New_York", "end_time": "2026-06-20T00:45", "end_zone": "America/Los_Angeles"])
        #expect(plan.due == utc("2026-06-20T01:00") && plan.start == utc("2026-06-20T01:30") && plan.end == utc("2026-06-20T07:45"))
    }

    @Test("In the gap of the clocks a time moves forward, in the fold it is the first, and the evening before stays 18:00 on the wall")
    func clockChanges() throws {
        let gap = try plan(.event, ["start_date": "2026-03-08", "start_time": "02:30"])
        #expect(gap.start == utc("2026-03-08T07:30") && gap.due == utc("2026-03-08T07:00"))
        let fold = try plan(.event, ["start_date": "2026-11-01", "start_time": "01:30"])
        #expect(fold.start == utc("2026-11-01T05:30") && fold.due == utc("2026-11-01T05:00"))
        // 30 minutes before 03:10 are 01:40, because the hour between does not exist.
        #expect(try plan(.event, ["start_date": "2026-03-08", "start_time": "03:10"]).due == utc("2026-03-08T06:40"))
        // In Santiago the clocks change at midnight: the first midnight of 6 September 2026 does not exist.
        let midnight = try plan(.event, ["start_date": "2026-09-06"], zone: "America/Santiago")
        #expect(midnight.due == utc("2026-09-05T22:00") && midnight.start == utc("2026-09-06T04:00"))
        // 6 hours before that midnight are 18:00 only on the clocks: in UTC they are 6 hours as well.
        let evening = try plan(.event, ["start_date": "2026-11-01"])
        #expect(evening.due == utc("2026-10-31T22:00") && evening.start == utc("2026-11-01T04:00"))
    }

    @Test("The turn of the year and the ends of the calendar have reminders")
    func ends() throws {
        #expect(try plan(.event, ["start_date": "2027-01-01"]).due == utc("2026-12-31T23:00"))
        #expect(try plan(.event, ["start_date": "2027-01-01", "start_time": "00:10"]).due == utc("2027-01-01T04:40"))
        let last = try plan(.event, ["start_date": "9999-12-31"], zone: "UTC")
        #expect(last.due == utc("9999-12-30T18:00") && last.end == utc("9999-12-31T23:59"))
        let first = try plan(.event, ["start_date": "0001-01-01"], zone: "UTC")
        #expect(first.due == first.start - 360 * 60_000, "before the first day there is no evening on the calendar")
        for kind in [Kind.event, .tripItem] { #expect(ReminderPlan(record(kind, [:]), zone: "UTC", environment) == nil) }
        #expect(ReminderPlan(record(.trip, ["start_date": "2026-06-20"]), zone: "UTC", environment) == nil)
        #expect(ReminderPlan(record(.event, ["start_date": "2026-06-20"], deletedAt: 5), zone: "UTC", environment) == nil)
    }

    @Test("For 2,000 random items: due before the start, the start within the item, and the lead in minutes that pass or on the wall")
    func random() throws {
        var random = SplitMix64(seed: 17)
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let zones = ["UTC", "America/New_York", "Europe/Warsaw", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "America/Santiago", "Africa/Casablanca"]
        for _ in 0..<2_000 {
            let day = try #require(CalendarDate(year: number(1970...2040), month: 1, day: 1)?.adding(days: number(0...364)))
            let zone = zones[number(0...zones.count - 1)]
            let rules = environment.rules(zone)
            func time() -> String { "\(two(number(0...23))):\(two(number(0...59)))" }
            var texts = ["start_date": "\(day)", "time_zone": zone]
            if number(0...2) > 0 {
                texts["start_time"] = time()
                texts["end_date"] = "\(try #require(day.adding(days: number(0...2))))"
                if number(0...1) == 0 { texts["end_time"] = time() }
            }
            let plan = try self.plan(.event, texts)
            #expect(plan.due <= plan.start && plan.start <= plan.end, "\(texts)")
            if plan.isWholeDay {
                let evening = rules.local(at: plan.due)
                // Where 18:00 does not exist, the clocks show what the gap makes of it.
                #expect(evening.date == day.adding(days: -1) && evening.time.hour >= 18 || zone == "Pacific/Apia", "\(texts)")
            } else {
                #expect(plan.start - plan.due == 30 * 60_000, "\(texts)")
            }
        }
    }

    @Test("A reminder is at the time of the alarm in the member's feed, wherever the clocks do not change between")
    func sameAsFeed() throws {
        for texts in [
            ["name": "A", "type": "camp", "start_date": "2026-06-20", "start_time": "09:00", "end_time": "12:00", "checkin_time": "08:15"],
            ["name": "B", "type": "camp", "start_date": "2026-06-20", "start_time": "09:00", "end_time": "12:00"], ["name": "C", "type": "camp", "start_date": "2026-06-20"],
        ] {
            let event = record(.event, texts)
            let entry = try #require(EntryBuilder(FeedRecords(zone: "Europe/Warsaw"), rules: environment.zone).event(event))
            let plan = try #require(ReminderPlan(event, zone: "Europe/Warsaw", environment))
            let begin = environment.rules("Europe/Warsaw").instant(
                of: LocalDateTime(date: try #require(CalendarDate("2026-06-20")), time: texts["start_time"].flatMap { LocalTime($0) } ?? .midnight))
            #expect(plan.due == begin + Int64(try #require(entry.alarms.first).seconds) * 1000, "\(texts)")
        }
    }

    @Test("A reminder is in time for one minute, then late until the end of the item, then missed")
    func states() throws {
        let plan = try self.plan(.event, ["start_date": "2026-06-20", "start_time": "09:00", "end_time": "12:00"])
        for (at, state) in [
            (plan.due, Reminder.State.due), (plan.due + 60_000, .due), (plan.due + 60_001, .late), (plan.end - 1, .late), (plan.end, .missed),
        ] { #expect(plan.state(due: plan.due, at: at) == state, "\(at)") }
    }

    @Test("Title and body are those of R166")
    func text() throws {
        let event = record(.event, ["name": "Fall Camp", "start_date": "2026-06-20"])
        let plan = try #require(ReminderPlan(event, zone: "UTC", environment))
        let reminder = Reminder(event, plan, lead: 360, due: plan.due, at: plan.due)
        #expect(reminder.title == "Upcoming: Fall Camp" && reminder.body == "No location" && reminder.when == "2026-06-20")
        #expect(reminder.key == Reminder.Key(item: event.id, lead: 360, start: plan.start) && reminder.state == .due && reminder.kind == .event)
        #expect(ReminderText.body(record(.event, ["location": "Main field", "city": "Durham", "state": "NC"])) == "Main field, Durham, NC")
        #expect(ReminderText.body(record(.tripItem, ["location": "Gate 4", "title": "Flight"])) == "Gate 4")
        #expect(ReminderText.title(record(.tripItem, ["title": "Flight"])) == "Upcoming: Flight")
    }
}

@Suite("The members whom items remind")
struct ReminderAudienceTests {
    private static let (parent, leo, mia, guest) = (id(10), id(11), id(12), id(13))
    private static let members: [Identifier: Role] = [parent: .parent, leo: .athlete, mia: .athlete, guest: .guest]

    private func item(_ participants: [Identifier], kind: Kind = .tripItem) -> Record {
        var item = record(kind, [:])
        if !participants.isEmpty { item.fields["participants"] = .set(participants.map { SetElement(id: $0, name: "") }) }
        return item
    }

    @Test("An event reminds its athlete and the parents")
    func event() {
        let event = record(.event, [:], athlete: Self.mia)
        #expect(ReminderAudience.members(of: event, trip: nil, among: Self.members) == [Self.parent, Self.mia])
        #expect(ReminderAudience.members(of: event, trip: nil, among: [Self.leo: .athlete, Self.guest: .guest]) == [])
    }

    @Test("An item reminds those who take part, or else who is on the trip, or else everybody but guests; and the parents in any case")
    func items() {
        func told(_ participants: [Identifier], trip: [Identifier]?) -> [Identifier] {
            ReminderAudience.members(of: item(participants), trip: trip.map { item($0, kind: .trip) }, among: Self.members)
        }
        #expect(told([Self.leo, Self.guest], trip: [Self.mia]) == [Self.parent, Self.leo])
        #expect(told([], trip: [Self.mia]) == [Self.parent, Self.mia])
        for trip in [[], nil] as [[Identifier]?] { #expect(told([], trip: trip) == [Self.parent, Self.leo, Self.mia]) }
    }
}

@Suite("The time of the next reminder")
struct ReminderAlarmTests {
    @Test("Over 2,000 random steps the alarm is never later than the earliest armed reminder, and exact after each firing")
    func random() {
        var random = SplitMix64(seed: 3)
        var armed: Set<Int64> = []
        var alarm = ReminderAlarm()
        var now: Int64 = 0
        for _ in 0..<2_000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let due = now + Int64.random(in: 0..<1_000, using: &random)
                armed.insert(due)
                alarm.armed(due)
            case 2: if let one = armed.randomElement(using: &random) { armed.remove(one) }
            default:
                now += Int64.random(in: 0..<400, using: &random)
                guard alarm.isDue(at: now) else {
                    #expect(armed.allSatisfy { $0 > now })
                    continue
                }
                armed = armed.filter { $0 > now }
                alarm.taken(next: armed.min())
                #expect(alarm.next == armed.min())
            }
            if let first = armed.min() { #expect(alarm.next.map { $0 <= first } == true) }
        }
        #expect(!ReminderAlarm().isDue(at: .max))
    }
}

import Bytes
import Dates
import Family
import Testing

@Suite("Reminder rules")
struct ReminderRuleTests {
    private static let athlete = "0191a2b3-c4d5-7e6f-8a9b-0123456789ab"

    /// The code and the field of the refusal of a rule; `nil` if it is accepted.
    private func refusal(_ fields: Fields) -> String? {
        do {
            try Validation.check(fields, operation: 0, id: id(1), environment: earth)
            return nil
        } catch {
            return "\(error.code.rawValue) \(error.field ?? "")"
        }
    }

    private func rule(leads: String) -> Fields { fields(.reminderRule, ["leads": .json(Array(leads.utf8))]) }

    @Test("The id follows from the member's, and is that of no reading position and of no other member's rule")
    func identifier() {
        let member = Identifier(Self.athlete)
        #expect(member.map { ReminderRule.id(of: $0).description } == "0191a2b3-c4d5-8e6f-8a9b-fedcba987654")
        let ids = (0..<100).map { id($0) }
        #expect(Set(ids + ids.map { ReminderRule.id(of: $0) } + ids.map { ReadingPosition.id(of: $0) }).count == 300)
    }

    @Test("Lead times are lists of at most five different whole minutes up to 28 days, for known items and athletes", arguments: [
        ("{}", true), (#"{"event":[]}"#, true), (#"{"event":[40320,0,30,1440,60],"trip_item":[1],"all_day":[360]}"#, true),
        (#"{"athletes":{"0191a2b3-c4d5-7e6f-8a9b-0123456789ab":{"event":[30],"all_day":[]}}}"#, true), (#"{"athletes":{}}"#, true),
        (#"{"event":[1,2,3,4,5,6]}"#, false), (#"{"event":[30,30]}"#, false), (#"{"event":[-1]}"#, false), (#"{"event":[40321]}"#, false),
        (#"{"event":[1.0]}"#, false), (#"{"event":["30"]}"#, false), (#"{"event":[null]}"#, false), (#"{"event":30}"#, false), (#"{"event":null}"#, false),
        (#"{"trip":[30]}"#, false), (#"{"athletes":[]}"#, false), (#"{"athletes":{"leo":{"event":[30]}}}"#, false),
        (#"{"athletes":{"0191A2B3-C4D5-7E6F-8A9B-0123456789AB":{}}}"#, false),
        (#"{"athletes":{"0191a2b3-c4d5-7e6f-8a9b-0123456789ab":{"trip_item":[30]}}}"#, false), (#"{"athletes":{"0191a2b3-c4d5-7e6f-8a9b-0123456789ab":[]}}"#, false),
    ] as [(String, Bool)])
    func leads(_ text: String, isValid: Bool) {
        #expect(refusal(rule(leads: text)) == (isValid ? nil : "invalid leads"), "\(text)")
        if !isValid { #expect(ReminderRule(rule(leads: text)) == .standard, "what is not valid counts as absent") }
    }

    @Test("Leads for more than 50 athletes are refused")
    func athletes() {
        func leads(_ count: UInt64) -> String { "{\"athletes\":{" + (0..<count).map { "\"\(id($0))\":{\"event\":[30]}" }.joined(separator: ",") + "}}" }
        #expect(refusal(rule(leads: leads(50))) == nil && ReminderRule(rule(leads: leads(50))).athletes.count == 50)
        #expect(refusal(rule(leads: leads(51))) == "invalid leads")
    }

    @Test("Quiet hours have two different ends")
    func quiet() {
        for (from, until, problem) in [
            ("22:00", "07:00", nil), ("07:00", "22:00", nil), (nil, nil, nil), ("22:00", nil, "required quiet_until"), (nil, "07:00", "required quiet_from"),
            ("07:00", "07:00", "invalid quiet_until"),
        ] as [(String?, String?, String?)] {
            #expect(refusal(fields(.reminderRule, ["quiet_from": from.map(Value.text), "quiet_until": until.map(Value.text)])) == problem)
        }
    }

    @Test("The leads of an athlete's events come before those of the kind, and the usual ones last")
    func precedence() throws {
        let athlete = try #require(Identifier(Self.athlete))
        var rule = ReminderRule()
        #expect(rule.leads(.event, athlete: athlete) == [30] && rule.leads(.tripItem) == [30] && rule.leads(.allDay, athlete: athlete) == [360])
        rule.leads[.event] = [60, 1440]
        #expect(rule.leads(.event, athlete: athlete) == [60, 1440] && rule.leads(.tripItem) == [30])
        rule.athletes[athlete] = [.event: [], .allDay: [900]]
        #expect(rule.leads(.event, athlete: athlete) == [] && rule.leads(.event, athlete: id(3)) == [60, 1440] && rule.leads(.event) == [60, 1440])
        #expect(rule.leads(.allDay, athlete: athlete) == [900] && rule.leads(.allDay) == [360])
    }

    @Test("A rule is read from its fields as it was written")
    func roundTrip() throws {
        var rule = ReminderRule()
        #expect(ReminderRule(rule.fields) == rule && rule.fields["muted"] == .flag(false))
        rule.isMuted = true
        rule.calendarReminds = true
        rule.leads = [.event: [0, 30, 1440], .tripItem: [], .allDay: [900]]
        rule.athletes = [id(1): [.event: [5]], id(2): [.allDay: []]]
        rule.quiet = ReminderRule.Quiet(from: try #require(LocalTime("22:00")), until: try #require(LocalTime("06:30")), zone: "Europe/Warsaw")
        #expect(ReminderRule(rule.fields) == rule && refusal(rule.fields) == nil)
        #expect(!rule.reminds && ReminderRule(nil) == .standard)
    }

    @Test("A lead is said in its largest unit")
    func words() {
        for (lead, words) in [(0, "0 minutes"), (1, "1 minute"), (30, "30 minutes"), (60, "1 hour"), (90, "90 minutes"), (120, "2 hours"), (1440, "1 day"), (40_320, "28 days")] as [(Int64, String)] {
            #expect(ReminderRule.words(lead) == words)
        }
    }
}

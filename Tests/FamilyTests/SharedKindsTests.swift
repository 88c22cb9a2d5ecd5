import Bytes
import Dates
import Family
import Testing

/// A living record of the family.
func record(_ kind: Kind, _ number: UInt64, athlete: Identifier? = nil, _ values: KeyValuePairs<String, Value?>) -> Record {
    Record(
        kind: kind, id: id(number), athlete: athlete, version: 1, createdAt: 0, createdBy: id(99), updatedAt: 0, updatedBy: id(99),
        fields: fields(kind, values))
}

/// A new record after the defaults, with its faults.
func created(_ kind: Kind, _ values: KeyValuePairs<String, Value?>, around targets: [Record] = []) -> (fields: Fields, rejection: Rejection?) {
    let environment = machineZones()
    var fields = fields(kind, values)
    Validation.applyDefaults(&fields, environment: environment, context: { .around(targets) })
    do {
        try Validation.check(fields, operation: 0, id: id(1), environment: environment)
        return (fields, nil)
    } catch {
        return (fields, error)
    }
}

@Suite("References in the declarations")
struct ReferencePolicyTests {
    @Test("A kept name is in a line of the same kind that only the server writes", arguments: Kind.allCases)
    func keptNames(_ kind: Kind) throws {
        for field in kind.declaration.fields {
            guard case .keep(let name) = field.whenGone else { continue }
            let index = try #require(kind.declaration.index(of: name))
            #expect(kind.declaration.fields[index].isServerOnly)
            guard case .line = kind.declaration.fields[index].type, case .reference = field.type else {
                Issue.record("\(kind.name).\(field.name)")
                continue
            }
        }
    }

    @Test("Only what refers to a record has a policy, and what is required is never only unlinked", arguments: Kind.allCases)
    func policies(_ kind: Kind) {
        for field in kind.declaration.fields where field.whenGone != .stay {
            guard case .reference = field.type else { Issue.record("\(kind.name).\(field.name)"); continue }
            if field.whenGone == .unlink { #expect(!field.isRequired) }
        }
    }

    @Test("Schools and coaches are kept by name, events unlinked, trips take their items along (product.md, Events, Trips)", arguments: [
        (Kind.coach, "school_id", ReferencePolicy.keep(named: "school_name")), (.event, "school_id", .keep(named: "school_name")),
        (.interaction, "school_id", .keep(named: "school_name")), (.interaction, "coach_id", .keep(named: "coach_name")),
        (.document, "school_id", .keep(named: "school_name")), (.metric, "event_id", .unlink), (.interaction, "event_id", .unlink),
        (.tripItem, "trip_id", .cascade), (.event, "coaches_present", .stay), (.document, "shared_with_schools", .stay),
        (.message, "about", .stay), (.document, "replaces", .stay),
    ])
    func asDecided(_ kind: Kind, _ field: String, _ policy: ReferencePolicy) {
        #expect(kind.declaration.fields[kind.field(field)].whenGone == policy)
    }
}

@Suite("Metrics (product.md, Events)")
struct MetricRulesTests {
    @Test("R107 P27 the eight types have the labels of the requirements")
    func types() throws {
        guard case .choice(let words, let labels) = Kind.metric.declaration.fields[Kind.metric.field("metric_type")].type else { return }
        #expect(words == ["velocity", "exit_velo", "sixty_time", "pop_time", "batting_avg", "era", "strikeouts", "other"])
        #expect(labels == [
            "Fastball Velocity", "Exit Velocity", "60-Yard Dash", "Pop Time", "Batting Average", "ERA", "Strikeouts", "Other",
        ])
    }

    @Test("Each type has its unit, which its author may say otherwise", arguments: [
        ("velocity", "mph"), ("exit_velo", "mph"), ("sixty_time", "sec"), ("pop_time", "sec"), ("batting_avg", "avg"), ("era", "ER/9"),
        ("strikeouts", "count"),
    ])
    func units(_ type: String, _ unit: String) {
        #expect(created(.metric, ["metric_type": .text(type), "value": .text("1")]).fields.text("unit") == unit)
        #expect(created(.metric, ["metric_type": .text(type), "value": .text("1")]).rejection == nil)
        #expect(created(.metric, ["metric_type": .text(type), "value": .text("1"), "unit": .text("km/h")]).fields.text("unit") == "km/h")
    }

    @Test("P27 Another result needs a label and a unit")
    func other() {
        let bare = created(.metric, ["metric_type": .text("other"), "value": .text("1")])
        #expect(bare.rejection?.code == .required)
        #expect(bare.rejection?.field == "unit")
        let unlabelled = created(.metric, ["metric_type": .text("other"), "value": .text("1"), "unit": .text("m")])
        #expect(unlabelled.rejection?.message == "Label is required")
        #expect(unlabelled.rejection?.field == "label")
        #expect(created(.metric, [
            "metric_type": .text("other"), "value": .text("1"), "unit": .text("m"), "label": .text("Long toss"),
        ]).rejection == nil)
    }

    @Test("R108 it was recorded on its event's first day, or else today in the family's zone")
    func recordedOn() {
        let event = record(.event, 5, athlete: id(7), ["start_date": .text("2025-04-15"), "end_date": .text("2025-04-16")])
        let linked = created(.metric, ["metric_type": .text("era"), "value": .text("1"), "event_id": .reference(id(5))], around: [event])
        #expect(linked.fields.text("recorded_date") == "2025-04-15")
        // 23:30 UTC on the 28th is the 29th in Warsaw.
        let free = created(.metric, ["metric_type": .text("era"), "value": .text("1")])
        #expect(free.fields.text("recorded_date") == "2026-03-29")
        let said = created(.metric, ["metric_type": .text("era"), "value": .text("1"), "recorded_date": .text("2020-01-01")])
        #expect(said.fields.text("recorded_date") == "2020-01-01")
        #expect(free.fields["verified"] == .flag(false))
    }

    @Test("R108 a value is an exact number with the decimals that were written", arguments: [
        ("92.5", "92.5"), ("92.50", "92.50"), ("0092", "92"), ("007.250", "7.250"), ("0", "0"), ("-0", "0"), ("-3.5", "-3.5"), ("000", "0"),
        (" 6.71 ", "6.71"), ("123456789.1234", "123456789.1234"), ("0.0001", "0.0001"), ("-0.5", "-0.5"),
    ])
    func measure(_ typed: String, _ kept: String) throws {
        #expect(try canonical(.metric, "value", .text(typed)) == .text(kept))
        #expect(try canonical(.metric, "value", .text(kept)) == .text(kept))
    }

    @Test("R108 anything else is refused in the words of the requirement", arguments: [
        "x", "1,5", ".5", "5.", "1e3", "+1", "--1", "0x10", "NaN", "1.2.3", "١",
    ])
    func noMeasure(_ typed: String) {
        #expect(refusal(.metric, "value", .text(typed))?.message == "Please enter a valid number")
        #expect(refusal(.metric, "value", .text(typed))?.code == .invalid)
    }

    @Test("A value has its bounds", arguments: ["1234567890", "0.00001", "-1000000000"])
    func bounds(_ typed: String) {
        #expect(refusal(.metric, "value", .text(typed))?.code == .outOfRange)
    }

    @Test("The same number in another spelling is not a change, and not a contradiction")
    func sameNumber() {
        let held = fields(.metric, ["value": .text("92.50")])
        for (typed, isChange) in [("92.5", false), ("92.500", false), ("92.51", true), ("-92.5", true), ("925", true)] {
            let patch = patch(.metric, ["value": .text(typed)])
            let applied = Merge.apply(patch, to: held, resolve: { _, _ in nil })
            #expect(applied.changed.isEmpty == !isChange, "\(typed)")
            #expect(applied.fields.text("value") == (isChange ? typed : "92.50"))
            let contested = Merge.contested(patch, current: held, changedSinceBase: [Kind.metric.field("value")])
            #expect(contested.isEmpty == !isChange)
        }
    }
}

@Suite("Interactions (product.md, Events)")
struct InteractionRulesTests {
    private static let event = record(.event, 5, athlete: id(7), [
        "name": .text("Fall Camp"), "start_date": .text("2026-10-03"), "start_time": .text("09:30"), "time_zone": .text("America/New_York"),
        "school_id": .reference(id(6)), "school_name": .text("Ashgrove"),
    ])

    @Test("R092 P22 it takes school, subject, local start and zone of its event, and no coach; the caller logged it")
    func ofEvent() {
        let made = created(.interaction, ["event_id": .reference(id(5))], around: [Self.event]).fields
        #expect(made.reference("school_id") == id(6))
        #expect(made.text("school_name") == "Ashgrove")
        #expect(made["coach_id"] == nil)
        #expect(made.text("subject") == "Interaction at Fall Camp")
        #expect(made.text("occurred_at") == "2026-10-03T09:30")
        #expect(made.text("time_zone") == "America/New_York")
        #expect(made.reference("logged_by") == id(99))
    }

    @Test("R092 the text of its author stays as it is, and a zone of their own shows the same moment")
    func said() {
        let made = created(.interaction, [
            "event_id": .reference(id(5)), "school_id": .reference(id(8)), "subject": .text("Tour"), "time_zone": .text("Europe/Warsaw"),
        ], around: [Self.event]).fields
        #expect(made.reference("school_id") == id(8))
        #expect(made["school_name"] == nil)
        #expect(made.text("subject") == "Tour")
        #expect(made.text("occurred_at") == "2026-10-03T15:30")
        let dated = created(.interaction, ["event_id": .reference(id(5)), "occurred_at": .text("2026-10-04T08:00")], around: [Self.event])
        #expect(dated.fields.text("occurred_at") == "2026-10-04T08:00")
    }

    @Test("R092 P22 it works without a school and without an event: now, in the family's zone")
    func alone() {
        let made = created(.interaction, [:]).fields
        #expect(made.text("occurred_at") == "2026-03-29T00:30")
        #expect(made.text("time_zone") == "Europe/Warsaw")
        #expect(made["subject"] == nil)
        #expect(made["school_id"] == nil)
        let dayOnly = record(.event, 5, athlete: id(7), ["name": .text("Game"), "start_date": .text("2026-10-03")])
        let atMidnight = created(.interaction, ["event_id": .reference(id(5))], around: [dayOnly]).fields
        #expect(atMidnight.text("occurred_at") == "2026-10-03T00:00")
        #expect(atMidnight.text("time_zone") == "Europe/Warsaw")
    }

    @Test("R091 type, direction and content are required, the sentiment is not", arguments: [
        ("interaction_type", "Interaction type is required"), ("direction", "Direction is required"), ("content", "Content is required"),
    ])
    func required(_ field: String, _ sentence: String) {
        let whole: KeyValuePairs<String, Value?> = [
            "interaction_type": .text("email"), "direction": .text("inbound"), "content": .text("Sent the schedule."),
        ]
        #expect(created(.interaction, whole).rejection == nil)
        var made = created(.interaction, whole).fields
        made[field] = nil
        #expect(throws: Rejection(.required, sentence, operation: 0, kind: .interaction, id: id(1), field: field)) {
            try Validation.check(made, operation: 0, id: id(1), environment: earth)
        }
    }

    @Test("R091 the words and labels are those of the requirements")
    func words() {
        func choice(_ name: String) -> [String: String] {
            guard case .choice(let words, let labels) = Kind.interaction.declaration.fields[Kind.interaction.field(name)].type else { return [:] }
            return Dictionary(uniqueKeysWithValues: zip(words, labels))
        }
        #expect(choice("interaction_type") == ["in_person_visit": "In-Person", "phone_call": "Phone", "email": "Email", "game": "Game"])
        #expect(choice("direction") == ["inbound": "Coach contacted us", "outbound": "We contacted coach"])
        #expect(Set(choice("sentiment").keys) == ["very_positive", "positive", "neutral", "negative"])
    }

    @Test("The longest name of an event fits into the subject")
    func longestSubject() throws {
        let event = record(.event, 5, athlete: id(7), ["name": .text(String(repeating: "é", count: 255)), "start_date": .text("2026-10-03")])
        let made = created(.interaction, ["event_id": .reference(id(5))], around: [event]).fields
        #expect(refusal(.interaction, "subject", made["subject"]) == nil)
    }
}

@Suite("Trips and their items (product.md, Trips and itinerary)")
struct TripRulesTests {
    @Test("A trip is in the family's zone unless it says otherwise, and does not end before it starts", arguments: [
        ("2026-07-01", nil, true), ("2026-07-01", "2026-07-01", true), ("2026-07-01", "2026-07-09", true), ("2026-07-01", "2026-06-30", false),
    ] as [(String, String?, Bool)])
    func trip(_ start: String, _ end: String?, _ isGood: Bool) {
        let made = created(.trip, ["name": .text("Texas"), "start_date": .text(start), "end_date": end.map(Value.text)])
        #expect(made.fields.text("time_zone") == "Europe/Warsaw")
        #expect(made.rejection?.message == (isGood ? nil : "End date must be after start date"))
        #expect(made.rejection?.field == (isGood ? nil : "end_date"))
        let elsewhere = created(.trip, ["name": .text("T"), "start_date": .text(start), "time_zone": .text("Asia/Kathmandu")])
        #expect(elsewhere.fields.text("time_zone") == "Asia/Kathmandu")
    }

    private static let texas = record(.trip, 5, ["name": .text("Texas"), "time_zone": .text("America/Chicago")])

    @Test("R163 an item is an activity in the itinerary, entered by hand, in the zone of its trip; without an end it lasts all day")
    func itemDefaults() {
        let made = created(.tripItem, [
            "trip_id": .reference(id(5)), "title": .text("Zoo"), "start_time": .text("2026-07-02T10:00"),
        ], around: [Self.texas])
        #expect(made.rejection == nil)
        #expect(made.fields.text("start_zone") == "America/Chicago")
        #expect(made.fields["end_time"] == nil)
        #expect(made.fields["end_zone"] == nil)
        #expect(made.fields.text("category") == "activity")
        #expect(made.fields["include_in_itinerary"] == .flag(true))
        #expect(made.fields.text("source_type") == "manual")
        let timed = created(.tripItem, [
            "trip_id": .reference(id(5)), "title": .text("Zoo"), "start_time": .text("2026-07-02T10:00"), "end_time": .text("2026-07-02T11:00"),
        ], around: [Self.texas])
        #expect(timed.fields.text("end_zone") == "America/Chicago")
    }

    @Test("An item ends after it starts, as instants in the zones of its ends", arguments: [
        ("2026-07-02T10:00", "America/Chicago", "2026-07-02T11:00", "America/Chicago", true),
        ("2026-07-02T10:00", "America/Chicago", "2026-07-02T10:00", "America/Chicago", false),
        ("2026-07-02T10:00", "America/Chicago", "2026-07-02T09:00", "America/Chicago", false),
        // Over the date line a clock can go back by most of a day.
        ("2026-07-02T10:00", "Asia/Tokyo", "2026-07-02T06:00", "America/Los_Angeles", true),
        ("2026-07-02T10:00", "America/Los_Angeles", "2026-07-02T20:00", "Europe/Warsaw", true),
        ("2026-07-02T10:00", "America/Los_Angeles", "2026-07-02T19:00", "Europe/Warsaw", false),
        // Clocks go back at 03:00 in Warsaw: 02:30 is the first of two, so an hour and a half pass until 03:00.
        ("2026-10-25T02:30", "Europe/Warsaw", "2026-10-25T03:00", "Europe/Warsaw", true),
        // 02:30 does not exist there on that day and becomes 03:30, which is no longer before 03:15.
        ("2026-03-29T02:30", "Europe/Warsaw", "2026-03-29T03:15", "Europe/Warsaw", false),
    ])
    func itemOrder(_ start: String, _ startZone: String, _ end: String, _ endZone: String, _ isGood: Bool) {
        let made = created(.tripItem, [
            "trip_id": .reference(id(5)), "title": .text("Flight"), "start_time": .text(start), "start_zone": .text(startZone),
            "end_time": .text(end), "end_zone": .text(endZone),
        ], around: [Self.texas])
        #expect(made.rejection?.message == (isGood ? nil : "End time must be after start time"))
        #expect(made.rejection?.code == (isGood ? nil : .endBeforeStart))
    }

    @Test("R152 P34 durations read as the requirements write them", arguments: [
        ("2026-07-02T10:00", nil, "All day"), ("2026-07-02T10:00", "2026-07-02T12:00", "2h 0m"), ("2026-07-02T10:00", "2026-07-02T10:45", "45m"),
        ("2026-07-02T10:00", "2026-07-02T11:05", "1h 5m"), ("2026-07-02T10:00", "2026-07-03T10:00", "24h 0m"),
        ("2026-07-02T10:00", "2026-07-02T10:59", "59m"),
    ] as [(String, String?, String)])
    func durations(_ start: String, _ end: String?, _ text: String) {
        let item = fields(.tripItem, ["start_time": .text(start), "end_time": end.map(Value.text)])
        #expect(TripItemSpan(item, machineZones())?.duration == text)
    }

    @Test("A local date and time has one spelling", arguments: [
        "2026-07-02", "2026-07-02 10:00", "2026-07-02T10:00:00", "2026-07-02T24:00", "2026-02-30T10:00", "2026-07-02T10:00Z", "x",
    ])
    func noMoment(_ text: String) {
        #expect(refusal(.tripItem, "start_time", .text(text))?.code == .invalid)
        #expect(refusal(.tripItem, "start_time", .text(" 2026-07-02T10:00 ")) == nil)
    }

    @Test("R153 P29 source data is any JSON object and comes back octet for octet", arguments: [
        "{}", "{ \"b\":1.50, \"a\":[null,true,{\"x\":1e-7}] }", "{\"e\":\"\\u00e9\",\"é\":\"/\\/\"}", "{\"n\":123456789012345678901234567890}",
    ])
    func sourceData(_ text: String) throws {
        #expect(try canonical(.tripItem, "source_data", .json(Array(text.utf8))) == .json(Array(text.utf8)))
    }
}

@Suite("Reading positions")
struct ReadingPositionTests {
    @Test("The id follows from the member's, is another one, and differs between members")
    func identifier() {
        let member = Identifier("0191a2b3-c4d5-7e6f-8a9b-0123456789ab")
        #expect(member.map { ReadingPosition.id(of: $0).description } == "0191a2b3-c4d5-8e6f-8a9b-0123456789ab")
        #expect(Set((0..<100).map { ReadingPosition.id(of: id($0)) }).count == 100)
        #expect((0..<100).allSatisfy { ReadingPosition.id(of: id($0)) != id($0) })
    }

    @Test("P50 It never goes back, and a stale base is not a conflict")
    func onlyGrows() {
        let held = fields(.readingPosition, ["sequence": .integer(40)])
        for (asked, comes) in [(39, 40), (40, 40), (41, 41), (0, 40)] as [(Int64, Int64)] {
            let patch = patch(.readingPosition, ["sequence": .integer(asked)])
            let applied = Merge.apply(patch, to: held, resolve: { _, _ in nil })
            #expect(applied.fields["sequence"] == .integer(comes))
            #expect(applied.changed.isEmpty == (comes == 40))
            #expect(Merge.commutes(patch, .readingPosition))
        }
        #expect(!Merge.commutes(patch(.event, ["cost": .text("1.00")]), .event))
        #expect(refusal(.readingPosition, "sequence", .integer(-1))?.code == .outOfRange)
        #expect(refusal(.readingPosition, "sequence", .integer(9_007_199_254_740_991)) == nil)
        #expect(refusal(.readingPosition, "sequence", .integer(9_007_199_254_740_992))?.code == .outOfRange)
    }
}

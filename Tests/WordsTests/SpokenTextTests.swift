import Bytes
import ClientWorld
import Family
import Testing
import Wire
import Words

@Suite("Records read aloud, R054, R111, R117, R148")
struct SpokenTextTests {
    private static let school = World.id(20)
    private static let event = World.id(60)

    private static func record(_ kind: Kind, _ number: UInt64, _ values: [String: Value], athlete: Identifier? = nil) -> Record {
        var fields = Fields(kind)
        for (name, value) in values { fields[name] = value }
        return Record(
            kind: kind, id: World.id(number), athlete: athlete, version: 1, createdAt: 0, createdBy: World.athlete, updatedAt: 0,
            updatedBy: World.parent, fields: fields)
    }

    private static let records: [Record] = [
        record(
            .event, 60,
            [
                "type": .text("camp"), "name": .text("Fall Camp"), "start_date": .text("2026-12-05"), "end_date": .text("2026-12-06"), "start_time": .text("09:00"),
                "end_time": .text("16:00"), "city": .text("Albany"), "state": .text("NY"), "registered": .flag(true), "attended": .flag(false), "cost": .text("60.00"),
                "description": .text("Bring water.\nAnd shade"),
            ], athlete: World.athlete),
        record(.event, 61, ["name": .text("Camp Jr."), "start_date": .text("2026-12-05")], athlete: World.athlete),
        record(.school, 20, ["name": .text("Ohio State"), "location": .text("Columbus")]),
        record(.coach, 21, ["first_name": .text("Al"), "last_name": .text("Bo"), "role": .text("Head Coach"), "school_id": .reference(school), "email": .text("al@bo.example")]),
        record(.member, 3, ["name": .text("Maya Rivera"), "role": .text("athlete")]),
        record(
            .metric, 30, ["metric_type": .text("velocity"), "value": .text("82.5"), "unit": .text("mph"), "recorded_date": .text("2026-12-05"), "event_id": .reference(event), "verified": .flag(true)],
            athlete: World.athlete),
        record(
            .interaction, 31,
            [
                "interaction_type": .text("in_person_visit"), "subject": .text("Interaction at Fall Camp"), "occurred_at": .text("2026-12-05T09:00"), "school_id": .reference(school),
                "sentiment": .text("very_positive"),
            ], athlete: World.athlete),
        record(.trip, 40, ["name": .text("Austin"), "start_date": .text("2026-12-31"), "end_date": .text("2027-01-02"), "location": .text("Austin, Texas")]),
        record(.message, 50, ["text": .text("See you\nthere!")]), record(.message, 51, ["text": .text("/me packs the car")]),
        record(.tripItem, 41, ["title": .text("Dinner"), "category": .text("food"), "start_time": .text("2026-12-31T18:00"), "trip_id": .reference(World.id(40))]),
    ]

    @Test("One sentence distinguishes a record, and skips empty fields", arguments: zip(records, [
        "Fall Camp, Camp, Dec 5 to 6, 2026, Registered. 09:00 to 16:00. Albany, NY. Maya Rivera.", "Camp Jr., Unknown, Dec 5, 2026, Not Registered. Maya Rivera.",
        "Ohio State. Columbus.", "Al Bo, Head Coach, Ohio State, al@bo.example.", "Maya Rivera, Athlete.",
        "Fastball Velocity, 82.5 mph, Verified. Dec 5, 2026. Fall Camp. Maya Rivera.",
        "Interaction at Fall Camp, In-Person. Dec 5, 2026 09:00. Ohio State. Very Positive. Maya Rivera.", "Austin, Dec 31, 2026 to Jan 2, 2027. Austin, Texas.",
        "Jan 1, 1970 00:00, Maya Rivera: See you there!", "Jan 1, 1970 00:00, Maya Rivera packs the car.", "Dinner, Food, Dec 31, 2026 18:00, All day. Austin.",
    ]))
    func lines(record: Record, words: String) {
        let names = RecordNames(Self.records)
        #expect(SpokenText.line(record, names, showsAthlete: true, clock: LocalClock(zone: nil)) == words)
        let alone = SpokenText.line(record, names, showsAthlete: false, clock: LocalClock(zone: nil))
        #expect(record.athlete == nil ? alone == words : !alone.contains("Maya"))
    }

    @Test("A record in full has a sentence per field, without columns and without the id")
    func details() {
        let text = ChangeText(RecordNames(Self.records)) { _ in "09:14" }
        let lines = SpokenText.details(Self.records[0], text)
        #expect(lines.first == "Fall Camp, Camp, Registered.")
        for line in ["Cost: 60.00.", "Description: Bring water.\nAnd shade.", "Attended: no.", "Athlete: Maya Rivera."] { #expect(lines.contains(line), "\(lines)") }
        #expect(!lines.contains { $0.contains("  ") || $0.contains(Self.records[0].id.description) })
    }

    @Test("Replaced values are read without arrows; a record without a name gets its kind's name", arguments: [true, false])
    func history(isSpoken: Bool) {
        let text = ChangeText(RecordNames(Self.records)) { _ in "09:14" }
        let cost = Kind.event.declaration.index(of: "cost") ?? -1
        let change = HistoryItem.Change(
            entry: ChangeEntry(kind: .event, id: Self.event, version: 2, effect: .update([.init(field: cost, value: .text("75.00"))])),
            before: [.init(field: cost, value: nil)])
        let gone = HistoryItem.Change(
            entry: ChangeEntry(kind: .interaction, id: World.id(99), version: 2, effect: .delete), before: [])
        let page = HistoryPage(
            request: 1, entries: [HistoryItem(sequence: 9, at: 0, member: World.parent, isUndoable: false, changes: [change, gone])])
        let lines = AnswerText(text, isSpoken: isSpoken).lines(.history(page))
        #expect(lines.contains(isSpoken ? "      Cost: 75.00, before nothing." : "      cost: – → 75.00"), "\(lines)")
        #expect(lines.contains { $0.hasSuffix("deleted an interaction") }, "\(lines)")
    }
}

import Bytes
import Family
import Terminal
import Testing
@testable import Views
@testable import Words

@Suite("An event in full")
struct EventDetailTests {
    static func record(_ kind: Kind, _ number: UInt64, _ values: [String: Value]) -> Record {
        var fields = Fields(kind)
        for (name, value) in values { fields[name] = value }
        return Record(
            kind: kind, id: Identifier(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0800 + number), athlete: RoomViewTests.maya, version: 1, createdAt: 0,
            createdBy: RoomViewTests.maya, updatedAt: 0, updatedBy: RoomViewTests.maya, fields: fields)
    }

    static let maya: Record = {
        let made = record(.member, 9, ["name": .text("Maya Rivera")])
        return Record(
            kind: .member, id: RoomViewTests.maya, athlete: nil, version: 1, createdAt: 0, createdBy: made.id, updatedAt: 0, updatedBy: made.id, fields: made.fields)
    }()
    static let coach = record(.coach, 1, ["first_name": .text("Nadia"), "last_name": .text("Rahimi"), "role": .text("Head coach"), "email": .text("nadia@ashgrove.example")])

    @Test("R085 R087 R104 R111 An event shows its sections in their order")
    func sections() {
        let event = Self.record(.event, 2, [
            "type": .text("showcase"), "name": .text("Spring Showcase"), "start_date": .text("2026-04-15"), "end_date": .text("2026-04-16"), "start_time": .text("09:00"),
            "checkin_time": .text("08:15"), "cost": .text("0.00"), "event_source": .text("flyer"), "address": .text("1 Main St"), "city": .text("Albany"), "state": .text("NY"),
            "description": .text("Bring both gloves.\nAnd water."), "url": .text("https://showcase.example/"), "performance_notes": .text("Fast."), "attended": .flag(true),
            "coaches_present": .set([SetElement(id: Self.coach.id, name: "Nadia Rahimi", role: "Assistant")]),
        ])
        let metric = Self.record(.metric, 3, ["metric_type": .text("pop_time"), "value": .text("1.87"), "unit": .text("sec"), "verified": .flag(true)])
        let said = Self.record(.interaction, 4, ["interaction_type": .text("in_person_visit"), "direction": .text("inbound"), "content": .text("Asked about grades."), "sentiment": .text("positive")])
        let names = RecordNames([Self.coach, Self.maya, event, metric, said])
        let lines = EventDetail.lines(event, metrics: [metric], interactions: [said], names, .dark).map(\.text.text)
        #expect(lines == [
            "Spring Showcase  Showcase  Attended", "Apr 15 - 16, 2026", "Maya Rivera", "",
            "Time        09:00", "Check-in    08:15", "Cost        free", "Source      Flyer", "",
            "Location", "1 Main St", "Albany, NY", "m  Get Directions", "",
            "Event Description", "Bring both gloves.", "And water.", "",
            "Event Link", "https://showcase.example/", "",
            "Performance Notes", "Fast.", "",
            "Metrics Recorded at This Event", "Pop Time             1.87 sec  ✓ verified", "",
            "Coaches Present", "Nadia Rahimi  Assistant  nadia@ashgrove.example", "",
            "Interactions", "In-Person · Coach contacted us · Positive", "  Asked about grades.",
        ])
    }

    @Test("The event's address and directions are terminal links; text drawn over them and hostile addresses are not")
    func links() {
        let event = Self.record(.event, 2, ["url": .text("https://showcase.example/"), "city": .text("Albany")])
        var canvas = Canvas(Size(columns: 60, rows: 20))
        let pane = DetailPane(EventDetail.lines(event, metrics: [], interactions: [], RecordNames([]), .dark))
        pane.draw(&canvas, canvas.bounds, .dark)
        func linked() -> [String] {
            (0..<20).flatMap { row in (0..<60).compactMap { canvas[$0, row].link > 0 ? canvas.links[Int(canvas[$0, row].link) - 1].address + " " + canvas.text(row: row) : nil } }
        }
        #expect(Set(linked()) == ["https://showcase.example/ https://showcase.example/", "https://www.openstreetmap.org/search?query=Albany m  Get Directions"])
        canvas.fill(canvas.bounds)
        #expect(linked().isEmpty)
        let hostile = Self.record(.event, 3, ["url": .text("https://x/\u{1B}]0;owned\u{7}")])
        #expect(EventDetail.lines(hostile, metrics: [], interactions: [], RecordNames([]), .dark).allSatisfy { $0.link == nil })
    }

    @Test("R100 R104 An event shows missing values: Unknown, no directions, and why there are no coaches", arguments: [(false, "Event not linked to school"), (true, "No coaches recorded")])
    func lacking(hasSchool: Bool, words: String) {
        let event = Self.record(.event, 5, hasSchool ? ["school_id": .reference(Self.coach.id)] : [:])
        let lines = EventDetail.lines(event, metrics: [], interactions: [], RecordNames([]), .dark).map(\.text.text)
        #expect(lines.first == "Unknown event  Unknown  Not Registered")
        #expect(lines[1] == "Unknown")
        #expect(lines.suffix(hasSchool ? 3 : 2) == ["Coaches Present", words] + (hasSchool ? ["+  Add Coach"] : []))
        #expect(!lines.contains("Location"))
    }
}

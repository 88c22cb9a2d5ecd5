import ClientWorld
import Family
import Testing
import Words

@Suite("Columns of lists, and the list of deleted records")
struct RecordColumnsTests {
    static var text: ChangeText { ChangeText(RecordNames([World.member(World.athlete, "Maya Rivera"), World.member(World.parent, "Dana Rivera")])) { _ in "08:02" } }

    @Test("A column is named by its field, with - or _, or by its beginning", arguments: [
        ("id", "id"), ("athlete", "athlete"), ("NAME", "name"), ("start", "start_date"), ("start-date", "start_date"), ("start_time", "start_time"), ("check", "checkin_time"),
        ("school", "school_id"), ("c", nil), ("e", nil), ("nonsense", nil),
    ] as [(String, String?)])
    func names(word: String, column: String?) { #expect(RecordColumns.column(word, of: .event) == column) }

    @Test("The table has the columns in their order, empty ones too, and texts on one line")
    func table() {
        let event = World.event(["name": .text("Spring Showcase"), "start_date": .text("2026-04-15"), "description": .text("One\nTwo \u{1B}[31m"), "registered": .flag(true)])
        let table = RecordColumns.table(["name", "cost", "start_date", "athlete", "registered", "description"], [event], Self.text)
        #expect(
            table.lines == [
                "NAME             COST  START-DATE    ATHLETE      REGISTERED  DESCRIPTION",
                "Spring Showcase        Apr 15, 2026  Maya Rivera  yes         One Two �[31m",
            ])
    }

    @Test("Deleted records are listed latest first, with the command that restores it")
    func deleted() {
        var first = World.event(["name": .text("Early Camp")], id: 61)
        (first.deletedAt, first.updatedBy) = (1_000, World.parent)
        var second = World.event(["name": .text("Late Camp")], id: 62)
        (second.deletedAt, second.updatedBy) = (90_000_000, World.athlete)
        var message = World.message(70, "secret", by: World.parent, at: 1)
        message.deletedAt = 5
        let all = [first, World.event(["name": .text("Here")], id: 63), message, second]
        let deleted = DeletedText.records(all)
        #expect(deleted.map(\.id) == [second.id, first.id])
        #expect(DeletedText.records(all, of: .trip).isEmpty)
        let lines = DeletedText.lines(deleted, Self.text.names, RecordNames(deleted), LocalClock(zone: nil), columns: nil, restore: "huddle restore")
        #expect(lines.count == 4 && lines[1].contains("Late Camp") && lines[1].hasSuffix("Maya Rivera") && lines[2].contains("event  Early Camp  Dana Rivera"), "\(lines)")
        #expect(lines[3] == "To bring one back: huddle restore \(RecordNames(deleted).short(second.id))")
        #expect(DeletedText.lines([], Self.text.names, RecordNames([]), LocalClock(zone: nil), columns: 80, restore: "/restore") == ["Nothing was deleted in the last 30 days."])
    }
}

import ClientWorld
import Commands
import Dates
import Family
import Testing

@Suite("Dates, times and numbers as people type them")
struct TypedValueTests {
    /// A Saturday.
    static let today = CalendarDate("2026-11-21") ?? .first

    @Test("The reader converts each value to the one spelling of the rules, or leaves it unchanged", arguments: [
        (FieldType.date, "today", "2026-11-21"), (.date, "Tomorrow", "2026-11-22"), (.date, "yesterday", "2026-11-20"), (.date, "+7", "2026-11-28"),
        (.date, "-1", "2026-11-20"), (.date, "12-24", "2026-12-24"), (.date, "1/5", "2027-01-05"), (.date, "Dec 24", "2026-12-24"), (.date, "24 december", "2026-12-24"),
        (.date, "nov 21", "2026-11-21"), (.date, "nov 20", "2027-11-20"), (.date, "2026-12-24", "2026-12-24"), (.date, "soon", nil), (.date, "12 24", nil),
        (.date, "+99999999999999999999", nil), (.date, "+3661", nil), (.date, "--1", nil), (.date, "feb 30", nil),
        (.date, "friday", "2026-11-27"), (.date, "fri", "2026-11-27"), (.date, "Sat", "2026-11-28"), (.date, "sunday", "2026-11-22"),
        (.date, "next friday", "2026-11-27"), (.date, "next sunday", "2026-11-29"), (.date, "next sat", "2026-11-28"), (.date, "next", nil), (.date, "s", nil),
        (.time, "9", "09:00"), (.time, "930", "09:30"), (.time, "9:30", "09:30"), (.time, "2pm", "14:00"), (.time, "6:30pm", "18:30"), (.time, "9 am", "09:00"),
        (.time, "12am", "00:00"), (.time, "12:15 pm", "12:15"), (.time, "2460", nil), (.time, "99999999", nil), (.time, "1:2:3", nil), (.time, "13pm", nil),
        (.localDateTime, "2026-12-24 9:30", "2026-12-24T09:30"), (.localDateTime, "2026-12-24T18:30", "2026-12-24T18:30"), (.localDateTime, "tomorrow 2pm", "2026-11-22T14:00"),
        (.localDateTime, "friday 6:30 pm", "2026-11-27T18:30"), (.localDateTime, "sat 9", "2026-11-28T09:00"), (.localDateTime, "oct 24 18:00", "2027-10-24T18:00"),
        (.localDateTime, "18:30", nil), (.localDateTime, "2026-12-24", nil),
        (.state, "nc", "NC"), (.decimal(digits: 9, scale: 2, min: 0), "$150", "150"), (.line(max: 9), "today", nil),
    ] as [(FieldType, String, String?)])
    func spelled(type: FieldType, text: String, result: String?) {
        #expect(TypedValue.spelled(text, type, today: Self.today) == result)
    }

    @Test("If the day is known, a time alone is enough; a typed date takes precedence", arguments: [
        ("18:30", "2026-12-04T18:30"), ("6:30pm", "2026-12-04T18:30"), ("9", "2026-12-04T09:00"), ("tomorrow 9", "2026-11-22T09:00"), ("later", nil),
    ] as [(String, String?)])
    func timeAlone(text: String, result: String?) {
        #expect(TypedValue.spelled(text, .localDateTime, today: Self.today, day: CalendarDate("2026-12-04")) == result)
    }

    @Test("A step is a day, a quarter of an hour, or the number one", arguments: [
        (FieldType.date, "", 1, "2026-11-21"), (.date, "2026-12-31", 1, "2027-01-01"), (.date, "x", 1, nil), (.time, "", 1, "12:00"), (.time, "23:50", 1, "00:05"),
        (.time, "09:00", -1, "08:45"), (.localDateTime, "2026-12-31T23:50", 1, "2027-01-01T00:05"), (.line(max: 9), "a", 1, nil),
    ] as [(FieldType, String, Int, String?)])
    func stepped(type: FieldType, text: String, count: Int, result: String?) {
        #expect(TypedValue.stepped(text, type, by: count, today: Self.today) == result)
    }

    @Test("The fields of a command take the same words; a time alone is on the day of the record, or of the start beside it")
    func fields() throws {
        func patch(_ kind: Kind, _ words: [(String, String)], of record: Record? = nil) throws -> [String: String] {
            let inputs = words.map { InvocationTests.input(kind, $0.0, $0.1) }
            let patch = try FieldOptions.patch(inputs, kind, names: FieldOptionsTests.names, today: Self.today, of: record)
            return Dictionary(uniqueKeysWithValues: patch.assignments.map { assignment in
                guard case .text(let text)? = assignment.value else { return (kind.declaration.fields[assignment.field].name, "") }
                return (kind.declaration.fields[assignment.field].name, text)
            })
        }
        #expect(try patch(.event, [("start_date", "tomorrow"), ("start_time", "6:30pm"), ("cost", "$20")]) == ["start_date": "2026-11-22", "start_time": "18:30", "cost": "20"])
        #expect(try patch(.tripItem, [("start_time", "fri 9am"), ("end_time", "11")]) == ["start_time": "2026-11-27T09:00", "end_time": "2026-11-27T11:00"])
        var fields = Fields(.tripItem)
        fields["start_time"] = .text("2026-12-04T10:00")
        let item = Record(
            kind: .tripItem, id: World.id(70), athlete: nil, version: 1, createdAt: 0, createdBy: World.parent, updatedAt: 0, updatedBy: World.parent, fields: fields)
        #expect(try patch(.tripItem, [("end_time", "12:30")], of: item) == ["end_time": "2026-12-04T12:30"])
        #expect(try patch(.tripItem, [("end_time", "12:30")]) == ["end_time": "12:30"], "no day is known: the rules say what is wrong")
    }
}

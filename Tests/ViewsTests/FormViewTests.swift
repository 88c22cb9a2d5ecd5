import Bytes
import Dates
import Family
import Terminal
import TestSupport
import Testing
@testable import Views

@Suite("Forms from declarations")
struct FormViewTests {
    static let maya = RoomViewTests.maya
    static let dana = RoomViewTests.dana
    static let school = Identifier(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0600)
    static let coach = Identifier(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0601)
    static let event = EventsViewTests.event(1, [
        "type": .text("showcase"), "name": .text("Spring Showcase"), "start_date": .text("2026-11-24"), "end_date": .text("2026-11-24"),
        "coaches_present": .set([SetElement(id: dana, name: "Old Coach")]),
    ])

    static func context(_ targets: [Record] = [event]) -> RuleContext {
        RuleContext(member: maya, now: 1_795_000_000_000, zone: "UTC", targets: Dictionary(targets.map { ($0.id, $0) }) { first, _ in first })
    }

    static func today() throws -> CalendarDate { try #require(CalendarDate("2026-11-21")) }

    static func prepared(_ form: FormView) -> FormView {
        var form = form
        form.athletes = [maya]
        form.options = [.school: [FormOption(school, "Ashgrove University", "Ohio")], .coach: [FormOption(coach, "Nadia Rahimi")], .member: [FormOption(maya, "Maya Rivera"), FormOption(dana, "Dana Rivera")], .event: [FormOption(event.id, "Spring Showcase")]]
        return form
    }

    static func add(_ kind: Kind, asksAthlete: Bool = false, preset: [String: Value] = [:]) throws -> FormView {
        prepared(.add(kind, athlete: asksAthlete ? nil : maya, asksAthlete: asksAthlete, preset: preset, context: context(), today: try today(), theme: .dark, keymap: ViewCommands.defaultKeymap()))
    }

    static func edit(_ record: Record = event) throws -> FormView {
        prepared(.edit(record, context: context(), today: try today(), theme: .dark, keymap: ViewCommands.defaultKeymap()))
    }

    static func attend() throws -> FormView {
        prepared(.attend(event, context: context(), today: try today(), theme: .dark, keymap: ViewCommands.defaultKeymap()))
    }

    /// Presses keys by name; all other text is typed.
    @discardableResult
    static func type(_ form: inout FormView, _ words: String...) -> [FormAction] { type(&form, words) }

    @discardableResult
    static func type(_ form: inout FormView, _ words: [String]) -> [FormAction] {
        words.flatMap { word -> [FormAction] in
            if word.count > 1, let keys = Keymap.keys(word) { return keys.flatMap { form.handle(.key($0)) } }
            return word.flatMap { form.handle(.key(.character($0))) }
        }
    }

    /// Goes to the row with a label.
    static func go(_ form: inout FormView, _ label: String) throws {
        let place = try #require(form.rows.firstIndex { $0.label == label })
        while form.focus != place { type(&form, form.focus < place ? "tab" : "shift-tab") }
    }

    static func drawn(_ form: FormView, columns: Int = 90, rows: Int = 50) -> String {
        var canvas = Canvas(Size(columns: columns, rows: rows))
        form.draw(RoomViewTests.facts(), &canvas)
        return canvas.text
    }

    static func values(_ entry: FormEntry) -> [String: Value?] {
        Dictionary(entry.patch.assignments.map { (entry.kind.declaration.fields[$0.field].name, $0.value) }) { first, _ in first }
    }

    static func saved(_ actions: [FormAction], _ place: SourceLocation = #_sourceLocation) throws -> [FormEntry] {
        guard case .save(let entries, _)? = actions.first else {
            Issue.record("\(actions) saves nothing", sourceLocation: place)
            return []
        }
        return entries
    }

    // MARK: Adding

    @Test("R056 R057 R058 Required fields are marked, and missing ones reported in the words of the rules; nothing is sent")
    func required() throws {
        var form = try Self.add(.event)
        let before = Self.drawn(form)
        for words in ["Add New Event", "Event type*", "Event name*", "Start date*", "Event Info", "Date & Time", "Event Details", "Performance", "[ Create Event ]", "-- Select --"] {
            #expect(before.contains(words), "\(words)")
        }
        #expect(!before.contains("is required"))
        let actions = Self.type(&form, "ctrl-s")
        #expect(actions.isEmpty)
        let after = Self.drawn(form)
        for words in ["Please complete all required fields", "Event type is required", "Event name is required", "Start date is required"] { #expect(after.contains(words), "\(words)") }
        #expect(form.focus == 0)
    }

    @Test("R062 R063 The user adds an event by keys: defaults are grey and left to the server")
    func addEvent() throws {
        var form = try Self.add(.event)
        Self.type(&form, "s", "tab", "Fall Showcase", "tab")
        Self.type(&form, "ash", "enter")
        try Self.go(&form, "Start date")
        Self.type(&form, "12-4", "tab")
        try Self.go(&form, "Start time")
        Self.type(&form, "930", "tab")
        try Self.go(&form, "Registered")
        Self.type(&form, " ")
        let text = Self.drawn(form)
        for words in ["‹", "Ashgrove University", "2026-12-04  Fri", "09:30", "10:30", "[x]"] { #expect(text.contains(words) || words == "‹", "\(words)\n\(text)") }
        let entries = try Self.saved(Self.type(&form, "ctrl-s"))
        #expect(entries.count == 1)
        #expect(try Self.values(#require(entries.first)) == [
            "type": .text("showcase"), "name": .text("Fall Showcase"), "school_id": .reference(Self.school), "start_date": .text("2026-12-04"),
            "start_time": .text("09:30"), "registered": .flag(true),
        ])
    }

    @Test("A wrong field is reported when the user leaves it, in the rule's own words, and nothing is sent until it is right", arguments: [
        ("Cost", "abc", "Cost must be"), ("Event link", "nonsense", "Please enter a valid URL (e.g., https://...)"),
        ("Start date", "2026-02-30", "Start date must be a date that exists, such as 2026-04-15"), ("Start time", "25:00", "Start time must be a time from 00:00 to 23:59, written like 09:30"),
        ("State", "xyz", "State"), ("Event name", String(repeating: "x", count: 256), "Event name"),
    ])
    func inline(label: String, text: String, sentence: String) throws {
        var form = try Self.edit()
        try Self.go(&form, label)
        Self.type(&form, "ctrl-u", text, "tab")
        let row = try #require(form.rows.first { $0.label == label })
        #expect(row.problem?.hasPrefix(sentence) == true, "\(row.problem ?? "nothing")")
        #expect(Self.type(&form, "ctrl-s").isEmpty)
        #expect(form.rows.indices.contains(form.focus) && form.rows[form.focus].label == label)
        Self.type(&form, "ctrl-u", label == "Event name" ? "x" : label == "Start date" ? "2026-11-24" : "")
        Self.type(&form, "tab")
        #expect(form.rows.allSatisfy { $0.problem == nil })
    }

    @Test("R059 An end before the start is reported immediately; an equal end is valid")
    func range() throws {
        var form = try Self.edit()
        try Self.go(&form, "End date")
        Self.type(&form, "ctrl-down", "ctrl-down")
        #expect(Self.drawn(form).contains("End date must be after start date"))
        #expect(Self.type(&form, "ctrl-s").isEmpty)
        Self.type(&form, "ctrl-up", "ctrl-up")
        #expect(!Self.drawn(form).contains("End date must be after start date"))
        #expect(Self.type(&form, "ctrl-s") == [.discard], "nothing is different any more")
    }

    @Test("R074 The user adds a missing school from its field, and it is chosen")
    func newSchool() throws {
        var form = try Self.add(.event)
        try Self.go(&form, "School")
        let none = Self.type(&form, "New")
        #expect(none.isEmpty && Self.drawn(form).contains("+ Add new school: New"))
        #expect(Self.type(&form, "enter") == [.addSchool("New")])
        form.choose(FormOption(Self.dana, "New"), .school)
        #expect(form.rows[form.focus].current == .chosen([Self.dana]))
        Self.type(&form, "backspace")
        #expect(form.rows[form.focus].isEmpty)
    }

    @Test("From an open list, too, the user reaches another page, and finds the list as it was; kilobytes of typing stay a search of 256 characters")
    func pageFromList() throws {
        var form = try Self.add(.event)
        try Self.go(&form, "School")
        Self.type(&form, "Hud")
        #expect(Self.type(&form, "alt-1") == [.shared(.show(1))])
        #expect(form.picker?.editor.text == "Hud")
        for _ in 0..<2_000 { Self.type(&form, "x") }
        #expect(form.picker?.editor.characters.count == 256)
    }

    @Test("R072 R073 A school outside the list becomes a name in the host field, and no school is chosen")
    func notListed() throws {
        var form = try Self.add(.event)
        try Self.go(&form, "School")
        Self.type(&form, "Hudson Valley", "down")
        #expect(Self.drawn(form).contains("Other (not listed): Hudson Valley"))
        #expect(Self.type(&form, "enter").isEmpty)
        #expect(form.rows[form.focus].label == "Host (school not listed)" && form.rows[form.focus].editor.text == "Hudson Valley")
        #expect(form.rows.first { $0.label == "School" }?.isEmpty == true)
        try Self.go(&form, "School")
        Self.type(&form, " ")
        #expect(Self.drawn(form).contains("Other (not listed)") && Self.drawn(form).contains("+ Add new school"))
        // Also before a name is typed.
        #expect(Self.type(&form, "down", "enter") == [.addSchool("")])
        // None is offered once a school is chosen, and takes it away.
        #expect(!form.extras.contains(.noSchool))
        form.choose(FormOption(Self.school, "Hudson Valley College"), .school)
        try Self.go(&form, "School")
        Self.type(&form, " ")
        #expect(form.extras.last == .noSchool && Self.drawn(form).contains("None"))
        Self.type(&form, "up", "enter")
        #expect(form.rows.first { $0.label == "School" }?.isEmpty == true)
    }

    @Test("R102 The form offers the coaches of the event's school first, and sends only additions and removals")
    func coaches() throws {
        var event = Self.event
        event.fields["school_id"] = .reference(Self.school)
        var form: FormView = .coaches(event, context: Self.context([event]), today: try Self.today(), theme: .dark, keymap: ViewCommands.defaultKeymap())
        form.options = [.coach: [FormOption(Self.coach, "Nadia Rahimi", group: Self.school), FormOption(Self.maya, "Bo Else")]]
        #expect(Self.drawn(form).contains("Nadia Rahimi") && !Self.drawn(form).contains("Bo Else"))
        Self.type(&form, "bo")
        #expect(Self.drawn(form).contains("Bo Else"))
        Self.type(&form, "ctrl-u", "enter")
        let entry = try #require(try Self.saved(Self.type(&form, "ctrl-s")).first)
        let field = try #require(Kind.event.declaration.index(of: "coaches_present"))
        #expect(entry.patch == FieldPatch(setEdits: [.init(field: field, add: [Self.coach])]))
    }

    @Test("R080 The form offers directions once an address or a city is typed")
    func directions() throws {
        var form = try Self.add(.event)
        #expect(Self.type(&form, "ctrl-x m") == [.shared(.say("Write an address or a city first."))] && !Self.drawn(form).contains("Get Directions"))
        try Self.go(&form, "State")
        Self.type(&form, "oh")
        #expect(!Self.drawn(form).contains("Get Directions"), "a state alone leads nowhere")
        try Self.go(&form, "City")
        Self.type(&form, "Ashgrove")
        #expect(Self.drawn(form).contains("Ctrl-X m  Get Directions"))
        #expect(Self.type(&form, "ctrl-x m") == [.shared(.copy("https://www.openstreetmap.org/search?query=Ashgrove%2C%20OH"))])
    }

    @Test("A form begins at the first required field without a value; an empty list of participants says what that means")
    func begins() throws {
        let result = try Self.add(.metric, preset: ["event_id": .reference(Self.event.id)])
        #expect(result.rows[result.focus].label == "Metric type")
        let item = try Self.add(.tripItem, preset: ["trip_id": .reference(Self.school), "start_time": .text("2026-11-24T09:00")])
        #expect(item.rows[item.focus].label == "Title" && Self.drawn(item).contains("everyone on the trip"))
        #expect(try Self.drawn(Self.add(.event)).contains("-- Select a school --"))
    }

    @Test("Every kind that people add has a form that saves its required fields", arguments: [
        (Kind.school, ["Ashgrove"], ["name": Value.text("Ashgrove")]),
        (.coach, ["Nadia", "tab", "Rahimi"], ["first_name": .text("Nadia"), "last_name": .text("Rahimi")]),
        (.trip, ["Albany", "tab", "+6"], ["name": .text("Albany"), "start_date": .text("2026-11-27")]),
    ] as [(Kind, [String], [String: Value])])
    func kinds(kind: Kind, keys: [String], values: [String: Value]) throws {
        var form = try Self.add(kind)
        Self.type(&form, keys)
        let entries = try Self.saved(Self.type(&form, "ctrl-s"))
        #expect(try Self.values(#require(entries.first)) == values.mapValues { $0 })
    }

    @Test("R108 A result takes its unit from its type, requires a number, and keeps its event")
    func metric() throws {
        var form = try Self.add(.metric, preset: ["event_id": .reference(Self.event.id)])
        try Self.go(&form, "Metric type")
        Self.type(&form, "p", "tab")
        #expect(Self.drawn(form).contains("sec"))
        try Self.go(&form, "Value")
        Self.type(&form, "fast", "tab")
        #expect(Self.drawn(form).contains("Please enter a valid number"))
        try Self.go(&form, "Value")
        Self.type(&form, "ctrl-u", "1.87")
        let entries = try Self.saved(Self.type(&form, "ctrl-s"))
        #expect(try Self.values(#require(entries.first)) == ["event_id": .reference(Self.event.id), "metric_type": .text("pop_time"), "value": .text("1.87")])
    }

    @Test("The form asks for the owner in the family's season")
    func athlete() throws {
        var form = try Self.add(.event, asksAthlete: true)
        #expect(Self.type(&form, "ctrl-s").isEmpty)
        #expect(Self.drawn(form).contains("Athlete is required"))
        // Parents have no season.
        Self.type(&form, " ")
        func offers(_ name: String) -> Bool { Self.drawn(form).split(separator: "\n").dropFirst().contains { $0.contains(name) } }
        #expect(offers("Maya Rivera") && !offers("Dana Rivera"))
        Self.type(&form, "esc", "right")
        #expect(Self.drawn(form).contains("Maya Rivera"))
        Self.type(&form, "right")
        #expect(!offers("Dana Rivera"))
        Self.type(&form, "maya", "enter", "c", "tab", "Camp")
        try Self.go(&form, "Start date")
        let actions = Self.type(&form, "tomorrow", "ctrl-s")
        guard case .save(_, let athlete)? = actions.first else {
            Issue.record("\(actions)\n\(Self.drawn(form))")
            return
        }
        #expect(athlete == Self.maya)
    }

    @Test("R059 An end before the start is reported immediately, whatever is missing; a missing field is reported only after the user passed it")
    func rangeWhileIncomplete() throws {
        var form = try Self.add(.event)
        try Self.go(&form, "Start date")
        Self.type(&form, "2027-04-15", "tab", "2027-04-14", "tab")
        #expect(Self.drawn(form).contains("End date must be after start date"))
        #expect(!Self.drawn(form).contains("Event name is required"))
        try Self.go(&form, "End date")
        Self.type(&form, "ctrl-u", "2027-04-16", "tab")
        #expect(!Self.drawn(form).contains("End date must be after start date"))
        // Defaults contradict no value, and fields that the user has not reached are not required yet.
        var metric = try Self.add(.metric, preset: ["event_id": .reference(Self.event.id)])
        try Self.go(&metric, "Metric type")
        Self.type(&metric, "o")
        #expect(!Self.drawn(metric).contains("Label is required"))
    }

    @Test("R068 A state of one letter gets a warning and can be saved; a state of two letters gets none")
    func state() throws {
        var form = try Self.add(.event)
        Self.type(&form, "c", "tab", "Camp")
        try Self.go(&form, "Start date")
        Self.type(&form, "2027-04-15")
        try Self.go(&form, "State")
        Self.type(&form, "n")
        #expect(Self.drawn(form).contains("Use two letters, such as NY"))
        #expect(try Self.saved(Self.type(&form, "ctrl-s")).count == 1)
        Self.type(&form, "y", "tab")
        #expect(!Self.drawn(form).contains("Use two letters") && Self.drawn(form).contains("NY"))
    }

    @Test("An error is shown in full on a small screen, above the fields and below one", arguments: [40, 80])
    func longSentences(columns: Int) throws {
        var form = try Self.add(.event)
        let sentence = "This athlete is not in the family any more. What you entered is kept as a draft: choose somebody else, then save it again."
        form.say(sentence)
        let above = Self.drawn(form, columns: columns, rows: 24).split(separator: "\n").map { $0.drop { "│ ".contains($0) } }.map { String($0.reversed().drop { "│ ".contains($0) }.reversed()) }
        #expect(above.joined(separator: " ").contains(sentence), "\(above)")
        form.refuse(Rejection(.invalid, sentence, kind: .event, field: "name"))
        let words = Self.drawn(form, columns: columns, rows: 24).split { " │\n".contains($0) }.joined(separator: " ")
        #expect(words.ranges(of: "choose somebody else, then save it again.").count == 2, "\(words)")
    }

    // MARK: Changing

    @Test("R094 A change sends only different fields; sets send additions and removals")
    func edit() throws {
        var form = try Self.edit()
        #expect(form.rows[form.focus].label == "Event name", "letters choose no other type by accident")
        #expect(Self.drawn(form).contains("Edit Event") && Self.drawn(form).contains("Spring Showcase") && Self.drawn(form).contains("Old Coach"))
        try Self.go(&form, "City")
        Self.type(&form, "Albany")
        try Self.go(&form, "Coaches present")
        Self.type(&form, "nad", "enter", "backspace", " ", "enter")
        let entries = try Self.saved(Self.type(&form, "ctrl-s"))
        let entry = try #require(entries.first)
        #expect(entry.base == Self.event)
        #expect(Self.values(entry) == ["city": .text("Albany")])
        let field = try #require(Kind.event.declaration.index(of: "coaches_present"))
        #expect(entry.patch.setEdits == [.init(field: field, add: [Self.coach], remove: [])])
    }

    @Test("Changes by others appear in untouched rows, and typed text stays")
    func follow() throws {
        var form = try Self.edit()
        try Self.go(&form, "City")
        Self.type(&form, "Albany")
        var other = Self.event
        other.fields["city"] = .text("Boston")
        other.fields["host"] = .text("A club")
        other.version = 7
        form.follow(other, by: "Dana Rivera")
        let text = Self.drawn(form)
        #expect(text.contains("Albany") && text.contains("A club") && text.contains("Dana Rivera just made this Boston."))
        form.follow(Self.event, by: "Dana Rivera")
        #expect(!Self.drawn(form).contains("just made this"), "it was undone")
        try Self.go(&form, "End date")
        Self.type(&form, "ctrl-u", "2026-11-25")
        other.fields["end_date"] = nil
        form.follow(other, by: "Dana Rivera")
        #expect(Self.drawn(form).contains("Dana Rivera just cleared this."))
        Self.type(&form, "ctrl-u", "2026-11-24")
        form.follow(other, by: "Dana Rivera")
        try Self.go(&form, "City")
        other.fields["city"] = .text("Albany")
        form.follow(other, by: "Dana Rivera")
        #expect(!Self.drawn(form).contains("Dana Rivera just"), "both made it the same")
        let entry = try #require(try Self.saved(Self.type(&form, "ctrl-s")).first)
        #expect(Self.values(entry) == ["city": .text("Albany")] && entry.base?.version == Self.event.version)
    }

    @Test("R078 Esc asks before typed text is lost, and only then")
    func discard() throws {
        var form = try Self.edit()
        #expect(Self.type(&form, "esc") == [.discard])
        try Self.go(&form, "City")
        Self.type(&form, "A")
        #expect(Self.type(&form, "esc").isEmpty && Self.drawn(form).contains("Discard changes?"))
        #expect(Self.type(&form, "n").isEmpty && !form.isAskingToDiscard && form.rows[form.focus].editor.text == "A")
        #expect(Self.type(&form, "ctrl-c").isEmpty)
        #expect(Self.type(&form, "y") == [.discard])
    }

    @Test("A refusal shows the reason and the field")
    func refusal() throws {
        var form = try Self.edit()
        form.refuse(Rejection(.invalid, "City is not one", kind: .event, field: "city"))
        #expect(form.rows[form.focus].label == "City")
        #expect(Self.drawn(form).contains("City is not one."))
    }

    @Test("R164 A form that is being sent takes no input; a refusal returns it unchanged, and an overlap is asked about in it")
    func saving() throws {
        var form = try Self.edit()
        try Self.go(&form, "City")
        Self.type(&form, "Albany")
        _ = try Self.saved(Self.type(&form, "ctrl-s"))
        form.beginSaving()
        #expect(Self.drawn(form).contains("[ Saving... ]"))
        #expect(Self.type(&form, "x", "esc", "ctrl-s").isEmpty && form.rows[form.focus].editor.text == "Albany" && !form.isAskingToDiscard)
        #expect(Self.type(&form, "alt-1") == [.shared(.show(1))])
        form.refuse(Rejection(.notAllowed, "A guest reads only."))
        #expect(!form.isSaving && Self.drawn(form).contains("A guest reads only.") && form.isChanged)
        #expect(try Self.saved(Self.type(&form, "ctrl-s")).count == 1)

        form.beginSaving()
        form.ask(about: ConflictViewTests.overlap())
        let asked = Self.drawn(form)
        for words in ["Overlap", "Jun 11, 2027 19:00 - 20:00", "w keep both"] { #expect(asked.contains(words), "\(words)\n\(asked)") }
        #expect(Self.type(&form, "z") == [.shared(.bell)])
        #expect(Self.type(&form, "alt-3") == [.shared(.show(3))] && form.clash != nil, "one may look at the trip first")
        Self.type(&form, "w")
        #expect(Self.type(&form, "enter") == [.shared(.bell)], "a reason is required")
        #expect(Self.type(&form, "One each", "enter") == [.accept(reason: "One each")])
        Self.type(&form, "esc", "e")
        #expect(form.clash == nil && form.rows[form.focus].editor.text == "Albany", "it is changed in the form")
        form.ask(about: ConflictViewTests.overlap())
        #expect(Self.type(&form, "x") == [.discard])
    }

    @Test("A click goes to a field, switches a flag, opens a list and picks from it; the button saves")
    func clicks() throws {
        func click(_ form: inout FormView, _ text: String) throws -> [FormAction] {
            var canvas = Canvas(Size(columns: 90, rows: 50))
            form.draw(RoomViewTests.facts(), &canvas)
            let row = try #require((0..<50).first { canvas.text(row: $0).contains(text) }, "\(text) is not in\n\(canvas.text)")
            let line = canvas.text(row: row)
            let column = TextWidth.of(line[..<(try #require(line.firstRange(of: text)).lowerBound)])
            let target = try #require(canvas.target(at: Point(column, row)))
            if case .keys(let keys) = target { return keys.flatMap { form.handle(.key($0)) } }
            var mouse = MouseEvent(.press(1), at: Point(column, row))
            mouse.target = target
            return form.handle(.mouse(mouse))
        }
        var form = try Self.add(.event)
        _ = try click(&form, "Event name")
        Self.type(&form, "Clicked")
        #expect(form.rows.first { $0.label == "Event name" }?.editor.text == "Clicked")
        _ = try click(&form, "Registered")
        #expect(form.rows.first { $0.label == "Registered" }?.current == .flag(true))
        _ = try click(&form, "Event type")
        _ = try click(&form, "Event type")
        #expect(form.rows.first { $0.label == "Event type" }?.current == .choice(0))
        _ = try click(&form, "School")
        _ = try click(&form, "School")
        _ = try click(&form, "Ashgrove University")
        #expect(form.rows.first { $0.label == "School" }?.current == .chosen([Self.school]))
        _ = try click(&form, "Start date")
        Self.type(&form, "today")
        #expect(try Self.saved(click(&form, "[ Create Event ]")).count == 1)
        #expect(try Self.saved(click(&form, "Ctrl-S Create Event")).count == 1)
        #expect(try click(&form, "Esc Cancel").isEmpty && form.isAskingToDiscard)
    }

    // MARK: Attended

    @Test("R088 R090 R091 Attendance, coaches, an interaction and results are one batch; empty parts are omitted")
    func attended() throws {
        var plain = try Self.attend()
        let shown = Self.drawn(plain)
        #expect(shown.contains("Optional: did you have any coaching interactions at Spring Showcase?") && shown.contains("Optional: results") && shown.contains("Result 2"))
        #expect(!shown.contains("*"), "nothing is required")
        let alone = try Self.saved(Self.type(&plain, "ctrl-s"))
        #expect(alone.count == 1 && Self.values(alone[0]) == ["attended": .flag(true)] && alone[0].base == Self.event)

        var form = try Self.attend()
        Self.type(&form, "nad", "enter")
        try Self.go(&form, "Content")
        Self.type(&form, "Asked about grades")
        try Self.go(&form, "Metric type")
        Self.type(&form, "p")
        #expect(Self.type(&form, "ctrl-s").isEmpty, "a result without its value")
        #expect(Self.drawn(form).contains("Value is required"))
        Self.type(&form, "1.87")
        let entries = try Self.saved(Self.type(&form, "ctrl-s"))
        #expect(entries.map(\.kind) == [.event, .interaction, .metric])
        #expect(Self.values(entries[1]) == [
            "event_id": .reference(Self.event.id), "content": .text("Asked about grades"), "interaction_type": .text("in_person_visit"), "direction": .text("outbound"),
        ])
        #expect(Self.values(entries[2]) == ["event_id": .reference(Self.event.id), "metric_type": .text("pop_time"), "value": .text("1.87")])
    }

    // MARK: Input

    @Test("The end moves with its start, keeps the length, and stays where it is when it was wrong or empty", arguments: [
        ("2026-12-04T09:00", "2026-12-04T11:00", "18:30", "2026-12-04T18:30", "2026-12-04T20:30"),
        ("2026-12-04T09:00", "2026-12-05T01:00", "2026-12-06 9am", "2026-12-06T09:00", "2026-12-07T01:00"),
        ("2026-12-04T09:00", "", "6:30pm", "2026-12-04T18:30", ""),
        ("2026-12-04T09:00", "2026-12-04T11:00", "soon", "soon", "2026-12-04T11:00"),
    ])
    func endFollows(start: String, end: String, typed: String, newStart: String, newEnd: String) throws {
        var form = try Self.add(.tripItem, preset: ["start_time": .text(start), "end_time": .text(end)])
        try Self.go(&form, "Start time")
        Self.type(&form, ["ctrl-u", typed, "tab"])
        let texts = try ["start_time", "end_time"].map { name in try #require(form.rows.first { $0.declaration?.name == name }).editor.text }
        #expect(texts == [newStart, newEnd])
    }

    @Test("A time alone is on the day of the item, and the end on the day of the start")
    func timeAlone() throws {
        var form = try Self.add(.tripItem, preset: ["start_time": .text("2026-12-04T09:00")])
        try Self.go(&form, "End time")
        #expect(Self.drawn(form).contains("9:30, 6pm; with another day: friday 6pm"))
        Self.type(&form, "18:30", "tab")
        #expect(form.rows.first { $0.declaration?.name == "end_time" }?.editor.text == "2026-12-04T18:30")
    }

    @Test("An event that ends past midnight is saved with the end date that the form shows")
    func pastMidnight() throws {
        var form = try Self.add(.event)
        Self.type(&form, "s", "tab", "Night Game", "tab")
        try Self.go(&form, "Start date")
        Self.type(&form, "11-23", "tab")
        try Self.go(&form, "Start time")
        Self.type(&form, "23:30", "tab")
        try Self.go(&form, "End time")
        Self.type(&form, "0:30", "tab")
        #expect(form.rows.first { $0.declaration?.name == "end_date" }?.editor.text == "2026-11-24")
        let entry = try #require(try Self.saved(Self.type(&form, "ctrl-s")).first)
        #expect(Self.values(entry)["end_date"] == .text("2026-11-24") && Self.values(entry)["end_time"] == .text("0:30") || Self.values(entry)["end_time"] == .text("00:30"))
        // Nine in the morning after ten is rather a mistake than 23 hours.
        var wrong = try Self.add(.event)
        Self.type(&wrong, "s", "tab", "Camp", "tab")
        try Self.go(&wrong, "Start date")
        Self.type(&wrong, "11-23", "tab")
        try Self.go(&wrong, "Start time")
        Self.type(&wrong, "10", "tab")
        try Self.go(&wrong, "End time")
        Self.type(&wrong, "9", "tab")
        #expect(Self.type(&wrong, "ctrl-s").isEmpty && Self.drawn(wrong).contains("End time must be after start time"))
    }

    @Test("Enter and Tab take a record and move to the next field; the list says how many records it does not show")
    func picking() throws {
        var form = try Self.add(.event)
        form.options[.school] = (0..<13).map { FormOption(Identifier(high: 9, low: UInt64($0)), "School \($0)") }
        try Self.go(&form, "School")
        Self.type(&form, " ")
        #expect(Self.drawn(form).contains("↓ 6 more; type a few letters"))
        let place = form.focus
        Self.type(&form, "school 12", "enter")
        #expect(form.focus == place + 1 && form.rows[place].content == .chosen([Identifier(high: 9, low: 12)]))
        // A field for several coaches stays for the next name after Enter; Tab moves on.
        try Self.go(&form, "Coaches present")
        let coaches = form.focus
        Self.type(&form, "nad", "enter")
        #expect(form.focus == coaches)
        Self.type(&form, "backspace", "nad", "tab")
        #expect(form.focus == coaches + 1 && form.rows[coaches].content == .chosen([Self.coach]))
    }

    @Test("A form says how much of it is below; what may be left out as a whole has no stars until it is begun")
    func below() throws {
        var form = try Self.attend()
        #expect(Self.drawn(form, rows: 12).contains("↓ ") && Self.drawn(form, rows: 12).contains(" more"))
        #expect(!Self.drawn(form).contains("Content*") && !Self.drawn(form).contains("Value*"))
        try Self.go(&form, "Content")
        Self.type(&form, "Asked about grades")
        #expect(Self.drawn(form).contains("Content*") && !Self.drawn(form).contains("Value*"))
    }

    @Test("Forms draw at every size, in every state, never wider than the screen; random keys lose no input; seeded")
    func random() throws {
        var generator = SeededNumbers(7)
        let keys = ["tab", "shift-tab", "down", "up", "left", "right", " ", "enter", "a", "1", "-", "backspace", "ctrl-up", "ctrl-down", "ctrl-u", "esc", "n", "ctrl-s", "f1", "alt-enter", "ctrl-x"]
        for kind in [Kind.event, .coach, .metric, .interaction, .trip, .tripItem, .school] {
            var form = try Self.add(kind, asksAthlete: kind == .event)
            for _ in 0..<300 {
                Self.type(&form, [keys[generator.next(below: keys.count)]])
                let columns = 1 + generator.next(below: 120)
                let text = Self.drawn(form, columns: columns, rows: 1 + generator.next(below: 40))
                for line in text.split(separator: "\n") { #expect(TextWidth.of(line) <= columns) }
                #expect(form.focus >= 0 && form.focus <= form.rows.count)
            }
        }
    }
}

/// xorshift64*, so that a run is reproducible.
struct SeededNumbers {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next(below bound: Int) -> Int {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return Int((state &* 0x2545_F491_4F6C_DD1D) >> 33) % bound
    }
}

// The saved input of an unsaved form.
extension FormViewTests {
    @Test("The input of a new record, a change or an attendance is in the form again after a round through text")
    func drafts() throws {
        var new = try Self.add(.event)
        #expect(new.draft == nil, "nothing was typed")
        try Self.go(&new, "Event name")
        Self.type(&new, "Łódź \"Cup\"\n\t🥎")
        try Self.go(&new, "Event type")
        Self.type(&new, "g")
        try Self.go(&new, "Registered")
        Self.type(&new, " ")
        try Self.go(&new, "Start date")
        Self.type(&new, "no date")
        var changed = try Self.edit()
        try Self.go(&changed, "Event name")
        Self.type(&changed, "ctrl-u", "Fall Showcase")
        try Self.go(&changed, "Coaches present")
        Self.type(&changed, "Nad", "enter")
        var attended = try Self.attend()
        try Self.go(&attended, "Content")
        Self.type(&attended, "They asked for video")
        for (form, fresh) in [(new, try Self.add(.event)), (changed, try Self.edit()), (attended, try Self.attend())] {
            let draft = try #require(form.draft)
            let text = try #require(draft.text)
            #expect(FormDraft(text: text) == draft)
            var again = fresh
            again.restore(try #require(FormDraft(text: text)))
            #expect(again.rows.map(\.current) == form.rows.map(\.current))
            #expect(again.isChanged && again.banner == nil)
            #expect(again.draft == draft)
        }
    }

    @Test("A form points out a record that changed in between, and loses no typed text")
    func staleDrafts() throws {
        var form = try Self.edit()
        try Self.go(&form, "Event name")
        Self.type(&form, "ctrl-u", "Fall Showcase")
        let draft = try #require(form.draft)
        var later = Self.event
        later.version += 1
        later.fields["city"] = .text("Albany")
        var again = try Self.edit(later)
        again.restore(draft)
        #expect(again.banner?.contains("changed since you typed") == true)
        #expect(Self.drawn(again).contains("Fall Showcase") && Self.drawn(again).contains("Albany"))
    }

    @Test("A restored form is based on the version that was typed on, through any number of kills: a change of the same field is a conflict")
    func staleBase() throws {
        var form = try Self.edit()
        try Self.go(&form, "Event name")
        Self.type(&form, "ctrl-u", "Fall Showcase")
        var later = Self.event
        for name in ["Winter Showcase", "Summer Showcase"] {
            let draft = try #require(form.draft)
            later.version += 1
            later.fields["name"] = .text(name)
            form = try Self.edit(later)
            form.restore(draft)
        }
        let entry = try #require(try Self.saved(Self.type(&form, "ctrl-s")).first)
        #expect(entry.base?.version == Self.event.version)
        #expect(entry.patch.assignments.map(\.value) == [.text("Fall Showcase")])
        // A text typed on a version that is unknown here does not raise the version.
        var early = try Self.edit()
        early.restore(FormDraft(.edit(Self.event.id), version: 99, rows: try #require(form.draft).rows))
        #expect(try Self.saved(Self.type(&early, "ctrl-s")).first?.base?.version == Self.event.version)
    }

    @Test("A restored set sends only the user's additions and removals: another member's addition stays")
    func staleSet() throws {
        var form = try Self.edit()
        try Self.go(&form, "Coaches present")
        Self.type(&form, "Nad", "enter")
        let text = try #require(form.draft?.text)
        var later = Self.event
        later.version += 1
        later.fields["coaches_present"] = .set([SetElement(id: Self.dana, name: "Old Coach"), SetElement(id: Self.maya, name: "Third Coach")])
        var again = try Self.edit(later)
        again.restore(try #require(FormDraft(text: text)))
        let edits = try #require(try Self.saved(Self.type(&again, "ctrl-s")).first).patch.setEdits
        #expect(edits.map(\.add) == [[Self.coach]] && edits.map(\.remove) == [[]])
    }

    @Test("A text that no form wrote restores no form", arguments: [
        "", "{}", "[]", #"{"add":"nothing","rows":[]}"#, #"{"edit":"x","rows":[]}"#, #"{"add":"event","rows":[{"part":0}"#, #"{"rows":[{"part":0,"typed":"x"}]}"#,
    ])
    func noDrafts(text: String) { #expect(FormDraft(text: text) == nil) }

    @Test("Saved rows that the form no longer has are ignored")
    func oddRows() throws {
        let text = #"{"add":"event","asks":false,"version":0,"rows":[{"part":9,"field":"name","typed":"x"},{"part":0,"field":"gone","typed":"x"},{"part":0,"field":"name","flag":true},{"part":0,"field":"name","typed":"Cup"},{"part":0,"field":"type","choice":"nonsense"}]}"#
        var form = try Self.add(.event)
        form.restore(try #require(FormDraft(text: text)))
        #expect(Self.drawn(form).contains("Cup"))
    }
}

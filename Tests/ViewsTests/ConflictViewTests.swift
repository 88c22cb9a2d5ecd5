import Bytes
@testable import Commands
import Family
@testable import Sync
import Terminal
import Testing
@testable import Views
@testable import Words

@Suite("Refused changes on a canvas")
struct ConflictViewTests {
    static let (maya, dana) = (RoomViewTests.maya, RoomViewTests.dana)
    static let showcase = EventsViewTests.event(1, ["type": .text("showcase"), "name": .text("Spring Showcase"), "start_date": .text("2026-11-24"), "cost": .text("120.00")])
    static var text: ChangeText { ChangeText(RecordNames([showcase] + members)) { _ in "09:14" } }

    static let members: [Record] = [(maya, "Maya Rivera"), (dana, "Dana Rivera")].map { id, name in
        var fields = Fields(.member)
        fields["name"] = .text(name)
        return Record(kind: .member, id: id, athlete: nil, version: 1, createdAt: 0, createdBy: dana, updatedAt: 0, updatedBy: dana, fields: fields)
    }

    static func place(_ name: String) throws -> Int { try #require(Kind.event.declaration.index(of: name)) }

    /// Cost and notes are contested, the city is only in our change.
    static func conflict(id: Int64 = 7, theirNotes: String = "Gate B.\nThe shuttle leaves at eight.") throws -> DraftItem {
        let patch = FieldPatch(assignments: [
            .init(field: try place("cost"), value: .text("150.00")), .init(field: try place("city"), value: .text("Asheville")),
            .init(field: try place("performance_notes"), value: .text("Bring the 👍🏽 blue cooler; the gate is at the north side of the field, behind the parking lot.")),
        ].sorted { $0.field < $1.field })
        let fields = [
            ConflictSides.Field(field: try place("cost"), base: .text("100.00"), yours: .text("150.00"), theirs: .text("120.00"), isContested: true, member: dana, at: 0),
            ConflictSides.Field(field: try place("city"), base: nil, yours: .text("Asheville"), theirs: nil, isContested: false),
            ConflictSides.Field(
                field: try place("performance_notes"), base: nil, yours: patch.assignments.first { $0.field != (try? place("cost")) && $0.field != (try? place("city")) }?.value,
                theirs: .text(theirNotes), isContested: true, member: dana, at: 0),
        ].sorted { $0.field < $1.field }
        let rejection = Rejection(.conflict, "Dana changed it.", operation: 0, kind: .event, id: showcase.id, conflict: Conflict(record: showcase, fields: []))
        let draft = Draft(id: id, operations: [Operation(kind: .event, id: showcase.id, action: .update(base: 1, merge: .disjoint, patch: patch))], at: 0, rejection: rejection)
        return DraftItem(draft, ConflictSides(draft: id, operation: 0, matter: .fields, record: showcase, fields: fields), text)
    }

    static func refused(id: Int64 = 9) -> DraftItem {
        let draft = Draft(id: id, operations: [Operation(kind: .event, id: showcase.id, action: .delete(base: 1))], at: 0, rejection: Rejection(.notAllowed, "A guest reads only."))
        return DraftItem(draft, nil, text)
    }

    static func overlap(id: Int64 = 11) -> DraftItem {
        let one = Overlap.Item(id: maya, title: "Batting", start: "2027-06-11T19:00", startZone: "UTC", end: "2027-06-11T20:00", endZone: "UTC")
        let other = Overlap.Item(id: dana, title: "Dinner", start: "2027-06-11T18:00", startZone: "UTC", end: "2027-06-11T19:30", endZone: "UTC")
        var patch = FieldPatch()
        patch.assignments = [.init(field: Kind.tripItem.declaration.index(of: "title") ?? 0, value: .text("Batting \"cage\""))]
        let rejection = Rejection(.overlap, "Batting is at the same time as Dinner.", overlaps: [Overlap(item: one, with: other, members: [maya])])
        let draft = Draft(id: id, operations: [Operation(kind: .tripItem, id: showcase.id, action: .create(athlete: nil, patch: patch))], at: 0, rejection: rejection)
        return DraftItem(draft, nil, text)
    }

    static func view(_ items: [DraftItem], waiting: [String] = []) -> ConflictView {
        var view = ConflictView(theme: .dark, keymap: ViewCommands.defaultKeymap())
        view.show(items, waiting: waiting)
        return view
    }

    static func drawn(_ view: ConflictView, columns: Int = 80, rows: Int = 18) -> String {
        var canvas = Canvas(Size(columns: columns, rows: rows))
        view.draw(RoomViewTests.facts(), &canvas)
        return canvas.text
    }

    @discardableResult
    static func type(_ view: inout ConflictView, _ words: String...) -> [ConflictAction] {
        words.flatMap { word -> [ConflictAction] in
            if let keys = Keymap.keys(word) { return keys.flatMap { view.handle(.key($0)) } }
            return word.flatMap { view.handle(.key(.character($0))) }
        }
    }

    @Test("Choices and typed texts outlast the program, for the drafts that still exist")
    func kept() throws {
        let items = [try Self.conflict(), Self.refused(), Self.overlap()]
        var view = Self.view(items)
        #expect(view.kept == nil)
        Self.type(&view, "enter", "t")
        let chosen = view.choices
        Self.type(&view, "down", "e")
        if view.input == nil { Self.type(&view, "down", "e") }
        try #require(view.input != nil)
        Self.type(&view, " and \"more\"\\")
        let typed = try #require(view.input?.text)
        let text = try #require(view.kept)
        var again = Self.view(items)
        let isBack = again.restore(text)
        #expect(isBack)
        #expect(again.choices == chosen && again.input?.text == typed && again.isOpen && again.field == view.field && again.kept == text)
        Self.type(&again, "enter")
        #expect(again.choices[7]?.values.contains(.text(typed)) == true)
        var later = Self.view(items)
        let isThere = later.restore(try #require(again.kept))
        #expect(isThere && later.choices == again.choices && later.input == nil)
        // Nothing remains of deleted drafts, and a text that no view wrote does no harm.
        var other = Self.view([Self.refused()])
        let isAny = other.restore(text)
        #expect(!isAny && other.kept == nil && other.input == nil)
        for wrong in ["", "{", "[]", "[{}]", "[{\"draft\":7,\"fields\":{\"cost\":\"maybe\",\"nothing\":\"yours\"},\"at\":\"nowhere\",\"typed\":\"x\"}]", "[7]", "null"] {
            var view = Self.view(items)
            let isTaken = view.restore(wrong)
            #expect(!isTaken && view.kept == nil, "\(wrong)")
        }
        // The reason for an overlap is saved as well.
        var reason = Self.view([Self.overlap()])
        Self.type(&reason, "w", "Both are meant")
        var back = Self.view([Self.overlap()])
        let isReason = back.restore(try #require(reason.kept))
        #expect(isReason)
        #expect(Self.type(&back, "enter") == [.override(11, reason: "Both are meant")])
    }

    @Test("The list shows every kept change, with the reason and the pending decision")
    func list() throws {
        let view = try Self.view([Self.conflict(), Self.refused()], waiting: ["message: On my way"])
        #expect(Self.drawn(view, rows: 12) == """
             The Rivera family  viewing Maya's season                   Dana Rivera is here
             Outbox  2 refused, 1 waiting to be sent
            ▸ 09:14 change Spring Showcase: cost, city, performance notes
                  Spring Showcase: Dana Rivera changed it in the meantime.
                  0 of 2 fields are chosen.
              09:14 delete Spring Showcase
                  A guest reads only.
              Waiting to be sent
                message: On my way

             Enter both sides  r send again  e change  x forget  u undo  q back  ? keys
             1 pending · huddle.example
            """)
    }

    @Test("Both sides are next to each other, complete, with the previous value; the user chooses each field")
    func sides() throws {
        var view = try Self.view([Self.conflict()])
        Self.type(&view, "enter", "t")
        let wide = Self.drawn(view, columns: 90)
        for words in [
            "yours                       theirs                      before", "City  only you changed it", "● Asheville", "Cost  theirs: Dana Rivera, 09:14",
            "○ 150.00", "● 120.00", "100.00", "Bring the 👍🏽 blue", "cooler; the gate is at", "The shuttle leaves at", "the north side of the",
        ] { #expect(wide.contains(words), "\(words) is not in\n\(wide)") }
        let narrow = Self.drawn(view, columns: 40, rows: 30)
        for words in ["○ yours   150.00", "● theirs  120.00", "before  100.00"] { #expect(narrow.contains(words), "\(words) is not in\n\(narrow)") }
        for line in narrow.split(separator: "\n") { #expect(TextWidth.of(line) <= 40) }
    }

    @Test("The decision is sent only when every field is chosen")
    func choose() throws {
        var view = try Self.view([Self.conflict()])
        let early = Self.type(&view, "enter", "y", "enter")
        #expect(early == [.pane(.shared(.bell))])
        #expect(view.toast?.contains("first: y yours, t theirs, b both") == true)
        let sides = try #require(view.item?.sides)
        let done = Self.type(&view, "b", "enter")
        #expect(done == [.resolve(sides, [try Self.place("cost"): .yours, try Self.place("performance_notes"): .both], whole: nil)])
        // A cost cannot have both values.
        let bell = Self.type(&view, "k", "k", "j", "b")
        #expect(bell == [.pane(.shared(.bell))])
    }

    @Test("The user rewrites a text from both sides, in the line or in an editor, and looking away loses none of it")
    func merge() throws {
        var view = try Self.view([Self.conflict()])
        Self.type(&view, "enter", "j", "j", "e")
        #expect(Self.drawn(view, rows: 24).contains("Combined"))
        let outside = Self.type(&view, "ctrl-x ctrl-e")
        #expect(outside == [.pane(.editOutside("Gate B.\nThe shuttle leaves at eight.\nBring the 👍🏽 blue cooler; the gate is at the north side of the field, behind the parking lot."))])
        view.take("Gate B, blue cooler.")
        Self.type(&view, "esc")
        view.show([try Self.conflict(), Self.refused()], waiting: [])
        Self.type(&view, "enter")
        #expect(Self.drawn(view, rows: 24).contains("● new     Gate B, blue cooler."))
        Self.type(&view, "j", "j", "e", "ctrl-u", "Gate C", "enter", "k", "k", "Y")
        let notes = try Self.place("performance_notes")
        #expect(view.choices[7]?[notes] == .text("Gate C"))
        // A text that is too long for the line opens in the editor immediately, complete.
        let long = String(repeating: "long text ", count: 1_700)
        var other = try Self.view([Self.conflict(theirNotes: long)])
        guard case .pane(.editOutside(let text))? = Self.type(&other, "enter", "j", "j", "e").first else {
            Issue.record("a long text was cut")
            return
        }
        #expect(text.hasPrefix(long) && text.hasSuffix("parking lot."))
    }

    @Test("The view asks again about a field that another member changed once more; the author's own text stays")
    func changedAgain() throws {
        var view = try Self.view([Self.conflict()])
        let notes = try Self.place("performance_notes")
        Self.type(&view, "enter", "T")
        #expect(view.choices[7]?[notes] == .theirs)
        view.show([try Self.conflict(theirNotes: "Gate D.")], waiting: [])
        let cost = try Self.place("cost")
        #expect(view.choices[7]?[notes] == nil && view.choices[7]?[cost] == .theirs)
        view.take("mine")
        view.show([try Self.conflict(theirNotes: "Gate E.")], waiting: [])
        #expect(view.choices[7]?.values.contains(.text("mine")) == true)
    }

    /// A set, a reference and a flag, each contested.
    static func named() throws -> DraftItem {
        let coach = EventDetailTests.coach
        var other = EventDetailTests.record(.coach, 21, ["first_name": .text("Bo"), "last_name": .text("Ek")])
        other.version = 1
        let text = ChangeText(RecordNames([showcase, coach, other] + members)) { _ in "09:14" }
        let values: [(String, Value, Value)] = [
            ("registered", .flag(true), .flag(false)), ("coaches_present", .set([SetElement(id: coach.id)]), .set([SetElement(id: other.id)])),
        ]
        let patch = FieldPatch(assignments: try values.map { .init(field: try place($0.0), value: $0.1) }.sorted { $0.field < $1.field })
        let fields = try values.map { ConflictSides.Field(field: try place($0.0), base: nil, yours: $0.1, theirs: $0.2, isContested: true, member: dana, at: 0) }
        let rejection = Rejection(.conflict, "Dana changed it.", operation: 0, kind: .event, id: showcase.id, conflict: Conflict(record: showcase, fields: []))
        let draft = Draft(id: 5, operations: [Operation(kind: .event, id: showcase.id, action: .update(base: 1, merge: .disjoint, patch: patch))], at: 0, rejection: rejection)
        return DraftItem(draft, ConflictSides(draft: 5, operation: 0, matter: .fields, record: showcase, fields: fields), text)
    }

    @Test("The user can rewrite a set and a flag too; Tab completes names")
    func mergeNames() throws {
        var view = try Self.view([Self.named()])
        Self.type(&view, "enter", "e")
        #expect(view.input?.text == "yes")
        Self.type(&view, "ctrl-u", "n", "tab")
        #expect(view.input?.text == "no")
        Self.type(&view, "enter", "j", "e")
        #expect(view.input?.text == "Bo Ek, Nadia Rahimi", "both sides to begin with")
        Self.type(&view, "ctrl-u", "na", "tab", ",", "b", "tab")
        #expect(view.input?.text == "Nadia Rahimi, Bo Ek")
        Self.type(&view, "enter")
        let (coaches, registered) = (try Self.place("coaches_present"), try Self.place("registered"))
        #expect(view.choices[5]?[coaches] == .text("Nadia Rahimi, Bo Ek") && view.choices[5]?[registered] == .text("no"))
    }

    @Test("A refused change with several operations is sent in parts; one with a single operation is not")
    func split() throws {
        let operations = [Operation(kind: .event, id: Self.showcase.id, action: .delete(base: 1)), Operation(kind: .event, id: Self.maya, action: .delete(base: 1))]
        var view = Self.view([DraftItem(Draft(id: 4, operations: operations, at: 0, rejection: Rejection(.notAllowed, "A guest reads only.")), nil, Self.text), Self.refused()])
        #expect(Self.drawn(view).contains("s one by one"))
        #expect(Self.type(&view, "e") == [.pane(.shared(.bell))] && view.toast?.contains("s sends them one by one") == true)
        #expect(Self.type(&view, "s") == [.split(4)])
        #expect(Self.type(&view, "j", "s") == [.pane(.shared(.bell))])
    }

    @Test("A click selects a refused change, opens it, and chooses a side")
    func clicks() throws {
        var view = try Self.view([Self.refused(), Self.conflict()])
        func click(_ text: String) throws -> [ConflictAction] {
            var canvas = Canvas(Size(columns: 90, rows: 24))
            view.draw(RoomViewTests.facts(), &canvas)
            let row = try #require((0..<24).first { canvas.text(row: $0).contains(text) }, "\(text) is not in\n\(canvas.text)")
            let line = canvas.text(row: row)
            let column = TextWidth.of(line[..<(try #require(line.firstRange(of: text)).lowerBound)])
            let target = try #require(canvas.target(at: Point(column, row)))
            if case .keys(let keys) = target { return keys.flatMap { view.handle(.key($0)) } }
            var mouse = MouseEvent(.press(1), at: Point(column, row))
            mouse.target = target
            return view.handle(.mouse(mouse))
        }
        #expect(try click("change Spring Showcase").isEmpty && view.selected == 7 && !view.isOpen)
        #expect(try click("change Spring Showcase").isEmpty && view.isOpen)
        _ = try click("120.00")
        #expect(view.choices[7]?[try Self.place("cost")] == .theirs)
        _ = try click("150.00")
        #expect(view.choices[7]?[try Self.place("cost")] == .yours)
        #expect(try click("Esc later").isEmpty && !view.isOpen)
    }

    @Test("The user sends refused changes again, edits them, or drops them after a question; an overlap takes a reason")
    func others() throws {
        var view = Self.view([Self.refused(), Self.overlap()])
        #expect(Self.type(&view, "r") == [.retry(9)])
        #expect(Self.type(&view, "e") == [.pane(.compose("/rm event \(Self.showcase.id)"))])
        let kept = Self.type(&view, "x", "n")
        #expect(kept.isEmpty)
        Self.type(&view, "x")
        #expect(Self.drawn(view).contains("Discard this?"))
        #expect(Self.type(&view, "y") == [.drop(9)])
        #expect(Self.type(&view, "w") == [.pane(.shared(.bell))])
        Self.type(&view, "j", "w")
        #expect(Self.drawn(view).contains("Jun 11, 2027 19:00 - 20:00"))
        let empty = Self.type(&view, "enter")
        #expect(empty == [.pane(.shared(.bell))])
        let reasoned = Self.type(&view, "both", " ", "count", "enter")
        #expect(reasoned == [.override(11, reason: "both count")])
        #expect(Self.type(&view, "e") == [.pane(.compose("/add item title=\"Batting \\\"cage\\\"\""))])
        #expect(Self.type(&view, "q") == [.pane(.shared(.close))])
    }

    @Test("A command made from a draft reads back as the same request", arguments: ["plain", "two words", "a \"quote\" and \\", "", "it's", "line\nfeed"])
    func commands(text: String) throws {
        let name = try Self.place("name")
        let draft = Draft(
            id: 1, operations: [Operation(kind: .event, id: Self.showcase.id, action: .update(base: 1, merge: .disjoint, patch: FieldPatch(assignments: [.init(field: name, value: .text(text))])))],
            at: 0, rejection: Rejection(.conflict, "x"))
        let command = try #require(DraftCommand.text(draft))
        #expect(try SlashCommand.parse(command) == .action(.edit(.event, Self.showcase.id.description, [FieldInput(field: name, text: text)])))
    }

    @Test("A record that was deleted, or changed while the user deletes it, is decided as a whole")
    func whole() throws {
        let sides = ConflictSides(draft: 3, operation: 0, matter: .whole, record: Self.showcase, fields: [])
        let draft = Draft(id: 3, operations: [Operation(kind: .event, id: Self.showcase.id, action: .delete(base: 1))], at: 0, rejection: Rejection(.conflict, "x"))
        var view = Self.view([DraftItem(draft, sides, Self.text)])
        #expect(Self.type(&view, "enter", "enter") == [.pane(.shared(.bell))])
        #expect(Self.drawn(view).contains("○ theirs: it stays as it is"))
        #expect(Self.type(&view, "t", "enter") == [.resolve(sides, [:], whole: .theirs)])
        view.show([], waiting: [])
        #expect(!view.isOpen && Self.drawn(view).contains("Nothing was refused, and nothing is waiting."))
    }
}

import Bytes
import Family
import Terminal
import Testing
@testable import Views
@testable import Words

@Suite("Buffers: open buffers, the buffer on the screen, activity")
struct BufferListTests {
    static let dana = RoomViewTests.dana
    static let maya = RoomViewTests.maya
    static let event = EventsViewTests.records[0]
    static let school = Identifier(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0400)

    static func change(_ kind: Kind, _ id: Identifier, _ effect: ChangeEntry.Effect) -> Change {
        Change(sequence: 9, at: 0, member: dana, client: nil, mutation: nil, entries: [ChangeEntry(kind: kind, id: id, version: 2, effect: effect)])
    }

    static func fields(_ kind: Kind, _ values: [String: Value]) -> Fields {
        var fields = Fields(kind)
        for (name, value) in values { fields[name] = value }
        return fields
    }

    @Test("The user goes back and forward through visited buffers, as in a browser, skipping closed ones, and by number in a circle")
    func travels() {
        var list = BufferList()
        #expect(list.travel(-1) == nil && list.travel(1) == nil)
        func go(_ step: Int) {
            if let key = list.travel(step) { list.show(key, title: key.title) }
        }
        let record = BufferKey.record(.event, Self.event.id)
        for key in [BufferKey.season, record, .trips] { list.show(key, title: key.title) }
        go(-1)
        #expect(list.current == record)
        go(-1)
        go(-1)
        #expect(list.current == .room)
        #expect(list.travel(-1) == nil)
        go(1)
        #expect(list.current == .season)
        list.show(.kept, title: "Outbox")
        #expect(list.travel(1) == nil, "another way was taken")
        list.show(record, title: "")
        list.show(.documents, title: "")
        list.close(record)
        go(-1)
        #expect(list.current == .kept)
        #expect(list.neighbour(1) == .room && list.neighbour(-1) == .documents)
        for _ in 0..<300 {
            list.show(.season, title: "")
            list.show(.room, title: "")
        }
        var steps = 0
        while list.travel(-1) != nil, steps < 1_000 { steps += 1 }
        #expect(steps < 120)
    }

    @Test("Buffers are numbered in their order; closing one shows the previous one; the room and the season stay")
    func numbers() {
        var list = BufferList()
        #expect([list.key(numbered: 1), list.key(numbered: 2), list.key(numbered: 5), list.key(numbered: 6), list.key(numbered: 0)] == [.room, .season, .kept, nil, nil])
        list.show(.season, title: "Season")
        let record = BufferKey.record(.event, Self.event.id)
        list.show(record, title: "Spring Showcase")
        list.show(record, title: "Spring Showcase")
        #expect(list.entries.map(\.title) == ["Room", "Season", "Trips", "Documents", "Outbox", "Spring Showcase"])
        #expect(list.last == .season)
        list.close(record)
        #expect(list.current == .season && list.entries.count == 5)
        list.close(.season)
        #expect(list.current == .room && list.entries.count == 5)
    }

    @Test("A form is never closed to make room, however long ago the user looked at it")
    func formsStay() {
        var list = BufferList()
        list.show(.form(1), title: "New event")
        list.open(.form(2), title: "New school")
        #expect(list.current == .form(1) && list.number(of: .form(2)) == 7)
        for number in 0..<UInt64(BufferList.limit) {
            let key = BufferKey.record(.school, Identifier(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_1000 + number))
            let closed = list.show(key, title: "School \(number)")
            #expect(closed != .form(1) && closed != .form(2))
        }
        #expect(list.entries.count == BufferList.limit && list.number(of: .form(1)) == 6)
    }

    @Test("With too many buffers, the one that was on the screen longest ago is closed")
    func bounded() {
        var list = BufferList()
        var closed: [BufferKey] = []
        for number in 0..<UInt64(BufferList.limit) {
            let key = BufferKey.record(.school, Identifier(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_1000 + number))
            if let old = list.show(key, title: "School \(number)") { closed.append(old) }
            // The first buffer is shown again and again.
            if number > 0 { list.show(.record(.school, Identifier(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_1000)), title: "School 0") }
        }
        #expect(list.entries.count == BufferList.limit)
        #expect(closed == [1, 2, 3, 4, 5].map { .record(.school, Identifier(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_1000 + $0)) })
    }

    @Test("A change by another member counts if it is news and not on the screen; the user goes to mentions first")
    func activity() {
        var list = BufferList()
        let record = BufferKey.record(.event, Self.event.id)
        list.show(record, title: "Spring Showcase")
        list.show(.room, title: "Room")
        let update = Self.change(.event, Self.event.id, .update([]))
        list.note(update, for: Self.maya) { _ in Self.event }
        let metric = Self.change(.metric, Self.school, .create(athlete: nil, fields: Self.fields(.metric, ["event_id": .reference(Self.event.id)])))
        list.note(metric, for: Self.maya) { _ in nil }
        list.note(Self.change(.school, Self.school, .delete), for: Self.maya) { _ in nil }
        #expect(list.hotlist == [.init(number: 2, title: "Season", count: 2), .init(number: 6, title: "Spring Showcase", count: 2)])
        #expect(list.nextActive == .season)
        list.show(.season, title: "Season")
        #expect(list.nextActive == record)
        let message = Self.fields(.message, ["text": .text("@Maya"), "mentions": .set([SetElement(id: Self.maya)])])
        list.note(Self.change(.message, Self.school, .create(athlete: nil, fields: message)), for: Self.maya) { _ in nil }
        #expect(list.nextActive == .room)
        list.show(.room, title: "Room")
        list.show(record, title: "Spring Showcase")
        #expect(list.nextActive == nil && list.hotlist.isEmpty)
    }

    @Test("The status line lists active buffers by number")
    func statusLine() {
        var room = RoomViewTests.room()
        room.facts.hot = [.init(number: 2, title: "Season", count: 3)]
        #expect(RoomViewTests.drawn(room).text.contains("2:Season 3"))
    }

    @Test("The keys of buffers mean the same in every view", arguments: [
        ("alt-1", SharedAction.show(1)), ("alt-9", .show(9)), ("alt-a", .showNextActive), ("alt-/", .showLast), ("ctrl-x b", .switchBuffer), ("alt-g", .switchBuffer),
        ("ctrl-x k", .close), ("f2", .show(2)), ("ctrl-x d", .show(5)), ("ctrl-x u", .undoLast), ("ctrl-l", .redraw),
    ])
    func keys(keys: String, action: SharedAction) throws {
        var room = RoomViewTests.room()
        let inRoom = RoomViewTests.type(&room, keys)
        #expect(inRoom == [.shared(action)])
        var season = try EventsViewTests.view()
        let inSeason = EventsViewTests.type(&season, keys)
        #expect(inSeason == [.shared(action)])
        var record = Self.record()
        let inRecord = (Keymap.keys(keys) ?? []).flatMap { record.handle(.key($0)) }
        #expect(inRecord == [.shared(action)])
    }

    // MARK: The switcher

    static func switcher() -> SwitcherView {
        var list = BufferList()
        list.show(.record(.school, school), title: "Ashgrove")
        list.show(.room, title: "Room")
        let names = RecordNames(EventsViewTests.records)
        return SwitcherView(list, seasons: [Season(.all, "Everybody"), Season(.athlete(maya), "Maya Rivera")], records: SwitchTarget.records(names), theme: .dark, keymap: ViewCommands.defaultKeymap())
    }

    @Test("A few letters find a buffer, a season or a record", arguments: [
        (["enter"], SwitcherView.Outcome.chosen(.buffer(.season))), (["down", "down", "down", "down", "enter"], .chosen(.buffer(.record(.school, school)))),
        (["up", "up", "down", "down", "enter"], .chosen(.buffer(.season))), (["mayas", "enter"], .chosen(.season(.athlete(maya)))), (["sprsh", "enter"], .chosen(.buffer(.record(.event, event.id)))),
        (["lodz", "enter"], .chosen(.buffer(.record(.event, EventsViewTests.records[2].id)))), (["zzz", "enter"], .open), (["x", "esc"], .closed),
        (["zz", "ctrl-u", "enter"], .chosen(.buffer(.season))),
    ] as [([String], SwitcherView.Outcome)])
    func switcher(keys: [String], outcome: SwitcherView.Outcome) {
        var view = Self.switcher()
        var last = SwitcherView.Outcome.open
        for word in keys {
            if let keys = Keymap.keys(word) { for key in keys { last = view.handle(.key(key)) } } else { for letter in word { last = view.handle(.key(.character(letter))) } }
        }
        #expect(last == outcome)
    }

    @Test("The switcher draws at every size, and says so if nothing matches")
    func drawn() {
        var view = Self.switcher()
        for letter in "zzz" { _ = view.handle(.key(.character(letter))) }
        var canvas = Canvas(Size(columns: 80, rows: 24))
        view.draw(&canvas)
        #expect(canvas.text.contains("> zzz") && canvas.text.contains("No matches."))
        for columns in stride(from: 1, through: 100, by: 9) {
            for rows in stride(from: 1, through: 30, by: 4) {
                var canvas = Canvas(Size(columns: columns, rows: rows))
                Self.switcher().draw(&canvas)
                var facts = StatusFacts()
                facts.toast = "Deleted Late Camp\(StatusLine.toastMark)u to undo"
                StatusLine.draw(facts, below: 3, chord: "g …", &canvas, Rect(0, rows - 1, columns: columns, rows: 1), .dark)
            }
        }
    }

    // MARK: A record

    static func record() -> RecordView {
        var view = RecordView(.event, event.id, theme: .dark, keymap: ViewCommands.defaultKeymap())
        view.show(event, ([StyledText("Spring Showcase")] + (1...40).map { StyledText("line \($0)") }).map { DetailLine($0) })
        return view
    }

    @Test("A record scrolls, and is edited, marked attended, or deleted after a question; a deleted record is reported")
    func oneRecord() {
        var view = Self.record()
        func type(_ names: String) -> [RecordAction] { (Keymap.keys(names) ?? []).flatMap { view.handle(.key($0)) } }
        func drawn() -> String {
            var canvas = Canvas(Size(columns: 70, rows: 12))
            view.draw(RoomViewTests.facts(), &canvas)
            return canvas.text
        }
        #expect(drawn().contains("Spring Showcase") && drawn().contains("Esc back  e edit  a attended  x delete"))
        _ = type("G")
        #expect(drawn().contains("line 40"))
        #expect([type("e"), type("a"), type("esc"), type("u")] == [[.edit], [.attend], [.shared(.stepBack)], [.shared(.undoLast)]])
        #expect(type("m") == [.directions("https://www.openstreetmap.org/search?query=Asheville%2C%20NC")])
        #expect(type("x").isEmpty && drawn().contains("Are you sure you want to delete this event?"))
        #expect(type("n").isEmpty && !drawn().contains("Are you sure"))
        #expect(type("x").isEmpty && type("y") == [.delete])
        view.show(nil, [])
        #expect(drawn().contains("Event not found") && drawn().contains("Esc  Return to Events →"))
        #expect([type("e"), type("x"), type("a")].allSatisfy { $0 == [.shared(.bell)] })
    }

    @Test("A question about a part of a record closes when the part is gone, and the record stays")
    func gonePart() {
        var view = Self.record()
        func type(_ names: String) -> [RecordAction] { (Keymap.keys(names) ?? []).flatMap { view.handle(.key($0)) } }
        func drawn() -> String {
            var canvas = Canvas(Size(columns: 70, rows: 12))
            view.draw(RoomViewTests.facts(), &canvas)
            return canvas.text
        }
        let metric = RecordReference(.metric, Self.school)
        let lines = [DetailLine(StyledText("Spring Showcase")), DetailLine(StyledText("1.87 sec"), metric)]
        view.show(Self.event, lines)
        #expect(type("tab").isEmpty && type("x").isEmpty && drawn().contains("delete this metric?"))
        view.show(Self.event, [lines[0]])
        #expect(!drawn().contains("Are you sure") && type("y").isEmpty)
        view.show(Self.event, lines)
        #expect(type("tab").isEmpty && type("x").isEmpty)
        _ = view.handle(.mouse(MouseEvent(.wheelDown, at: Point(4, 4))))
        #expect(type("y") == [.remove(metric)])
        // The record itself is gone.
        #expect(type("x").isEmpty && drawn().contains("delete this event?"))
        view.show(nil, [])
        #expect(!drawn().contains("Are you sure") && type("y").isEmpty)
    }
}

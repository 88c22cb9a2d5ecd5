import Bytes
import Dates
import Family
import Terminal
import Testing
@testable import Views
import Words

@Suite("Trips on a canvas")
struct ItineraryViewTests {
    static let (maya, dana) = (RoomViewTests.maya, RoomViewTests.dana)
    static func id(_ number: UInt64) -> Identifier { Identifier(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0200 + number) }

    static func record(_ kind: Kind, _ number: UInt64, _ fields: [String: Value]) -> Record {
        var all = Fields(kind)
        for (name, value) in fields { all[name] = value }
        return Record(kind: kind, id: id(number), athlete: nil, version: 1, createdAt: 0, createdBy: dana, updatedAt: 0, updatedBy: dana, fields: all)
    }

    static func trip(_ number: UInt64, _ name: String, _ start: String, _ end: String?) -> Record {
        record(.trip, number, [
            "name": .text(name), "start_date": .text(start), "end_date": end.map { .text($0) } ?? .text(start), "time_zone": .text("America/New_York"), "location": .text("Albany, NY"),
        ])
    }

    static func item(_ number: UInt64, _ title: String, _ category: String, _ start: String, _ end: String?, _ more: [String: Value] = [:]) -> Record {
        var fields: [String: Value] = [
            "trip_id": .reference(id(1)), "title": .text(title), "category": .text(category), "start_time": .text(start), "start_zone": .text("America/New_York"),
            "include_in_itinerary": .flag(true),
        ]
        if let end { fields["end_time"] = .text(end) }
        return record(.tripItem, number, fields.merging(more) { $1 })
    }

    static let trips = [trip(1, "Albany, three days", "2026-11-21", "2026-11-23"), trip(2, "Texas", "2027-01-05", nil), trip(3, "Old one", "2026-03-01", nil)]
    static let items = [
        item(11, "Hotel Łódź 日本", "accommodation", "2026-11-21T15:00", "2026-11-23T11:00"),
        item(12, "Dinner", "food", "2026-11-21T18:00", "2026-11-21T19:30", ["participants": .set([SetElement(id: maya, name: "Maya Rivera")])]),
        item(13, "Flight", "transportation", "2026-11-23T10:00", "2026-11-23T12:15", ["end_zone": .text("America/Chicago"), "location": .text("Gate B")]),
        item(14, "Museum", "entertainment", "2026-11-21T10:00", nil),
        item(15, "Secret", "other", "2026-11-22T10:00", nil, ["include_in_itinerary": .flag(false)]),
    ]

    static func view(_ trips: [Record] = trips, _ items: [Record] = items) throws -> ItineraryView {
        let now = try #require(LocalDateTime("2026-11-21T14:32"))
        var view = ItineraryView(today: now.date, theme: .dark, keymap: ViewCommands.defaultKeymap(), firstWeekday: .sunday)
        view.show(trips: trips, items: items, names: RecordNames(trips + items), now: now)
        return view
    }

    @Test("The trips, a trip by day, and an item in full say how many rows are below")
    func furtherDown() throws {
        var view = try Self.view()
        #expect(Self.drawn(view, rows: 6).contains(" more") && !Self.drawn(view, rows: 40).contains(" more"), "\(Self.drawn(view, rows: 6))")
        _ = Self.type(&view, "enter")
        #expect(Self.drawn(view, rows: 10).contains(" more") && !Self.drawn(view, rows: 60).contains(" more"), "\(Self.drawn(view, rows: 10))")
    }

    static func drawn(_ view: ItineraryView, columns: Int = 80, rows: Int = 18) -> String {
        var canvas = Canvas(Size(columns: columns, rows: rows))
        view.draw(RoomViewTests.facts(), &canvas)
        return canvas.text
    }

    @discardableResult
    static func type(_ view: inout ItineraryView, _ words: String...) -> [ItineraryAction] {
        words.flatMap { word -> [ItineraryAction] in
            if let keys = Keymap.keys(word) { return keys.flatMap { view.handle(.key($0)) } }
            return word.flatMap { view.handle(.key(.character($0))) }
        }
    }

    @Test("Upcoming trips are listed by their first days; past ones on demand")
    func list() throws {
        var view = try Self.view()
        #expect(Self.drawn(view, columns: 75, rows: 8) == """
             The Rivera family  viewing Maya's season              Dana Rivera is here
             Trips  2 ahead, 1 over (p shows them)
            ▸ Albany, three days                                          now  5 items
              Nov 21 - 23, 2026 · Albany, NY
              Texas                                                            0 items
              Jan 5, 2027 · Albany, NY
             Enter by day  n new  e change  s move  c copy  x delete  q back  ? keys
             1 pending · huddle.example
            """)
        Self.type(&view, "p")
        #expect(Self.drawn(view).contains("Old one"))
        let none = try Self.drawn(Self.view([], []))
        #expect(none.contains("No trips ahead") && none.contains("n  + Add Trip"))
    }

    @Test("R161 A month beside the list shows all trips; paging selects a trip, a day selects the trip on it, also one that is over")
    func monthOfTrips() throws {
        var view = try Self.view()
        let lines = Self.drawn(view).split(separator: "\n").map(String.init)
        #expect(lines[2].hasPrefix(" November 2026 ") && lines[2].contains("▸ Albany, three days"), "\(lines)")
        #expect(lines.contains { $0.contains("15  16  17  18  19  20  21•") } && lines.contains { $0.contains("22•─23•") } && lines.contains { $0.contains("1 trip this month") }, "\(lines)")
        Self.type(&view, "right")
        #expect(view.selectedTrip == Self.id(1) && Self.drawn(view).contains("December 2026") && Self.drawn(view).contains("0 trips this month"))
        Self.type(&view, "l")
        #expect(view.selectedTrip == Self.id(2) && Self.drawn(view).contains("January 2027"))
        Self.type(&view, "h", "h", "j", "k")
        #expect(view.selectedTrip == Self.id(1) && Self.drawn(view).contains("November 2026"), "the month follows the list")
        // The arrows reach a month of a trip that is over; its day brings it into the list.
        for _ in 0..<8 { Self.type(&view, "left") }
        var canvas = Canvas(Size(columns: 80, rows: 18))
        view.draw(RoomViewTests.facts(), &canvas)
        #expect(canvas.text.contains("March 2026") && !canvas.text.contains("Old one"), "\(canvas.text)")
        _ = view.handle(try OverlayTests.click(" 1•", canvas))
        #expect(view.selectedTrip == Self.id(3) && Self.drawn(view).contains("Sun, Mar 1: Old one"), "\(Self.drawn(view))")
        Self.type(&view, ".")
        #expect(view.selectedTrip == Self.id(1) && Self.drawn(view).contains("Sat, Nov 21: Albany, three"), "\(Self.drawn(view))")
        for _ in 0..<200 { Self.type(&view, "left") }
        #expect(view.toast == "10 years back and ahead at most." && Self.drawn(view).contains("2016"))
    }

    @Test("A guest is offered no new trip and no new item")
    func guests() throws {
        for trips in [Self.trips, []] {
            var view = try Self.view(trips, [])
            view.mayWrite = false
            for _ in 0..<2 {
                let drawn = Self.drawn(view)
                #expect(!drawn.contains("+ Add") && !drawn.contains("n new") && !drawn.contains("e change"), "\(drawn)")
                Self.type(&view, "enter")
            }
        }
    }

    @Test("Home, End, g g and G go to the first and the last, in the list, in a trip and in an item")
    func ends() throws {
        for (last, first) in [("end", "home"), ("G", "g g")] {
            var view = try Self.view()
            Self.type(&view, last)
            #expect(view.selectedTrip == Self.id(2))
            Self.type(&view, first)
            #expect(view.selectedTrip == Self.id(1))
            Self.type(&view, "enter", last)
            #expect(view.selectedItem == Self.id(13) && view.day == CalendarDate("2026-11-23"))
            Self.type(&view, first)
            #expect(view.selectedItem == Self.id(14) && view.day == CalendarDate("2026-11-21"))
        }
    }

    @Test("R151 R152 R156 R159 R160 A trip by day shows stays on every day, zones, durations, empty days")
    func plan() throws {
        var view = try Self.view()
        Self.type(&view, "enter")
        #expect(Self.drawn(view) == """
             The Rivera family  viewing Maya's season                   Dana Rivera is here
             Albany, three days
             Nov 21 - 23, 2026 · Albany, NY · America/New_York · 1 not in the itinerary
             November 2026                 Saturday, November 21  today  3
             Su  Mo  Tu  We  Th  Fr  Sa   ▸  10:00          🎭 Museum               All day
              1   2   3   4   5   6   7       Entertainment
              8   9  10  11  12  13  14      from 15:00     🏨 Hotel Łódź 日本       44h 0m
             15  16  17  18  19  20  21+      Accommodation
             22• 23+ 24  25  26  27  28      18:00 - 19:30  🍴 Dinner                1h 30m
             29  30   1   2   3   4   5       Food · Maya Rivera
              6   7   8   9  10  11  12    Sunday, November 22  1
                                             stays          🏨 Hotel Łódź 日本       44h 0m
                                              Accommodation
                                           Monday, November 23  2
                                             until 11:00    🏨 Hotel Łódź 日本       44h 0m
                                              Accommodation
             ← → day  Enter all of it  n new  e change  s move  x delete  Esc trips  ? keys
             1 pending · huddle.example                                            ↓ 2 more
            """)
        Self.type(&view, "right", "right", "j")
        let end = Self.drawn(view, rows: 12)
        #expect(end.contains("🚗 Flight") && end.contains("3h 15m") && end.contains("Gate B · New York to Chicago"), "\(end)")
        // The day of the top row is always shown.
        #expect(end.split(separator: "\n")[3].contains("November"))
        let narrow = Self.drawn(view, columns: 75)
        #expect(!narrow.contains("Su  Mo  Tu") && narrow.contains("                     Transportation · Gate B · New York to Chicago"), "\(narrow)")
        for line in Self.drawn(view, columns: 30).split(separator: "\n") { #expect(TextWidth.of(line) <= 30) }
    }

    @Test("Keys request the actions on the item, the day or the trip", arguments: [
        (["n"], [.pane(.add(.trip, [:]))]), (["e"], [.pane(.edit(id(1)))]), (["x", "y"], [.pane(.submit("/rm trip \(id(1))"))]), (["x", "n"], []),
        (["s", "-7", "enter"], [.pane(.submit("/shift trip \(id(1)) -7"))]), (["s", "x", "enter"], [.pane(.shared(.bell))]), (["s", "3", "esc"], []),
        (["c", "14", "enter"], [.pane(.submit("/copy trip \(id(1)) 14"))]), (["q"], [.pane(.shared(.close))]), (["u"], [.pane(.shared(.undoLast))]), (["s", "alt-1"], [.pane(.shared(.show(1)))]),
        (["enter", "j", "enter"], [.open(id(11))]), (["enter", "j", "j", "e"], [.pane(.edit(id(12)))]), (["enter", "x", "y"], [.pane(.submit("/rm item \(id(14))"))]),
        (["enter", "j", "s", "1", "enter"], [.pane(.submit("/shift item \(id(11)) 1"))]),
        (["enter", "n"], [.pane(.add(.tripItem, ["trip_id": .reference(id(1)), "start_time": .text("2026-11-21T14:30"), "end_time": .text("2026-11-21T15:30"), "category": .text("activity")]))]),
        (["enter", "right", "n"], [.pane(.add(.tripItem, ["trip_id": .reference(id(1)), "start_time": .text("2026-11-22T09:00"), "end_time": .text("2026-11-22T10:00"), "category": .text("activity")]))]),
    ] as [([String], [ItineraryAction])])
    func keys(keys: [String], wanted: [ItineraryAction]) throws {
        var view = try Self.view()
        let got = keys.flatMap { Self.type(&view, $0) }
        #expect(got == wanted)
    }

    @Test("A click selects a trip, an item or a day, in the list and in the month; a second one opens it")
    func clicks() throws {
        var view = try Self.view()
        func click(_ text: String, columns: Int = 110) throws -> [ItineraryAction] {
            var canvas = Canvas(Size(columns: columns, rows: 24))
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
        #expect(try click("Texas").isEmpty && view.selectedTrip == Self.id(2) && view.plan == nil)
        _ = try click("Albany, three days")
        _ = try click("Albany, three days")
        #expect(view.plan?.trip == Self.id(1))
        _ = try click("Flight")
        #expect(view.selectedItem == Self.id(13))
        #expect(try click("Flight") == [.open(Self.id(13))])
        _ = try click("Sunday, November 22")
        #expect(view.day == CalendarDate("2026-11-22"))
        _ = try click("23+")
        #expect(view.day == CalendarDate("2026-11-23"))
        #expect(try click("12  13") == [.pane(.shared(.bell))], "a day without the trip")
        #expect(try click("e change") == [.pane(.edit(view.selectedItem ?? Self.id(0)))])
        #expect(try click("Esc trips").isEmpty && view.plan == nil)
    }

    @Test("Keys act on the open item: it closes when another or no item is selected", arguments: [
        (["enter"], [], 14, true), (["enter"], ["right"], 11, false), (["enter", "j"], ["right"], 11, true), (["enter", "j"], ["right", "right"], 11, true),
        (["enter", "j", "j"], ["."], 12, true), (["enter", "j", "j"], ["right", "left"], 14, false),
    ] as [([String], [String], UInt64, Bool)])
    func open(before: [String], after: [String], item: UInt64, isOpen: Bool) throws {
        var view = try Self.view()
        for key in before { Self.type(&view, key) }
        view.showDetail(["the whole item"])
        for key in after { Self.type(&view, key) }
        #expect((view.detail != nil) == isOpen && Self.drawn(view).contains("the whole item") == isOpen)
        #expect(Self.type(&view, "e") == [.pane(.edit(Self.id(item)))])
    }

    @Test("An open item closes when another member deletes it or moves it to another day, and shows another member's edits")
    func changed() throws {
        let now = try #require(LocalDateTime("2026-11-21T14:32"))
        let moved = Self.item(14, "Museum", "entertainment", "2026-11-23T10:00", nil)
        for items in [Self.items.filter { $0.id != Self.id(14) }, Self.items.filter { $0.id != Self.id(14) } + [moved]] {
            var view = try Self.view()
            Self.type(&view, "enter")
            view.showDetail(["Departure 10:00"])
            view.refreshDetail(["Departure 11:00"])
            #expect(Self.drawn(view).contains("Departure 11:00"))
            view.show(trips: Self.trips, items: items, names: RecordNames(Self.trips + items), now: now)
            #expect(view.detail == nil && view.selectedItem == Self.id(11))
            view.refreshDetail(["Departure 12:00"])
            #expect(view.detail == nil)
        }
    }

    @Test("On a day without items none is open, and keys act on the trip")
    func emptyDay() throws {
        var view = try Self.view(Self.trips, [Self.items[3], Self.items[2]])
        Self.type(&view, "enter")
        view.showDetail(["the whole item"])
        Self.type(&view, "right")
        #expect(view.day == CalendarDate("2026-11-22") && view.detail == nil)
        #expect(Self.type(&view, "e") == [.pane(.edit(Self.id(1)))])
    }

    @Test("The question before deleting a trip mentions its items; a trip that another member deleted closes")
    func deletion() throws {
        var view = try Self.view()
        Self.type(&view, "x")
        #expect(Self.drawn(view).contains("Its 5 items go with it."))
        Self.type(&view, "n", "enter")
        #expect(view.plan != nil)
        view.show(trips: Array(Self.trips.dropFirst()), items: [], names: RecordNames(Self.trips), now: try #require(LocalDateTime("2026-11-21T14:32")))
        #expect(view.plan == nil && Self.drawn(view).contains("Texas"))
    }

    @Test("R155 The view shows an overlap with participants and times; the user accepts both with a reason, edits, drops, or keeps it for later")
    func clash() throws {
        let clash = ConflictViewTests.overlap()
        func decided(_ keys: [String]) throws -> ([ItineraryAction], ItineraryView) {
            var view = try Self.view()
            Self.type(&view, "enter")
            view.show(clash)
            let drawn = Self.drawn(view, columns: 100)
            #expect(drawn.contains("Overlap") && drawn.contains("Dinner, Jun 11, 2027 18:00 - 19:30: Maya Rivera"), "\(drawn)")
            return (keys.flatMap { Self.type(&view, $0) }, view)
        }
        #expect(try decided(["w", "both", "enter"]).0 == [.override(11, reason: "both")])
        #expect(try decided(["w", "enter"]).0 == [.pane(.shared(.bell))])
        #expect(try decided(["e"]).0 == [.pane(.compose(clash.command ?? ""))])
        #expect(try decided(["x"]).0 == [.drop(11)])
        let (none, view) = try decided(["esc"])
        #expect(none.isEmpty && view.clash == nil && view.toast == "It is kept with what was refused.")
        var other = try Self.view()
        other.show(ConflictViewTests.refused())
        #expect(other.clash == nil)
    }
}

import Bytes
import Client
import Dates
import Family
import Terminal
import Testing
@testable import Views

@Suite("The season on a canvas")
struct EventsViewTests {
    static func event(_ number: UInt64, _ fields: [String: Value]) -> Record {
        var all = Fields(.event)
        for (name, value) in fields { all[name] = value }
        return Record(
            kind: .event, id: Identifier(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0100 + number), athlete: number % 2 == 0 ? RoomViewTests.dana : RoomViewTests.maya,
            version: 1, createdAt: 0, createdBy: RoomViewTests.dana, updatedAt: 0, updatedBy: RoomViewTests.dana, fields: all)
    }

    static let records: [Record] = [
        event(1, ["type": .text("showcase"), "name": .text("Spring Showcase"), "start_date": .text("2026-11-24"), "start_time": .text("09:00"), "city": .text("Asheville"), "state": .text("NC"), "cost": .text("150.00"), "registered": .flag(true)]),
        event(3, ["type": .text("camp"), "name": .text("Late Camp"), "start_date": .text("2026-11-06"), "end_date": .text("2026-11-08"), "registered": .flag(true), "attended": .flag(true)]),
        event(5, ["type": .text("game"), "name": .text("Łódź Open"), "start_date": .text("2026-12-02")]),
        event(7, ["type": .text("official_visit"), "name": .text("Ashgrove"), "start_date": .text("2026-11-24"), "address": .text("1 Main St & Co"), "city": .text("Ashgrove")]),
        event(9, ["type": .text("camp"), "start_date": .text("2025-06-01")]),
    ]

    static func view(_ records: [Record] = records, context: Context = .athlete(RoomViewTests.maya)) throws -> EventsView {
        let today = try #require(CalendarDate("2026-11-21"))
        var view = EventsView(today: today, theme: .dark, keymap: RoomCommand.defaultKeymap(), firstWeekday: .sunday)
        view.names = [RoomViewTests.maya: "Maya Rivera", RoomViewTests.dana: "Dana Rivera"]
        view.show(records, context: context, today: today)
        return view
    }

    static func drawn(_ view: EventsView, columns: Int = 80, rows: Int = 16) -> String {
        var canvas = Canvas(Size(columns: columns, rows: rows))
        view.draw(RoomViewTests.facts(), &canvas)
        return canvas.text
    }

    static func type(_ view: inout EventsView, _ words: String...) -> [EventsAction] {
        words.flatMap { word -> [EventsAction] in
            if let keys = Keymap.keys(word) { return keys.flatMap { view.handle(.key($0)) } }
            return word.flatMap { view.handle(.key(.character($0))) }
        }
    }

    @Test("R025 R027 R041 A month beside the list, with badges, dates, time, place and cost")
    func golden() throws {
        let text = try Self.drawn(Self.view(), rows: 14)
        #expect(text == """
             The Rivera family  viewing Maya's season                   Dana Rivera is here
             Events  Track camps, showcases, visits, and games                n + Add Event
             5 results  Date (Newest First)
             ‹ November 2026 ›            ▸ Łódź Open                                  Game
             Su  Mo  Tu  We  Th  Fr  Sa     Dec 2, 2026                      Not Registered
              1   2   3   4   5   6•─ 7•    Spring Showcase                        Showcase
              8•  9  10  11  12  13  14     Nov 24, 2026 · 09:00 · Asheville, …  Registered
             15  16  17  18  19  20  21     Ashgrove                         Official Visit
             22  23  24+ 25  26  27  28     Nov 24, 2026 · Ashgrove          Not Registered
             29  30   1   2•  3   4   5     Late Camp                                  Camp
              6   7   8   9  10  11  12     Nov 6 - 8, 2026                        Attended
                                            Unknown event                              Camp
             3 events this month            Jun 1, 2025                      Not Registered
             1 pending · huddle.example
            """)
    }

    @Test("Filters combine, are named, and are cleared; the order stays", arguments: [
        (["t"], "2 results", "Camps"), (["s"], "1 result", "Registered"), (["d"], "3 results", "Upcoming"), (["d", "d"], "2 results", "Past"),
        (["t", "d"], "0 results", "Camps  Upcoming"), (["/", "lodz"], "1 result", "Search: lodz"), (["t", "s", "c"], "5 results", "Date (Newest First)"),
        (["r"], "5 results", "Date (Oldest First)"), (["r", "r", "c"], "5 results", "Name"), (["/", "lodz", "esc"], "5 results", ""),
    ] as [([String], String, String)])
    func filters(keys: [String], count: String, words: String) throws {
        var view = try Self.view()
        for key in keys { _ = Self.type(&view, key) }
        let head = Self.drawn(view).split(separator: "\n")[2]
        #expect(head.contains(count), "\(head)")
        #expect(head.contains(words), "\(head)")
    }

    @Test("R045 R046 Nothing yet, and nothing that matches, say so and what to do")
    func empty() throws {
        let none = try Self.drawn(Self.view([]))
        for words in ["No events yet", "Create your first event to start tracking", "n  + Add Event"] { #expect(none.contains(words), "\(words)") }
        var view = try Self.view()
        _ = Self.type(&view, "/", "zzz", "enter")
        let text = Self.drawn(view)
        for words in ["No events match your filters", "Try adjusting your search criteria", "c  Clear filters"] { #expect(text.contains(words), "\(words)") }
        let add = Self.type(&view, "n")
        #expect(add == [.add])
    }

    @Test("Months page within two years, and what comes is selected")
    func months() throws {
        var view = try Self.view()
        _ = Self.type(&view, "right")
        #expect(Self.drawn(view).contains("‹ December 2026 ›"))
        #expect(view.selectedRecord?.fields.text("name") == "Łódź Open")
        _ = Self.type(&view, "left")
        #expect(view.selectedRecord?.fields.text("name") == "Late Camp")
        var bells = 0
        for _ in 0..<30 { bells += Self.type(&view, "right").count }
        #expect(bells == 6)
        #expect(Self.drawn(view).contains("‹ November 2028 ›"))
        _ = Self.type(&view, ".")
        #expect(Self.drawn(view).contains("‹ November 2026 ›"))
    }

    @Test("Keys ask for what the event needs; deletion is asked about first")
    func actions() throws {
        var view = try Self.view()
        let id = try #require(view.selectedRecord?.id)
        #expect([Self.type(&view, "enter"), Self.type(&view, "e"), Self.type(&view, "a"), Self.type(&view, "q")] == [[.open(id)], [.edit(id)], [.attend(id)], [.shared(.close)]])
        let no = Self.type(&view, "x", "n")
        #expect(no.isEmpty)
        _ = Self.type(&view, "x")
        #expect(Self.drawn(view).contains("Are you sure you want to delete this event?"))
        let yes = Self.type(&view, "y")
        #expect(yes == [.delete(id)])
        let noPlace = Self.type(&view, "m")
        #expect(noPlace == [.shared(.bell)])
        let way = Self.type(&view, "j", "j", "m")
        #expect(way == [.directions("https://www.openstreetmap.org/search?query=1%20Main%20St%20%26%20Co%2C%20Ashgrove")])
        // What was attended cannot be marked again.
        let attended = Self.type(&view, "j", "a")
        #expect(attended == [.shared(.bell)])
    }

    @Test("An event in full is scrolled, and closed by Esc before the list is")
    func detail() throws {
        var view = try Self.view()
        view.showDetail((["Spring Showcase"] + (1...40).map { "line \($0)" }).map { StyledText($0) })
        #expect(Self.drawn(view).contains("line 1"))
        for _ in 0..<35 { _ = Self.type(&view, "j") }
        #expect(Self.drawn(view).contains("line 40"))
        let first = Self.type(&view, "esc")
        let second = Self.type(&view, "esc")
        #expect(first.isEmpty && second == [.shared(.close)])
    }

    @Test("Everybody's season names the athletes; ? shows the keys; every size is drawn")
    func others() throws {
        var view = try Self.view(context: .all)
        #expect(Self.drawn(view, columns: 120).contains("Maya Rivera"))
        _ = Self.type(&view, "?")
        #expect(Self.drawn(view, columns: 120, rows: 30).contains("search while you type"))
        // All of them, on the smallest screen that is asked for.
        let help = Self.drawn(view, rows: 24)
        for words in ["the next event", "back to where you", "to any buffer", "close the buffer"] { #expect(help.contains(words), "\(words)\n\(help)") }
        _ = Self.type(&view, "x")
        #expect(!view.isAskingToDelete)
        for columns in stride(from: 1, through: 130, by: 7) {
            for rows in stride(from: 1, through: 40, by: 3) {
                let text = Self.drawn(view, columns: columns, rows: rows)
                for line in text.split(separator: "\n") { #expect(TextWidth.of(line) <= columns) }
            }
        }
    }
}

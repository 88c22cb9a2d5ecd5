import Bytes
import Commands
import Dates
import Family
import Queries
import Terminal
import Testing
@testable import Views
import Words

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
        var view = EventsView(today: today, theme: .dark, keymap: ViewCommands.defaultKeymap(), firstWeekday: .sunday)
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

    @Test("R025 R027 R041 The view shows a month next to the list, with badges, dates, time, place and cost")
    func golden() throws {
        let text = try Self.drawn(Self.view(), rows: 14)
        #expect(text == """
             The Rivera family  viewing Maya's season                   Dana Rivera is here
             Events  Track camps, showcases, visits, and games                n + Add Event
             5 results  Date (Newest First)                      3 upcoming, next in 3 days
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

    @Test("The month follows what a search finds, and a day without a match says so")
    func searchedMonth() throws {
        var view = try Self.view()
        _ = Self.type(&view, "/", "unknown")
        #expect(Self.drawn(view).contains("November 2026"), "the event without a name has none to find")
        _ = Self.type(&view, "ctrl-u", "lodz", "enter")
        #expect(Self.drawn(view).contains("December 2026") && Self.drawn(view).contains("1 event this month"))
        var far = try Self.view()
        _ = Self.type(&far, "/", "late camp", "enter", "tab", "right")
        #expect(Self.drawn(far).contains("Sat, Nov 7: 1 event"))
        _ = Self.type(&far, "down", "down", "right", "right", "right")
        #expect(Self.drawn(far).contains("Tue, Nov 24: no match"), "\(Self.drawn(far))")
    }

    @Test("200 columns show month, list and event beside each other; 120 do not")
    func wide() throws {
        var view = try Self.view()
        let event = try #require(view.selected)
        #expect(view.hasPreview(Size(columns: 150, rows: 40)) && !view.hasPreview(Size(columns: 149, rows: 40)))
        view.showPreview(event, [DetailLine(StyledText("All of it"))])
        let text = Self.drawn(view, columns: 200, rows: 40)
        #expect(text.contains("December 2026") || text.contains("November 2026"))
        #expect(text.contains("Late Camp") && text.contains("All of it"))
        // The badge is near its name.
        let line = try #require(text.split(separator: "\n").first { $0.contains("Łódź Open") })
        let (name, badge) = (try #require(line.firstRange(of: "Łódź Open")), try #require(line.firstRange(of: "Game")))
        #expect(line.distance(from: name.lowerBound, to: badge.lowerBound) < 80)
        #expect(!Self.drawn(view, columns: 120, rows: 40).contains("All of it"))
        view.showDetail([DetailLine(StyledText("Opened"))])
        let opened = Self.drawn(view, columns: 200, rows: 40)
        #expect(opened.contains("Opened") && opened.contains("Late Camp") && !opened.contains("All of it"))
    }

    @Test("R045 R046 An empty list, and a list without matches, say so and what to do")
    func empty() throws {
        let none = try Self.drawn(Self.view([]))
        for words in ["No events yet", "Create your first event to start tracking", "n  + Add Event"] { #expect(none.contains(words), "\(words)") }
        var fresh = try Self.view([])
        fresh.hasAthletes = false
        let first = Self.drawn(fresh, columns: 100)
        #expect(first.contains("No athletes yet") && first.contains("/invite NAME --role athlete --born YYYY-MM-DD") && !first.contains("No events yet"))
        var view = try Self.view()
        _ = Self.type(&view, "/", "zzz", "enter")
        let text = Self.drawn(view)
        for words in ["▽", "No events match your filters", "Try adjusting your search criteria", "c  Clear filters"] { #expect(text.contains(words), "\(words)") }
        let add = Self.type(&view, "n")
        #expect(add == [.add(on: nil)])
        _ = Self.type(&view, "c")
        #expect(view.count == 5)
        // Nothing has arrived yet, which differs from an empty list.
        var canvas = Canvas(Size(columns: 80, rows: 20))
        var facts = RoomViewTests.facts()
        facts.connection = .arriving
        facts.firstLoad = .slow
        try Self.view([]).draw(facts, &canvas)
        #expect(canvas.text.contains("Loading …") && canvas.text.contains("░░░") && !canvas.text.contains("No events yet"))
    }

    @Test("R009 On the first load the view shows nothing for 300 ms, then outlines of the content, or a reason; loaded content stays, with a word in the status line", arguments: ["events", "trips", "documents", "event"])
    func firstLoad(page: String) throws {
        func drawn(_ facts: StatusFacts, isEmpty: Bool = true) throws -> String {
            var canvas = Canvas(Size(columns: 80, rows: 24))
            switch page {
            case "events": try Self.view(isEmpty ? [] : Self.records).draw(facts, &canvas)
            case "trips": try (isEmpty ? ItineraryViewTests.view([], []) : ItineraryViewTests.view()).draw(facts, &canvas)
            case "documents": (isEmpty ? DocumentsViewTests.view([], rows: 24) : DocumentsViewTests.view(rows: 24)).draw(facts, &canvas)
            default:
                var view = BufferListTests.record()
                if isEmpty { view.show(nil, []) }
                view.draw(facts, &canvas)
            }
            return canvas.text
        }
        var facts = RoomViewTests.facts()
        facts.connection = .arriving
        let nothing = ["No events yet", "No trips ahead", "No documents yet", "not found"]
        facts.firstLoad = .begun
        let begun = try drawn(facts)
        #expect(!begun.contains("░") && !begun.contains("Loading") && nothing.allSatisfy { !begun.contains($0) }, "\(begun)")
        facts.firstLoad = .slow
        let slow = try drawn(facts)
        #expect(slow.contains("░░░") && slow.contains("Loading …") && nothing.allSatisfy { !slow.contains($0) }, "\(slow)")
        if page == "documents" { #expect(slow.ranges(of: "░ ").count + slow.ranges(of: "░\n").count == 12, "six cards\n\(slow)") }
        facts.connection = .offline("Connection timed out.")
        let offline = try drawn(facts)
        #expect(offline.contains("Unable to load \(page). Check your connection.") && offline.contains("Connection timed out."), "\(offline)")
        (facts.connection, facts.firstLoad) = (.arriving, .done)
        let reload = try drawn(facts, isEmpty: false)
        #expect(!reload.contains("░") && reload.contains("Connecting to huddle.example …") && (reload.contains("Showcase") || reload.contains("Albany") || reload.contains("Transcript")), "\(reload)")
        #expect(try nothing.contains { try drawn(facts).contains($0) }, "what is known to be empty says so")
    }

    @Test("Months page within two years, and the first event of the new month is selected")
    func months() throws {
        var view = try Self.view()
        _ = Self.type(&view, "right")
        #expect(Self.drawn(view).contains("‹ December 2026 ›"))
        #expect(view.selectedRecord?.fields.text("name") == "Łódź Open")
        _ = Self.type(&view, "left")
        #expect(view.selectedRecord?.fields.text("name") == "Late Camp")
        var bells = 0
        for _ in 0..<30 { bells += Self.type(&view, "right") == [.shared(.say("Two years back and ahead at most."))] ? 1 : 0 }
        #expect(bells == 6)
        #expect(Self.drawn(view).contains("‹ November 2028 ›"))
        _ = Self.type(&view, ".")
        #expect(Self.drawn(view).contains("‹ November 2026 ›"))
    }

    @Test("Keys request the actions on an event; deletion asks first")
    func actions() throws {
        var view = try Self.view()
        let id = try #require(view.selectedRecord?.id)
        #expect([Self.type(&view, "enter"), Self.type(&view, "e"), Self.type(&view, "a"), Self.type(&view, "+"), Self.type(&view, "q")] == [[.open(id)], [.edit(id)], [.attend(id)], [.coaches(id)], [.shared(.close)]])
        let all = (0..<view.count).map { view.found($0).id }
        #expect(Self.type(&view, "E") == [.export(all, event: nil)])
        let no = Self.type(&view, "x", "n")
        #expect(no.isEmpty)
        _ = Self.type(&view, "x")
        #expect(Self.drawn(view).contains("Are you sure you want to delete this event?"))
        let yes = Self.type(&view, "y")
        #expect(yes == [.delete(id)])
        let noPlace = Self.type(&view, "m")
        #expect(noPlace == [.shared(.say("No address or city is known; e adds one."))])
        let way = Self.type(&view, "j", "j", "m")
        #expect(way == [.directions("https://www.openstreetmap.org/search?query=1%20Main%20St%20%26%20Co%2C%20Ashgrove")])
        // An attended event cannot be marked again.
        let attended = Self.type(&view, "j", "a")
        #expect(attended == [.shared(.say("It is marked attended already; e changes it."))])
    }

    @Test("An event in full scrolls, and Esc closes it before the list")
    func detail() throws {
        var view = try Self.view()
        view.showDetail((["Spring Showcase"] + (1...40).map { "line \($0)" }).map { DetailLine(StyledText($0)) })
        #expect(Self.drawn(view).contains("line 1"))
        for _ in 0..<35 { _ = Self.type(&view, "j") }
        #expect(Self.drawn(view).contains("line 40"))
        let first = Self.type(&view, "esc")
        let second = Self.type(&view, "esc")
        #expect(first.isEmpty && view.detail == nil && second == [.shared(.stepBack)])
    }

    @Test("Esc clears the search, then the filters, then leaves everything as it is; q leaves the page")
    func escape() throws {
        var view = try Self.view()
        #expect(Self.type(&view, "t", "/", "late", "enter").isEmpty && view.count == 1)
        #expect(Self.type(&view, "esc").isEmpty && view.filterWords == ["Camps"] && view.count == 2)
        #expect(Self.type(&view, "esc").isEmpty && view.filterWords.isEmpty && view.count == 5)
        #expect(Self.type(&view, "esc") == [.shared(.stepBack)] && view.count == 5)
        #expect(Self.type(&view, "q") == [.shared(.close)])
    }

    @Test("A guest is offered nothing that changes records, and gets the refusal before any question")
    func guests() throws {
        var view = try Self.view()
        view.mayWrite = false
        for key in ["n", "e", "a", "x", "delete", "i", "p", "+"] {
            #expect(Self.type(&view, key) == [.shared(.say("You are a guest here: you can read everything, but not change it."))], "\(key)")
        }
        #expect(!Self.drawn(view).contains("Are you sure") && !Self.drawn(view).contains("Add Event") && !Self.drawn(view).contains("a attended"))
        #expect(Self.drawn(view, rows: 20).contains("Enter open") && Self.drawn(view, rows: 20).contains("? keys"))
        view.show([], context: .all, today: view.today)
        #expect(Self.drawn(view).contains(PaneParts.nothingYet) && !Self.drawn(view).contains("+ Add Event") && !Self.drawn(view).contains("Create your first"))
    }

    /// The style of the first cell of a text on the screen.
    static func style(of text: String, _ view: EventsView, in row: Int? = nil) -> Style? {
        var canvas = Canvas(Size(columns: 80, rows: 20))
        view.draw(RoomViewTests.facts(), &canvas)
        for number in row.map({ [$0] }) ?? Array(0..<20) {
            let line = canvas.text(row: number)
            if let place = line.firstRange(of: text) { return canvas[TextWidth.of(line[..<place.lowerBound]), number].style }
        }
        return nil
    }

    @Test("R055 Today, other months' days, dots and badges have the colours of their meaning")
    func palette() throws {
        let view = try Self.view()
        let theme = Theme.dark
        #expect(Self.style(of: "21", view) == theme[.today])
        #expect(Self.style(of: "10  11", view, in: 10) == theme[.outside], "a day of December")
        #expect(Self.style(of: "+ 25", view)?.foreground == theme[.showcase].foreground)
        #expect(Self.style(of: "Attended", view)?.foreground == theme[.attended].foreground)
        #expect(Self.style(of: "Not Registered", view, in: 8)?.foreground == theme[.notRegistered].foreground)
        #expect(Self.style(of: "Registered", view, in: 6)?.foreground == theme[.registered].foreground)
        #expect(Self.style(of: "Official Visit", view)?.foreground == theme[.officialVisit].foreground)
        var asking = view
        _ = Self.type(&asking, "x")
        #expect(Self.style(of: "┌", asking) == theme[.failure], "what deletes is red")
    }

    @Test("R080 The view offers directions if an address or a city is known; a state or a name alone is not enough", arguments: [
        (["address": "1 Main St & Co", "city": "Ashgrove", "state": "OH"], "1%20Main%20St%20%26%20Co%2C%20Ashgrove%2C%20OH"), (["city": "Łódź"], "%C5%81%C3%B3d%C5%BA"),
        (["address": "1 Main St"], "1%20Main%20St"), (["state": "OH"], nil), (["location": "The old gym"], nil), ([:], nil),
    ] as [([String: String], String?)])
    func directions(fields: [String: String], query: String?) throws {
        let record = Self.event(1, fields.mapValues { .text($0) })
        #expect(Directions.link(record.fields) == query.map { "https://www.openstreetmap.org/search?query=" + $0 })
        var view = try Self.view([record])
        #expect(Self.type(&view, "m") == [query.map { .directions("https://www.openstreetmap.org/search?query=" + $0) } ?? .shared(.say("No address or city is known; e adds one."))])
        let lines = EventDetail.lines(record, metrics: [], interactions: [], RecordNames([]), .dark)
        #expect(lines.contains { $0.text.text == "m  Get Directions" } == (query != nil))
    }

    @Test("R030 R031 R054 The arrow keys move among the days; Enter goes to a day's events, Space stays, a new event is on that day")
    func days() throws {
        var view = try Self.view()
        _ = Self.type(&view, "left", "tab")
        #expect(view.dayCursor == CalendarDate("2026-11-06") || view.dayCursor == CalendarDate("2026-10-01"))
        _ = Self.type(&view, ".")
        #expect(view.dayCursor == CalendarDate("2026-11-21") && Self.drawn(view, rows: 20).contains("Sat, Nov 21: no event"))
        #expect(Self.type(&view, "space") == [.shared(.say("No events that day. n adds one."))])
        _ = Self.type(&view, "right", "right", "right")
        #expect(Self.drawn(view, rows: 20).contains("▸24+"))
        #expect(Self.type(&view, "n") == [.add(on: CalendarDate("2026-11-24"))])
        _ = Self.type(&view, "space")
        #expect(view.selectedDay == CalendarDate("2026-11-24") && view.dayCursor != nil)
        #expect(view.selectedRecord?.fields.text("start_date") == "2026-11-24")
        // A day in the middle of an event of several days; up by weeks, into the list with Enter.
        _ = Self.type(&view, "up", "up", "left", "left", "enter")
        #expect(view.selectedRecord == nil || view.selectedDay == CalendarDate("2026-11-08"))
        #expect(view.selectedRecord?.fields.text("name") == "Late Camp" && view.dayCursor == nil)
        // Down in the list belongs to the list again.
        _ = Self.type(&view, "j")
        #expect(view.selectedRecord?.fields.text("start_date") == "2025-06-01")
        // Not beyond two years; months page with the day.
        _ = Self.type(&view, ".", "tab", "pagedown")
        #expect(view.month.month == 12 || view.month.month == 1)
        var last: [EventsAction] = []
        for _ in 0..<150 { last = Self.type(&view, "down") }
        #expect(last == [.shared(.say("Two years back and ahead at most."))] && view.dayCursor?.year == 2028 && view.dayCursor?.month == 11)
        _ = Self.type(&view, "esc")
        #expect(view.dayCursor == nil)
        // On a narrow screen the month replaces the list.
        _ = Self.type(&view, ".", "tab")
        #expect(Self.drawn(view, columns: 50, rows: 20).contains("‹ November 2026 ›"))
    }

    @Test("On a large screen an event of several days is a clickable bar below them")
    func bars() throws {
        var view = try Self.view()
        var canvas = Canvas(Size(columns: 120, rows: 40))
        view.draw(RoomViewTests.facts(), &canvas)
        let week = try #require((0..<40).first { canvas.text(row: $0).contains(" 8•") })
        #expect(canvas.text(row: week + 1).hasPrefix("━"), "the camp continues from the week before\n\(canvas.text)")
        #expect(canvas.text(row: week - 1).contains("━━━━━"))
        guard case .place("day", let day)? = canvas.target(at: Point(1, week + 1)) else {
            Issue.record("a bar cannot be clicked")
            return
        }
        #expect(CalendarDate(days: day) == CalendarDate("2026-11-08"))
        var mouse = MouseEvent(.press(1), at: Point(1, week + 1))
        mouse.target = .place("day", day)
        _ = view.handle(.mouse(mouse))
        #expect(view.selectedRecord?.fields.text("name") == "Late Camp")
    }

    @Test("R031 The user chooses a month from a table of the reachable years")
    func monthChoice() throws {
        var view = try Self.view()
        _ = Self.type(&view, "M")
        let text = Self.drawn(view, rows: 20)
        for words in ["Which month?", "2024", "2028", "▸Nov", "Enter open"] { #expect(text.contains(words), "\(words)") }
        _ = Self.type(&view, "right", "down")
        #expect(view.monthChoice == CalendarDate("2027-12-01"))
        #expect(Self.type(&view, "down") == [.shared(.say("Two years back and ahead at most."))])
        _ = Self.type(&view, "up", "enter")
        #expect(view.monthChoice == nil && view.month == CalendarDate("2026-12-01"))
        #expect(view.selectedRecord?.fields.text("name") == "Łódź Open")
        _ = Self.type(&view, "M", "esc")
        #expect(view.monthChoice == nil && view.month == CalendarDate("2026-12-01"))
    }

    @Test("R040 The view reports the order to be saved; leaving the season clears filters and search")
    func kept() throws {
        var view = try Self.view()
        #expect(Self.type(&view, "r") == [.sorted(.dateAscending)])
        _ = Self.type(&view, "t", "/", "late", "enter")
        #expect(view.count == 1)
        #expect(Self.type(&view, "q") == [.shared(.close)])
        #expect(view.count == 5 && view.filterWords.isEmpty && Self.drawn(view).contains("Date (Oldest First)"))
        _ = Self.type(&view, "s", "/", "late")
        view.leave()
        #expect(view.count == 5 && view.filterWords.isEmpty && !view.isSearching && Self.drawn(view).contains("Date (Oldest First)"))
        var next = try Self.view()
        next.restore(.name)
        #expect(Self.drawn(next).contains("5 results  Name"))
        next.restore(.mostShared)
        #expect(Self.drawn(next).contains("Date (Newest First)"), "an order that events do not have")
    }

    @Test("R052 R114 The list, and an event in full, say how many rows are below")
    func furtherDown() throws {
        var view = try Self.view()
        #expect(!Self.drawn(view, rows: 30).contains("more") && Self.drawn(view, rows: 10).contains("↓ 2 more"), "\(Self.drawn(view, rows: 10))")
        view.showDetail((1...40).map { DetailLine(StyledText("line \($0)")) })
        #expect(Self.drawn(view, rows: 30).contains("↓ 17 more"), "\(Self.drawn(view, rows: 30))")
        _ = Self.type(&view, "G")
        #expect(Self.drawn(view, rows: 30).contains("line 40") && !Self.drawn(view, rows: 30).contains("more"))
    }

    @Test("A search leads from the days to the list, as it says")
    func searchFromDays() throws {
        var view = try Self.view()
        _ = Self.type(&view, "tab", "/", "late", "enter")
        let opened = Self.type(&view, "enter")
        guard case .open? = opened.first else { Issue.record("\(opened)"); return }
    }

    /// Clicks the first occurrence of a text.
    static func click(_ view: inout EventsView, _ text: String, columns: Int = 80, rows: Int = 20, offset: Int = 0) throws -> [EventsAction] {
        var canvas = Canvas(Size(columns: columns, rows: rows))
        view.draw(RoomViewTests.facts(), &canvas)
        let row = try #require((0..<rows).first { canvas.text(row: $0).contains(text) }, "\(text) is not in\n\(canvas.text)")
        let line = canvas.text(row: row)
        let column = TextWidth.of(line[..<(try #require(line.firstRange(of: text)).lowerBound)]) + offset
        let target = try #require(canvas.target(at: Point(column, row)), "\(text) cannot be clicked")
        if case .keys(let keys) = target { return keys.flatMap { view.handle(.key($0)) } }
        var mouse = MouseEvent(.press(1), at: Point(column, row))
        mouse.target = target
        return view.handle(.mouse(mouse))
    }

    @Test("A click selects an event or a day, a second one opens it; months, filters, order and questions take clicks too")
    func clicks() throws {
        var view = try Self.view()
        #expect(try Self.click(&view, "Late Camp").isEmpty && view.selectedRecord?.fields.text("name") == "Late Camp")
        let id = try #require(view.selectedRecord?.id)
        #expect(try Self.click(&view, "Nov 6 - 8, 2026") == [.open(id)])
        #expect(try Self.click(&view, "24+").isEmpty && view.selectedDay == CalendarDate("2026-11-24"))
        #expect(view.selectedRecord?.fields.text("start_date") == "2026-11-24")
        _ = try Self.click(&view, "›")
        #expect(view.month == CalendarDate("2026-12-01"))
        _ = try Self.click(&view, "December 2026")
        #expect(view.monthChoice != nil)
        _ = try Self.click(&view, "2025  Jan", offset: 6)
        #expect(view.monthChoice == nil && view.month.month == 1)
        _ = try Self.click(&view, "Date (Newest First)")
        #expect(view.filter.sort == .dateAscending)
        _ = Self.type(&view, "s")
        _ = try Self.click(&view, "Registered")
        #expect(view.filterWords == ["Not Registered"])
        #expect(try Self.click(&view, "n + Add Event") == [.add(on: nil)])
        let chosen = try #require(view.selectedRecord?.id)
        _ = Self.type(&view, "x")
        // The content behind the question takes no clicks.
        var canvas = Canvas(Size(columns: 80, rows: 20))
        view.draw(RoomViewTests.facts(), &canvas)
        #expect(canvas.target(at: Point(79, 1)) == nil && canvas.target(at: Point(2, 8)) == nil)
        #expect(try Self.click(&view, "any other key").isEmpty && view.asked == nil)
        _ = Self.type(&view, "x")
        #expect(try Self.click(&view, "y delete") == [.delete(chosen)])
    }

    @Test("In an event, Tab goes from coach to result to interaction; each is opened, or removed after a question")
    func parts() throws {
        var view = try Self.view()
        let id = try #require(view.selectedRecord?.id)
        let coach = RecordReference(.coach, EventDetailTests.coach.id), metric = RecordReference(.metric, id)
        view.showDetail([DetailLine(StyledText("Łódź Open"))] + (1...30).map { DetailLine(StyledText("line \($0)")) } + [DetailLine(StyledText("1.87 sec"), metric), DetailLine(StyledText("Nadia Rahimi"), coach)])
        #expect(!Self.drawn(view).contains("1.87 sec"))
        _ = Self.type(&view, "tab")
        #expect(Self.drawn(view).contains("1.87 sec"), "what is selected is in sight")
        #expect(Self.type(&view, "enter") == [.record(metric)] && Self.type(&view, "e") == [.record(metric)])
        _ = Self.type(&view, "x")
        #expect(Self.drawn(view).contains("Are you sure you want to delete this metric?"))
        #expect(Self.type(&view, "y") == [.remove(metric, from: id)] && view.detail != nil)
        _ = Self.type(&view, "tab", "x")
        #expect(Self.drawn(view).contains("Remove this coach from the event?"))
        #expect(Self.type(&view, "n").isEmpty)
        #expect(try Self.click(&view, "1.87 sec").isEmpty && view.detail?.selected == metric)
        #expect(try Self.click(&view, "1.87 sec") == [.record(metric)])
        // A removed part is no longer selected.
        view.refreshDetail([DetailLine(StyledText("Łódź Open"))])
        #expect(view.detail?.selected == nil)
        _ = Self.type(&view, "x")
        #expect(Self.type(&view, "y") == [.delete(id)])
    }

    @Test("A question closes when its subject is gone, and y then does nothing else")
    func asked() throws {
        // Another member deletes a result of the open event.
        var view = try Self.view()
        let id = try #require(view.selectedRecord?.id)
        let metric = RecordReference(.metric, Self.records[0].id), coach = RecordReference(.coach, EventDetailTests.coach.id)
        let lines = [DetailLine(StyledText("Łódź Open")), DetailLine(StyledText("1.87 sec"), metric), DetailLine(StyledText("Nadia Rahimi"), coach)]
        view.showDetail(lines)
        _ = Self.type(&view, "tab", "x")
        view.refreshDetail([lines[0], lines[2]])
        #expect(!Self.drawn(view).contains("Are you sure"))
        #expect(Self.type(&view, "y").isEmpty)
        // A subject that still exists is meant, wherever the wheel went.
        view.refreshDetail(lines)
        _ = Self.type(&view, "tab", "x")
        _ = view.handle(.mouse(MouseEvent(.wheelDown, at: Point(40, 8))))
        #expect(Self.drawn(view).contains("1.87 sec") && view.detail?.selected == nil)
        #expect(Self.type(&view, "y") == [.remove(metric, from: id)])

        // An event no longer passes the filter, or is deleted.
        for gone in [Self.event(3, ["type": .text("game"), "name": .text("Late Camp"), "start_date": .text("2026-11-06")]), nil] {
            var view = try Self.view()
            _ = Self.type(&view, "t", "x")
            #expect(Self.drawn(view).contains("Late Camp") && view.asked == .record(Self.records[1].id))
            view.show(Self.records.filter { $0.id != Self.records[1].id } + [gone].compactMap(\.self), context: .athlete(RoomViewTests.maya), today: view.today)
            #expect(view.selectedRecord?.id == Self.records[4].id && !Self.drawn(view).contains("Are you sure"))
            #expect(Self.type(&view, "y").isEmpty)
        }
    }

    @Test("Keys act on the open event: it closes when another event is selected", arguments: [
        (["t"], false), (["s"], false), (["d"], true), (["d", "d"], false), (["right"], true), (["right", "left"], false), (["."], false), (["r"], true),
    ] as [([String], Bool)])
    func open(keys: [String], isOpen: Bool) throws {
        var view = try Self.view()
        let id = try #require(view.selected)
        view.showDetail([DetailLine(StyledText("all of Łódź Open"))])
        for key in keys { _ = Self.type(&view, key) }
        #expect((view.detail != nil) == isOpen && (view.selected == id) == isOpen)
        #expect(Self.drawn(view).contains("all of Łódź Open") == isOpen)
    }

    @Test("An open event closes when the season changes, or when it is deleted")
    func closed() throws {
        for (records, context) in [(Self.records, Context.athlete(RoomViewTests.dana)), ([], .all), (Self.records.filter { $0.id != Self.records[2].id }, .all)] {
            var view = try Self.view()
            view.showDetail([DetailLine(StyledText("all of Łódź Open"))])
            view.show(Self.records, context: .all, today: view.today)
            #expect(view.detail != nil, "it is in everyone's season, too")
            view.show(records, context: context, today: view.today)
            #expect(view.detail == nil && !Self.drawn(view).contains("all of Łódź Open"))
        }
    }

    @Test("A question shows a long name in full on a narrow screen")
    func longNames() throws {
        let long = (1...20).map { "word\($0)" }.joined(separator: " ")
        let event = Self.event(1, ["type": .text("camp"), "name": .text(long), "start_date": .text("2026-11-24")])
        var view = try Self.view([event])
        _ = Self.type(&view, "x")
        var record = RecordView(.event, event.id, theme: .dark, keymap: ViewCommands.defaultKeymap())
        record.show(event, [])
        _ = record.handle(.key(.character("x")))
        var canvas = Canvas(Size(columns: 40, rows: 20))
        record.draw(RoomViewTests.facts(), &canvas)
        for drawn in [Self.drawn(view, columns: 40, rows: 20), canvas.text] {
            for word in ["word1 ", "word9", "word20", "y delete", "key cancels"] { #expect(drawn.contains(word), "\(word) is not in\n\(drawn)") }
        }
    }

    @Test("The family's season names the athletes; ? for keys; the view draws at every size")
    func others() throws {
        var view = try Self.view(context: .all)
        #expect(Self.drawn(view, columns: 120).contains("Maya Rivera"))
        _ = Self.type(&view, "?")
        #expect(Self.drawn(view, columns: 120, rows: 30).contains("search while you type"))
        // All of them, on the smallest required screen.
        let help = Self.drawn(view, rows: 24)
        for words in ["the next event", "back to where you were", "anywhere, by a few letters", "close the page"] { #expect(help.contains(words), "\(words)\n\(help)") }
        _ = Self.type(&view, "x")
        #expect(view.asked == nil)
        for columns in stride(from: 1, through: 130, by: 7) {
            for rows in stride(from: 1, through: 40, by: 3) {
                let text = Self.drawn(view, columns: columns, rows: rows)
                for line in text.split(separator: "\n") { #expect(TextWidth.of(line) <= columns) }
            }
        }
    }
}

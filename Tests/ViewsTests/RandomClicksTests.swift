import Bytes
import Dates
import Family
import Terminal
import TestSupport
import Testing
@testable import Views
@testable import Words

@Suite("Views under clicks and keys at random, seeded")
struct RandomClicksTests {
    /// The result of a click at a position: keys, or the click with its target.
    static func events(_ canvas: Canvas, at point: Point) -> [InputEvent] {
        let target = canvas.target(at: point)
        if case .keys(let keys)? = target { return keys.map { .key($0) } }
        var mouse = MouseEvent(.press(1), at: point)
        mouse.target = target
        return [.mouse(mouse)]
    }

    /// Draws, clicks on a random drawn position or presses a key, repeatedly, at changing sizes; clicks also hit
    /// content drawn before the records changed.
    static func run(_ keys: [String], _ draw: (inout Canvas) -> Void, _ handle: (InputEvent) -> Void, between: (Int) -> Void) {
        var generator = SeededNumbers(11)
        for round in 0..<400 {
            var canvas = Canvas(Size(columns: 1 + generator.next(below: 130), rows: 1 + generator.next(below: 45)))
            draw(&canvas)
            for line in canvas.text.split(separator: "\n") { #expect(TextWidth.of(line) <= canvas.size.columns) }
            if generator.next(below: 20) == 0 { between(round) }
            if generator.next(below: 3) == 0 {
                for key in Keymap.keys(keys[generator.next(below: keys.count)]) ?? [] { handle(.key(key)) }
            } else {
                let point = Point(generator.next(below: canvas.size.columns), generator.next(below: canvas.size.rows))
                for event in events(canvas, at: point) { handle(event) }
            }
        }
    }

    @Test("The season")
    func season() throws {
        var view = try EventsViewTests.view()
        let detail = [DetailLine(StyledText("Spring Showcase")), DetailLine(StyledText("1.87 sec"), RecordReference(.metric, EventsViewTests.records[0].id))]
        Self.run(
            ["tab", "enter", "space", "M", "t", "s", "d", "r", "c", "x", "y", "esc", "right", "down", "up", "/", "a", "l", "o", "?", "pagedown", "E", "G"],
            { view.draw(RoomViewTests.facts(), &$0) },
            { event in
                for case .open in view.handle(event) { view.showDetail(detail) }
            },
            between: { round in
                let records = round % 2 == 0 ? [] : EventsViewTests.records
                view.show(records, context: .athlete(RoomViewTests.maya), today: view.today)
            })
        #expect(view.count >= 0)
    }

    @Test("Trips")
    func trips() throws {
        var view = try ItineraryViewTests.view()
        let now = try #require(LocalDateTime("2026-11-21T14:32"))
        Self.run(
            ["enter", "esc", "right", "left", "n", "s", "1", "x", "p", "down", "up", "w", "?"], { view.draw(RoomViewTests.facts(), &$0) }, { _ = view.handle($0) },
            between: { round in
                if round % 3 == 0 { view.show(ConflictViewTests.overlap()) }
                let items = round % 2 == 0 ? [] : ItineraryViewTests.items
                view.show(trips: ItineraryViewTests.trips, items: items, names: RecordNames(items), now: now)
            })
        #expect(view.rows.count <= 3)
    }

    @Test("Refused changes")
    func refused() throws {
        let items = try [ConflictViewTests.conflict(), ConflictViewTests.refused(), ConflictViewTests.overlap(), ConflictViewTests.named()]
        var view = ConflictViewTests.view(items)
        Self.run(
            ["enter", "esc", "down", "up", "y", "t", "b", "e", "n", "w", "s", "tab", "Y", "?"], { view.draw(RoomViewTests.facts(), &$0) }, { _ = view.handle($0) },
            between: { round in view.show(Array(items.prefix(round % 5)), waiting: ["message: hello"]) })
        #expect(view.drafts.count <= 4)
    }

    @Test("Documents")
    func documents() {
        var view = DocumentsViewTests.view()
        Self.run(
            ["enter", "esc", "down", "right", "v", "t", "f", "w", "r", "s", "x", "y", "n", "d", "/", "a", "tab", "c", "G", "?", "pagedown", "backspace"],
            { canvas in
                view.size = canvas.size
                view.draw(RoomViewTests.facts(), &canvas)
            },
            { event in
                for action in view.handle(event) {
                    if case .open(let id) = action { view.showDetail(id, ["Title: something"]) }
                    if case .askDownload(let id) = action { view.askForPlace(id, "~/x.pdf") }
                }
            },
            between: { round in
                let documents = round % 3 == 0 ? [] : DocumentsViewTests.documents
                view.show(documents, names: RecordNames(documents + DocumentsViewTests.others), context: .all)
                if round % 5 == 0 { view.show(made: "https://x.example/s/abc", "For nobody.") }
            })
        #expect(view.found.count <= view.all.count)
    }

    @Test("A form")
    func form() throws {
        var form = try FormViewTests.add(.event)
        Self.run(
            ["tab", "space", "a", "enter", "backspace", "ctrl-up", "esc", "n", "ctrl-s", "w", "down"], { form.draw(RoomViewTests.facts(), &$0) },
            { event in
                for case .save in form.handle(event) { form.beginSaving() }
            },
            between: { round in
                if round % 2 == 0 { form.ask(about: ConflictViewTests.overlap()) } else { form.refuse(Rejection(.notAllowed, "A guest reads only.")) }
            })
        #expect(form.focus <= form.rows.count)
    }
}

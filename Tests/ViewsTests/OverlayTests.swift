import Bytes
import Family
import Terminal
import Testing
@testable import Views
import Words

@Suite("Overlays that cover the screen until the user decides")
struct OverlayTests {
    static func drawn(_ draw: (inout Canvas) -> Void, columns: Int = 80, rows: Int = 24) -> Canvas {
        var canvas = Canvas(Size(columns: columns, rows: rows))
        draw(&canvas)
        return canvas
    }

    /// Clicks the first occurrence of a text.
    static func click(_ text: String, _ canvas: Canvas) throws -> InputEvent {
        let row = try #require((0..<canvas.size.rows).first { canvas.text(row: $0).contains(text) }, "\(text) is not in\n\(canvas.text)")
        let line = canvas.text(row: row)
        let point = Point(TextWidth.of(line[..<(try #require(line.firstRange(of: text)).lowerBound)]), row)
        if case .keys(let keys)? = canvas.target(at: point), let key = keys.first { return .key(key) }
        var mouse = MouseEvent(.press(1), at: point)
        mouse.target = canvas.target(at: point)
        return .mouse(mouse)
    }

    // MARK: Seasons

    static let leo = Identifier(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0777)
    static let seasons = [Season(.all, "Everybody"), Season(.athlete(RoomViewTests.maya), "Maya Rivera"), Season(.athlete(leo), "Leo Rivera")]
    static func menu(_ selected: Int = 1) -> SeasonMenu { SeasonMenu(seasons, selected: seasons[selected].context, theme: .dark) }

    @Test("R004 The user chooses a season by number, or by arrows and Enter; any other key keeps it", arguments: [
        (["3"], SeasonMenu.Outcome.chosen(.athlete(leo))), (["1"], .chosen(.all)), (["enter"], .chosen(.athlete(RoomViewTests.maya))), (["down", "enter"], .chosen(.athlete(leo))),
        (["down", "down", "down", "enter"], .chosen(.athlete(leo))), (["0"], .closed),
        (["up", "k", "enter"], .chosen(.all)), (["4"], .closed), (["esc"], .closed), (["x"], .closed), (["j"], .open),
    ] as [([String], SeasonMenu.Outcome)])
    func seasons(keys: [String], outcome: SeasonMenu.Outcome) {
        var menu = Self.menu()
        var last: SeasonMenu.Outcome?
        for name in keys { for key in Keymap.keys(name) ?? [] { last = menu.handle(.key(key)) } }
        #expect(last == outcome)
    }

    @Test("A click chooses a season; a click outside closes the menu")
    func seasonClicks() throws {
        var menu = Self.menu()
        let canvas = Self.drawn { menu.draw(&$0) }
        #expect(canvas.text.contains("Whose season?") && canvas.text.contains("2 Maya Rivera"))
        let chosen = menu.handle(try Self.click("3 Leo Rivera", canvas))
        let closed = menu.handle(.mouse(MouseEvent(.press(1), at: Point(0, 0))))
        #expect(chosen == .chosen(.athlete(Self.leo)) && closed == .closed)
    }

    // MARK: Switcher

    @Test("A click chooses a destination of the switcher; a click outside closes it")
    func switcher() throws {
        var view = BufferListTests.switcher()
        let canvas = Self.drawn { view.draw(&$0) }
        let row = try #require((0..<24).first { canvas.target(at: Point(40, $0)) != nil })
        var mouse = MouseEvent(.press(1), at: Point(40, row))
        mouse.target = canvas.target(at: Point(40, row))
        guard case .chosen = view.handle(.mouse(mouse)) else {
            Issue.record("nothing is chosen by a click")
            return
        }
        let closed = view.handle(.mouse(MouseEvent(.press(1), at: Point(0, 0))))
        #expect(closed == .closed)
    }

    // MARK: Export

    static let id = Identifier(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0900)

    static func export() -> ExportDialog {
        ExportDialog(
            [.init("Results at Łódź Open!", .metric, [id], fileName: "Łódź Open! / results"), .init("The events as they are listed", .event, [id, id], fileName: "events 2026-11-21")],
            theme: .dark, keymap: ViewCommands.defaultKeymap())
    }

    @discardableResult
    static func type(_ view: inout ExportDialog, _ words: String...) -> ExportDialog.Outcome {
        var last = ExportDialog.Outcome.open
        for word in words {
            if word.count > 1, let keys = Keymap.keys(word) { for key in keys { last = view.handle(.key(key)) } } else { for letter in word { last = view.handle(.key(.character(letter))) } }
        }
        return last
    }

    @Test("R112 The user chooses the records, the file is named after them until renamed, and the dialog shows errors")
    func exportDialog() throws {
        var view = Self.export()
        let text = Self.drawn({ view.draw(&$0) }).text
        for words in ["Export", "▸ Results at Łódź Open!  (1 line)", "The events as they are listed  (2 lines)", "File: ~/łódź-open-results.csv"] { #expect(text.contains(words), "\(words)\n\(text)") }
        #expect(Self.type(&view, "enter") == .write(view.choices[0], path: "~/łódź-open-results.csv"))
        view.refuse("It already exists: choose another name.")
        #expect(Self.drawn({ view.draw(&$0) }).text.contains("It already exists"))
        #expect(Self.type(&view, "down", "enter") == .write(view.choices[1], path: "~/events-2026-11-21.csv"))
        Self.type(&view, "ctrl-u", "/tmp/a")
        #expect(Self.type(&view, "tab") == .completePath("/tmp/a"))
        view.complete("/tmp/ab", ["abc", "abd"])
        #expect(Self.drawn({ view.draw(&$0) }).text.contains("abc  abd"))
        #expect(Self.type(&view, "up", "enter") == .write(view.choices[0], path: "/tmp/ab"), "what was typed stays")
        #expect(Self.type(&view, "ctrl-u", "enter") == .open)
        #expect(Self.drawn({ view.draw(&$0) }).text.contains("Write where the file is to be."))
        #expect(Self.type(&view, "esc") == .closed)
    }

    @Test("R112 The extension decides between CSV and PDF; a key, a click or the name itself changes it")
    func exportFormats() throws {
        var view = Self.export()
        #expect(Self.drawn({ view.draw(&$0) }).text.contains("▸ CSV: every field"))
        Self.type(&view, "shift-tab")
        #expect(view.format == .pdf && Self.drawn({ view.draw(&$0) }).text.contains("▸ PDF: pages to print or send"))
        #expect(Self.type(&view, "down", "enter") == .write(view.choices[1], path: "~/events-2026-11-21.pdf"), "a name that nobody touched keeps the end")
        _ = view.handle(try Self.click("CSV: every field", Self.drawn { view.draw(&$0) }))
        #expect(Self.type(&view, "enter") == .write(view.choices[1], path: "~/events-2026-11-21.csv"))
        _ = view.handle(try Self.click("PDF: pages", Self.drawn { view.draw(&$0) }))
        #expect(Self.type(&view, "enter") == .write(view.choices[1], path: "~/events-2026-11-21.pdf"))
        Self.type(&view, "ctrl-u", "/tmp/a.csv")
        #expect(view.format == .csv)
        Self.type(&view, "ctrl-u", "/tmp/a.PDF")
        #expect(view.format == .pdf)
        #expect(Self.type(&view, "shift-tab", "enter") == .write(view.choices[1], path: "/tmp/a.csv"))
        Self.type(&view, "ctrl-u", "/tmp/b", "shift-tab")
        #expect(Self.type(&view, "enter") == .write(view.choices[1], path: "/tmp/b.pdf"), "no end is CSV, and another is put to it")
    }

    @Test("A click chooses the records to export")
    func exportClicks() throws {
        var view = Self.export()
        let canvas = Self.drawn { view.draw(&$0) }
        let chosen = view.handle(try Self.click("The events as they are", canvas))
        #expect(chosen == .open && view.selected == 1)
        let second = Self.drawn { view.draw(&$0) }
        let written = view.handle(try Self.click("Enter save", second))
        #expect(written == .write(view.choices[1], path: "~/events-2026-11-21.csv"))
        for columns in stride(from: 1, through: 100, by: 9) {
            for rows in stride(from: 1, through: 30, by: 4) {
                let small = Self.drawn({ canvas in view.draw(&canvas) }, columns: columns, rows: rows)
                for line in small.text.split(separator: "\n") { #expect(TextWidth.of(line) <= columns) }
                _ = Self.drawn({ canvas in Self.menu().draw(&canvas) }, columns: columns, rows: rows)
            }
        }
    }
}

import Bytes
import Family
import Terminal
import Testing
import Views
import Words

@Suite("The list of what was deleted")
struct DeletedMenuTests {
    static func menu(_ count: UInt64) -> DeletedMenu {
        DeletedMenu(
            (0..<count).map { .init(RecordReference(.event, Identifier(high: 1, low: $0)), "Camp \($0)", "event · 08:02 · Dana") }, theme: .dark)
    }

    static func drawn(_ menu: DeletedMenu, columns: Int = 60, rows: Int = 12) -> Canvas {
        var canvas = Canvas(Size(columns: columns, rows: rows))
        menu.draw(&canvas)
        return canvas
    }

    @Test("Enter brings the selected record back; the selection stays on the screen")
    func restores() {
        var menu = Self.menu(40)
        #expect(Self.drawn(menu).text.contains("Camp 0") && Self.drawn(menu).text.contains("event · 08:02 · Dana"))
        for key in [Key(.down), .character("j"), Key(.pageDown)] { #expect(menu.handle(.key(key)) == .open) }
        #expect(Self.drawn(menu).text.contains("Camp 12"))
        #expect(menu.handle(.key(Key(.enter))) == .restore(RecordReference(.event, Identifier(high: 1, low: 12))))
        _ = menu.handle(.key(Key(.end)))
        #expect(menu.handle(.key(Key(.enter))) == .restore(RecordReference(.event, Identifier(high: 1, low: 39))))
        #expect(menu.handle(.key(Key(.escape))) == .closed)
    }

    @Test("The first click selects, and the second brings back")
    func clicks() throws {
        var menu = Self.menu(3)
        let click = try OverlayTests.click("Camp 1", Self.drawn(menu))
        #expect(menu.handle(click) == .open)
        #expect(menu.handle(click) == .restore(RecordReference(.event, Identifier(high: 1, low: 1))))
    }

    @Test("Without anything deleted it says so, and Enter closes it; no size breaks it")
    func empty() {
        var menu = Self.menu(0)
        #expect(Self.drawn(menu).text.contains("Nothing was deleted in the last 30 days."))
        #expect(menu.handle(.key(Key(.enter))) == .closed)
        for columns in stride(from: 1, through: 90, by: 11) {
            for rows in 1...12 { _ = Self.drawn(Self.menu(UInt64(rows)), columns: columns, rows: rows) }
        }
    }
}

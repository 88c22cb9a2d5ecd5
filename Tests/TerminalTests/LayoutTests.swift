import Dates
import Terminal
import TestSupport
import Testing

@Suite("Scrollback")
struct ScrollbackTests {
    /// Items 0, 1, 2 … with these heights; ids are "i0", "i1" … from `first` on.
    static func items(_ heights: [Int], first: Int = 0, selectable: @escaping (Int) -> Bool = { _ in true }) -> Scrollback<String>.Items {
        .init(
            count: heights.count, id: { "i\($0 + first)" }, height: { heights[$0] },
            place: { name in Int(name.dropFirst()).map { $0 - first }.flatMap { heights.indices.contains($0) ? $0 : nil } }, isSelectable: selectable)
    }

    /// "2@-1 3@1": item 2 begins a row above the top, item 3 in row 1.
    static func shown(_ view: Scrollback<String>, _ items: Scrollback<String>.Items, rows: Int) -> String {
        view.layout(items, rows: rows).map { "\($0.index)@\($0.row)" }.joined(separator: " ")
    }

    @Test("The newest item is at the bottom; few items leave room above", arguments: [
        ([1, 2, 1], 10, "0@6 1@7 2@9"), ([1, 2, 1], 3, "1@0 2@2"), ([1, 2, 1], 2, "1@-1 2@1"), ([5], 3, "0@-2"), ([], 3, ""), ([1, 0, 1], 2, "0@0 2@1"), ([1], 0, ""),
    ] as [([Int], Int, String)])
    func bottom(heights: [Int], rows: Int, shown: String) {
        #expect(Self.shown(Scrollback(), Self.items(heights), rows: rows) == shown)
    }

    @Test("Scrolling stops at both ends, and reports when the oldest item is at the top")
    func scrolling() {
        let items = Self.items([2, 2, 2, 2])
        var view = Scrollback<String>()
        let isTop = view.scroll(by: -1, items, rows: 3)
        #expect(!isTop)
        #expect(Self.shown(view, items, rows: 3) == "1@-1 2@1" || Self.shown(view, items, rows: 3) == "2@0 3@2")
        #expect(!view.isAtBottom)
        // The visible half of an item is not all of it.
        #expect(view.hiddenBelow(items, rows: 3) == 1)
        let reached = view.scroll(by: -100, items, rows: 3)
        #expect(reached)
        #expect(Self.shown(view, items, rows: 3) == "0@0 1@2")
        #expect(view.hiddenBelow(items, rows: 3) == 3)
        view.scroll(by: 2, items, rows: 3)
        #expect(Self.shown(view, items, rows: 3) == "1@0 2@2")
        view.scroll(by: 100, items, rows: 3)
        #expect(view.isAtBottom)
        #expect(view.hiddenBelow(items, rows: 3) == 0)
        #expect(Self.shown(view, items, rows: 3) == "2@-1 3@1")
        view.toTop(items)
        #expect(Self.shown(view, items, rows: 3) == "0@0 1@2")
        view.toBottom()
        #expect(view.isAtBottom)
        let short = view.scroll(by: -5, Self.items([1, 1]), rows: 3)
        #expect(short)
        #expect(view.isAtBottom)
    }

    @Test("The visible items stay in place when newer and older ones arrive, and when the width changes")
    func anchored() {
        var view = Scrollback<String>()
        view.scroll(by: -3, Self.items([1, 1, 1, 1, 1, 1]), rows: 3)
        #expect(Self.shown(view, Self.items([1, 1, 1, 1, 1, 1]), rows: 3) == "0@0 1@1 2@2")
        #expect(Self.shown(view, Self.items([1, 1, 1, 1, 1, 1, 1, 1]), rows: 3) == "0@0 1@1 2@2")
        // Two older ones were fetched: i0 is at index 2 now.
        #expect(Self.shown(view, Self.items([1, 1, 1, 1, 1, 1, 1, 1], first: -2), rows: 3) == "2@0 3@1 4@2")
        #expect(Self.shown(view, Self.items([2, 2, 2, 2, 2, 2]), rows: 3) == "0@0 1@2")
        // The anchor item is gone.
        #expect(Self.shown(view, Self.items([1, 1], first: 10), rows: 3) == "0@1 1@2")
    }

    @Test("At the bottom new items push the others up")
    func following() {
        let view = Scrollback<String>()
        #expect(Self.shown(view, Self.items([1, 1, 1]), rows: 2) == "1@0 2@1")
        #expect(Self.shown(view, Self.items([1, 1, 1, 1]), rows: 2) == "2@0 3@1")
    }

    @Test("Selecting skips lines between days, shows the selected item, and ends after the newest")
    func selecting() {
        let items = Self.items([1, 1, 1, 2, 1], selectable: { $0 != 2 })
        var view = Scrollback<String>()
        var seen: [String?] = []
        for step in [-1, -1, -1, -1, 1, 1] {
            view.select(step, items, rows: 3)
            seen.append(view.selected)
            if let selected = view.selected, let index = items.place(selected) {
                let placed = view.layout(items, rows: 3).first { $0.index == index }
                #expect(placed.map { $0.row >= 0 && $0.row + $0.height <= 3 } == true, "\(selected)")
            }
        }
        #expect(seen == ["i4", "i3", "i1", "i0", "i1", "i3"])
        let more = view.select(1, items, rows: 3)
        #expect(more)
        let beyond = view.select(1, items, rows: 3)
        #expect(!beyond)
        #expect(view.selected == nil)
        view.show("i1", rows: 3)
        #expect(Self.shown(view, items, rows: 3) == "0@0 1@1 2@2")
    }

    @Test("Only visible items are measured")
    func lazily() {
        var measured = 0
        let items = Scrollback<Int>.Items(
            count: 100_000, id: { $0 }, height: { _ in measured += 1; return 1 }, place: { $0 })
        var view = Scrollback<Int>()
        #expect(view.layout(items, rows: 24).count == 24)
        view.scroll(by: -12, items, rows: 24)
        #expect(view.layout(items, rows: 24).first?.index == 100_000 - 36)
        #expect(measured < 300)
    }

    @Test("After any scrolling, rows are covered without gap or overlap; seeded")
    func property() {
        var generator = SplitMix64(seed: 13)
        for _ in 0..<200 {
            let heights = (0..<Int.random(in: 1...12, using: &generator)).map { _ in Int.random(in: 0...4, using: &generator) }
            let items = Self.items(heights)
            let rows = Int.random(in: 1...8, using: &generator)
            var view = Scrollback<String>()
            for _ in 0..<12 {
                if Bool.random(using: &generator) {
                    view.scroll(by: .random(in: -9...9, using: &generator), items, rows: rows)
                } else {
                    view.select(Bool.random(using: &generator) ? 1 : -1, items, rows: rows)
                }
                let placed = view.layout(items, rows: rows)
                for (above, below) in zip(placed, placed.dropFirst()) { #expect(above.row + above.height == below.row, "seed 13") }
                let total = heights.reduce(0, +)
                if total >= rows, let first = placed.first, let last = placed.last {
                    #expect(first.row <= 0 && last.row + last.height >= rows, "seed 13: \(heights) in \(rows)")
                } else if let last = placed.last {
                    #expect(last.row + last.height == rows, "seed 13")
                }
            }
        }
    }
}

@Suite("Month grid, R028 to R032")
struct MonthGridTests {
    static func date(_ text: String) -> CalendarDate { CalendarDate(text) ?? .first }

    @Test("The grid has 42 days from the Sunday on or before the first, or from another weekday", arguments: [
        ("2026-11-21", .sunday, "2026-11-01"), ("2026-11-21", .monday, "2026-10-26"), ("2026-11-01", .saturday, "2026-10-31"), ("2024-02-29", .sunday, "2024-01-28"),
        ("2026-02-10", .sunday, "2026-02-01"), ("2027-01-01", .sunday, "2026-12-27"),
    ] as [(String, Weekday, String)])
    func days(date: String, weekday: Weekday, first: String) {
        let grid = MonthGrid<Int>(month: Self.date(date), today: Self.date(date), firstWeekday: weekday)
        #expect(grid.days.count == 42)
        #expect(grid.days[0].date == Self.date(first))
        #expect(grid.days.allSatisfy { $0.isInMonth == ($0.date.month == Self.date(date).month) })
        #expect(grid.days.filter(\.isToday).map(\.date) == [Self.date(date)])
        #expect(grid.days.filter(\.isInMonth).count == Self.date(date).daysInMonth)
    }

    static let spans = [
        MonthGrid<Int>.Span(1, date("2026-11-03")), .init(2, date("2026-11-03"), date("2026-11-01")), .init(3, date("2026-11-06"), date("2026-11-10")),
        .init(4, date("2026-11-07"), date("2026-11-08")), .init(5, date("2026-10-20"), date("2026-11-02")), .init(6, date("2027-05-01")),
    ]

    @Test("Days list their spans, and spans of several days are bars that do not touch")
    func spans() {
        let grid = MonthGrid(month: Self.date("2026-11-21"), today: Self.date("2026-11-05"), spans: Self.spans)
        #expect(grid.days[2].ids == [1, 2])
        #expect(grid.days[0].ids == [5])
        #expect(grid.days[6].ids == [3, 4])
        #expect(grid.bars[0].map(\.id) == [3, 4, 5])
        #expect(grid.bars[0].map(\.lane) == [0, 1, 0])
        #expect(grid.bars[0].map(\.days) == [5...6, 6...6, 0...1])
        #expect(grid.bars[1].map(\.days) == [0...2, 0...0])
        #expect(grid.bars[0][2].beginsEarlier && !grid.bars[0][2].endsLater && grid.bars[0][0].endsLater && grid.bars[1][0].beginsEarlier)
    }

    static func drawn(columns: Int, rows: Int) -> String {
        var canvas = Canvas(Size(columns: columns, rows: rows))
        let grid = MonthGrid(month: date("2026-11-21"), today: date("2026-11-05"), spans: spans)
        grid.draw(&canvas, in: canvas.bounds, .init(theme: .dark, selected: date("2026-11-03")) { _ in Style(.indexed(2)) })
        return canvas.text
    }

    @Test("The grid draws in its smallest form")
    func compact() {
        #expect(Self.drawn(columns: 28, rows: 7) == """
             Su  Mo  Tu  We  Th  Fr  Sa
              1•─ 2•  3+  4   5   6•─ 7+
              8+─ 9•─10• 11  12  13  14
             15  16  17  18  19  20  21
             22  23  24  25  26  27  28
             29  30   1   2   3   4   5
              6   7   8   9  10  11  12
            """)
    }

    @Test("The grid draws with room for bars")
    func large() {
        let text = Self.drawn(columns: 42, rows: 13)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 13)
        #expect(lines[1].hasPrefix("  1•    2•    3+"))
        #expect(lines[2].hasPrefix("━━━━━━━━━"))
    }

    @Test("The grid marks today and the selected day, and dims days of other months")
    func marks() {
        var canvas = Canvas(Size(columns: 28, rows: 7))
        let grid = MonthGrid(month: Self.date("2026-11-21"), today: Self.date("2026-11-05"), spans: Self.spans)
        grid.draw(&canvas, in: canvas.bounds, .init(theme: .dark, selected: Self.date("2026-11-03")) { _ in .plain })
        #expect(canvas[18, 1].style == Theme.dark[.today])
        #expect(canvas[10, 1].style.attributes.contains(.underline))
        #expect(canvas[10, 5].style == Theme.dark[.outside])
    }

    @Test("The grid marks the day of the cursor, also without colours, and each day takes clicks")
    func cursor() throws {
        let date = try #require(CalendarDate("2026-11-14"))
        let grid = MonthGrid<Int>(month: date, today: date, spans: [])
        var canvas = Canvas(Size(columns: 30, rows: 8))
        grid.draw(&canvas, in: canvas.bounds, .init(theme: .mono, cursor: CalendarDate("2026-11-24")) { _ in .plain })
        #expect(canvas.text(row: 4).contains("▸24"), "\(canvas.text)")
        let place = try #require(canvas.text(row: 4).firstRange(of: "24").map { canvas.text(row: 4).distance(from: canvas.text(row: 4).startIndex, to: $0.lowerBound) })
        #expect(canvas.target(at: Point(place, 4)) == .place("day", CalendarDate("2026-11-24")?.days ?? 0))
        #expect(canvas.targets.count == 42)
    }

    @Test("Paging stops two years from today and crosses years", arguments: [
        ("2026-11-21", 1, "2026-12-01"), ("2026-12-31", 1, "2027-01-01"), ("2026-01-31", -1, "2025-12-01"), ("2028-11-01", 1, nil), ("2024-11-30", -1, nil),
        ("2028-10-15", 1, "2028-11-01"), ("2026-11-21", .max, nil),
    ] as [(String, Int, String?)])
    func paging(from: String, by: Int, to: String?) {
        #expect(MonthGrid<Int>.month(Self.date(from), movedBy: by, today: Self.date("2026-11-21")) == to.map(Self.date))
    }

    @Test("Weeks begin on the locale's first day", arguments: [
        ("en_US.UTF-8", .sunday), ("de_DE", .monday), ("pl_PL.UTF-8", .monday), ("ar_EG", .saturday), ("es-MX", .sunday), ("dv_MV", .friday), ("C", .sunday), (nil, .sunday), ("C.UTF-8", .sunday),
    ] as [(String?, Weekday)])
    func locale(locale: String?, weekday: Weekday) {
        #expect(Weekday.first(locale: locale) == weekday)
    }

    @Test("At the ends of the calendar fewer days are shown, and nothing fails")
    func ends() {
        #expect(MonthGrid<Int>(month: .last, today: .last).days.last?.date == .last)
        #expect(MonthGrid<Int>(month: .first, today: .first).days.contains { $0.date == .first })
    }
}

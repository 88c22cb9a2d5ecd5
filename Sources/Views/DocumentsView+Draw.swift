internal import Bytes
internal import Client
internal import Family
internal import Queries
package import Terminal

extension DocumentsView {
    private static var cardRows: Int { 6 }
    /// Rows that transfers take at most: a third of the screen stays for them.
    private var transferRows: Int { max(size.rows / 3, 2) }

    /// Draws the whole screen.
    package func draw(_ facts: StatusFacts, _ canvas: inout Canvas) {
        let (title, rest) = canvas.bounds.splitTop(1)
        TitleLine.draw(facts, &canvas, title, theme)
        let (body, status) = rest.splitBottom(1)
        StatusLine.draw(facts, below: 0, chord: Keymap.names(chord.pressed), &canvas, status, theme)
        let (upper, foot) = body.splitBottom(1)
        let (head, main) = upper.splitTop(min(3, upper.rows))
        drawHead(&canvas, head)
        let lines = transferLines(main.columns)
        let shown = min(lines.count, transferRows, max(main.rows - 2, 0))
        let (list, transfers) = main.splitBottom(shown)
        for (row, line) in lines.prefix(shown).enumerated() { canvas.draw(line, at: 1, transfers.row + row) }
        if opened != nil {
            drawDetail(&canvas, list)
        } else if found.isEmpty {
            drawEmpty(facts, &canvas, list)
        } else if isGrid {
            drawGrid(&canvas, list)
        } else {
            drawList(&canvas, list)
        }
        drawHints(&canvas, foot)
        drawOverlays(&canvas)
    }

    // MARK: Head

    private func drawHead(_ canvas: inout Canvas, _ rect: Rect) {
        guard rect.rows == 3 else { return }
        var column = canvas.draw("Documents", at: 1, rect.row, theme[.title])
        column = canvas.draw("  \(found.count) of \(all.count) total", at: column, rect.row, theme[.muted])
        let add = "n + Upload Document"
        if canvas.size.columns - column > add.count + 3 { canvas.draw(add, at: canvas.size.columns - add.count - 1, rect.row, theme[.accent].with(.bold)) }
        column = 1
        for (text, role) in figureWords {
            guard column + TextWidth.of(text) < rect.endColumn else { break }
            column = canvas.draw(text, at: column, rect.row + 1, theme[role]) + 2
        }
        column = canvas.draw(sortWords, at: 1, rect.row + 2, theme[.muted])
        let count = filterWords.count
        if count > 0 { column = canvas.draw("  Filters: \(count)", at: column, rect.row + 2, theme[.accent]) }
        for word in filterWords { column = canvas.draw(" \(word) ", at: column + 1, rect.row + 2, theme[.accent].with(.reverse)) }
        guard isSearching || !search.text.isEmpty else { return }
        let area = Rect(column + 2, rect.row + 2, columns: max(rect.endColumn - column - 2, 0), rows: 1)
        guard area.columns > 10 else { return }
        let cursor = canvas.cursor
        search.draw(&canvas, area, theme)
        if !isSearching { canvas.cursor = cursor }
    }

    /// The figures with their colours (R123): the server's, or those of what is here.
    var figureWords: [(String, Terminal.Role)] {
        var counts: [String: Int] = [:]
        for record in all { counts[record.fields.text("type") ?? "", default: 0] += 1 }
        let words = CommandTable.documentTypes
        let most = words.max { (counts[$0] ?? 0, -(words.firstIndex(of: $0) ?? 0)) < (counts[$1] ?? 0, -(words.firstIndex(of: $1) ?? 0)) }
        let common = figures.map(\.mostCommonType) ?? (all.isEmpty ? nil : most)
        let octets = records.values.reduce(Int64(0)) { sum, record in
            if case .integer(let octets)? = record.fields["octets"] { sum &+ octets } else { sum }
        }
        var stored = ByteCount.text(figures?.octets ?? octets) + " stored"
        if let used = figures?.storageUsed, let quota = figures?.storageQuota { stored += " (family: \(ByteCount.text(used)) of \(ByteCount.text(quota)))" }
        return [
            ("\(figures?.total ?? all.count) total", .registered), ("\(figures?.shared ?? all.count { !$0.fields.set("shared_with_schools").isEmpty }) shared", .attended),
            ("Most: \(common.map { Self.label(ofType: $0) } ?? "none")", .showcase), (stored, .warning),
        ]
    }

    private var sortWords: String {
        switch filter.sort {
        case .oldest: "Oldest"
        case .name: "Name"
        case .type: "Type"
        case .mostShared: "Most Shared"
        default: "Newest"
        }
    }

    // MARK: Transfers

    /// A row for each upload and download (R138–R140), one's own and those of others; what is over comes last.
    private func transferLines(_ columns: Int) -> [StyledText] {
        let own = transfers.filter { !$0.state.isOver } + transfers.filter(\.state.isOver).suffix(3).reversed()
        var lines = own.map { row -> StyledText in
            var style = theme[.text]
            switch row.state {
            case .queued: style = theme[.pending]
            case .running: style = theme[.accent]
            case .waiting: style = theme[.warning]
            case .done: style = theme[.success]
            case .failed: style = theme[.failure]
            }
            let name = TextWidth.cut((row.isUpload ? "↑ " : "↓ ") + row.title, to: max(columns / 3, 8))
            let room = max(columns - TextWidth.of(name) - 4, 4)
            return StyledText(name + "  ", theme[.title]) + StyledText(TextWidth.cut(row.words(columns: room), to: room), style)
        }
        lines += others.map { other in
            let bar = other.percent.map { percent in
                let full = percent / 10
                return "  [\(String(repeating: "#", count: full))\(String(repeating: "-", count: 10 - full))]"
            }
            let room = max(columns - 2 - (bar?.count ?? 0), 4)
            return StyledText(TextWidth.cut(other.words, to: room), theme[.notice]) + StyledText(bar ?? "", theme[.accent])
        }
        return lines
    }

    // MARK: Grid and list

    private func school(_ record: Record) -> String {
        (record.fields.text("school_name")?.printable).flatMap { $0.isEmpty ? nil : $0 } ?? record.fields.reference("school_id").flatMap { names[$0] } ?? "General"
    }

    private func date(_ record: Record) -> String { record.createdAt > 0 ? EventText.date(day(record.createdAt)) : "Unknown" }

    private func drawEmpty(_ facts: StatusFacts, _ canvas: inout Canvas, _ rect: Rect) {
        let lines: [String]
        if all.isEmpty {
            switch facts.connection {
            case .arriving: lines = ["Loading …"]
            case .offline where records.isEmpty && figures == nil: lines = ["Unable to load documents. Check your connection.", "It is tried again by itself."]
            default: lines = ["📁", "No documents yet", "Upload videos, transcripts, and other documents to share with coaches", "n  + Upload Document"]
            }
        } else {
            lines = ["No documents match your filters", "Try adjusting your search criteria", "c  Clear filters"]
        }
        PaneParts.empty(lines, &canvas, rect, theme)
    }

    private func drawGrid(_ canvas: inout Canvas, _ rect: Rect) {
        let across = columns
        let wide = max(rect.columns / across, 10)
        let selectedRow = (selectedIndex ?? 0) / across
        let rows = (found.count + across - 1) / across
        let shown = max(rect.rows / Self.cardRows, 1)
        let first = PaneParts.first(selected: selectedRow, count: rows, shown: shown)
        canvas.clipped(to: rect) { canvas in
            for (place, record) in found.dropFirst(first * across).prefix(shown * across).enumerated() {
                let area = Rect(rect.column + place % across * wide, rect.row + place / across * Self.cardRows, columns: wide, rows: Self.cardRows)
                drawCard(record, &canvas, area)
            }
        }
    }

    private func drawCard(_ record: Record, _ canvas: inout Canvas, _ rect: Rect) {
        let isSelected = record.id == selected
        let type = record.fields.text("type") ?? ""
        canvas.box(rect, theme[isSelected ? .accent : .frame], title: "\(DocumentWords.glyph(type)) \(Self.label(ofType: type))", titleStyle: theme[isSelected ? .accent : .muted])
        let inner = rect.inset(2, 1)
        canvas.clipped(to: inner) { canvas in
            // R130: two lines of a title.
            let title = StyledText(RecordNames.name(record), theme[.title]).wrapped(columns: inner.columns)
            for (row, line) in title.prefix(2).enumerated() {
                canvas.draw(row == 1 && title.count > 2 ? StyledText(TextWidth.cut(line.text + " …", to: inner.columns), theme[.title]) : line, at: inner.column, inner.row + row)
            }
            canvas.draw(TextWidth.cut(school(record), to: inner.columns), at: inner.column, inner.row + 2, theme[.muted])
            let column = canvas.draw("\(DocumentWords.version(record)) · \(date(record))", at: inner.column, inner.row + 3, theme[.muted])
            let shared = DocumentWords.shared(record)
            canvas.draw(shared, at: max(inner.endColumn - shared.count, column + 1), inner.row + 3, theme[.success])
        }
    }

    private func drawList(_ canvas: inout Canvas, _ rect: Rect) {
        let shown = max(rect.rows / 2, 1)
        let first = PaneParts.first(selected: selectedIndex ?? 0, count: found.count, shown: shown)
        canvas.clipped(to: rect) { canvas in
            for (place, record) in found.dropFirst(first).prefix(shown).enumerated() {
                let row = rect.row + place * 2
                let type = record.fields.text("type") ?? ""
                let right = Self.label(ofType: type)
                let left = max(rect.columns - TextWidth.of(right) - 7, 4)
                canvas.draw(record.id == selected ? "▸" : " ", at: rect.column, row, theme[.accent])
                canvas.draw(TextWidth.cut("\(DocumentWords.glyph(type)) \(RecordNames.name(record))", to: left), at: rect.column + 2, row, theme[.title])
                canvas.draw(right, at: rect.endColumn - 1 - TextWidth.of(right), row, theme[.accent])
                var parts = [school(record), DocumentWords.version(record), date(record)]
                if context == .all, let athlete = record.athlete.flatMap({ names[$0] }) { parts.append(athlete) }
                let column = canvas.draw(TextWidth.cut(parts.joined(separator: " · "), to: left), at: rect.column + 5, row + 1, theme[.muted])
                let shared = DocumentWords.shared(record)
                canvas.draw(shared, at: max(rect.endColumn - 1 - shared.count, column + 1), row + 1, theme[.success])
                if record.id == selected { canvas.restyle(Rect(rect.column, row, columns: rect.columns, rows: 2)) { theme[.selection].over($0) } }
            }
        }
    }

    // MARK: One document

    private func drawDetail(_ canvas: inout Canvas, _ rect: Rect) {
        guard let opened else { return }
        var lines: [(text: StyledText, place: Place?)] = []
        lines.append((StyledText("Versions", theme[.title]), nil))
        for record in versions(of: opened) {
            var octets = ""
            if case .integer(let count)? = record.fields["octets"] { octets = " · " + ByteCount.text(count) }
            let by = record.fields.reference("uploaded_by").flatMap { names[$0] } ?? names[record.createdBy] ?? "somebody"
            var text = StyledText("  \(DocumentWords.version(record))  ", theme[.accent])
            text.append((record.fields.text("file_name") ?? "").printable, theme[.text])
            text.append("\(octets) · \(date(record)) · \(by)\(record.fields.flag("is_current") ? " · current" : "")", theme[.muted])
            lines.append((text, .version(record.id)))
        }
        lines.append((StyledText("Links", theme[.title]), nil))
        switch links {
        case nil: lines.append((StyledText("  Loading …", theme[.muted]), nil))
        case let links? where links.isEmpty: lines.append((StyledText("  None. s makes one for a school.", theme[.muted]), nil))
        case let links?:
            for link in links {
                let state = link.endedAt.map { "ended \(EventText.date(day($0)))" } ?? (link.isOpen(at: now) ? "until \(EventText.date(day(link.expiresAt)))" : "over since \(EventText.date(day(link.expiresAt)))")
                var text = StyledText("  " + school(of: link) + "  ", theme[link.isOpen(at: now) ? .success : .muted])
                text.append("\(state) · opened \(Self.times(link.views)), fetched \(Self.times(link.downloads))", theme[.muted])
                lines.append((text, .link(link.id)))
            }
        }
        lines.append((StyledText(), nil))
        lines += detail.flatMap { StyledText($0).wrapped(columns: max(rect.columns - 4, 4), indent: 4) }.map { ($0, nil) }
        let stand = places.indices.contains(place) ? places[place] : nil
        let at = lines.firstIndex { $0.place != nil && $0.place == stand } ?? 0
        let shown = rect.rows - 2
        let first = min(max(at - shown + 2, 0) + detailOffset, max(lines.count - shown, 0))
        canvas.box(rect, theme[.accent], title: records[opened].map { RecordNames.name($0) } ?? "", titleStyle: theme[.title])
        let inner = rect.inset(2, 1)
        canvas.clipped(to: inner) { canvas in
            for (row, line) in lines.dropFirst(first).prefix(max(shown, 0)).enumerated() {
                canvas.draw(line.text, at: inner.column, inner.row + row)
                guard line.place != nil, line.place == stand else { continue }
                canvas.draw("▸", at: inner.column, inner.row + row, theme[.accent])
                canvas.restyle(Rect(inner.column, inner.row + row, columns: inner.columns, rows: 1)) { theme[.selection].over($0) }
            }
        }
    }

    private static func times(_ count: Int64) -> String { count == 1 ? "once" : "\(count) times" }

    // MARK: What lies over it

    private func drawHints(_ canvas: inout Canvas, _ foot: Rect) {
        if opened == nil {
            PaneParts.hints(
                [("Enter", "open"), ("n", "upload"), ("d", "fetch"), ("s", "share"), ("/", "search"), ("t", "types"), ("f", "school"), ("v", isGrid ? "list" : "grid"), ("Esc", "back")],
                &canvas, foot, theme)
        } else {
            PaneParts.hints([("d", "fetch"), ("s", "share"), ("N", "next version"), ("e", "change"), ("x", "delete, end a link"), ("Esc", "back")], &canvas, foot, theme)
        }
    }

    private func drawOverlays(_ canvas: inout Canvas) {
        form?.draw(&canvas, theme)
        if let menu { draw(menu, &canvas) }
        switch question {
        case nil: break
        case .delete(_, let title):
            ask(["Are you sure you want to delete this document?", title, "Its links end. It can be undone for 30 days.", "y delete   any other key keeps it"], &canvas)
        case .revoke(_, _, let who): ask(["End the link of \(who)?", "Whoever has it cannot open the document any more.", "y end it   any other key keeps it"], &canvas)
        case .stop(_, let title): ask(["Stop this?", title, "An upload of the same file goes on where it stopped.", "y stop   any other key goes on"], &canvas)
        case .download(let id):
            let rest = PaneParts.dialog(
                [StyledText(records[id].map { RecordNames.name($0) } ?? "", theme[.title]), StyledText("Enter fetches it, Esc does not.", theme[.muted])], &canvas, theme, title: "Fetch", rows: 1)
            input?.draw(&canvas, rest, theme)
        }
        if let made = madeLink {
            PaneParts.dialog(
                [StyledText(made.url, theme[.accent]), StyledText(made.words), StyledText("It is shown only now.   y copies it   any other key closes", theme[.muted])], &canvas, theme,
                title: "The link")
        }
        if isHelpOpen { KeyHelp.draw(KeyHelp.lines(keymap, "documents", DocumentsCommand.helpLines), &canvas, theme) }
    }

    private func ask(_ lines: [String], _ canvas: inout Canvas) {
        PaneParts.dialog(lines.map { StyledText($0) }, &canvas, theme, style: .failure)
    }

    private func draw(_ menu: Menu, _ canvas: inout Canvas) {
        let rows = min(menu.entries.count, max(canvas.size.rows - 6, 1))
        let rest = PaneParts.dialog(
            [StyledText(menu.purpose == .types ? "A digit or blank turns one on or off, Enter closes" : "Enter chooses, Esc closes", theme[.muted])], &canvas, theme, title: menu.title, rows: rows)
        let first = PaneParts.first(selected: menu.selected, count: menu.entries.count, shown: rows)
        canvas.clipped(to: rest) { canvas in
            for (row, entry) in menu.entries.dropFirst(first).prefix(rows).enumerated() {
                let index = first + row
                let mark = menu.purpose == .types ? (menu.checked.contains(index) ? "[x] " : "[ ] ") : ""
                canvas.draw("\(index < 9 ? "\(index + 1)" : " ") \(mark)\(entry)", at: rest.column, rest.row + row, columns: rest.columns, index == menu.selected ? theme[.selection] : theme[.text])
            }
        }
    }
}

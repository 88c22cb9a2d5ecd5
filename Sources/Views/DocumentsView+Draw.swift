internal import Bytes
internal import Commands
internal import Documents
internal import Family
internal import Queries
package import Terminal

extension DocumentsView {
    /// The largest number of rows for transfers: a third of the screen.
    private var transferRows: Int { max(size.rows / 3, 2) }

    /// Draws the whole screen.
    package func draw(_ facts: StatusFacts, _ canvas: inout Canvas) {
        let (title, rest) = canvas.bounds.splitTop(1)
        TitleLine.draw(facts, &canvas, title, theme)
        let (body, status) = rest.splitBottom(1)
        let (upper, foot) = body.splitBottom(1)
        let (head, main) = upper.splitTop(min(3, upper.rows))
        drawHead(&canvas, head)
        let lines = transferLines(main.columns)
        let shown = min(lines.count, transferRows, max(main.rows - 2, 0))
        let (list, transfers) = main.splitBottom(shown)
        let below = opened == nil ? found.count - shownPlaces(list).upperBound : 0
        for (row, line) in lines.prefix(shown).enumerated() { canvas.draw(line, at: 1, transfers.row + row) }
        StatusLine.draw(facts, below: below, chord: Keymap.names(chord.pressed), &canvas, status, theme)
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
        let start = canvas.size.columns - add.count - 1
        if start > column + 2, mayWrite {
            canvas.draw(add, at: start, rect.row, theme[.accent].with(.bold))
            canvas.target(Rect(start, rect.row, columns: add.count, rows: 1), .keys([.character("n")]))
        }
        column = 1
        for (text, role) in figureWords {
            // All four figures are shown before any figure gets its details.
            let text = column + TextWidth.of(text) < rect.endColumn ? text : String(text.split(separator: " (")[0])
            guard column + TextWidth.of(text) < rect.endColumn else { break }
            column = canvas.draw(text, at: column, rect.row + 1, theme[role]) + 2
        }
        column = canvas.draw(sortWords, at: 1, rect.row + 2, theme[.muted])
        let count = filterWords.count
        if count > 0 { column = canvas.draw("  Filters: \(count)", at: column, rect.row + 2, theme[.accent]) }
        for (place, word) in filterWords.enumerated() {
            let start = column + 1
            column = canvas.draw(" \(word) ✕ ", at: start, rect.row + 2, theme[.accent].with(.reverse))
            canvas.target(Rect(start, rect.row + 2, columns: column - start, rows: 1), .place(Self.filterTarget, place))
        }
        guard isSearching || !search.text.isEmpty else { return }
        let area = Rect(column + 2, rect.row + 2, columns: max(rect.endColumn - column - 2, 0), rows: 1)
        guard area.columns > 10 else { return }
        let cursor = canvas.cursor
        search.draw(&canvas, area, theme)
        if !isSearching { canvas.cursor = cursor }
    }

    /// The figures with their colours (R123): the server's figures, or figures counted from the local documents.
    var figureWords: [(String, StyleRole)] {
        let shown = figures ?? here
        var stored = ByteCount.text(shown.octets) + " stored"
        if let used = shown.storageUsed, let quota = shown.storageQuota { stored += " (family: \(ByteCount.text(used)) of \(ByteCount.text(quota)))" }
        return [
            ("\(shown.total) total", .registered), ("\(shown.shared) shared", .attended), ("Most: \(shown.mostCommonType.map { Self.label(ofType: $0) } ?? "none")", .showcase),
            (stored, .warning),
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

    /// A row for each upload and download (R138–R140), the user's own and those of others; finished transfers come
    /// last.
    private func transferLines(_ columns: Int) -> [StyledText] {
        let own = transfers.filter { !$0.state.isOver } + transfers.filter(\.state.isOver).suffix(3).reversed()
        var lines = own.flatMap { row -> [StyledText] in
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
            // A bar always fits; a sentence that says what to do is never cut.
            return (StyledText(name + "  ", theme[.title]) + StyledText(row.words(columns: room), style)).wrapped(columns: max(columns - 2, 4), indent: 4)
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

    private func drawEmpty(_ facts: StatusFacts, _ canvas: inout Canvas, _ rect: Rect) {
        if all.isEmpty, PaneParts.loading(facts, "documents", &canvas, rect, theme, bones: bones) { return }
        let lines: [String]
        if all.isEmpty {
            switch facts.connection {
            case .offline(let reason) where figures == nil: lines = ["Unable to load documents. Check your connection.", reason, "R  Try again now; it is tried by itself as well"]
            default:
                lines = mayWrite
                    ? ["📁", "No documents yet", "Upload videos, transcripts, and other documents to share with coaches", "n  + Upload Document"]
                    : ["📁", "No documents yet", PaneParts.nothingYet]
            }
        } else {
            lines = ["No documents match your filters", "Try adjusting your search criteria", "c  Clear filters"]
        }
        PaneParts.empty(lines, &canvas, rect, theme)
    }

    private func drawHints(_ canvas: inout Canvas, _ foot: Rect) {
        var first: [(String, String)] = []
        if transfers.contains(where: { !$0.state.isOver }) { first.append(("K", "stop it")) }
        if transfers.contains(where: \.state.isFailed) { first.append(("R", "try again")) }
        if opened == nil {
            PaneParts.hints(
                allowed(first + [("Enter", "open"), ("n", "upload"), ("d", "download"), ("s", "share"), ("/", "search"), ("t", "types"), ("f", "school"), ("v", isGrid ? "list" : "grid"), ("Esc", "back")]),
                &canvas, foot, theme)
        } else {
            PaneParts.hints(allowed(first + [("d", "download"), ("s", "share"), ("N", "next version"), ("e", "change"), ("x", "delete, end a link"), ("Esc", "back")]), &canvas, foot, theme)
        }
    }
}

internal import Bytes
internal import Documents
internal import Family
internal import Terminal
internal import Words

/// One document with its versions and links, and the dialogs over it.
extension DocumentsView {
    // MARK: One document

    /// The largest part of the page that a picture takes, and the smallest page that has one.
    private static var pictureArea: Size { Size(columns: 28, rows: 12) }
    private static var leastPage: Size { Size(columns: 70, rows: 8) }

    /// Places the picture in the upper right of an area.
    ///
    /// - Returns: the rest of the area, at its left.
    private func drawPicture(_ canvas: inout Canvas, _ area: Rect) -> Rect {
        guard let picture, picture.document == opened, area.columns >= Self.leastPage.columns - 4, area.rows >= Self.leastPage.rows - 2 else { return area }
        let room = Rect(area.column, area.row, columns: Self.pictureArea.columns, rows: min(Self.pictureArea.rows, area.rows))
        var place = PictureEncoder.fit(width: picture.width, height: picture.height, into: room, cell: picture.cell)
        guard !place.isEmpty else { return area }
        place.column = area.endColumn - place.columns
        canvas.picture = PlacedPicture(place, number: picture.hashValue)
        return Rect(area.column, area.row, columns: area.columns - place.columns - 2, rows: area.rows)
    }

    func drawDetail(_ canvas: inout Canvas, _ rect: Rect) {
        guard let opened else { return }
        let inner = drawPicture(&canvas, rect.inset(2, 1))
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
        case nil:
            let words = linksFailure.map { "Unable to load the links. \($0) R tries again." } ?? "Loading …"
            lines += StyledText("  " + words, theme[linksFailure == nil ? .muted : .failure]).wrapped(columns: max(inner.columns, 4), indent: 2).map { ($0, nil) }
        case let links? where links.isEmpty: lines.append((StyledText(mayWrite ? "  None. s makes one for a school." : "  None.", theme[.muted]), nil))
        case let links?:
            for link in links {
                let state = link.endedAt.map { "ended \(EventText.date(day($0)))" } ?? (link.isOpen(at: now) ? "until \(EventText.date(day(link.expiresAt)))" : "over since \(EventText.date(day(link.expiresAt)))")
                var text = StyledText("  " + school(of: link) + "  ", theme[link.isOpen(at: now) ? .success : .muted])
                text.append("\(state) · \(Self.count(link.views, "view")), \(Self.count(link.downloads, "download"))", theme[.muted])
                lines.append((text, .link(link.id)))
            }
        }
        lines.append((StyledText(), nil))
        lines += detail.flatMap { StyledText($0).wrapped(columns: max(inner.columns, 4), indent: 4) }.map { ($0, nil) }
        let places = places
        let stand = places.indices.contains(place) ? places[place] : nil
        let at = lines.firstIndex { $0.place != nil && $0.place == stand } ?? 0
        let shown = rect.rows - 2
        let first = min(max(at - shown + 2, 0) + detailOffset, max(lines.count - shown, 0))
        canvas.box(rect, theme[.accent], title: records[opened].map { RecordNames.name($0) } ?? "", titleStyle: theme[.title])
        canvas.clipped(to: inner) { canvas in
            for (row, line) in lines.dropFirst(first).prefix(max(shown, 0)).enumerated() {
                canvas.draw(line.text, at: inner.column, inner.row + row)
                guard let place = line.place else { continue }
                if let number = places.firstIndex(of: place) { canvas.target(Rect(inner.column, inner.row + row, columns: inner.columns, rows: 1), .place(Self.placeTarget, number)) }
                guard place == stand else { continue }
                canvas.draw("▸", at: inner.column, inner.row + row, theme[.accent])
                canvas.restyle(Rect(inner.column, inner.row + row, columns: inner.columns, rows: 1)) { theme[.selection].over($0) }
            }
        }
    }

    private static func count(_ number: Int64, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }

    // MARK: Overlays

    func drawOverlays(_ canvas: inout Canvas) {
        if form != nil { canvas.picture = nil }
        form?.draw(&canvas, theme)
        if let menu { draw(menu, &canvas) }
        switch question {
        case nil: break
        case .delete(_, let title):
            ask(["Are you sure you want to delete this document?", title, "Its links end. It can be undone for 30 days.", "y delete   any other key cancels"], &canvas)
        case .revoke(_, _, let who): ask(["Revoke the link of \(who)?", "Nobody can open the document with it any more.", "y revoke   any other key cancels"], &canvas)
        case .replace(let document, let school, let who):
            let link = opened == document ? links?.first { $0.school == school && $0.isOpen(at: now) } : nil
            let former = link.map { "The link of \(EventText.date(day($0.createdAt))) for \(who) (\($0.views == 1 ? "1 view" : "\($0.views) views")) stops working." } ?? "An earlier link for \(who) stops working."
            ask(["Make a new link for \(who)?", former, "y replace   any other key cancels"], &canvas)
        case .stop(_, let title): ask(["Stop this?", title, "An upload of the same file continues where it stopped.", "y stop   any other key continues"], &canvas)
        case .download(let id):
            let rest = PaneParts.dialog(
                [StyledText(records[id].map { RecordNames.name($0) } ?? "", theme[.title]), StyledText("Enter save   Esc cancel", theme[.muted])], &canvas, theme, title: "Download", rows: 1)
            input?.draw(&canvas, rest, theme)
        }
        if let made = madeLink {
            PaneParts.dialog(
                [StyledText(made.url, theme[.accent]), StyledText(made.words), StyledText("Copy it now; it won't be shown again.   y copy   Esc close", theme[.muted])], &canvas, theme,
                title: "The link", link: Hyperlink(made.url))
        }
        if isHelpOpen { KeyHelp.draw(KeyHelp.lines(keymap, "documents", DocumentsCommand.helpLines), &canvas, theme) }
    }

    private func ask(_ lines: [String], _ canvas: inout Canvas) {
        PaneParts.dialog(lines.map { StyledText($0) }, &canvas, theme, style: .failure)
    }

    private func draw(_ menu: Menu, _ canvas: inout Canvas) {
        let rows = min(menu.entries.count, max(canvas.size.rows - 6, 1))
        let rest = PaneParts.dialog(
            [StyledText(menu.purpose == .types ? "1-6 or Space toggles, Enter done" : "Enter choose   Esc close", theme[.muted])], &canvas, theme, title: menu.title, rows: rows)
        let first = PaneParts.first(selected: menu.selected, count: menu.entries.count, shown: rows)
        canvas.clipped(to: rest) { canvas in
            for (row, entry) in menu.entries.dropFirst(first).prefix(rows).enumerated() {
                let index = first + row
                let mark = menu.purpose == .types ? (menu.checked.contains(index) ? "[x] " : "[ ] ") : ""
                canvas.draw("\(index < 9 ? "\(index + 1)" : " ") \(mark)\(entry)", at: rest.column, rest.row + row, columns: rest.columns, index == menu.selected ? theme[.selection] : theme[.text])
                canvas.target(Rect(rest.column, rest.row + row, columns: rest.columns, rows: 1), .place(Self.entryTarget, index))
            }
        }
    }
}

package import Terminal

/// The facts on the status lines; the holder of the session sets them.
package struct StatusFacts: Hashable, Sendable {
    /// The state of the connection.
    package enum Connection: Hashable, Sendable {
        case live
        /// Signing in, joining, catching up.
        case arriving
        /// With the reason, as a sentence.
        case offline(String)
    }

    /// The state of the first load, before which there is nothing to show (R009).
    package enum FirstLoad: Hashable, Sendable {
        case done
        /// For less than 300 ms: drawing it now would only flicker.
        case begun
        case slow
    }

    package var server = ""
    package var family = ""
    package var connection = Connection.arriving
    package var firstLoad = FirstLoad.done
    /// The server's response time in seconds; 0 if it is not noticeable.
    package var lag = 0
    /// The person whose season is shown; `nil` for the whole family.
    package var season: String?
    /// Whether the season belongs to another person: then the line highlights it.
    package var isSeasonOfAnother = false
    /// The other members who are present, by name.
    package var here: [String] = []
    /// The numbers of changes that wait for the server, that were refused, and, among the refused, of those that
    /// conflict with another member's change.
    package var pending = 0
    package var refused = 0
    package var conflicts = 0
    /// The occupations of the others at this moment, as one line.
    package var activity = ""
    /// Messages, and mentions among them.
    package var unread = 0
    package var mentions = 0
    /// Whether records changed since the viewer last looked.
    package var hasActivity = false
    /// The last act or refusal, in place of the line for a few seconds; "" for none.
    package var toast = ""
    /// The other buffers with activity, by number.
    package var hot: [ActiveBuffer] = []

    /// A buffer with activity since the user last looked at it.
    package struct ActiveBuffer: Hashable, Sendable {
        package let number: Int
        package let title: String
        package let count: Int
    }

    package init() {}

    /// "viewing Maya's season".
    package var viewing: String { season.map { "viewing \($0)'s season" } ?? "viewing everyone's season" }
}

/// The line at the top: the family, the season, the members present.
package enum TitleLine {
    package static func draw(_ facts: StatusFacts, _ canvas: inout Canvas, _ rect: Rect, _ theme: Theme) {
        let style = theme[.status]
        canvas.fill(rect, " ", style)
        canvas.clipped(to: rect) { canvas in
            // In little room the season comes first: an action on the wrong child is the worst mistake.
            let viewing = " \(TextWidth.cut(facts.viewing, to: max(rect.columns - 2, 4))) "
            let room = rect.columns - TextWidth.of(viewing) - 2
            var column = rect.column + 1
            if room > 6 {
                let family = TextWidth.cut(facts.family, to: min(room, rect.columns / 2))
                column = canvas.draw(family, at: column, rect.row, style.with(.bold)) + 1
                canvas.target(Rect(rect.column, rect.row, columns: column - rect.column - 1, rows: 1), .place(StatusLine.switchTarget, 0))
            }
            let start = column
            column = canvas.draw(viewing, at: column, rect.row, facts.isSeasonOfAnother ? theme[.context] : style)
            canvas.target(Rect(start, rect.row, columns: column - start, rows: 1), .place(StatusLine.seasonTarget, 0))
            let left = rect.endColumn - column - 2
            guard left > 3 else { return }
            let here = TextWidth.cut(Self.here(facts), to: left)
            canvas.draw(here, at: rect.endColumn - 1 - TextWidth.of(here), rect.row, style)
        }
    }

    private static func here(_ facts: StatusFacts) -> String {
        guard facts.connection == .live else { return "" }
        return facts.here.isEmpty ? "you're the only one here" : facts.here.joined(separator: ", ") + (facts.here.count == 1 ? " is here" : " are here")
    }
}

/// The line above the input: the server, waiting changes, refused changes, unread items.
package enum StatusLine {
    /// The names of click targets on the title and on this line: the family opens the switcher, the season opens the
    /// menu of seasons, and a buffer's entry opens that buffer; the number is the buffer's.
    package static let switchTarget = "switch", seasonTarget = "season", bufferTarget = "buffer"

    private typealias Part = (text: String, style: Style, buffer: Int?)

    /// - Parameters:
    ///   - below: the number of items below the visible part.
    ///   - chord: the pressed keys of an incomplete chord; "" for none.
    ///   - note: a remark about the text in the input line; "" for none.
    package static func draw(_ facts: StatusFacts, below: Int, chord: String, note: String = "", _ canvas: inout Canvas, _ rect: Rect, _ theme: Theme) {
        let base = theme[.status]
        canvas.fill(rect, " ", base)
        var news: [Part] = facts.activity.isEmpty ? [] : [(facts.activity, base.with(.italic), nil)]
        if facts.unread > 0 { news.append(("\(facts.unread) unread", theme[.unread].over(base), 1)) }
        if facts.mentions > 0 { news.append((count(facts.mentions, "mention"), theme[.mention].over(base), 1)) }
        if facts.hasActivity { news.append(("•", theme[.muted].over(base), 1)) }
        var kept: [Part] = []
        if facts.pending > 0 { kept.append(("\(facts.pending) pending", theme[.warning].over(base), 5)) }
        // Items that need a decision come before items that resolve themselves.
        let failed = facts.refused - facts.conflicts
        if failed > 0 { kept.append(("\(failed) refused", theme[.failure].over(base), 5)) }
        if facts.conflicts > 0 { kept.append((count(facts.conflicts, "conflict"), theme[.failure].over(base), 5)) }
        if !facts.toast.isEmpty { return drawToast(facts, kept, chord: chord, note: note, &canvas, rect, theme) }
        // In little room the end is cut.
        var parts: [Part] =
            switch facts.connection {
            case .live: news + kept + (facts.lag > 0 ? [("lag \(facts.lag) s", theme[.warning].over(base), nil)] : []) + [(facts.server, base, nil)]
            case .arriving: news + kept + [("Connecting to \(facts.server) …", base, nil)]
            case .offline(let reason): [("OFFLINE", theme[.offline], nil)] + kept + news + [(reason, base, nil)]
            }
        for hot in facts.hot { parts.append(("\(hot.number):\(TextWidth.cut(hot.title, to: 14)) \(hot.count)", theme[.unread].over(base), hot.number)) }
        canvas.clipped(to: rect) { canvas in
            var right = rect.endColumn - 1
            for text in [below > 0 ? "↓ \(below) more" : "", chord.isEmpty ? "" : chord + " …", note] where !text.isEmpty {
                right -= TextWidth.of(text)
                canvas.draw(text, at: right, rect.row, base.with(.bold))
                right -= 2
            }
            var column = rect.column + 1
            for (index, part) in parts.enumerated() where column < right {
                if index > 0 { column = canvas.draw(" · ", at: column, rect.row, base) }
                let start = column
                column = canvas.draw(TextWidth.cut(part.text, to: right - column), at: column, rect.row, part.style.over(base))
                if let buffer = part.buffer { canvas.target(Rect(start, rect.row, columns: column - start, rows: 1), .place(bufferTarget, buffer)) }
            }
        }
    }

    /// The toast. It takes the place of facts that can wait, so that it covers no title, list or hint; its end, which
    /// names the key that undoes the change, is never cut.
    ///
    /// - Parameter kept: the changes that wait or were refused, which stay in sight.
    private static func drawToast(_ facts: StatusFacts, _ kept: [Part], chord: String, note: String, _ canvas: inout Canvas, _ rect: Rect, _ theme: Theme) {
        let base = theme[.status]
        canvas.clipped(to: rect) { canvas in
            var right = rect.endColumn - 1
            for text in [chord.isEmpty ? "" : chord + " …", note] where !text.isEmpty {
                right -= TextWidth.of(text)
                canvas.draw(text, at: right, rect.row, base.with(.bold))
                right -= 2
            }
            var column = rect.column + 1
            if case .offline = facts.connection { column = canvas.draw("OFFLINE ", at: column, rect.row, theme[.offline].over(base)) }
            for part in kept where column + TextWidth.of(part.text) + 3 < right {
                let start = column
                column = canvas.draw(part.text, at: column, rect.row, part.style.over(base))
                if let buffer = part.buffer { canvas.target(Rect(start, rect.row, columns: column - start, rows: 1), .place(bufferTarget, buffer)) }
                column = canvas.draw(" · ", at: column, rect.row, base)
            }
            let shown = " " + shortened(facts.toast, to: max(right - column - 2, 1)) + " "
            let end = canvas.draw(shown, at: column, rect.row, theme[.success].with(.reverse))
            canvas.link(Rect(column, rect.row, columns: end - column, rows: 1), Link.last(in: facts.toast).flatMap(Hyperlink.init))
        }
    }

    /// A toast at a width: the text is cut in its middle, and the key behind " · ", or a last sentence that begins with a
    /// command, stays.
    static func shortened(_ toast: String, to columns: Int) -> String {
        guard TextWidth.of(toast) > columns, let mark = toast.ranges(of: toastMark).last ?? toast.ranges(of: " ").first(where: { isLastCommand(toast, $0.lowerBound) })
        else { return TextWidth.cut(toast, to: columns) }
        let tail = String(toast[mark.lowerBound...])
        let room = columns - TextWidth.of(tail)
        return room < 8 ? TextWidth.cut(toast, to: columns) : TextWidth.cut(String(toast[..<mark.lowerBound]), to: room) + tail
    }

    /// Whether the last sentence of a text begins behind this blank, with a command: "/quit again leaves all the same."
    private static func isLastCommand(_ text: String, _ blank: String.Index) -> Bool {
        guard blank > text.startIndex, text[text.index(before: blank)] == ".", text[blank...].hasPrefix(" /") else { return false }
        return text[blank...].ranges(of: ". ").isEmpty
    }

    /// The mark between an act and the key that undoes it.
    package static let toastMark = "  ·  "

    private static func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }
}

/// The lines that were accepted, and where in them one looks.
package struct EditHistory: Sendable {
    /// Lines that are remembered.
    package static let limit = 1_000

    /// The oldest first.
    package private(set) var lines: [String]
    /// Where one looks; the end is the line that is being typed.
    private var place: Int
    /// The line that was being typed when one began to look.
    private var typed = ""
    /// With what the lines that one looks for begin.
    package private(set) var prefix = ""

    package init(_ lines: [String] = []) {
        self.lines = Array(lines.suffix(Self.limit))
        place = self.lines.count
    }

    package var isLooking: Bool { place < lines.count }

    /// Adds a line, unless it is blank or the same as the last.
    package mutating func add(_ line: String) {
        if line.contains(where: { !$0.isWhitespace }), lines.last != line { lines.append(line) }
        if lines.count > Self.limit { lines.removeFirst(lines.count - Self.limit) }
        stopLooking()
    }

    /// The next older line that begins with `prefix` and differs from what is shown; `nil` when there is none.
    package mutating func older(than shown: String, prefix: String) -> String? {
        guard let found = lines[..<place].lastIndex(where: { $0.hasPrefix(prefix) && $0 != shown }) else { return nil }
        if !isLooking { typed = shown }
        self.prefix = prefix
        place = found
        return lines[found]
    }

    /// The next newer line, at the end the one that was being typed; `nil` when one does not look.
    package mutating func newer(prefix: String) -> String? {
        guard isLooking else { return nil }
        guard let found = lines[(place + 1)...].firstIndex(where: { $0.hasPrefix(prefix) && $0 != lines[place] }) else {
            stopLooking()
            return typed
        }
        place = found
        return lines[found]
    }

    /// What is shown is being edited: the next look begins at the end.
    package mutating func stopLooking() { place = lines.count }
}

/// An incremental search in the history (Ctrl-R).
package struct HistorySearch: Sendable {
    /// Characters that can be looked for.
    static let longest = 200

    /// What was being typed when it began.
    let before: String
    let cursor: Int
    package internal(set) var wanted = ""
    /// The line that was found; its number in the history.
    package private(set) var found: Int?
    /// Whether there is none in this direction any more; the last one found stays.
    package private(set) var hasFailed = false

    init(before: String, cursor: Int) {
        self.before = before
        self.cursor = cursor
    }

    mutating func find(in lines: [String], from start: Int, step: Int) {
        guard !wanted.isEmpty else {
            found = nil
            hasFailed = false
            return
        }
        let ignoresCase = !wanted.contains { $0.isUppercase }
        var place = start
        while lines.indices.contains(place) {
            let line = ignoresCase ? lines[place].lowercased() : lines[place]
            if line.contains(wanted) {
                found = place
                hasFailed = false
                return
            }
            place += step
        }
        hasFailed = true
    }
}

/// The accepted lines, and the position of the user among them.
package struct EditHistory: Sendable {
    /// The largest number of lines.
    package static let limit = 1_000

    /// The lines, oldest first.
    package private(set) var lines: [String]
    /// The position of the user; the end is the current input.
    private var place: Int
    /// The input at the time when the user moved into the history.
    private var typed = ""
    /// The required beginning of lines while the user moves through the history.
    package private(set) var prefix = ""

    package init(_ lines: [String] = []) {
        self.lines = Array(lines.suffix(Self.limit))
        place = self.lines.count
    }

    package var isLooking: Bool { place < lines.count }

    /// Adds a line, unless it is blank or equal to the last one.
    package mutating func add(_ line: String) {
        if line.contains(where: { !$0.isWhitespace }), lines.last != line { lines.append(line) }
        if lines.count > Self.limit { lines.removeFirst(lines.count - Self.limit) }
        stopLooking()
    }

    /// The next older line that begins with `prefix` and differs from the shown one; `nil` if there is none.
    package mutating func older(than shown: String, prefix: String) -> String? {
        guard let found = lines[..<place].lastIndex(where: { $0.hasPrefix(prefix) && $0 != shown }) else { return nil }
        if !isLooking { typed = shown }
        self.prefix = prefix
        place = found
        return lines[found]
    }

    /// The next newer line, or the current input at the end; `nil` if the user is not in the history.
    package mutating func newer(prefix: String) -> String? {
        guard isLooking else { return nil }
        guard let found = lines[(place + 1)...].firstIndex(where: { $0.hasPrefix(prefix) && $0 != lines[place] }) else {
            stopLooking()
            return typed
        }
        place = found
        return lines[found]
    }

    /// Returns to the end of the history, because the shown line is being edited.
    package mutating func stopLooking() { place = lines.count }
}

/// An incremental search in the history (Ctrl-R).
package struct HistorySearch: Sendable {
    /// The largest number of characters in a search.
    static let longest = 200

    /// The input before the search began.
    let before: String
    let cursor: Int
    package internal(set) var wanted = ""
    /// The number of the found line in the history.
    package private(set) var found: Int?
    /// Whether there are no further matches in this direction; the last match stays.
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

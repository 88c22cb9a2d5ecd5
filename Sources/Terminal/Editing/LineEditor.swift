/// The text of an input: one line, or several after Alt-Enter or a paste. Pure: commands and texts in, outcomes out.
/// The cursor moves by user-perceived characters.
package struct LineEditor: Sendable {
    package enum Outcome: Hashable, Sendable {
        case none
        /// The text or the cursor has changed.
        case changed
        /// Enter: the caller gets the text, and the editor is empty again.
        case accepted(String)
    }

    /// The largest numbers of characters and of octets in one text; a message is shorter.
    package static let limit = 16_384
    package static let octetLimit = 65_536
    /// The largest number of characters in a text that is searched for: a name is at most as long.
    package static let searchLimit = 256
    /// The largest numbers of cut texts that can be yanked, and of steps that can be undone.
    private static let ringLimit = 32
    private static let undoLimit = 200

    package private(set) var characters: [Character] = [] {
        didSet { octets = nil }
    }
    /// The number of octets of the characters, unless they have changed since it was counted.
    private var octets: Int?
    /// The largest number of characters in this text.
    private let limit: Int
    /// The number of characters before the cursor.
    package private(set) var cursor = 0
    package var history = EditHistory()
    /// The search in the history, while it is open.
    package private(set) var search: HistorySearch?

    private var ring: [String] = []
    /// The previous command, if the next one depends on it.
    private var last = Last.other
    private var past: [Step] = []
    /// The column that vertical movement returns to.
    private var goal: Int?

    private enum Last: Hashable, Sendable {
        case typing
        /// Another cut extends the cut text.
        case killing
        /// This many characters before the cursor were yanked, from this position of the ring.
        case yanking(Int, place: Int)
        /// This many characters before the cursor are the last word of this line of the history.
        case lastWord(Int, line: Int)
        case other
    }

    private struct Step: Sendable {
        let characters: [Character]
        let cursor: Int
    }

    /// - Parameter limit: the largest number of characters in the text.
    package init(limit: Int = LineEditor.limit) { self.limit = limit }

    package var text: String { String(characters) }
    package var isEmpty: Bool { characters.isEmpty }

    // MARK: Texts

    /// Types text at the cursor. Characters that steer a terminal are omitted, tabs become blanks, text above the limit
    /// is dropped.
    package mutating func insert(_ text: String) -> Outcome {
        if search != nil { return searching(for: (search?.wanted ?? "") + text) }
        let text = Self.typable(text)
        let kind = text.count == 1 && text != " " ? Last.typing : .other
        if kind != .typing || last != .typing { remember() }
        defer { last = kind }
        return place(text) ? .changed : .none
    }

    /// Replaces the whole text for further editing; the cursor is at its end.
    package mutating func set(_ text: String) {
        remember()
        replace(with: Array(Self.typable(text)))
        last = .other
    }

    /// Replaces a range of characters, as a completion does; the cursor is at the end of the new text.
    package mutating func replace(_ range: Range<Int>, with text: String) {
        remember()
        let range = range.clamped(to: 0..<characters.count)
        let tail = Array(characters[range.upperBound...])
        characters = Array(characters[..<range.lowerBound])
        cursor = characters.count
        // The rest of the text stays, even if the completion is too long.
        let room = limit - tail.count
        let before = Array(String(characters) + Self.typable(text)).prefix(max(room, characters.count))
        characters = Array(String(before) + String(tail))
        cursor = min(before.count, characters.count)
        last = .other
    }

    /// Moves the cursor, as a click does.
    package mutating func moveCursor(to place: Int) {
        cursor = min(max(place, 0), characters.count)
        last = .other
        goal = nil
    }

    // MARK: Commands

    package mutating func perform(_ command: EditCommand) -> Outcome {
        if search != nil, let outcome = searchCommand(command) { return outcome }
        let before = (characters.count, cursor, last)
        if command != .previousLine && command != .nextLine { goal = nil }
        if case .yanking = last, command == .yankPop { return yankPop() }
        switch command {
        case .beginningOfLine: cursor = lineStart
        case .endOfLine: cursor = lineEnd
        case .backwardCharacter: cursor = max(cursor - 1, 0)
        case .forwardCharacter: cursor = min(cursor + 1, characters.count)
        case .backwardWord: cursor = wordStart
        case .forwardWord: cursor = wordEnd
        case .previousLine: return vertical(-1)
        case .nextLine: return vertical(1)
        case .deleteBackward: return delete((cursor - 1)..<cursor)
        case .deleteForward: return delete(cursor..<(cursor + 1))
        case .killLine: return kill(cursor..<(cursor == lineEnd ? min(cursor + 1, characters.count) : lineEnd), isForward: true)
        case .killToStart: return kill(lineStart..<cursor, isForward: false)
        case .killBlankWord: return kill(blankWordStart..<cursor, isForward: false)
        case .killWord: return kill(cursor..<wordEnd, isForward: true)
        case .killWordBackward: return kill(wordStart..<cursor, isForward: false)
        case .yank: return yank()
        case .yankPop: return .none
        case .yankLastWord: return yankLastWord()
        case .transpose: return transpose()
        case .transposeWords: return transposeWords()
        case .upcase: return changeWord { $0.uppercased() }
        case .downcase: return changeWord { $0.lowercased() }
        case .capitalize: return changeWord(Self.capitalized)
        case .undo: return undo()
        case .newline:
            remember()
            last = .other
            return place("\n") ? .changed : .none
        case .accept: return accept()
        case .previousHistory: return look(history.older(than: text, prefix: ""))
        case .nextHistory: return look(history.newer(prefix: ""))
        case .searchHistory, .searchHistoryForward:
            search = HistorySearch(before: text, cursor: cursor)
            last = .other
            return .changed
        case .abort:
            guard !characters.isEmpty else { return .none }
            remember()
            replace(with: [])
        }
        last = .other
        return before.0 == characters.count && before.1 == cursor ? .none : .changed
    }

    private mutating func accept() -> Outcome {
        let text = text
        history.add(text)
        characters = []
        cursor = 0
        past = []
        last = .other
        return .accepted(text)
    }

    // MARK: History

    private mutating func vertical(_ direction: Int) -> Outcome {
        let start = lineStart
        let column = goal ?? cursor - start
        if direction < 0, start > 0 {
            let above = self.start(before: start - 1)
            cursor = min(above + column, start - 1)
        } else if direction > 0, lineEnd < characters.count {
            let below = lineEnd + 1
            cursor = min(below + column, end(from: below))
        } else {
            // The text before the cursor is the prefix of the wanted lines; with the cursor at the end it is the whole
            // text.
            let prefix = String(characters[..<cursor])
            let wanted = history.isLooking ? history.prefix : prefix
            return look(direction < 0 ? history.older(than: text, prefix: wanted) : history.newer(prefix: wanted))
        }
        goal = column
        last = .other
        return .changed
    }

    private mutating func look(_ found: String?) -> Outcome {
        guard let found else { return .none }
        replace(with: Array(found))
        last = .other
        return .changed
    }

    /// Runs a command while the history is searched; `nil` if the command ends the search and then has its normal
    /// effect.
    private mutating func searchCommand(_ command: EditCommand) -> Outcome? {
        guard let current = search else { return nil }
        switch command {
        case .searchHistory:
            search?.find(in: history.lines, from: (current.found ?? history.lines.count) - 1, step: -1)
            return showSearch()
        case .searchHistoryForward:
            search?.find(in: history.lines, from: (current.found ?? -1) + 1, step: 1)
            return showSearch()
        case .deleteBackward: return searching(for: String(current.wanted.dropLast()))
        case .abort:
            search = nil
            characters = Array(current.before)
            cursor = min(current.cursor, characters.count)
            return .changed
        default:
            search = nil
            return nil
        }
    }

    private mutating func searching(for wanted: String) -> Outcome {
        let start = search?.found ?? history.lines.count - 1
        search?.wanted = String(Self.typable(wanted).prefix(HistorySearch.longest))
        search?.find(in: history.lines, from: start, step: -1)
        return showSearch()
    }

    private mutating func showSearch() -> Outcome {
        if let found = search?.found, history.lines.indices.contains(found) { replace(with: Array(history.lines[found])) }
        return .changed
    }

    // MARK: Changing

    /// Puts text at the cursor; false if there is no room.
    private mutating func place(_ text: String) -> Bool {
        let octets = self.octets ?? characters.reduce(0) { $0 + $1.utf8.count }
        guard !text.isEmpty, characters.count < limit, octets + text.utf8.count <= Self.octetLimit else { return false }
        if text.utf8.count == 1, let only = text.first, isApart(at: cursor) {
            characters.insert(only, at: cursor)
            cursor += 1
            self.octets = octets + 1
            return true
        }
        // Characters can join with their neighbours (accents, families of emoji), so they are counted again.
        let before = Array(String(characters[..<cursor]) + text.prefix(limit - characters.count))
        characters = Array(String(before) + String(characters[cursor...]))
        cursor = min(before.count, characters.count)
        return true
    }

    /// Whether an ASCII character at this place cannot join with its neighbours. A long text then need not be divided
    /// into characters again at each key.
    private func isApart(at place: Int) -> Bool {
        (place == 0 || characters[place - 1].isASCII) && (place == characters.count || characters[place].isASCII)
    }

    private mutating func replace(with new: [Character]) {
        characters = Array(new.prefix(limit))
        cursor = characters.count
    }

    private mutating func delete(_ range: Range<Int>) -> Outcome {
        guard range.lowerBound >= 0, range.upperBound <= characters.count, !range.isEmpty else { return .none }
        remember()
        remove(range)
        last = .other
        return .changed
    }

    private mutating func remove(_ range: Range<Int>) {
        characters.removeSubrange(range)
        // The remaining characters may join into fewer characters.
        let before = Array(String(characters[..<range.lowerBound]))
        characters = Array(String(characters))
        cursor = min(before.count, characters.count)
    }

    private mutating func kill(_ range: Range<Int>, isForward: Bool) -> Outcome {
        guard !range.isEmpty else { return .none }
        remember()
        let cut = String(characters[range])
        if last == .killing, let latest = ring.popLast() {
            ring.append(isForward ? latest + cut : cut + latest)
        } else {
            ring.append(cut)
        }
        if ring.count > Self.ringLimit { ring.removeFirst() }
        remove(range)
        last = .killing
        return .changed
    }

    private mutating func yank() -> Outcome {
        guard let text = ring.last else { return .none }
        remember()
        let before = cursor
        guard place(text) else { return .none }
        last = .yanking(cursor - before, place: ring.count - 1)
        return .changed
    }

    private mutating func yankPop() -> Outcome {
        guard case .yanking(let count, let place) = last, ring.count > 1, count <= cursor else { return .none }
        let earlier = (place + ring.count - 1) % ring.count
        remove(cursor - count..<cursor)
        let before = cursor
        _ = self.place(ring[earlier])
        last = .yanking(cursor - before, place: earlier)
        return .changed
    }

    /// Inserts the last word of the last sent line; repeated, replaces it with the last word of the line before.
    private mutating func yankLastWord() -> Outcome {
        var (count, line) = (0, history.lines.count)
        if case .lastWord(let known, let place) = last { (count, line) = (min(known, cursor), place) }
        while line > 0 {
            line -= 1
            guard let word = history.lines[line].split(whereSeparator: \.isWhitespace).last else { continue }
            if count > 0 { remove(cursor - count..<cursor) } else { remember() }
            let before = cursor
            _ = place(String(word))
            last = .lastWord(max(cursor - before, 0), line: line)
            return .changed
        }
        return .none
    }

    /// Swaps the word at the cursor (at the end: the last word) and the word before it.
    private mutating func transposeWords() -> Outcome {
        last = .other
        let start = wordStart(before: wordEnd(from: cursor))
        let (end, earlier) = (wordEnd(from: start), wordStart(before: start))
        let earlierEnd = wordEnd(from: earlier)
        guard earlier < earlierEnd, earlierEnd <= start, start < end else { return .none }
        remember()
        let before = characters[..<earlier] + characters[start..<end] + characters[earlierEnd..<start] + characters[earlier..<earlierEnd]
        let rest = String(characters[end...])
        let moved = Array(String(before))
        characters = Array(String(moved) + rest)
        cursor = min(moved.count, characters.count)
        return .changed
    }

    private mutating func transpose() -> Outcome {
        // At the end of the line, swap the two characters before the cursor, as readline does.
        let place = cursor == lineEnd ? cursor - 1 : cursor
        guard place > lineStart, place < characters.count else { return .none }
        remember()
        characters.swapAt(place - 1, place)
        characters = Array(String(characters))
        cursor = min(place + 1, characters.count)
        last = .other
        return .changed
    }

    private mutating func changeWord(_ change: (String) -> String) -> Outcome {
        let end = wordEnd
        guard end > cursor else { return .none }
        remember()
        let before = characters[..<cursor] + Array(change(String(characters[cursor..<end])))
        characters = Array(String(before) + String(characters[end...]))
        cursor = min(before.count, characters.count)
        last = .other
        return .changed
    }

    private static func capitalized(_ word: String) -> String {
        guard let first = word.firstIndex(where: { $0.isLetter }) else { return word }
        return word[..<first] + word[first].uppercased() + word[word.index(after: first)...].lowercased()
    }

    private mutating func undo() -> Outcome {
        last = .other
        guard let step = past.popLast() else { return .none }
        characters = step.characters
        cursor = step.cursor
        return .changed
    }

    private mutating func remember() {
        history.stopLooking()
        past.append(Step(characters: characters, cursor: cursor))
        if past.count > Self.undoLimit { past.removeFirst() }
    }

    // MARK: Positions

    private var lineStart: Int { start(before: cursor) }
    private var lineEnd: Int { end(from: cursor) }

    private func start(before place: Int) -> Int { (characters[..<place].lastIndex { $0.isNewline }).map { $0 + 1 } ?? 0 }

    private func end(from place: Int) -> Int { characters[place...].firstIndex { $0.isNewline } ?? characters.count }

    private var blankWordStart: Int {
        var place = cursor
        while place > 0, characters[place - 1].isWhitespace { place -= 1 }
        while place > 0, !characters[place - 1].isWhitespace { place -= 1 }
        return place
    }

    private var wordStart: Int { wordStart(before: cursor) }
    private var wordEnd: Int { wordEnd(from: cursor) }

    private func wordStart(before place: Int) -> Int {
        var place = place
        while place > 0, !characters[place - 1].isOfWord { place -= 1 }
        while place > 0, characters[place - 1].isOfWord { place -= 1 }
        return place
    }

    private func wordEnd(from place: Int) -> Int {
        var place = place
        while place < characters.count, !characters[place].isOfWord { place += 1 }
        while place < characters.count, characters[place].isOfWord { place += 1 }
        return place
    }

    /// The part of a text that keyboards and clipboards may insert.
    private static func typable(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "\t" {
                result.append(" ")
            } else if scalar == "\n" || !scalar.steersScreen {
                result.append(scalar)
            }
        }
        return String(result)
    }
}

extension Character {
    /// Whether readline counts the character as part of a word: letters and digits; scripts without cases and emoji
    /// count as letters.
    fileprivate var isOfWord: Bool { isLetter || isNumber || !isASCII && !isWhitespace && !isPunctuation }
}

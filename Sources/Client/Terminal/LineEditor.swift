/// One line that is being typed, with a cursor and a history. Pure: keys in, outcomes out.
package struct LineEditor: Sendable {
    package enum Outcome: Hashable, Sendable {
        case none
        /// The line or the cursor looks different.
        case changed
        /// Enter: the line is the caller's, a fresh one begins.
        case submitted(String)
        case interrupted
        /// Ctrl-D on an empty line.
        case ended
        case suspended
        case clearScreen
    }

    /// Characters that one line may have; a message is shorter.
    package static let limit = 16_384
    /// Lines that are remembered.
    package static let historyLimit = 500

    package private(set) var characters: [Character] = []
    /// Characters before the cursor.
    package private(set) var cursor = 0
    package private(set) var history: [String] = []
    /// Where in the history one looks; its end is the line that is being typed.
    private var place = 0
    /// The line that was being typed when one began to look.
    private var typed = ""

    package init() {}

    package var text: String { String(characters) }

    package mutating func handle(_ key: Key) -> Outcome {
        switch key {
        case .text(let text): return insert(text.filteringControls)
        case .paste(let text): return insert(text)
        case .enter:
            let line = text
            remember(line)
            set("")
            return .submitted(line)
        case .backspace: return remove((cursor - 1)..<cursor)
        case .delete: return remove(cursor..<(cursor + 1))
        case .left: return move(to: cursor - 1)
        case .right: return move(to: cursor + 1)
        case .home: return move(to: 0)
        case .end: return move(to: characters.count)
        case .wordLeft: return move(to: wordStart)
        case .wordRight: return move(to: wordEnd)
        case .killToEnd: return remove(cursor..<characters.count)
        case .killToStart: return remove(0..<cursor)
        case .killWord: return remove(wordStart..<cursor)
        case .up: return look(at: place - 1)
        case .down: return look(at: place + 1)
        case .interrupt:
            set("")
            place = history.count
            return .interrupted
        case .endOfFile: return characters.isEmpty ? .ended : remove(cursor..<(cursor + 1))
        case .suspend: return .suspended
        case .clearScreen: return .clearScreen
        case .tab: return .none
        }
    }

    /// Puts a line there to be edited further.
    package mutating func set(_ line: String) {
        characters = Array(line.prefix(Self.limit))
        cursor = characters.count
    }

    private mutating func insert(_ text: String) -> Outcome {
        guard !text.isEmpty, characters.count < Self.limit else { return .none }
        // Characters can join with their neighbours (accents, families of emoji), so that they are counted anew.
        let before = Array(String(characters[..<cursor]) + text.prefix(Self.limit - characters.count))
        let after = String(before) + String(characters[cursor...])
        characters = Array(after)
        cursor = min(before.count, characters.count)
        return .changed
    }

    private mutating func remove(_ range: Range<Int>) -> Outcome {
        let range = range.clamped(to: 0..<characters.count)
        guard !range.isEmpty else { return .none }
        characters.removeSubrange(range)
        // What is left may join into fewer characters.
        let before = Array(String(characters[..<range.lowerBound]))
        characters = Array(String(characters))
        cursor = min(before.count, characters.count)
        return .changed
    }

    private mutating func move(to place: Int) -> Outcome {
        let place = min(max(place, 0), characters.count)
        guard place != cursor else { return .none }
        cursor = place
        return .changed
    }

    private var wordStart: Int {
        var place = cursor
        while place > 0, characters[place - 1].isWhitespace { place -= 1 }
        while place > 0, !characters[place - 1].isWhitespace { place -= 1 }
        return place
    }

    private var wordEnd: Int {
        var place = cursor
        while place < characters.count, characters[place].isWhitespace { place += 1 }
        while place < characters.count, !characters[place].isWhitespace { place += 1 }
        return place
    }

    private mutating func remember(_ line: String) {
        if !line.trimmed.isEmpty, history.last != line { history.append(line) }
        if history.count > Self.historyLimit { history.removeFirst() }
        place = history.count
        typed = ""
    }

    private mutating func look(at wanted: Int) -> Outcome {
        guard (0...history.count).contains(wanted), wanted != place else { return .none }
        if place == history.count { typed = text }
        place = wanted
        set(wanted == history.count ? typed : history[wanted])
        return .changed
    }
}

extension String {
    /// Without what steers a terminal; keyboards send none of it as text.
    fileprivate var filteringControls: String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars where !scalar.steersTerminal { result.append(scalar) }
        return String(result)
    }
}

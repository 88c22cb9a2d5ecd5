/// The characters that say what a word is going to be.
package enum Sigil: Character, CaseIterable, Sendable {
    case command = "/", person = "@", event = "#", trip = "~", emoji = ":"

    /// Whether it counts only at the beginning of the text.
    var isOnlyFirst: Bool { self == .command }
    /// Letters that must follow before anything is offered without a Tab: times ("9:30") and smileys are no emoji.
    var lettersBeforeOffer: Int { self == .emoji ? 2 : 0 }
}

/// The word at the cursor that can be completed.
package struct CompletionWord: Hashable, Sendable {
    package let sigil: Sigil
    /// What follows the sigil, up to the cursor.
    package let letters: String
    /// The characters of the text that a completion replaces, sigil included.
    package let range: Range<Int>

    /// - Returns: `nil` when the cursor does not stand in or behind such a word.
    package init?(_ characters: [Character], cursor: Int) {
        guard cursor > 0, cursor <= characters.count else { return nil }
        var start = cursor
        while start > 0, !characters[start - 1].isWhitespace { start -= 1 }
        guard start < cursor else { return nil }
        // A sigil within a word counts only behind a bracket: "(@ana", not "ana@home".
        while start < cursor, "([{\"'".contains(characters[start]) { start += 1 }
        guard start < cursor, let sigil = Sigil(rawValue: characters[start]), !sigil.isOnlyFirst || start == 0 else { return nil }
        var end = cursor
        while end < characters.count, !characters[end].isWhitespace { end += 1 }
        letters = String(characters[start + 1..<cursor])
        // An emoji that is closed, or a second slash, is none any more.
        guard !letters.contains(sigil.rawValue) else { return nil }
        self.sigil = sigil
        range = start..<end
    }

    /// A word that others have found: what Tab completes where no sigil stands.
    ///
    /// - Parameter range: of the characters that a completion replaces; up to the cursor.
    package init(_ sigil: Sigil, _ letters: String, _ range: Range<Int>) {
        self.sigil = sigil
        self.letters = letters
        self.range = range
    }

    /// The letters right before the cursor as somebody's name: people are named without a sigil, too, where Tab is asked.
    ///
    /// - Returns: `nil` where no word ends at the cursor, and in commands.
    package static func name(_ characters: [Character], cursor: Int) -> CompletionWord? {
        guard cursor > 0, cursor <= characters.count, cursor == characters.count || characters[cursor].isWhitespace else { return nil }
        var start = cursor
        while start > 0, characters[start - 1].isLetter { start -= 1 }
        guard start < cursor, start == 0 || characters[start - 1].isWhitespace else { return nil }
        return CompletionWord(.person, String(characters[start..<cursor]), start..<cursor)
    }

    /// Whether a menu opens while one types, without a Tab.
    package var offersItself: Bool { letters.count >= sigil.lettersBeforeOffer }
}

/// Something that a word can be completed to.
package struct CompletionCandidate: Hashable, Labelled {
    /// What is matched and shown.
    package let label: String
    /// What is put into the text instead of the word, without the blank that follows.
    package let insertion: String
    /// Said beside it: what a command does, the date of an event.
    package let detail: String

    package init(_ label: String, insertion: String, detail: String = "") {
        self.label = label
        self.insertion = insertion
        self.detail = detail
    }
}

/// The menu of completions: opened by a sigil or Tab, narrowed by typing, cycled with Tab and Shift-Tab.
package struct CompletionMenu: Sendable {
    /// Candidates that are offered at once.
    package static let limit = 50

    package struct Entry: Hashable, Sendable {
        package let candidate: CompletionCandidate
        /// The characters of the label that fit what was typed.
        package let positions: [Int]
    }

    /// The word as it was when the menu opened.
    package let word: CompletionWord
    package let entries: [Entry]
    /// The entry that stands in the text; `nil` while only offered.
    package private(set) var selected: Int?
    /// What the menu has put into the text.
    private var replaced: Range<Int>

    /// - Parameter candidates: all of this sigil.
    /// - Returns: `nil` when none fits.
    package init?(_ word: CompletionWord, _ candidates: inout LabelIndex<CompletionCandidate>) {
        let ranked = candidates.best(word.letters, limit: Self.limit)
        guard !ranked.isEmpty else { return nil }
        self.word = word
        entries = ranked.map { Entry(candidate: $0.candidate, positions: $0.match.positions) }
        replaced = word.range
    }

    /// What somebody else has found to fit, in their order.
    ///
    /// - Returns: `nil` when that is nothing.
    package init?(_ word: CompletionWord, fitting candidates: [CompletionCandidate]) {
        guard !candidates.isEmpty else { return nil }
        self.word = word
        entries = candidates.prefix(Self.limit).map { Entry(candidate: $0, positions: []) }
        replaced = word.range
    }

    /// Puts the next entry (-1: the one before) into the text, again and again in a circle.
    package mutating func cycle(_ step: Int, in editor: inout LineEditor) {
        let next = selected.map { ($0 + step + entries.count) % entries.count } ?? (step > 0 ? 0 : entries.count - 1)
        select(next, in: &editor)
    }

    /// Puts this entry into the text, as a click does.
    package mutating func select(_ index: Int, in editor: inout LineEditor) {
        guard entries.indices.contains(index) else { return }
        // A blank behind it, unless there is one or the only sensible next character is a letter.
        let follows = editor.characters.indices.contains(replaced.upperBound) ? editor.characters[replaced.upperBound] : nil
        let isWhole = !(entries[index].candidate.insertion.last.map { "=,".contains($0) } ?? true)
        let insertion = entries[index].candidate.insertion + (follows == nil && isWhole ? " " : "")
        editor.replace(replaced, with: insertion)
        replaced = replaced.lowerBound..<editor.cursor
        selected = index
    }
}

/// The characters that announce the kind of a word.
package enum Sigil: Character, CaseIterable, Sendable {
    case command = "/", person = "@", event = "#", trip = "~", emoji = ":"

    /// Whether the sigil counts only at the beginning of the text.
    var isOnlyFirst: Bool { self == .command }
    /// The number of letters after the sigil before a menu opens without a Tab: times ("9:30") and smileys are not
    /// emoji.
    var lettersBeforeOffer: Int { self == .emoji ? 2 : 0 }
}

/// The word at the cursor that can be completed.
package struct CompletionWord: Hashable, Sendable {
    package let sigil: Sigil
    /// The text after the sigil, up to the cursor.
    package let letters: String
    /// The characters of the text that a completion replaces, sigil included.
    package let range: Range<Int>

    /// - Returns: `nil` if the cursor is not in or after such a word.
    package init?(_ characters: [Character], cursor: Int) {
        guard cursor > 0, cursor <= characters.count else { return nil }
        var start = cursor
        while start > 0, !characters[start - 1].isWhitespace { start -= 1 }
        guard start < cursor else { return nil }
        // A sigil within a word counts only after a bracket: "(@ana", not "ana@home".
        while start < cursor, "([{\"'".contains(characters[start]) { start += 1 }
        guard start < cursor, let sigil = Sigil(rawValue: characters[start]), !sigil.isOnlyFirst || start == 0 else { return nil }
        var end = cursor
        while end < characters.count, !characters[end].isWhitespace { end += 1 }
        letters = String(characters[start + 1..<cursor])
        // A closed emoji name, or a text with a second slash, is not completed.
        guard !letters.contains(sigil.rawValue) else { return nil }
        self.sigil = sigil
        range = start..<end
    }

    /// A word that the caller has found, for Tab without a sigil.
    ///
    /// - Parameter range: the characters that a completion replaces, up to the cursor.
    package init(_ sigil: Sigil, _ letters: String, _ range: Range<Int>) {
        self.sigil = sigil
        self.letters = letters
        self.range = range
    }

    /// The letters directly before the cursor as a member's name: after a Tab, names are also completed without a
    /// sigil.
    ///
    /// - Returns: `nil` if no word ends at the cursor, and in commands.
    package static func name(_ characters: [Character], cursor: Int) -> CompletionWord? {
        guard cursor > 0, cursor <= characters.count, cursor == characters.count || characters[cursor].isWhitespace else { return nil }
        var start = cursor
        while start > 0, characters[start - 1].isLetter { start -= 1 }
        guard start < cursor, start == 0 || characters[start - 1].isWhitespace else { return nil }
        return CompletionWord(.person, String(characters[start..<cursor]), start..<cursor)
    }

    /// Whether a menu opens while the user types, without a Tab.
    package var offersItself: Bool { letters.count >= sigil.lettersBeforeOffer }
}

/// A possible completion of a word.
package struct CompletionCandidate: Hashable, Labelled {
    /// The text that is matched and shown.
    package let label: String
    /// The text that replaces the word, without the blank after it.
    package let insertion: String
    /// A remark next to the label: the summary of a command, the date of an event.
    package let detail: String

    package init(_ label: String, insertion: String, detail: String = "") {
        self.label = label
        self.insertion = insertion
        self.detail = detail
    }
}

/// The menu of completions: opened by a sigil or Tab, narrowed by typing, cycled with Tab and Shift-Tab.
package struct CompletionMenu: Sendable {
    /// The largest number of entries.
    package static let limit = 50

    package struct Entry: Hashable, Sendable {
        package let candidate: CompletionCandidate
        /// The characters of the label that match the typed letters.
        package let positions: [Int]
    }

    /// The word as it was when the menu opened.
    package let word: CompletionWord
    package let entries: [Entry]
    /// The entry that was put into the text; `nil` while the entries are only offered.
    package private(set) var selected: Int?
    /// The range of the text that the menu replaced.
    private var replaced: Range<Int>

    /// - Parameter candidates: all candidates of this sigil.
    /// - Returns: `nil` if none matches.
    package init?(_ word: CompletionWord, _ candidates: inout LabelIndex<CompletionCandidate>) {
        let ranked = candidates.best(word.letters, limit: Self.limit)
        guard !ranked.isEmpty else { return nil }
        self.word = word
        entries = ranked.map { Entry(candidate: $0.candidate, positions: $0.match.positions) }
        replaced = word.range
    }

    /// A menu of candidates that the caller has matched, in their order.
    ///
    /// - Returns: `nil` if there are none.
    package init?(_ word: CompletionWord, fitting candidates: [CompletionCandidate]) {
        guard !candidates.isEmpty else { return nil }
        self.word = word
        entries = candidates.prefix(Self.limit).map { Entry(candidate: $0, positions: []) }
        replaced = word.range
    }

    /// Puts the next entry (-1: the previous one) into the text, in a circle.
    package mutating func cycle(_ step: Int, in editor: inout LineEditor) {
        let next = selected.map { ($0 + step + entries.count) % entries.count } ?? (step > 0 ? 0 : entries.count - 1)
        select(next, in: &editor)
    }

    /// Puts an entry into the text, as a click does.
    package mutating func select(_ index: Int, in editor: inout LineEditor) {
        guard entries.indices.contains(index) else { return }
        // At the end of the text a blank follows the insertion, unless the insertion ends with "=" or ",".
        let follows = editor.characters.indices.contains(replaced.upperBound) ? editor.characters[replaced.upperBound] : nil
        let isWhole = !(entries[index].candidate.insertion.last.map { "=,".contains($0) } ?? true)
        let insertion = entries[index].candidate.insertion + (follows == nil && isWhole ? " " : "")
        editor.replace(replaced, with: insertion)
        replaced = replaced.lowerBound..<editor.cursor
        selected = index
    }
}

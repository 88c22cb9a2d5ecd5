internal import CUTF8proc

/// The width of text in terminal columns, and the visible form of its characters.
///
/// Characters are grapheme clusters (UAX #29, as Swift segments them); the width of a code point is libutf8proc's (UAX #11).
package enum TextWidth {
    /// The largest number of code points of one character that reach the terminal; the longest emoji have ten. Longer
    /// clusters are hostile stacks of marks.
    package static let longestCluster = 16

    /// The width of one character as it is drawn (see `shown`): 0, 1 or 2.
    ///
    /// - Complexity: a comparison for ASCII, a table look-up otherwise.
    package static func of(_ character: Character) -> Int {
        if character.isPlainASCII { return 1 }
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if character.isOne(first), !first.steersScreen, !first.isTag {
            let width = width(of: first)
            return width == 0 && first.isMark ? 1 : width
        }
        if character.isUnsafe { return 1 }
        if scalars.count > 1 {
            // UTS #51: a code point after an emoji requests the emoji's picture; a pair of regional indicators is a
            // flag.
            let asksForPicture = scalars.dropFirst().contains { scalar in
                switch scalar.value {
                case 0xFE0F, 0x20E3, 0x200D, 0x1F3FB...0x1F3FF, 0x1F1E6...0x1F1FF: true
                default: false
                }
            }
            if asksForPicture, first.properties.isEmoji { return 2 }
            if scalars.contains(where: { $0.value == 0xFE0E }) { return 1 }
        }
        // Jamo, Indic syllables and the like: the widest of the joined code points.
        let width = scalars.reduce(0) { max($0, Self.width(of: $1)) }
        return width == 0 && first.isMark ? 1 : width
    }

    /// The width of a text on one line.
    package static func of(_ text: some StringProtocol) -> Int { plainWidth(text) ?? text.reduce(0) { $0 + of($1) } }

    /// The width of a text of printable ASCII, whose octets take one column each.
    private static func plainWidth(_ text: some StringProtocol) -> Int? {
        let octets = text.utf8
        return octets.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ? octets.count : nil
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        // A soft hyphen is invisible in the middle of a line.
        case 0xAD: 0
        // A single regional indicator, and emoji that are newer than the library's tables (Unicode 14).
        case 0x1F1E6...0x1F1FF, 0x1FA70...0x1FAFF, 0x1F6DC: 2
        default: min(max(Int(utf8proc_charwidth(Int32(truncatingIfNeeded: scalar.value))), 0), 2)
        }
    }

    /// The visible form of a character: the character itself, U+FFFD if it would steer the terminal, a dotted circle
    /// below a mark without a base; `nil` if it takes no column and shows nothing.
    package static func shown(_ character: Character) -> Character? {
        if character.isPlainASCII { return character }
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return nil }
        if character.isOne(first), !first.steersScreen, width(of: first) > 0, !first.isMark { return character }
        if character.isUnsafe { return "\u{FFFD}" }
        if first.isMark { return Character("\u{25CC}" + String(String.UnicodeScalarView(scalars.prefix(longestCluster - 1)))) }
        guard of(character) > 0 else { return nil }
        return scalars.count > longestCluster ? Character(String(String.UnicodeScalarView(scalars.prefix(longestCluster)))) : character
    }

    /// Whether terminals disagree about the character's width, so that the cursor is positioned again after it.
    package static func isOdd(_ character: Character) -> Bool {
        if character.isPlainASCII { return false }
        let scalars = character.unicodeScalars
        guard let first = scalars.first, first.value >= 0x300 || scalars.count > 1 else { return false }
        return scalars.count > 1 || first.value >= 0x1F000 || (0x2190...0x2BFF).contains(first.value) && of(character) == 2
    }

    /// The text cut to at most `columns`, with an ellipsis if something was cut, never within a character.
    package static func cut(_ text: String, to columns: Int) -> String {
        guard of(text) > columns else { return text }
        guard columns > 0 else { return "" }
        var result = ""
        var used = 0
        for character in text {
            let width = of(character)
            if used + width > columns - 1 { break }
            result.append(character)
            used += width
        }
        return result + "…"
    }

    /// `text` padded with spaces up to `columns`.
    package static func pad(_ text: String, to columns: Int) -> String {
        text + String(repeating: " ", count: max(columns - of(text), 0))
    }

    /// `text` padded with spaces up to `columns`, or cut if it is wider.
    package static func fit(_ text: String, to columns: Int) -> String { pad(cut(text, to: columns), to: columns) }
}

extension Character {
    /// Whether the character is one octet that takes one column, as nearly all drawn characters are.
    fileprivate var isPlainASCII: Bool {
        let octets = utf8
        guard octets.count == 1, let octet = octets.first else { return false }
        return octet >= 0x20 && octet < 0x7F
    }

    /// Whether the character would steer the terminal, or hides text in tags. Tags after a black flag are an emoji, the
    /// flag of a part of a country (UTS #51, ED-14a).
    fileprivate var isUnsafe: Bool {
        if unicodeScalars.contains(where: \.steersScreen) { return true }
        guard unicodeScalars.contains(where: \.isTag) else { return false }
        return unicodeScalars.first?.value != 0x1F3F4 || unicodeScalars.last?.value != 0xE007F
    }

    /// Whether the character consists of its first code point only.
    fileprivate func isOne(_ first: Unicode.Scalar) -> Bool { UTF8.width(first) == utf8.count }
}

extension Unicode.Scalar {
    /// C0, DEL, C1, line and paragraph separators, and the characters that turn the direction of writing (CVE-2021-42574).
    var steersScreen: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F, 0x2028, 0x2029, 0x200E, 0x200F, 0x061C, 0x202A...0x202E, 0x2066...0x2069, 0xFFF9...0xFFFB: true
        default: false
        }
    }

    /// Whether the scalar is a letter of a hidden text, or of the flag of a part of a country.
    var isTag: Bool { (0xE0000...0xE007F).contains(value) }

    /// Whether the scalar is a mark that combines with another character.
    var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }
}

internal import CUTF8proc

/// How many columns of a terminal a text takes, and what of it can be shown.
///
/// Characters are grapheme clusters (UAX #29, as Swift segments them); the width of a code point is libutf8proc's (UAX #11).
package enum TextWidth {
    /// Code points of one character that reach the terminal; the longest emoji have ten. More are marks heaped up to hurt.
    package static let longestCluster = 16

    /// Of one character as it is drawn (see `shown`): 0, 1 or 2.
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
            // UTS #51: what follows an emoji asks for its picture; a pair of regional indicators is a flag.
            let asksForPicture = scalars.dropFirst().contains { scalar in
                switch scalar.value {
                case 0xFE0F, 0x20E3, 0x200D, 0x1F3FB...0x1F3FF, 0x1F1E6...0x1F1FF: true
                default: false
                }
            }
            if asksForPicture, first.properties.isEmoji { return 2 }
            if scalars.contains(where: { $0.value == 0xFE0E }) { return 1 }
        }
        // Jamo, Indic syllables and the like: the widest of what is joined.
        let width = scalars.reduce(0) { max($0, Self.width(of: $1)) }
        return width == 0 && first.isMark ? 1 : width
    }

    /// Of a text on one line.
    package static func of(_ text: some StringProtocol) -> Int { plainWidth(text) ?? text.reduce(0) { $0 + of($1) } }

    /// The octets of a text that has nothing but ASCII to be drawn, which take a column each.
    private static func plainWidth(_ text: some StringProtocol) -> Int? {
        let octets = text.utf8
        return octets.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ? octets.count : nil
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        // The picture of a soft hyphen is no picture in the middle of a line.
        case 0xAD: 0
        // Regional indicators, one by itself, and pictures younger than the library's tables (Unicode 14).
        case 0x1F1E6...0x1F1FF, 0x1FA70...0x1FAFF, 0x1F6DC: 2
        default: min(max(Int(utf8proc_charwidth(Int32(truncatingIfNeeded: scalar.value))), 0), 2)
        }
    }

    /// What is drawn for a character: itself, U+FFFD for one that would steer the terminal, a dotted circle below a mark that
    /// stands alone; `nil` for what takes no column and shows nothing.
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

    /// Whether terminals disagree about how far the cursor moves for it, so that it is placed anew behind it.
    package static func isOdd(_ character: Character) -> Bool {
        if character.isPlainASCII { return false }
        let scalars = character.unicodeScalars
        guard let first = scalars.first, first.value >= 0x300 || scalars.count > 1 else { return false }
        return scalars.count > 1 || first.value >= 0x1F000 || (0x2190...0x2BFF).contains(first.value) && of(character) == 2
    }

    /// At most `columns` wide, with an ellipsis where something was cut, never through a character.
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

    /// `text` with spaces behind it up to `columns`.
    package static func pad(_ text: String, to columns: Int) -> String {
        text + String(repeating: " ", count: max(columns - of(text), 0))
    }

    /// `text` with spaces behind it up to `columns`, cut where it is wider.
    package static func fit(_ text: String, to columns: Int) -> String { pad(cut(text, to: columns), to: columns) }
}

extension Character {
    /// Nearly all that is drawn: one octet that takes one column.
    fileprivate var isPlainASCII: Bool {
        let octets = utf8
        guard octets.count == 1, let octet = octets.first else { return false }
        return octet >= 0x20 && octet < 0x7F
    }

    /// Whether it would steer the terminal, or hides a text in tags. Behind a black flag tags are a picture, the flag of a part of a country
    /// (UTS #51, ED-14a).
    fileprivate var isUnsafe: Bool {
        if unicodeScalars.contains(where: \.steersScreen) { return true }
        guard unicodeScalars.contains(where: \.isTag) else { return false }
        return unicodeScalars.first?.value != 0x1F3F4 || unicodeScalars.last?.value != 0xE007F
    }

    /// Whether nothing follows its first code point.
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

    /// A letter of a hidden text, or of the flag of a part of a country.
    var isTag: Bool { (0xE0000...0xE007F).contains(value) }

    /// Whether it stands on another character.
    var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }
}

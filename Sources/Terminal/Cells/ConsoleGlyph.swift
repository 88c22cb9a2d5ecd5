/// Characters for the console of Linux, whose fonts have 256 or 512 glyphs: no emoji, and few symbols.
///
/// Letters stay as they are: the font that the host has chosen has those of the host's language, and the kernel shows a
/// mark in place of the others.
///
/// Source: console_codes(4); the fonts of Debian's console-setup (Lat15, Lat2, Uni1 to Uni3) have ASCII, the blocks and
/// the single lines in common, and nearly all of them ISO 8859-1.
package enum ConsoleGlyph {
    /// Whether a terminal is the console of Linux, by the value of `TERM`.
    package static func isConsole(_ name: String?) -> Bool { name == "linux" || name?.hasPrefix("linux-") == true }

    /// Symbols that no font lacks, and that need no replacement.
    private static let common: Set<Character> = ["─", "│", "┌", "┐", "└", "┘", "├", "┤", "┬", "┴", "┼", "░", "▒", "▓", "█", "▀", "▄", "▌", "▐"]
    private static let alike: [Character: Character] = [
        "…": "~", "–": "-", "—": "-", "−": "-", "“": "\"", "”": "\"", "„": "\"", "‘": "'", "’": "'", "‹": "<", "›": ">", "←": "<", "→": ">", "↑": "^", "↓": "v",
        "▸": ">", "▶": ">", "◂": "<", "▾": "v", "▽": "v", "▴": "^", "•": "*", "●": "*", "○": "o", "✓": "+", "✔": "+", "✕": "x", "✗": "x", "▢": "#", "▎": "│",
        "━": "─", "┃": "│", "≤": "<", "≥": ">",
    ]

    /// The text that the console shows in place of a character, in as many columns.
    package static func text(_ character: Character) -> String {
        if character.isASCII || common.contains(character) || character.isLatin1 { return String(character) }
        if let other = alike[character] { return String(other) }
        if character.unicodeScalars.first?.properties.isAlphabetic == true { return String(character) }
        return TextWidth.of(character) == 2 ? "* " : "?"
    }
}

extension Character {
    /// Whether the character is one of ISO 8859-1, which the fonts of console-setup have.
    fileprivate var isLatin1: Bool { unicodeScalars.count == 1 && unicodeScalars.first.map { (0xA1...0xFF).contains($0.value) } == true }
}

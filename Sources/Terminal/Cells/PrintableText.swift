/// Text from other people, made safe for a terminal.
extension String {
    /// One line in which nothing can steer a terminal: a visible substitute replaces control characters, line ends and
    /// the characters that change the direction of writing (Trojan Source, CVE-2021-42574). A combining mark at the
    /// beginning gets a dotted circle below it, as on the full screen; otherwise it would be drawn over the character
    /// before the text.
    package var printable: String {
        if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return self }
        let isLoneMark = unicodeScalars.first?.isMark ?? false
        guard isLoneMark || unicodeScalars.contains(where: \.steersTerminal) else { return self }
        var result = String.UnicodeScalarView()
        if isLoneMark { result.append("\u{25CC}") }
        for scalar in unicodeScalars {
            if scalar == "\n" || scalar == "\r" || scalar == "\t" {
                result.append(" ")
            } else {
                result.append(scalar.steersTerminal ? "\u{FFFD}" : scalar)
            }
        }
        return String(result)
    }

    /// The text without white space at its ends.
    package var trimmed: String {
        var rest = Substring(self)
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return String(rest)
    }

    /// As `printable`, for text of several lines: line feeds stay, tabs become spaces.
    package var printableLines: [String] {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
    }

    /// As `printable`, for text that stays a table's cell: line ends and tabs stay.
    package var printableCell: String {
        guard unicodeScalars.contains(where: { $0.steersTerminal && !$0.isLayout }) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.steersTerminal && !$0.isLayout ? "\u{FFFD}" : $0 }))
    }
}

extension [UInt8] {
    /// The same JSON with nothing that can steer a terminal: characters that `printable` replaces become `\u` escapes.
    /// Takes one value, or several values on separate lines.
    ///
    /// Source: RFC 8259 §7. Outside of strings, valid JSON has none of these characters except line ends and tabs.
    package var printableJSON: [UInt8] {
        // Most output is ASCII.
        if allSatisfy({ $0 < 0x7F }) { return self }
        let text = String(decoding: self, as: UTF8.self)
        guard text.unicodeScalars.contains(where: \.isEscaped) else { return self }
        var octets: [UInt8] = []
        octets.reserveCapacity(count + 64)
        for scalar in text.unicodeScalars {
            guard scalar.isEscaped else {
                octets.append(contentsOf: String(scalar).utf8)
                continue
            }
            for unit in String(scalar).utf16 {
                let hex = String(unit, radix: 16)
                octets += Array(("\\u" + String(repeating: "0", count: 4 - hex.count) + hex).utf8)
            }
        }
        return octets
    }
}

extension Unicode.Scalar {
    /// Whether the scalar steers a screen, or is an invisible tag.
    fileprivate var steersTerminal: Bool { steersScreen || isTag }

    /// Line ends and tabs.
    fileprivate var isLayout: Bool { self == "\n" || self == "\r" || self == "\t" }

    /// Whether the scalar has to be escaped in JSON for a terminal; JSON escapes C0 anyway.
    fileprivate var isEscaped: Bool { value >= 0x7F && steersTerminal }
}

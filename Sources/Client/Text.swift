/// Text of other people, on its way to a terminal.
extension String {
    /// One line in which nothing can steer a terminal: control characters, line ends and the characters that turn the direction of
    /// writing (Trojan Source, CVE-2021-42574) become a visible substitute. A mark at the beginning gets a dotted circle below it, as on
    /// the full screen: it would be drawn over the character before the text.
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

    /// The same for text of several lines: line feeds stay, tabs become spaces.
    package var printableLines: [String] {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
    }

    /// The same for text that stays a table's cell: line ends and tabs stay.
    var printableCell: String {
        guard unicodeScalars.contains(where: { $0.steersTerminal && !$0.isLayout }) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.steersTerminal && !$0.isLayout ? "\u{FFFD}" : $0 }))
    }
}

extension [UInt8] {
    /// The same JSON in which nothing can steer a terminal: characters that `printable` replaces are written as `\u` escapes. For one
    /// value, or several lines of them.
    ///
    /// Source: RFC 8259 §7. Outside of strings, valid JSON has none of these characters but line ends and tabs.
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
    /// C0, DEL, C1, line and paragraph separators, bidirectional controls, and tags that show nothing.
    var steersTerminal: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F: true
        case 0x2028, 0x2029: true
        case 0x200E, 0x200F, 0x061C, 0x202A...0x202E, 0x2066...0x2069: true
        case 0xFFF9...0xFFFB: true
        case 0xE0000...0xE007F: true
        default: false
        }
    }

    /// Whether it is drawn on the character before it.
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }

    /// Line ends and tabs.
    fileprivate var isLayout: Bool { self == "\n" || self == "\r" || self == "\t" }

    /// Whether JSON has to escape it for a terminal; C0 is escaped in JSON anyway.
    fileprivate var isEscaped: Bool { value >= 0x7F && steersTerminal }
}

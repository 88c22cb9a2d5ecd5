/// Text of other people, on its way to a terminal.
extension String {
    /// One line in which nothing can steer a terminal: control characters, line ends and the characters that turn the direction of
    /// writing (Trojan Source, CVE-2021-42574) become a visible substitute.
    package var printable: String {
        if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return self }
        guard unicodeScalars.contains(where: \.steersTerminal) else { return self }
        var result = String.UnicodeScalarView()
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
}

extension Unicode.Scalar {
    /// C0, DEL, C1, line and paragraph separators, bidirectional controls, and tags that show nothing.
    var steersTerminal: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F: true
        case 0x2028, 0x2029: true
        case 0x200E, 0x200F, 0x061C, 0x202A...0x202E, 0x2066...0x2069: true
        case 0xFFF9...0xFFFB: true
        default: false
        }
    }
}

/// The rules of texts.
enum TextRules {
    /// Without white space at both ends; `nil` when nothing is left.
    static func trimmed(_ text: String) -> String? {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last else { return nil }
        // Almost every text comes trimmed: look at two scalars and copy nothing.
        if !isSpace(first), !isSpace(last) { return text }
        guard let start = scalars.firstIndex(where: { !isSpace($0) }), let end = scalars.lastIndex(where: { !isSpace($0) }) else {
            return nil
        }
        return String(scalars[start...end])
    }

    static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09...0x0D, 0x20: true
        case 0...0x7F: false
        // Zero width space and the byte order mark show nothing either: a name made of them is empty.
        case 0x200B, 0xFEFF: true
        default: scalar.properties.isWhitespace
        }
    }

    /// At most `max` Unicode scalars.
    static func fits(_ text: String, max: Int) -> Bool {
        // A scalar is 1...4 octets, so most texts need no counting.
        let octets = text.utf8.count
        if octets <= max { return true }
        if octets > 4 * max { return false }
        return text.unicodeScalars.count <= max
    }

    /// No control characters (C0, DEL, C1), no separators that break a line unless `lines`; with `lines` also line feed and tab.
    static func isShown(_ text: String, lines: Bool) -> Bool {
        if isPlain(text) { return true }
        return withOctets(text) { octets in
            var previous: UInt8 = 0
            var beforeThat: UInt8 = 0
            for octet in octets {
                switch octet {
                case 0x0A, 0x09: if !lines { return false }
                case 0..<0x20, 0x7F: return false
                // C1 is C2 80...C2 9F; the line and paragraph separators are E2 80 A8 and E2 80 A9.
                case 0x80...0x9F: if previous == 0xC2 { return false }
                case 0xA8, 0xA9: if !lines, previous == 0x80, beforeThat == 0xE2 { return false }
                default: break
                }
                beforeThat = previous
                previous = octet
            }
            return true
        }
    }

    /// Lends the UTF-8 of a text as memory: walking it through the text's own view takes six times as many instructions.
    private static func withOctets<Value>(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        text.utf8.withContiguousStorageIfAvailable(body) ?? Array(text.utf8).withUnsafeBufferPointer(body)
    }

    /// The text without the characters that show nothing, by which two names could look the same and differ. The joiners of several scripts
    /// (ZWJ, ZWNJ) stay, and variation selectors where they select: behind an emoji or an ideograph, before a keycap.
    ///
    /// Source: Unicode UAX #44, Default_Ignorable_Code_Point; UTS #51 for emoji; UTS #37 for ideographs.
    static func visible(_ text: String) -> String {
        if isPlain(text) { return text }
        let scalars = Array(text.unicodeScalars)
        var kept = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            let before = index > 0 ? scalars[index - 1] : " "
            let isShown =
                switch scalar.value {
                case 0x200C, 0x200D: true
                case 0xFE0E, 0xFE0F:
                    before.value > 0x7F && before.properties.isEmoji || index + 1 < scalars.count && scalars[index + 1].value == 0x20E3
                case 0xE0100...0xE01EF: before.properties.isIdeographic
                default: !scalar.properties.isDefaultIgnorableCodePoint
                }
            if isShown { kept.append(scalar) }
        }
        return String(kept)
    }

    /// Whether all octets are printable ASCII, as those of most texts are. No branch in the loop, so that it takes sixteen at a time: the
    /// two walks that it saves were a sixth of what a message costs the writer.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { octets in
            var others: UInt8 = 0
            for octet in octets { others |= octet &- 0x20 < 0x5F ? 0 : 1 }
            return others == 0
        } ?? false
    }

    /// Line ends of other systems become line feeds.
    static func withLineFeeds(_ text: String) -> String {
        guard !isPlain(text), withOctets(text, { $0.contains(0x0D) }) else { return text }
        var octets: [UInt8] = []
        octets.reserveCapacity(text.utf8.count)
        var afterReturn = false
        for octet in text.utf8 {
            if octet == 0x0D {
                octets.append(0x0A)
            } else if octet != 0x0A || !afterReturn {
                octets.append(octet)
            }
            afterReturn = octet == 0x0D
        }
        return String(decoding: octets, as: UTF8.self)
    }

    static func isLetter(_ octet: UInt8) -> Bool {
        (0x41...0x5A).contains(octet) || (0x61...0x7A).contains(octet)
    }

    static func isDigit(_ octet: UInt8) -> Bool {
        (0x30...0x39).contains(octet)
    }

    /// An absolute `http` or `https` URL with its scheme in lower case; `nil` when it is none.
    ///
    /// User names before the host are refused: they make a link look as if it led somewhere else.
    /// Octets above ASCII are let through everywhere (international names and paths as people paste them).
    ///
    /// Source: RFC 3986 §3, §3.2.
    static func canonicalURL(_ text: String) -> String? {
        let octets = Array(text.utf8)
        guard let colon = octets.firstIndex(of: UInt8(ascii: ":")), colon == 4 || colon == 5 else { return nil }
        let scheme = octets[..<colon].map { isLetter($0) ? $0 | 0x20 : $0 }
        guard scheme == Array("http".utf8) || scheme == Array("https".utf8) else { return nil }
        let rest = octets[(colon + 1)...]
        guard rest.starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")]) else { return nil }
        let forbidden = Array("\"<>\\^`{|} ".utf8)
        guard rest.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !forbidden.contains($0) }), isShown(text, lines: false) else { return nil }
        guard !text.unicodeScalars.contains(where: isSpace) else { return nil }
        let afterSlashes = rest.dropFirst(2)
        let ends = Array("/?#".utf8)
        guard isAuthority(afterSlashes.prefix { !ends.contains($0) }) else { return nil }
        return String(decoding: scheme + octets[colon...], as: UTF8.self)
    }

    /// Host and optional port.
    private static func isAuthority(_ authority: ArraySlice<UInt8>) -> Bool {
        var host = authority
        var port: ArraySlice<UInt8>?
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { return false }
            host = authority[(authority.startIndex + 1)..<end]
            let marks = Array(":.".utf8)
            guard !host.isEmpty, host.allSatisfy({ isHexDigit($0) || marks.contains($0) }) else { return false }
            let after = authority[(end + 1)...]
            if !after.isEmpty {
                guard after.first == UInt8(ascii: ":") else { return false }
                port = after.dropFirst()
            }
        } else {
            if let colon = authority.firstIndex(of: UInt8(ascii: ":")) {
                host = authority[..<colon]
                port = authority[(colon + 1)...]
            }
            guard isHostName(host) else { return false }
        }
        guard let port else { return true }
        guard port.count <= 5, port.allSatisfy(isDigit) else { return false }
        return port.reduce(0) { $0 * 10 + Int($1 & 0xF) } <= 65_535
    }

    private static func isHostName(_ host: ArraySlice<UInt8>) -> Bool {
        guard !host.isEmpty, host.first != UInt8(ascii: ".") else { return false }
        var previous: UInt8 = 0
        for octet in host {
            let isPlain = isLetter(octet) || isDigit(octet) || octet >= 0x80 || octet == UInt8(ascii: "-") || octet == UInt8(ascii: "_")
            guard isPlain || (octet == UInt8(ascii: ".") && previous != UInt8(ascii: ".")) else { return false }
            previous = octet
        }
        return true
    }

    private static func isHexDigit(_ octet: UInt8) -> Bool {
        isDigit(octet) || (0x61...0x66).contains(octet | 0x20)
    }
}

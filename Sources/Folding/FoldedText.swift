internal import CUTF8proc

/// A text as search and sorting see it: without case, accents and other marks.
///
/// Compatibility decomposition (NFKD), full case folding, then marks and invisible characters left out (Unicode Standard §3.13,
/// UAX #15), and a small table for letters that people write without their stroke: `Łódź` → `lodz`, `Straße` → `strasse`.
///
/// Each character is folded by itself, so that folding a piece of a text gives that piece of the folded text: what is found in the text is
/// found in its folded form. Folding twice changes nothing.
package struct FoldedText: Hashable, Comparable, Sendable {
    /// UTF-8.
    package let octets: [UInt8]

    package init(_ text: String) {
        var octets: [UInt8] = []
        octets.appendFolded(text)
        self.octets = octets
    }

    package var isEmpty: Bool { octets.isEmpty }

    /// As folded texts sort: by code point.
    package static func < (left: FoldedText, right: FoldedText) -> Bool { left.octets.precedes(right.octets) }
}

extension [UInt8] {
    /// Appends the folded form of a text.
    ///
    /// - Complexity: some 1 ns an octet of ASCII, 50 ns any other character.
    package mutating func appendFolded(_ text: String) {
        var text = text
        text.withUTF8 { octets in
            reserveCapacity(count + octets.count)
            var index = 0
            while index < octets.count {
                let octet = octets[index]
                if octet < 0x80 {
                    append(octet &- 0x41 < 26 ? octet | 0x20 : octet)
                    index += 1
                } else {
                    // A string's octets are well formed: the first one of a character says how many it has.
                    let length = octet < 0xE0 ? 2 : octet < 0xF0 ? 3 : 4
                    let end = Swift.min(index + length, octets.count)
                    var value = UInt32(octet) & (0xFF >> UInt32(length + 1))
                    for follower in octets[(index + 1)..<end] { value = value << 6 | UInt32(follower & 0x3F) }
                    if let scalar = Unicode.Scalar(value) { appendFolded(scalar) }
                    index = end
                }
            }
        }
    }

    /// The longest that one character decomposes to: U+FDFA, 18 code points.
    private static var longestDecomposition: Int { 18 }

    private mutating func appendFolded(_ scalar: Unicode.Scalar) {
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: Self.longestDecomposition) { points in
            let count = cutf8proc_fold(Int32(truncatingIfNeeded: scalar.value), points.baseAddress, points.count)
            guard count >= 0 else { return append(scalar) }
            for point in points.prefix(count) {
                guard let folded = Unicode.Scalar(UInt32(bitPattern: point)) else { continue }
                if let letters = folded.withoutStroke { append(contentsOf: letters.utf8) } else { append(folded) }
            }
        }
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        guard let encoded = UTF8.encode(scalar) else { return }
        append(contentsOf: encoded)
    }

    /// Whether `needle` is in these octets; an empty one is in all.
    ///
    /// - Complexity: about an octet a nanosecond (memmem).
    package func contains(folded needle: FoldedText) -> Bool {
        guard !needle.isEmpty else { return true }
        return withUnsafeBytes { all in
            needle.octets.withUnsafeBytes { part in memmem(all.baseAddress, all.count, part.baseAddress, part.count) != nil }
        }
    }

    /// Lexicographic order of the octets, which for UTF-8 is that of the code points.
    package func precedes(_ other: [UInt8]) -> Bool { lexicographicallyPrecedes(other) }
}

extension Unicode.Scalar {
    /// Letters that Unicode does not take apart and people type without the stroke, and ligatures, in lower case; `nil` for all others.
    fileprivate var withoutStroke: String? {
        switch self {
        case "ł": "l"
        case "ø": "o"
        case "đ", "ð": "d"
        case "ħ": "h"
        case "ŧ": "t"
        case "ı": "i"
        case "ŋ": "n"
        case "ĸ": "k"
        case "þ": "th"
        case "æ": "ae"
        case "œ": "oe"
        // Of quotation marks the library lumps only the single ones; telephones type the curly.
        case "\u{201C}", "\u{201D}", "\u{201E}", "\u{201F}": "\""
        default: nil
        }
    }
}

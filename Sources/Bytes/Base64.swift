/// Base64 of RFC 4648. Each alphabet has one spelling of each value: decoding refuses every other one.
package enum Base64 {
    /// The letters for 62 and 63, and whether `=` fills the last group.
    package enum Alphabet: Sendable {
        /// `+` and `/`, padded (RFC 4648 §4): used by the WebSocket handshake.
        case standard
        /// `-` and `_`, not padded (RFC 4648 §5, §3.2): used by tokens, codes and anything that may be part of a URL.
        case urlSafe

        fileprivate var isPadded: Bool { self == .standard }

        fileprivate func letter(_ value: UInt32) -> UInt8 {
            switch value & 0x3F {
            case 0...25: UInt8(ascii: "A") + UInt8(value & 0x3F)
            case 26...51: UInt8(ascii: "a") + UInt8(value & 0x3F) - 26
            case 52...61: UInt8(ascii: "0") + UInt8(value & 0x3F) - 52
            case 62: self == .standard ? UInt8(ascii: "+") : UInt8(ascii: "-")
            default: self == .standard ? UInt8(ascii: "/") : UInt8(ascii: "_")
            }
        }

        fileprivate func value(_ letter: UInt8) -> UInt32? {
            switch letter {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a")) + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0")) + 52
            case UInt8(ascii: "+") where self == .standard, UInt8(ascii: "-") where self == .urlSafe: 62
            case UInt8(ascii: "/") where self == .standard, UInt8(ascii: "_") where self == .urlSafe: 63
            default: nil
            }
        }
    }

    /// The text of `octets`.
    package static func encode(_ octets: [UInt8], _ alphabet: Alphabet = .standard) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((octets.count + 2) / 3 * 4)
        append(octets.span, to: &text, alphabet)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the letters of `octets` to `text`.
    package static func append(_ octets: Span<UInt8>, to text: inout [UInt8], _ alphabet: Alphabet = .standard) {
        var index = 0
        while index < octets.count {
            let left = octets.count - index
            var group = UInt32(octets[index]) << 16
            if left > 1 { group |= UInt32(octets[index + 1]) << 8 }
            if left > 2 { group |= UInt32(octets[index + 2]) }
            text.append(alphabet.letter(group >> 18))
            text.append(alphabet.letter(group >> 12))
            if left > 1 { text.append(alphabet.letter(group >> 6)) } else if alphabet.isPadded { text.append(UInt8(ascii: "=")) }
            if left > 2 { text.append(alphabet.letter(group)) } else if alphabet.isPadded { text.append(UInt8(ascii: "=")) }
            index += 3
        }
    }

    /// The octets that `text` encodes; `nil` for letters of another alphabet, white space, missing or surplus padding,
    /// and for unused bits that are not zero (RFC 4648 §3.5).
    package static func decode(_ text: Span<UInt8>, _ alphabet: Alphabet = .standard) -> [UInt8]? {
        var letters = text.count
        if alphabet.isPadded {
            guard letters % 4 == 0 else { return nil }
            // At most two fill the last group; the code below refuses a third as a letter.
            if letters > 0, text[letters - 1] == UInt8(ascii: "=") { letters -= 1 }
            if letters > 0, letters < text.count, text[letters - 1] == UInt8(ascii: "=") { letters -= 1 }
        }
        guard letters % 4 != 1 else { return nil }
        var octets: [UInt8] = []
        octets.reserveCapacity(letters * 3 / 4)
        var bits: UInt32 = 0
        var held: UInt32 = 0
        for index in 0..<letters {
            guard let value = alphabet.value(text[index]) else { return nil }
            bits = bits << 6 | value
            held += 6
            if held >= 8 {
                held -= 8
                octets.append(UInt8(truncatingIfNeeded: bits >> held))
                bits &= (1 << held) - 1
            }
        }
        return bits == 0 ? octets : nil
    }

    /// The octets that `text` encodes; see `decode(_: Span<UInt8>, _:)`.
    package static func decode(_ text: String, _ alphabet: Alphabet = .standard) -> [UInt8]? {
        decode(Array(text.utf8).span, alphabet)
    }
}

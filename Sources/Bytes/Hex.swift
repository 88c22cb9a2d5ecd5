/// Octets as pairs of lower-case hexadecimal digits: one spelling for each value.
package enum Hex {
    /// The text of `octets`, twice as long.
    package static func encode(_ octets: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(octets.count * 2)
        append(octets.span, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends two digits for each of `octets`.
    package static func append(_ octets: Span<UInt8>, to text: inout [UInt8]) {
        for index in 0..<octets.count {
            text.append(digit(octets[index] >> 4))
            text.append(digit(octets[index] & 0xF))
        }
    }

    /// The octets that `text` encodes; `nil` for an odd count, upper case, or anything that is not a digit.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count % 2 == 0 else { return nil }
        var octets: [UInt8] = []
        octets.reserveCapacity(text.count / 2)
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = value(text[index]), let low = value(text[index + 1]) else { return nil }
            octets.append(high << 4 | low)
        }
        return octets
    }

    /// The octets that `text` encodes; see `decode(_: Span<UInt8>)`.
    package static func decode(_ text: String) -> [UInt8]? {
        decode(Array(text.utf8).span)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

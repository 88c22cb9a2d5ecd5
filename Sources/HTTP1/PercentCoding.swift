/// Percent-encoding (RFC 3986 §2.1).
package enum PercentCoding {
    /// The octets that a text encodes.
    ///
    /// - Parameter plusIsSpace: whether `+` is a space, as in a form's query.
    /// - Returns: `nil` if a `%` is not followed by two digits.
    package static func decode(_ text: some Sequence<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
        var octets: [UInt8] = []
        var rest = text.makeIterator()
        while let octet = rest.next() {
            switch octet {
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(HeadLines.hexDigit), let low = rest.next().flatMap(HeadLines.hexDigit) else { return nil }
                octets.append(UInt8(high) << 4 | UInt8(low))
            case UInt8(ascii: "+") where plusIsSpace: octets.append(0x20)
            default: octets.append(octet)
            }
        }
        return octets
    }

    /// Like `decode`; also `nil` if the octets are not UTF-8.
    package static func text(_ text: some Sequence<UInt8>) -> String? { decode(text).flatMap { String(validating: $0, as: UTF8.self) } }

    /// Every octet except letters, digits, `-`, `.`, `_` and `~` as a triplet: valid in any part of a URL, and in an
    /// `ext-value` (RFC 8187).
    package static func encode(_ text: String) -> String {
        var octets: [UInt8] = []
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                octets.append(octet)
            default: octets += [UInt8(ascii: "%"), hex(octet >> 4), hex(octet & 15)]
            }
        }
        return String(decoding: octets, as: UTF8.self)
    }

    private static func hex(_ digit: UInt8) -> UInt8 { digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10 }
}

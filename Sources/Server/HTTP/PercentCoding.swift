/// Percent-encoding (RFC 3986 §2.1).
enum PercentCoding {
    /// The octets that a text stands for, as UTF-8; `nil` when a triplet is not whole or they are no UTF-8.
    static func decode(_ text: some Sequence<UInt8>) -> String? {
        var octets: [UInt8] = []
        var left = text.makeIterator()
        while let octet = left.next() {
            guard octet == UInt8(ascii: "%") else {
                octets.append(octet)
                continue
            }
            guard let high = left.next().flatMap(digit), let low = left.next().flatMap(digit) else { return nil }
            octets.append(high << 4 | low)
        }
        return String(validating: octets, as: UTF8.self)
    }

    /// Every octet but letters, digits, `-`, `.`, `_` and `~` as a triplet: what any part of an address, and an `ext-value` (RFC 8187), takes.
    static func encode(_ text: String) -> String {
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

    private static func digit(_ octet: UInt8) -> UInt8? {
        switch octet {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): octet - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): octet - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): octet - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

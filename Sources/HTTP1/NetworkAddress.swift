/// An IPv4 or IPv6 address as a number, for comparing and counting. An IPv4 address is stored in its IPv6 form,
/// `::ffff:a.b.c.d` (RFC 4291 §2.5.5.2), so that a peer has the same address on either kind of socket.
package struct NetworkAddress: Hashable, Sendable {
    /// The first and the last 64 bits.
    package let high: UInt64
    package let low: UInt64

    private static let mapped: UInt64 = 0xFFFF << 32

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads `192.0.2.7` or `2001:db8::7` (RFC 4291 §2.2), without brackets, port and zone; `nil` for any other text,
    /// including names.
    package init?(_ text: String) {
        self.init(text.utf8Span.span)
    }

    init?(_ text: Span<UInt8>) {
        if let four = Self.four(text, 0..<text.count) {
            self.init(high: 0, low: Self.mapped | UInt64(four))
        } else if let six = Self.six(text) {
            self = six
        } else {
            return nil
        }
    }

    package var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// The group for limits per address: the address itself in IPv4; in IPv6 its /64, all of which belongs to one
    /// subscriber (RFC 6177).
    package var limitGroup: NetworkAddress { isIPv4 ? self : NetworkAddress(high: high, low: 0) }

    /// Four numbers up to 255, without leading zeros, which some readers take for octal.
    private static func four(_ text: Span<UInt8>, _ range: Range<Int>) -> UInt32? {
        var address: UInt32 = 0
        var index = range.lowerBound
        for part in 0..<4 {
            if part > 0 {
                guard index < range.upperBound, text[index] == UInt8(ascii: ".") else { return nil }
                index += 1
            }
            let start = index
            var value: UInt32 = 0
            while index < range.upperBound, index - start < 3, let digit = HeadLines.digit(text[index]) {
                value = value * 10 + UInt32(digit)
                index += 1
            }
            guard index > start, value <= 255, index - start == 1 || text[start] != UInt8(ascii: "0") else { return nil }
            address = address << 8 | value
        }
        return index == range.upperBound ? address : nil
    }

    private static func six(_ text: Span<UInt8>) -> NetworkAddress? {
        let colon = UInt8(ascii: ":")
        guard text.count >= 2 else { return nil }
        var groups: [UInt16] = []
        var gap: Int?
        var index = 0
        if text[0] == colon {
            guard text[1] == colon else { return nil }
            gap = 0
            index = 2
        }
        while index < text.count {
            guard groups.count < 8 else { return nil }
            let start = index
            var value: UInt16 = 0
            while index < text.count, index - start < 4, let digit = HeadLines.hexDigit(text[index]) {
                value = value << 4 | UInt16(digit)
                index += 1
            }
            if index < text.count, text[index] == UInt8(ascii: ".") {
                guard groups.count <= 6, let tail = four(text, start..<text.count) else { return nil }
                groups += [UInt16(tail >> 16), UInt16(tail & 0xFFFF)]
                break
            }
            guard index > start else { return nil }
            groups.append(value)
            guard index < text.count else { break }
            guard text[index] == colon, index + 1 < text.count else { return nil }
            index += 1
            if text[index] == colon {
                guard gap == nil else { return nil }
                gap = groups.count
                index += 1
            }
        }
        if let gap {
            guard groups.count < 8 else { return nil }
            groups.insert(contentsOf: [UInt16](repeating: 0, count: 8 - groups.count), at: gap)
        }
        guard groups.count == 8 else { return nil }
        let halves = [groups[..<4], groups[4...]].map { $0.reduce(UInt64(0)) { $0 << 16 | UInt64($1) } }
        return NetworkAddress(high: halves[0], low: halves[1])
    }
}

/// All addresses that begin with the same bits: `10.0.0.0/8`, `2001:db8::/32`, or one address.
package struct AddressRange: Hashable, Sendable {
    private let first: NetworkAddress
    private let bits: Int

    /// Reads `ADDRESS` or `ADDRESS/BITS`; bits after the prefix are ignored. `nil` for any other text.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = NetworkAddress(String(parts[0])) else { return nil }
        let width = address.isIPv4 && !parts[0].contains(":") ? 32 : 128
        var bits = width
        if parts.count == 2 {
            guard let number = Int(parts[1]), parts[1].utf8.allSatisfy({ HeadLines.digit($0) != nil }), number <= width else { return nil }
            bits = number
        }
        self.bits = bits + 128 - width
        first = Self.cut(address, self.bits)
    }

    package func contains(_ address: NetworkAddress) -> Bool { Self.cut(address, bits) == first }

    private static func cut(_ address: NetworkAddress, _ bits: Int) -> NetworkAddress {
        NetworkAddress(high: address.high & mask(min(bits, 64)), low: address.low & mask(max(bits - 64, 0)))
    }

    private static func mask(_ bits: Int) -> UInt64 { bits == 0 ? 0 : ~0 << UInt64(64 - bits) }
}

extension NetworkAddress {
    private static let loopback = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }

    /// 127.0.0.0/8 or ::1.
    package var isLoopback: Bool { Self.loopback.contains { $0.contains(self) } }
}

/// A 128-bit name of a record, a member, a family or a client, written as a UUID (RFC 9562 §4).
///
/// Any version is accepted from clients. The server and our own client make version 7 (time first), because ids that
/// grow with time append to the right edge of an index instead of touching a random leaf.
package struct Identifier: Hashable, Comparable, Sendable {
    package var high: UInt64
    package var low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads the one accepted form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` in lower case; `nil` for anything else, so
    /// that one id has one spelling everywhere.
    package init?(_ text: Span<UInt8>) {
        guard text.count == 36 else { return nil }
        // A snapshot has four a record, so that a client reads twenty thousand before its first frame: group by group, looking once at the end
        // whether all were digits.
        let dash = UInt8(ascii: "-")
        guard text[8] == dash, text[13] == dash, text[18] == dash, text[23] == dash else { return nil }
        var isSound = true
        let high = Self.digits(text, 0, 8, &isSound) << 32 | Self.digits(text, 9, 4, &isSound) << 16 | Self.digits(text, 14, 4, &isSound)
        let low = Self.digits(text, 19, 4, &isSound) << 48 | Self.digits(text, 24, 12, &isSound)
        guard isSound else { return nil }
        self.init(high: high, low: low)
    }

    /// - Parameter count: digits, 1...16.
    @inline(__always)
    private static func digits(_ text: Span<UInt8>, _ start: Int, _ count: Int, _ isSound: inout Bool) -> UInt64 {
        var value: UInt64 = 0
        for place in start..<start + count {
            let decimal = text[place] &- UInt8(ascii: "0")
            let letter = text[place] &- UInt8(ascii: "a")
            if decimal >= 10, letter >= 6 { isSound = false }
            value = value << 4 | UInt64(truncatingIfNeeded: (decimal < 10 ? decimal : letter &+ 10) & 0xF)
        }
        return value
    }

    package init?(_ text: String) {
        var copy = text
        let parsed = copy.withUTF8 { Identifier($0.span) }
        guard let parsed else { return nil }
        self = parsed
    }

    /// Version 7 (RFC 9562 §5.7): 48 bits of milliseconds, then 74 random bits.
    ///
    /// - Parameters:
    ///   - milliseconds: UTC, since 1970; only the lower 48 bits count.
    ///   - random: 128 random bits, of which 74 are used.
    package static func version7(milliseconds: Int64, random: (UInt64, UInt64)) -> Identifier {
        let time = UInt64(bitPattern: milliseconds) & 0xFFFF_FFFF_FFFF
        return Identifier(
            high: time << 16 | 0x7000 | (random.0 & 0x0FFF),
            low: 0x8000_0000_0000_0000 | (random.1 & 0x3FFF_FFFF_FFFF_FFFF))
    }

    /// Appends the 36 octets of the textual form.
    package func append(to octets: inout [UInt8]) {
        // Into the stack first: 36 times asking an array for room costs several times the digits.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 36) { text in
            var place = 0
            func put(_ octet: UInt8) {
                text.initializeElement(at: place, to: octet)
                place &+= 1
            }
            for digit in 0..<32 {
                if digit == 8 || digit == 12 || digit == 16 || digit == 20 { put(UInt8(ascii: "-")) }
                let half = digit < 16 ? high : low
                let value = UInt8(truncatingIfNeeded: half &>> UInt64(truncatingIfNeeded: 60 &- 4 &* (digit & 15))) & 0xF
                put(value < 10 ? value &+ UInt8(ascii: "0") : value &- 10 &+ UInt8(ascii: "a"))
            }
            octets.append(contentsOf: text)
        }
    }

    package static func < (left: Identifier, right: Identifier) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }
}

extension Identifier: CustomStringConvertible {
    package var description: String {
        var octets: [UInt8] = []
        octets.reserveCapacity(36)
        append(to: &octets)
        return String(decoding: octets, as: UTF8.self)
    }
}

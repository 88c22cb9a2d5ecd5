/// A 128-bit id of a record, a member, a family or a client, written as a UUID (RFC 9562 §4).
///
/// Clients may send any version. The server and our own client create version 7 (time first), because ids that grow
/// with time are added at the right edge of an index instead of at a random leaf.
package struct Identifier: Hashable, Comparable, Sendable {
    package var high: UInt64
    package var low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads the only accepted form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` in lower case; `nil` for any other text, so
    /// that each id has one spelling everywhere.
    package init?(_ text: Span<UInt8>) {
        guard text.count == Self.textOctets else { return nil }
        // A snapshot has four ids per record, so a client reads twenty thousand before its first frame: eight digits at
        // a time.
        let dash = UInt8(ascii: "-")
        guard text[8] == dash, text[13] == dash, text[18] == dash, text[23] == dash else { return nil }
        let words = text.withUnsafeBytes { octets in
            func four(_ start: Int) -> UInt64 { UInt64(UInt32(littleEndian: octets.loadUnaligned(fromByteOffset: start, as: UInt32.self))) }
            func eight(_ start: Int) -> UInt64 { four(start) | four(start + 4) << 32 }
            return (eight(0), four(9) | four(14) << 32, four(19) | four(24) << 32, eight(28))
        }
        let (first, second, third, fourth) = (HexWord.value(words.0), HexWord.value(words.1), HexWord.value(words.2), HexWord.value(words.3))
        // A digit with another spelling changes when it is written again.
        guard HexWord.digits(first) == words.0, HexWord.digits(second) == words.1, HexWord.digits(third) == words.2,
            HexWord.digits(fourth) == words.3
        else { return nil }
        self.init(high: UInt64(first) << 32 | UInt64(second), low: UInt64(third) << 32 | UInt64(fourth))
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

    /// Octets of the textual form.
    package static let textOctets = 36

    /// Appends the 36 octets of the textual form.
    package func append(to octets: inout [UInt8]) {
        // First onto the stack: repeated requests for array capacity cost several times as much as the digits.
        withUnsafeTemporaryAllocation(byteCount: Self.textOctets, alignment: 1) { text in
            write(to: text)
            octets.append(contentsOf: text)
        }
    }

    /// Writes the textual form.
    ///
    /// - Parameter text: the first 36 octets are written.
    package func write(to text: UnsafeMutableRawBufferPointer) {
        let second = HexWord.digits(UInt32(truncatingIfNeeded: high))
        let third = HexWord.digits(UInt32(truncatingIfNeeded: low >> 32))
        func put(_ digits: UInt64, _ start: Int) { text.storeBytes(of: digits.littleEndian, toByteOffset: start, as: UInt64.self) }
        func putFour(_ digits: UInt64, _ start: Int) {
            text.storeBytes(of: UInt32(truncatingIfNeeded: digits).littleEndian, toByteOffset: start, as: UInt32.self)
        }
        put(HexWord.digits(UInt32(truncatingIfNeeded: high >> 32)), 0)
        putFour(second, 9)
        putFour(second >> 32, 14)
        putFour(third, 19)
        putFour(third >> 32, 24)
        put(HexWord.digits(UInt32(truncatingIfNeeded: low)), 28)
        let dash = UInt8(ascii: "-")
        text[8] = dash
        text[13] = dash
        text[18] = dash
        text[23] = dash
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

/// Eight hexadecimal digits in lower case as one word, the first digit in its lowest octet, as in the memory of a
/// little-endian machine.
private enum HexWord {
    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    private static var nibbleMask: UInt64 { 0x0F0F_0F0F_0F0F_0F0F }

    /// The digits of a value.
    @inline(__always)
    static func digits(_ value: UInt32) -> UInt64 {
        var nibbles = UInt64(value)
        nibbles = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles | nibbles << 4) & nibbleMask
        // Adding six to a letter's nibble sets the bit above it. "a" is 39 after the character that follows "9".
        let letters = ((nibbles &+ 0x0606_0606_0606_0606) >> 4) & ones
        return (nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 39).byteSwapped
    }

    /// The value of digits; undefined if one of them is not a digit.
    @inline(__always)
    static func value(_ digits: UInt64) -> UInt32 {
        // Letters have a bit that digits do not have, and count from 1 below it.
        let letters = (digits >> 6) & ones
        var nibbles = ((digits & nibbleMask) &+ letters &* 9).byteSwapped & nibbleMask
        nibbles = (nibbles | nibbles >> 4) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles | nibbles >> 8) & 0x0000_FFFF_0000_FFFF
        return UInt32(truncatingIfNeeded: nibbles | nibbles >> 16)
    }
}

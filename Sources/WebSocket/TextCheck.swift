/// Validates UTF-8 (RFC 3629) as it arrives, in pieces cut anywhere, and fails at the first octet that no continuation
/// could repair.
///
/// Overlong forms, surrogates and scalars above U+10FFFF are refused.
package struct TextCheck: Sendable {
    /// The number of missing continuation octets, 0...3.
    private var missing: UInt8 = 0
    /// The range of the next continuation octet; narrower than 0x80...0xBF only after E0, ED, F0 and F4.
    private var low: UInt8 = 0x80
    private var high: UInt8 = 0xBF

    package init() {}

    /// Whether the octets end with a whole scalar, so that the text may end here.
    package var isComplete: Bool { missing == 0 }

    /// Takes the next octets; false if the text is invalid.
    package mutating func accept(_ octets: UnsafeRawBufferPointer) -> Bool {
        guard let base = octets.baseAddress else { return true }
        let count = octets.count
        var offset = 0
        var missing = self.missing
        var low = self.low
        var high = self.high
        while offset < count {
            if missing == 0 {
                // Most text is ASCII: 32 octets per step, then eight.
                while offset &+ 32 <= count {
                    let bits =
                        base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                        | base.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self)
                        | base.loadUnaligned(fromByteOffset: offset &+ 16, as: UInt64.self)
                        | base.loadUnaligned(fromByteOffset: offset &+ 24, as: UInt64.self)
                    if bits & 0x8080_8080_8080_8080 != 0 { break }
                    offset &+= 32
                }
                while offset &+ 8 <= count,
                    base.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                {
                    offset &+= 8
                }
                // Then octet by octet: the octets before the next non-ASCII octet, and a run of non-ASCII scalars.
                while offset < count {
                    let octet = base.load(fromByteOffset: offset, as: UInt8.self)
                    offset &+= 1
                    if octet < 0x80 {
                        // Back to words once a run of ASCII begins at a multiple of eight octets.
                        if offset & 7 == 0 { break }
                        continue
                    }
                    low = 0x80
                    high = 0xBF
                    switch octet {
                    case 0xC2...0xDF: missing = 1
                    case 0xE0: (missing, low) = (2, 0xA0)
                    case 0xED: (missing, high) = (2, 0x9F)
                    case 0xE1...0xEF: missing = 2
                    case 0xF0: (missing, low) = (3, 0x90)
                    case 0xF4: (missing, high) = (3, 0x8F)
                    case 0xF1...0xF3: missing = 3
                    default: return false
                    }
                    break
                }
            }
            while missing > 0, offset < count {
                let octet = base.load(fromByteOffset: offset, as: UInt8.self)
                guard octet >= low, octet <= high else { return false }
                low = 0x80
                high = 0xBF
                missing &-= 1
                offset &+= 1
            }
        }
        self.missing = missing
        self.low = low
        self.high = high
        return true
    }

    /// Whether `octets` are complete, valid text.
    package static func isText(_ octets: UnsafeRawBufferPointer) -> Bool {
        var check = TextCheck()
        return check.accept(octets) && check.isComplete
    }
}

/// Integers in network order, most significant octet first. Loads return `nil` if they would read past the end.
package enum BigEndian {
    /// The 16 bits at `offset`, or `nil` if fewer than two octets are there.
    package static func load16(_ octets: Span<UInt8>, at offset: Int = 0) -> UInt16? {
        guard offset >= 0, octets.count >= 2, offset <= octets.count - 2 else { return nil }
        return UInt16(octets[offset]) << 8 | UInt16(octets[offset + 1])
    }

    /// The 32 bits at `offset`, or `nil` if fewer than four octets are there.
    package static func load32(_ octets: Span<UInt8>, at offset: Int = 0) -> UInt32? {
        guard let high = load16(octets, at: offset), let low = load16(octets, at: offset + 2) else { return nil }
        return UInt32(high) << 16 | UInt32(low)
    }

    /// The 64 bits at `offset`, or `nil` if fewer than eight octets are there.
    package static func load64(_ octets: Span<UInt8>, at offset: Int = 0) -> UInt64? {
        guard let high = load32(octets, at: offset), let low = load32(octets, at: offset + 4) else { return nil }
        return UInt64(high) << 32 | UInt64(low)
    }

    /// Appends the two octets of `value`.
    package static func append(_ value: UInt16, to octets: inout [UInt8]) {
        octets.append(UInt8(truncatingIfNeeded: value >> 8))
        octets.append(UInt8(truncatingIfNeeded: value))
    }

    /// Appends the four octets of `value`.
    package static func append(_ value: UInt32, to octets: inout [UInt8]) {
        append(UInt16(truncatingIfNeeded: value >> 16), to: &octets)
        append(UInt16(truncatingIfNeeded: value), to: &octets)
    }

    /// Appends the eight octets of `value`.
    package static func append(_ value: UInt64, to octets: inout [UInt8]) {
        append(UInt32(truncatingIfNeeded: value >> 32), to: &octets)
        append(UInt32(truncatingIfNeeded: value), to: &octets)
    }
}

/// The mask of client frames: octet i of a payload is XORed with octet i mod 4 of the key (RFC 6455 §5.3).
package enum Masking {
    /// Masks or unmasks in place; applying it twice restores the original.
    ///
    /// - Parameters:
    ///   - octets: any length and alignment.
    ///   - key: the key's four octets as a little-endian number (first octet lowest), rotated to the position at which
    ///     `octets` begin.
    /// - Complexity: O(n) in words of eight octets; the compiler vectorises the loop because it works in place.
    package static func apply(_ key: UInt32, to octets: UnsafeMutableRawBufferPointer) {
        guard key != 0, let base = octets.baseAddress else { return }
        let count = octets.count
        let wide = (UInt64(key) << 32 | UInt64(key)).littleEndian
        var offset = 0
        while offset &+ 8 <= count {
            let word = base.loadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ wide
            base.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        while offset < count {
            let octet = base.load(fromByteOffset: offset, as: UInt8.self) ^ UInt8(truncatingIfNeeded: key >> UInt32(8 &* (offset & 3)))
            base.storeBytes(of: octet, toByteOffset: offset, as: UInt8.self)
            offset &+= 1
        }
    }

    /// The key rotated for the position after `count` octets.
    package static func turn(_ key: UInt32, by count: Int) -> UInt32 {
        let bits = UInt32(8 * (count & 3))
        return bits == 0 ? key : key >> bits | key << (32 - bits)
    }
}

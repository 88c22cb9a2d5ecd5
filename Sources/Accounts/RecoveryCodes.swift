internal import Crypto

/// Codes on paper, each of which takes the place of the second factor or of the password once.
///
/// A code has 80 random bits, so a fast hash of it is enough; the server keeps the hashes only and shows the codes once.
package struct RecoveryCodes: Equatable, Sendable {
    /// Codes of one set. A new set replaces the old one.
    package static let count = 10
    /// Random octets for a whole set.
    package static let randomOctets = count * length
    private static let length = 16
    /// Crockford's base 32: no I, L, O, U.
    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// The hashes of the codes that were not used yet.
    package private(set) var hashes: [[UInt8]]

    /// - Parameter hashes: as stored, at most `count`.
    package init(hashes: [[UInt8]]) {
        self.hashes = Array(hashes.prefix(Self.count))
    }

    /// Makes a set.
    ///
    /// - Parameter random: `randomOctets` random octets.
    /// - Returns: the set, and the codes to show to the person.
    package static func make(random: [UInt8]) -> (codes: RecoveryCodes, texts: [String]) {
        precondition(random.count == randomOctets, "a set of codes takes \(randomOctets) random octets")
        let codes = stride(from: 0, to: random.count, by: length).map { start in
            // 32 divides 256, so five bits of each octet are even.
            random[start..<start + length].map { digits[Int($0 & 31)] }
        }
        let texts = codes.map { code in
            stride(from: 0, to: length, by: 4).map { String(decoding: code[$0..<$0 + 4], as: UTF8.self) }.joined(separator: "-")
        }
        return (RecoveryCodes(hashes: codes.map { Digest.sha256($0) }), texts)
    }

    /// The number of codes left.
    package var left: Int { hashes.count }

    /// Uses a code up.
    ///
    /// - Parameter typed: any case, with or without hyphens and blanks, O for 0, I or L for 1.
    /// - Returns: false, with nothing changed, if the set does not have this code (any more).
    package mutating func use(_ typed: String) -> Bool {
        guard let hash = Self.hash(typed) else { return false }
        var found: Int?
        for (index, stored) in hashes.enumerated() where ConstantTime.equal(stored, hash) { found = index }
        guard let found else { return false }
        hashes.remove(at: found)
        return true
    }

    /// The hash of a typed code; `nil` for a text that cannot be a code.
    package static func hash(_ typed: String) -> [UInt8]? {
        var code: [UInt8] = []
        for octet in typed.utf8 {
            switch octet {
            case UInt8(ascii: "-"), UInt8(ascii: " "): continue
            case UInt8(ascii: "o"), UInt8(ascii: "O"): code.append(UInt8(ascii: "0"))
            case UInt8(ascii: "i"), UInt8(ascii: "I"), UInt8(ascii: "l"), UInt8(ascii: "L"): code.append(UInt8(ascii: "1"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"): code.append(octet - 32)
            default: code.append(octet)
            }
            guard code.count <= length else { return nil }
        }
        return code.count == length ? Digest.sha256(code) : nil
    }
}

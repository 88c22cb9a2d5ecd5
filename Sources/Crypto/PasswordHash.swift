internal import CArgon2

/// The hash of a password by argon2id (RFC 9106), as a PHC string: `$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH`.
///
/// A hash takes tens of milliseconds and `Cost.memory` of memory: never make or check one on the reactor's thread.
package struct PasswordHash: Hashable, Sendable {
    /// The work of one hash.
    package struct Cost: Hashable, Sendable {
        /// Memory, KiB.
        package let memory: UInt32
        /// Passes over the memory.
        package let passes: UInt32
        /// Lanes, which libargon2 computes side by side on threads of its own when there are several.
        package let lanes: UInt32

        /// The cost of new passwords: 19 MiB and two passes, the smallest that OWASP's Password Storage Cheat Sheet names for
        /// argon2id.
        package static let standard = Cost(19_456, 2, 1)

        /// The largest accepted values. A stored hash of more is refused, not computed: a row that was tampered with must not
        /// take the memory of the machine.
        package static let largest = Cost(1 << 20, 64, 16)

        private init(_ memory: UInt32, _ passes: UInt32, _ lanes: UInt32) {
            self.memory = memory
            self.passes = passes
            self.lanes = lanes
        }

        /// - Returns: `nil` outside of what argon2 and `largest` allow: 8 KiB per lane to 1 GiB, 1 to 64 passes, 1 to 16 lanes.
        package init?(memory: Int, passes: Int, lanes: Int) {
            guard (1...Int(Self.largest.lanes)).contains(lanes), (1...Int(Self.largest.passes)).contains(passes),
                (8 * lanes...Int(Self.largest.memory)).contains(memory)
            else { return nil }
            self.init(UInt32(memory), UInt32(passes), UInt32(lanes))
        }
    }

    /// Octets of a new salt (RFC 9106 §3.1).
    package static let saltOctets = 16
    /// The longest accepted PHC string.
    package static let maxOctets = 256
    private static let hashOctets = 32

    /// The PHC string.
    package let text: String
    /// The cost at which the hash was made. A sign-in whose cost differs from the server's is the moment to hash again.
    package let cost: Cost

    /// Reads a PHC string.
    ///
    /// - Returns: `nil` for another algorithm or version, a cost above `Cost.largest`, and for any other text.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maxOctets, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].isEmpty, parts[1] == "argon2id", parts[2] == "v=19", !parts[4].isEmpty, !parts[5].isEmpty else { return nil }
        let settings = parts[3].split(separator: ",", omittingEmptySubsequences: false)
        guard settings.count == 3, let memory = Self.setting("m", settings[0]), let passes = Self.setting("t", settings[1]),
            let lanes = Self.setting("p", settings[2]), let cost = Cost(memory: memory, passes: passes, lanes: lanes)
        else { return nil }
        self.text = text
        self.cost = cost
    }

    private static func setting(_ name: Character, _ text: Substring) -> Int? {
        guard text.first == name, text.dropFirst().first == "=" else { return nil }
        let digits = text.dropFirst(2)
        guard digits.utf8.count <= 9, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != "0" else { return nil }
        return Int(digits)
    }

    private init(text: String, cost: Cost) {
        self.text = text
        self.cost = cost
    }

    /// Hashes a password.
    ///
    /// - Parameter salt: random octets, new for each password.
    /// - Returns: `nil` if the machine has no memory for it.
    package static func make(_ password: [UInt8], salt: [UInt8], cost: Cost = .standard) -> PasswordHash? {
        precondition((8...64).contains(salt.count), "a salt has 8 to 64 octets")
        var text = [CChar](repeating: 0, count: maxOctets)
        let result = argon2id_hash_encoded(
            cost.passes, cost.memory, cost.lanes, password, password.count, salt, salt.count, hashOctets, &text, text.count)
        guard result == ARGON2_OK.rawValue else {
            precondition(result == ARGON2_MEMORY_ALLOCATION_ERROR.rawValue || result == ARGON2_THREAD_FAIL.rawValue, "argon2id refused a checked cost: \(result)")
            return nil
        }
        let octets = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return PasswordHash(text: String(decoding: octets, as: UTF8.self), cost: cost)
    }

    /// The result of comparing a password with a hash.
    package enum Match: Equatable, Sendable {
        case right
        case wrong
        /// The machine had no memory for the hash: nothing is known.
        case noMemory
    }

    /// Hashes a password with the salt and the cost of this hash, and compares in constant time.
    package func matches(_ password: [UInt8]) -> Match {
        switch argon2id_verify(text, password, password.count) {
        case ARGON2_OK.rawValue: .right
        case ARGON2_MEMORY_ALLOCATION_ERROR.rawValue, ARGON2_THREAD_FAIL.rawValue: .noMemory
        default: .wrong
        }
    }
}

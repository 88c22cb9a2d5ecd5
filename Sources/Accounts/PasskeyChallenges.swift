package import Bytes
internal import Crypto

/// The challenges that were given to browsers and not used yet. Each one is good for one ceremony of one purpose, within 5 minutes.
package struct PasskeyChallenges {
    /// Milliseconds.
    package static let life: Int64 = 300_000
    /// Octets of a challenge (at least 16: Web Authentication Level 2, §13.4.3).
    package static let octets = 32

    /// The use that a challenge is good for.
    package enum Purpose: Equatable, Sendable {
        /// A new passkey of a person.
        case register(person: Identifier)
        /// A sign-in of the person that the passkey belongs to.
        case signIn
        /// A signed-in person shows that they are there.
        case confirm(person: Identifier)
    }

    private var waiting: AgingTable<[UInt8], (purpose: Purpose, until: Int64)>

    /// - Parameter entries: half of the largest number of challenges. When there are more, the oldest are forgotten.
    package init(entries: Int = 5_000) {
        waiting = AgingTable(half: entries)
    }

    /// Challenges that are kept, those that have expired included.
    package var count: Int { waiting.count }

    /// Keeps a new challenge.
    ///
    /// - Parameters:
    ///   - challenge: `octets` random octets.
    ///   - now: milliseconds, monotonic.
    package mutating func add(_ challenge: [UInt8], for purpose: Purpose, now: Int64) {
        precondition(challenge.count == Self.octets, "a challenge has \(Self.octets) octets")
        // Only the digest is looked up, so that the time of the comparison says nothing about a challenge.
        waiting[Digest.sha256(challenge)] = (purpose, now + Self.life)
    }

    /// Uses a challenge up.
    ///
    /// - Throws: `.challenge` if it was not given out for this purpose, was used, or has expired. It is used up in every case.
    package mutating func use(_ challenge: [UInt8], for purpose: Purpose, now: Int64) throws(PasskeyRefusal) {
        let key = Digest.sha256(challenge)
        guard let kept = waiting[key] else { throw .challenge }
        waiting[key] = nil
        guard kept.purpose == purpose, now < kept.until else { throw .challenge }
    }
}

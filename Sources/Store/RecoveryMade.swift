package import Bytes

/// A code with which a member signs in again.
package struct RecoveryMade: Hashable, Sendable {
    package var family: Identifier
    package var member: Identifier
    package var code: String
    /// UTC milliseconds.
    package var expiresAt: Int64

    package init(family: Identifier, member: Identifier, code: String, expiresAt: Int64) {
        self.family = family
        self.member = member
        self.code = code
        self.expiresAt = expiresAt
    }

    /// Milliseconds for which the code is valid: 24 hours.
    package static let life: Int64 = 86_400_000
}

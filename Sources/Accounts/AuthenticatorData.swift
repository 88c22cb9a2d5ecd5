
/// The statement of an authenticator (Web Authentication Level 2, §6.1). It is read up to the credential's key, which comes from the
/// browser as SubjectPublicKeyInfo: no CBOR is read.
package struct AuthenticatorData: Equatable, Sendable {
    /// The longest accepted statement. One with a key of 4,096 bits and extensions has about 1 KiB.
    package static let maxOctets = 4_096
    /// The longest identifier of a credential (§4, "Credential ID").
    package static let maxCredentialOctets = 1_023

    package let relyingPartyHash: [UInt8]
    private let flags: UInt8
    /// The signature counter; 0 always for authenticators without one.
    package let counter: UInt32
    /// The identifier of the new credential; `nil` without attested credential data.
    package let credential: [UInt8]?

    /// UP: somebody was there.
    package var isPresent: Bool { flags & 0x01 != 0 }
    /// UV: the authenticator checked who was there.
    package var isVerified: Bool { flags & 0x04 != 0 }
    /// BE and BS: the passkey is one that its provider copies to other devices, and it was copied.
    package var isBackedUp: Bool { flags & 0x18 == 0x18 }

    package init(_ octets: [UInt8]) throws(PasskeyRefusal) {
        guard (37...Self.maxOctets).contains(octets.count) else { throw .authenticatorData }
        relyingPartyHash = Array(octets[..<32])
        flags = octets[32]
        counter = octets[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        let hasCredential = flags & 0x40 != 0
        let hasExtensions = flags & 0x80 != 0
        // Backed up without being able to.
        guard flags & 0x18 != 0x10 else { throw .authenticatorData }
        guard hasCredential else {
            guard hasExtensions == (octets.count > 37) else { throw .authenticatorData }
            credential = nil
            return
        }
        guard octets.count >= 55 else { throw .authenticatorData }
        let count = Int(octets[53]) << 8 | Int(octets[54])
        // The key follows, which is not empty.
        guard (1...Self.maxCredentialOctets).contains(count), octets.count > 55 + count else { throw .authenticatorData }
        credential = Array(octets[55..<55 + count])
    }
}

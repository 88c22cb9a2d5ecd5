internal import Crypto

/// A passkey: the public half of a key that an authenticator keeps for one person and this server.
package struct Passkey: Equatable, Sendable {
    /// Passkeys of one person.
    package static let most = 20
    /// The numbers of the accepted algorithms in the registry of COSE, the preferred one first.
    package static let algorithms = [SignatureAlgorithm.edDSA, .es256, .rs256].map(\.rawValue)
    /// Octets of a key and of a signature at most.
    package static let maxKeyOctets = PublicKey.maxOctets
    package static let maxSignatureOctets = PublicKey.maxSignatureOctets

    /// The identifier that the authenticator chose.
    package let credential: [UInt8]
    /// The algorithm's number in the registry of COSE.
    package let algorithm: Int
    /// SubjectPublicKeyInfo, DER.
    package let key: [UInt8]
    /// The signature counter at the last use.
    package private(set) var counter: UInt32

    /// - Parameters: as stored; `verify` checks the key.
    package init(credential: [UInt8], algorithm: Int, key: [UInt8], counter: UInt32) {
        self.credential = credential
        self.algorithm = algorithm
        self.key = key
        self.counter = counter
    }

    /// The answer of a browser to `navigator.credentials.create()`.
    package struct Registration: Equatable, Sendable {
        /// `response.clientDataJSON`.
        package var clientData: [UInt8]
        /// `response.getAuthenticatorData()`.
        package var authenticatorData: [UInt8]
        /// `response.getPublicKey()`.
        package var key: [UInt8]
        /// `response.getPublicKeyAlgorithm()`.
        package var algorithm: Int

        package init(clientData: [UInt8], authenticatorData: [UInt8], key: [UInt8], algorithm: Int) {
            self.clientData = clientData
            self.authenticatorData = authenticatorData
            self.key = key
            self.algorithm = algorithm
        }
    }

    /// The answer of a browser to `navigator.credentials.get()`.
    package struct Assertion: Equatable, Sendable {
        /// `response.clientDataJSON`.
        package var clientData: [UInt8]
        /// `response.authenticatorData`.
        package var authenticatorData: [UInt8]
        /// `response.signature`.
        package var signature: [UInt8]

        package init(clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8]) {
            self.clientData = clientData
            self.authenticatorData = authenticatorData
            self.signature = signature
        }
    }

    /// Checks a new passkey (Web Authentication Level 2, §7.1, without attestation: the server trusts every authenticator).
    ///
    /// - Parameter useChallenge: takes the challenge out of `PasskeyChallenges`, and throws if it is not there.
    package static func register(
        _ answer: Registration, at party: RelyingParty, useChallenge: ([UInt8]) throws(PasskeyRefusal) -> Void
    ) throws(PasskeyRefusal) -> Passkey {
        try check(answer.clientData, .register, party, useChallenge)
        let data = try check(answer.authenticatorData, party)
        guard let credential = data.credential else { throw .authenticatorData }
        guard let algorithm = SignatureAlgorithm(rawValue: answer.algorithm), PublicKey(answer.key, algorithm) != nil else { throw .key }
        return Passkey(credential: credential, algorithm: answer.algorithm, key: answer.key, counter: data.counter)
    }

    /// Checks a use of this passkey (Web Authentication Level 2, §7.2) and takes over the counter. After a refusal the counter is as before.
    ///
    /// - Parameter useChallenge: takes the challenge out of `PasskeyChallenges`, and throws if it is not there.
    package mutating func verify(
        _ answer: Assertion, at party: RelyingParty, useChallenge: ([UInt8]) throws(PasskeyRefusal) -> Void
    ) throws(PasskeyRefusal) {
        try Self.check(answer.clientData, .signIn, party, useChallenge)
        let data = try Self.check(answer.authenticatorData, party)
        guard let algorithm = SignatureAlgorithm(rawValue: algorithm), let key = PublicKey(key, algorithm) else { throw .key }
        guard key.verifies(answer.signature, of: answer.authenticatorData + Digest.sha256(answer.clientData)) else { throw .signature }
        // Only a signed counter counts: a forged one must not block the passkey.
        guard data.counter > counter || (data.counter == 0 && counter == 0) else { throw .counter }
        counter = data.counter
    }

    private static func check(
        _ octets: [UInt8], _ ceremony: ClientData.Ceremony, _ party: RelyingParty, _ useChallenge: ([UInt8]) throws(PasskeyRefusal) -> Void
    ) throws(PasskeyRefusal) {
        let data = try ClientData(octets)
        guard data.ceremony == ceremony else { throw .type }
        // Before everything else that can fail: an answer that is refused has used its challenge up.
        try useChallenge(data.challenge)
        guard data.origin == party.origin else { throw .origin }
    }

    private static func check(_ octets: [UInt8], _ party: RelyingParty) throws(PasskeyRefusal) -> AuthenticatorData {
        let data = try AuthenticatorData(octets)
        guard data.relyingPartyHash == party.idHash else { throw .relyingParty }
        guard data.isPresent else { throw .userPresence }
        guard data.isVerified else { throw .userVerification }
        return data
    }
}

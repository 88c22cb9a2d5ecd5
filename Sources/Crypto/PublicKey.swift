internal import COpenSSL

/// The algorithms of signatures that the server verifies, by their numbers in the registry of COSE (RFC 9053).
package enum SignatureAlgorithm: Int, Sendable, CaseIterable {
    /// ECDSA on P-256 with SHA-256; the signature is a DER sequence of r and s.
    case es256 = -7
    /// Ed25519 (RFC 8032).
    case edDSA = -8
    /// RSASSA-PKCS1-v1_5 with SHA-256, 2,048 to 4,096 bits.
    case rs256 = -257
}

/// A public key that signatures are verified with: the SubjectPublicKeyInfo of RFC 5280 in DER, and its only algorithm.
package struct PublicKey: Equatable, Sendable {
    /// The longest accepted key. One of 4,096 bits has 550 octets.
    package static let maxOctets = 1_024
    /// The longest accepted signature. One of RS256 with 4,096 bits has 512 octets.
    package static let maxSignatureOctets = 1_024

    package let algorithm: SignatureAlgorithm
    /// DER.
    package let octets: [UInt8]

    /// Reads a key.
    ///
    /// - Returns: `nil` for octets that are not exactly one key, a point outside of the curve, and a key that `algorithm` does not use.
    package init?(_ octets: [UInt8], _ algorithm: SignatureAlgorithm) {
        guard octets.count <= Self.maxOctets, Self.withKey(octets, { key in Self.fits(key, algorithm) }) == true else { return nil }
        self.algorithm = algorithm
        self.octets = octets
    }

    /// Whether the owner of the key signed these octets.
    package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard signature.count <= Self.maxSignatureOctets else { return false }
        let isRight = Self.withKey(octets) { key in
            guard let context = EVP_MD_CTX_new() else { return false }
            defer { EVP_MD_CTX_free(context) }
            // Ed25519 has its digest inside.
            let digest = algorithm == .edDSA ? nil : EVP_sha256()
            return EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1
                && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        }
        return isRight == true
    }

    /// Lends the key to `body`; `nil` if the octets are not exactly one key.
    private static func withKey(_ octets: [UInt8], _ body: (OpaquePointer) -> Bool) -> Bool? {
        // Another user of libcrypto on this thread must not find the errors of these octets.
        defer { ERR_clear_error() }
        return octets.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            guard let key = d2i_PUBKEY(nil, &position, buffer.count) else { return nil }
            defer { EVP_PKEY_free(key) }
            guard position == buffer.baseAddress.map({ $0 + buffer.count }) else { return nil }
            return body(key)
        }
    }

    private static func fits(_ key: OpaquePointer, _ algorithm: SignatureAlgorithm) -> Bool {
        switch algorithm {
        case .es256:
            guard EVP_PKEY_is_a(key, "EC") == 1 else { return false }
            var name = [CChar](repeating: 0, count: 64)
            var count = 0
            guard EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else { return false }
            return name.prefix(count).elementsEqual("prime256v1".utf8.map { CChar(bitPattern: $0) })
        case .edDSA: return EVP_PKEY_is_a(key, "ED25519") == 1
        case .rs256: return EVP_PKEY_is_a(key, "RSA") == 1 && (2_048...4_096).contains(EVP_PKEY_get_bits(key))
        }
    }
}

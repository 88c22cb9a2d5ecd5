internal import COpenSSL

/// The algorithms of digests that peers may send.
package enum DigestAlgorithm: Sendable, CaseIterable {
    /// Only for detecting transmission errors (tus 1.0.0, "Checksum"): it proves nothing against a forger, and neither
    /// does SHA-1.
    case md5
    case sha1
    case sha256
    case sha512

    /// Octets of a digest.
    package var width: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }
}

/// A digest of octets that arrive in pieces (a part of an upload that comes with its checksum).
///
/// Sendable although the compiler cannot prove it: the context has one owner, this value, and is not tied to a thread.
package struct RunningDigest: ~Copyable, @unchecked Sendable {
    package let algorithm: DigestAlgorithm
    private let context: OpaquePointer

    package init(_ algorithm: DigestAlgorithm) {
        let method =
            switch algorithm {
            case .md5: EVP_md5()
            case .sha1: EVP_sha1()
            case .sha256: EVP_sha256()
            case .sha512: EVP_sha512()
            }
        guard let made = EVP_MD_CTX_new(), EVP_DigestInit_ex(made, method, nil) == 1 else {
            preconditionFailure("libcrypto could not start a digest")
        }
        self.algorithm = algorithm
        context = made
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// Takes the next octets; does not keep them.
    package mutating func update(_ octets: UnsafeRawBufferPointer) {
        guard let base = octets.baseAddress, octets.count > 0 else { return }
        precondition(EVP_DigestUpdate(context, base, octets.count) == 1, "libcrypto could not continue a digest")
    }

    /// Takes the next octets; does not keep them.
    package mutating func update(_ octets: [UInt8]) {
        octets.withUnsafeBytes { update($0) }
    }

    /// The digest of all octets taken, `algorithm.width` octets.
    package consuming func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: algorithm.width) { buffer, count in
            precondition(EVP_DigestFinal_ex(context, buffer.baseAddress, nil) == 1, "libcrypto could not end a digest")
            count = algorithm.width
        }
    }
}

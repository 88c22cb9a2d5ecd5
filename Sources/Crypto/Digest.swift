// Digests, random octets and comparison of secrets with OpenSSL's libcrypto, behind a few functions.
internal import COpenSSL

/// One-shot digests.
///
/// A digest can only fail if libcrypto lacks the algorithm or memory: no caller could handle that, so it is a
/// `precondition`, not an error.
/// `precondition`, not an error.
package enum Digest {
    /// SHA-1, 20 octets. Only for the WebSocket handshake (RFC 6455 §4.2.2), which does not rely on its strength.
    package static func sha1(_ octets: [UInt8]) -> [UInt8] {
        octets.withUnsafeBytes { sha1($0) }
    }

    /// SHA-1, 20 octets, of borrowed octets.
    package static func sha1(_ octets: UnsafeRawBufferPointer) -> [UInt8] {
        digest(octets, EVP_sha1(), width: 20)
    }

    /// SHA-256, 32 octets (FIPS 180-4).
    package static func sha256(_ octets: [UInt8]) -> [UInt8] {
        octets.withUnsafeBytes { sha256($0) }
    }

    /// SHA-256, 32 octets, of borrowed octets.
    package static func sha256(_ octets: UnsafeRawBufferPointer) -> [UInt8] {
        digest(octets, EVP_sha256(), width: 32)
    }

    private static func digest(_ octets: UnsafeRawBufferPointer, _ algorithm: OpaquePointer?, width: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: width) { buffer, count in
            var written: UInt32 = 0
            let result = EVP_Digest(octets.baseAddress, octets.count, buffer.baseAddress, &written, algorithm, nil)
            precondition(result == 1 && Int(written) == width, "libcrypto could not compute a digest")
            count = width
        }
    }
}

/// SHA-256 of octets that arrive in pieces (an upload being received).
package struct SHA256: ~Copyable, Sendable {
    private var digest = RunningDigest(.sha256)

    package init() {}

    /// Takes the next octets; does not keep them.
    package mutating func update(_ octets: UnsafeRawBufferPointer) { digest.update(octets) }

    /// Takes the next octets; does not keep them.
    package mutating func update(_ octets: [UInt8]) { digest.update(octets) }

    /// The 32 octets of the digest of all octets taken.
    package consuming func finish() -> [UInt8] { digest.finish() }
}

internal import COpenSSL

/// Proof that the author of a text knew a key (RFC 2104).
package enum HMAC {
    /// HMAC-SHA-256, 32 octets. Compare it by `ConstantTime.equal`.
    package static func sha256(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        code("SHA256", width: 32, key, message)
    }

    /// HMAC-SHA-1, 20 octets. Only for one-time codes (RFC 6238), whose authenticators support nothing else everywhere.
    package static func sha1(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        code("SHA1", width: 20, key, message)
    }

    private static func code(_ digest: String, width: Int, _ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: width) { buffer, count in
            var written = 0
            let result = EVP_Q_mac(
                nil, "HMAC", nil, digest, nil, key, key.count, message, message.count, buffer.baseAddress, width, &written)
            precondition(result != nil && written == width, "libcrypto could not compute a code")
            count = width
        }
    }
}

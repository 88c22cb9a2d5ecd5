internal import COpenSSL

/// Proof that the author of a text knew a key (RFC 2104).
package enum HMAC {
    /// HMAC-SHA-256, 32 octets. Compare it by `ConstantTime.equal`.
    package static func sha256(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            var written = 0
            let result = EVP_Q_mac(
                nil, "HMAC", nil, "SHA256", nil, key, key.count, message, message.count, buffer.baseAddress, 32, &written)
            precondition(result != nil && written == 32, "libcrypto could not compute a code")
            count = 32
        }
    }
}

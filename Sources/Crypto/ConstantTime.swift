internal import COpenSSL

/// Comparison of secrets.
package enum ConstantTime {
    /// Whether two octet strings are the same, in time that depends on their lengths only: how far a guess is right
    /// must not show. The lengths themselves are not secret.
    package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return left.withUnsafeBytes { a in
            right.withUnsafeBytes { b in
                guard let first = a.baseAddress, let second = b.baseAddress else { return true }
                return CRYPTO_memcmp(first, second, a.count) == 0
            }
        }
    }
}

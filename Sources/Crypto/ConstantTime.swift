internal import COpenSSL

/// Comparison of secrets.
package enum ConstantTime {
    /// Whether two octet strings are equal, in time that depends only on their lengths: the time must not reveal how
    /// much of a guess is right. The lengths themselves are not secret.
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

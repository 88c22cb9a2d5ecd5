import COpenSSL

/// The keys that make and open session tickets. They live in memory only, so a restart ends all sessions' resumption; who has
/// stolen one reads what TLS 1.2 sessions said that were resumed with it, which is why they are replaced.
///
/// Source: RFC 5077 §4, RFC 8446 §4.6.1, RFC 9325 §7.4 (rotation).
package final class TLSTicketKeys {
    /// How long a key makes tickets, milliseconds. With the keys before it, tickets of the last two hours are opened.
    package static let rotationInterval: Int64 = 3_600_000

    let keys: UnsafeMutablePointer<copenssl_ticket_keys>

    package init() {
        keys = .allocate(capacity: 1)
        keys.initialize(to: copenssl_ticket_keys())
        rotate()
    }

    deinit {
        OPENSSL_cleanse(keys, MemoryLayout<copenssl_ticket_keys>.size)
        keys.deallocate()
    }

    /// A new key from now on; the oldest is forgotten. Without random octets the old ones stay; with no key at all nothing is resumed.
    package func rotate() {
        var fresh = copenssl_ticket_key()
        guard withUnsafeMutableBytes(of: &fresh, { RAND_bytes($0.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32($0.count)) }) == 1
        else { return }
        keys.pointee.keys.2 = keys.pointee.keys.1
        keys.pointee.keys.1 = keys.pointee.keys.0
        keys.pointee.keys.0 = fresh
        keys.pointee.count = min(keys.pointee.count + 1, Int32(copenssl_ticket_key_count))
    }
}

@available(*, unavailable) extension TLSTicketKeys: Sendable {}

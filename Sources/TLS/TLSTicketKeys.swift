import COpenSSL

/// The keys that create and open session tickets. They are only in memory, so after a restart no earlier session can be
/// resumed. An attacker who steals a key can read the TLS 1.2 sessions that were resumed with it, which is why the keys
/// are replaced.
///
/// Source: RFC 5077 §4, RFC 8446 §4.6.1, RFC 9325 §7.4 (rotation).
package final class TLSTicketKeys {
    /// How long a key creates tickets, in milliseconds. With the previous keys, tickets of the last two hours can be
    /// opened.
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

    /// Creates a new key; the oldest is dropped. Without random octets the old ones stay; without any key no session is
    /// resumed.
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

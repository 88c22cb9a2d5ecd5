import HTTP1

/// How often each address may try an invite's code; IPv6 counts by /64 (`AddressCounts.group`).
///
/// It bounds the readers' work for strangers. A code cannot be guessed at any rate: it has 100 random bits.
struct RedemptionRate {
    /// Tries of one address in a window: a whole school behind one address redeems its codes within minutes.
    static let most = 50
    /// Milliseconds.
    static let window: Int64 = 10_000
    /// Addresses that are counted. When there are more, a new window begins.
    static let maxAddresses = 10_000

    private var counts: [NetworkAddress: Int] = [:]
    private var since: Int64 = 0

    /// Counts a try.
    ///
    /// - Parameters:
    ///   - group: `nil` is not counted.
    ///   - now: milliseconds.
    /// - Returns: milliseconds to wait when it is one too many; `nil` when it may be made.
    mutating func take(_ group: NetworkAddress?, now: Int64) -> Int64? {
        guard let group else { return nil }
        if now - since >= Self.window || counts.count >= Self.maxAddresses {
            counts = [:]
            since = now
        }
        guard counts[group, default: 0] < Self.most else { return since + Self.window - now }
        counts[group, default: 0] += 1
        return nil
    }
}

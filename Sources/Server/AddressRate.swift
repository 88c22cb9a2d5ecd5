import HTTP1

/// A rate limit per address. IPv6 counts by /64 (`AddressCounts.group`).
struct AddressRate {
    /// Attempts to redeem invite codes: a whole school behind one address redeems its codes within minutes. The limit
    /// bounds the readers' work for strangers; it does not protect the codes, which have 100 random bits.
    static let redemptions = AddressRate(most: 50)
    /// New connections: twice the number that an address may have at a time, so that its clients can reconnect after a
    /// restart.
    static let connections = AddressRate(most: 1_024)
    /// Frames before the sign-in, including refused ones, and HTTP requests without a valid credential: one for each of
    /// these connections, and one or two more. A page with a hundred parts needs thirty times less.
    static let strangers = AddressRate(most: 3_072)

    /// Milliseconds.
    static let window: Int64 = 10_000
    /// The largest number of addresses that are counted. Above it, a new window begins.
    static let maxAddresses = 10_000

    /// The limit for one address in a window.
    let most: Int
    private var counts: [NetworkAddress: Int] = [:]
    private var since: Int64 = 0

    init(most: Int) { self.most = most }

    /// Counts one event.
    ///
    /// - Parameters:
    ///   - group: the address; `nil` is not counted.
    ///   - now: milliseconds.
    /// - Returns: milliseconds to wait if the event is above the limit; `nil` if it is allowed.
    mutating func take(_ group: NetworkAddress?, now: Int64) -> Int64? {
        guard let group else { return nil }
        if now - since >= Self.window || counts.count >= Self.maxAddresses {
            counts = [:]
            since = now
        }
        guard counts[group, default: 0] < most else { return since + Self.window - now }
        counts[group, default: 0] += 1
        return nil
    }

    /// Counts one event less, because it belongs to a client that is counted elsewhere.
    mutating func giveBack(_ group: NetworkAddress?) {
        guard let group, let count = counts[group], count > 0 else { return }
        counts[group] = count - 1
    }
}

import HTTP1

/// How often each address may do something; IPv6 counts by /64 (`AddressCounts.group`).
struct AddressRate {
    /// Tries of invite codes: a whole school behind one address redeems its codes within minutes. It bounds the readers' work for strangers; a
    /// code cannot be guessed at any rate, it has 100 random bits.
    static let redemptions = AddressRate(most: 50)
    /// New connections: all that an address may have at a time, twice, so that its clients come back after a restart.
    static let connections = AddressRate(most: 1_024)
    /// Frames before the sign-in, refused ones too, and HTTP requests without a credential that holds: one for each of these connections, and another
    /// one or two. A page with a hundred parts is thirty times less.
    static let strangers = AddressRate(most: 3_072)

    /// Milliseconds.
    static let window: Int64 = 10_000
    /// Addresses that are counted. When there are more, a new window begins.
    static let maxAddresses = 10_000

    /// Of one address in a window.
    let most: Int
    private var counts: [NetworkAddress: Int] = [:]
    private var since: Int64 = 0

    init(most: Int) { self.most = most }

    /// Counts one.
    ///
    /// - Parameters:
    ///   - group: `nil` is not counted.
    ///   - now: milliseconds.
    /// - Returns: milliseconds to wait when it is one too many; `nil` when it may be done.
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

    /// Counts one less: it turned out to be of somebody who is counted elsewhere.
    mutating func giveBack(_ group: NetworkAddress?) {
        guard let group, let count = counts[group], count > 0 else { return }
        counts[group] = count - 1
    }
}

import HTTP1

/// The number of open connections from each address. IPv6 counts by /64, because one subscriber has all of it.
///
/// Loopback and sockets without an address are not counted: they belong to a proxy, or to users of this machine.
struct AddressCounts {
    private var counts: [NetworkAddress: Int] = [:]

    /// The address under which a connection is counted; `nil` if it is not counted.
    static func group(_ address: NetworkAddress?) -> NetworkAddress? {
        guard let address, !address.isLoopback else { return nil }
        return address.limitGroup
    }

    func hasRoom(_ group: NetworkAddress?, limit: Int) -> Bool { group.map { counts[$0, default: 0] < limit } ?? true }

    /// Counts one more connection. If there are `limit` already, it counts nothing and returns false.
    mutating func enter(_ group: NetworkAddress?, limit: Int) -> Bool {
        guard let group else { return true }
        guard hasRoom(group, limit: limit) else { return false }
        counts[group, default: 0] += 1
        return true
    }

    mutating func leave(_ group: NetworkAddress?) {
        guard let group, let count = counts[group] else { return }
        counts[group] = count > 1 ? count - 1 : nil
    }
}

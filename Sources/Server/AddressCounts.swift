import HTTP1

/// Connections open from each address; IPv6 counts by /64, of which one subscriber has all.
///
/// Loopback and sockets without an address are not counted: behind them stands a proxy, or this machine's own people.
struct AddressCounts {
    private var counts: [NetworkAddress: Int] = [:]

    /// How a connection is counted; `nil` when it is not.
    static func group(_ address: NetworkAddress?) -> NetworkAddress? {
        guard let address, !address.isLoopback else { return nil }
        return address.limitGroup
    }

    func hasRoom(_ group: NetworkAddress?, limit: Int) -> Bool { group.map { counts[$0, default: 0] < limit } ?? true }

    /// Counts one more; false, with nothing counted, when there are `limit` already.
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

import Family
import HTTP1
import Posix
import EventLoop

/// All open connections of a shard, counted by the limits that apply to them: per address, refusals, TLS handshakes.
final class ConnectionTable {
    /// The largest number of connections that are open only to be refused.
    static let maxRefused = 64

    private let reactor: Reactor
    private let limits: Limits
    private(set) var all: [OpenConnection] = []
    /// The number of connections that receive only a refusal.
    private(set) var refused = 0
    private(set) var handshakes = 0
    let counts = ConnectionCounts()
    private var addresses = AddressCounts()
    private var rate = AddressRate.connections

    /// Called with true when no further TLS handshake may begin, and with false when some may again.
    var whenHandshakesFull: (Bool) -> Void = { _ in }
    /// Called when the last connection has closed.
    var whenEmpty: () -> Void = {}

    init(reactor: Reactor, limits: Limits) {
        self.reactor = reactor
        self.limits = limits
    }

    /// The largest number of connections that are served.
    var limit: Int { limits.connections }

    /// The number of connections that are served.
    var served: Int { all.count - refused }

    /// Whether an address may have one more connection.
    func hasRoom(_ group: NetworkAddress?) -> Bool { addresses.hasRoom(group, limit: limits.connectionsPerAddress) }

    /// Counts a connection to an address.
    ///
    /// - Returns: false, with nothing counted, if the address has its limit of connections, or has opened too many
    ///   lately.
    func enter(_ group: NetworkAddress?) -> Bool {
        guard hasRoom(group), rate.take(group, now: reactor.now) == nil else { return false }
        return addresses.enter(group, limit: limits.connectionsPerAddress)
    }

    /// Counts one connection of an address less.
    func leave(_ group: NetworkAddress?) { addresses.leave(group) }

    /// Counts a connection to the address that a trusted proxy reports, instead of its socket's.
    ///
    /// - Returns: false if that address has its limit of connections.
    func move(_ connection: OpenConnection, to address: NetworkAddress?) -> Bool {
        let group = AddressCounts.group(address)
        guard group != connection.group else { return true }
        guard enter(group) else { return false }
        leave(connection.group)
        connection.group = group
        return true
    }

    func add(_ connection: OpenConnection) {
        connection.index = all.count
        all.append(connection)
        if connection.isRefused { refused += 1 }
    }

    func remove(_ connection: OpenConnection) {
        let last = all.removeLast()
        if last !== connection {
            all[connection.index] = last
            last.index = connection.index
        }
        if connection.isRefused { refused -= 1 }
        leave(connection.group)
        if all.isEmpty { whenEmpty() }
    }

    func didBeginHandshake() {
        handshakes += 1
        if handshakes == HandshakeQueue.maxUnderWay { whenHandshakesFull(true) }
    }

    func didEndHandshake() {
        handshakes -= 1
        if handshakes == HandshakeQueue.maxUnderWay - 1 { whenHandshakesFull(false) }
    }
}

@available(*, unavailable) extension ConnectionTable: Sendable {}

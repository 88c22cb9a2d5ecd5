import Family
import HTTP1
import Posix
import TLS

/// Accepts new connections or refuses them: by the limits for all connections, for one address, and for refusals
/// themselves.
final class Acceptor {
    private let services: ConnectionServices
    private let drain: Drain
    private var table: ConnectionTable { services.table }

    init(_ services: ConnectionServices, drain: Drain) {
        self.services = services
        self.drain = drain
    }

    /// A connection that begins with a TLS handshake.
    func accept(_ descriptor: consuming FileDescriptor, _ certificates: Certificates) {
        do throws(TLSError) {
            let peer = peer(descriptor.raw)
            // A refusal goes through TLS too, but only for a few connections at a time: more are not worth their
            // handshakes.
            guard table.refused < ConnectionTable.maxRefused || !isFull && table.hasRoom(group(peer)) else {
                table.counts.refused.add(isFull ? .full : .address)
                services.log(.warning, "connection_refused", [.init("open", table.all.count)])
                return
            }
            accept(try Transport(descriptor, server: certificates.context), peer: peer)
        } catch {
            table.counts.failedHandshakes.add()
            services.log(.error, "tls_failed", [.init("reason", error.reason)])
        }
    }

    /// A plain connection.
    func accept(_ descriptor: consuming FileDescriptor) {
        let peer = peer(descriptor.raw)
        accept(Transport(descriptor), peer: peer)
    }

    /// - Parameter peer: the address at the other end; `nil` is not counted.
    func accept(_ transport: consuming Transport, peer: NetworkAddress? = nil) {
        let group = group(peer)
        let isFull = isFull
        let isOneTooMany = !isFull && !table.enter(group)
        let isRefused = isFull || isOneTooMany
        if isRefused {
            table.counts.refused.add(isFull ? .full : .address)
            services.log(.warning, "connection_refused", [.init("open", table.served), .init("limit", isFull ? "all" : "address")])
            guard table.refused < ConnectionTable.maxRefused else { return }
        }
        let connection = Connection(services, transport: transport, peer: peer)
        do throws(Errno) {
            try connection.register()
        } catch {
            if !isRefused { table.counts.refused.add(.system) }
            services.log(.warning, "connection_refused", [.init("errno", error.name)])
            if !isRefused { table.leave(group) }
            return
        }
        if !isRefused { connection.group = group }
        connection.isRefused = isRefused
        table.add(connection)
        if connection.isShakingHands { table.didBeginHandshake() }
        guard isRefused else { return table.counts.accepted.add() }
        let body = isFull ? "This server is full. Try again in a moment.\n" : "Too many connections come from your network. Close some.\n"
        let fields = [Field("Date", services.site.date), Field("Retry-After", "5")]
        connection.refuse(ResponseHead.closing(isFull ? 503 : 429, fields, body: body))
    }

    private var isFull: Bool { table.served >= services.limits.connections || drain.isEnding }

    private func peer(_ raw: Int32) -> NetworkAddress? { (try? SocketAddress.peer(of: raw)).flatMap { NetworkAddress($0.host) } }

    /// The address that counts a connection before its first request: `nil` for a trusted proxy, which has not reported
    /// its client yet.
    private func group(_ peer: NetworkAddress?) -> NetworkAddress? {
        guard let peer, !services.site.trust.contains(peer) else { return nil }
        return AddressCounts.group(peer)
    }
}

@available(*, unavailable) extension Acceptor: Sendable {}

import HTTP1

/// Detects requests of a proxy that the server mistakes for the client.
///
/// Limits per address do not count loopback, so a proxy on this machine that `--trusted-proxy` does not name disables
/// all of them. A proxy on another machine makes all its clients count as one address.
final class ProxyWatch {
    /// A fault of a proxy on this machine.
    enum Fault: String, CaseIterable {
        /// `--trusted-proxy` does not name it.
        case notTrusted = "proxy_not_trusted"
        /// It is trusted, and sends neither `Forwarded` nor `X-Forwarded-For`.
        case hidesClients = "proxy_hides_clients"
    }

    /// Milliseconds between two lines about one fault.
    static let reportInterval: Int64 = 600_000
    /// Milliseconds after the last request with a fault until the fault counts as corrected.
    static let memory: Int64 = 3_600_000

    private struct Sightings {
        var last: Int64
        var reported: Int64
        /// The number of requests since the last line.
        var requests = 0
    }

    private let log: Log
    private var sightings: [Fault: Sightings] = [:]
    private var hasReportedRemote = false

    init(log: Log) { self.log = log }

    /// Checks a request before it is answered.
    ///
    /// - Parameters:
    ///   - peer: the address at the other end of the socket.
    ///   - now: milliseconds.
    func look(at fields: HTTPFields, from peer: NetworkAddress?, _ trust: ProxyTrust, now: Int64) {
        let namesClient = fields.contains("forwarded") || fields.contains("x-forwarded-for")
        guard let peer, peer.isLoopback else {
            if namesClient, !hasReportedRemote, peer.map({ !trust.contains($0) }) ?? true { reportRemote() }
            return
        }
        if !trust.contains(peer) {
            if namesClient || Self.isProxied(fields) { note(.notTrusted, peer, now) }
        } else if !namesClient, Self.isProxied(fields) {
            note(.hidesClients, peer, now)
        }
    }

    /// The faults of the last hour, in a fixed order.
    ///
    /// - Parameter now: milliseconds.
    func faults(now: Int64) -> [Fault] {
        Fault.allCases.filter { fault in sightings[fault].map { now - $0.last < Self.memory } ?? false }
    }

    /// Drops everything, because the trusted proxies have changed.
    func reset() {
        sightings = [:]
        hasReportedRemote = false
    }

    private func note(_ fault: Fault, _ peer: NetworkAddress, _ now: Int64) {
        var seen = sightings[fault] ?? Sightings(last: now, reported: now - Self.reportInterval)
        seen.last = now
        seen.requests += 1
        if now - seen.reported >= Self.reportInterval {
            let peer = peer.isIPv4 ? "127.0.0.1" : "::1"
            let advice =
                switch fault {
                case .notTrusted: "name the proxy with --trusted-proxy \(peer); until then no limit per address applies to its clients"
                case .hidesClients: "let the proxy set X-Forwarded-For; until then no limit per address applies to its clients"
                }
            let event: StaticString = fault == .notTrusted ? "proxy_not_trusted" : "proxy_hides_clients"
            log(.warning, event, [.init("peer", peer), .init("requests", seen.requests), .init("advice", advice)])
            seen.reported = now
            seen.requests = 0
        }
        sightings[fault] = seen
    }

    private func reportRemote() {
        hasReportedRemote = true
        log(.warning, "forwarded_ignored", [.init("advice", "name the proxy with --trusted-proxy, or all its clients count as one address")])
    }

    /// Whether the request has a field that proxies add and clients do not.
    private static func isProxied(_ fields: HTTPFields) -> Bool {
        fields.list.contains { $0.name == "via" || $0.name == "x-real-ip" || $0.name.hasPrefix("x-forwarded-") }
    }
}

@available(*, unavailable) extension ProxyWatch: Sendable {}

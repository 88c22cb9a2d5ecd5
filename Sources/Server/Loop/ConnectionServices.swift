import Family
import EventLoop

/// The parts of a shard that its connections use; one object, so that a connection holds one reference.
final class ConnectionServices {
    let reactor: Reactor
    let limits: Limits
    let log: Log
    /// The routes over HTTP.
    let site: HTTPSite
    let table: ConnectionTable
    let queues: TickQueues
    let hub: HubDriver
    let workers: Workers

    init(
        reactor: Reactor, limits: Limits, log: Log, site: HTTPSite, table: ConnectionTable, queues: TickQueues, hub: HubDriver, workers: Workers
    ) {
        self.reactor = reactor
        self.limits = limits
        self.log = log
        self.site = site
        self.table = table
        self.queues = queues
        self.hub = hub
        self.workers = workers
    }
}

@available(*, unavailable) extension ConnectionServices: Sendable {}

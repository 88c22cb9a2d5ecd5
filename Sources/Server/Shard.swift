import Family
import Posix
import EventLoop
import Rooms
import Store
import WebSocket

/// A reactor, a writer and a database that share nothing with other shards; each family is in exactly one.
///
/// The shard only connects the parts; everything in it runs on the reactor's thread. `docs/ARCHITECTURE.md` has a
/// diagram of the calls between the parts.
final class Shard {
    let reactor: Reactor
    let site: HTTPSite
    let table: ConnectionTable
    let queues: TickQueues
    let workers: Workers
    let access: AccessControl
    let usage: UsageRecorder
    let accounts: AccountService
    let hub: HubDriver
    let drain: Drain
    let acceptor: Acceptor
    let admin: AdminServer
    let tick: Tick
    let proxies: ProxyWatch
    let health: HealthMonitor

    init(
        reactor: Reactor, limits: Limits, log: Log, site: HTTPSite = HTTPSite(), serverVersion: String, events: Mailbox<ShardEvent>,
        writer: WriterThread, readers: ReaderPool, files: FilePool
    ) {
        self.reactor = reactor
        self.site = site
        let hub = Hub(limits: limits, serverVersion: serverVersion)
        hub.webBuild = site.web.build
        table = ConnectionTable(reactor: reactor, limits: limits)
        queues = TickQueues(waker: reactor.waker)
        workers = Workers(readers: readers, writer: writer, files: files)
        usage = UsageRecorder(reactor: reactor, log: log, writer: writer)
        access = AccessControl(hub: hub, reactor: reactor, writer: writer, workers: workers, usage: usage)
        accounts = AccountService(reactor: reactor, workers: workers)
        let budget = RequestBudget(hub: hub, reactor: reactor)
        self.hub = HubDriver(
            hub: hub, reactor: reactor, limits: limits, log: log, writer: writer, readers: readers, access: access, usage: usage,
            budget: budget, accounts: accounts)
        drain = Drain(reactor: reactor, log: log, site: site, hub: hub, driver: self.hub, workers: workers, usage: usage, table: table)
        acceptor = Acceptor(
            ConnectionServices(
                reactor: reactor, limits: limits, log: log, site: site, table: table, queues: queues, hub: self.hub, workers: workers),
            drain: drain)
        admin = AdminServer(reactor: reactor, log: log, workers: workers, drain: drain)
        tick = Tick(
            reactor: reactor, log: log, events: events, hub: hub, driver: self.hub, queues: queues, workers: workers, access: access, usage: usage,
            admin: admin, drain: drain, accounts: accounts)
        proxies = ProxyWatch(log: log)
        site.whenAsked = { [proxies, unowned site, unowned reactor] in proxies.look(at: $0, from: $1, site.trust, now: reactor.now) }
        health = HealthMonitor(reactor: reactor, log: log, workers: workers, drain: drain, proxies: proxies)
        admin.health = { [unowned health, unowned reactor] in health.report(now: reactor.now) }
        site.add(health.routes)
        site.add(WebClientRoutes.all(site.web, WebClientSite(maker: site.webMaker, workers: workers, events: events)))
        site.admission = RequestAdmission(workers: workers, access: access, budget: budget)
        reactor.setHooks(tick)
        self.log = log
    }

    private let log: Log

    /// The parts that request handlers use.
    var services: RequestServices { RequestServices(reactor: reactor, log: log, workers: workers, access: access, usage: usage, accounts: accounts) }

    /// Takes options that were read again.
    func take(_ reload: OptionsReload) {
        switch reload {
        case .refused(let problem): log(.error, "options_reload_failed", [.init("problem", problem)])
        case .read(let live, let changed, let waiting):
            if live.trust != site.trust { proxies.reset() }
            site.trust = live.trust
            site.allow(live.origins)
            health.settings = live.health
            log(
                .info, "options_reloaded",
                [.init("changed", changed.joined(separator: ",")), .init("needs_restart", waiting.joined(separator: ","))])
        }
    }

    /// Closes everything after the end of the loop.
    func closeAll() {
        for connection in table.all { connection.drop() }
        admin.endAll()
        // The reactor refers to its hooks, and they refer to the reactor.
        reactor.setHooks(ReactorHooks())
    }
}

@available(*, unavailable) extension Shard: Sendable {}

import HTTP1
import EventLoop
import Rooms
import Wire

/// The end of a shard: an orderly one after SIGTERM, or an immediate one after a failure of the storage.
final class Drain {
    private enum Phase {
        case no
        /// The writer finishes its queue. Every client is notified when the writer is done, or at the first time.
        case finishing(notify: Int64, stop: Int64)
        /// Every client is notified. The loop ends when all connections have closed, or at this time.
        case notified(stop: Int64)
    }

    /// Milliseconds from SIGTERM until every client is notified, whether the writer is done or not, and until the loop
    /// ends. Together with the rest of the shutdown they stay below the promised five seconds.
    private static let notifyTime: Int64 = 2_000
    private static let stopTime: Int64 = 4_000
    /// Milliseconds from a failure of the storage until the loop ends.
    private static let failureTime: Int64 = 1_000
    private static let restarting = "the server is restarting; reconnect in a moment"

    private let reactor: Reactor
    private let log: Log
    private let site: HTTPSite
    private let hub: Hub
    private let driver: HubDriver
    private let workers: Workers
    private let usage: UsageRecorder
    private let table: ConnectionTable
    private var phase = Phase.no
    /// Called once when the loop is about to end: the listeners close.
    var whenEnding: () -> Void = {}
    /// Whether the writer's thread has ended, or is about to.
    private(set) var isWriterDone = false
    /// The reason why the process must end with status 1.
    private(set) var failure: String?

    init(reactor: Reactor, log: Log, site: HTTPSite, hub: Hub, driver: HubDriver, workers: Workers, usage: UsageRecorder, table: ConnectionTable) {
        self.reactor = reactor
        self.log = log
        self.site = site
        self.hub = hub
        self.driver = driver
        self.workers = workers
        self.usage = usage
        self.table = table
    }

    /// Whether the loop ends soon.
    var isEnding: Bool {
        if case .no = phase { false } else { true }
    }

    /// SIGTERM: accepts nothing new, answers accepted requests, notifies every client, and stops within 5 seconds.
    func start() {
        guard !isEnding else { return }
        log(.info, "draining", [.init("connections", table.all.count)])
        whenEnding()
        site.isDraining = true
        phase = .finishing(notify: reactor.now + Drain.notifyTime, stop: reactor.now + Drain.stopTime)
        hub.startDraining()
        usage.write()
        workers.refuse(driver.submitProposals(with: workers.takeProposals()))
        usage.stopWriter()
    }

    func didStopWriter() {
        isWriterDone = true
        if case .finishing(_, let stop) = phase { notifyAll(.restarting, Drain.restarting, stop: stop) }
    }

    /// A commit or sync failed. Every acknowledged change is on disk; no further one can be acknowledged.
    func didFail(_ reason: String) {
        isWriterDone = true
        failure = reason
        whenEnding()
        log(.error, "storage_failed", [.init("reason", reason)])
        notifyAll(.internalError, "the server lost its storage", stop: reactor.now + Drain.failureTime)
    }

    /// Call it about ten times per second once the loop is ending.
    func look(now: Int64) {
        switch phase {
        case .no: break
        case .finishing(let notify, let stop): if now >= notify { notifyAll(.restarting, Drain.restarting, stop: stop) }
        case .notified(let stop): if now >= stop || table.all.isEmpty { reactor.stop() }
        }
    }

    private func notifyAll(_ code: CloseCode, _ reason: String, stop: Int64) {
        phase = .notified(stop: stop)
        usage.close()
        table.whenEmpty = { [reactor] in reactor.stop() }
        if code == .restarting { hub.spreadReturns() }
        hub.endAll(code, reason)
        driver.perform()
        // Connections that never upgraded have nothing to wait for.
        for connection in table.all where !connection.isUpgraded { connection.drop() }
        if table.all.isEmpty { reactor.stop() }
    }
}

@available(*, unavailable) extension Drain: Sendable {}

import Posix
import EventLoop
import TLS

/// The regular work of a server.
final class PeriodicTasks: TimerTarget {
    /// Milliseconds between two checks for work that is done while the server is idle.
    static let maintenanceInterval: Int64 = 600_000
    /// Milliseconds after the start at which the web client is made, so that the first browser need not wait for it. It takes two
    /// seconds of a core, which a server that starts, or that is stopped soon, uses better.
    static let webClientDelay: Int64 = 30_000

    private let reactor: Reactor
    private let shard: Shard
    private let certificates: Certificates?
    private let sweeper: Sweeper
    private let mailer: Mailer?

    /// The time of the next work of every second.
    private var secondDue: Int64 = 0

    private enum Kind: Int {
        case second
        case sweep
        case maintenance
        case certificates
        case tickets
        case watchdog
        case webClient
    }

    /// Milliseconds between two signs of life for the service manager; `nil` if it expects none. It is a third of the
    /// manager's limit: two may come late.
    private let watchdogInterval = ServiceManager.watchdogMilliseconds.map { max($0 / 3, 1) }

    init(reactor: Reactor, shard: Shard, certificates: Certificates?, sweeper: Sweeper, mailer: Mailer? = nil) {
        self.sweeper = sweeper
        self.mailer = mailer
        self.reactor = reactor
        self.shard = shard
        self.certificates = certificates
        super.init()
    }

    func start() {
        schedule(.second)
        schedule(.maintenance)
        schedule(.sweep)
        if watchdogInterval != nil { schedule(.watchdog) }
        if shard.site.web == .program { schedule(.webClient) }
        guard certificates != nil else { return }
        schedule(.certificates)
        schedule(.tickets)
    }

    private func schedule(_ kind: Kind) {
        if kind == .second { secondDue = reactor.now + interval(kind) }
        _ = reactor.schedule(afterMilliseconds: interval(kind), self, kind: kind.rawValue)
    }

    private func interval(_ kind: Kind) -> Int64 {
        switch kind {
        case .second: shard.drain.isEnding ? 100 : 1_000
        case .maintenance: PeriodicTasks.maintenanceInterval
        case .sweep: Sweeper.interval
        case .certificates: Certificates.lookInterval
        case .tickets: TLSTicketKeys.rotationInterval
        case .watchdog: watchdogInterval ?? Self.maintenanceInterval
        case .webClient: Self.webClientDelay
        }
    }

    override func timerFired(kind: Int) {
        guard let kind = Kind(rawValue: kind) else { return }
        switch kind {
        case .second:
            shard.tick.lag.record(max(reactor.now - secondDue, 0) * 1_000_000)
            shard.tick.everySecond(now: reactor.now)
            shard.health.look(now: reactor.now)
            mailer?.look()
        case .maintenance: shard.workers.maintain()
        case .sweep: sweeper.start()
        case .certificates: certificates?.look()
        case .tickets: certificates?.rotateTickets()
        // The loop turns. A restart could not improve more than that: a blocked disk would be blocked again.
        case .watchdog: ServiceManager.notify("WATCHDOG=1")
        // Once: the thread keeps what it made.
        case .webClient: return shard.site.webMaker.begin()
        }
        schedule(kind)
    }
}

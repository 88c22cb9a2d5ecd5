import HTTP1
import Posix
import EventLoop
import Store

/// The bounds that an operator sets for the checks.
package struct HealthSettings: Equatable, Sendable {
    /// The octets that must be free on the disk of the data folder; 0: no limit.
    package var freeSpaceFloor = 256 << 20
    /// The largest number of milliseconds since the last good backup; `nil`: no limit.
    package var backupMaxAge: Int64?

    package init() {}
}

/// Whether the server can accept new clients, or the reason why not. Everything runs on the reactor's thread.
///
/// Once per second it sends a question to the writer, and every five seconds to the machine. It never waits: a missing
/// answer is a finding.
final class HealthMonitor: TimerTarget {
    /// Milliseconds for the machine's answer, after which the disk counts as silent.
    static let machineTime: Int64 = 5_000
    /// Milliseconds for which `/readyz` announces the shutdown before the server stops accepting connections.
    static let noticeTime: Int64 = 2_000
    /// Milliseconds after a request for `/readyz` for which a load balancer is assumed to watch it.
    static let watchTime: Int64 = 60_000

    private let reactor: Reactor
    private let log: Log
    private let workers: Workers
    private let drain: Drain
    private let proxies: ProxyWatch

    var settings = HealthSettings()
    /// The whole days left for the certificate that expires first; `nil` without one.
    var certificateDays: () -> Int? = { nil }
    /// Set once before the loop runs.
    var probe: MachineProbe?

    /// The time of the oldest question without an answer.
    private var writerAskedAt: Int64?
    private var isWriterAsked = false
    /// Whether the writer has answered every question.
    var hasWriterAnswered: Bool { writerAskedAt == nil }
    /// The time of the question to the machine, and the number of readings at that time.
    private var machineAsked: (at: Int64, count: Int)?
    private var nextMachine: Int64 = 0
    private var readyAskedAt: Int64?
    private var isNoticeGiven = false
    /// The errors of the last check, for the log.
    private var errors = ""

    init(reactor: Reactor, log: Log, workers: Workers, drain: Drain, proxies: ProxyWatch) {
        self.reactor = reactor
        self.log = log
        self.workers = workers
        self.drain = drain
        self.proxies = proxies
        super.init()
    }

    // MARK: Checking

    /// Call it about once per second.
    func look(now: Int64) {
        guard !drain.isEnding else { return }
        askWriter(now)
        askMachine(now)
        let report = report(now: now)
        guard report.errors != errors else { return }
        errors = report.errors
        if report.isReady { log(.info, "ready_again") } else { log(.warning, "not_ready", [.init("reasons", report.errors)]) }
    }

    private func askWriter(_ now: Int64) {
        guard !isWriterAsked else { return }
        isWriterAsked = true
        if writerAskedAt == nil { writerAskedAt = now }
        workers.write({ _ throws(StoreFailure) in (true, []) }) { [weak self] (answer: Bool?) in
            guard let self else { return }
            isWriterAsked = false
            // A question that found no room gets no answer; the next check asks again.
            if answer != nil { writerAskedAt = nil }
        }
    }

    private func askMachine(_ now: Int64) {
        guard let probe else { return }
        if let machineAsked, probe.newest.count > machineAsked.count { self.machineAsked = nil }
        guard machineAsked == nil, now >= nextMachine else { return }
        nextMachine = now + Self.machineTime
        machineAsked = (now, probe.newest.count)
        probe.ask()
    }

    /// All checks at this moment, except that the reading of the machine may be some seconds old.
    func report(now: Int64) -> HealthReport {
        var checks = [HealthCheck.loop]
        if isNoticeGiven || drain.isEnding { checks.append(.drain) }
        checks.append(.writer(waiting: writerAskedAt.map { now - $0 }))
        if let probe {
            let (count, reading) = probe.newest
            let isSilent = machineAsked.map { count == $0.count && now - $0.at > Self.machineTime } ?? false
            checks.append(.disk(free: isSilent ? nil : reading.free, floor: settings.freeSpaceFloor))
            checks.append(.folder(mode: reading.mode))
            checks.append(.zones(arePresent: reading.hasZones))
            checks.append(.certificate(days: certificateDays()))
            checks.append(.backup(age: reading.backupAt.map { max(Clock.wallMilliseconds() - $0, 0) }, most: settings.backupMaxAge))
        }
        let faults = proxies.faults(now: now)
        checks += faults.isEmpty ? [.proxy(nil)] : faults.map { .proxy($0) }
        return HealthReport(checks)
    }

    // MARK: The end

    /// SIGTERM: drains. If `/readyz` was requested lately, it announces the shutdown for a moment first; a second call
    /// ends that moment.
    func end() {
        let now = reactor.now
        guard !isNoticeGiven, !drain.isEnding, let readyAskedAt, now - readyAskedAt < Self.watchTime else { return drain.start() }
        isNoticeGiven = true
        log(.info, "drain_announced", [.init("milliseconds", Self.noticeTime)])
        _ = reactor.schedule(afterMilliseconds: Self.noticeTime, self, kind: 0)
    }

    override func timerFired(kind: Int) { drain.start() }

    // MARK: Routes

    /// `/healthz`, which answers as long as the loop turns, and `/readyz`.
    var routes: [RouteGroup.Resource] {
        let group = RouteGroup()
        let fields = [Field("Content-Type", "application/json"), Field("Cache-Control", "no-store")]
        return [
            group.resource("/healthz", .get { _ in .response(HTTPResponse(200, fields, content: Array("{\"status\":\"ok\"}\n".utf8))) }),
            group.resource("/readyz", .get { [unowned self] _ in
                readyAskedAt = reactor.now
                let report = report(now: reactor.now)
                return .response(HTTPResponse(report.isReady ? 200 : 503, fields, content: report.answer))
            }),
        ]
    }
}

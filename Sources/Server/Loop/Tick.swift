import Bytes
import Posix
import EventLoop
import Rooms
import Store

/// The order of one turn of the loop.
///
/// The reactor waits, calls `drainMailbox`, then the ready connections and the due timers, then `beforeSleep`.
/// Everything runs on the reactor's thread. The steps belong to the parts that are named here; this file contains only
/// their order and its reasons.
final class Tick: ReactorHooks {
    private let reactor: Reactor
    private let log: Log
    private let events: Mailbox<ShardEvent>
    private let hub: Hub
    private let driver: HubDriver
    private let queues: TickQueues
    private let workers: Workers
    private let access: AccessControl
    private let usage: UsageRecorder
    private let admin: AdminServer
    private let drain: Drain
    private let accounts: AccountService
    /// The running uploads; set once before the loop runs.
    var uploads: UploadTable?
    /// The delay of the regular work, nanoseconds.
    let lag = Histogram(.lag)

    init(
        reactor: Reactor, log: Log, events: Mailbox<ShardEvent>, hub: Hub, driver: HubDriver, queues: TickQueues, workers: Workers,
        access: AccessControl, usage: UsageRecorder, admin: AdminServer, drain: Drain, accounts: AccountService
    ) {
        self.reactor = reactor
        self.log = log
        self.events = events
        self.hub = hub
        self.driver = driver
        self.queues = queues
        self.workers = workers
        self.access = access
        self.usage = usage
        self.admin = admin
        self.drain = drain
        self.accounts = accounts
        super.init()
    }

    // MARK: The beginning of a turn

    /// Results of other threads come before new input: they are older, and the input may need the resources that they
    /// free (a reader, a place in a queue). After them come the connections whose turn ended in the last tick; a client
    /// that floods comes after those that it kept waiting.
    override func drainMailbox() {
        queues.begin()
        for event in events.drain() {
            deliver(event)
            // This comes before the next event, so that sessions receive everything in the order of the commits.
            driver.perform()
        }
        queues.readPostponed()
    }

    private func deliver(_ event: ShardEvent) {
        switch event {
        case .committed(let results): hub.committed(results)
        case .commanded(let session, let answer): hub.commanded(session, answer)
        case .shutOut(let barred):
            hub.shutOut(barred.member, of: barred.family)
            for session in barred.sessions { hub.endSessions(session) }
        case .revoked(let results): for (revocation, rejection) in results { access.didRevoke(revocation, rejection) }
        case .sessionsEnded(let sessions): for session in sessions { hub.endSessions(session) }
        case .noticed(let notices):
            for notice in notices {
                switch notice {
                case .recovered(let person, let recovery, let besides): hub.recovered(person: person, recovery, besides: besides)
                case .mailFailed(let person, let notice): hub.mailFailed(person: person, notice)
                case .reminder(let reminder, let family, let member): hub.remind(member, of: family, reminder)
                case .reminderSeen(let key, let family, let member): hub.didSeeReminder(member, of: family, key)
                case .moved(let barred): hub.shutOut(barred.member, of: barred.family)
                case .quotas(let own, let family): hub.setQuotas(own, of: family)
                case .erased(let family):
                    log(.info, "family_erasing", [.init("family", "\(family)")])
                    hub.erased(family)
                    uploads?.removeAll(of: family)
                }
            }
        case .administered(let number, let answer): admin.answer(number, answer)
        case .answered(let session, let answer, let payer, let owed):
            if let payer { hub.charge(payer, owed: owed) }
            if case .redemption(_, _, .some) = answer { driver.didMissCode(session) }
            driver.counts.note(answer)
            hub.answered(session, answer, time: Clock.wallMilliseconds())
        case .missing(let family, let sequence, let answer): hub.answeredMissing(family, after: sequence, answer)
        case .jobEnded(let ticket, let result): workers.didEnd(ticket, result)
        case .proposalEnded(let ticket, let answer, let payer, let took):
            hub.charge(payer, owed: took)
            workers.didEnd(ticket, answer)
        case .damaged(let rows): for row in rows { report(row) }
        case .writerStopped: drain.didStopWriter()
        case .writerFailed(let reason): drain.didFail(reason)
        case .stopAsked: drain.start()
        }
    }

    private func report(_ damaged: DamagedRow) {
        let family = Log.Field("family", damaged.family?.description ?? "unknown")
        switch damaged.row {
        case .change(let sequence): log(.error, "change_damaged", [family, .init("sequence", sequence)])
        case .record(let id): log(.error, "record_damaged", [family, .init("record", id?.description ?? "unknown")])
        }
    }

    // MARK: The end of a turn

    /// 1. Mutations and the proposals of requests go to the writer together, so that they share a commit and the writer
    /// works while frames are sent.
    /// 2. All octets that were queued in this turn are sent with one call per socket.
    /// 3. A few steps of TLS handshakes: they cost as much as a hundred frames, so they come after all work that a
    /// client waits for.
    /// 4. A client that emptied its outbox receives the next portion of its missed changes: one portion per turn, so
    /// that a client that reads as fast as the server sends does not keep the others waiting for a whole snapshot.
    override func beforeSleep() {
        queues.countFiles()
        usage.write()
        workers.refuse(driver.submitProposals(with: workers.takeProposals()))
        queues.flush()
        queues.shakeHands()
        if hub.reportDrained({ driver.isFlushed($0) }) {
            driver.perform()
            queues.flush()
            reactor.waker.ring()
        }
    }

    // MARK: Time

    /// Runs the work of about every second.
    ///
    /// - Parameter now: milliseconds, `Reactor.now`.
    func everySecond(now: Int64) {
        hub.tick(now: now)
        driver.perform()
        uploads?.sweep(now: now)
        access.retryRevocations(now: now)
        accounts.everySecond()
        driver.perform()
        workers.remind()
        workers.logRefusals(log)
        admin.endOld(now: now)
        drain.look(now: now)
    }
}

import Blobs
import Bytes
import Family
import Locks
import Posix
import EventLoop
import Rooms
import Store
import Wire

/// The one thread that writes: it takes the waiting work, commits it with one sync, and reports to the reactor.
///
/// While one sync runs, the next batch accumulates, so the batch grows with the load and no timer delays anybody.
/// Documents and share links that requests propose are in the batch of the mutations: twenty uploads that end together
/// share a sync. `WriterQueue` determines the order.
final class WriterThread: Sendable {
    private let mailbox = WriterMailbox()
    private let disk: DiskPolicy
    private let thread: Thread
    let counts: WriterCounts
    /// Rung when a mail was queued.
    let newMail = BlockingQueue<Bool>(limit: 1)
    /// `FamilyStore.nextReminder` after the writer's last work.
    let nextReminder = NextReminder()

    /// - Parameters:
    ///   - store: only the writer uses it from now on.
    ///   - events: the reactor's mailbox.
    ///   - disk: makes file work wait while mutations wait for their commit.
    ///   - log: receives a line for each slow commit.
    init(
        store: sending FamilyStore, environment: sending StoreEnvironment, events: Mailbox<ShardEvent>, disk: DiskPolicy = DiskPolicy(), log: Log = Log { _ in }
    ) {
        self.disk = disk
        let counts = WriterCounts()
        self.counts = counts
        let loop = WriterLoop(
            store: store, environment: environment, mailbox: mailbox, events: events, disk: disk, log: log, counts: counts, newMail: newMail,
            nextReminder: nextReminder)
        thread = Thread.start(name: "writer") {
            var loop = loop
            loop.run()
        }
    }

    /// Waits for the end of the thread, which comes after `.writerStopped` or `.writerFailed`.
    func join() { thread.join() }

    /// All mutations of one tick, in the order in which they came, and the proposals of requests beside them.
    ///
    /// - Returns: those that find no room, which are the last ones.
    func submit(_ proposals: [Proposal], _ requests: [RequestProposal] = []) -> (proposals: ArraySlice<Proposal>, requests: ArraySlice<RequestProposal>) {
        disk.begin(proposals.count)
        let taken = mailbox.put { ($0.put(proposals), $0.put(requests)) }
        disk.end(proposals.count - taken.0)
        return (proposals[taken.0...], requests[taken.1...])
    }

    /// - Returns: false if there is no room for it, or the writer has ended.
    func submit(_ revocation: Revocation) -> Bool { mailbox.put { $0.put(revocation) } }

    /// - Returns: as above.
    func submit(_ job: WriterJob) -> Bool { mailbox.put { $0.put(job) } }

    /// The jobs that were refused for lack of room since the last call.
    func takeRefusals() -> [WriterQueue.Refusal] { mailbox.takeRefusals() }

    /// The number of waiting jobs of each class.
    var waiting: [(kind: WriterQueue.Class, count: Int)] { mailbox.waiting }
}

/// The writer's queue between threads.
private final class WriterMailbox: Sendable {
    private let queue = Lock(WriterQueue())
    /// Rung when work was added.
    private let bell = BlockingQueue<Bool>(limit: 1)

    func put<Answer: Sendable>(_ body: (inout WriterQueue) -> Answer) -> Answer {
        let answer = queue.withLock { body(&$0) }
        _ = bell.put(true)
        return answer
    }

    /// Waits until there is work.
    func take() -> WriterQueue.Work {
        while true {
            if let work = queue.withLock({ $0.take() }) { return work }
            _ = bell.take()
        }
    }

    /// Puts back the work for which a batch had no time.
    func putBack(_ rest: [Proposal], of batch: [Proposal], _ requests: [RequestProposal]) {
        queue.withLock { $0.putBack(rest, of: batch, requests) }
    }

    func isAwaited(besides family: Identifier) -> Bool { queue.withLock { $0.isAwaited(besides: family) } }

    var isBetweenRounds: Bool { queue.withLock { $0.isBetweenRounds } }

    func takeRefusals() -> [WriterQueue.Refusal] { queue.withLock { $0.takeRefusals() } }

    var waiting: [(kind: WriterQueue.Class, count: Int)] { queue.withLock { queue in WriterQueue.Class.allCases.map { ($0, queue.waiting($0)) } } }

    func close() { queue.withLock { $0.close() } }
}

private struct WriterLoop {
    /// The milliseconds above which a commit is slow, because clients that wait for it notice.
    private static let slowMilliseconds: Int64 = 100

    let counts: WriterCounts
    let newMail: BlockingQueue<Bool>
    private let nextReminder: NextReminder
    /// The value in `nextReminder`.
    private var publishedReminder: Int64?

    let store: FamilyStore
    let environment: StoreEnvironment
    let mailbox: WriterMailbox
    let events: Mailbox<ShardEvent>
    let disk: DiskPolicy
    let log: Log
    private let pace: BatchPace
    /// The number of mutations of this round, for which file work waits.
    private var awaited = 0

    init(
        store: FamilyStore, environment: StoreEnvironment, mailbox: WriterMailbox, events: Mailbox<ShardEvent>, disk: DiskPolicy, log: Log, counts: WriterCounts,
        newMail: BlockingQueue<Bool>,
        nextReminder: NextReminder
    ) {
        self.nextReminder = nextReminder
        self.counts = counts
        self.newMail = newMail
        self.log = log
        self.store = store
        self.environment = environment
        self.mailbox = mailbox
        self.events = events
        self.disk = disk
        pace = BatchPace(
            now: WorkClock.monotonicNanoseconds, processorTime: WorkClock.threadNanoseconds, isAwaited: { mailbox.isAwaited(besides: $0) })
    }

    mutating func run() {
        do throws(StoreFailure) {
            publishNextReminder()
            while try work() { publishNextReminder() }
        } catch {
            // Nothing is written any more, and no client receives a receipt.
            mailbox.close()
            events.put(.writerFailed("\(error)"))
        }
        disk.end(awaited)
    }

    private mutating func publishNextReminder() {
        let next = store.nextReminder
        guard next != publishedReminder else { return }
        publishedReminder = next
        nextReminder.set(next)
    }

    /// - Returns: `false` after the last job.
    private mutating func work() throws(StoreFailure) -> Bool {
        switch mailbox.take() {
        case .revocations(let revocations):
            let answers = try store.revoke(revocations)
            reportEndedSessions()
            events.put(.revoked(Array(zip(revocations, answers))))
        case .batch(let proposals, let requests):
            let begun = Clock.monotonicNanoseconds()
            let report = try store.commit(proposals, requests: requests.map(\.request), pace: pace)
            let ended = Clock.monotonicNanoseconds()
            counts.note(report, of: proposals, requests: requests.count, begun: begun, ended: ended)
            for (quota, count) in store.takeQuotaRefusals() { counts.quotaRefusals.add(quota, count) }
            let took = (ended - begun) / 1_000_000
            if took > Self.slowMilliseconds {
                let count = proposals.count - report.rest.count
                log(.warning, "commit_slow", [.init("milliseconds", took), .init("mutations", count), .init("requests", requests.count)])
            }
            awaited += proposals.count - report.rest.count
            // The families receive changes before the clients that requested them receive receipts.
            events.put(.committed(report.results))
            var rest: [RequestProposal] = []
            for (proposal, done) in zip(requests, report.answers) {
                guard let done else {
                    rest.append(proposal)
                    continue
                }
                let payer = WorkOwner(family: proposal.request.family, member: proposal.request.member)
                events.put(.proposalEnded(proposal.ticket, done.answer, payer, took: done.took))
            }
            if !report.rest.isEmpty || !rest.isEmpty { mailbox.putBack(report.rest, of: proposals, rest) }
        case .job(let job):
            if try !perform(job) { return false }
        }
        guard mailbox.isBetweenRounds else { return true }
        // After the receipts were sent: nobody waits for this. Mutations that come during it wait for it too, so file
        // work waits until its end.
        try store.checkpointIfDue()
        disk.end(awaited)
        awaited = 0
        return true
    }

    /// The connections of sessions that ended are closed before anybody receives the reason.
    private func reportEndedSessions() {
        let ended = store.takeEndedSessions()
        if !ended.isEmpty { events.put(.sessionsEnded(ended)) }
        if store.takeNewMail() { _ = newMail.put(true) }
        let notices = store.takeNotices()
        if !notices.isEmpty { events.put(.noticed(notices)) }
    }

    private func perform(_ job: WriterJob) throws(StoreFailure) -> Bool {
        switch job {
        case .command(let session, let command):
            let (answer, results, barred) = try command.perform(in: store)
            reportEndedSessions()
            if !results.isEmpty { events.put(.committed(results)) }
            // The connections of a member who may no longer enter end before the parent receives the answer.
            if let barred { events.put(.shutOut(barred)) }
            if let answer { events.put(.commanded(session, answer)) }
        case .exported(let export, let answer):
            _ = answer.put(try store.note(export))
        case .usage(let notes): try store.write(notes, now: Clock.monotonicMilliseconds())
        case .admin(let number, let command):
            let (answer, results) = try command.perform(in: store, environment: environment)
            reportEndedSessions()
            if !results.isEmpty { events.put(.committed(results)) }
            events.put(.administered(number, answer))
        case .request(let ticket, let body):
            let (answer, results) = try body(store)
            reportEndedSessions()
            // The family receives the change before the client that requested it receives an answer.
            if !results.isEmpty { events.put(.committed(results)) }
            events.put(.jobEnded(ticket, answer))
        case .importing(let step, let answer):
            _ = answer.put(try store.perform(step))
        case .forget(let gone, let answer):
            _ = answer.put(try store.forget(gone))
        case .mail(let step, let answer):
            switch step {
            case .claim(let isFirst):
                _ = answer.put(try store.claimMail(isFirst: isFirst).map { .claim($0) } ?? .refused)
            case .settle(let key, let outcome):
                switch try store.settleMail(key, outcome) {
                case .success(let problem): _ = answer.put(.settled(problem))
                case .failure: _ = answer.put(.refused)
                }
            }
            reportEndedSessions()
        case .erased(let erasure, let answer):
            _ = answer.put(try store.didEraseFiles(erasure))
        case .reminders:
            let hasMore = try store.fireReminders()
            reportEndedSessions()
            // Behind all waiting work, which nobody's reminder delays.
            if hasMore { _ = mailbox.put { $0.put(.reminders) } }
        case .seen(let key, let family, let member):
            _ = try store.see(key, family: family, member: member)
            reportEndedSessions()
        case .maintenance:
            let ended = try store.endGuests()
            if !ended.isEmpty { events.put(.committed(ended)) }
            let portion = try store.maintain()
            reportEndedSessions()
            if !portion.damaged.isEmpty { events.put(.damaged(portion.damaged)) }
            if portion.isFinished {
                _ = try store.truncateLog()
            } else {
                // Behind all waiting work: nobody waits for a purge. The end of the queue ends it for now.
                _ = mailbox.put { $0.put(.maintenance) }
            }
        case .stop(let notes):
            try store.write(notes, now: Clock.monotonicMilliseconds())
            try? store.stop()
            events.put(.writerStopped)
            return false
        }
        return true
    }
}

extension SessionCommand {
    /// - Returns: the answer, `nil` if nobody waits for it; the changes for the live rooms; and the member whose
    ///   connections must end.
    fileprivate func perform(in store: FamilyStore) throws(StoreFailure) -> (SessionCommandAnswer?, [CommitResult], BarredMember?) {
        switch self {
        case .redeem(let code, let nonce, let name, let session?):
            let (answer, results) = try store.join(code: code, nonce: nonce, name: name, session: session)
            switch answer {
            case .success(let membership): return (.membership(membership), results, nil)
            case .failure(let rejection): return (.rejected(rejection), results, nil)
            }
        case .redeem(let code, let nonce, let name, nil):
            let (answer, results) = try store.perform(.redeem(code: code, nonce: nonce, name: name))
            return (SessionCommandAnswer(answer), results, nil)
        case .closeRedemption(let session):
            let refusal = try store.closeRedemption(session: session)
            return (refusal.map { .rejected($0) } ?? .redemptionClosed, [], nil)
        case .invite(let family, let member, let request):
            let new = NewInvite(
                family: family.description, member: request.member, name: request.name, role: request.role, born: request.born, email: request.email,
                lastDay: request.lastDay, by: member, origin: .session(id: request.id, nonce: request.nonce))
            return Self.answer(try store.perform(.make(new)))
        case .withdrawInvite(let family, let member, let request):
            return Self.answer(try store.perform(.withdraw(request.id, family: family, by: member)))
        case .consent(let family, let member, let request):
            let act: MemberCommand.Act =
                switch request.act {
                case .give(let version, let digest): .consent(version: version, digest: digest)
                case .withdraw: .withdrawConsent
                case .born(let born): .correctBirthDate(born)
                case .lastDay(let day): .setLastDay(day)
                }
            let (answer, barred) = try store.perform(MemberCommand(act, member: request.member, family: family, by: member))
            switch answer {
            case .success(let standing): return (.standing(standing), [], barred)
            case .failure(let rejection): return (.rejected(rejection), [], nil)
            }
        case .createToken(let request, let session):
            let new = NewToken(
                id: request.id, nonce: request.nonce, name: request.name, scope: request.scope, days: request.days, athletes: request.athletes)
            switch try store.makeToken(new, by: session) {
            case .success(let made): return (.programToken(made.token, made.session), [], nil)
            case .failure(let rejection): return (.rejected(rejection), [], nil)
            }
        case .addDevice(let session):
            switch try store.makeDeviceCode(by: session) {
            case .success(let made): return (.deviceCode(made.code, expiresAt: made.expiresAt), [], nil)
            case .failure(let rejection): return (.rejected(rejection), [], nil)
            }
        case .calendars(let family, let member, let request, let session):
            let act: FeedCommand.Act
            switch request.act {
            case .add(let id, let nonce, let settings): act = .add(id, nonce: nonce, settings)
            case .change(let id, let settings): act = .change(id, settings)
            case .list, .remove: return (.rejected(.busy), [], nil)
            }
            switch try store.perform(FeedCommand(family: family, member: member, session: session, act)) {
            case .success(let answer): return (.calendars(answer.feeds, answer.made), [], nil)
            case .failure(let rejection): return (.rejected(rejection), [], nil)
            }
        case .deletion(let family, let member, let act, let session):
            let (answer, results) = try store.perform(
                DeletionCommand(act, family: family, by: .member(member, session: session)))
            switch answer {
            case .success(let deletion): return (.deletion(deletion), results, nil)
            case .failure(let rejection): return (.rejected(rejection), results, nil)
            }
        case .renameSession(let id, let name, let session):
            switch try store.renameSession(id, to: name, by: session) {
            case .success(let sessions): return (.sessions(sessions), [], nil)
            case .failure(let rejection): return (.rejected(rejection), [], nil)
            }
        }
    }

    private static func answer(_ done: (Result<MadeInvite, Rejection>, [CommitResult])) -> (SessionCommandAnswer?, [CommitResult], BarredMember?) {
        switch done.0 {
        case .success(let made): (.invite(made.invite, code: made.code), done.1, nil)
        case .failure(let rejection): (.rejected(rejection), done.1, nil)
        }
    }
}

extension SessionCommandAnswer {
    /// `nil` for an answer to something other than a session's command.
    fileprivate init?(_ answer: Result<AdminAnswer, Rejection>) {
        switch answer {
        case .success(.token(let created)):
            self = .token(created.token, family: created.family, member: created.member, ended: created.endedSession)
        case .success: return nil
        case .failure(let rejection): self = .rejected(rejection)
        }
    }
}

import Blobs
import Bytes
import Family
import Posix
import Reactor
import Rooms
import Store
import Wire

/// What the reactor asks of the writer.
enum WriterJob: Sendable {
    /// All mutations of one tick, in the order in which they came.
    case proposals([Proposal])
    case command(SessionID, SessionCommand)
    /// From the admin socket; the number names the connection that asks.
    case admin(UInt64, AdminRequest)
    /// For the access log; where somebody waits until they stand there, `nil` is their answer.
    case accesses([AccessNote], answer: BlockingQueue<Rejection?>? = nil)
    /// For the logs of share links.
    case visits([ShareVisit])
    /// Sessions that are in use.
    case renewals([Int64])
    /// Something that a request asks; the ticket is of who waits for what comes of it.
    case errand(UInt64, @Sendable (Store) throws(StoreFailure) -> (answer: any Sendable, results: [CommitResult]))
    /// A part of an import, and where its answer is waited for: `nil` when it is done.
    case importing(ImportStep, answer: BlockingQueue<Rejection?>)
    /// Files of documents are gone; the answer is whether that is noted.
    case forget([BlobName], answer: BlockingQueue<Bool>)
    /// Daily and idle work, one portion; it comes again by itself until a round is finished.
    case maintenance
    /// The last one: everything before it is done.
    case stop
}

/// What other threads tell the reactor.
enum ShardEvent: Sendable {
    case committed([CommitResult])
    case commanded(SessionID, SessionCommandAnswer)
    case administered(UInt64, Result<AdminReply, Rejection>)
    case answered(SessionID, ReadAnswer)
    /// What an errand came to; `nil` when it failed.
    case errand(UInt64, (any Sendable)?)
    case writerStopped
    /// What was promised can no longer be kept; the process must end.
    case writerFailed(String)
    /// As SIGTERM, from this process.
    case stopAsked
}

/// The one thread that writes: takes everything that waits, commits it with one sync, tells the reactor.
///
/// While one sync runs the next batch gathers by itself, so the batch grows with the load and no timer delays anybody. Mutations go before
/// whatever else waits, of which one is done at a time: twenty uploads that end together are twenty commits, and a message waits for one of
/// them. Nobody has been answered yet, so it is as if the mutations had come first.
final class WriterThread: Sendable {
    /// Jobs that wait. Proposals come as one job a tick, and `Limits.pendingOctets` bounds what they hold.
    static let maxJobs = 100_000

    private let jobs = BlockingQueue<WriterJob>(limit: maxJobs)
    private let precedence: Precedence
    private let thread: Thread

    /// - Parameters:
    ///   - store: the writer's alone from now on.
    ///   - events: the reactor's mailbox.
    ///   - precedence: who stands back while mutations wait for their commit.
    init(store: sending Store, environment: sending StoreEnvironment, events: Mailbox<ShardEvent>, precedence: Precedence = Precedence()) {
        self.precedence = precedence
        let loop = WriterLoop(store: store, environment: environment, jobs: jobs, events: events, precedence: precedence)
        thread = Thread.start(name: "writer") {
            var loop = loop
            loop.run()
        }
    }

    /// Waits until the thread has ended, which it does after `.writerStopped` and `.writerFailed`.
    func join() { thread.join() }

    /// - Returns: `false` when the queue is full, which the hub's bounds prevent for mutations.
    func submit(_ job: WriterJob) -> Bool {
        guard case .proposals = job else { return jobs.put(job) }
        precedence.begin()
        let isTaken = jobs.put(job)
        if !isTaken { precedence.end() }
        return isTaken
    }
}

private struct WriterLoop {
    let store: Store
    let environment: StoreEnvironment
    let jobs: BlockingQueue<WriterJob>
    let events: Mailbox<ShardEvent>
    let precedence: Precedence
    /// What was taken and is no mutation, oldest first.
    private var waiting: ArraySlice<WriterJob> = []

    init(store: Store, environment: StoreEnvironment, jobs: BlockingQueue<WriterJob>, events: Mailbox<ShardEvent>, precedence: Precedence) {
        self.store = store
        self.environment = environment
        self.jobs = jobs
        self.events = events
        self.precedence = precedence
    }

    mutating func run() {
        do throws(StoreFailure) {
            while try takeAll() {}
        } catch {
            // Nothing is written any more, and nobody is told that anything was.
            jobs.close()
            events.put(.writerFailed("\(error)"))
        }
    }

    /// - Returns: `false` after the last job.
    private mutating func takeAll() throws(StoreFailure) -> Bool {
        var batch: [Proposal] = []
        var awaited = 0
        // After the checkpoint: who comes meanwhile waits for it too.
        defer { precedence.end(awaited) }
        for job in waiting.isEmpty ? jobs.take() : jobs.takeNow() {
            guard case .proposals(let proposals) = job else {
                waiting.append(job)
                continue
            }
            awaited += 1
            // Neighbouring ticks share one commit, up to the size that keeps a commit short.
            for proposal in proposals {
                batch.append(proposal)
                if batch.count == Store.maxBatch { try commit(&batch) }
            }
        }
        try commit(&batch)
        if let job = waiting.popFirst(), try !perform(job) { return false }
        // After the receipts are on their way: nobody waits for this.
        try store.checkpointIfDue()
        return true
    }

    private func commit(_ batch: inout [Proposal]) throws(StoreFailure) {
        guard !batch.isEmpty else { return }
        events.put(.committed(try store.commit(batch)))
        batch.removeAll(keepingCapacity: true)
    }

    private func perform(_ job: WriterJob) throws(StoreFailure) -> Bool {
        switch job {
        case .proposals: break
        case .command(let session, let command):
            let (answer, results) = try command.perform(in: store)
            if !results.isEmpty { events.put(.committed(results)) }
            if let answer { events.put(.commanded(session, answer)) }
        case .accesses(let accesses, let answer):
            try store.note(accesses)
            _ = answer?.put(nil)
        case .visits(let visits): try store.note(visits)
        case .renewals(let sessions): try store.renew(sessions: sessions)
        case .admin(let number, let command):
            let (answer, results) = try command.perform(in: store, environment: environment)
            if !results.isEmpty { events.put(.committed(results)) }
            events.put(.administered(number, answer))
        case .errand(let ticket, let body):
            let (answer, results) = try body(store)
            // The family hears of it before who asked gets an answer.
            if !results.isEmpty { events.put(.committed(results)) }
            events.put(.errand(ticket, answer))
        case .importing(let step, let answer):
            _ = answer.put(try store.perform(step))
        case .forget(let gone, let answer):
            _ = answer.put(try store.forget(gone))
        case .maintenance:
            if try store.maintain().isFinished {
                _ = try store.truncateLog()
            } else {
                // Behind whatever waits: nobody waits for a purge. A closed queue ends it for now.
                _ = jobs.put(.maintenance)
            }
        case .stop:
            try? store.stop()
            events.put(.writerStopped)
            return false
        }
        return true
    }
}

extension SessionCommand {
    /// - Returns: `nil` when nobody waits for the answer; and the changes for the live rooms.
    fileprivate func perform(in store: Store) throws(StoreFailure) -> (SessionCommandAnswer?, [CommitResult]) {
        let admin: AdminCommand
        switch self {
        case .redeem(let code, let nonce): admin = .redeem(code: code, nonce: nonce)
        case .signOut(let token): admin = .signOut(token: token)
        case .closeRedemption(let session):
            let refusal = try store.closeRedemption(session: session)
            return (refusal.map { .rejected($0) } ?? .redemptionClosed, [])
        }
        let (answer, results) = try store.perform(admin)
        return (SessionCommandAnswer(answer), results)
    }
}

extension SessionCommandAnswer {
    /// `nil` when nobody needs to hear: the session was over already.
    fileprivate init?(_ answer: Result<AdminAnswer, Rejection>) {
        switch answer {
        case .success(.token(let created)):
            self = .token(created.token, family: created.family, member: created.member, ended: created.endedSession)
        case .success(.signedOut(let session)):
            guard let session else { return nil }
            self = .signedOut(session: session)
        case .success: return nil
        case .failure(let rejection): self = .rejected(rejection)
        }
    }
}

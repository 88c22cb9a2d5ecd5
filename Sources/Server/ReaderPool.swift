package import Bytes
import Family
import Locks
import Posix
import EventLoop
package import Rooms
package import Store
import Wire

/// Threads that read the database for the reactor, each with a connection of its own. `ReaderQueue` decides the next
/// job of each.
final class ReaderPool: Sendable {
    /// One thread for short jobs, and two for questions, so that one big snapshot does not delay everybody's list.
    static let threads = 3

    private let mailbox: ReaderMailbox
    private let events: Mailbox<ShardEvent>
    private let log: Log
    /// Nanoseconds after which a question is stopped.
    private let longest: Int64
    private let started = Lock<[Thread]>([])
    /// The counters of each thread.
    let counts = (0..<ReaderPool.threads).map { _ in ReaderCounts() }

    init(events: Mailbox<ShardEvent>, log: Log, longest: Int64 = 250_000_000) {
        self.events = events
        self.log = log
        self.longest = longest
        mailbox = ReaderMailbox(threads: Self.threads)
    }

    /// Adds a thread, which owns `reader` from now on; call it `threads` times.
    func start(_ reader: sending StoreReader) {
        let number = started.withLock { $0.count }
        let loop = ReaderLoop(
            reader: reader, number: number, mailbox: mailbox, events: events, log: log, longest: longest, counts: counts[min(number, counts.count - 1)])
        let thread = Thread.start(name: "reader") { loop.run() }
        started.withLock { $0.append(thread) }
    }

    /// Ends the threads after their current jobs and waits for them. Nothing is answered afterwards.
    func stop() {
        mailbox.close()
        let threads = started.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in threads { thread.join() }
    }

    /// - Parameter payer: the member and family to charge; `nil` before a join.
    /// - Returns: false if there is no room for it.
    func submit(_ session: SessionID, _ request: ReadRequest, _ payer: WorkOwner?) -> Bool {
        // The session has ended already.
        guard request.isShort || payer != nil else { return false }
        return mailbox.put(
            .init(
                kind: request.isShort ? .arrival : .question, payer: payer, family: request.joined, isCounted: request.question != nil,
                request: .session(session, request)))
    }

    /// Reads changes that a family's room did not receive.
    ///
    /// - Returns: false if there is no room for it.
    func submitMissing(_ family: Identifier, after sequence: Int64) -> Bool {
        mailbox.put(.init(kind: .arrival, payer: nil, family: family, isCounted: false, request: .missing(family, after: sequence)))
    }

    /// Reads for an HTTP request.
    func submit(_ ticket: UInt64, _ read: @escaping RequestRead) -> Bool {
        mailbox.put(.init(kind: .request, payer: nil, isCounted: false, request: .request(ticket, read)))
    }

    /// The number of waiting requests.
    var count: Int { mailbox.count }

    /// The jobs that were refused for lack of room since the last call.
    func takeRefusals() -> [ReaderQueue.Refusal] { mailbox.takeRefusals() }

    /// The number of waiting jobs of each class.
    var waiting: [(kind: ReaderQueue.Class, count: Int)] { mailbox.waiting }
}

/// The readers' queue between threads.
private final class ReaderMailbox: Sendable {
    private let queue: Lock<ReaderQueue>
    /// One per thread, rung when the thread has a job.
    private let bells: [BlockingQueue<Bool>]

    init(threads: Int) {
        queue = Lock(ReaderQueue(threads: threads))
        bells = (0..<threads).map { _ in BlockingQueue(limit: 1) }
    }

    func put(_ job: ReaderQueue.Job) -> Bool {
        let (isTaken, thread) = queue.withLock { ($0.put(job), $0.threadToWake()) }
        if let thread { _ = bells[thread].put(true) }
        return isTaken
    }

    /// Ends a thread's last job and waits for the next; `nil` if the queue is closed.
    func take(_ thread: Int) -> ReaderQueue.Job? {
        while true {
            // The end of a question can give another thread the turn for the next question of the same family.
            let (job, other, isClosed) = queue.withLock { ($0.take(thread: thread), $0.threadToWake(), $0.isClosed) }
            if let other, other != thread { _ = bells[other].put(true) }
            if job != nil || isClosed { return job }
            if other == thread { continue }
            _ = bells[thread].take()
        }
    }

    var count: Int { queue.withLock { $0.count } }

    func takeRefusals() -> [ReaderQueue.Refusal] { queue.withLock { $0.takeRefusals() } }

    var waiting: [(kind: ReaderQueue.Class, count: Int)] { queue.withLock { queue in ReaderQueue.Class.allCases.map { ($0, queue.waiting($0)) } } }

    func hasQuestions(besides family: Identifier) -> Bool { queue.withLock { $0.hasQuestions(besides: family) } }

    func close() {
        queue.withLock { $0.close() }
        for bell in bells { _ = bell.put(true) }
    }
}

private struct ReaderLoop {
    let reader: StoreReader
    let number: Int
    let mailbox: ReaderMailbox
    let events: Mailbox<ShardEvent>
    let log: Log
    /// Nanoseconds after which a question is stopped.
    let longest: Int64
    let counts: ReaderCounts

    func run() {
        var damaged = 0
        while let job = mailbox.take(number) {
            let begun = Clock.monotonicNanoseconds()
            defer { counts.record(job.kind, Clock.monotonicNanoseconds() - begun) }
            switch job.request {
            case .session(let session, let request):
                let start = WorkClock.threadNanoseconds()
                let answer = answer(request, job)
                let took = (WorkClock.threadNanoseconds() - start) / 1_000
                guard let answer else {
                    putBack(job, took)
                    continue
                }
                events.put(.answered(session, answer, job.payer, owed: job.spent + took - request.reserved))
                prepareLists(request, answer)
            case .missing(let family, let sequence):
                let answer = read { reader throws(StoreFailure) in try reader.missing(family: family, after: sequence) } ?? .failed
                events.put(.missing(family, after: sequence, answer))
            case .request(let ticket, let body): events.put(.jobEnded(ticket, read(body)))
            case .preparation(let family):
                read { reader throws(StoreFailure) in try reader.prepareLists(family: family) { mailbox.count == 0 } }
            }
            if reader.damaged.count > damaged {
                damaged = reader.damaged.count
                log(.error, "records_damaged", [.init("records", damaged)])
            }
        }
    }

    /// - Returns: `nil` for a snapshot that was stopped because other requests wait.
    private func answer(_ request: ReadRequest, _ job: ReaderQueue.Job) -> ReadAnswer? {
        let end = WorkClock.monotonicNanoseconds() + longest
        guard let question = request.question else {
            if case .snapshot(let family) = request { return snapshot(family, job) }
            return read { reader throws(StoreFailure) in
                try reader.answer(request) { WorkClock.monotonicNanoseconds() >= end }
            } ?? .failed
        }
        do throws(StoreFailure) {
            return try reader.stopping(when: { WorkClock.monotonicNanoseconds() >= end }) { () throws(StoreFailure) in try reader.answer(request) }
        } catch {
            guard error.isStopped else {
                counts.failed.add()
                log(.error, "read_failed", [.init("reason", "\(error)")])
                return .failed
            }
            counts.stopped.add()
            log(.warning, "read_stopped", [.init("request", request.name), .init("milliseconds", longest / 1_000_000)])
            let rejection = Rejection(.busy, "This request took too long and was stopped. Try again in a moment, or ask for less.", retryAfter: 1_000)
            return .page(ServerFrame.error(rejection, request: question).encode())
        }
    }

    /// Reads a snapshot. All of it is from one moment, so a stop loses the part that was read: it is stopped only while
    /// other families wait for an answer, after twice the time of the last stop. So others wait a bounded time in each
    /// turn, the whole reading takes at most twice as long, and every snapshot is completed in the end.
    ///
    /// - Returns: `nil` if it was stopped.
    private func snapshot(_ family: Identifier, _ job: ReaderQueue.Job) -> ReadAnswer? {
        let end = WorkClock.monotonicNanoseconds() + longest << Int64(min(job.stops, 30))
        do throws(StoreFailure) {
            return try reader.stopping(when: { WorkClock.monotonicNanoseconds() >= end && mailbox.hasQuestions(besides: family) }) {
                () throws(StoreFailure) in try reader.answer(.snapshot(family: family))
            }
        } catch {
            if error.isStopped { return nil }
            counts.failed.add()
            log(.error, "read_failed", [.init("reason", "\(error)")])
            return .failed
        }
    }

    /// Gives other requests their turns before a stopped snapshot is read again.
    private func putBack(_ job: ReaderQueue.Job, _ took: Int64) {
        guard case .session(let session, let request) = job.request else { return }
        counts.stopped.add()
        log(.warning, "read_stopped", [.init("request", request.name), .init("milliseconds", (longest << Int64(min(job.stops, 30))) / 1_000_000)])
        var job = job
        job.stops += 1
        job.spent += took
        if mailbox.put(job) { return }
        // The queue is full.
        let answer = read { reader throws(StoreFailure) in try reader.answer(request) } ?? .failed
        events.put(.answered(session, answer, job.payer, owed: job.spent))
    }

    private func prepareLists(_ request: ReadRequest, _ answer: ReadAnswer) {
        guard case .join(_, let join) = request, case .join(.success(let seat)) = answer, seat.head >= StoreReader.largeFamily else { return }
        _ = mailbox.put(.init(kind: .preparation, payer: nil, isCounted: false, request: .preparation(join.family)))
    }

    @discardableResult
    private func read<Answer>(_ body: (StoreReader) throws(StoreFailure) -> Answer) -> Answer? {
        do throws(StoreFailure) {
            return try body(reader)
        } catch {
            counts.failed.add()
            log(.error, "read_failed", [.init("reason", "\(error)")])
            return nil
        }
    }
}

extension StoreReader {
    /// The largest number of octets of log in one answer.
    static let changesOctets = 262_144

    /// The answer to a request of the hub. The simulation calls it directly.
    ///
    /// - Parameter isOver: called after each change of the log; if it returns true, the answer ends there.
    package func answer(_ request: ReadRequest, endingWhen isOver: () -> Bool = { false }) throws(StoreFailure) -> ReadAnswer {
        switch request {
        case .signIn(let token):
            let found = try signIn(token: token)
            return .signIn(found.map {
                SignedIn(
                    session: $0.session, person: $0.person, memberships: $0.memberships, isRenewalDue: $0.isRenewalDue,
                    isRedemptionOpen: $0.isRedemptionOpen, scope: $0.scope, recovery: $0.recovery)
            })
        case .redemption(let code, let nonce):
            return .redemption(code: code, nonce: nonce, refusal: try refusal(ofCode: code, nonce: nonce))
        case .join(let person, let pending):
            switch try join(person: person, pending) {
            case .refused(let rejection): return .join(.failure(rejection))
            case .joined(let state): return .join(.success(JoinResult(state)))
            }
        case .changes(let family, let after):
            let page = try changes(family: family, after: after, maxOctets: StoreReader.changesOctets, endingWhen: isOver)
            if page.isTrimmed { return .trimmed }
            return .changes(
                frames: page.frames.map(\.frame), last: page.frames.last?.sequence ?? after, reachedEnd: page.reachedEnd,
                checksum: page.checksum)
        case .snapshot(let family):
            let snapshot = try snapshot(family: family) { ServerFrame.snapshot(sequence: $0.sequence, records: $0.records).encode() }
            return .snapshot(frames: snapshot.parts, sequence: snapshot.sequence, snapshot.verification)
        case .page(let family, let query, let request):
            return Self.answer(try page(family: family, query, request).map(ServerFrame.page), to: request.request)
        case .statistics(let family, let request, let athlete):
            return Self.answer(try statistics(family: family, request, athlete: athlete).map(ServerFrame.statistics), to: request.request)
        case .history(let family, let member, let request):
            return Self.answer(try history(family: family, member: member, request).map(ServerFrame.history), to: request.request)
        case .digest(let family, let member, let request):
            return .page(ServerFrame.digest(try digest(family: family, member: member, request)).encode())
        case .accessLog(let family, let member, let request):
            return Self.answer(try accessLog(family: family, member: member, request).map(ServerFrame.accessLog), to: request.request)
        case .audit(let family, let member, let request):
            return Self.answer(try audit(family: family, member: member, request).map(ServerFrame.audit), to: request.request)
        case .standings(let family, let member, let request):
            return Self.answer(try standings(family: family, member: member, request).map(ServerFrame.standings), to: request.request)
        case .invites(let family, let member, let request):
            let invites = try invites(family: family, member: member)
            return Self.answer(invites.map { .invites(InviteList(request: request.request, invites: $0)) }, to: request.request)
        case .calendars(let family, let member, let request):
            return .page(ServerFrame.calendars(CalendarList(request: request, calendars: try feeds(family: family, member: member))).encode())
        case .sessions(let person, let current, let request):
            return .page(ServerFrame.sessions(SessionList(request: request, sessions: try sessions(ofPerson: person, current: current))).encode())
        }
    }

    /// The changes of a family after a sequence, for a room that did not receive them. The simulation calls it
    /// directly.
    package func missing(family: Identifier, after sequence: Int64) throws(StoreFailure) -> MissingAnswer {
        let (page, rights) = try missedChanges(family: family, after: sequence, maxOctets: StoreReader.changesOctets)
        if page.isTrimmed { return .trimmed }
        return .changes(MissedChanges(changes: page.frames, rights: rights, reachedEnd: page.reachedEnd, checksum: page.checksum))
    }

    /// Encodes a reader's result, on the reader's thread.
    private static func answer(_ result: Result<ServerFrame, Rejection>, to request: Int64) -> ReadAnswer {
        switch result {
        case .success(let frame): .page(frame.encode())
        case .failure(let rejection): .page(ServerFrame.error(rejection, request: request).encode())
        }
    }
}

extension JoinResult {
    fileprivate init(_ state: JoinState) {
        let resume: Resume =
            switch state.resume {
            case .changes: .changes
            case .snapshot: .snapshot
            case .reset(let reason): .reset(reason)
            }
        self.init(
            epoch: state.epoch, head: state.head, member: state.member, role: state.role, athletes: state.athletes.map(\.member),
            resume: resume, reminders: state.reminders)
    }
}

extension ReadRequest {
    /// The family that a session is about to join.
    fileprivate var joined: Identifier? {
        if case .join(_, let join) = self { return join.family }
        return nil
    }
}

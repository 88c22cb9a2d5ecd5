import Bytes
import Rooms
import Store
import Wire

/// The queue of the readers, which decides the next job of each thread. A value without threads or clocks.
///
/// - Short jobs (sign-ins, codes, joins; requests over HTTP) go to any thread. The first thread does nothing else, so
///   they never wait behind a list. Families take turns with their joins, so that the join of one family waits for one
///   join of each other family, not for all joins of a family that joins without a pause. A sign-in has no family
///   before its token is read; sign-ins and joins are taken in turn.
/// - Questions (lists, figures, history, digests, the log, snapshots) go to the other threads. Families take turns, and
///   one family never has all of these threads. Where both kinds wait, a thread takes them in turn.
/// - Preparations run while nothing else waits.
///
/// Each class has a bound, and so do the questions of a family and of a member. A job that finds no room is refused,
/// and others are not affected.
struct ReaderQueue: Sendable {
    enum Class: String, CaseIterable, Sendable {
        /// Sign-ins, codes and joins: each connection has one at a time.
        case arrival
        /// Look-ups for HTTP requests.
        case request
        case question
        case preparation

        /// The largest number of waiting jobs of the class.
        var limit: Int {
            switch self {
            case .arrival: 20_000
            case .request: 4_096
            case .question: 65_536
            case .preparation: 16
            }
        }
    }

    /// The largest number of questions of one family, and of one member, that wait or are being answered. The reads
    /// with which a session catches up are not counted: a session has one at a time.
    static let questionsOfFamily = 1_024
    static let questionsOfMember = 16

    struct Job: Sendable {
        var kind: Class
        /// The payer, whose family has the turn of a question; `nil` for short jobs before a join.
        var payer: WorkOwner?
        /// The family that has the turn of an arrival; `nil` if it is not known yet.
        var family: Identifier?
        /// Whether it counts against the bounds of family and member.
        var isCounted: Bool
        var request: ReaderRequest
        /// How often it was stopped for other jobs.
        var stops = 0
        /// The processor time until it was stopped, microseconds.
        var spent: Int64 = 0
    }

    /// Jobs of one class that were refused, for one line of the log.
    struct Refusal: Equatable {
        var kind: Class
        var waiting: Int
        var refused: Int
    }

    private let threads: Int
    /// Sign-ins and codes, and joins of families.
    private var strangers = WaitingLine<Job>()
    private var joins = TurnQueue<Job>()
    private var requests = WaitingLine<Job>()
    private var questions = TurnQueue<Job>()
    private var preparations = WaitingLine<Job>()
    /// The current job of each thread; `nil` if it has none.
    private var current: [Job?]
    /// Whether each thread sleeps until it is woken.
    private var isIdle: [Bool]
    /// Whether the last job of each thread was a short one.
    private var didShort: [Bool]
    /// The short class that comes next if both wait.
    private var nextShort = Class.arrival
    /// A join comes next where sign-ins wait as well.
    private var isJoinNext = true
    private var counted: [WorkOwner: Int] = [:]
    private var countedOfFamily: [Identifier: Int] = [:]
    private var refused: [Class: Int] = [:]
    private(set) var isClosed = false

    /// - Parameter threads: the number of threads, numbered from 0.
    init(threads: Int) {
        self.threads = threads
        current = Array(repeating: nil, count: threads)
        isIdle = Array(repeating: false, count: threads)
        didShort = Array(repeating: false, count: threads)
    }

    // MARK: In

    /// - Returns: false if there is no room for it, or the queue is closed.
    mutating func put(_ job: Job) -> Bool {
        if isClosed { return false }
        guard waiting(job.kind) < job.kind.limit else { return refuse(job) }
        switch job.kind {
        case .arrival: if let family = job.family { joins.append(job, of: family) } else { strangers.append(job) }
        case .request: requests.append(job)
        case .preparation: preparations.append(job)
        case .question:
            guard let payer = job.payer else { return refuse(job) }
            if job.isCounted {
                guard counted[payer, default: 0] < Self.questionsOfMember, countedOfFamily[payer.family, default: 0] < Self.questionsOfFamily
                else { return refuse(job) }
                counted[payer, default: 0] += 1
                countedOfFamily[payer.family, default: 0] += 1
            }
            questions.append(job, of: payer.family)
        }
        return true
    }

    private mutating func refuse(_ job: Job) -> Bool {
        if job.kind != .preparation { refused[job.kind, default: 0] += 1 }
        return false
    }

    mutating func close() { isClosed = true }

    // MARK: Out

    /// The next job of a thread whose last one is done; `nil` if the thread should sleep until it is woken, or end if
    /// the queue is closed.
    mutating func take(thread: Int) -> Job? {
        end(thread)
        let job = isClosed ? nil : next(thread)
        current[thread] = job
        isIdle[thread] = job == nil
        return job
    }

    private mutating func end(_ thread: Int) {
        guard let job = current[thread] else { return }
        current[thread] = nil
        didShort[thread] = job.kind != .question
        guard job.isCounted, let payer = job.payer else { return }
        lower(&counted, payer)
        lower(&countedOfFamily, payer.family)
    }

    private func lower<Key: Hashable>(_ counts: inout [Key: Int], _ key: Key) {
        guard let count = counts[key] else { return }
        counts[key] = count > 1 ? count - 1 : nil
    }

    private mutating func next(_ thread: Int) -> Job? {
        guard answersQuestions(thread) else { return takeShort() }
        if didShort[thread], let job = takeQuestion() { return job }
        if let job = takeShort() ?? takeQuestion() { return job }
        return preparations.isEmpty ? nil : preparations.removeFirst()
    }

    /// Whether the thread answers questions: all except the first do, if there is another.
    private func answersQuestions(_ thread: Int) -> Bool { thread > 0 || threads == 1 }

    private mutating func takeShort() -> Job? {
        let other = nextShort == .arrival ? Class.request : .arrival
        for kind in [nextShort, other] where waiting(kind) > 0 {
            nextShort = kind == .arrival ? .request : .arrival
            return kind == .arrival ? takeArrival() : requests.removeFirst()
        }
        return nil
    }

    private mutating func takeArrival() -> Job? {
        let isJoin = !joins.isEmpty && (isJoinNext || strangers.isEmpty)
        isJoinNext = !isJoin
        return isJoin ? joins.removeFirst(1).first : strangers.removeFirst()
    }

    private mutating func takeQuestion() -> Job? {
        let busy = busyFamilies
        return questions.removeFirst { !busy.contains($0) }
    }

    /// Families that have as many threads as one family may have: one fewer than answer questions, but at least one.
    private var busyFamilies: [Identifier] {
        let most = max(1, threads - 2)
        let families = current.compactMap { $0?.kind == .question ? $0?.payer?.family : nil }
        return families.filter { family in families.count { $0 == family } >= most }
    }

    /// A sleeping thread that has a job. It counts as awake from now on.
    mutating func threadToWake() -> Int? {
        guard isIdle.contains(true) else { return nil }
        for thread in 0..<threads where isIdle[thread] && (isClosed || hasWork(thread)) {
            isIdle[thread] = false
            return thread
        }
        return nil
    }

    private func hasWork(_ thread: Int) -> Bool {
        if waiting(.arrival) + waiting(.request) > 0 { return true }
        guard answersQuestions(thread) else { return false }
        if !preparations.isEmpty { return true }
        let busy = busyFamilies
        return questions.contains { !busy.contains($0) }
    }

    /// Whether a question of another family waits.
    func hasQuestions(besides family: Identifier) -> Bool { questions.hasItems(besides: family) }

    // MARK: Figures

    /// The number of waiting jobs of a class.
    func waiting(_ kind: Class) -> Int {
        switch kind {
        case .arrival: strangers.count + joins.count
        case .request: requests.count
        case .question: questions.count
        case .preparation: preparations.count
        }
    }

    /// The number of waiting jobs.
    var count: Int { Class.allCases.reduce(0) { $0 + waiting($1) } }

    /// The jobs that were refused for lack of room since the last call.
    mutating func takeRefusals() -> [Refusal] {
        if refused.isEmpty { return [] }
        defer { refused = [:] }
        return Class.allCases.compactMap { kind in
            refused[kind].map { Refusal(kind: kind, waiting: waiting(kind), refused: $0) }
        }
    }
}

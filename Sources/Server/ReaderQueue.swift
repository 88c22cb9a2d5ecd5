import Bytes
import Rooms
import Store
import Wire

/// The queue of the readers, which decides what each thread does next. A value without threads or time.
///
/// - Short jobs (sign-ins, codes, joins; requests over HTTP) go to any thread. The first thread does nothing else, so they never wait behind a list.
/// - Questions (lists, figures, history, digests, the log, snapshots) go to the other threads. Families take turns, and one family never has all
///   of these threads. Where both kinds wait, a thread takes them in turn.
/// - Preparations are done while nothing else waits.
///
/// Each class has a bound, and so have the questions of a family and of a member. A job that finds no room is refused, and nobody else notices.
struct ReaderQueue: Sendable {
    enum Class: String, CaseIterable, Sendable {
        /// Sign-ins, codes and joins: each connection has one at a time.
        case arrival
        /// Look-ups for requests over HTTP.
        case request
        case question
        case preparation

        /// Jobs of the class that may wait.
        var limit: Int {
            switch self {
            case .arrival: 20_000
            case .request: 4_096
            case .question: 65_536
            case .preparation: 16
            }
        }
    }

    /// Questions of one family, and of one member, that may wait or be answered. What a session reads to catch up is not counted: it is one read of each.
    static let questionsOfFamily = 1_024
    static let questionsOfMember = 16

    struct Job: Sendable {
        var kind: Class
        /// The payer, whose family has the turn; `nil` for short jobs before a join.
        var payer: Payer?
        /// Counts against the bounds of family and member.
        var isCounted: Bool
        var request: ReaderRequest
        /// How often it was stopped for others.
        var stops = 0
        /// Processor time that it took until it was stopped, microseconds.
        var spent: Int64 = 0
    }

    /// Jobs of one class that were refused, for one line of the log.
    struct Refusal: Equatable {
        var kind: Class
        var waiting: Int
        var refused: Int
    }

    private let threads: Int
    private var short: [Class: WaitingLine<Job>] = [:]
    private var questions = TurnQueue<Job>()
    private var preparations = WaitingLine<Job>()
    /// By thread, what it does now; `nil` while it does nothing.
    private var current: [Job?]
    /// By thread: it sleeps until it is woken.
    private var isIdle: [Bool]
    /// By thread: its last job was a short one.
    private var didShort: [Bool]
    /// The short class that comes next where both wait.
    private var nextShort = Class.arrival
    private var counted: [Payer: Int] = [:]
    private var countedOfFamily: [Identifier: Int] = [:]
    private var refused: [Class: Int] = [:]
    private(set) var isClosed = false

    /// - Parameter threads: numbered from 0.
    init(threads: Int) {
        self.threads = threads
        current = Array(repeating: nil, count: threads)
        isIdle = Array(repeating: false, count: threads)
        didShort = Array(repeating: false, count: threads)
    }

    // MARK: In

    /// - Returns: false when there is no room for it, or nothing is taken any more.
    mutating func put(_ job: Job) -> Bool {
        if isClosed { return false }
        guard waiting(job.kind) < job.kind.limit else { return refuse(job) }
        switch job.kind {
        case .arrival, .request: short[job.kind, default: WaitingLine()].append(job)
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

    /// The next job of a thread whose last one is done; `nil` when it is to sleep until it is woken, or to end if the queue is closed.
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

    /// All threads but the first, if there is another.
    private func answersQuestions(_ thread: Int) -> Bool { thread > 0 || threads == 1 }

    private mutating func takeShort() -> Job? {
        let other = nextShort == .arrival ? Class.request : .arrival
        for kind in [nextShort, other] where short[kind]?.isEmpty == false {
            nextShort = kind == .arrival ? .request : .arrival
            return short[kind]?.removeFirst()
        }
        return nil
    }

    private mutating func takeQuestion() -> Job? {
        let busy = busyFamilies
        return questions.removeFirst { !busy.contains($0) }
    }

    /// Families that have all the threads that one family may have: one fewer than answer questions, but at least one.
    private var busyFamilies: [Identifier] {
        let most = max(1, threads - 2)
        let families = current.compactMap { $0?.kind == .question ? $0?.payer?.family : nil }
        return families.filter { family in families.count { $0 == family } >= most }
    }

    /// A thread that sleeps although there is a job that it may do. It counts as awake from now on.
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

    /// Whether a question of any family but one waits.
    func hasQuestions(besides family: Identifier) -> Bool { questions.hasItems(besides: family) }

    // MARK: What is told

    /// Jobs of a class that wait.
    func waiting(_ kind: Class) -> Int {
        switch kind {
        case .arrival, .request: short[kind]?.count ?? 0
        case .question: questions.count
        case .preparation: preparations.count
        }
    }

    /// Jobs that wait.
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

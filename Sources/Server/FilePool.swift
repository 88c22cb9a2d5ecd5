import Bytes
import Locks
import Posix
import EventLoop
import Rooms

/// A few threads for all work that may wait for a disk or takes a while: writing and syncing uploads, digests, opening
/// downloads and reading ahead in them.
///
/// Jobs of one key run one after the other, in the order in which they came; jobs of different keys run in parallel.
/// Families take turns with one job each, and so do the keys within a family. The result of a job goes into the shard's
/// mailbox.
final class FilePool: Sendable {
    /// Enough that a thread in a sync does not delay the others, few enough to leave the reactor its core.
    static let threads = 4
    /// The digests of twenty uploads can fill every core; the reactor and the writer, for which whole families wait,
    /// still take precedence.
    static let nice: Int32 = 10
    /// The largest number of waiting jobs, of all keys. An upload has a handful, of 128 KiB at most each.
    static let maxJobs = 4_096
    /// The largest number of jobs of one family: as many as its uploads can have.
    static let maxJobsOfFamily = 1_024

    /// The object of a job: an upload or a document.
    typealias Key = Identifier
    /// - Returns: the event for the reactor; `nil` for none.
    typealias Job = @Sendable () -> ShardEvent?

    /// The jobs of one key: the first one is running, or all wait.
    private struct Line {
        let family: Identifier
        var jobs: [Job]
    }

    private struct State {
        /// A key is in this table from its first job until its last one is done.
        var lines: [Key: Line] = [:]
        /// Keys whose next job may run, each at most once.
        var turns = TurnQueue<Key>()
        /// The number of jobs that wait or run, by family.
        var ofFamily: [Identifier: Int] = [:]
        var count = 0
        var isClosed = false

        /// Notes that the first job of a key is done.
        ///
        /// - Parameter again: called if the key has another turn.
        /// - Returns: whether that was the last job of a stopped pool.
        mutating func end(_ key: Key, again: () -> Void) -> Bool {
            count -= 1
            guard var line = lines[key] else { return isClosed && count == 0 }
            let left = (ofFamily[line.family] ?? 1) - 1
            ofFamily[line.family] = left > 0 ? left : nil
            line.jobs.removeFirst()
            if line.jobs.isEmpty {
                lines[key] = nil
            } else {
                lines[key] = line
                turns.append(key, of: line.family)
                again()
            }
            return isClosed && count == 0
        }
    }

    private let state = Lock(State())
    /// One element for each key that has a turn.
    private let bell: BlockingQueue<Bool>
    private let events: Mailbox<ShardEvent>
    private let limit: Int
    private let disk: DiskPolicy?
    private let started = Lock<[Thread]>([])

    /// - Parameter disk: the policy by which jobs give precedence to commits.
    init(events: Mailbox<ShardEvent>, threads: Int = FilePool.threads, nice: Int32 = FilePool.nice, limit: Int = FilePool.maxJobs, disk: DiskPolicy? = nil) {
        self.events = events
        self.disk = disk
        self.limit = limit
        bell = BlockingQueue(limit: limit)
        let pool = threads
        started.withLock { started in
            for _ in 0..<pool { started.append(Thread.start(name: "files", nice: nice) { [self] in run() }) }
        }
    }

    /// Adds a job behind those of its key.
    ///
    /// - Parameter family: the family whose turn the job takes, the same for all jobs of a key; `nil`: the key has
    ///   turns of its own.
    /// - Returns: `false`, with nothing added, if too many jobs wait, in total or of the family, or if the pool has
    ///   stopped.
    func submit(_ key: Key, of family: Identifier? = nil, _ job: @escaping Job) -> Bool {
        let family = family ?? key
        return state.withLock { state in
            guard !state.isClosed, state.count < limit, state.ofFamily[family, default: 0] < Self.maxJobsOfFamily else { return false }
            state.count += 1
            state.ofFamily[family, default: 0] += 1
            guard state.lines[key] == nil else {
                state.lines[key]?.jobs.append(job)
                return true
            }
            state.lines[key] = Line(family: family, jobs: [job])
            state.turns.append(key, of: family)
            // There are no more keys than jobs, so it fits.
            return bell.put(true)
        }
    }

    /// The number of jobs that wait or run.
    var count: Int { state.withLock { $0.count } }

    /// Accepts no further jobs, finishes those it has, and waits for that.
    func stop() {
        let isIdle = state.withLock { state in
            state.isClosed = true
            return state.count == 0
        }
        if isIdle { bell.close() }
        let threads = started.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in threads { thread.join() }
    }

    private func run() {
        while true {
            guard bell.take(maximum: 1).first != nil else { return }
            let next = state.withLock { state -> (key: Key, job: Job)? in
                guard let key = state.turns.removeFirst(1).first, let job = state.lines[key]?.jobs.first else { return nil }
                return (key, job)
            }
            guard let (key, job) = next else { continue }
            disk?.standBack()
            if let event = job() { events.put(event) }
            let isLast = state.withLock { $0.end(key) { _ = bell.put(true) } }
            if isLast { bell.close() }
        }
    }
}

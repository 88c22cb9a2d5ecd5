import Bytes
import Locks
import Posix
import Reactor

/// The few threads on which everything happens that may wait for a disk or takes a while: writing and syncing uploads, digests, opening and
/// reading ahead what is downloaded.
///
/// Jobs of one key are done one after the other, in the order in which they came; those of different keys side by side, and each key has
/// its turn after the others. What a job returns goes into the shard's mailbox.
final class FilePool: Sendable {
    /// Enough that one that waits for a sync does not hold up the others, few enough to leave the reactor its core.
    static let threads = 4
    /// Hashing twenty uploads can fill every core; the reactor and the writer, for whom whole families wait, then still go first.
    static let nice: Int32 = 10
    /// Jobs that wait, of all keys. An upload has a handful, of 128 KiB at most each.
    static let maxJobs = 4_096

    /// What a job belongs to: an upload or a document.
    typealias Key = Identifier
    /// - Returns: what the reactor is told; `nil` for nothing.
    typealias Job = @Sendable () -> ShardEvent?

    private struct State {
        /// Jobs that wait or, the first of each, are being done. A key is here from its first job until its last is done.
        var lines: [Key: [Job]] = [:]
        var count = 0
        var isClosed = false
    }

    private let state = Lock(State())
    /// Keys whose next job may be done, each at most once.
    private let turns: BlockingQueue<Key>
    private let events: Mailbox<ShardEvent>
    private let limit: Int
    private let disk: DiskPolicy?
    private let started = Lock<[Thread]>([])

    /// - Parameter disk: for whose commits the jobs stand back.
    init(events: Mailbox<ShardEvent>, threads: Int = FilePool.threads, nice: Int32 = FilePool.nice, limit: Int = FilePool.maxJobs, disk: DiskPolicy? = nil) {
        self.events = events
        self.disk = disk
        self.limit = limit
        turns = BlockingQueue(limit: limit)
        let pool = threads
        started.withLock { started in
            for _ in 0..<pool { started.append(Thread.start(name: "files", nice: nice) { [self] in run() }) }
        }
    }

    /// Adds a job behind those of its key.
    ///
    /// - Returns: `false`, with nothing added, when too many wait or the pool has stopped.
    func submit(_ key: Key, _ job: @escaping Job) -> Bool {
        state.withLock { state in
            guard !state.isClosed, state.count < limit else { return false }
            state.count += 1
            let isFirst = state.lines[key] == nil
            state.lines[key, default: []].append(job)
            // There are no more keys than jobs, so it fits.
            return isFirst ? turns.put(key) : true
        }
    }

    /// Jobs that wait or are being done.
    var count: Int { state.withLock { $0.count } }

    /// Takes nothing more, does what was taken, and waits for it.
    func stop() {
        let isIdle = state.withLock { state in
            state.isClosed = true
            return state.count == 0
        }
        if isIdle { turns.close() }
        let threads = started.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in threads { thread.join() }
    }

    private func run() {
        while true {
            guard let key = turns.take(maximum: 1).first else { return }
            guard let job = state.withLock({ $0.lines[key]?.first }) else { continue }
            disk?.standBack()
            if let event = job() { events.put(event) }
            let isLast = state.withLock { state in
                state.count -= 1
                state.lines[key]?.removeFirst()
                if state.lines[key]?.isEmpty ?? true {
                    state.lines[key] = nil
                } else {
                    _ = turns.put(key)
                }
                return state.isClosed && state.count == 0
            }
            if isLast { turns.close() }
        }
    }
}

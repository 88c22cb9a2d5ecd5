import Glibc
import Posix

/// Shares the disk between threads that store files and commits, for which whole rooms wait.
///
/// A disk does not know the priority of its requests: a commit waits for everything before it in the disk's queue.
/// Hence two rules:
/// 1. A sync of files does not begin while a commit is in progress (`standBack`), for at most `patience` at a time: a
///   room with constant writes slows files down and does not stop them.
/// 2. While members write, and for a moment after it, files are written at a part of the rate that the disk supports
///   (`waitToWrite`): the next commit waits for everything that the disk received since the last one. Otherwise files
///   are written at full speed.
///
/// `DiskSpeed` measures the rate of the disk while it writes; `DiskPace` gives the time at which the next octets may be
/// written.
///
/// Sendable although the compiler cannot prove it: each `var` is accessed only while `mutex` is held.
package final class DiskPolicy: @unchecked Sendable {
    /// The longest wait of a portion of files, in milliseconds: several commits of a disk that works well. With 128 KiB
    /// per portion and four threads, files are still written at 50 MB/s if a commit is always in progress.
    package static let patience: Int64 = 10

    private let patience: Int64
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var underWay = 0
    /// The time at which the last commit ended, in monotonic nanoseconds.
    private var lastEnd: Int64?
    private var speed = DiskSpeed()
    private var pace = DiskPace()

    package init(patience: Int64 = DiskPolicy.patience) {
        self.patience = patience
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // The wall clock may be set while a thread waits.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    // MARK: Commits

    /// Reports that mutations wait for their commit; each is ended once.
    package func begin(_ count: Int = 1) {
        locked { underWay += count }
    }

    /// Reports that this number of mutations are committed, or refused.
    package func end(_ count: Int = 1) {
        guard count > 0 else { return }
        locked {
            precondition(count <= underWay, "what has begun ends once")
            underWay -= count
            lastEnd = Clock.monotonicNanoseconds()
            if underWay == 0 { pthread_cond_broadcast(changed) }
        }
    }

    // MARK: Files

    /// Returns when no commit is in progress, or after `patience`.
    ///
    /// - Returns: whether no commit is in progress.
    @discardableResult
    package func standBack() -> Bool {
        locked {
            guard underWay > 0 else { return true }
            var until = timespec()
            clock_gettime(CLOCK_MONOTONIC, &until)
            let nanoseconds = Int64(until.tv_nsec) + patience * 1_000_000
            until.tv_sec += Int(nanoseconds / 1_000_000_000)
            until.tv_nsec = Int(nanoseconds % 1_000_000_000)
            while underWay > 0, pthread_cond_timedwait(changed, mutex, &until) == 0 {}
            return underWay == 0
        }
    }

    /// Returns when that many octets may be written.
    package func waitToWrite(_ octets: Int) {
        let delay = locked { () -> Int64 in
            let now = Clock.monotonicNanoseconds()
            return pace.take(octets, at: now, quiet: quiet(at: now), octetsPerSecond: speed.beside)
        }
        guard delay > 0 else { return }
        var rest = timespec(tv_sec: Int(delay / 1_000_000_000), tv_nsec: Int(delay % 1_000_000_000))
        // If a signal interrupts the sleep, the write happens a little early.
        nanosleep(&rest, nil)
    }

    /// Reports octets that one call wrote to the disk, past the page cache.
    package func didWrite(_ octets: Int, nanoseconds: Int64) {
        locked { speed.note(octets, nanoseconds: nanoseconds) }
    }

    /// The nanoseconds for which no commit has been in progress: 0 during a commit, the largest number if there never
    /// was one.
    package var quiet: Int64 { locked { quiet(at: Clock.monotonicNanoseconds()) } }

    private func quiet(at now: Int64) -> Int64 {
        guard underWay == 0 else { return 0 }
        return lastEnd.map { max(0, now - $0) } ?? .max
    }

    private func locked<R>(_ body: () -> R) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}

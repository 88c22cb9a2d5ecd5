import Glibc
import Posix

/// How threads that store files share the disk with commits, for which whole rooms wait.
///
/// A disk does not know who waits for what: a commit waits for everything that is before it in the disk's queue. Hence two rules:
/// 1. A sync of files does not begin while a commit is under way (`standBack`), for at most `patience` at a time: a room in which people always
///    write slows files down and does not stop them.
/// 2. While people write, and for a moment after it, files are written at a part of the rate that the disk can take (`waitToWrite`): the next
///    commit waits for everything that the disk was given since the last one. Without people files go as fast as they can.
///
/// `DiskSpeed` measures the rate of the disk while it writes; `DiskPace` says when the next octets may be written.
///
/// Sendable although the compiler cannot see it: what is `var` is touched only while `mutex` is held.
package final class DiskPolicy: @unchecked Sendable {
    /// Milliseconds that a portion of files stands back at most: several commits of a disk that works well. With 128 KiB per portion and four
    /// threads files still come at 50 MB/s when there is always a commit under way.
    package static let patience: Int64 = 10

    private let patience: Int64
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var underWay = 0
    /// When the last commit ended, monotonic nanoseconds.
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

    /// Mutations wait for their commit; each is ended once.
    package func begin(_ count: Int = 1) {
        locked { underWay += count }
    }

    /// That many mutations are committed, or refused.
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

    /// Returns when no commit is under way, or patience is at its end.
    ///
    /// - Returns: whether no commit is under way.
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
        // Cut short by a signal, it comes a little early.
        nanosleep(&rest, nil)
    }

    /// Octets were written to the disk, past the kernel's memory, by one call.
    package func didWrite(_ octets: Int, nanoseconds: Int64) {
        locked { speed.note(octets, nanoseconds: nanoseconds) }
    }

    /// Nanoseconds for which no commit has been under way: 0 while there is one, the largest number when there never was one.
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

import Glibc
import Posix

/// Lets work that may wait stand back while somebody's work is under way that may not: threads that store files, while a room waits for its
/// commit.
///
/// A disk does not know who waits for what: what stands before a commit in its queue, the commit waits for. So what may wait is not begun
/// meanwhile. It is never held up for longer than `patience` at a time, so that a room in which somebody always writes slows files down and
/// does not stop them.
///
/// Sendable although the compiler cannot see it: what is `var` is touched only while `mutex` is held.
package final class Precedence: @unchecked Sendable {
    /// Milliseconds that a portion of other work stands back at most: several commits of a disk that works well. With 128 KiB a portion and
    /// four threads files still come at 50 MB/s when there is always a commit under way.
    package static let patience: Int64 = 10

    private let patience: Int64
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var underWay = 0
    /// When work that may not wait last ended, monotonic nanoseconds.
    private var lastEnd: Int64?

    package init(patience: Int64 = Precedence.patience) {
        self.patience = patience
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // The wall clock may be set while somebody waits.
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

    /// Work has begun that may not wait; each is ended once.
    package func begin(_ count: Int = 1) {
        locked { underWay += count }
    }

    /// So many of them are done.
    package func end(_ count: Int = 1) {
        guard count > 0 else { return }
        locked {
            precondition(count <= underWay, "what has begun ends once")
            underWay -= count
            lastEnd = Clock.monotonicNanoseconds()
            if underWay == 0 { pthread_cond_broadcast(changed) }
        }
    }

    /// Returns when nothing is under way that may not wait, or patience is at its end.
    ///
    /// - Returns: whether there was nothing to wait for, any more.
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

    /// Nanoseconds for which nothing has been under way that may not wait: 0 while there is something, the largest number when there never was.
    package var quiet: Int64 {
        locked {
            guard underWay == 0 else { return 0 }
            return lastEnd.map { max(0, Clock.monotonicNanoseconds() - $0) } ?? .max
        }
    }

    private func locked<R>(_ body: () -> R) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}

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
    /// Monotonic nanoseconds: when work that may not wait was last begun or ended; when the next octets of other work may be written.
    private var activeAt: Int64 = .min
    private var isFree: Int64 = 0

    /// Octets a second that other work writes in sum while rooms are written to. What a disk was given since the last commit, the next one waits
    /// for, however little it has itself: beside 240 MB/s its p99 is 1.7 to 1.9 times what it is alone, beside 560 MB/s 3 to 10 times (two
    /// cores, ext4). No line of a gigabit comes to feel it.
    package static let writing: Int64 = 150_000_000
    /// Nanoseconds without work that may not wait, after which other work goes as fast as it can.
    private static let quiet: Int64 = 1_000_000_000
    /// Nanoseconds that other work may be ahead of its measure: a piece of each thread.
    private static let ahead: Int64 = 5_000_000

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
    package func begin() {
        locked {
            underWay += 1
            activeAt = Clock.monotonicNanoseconds()
        }
    }

    /// So many of them are done.
    package func end(_ count: Int = 1) {
        guard count > 0 else { return }
        locked {
            precondition(count <= underWay, "what has begun ends once")
            underWay -= count
            activeAt = Clock.monotonicNanoseconds()
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

    /// Returns when so many octets of other work may be written: at once, unless there was work that may not wait a moment ago.
    package func pace(_ octets: Int) {
        let now = Clock.monotonicNanoseconds()
        let wait = locked { () -> Int64 in
            guard underWay > 0 || (activeAt > .min && now - activeAt < Precedence.quiet) else { return 0 }
            isFree = max(isFree, now - Precedence.ahead) + Int64(octets) * 1_000_000_000 / Precedence.writing
            return isFree - now
        }
        guard wait > 0 else { return }
        var rest = timespec(tv_sec: Int(wait / 1_000_000_000), tv_nsec: Int(wait % 1_000_000_000))
        // Cut short by a signal, it comes a little early.
        nanosleep(&rest, nil)
    }

    private func locked<R>(_ body: () -> R) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}

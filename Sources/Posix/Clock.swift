import Glibc

/// The clocks: a monotonic one for waiting, the wall clock for people, and the processor clock for charging work.
package enum Clock {
    /// Milliseconds since a fixed moment before the start; monotonic.
    package static func monotonicMilliseconds() -> Int64 { monotonicNanoseconds() / 1_000_000 }

    /// Nanoseconds since the same moment.
    package static func monotonicNanoseconds() -> Int64 {
        let now = read(CLOCK_MONOTONIC)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    /// Nanoseconds of processor time that the calling thread has used. A system call, unlike the other clocks: some 200 ns.
    package static func threadNanoseconds() -> Int64 {
        let used = read(CLOCK_THREAD_CPUTIME_ID)
        return Int64(used.tv_sec) * 1_000_000_000 + Int64(used.tv_nsec)
    }

    /// Nanoseconds of processor time that all threads of the process have used.
    package static func processNanoseconds() -> Int64 {
        let used = read(CLOCK_PROCESS_CPUTIME_ID)
        return Int64(used.tv_sec) * 1_000_000_000 + Int64(used.tv_nsec)
    }

    /// UTC milliseconds since 1970; may jump when the clock is set.
    package static func wallMilliseconds() -> Int64 {
        let now = read(CLOCK_REALTIME)
        return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var now = timespec()
        precondition(clock_gettime(clock, &now) == 0, "Linux has these clocks")
        return now
    }
}

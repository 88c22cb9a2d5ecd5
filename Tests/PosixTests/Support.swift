import Glibc
import Posix

/// Repeats `body` until it returns true; false if it did not within ten seconds. For states that a child of another
/// test, forked and not yet executed, may delay for a moment, because it has a copy of every descriptor until then.
func eventually(_ body: () -> Bool) -> Bool {
    let end = Clock.monotonicMilliseconds() + 10_000
    while !body() {
        guard Clock.monotonicMilliseconds() < end else { return false }
        sched_yield()
    }
    return true
}

/// The error that `body` throws, or `nil`.
func failure(_ body: () throws(Errno) -> Void) -> Errno? {
    do throws(Errno) {
        try body()
        return nil
    } catch {
        return error
    }
}

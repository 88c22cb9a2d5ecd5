import Glibc
internal import Locks
import Posix

/// Holds what writes large files to a measure while somebody's work is under way that may not wait, and for a moment after it: while people write
/// in a room. Without them, it goes as fast as it can.
///
/// Standing back (`Precedence`) keeps a sync from being begun before a commit; this keeps what was written before a commit small.
package final class WritingPace: Sendable {
    /// Octets a second in sum, of all threads. What a disk was given since the last commit, the next one waits for, however little it has
    /// itself: beside 240 MB/s its p99 is 1.7 to 1.9 times what it is alone, beside 560 MB/s 3 to 10 times (two cores, ext4). No line of a
    /// gigabit comes to feel it.
    package static let octetsPerSecond = 150_000_000

    private let precedence: Precedence
    private let measure = Lock(Measure())

    /// - Parameter precedence: knows whose work may not wait.
    package init(beside precedence: Precedence) { self.precedence = precedence }

    /// Returns when so many octets may be written.
    package func wait(for octets: Int) {
        let (now, quiet) = (Clock.monotonicNanoseconds(), precedence.quiet)
        let delay = measure.withLock { $0.take(octets, at: now, quiet: quiet) }
        guard delay > 0 else { return }
        var rest = timespec(tv_sec: Int(delay / 1_000_000_000), tv_nsec: Int(delay % 1_000_000_000))
        // Cut short by a signal, it comes a little early.
        nanosleep(&rest, nil)
    }

    /// What may be written when; all times in monotonic nanoseconds.
    struct Measure: Sendable {
        /// Without work that may not wait for so long, nobody is there to feel anything.
        static let memory: Int64 = 1_000_000_000
        /// How much may be written at once after a pause: a piece of each thread.
        static let ahead: Int64 = 5_000_000

        /// When the next octets may be written.
        private var next: Int64 = 0

        /// - Parameter quiet: for how long there has been no work that may not wait.
        /// - Returns: for how long to wait before writing so many octets; none, when it is not positive.
        mutating func take(_ octets: Int, at now: Int64, quiet: Int64) -> Int64 {
            guard quiet < Measure.memory else { return 0 }
            next = max(next, now - Measure.ahead) + Int64(octets) * 1_000_000_000 / Int64(octetsPerSecond)
            return next - now
        }
    }
}

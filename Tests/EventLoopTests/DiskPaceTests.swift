import Posix
import Testing

@testable import EventLoop

@Suite("Files that are written while members write in a room keep to a pace")
struct DiskPaceTests {
    private static let second: Int64 = 1_000_000_000
    /// The amount that a policy allows before its first measurement.
    private static let rate = DiskSpeed.most

    @Test("Without commits, or a second after them, any amount goes immediately, and delays no later one")
    func free() {
        var pace = DiskPace()
        #expect(pace.take(100_000 * Self.rate, at: 50, quiet: .max, octetsPerSecond: Self.rate) == 0)
        #expect(pace.take(100_000 * Self.rate, at: 60, quiet: Self.second, octetsPerSecond: Self.rate) == 0)
        #expect(pace.take(Self.rate / 1_000, at: Self.second, quiet: 0, octetsPerSecond: Self.rate) <= 0)
    }

    @Test("Beside commits each portion waits for the earlier ones, from any thread: one pace in total")
    func held() {
        var pace = DiskPace()
        let (now, piece) = (10 * Self.second, Self.rate / 100)
        var last: Int64 = 0
        for _ in 0..<50 { last = pace.take(piece, at: now, quiet: 0, octetsPerSecond: Self.rate) }
        // Half a second's worth, less the part that goes immediately.
        #expect(last == Self.second / 2 - DiskPace.ahead)
        // Also just before the commits are forgotten.
        #expect(pace.take(piece, at: now, quiet: Self.second - 1, octetsPerSecond: Self.rate) == last + Self.second / 100)
        // A thread that has waited waits only for the next portion.
        #expect(pace.take(piece, at: now + last + Self.second / 100, quiet: 0, octetsPerSecond: Self.rate) == Self.second / 100)
    }

    @Test("A pause saves up at most a piece of each thread")
    func pause() {
        var pace = DiskPace()
        let piece = Self.rate / 1_000
        _ = pace.take(piece, at: Self.second, quiet: 0, octetsPerSecond: Self.rate)
        let delays = (0..<10).map { _ in pace.take(piece, at: 60 * Self.second, quiet: 0, octetsPerSecond: Self.rate) }
        #expect(delays == (1...10).map { $0 * Self.second / 1_000 - DiskPace.ahead })
    }

    @Test("Threads wait by the clock for the time that the pace sets, also just after a commit has ended")
    func waits() {
        let policy = DiskPolicy()
        // A hundred thousand seconds' worth.
        policy.waitToWrite(Self.rate * 100_000)
        policy.begin()
        policy.end()
        let begun = Clock.monotonicMilliseconds()
        for _ in 0..<40 { policy.waitToWrite(Self.rate / 200) }
        // A fifth of a second's worth, less the part that may be ahead.
        #expect(Clock.monotonicMilliseconds() - begun >= 190)
    }
}

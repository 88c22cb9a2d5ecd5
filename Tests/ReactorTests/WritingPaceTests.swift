import Posix
import Testing

@testable import Reactor

@Suite("What is written while people write in a room keeps to a measure")
struct WritingPaceTests {
    private static let second: Int64 = 1_000_000_000

    @Test("without people, or a second after them, any amount goes at once, and is not held against what comes then")
    func free() {
        var measure = WritingPace.Measure()
        #expect(measure.take(100_000 * WritingPace.octetsPerSecond, at: 50, quiet: .max) == 0)
        #expect(measure.take(100_000 * WritingPace.octetsPerSecond, at: 60, quiet: Self.second) == 0)
        #expect(measure.take(WritingPace.octetsPerSecond / 1_000, at: Self.second, quiet: 0) <= 0)
    }

    @Test("beside people each portion waits for those before it, whoever writes them: a measure in sum")
    func held() {
        var measure = WritingPace.Measure()
        let (now, piece) = (10 * Self.second, WritingPace.octetsPerSecond / 100)
        var last: Int64 = 0
        for _ in 0..<50 { last = measure.take(piece, at: now, quiet: 0) }
        // Half a second's worth, less what goes at once.
        #expect(last == Self.second / 2 - WritingPace.Measure.ahead)
        // Also just before it is forgotten that they were there.
        #expect(measure.take(piece, at: now, quiet: Self.second - 1) == last + Self.second / 100)
        // Who waited for his turn waits for the next one only.
        #expect(measure.take(piece, at: now + last + Self.second / 100, quiet: 0) == Self.second / 100)
    }

    @Test("a pause saves up no more than a piece of each thread")
    func pause() {
        var measure = WritingPace.Measure()
        let piece = WritingPace.octetsPerSecond / 1_000
        _ = measure.take(piece, at: Self.second, quiet: 0)
        let delays = (0..<10).map { _ in measure.take(piece, at: 60 * Self.second, quiet: 0) }
        #expect(delays == (1...10).map { $0 * Self.second / 1_000 - WritingPace.Measure.ahead })
    }

    @Test("threads are held up by the clock as long as it says, just after something has ended, too")
    func waits() {
        let precedence = Precedence()
        let pace = WritingPace(beside: precedence)
        // A hundred thousand seconds' worth.
        pace.wait(for: WritingPace.octetsPerSecond * 100_000)
        precedence.begin()
        precedence.end()
        let begun = Clock.monotonicMilliseconds()
        for _ in 0..<40 { pace.wait(for: WritingPace.octetsPerSecond / 200) }
        // A fifth of a second's worth, less what may be ahead.
        #expect(Clock.monotonicMilliseconds() - begun >= 190)
    }
}

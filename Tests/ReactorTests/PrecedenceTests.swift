import Posix
import Reactor
import Synchronization
import Testing

@Suite("Who may not wait goes first", .serialized)
struct PrecedenceTests {
    @Test("nobody stands back for nothing, nor for what has ended")
    func idle() {
        let precedence = Precedence(patience: 60_000)
        #expect(precedence.standBack())
        precedence.begin()
        precedence.begin()
        precedence.end(2)
        precedence.end(0)
        #expect(precedence.standBack())
    }

    @Test("what may wait is written at its measure while there is something that may not, and at any speed when there is nothing")
    func pace() {
        let precedence = Precedence()
        // A hundred thousand seconds' worth.
        precedence.pace(Int(Precedence.writing) * 100_000)
        precedence.begin()
        precedence.end()
        let begun = Clock.monotonicMilliseconds()
        for _ in 0..<40 { precedence.pace(Int(Precedence.writing) / 200) }
        // A fifth of a second's worth, less what may be ahead; just after something has ended, too.
        #expect(Clock.monotonicMilliseconds() - begun >= 190)
    }

    private final class Count: Sendable {
        let left = Atomic<Int>(3)
    }

    @Test("four stand back until the last of three has ended")
    func standsBack() {
        let precedence = Precedence(patience: 60_000)
        for _ in 0..<3 { precedence.begin() }
        let count = Count()
        let begun = BlockingQueue<Int>(limit: 4)
        let seen = BlockingQueue<Int>(limit: 4)
        let threads = (0..<4).map { _ in
            Thread.start(name: "waits") {
                _ = begun.put(1)
                #expect(precedence.standBack())
                _ = seen.put(count.left.load(ordering: .sequentiallyConsistent))
            }
        }
        for _ in 0..<4 { _ = begun.take(maximum: 1) }
        for ended in [1, 2] {
            count.left.subtract(ended, ordering: .sequentiallyConsistent)
            precedence.end(ended)
        }
        for thread in threads { thread.join() }
        #expect(seen.take() == [0, 0, 0, 0])
    }

    @Test("patience has an end: what never ends only slows others down")
    func patience() {
        let precedence = Precedence(patience: 30)
        precedence.begin()
        for _ in 0..<2 {
            let begun = Clock.monotonicMilliseconds()
            #expect(!precedence.standBack())
            // The clock counts whole milliseconds.
            #expect(Clock.monotonicMilliseconds() - begun >= 29)
        }
        precedence.end()
        #expect(precedence.standBack())
    }
}

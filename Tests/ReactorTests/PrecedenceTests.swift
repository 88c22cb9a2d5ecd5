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

    @Test("it is known for how long nothing has been under way: always, not at all, or since the last has ended")
    func quiet() {
        let precedence = Precedence()
        #expect(precedence.quiet == .max)
        precedence.begin()
        precedence.begin()
        #expect(precedence.quiet == 0)
        precedence.end()
        #expect(precedence.quiet == 0)
        let before = Clock.monotonicNanoseconds()
        precedence.end()
        let quiet = precedence.quiet
        #expect(quiet >= 0 && quiet <= Clock.monotonicNanoseconds() - before)
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

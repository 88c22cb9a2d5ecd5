import Posix
import EventLoop
import Synchronization
import Testing

@Suite("Files stand back for commits", .serialized)
struct DiskPolicyTests {
    @Test("Files do not stand back if no commit is in progress, nor if all have ended")
    func idle() {
        let policy = DiskPolicy(patience: 60_000)
        #expect(policy.standBack())
        policy.begin()
        policy.begin()
        policy.end(2)
        policy.end(0)
        #expect(policy.standBack())
    }

    @Test("The policy reports the time without a commit: always, none, or since the last one ended")
    func quiet() {
        let policy = DiskPolicy()
        #expect(policy.quiet == .max)
        policy.begin()
        policy.begin()
        #expect(policy.quiet == 0)
        policy.end()
        #expect(policy.quiet == 0)
        let before = Clock.monotonicNanoseconds()
        policy.end()
        let quiet = policy.quiet
        #expect(quiet >= 0 && quiet <= Clock.monotonicNanoseconds() - before)
    }

    private final class Count: Sendable {
        let left = Atomic<Int>(3)
    }

    @Test("Four threads stand back until the last of three commits has ended")
    func standsBack() {
        let policy = DiskPolicy(patience: 60_000)
        for _ in 0..<3 { policy.begin() }
        let count = Count()
        let begun = BlockingQueue<Int>(limit: 4)
        let seen = BlockingQueue<Int>(limit: 4)
        let threads = (0..<4).map { _ in
            Thread.start(name: "waits") {
                _ = begun.put(1)
                #expect(policy.standBack())
                _ = seen.put(count.left.load(ordering: .sequentiallyConsistent))
            }
        }
        for _ in 0..<4 { _ = begun.take(maximum: 1) }
        for ended in [1, 2] {
            count.left.subtract(ended, ordering: .sequentiallyConsistent)
            policy.end(ended)
        }
        for thread in threads { thread.join() }
        #expect(seen.take() == [0, 0, 0, 0])
    }

    @Test("Patience ends: a commit that never ends only slows files down")
    func patience() {
        let policy = DiskPolicy(patience: 30)
        policy.begin()
        for _ in 0..<2 {
            let begun = Clock.monotonicMilliseconds()
            #expect(!policy.standBack())
            // The clock counts whole milliseconds.
            #expect(Clock.monotonicMilliseconds() - begun >= 29)
        }
        policy.end()
        #expect(policy.standBack())
    }
}

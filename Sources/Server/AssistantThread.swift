import Posix
import Reactor

/// A thread that takes work off others' hands when it has nothing else to do: the digests of what is being uploaded.
///
/// One upload by itself is written and digested at once then; with many the threads of the pool are busy anyway, and this one does what it
/// comes to.
final class AssistantThread: Sendable {
    private let work = BlockingQueue<@Sendable () -> Void>(limit: 1)
    private let thread: Thread

    init() {
        thread = Thread.start(name: "assistant", nice: FilePool.nice) { [work] in
            while let next = work.take(maximum: 1).first { next() }
        }
    }

    /// Does it soon, or not at all when something waits already.
    func offer(_ work: @escaping @Sendable () -> Void) { _ = self.work.put(work) }

    /// Waits for what it does. Once.
    func stop() {
        work.close()
        thread.join()
    }
}

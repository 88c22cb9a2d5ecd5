import Posix
import Reactor

/// A thread that runs a job when it is idle: the digests of what is being uploaded.
///
/// A single upload is then written and digested at the same time. With many, the threads of the file pool are busy anyway, and this one does what it
/// can. It is not part of `DiskPolicy`: a digest needs the processor, not the disk.
final class BackgroundWorker: Sendable {
    private let work = BlockingQueue<@Sendable () -> Void>(limit: 1)
    private let thread: Thread

    init() {
        thread = Thread.start(name: "background", nice: FilePool.nice) { [work] in
            while let next = work.take(maximum: 1).first { next() }
        }
    }

    /// Runs `work` soon, or drops it if one job is already queued.
    func offer(_ work: @escaping @Sendable () -> Void) { _ = self.work.put(work) }

    /// Waits for the jobs that were taken. Call it once.
    func stop() {
        work.close()
        thread.join()
    }
}

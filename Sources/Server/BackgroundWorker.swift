import Posix
import EventLoop

/// A thread that runs one job at a time: the digests of running uploads.
///
/// A single upload is thus written and digested at the same time. With many uploads, the threads of the file pool are
/// busy anyway, and this thread helps as far as it can. It is not part of `DiskPolicy`: a digest needs the processor,
/// not the disk.
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

    /// Waits for the accepted jobs. Call it once.
    func stop() {
        work.close()
        thread.join()
    }
}

import Posix
import EventLoop
import Synchronization

/// Writes lines to a descriptor that may block (a pipe that nobody reads), on a thread of its own, so that the server
/// never waits for it. A line that does not fit its queue is dropped and counted, and the count is written with the
/// next line that fits.
package final class LogThread: Sendable {
    /// The largest number of waiting lines: some seconds of the most that `Log` allows, about a megabyte.
    static let maxWaiting = 4_096

    private let lines = BlockingQueue<String>(limit: LogThread.maxWaiting)
    private let dropped = Atomic<Int>(0)
    private let hasEnded = Atomic<Bool>(false)

    /// - Parameters:
    ///   - raw: a descriptor that stays open as long as the process.
    ///   - style: the style of the line about dropped lines.
    package init(_ raw: Int32, style: LogStyle = LogStyle()) {
        // Every thread of a server blocks the signals, which the reactor reads from a descriptor.
        Signals.block(HuddleServer.signals)
        _ = Thread.start(name: "log") { [self] in
            while true {
                // This comes before the waiting lines are taken: the dropped lines came after all of these, and before
                // all later ones.
                let missing = dropped.exchange(0, ordering: .relaxed)
                let batch = lines.take()
                guard !batch.isEmpty || missing > 0 else { break }
                var text = batch.joined()
                if missing > 0 { text += style.line(Clock.wallMilliseconds(), .warning, "lines_dropped", [.init("count", missing)]) }
                // If nobody reads the descriptor any more, there is nobody to notify.
                try? Octets.writeAll(raw, Array(text.utf8))
            }
            hasEnded.store(true, ordering: .releasing)
        }
    }

    package func write(_ line: String) {
        if !lines.put(line) { dropped.add(1, ordering: .relaxed) }
    }

    /// Accepts no more lines, and waits a moment until the waiting ones are written.
    package func finish(waitingAtMost milliseconds: Int64 = 500) {
        lines.close()
        let end = Clock.monotonicMilliseconds() + milliseconds
        var none: [Poll.Item] = []
        while !hasEnded.load(ordering: .acquiring), Clock.monotonicMilliseconds() < end {
            _ = try? Poll.wait(&none, timeoutMilliseconds: 2)
        }
    }
}

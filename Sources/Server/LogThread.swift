import Posix
import Reactor
import Synchronization

/// Writes lines to a descriptor that may stop taking them (a pipe that nobody reads), on a thread of its own: the server never waits
/// for it. What does not fit its queue is dropped and counted, and the count is written with the next line that fits.
package final class LogThread: Sendable {
    /// Lines that may wait: some seconds of the most that `Log` lets through, about a megabyte.
    static let maxWaiting = 4_096

    private let lines = BlockingQueue<String>(limit: LogThread.maxWaiting)
    private let dropped = Atomic<Int>(0)
    private let hasEnded = Atomic<Bool>(false)

    /// - Parameters:
    ///   - raw: stays open as long as the process.
    ///   - style: of the line about lines that were dropped.
    package init(_ raw: Int32, style: LogStyle = LogStyle()) {
        // Every thread of a server leaves the signals to the descriptor that the reactor reads.
        Signals.block(HuddleServer.signals)
        _ = Thread.start(name: "log") { [self] in
            while true {
                // Before the lines are taken: what found the queue full came after all that waited, and before all that comes.
                let missing = dropped.exchange(0, ordering: .relaxed)
                let batch = lines.take()
                guard !batch.isEmpty || missing > 0 else { break }
                var text = batch.joined()
                if missing > 0 { text += style.line(Clock.wallMilliseconds(), .warning, "lines_dropped", [.init("count", missing)]) }
                // A descriptor that nobody reads any more: there is nobody to tell.
                try? Octets.writeAll(raw, Array(text.utf8))
            }
            hasEnded.store(true, ordering: .releasing)
        }
    }

    package func write(_ line: String) {
        if !lines.put(line) { dropped.add(1, ordering: .relaxed) }
    }

    /// Takes no more lines, and waits a moment for those that wait to be written.
    package func finish(waitingAtMost milliseconds: Int64 = 500) {
        lines.close()
        let end = Clock.monotonicMilliseconds() + milliseconds
        var none: [Poll.Item] = []
        while !hasEnded.load(ordering: .acquiring), Clock.monotonicMilliseconds() < end {
            _ = try? Poll.wait(&none, timeoutMilliseconds: 2)
        }
    }
}

import Family
import Posix
import EventLoop
import Store

/// Views of records, visits of share links and uses of sessions that are not written yet.
final class UsageRecorder {
    /// Milliseconds between two writes: each is a commit.
    static let interval: Int64 = 1_000

    private let reactor: Reactor
    private let log: Log
    private let writer: WriterThread
    private var notes = UsageNotes()
    /// The time at which they were last given to the writer, milliseconds of `Reactor.now`; `nil` before the first
    /// time.
    private var writtenAt: Int64?
    /// False once the server is shutting down: later notes may never be written, so nothing that must be noted is sent
    /// any more.
    private(set) var isOpen = true

    init(reactor: Reactor, log: Log, writer: WriterThread) {
        self.reactor = reactor
        self.log = log
        self.writer = writer
    }

    /// Notes that a person viewed a record or a document.
    func note(_ access: AccessNote) { notes.add(access, at: Clock.monotonicMilliseconds()) }

    /// Notes that a visitor opened a share link.
    func note(_ visit: ShareVisit) { notes.add(visit, at: Clock.monotonicMilliseconds()) }

    /// Notes that a program fetched a calendar feed.
    func note(_ feed: FeedName, program: String) { notes.add(feed, program: program, at: Clock.monotonicMilliseconds()) }

    /// Notes that a session is in use.
    func renew(_ session: Int64) { notes.add(session: session) }

    /// Gives the notes to the writer, at most once per second. While the writer has no room for them, further ones
    /// accumulate.
    func write() {
        guard !notes.isEmpty, reactor.now - (writtenAt ?? .min / 2) >= UsageRecorder.interval else { return }
        writtenAt = reactor.now
        let dropped = notes.takeDropped()
        if dropped > 0 { log(.warning, "usage_dropped", [.init("count", dropped)]) }
        if writer.submit(.usage(notes)) { notes = UsageNotes() }
    }

    /// Gives the notes to the writer with its last job.
    func stopWriter() {
        close()
        if writer.submit(.stop(notes)) { notes = UsageNotes() }
    }

    func close() { isOpen = false }
}

@available(*, unavailable) extension UsageRecorder: Sendable {}

import Bytes
import Family
import Ledger
import Posix
import Store
import Wire

/// The other threads, in the form that requests use: readers, the writer and the file pool run a job, and its result
/// comes back on the reactor's thread.
///
/// A request's completion handler is usually called in a later tick, with `nil` if the job failed or found no room. It
/// must check by itself whether the result is still wanted.
final class Workers {
    let readers: ReaderPool
    let writer: WriterThread
    let files: FilePool
    let counts = QueueCounts()
    private var pending = PendingJobs()
    /// The requests' proposals of this tick, for one submission with the mutations.
    private var proposals: [RequestProposal] = []

    init(readers: ReaderPool, writer: WriterThread, files: FilePool) {
        self.readers = readers
        self.writer = writer
        self.files = files
    }

    /// Reads the database on a thread of the pool.
    func read<Answer: Sendable>(
        _ body: @escaping @Sendable (StoreReader) throws(StoreFailure) -> Answer, then: @escaping (Answer?) -> Void
    ) {
        let ticket = pending.begin { then($0 as? Answer) }
        let isTaken = readers.submit(ticket) { reader throws(StoreFailure) in try body(reader) }
        if !isTaken { didEnd(ticket, nil) }
    }

    /// Runs a job that may wait for a disk or takes a while, after all other jobs of the same key.
    ///
    /// - Parameters:
    ///   - family: the family whose turn it takes; `nil`: the key has turns of its own.
    ///   - pool: the threads, if they are not those for files.
    func work<Answer: Sendable>(
        _ key: FilePool.Key, of family: Identifier? = nil, on pool: FilePool? = nil, _ body: @escaping @Sendable () -> Answer, then: @escaping (Answer?) -> Void
    ) {
        let ticket = pending.begin { then($0 as? Answer) }
        if !(pool ?? files).submit(key, of: family, { .jobEnded(ticket, body()) }) { didEnd(ticket, nil) }
    }

    /// Begins a job of another thread, which ends with the ticket.
    ///
    /// - Parameters:
    ///   - submit: gives the job with this ticket to the thread; false if there is no room.
    ///   - then: called with `nil` if there is no room.
    /// - Returns: whether it began.
    func start<Answer: Sendable>(_ submit: (UInt64) -> Bool, then: @escaping (Answer?) -> Void) -> Bool {
        let ticket = pending.begin { then($0 as? Answer) }
        if submit(ticket) { return true }
        didEnd(ticket, nil)
        return false
    }

    /// Runs a job of the hashers.
    ///
    /// - Parameters:
    ///   - submit: gives them the job with this ticket; false if there is no room.
    ///   - then: called with `nil` if there is no room.
    func hash<Answer: Sendable>(_ submit: (UInt64) -> Bool, then: @escaping (Answer?) -> Void) {
        let ticket = pending.begin { then($0 as? Answer) }
        if !submit(ticket) { didEnd(ticket, nil) }
    }

    /// Proposes a document or a share link: the writer decides it in the batch of this tick's mutations, and it shares
    /// their sync. Its change reaches the live rooms before `then` is called.
    ///
    /// - Parameter then: called with `nil` if too many proposals wait, or the server is shutting down.
    func propose(_ request: BatchRequest, then: @escaping (BatchAnswer?) -> Void) {
        proposals.append(RequestProposal(ticket: pending.begin { then($0 as? BatchAnswer) }, request: request))
    }

    /// The proposals of this tick, for the writer.
    func takeProposals() -> [RequestProposal] {
        defer { proposals = [] }
        return proposals
    }

    /// Refuses proposals for which the writer had no room.
    func refuse(_ requests: ArraySlice<RequestProposal>) { for request in requests { didEnd(request.ticket, nil) } }

    /// Gives the writer a job, whose changes reach the live rooms before `then` is called.
    ///
    /// - Parameter then: called with `nil` if too many requests wait, or the server is shutting down.
    func write<Answer: Sendable>(
        _ body: @escaping @Sendable (FamilyStore) throws(StoreFailure) -> (Answer, [CommitResult]), then: @escaping (Answer?) -> Void
    ) {
        let ticket = pending.begin { then($0 as? Answer) }
        let isTaken = writer.submit(
            .request(ticket) { store throws(StoreFailure) in
                let (answer, results) = try body(store)
                return (answer, results)
            })
        if !isTaken { didEnd(ticket, nil) }
    }

    /// A job of another thread has ended.
    func didEnd(_ ticket: UInt64, _ result: (any Sendable)?) { pending.end(ticket)?(result) }

    /// Begins the work that is done while the server is idle.
    func maintain() { _ = writer.submit(.maintenance) }

    /// Lets the writer fire the reminders that are due.
    func remind() {
        if writer.nextReminder.isDue(at: Clock.wallMilliseconds()) { _ = writer.submit(.reminders) }
    }

    /// Logs the jobs that were refused since the last call for lack of room.
    func logRefusals(_ log: Log) {
        for refusal in writer.takeRefusals() {
            counts.writerRefused.add(refusal.kind, refusal.refused)
            log(
                .warning, "writer_queue_full",
                [.init("class", refusal.kind.rawValue), .init("waiting", refusal.waiting), .init("refused", refusal.refused)])
        }
        for refusal in readers.takeRefusals() {
            counts.readerRefused.add(refusal.kind, refusal.refused)
            log(
                .warning, "reader_queue_full",
                [.init("class", refusal.kind.rawValue), .init("waiting", refusal.waiting), .init("refused", refusal.refused)])
        }
    }
}

@available(*, unavailable) extension Workers: Sendable {}

import Blobs
import Bytes
import Family
import Reactor
import Rooms
import Store
import Wire

/// What is asked of the writer besides mutations and revocations.
enum WriterJob: Sendable {
    case command(SessionID, SessionCommand)
    /// From the admin socket; the number names the connection that asks.
    case admin(UInt64, AdminRequest)
    /// A copy of a family was made. The maker waits until that is noted: `nil` is the answer then.
    case exported(ExportNote, answer: BlockingQueue<Rejection?>)
    /// What was counted in memory, by `Clock.monotonicMilliseconds`.
    case usage(UsageNotes)
    /// A job of a request, with the ticket of its completion handler.
    case request(UInt64, @Sendable (Store) throws(StoreFailure) -> (answer: any Sendable, results: [CommitResult]))
    /// A part of an import, and where its answer is waited for: `nil` when it is done.
    case importing(ImportStep, answer: BlockingQueue<Rejection?>)
    /// Files of documents are gone; the answer is whether that is noted.
    case forget([BlobName], answer: BlockingQueue<Bool>)
    /// A part of the way of a mail, for the thread that sends it.
    case mail(MailStep, answer: BlockingQueue<MailStepAnswer>)
    /// The files of an erased family are gone; the answer is whether that is noted.
    case erased(Erasure, answer: BlockingQueue<Bool>)
    /// Daily and idle work, one portion; it comes again by itself until a round is finished.
    case maintenance
    /// The last one: everything before it is done, and what was counted since is written.
    case stop(UsageNotes)
}

/// A proposal of a request that is no mutation, with the ticket of its completion handler.
struct RequestProposal: Sendable {
    let ticket: UInt64
    let request: BatchRequest
}

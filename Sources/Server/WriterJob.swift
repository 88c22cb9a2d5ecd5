import Blobs
import Bytes
import Family
import EventLoop
import Rooms
import Store
import Wire

/// A job of the writer besides mutations and revocations.
enum WriterJob: Sendable {
    case command(SessionID, SessionCommand)
    /// From the admin socket; the number is the connection's.
    case admin(UInt64, AdminRequest)
    /// A copy of a family was made. Its maker waits until that is noted: then the answer is `nil`.
    case exported(ExportNote, answer: BlockingQueue<Rejection?>)
    /// Reminders may be due: one portion; it returns to the queue by itself until none is left.
    case reminders
    /// A member has seen a reminder.
    case seen(Reminder.Key, family: Identifier, member: Identifier)
    /// The counts in memory, by `Clock.monotonicMilliseconds`.
    case usage(UsageNotes)
    /// A job of a request, with the ticket of its completion handler.
    case request(UInt64, @Sendable (FamilyStore) throws(StoreFailure) -> (answer: any Sendable, results: [CommitResult]))
    /// A part of an import, and the queue for its answer: `nil` if it is done.
    case importing(ImportStep, answer: BlockingQueue<Rejection?>)
    /// Files of documents were removed; the answer is whether that is noted.
    case forget([BlobName], answer: BlockingQueue<Bool>)
    /// A step in the delivery of a mail, for the thread that sends it.
    case mail(MailStep, answer: BlockingQueue<MailStepAnswer>)
    /// The files of an erased family were removed; the answer is whether that is noted.
    case erased(Erasure, answer: BlockingQueue<Bool>)
    /// Daily and idle work, one portion; it returns to the queue by itself until a round is finished.
    case maintenance
    /// The last job: everything before it is done, and the counts since then are written.
    case stop(UsageNotes)
}

/// A request's proposal that is not a mutation, with the ticket of its completion handler.
struct RequestProposal: Sendable {
    let ticket: UInt64
    let request: BatchRequest
}

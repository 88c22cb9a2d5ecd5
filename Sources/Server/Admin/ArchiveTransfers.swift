import Blobs
import Bytes
import Family
import Locks
import Posix
import EventLoop
import Store
import Synchronization

extension ArchiveTransfer {
    /// Carries the transfer out.
    ///
    /// - Parameters:
    ///   - raw: the descriptor of the archive.
    ///   - blobs: the files of documents.
    ///   - isStopped: called regularly.
    ///   - note: enters the export into the access log and the audit log, durably; the result is the reason if that
    ///     failed.
    ///   - perform: gives a part of an import to the writer and waits for it.
    func perform(
        _ raw: Int32, reader: StoreReader, blobs: BlobFolder, isStopped: @escaping () -> Bool, note: (ExportNote) throws(StoreFailure) -> Rejection?,
        perform: (ImportStep) throws(ArchiveError) -> Void
    ) throws(StoreFailure) -> Result<AdminReply, Rejection> {
        let done: Result<Transferred, ArchiveError>
        switch self {
        case .export(let name, let isPrivate):
            let found = try reader.families(named: name)
            guard let family = found.first else { return .failure(.noFamily(name)) }
            guard found.count == 1 else { return .failure(.severalFamilies(name, found.count)) }
            done = try reader.export(family, to: raw, blobs: blobs, isPrivate: isPrivate, isStopped: isStopped).map { Transferred(.exported, $0) }
            if case .success = done {
                let export = ExportNote(family: family, athletes: try reader.athletes(of: family), isPrivate: isPrivate)
                // Nobody gets a copy whose making the family cannot see.
                if let rejection = try note(export) { return .failure(rejection) }
            }
        case .load:
            done = try FamilyArchive.read(raw, reader: reader, blobs: blobs, isStopped: isStopped, perform: perform).map { manifest, outcome in
                Transferred(outcome == .imported ? .imported : .alreadyHere, manifest)
            }
        }
        return done.map(AdminReply.transferred).mapError(\.rejection)
    }
}

/// Exports and imports of a running server, one at a time, on a thread that reads with a connection of its own: neither the readers nor
/// the writer wait for a large family.
final class Transfers: Sendable {
    private struct State {
        var isBusy = false
        /// The thread that was started last.
        var thread: Thread?
    }

    private let state = Lock(State())
    private let isStopping = Atomic<Bool>(false)
    /// The writer's answer to the one running transfer.
    private let answers = BlockingQueue<Rejection?>(limit: 1)

    private let database: ServerDatabase
    private let limits: Limits
    private let blobs: BlobFolder
    private let writer: WriterThread
    private let events: Mailbox<ShardEvent>

    init(database: ServerDatabase, limits: Limits, blobs: BlobFolder, writer: WriterThread, events: Mailbox<ShardEvent>) {
        self.database = database
        self.limits = limits
        self.blobs = blobs
        self.writer = writer
        self.events = events
    }

    /// Whether a family is being exported or imported.
    var isBusy: Bool { state.withLock { $0.isBusy } }

    /// Begins a transfer; its answer is `.administered` with the number.
    ///
    /// - Returns: false if another one is running.
    func start(_ number: UInt64, _ transfer: ArchiveTransfer, _ file: consuming FileDescriptor) -> Bool {
        let raw = file.take()
        let isTaken = start { [self] in
            let answer = run(transfer, FileDescriptor(owning: raw))
            return .administered(number, answer)
        }
        if !isTaken { _ = FileDescriptor(owning: raw) }
        return isTaken
    }

    /// Begins an archive of a family for one of its members.
    ///
    /// - Parameters:
    ///   - file: empty, and open for reading and writing.
    ///   - event: makes the event of the end.
    /// - Returns: false if another transfer is running.
    func start(
        _ family: Identifier, isPrivate: Bool, by member: Identifier, into file: OpenFile,
        then event: @escaping @Sendable (Result<ExportedArchive, Rejection>) -> ShardEvent
    ) -> Bool {
        start { [self] in
            do throws(StoreFailure) {
                let reader = try database.openReader(limits)
                switch try reader.export(family, to: file.raw, blobs: blobs, isPrivate: isPrivate, isStopped: { self.isStopping.load(ordering: .relaxed) }) {
                case .failure(let error): return event(.failure(error.rejection))
                case .success: break
                }
                // Nobody gets a copy whose making the family cannot see.
                let note = ExportNote(family: family, athletes: try reader.athletes(of: family), isPrivate: isPrivate, by: member)
                if let rejection = ask(.exported(note, answer: answers)) ?? ArchiveError.stopped.rejection { return event(.failure(rejection)) }
                guard let octets = try? Files.length(file.raw) else { return event(.failure(.busy)) }
                return event(.success(ExportedArchive(file: file, octets: octets)))
            } catch {
                return event(.failure(.busy))
            }
        }
    }

    /// Begins work on a thread of its own.
    private func start(_ work: @escaping @Sendable () -> ShardEvent) -> Bool {
        let former: Thread?? = state.withLock { state in
            guard !state.isBusy else { return nil }
            state.isBusy = true
            return .some(state.thread.take())
        }
        guard let former else { return false }
        // The former thread has ended, or is about to end.
        former?.join()
        let thread = Thread.start(name: "transfer") { [self] in
            let event = work()
            state.withLock { $0.isBusy = false }
            events.put(event)
        }
        state.withLock { $0.thread = thread }
        return true
    }

    /// Stops the running transfer and waits for it. Of an import nothing remains: the next start removes its files.
    func stop() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        answers.close()
        let thread = state.withLock { $0.thread.take() }
        thread?.join()
    }

    private func run(_ transfer: ArchiveTransfer, _ file: consuming FileDescriptor) -> Result<AdminReply, Rejection> {
        do throws(StoreFailure) {
            let reader = try database.openReader(limits)
            return try transfer.perform(
                file.raw, reader: reader, blobs: blobs, isStopped: { self.isStopping.load(ordering: .relaxed) },
                note: { export throws(StoreFailure) in self.ask(.exported(export, answer: self.answers)) ?? ArchiveError.stopped.rejection },
                perform: { step throws(ArchiveError) in
                    guard let answer = self.ask(.importing(step, answer: self.answers)) else { throw .stopped }
                    if let rejection = answer { throw .refused(rejection) }
                })
        } catch {
            return .failure(Rejection(.invalid, "The database cannot be read: \(error)."))
        }
    }

    /// - Returns: the writer's answer; `nil` if the transfer ends before it.
    private func ask(_ job: WriterJob) -> Rejection?? {
        writer.submit(job) ? answers.take(maximum: 1).first : nil
    }
}

import Blobs
import Family
import Locks
import Posix
import EventLoop
import Store
import Synchronization

/// Regularly removes the files of documents that nobody needs any more, on a thread of its own: neither the reactor nor
/// the writer waits while it walks a folder.
final class Sweeper: Sendable {
    /// Milliseconds between two sweeps: unneeded files stay for a day, so an hour more does not matter.
    static let interval: Int64 = 3_600_000

    private struct State {
        var isBusy = false
        var thread: Thread?
    }

    private let state = Lock(State())
    private let isStopping = Atomic<Bool>(false)
    private let answers = BlockingQueue<Bool>(limit: 1)
    private let folder: String
    private let database: ServerDatabase
    private let limits: Limits
    private let blobs: BlobFolder
    private let thumbnails: ThumbnailFolder
    private let uploads: UploadFolder
    private let writer: WriterThread
    private let transfers: Transfers
    private let log: Log

    /// - Parameter folder: the data folder.
    init(
        folder: String, database: ServerDatabase, limits: Limits, blobs: BlobFolder, thumbnails: ThumbnailFolder, uploads: UploadFolder,
        writer: WriterThread, transfers: Transfers, log: Log
    ) {
        self.folder = folder
        self.database = database
        self.limits = limits
        self.blobs = blobs
        self.thumbnails = thumbnails
        self.uploads = uploads
        self.writer = writer
        self.transfers = transfers
        self.log = log
    }

    /// Begins a sweep, unless one is running or a family is being exported or imported.
    func start() {
        guard !transfers.isBusy, !isStopping.load(ordering: .relaxed) else { return }
        let former: Thread?? = state.withLock { state in
            guard !state.isBusy else { return nil }
            state.isBusy = true
            return .some(state.thread.take())
        }
        guard let former else { return }
        // The former thread has ended, or is about to.
        former?.join()
        let thread = Thread.start(name: "sweeper") { [self] in
            run()
            state.withLock { $0.isBusy = false }
        }
        state.withLock { $0.thread = thread }
    }

    /// Ends the running sweep and waits for it.
    func stop() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        answers.close()
        let thread = state.withLock { $0.thread.take() }
        thread?.join()
    }

    private func run() {
        do {
            // No file is removed while a backup is made: the backup would miss files that its database names.
            _ = try CopyLock.keepOut(of: folder) { try sweep() }
        } catch {
            log(.error, "sweep_failed", [.init("reason", "\(error)")])
        }
    }

    /// Removes the files of erased families whose rows are gone.
    private func erase(_ reader: StoreReader) throws {
        for erasure in try reader.erasures(all: false) where erasure.state == .files {
            guard try ErasedFiles(blobs: blobs, thumbnails: thumbnails, uploads: uploads, folder: folder).remove(
                of: erasure.family, isStopped: { self.isStopping.load(ordering: .relaxed) })
            else { return }
            guard writer.submit(.erased(erasure, answer: answers)), answers.take(maximum: 1).first == true else { return }
            log(.info, "family_erased", [.init("family", "\(erasure.family)"), .init("requested_at", erasure.requestedAt)])
        }
    }

    private func sweep() throws {
        let reader = try database.openReader(limits)
        try erase(reader)
        let swept = try BlobSweep(reader: reader, blobs: blobs, uploads: uploads).run(
            now: Clock.wallMilliseconds(), isStopped: { self.isStopping.load(ordering: .relaxed) },
            forget: { gone in self.writer.submit(.forget(gone, answer: self.answers)) && self.answers.take(maximum: 1).first ?? false })
        // After the blobs, so that a thumbnail is removed together with its blob.
        try thumbnails.sweep(blobs, now: Clock.wallMilliseconds())
        guard swept.blobs + swept.others > 0 else { return }
        log(.info, "files_swept", [.init("files", swept.blobs + swept.others), .init("octets", swept.octets)])
    }
}

import Bytes
import Client
import Crypto
import Posix
import Synchronization

/// Files that go up and down, and what is asked of documents by HTTP, one after the other on a thread of their own, so that no key waits for
/// the network. The thread is there while something is to be done.
final class TransferWorker: Sendable {
    /// Jobs that may wait: more than anybody uploads in one go.
    static let limit = 100

    enum Job: Sendable {
        case upload(Int, NewUpload, path: String)
        case download(Int, DocumentDownload.File, path: String)
        case links(Identifier)
        case share(Identifier, school: Identifier)
        case revoke(String, of: Identifier)

        /// The transfer's; `nil` for a question.
        var number: Int? {
            switch self {
            case .upload(let number, _, _), .download(let number, _, _): number
            case .links, .share, .revoke: nil
            }
        }
    }

    enum Report: Sendable {
        /// It has begun and will have so many octets.
        case began(Int, total: Int64)
        /// It goes on from there.
        case resumed(Int, octets: Int64)
        case progress(Int, octets: Int64)
        case waits(Int, milliseconds: Int64, reason: String)
        case done(Int)
        case links(Identifier, [ShareLink])
        case made(Identifier, school: Identifier, ShareLink)
        case revoked(Identifier)
        /// Of a transfer, or of a question (`nil`).
        case failed(Int?, DocumentFailure)
    }

    private struct State {
        var jobs: [Job] = []
        var running: Int?
        var stopped: Set<Int> = []
        var reports: [Report] = []
        var thread: Thread?
        var progressAt: Int64 = 0
        var isEnding = false
    }

    /// Milliseconds between two reports of how far a transfer is: faster than that nobody reads.
    private static let progressInterval: Int64 = 100

    private let state = Mutex(State())
    private let address: ServerAddress
    private let token: String
    private let memory: UploadMemory
    private let waker: ClientWaker
    private let name: String

    /// - Parameter waker: woken when there are reports.
    init(_ name: String, _ address: ServerAddress, token: String, memory: UploadMemory, waker: ClientWaker) {
        self.name = name
        self.address = address
        self.token = token
        self.memory = memory
        self.waker = waker
    }

    /// - Returns: false when too many wait already.
    func put(_ job: Job) -> Bool {
        state.withLock { state in
            guard !state.isEnding, state.jobs.count < Self.limit else { return false }
            state.jobs.append(job)
            if let number = job.number { state.stopped.remove(number) }
            if state.thread == nil { state.thread = Thread.start(name: name) { [self] in work() } }
            return true
        }
    }

    /// Gives a transfer up, whether it has begun or not.
    func stop(_ number: Int) {
        let hasWaited = state.withLock { state in
            let waited = state.jobs.contains { $0.number == number }
            state.jobs.removeAll { $0.number == number }
            if state.running == number { state.stopped.insert(number) }
            return waited
        }
        if hasWaited { report(.failed(number, .cancelled)) }
    }

    /// What happened since the last call, in order.
    func takeReports() -> [Report] {
        state.withLock { state in
            defer { state.reports = [] }
            return state.reports
        }
    }

    /// Gives everything up and waits for the thread: within the moment in which a transfer next tells how far it is.
    func end() {
        let thread = state.withLock { state in
            state.isEnding = true
            state.jobs = []
            defer { state.thread = nil }
            return state.thread
        }
        thread?.join()
    }

    // MARK: On the thread

    private func work() {
        let server: DocumentServer
        do throws(DocumentFailure) { server = try DocumentServer(address, token: token) } catch { return refuseAll(error) }
        while let job = next() {
            do throws(DocumentFailure) { try perform(job, server) } catch { report(.failed(job.number, error)) }
        }
    }

    private func next() -> Job? {
        state.withLock { state in
            state.running = nil
            guard !state.isEnding, !state.jobs.isEmpty else {
                // A job that is put from now on starts another thread. `end` joins the one it took.
                state.thread = nil
                return nil
            }
            let job = state.jobs.removeFirst()
            state.running = job.number
            return job
        }
    }

    private func refuseAll(_ failure: DocumentFailure) {
        while let job = next() { report(.failed(job.number, failure)) }
    }

    private func perform(_ job: Job, _ server: DocumentServer) throws(DocumentFailure) {
        switch job {
        case .upload(let number, let upload, let path):
            report(.began(number, total: Int64(((try? Files.status(path)) ?? nil)?.size ?? 0)))
            var uploading = DocumentUpload(server, address: address.description, memory: memory, seed: Random.uint64()) { self.pause($0, number) }
            _ = try uploading.run(upload, path: path) { step in
                switch step {
                case .resumed(let octets): self.report(.resumed(number, octets: octets))
                case .sent(let octets): self.report(.progress(number, octets: octets))
                case .waits(let pause, let reason): self.report(.waits(number, milliseconds: pause, reason: reason))
                }
                return !self.isStopped(number)
            }
            report(.done(number))
        case .download(let number, let file, let path):
            report(.began(number, total: file.octets))
            var downloading = DocumentDownload(server, seed: Random.uint64()) { pause in
                self.report(.waits(number, milliseconds: pause, reason: "The network is away."))
                return self.pause(pause, number)
            }
            try downloading.run(file, to: path) { octets in
                self.report(.progress(number, octets: octets))
                return !self.isStopped(number)
            }
            report(.done(number))
        case .links(let document): report(.links(document, try server.shares(document)))
        case .share(let document, let school): report(.made(document, school: school, try server.share(document, school: school, days: nil)))
        case .revoke(let link, let document):
            try server.revoke(link, of: document)
            report(.revoked(document))
        }
    }

    private func isStopped(_ number: Int) -> Bool { state.withLock { $0.isEnding || $0.stopped.contains(number) } }

    /// - Returns: false when the person gave up meanwhile.
    private func pause(_ milliseconds: Int64, _ number: Int) -> Bool {
        let end = Clock.monotonicMilliseconds() + milliseconds
        while !isStopped(number) {
            let left = end - Clock.monotonicMilliseconds()
            guard left > 0 else { return true }
            var none: [Poll.Item] = []
            // A person who gives up waits no longer than this.
            _ = try? Poll.wait(&none, timeoutMilliseconds: Int(min(left, 100)))
        }
        return false
    }

    /// Only the last progress of a transfer waits to be seen.
    private func report(_ report: Report) {
        let wasEmpty = state.withLock { state in
            if case .progress = report {
                let now = Clock.monotonicMilliseconds()
                guard now - state.progressAt >= Self.progressInterval else { return false }
                state.progressAt = now
            }
            if case .progress(let number, _) = report, case .progress(number, _)? = state.reports.last { state.reports.removeLast() }
            if case .waits(let number, _, _) = report, case .waits(number, _, _)? = state.reports.last { state.reports.removeLast() }
            state.reports.append(report)
            return state.reports.count == 1
        }
        // The session's turn ends; whoever turns it takes the reports.
        if wasEmpty { waker.post { _ in } }
    }
}

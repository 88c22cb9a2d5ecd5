import Bytes
import Crypto
import Documents
import Locks
import Pictures
import Posix
import Sessions
import Terminal

/// A thread that uploads and downloads files, or sends requests about documents by HTTP, one job after the other, so
/// that no key waits for the network. The thread exists while there are jobs; `JobLine` decides which one is next.
final class TransferWorker: Sendable {
    private struct State {
        var line = JobLine()
        var thread: Thread?
    }

    private let state = Lock(State())
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

    /// - Returns: false if too many jobs wait already.
    func put(_ job: DocumentJob) -> Bool {
        state.withLock { state in
            switch state.line.put(job) {
            case .refused: return false
            case .waits: break
            case .begins: state.thread = Thread.start(name: name) { [self] in work() }
            }
            return true
        }
    }

    /// Stops a transfer, whether it has begun or not.
    func stop(_ number: Int) {
        if state.withLock({ $0.line.stop(number) }) { wake() }
    }

    /// The reports since the last call, in order.
    func takeReports() -> [DocumentReport] { state.withLock { $0.line.takeReports() } }

    /// Stops everything and waits for the thread, at most until the transfer reports its progress the next time.
    func end() {
        let thread = state.withLock { state in
            state.line.end()
            defer { state.thread = nil }
            return state.thread
        }
        thread?.join()
    }

    // MARK: On the thread

    private func work() {
        let server: DocumentServer
        do throws(DocumentFailure) { server = try DocumentServer(address, token: token) } catch {
            while let job = next() { report(.failed(job.number, error)) }
            return
        }
        while let job = next() {
            do throws(DocumentFailure) { try perform(job, server) } catch { report(.failed(job.number, error)) }
        }
    }

    private func next() -> DocumentJob? {
        state.withLock { state in
            let job = state.line.next()
            // A job that is added from now on starts another thread. `end` joins the one it took.
            if job == nil { state.thread = nil }
            return job
        }
    }

    private func perform(_ job: DocumentJob, _ server: DocumentServer) throws(DocumentFailure) {
        switch job {
        case .transfer(let number, let transfer):
            report(.began(number))
            switch transfer.way {
            case .upload(let upload):
                var uploading = DocumentUpload(server, address: address.description, memory: memory, seed: Random.uint64()) { self.pause($0, number) }
                let uploaded = try uploading.run(upload, path: transfer.path, expecting: transfer.stamp) { step in
                    switch step {
                    case .read(let stamp): self.report(.read(number, stamp))
                    case .resumed(let octets): self.report(.resumed(number, octets: octets))
                    case .sent(let octets): self.report(.progress(number, octets: octets))
                    case .waits(let pause, let reason): self.report(.waits(number, milliseconds: pause, reason: reason))
                    }
                    return !self.isStopped(number)
                }
                report(.done(number, document: uploaded.document, key: uploaded.key))
            case .download(let file):
                var downloading = DocumentDownload(server, seed: Random.uint64()) { pause in
                    self.report(.waits(number, milliseconds: pause, reason: "The network is away."))
                    return self.pause(pause, number)
                }
                try downloading.run(file, to: transfer.path) { octets in
                    self.report(.progress(number, octets: octets))
                    return !self.isStopped(number)
                }
                report(.done(number, document: nil, key: nil))
            }
        case .picture(let document):
            // A picture is an extra: after a failure the icon of the document's type stays, without a sentence.
            do throws(DocumentFailure) { report(.picture(document, try picture(of: document, server))) } catch {}
        case .links(let document): report(.links(document, try server.shares(document)))
        case .share(let document, let school): report(.made(document, school: school, try server.share(document, school: school, days: nil)))
        case .revoke(let link, let document):
            try server.revoke(link, of: document)
            report(.revoked(document))
        }
    }

    private func picture(of document: Identifier, _ server: DocumentServer) throws(DocumentFailure) -> TerminalPicture? {
        guard let file = try server.thumbnail(document), let found = JPEGPicture.decode(file) else { return nil }
        return TerminalPicture(width: found.width, height: found.height, pixels: found.pixels, file: file)
    }

    private func isStopped(_ number: Int) -> Bool { state.withLock { $0.line.isStopped(number) } }

    /// - Returns: false if the person stopped the transfer in the meantime.
    private func pause(_ milliseconds: Int64, _ number: Int) -> Bool {
        let end = Clock.monotonicMilliseconds() + milliseconds
        while !isStopped(number) {
            let left = end - Clock.monotonicMilliseconds()
            guard left > 0 else { return true }
            var none: [Poll.Item] = []
            // A person who stops a transfer waits at most this long.
            _ = try? Poll.wait(&none, timeoutMilliseconds: Int(min(left, 100)))
        }
        return false
    }

    private func report(_ report: DocumentReport) {
        let now = Clock.monotonicMilliseconds()
        if state.withLock({ $0.line.report(report, now: now) }) { wake() }
    }

    /// Ends the current turn of the session's loop, which then takes the reports.
    private func wake() { waker.post { _ in } }
}

package import Bytes
package import Terminal

/// A job for the thread that talks to the server about documents.
package enum DocumentJob: Hashable, Sendable {
    /// A transfer with the number that its reports carry.
    case transfer(Int, FileTransfer)
    case links(Identifier)
    /// The small picture of a document.
    case picture(Identifier)
    case share(Identifier, school: Identifier)
    case revoke(String, of: Identifier)

    /// The number of the transfer; `nil` for a request.
    package var number: Int? {
        if case .transfer(let number, _) = self { number } else { nil }
    }
}

/// A report of a running job.
package enum DocumentReport: Hashable, Sendable {
    /// The transfer has begun.
    case began(Int)
    /// The file of an upload was read once, with this result.
    case read(Int, FileStamp)
    /// The transfer resumes from this octet.
    case resumed(Int, octets: Int64)
    case progress(Int, octets: Int64)
    case waits(Int, milliseconds: Int64, reason: String)
    /// The transfer is complete; an upload has the document, and the key under which its location is remembered.
    case done(Int, document: Identifier?, key: String?)
    case links(Identifier, [ShareLink])
    case made(Identifier, school: Identifier, ShareLink)
    case revoked(Identifier)
    /// The small picture of a document; `nil` if it has none that can be shown.
    case picture(Identifier, TerminalPicture?)
    /// The number of the failed transfer; `nil` for a request.
    case failed(Int?, DocumentFailure)
}

/// The queue of jobs for one thread, with stops and reports. Pure: the owner of the threads guards it with a lock.
///
/// Jobs run one after the other, in order. Only the last progress of a transfer waits to be read, and there is at most
/// one every 100 ms.
package struct JobLine: Sendable {
    /// The largest number of waiting jobs: more than a user uploads in one go.
    package static let limit = 100
    /// The milliseconds between two progress reports of a transfer: no user reads faster.
    package static let progressInterval: Int64 = 100

    /// The result of adding a job.
    package enum AddResult: Hashable, Sendable {
        /// Too many jobs wait, or the queue is ending.
        case refused
        case waits
        /// No thread is working: the caller has to start one.
        case begins
    }

    private var jobs: [DocumentJob] = []
    private var running: Int?
    private var stopped: Set<Int> = []
    private var reports: [DocumentReport] = []
    private var progressAt: Int64?
    private var isWorking = false
    private var isEnding = false

    package init() {}

    package mutating func put(_ job: DocumentJob) -> AddResult {
        guard !isEnding, jobs.count < Self.limit else { return .refused }
        jobs.append(job)
        defer { isWorking = true }
        return isWorking ? .waits : .begins
    }

    /// Takes the next job; `nil` if there is none: the calling thread then ends, and the next `put` requests a new one.
    package mutating func next() -> DocumentJob? {
        (running, progressAt) = (nil, nil)
        guard !isEnding, !jobs.isEmpty else {
            isWorking = false
            return nil
        }
        let job = jobs.removeFirst()
        running = job.number
        if let number = job.number { stopped.remove(number) }
        return job
    }

    /// Cancels a transfer, whether it has begun or not.
    ///
    /// - Returns: whether the reader of the reports has to be woken.
    package mutating func stop(_ number: Int) -> Bool {
        if running == number { stopped.insert(number) }
        guard jobs.contains(where: { $0.number == number }) else { return false }
        jobs.removeAll { $0.number == number }
        return report(.failed(number, .cancelled), now: 0)
    }

    /// Cancels all waiting and running jobs; later jobs are refused.
    package mutating func end() {
        isEnding = true
        jobs = []
    }

    /// Whether the running transfer has to stop.
    package func isStopped(_ number: Int) -> Bool { isEnding || stopped.contains(number) }

    /// - Parameter now: milliseconds of a monotonic clock.
    /// - Returns: whether the reader of the reports has to be woken: for the first waiting report.
    package mutating func report(_ report: DocumentReport, now: Int64) -> Bool {
        if case .progress = report {
            guard progressAt.map({ now - $0 >= Self.progressInterval }) ?? true else { return false }
            progressAt = now
        }
        if case .progress(let number, _) = report, case .progress(number, _)? = reports.last { reports.removeLast() }
        if case .waits(let number, _, _) = report, case .waits(number, _, _)? = reports.last { reports.removeLast() }
        reports.append(report)
        return reports.count == 1
    }

    /// Returns the reports since the last call, in order.
    package mutating func takeReports() -> [DocumentReport] {
        defer { reports = [] }
        return reports
    }
}

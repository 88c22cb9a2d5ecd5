package import Bytes

/// What a thread is asked to do with documents at the server.
package enum DocumentJob: Hashable, Sendable {
    /// With a number that its reports carry.
    case transfer(Int, Transfer)
    case links(Identifier)
    case share(Identifier, school: Identifier)
    case revoke(String, of: Identifier)

    /// The transfer's; `nil` for a question.
    package var number: Int? {
        if case .transfer(let number, _) = self { number } else { nil }
    }
}

/// What it tells meanwhile.
package enum DocumentReport: Hashable, Sendable {
    /// It has begun.
    case began(Int)
    /// The file of an upload was read once, and is this.
    case read(Int, FileStamp)
    /// It goes on from there.
    case resumed(Int, octets: Int64)
    case progress(Int, octets: Int64)
    case waits(Int, milliseconds: Int64, reason: String)
    /// All of it is there: of an upload the document, and the key under which its place is remembered.
    case done(Int, document: Identifier?, key: String?)
    case links(Identifier, [ShareLink])
    case made(Identifier, school: Identifier, ShareLink)
    case revoked(Identifier)
    /// Of a transfer, or of a question (`nil`).
    case failed(Int?, DocumentFailure)
}

/// What a thread does next, what it is to stop, and what it has to tell. Pure: whoever has threads keeps it under a lock.
///
/// Jobs are done one after the other, in order. Of a transfer's progress only the last waits to be seen, and at most one every 100 ms.
package struct JobLine: Sendable {
    /// Jobs that may wait: more than anybody uploads in one go.
    package static let limit = 100
    /// Milliseconds between two reports of how far a transfer is: faster than that nobody reads.
    package static let progressInterval: Int64 = 100

    /// What came of a job that was put.
    package enum Reception: Hashable, Sendable {
        /// Too many wait, or it is ending.
        case refused
        case waits
        /// Nobody works: a thread has to begin.
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

    package mutating func put(_ job: DocumentJob) -> Reception {
        guard !isEnding, jobs.count < Self.limit else { return .refused }
        jobs.append(job)
        defer { isWorking = true }
        return isWorking ? .waits : .begins
    }

    /// The next job; `nil` when there is none: then whoever asked is done, and the next `put` says that another has to begin.
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

    /// Gives a transfer up, whether it has begun or not.
    ///
    /// - Returns: whether somebody has to be woken for the report.
    package mutating func stop(_ number: Int) -> Bool {
        if running == number { stopped.insert(number) }
        guard jobs.contains(where: { $0.number == number }) else { return false }
        jobs.removeAll { $0.number == number }
        return report(.failed(number, .cancelled), now: 0)
    }

    /// Gives up everything that waits or is under way; no job is taken any more.
    package mutating func end() {
        isEnding = true
        jobs = []
    }

    /// Whether the one that is under way is to stop.
    package func isStopped(_ number: Int) -> Bool { isEnding || stopped.contains(number) }

    /// - Parameter now: milliseconds of a clock that only grows.
    /// - Returns: whether somebody has to be woken: for the first that waits.
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

    /// What happened since the last call, in order.
    package mutating func takeReports() -> [DocumentReport] {
        defer { reports = [] }
        return reports
    }
}

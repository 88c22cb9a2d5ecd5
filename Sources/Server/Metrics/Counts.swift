import Family
import Rooms
import Store
import Wire

// The counters of the parts of a server. Each part adds to its own on its own thread; `Metrics` reads all of them.

/// The counters of `ConnectionTable`.
final class ConnectionCounts: Sendable {
    enum Refusal: String, CaseIterable {
        /// The server has its limit of connections, or is shutting down.
        case full
        /// The address has its limit.
        case address
        /// The kernel refused.
        case system
    }

    let accepted = Counter()
    let refused = CounterTable(Refusal.allCases)
    let failedHandshakes = Counter()
    let slowReaders = Counter()
}

/// The counters of `HubDriver`: frames and their results.
final class SessionCounts: Sendable {
    enum Resume: String, CaseIterable {
        case changes, snapshot, reset, refused
    }

    let framesReceived = Counter()
    let octetsReceived = Counter()
    let framesSent = Counter()
    let octetsSent = Counter()
    /// The frames that the hub refused.
    let rejections = CounterTable(ErrorCode.allCases)
    /// The connections that the server closed, by code.
    let closes = CounterTable(CloseCode.allCases)
    /// The joins, by the answer that the client received.
    let joins = CounterTable(Resume.allCases)

    /// Counts an event that the hub notes for the operator.
    func note(_ event: StaticString, _ code: String) {
        if "\(event)" == "closing" {
            if let code = UInt16(code).flatMap({ CloseCode(rawValue: $0) }) { closes.add(code) }
        } else if let code = ErrorCode(rawValue: code) {
            rejections.add(code)
        }
    }

    /// Counts a join.
    func note(_ answer: ReadAnswer) {
        guard case .join(let result) = answer else { return }
        switch result {
        case .failure: joins.add(.refused)
        case .success(let seat):
            switch seat.resume {
            case .changes: joins.add(.changes)
            case .snapshot: joins.add(.snapshot)
            case .reset: joins.add(.reset)
            }
        }
    }
}

/// The counters of `HTTPSite`.
final class RequestCounts: Sendable {
    /// The statuses that are sent; 0 means any other.
    static let statuses = [
        200, 201, 204, 206, 304, 308, 400, 401, 403, 404, 405, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 423, 426, 428, 429, 431, 500, 501, 503, 505, 507, 0,
    ]

    let responses = CounterTable(RequestCounts.statuses)
    /// Nanoseconds from the head of a request to the beginning of its response.
    let time = Histogram(.time)
    let contentReceived = Counter()
    let contentSent = Counter()
}

/// The counters of `Workers`: the jobs that found no room.
final class QueueCounts: Sendable {
    let writerRefused = CounterTable(WriterQueue.Class.allCases)
    let readerRefused = CounterTable(ReaderQueue.Class.allCases)
}

/// The counters of the writer's thread.
final class WriterCounts: Sendable {
    /// Nanoseconds until a batch is on stable storage.
    let commitTime = Histogram(.time)
    /// The number of mutations and proposals of requests that share a commit.
    let batchSize = Histogram(.batch)
    /// Nanoseconds from the end of the turn that read a mutation until its receipt is on stable storage.
    let mutationTime = Histogram(.time)
    /// The mutations that the rules refused.
    let rejections = CounterTable(ErrorCode.allCases)
    /// The writer's refusals because of a family's limits. `burst` is part of `mutations`.
    let quotaRefusals = CounterTable(FamilyQuota.allCases.filter { $0 != .burst })

    /// The octets with which the receipt of a refused mutation begins.
    private static let rejectHead = Array("{\"type\":\"reject\"".utf8)

    /// Counts a batch that is on stable storage.
    ///
    /// - Parameters:
    ///   - proposals: the mutations of the batch; those in `report.rest` were not done.
    ///   - begun: the time at which the batch was taken, nanoseconds of the monotonic clock, like `ended`.
    func note(_ report: CommitReport, of proposals: [Proposal], requests: Int, begun: Int64, ended: Int64) {
        commitTime.record(ended - begun)
        batchSize.record(Int64(proposals.count - report.rest.count + requests))
        // The rest is counted when it is done.
        if report.rest.isEmpty {
            for index in proposals.indices where proposals[index].acceptedAt > 0 { mutationTime.record(ended - proposals[index].acceptedAt) }
        } else {
            let rest = Set(report.rest.map { MutationName($0) })
            for proposal in proposals where proposal.acceptedAt > 0 && !rest.contains(MutationName(proposal)) { mutationTime.record(ended - proposal.acceptedAt) }
        }
        // The hub has counted the mutations whose frames it refused.
        let refused = Set(proposals.indices.lazy.filter { proposals[$0].refused != nil }.map { MutationName(proposals[$0]) })
        for case .receipt(let receipt) in report.results where receipt.frame.starts(with: Self.rejectHead) {
            if !refused.isEmpty, refused.contains(MutationName(receipt)) { continue }
            if case .reject(_, let rejection)? = try? ServerFrame.decode(receipt.frame) { rejections.add(rejection.code) }
        }
    }

    private struct MutationName: Hashable {
        let session: UInt64
        let mutation: Int64

        init(_ proposal: Proposal) {
            session = proposal.session
            mutation = proposal.mutation.id
        }

        init(_ receipt: Receipt) {
            session = receipt.session
            mutation = receipt.mutation
        }
    }
}

/// The counters of one reader thread.
final class ReaderCounts: Sendable {
    /// Nanoseconds by class, in the order of `ReaderQueue.Class`.
    private let times = ReaderQueue.Class.allCases.map { _ in Histogram(.time) }
    let failed = Counter()
    /// Reads that were stopped because they took too long.
    let stopped = Counter()

    func record(_ kind: ReaderQueue.Class, _ nanoseconds: Int64) { time(kind).record(nanoseconds) }

    func time(_ kind: ReaderQueue.Class) -> Histogram { times[ReaderQueue.Class.allCases.firstIndex(of: kind) ?? 0] }
}

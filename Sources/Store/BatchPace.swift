package import Bytes
package import Family
package import Wire

/// The clocks by which the caller of `FamilyStore.commit` measures a batch, and whether other families wait. Closures, so
/// that a test decides them.
package struct BatchPace {
    /// Nanoseconds of a monotonic clock.
    package let now: () -> Int64
    /// Nanoseconds of this thread's processor time.
    package let processorTime: () -> Int64
    /// Whether any work except that of one family waits for the writer.
    package let isAwaited: (_ besides: Identifier) -> Bool

    package init(now: @escaping () -> Int64, processorTime: @escaping () -> Int64, isAwaited: @escaping (Identifier) -> Bool) {
        self.now = now
        self.processorTime = processorTime
        self.isAwaited = isAwaited
    }

    /// For a caller that waits for the whole batch: the clock stands still, so the batch never runs out of time.
    package static var unhurried: BatchPace { BatchPace(now: { 0 }, processorTime: { 0 }, isAwaited: { _ in false }) }
}

/// The result of one call of `FamilyStore.commit`.
package struct CommitReport {
    package var results: [CommitResult]
    /// The proposals that were not decided, in order. They come first in a later batch.
    package var rest: [Proposal]
    /// The answers to the requests, in order, with the microseconds that each took; `nil` for requests that were not
    /// decided and come in a later batch.
    package var answers: [(answer: BatchAnswer, took: Int64)?] = []
}

/// One batch while it is decided and written: each family's share of it, and the cost of each proposal.
///
/// Decisions are written together, so the time of writing is divided by the size of each proposal's writes. Reading the
/// processor's clock is a system call of a microsecond, a percent of a mutation, so it is read once for the batch and
/// divided by the time that each proposal took.
struct BatchTurn {
    /// Nanoseconds after which a batch ends: the longest time for which a commit may keep clients waiting, besides the
    /// sync. The current proposal is finished.
    static let longest: Int64 = 20_000_000
    /// Nanoseconds for one family in a batch while any other waits.
    static let share: Int64 = 5_000_000

    private let pace: BatchPace
    private let start: Int64
    private let processorStart: Int64
    private let isShared: Bool
    /// The clock at the last measurement.
    private var measuredAt: Int64
    private var spent: [Identifier: Int64] = [:]
    private var done: [(family: Identifier, reserved: Int64, weight: Int, cost: Int64)] = []
    private var written = 0
    private(set) var rest: [Proposal] = []

    init(_ proposals: [Proposal], _ requests: [BatchRequest], _ pace: BatchPace) {
        self.pace = pace
        start = pace.now()
        measuredAt = start
        processorStart = pace.processorTime()
        let first = proposals.first?.family ?? requests.first?.family
        isShared = proposals.contains { $0.family != first } || requests.contains { $0.family != first }
    }

    /// Whether a proposal belongs to this batch; if not, it is in `rest`. The first one always does, so that each batch
    /// makes progress.
    mutating func takes(_ proposal: Proposal) -> Bool {
        // Once one proposal has to wait, later ones of the same family wait too, because their order must hold.
        if done.isEmpty || hasTime(proposal.family) { return true }
        rest.append(proposal)
        return false
    }

    /// Whether a request belongs to this batch. The first one always does, so that a flood of mutations keeps no
    /// request waiting.
    func takes(_ request: BatchRequest, isFirst: Bool) -> Bool { isFirst || hasTime(request.family) }

    private func hasTime(_ family: Identifier) -> Bool {
        measuredAt - start < Self.longest && (spent[family, default: 0] < Self.share || !(isShared || pace.isAwaited(family)))
    }

    /// - Parameter weight: the weight of the decision's writes, `Batch.weight`.
    mutating func didDecide(_ proposal: Proposal, weight: Int) { didDecide(proposal.family, reserved: proposal.reserved, weight: weight) }

    /// - Parameter weight: as above; writes during the decision are part of its time.
    mutating func didDecide(_ request: BatchRequest, weight: Int) { didDecide(request.family, reserved: 0, weight: weight) }

    private mutating func didDecide(_ family: Identifier, reserved: Int64, weight: Int) {
        let cost = measure()
        done.append((family, reserved, weight, cost))
        spent[family, default: 0] += cost
    }

    /// Notes that the decisions since the last writing are in the tables now.
    mutating func didWrite() {
        shareOut(measure(), written..<done.count)
        written = done.count
    }

    /// Converts the time that each proposal took into its part of the processor time, including the commit.
    mutating func didCommit() {
        let used = max(pace.processorTime() - processorStart, 0)
        let took = done.reduce(0) { $0 + $1.cost }
        for index in done.indices {
            done[index].cost = took > 0 ? Int64(Double(used) * Double(done[index].cost) / Double(took)) : used / Int64(done.count)
        }
    }

    private mutating func measure() -> Int64 {
        let now = pace.now()
        defer { measuredAt = now }
        return max(now - measuredAt, 0)
    }

    private mutating func shareOut(_ cost: Int64, _ range: Range<Int>) {
        guard cost > 0, !range.isEmpty else { return }
        // Each has some weight, so that the sum is never 0.
        let total = range.reduce(0) { $0 + done[$1].weight + 1 }
        for index in range {
            let part = cost * Int64(done[index].weight + 1) / Int64(total)
            done[index].cost += part
            spent[done[index].family, default: 0] += part
        }
    }

    /// The answers with the time that each request took; requests come after all proposals.
    func charge(_ answers: [BatchAnswer?]) -> [(answer: BatchAnswer, took: Int64)?] {
        var next = done.count - answers.count { $0 != nil }
        return answers.map { answer in
            guard let answer else { return nil }
            defer { next += 1 }
            return (answer, done[next].cost / 1_000)
        }
    }

    /// The results with the cost of each proposal in its receipt. Receipts come in the order of the proposals.
    func charge(_ results: [CommitResult]) -> [CommitResult] {
        var results = results
        var next = 0
        for index in results.indices {
            guard case .receipt(var receipt) = results[index] else { continue }
            receipt.owed = done[next].cost / 1_000 - done[next].reserved
            results[index] = .receipt(receipt)
            next += 1
        }
        return results
    }
}

@available(*, unavailable)
extension BatchPace: Sendable {}

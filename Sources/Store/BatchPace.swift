package import Bytes
package import Family
package import Wire

/// How the caller of `Store.commit` measures a batch and says whether others wait. Closures, so that a test decides them.
package struct BatchPace {
    /// Nanoseconds of a clock that never goes back.
    package let now: () -> Int64
    /// Nanoseconds of processor time of this thread.
    package let processorTime: () -> Int64
    /// Whether any work but that of one family waits for the writer.
    package let isAwaited: (_ besides: Identifier) -> Bool

    package init(now: @escaping () -> Int64, processorTime: @escaping () -> Int64, isAwaited: @escaping (Identifier) -> Bool) {
        self.now = now
        self.processorTime = processorTime
        self.isAwaited = isAwaited
    }

    /// For a caller that waits for the whole batch: time stands still, so the batch has no end.
    package static var unhurried: BatchPace { BatchPace(now: { 0 }, processorTime: { 0 }, isAwaited: { _ in false }) }
}

/// What one call of `Store.commit` did.
package struct CommitReport {
    package var results: [CommitResult]
    /// The proposals that were not looked at, in order. They come first in a later batch.
    package var rest: [Proposal]
    /// The answers to the requests, in order, with the microseconds that each took; `nil` for those that were not looked at and come in a later batch.
    package var answers: [(answer: BatchAnswer, took: Int64)?] = []
}

/// One batch while it is decided and written: how much of it each family has had, and what each proposal cost.
///
/// Decisions are written together, so that the time of writing is shared out by the size of what each proposal writes. The processor's clock is a system
/// call of a microsecond, a percent of a mutation, so it is read once for the batch and shared out by the time that each proposal took.
struct BatchTurn {
    /// Nanoseconds after which a batch ends: what a commit may keep everybody waiting, besides the sync. The proposal under way is finished.
    static let longest: Int64 = 20_000_000
    /// Time of one family in a batch, while any other waits, nanoseconds.
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

    /// Whether a proposal belongs to this batch; if not, it is in `rest`. The first one always does, so that each batch gets on.
    mutating func takes(_ proposal: Proposal) -> Bool {
        // Once one has to wait, those behind it of the same family wait too: their order must hold.
        if done.isEmpty || hasTime(proposal.family) { return true }
        rest.append(proposal)
        return false
    }

    /// Whether a request belongs to this batch. The first one always does, so that mutations that fill every batch keep no request waiting.
    func takes(_ request: BatchRequest, isFirst: Bool) -> Bool { isFirst || hasTime(request.family) }

    private func hasTime(_ family: Identifier) -> Bool {
        measuredAt - start < Self.longest && (spent[family, default: 0] < Self.share || !(isShared || pace.isAwaited(family)))
    }

    /// - Parameter weight: how much the decision writes, `Batch.weight`.
    mutating func didDecide(_ proposal: Proposal, weight: Int) { didDecide(proposal.family, reserved: proposal.reserved, weight: weight) }

    /// - Parameter weight: as above; what a request wrote while it was decided is in its time.
    mutating func didDecide(_ request: BatchRequest, weight: Int) { didDecide(request.family, reserved: 0, weight: weight) }

    private mutating func didDecide(_ family: Identifier, reserved: Int64, weight: Int) {
        let cost = measure()
        done.append((family, reserved, weight, cost))
        spent[family, default: 0] += cost
    }

    /// What was decided since the last writing is in the tables now.
    mutating func didWrite() {
        shareOut(measure(), written..<done.count)
        written = done.count
    }

    /// Turns the time that each proposal took into its part of the processor time, the commit's included.
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

    /// The answers with what each request took; requests come after all proposals.
    func charge(_ answers: [BatchAnswer?]) -> [(answer: BatchAnswer, took: Int64)?] {
        var next = done.count - answers.count { $0 != nil }
        return answers.map { answer in
            guard let answer else { return nil }
            defer { next += 1 }
            return (answer, done[next].cost / 1_000)
        }
    }

    /// The results with what each proposal cost in its receipt. Receipts come in the order of the proposals.
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

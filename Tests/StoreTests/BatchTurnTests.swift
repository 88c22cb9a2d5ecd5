import Bytes
import Family
import Store
import Testing
import Wire

/// A clock: each measurement finds that the next piece of work has taken the next of `steps`, in microseconds. The processor works all the time, and
/// for `commit` besides.
private final class Stopwatch {
    private var steps: [Int64]
    private let commit: Int64
    private var time: Int64 = 0
    private var isStarted = false
    private var isMeasured = false

    init(_ steps: [Int64], commit: Int64 = 0) {
        self.steps = steps
        self.commit = commit
    }

    func pace(isAwaited: Bool = false) -> BatchPace {
        BatchPace(
            now: {
                // The first one begins the batch.
                if self.isStarted, !self.steps.isEmpty { self.time += self.steps.removeFirst() * 1_000 }
                self.isStarted = true
                return self.time
            },
            processorTime: {
                defer { self.isMeasured = true }
                return self.isMeasured ? self.time + self.commit * 1_000 : 0
            }, isAwaited: { _ in isAwaited })
    }
}

@Suite("A batch ends by time, guarantee `fair`")
struct BatchTurnTests {
    private static func receipts(_ report: CommitReport) -> [Receipt] {
        report.results.compactMap { if case .receipt(let receipt) = $0 { receipt } else { nil } }
    }

    private func numbers(_ proposals: [Proposal]) -> [Int64] { proposals.map(\.mutation.id) }

    @Test("alone, a family has a batch for 20 ms; while others wait, for 5 ms; the proposal under way is finished", arguments: [(false, 7), (true, 2)])
    func alone(isAwaited: Bool, count: Int) throws {
        let world = try World()
        let home = try world.home()
        let proposals = (0..<10).map { world.proposal(home, home.parent, [school(world.newID(), "School \($0)")]) }
        let report = try world.store.commit(proposals, pace: Stopwatch([Int64](repeating: 3_000, count: 12)).pace(isAwaited: isAwaited))
        #expect(numbers(report.rest) == numbers(Array(proposals[count...])))
        #expect(Self.receipts(report).map(\.mutation) == numbers(Array(proposals[..<count])))
        // The rest is done as if it came then, and nothing twice.
        let next = try world.store.commit(report.rest, pace: .unhurried)
        #expect(next.rest.isEmpty && Self.receipts(next).count == 10 - count)
        #expect(try world.snapshot(home).records.values.count { $0.kind == .school } == 10)
    }

    @Test("a proposal that alone takes longer than a batch is done, and the next ones wait")
    func long() throws {
        let world = try World()
        let home = try world.home()
        let proposals = (0..<3).map { world.proposal(home, home.parent, [school(world.newID(), "School \($0)")]) }
        let report = try world.store.commit(proposals, pace: Stopwatch([50_000]).pace())
        #expect(Self.receipts(report).count == 1 && report.rest.count == 2)
    }

    @Test("a family that has had its share lets the others of the batch go first, and its own order holds")
    func shares() throws {
        let world = try World()
        let homes = [try world.home(), try world.home()]
        let proposals = (0..<3).flatMap { number in
            homes.map { world.proposal($0, $0.parent, [school(world.newID(), "School \(number)")]) }
        }
        // The first one takes the family's share and more.
        let report = try world.store.commit(proposals, pace: Stopwatch([6_000, 100, 100, 100]).pace())
        #expect(numbers(report.rest) == [proposals[2], proposals[4]].map(\.mutation.id))
        #expect(Self.receipts(report).map(\.mutation) == numbers([proposals[0], proposals[1], proposals[3], proposals[5]]))
        #expect(report.rest.allSatisfy { $0.family == homes[0].family })
    }

    @Test("each receipt reports the cost of the proposal beyond the reserved amount: its decision, and its part of writing and committing")
    func cost() throws {
        let world = try World()
        let home = try world.home()
        var proposals = [
            world.proposal(home, home.parent, [school(world.newID(), "Short")]),
            world.proposal(home, home.parent, (0..<50).map { _ in school(world.newID(), String(repeating: "a", count: 90)) }),
            world.proposal(home, home.parent, [school(world.newID(), "Short")]),
        ]
        for index in proposals.indices { proposals[index].reserved = 100 }
        // Three decisions, one writing, one commit.
        let receipts = Self.receipts(try world.store.commit(proposals, pace: Stopwatch([50, 700, 60, 6_000], commit: 2_000).pace()))
        #expect(receipts.map(\.member) == [home.parent, home.parent, home.parent])
        let costs = receipts.map { $0.owed + 100 }
        #expect((8_807...8_810).contains(costs.reduce(0, +)), "\(costs)")
        #expect(costs[1] > 8_000 && costs[0] < 400 && costs[2] < 400, "\(costs)")
        // Nobody measured this one: what was reserved is given back.
        #expect(Self.receipts(try world.store.commit([proposals[0]], pace: .unhurried)).map(\.owed) == [-100])
    }
}

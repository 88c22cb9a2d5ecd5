import CAllocations
import CLinux
import Glibc
import Posix

/// The result of a case, per thing, in nanoseconds.
struct Measurement {
    var minimum: Double
    var median: Double
    /// CPU time of this thread; less than the wall's where something is waited for.
    var cpu: Double
    var floor: Double
    var allocations: Double
    var rounds: Int
    /// Calls in one round.
    var times: Int

    /// Time that all rounds of one case may take, nanoseconds: a full run of all cases is a matter of seconds.
    private static let budget: Int64 = 600_000_000
    private static let floorBudget: Int64 = 150_000_000
    /// A round is long enough that reading the clock is nothing beside it.
    private static let roundTime: Int64 = 25_000_000
    private static let maxRounds = 15

    init(_ each: BenchCase) throws {
        let work = try each.prepare()
        let found = try Measurement.rounds(within: Measurement.budget, work.run)
        let floor = try Measurement.rounds(within: Measurement.floorBudget, work.floor)
        let things = Double(found.times * each.perCall)
        func perThing(_ value: Int64) -> Double { Double(value) / things }
        let times = found.rounds.map(\.wall).sorted()
        minimum = perThing(times[0])
        median = perThing(times[times.count / 2])
        let cpus = found.rounds.map(\.cpu).sorted()
        cpu = perThing(cpus[cpus.count / 2])
        allocations = Double(found.rounds.map(\.allocations).sorted()[found.rounds.count / 2]) / things
        // The least: whatever made a round longer was not necessary.
        self.floor = Double(floor.rounds.map(\.wall).min() ?? 0) / Double(floor.times * each.perCall)
        rounds = found.rounds.count
        self.times = found.times
    }

    private struct Round {
        var wall: Int64
        var cpu: Int64
        var allocations: UInt64
    }

    /// Finds how often to call in a round, doing so warms up; then as many rounds as fit, at least one.
    private static func rounds(within budget: Int64, _ body: (Int) throws -> Void) throws -> (rounds: [Round], times: Int) {
        let end = Clock.monotonicNanoseconds() + budget
        var times = 1
        var last = try round(times, body)
        while last.wall < roundTime / 2, Clock.monotonicNanoseconds() + 3 * last.wall < end {
            times *= 2
            last = try round(times, body)
        }
        var rounds: [Round] = []
        repeat { rounds.append(try round(times, body)) } while rounds.count < maxRounds && Clock.monotonicNanoseconds() + last.wall < end
        return (rounds, times)
    }

    private static func round(_ times: Int, _ body: (Int) throws -> Void) rethrows -> Round {
        let allocations = allocations_of_thread()
        let cpu = threadTime()
        let start = Clock.monotonicNanoseconds()
        try body(times)
        let wall = Clock.monotonicNanoseconds() - start
        return Round(wall: max(1, wall), cpu: threadTime() - cpu, allocations: allocations_of_thread() - allocations)
    }

    private static func threadTime() -> Int64 {
        var time = timespec()
        guard clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

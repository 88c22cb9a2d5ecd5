import Dispatch
import Testing

/// A thread of its own for suites whose tests wait for processes.
///
/// Swift runs tests on as many threads as the machine has cores. A test that waits for a process keeps its thread, so the core rests. Between two tests of a
/// serialized suite, the suite also waits behind all tests that have not begun. On a lane, a waiting test holds up only the other suites of that lane.
final class Lane: TaskExecutor {
    /// The suite "The programs".
    static let programs = Lane("programs")
    /// The suites at a terminal.
    static let terminals = Lane("terminals")
    /// The suite "Browsers".
    static let browsers = Lane("browsers")

    /// Serial: one test of a lane runs at a time.
    private let queue: DispatchQueue

    private init(_ name: String) {
        queue = DispatchQueue(label: "tests.\(name)")
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Runs a suite and everything in it on a lane.
struct OnLane: SuiteTrait, TestScoping {
    let lane: Lane

    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        try await withTaskExecutorPreference(lane) { try await function() }
    }
}

extension Trait where Self == OnLane {
    static func lane(_ lane: Lane) -> Self { OnLane(lane: lane) }
}

import Posix
import Testing

@testable import loadgen

/// A folder of two seeded families, and the built server on it.
private final class Bench {
    let folder: String
    let server: ChildProcess
    let port: String

    init(
        arguments: [String] = ["--mutations-per-second", "0"],
        seed: [String] = ["--families", "2", "--members", "3", "--records", "250"]
    ) throws {
        folder = try Files.makeTemporaryFolder(prefix: "loadgen-tests")
        #expect(run(["seed", "--data", folder + "/data"] + seed) == 0)
        server = try ChildProcess.start(
            [try Bench.program("huddled"), "serve", "--data", folder + "/data", "--listen", "127.0.0.1:0"] + arguments, errors: .nothing)
        // "… at ws://127.0.0.1:PORT/ws"
        let line = try #require(try server.readLine(timeoutMilliseconds: 20_000))
        port = try #require(line.split(separator: ":").last?.split(separator: "/").first.map(String.init))
    }

    deinit { try? Files.removeTree(folder) }

    /// A built program, which is next to the test bundle.
    static func program(_ name: String) throws -> String {
        var path = Array(CommandLine.arguments[0].split(separator: "/").dropLast())
        while !path.isEmpty {
            let candidate = "/" + path.joined(separator: "/") + "/" + name
            if Files.exists(candidate) { return candidate }
            path.removeLast()
        }
        throw LoadFailure("\(name) is not built")
    }
}

@Suite("Runs against the built server", .serialized)
struct RunTests {
    @Test("closed loop: each message reaches all of its family once and in order")
    func closed() throws {
        let bench = try Bench()
        let plan = try MutatePlan([
            "--server", "127.0.0.1:\(bench.port)", "--families", "2", "--members", "3", "--publishers", "2", "--window", "4",
            "--warmup", "0.05", "--duration", "0.3", "--pid", "\(bench.server.pid)",
        ])
        let report = try MutateRun(plan: plan).run()
        #expect(report.isFaultless, "\(report.text)")
        #expect(report.sent > 16)
        #expect(report.tally.deliveries == report.sent * 3)
        #expect(report.serverCPU != nil)
        #expect(report.tally.ack.count > 0)
    }

    @Test("a family with years of history has the given number of changes, and its members are still signed in")
    func years() throws {
        let bench = try Bench(seed: ["--families", "1", "--members", "2", "--years", "2", "--changes", "300"])
        let export = try ChildProcess.start(
            [try Bench.program("huddled"), "export", "--data", bench.folder + "/data", "--family", "Bench 0", "--json", bench.folder + "/a.tar"],
            errors: .nothing)
        let line = try #require(try export.readLine(timeoutMilliseconds: 20_000))
        // Its making, the second parent and two athletes, and the changes.
        #expect(line.contains("\"head\":304}"), "\(line)")
        let plan = try MutatePlan([
            "--server", "127.0.0.1:\(bench.port)", "--families", "1", "--members", "2", "--warmup", "0.05", "--duration", "0.2",
        ])
        let report = try MutateRun(plan: plan).run()
        #expect(report.isFaultless, "\(report.text)")
        #expect(report.sent > 0)
    }

    @Test("open loop: messages leave as the schedule says")
    func open() throws {
        let bench = try Bench()
        let plan = try MutatePlan([
            "--server", "127.0.0.1:\(bench.port)", "--families", "2", "--members", "3", "--rate", "200",
            "--warmup", "0.1", "--duration", "0.4",
        ])
        let report = try MutateRun(plan: plan).run()
        #expect(report.isFaultless, "\(report.text)")
        #expect(report.sent + report.unsent == 100)
        #expect(report.tally.delivery.count == report.tally.ack.count * 3)
    }

    @Test("a refusal is a fault")
    func refused() throws {
        let bench = try Bench(arguments: ["--mutations-per-second", "1"])
        // The burst is a thousand a session: 1,500 are refused in part, and by less than what a session may be refused before it is closed.
        let plan = try MutatePlan([
            "--server", "127.0.0.1:\(bench.port)", "--families", "2", "--members", "3", "--rate", "3000",
            "--warmup", "0", "--duration", "1",
        ])
        let report = try MutateRun(plan: plan).run()
        #expect(!report.isFaultless)
        #expect(report.rejected > 0)
        #expect(report.faults.filter { $0.count > 0 }.map { $0.name.description } == ["rejected"], "\(report.text)")
        #expect(report.tally.firstRefusal?.contains("rate_limited") == true)
    }

    @Test("a token that was not seeded is refused, and the run reports it")
    func stranger() throws {
        let bench = try Bench()
        let plan = try MutatePlan(["--server", "127.0.0.1:\(bench.port)", "--families", "3", "--members", "3", "--duration", "0.1"])
        #expect(throws: LoadFailure.self) { try MutateRun(plan: plan).run() }
    }

    @Test("idle connections have a price")
    func idle() throws {
        let bench = try Bench()
        let plan = try IdlePlan([
            "--server", "127.0.0.1:\(bench.port)", "--connections", "6", "--members", "3", "--hold", "0.1", "--pid", "\(bench.server.pid)",
        ])
        let report = try IdleRun.run(plan)
        #expect(report.connections == 6)
        #expect(report.closedEarly == 0)
        #expect(report.after.resident > 0)
    }

    @Test("a folder in use is not seeded")
    func inUse() throws {
        let bench = try Bench()
        #expect(run(["seed", "--data", bench.folder + "/data", "--families", "9"]) == ExitStatus.failed)
    }

    @Test("families that are there already are not made again")
    func twice() throws {
        let folder = try Files.makeTemporaryFolder(prefix: "loadgen-tests")
        defer { try? Files.removeTree(folder) }
        #expect(run(["seed", "--data", folder]) == ExitStatus.done)
        #expect(run(["seed", "--data", folder]) == ExitStatus.failed)
    }
}

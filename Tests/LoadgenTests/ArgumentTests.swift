import Arguments
import Bytes
import Posix
import Testing

@testable import loadgen

@Suite("Where load may go")
struct LoopbackTests {
    @Test("127.0.0.0/8 only", arguments: [("127.0.0.1", true), ("127.9.8.7", true), ("localhost", true)])
    func allowed(_ each: (host: String, isAllowed: Bool)) {
        #expect((Loopback.address(host: each.host, port: 1) != nil) == each.isAllowed)
    }

    @Test("nothing else", arguments: [
        "128.0.0.1", "10.0.0.1", "0.0.0.0", "::1", "127.example.org", "127.0.0.1.example.org", "127.1", "example.org", "",
    ])
    func refused(host: String) {
        #expect(Loopback.address(host: host, port: 80) == nil)
    }
}

@Suite("Arguments of loadgen")
struct PlanTests {
    @Test("a run is bounded", arguments: [
        ["--server", "10.0.0.1:80"], ["--duration", "61"], ["--duration", "0"], ["--duration", "nan"], ["--warmup", "-1"],
        ["--window", "129"], ["--window", "1", "--rate", "5"], ["--rate", "200001"], ["--families", "19001"], ["--families", "200", "--members", "100"],
        ["--size", "299"], ["--publishers", "2"], ["--pid", "999999999"], ["extra"], ["--unknown"],
    ])
    func refused(words: [String]) {
        #expect(throws: UsageError.self) { try MutatePlan(words) }
    }

    @Test("an option that is not given has its default")
    func defaults() throws {
        let plan = try MutatePlan([])
        #expect(plan.pace == .closed(window: 1))
        #expect(plan.families == 1)
        #expect(plan.target.members == 1)
        #expect(plan.size == 500)
        #expect(plan.duration == 5_000_000_000)
        #expect(plan.target.address.description == "127.0.0.1:8787")
    }

    @Test("a rate is an open loop")
    func rate() throws {
        #expect(try MutatePlan(["--rate", "1000", "--duration", "0.5"]).pace == .open(perSecond: 1_000))
    }

    @Test("A request for memory without a process is refused")
    func idle() {
        #expect(throws: UsageError.self) { try IdlePlan(["--connections", "10"]) }
    }

    @Test("a folder is seeded within bounds", arguments: [
        ["--families", "1"], ["--data", "/tmp/x", "--families", "100001"], ["--data", "/tmp/x", "--records", "100000"],
        ["--data", "/tmp/x", "--record-kind", "family"], ["--data", "/tmp/x", "--families", "1000", "--members", "1000"],
    ])
    func seed(words: [String]) {
        #expect(throws: UsageError.self) { try SeedPlan(words) }
    }
}

@Suite("Names of seeded families")
struct SeedNamesTests {
    @Test("tokens are as long as real ones, and no two are the same")
    func tokens() {
        #expect(SeedNames.token(family: 12, member: 3) == "000000000000000000000000000000000000012" + "0003")
        #expect(SeedNames.token(family: 0, member: 0).utf8.count == 43)
        #expect(SeedNames.token(family: 99_999, member: 999).utf8.count == 43)
    }

    @Test("family ids are decimal digits in a UUID")
    func families() {
        #expect(SeedNames.family(1_234).description == "00000000-0000-4000-8000-000000001234")
    }
}

@Suite("Figures of the kernel about a process")
struct ProcessUseTests {
    @Test("CPU time is read behind a name with blanks and parentheses")
    func stat() {
        let line = "4711 (a) b (c) S 1 2 3 4 -1 4194560 10 0 0 0 25 17 0 0 20 0 3 0 100 1000 200"
        #expect(ProcessUse.cpuTicks(stat: Array(line.utf8)) == 42)
        #expect(ProcessUse.cpuTicks(stat: Array("4711 (a) S 1".utf8)) == nil)
        #expect(ProcessUse.cpuTicks(stat: []) == nil)
    }

    @Test("memory is the sum of what is private")
    func rollup() {
        let text = """
            55d0-7ffc ---p 00000000 00:00 0    [rollup]
            Rss:                5000 kB
            Pss:                 300 kB
            Private_Clean:        12 kB
            Private_Dirty:       100 kB

            """
        #expect(ProcessUse.memory(rollup: Array(text.utf8)) == .init(resident: 5_000 * 1_024, private: 112 * 1_024))
        #expect(ProcessUse.memory(rollup: Array("Rss: 1 kB\n".utf8)) == nil)
    }

    @Test("this process has used some of both")
    func own() throws {
        let memory = try #require(ProcessUse.memory(pid: getProcessID()))
        #expect(memory.resident > 1 << 20)
        #expect(memory.private > 0)
        #expect(ProcessUse.own() > 0)
        #expect(ProcessUse.cpu(pid: getProcessID()) != nil)
        #expect(ProcessUse.cpu(pid: Int32.max) == nil)
    }

    private func getProcessID() -> Int32 {
        // "self" is a link to the number.
        let line = (try? Files.read("/proc/self/stat")).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return Int32(line.prefix { $0 != " " }) ?? 0
    }
}

import Bytes
import Family
import Posix
import Sync
import TestSupport
import Testing
import Wire

@Suite("The durable side of huddle, as programs (nothing lost at the client, exactly-once)", .serialized, .lane(.terminals))
struct OfflineTests {
    private func demo() throws -> (RunningServer, Demo, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let data = folder.path + "/data"
        let demo = try Demo(in: data)
        return (try RunningServer(data), demo, folder)
    }

    /// Reads lines until one contains `text`.
    private func expectLine(_ text: String, from child: ChildProcess) throws {
        while let line = try child.readLine(timeoutMilliseconds: 20_000) {
            if line.contains(text) { return }
        }
        throw Unexpected("no line with: \(text)")
    }

    /// Starts the conversation once, so that everything is kept.
    private func visit(_ program: HuddleProgram) throws {
        let child = try program.start()
        try expectLine("/help lists the commands", from: child)
        child.closeInput()
        #expect(try child.wait(timeoutMilliseconds: 10_000) == .exited(0))
    }

    @Test("Without a server: shows what is kept, takes changes, says that they wait; the next start sends them once")
    func offline() throws {
        let (server, demo, folder) = try demo()
        defer { withExtendedLifetime(folder) {} }
        let elena = HuddleProgram(server, token: demo.parents[0].token)
        #expect(try elena.run("events", "--offline").ending == .exited(5), "nothing is kept yet")
        try visit(elena)
        try server.kill()

        let kept = try elena.run("events", "--offline", "--json")
        #expect(kept.ending == .exited(0) && kept.output.split(separator: "\n").count > 10)
        let unreachable = try elena.run("events", "--json", "--timeout", "1")
        #expect(unreachable.ending == .exited(5) && unreachable.output == kept.output)
        #expect(unreachable.errors.contains("Showing the copy from "))

        // The season of the last screen is not a filter, as it is not one online; --athlete is one.
        let seasons = try Set(kept.lines().compactMap { $0["athlete"]?.string })
        #expect(seasons.count == 2, "\(seasons)")
        let mateo = try elena.run("events", "--offline", "--json", "--athlete", demo.athletes[1].name)
        #expect(try Set(mateo.lines().compactMap { $0["athlete"]?.string }) == ["\(demo.athletes[1].id)"] && mateo.errors.contains("Showing the copy from "))

        let child = try elena.start()
        try expectLine("/help lists the commands", from: child)
        try child.write("Offline words\n/quit\n")
        try expectLine("Waiting to be sent: message: Offline words", from: child)
        try expectLine("1 change waits; it is sent when huddle runs next.", from: child)
        #expect(try child.wait(timeoutMilliseconds: 10_000) == .exited(0))
        let queued = try elena.run("say", "From a script", "--offline", "--json")
        #expect(queued.ending == .exited(0))
        #expect(try queued.json()["type"]?.string == "queued")
        let outbox = try elena.run("outbox", "--json").lines()
        #expect(outbox.compactMap { $0["type"]?.string } == ["waiting", "waiting"])
        #expect(try elena.run("outbox", "send", "--timeout", "1").ending == .exited(5))

        try server.restart()
        let sent = try elena.run("outbox", "send")
        #expect(sent.ending == .exited(0), "\(sent.errors)")
        #expect(try elena.run("outbox", "--json").lines().isEmpty)
        let messages = try elena.run("messages", "--json").output
        for text in ["Offline words", "From a script"] { #expect(messages.components(text) == 1, "\(text)") }
    }

    @Test("The input of a second huddle of the same member, typed offline, outlasts kill -9 beside the first, and arrives once with the next start")
    func second() throws {
        let (server, demo, folder) = try demo()
        defer { withExtendedLifetime(folder) {} }
        let elena = HuddleProgram(server, token: demo.parents[0].token)
        try visit(elena)
        let first = try elena.start()
        try expectLine("/help lists the commands", from: first)
        let second = try elena.start()
        try expectLine("/help lists the commands", from: second)
        let refused = try elena.run("outbox", "send")
        #expect(refused.ending == .exited(1) && refused.errors.contains("Huddle is already open on this computer. Do it there"), "\(refused.errors)")
        try server.kill()
        try second.write("Said beside the first\n")
        try expectLine("Waiting to be sent: message: Said beside the first", from: second)
        second.kill()
        _ = try second.wait(timeoutMilliseconds: 10_000)
        #expect(try elena.run("outbox", "--json").lines().compactMap { $0["type"]?.string } == ["waiting"])
        // So is what a script leaves, whether a conversation is open or not.
        let script = try elena.run("say", "Left by a script", "--offline")
        #expect(script.ending == .exited(0) && script.output.hasPrefix("Queued."), "\(script)")
        first.closeInput()
        #expect(try first.wait(timeoutMilliseconds: 10_000) == .exited(0))
        try server.restart()
        #expect(try elena.run("outbox", "send").ending == .exited(0))
        #expect(try elena.run("outbox", "--json").lines().isEmpty)
        let said = try elena.run("messages", "--json").output
        #expect(said.components("Said beside the first") == 1 && said.components("Left by a script") == 1, "\(said)")
    }

    /// Lines that the client must have reported: fewer prove too little.
    private static let enough = 41

    @Test("Killed 120 times while a person types, with a server that comes and goes: each line reported as waiting arrives once")
    func killed() throws {
        let (server, demo, folder) = try demo()
        defer { withExtendedLifetime(folder) {} }
        let seed = SplitMix64.freshSeed()
        print("HUDDLE_SEED=\(seed)")
        var random = SplitMix64(seed: seed)
        let elena = HuddleProgram(server, token: demo.parents[0].token)
        try visit(elena)
        var typed = 0
        var told: Set<String> = []
        var isUp = true
        var round = 0
        // A client on a busy machine is often killed before it reports a line. It is then killed more often, up to 240 times.
        while round < 120 || told.count < Self.enough && round < 240 {
            defer { round += 1 }
            if round % 8 == 5 {
                if isUp { try server.kill() } else { try server.restart() }
                isUp.toggle()
            }
            let child = try elena.start()
            let end = Clock.monotonicMilliseconds() + Int64.random(in: 20...220, using: &random)
            var lines = ""
            for _ in 0..<4 {
                typed += 1
                lines += "line \(typed) of the day\n"
            }
            try? child.write(lines)
            var isEnded = false
            while !isEnded, Clock.monotonicMilliseconds() < end {
                let left = Int(max(1, end - Clock.monotonicMilliseconds()))
                do {
                    guard let line = try child.readLine(timeoutMilliseconds: left) else { break }
                    if let text = Self.toldText(line) { told.insert(text) }
                } catch {
                    isEnded = true
                }
            }
            child.kill(Signals.kill)
            // Lines from before the end count as well.
            while let line = try? child.readLine(timeoutMilliseconds: 1_000) {
                if let text = Self.toldText(line) { told.insert(text) }
            }
            _ = try child.wait(timeoutMilliseconds: 10_000)
        }
        if !isUp { try server.restart() }
        let sent = try elena.run("outbox", "send", "--timeout", "25")
        #expect(sent.ending == .exited(0), "\(sent.errors)")
        #expect(try elena.run("outbox", "--json").output.isEmpty)

        // The server's records decide.
        var counts: [String: Int] = [:]
        for record in try elena.run("messages", "--json").lines() {
            if let text = record["fields"]?["text"]?.string, text.hasSuffix("of the day") { counts[text, default: 0] += 1 }
        }
        #expect(told.count >= Self.enough, "the run told of \(told.count) lines")
        #expect(told.subtracting(counts.keys) == [], "told to wait, and lost")
        #expect(counts.filter { $0.value > 1 } == [:], "said twice")
        print("killed \(round) times: \(typed) lines typed, \(told.count) told of, \(counts.count) arrived, none twice")
    }

    /// The text of a line with which the program says that it has somebody's words.
    private static func toldText(_ line: String) -> String? {
        guard line.contains("of the day"), let start = line.range(of: "line ") else { return nil }
        return String(line[start.lowerBound...])
    }
}

extension String {
    fileprivate func components(_ part: String) -> Int {
        var count = 0
        var rest = self[...]
        while let range = rest.firstRange(of: part) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }

    fileprivate func range(of part: String) -> Range<String.Index>? { firstRange(of: part) }
}

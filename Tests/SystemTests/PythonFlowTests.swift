import Posix
import Testing

extension SystemTests {
    /// Two clients in Python's standard library, written from `proto/` alone in two ways (`Tests/Python`): one works lists out from the records that
    /// it holds, the other asks the server.
    @Suite("Two Python clients at the same time") struct PythonFlowTests {
        @Test("R021 R056 R057 R084 R092 R154 R156: the flows of the five documents, done by two clients at the same time, leave both with the same records and lists")
        func flows() throws {
            guard let python = try Self.python() else { return }
            let (_, demo, server) = try Demo.served()
            let answer = try Programs.run(
                python[0], python.dropFirst() + ["-B", Programs.root + "/Tests/Python/flows.py", server.url] + demo.parents.map(\.token))
            try #require(answer.ending == .exited(0), "\(answer.errors)")
            let told = try answer.json()
            #expect(told["compressed"] == .bool(true))
            #expect(told["lists"]?.integer ?? 0 >= 30)
            #expect(told["itineraries"]?.integer ?? 0 > 20)

            // A third client, in another language, has the same list.
            let parent = HuddleProgram(server, token: demo.parents[0].token)
            let events = try parent.run("events", "--sort", "date_asc", "--json").lines()
            #expect(events.compactMap { $0["id"]?.string } == told["events"]?.elements.compactMap(\.string))
            #expect(events.count == 42)
            // And the server's own log agrees with how far they came.
            try server.stop()
            let book = try DatabaseContent(server.folder, demo.family)
            #expect(book.changes.count == Int(told["seq"]?.integer ?? 0))
            #expect(book.records.count == Int(told["records"]?.integer ?? 0))
        }

        /// The words that start a Python with zone data.
        ///
        /// - Returns: `nil` with a printed line when there is none; with HUDDLE_REQUIRE_PYTHON=1 that is a failure.
        private static func python() throws -> [String]? {
            for words in [Environment.value("HUDDLE_PYTHON").map { [$0] }, ["/usr/bin/env", "python3"]].compactMap(\.self) {
                let check = "import sys, zoneinfo; zoneinfo.ZoneInfo('America/New_York'); sys.exit(sys.version_info < (3, 11))"
                if (try? Programs.run(words[0], words.dropFirst() + ["-c", check]))?.ending == .exited(0) { return words }
            }
            print("Two Python clients at the same time: SKIPPED, because there is no python3 (3.11 or later, with zone data)")
            if Environment.value("HUDDLE_REQUIRE_PYTHON") == "1" { Issue.record("there is no python3") }
            return nil
        }
    }
}

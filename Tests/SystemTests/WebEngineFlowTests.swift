import Posix
import Testing

extension BrowserTests {
    /// The parts beneath the pages of the web client: tabs, uploads, liveness, builds (Tests/Web/flows/engine_*.py).
    @Suite("The web client's engine room in a browser") struct WebEngineFlowTests {
        private static let names = [
            "engine_activity", "engine_builds", "engine_builds_circle", "engine_builds_interrupted", "engine_cookies", "engine_keystrokes", "engine_liveness",
            "engine_storage_damaged", "engine_storage_full", "engine_storage_newer", "engine_tabs_ended", "engine_tabs_frozen", "engine_tabs_killed", "engine_together",
            "engine_uploads", "engine_uploads_full", "engine_uploads_tabs",
        ]

        @Test("Flows work, without an error on the console, a report of the policy, or a request to elsewhere", arguments: Flows.pairs(names))
        func flow(pair: [String]) throws { try Flows.run(pair) }

        @Test("Each flow of the files is run")
        func complete() throws {
            var found: Set<String> = []
            for file in try Files.list(Programs.root + "/Tests/Web/flows") where file.hasPrefix("engine_") && file.hasSuffix(".py") {
                let text = String(decoding: try Files.read(Programs.root + "/Tests/Web/flows/" + file), as: UTF8.self)
                for line in text.split(separator: "\n") where line.hasPrefix("def engine_") { found.insert(String(line.dropFirst(4).prefix { $0 != "(" })) }
            }
            #expect(found == Set(Self.names))
        }
    }
}

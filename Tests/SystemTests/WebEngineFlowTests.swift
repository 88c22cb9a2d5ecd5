import Posix
import TestSupport
import Testing

extension SystemTests {
    /// The parts beneath the pages of the web client: tabs, uploads, liveness, builds (Tests/Web/flows/engine_*.py).
    @Suite("The web client's engine room in a browser") struct WebEngineFlowTests {
        private static let names = [
            "engine_activity", "engine_builds", "engine_builds_circle", "engine_builds_interrupted", "engine_cookies", "engine_keystrokes", "engine_liveness",
            "engine_storage_damaged", "engine_storage_full", "engine_storage_newer", "engine_tabs_ended", "engine_tabs_frozen", "engine_tabs_killed", "engine_together",
            "engine_uploads", "engine_uploads_full", "engine_uploads_tabs",
        ]

        @Test("A flow works, without an error on the console, a report of the policy, or a request to elsewhere", arguments: names)
        func flow(name: String) throws {
            let python = Environment.value("HUDDLE_PYTHON") ?? Programs.root + "/.build/venv/bin/python"
            let browser = Environment.value("HUDDLE_BROWSER").map { $0 == "firefox" ? "/usr/bin/firefox-esr" : $0 } ?? "/usr/bin/chromium"
            guard Files.isExecutable(browser), (try? Programs.run(python, ["-c", "import playwright, axe_playwright_python"]))?.ending == .exited(0) else {
                print("The web client's engine room in a browser: SKIPPED, because \(browser) or Playwright is not installed (Tools/test.sh installs both)")
                if Environment.value("HUDDLE_REQUIRE_BROWSER") == "1" { Issue.record("there is no browser") }
                return
            }
            let answer = try Programs.run(python, [Programs.root + "/Tests/Web/flows/flows.py", Programs.path("huddled"), name], timeout: 300_000)
            #expect(answer.ending == .exited(0), "\(answer.output)\(answer.errors)")
        }

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

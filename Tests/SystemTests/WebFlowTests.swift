import Posix
import TestSupport
import Testing

extension SystemTests {
    /// Flows of people in the web client, in Chromium (Tests/Web/flows).
    @Suite("The web client in a browser") struct WebFlowTests {
        static let flows = [
            "events", "event", "offline", "conflict", "trips", "documents", "room", "joining", "signing_out", "passkeys", "upgrade", "attacks", "keyboard", "killed", "accessible", "board", "months", "paper", "commands", "long_list", "consents", "looked_at", "spoken", "every_screen", "late_records", "closes_on_success", "long_documents", "long_room", "feeds", "farewell",
        ]

        @Test(
            "A flow works, without an error on the console, a report of the policy, or a request to elsewhere",
            arguments: flows)
        func flow(name: String) throws {
            let python = Environment.value("HUDDLE_PYTHON") ?? Programs.root + "/.build/venv/bin/python"
            let browser = Environment.value("HUDDLE_BROWSER").map { $0 == "firefox" ? "/usr/bin/firefox-esr" : $0 } ?? "/usr/bin/chromium"
            guard Files.isExecutable(browser), (try? Programs.run(python, ["-c", "import playwright, axe_playwright_python"]))?.ending == .exited(0) else {
                print("The web client in a browser: SKIPPED, because \(browser) or Playwright is not installed (Tools/test.sh installs both)")
                if Environment.value("HUDDLE_REQUIRE_BROWSER") == "1" { Issue.record("there is no browser") }
                return
            }
            let answer = try Programs.run(python, [Programs.root + "/Tests/Web/flows/flows.py", Programs.path("huddled"), name], timeout: 300_000)
            #expect(answer.ending == .exited(0), "\(answer.output)\(answer.errors)")
        }

        @Test("Each flow of the files is run")
        func complete() throws {
            let folder = Programs.root + "/Tests/Web/flows/"
            let files = try Files.list(folder).filter { $0.hasSuffix(".py") }
            let count = try files.reduce(0) { $0 + String(decoding: try Files.read(folder + $1), as: UTF8.self).split(separator: "\n").count { $0 == "@flow" } }
            #expect(count == Self.flows.count)
        }
    }
}

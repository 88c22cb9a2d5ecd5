import Dispatch
import Locks
import Posix
import TestSupport
import Testing

/// Flows of the web client in a browser (`Tests/Web/flows/flows.py`).
enum Flows {
    /// The flows that run at the same time: one alone waits for its browser for most of its time.
    static func pairs(_ names: [String]) -> [[String]] {
        stride(from: 0, to: names.count, by: 2).map { Array(names[$0..<min($0 + 2, names.count)]) }
    }

    /// Runs flows at the same time, each with a server and a browser of its own, and records those that fail.
    static func run(_ names: [String]) throws {
        let python = Environment.value("HUDDLE_PYTHON") ?? Programs.root + "/.build/venv/bin/python"
        let browser = Environment.value("HUDDLE_BROWSER").map { $0 == "firefox" ? "/usr/bin/firefox-esr" : $0 } ?? "/usr/bin/chromium-headless-shell"
        guard Files.isExecutable(browser), (try? Programs.run(python, ["-c", "import playwright, axe_playwright_python"]))?.ending == .exited(0) else {
            print("The web client in a browser: SKIPPED, because \(browser) or Playwright is not installed (Tools/test.sh installs both)")
            if Environment.value("HUDDLE_REQUIRE_BROWSER") == "1" { Issue.record("there is no browser") }
            return
        }
        let failures = Lock<[String]>([])
        DispatchQueue.concurrentPerform(iterations: names.count) { place in
            let failure: String?
            do {
                let answer = try Programs.run(python, [Programs.root + "/Tests/Web/flows/flows.py", Programs.path("huddled"), names[place]], timeout: 420_000)
                failure = answer.ending == .exited(0) ? nil : "\(names[place]): \(answer.output)\(answer.errors)"
            } catch {
                failure = "\(names[place]): \(error)"
            }
            if let failure { failures.withLock { $0.append(failure) } }
        }
        for failure in failures.withLock({ $0 }) { Issue.record("\(failure)") }
    }
}

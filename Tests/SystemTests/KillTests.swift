import Posix
import Testing

extension SystemTests {
    /// `Tests/Python/kills.py` against the built server: SIGKILL at random moments. `HUDDLE_KILL_ROUNDS=200` runs 200 rounds of each (default: a few).
    @Suite("Killed at random moments") struct KillTests {
        @Test("Every answer that arrived before the kill is true after it, and what is sent again is done once", arguments: [
            ("sign-up", "5"), ("consent", "5"), ("backup", "2"), ("restore", "3"), ("migration", "2"),
        ])
        func killed(subject: String, rounds: String) throws {
            let python = Environment.value("HUDDLE_PYTHON") ?? Programs.root + "/.build/venv/bin/python"
            guard (try? Programs.run(python, ["-c", "import websockets.sync.client"]))?.ending == .exited(0) else {
                print("Kills: SKIPPED, because \(python) does not have websockets (Tools/test.sh installs it)")
                if Environment.value("HUDDLE_REQUIRE_PYTHON") == "1" { Issue.record("there is no Python with websockets") }
                return
            }
            let words = try [Programs.root + "/Tests/Python/kills.py", Programs.path("huddled"), subject, Environment.value("HUDDLE_KILL_ROUNDS") ?? rounds]
            let answer = try Programs.run(python, words, timeout: 1_800_000)
            #expect(answer.ending == .exited(0), "\(answer.errors)")
        }
    }
}

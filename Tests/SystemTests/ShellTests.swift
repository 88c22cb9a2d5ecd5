import Bytes
import Posix
import PseudoTerminal
import TestSupport
import Testing

extension SystemTests {
    /// The manual page and completion as people get them.
    @Suite("huddle in a shell: manual and completion") struct ShellTests {
        @Test("the committed manual page is the one that huddle writes, and groff reads it without a warning")
        func manual() throws {
            let written = try Programs.run(Programs.path("huddle"), ["help", "--man"])
            #expect(written.ending == .exited(0))
            let path = Programs.root + "/deploy/huddle.1"
            #expect(try Files.read(path) == Array(written.output.utf8), "write it again: huddle help --man > deploy/huddle.1")
            guard Files.exists("/usr/bin/groff") else { return }
            let read = try Programs.run("/usr/bin/groff", ["-man", "-Tutf8", "-ww", "-z", path])
            #expect(read.ending == .exited(0) && read.errors.isEmpty, "\(read.errors)")
        }

        /// A demo family whose records are kept, as after a first conversation.
        private struct Home {
            let folder: TemporaryFolder
            let server: RunningServer
            let environment: [String: String]

            init() throws {
                folder = try TemporaryFolder()
                let demo = try Demo(in: folder.path + "/data")
                server = try RunningServer(folder.path + "/data")
                let products = try Programs.path("huddle").split(separator: "/").dropLast().joined(separator: "/")
                environment = [
                    "PATH": "/\(products):/usr/bin:/bin", "HOME": folder.path, "LC_ALL": "C.UTF-8", "HUDDLE_SERVER": server.url,
                    "HUDDLE_TOKEN": demo.parents[0].token,
                ]
                let visit = try Programs.run(Programs.path("huddle"), [], environment: list, input: Array("/quit\n".utf8))
                try #require(visit.ending == .exited(0), "\(visit.errors)")
            }

            var list: [String] { environment.map { "\($0.key)=\($0.value)" } }
        }

        @Test(
            "bash offers commands, options, words of fields and names of kept records, quoted as it needs them",
            .enabled(if: Files.exists("/usr/bin/bash")))
        func bash() throws {
            let home = try Home()
            // The words as bash cuts them, the last one being typed.
            let cases: [(typed: String, words: [String], wanted: [String])] = [
                ("huddle itin", ["huddle", "itin"], ["itinerary"]),
                ("huddle docs unsh", ["huddle", "docs", "unsh"], ["unshare"]),
                ("huddle events --upc", ["huddle", "events", "--upc"], ["--upcoming"]),
                ("huddle events --type off", ["huddle", "events", "--type", "off"], ["official_visit"]),
                ("huddle events --type=off", ["huddle", "events", "--type", "=", "off"], ["official_visit"]),
                ("huddle add event type=", ["huddle", "add", "event", "type", "="], ["camp", "showcase", "official_visit", "unofficial_visit", "game"]),
                ("huddle attend Ashgrove\\ c", ["huddle", "attend", "Ashgrove\\ c"], ["Ashgrove\\ campus\\ walk"]),
                ("huddle attend \"ashgrove c", ["huddle", "attend", "\"ashgrove c"], ["Ashgrove campus walk"]),
                ("huddle shift trip Mad", ["huddle", "shift", "trip", "Mad"], ["Madison\\ with\\ Mateo"]),
                ("huddle docs upload /etc/host", ["huddle", "docs", "upload", "/etc/hostn"], ["/etc/hostname"]),
                ("huddle help off", ["huddle", "help", "off"], ["offline"]),
            ]
            for (typed, words, wanted) in cases {
                let quoted = words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
                let script = """
                    source <(huddle completions bash); COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1)
                    _huddle huddle; printf '%s\\n' "${COMPREPLY[@]}"
                    """
                let answer = try Programs.run("/usr/bin/bash", ["--norc", "-c", script], environment: home.list)
                #expect(answer.errors.isEmpty && answer.output.split(separator: "\n").map(String.init) == wanted, "\(typed): \(answer.output)\(answer.errors)")
            }
        }

        @Test("with Tab at a prompt of bash the line becomes a command that runs", .enabled(if: Files.exists("/usr/bin/bash")))
        func prompt() throws {
            let home = try Home()
            var environment = home.environment
            environment["PS1"] = "> "
            let terminal = try PseudoTerminal(["/usr/bin/bash", "--norc", "--noprofile", "-i"], columns: 120, rows: 30, environment: environment)
            try terminal.type("source <(huddle completions bash); PS1='ready> '\r")
            try FullScreenTests.expect(terminal, "ready> ")
            try terminal.type("huddle itin\tMadi\t\r")
            try FullScreenTests.expect(terminal, "huddle itinerary Madison\\ with\\ Mateo")
            try FullScreenTests.expect(terminal, "Madison with Mateo, Dec 31")
            try terminal.type("huddle events --type=off\t--status reg\t| cat\r")
            try FullScreenTests.expect(terminal, "--type=official_visit --status registered")
            try FullScreenTests.expect(terminal, "Official")
        }

        @Test("each shell's script is one that the shell can read", arguments: ["bash", "zsh", "fish"])
        func scripts(shell: String) throws {
            let script = try Programs.run(Programs.path("huddle"), ["completions", shell])
            #expect(script.ending == .exited(0) && script.output.contains("huddle completions \(shell)") && script.output.contains("complete -- "))
            guard Files.exists("/usr/bin/\(shell)") else { return }
            let read = try Programs.run("/usr/bin/\(shell)", ["-n"], input: Array(script.output.utf8))
            #expect(read.ending == .exited(0) && read.errors.isEmpty, "\(read.errors)")
        }
    }
}

import Family
import Posix
import PseudoTerminal
import TestSupport
import Testing

/// The words of processes, as every user of the machine can read them.
enum CommandLines {
    /// Of one process; "" when it has ended.
    static func of(_ pid: Int32) -> String {
        let octets = (try? Files.read("/proc/\(pid)/cmdline")) ?? []
        return String(decoding: octets.map { $0 == 0 ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    }

    /// Of all processes.
    static func all() throws -> [String] { try Files.list("/proc").compactMap { Int32($0) }.map(of) }
}

extension SystemTests {
    /// Sign-ins kept under a name, and tokens that nobody else sees: `proto/cli.md`, "Where and who".
    @Suite("huddle, profiles and tokens") struct ProfileTests {
        private let folder: TemporaryFolder
        private let demo: Demo
        private let server: RunningServer
        /// A user of the machine who is not signed in.
        private let user: HuddleProgram

        init() throws {
            (folder, demo, server) = try Demo.served()
            user = HuddleProgram(server)
        }

        private var elena: Demo.Member { get throws { try #require(demo.athletes.first { $0.name.hasPrefix("Elena") }) } }
        private var carmen: Demo.Member { get throws { try #require(demo.parents.first { $0.name.hasPrefix("Carmen") }) } }

        private func path(_ name: String) -> String { user.home + "/huddle/profiles/\(name).json" }

        private func tokenFile(_ text: String, mode: UInt32 = 0o600) throws -> String {
            let path = folder.path + "/token-\(Clock.monotonicNanoseconds())"
            try Files.write(Array(text.utf8), to: path, mode: mode)
            return path
        }

        /// The member that a program is signed in as: the author of what it says.
        private func author(_ words: [String], _ more: [String] = []) throws -> String? {
            let text = "Who am I? \(Clock.monotonicNanoseconds())"
            let said = try Programs.run(Programs.path("huddle"), ["say", text] + words, environment: user.environment + more)
            guard said.ending == .exited(0) else { return nil }
            let parent = HuddleProgram(server, token: demo.parents[1].token)
            return try parent.run("messages", text, "--json").lines().first?["created_by"]?.string
        }

        @Test("sign-in keeps a token from standard input under a name, 0600 in a folder of 0700; --profile outranks the environment")
        func named() throws {
            let (elena, carmen) = (try elena, try carmen)
            let signed = try user.run(["sign-in", "--profile", "elena", "--token-file", "-"], input: elena.token + "\n")
            #expect(signed.ending == .exited(0) && signed.errors.isEmpty, "\(signed.errors)")
            #expect(signed.output.contains("huddle --profile elena") && !signed.output.contains(elena.token))
            #expect(try Files.status(path("elena"))?.mode == 0o600)
            for folder in ["/huddle", "/huddle/profiles"] { #expect(try Files.status(user.home + folder)?.mode == 0o700) }
            #expect(try user.run("sign-in", "--profile=carmen", "--token-file", tokenFile(carmen.token), "--json").json().keys == ["profile", "server", "family"])
            let elsewhere = ["HUDDLE_TOKEN=\(carmen.token)", "HUDDLE_SERVER=ws://127.0.0.1:1", "HUDDLE_PROFILE=carmen"]
            #expect(try author(["--profile", "elena"], elsewhere) == "\(elena.id)")
            #expect(try author([], ["HUDDLE_PROFILE=elena"]) == "\(elena.id)")
            #expect(try author([], ["HUDDLE_PROFILE=elena", "HUDDLE_TOKEN=\(carmen.token)"]) == "\(carmen.id)")
            #expect(try author(["--profile", "elena", "--token-file", tokenFile(" \(carmen.token)\r\n")]) == "\(carmen.id)")
            // The profile without a name is another one.
            #expect(try author([]) == nil)
            let first = try user.run(["sign-in", "--token-file", "-"], input: carmen.token)
            #expect(first.ending == .exited(0) && first.output.contains("Run: huddle\n"), "\(first.errors)")
            #expect(try author([]) == "\(carmen.id)" && (try author(["--profile", "default"], ["HUDDLE_PROFILE=elena"])) == "\(carmen.id)")
            #expect(try user.run("complete", "--", "--profile", "e").output == "elena\n")
        }

        @Test("a profile that holds another sign-in is replaced only on demand, or by the same origin; the old one is kept beside it")
        func replaced() throws {
            let (elena, carmen) = (try elena, try carmen)
            func signIn(_ member: Demo.Member, _ words: String...) throws -> Programs.Answer {
                try user.run(["sign-in", "--profile", "one", "--token-file", "-"] + words, input: member.token)
            }
            #expect(try signIn(elena, "--origin", "here").ending == .exited(0))
            let kept = try Files.read(path("one"))
            for words in [[], ["--origin", "there"]] {
                let refused = try user.run(["sign-in", "--profile", "one", "--token-file", "-"] + words, input: carmen.token)
                #expect(refused.ending == .exited(1) && refused.errors.contains("The profile one holds another sign-in"), "\(refused.errors)")
            }
            #expect(try Files.read(path("one")) == kept)
            // The same token is not another sign-in.
            #expect(try signIn(elena).ending == .exited(0))
            #expect(try Files.read(path("one")) == kept)
            #expect(try signIn(carmen, "--origin", "here").ending == .exited(0))
            #expect(try author(["--profile", "one"]) == "\(carmen.id)")
            #expect(String(decoding: try Files.read(user.home + "/huddle/profiles/one.before.json"), as: UTF8.self).contains(elena.token))
            #expect(try signIn(elena, "--replace").output.contains("one.before.json"))
            #expect(try author(["--profile", "one"]) == "\(elena.id)")
            // Nobody mistakes it for a profile.
            #expect(try user.run("complete", "--", "--profile", "").output == "one\n")
        }

        @Test("a token that the server does not know, or a server that does not answer, leaves no profile")
        func unknown() throws {
            let refused = try user.run(["sign-in", "--profile", "x", "--token-file", "-"], input: String(repeating: "x", count: 43))
            #expect(refused.ending == .exited(3), "\(refused.errors)")
            let offline = try user.run(
                ["sign-in", "--profile", "x", "--token-file", "-", "--server", "ws://127.0.0.1:1", "--timeout", "1"], input: demo.parents[0].token)
            #expect(offline.ending == .exited(5) && offline.errors.contains("Nothing was kept."), "\(offline.errors)")
            #expect(!Files.exists(path("x")))
        }

        @Test("2: names and token files that cannot be used are refused with what to do", arguments: [
            (["events", "--profile", "../x"], "cannot name a profile"), (["events", "--profile", "Elena"], "lower-case"), (["events", "--profile", ""], "cannot name"),
            (["events", "--profile", "-x"], "cannot name"), (["events", "--profile", String(repeating: "a", count: 33)], "at most 32"),
            (["events", "--profile", "nobody"], "huddle sign-in --token-file FILE --server ws://HOST:PORT --profile nobody"),
            (["events", "--token", "x", "--token-file", "y"], "Leave one of them out"), (["events", "--token", ""], "is empty"), (["events", "--token", "a b"], "is not a sign-in token"),
            (["events", "--token-file", "/nowhere"], "cannot be read"), (["events", "--token-file", "/etc"], "cannot be read"), (["events", "--token-file", "/dev/null"], "is empty"),
            (["events", "--token-file", "/etc/passwd"], "alone, on one line"), (["events", "--token-file", "-"], "Standard input is empty"),
            (["batch", "--token-file", "-"], "Give --token-file a file"), (["--token-file", "-"], "Give --token-file a file"), (["sign-in"], "sign-in needs a token"),
            (["events", "--token-file", "/dev/fd/99"], "cannot be read"),
        ])
        func refusals(words: [String], hint: String) throws {
            let answer = try user.run(words)
            #expect(answer.ending == .exited(2) && answer.output.isEmpty && answer.errors.contains(hint), "\(answer.errors)")
        }

        @Test("HUDDLE_PROFILE is checked as --profile is")
        func environmentName() throws {
            let answer = try Programs.run(Programs.path("huddle"), ["events"], environment: user.environment + ["HUDDLE_PROFILE=../x"])
            #expect(answer.ending == .exited(2) && answer.errors.contains("cannot name a profile"), "\(answer.errors)")
        }

        @Test("a token file that others can read works and is warned about; one of a pipe works, and the pipe is closed")
        func files() throws {
            let open = try user.run("members", "--token-file", tokenFile(demo.parents[0].token, mode: 0o644))
            #expect(open.ending == .exited(0) && open.errors.contains("chmod 600"), "\(open.errors)")
            let mine = try user.run("members", "--token-file", tokenFile(demo.parents[0].token))
            #expect(mine.ending == .exited(0) && mine.errors.isEmpty, "\(mine.errors)")
            let piped = try Programs.run(
                "/bin/bash", ["-c", "\(try Programs.path("huddle")) members --token-file <(cat \(try tokenFile(demo.parents[0].token)))"], environment: user.environment)
            #expect(piped.ending == .exited(0) && piped.errors.isEmpty && piped.output == mine.output, "\(piped.errors)")
        }

        @Test("--token is warned about, and no process has the token in its command line while the command runs", arguments: [["--token", "TOKEN"], ["--token=TOKEN"]])
        func hidden(option: [String]) throws {
            let token = try elena.token
            let watch = try ChildProcess.start(
                [Programs.path("huddle"), "watch", "--json"] + option.map { $0.replacing("TOKEN", with: token) }, environment: user.environment, input: .nothing,
                output: .piped, errors: .piped)
            let warning = try #require(try watch.readErrorLine(timeoutMilliseconds: 15_000))
            #expect(warning.contains("Other users of this machine can see a token after --token") && warning.contains("--token-file"), "\(warning)")
            // It speaks to the server, so that it has long begun.
            let parent = HuddleProgram(server, token: demo.parents[0].token)
            var line: String?
            while line == nil {
                #expect(try parent.run("say", "Hello").ending == .exited(0))
                line = try? watch.readLine(timeoutMilliseconds: 500)
            }
            let words = CommandLines.of(watch.pid)
            #expect(words.contains(" watch --json --token-file") && words.contains("/dev/fd/"), "\(words)")
            let isSeen = try CommandLines.all().contains { $0.contains(token) }
            #expect(!isSeen)
            #expect(String(decoding: try Files.read("/proc/\(watch.pid)/comm"), as: UTF8.self) == "huddle\n")
            // The descriptor that the token came through is closed, for the programs that this one starts.
            let left = try Files.list("/proc/\(watch.pid)/fd").compactMap { Int32($0) }.filter { $0 > 2 }.compactMap { Files.resolved("/proc/\(watch.pid)/fd/\($0)") ?? "" }
            #expect(left.allSatisfy { !$0.contains("pipe") }, "\(left)")
            watch.kill(Signals.terminate)
            #expect(try watch.wait(timeoutMilliseconds: 10_000) == .exited(0))
        }

        @Test("completion finds the names of a token's member, and has the token in no command line")
        func completes() throws {
            let token = demo.parents[0].token
            let visit = try HuddleProgram(server, token: token).run([], input: "/quit\n")
            #expect(visit.ending == .exited(0))
            #expect(try user.run(["--token-file", tokenFile(token)], input: "/quit\n").ending == .exited(0))
            for option in [["--token", token], ["--token-file", try tokenFile(token, mode: 0o644)]] {
                let offered = try user.run(["complete", "--"] + option + ["attend", "Ashgrove c"])
                #expect(offered.output.hasPrefix("Ashgrove campus walk") && offered.errors.isEmpty, "\(offered.output)\(offered.errors)")
            }
        }

        @Test("on a terminal where nobody is signed in, --token is kept in the profile; another sign-in is not replaced")
        func kept() throws {
            let (elena, carmen) = (try elena, try carmen)
            let terminal = try user.open("--token", elena.token)
            try FullScreenTests.expect(terminal, "viewing everyone's season")
            #expect(!CommandLines.of(terminal.pid).contains(elena.token))
            try terminal.type("/quit\r")
            #expect(try terminal.waitForEnd() == .exited(0))
            #expect(try author([]) == "\(elena.id)")
            let kept = try Files.read(user.profile)
            let other = try user.open("--token", carmen.token)
            try FullScreenTests.expect(other, "viewing everyone's season")
            try other.type("/quit\r")
            #expect(try other.waitForEnd() == .exited(0))
            #expect(try Files.read(user.profile) == kept)
        }

        @Test("on a terminal, sign-in asks for the token and keeps it under the name")
        func asked() throws {
            let carmen = try carmen
            let terminal = try user.open("sign-in", "--profile", "carmen")
            try FullScreenTests.expect(terminal, "Nobody is signed in with the profile carmen yet.")
            try FullScreenTests.expect(terminal, "Server [\(server.url)]:")
            try terminal.type("\r")
            try FullScreenTests.expect(terminal, "sign-in token:")
            try terminal.type(carmen.token + "\r")
            try FullScreenTests.expect(terminal, "Signed in.")
            #expect(try terminal.waitForEnd() == .exited(0))
            #expect(!terminal.screen.text.replacing("\n", with: "").contains(carmen.token))
            #expect(try author(["--profile", "carmen"]) == "\(carmen.id)")
            #expect(try author([]) == nil)
        }
    }
}

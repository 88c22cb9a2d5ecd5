import Glibc
import Posix
import PseudoTerminal
import TestSupport
import Testing

extension SystemTests {
    /// `deploy/quickstart.sh` with the programs as they were built for the tests.
    @Suite("The quickstart on a terminal") struct QuickstartTests {
        /// A clone after its build, and a user with a home in it.
        private struct Clone {
            let folder: TemporaryFolder
            let listen: String
            var root: String { folder.path }
            /// The words of each `huddle` that was started, a line each.
            var started: String { String(decoding: (try? Files.read(root + "/started")) ?? [], as: UTF8.self) }
            var profiles: String { root + "/home/.config/huddle/profiles" }

            init() throws {
                folder = try TemporaryFolder()
                let root = folder.path
                // As after a build: programs, a stamp, and sources that are older.
                try Files.makeFolders(root + "/Sources")
                try Files.write([], to: root + "/Package.swift")
                try Files.makeFolders(root + "/.build/release")
                try Files.makeFolders(root + "/deploy")
                for name in ["quickstart.sh", "lib.sh"] { try Files.write(try Files.read(Programs.root + "/deploy/" + name), to: root + "/deploy/" + name, mode: 0o755) }
                #expect(symlink(try Programs.path("huddled"), root + "/.build/release/huddled") == 0)
                let recorder = "#!/bin/bash\nprintf '%s\\n' \"$*\" >>'\(root)/started'\nexec '\(try Programs.path("huddle"))' \"$@\"\n"
                try Files.write(Array(recorder.utf8), to: root + "/.build/release/huddle", mode: 0o755)
                try Files.write([], to: root + "/.build/quickstart.built")
                listen = try Self.freeAddress(folder.path + "/other")
            }

            /// An address that was free a moment ago.
            static func freeAddress(_ data: String) throws -> String {
                let other = try RunningServer(data)
                defer { try? other.kill() }
                return "127.0.0.1:\(other.port)"
            }

            func start(_ more: [String: String] = [:]) throws -> PseudoTerminal {
                try PseudoTerminal(
                    ["/usr/bin/env", "bash", root + "/deploy/quickstart.sh"], columns: 120, rows: 40,
                    environment: ["HOME": root + "/home", "HUDDLE_LISTEN": listen, "LC_ALL": "C.UTF-8"].merging(more) { _, new in new })
            }

            func server(_ data: String = "data") throws -> Int32 {
                let words = String(decoding: try Files.read(root + "/\(data)/huddled.pid"), as: UTF8.self).split(separator: " ")
                return try #require(words.first.flatMap { Int32($0) })
            }

            /// Kills the server, and waits until nobody listens at its address any more: a killed process is not gone immediately.
            func killServer(_ pid: Int32) throws {
                kill(pid, SIGKILL)
                let address = try #require(SocketAddress.split(listen))
                let deadline = Clock.monotonicMilliseconds() + 10_000
                while Clock.monotonicMilliseconds() < deadline {
                    do throws(Errno) { _ = try Socket.connectTCP(host: address.host, port: address.port) } catch { return }
                    var none: [Poll.Item] = []
                    _ = try Poll.wait(&none, timeoutMilliseconds: 5)
                }
                throw Unexpected("the killed server still listens")
            }

            func tokens(_ data: String = "data") throws -> [String] {
                let json = try JSONValue(String(decoding: try Files.read(root + "/\(data)/demo.json"), as: UTF8.self))
                return try #require(json["members"]).elements.map { try #require($0["token"]?.string) }
            }

            func profile(_ name: String) throws -> JSONValue { try JSONValue(String(decoding: try Files.read("\(profiles)/\(name).json"), as: UTF8.self)) }

            /// Runs a printed line in another terminal of the same user, with these variables.
            func huddle(_ words: [String], _ variables: [String] = []) throws -> Programs.Answer {
                try Programs.run(Programs.path("huddle"), words, environment: ["HOME=\(root)/home", "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"] + variables)
            }
        }

        @Test("prints a line for each member and waits until it was seen; the server outlives the client, and a dead one is started again")
        func onTerminal() throws {
            let clone = try Clone()
            let terminal = try clone.start()
            try FullScreenTests.expect(terminal, "Ctrl-D does not:")
            for name in ["Carmen Rivera (parent)", "Elena Rivera (athlete)", "To stop it: kill "] { #expect(terminal.screen.text.contains(name), "\(terminal.screen.text)") }
            let first = try clone.server()
            defer { kill(first, SIGKILL) }
            try terminal.type("\r")
            try FullScreenTests.expect(terminal, "? for keys")
            try terminal.type("/quit\r")
            #expect(try terminal.waitForEnd() == .exited(0))
            #expect(kill(first, 0) == 0, "the server runs on")
            func documents() throws -> Int { try clone.huddle(["docs", "--profile", "carmen", "--json"]).lines().count }
            #expect(try documents() == 1, "the page of documents is not empty")

            try clone.killServer(first)
            let again = try clone.start()
            try FullScreenTests.expect(again, "Ctrl-D does not:")
            let second = try clone.server()
            defer { kill(second, SIGKILL) }
            #expect(second != first)
            try again.type("\u{4}")
            #expect(try again.waitForEnd() == .exited(0))
            #expect(try documents() == 1)
        }

        @Test("the sign-ins are in profiles of the user alone: no process has a token in its command line, and the screen shows none")
        func profiles() throws {
            let clone = try Clone()
            let terminal = try clone.start()
            try FullScreenTests.expect(terminal, "Ctrl-D does not:")
            let server = try clone.server()
            defer { kill(server, SIGKILL) }
            let tokens = try clone.tokens()
            #expect(tokens.count == 4)
            let text = terminal.screen.text
            try terminal.type("\r")
            try FullScreenTests.expect(terminal, "? for keys")
            let lines = try CommandLines.all()
            #expect(lines.contains { $0.contains("/huddle --") }, "the client runs")
            let seen = String(decoding: terminal.written, as: UTF8.self) + clone.started + lines.joined()
            for token in tokens {
                // The texts would be printed otherwise.
                let isSeen = seen.contains(token)
                #expect(!isSeen)
            }

            let names = ["carmen", "david", "elena", "mateo"]
            for name in names {
                #expect(text.contains("huddle --profile \(name)\n"), "\(text)")
                #expect(try Files.status("\(clone.profiles)/\(name).json")?.mode == 0o600)
            }
            #expect(try Files.list(clone.profiles) == names.map { $0 + ".json" })
            #expect(try Files.status(clone.profiles)?.mode == 0o700)
            // The printed line, where the shell has other settings already.
            let said = try clone.huddle(["say", "Hello from Elena", "--profile", "elena"], ["HUDDLE_TOKEN=\(tokens[0])", "HUDDLE_SERVER=ws://127.0.0.1:1"])
            #expect(said.ending == .exited(0), "\(said.errors)")
            let members = try clone.huddle(["members", "Elena", "--profile", "carmen", "--json"]).lines()
            let messages = try clone.huddle(["messages", "Hello from Elena", "--profile", "carmen", "--json"]).lines()
            #expect(messages.count == 1 && messages.first?["created_by"] == members.first?["id"])
        }

        @Test("without a terminal it serves in the foreground and prints the same lines; if no profile can be kept, it reports that and serves anyway")
        func withoutTerminal() throws {
            for home in ["home", "home/.config/huddle/profiles/elena.json"] {
                let clone = try Clone()
                if home != "home" {
                    // A file where the folder should be.
                    try Files.makeFolders(clone.profiles)
                    try Files.write([], to: clone.root + "/" + home)
                }
                let script = try ChildProcess.start(
                    ["/usr/bin/env", "bash", clone.root + "/deploy/quickstart.sh"],
                    environment: ["HOME=\(clone.root)/\(home)", "PATH=/usr/bin:/bin", "HUDDLE_LISTEN=\(clone.listen)", "LC_ALL=C.UTF-8"], errors: .nothing)
                defer { script.kill() }
                var lines: [String] = []
                while !(lines.last?.contains(home == "home" ? "huddle --profile mateo" : "Mateo Rivera (athlete): not signed in; the token is in") ?? false) {
                    lines.append(try #require(try script.readLine(timeoutMilliseconds: 30_000)))
                }
                #expect(lines.contains { $0.contains("start a client with one of these lines") })
                for token in try clone.tokens() {
                    let isSeen = lines.joined().contains(token) || clone.started.contains(token)
                    #expect(!isSeen)
                }
                script.kill(Signals.terminate)
                #expect(try script.wait(timeoutMilliseconds: 20_000) == .exited(0))
            }
        }

        @Test("a second data folder gets profiles of its own; a family that is made again in the same folder gets its names back")
        func folders() throws {
            let clone = try Clone()
            func run(_ more: [String: String] = [:]) throws -> String {
                let terminal = try clone.start(more)
                try FullScreenTests.expect(terminal, "Ctrl-D does not:")
                try terminal.type("\u{4}")
                #expect(try terminal.waitForEnd() == .exited(0))
                return terminal.screen.text
            }
            _ = try run()
            let first = try clone.server()
            defer { kill(first, SIGKILL) }
            let elena = try clone.profile("elena")
            let listen = try Clone.freeAddress(clone.root + "/third")
            let text = try run(["HUDDLE_DATA": clone.root + "/second", "HUDDLE_LISTEN": listen])
            let second = try clone.server("second")
            defer { kill(second, SIGKILL) }
            #expect(text.contains("The profile elena holds another sign-in and stays as it is: Elena Rivera is elena-2 here."), "\(text)")
            #expect(text.contains("huddle --profile elena-2\n"), "\(text)")
            #expect(try clone.profile("elena") == elena && clone.profile("elena-2")["server"]?.string == "ws://\(listen)")
            for name in ["elena", "elena-2"] { #expect(try clone.huddle(["members", "--profile", name]).ending == .exited(0)) }

            try clone.killServer(first)
            try Files.removeTree(clone.root + "/data")
            #expect(try run().contains("huddle --profile elena\n"))
            let third = try clone.server()
            defer { kill(third, SIGKILL) }
            #expect(try clone.profile("elena")["token"] != elena["token"])
            #expect(try clone.huddle(["members", "--profile", "elena"]).ending == .exited(0))
        }
    }
}

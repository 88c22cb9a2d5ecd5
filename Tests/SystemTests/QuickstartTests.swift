import Glibc
import Posix
import PseudoTerminal
import Testing

extension SystemTests {
    /// `deploy/quickstart.sh` with the programs as they were built for the tests.
    @Suite("The quickstart on a terminal") struct QuickstartTests {
        @Test("prints a line for each member and waits until it was seen; the server outlives the client, and a dead one is started again")
        func onTerminal() throws {
            let folder = try TemporaryFolder()
            let root = folder.path
            // As after a build: programs, a stamp, and sources that are older.
            try Files.makeFolders(root + "/Sources")
            try Files.write([], to: root + "/Package.swift")
            try Files.makeFolders(root + "/.build/release")
            try Files.makeFolders(root + "/deploy")
            for name in ["quickstart.sh", "lib.sh"] { try Files.write(try Files.read(Programs.root + "/deploy/" + name), to: root + "/deploy/" + name, mode: 0o755) }
            for name in ["huddle", "huddled"] { #expect(symlink(try Programs.path(name), root + "/.build/release/" + name) == 0) }
            try Files.write([], to: root + "/.build/quickstart.built")
            // A port that was free a moment ago.
            let other = try RunningServer(folder.path + "/other")
            let listen = "127.0.0.1:\(other.port)"
            try other.kill()

            func start() throws -> PseudoTerminal {
                try PseudoTerminal(
                    ["/usr/bin/env", "bash", root + "/deploy/quickstart.sh"], columns: 120, rows: 40,
                    environment: ["HOME": root + "/home", "HUDDLE_LISTEN": listen, "LC_ALL": "C.UTF-8"])
            }
            func server() throws -> Int32 {
                let words = String(decoding: try Files.read(root + "/data/huddled.pid"), as: UTF8.self).split(separator: " ")
                return try #require(words.first.flatMap { Int32($0) })
            }
            let terminal = try start()
            try FullScreenTests.expect(terminal, "Ctrl-D does not:")
            for name in ["Carmen Rivera (parent)", "Elena Rivera (athlete)", "To stop it: kill "] { #expect(terminal.screen.text.contains(name), "\(terminal.screen.text)") }
            let first = try server()
            defer { kill(first, SIGKILL) }
            try terminal.type("\r")
            try FullScreenTests.expect(terminal, "? shows the keys")
            try terminal.type("/quit\r")
            #expect(try terminal.waitForEnd() == .exited(0))
            #expect(kill(first, 0) == 0, "the server runs on")

            kill(first, SIGKILL)
            let again = try start()
            try FullScreenTests.expect(again, "Ctrl-D does not:")
            let second = try server()
            defer { kill(second, SIGKILL) }
            #expect(second != first)
            try again.type("\u{4}")
            #expect(try again.waitForEnd() == .exited(0))
        }
    }
}

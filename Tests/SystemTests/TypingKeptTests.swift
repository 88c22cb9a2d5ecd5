import Glibc
import Posix
import PseudoTerminal
import SQLite
import TestSupport
import Testing

@Suite("Typed text outlasts the program", .serialized, .lane(.terminals))
struct TypingKeptTests {
    private func waitForKept(_ text: String, _ program: HuddleProgram) throws {
        try Self.waitForKept(text, of: "room", in: program.home + "/.local/state/huddle")
    }

    /// Waits until a text is in the cache of the only member that uses a state folder.
    static func waitForKept(_ text: String, of name: String, in state: String) throws {
        let server = try #require(try Files.list(state).first { $0.hasPrefix("ws") })
        let member = try #require(try Files.list(state + "/" + server).first { $0 != "seats" })
        let database = try Database(path: "\(state)/\(server)/\(member)/cache.sqlite", mode: .readOnly, busyMilliseconds: 1_000)
        let end = Clock.monotonicMilliseconds() + 10_000
        while Clock.monotonicMilliseconds() < end {
            let kept = try database.prepare("SELECT text FROM conversation WHERE name = '\(name)'").first { $0.text(0) }
            if name == "room" ? kept == text : kept?.contains(text) == true { return }
            var none: [Poll.Item] = []
            _ = try Poll.wait(&none, timeoutMilliseconds: 5)
        }
        Issue.record("'\(text)' is not kept")
    }

    @Test("A half-typed message and a form are there again after a kill -9, a terminal that went away and an end in good order", arguments: [
        SIGKILL, SIGHUP, SIGTERM,
    ])
    func kept(signal: Int32) throws {
        let (_, demo, server) = try Demo.served()
        let program = HuddleProgram(server, token: demo.parents[0].token)
        var terminal = try program.open()
        try FullScreenTests.expect(terminal, "? for keys")
        try terminal.type("said before\r")
        try FullScreenTests.expect(terminal, "│ said before")
        // Of whose season an event is has to be known: Elena's.
        try terminal.type("\u{F}2")
        try FullScreenTests.expect(terminal, "viewing \(demo.athletes[0].name)'s season")
        try terminal.type("\u{1B}2n")
        try FullScreenTests.expect(terminal, "Add New Event")
        try terminal.type("\tWinter Łódź Cup")
        try FullScreenTests.expect(terminal, "Winter Łódź Cup")
        try terminal.type("\u{1B}1")
        try FullScreenTests.expect(terminal, "│ said before")
        try terminal.type("not sent yet @Da")
        try FullScreenTests.expect(terminal, "> not sent yet @Da")
        try waitForKept("not sent yet @Da", program)
        terminal.signal(signal)
        _ = try terminal.waitForEnd()

        terminal = try program.open()
        try FullScreenTests.expect(terminal, "> not sent yet @Da")
        try FullScreenTests.expect(terminal, "Restored your unsent message")
        try FullScreenTests.expect(terminal, "Restored an unsaved form: Alt-6.")
        // Nothing of it was sent.
        #expect(!terminal.screen.text.contains("│ not sent yet"))
        try terminal.type("\u{1B}6")
        try FullScreenTests.expect(terminal, "Winter Łódź Cup")
        try terminal.type("\u{1B}1")
        try FullScreenTests.expect(terminal, "> not sent yet @Da")
        // Sent, it is gone from what is kept; and the lines of the run before are in the history.
        try terminal.type("\u{15}all sent\r")
        try FullScreenTests.expect(terminal, "│ all sent")
        try terminal.type("\u{1B}[A\u{1B}[A")
        try FullScreenTests.expect(terminal, "> said before")
        try terminal.type("\u{15}\u{1B}6\u{1B}")
        try FullScreenTests.expect(terminal, "Discard changes?")
        try terminal.type("y")
        try FullScreenTests.expect(terminal, "│ all sent")
        try terminal.type("\u{1B}1/quit\r")
        let ending = try terminal.waitForEnd()
        #expect(ending == .exited(0))

        terminal = try program.open()
        try FullScreenTests.expect(terminal, "? for keys")
        try FullScreenTests.expect(terminal, "you're the only one here")
        #expect(!terminal.screen.text.contains("not sent yet") && !terminal.screen.text.contains("Restored"))
        terminal.signal(SIGKILL)
        _ = try terminal.waitForEnd()
    }

    /// The folder of what the only member keeps.
    private static func folder(_ program: HuddleProgram) throws -> String {
        let state = program.home + "/.local/state/huddle"
        let server = try #require(try Files.list(state).first { $0.hasPrefix("ws") })
        let member = try #require(try Files.list(state + "/" + server).first { $0 != "seats" })
        return "\(state)/\(server)/\(member)"
    }

    @Test("Forms that cannot be opened again are kept, and text about a deleted record is reported with its file")
    func unrestored() throws {
        let folder = try TemporaryFolder()
        let demo = try Demo(in: folder.path + "/data")
        let server = try RunningServer(folder.path + "/data")
        let program = HuddleProgram(server, token: demo.parents[0].token)
        var terminal = try program.open()
        try FullScreenTests.expect(terminal, "you're the only one here")
        terminal.signal(SIGTERM)
        _ = try terminal.waitForEnd()
        let kept = try Self.folder(program)
        do {
            let database = try Database(path: kept + "/cache.sqlite", mode: .readWrite, busyMilliseconds: 1_000)
            for number in 1...10 {
                try database.run(
                    "INSERT INTO conversation VALUES (?, ?, '')", .text("form \(number)"),
                    .text(#"{"add":"school","asks":false,"version":0,"rows":[{"part":0,"field":"name","typed":"School \#(number)"}]}"#))
            }
            try database.run(
                "INSERT INTO conversation VALUES ('form 0', ?, '')",
                .text(#"{"edit":"01930000-0000-7000-8000-00000000ffff","version":3,"rows":[{"part":0,"field":"description","typed":"A long thought"}]}"#))
        }
        for word in ["x", "xy"] {
            terminal = try program.open()
            try FullScreenTests.expect(terminal, "2 more forms that were not saved are kept")
            // Kept again, with the form that is open now.
            try terminal.type(word == "x" ? "x" : "y")
            try waitForKept(word, program)
            terminal.signal(SIGKILL)
            _ = try terminal.waitForEnd()
            let database = try Database(path: kept + "/cache.sqlite", mode: .readWrite, busyMilliseconds: 1_000)
            let count = try database.prepare("SELECT count(*) || ' ' || count(DISTINCT text) FROM conversation WHERE name LIKE 'form %' AND text LIKE '%School %'").first { $0.text(0) }
            #expect(count == "10 10")
        }
        #expect(String(decoding: try Files.read(kept + "/typed-1.txt"), as: UTF8.self) == "description: A long thought\n")
        #expect(!Files.exists(kept + "/typed-2.txt"), "told once")
    }

    @Test("A text from the editor is kept before anything else happens, and a text that is not taken stays as a file", arguments: [
        ("printf 'from the editor' > \"$1\"", "> from the editor", "", 0),
        ("printf 'half a thought' > \"$1\"; kill -9 $$", "The editor ended with an error", "half a thought", 1),
        ("head -c 20000 /dev/zero | tr '\\0' a > \"$1\"", "Only the first 16384 characters have room", "a", 20_000),
        ("head -c 1100000 /dev/zero | tr '\\0' a > \"$1\"", "The editor ended with an error", "a", 1_100_000),
    ])
    func edited(script: String, sentence: String, file: String, times: Int) throws {
        let folder = try TemporaryFolder()
        let demo = try Demo(in: folder.path + "/data")
        let server = try RunningServer(folder.path + "/data")
        let program = HuddleProgram(server, token: demo.parents[0].token)
        try Files.write(Array("#!/bin/sh\n\(script)\n".utf8), to: folder.path + "/editor", mode: 0o700)
        var terminal = try program.open(variables: ["VISUAL": folder.path + "/editor"])
        try FullScreenTests.expect(terminal, "you're the only one here")
        try terminal.type("before\u{18}\u{5}")
        try FullScreenTests.expect(terminal, sentence)
        terminal.signal(SIGKILL)
        _ = try terminal.waitForEnd()
        let path = try Self.folder(program) + "/typed-1.txt"
        guard file.isEmpty else {
            let isWhole = try Files.read(path) == Array(String(repeating: file, count: times).utf8)
            #expect(isWhole)
            return
        }
        #expect(!Files.exists(path))
        terminal = try program.open()
        try FullScreenTests.expect(terminal, sentence)
        terminal.signal(SIGKILL)
        _ = try terminal.waitForEnd()
    }
}

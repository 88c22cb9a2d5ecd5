import Glibc
import Posix
import PseudoTerminal
import Terminal
import TestSupport
import Testing

@Suite("Whatever happens to the terminal, it is whole afterwards", .serialized, .lane(.terminals))
struct BadTerminalTests {
    private struct TerminalSession {
        let folder: TemporaryFolder
        let server: RunningServer
        let program: HuddleProgram

        init() throws {
            folder = try TemporaryFolder()
            let demo = try Demo(in: folder.path + "/data")
            server = try RunningServer(folder.path + "/data")
            program = HuddleProgram(server, token: demo.parents[0].token)
        }
    }

    private func expectWhole(_ terminal: PseudoTerminal, _ place: SourceLocation = #_sourceLocation) {
        #expect(terminal.isCooked && !terminal.screen.isOtherScreen && terminal.screen.modes == [25, 7], sourceLocation: place)
    }

    @Test("The program itself crashes or gets a signal to end: the screen, the keys and the mouse are the shell's again", arguments: [
        SIGSEGV, SIGABRT, SIGBUS, SIGQUIT, SIGINT, SIGHUP, SIGTERM,
    ])
    func crashes(signal: Int32) throws {
        let seat = try TerminalSession()
        let terminal = try seat.program.open()
        try FullScreenTests.expect(terminal, "? for keys")
        #expect(!terminal.isCooked && terminal.screen.isOtherScreen)
        terminal.signal(signal)
        let ending = try terminal.waitForEnd()
        #expect(ending == ([SIGSEGV, SIGABRT, SIGBUS].contains(signal) ? .killed(signal: signal) : .exited(0)))
        expectWhole(terminal)
    }

    @Test("The terminal vanishes, also for one that is deaf to hanging up: the program ends by itself, and keeps what was typed", arguments: [false, true])
    func vanishes(isDeaf: Bool) throws {
        let seat = try TerminalSession()
        let huddle = try Programs.path("huddle")
        let terminal = try seat.program.open(command: isDeaf ? ["/bin/sh", "-c", "trap '' HUP; exec \"$0\"", huddle] : [huddle])
        try FullScreenTests.expect(terminal, "? for keys")
        try terminal.type("half a thought")
        try FullScreenTests.expect(terminal, "> half a thought")
        try terminal.vanish()
        let ending = try terminal.waitForEnd(milliseconds: 5_000)
        #expect(ending == .exited(0))
        let again = try seat.program.open()
        try FullScreenTests.expect(again, "> half a thought")
    }

    @Test("Random octets as keys: it lives, answers the next key, and ends in good order; seeded")
    func garbage() throws {
        let seat = try TerminalSession()
        let seed = SplitMix64.freshSeed()
        var random = SplitMix64(seed: seed)
        // The chord that leaves is left out, as a person can, and the editor changes nothing.
        try Files.makeFolders(seat.program.home + "/huddle", mode: 0o700)
        try Files.write(Array("unbind ctrl-x ctrl-c\n".utf8), to: seat.program.home + "/huddle/config")
        let terminal = try seat.program.open(variables: ["VISUAL": "true", "SEED": "\(seed)"])
        try FullScreenTests.expect(terminal, "? for keys")
        // HUDDLE_GARBAGE=1048576 takes a release build most of a minute, and one for debugging many.
        var left = Environment.value("HUDDLE_GARBAGE").flatMap { Int($0) } ?? 32_768
        while left > 0 {
            // Ctrl-D on an empty line ends the program and Ctrl-Z stops it, as they should. Enter is made rare: everything said is a change.
            let octets = (0..<min(left, 512)).map { _ -> UInt8 in
                let octet = UInt8.random(in: 0...255, using: &random)
                return [0x04, 0x1A].contains(octet) || octet == 0x0D && Int.random(in: 0..<20, using: &random) > 0 ? 0x1B : octet
            }
            left -= octets.count
            try terminal.type(octets: octets)
            _ = try terminal.wait(milliseconds: 0) { _ in false }
        }
        // Out of whatever it has come to: a paste, a menu, a dialog, a search, a form; then to the room and a line of one's own.
        try terminal.type("\u{1B}[201~")
        for _ in 0..<4 {
            _ = try terminal.wait(milliseconds: 100) { _ in false }
            try terminal.type("\u{1B}")
        }
        // A build for debugging takes its time with what was typed into the line of the room: it may be behind.
        var isThere = false
        for _ in 0..<60 where !isThere {
            try terminal.type("\u{1B}1")
            _ = try terminal.wait(milliseconds: 100) { _ in false }
            try terminal.type("\u{3}\u{15}still here")
            isThere = try terminal.wait(milliseconds: 2_000) { $0.text.contains("> still here") }
        }
        #expect(isThere, "seed \(seed)\n\(terminal.screen.text)")
        #expect(terminal.screen.unknown.isEmpty, "seed \(seed): \(terminal.screen.unknown)")
        terminal.signal(SIGTERM)
        let ending = try terminal.waitForEnd()
        #expect(ending == .exited(0), "seed \(seed)")
        expectWhole(terminal)
    }

    @Test("A storm of sizes, down to 20 by 5 and beyond, in every view: it draws what fits and comes back")
    func sizes() throws {
        let seat = try TerminalSession()
        let terminal = try seat.program.open()
        try FullScreenTests.expect(terminal, "? for keys")
        for view in ["\u{1B}2", "\u{1B}3", "\u{1B}4", "\u{1B}5", "\u{1B}2n", "?", "\u{1B}\u{1B}1", "\u{18}b"] {
            try terminal.type(view)
            for (columns, rows) in [(20, 5), (1, 1), (200, 60), (2, 24), (80, 2), (21, 6), (90, 24)] {
                try terminal.resize(columns: columns, rows: rows)
                _ = try terminal.wait(milliseconds: 0) { _ in false }
            }
        }
        try terminal.type("\u{1B}")
        try terminal.resize(columns: 20, rows: 5)
        try terminal.type("\u{1B}1")
        let isFitted = try terminal.wait { $0.line(4).hasPrefix(">") }
        #expect(isFitted, "\(terminal.screen.text)")
        try terminal.type("small")
        try FullScreenTests.expect(terminal, "> small")
        try terminal.resize(columns: 90, rows: 24)
        try FullScreenTests.expect(terminal, "viewing everyone's season")
        #expect(terminal.screen.unknown.isEmpty, "\(terminal.screen.unknown)")
        terminal.signal(SIGTERM)
        let ending = try terminal.waitForEnd()
        #expect(ending == .exited(0))
        expectWhole(terminal)
    }

    @Test("An editor that fails, is not there or is killed leaves the text as it was", arguments: ["false", "/no/such/editor", "sh -c 'kill -9 $$'"])
    func editors(editor: String) throws {
        let seat = try TerminalSession()
        let terminal = try seat.program.open(variables: ["VISUAL": editor])
        try FullScreenTests.expect(terminal, "? for keys")
        try terminal.type("a long thought\u{18}\u{5}")
        // The screen was given away and is taken back.
        let isBack = try terminal.wait { $0.isOtherScreen && $0.text.contains("> a long thought") }
        #expect(isBack, "\(terminal.screen.text)")
        try terminal.type(", kept")
        try FullScreenTests.expect(terminal, "> a long thought, kept")
        terminal.signal(SIGTERM)
        let ending = try terminal.waitForEnd()
        #expect(ending == .exited(0))
        expectWhole(terminal)
    }

    @Test("Stopped again and again, and resized while it is: it comes back drawn for the size that is", arguments: ["tmux-256color", "screen", "xterm-256color"])
    func stops(term: String) throws {
        let seat = try TerminalSession()
        let terminal = try seat.program.open(variables: ["TERM": term])
        try FullScreenTests.expect(terminal, "? for keys")
        for (columns, rows) in [(60, 15), (100, 30)] {
            try terminal.type("\u{1A}")
            let isStopped = try terminal.waitForStop()
            #expect(isStopped)
            expectWhole(terminal)
            try terminal.resize(columns: columns, rows: rows)
            terminal.signal(SIGCONT)
            let isFitted = try terminal.wait { $0.line(rows - 2).contains("ws://") && $0.line(rows - 1).hasPrefix(">") }
            #expect(isFitted, "\(terminal.screen.text)")
        }
        try terminal.type("back")
        try FullScreenTests.expect(terminal, "> back")
    }

    @Test("Where the language says nothing of UTF-8 and colours are not wanted, everything is said all the same", arguments: [
        ["LC_ALL": "C", "LANG": "C", "NO_COLOR": "1"], ["LC_ALL": "POSIX", "TERM": "vt100"], ["LC_ALL": "C", "TERM": "linux"],
    ])
    func poor(variables: [String: String]) throws {
        let seat = try TerminalSession()
        let terminal = try seat.program.open(variables: variables)
        try FullScreenTests.expect(terminal, "viewing everyone's season")
        try FullScreenTests.expect(terminal, "? for keys")
        try terminal.type("\u{1B}2")
        try FullScreenTests.expect(terminal, "Track camps, showcases, visits, and games")
        if variables["NO_COLOR"] != nil {
            #expect(terminal.screen.cells.joined().allSatisfy { $0.style.foreground == .standard && $0.style.background == .standard })
        }
        terminal.signal(SIGTERM)
        let ending = try terminal.waitForEnd()
        #expect(ending == .exited(0))
        expectWhole(terminal)
    }

    @Test("On the console of Linux: glyphs of its fonts alone, its function keys, sixteen colours, no mouse")
    func console() throws {
        let seat = try TerminalSession()
        let terminal = try seat.program.open(variables: ["TERM": "linux"])
        try FullScreenTests.expect(terminal, "? for keys")
        try terminal.type("\u{1B}[[B")
        try FullScreenTests.expect(terminal, "Track camps, showcases, visits, and games")
        try terminal.type("\u{F}")
        try FullScreenTests.expect(terminal, "Whose season?")
        // Esc alone until it was read: together with further octets it would be another key.
        try terminal.type("\u{1B}")
        let isClosed = try terminal.wait { !$0.text.contains("Whose season?") }
        #expect(isClosed)
        for (keys, words) in [("\r", "back"), ("\u{1B}3", "Trips"), ("\u{1B}4", "No documents yet"), ("?", "upload a document")] {
            try terminal.type(keys)
            try FullScreenTests.expect(terminal, words)
        }
        #expect(!terminal.screen.modes.contains(1002))
        let foreign = Set(String(decoding: terminal.written, as: UTF8.self).filter { ConsoleGlyph.text($0) != String($0) })
        #expect(foreign.isEmpty, "\(foreign)")
        #expect(!String(decoding: terminal.written, as: UTF8.self).contains("38;5;"))
        terminal.signal(SIGTERM)
        let ending = try terminal.waitForEnd()
        #expect(ending == .exited(0))
        expectWhole(terminal)
    }

    @Test("Output that leads elsewhere gets lines", arguments: ["xterm-256color", "dumb", "no-such-terminal"])
    func noTerminal(term: String) throws {
        let seat = try TerminalSession()
        let answer = try seat.program.run([], input: "through a pipe\n")
        #expect(answer.ending == .exited(0))
        #expect(answer.output.contains(": through a pipe") && !answer.output.contains("\u{1B}"))
        guard term != "xterm-256color" else { return }
        // On a terminal that can do nothing: lines too, or how to get them.
        let terminal = try seat.program.open(variables: ["TERM": term])
        try FullScreenTests.expect(terminal, term == "dumb" ? "Next:" : "--plain")
        terminal.signal(SIGTERM)
        _ = try terminal.waitForEnd()
        #expect(terminal.isCooked && !terminal.written.contains(0x1B))
    }
}

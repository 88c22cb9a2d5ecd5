import Posix
import PseudoTerminal
import TestSupport
import Testing

@Suite("The first start of huddle, on a terminal", .serialized, .lane(.terminals))
struct FirstRunTests {
    private let folder: TemporaryFolder
    private let demo: Demo
    private let server: RunningServer

    init() throws {
        (folder, demo, server) = try Demo.served()
    }

    private var profile: String { folder.path + "/config/huddle/profile.json" }

    private func open(_ words: [String] = [], columns: Int = 100) throws -> PseudoTerminal {
        try PseudoTerminal(
            [try Programs.path("huddle")] + words, columns: columns, rows: 30,
            environment: [
                "HOME": folder.path, "XDG_CONFIG_HOME": folder.path + "/config", "XDG_STATE_HOME": folder.path + "/state", "LC_ALL": "C.UTF-8",
                "SWIFT_BACKTRACE": "enable=no",
            ])
    }

    private func code() throws -> String {
        let answer = try Programs.huddled(
            "invite", "--data", folder.path + "/data", "--family", "\(demo.family)", "--name", "Rosa Rivera", "--role", "parent", "--json")
        try #require(answer.ending == .exited(0), "\(answer.errors)")
        return try #require(try answer.json()["code"]?.string)
    }

    @Test("with an invitation code: the server is asked for, mistakes are explained, the profile is kept, and the family is there")
    func invited() throws {
        let terminal = try open()
        try FullScreenTests.expect(terminal, "Server [ws://127.0.0.1:8787]:")
        try terminal.type("ftp://x\r")
        try FullScreenTests.expect(terminal, "isn't a server address. Example: ws://HOST:PORT")
        // A port on which nobody listens.
        try terminal.type("ws://127.0.0.1:1\r")
        try FullScreenTests.expect(terminal, "Is the address right")
        try terminal.type("\(server.url)\r")
        try FullScreenTests.expect(terminal, "Invitation code, or sign-in token:")
        try terminal.type("AAAA-BBBB-CCCC\r")
        try FullScreenTests.expect(terminal, "Try again, or press Enter")
        let unsigned = String(decoding: (try? Files.read(profile)) ?? [], as: UTF8.self)
        #expect(!unsigned.contains("token"))
        // Back to the server, which is offered again.
        try terminal.type("\r")
        try terminal.type("\(server.url)\r")
        try terminal.type("\(try code())\r")
        try FullScreenTests.expect(terminal, "Your name or e-mail address")
        try terminal.type("Rosalind\r")
        try FullScreenTests.expect(terminal, "another name")
        try terminal.type("rosa rivera\r")
        try FullScreenTests.expect(terminal, "viewing everyone's season")
        try terminal.type("hello from Rosa\r")
        try FullScreenTests.expect(terminal, "Rosa Rivera")
        try terminal.type("/quit\r")
        #expect(try terminal.waitForEnd() == .exited(0))
        #expect(terminal.isCooked)
        #expect(try Files.status(profile)?.mode == 0o600)
        // The next start asks nothing.
        let again = try open()
        try FullScreenTests.expect(again, "viewing everyone's season")
        #expect(!again.screen.text.contains("Invitation"))
    }

    @Test("with a sign-in token, which does not stay on the screen; a wrong one is refused", arguments: [100, 40])
    func token(columns: Int) throws {
        let terminal = try open(["--server", server.url], columns: columns)
        try FullScreenTests.expect(terminal, "Server [\(server.url)]:")
        try terminal.type("\r")
        try FullScreenTests.expect(terminal, "sign-in token:")
        let wrong = String(repeating: "x", count: 43)
        // A token in the place of the server is looked up nowhere.
        try terminal.type("\r")
        try FullScreenTests.expect(terminal, "Server [")
        try terminal.type(wrong + "\r")
        #expect(try terminal.wait { $0.text.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains("It was not sent anywhere.") }, "\(terminal.screen.text)")
        try terminal.type("\r")
        try terminal.type(wrong + "\r")
        try FullScreenTests.expect(terminal, "Try again")
        #expect(!terminal.screen.text.replacing("\n", with: "").contains(wrong), "\(terminal.screen.text)")
        #expect(terminal.screen.text.contains("shown)"))
        try terminal.type(demo.athletes[0].token + "\r")
        try FullScreenTests.expect(terminal, "\(demo.athletes[0].name.prefix(5))")
        try FullScreenTests.expect(terminal, "? for keys")
        let kept = String(decoding: try Files.read(profile), as: UTF8.self)
        #expect(kept.contains(demo.athletes[0].token) && kept.contains(server.url) && kept.contains("\(demo.family)"))
    }

    @Test("as lines with --plain; Ctrl-D leaves with the usage status and says how to begin")
    func leaving() throws {
        let terminal = try open(["--plain", "--server", server.url])
        try FullScreenTests.expect(terminal, "Server [")
        try terminal.type("\r")
        try FullScreenTests.expect(terminal, "sign-in token:")
        try terminal.type("\u{4}")
        try FullScreenTests.expect(terminal, "huddle: Nobody is signed in.")
        #expect(try terminal.waitForEnd() == .exited(2))
    }

    @Test("without a terminal nothing is asked: it says what to do and ends with the usage status")
    func withoutTerminal() throws {
        let answer = try HuddleProgram(server).run([], input: "\(server.url)\n")
        #expect(answer.ending == .exited(2) && answer.output.isEmpty)
        #expect(answer.errors.contains("huddle join CODE --server") && answer.errors.contains("On a terminal, huddle by itself asks for both."))
    }
}

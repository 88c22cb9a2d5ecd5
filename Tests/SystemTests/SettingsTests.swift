import Glibc
import Posix
import PseudoTerminal
import Terminal
import TestSupport
import Testing

@Suite("Settings and keys while the program runs", .serialized, .lane(.terminals))
struct SettingsTests {
    private static let before = "# mine\nset theme dark\nset mouse off\n\nbind f5 events\n# the end"

    private struct World {
        let folder: TemporaryFolder
        let demo: Demo
        let server: RunningServer
        let config: String

        init(_ text: String?) throws {
            folder = try TemporaryFolder()
            demo = try Demo(in: folder.path + "/data")
            server = try RunningServer(folder.path + "/data")
            let place = folder.path + "/" + demo.parents[0].name.replacing(" ", with: "") + "/huddle"
            try Files.makeFolders(place, mode: 0o700)
            config = place + "/config"
            if let text { try Files.write(Array(text.utf8), to: config, mode: 0o640) }
        }

        func open(_ words: [String] = [], rows: Int = 30) throws -> PseudoTerminal { try FullScreenTests.open(server, demo.parents[0], folder, words, rows: rows) }

        var kept: String { String(decoding: (try? Files.read(config)) ?? [], as: UTF8.self) }
    }

    @Test("Colours, clicks, keys and the title change immediately; the file keeps them, and everything else in it")
    func changes() throws {
        let world = try World(Self.before)
        let terminal = try world.open()
        try FullScreenTests.expect(terminal, "? for keys")
        #expect(!terminal.screen.modes.contains(1006))
        let family = try #require(terminal.screen.titles.last)
        #expect(family.hasSuffix(" — Huddle"), "\(terminal.screen.titles)")

        func has(_ theme: Theme) -> Bool { terminal.screen.cells[0].contains { $0.style.background == theme[.status].background && $0.style.foreground == theme[.status].foreground } }
        #expect(has(.dark))
        try terminal.type("/set theme light\r")
        try FullScreenTests.expect(terminal, "theme is light now.")
        let light = try #require(Theme(named: "light"))
        #expect(try terminal.wait { _ in has(light) })
        try terminal.type("/set mouse on\r")
        try FullScreenTests.expect(terminal, "mouse is on now.")
        #expect(try terminal.wait { $0.modes.contains(1006) })
        try terminal.type("/bind f5 season\r")
        try FullScreenTests.expect(terminal, "F5 is season now.")
        #expect(world.kept == "# mine\nset theme light\nset mouse on\n\nbind f5 season\n# the end")
        #expect(try Files.status(world.config)?.mode == 0o640)
        try terminal.type("\u{1B}[15~")
        try FullScreenTests.expect(terminal, "Track camps, showcases, visits, and games")
        try terminal.type("\u{1B}1")
        #expect(try terminal.wait { !$0.text.contains("Track camps, showcases, visits, and games") })
        // Tab knows what can be set, and to what.
        try terminal.type("/set the\t m\t")
        try FullScreenTests.expect(terminal, "mono")
        try terminal.type("\u{3}")
        #expect(try terminal.wait { !$0.text.contains("mono") })
        try terminal.type("/unbind f2\r")
        try FullScreenTests.expect(terminal, "F2 does nothing now.")
        try terminal.type("/bind f5 events\r/bind f2 season\r/set theme default\r")
        try FullScreenTests.expect(terminal, "theme is default now.")
        #expect(world.kept == "# mine\nset mouse on\n\nbind f5 events\n# the end\n")
        try terminal.type("/set title off\r")
        try FullScreenTests.expect(terminal, "title is off now.")
        // The title before is asked for, and kept for the end.
        #expect(try terminal.wait { _ in String(decoding: terminal.written, as: UTF8.self).contains("\u{1B}[23;2t") })
        try terminal.type("/quit\r")
        #expect(try terminal.waitForEnd() == .exited(0))
        #expect(terminal.isCooked && !terminal.screen.isOtherScreen && terminal.screen.modes == [25, 7] && terminal.screen.unknown.isEmpty)
    }

    @Test("An impossible setting is refused, and changes nothing")
    func refused() throws {
        let world = try World(Self.before)
        let terminal = try world.open()
        try FullScreenTests.expect(terminal, "? for keys")
        // No line shows words that a later one is to show.
        for (line, words) in [
            ("/set theme", "theme is dark: colours."), ("/set", "notify-command"),
            ("/set colour red", "There is no setting colour."), ("/set theme pink", "Write: /set theme dark"), ("/bind a season", "a could not be typed any more."),
            ("/bind ctrl-t nothing", "No action 'nothing'. Press Tab for the list."), ("/bind hyper-t season", "is no key."), ("/unbind ctrl-o", "It does in @"),
            ("/set notify-command /no/such", "There is no program /no/such."),
            ("/unbind @input enter", "Enter stays as it is there"),
        ] {
            try terminal.type(line + "\r")
            try FullScreenTests.expect(terminal, words)
            #expect(world.kept == Self.before, "\(line)")
        }
    }

    @Test("A file that is read-only says so, and the change lasts until one leaves; one that is linked stays linked")
    func files() throws {
        let world = try World(nil)
        let real = world.folder.path + "/dotfiles"
        try Files.write(Array("# linked\n".utf8), to: real, mode: 0o600)
        #expect(symlink(real, world.config) == 0)
        let terminal = try world.open()
        try FullScreenTests.expect(terminal, "? for keys")
        try terminal.type("/set notify bell\r")
        try FullScreenTests.expect(terminal, "notify is bell now.")
        #expect(String(decoding: try Files.read(real), as: UTF8.self) == "# linked\nset notify bell\n")
        #expect(Files.resolved(world.config) == Files.resolved(real))
        #expect(chmod(real, 0o400) == 0)
        try terminal.type("/bind f5 season\r")
        try FullScreenTests.expect(terminal, "chmod u+w changes that")
        try terminal.type("\u{1B}[15~")
        try FullScreenTests.expect(terminal, "Track camps, showcases, visits, and games")
        #expect(String(decoding: try Files.read(real), as: UTF8.self) == "# linked\nset notify bell\n")
    }

    @Test("Line by line, what counts there is set, and keys belong to the full screen")
    func plain() throws {
        let world = try World(nil)
        let terminal = try world.open(["--plain"])
        try FullScreenTests.expect(terminal, "Next:")
        try terminal.type("/set notify none\n/set theme mono\n/bind ctrl-t season\n")
        try FullScreenTests.expect(terminal, "notify is none now.")
        try FullScreenTests.expect(terminal, "theme is mono now. That counts on the full screen.")
        try FullScreenTests.expect(terminal, "Keys belong to the full screen")
        #expect(world.kept == "set notify none\nset theme mono\n")
        #expect(terminal.screen.titles.isEmpty)
    }

    @Test("huddle config shows and changes settings without a screen, needs no server, and refuses a value that a setting does not take")
    func config() throws {
        let world = try World(Self.before)
        let home = world.folder.path + "/" + world.demo.parents[0].name.replacing(" ", with: "")
        func run(_ words: String...) throws -> Programs.Answer {
            try Programs.run(Programs.path("huddle"), ["config"] + words, environment: ["XDG_CONFIG_HOME=\(home)", "HOME=\(home)", "PATH=/usr/bin:/bin"])
        }
        let all = try run()
        #expect(all.ending == .exited(0) && all.output.contains("theme") && all.output.contains("pictures") && all.output.contains("huddle config NAME VALUE"), "\(all)")
        #expect(!all.output.contains("/set"))
        #expect(try run("pictures", "kitty").output == "pictures is kitty now.\n" && world.kept.contains("set pictures kitty"))
        #expect(try run("pictures").output.hasPrefix("pictures is kitty: "))
        #expect(try run("pictures", "default").ending == .exited(0) && !world.kept.contains("pictures") && world.kept.hasPrefix(Self.before))
        for words in [["pictures", "loud"], ["wages"], ["wages", "high"]] {
            let refused = try Programs.run(Programs.path("huddle"), ["config"] + words, environment: ["XDG_CONFIG_HOME=\(home)", "PATH=/usr/bin:/bin"])
            #expect(refused.ending == .exited(2) && !refused.errors.contains("/set"), "\(refused)")
        }
    }

    @Test("Links are given to the terminal from the moment on that they are wanted, and no longer")
    func links() throws {
        let world = try World(nil)
        let terminal = try world.open()
        try FullScreenTests.expect(terminal, "? for keys")
        func linked() -> String { terminal.screen.cells.flatMap { $0 }.filter { $0.link == "https://camp.example/a" }.map(\.text).joined() }
        try terminal.type("Look at https://camp.example/a, please\r")
        try FullScreenTests.expect(terminal, "a, please")
        #expect(linked().isEmpty, "nobody has said that this terminal takes them")
        try terminal.type("/set hyperlinks on\r")
        try FullScreenTests.expect(terminal, "hyperlinks is on now.")
        #expect(try terminal.wait { _ in linked() == "https://camp.example/a" })
        try terminal.type("/set hyperlinks off\r")
        try FullScreenTests.expect(terminal, "hyperlinks is off now.")
        #expect(try terminal.wait { _ in linked().isEmpty })
        #expect(terminal.screen.unknown.isEmpty)
    }

    @Test("The title counts what is unread, and no title is set where none can be given back", arguments: [("xterm-256color", true), ("linux", false)])
    func title(term: String, isSet: Bool) throws {
        let world = try World(nil)
        let home = world.folder.path + "/" + world.demo.parents[0].name.replacing(" ", with: "")
        let terminal = try PseudoTerminal(
            [try Programs.path("huddle")], columns: 100, rows: 30, term: term,
            environment: ["XDG_CONFIG_HOME": home, "HUDDLE_SERVER": world.server.url, "HUDDLE_TOKEN": world.demo.parents[0].token, "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"])
        try FullScreenTests.expect(terminal, "? for keys")
        try terminal.type("\u{1B}")
        #expect(try terminal.wait { !$0.text.contains("unread") })
        #expect(try HuddleProgram(world.server, token: world.demo.athletes[0].token).run("say", "Over here").ending == .exited(0))
        try FullScreenTests.expect(terminal, "1 unread")
        if isSet {
            #expect(try terminal.wait { $0.titles.last?.hasPrefix("(1) ") == true }, "\(terminal.screen.titles)")
        } else {
            #expect(terminal.screen.titles.isEmpty)
        }
    }
}

import Posix
import PseudoTerminal
import TestSupport
import Testing

@Suite("Notifications of messages", .serialized, .lane(.terminals))
struct NotifyTests {
    private func expectFile(_ path: String, _ text: String) throws {
        let end = Clock.monotonicMilliseconds() + 10_000
        var found = ""
        while found != text, Clock.monotonicMilliseconds() < end {
            found = String(decoding: (try? Files.read(path)) ?? [], as: UTF8.self)
            var none: [Poll.Item] = []
            _ = try Poll.wait(&none, timeoutMilliseconds: 5)
        }
        #expect(found == text)
    }

    @Test("with the bell, a command, both or nothing, as the configuration says", arguments: [
        ("", true, false), ("set notify none\n", false, false), ("set notify bell\n", true, false), ("set notify hook\n", false, true),
        ("set notify-command HOOK 'two words'\n", true, true), ("set notify bell\nset notify-command HOOK 'two words'\n", true, false),
    ])
    func ways(configuration: String, rings: Bool, runs: Bool) throws {
        let (folder, demo, server) = try Demo.served()
        let (parent, athlete) = (demo.parents[0], demo.athletes[0])
        let hook = folder.path + "/hook"
        let script = "#!/bin/sh\ncd '\(folder.path)'\n{ echo \"$1|$HUDDLE_FROM|$HUDDLE_TEXT|$HUDDLE_MENTION\"; cat; } >new\nmv new told\n"
        try Files.write(Array(script.utf8), to: hook, mode: 0o700)
        let place = folder.path + "/" + parent.name.replacing(" ", with: "") + "/huddle"
        try Files.makeFolders(place, mode: 0o700)
        let text = configuration.replacing("HOOK", with: hook) + (configuration == "set notify hook\n" ? "set notify-command \(hook) 'two words'\n" : "")
        try Files.write(Array(text.utf8), to: place + "/config")
        let terminal = try FullScreenTests.open(server, parent, folder)
        try FullScreenTests.expect(terminal, "? for keys")
        #expect(!terminal.screen.text.contains("configuration is left out"))
        let before = terminal.written.count { $0 == 0x07 }
        let other = HuddleProgram(server, token: athlete.token)
        // The first word of a name is enough to speak to somebody, in the conversation; scripts say who is meant by the client's rules.
        let speaker = try FullScreenTests.open(server, athlete, folder)
        try FullScreenTests.expect(speaker, "? for keys")
        try speaker.type("@\(parent.name.split(separator: " ")[0]) `come` $(now)\r")
        try FullScreenTests.expect(terminal, "`come` $(now)")
        if runs {
            let said = "@\(parent.name.split(separator: " ")[0]) `come` $(now)"
            try expectFile(folder.path + "/told", "two words|\(athlete.name)|\(said)|1\n\(athlete.name): \(said)\n")
        }
        // The messages before the second one have been shown.
        #expect(try other.run("say", "That was all").ending == .exited(0))
        try FullScreenTests.expect(terminal, "That was all")
        #expect((terminal.written.count { $0 == 0x07 } > before) == rings)
        #expect(Files.exists(folder.path + "/told") == runs)
    }

    @Test("invalid lines of the configuration are reported at the start")
    func complaints() throws {
        let (folder, demo, server) = try Demo.served()
        let place = folder.path + "/" + demo.parents[0].name.replacing(" ", with: "") + "/huddle"
        try Files.makeFolders(place, mode: 0o700)
        try Files.write(Array("set notify siren\nset notify-command /no/such\nset notify-command\n".utf8), to: place + "/config")
        let terminal = try FullScreenTests.open(server, demo.parents[0], folder)
        try FullScreenTests.expect(terminal, "set notify with some of bell, osc9, hook, or none")
        try FullScreenTests.expect(terminal, "There is no program /no/such.")
        try FullScreenTests.expect(terminal, "Write: set notify-command sh -c")
    }

    @Test("as lines too: the bell and the command, and the terminal's own way where the configuration names it", arguments: [
        ("", true, false, false), ("set notify bell osc9 hook\nset notify-command HOOK\n", true, true, true), ("set notify none\n", false, false, false),
    ])
    func plain(configuration: String, rings: Bool, notifies: Bool, runs: Bool) throws {
        let (folder, demo, server) = try Demo.served()
        let (parent, athlete) = (demo.parents[0], demo.athletes[0])
        let hook = folder.path + "/hook"
        try Files.write(Array("#!/bin/sh\ncd '\(folder.path)'\necho \"$HUDDLE_FROM\" >new\nmv new told\n".utf8), to: hook, mode: 0o700)
        let place = folder.path + "/" + parent.name.replacing(" ", with: "") + "/huddle"
        try Files.makeFolders(place, mode: 0o700)
        try Files.write(Array(configuration.replacing("HOOK", with: hook).utf8), to: place + "/config")
        let terminal = try FullScreenTests.open(server, parent, folder, ["--plain"])
        try FullScreenTests.expect(terminal, "Next:")
        let speaker = try FullScreenTests.open(server, athlete, folder)
        try FullScreenTests.expect(speaker, "? for keys")
        let before = terminal.written.count
        // Only a member who is named is notified.
        try speaker.type("just so\r")
        try FullScreenTests.expect(terminal, "just so")
        let between = terminal.written.count
        #expect(!terminal.written[before..<between].contains(0x07))
        try speaker.type("@\(parent.name) come\r")
        try FullScreenTests.expect(terminal, "\(parent.name) come")
        if runs { try expectFile(folder.path + "/told", "\(athlete.name)\n") }
        // The messages before the third one have been shown.
        try speaker.type("that was all\r")
        try FullScreenTests.expect(terminal, "that was all")
        let told = String(decoding: terminal.written[between...], as: UTF8.self)
        #expect(told.replacing(try Regex("\u{1B}\\]9;[^\u{07}]*\u{07}"), with: "").contains("\u{07}") == rings)
        #expect(told.contains("\u{1B}]9;Huddle: \(athlete.name): @\(parent.name) come\u{07}") == notifies)
        #expect(Files.exists(folder.path + "/told") == runs)
    }

    @Test("a command that does not end is killed with the program, which does not wait")
    func quits() throws {
        let (folder, demo, server) = try Demo.served()
        let (parent, athlete) = (demo.parents[0], demo.athletes[0])
        let place = folder.path + "/" + parent.name.replacing(" ", with: "") + "/huddle"
        try Files.makeFolders(place, mode: 0o700)
        let script = "set notify hook\nset notify-command sh -c 'cd \(folder.path); echo $$ >new; mv new told; exec sleep 600'\n"
        try Files.write(Array(script.utf8), to: place + "/config")
        let terminal = try FullScreenTests.open(server, parent, folder)
        try FullScreenTests.expect(terminal, "? for keys")
        let speaker = try FullScreenTests.open(server, athlete, folder)
        try FullScreenTests.expect(speaker, "? for keys")
        try speaker.type("@\(parent.name.split(separator: " ")[0]) come\r")
        try FullScreenTests.expect(terminal, " come")
        let end = Clock.monotonicMilliseconds() + 10_000
        while !Files.exists(folder.path + "/told"), Clock.monotonicMilliseconds() < end {
            var none: [Poll.Item] = []
            _ = try Poll.wait(&none, timeoutMilliseconds: 5)
        }
        let pid = String(decoding: try Files.read(folder.path + "/told"), as: UTF8.self).split(separator: "\n")[0]
        #expect(Files.exists("/proc/\(pid)"))
        try terminal.type("/quit\r")
        let ending = try terminal.waitForEnd(milliseconds: 5_000)
        #expect(ending == .exited(0))
        #expect(!Files.exists("/proc/\(pid)"))
    }
}

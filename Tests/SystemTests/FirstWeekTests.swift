import Posix
import PseudoTerminal
import TestSupport
import Testing

extension SystemTests {
    /// The questions of a family's first week at the shell.
    @Suite("whoami, deleted records, columns, links that replace others, and how a piped conversation ends") struct FirstWeekTests {
        private static let isTold = "does not work any more."

        @Test("A piped conversation ends with the status of its first failure, and /quit waits for what was typed before", arguments: [
            ("/bogus\n", 2), ("/edit event 1 cost=-5\nhello\n", 3), ("hello\n/quit\nnever sent\n", 0), ("/cost\n/edit event 1 cost=-5\n", 2), ("//bogus is said\n", 0),
        ] as [(String, Int32)])
        func status(lines: String, status: Int32) throws {
            let (_, demo, server) = try Demo.served()
            let huddle = HuddleProgram(server, token: demo.parents[0].token)
            let answer = try huddle.run([], input: lines)
            #expect(answer.ending == .exited(status), "\(answer.output)\(answer.errors)")
            guard lines.contains("hello") else { return }
            let messages = try huddle.run("messages").output
            #expect(messages.contains(": hello") && !messages.contains("never sent"))
            #expect(!answer.output.contains("change waits"), "\(answer.output)")
        }

        @Test("whoami and status name the person; deleted records are listed, completed and restored; --columns and --limit shape a list")
        func questions() throws {
            let (_, demo, server) = try Demo.served()
            let parent = demo.parents[0]
            let huddle = HuddleProgram(server, token: parent.token)
            let me = try huddle.run("whoami")
            #expect(me.ending == .exited(0) && me.output.hasPrefix("\(parent.name), parent in The ") && me.output.contains(server.url), "\(me)")
            let json = try #require(try huddle.run("whoami", "--json").lines().first)
            #expect(json["name"]?.string == parent.name && json["role"]?.string == "parent" && json.keys.contains("online") && json["waiting"]?.integer == 0)
            #expect(try huddle.run("status").output.contains("The server answers.\nNothing waits to be sent.\nNothing was refused.\n"))

            #expect(try huddle.run("deleted").output == "Nothing was deleted in the last 30 days.\n")
            _ = try huddle.run("add", "school", "name=Gone State")
            #expect(try huddle.run("rm", "Gone State").ending == .exited(0))
            let deleted = try huddle.run("deleted", "school").output
            #expect(deleted.contains("school  Gone State") && deleted.contains(parent.name) && deleted.contains("To bring one back: huddle restore "), "\(deleted)")
            #expect(try huddle.run("deleted", "trip").output == "Nothing was deleted in the last 30 days.\n")
            #expect(try huddle.run("deleted", "--json").lines().first?["fields"]?["name"]?.string == "Gone State")
            #expect(try huddle.run("restore", "Gone State").output.contains("restored Gone State"))

            let table = try huddle.run("events", "--columns", "name,cost", "--limit", "2").output.split(separator: "\n")
            #expect(table.count == 3 && table[0].hasPrefix("NAME") && table[0].hasSuffix("COST"), "\(table)")
            let refused = try huddle.run("events", "--columns", "wages")
            #expect(refused.ending == .exited(2) && refused.errors.contains("Event has no column 'wages'."))
            let same = try huddle.run("edit", "school", "Gone State", "name=Gone State")
            #expect(same.ending == .exited(0) && same.output == "Nothing to change: the values are the same already.\n", "\(same)")
        }

        @Test("An event's page and its place are printed; without one it says how to add it")
        func opened() throws {
            let (_, demo, server) = try Demo.served()
            let huddle = HuddleProgram(server, token: demo.parents[0].token)
            _ = try huddle.run("add", "event", "type=camp", "name=Web Camp", "start=2031-05-01", "url=https://camp.example/a", "city=Albany", "--athlete", demo.athletes[0].name)
            #expect(try huddle.run("open", "Web Camp").output == "https://camp.example/a\n")
            #expect(try huddle.run("open", "Web Camp", "--map").output == "https://www.openstreetmap.org/search?query=Albany\n")
            _ = try huddle.run("edit", "event", "Web Camp", "url=", "city=")
            for words in [["open", "Web Camp"], ["open", "Web Camp", "--map"]] {
                let none = try huddle.run(words)
                #expect(none.ending == .exited(3) && none.errors.contains("known. Add one"), "\(none)")
            }
        }

        @Test("A sign-in that has expired is asked for again on a terminal; a script gets status 3")
        func expired() throws {
            let (_, demo, server) = try Demo.served()
            let huddle = HuddleProgram(server)
            try Files.makeFolders(huddle.home + "/huddle", mode: 0o700)
            try Files.write(Array("{\"server\":\"\(server.url)\",\"token\":\"\(String(repeating: "x", count: 43))\"}".utf8), to: huddle.profile, mode: 0o600)
            #expect(try huddle.run("events").ending == .exited(3))
            let terminal = try huddle.open()
            try FullScreenTests.expect(terminal, "Your sign-in has expired")
            try FullScreenTests.expect(terminal, "Server [")
            try terminal.type("\n")
            try FullScreenTests.expect(terminal, "Invitation code, or sign-in token:")
            try terminal.type(demo.parents[0].token + "\n")
            try FullScreenTests.expect(terminal, "? for keys")
            withExtendedLifetime(huddle) {}
        }

        @Test("A new family reads its first steps, and no form opens that nobody can save")
        func fresh() throws {
            let folder = try TemporaryFolder()
            let made = try Programs.huddled("init", "--data", folder.path + "/data", "--family", "Okafor", "--zone", "UTC", "--parent", "Ola", "--json")
            let token = try #require(try made.json()["token"]?.string)
            let server = try RunningServer(folder.path + "/data", keeping: folder)
            let huddle = HuddleProgram(server, token: token)
            let terminal = try huddle.open(columns: 100)
            try FullScreenTests.expect(terminal, "1. Add an athlete: /invite NAME --role athlete")
            try terminal.type("\u{1B}2")
            try FullScreenTests.expect(terminal, "No athletes yet")
            try terminal.type("n")
            try FullScreenTests.expect(terminal, "Add one in the room (Alt-1)")
            #expect(!terminal.screen.text.contains("Add New Event"))
            try terminal.type("\u{1B}1/invite Mia --role athlete --born 2020-01-01\r\u{1B}2")
            try FullScreenTests.expect(terminal, "Create your first event")
            try terminal.type("n")
            try FullScreenTests.expect(terminal, "Add New Event")
            withExtendedLifetime(huddle) {}
        }

        @Test("A new link for a school says that the old one ends")
        func links() throws {
            let (folder, demo, server) = try Demo.served()
            let huddle = HuddleProgram(server, token: demo.parents[0].token)
            let path = folder.path + "/Resume.pdf"
            try Files.write(Array("%PDF-1.4\nx".utf8), to: path)
            #expect(try huddle.run("docs", "upload", path, "--type", "resume", "--athlete", demo.athletes[0].name).ending == .exited(0))
            _ = try huddle.run("add", "school", "name=Link State")
            let first = try huddle.run("docs", "share", "Resume", "--school", "Link State")
            #expect(first.ending == .exited(0) && !first.errors.contains(Self.isTold), "\(first)")
            let second = try huddle.run("docs", "share", "Resume", "--school", "Link State", "--yes")
            #expect(second.ending == .exited(0) && second.errors.contains("for Link State (0 views) \(Self.isTold)"), "\(second)")
        }
    }
}

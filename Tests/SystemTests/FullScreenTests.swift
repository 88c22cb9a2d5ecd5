import Dates
import Family
import Glibc
import Posix
import PseudoTerminal
import Terminal
import TestSupport
import Testing
import Words

@Suite("The full screen against a running server", .serialized, .lane(.terminals))
struct FullScreenTests: FullScreenSteps {
    @Test("Two people talk, see each other, and see what the other changes; the screens end as they began")
    func twoPeople() throws {
        let (folder, demo, server) = try Demo.served()
        let parent = try Self.open(server, demo.parents[0], folder)
        try Self.expect(parent, "viewing everyone's season")
        try Self.expect(parent, "you're the only one here")
        let athlete = try Self.open(server, demo.athletes[0], folder)
        try Self.expect(parent, "\(demo.athletes[0].name) is here")
        try Self.expect(athlete, "\(demo.parents[0].name) is here")
        #expect(athlete.screen.line(0).contains("viewing \(demo.athletes[0].name)'s season"))

        try parent.type("dinner at seven? 👍🏽 :tada:\r")
        try Self.expect(athlete, "dinner at seven? 👍🏽 🎉")
        try athlete.type("@" + demo.parents[0].name.prefix(4) + "\tyes\r")
        try Self.expect(parent, "@\(demo.parents[0].name) yes")
        #expect(parent.screen.cells.joined().contains { $0.style == Theme.dark[.mention] })

        try parent.type("/add event --type camp --name \"Late Camp\" --start 2027-03-01 --athlete \"\(demo.athletes[0].name)\"\r")
        try Self.expect(athlete, "added Late Camp")
        // The change is selected and taken back: Ctrl-Up, u.
        try parent.type("\u{1B}[1;5A")
        let isSelecting = try parent.wait { $0.text.contains("r comment  e rewrite  u undo") }
        #expect(isSelecting)
        try parent.type("u")
        try Self.expect(athlete, "undid: added Late Camp")

        for terminal in [parent, athlete] {
            #expect(terminal.screen.unknown.isEmpty, "\(terminal.screen.unknown)")
            try terminal.type("/quit\r")
            let ending = try terminal.waitForEnd()
            #expect(ending == .exited(0))
            #expect(terminal.isCooked && !terminal.screen.isOtherScreen && terminal.screen.modes == [25, 7])
            Self.expectSameInLibVTerm(terminal, hasEnded: true)
        }
    }

    @Test("A parent looks at a child's season in two keys, and it cannot be overlooked")
    func season() throws {
        let (folder, demo, server) = try Demo.served()
        let terminal = try Self.open(server, demo.parents[0], folder)
        try Self.expect(terminal, "? for keys")
        try terminal.type("\u{F}")
        try Self.expect(terminal, "Whose season?")
        try terminal.type("2")
        let isThere = try terminal.wait { screen in demo.athletes.contains { screen.line(0).contains("viewing \($0.name)'s season") } }
        #expect(isThere, "\(terminal.screen.text)")
        #expect(terminal.screen.cells[0].contains { $0.style.background == Theme.dark[.context].background })
        try terminal.type("/events\r")
        try Self.expect(terminal, "results")
    }

    @Test("New messages stay marked while the member types; they are read once the member has looked and leaves the room, or writes; another member's message is deleted after one more key")
    func reading() throws {
        let (folder, demo, server) = try Demo.served()
        let parent = try Self.open(server, demo.parents[0], folder)
        try Self.expect(parent, "? for keys")
        let athlete = try Self.open(server, demo.athletes[0], folder)
        try Self.expect(athlete, "? for keys")
        // Earlier messages are read by the key for it.
        try parent.type("\u{1B}")
        #expect(try parent.wait { !$0.text.contains("unread") }, "\(parent.screen.text)")
        try athlete.type("first of all\r")
        try Self.expect(parent, "1 unread")
        // The words that are typed are on the screen behind whatever they could have changed.
        try parent.type("abc")
        #expect(try parent.wait { $0.line(29).contains("> abc") && $0.text.contains("1 unread") && $0.text.contains("─── new ───") }, "\(parent.screen.text)")
        try parent.type("\u{1B}2")
        try Self.expect(parent, "+ Add Event")
        #expect(try parent.wait { !$0.text.contains("unread") }, "\(parent.screen.text)")
        try parent.type("\u{1B}1")
        #expect(try parent.wait { $0.text.contains("first of all") && !$0.text.contains("─── new ───") }, "\(parent.screen.text)")
        try athlete.type("second to none\r")
        try Self.expect(parent, "1 unread")
        try parent.type("\r")
        try Self.expect(athlete, "abc")
        #expect(try parent.wait { !$0.text.contains("unread") && $0.text.contains("second to none") }, "\(parent.screen.text)")
        // Selected, u: it is another's, so it is asked; y.
        try parent.type("\u{1B}[1;5Aku")
        try Self.expect(parent, "Delete what")
        try parent.type("n")
        #expect(try parent.wait { !$0.text.contains("Delete what") }, "\(parent.screen.text)")
        #expect(athlete.screen.text.contains("second to none"))
    }

    @Test("The server is killed: what is written waits, is counted, and arrives once it is back")
    func offline() throws {
        let (folder, demo, server) = try Demo.served()
        let terminal = try Self.open(server, demo.parents[0], folder)
        try Self.expect(terminal, "? for keys")
        try server.kill()
        try Self.expect(terminal, "OFFLINE")
        try terminal.type("is anybody there\r")
        try Self.expect(terminal, "1 pending")
        try Self.expect(terminal, "is anybody there …")
        try server.restart()
        let isBack = try terminal.wait(milliseconds: 30_000) { !$0.text.contains("OFFLINE") && !$0.text.contains("1 pending") && $0.text.contains("is anybody there") && !$0.text.contains("there …") }
        #expect(isBack, "\(terminal.screen.text)")
        let count = terminal.screen.text.ranges(of: "is anybody there").count
        #expect(count == 1)
    }

    @Test("Without a place to keep anything, no text claims that it is kept; leaving asks first, and all is sent when the server is back")
    func nothingKept() throws {
        let folder = try TemporaryFolder()
        let demo = try Demo(in: folder.path + "/data")
        let server = try RunningServer(folder.path + "/data")
        // No folder can be made in a file.
        try Files.write([], to: folder.path + "/state")
        let terminal = try PseudoTerminal(
            [try Programs.path("huddle")], columns: 120, rows: 40,
            environment: [
                "XDG_CONFIG_HOME": folder.path + "/home", "XDG_STATE_HOME": folder.path + "/state", "HUDDLE_SERVER": server.url, "HUDDLE_TOKEN": demo.parents[0].token,
                "LC_ALL": "C.UTF-8",
            ])
        try Self.expect(terminal, "Nothing can be kept in")
        try Self.expect(terminal, "? for keys")
        try server.kill()
        try Self.expect(terminal, "if huddle still runs")
        try terminal.type("still there?\r")
        try Self.expect(terminal, "1 pending")
        try terminal.type("/quit\r")
        try Self.expect(terminal, "1 of your changes waits to be sent and would be lost. /quit again leaves all the same.")
        #expect(!terminal.screen.text.contains("is kept and sent"))
        try server.restart()
        let isBack = try terminal.wait(milliseconds: 30_000) { !$0.text.contains("OFFLINE") && $0.text.contains("still there?") && !$0.text.contains("still there? …") }
        #expect(isBack, "\(terminal.screen.text)")
    }

    @Test("Killed by a signal, stopped, resized: the terminal is as it should be")
    func signals() throws {
        let (folder, demo, server) = try Demo.served()
        let terminal = try Self.open(server, demo.athletes[0], folder)
        try Self.expect(terminal, "? for keys")
        try terminal.resize(columns: 60, rows: 15)
        let isFitted = try terminal.wait { $0.line(13).contains("ws://") && $0.line(14).hasPrefix(">") }
        #expect(isFitted, "\(terminal.screen.text)")
        try terminal.type("\u{1A}")
        let isStopped = try terminal.waitForStop()
        #expect(isStopped && terminal.isCooked && !terminal.screen.isOtherScreen)
        terminal.signal(SIGCONT)
        try Self.expect(terminal, "? for keys")
        terminal.signal(SIGTERM)
        let ending = try terminal.waitForEnd()
        #expect(ending == .exited(0))
        #expect(terminal.isCooked && !terminal.screen.isOtherScreen)
    }

    @Test("With nothing to do nothing runs, and a key is on the screen within 50 ms even in a debug build")
    func costs() throws {
        let (folder, demo, server) = try Demo.served()
        let began = Clock.monotonicNanoseconds()
        let terminal = try Self.open(server, demo.athletes[0], folder)
        let isPainted = try terminal.wait { $0.line(0).contains("viewing") }
        #expect(isPainted)
        print("start to first paint: \((Clock.monotonicNanoseconds() - began) / 1_000) µs")
        try Self.expect(terminal, "? for keys")
        var fastest = Int64.max
        for letter in "abcdefghij" {
            let start = Clock.monotonicNanoseconds()
            try terminal.type(String(letter))
            let isThere = try terminal.wait { $0.line(29).hasSuffix(String(letter)) }
            #expect(isThere)
            fastest = min(fastest, Clock.monotonicNanoseconds() - start)
        }
        #expect(fastest < 50_000_000, "\(fastest / 1_000) µs")
        print("key to screen, fastest of ten: \(fastest / 1_000) µs")
        // First what a key somewhere would wait for is made ready. A program that does something each second has no quiet one.
        var isQuiet = false
        for _ in 0..<20 where !isQuiet {
            let before = try terminal.activity()
            _ = try terminal.wait(milliseconds: 1_000) { _ in false }
            isQuiet = try terminal.activity().ticks == before.ticks
        }
        #expect(isQuiet)
    }

    @Test("--plain and a terminal that cannot place text get lines, and nothing that steers the terminal", arguments: [["--plain"], []])
    func plain(words: [String]) throws {
        let (folder, demo, server) = try Demo.served()
        let member = demo.parents[0]
        let terminal = try PseudoTerminal(
            [try Programs.path("huddle")] + words, columns: 100, rows: 30, term: words.isEmpty ? "dumb" : "xterm-256color",
            environment: ["HOME": folder.path, "XDG_CONFIG_HOME": folder.path, "XDG_STATE_HOME": folder.path + "/state", "HUDDLE_SERVER": server.url, "HUDDLE_TOKEN": member.token])
        try Self.expect(terminal, "Next:")
        try terminal.type("anybody there?\r")
        try Self.expect(terminal, "\(member.name): anybody there?")
        try terminal.type("/quit\r")
        let ending = try terminal.waitForEnd()
        #expect(ending == .exited(0))
        #expect(!terminal.written.contains(0x1B))
        #expect(terminal.isCooked)
    }

    @Test("The season: a month beside the list, search as one types, an event in full, attended, deleted and undone")
    func events() throws {
        let (folder, demo, server) = try Demo.served()
        let terminal = try Self.open(server, demo.parents[0], folder)
        try Self.expect(terminal, "? for keys")
        try terminal.type("\u{1B}2")
        try Self.expect(terminal, "Track camps, showcases, visits, and games")
        try Self.expect(terminal, "Su  Mo  Tu  We  Th  Fr  Sa")
        let before = terminal.screen.line(2)
        try terminal.type("/show\r")
        let isFound = try terminal.wait { $0.line(2).contains("Search: show") && $0.line(2) != before }
        #expect(isFound, "\(terminal.screen.text)")
        try terminal.type("\r")
        try Self.expect(terminal, "Esc back  e edit")
        try terminal.type("\u{1B}")
        let isClosed = try terminal.wait { !$0.text.contains("Esc back  e edit") }
        #expect(isClosed)
        let results = try #require(terminal.screen.line(2).split(separator: " ").first.flatMap { Int($0) })
        try terminal.type("xy")
        let isGone = try terminal.wait { $0.line(2).contains("\(results - 1) result") }
        #expect(isGone, "\(terminal.screen.text)")
        try terminal.type("q\u{18}u")
        try Self.expect(terminal, "undid: deleted ")
        #expect(terminal.screen.unknown.isEmpty, "\(terminal.screen.unknown)")
        Self.expectSameInLibVTerm(terminal)
    }

    @Test("The reason why a key does nothing goes with the next key; the effect of a key is shown with the key that undoes it here")
    func toasts() throws {
        let (folder, demo, server) = try Demo.served()
        let terminal = try Self.open(server, demo.athletes[0], folder, columns: 120, rows: 40)
        try Self.expect(terminal, "? for keys")
        try terminal.type("/add event --type camp --name \"Nowhere Camp\" --start 2027-03-01\r")
        try Self.expect(terminal, "Ctrl-X u to undo")
        try terminal.type("\u{1B}2/nowhere\r")
        #expect(try terminal.wait { $0.text.contains(" 1 result ") && $0.text.contains("·  u to undo") && !$0.text.contains("Ctrl-X u") }, "\(terminal.screen.text)")
        try terminal.type("m")
        try Self.expect(terminal, "No address or city is known; e adds one.")
        try terminal.type("j")
        #expect(try terminal.wait { !$0.text.contains("No address") }, "\(terminal.screen.text)")
        try terminal.type("xy")
        try Self.expect(terminal, "·  u to undo")
        // Letters are typed there.
        try terminal.type("n")
        #expect(try terminal.wait { $0.text.contains("Add New Event") && $0.text.contains("Ctrl-X u to undo") }, "\(terminal.screen.text)")
    }

    @Test("A member without the right to write learns it at the key press, not after the form: a sister's season")
    func notAllowed() throws {
        let folder = try TemporaryFolder()
        let demo = try Demo(in: folder.path + "/data")
        let server = try RunningServer(folder.path + "/data")
        #expect(try HuddleProgram(server, token: demo.parents[0].token).run("add", "event", "type=camp", "name=Sister Camp", "start=2027-03-01", "--athlete", demo.athletes[1].name).ending == .exited(0))
        let terminal = try Self.open(server, demo.athletes[0], folder, columns: 120, rows: 40)
        try Self.expect(terminal, "? for keys")
        try terminal.type("\u{1B}gSister Camp\r")
        try Self.expect(terminal, "Coaches Present")
        for key in ["e", "a", "i", "p"] {
            try terminal.type(key)
            try Self.expect(terminal, "You can view another athlete's records but not change them.")
            try terminal.type("k")
            #expect(try terminal.wait { !$0.text.contains("You can view another athlete's") && $0.text.contains("Coaches Present") }, "\(key): \(terminal.screen.text)")
        }
        // Records of the family are theirs to add.
        try terminal.type("\u{1B}1/add school\r")
        try Self.expect(terminal, "Add New School")
    }

    @Test("R040 R112 By mouse and keys: a day, a month, an order that is kept, whose season in two keys from anywhere, and a file of what is listed")
    func seasonByMouse() throws {
        let (folder, demo, server) = try Demo.served()
        let parent = demo.parents[0]
        let terminal = try Self.open(server, parent, folder, columns: 120, rows: 40)
        try Self.expect(terminal, "? for keys")
        let program = HuddleProgram(server, token: demo.athletes[0].token)
        let today = try #require(CalendarDate(LocalClock(zone: nil).today(Clock.wallMilliseconds())))
        let first = try #require(today.adding(days: 1 - today.day)?.adding(months: 7))
        let day = try #require(first.adding(days: 16))
        #expect(try program.run("add", "event", "type=camp", "name==Click Camp", "start=\(day)").ending == .exited(0))
        try terminal.type("\u{1B}2")
        try Self.expect(terminal, "Track camps, showcases, visits, and games")
        // Two keys, from here too; and it cannot be overlooked.
        let athlete = demo.athletes[0].name
        try terminal.type("\u{F}")
        try Self.expect(terminal, "Whose season?")
        let number = try #require((1...9).first { terminal.screen.text.contains("\($0) \(athlete) ") })
        try Self.click(terminal, "\(number) \(athlete)")
        let isThere = try terminal.wait { $0.line(0).contains("viewing \(athlete)'s season") }
        #expect(isThere, "\(terminal.screen.text)")
        #expect(terminal.screen.cells[0].contains { $0.style.background == Theme.dark[.context].background })

        // The table of months, then the day in the grid.
        try Self.click(terminal, "‹ ")
        try terminal.type("M")
        try Self.expect(terminal, "Which month?")
        try terminal.type("." + String(repeating: "\u{1B}[C", count: 7) + "\r")
        try Self.click(terminal, "17•")
        let isSelected = try terminal.wait { $0.text.split(separator: "\n").contains { $0.contains("▸") && $0.contains("=Click Camp") } }
        #expect(isSelected, "\(terminal.screen.text)")
        try Self.click(terminal, "=Click Camp")
        try Self.expect(terminal, "Coaches Present")
        try terminal.type("\u{1B}")
        let isBack = try terminal.wait { !$0.text.contains("Coaches Present") }
        #expect(isBack)

        // The list, into a file that must not exist yet.
        try terminal.type("/=click\r")
        try Self.expect(terminal, "1 result")
        try terminal.type("E")
        try Self.expect(terminal, "The events as they are listed  (1 line)")
        let path = folder.path + "/season.csv"
        try terminal.type("\u{15}" + path + "\r")
        try Self.expect(terminal, "season.csv is written: 1 line.")
        let text = String(decoding: try Files.read(path), as: UTF8.self)
        #expect(text.hasPrefix("\u{FEFF}id,athlete,type,name,") && text.contains("'=Click Camp"), "\(text)")
        // Another page, and back: nothing is filtered any more.
        try terminal.type("\u{1B}1")
        try Self.expect(terminal, "Type to talk to your family.")
        try terminal.type("\u{1B}2")
        #expect(try terminal.wait { $0.text.contains("Track camps") && !$0.text.contains(" 1 result ") && !$0.text.contains("Search:") }, "\(terminal.screen.text)")
        try terminal.type("/=click\r")
        try Self.expect(terminal, "1 result")
        // The same as pages, by the end of the name that a key changes.
        try terminal.type("E")
        try Self.expect(terminal, "The events as they are listed")
        try terminal.type("\u{15}" + path + "\u{1B}[Z")
        try Self.expect(terminal, "season.pdf")
        try terminal.type("\r")
        try Self.expect(terminal, "season.pdf is written: 1 line.")
        let pages = try Programs.run("/usr/bin/pdftotext", [folder.path + "/season.pdf", "-"])
        #expect(pages.ending == .exited(0) && pages.output.contains("The events as they are listed") && pages.output.contains("=Click Camp"), "\(pages)")
        try terminal.type("E")
        try Self.expect(terminal, "The events as they are listed")
        try terminal.type("\u{15}" + path + "\r")
        try Self.expect(terminal, "It already exists: choose another name.")
        try terminal.type("\u{1B}")
        let isGone = try terminal.wait { !$0.text.contains("It already exists") }
        #expect(isGone)

        // Names with no fitting event.
        try terminal.type("c/zzz\r")
        try Self.expect(terminal, "No events match your filters")
        try Self.click(terminal, "c  Clear filters")
        let isCleared = try terminal.wait { !$0.text.contains("No events match your filters") }
        #expect(isCleared)
        try terminal.type("rr")
        try Self.expect(terminal, "results  Name")
        try terminal.type("\u{18}\u{3}")
        #expect(try terminal.waitForEnd() == .exited(0))
        let again = try Self.open(server, parent, folder, columns: 120, rows: 40)
        try Self.expect(again, "viewing")
        try again.type("\u{1B}2")
        try Self.expect(again, "results  Name")
        #expect(again.screen.unknown.isEmpty, "\(again.screen.unknown)")
        Self.expectSameInLibVTerm(terminal, hasEnded: true)
        Self.expectSameInLibVTerm(again)
    }

    @Test("Pages: activity of others is shown by number, Alt-a goes there, a few letters go anywhere, and one's own change shows the key of undo")
    func buffers() throws {
        let (folder, demo, server) = try Demo.served()
        let parent = try Self.open(server, demo.parents[0], folder)
        try Self.expect(parent, "? for keys")
        let athlete = try Self.open(server, demo.athletes[0], folder)
        try Self.expect(athlete, "? for keys")
        try athlete.type("/add event --type camp --name \"Late Camp\" --start 2027-03-01\r")
        try Self.expect(athlete, "u to undo")
        #expect(athlete.screen.text.contains("Added Late Camp, Mar 1, 2027  ·  Ctrl-X u to undo"), "\(athlete.screen.text)")
        try Self.expect(parent, "2:Season 1")
        try parent.type("\u{1B}a")
        try Self.expect(parent, "Track camps, showcases, visits, and games")
        let isSeen = try parent.wait { !$0.text.contains("2:Season 1") }
        #expect(isSeen)
        try parent.type("\u{18}b")
        try Self.expect(parent, "Go to — Enter open")
        try parent.type("latec")
        try Self.expect(parent, "> latec")
        try parent.type("\r")
        try Self.expect(parent, "Event   Esc back  e edit  a attended  x delete")
        // A change of the record on screen is seen immediately.
        try athlete.type("/edit event \"Late Camp\" --city Albany\r")
        try Self.expect(parent, "Albany")
        try athlete.type("/edit event \"Late Camp\" --city Albany\r")
        try Self.expect(athlete, "Nothing to change: the values are the same already.")
        try parent.type("xy")
        try Self.expect(parent, "Deleted Late Camp  ·  u to undo")
        try Self.expect(athlete, "deleted Late Camp")
        try parent.type("u")
        try Self.expect(athlete, "undid: deleted Late Camp")
        // The toast goes by itself.
        let isGone = try parent.wait { !$0.text.contains("u to undo") }
        #expect(isGone, "\(parent.screen.text)")
        try parent.type("\u{1B}1")
        try Self.expect(parent, "undid: deleted Late Camp")
        #expect(parent.screen.unknown.isEmpty, "\(parent.screen.unknown)")
        Self.expectSameInLibVTerm(parent)
        Self.expectSameInLibVTerm(athlete)
    }

    @Test("The pictures of the documents, when HUDDLE_PICTURES names a folder", .enabled(if: Environment.value("HUDDLE_PICTURES") != nil))
    func pictures() throws {
        let target = try #require(Environment.value("HUDDLE_PICTURES"))
        let (folder, demo, server) = try Demo.served()
        let parent = try Self.open(server, demo.parents[0], folder, columns: 96, rows: 26)
        try Self.expect(parent, "? for keys")
        let athlete = try Self.open(server, demo.athletes[0], folder)
        try Self.expect(parent, "\(demo.athletes[0].name) is here")
        let name = demo.parents[0].name.split(separator: " ")[0]
        // Of the list of what is next, whatever it is; 07:45 is what the demo says already.
        try athlete.type("/edit 1 --check-in 07:50\r")
        try Self.expect(parent, "check-in time 07:50")
        try athlete.type("@\(name) check-in is at 07:50 now, can we leave at six? 👍🏽\r")
        try Self.expect(parent, "can we leave at six?")
        try parent.type("\u{F}2")
        let isViewing = try parent.wait { $0.line(0).contains("viewing \(demo.athletes[0].name)") || $0.line(0).contains("viewing \(demo.athletes[1].name)") }
        #expect(isViewing)
        try parent.type("Then I pack the car the evening before. @\(demo.athletes[0].name.prefix(2))")
        try Self.expect(parent, "athlete")
        try Files.write(Array(parent.screen.picture().utf8), to: target + "/room.svg")
        try parent.type("\u{3}\u{1B}2")
        try Self.expect(parent, "results")
        try Files.write(Array(parent.screen.picture().utf8), to: target + "/season.svg")
    }
}

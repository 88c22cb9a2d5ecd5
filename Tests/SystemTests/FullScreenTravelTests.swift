import Family
import Glibc
import Posix
import PseudoTerminal
import Terminal
import TestSupport
import Testing

/// Trips, documents and refused changes, typed at the built program.
@Suite("Trips, documents and conflicts on the full screen", .serialized, .lane(.terminals))
struct FullScreenTravelTests: FullScreenSteps {
    private let folder: TemporaryFolder
    private let demo: Demo
    private let server: RunningServer

    init() throws {
        (folder, demo, server) = try Demo.served()
    }

    /// `huddle` of one member, with a state folder of its own that outlasts it.
    private func open(_ member: Demo.Member, url: String? = nil, editor: String = "vi") throws -> PseudoTerminal {
        try Self.open(server, member, folder, url: url, columns: 110, rows: 34, variables: ["EDITOR": editor, "VISUAL": ""])
    }

    /// Athletes before one in a list by name.
    private func athletes(before athlete: Demo.Member) -> Int { demo.athletes.count { $0.name < athlete.name } }

    @Test("R154–R161 A trip by day: stays on every day; overlaps are shown and kept with a reason; moved, deleted, undone")
    func trips() throws {
        let parent = demo.parents[0]
        let terminal = try open(parent)
        try expect(terminal, "? for keys")
        // Behind all others, so that its place in the list is known.
        let program = HuddleProgram(server, token: parent.token)
        for words in [
            ["add", "trip", "name=Albany by night", "start=2035-06-11", "end=2035-06-13"],
            ["add", "item", "trip=Albany by night", "title=Hotel Łódź", "category=accommodation", "start-time=2035-06-11T15:00", "end-time=2035-06-13T11:00"],
            ["add", "item", "trip=Albany by night", "title=Dinner", "category=food", "start-time=2035-06-11T18:00", "end-time=2035-06-11T19:30"],
            ["add", "item", "trip=Albany by night", "title=Batting", "start-time=2035-06-12T19:00", "end-time=2035-06-12T20:00"],
        ] { #expect(try program.run(words).ending == .exited(0)) }
        try terminal.type("\u{1B}3")
        try expect(terminal, "Albany by night")
        try terminal.type(String(repeating: "j", count: 12) + "\r")
        try expect(terminal, "Monday, June 11")
        for words in ["from 15:00", "stays", "until 11:00", "Hotel Łódź", "1h 30m", "Tuesday, June 12", "June 2035"] { try expect(terminal, words) }

        // The day before, it is at the same time as dinner.
        try terminal.type("\u{1B}[C\u{1B}[C\u{1B}[D")
        try terminal.type("j")
        let isBatting = try terminal.wait { $0.text.split(separator: "\n").contains { $0.contains("▸") && $0.contains("Batting") } }
        #expect(isBatting, "\(terminal.screen.text)")
        try terminal.type("s")
        try expect(terminal, "By how many days?")
        try terminal.type("-1\r")
        try expect(terminal, "w keep both")
        try expect(terminal, "Dinner, Jun 11, 2035 18:00 - 19:30")
        try terminal.type("w")
        try expect(terminal, "Why do both fit?")
        try terminal.type("Only Leo bats\r")
        let isMoved = try terminal.wait { screen in
            let lines = screen.text.split(separator: "\n")
            guard let batting = lines.firstIndex(where: { $0.contains("Batting") }), let tuesday = lines.firstIndex(where: { $0.contains("Tuesday, June 12") }) else { return false }
            return batting < tuesday
        }
        #expect(isMoved, "\(terminal.screen.text)")
        #expect(try program.run("history", "--limit", "1").output.contains("Batting"))

        try terminal.type("\u{1B}")
        try expect(terminal, "Enter by day")
        try terminal.type("x")
        try expect(terminal, "Its 3 items go with it.")
        try terminal.type("y")
        // Before that the move is not done, and the key undoes the change before it.
        try expect(terminal, ", with 3 items  ·  u to undo")
        try expectGone(terminal, "  Albany by night")
        try terminal.type("u")
        try expect(terminal, "Jun 11 - 13, 2035")
        #expect(terminal.screen.unknown.isEmpty, "\(terminal.screen.unknown)")
        Self.expectSameInLibVTerm(terminal)
    }

    @Test("R122–R142 A document is uploaded with a bar, others see it, it is downloaded, shared by a link that is revoked, deleted and restored; the layout is kept")
    func documents() throws {
        let (parent, athlete) = (demo.parents[0], demo.athletes[0])
        let content = Array("%PDF-1.4\n".utf8) + (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 7) }
        try Files.write(content, to: folder.path + "/Fall_grades.pdf")
        let terminal = try open(parent)
        try expect(terminal, "? for keys")
        let other = try open(athlete)
        try expect(other, "? for keys")
        for screen in [terminal, other] {
            try screen.type("\u{1B}4")
            try expect(screen, "No documents yet")
        }
        try terminal.type("n")
        try expect(terminal, "Upload Document")
        try terminal.type("\u{13}")
        try expect(terminal, "File is required")
        try terminal.type(folder.path + "/Fall_gr\t")
        try expect(terminal, "Fall_grades.pdf")
        // Down to the type: a transcript, the second of six; then to the title, which came from the file, the school, the text and the athlete.
        try terminal.type("\u{1B}[B\u{1B}[C\u{1B}[C")
        try expect(terminal, "‹ Transcript ›")
        try expect(terminal, "Fall grades")
        try terminal.type("\u{1B}[B\u{1B}[B\u{1B}[B\u{1B}[B" + String(repeating: "\u{1B}[C", count: athletes(before: athlete) + 1))
        try expect(terminal, "‹ \(athlete.name) ›")
        try terminal.type("\r")
        try expect(terminal, "↑ Fall grades  uploaded")
        try expect(terminal, "1 of 1 total")
        try expect(other, "Most: Transcript")
        try expect(other, "Fall grades")

        try terminal.type("\r")
        try expect(terminal, "None. s makes one for a school.")
        try terminal.type("d")
        try expect(terminal, "Save as: ~/Fall_grades.pdf")
        let copy = folder.path + "/copy.pdf"
        try terminal.type("\u{15}\(copy)\r")
        try expect(terminal, "copy.pdf is here.")
        #expect(try Files.read(copy) == content)

        try terminal.type("s")
        try expect(terminal, "A link for which school?")
        try terminal.type("1")
        try expect(terminal, "Copy it now; it won't be shown again.")
        try expect(terminal, "http://127.0.0.1:\(server.port)/")
        try terminal.type("\r")
        try expectGone(terminal, "Copy it now; it won't be shown again.")
        try expect(terminal, "0 views, 0 downloads")
        try terminal.type("jx")
        try expect(terminal, "Revoke the link of")
        try terminal.type("y")
        try expect(terminal, "ended ")

        try terminal.type("kx")
        try expect(terminal, "Are you sure you want to delete this document?")
        try terminal.type("y")
        try expect(other, "No documents yet")
        try terminal.type("u")
        try expect(other, "1 of 1 total")

        // A list next time too.
        try expect(terminal, "1 of 1 total")
        try terminal.type("v")
        try expect(terminal, "▸ 📄 Fall grades")
        try terminal.type("\u{18}\u{3}")
        #expect(try terminal.waitForEnd() == .exited(0))
        #expect(terminal.isCooked && !terminal.screen.isOtherScreen)
        Self.expectSameInLibVTerm(terminal, hasEnded: true)
        let again = try open(parent)
        try expect(again, "viewing everyone's season")
        try again.type("\u{1B}4")
        try expect(again, "▸ 📄 Fall grades")
    }

    @Test("An upload to a server that does not answer delays no key, is shown as waiting, and is stopped; leaving does not wait for it")
    func stalled() throws {
        let parent = demo.parents[0]
        try Files.write(Array("%PDF-1.4\n".utf8), to: folder.path + "/a.pdf")
        let terminal = try open(parent)
        try expect(terminal, "? for keys")
        try server.kill()
        try expect(terminal, "OFFLINE")
        try terminal.type("\u{1B}4n\(folder.path)/a.pdf\u{1B}[B\u{1B}[C\u{1B}[C")
        try expect(terminal, "‹ Transcript ›")
        try terminal.type("\u{1B}[B\u{1B}[B\u{1B}[B\u{1B}[B\u{1B}[C\r")
        try expect(terminal, "Trying again in")
        // Keys work in the meantime: the room and back.
        try terminal.type("\u{1B}1still here\r\u{1B}4")
        try expect(terminal, "1 pending")
        try expect(terminal, "Trying again in")
        try terminal.type("K")
        try expect(terminal, "Stop this?")
        try terminal.type("y")
        try expect(terminal, "Stopped. R continues it.")
        try terminal.type("R")
        try expect(terminal, "Trying again in")
        // With the server back, it continues by itself.
        try server.restart()
        let isUp = try terminal.wait(milliseconds: 40_000) { $0.text.contains("↑ a  uploaded") }
        #expect(isUp, "\(terminal.screen.text)")
        try server.kill()
        try terminal.type("n\(folder.path)/a.pdf\u{1B}[B\u{1B}[C\u{1B}[C\u{1B}[B\u{1B}[B\u{1B}[B\u{1B}[B\u{1B}[C\r")
        try expect(terminal, "Trying again in")
        try terminal.type("\u{18}\u{3}")
        try expect(terminal, "a is on its way")
        try expect(terminal, "/quit again leaves all the same.")
        try terminal.type("\u{18}\u{3}")
        #expect(try terminal.waitForEnd() == .exited(0))
        #expect(terminal.screen.text.contains("1 transfer is not finished; it continues when huddle runs next."), "\(terminal.screen.text)")
    }

    @Test("While 64 MB are uploaded, a key is on the screen as quickly as ever, and the progress advances")
    func busy() throws {
        let path = folder.path + "/long.mp4"
        try Files.write([0, 0, 0, 24] + Array("ftypmp42".utf8) + [UInt8](repeating: 0x5A, count: 64 << 20), to: path)
        let terminal = try open(demo.athletes[0])
        try expect(terminal, "? for keys")
        // A video, because no other type has that extension; the title is the file's, and the athlete is that of the season.
        try terminal.type("\u{1B}4")
        try expect(terminal, "No documents yet")
        try terminal.type("n\(path)\u{1B}[B")
        try expect(terminal, "‹ Highlight Video ›")
        try terminal.type("\u{13}")
        try expect(terminal, "↑ long  ")
        var slowest: Int64 = 0
        var keys = 0
        var percents: Set<String> = []
        while !terminal.screen.text.contains("↑ long  uploaded"), keys < 5_000 {
            let isGrid = terminal.screen.text.contains("v list")
            let began = Clock.monotonicNanoseconds()
            try terminal.type("v")
            let isThere = try terminal.wait { $0.text.contains(isGrid ? "v grid" : "v list") }
            #expect(isThere)
            slowest = max(slowest, Clock.monotonicNanoseconds() - began)
            keys += 1
            let line = terminal.screen.text.split(separator: "\n").first { $0.contains("↑ long") } ?? ""
            if let percent = line.split(separator: " ").last(where: { $0.allSatisfy(\.isNumber) }) { percents.insert(String(percent)) }
        }
        print("\(keys) keys while 64 MB went up, the slowest on the screen after \(slowest / 1_000) µs; \(percents.count) percentages seen")
        try expect(terminal, "↑ long  uploaded")
        #expect(keys > 3 && slowest < 1_000_000_000, "\(keys) keys, \(slowest / 1_000) µs")
    }

    @Test("Choices and texts for a conflict, and a form for an upload, are there again after a kill -9")
    func keptOverKill() throws {
        let (parent, athlete) = (demo.parents[0], demo.athletes[0])
        let program = HuddleProgram(server, token: athlete.token)
        #expect(try program.run("add", "event", "type=camp", "name=Late Camp", "start=2035-03-01", "cost=100", "--athlete", athlete.name).ending == .exited(0))
        var terminal = try open(parent)
        try expect(terminal, "? for keys")
        try server.kill()
        try expect(terminal, "OFFLINE")
        try terminal.type("/edit event \"Late Camp\" --cost 150 --performance-notes \"Bring the cooler\"\r")
        try expect(terminal, "1 pending")
        terminal.signal(SIGSTOP)
        try server.restart()
        #expect(try program.run("edit", "event", "Late Camp", "cost=120", "performance-notes=Gate B").ending == .exited(0))
        terminal.signal(SIGCONT)
        let isTold = try terminal.wait(milliseconds: 30_000) { $0.text.contains("1 conflict") }
        #expect(isTold, "\(terminal.screen.text)")
        // Before any decision: a file that is about to be uploaded.
        try terminal.type("\u{1B}4n")
        try expect(terminal, "Upload Document")
        try terminal.type("/tmp/Spring game.mp4\u{1B}[B")
        try expect(terminal, "‹ Highlight Video ›")
        try terminal.type("\u{18}d\r")
        try expect(terminal, "Bring the cooler")
        // The cost is theirs, the notes are being written.
        try terminal.type("t")
        try expect(terminal, "● 120.00")
        try terminal.type("e and sunscreen")
        try expect(terminal, "and sunscreen")
        let state = folder.path + "/" + parent.name.replacing(" ", with: "") + "/state/huddle"
        try TypingKeptTests.waitForKept("and sunscreen", of: "kept", in: state)
        try TypingKeptTests.waitForKept("/tmp/Spring game.mp4", of: "upload 1", in: state)
        terminal.signal(SIGKILL)
        _ = try terminal.waitForEnd()

        terminal = try open(parent)
        try expect(terminal, "Restored the form of an upload: Alt-4 shows it.")
        try expect(terminal, "Restored your choices for a conflict: Alt-5 shows it.")
        try terminal.type("\u{1B}4")
        for words in ["/tmp/Spring game.mp4", "Spring game", "Highlight Video"] { try expect(terminal, words) }
        try terminal.type("\u{1B}5")
        for words in ["● 120.00", "and sunscreen"] { try expect(terminal, words) }
        try terminal.type("\r")
        try expect(terminal, "● new")
        try terminal.type("\r")
        try expect(terminal, "Decided, and sent.")
        try expect(terminal, "Nothing was refused, and nothing is waiting.")
        let shown = try program.run("events", "--search", "Late", "--json").output
        #expect(shown.contains("and sunscreen") && shown.contains("120.00"), "\(shown)")
        // After the decision and a restart, nothing of it comes back.
        try terminal.type("\u{1B}4")
        // Esc alone until it was read: together with further octets it would be another key.
        try expect(terminal, "─ Upload Document ─")
        try terminal.type("\u{1B}")
        try expect(terminal, "Cancel this upload?")
        try terminal.type("y")
        try expectGone(terminal, "─ Upload Document ─")
        try terminal.type("\u{1B}1/quit\r")
        #expect(try terminal.waitForEnd() == .exited(0))
        terminal = try open(parent)
        try expect(terminal, "? for keys")
        #expect(!terminal.screen.text.contains("is still"), "\(terminal.screen.text)")
        terminal.signal(SIGKILL)
        _ = try terminal.waitForEnd()
    }

    @Test("A conflict is decided field by field: theirs, yours, and a new text from the member's own editor; no unseen change of others is overwritten")
    func conflict() throws {
        let (parent, athlete) = (demo.parents[0], demo.athletes[0])
        let program = HuddleProgram(server, token: athlete.token)
        #expect(try program.run("add", "event", "type=camp", "name=Late Camp", "start=2035-03-01", "city=Albany", "cost=100", "--athlete", athlete.name).ending == .exited(0))
        // An editor that takes the text and adds a line.
        let editor = folder.path + "/editor.sh"
        try Files.write(Array("#!/bin/sh\nprintf '\\nand sunscreen\\n' >> \"$1\"\n".utf8), to: editor, mode: 0o700)
        let terminal = try open(parent, editor: editor)
        try expect(terminal, "? for keys")
        try server.kill()
        try expect(terminal, "OFFLINE")
        try terminal.type("/edit event \"Late Camp\" --city Boston --cost 150 --performance-notes \"Bring the cooler\" --registered\r")
        try expect(terminal, "1 pending")
        // While this program is stopped, another member is quicker.
        terminal.signal(SIGSTOP)
        try server.restart()
        #expect(try program.run("edit", "event", "Late Camp", "city=Ithaca", "cost=120", "performance-notes=Gate B").ending == .exited(0))
        terminal.signal(SIGCONT)
        let isTold = try terminal.wait(milliseconds: 30_000) { $0.text.contains("1 conflict") }
        #expect(isTold, "\(terminal.screen.text)")

        try terminal.type("\u{18}d")
        try expect(terminal, "0 of 3 fields are chosen.")
        try terminal.type("\r")
        for words in ["yours", "theirs", "before", "Boston", "Ithaca", "Albany", "150.00", "120.00", "Bring the cooler", "Gate B", "Registered  only you changed it"] {
            try expect(terminal, words)
        }
        // In the order of the declaration; each choice moves on to the next open one.
        try terminal.type("\r")
        try expect(terminal, "Choose for ")
        try terminal.type("T")
        try terminal.type(String(repeating: "k", count: 5))
        func expectMarked(_ name: String) throws {
            let isThere = try terminal.wait { $0.text.split(separator: "\n").contains { $0.contains("▎") && $0.contains(name) } }
            #expect(isThere, "\(name) is not marked in:\n\(terminal.screen.text)")
        }
        try expectMarked("Cost")
        try terminal.type("jjj")
        try expectMarked("Performance notes")
        try terminal.type("e")
        try expect(terminal, "Combined")
        try terminal.type("\u{18}\u{5}")
        try expect(terminal, "and sunscreen")
        try expect(terminal, "● new")
        try terminal.type("\r")
        try expect(terminal, "Decided, and sent.")
        try expect(terminal, "Nothing was refused, and nothing is waiting.")
        let shown = try program.run("events", "--search", "Late", "--json").output
        for words in ["\"city\":\"Ithaca\"", "\"cost\":\"120.00\"", "Gate B\\nBring the cooler\\nand sunscreen", "\"registered\":true"] {
            #expect(shown.contains(words), "\(words) is not in \(shown)")
        }
    }

    @Test("A refused change stays until it is sent again, changed or discarded")
    func refused() throws {
        let parent = demo.parents[0]
        let program = HuddleProgram(server, token: parent.token)
        #expect(try program.run("add", "trip", "name=Far away", "start=2035-06-11").ending == .exited(0))
        #expect(try program.run("add", "item", "trip=Far away", "title=Dinner", "start-time=2035-06-11T18:00", "end-time=2035-06-11T19:30").ending == .exited(0))
        let terminal = try open(parent)
        try expect(terminal, "? for keys")
        try terminal.type("/add item --trip \"Far away\" --title Batting --start-time 2035-06-11T19:00 --end-time 2035-06-11T20:00\r")
        try expect(terminal, "1 refused")
        try terminal.type("\u{1B}5")
        try expect(terminal, "is at the same time as")
        // Changed: the command is in the room's line again; the draft stays until it is discarded.
        try terminal.type("e")
        try expect(terminal, "> /add item trip-id=")
        try terminal.type("\u{3}\u{1B}5x")
        try expect(terminal, "Discard this?")
        try terminal.type("n")
        try expectGone(terminal, "Discard this?")
        try terminal.type("w")
        try expect(terminal, "Why do both fit?")
        try terminal.type("One each\r")
        try expect(terminal, "Nothing was refused, and nothing is waiting.")
        #expect(try program.run("items", "--trip", "Far away").output.contains("Batting"))
    }
}

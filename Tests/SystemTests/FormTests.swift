import Posix
import PseudoTerminal
import Testing

@Suite("Forms on the full screen against a running server", .serialized, .lane(.terminals))
struct FormTests: FullScreenSteps {
    @Test("R056 R070 An event by keys: what lacks is said, what is saved is shown and seen by the others, and is taken back by one key")
    func addEvent() throws {
        let (folder, demo, server) = try Demo.served()
        let athlete = try FullScreenTests.open(server, demo.athletes[0], folder)
        try Self.expect(athlete, "? for keys")
        let parent = try FullScreenTests.open(server, demo.parents[0], folder)
        try Self.expect(parent, "? for keys")
        try athlete.type("\u{1B}2n")
        try Self.expect(athlete, "Add New Event")
        try athlete.type("\u{13}")
        try Self.expect(athlete, "Please complete all required fields")
        try Self.expect(athlete, "Event name is required")
        try athlete.type("c\tForm Camp\t")
        // The chat is a look away, and the form waits.
        try athlete.type("\u{1B}1")
        try Self.expect(athlete, "? for keys")
        try athlete.type("\u{1B}/")
        try Self.expect(athlete, "Form Camp")
        // School, host, source, cost, link; then the date.
        try athlete.type("\t\t\t\t\t2027-03-01\t")
        try Self.expect(athlete, "2027-03-01  Mon")
        try athlete.type("\u{13}")
        try Self.expect(athlete, "Event   Esc back  e edit  a attended")
        try Self.expect(athlete, "Added Form Camp, Mar 1, 2027  ·  u to undo")
        try Self.expect(parent, "added Form Camp, Mar 1, 2027")

        // Changed: only what is different.
        try athlete.type("e")
        try Self.expect(athlete, "Edit Event")
        try athlete.type("\u{15}Winter Camp\u{13}")
        try Self.expect(athlete, "Winter Camp  Camp  Not Registered")
        try Self.expect(parent, "event name Winter Camp")
        try athlete.type("u")
        let isBack = try athlete.wait { $0.text.contains("Form Camp  Camp  Not Registered") }
        #expect(isBack, "\(athlete.screen.text)")
        // One Esc does not lose the typed text.
        try athlete.type("e")
        try Self.expect(athlete, "Edit Event")
        try athlete.type("x\u{1B}")
        try Self.expect(athlete, "Discard changes?")
        try athlete.type("n")
        let goesOn = try athlete.wait { !$0.text.contains("Discard changes?") && $0.text.contains("Form Campx") }
        #expect(goesOn)
        try athlete.type("\u{1B}")
        try Self.expect(athlete, "Discard changes?")
        try athlete.type("y")
        let isClosed = try athlete.wait { !$0.text.contains("Edit Event") && $0.text.contains("Form Camp") && !$0.text.contains("Campx") }
        #expect(isClosed, "\(athlete.screen.text)")
        #expect(athlete.screen.unknown.isEmpty, "\(athlete.screen.unknown)")
        Self.expectSameInLibVTerm(athlete)
    }

    @Test("R164 A form closes only on success: what overlaps is asked about in it, and with a reason it goes through; what is refused stays")
    func closesOnSuccess() throws {
        let (folder, demo, server) = try Demo.served()
        let program = HuddleProgram(server, token: demo.parents[0].token)
        #expect(try program.run("add", "trip", "name=Far away", "start=2035-06-11").ending == .exited(0))
        #expect(try program.run("add", "item", "trip=Far away", "title=Dinner", "start-time=2035-06-11T09:15", "end-time=2035-06-11T09:45").ending == .exited(0))
        let terminal = try FullScreenTests.open(server, demo.parents[0], folder, columns: 110, rows: 34)
        try Self.expect(terminal, "? for keys")
        try terminal.type("\u{1B}gfaraway\r")
        try Self.expect(terminal, "Far away")
        try terminal.type("\u{1B}3")
        try Self.expect(terminal, "Far away")
        try terminal.type(String(repeating: "j", count: 12) + "\r")
        try Self.expect(terminal, "Monday, June 11")
        // At nine for an hour, as it is proposed: at the same time as dinner.
        try terminal.type("n")
        try Self.expect(terminal, "Add New")
        try FullScreenTests.click(terminal, "Title*")
        try terminal.type("Batting\u{13}")
        try Self.expect(terminal, "w keep both")
        try Self.expect(terminal, "Dinner, Jun 11, 2035 09:15 - 09:45")
        try Self.expect(terminal, "1 refused")
        #expect(try !program.run("items", "--trip", "Far away").output.contains("Batting"))
        // Back to the form: the typed values are still in it; saving again is refused again, and is still one refused change.
        try terminal.type("e")
        let isBack = try terminal.wait { !$0.text.contains("w keep both") && $0.text.contains("Batting") && $0.text.contains("Add New") }
        #expect(isBack, "\(terminal.screen.text)")
        try terminal.type("\u{13}")
        try Self.expect(terminal, "w keep both")
        try Self.expect(terminal, "1 refused")
        try terminal.type("w")
        try Self.expect(terminal, "Why do both fit?")
        try terminal.type("One each\r")
        let isDone = try terminal.wait { !$0.text.contains("Add New") && !$0.text.contains("refused") && $0.text.contains("Batting") }
        #expect(isDone, "\(terminal.screen.text)")
        #expect(try program.run("items", "--trip", "Far away").output.contains("Batting"))
        try Self.expect(terminal, "u to undo")
        try terminal.type("u")
        let isGone = try terminal.wait { $0.text.contains("Undone: ") && !$0.text.contains("🚶 Batting") }
        #expect(isGone, "\(terminal.screen.text)")

        // Without a server it is kept, and that is all there is to wait for.
        try server.kill()
        try Self.expect(terminal, "OFFLINE")
        try terminal.type("n")
        try Self.expect(terminal, "Add New")
        try FullScreenTests.click(terminal, "Title*")
        try terminal.type("Late walk\u{13}")
        try Self.expect(terminal, "Kept, and sent when the server is back.")
        try Self.expect(terminal, "1 pending")
        #expect(terminal.screen.unknown.isEmpty, "\(terminal.screen.unknown)")
    }

    @Test("A form does not overwrite a change of the same field by another member: it shows both sides immediately, and closes when the conflict is decided")
    func conflict() throws {
        let (folder, demo, server) = try Demo.served()
        let program = HuddleProgram(server, token: demo.parents[0].token)
        let athlete = demo.athletes[0]
        #expect(try program.run("add", "event", "type=camp", "name=Late Camp", "start=2035-03-01", "city=Albany", "--athlete", athlete.name).ending == .exited(0))
        let terminal = try FullScreenTests.open(server, athlete, folder, columns: 110, rows: 44)
        try Self.expect(terminal, "? for keys")
        try terminal.type("\u{1B}glatecamp\r")
        try Self.expect(terminal, "Coaches Present")
        try terminal.type("e")
        try Self.expect(terminal, "Edit Event")
        try FullScreenTests.click(terminal, "City")
        try terminal.type("\u{15}Boston")
        #expect(try program.run("edit", "event", "Late Camp", "city=Ithaca", "cost=120").ending == .exited(0))
        // Changes of others appear where nothing was typed.
        try Self.expect(terminal, "120.00")
        try terminal.type("\u{13}")
        for words in ["yours", "theirs", "Boston", "Ithaca"] { try Self.expect(terminal, words) }
        try Self.expect(terminal, "1 conflict")
        try terminal.type("y\r")
        try Self.expect(terminal, "Nothing was refused, and nothing is waiting.")
        try terminal.type("q")
        try Self.expect(terminal, "Late Camp  Camp  Not Registered")
        try Self.expect(terminal, "Boston")
        #expect(!terminal.screen.text.contains("Edit Event"))
        let shown = try program.run("events", "--search", "Late", "--json").output
        #expect(shown.contains("\"city\":\"Boston\"") && shown.contains("\"cost\":\"120.00\""), "\(shown)")
    }

    @Test("R088 R093 R085 Attended with an interaction and a result is one change, the event shows all of it, and one key takes all of it back")
    func attended() throws {
        let (folder, demo, server) = try Demo.served()
        let terminal = try FullScreenTests.open(server, demo.athletes[0], folder, rows: 40)
        try Self.expect(terminal, "? for keys")
        try terminal.type("/add event --type camp --name \"Log Camp\" --start 2026-03-01\r")
        try Self.expect(terminal, "Added Log Camp")
        try terminal.type("\u{1B}glogcamp\r")
        try Self.expect(terminal, "Coaches Present")
        try Self.expect(terminal, "Event not linked to school")
        try terminal.type("a")
        try Self.expect(terminal, "Optional: did you have any coaching interactions at Log Camp?")
        // Coaches, notes, then what was said; type, direction, coach, sentiment; then a result.
        try terminal.type("\t\tAsked about my grades.\t\t\t\t\tp\t\t1.87\u{13}")
        try Self.expect(terminal, "Log Camp  Camp  Attended")
        try Self.expect(terminal, "Metrics Recorded at This Event")
        try Self.expect(terminal, "1.87 sec")
        try Self.expect(terminal, "Asked about my grades.")
        try terminal.type("u")
        let isBack = try terminal.wait { $0.text.contains("Log Camp  Camp  Not Registered") && !$0.text.contains("1.87 sec") && !$0.text.contains("Asked about my grades.") }
        #expect(isBack, "\(terminal.screen.text)")

        // One more of each, by itself: the event is there already.
        try terminal.type("p")
        try Self.expect(terminal, "Log Performance Metric")
        try terminal.type("p\t\t1.91\u{13}")
        try Self.expect(terminal, "1.91 sec")
        try terminal.type("i")
        try Self.expect(terminal, "Log Interaction   Ctrl-S")
        try terminal.type("p\tc\t\tCalled about June.\u{13}")
        try Self.expect(terminal, "Phone · Coach contacted us")
        try Self.expect(terminal, "Called about June.")

        // An unknown school is added from its field.
        try terminal.type("e")
        try Self.expect(terminal, "Edit Event")
        try terminal.type("\tForm College")
        try Self.expect(terminal, "+ Add new school: Form College")
        try terminal.type("\r")
        try Self.expect(terminal, "Add New School   Ctrl-S")
        try terminal.type("\tAlbany, New York\u{13}")
        let isChosen = try terminal.wait { $0.text.contains("Edit Event") && $0.text.contains("Form College") && !$0.text.contains("Add New School") }
        #expect(isChosen, "\(terminal.screen.text)")
        try terminal.type("\u{13}")
        try Self.expect(terminal, "No coaches recorded")
        #expect(terminal.screen.unknown.isEmpty, "\(terminal.screen.unknown)")
        Self.expectSameInLibVTerm(terminal)
    }

    @Test("Offline a form is saved and waits, whatever its kind", arguments: [
        ("school", "Offline College", "Add New School"), ("coach", "Nora\tOkafor", "Add New Coach"), ("trip", "Albany\t2027-06-11", "Add New Trip"),
    ])
    func otherKinds(kind: String, keys: String, title: String) throws {
        let (folder, demo, server) = try Demo.served()
        let terminal = try FullScreenTests.open(server, demo.parents[0], folder)
        try Self.expect(terminal, "? for keys")
        try server.kill()
        try Self.expect(terminal, "OFFLINE")
        try terminal.type("/add \(kind)\r")
        try Self.expect(terminal, title)
        try terminal.type(keys + "\u{13}")
        try Self.expect(terminal, "1 pending")
        try server.restart()
        let isSent = try terminal.wait(milliseconds: 30_000) { !$0.text.contains("1 pending") && $0.text.contains("u to undo") }
        #expect(isSent, "\(terminal.screen.text)")
    }
}

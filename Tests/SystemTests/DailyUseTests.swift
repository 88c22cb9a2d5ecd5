import Posix
import PseudoTerminal
import TestSupport
import Testing

@Suite("Daily use: the room on a terminal, lines that are read aloud", .serialized, .lane(.terminals))
struct DailyUseTests {
    @Test("One's own acts are shown with a star; Tab completes commands, names and arguments; a text that is too long stays to be cut; /clear")
    func room() throws {
        let (folder, demo, server) = try Demo.served()
        let (member, child) = (demo.parents[0], demo.athletes[0])
        let parent = try FullScreenTests.open(server, member, folder)
        let athlete = try FullScreenTests.open(server, child, folder)
        try FullScreenTests.expect(parent, "? for keys")
        try FullScreenTests.expect(athlete, "? for keys")
        let (first, other) = (String(member.name.prefix { $0 != " " }), String(child.name.prefix { $0 != " " }))

        try parent.type("/me doesn't mind :tada:\r")
        try FullScreenTests.expect(athlete, "* │ \(first) doesn't mind 🎉")
        // A name without a sigil, a command's own names, an option.
        try parent.type("see \(other.prefix(3).lowercased())\t")
        try FullScreenTests.expect(parent, "> see @\(child.name)")
        try parent.type("\u{3}/context \(other.prefix(2))\t")
        try FullScreenTests.expect(parent, "> /context \"\(child.name)\"")
        try parent.type("\r")
        try FullScreenTests.expect(parent, "viewing \(child.name)'s season")
        try parent.type("/events --ty\t")
        try FullScreenTests.expect(parent, "> /events --type")
        try parent.type("\u{3}/evnts\r")
        try FullScreenTests.expect(parent, "There is no command /evnts: did you mean /events?")
        // A slip of the pen: Ctrl-Up, e.
        try parent.type("helo wrld\r")
        try FullScreenTests.expect(athlete, "helo wrld")
        try parent.type("\u{1B}[1;5Ae")
        try FullScreenTests.expect(parent, "> helo wrld")
        try parent.type("\u{15}hello world\r")
        try FullScreenTests.expect(athlete, "hello world (edited)")
        #expect(!athlete.screen.text.contains("helo wrld"))
        // The last word of the line before; the page below and back.
        try parent.type("look \u{1B}.")
        try FullScreenTests.expect(parent, "> look world")
        try parent.type("\u{3}\u{1B}[1;3B")
        try FullScreenTests.expect(parent, "Track camps, showcases, visits, and games")
        try parent.type("\u{1B}<")
        try FullScreenTests.expect(parent, "did you mean /events?")

        let long = String(repeating: "long ", count: 850) + "end"
        try parent.type("\u{1B}[200~\(long)\u{1B}[201~")
        try FullScreenTests.expect(parent, "4253 characters, a message has at most 4000")
        try parent.type("\r")
        try FullScreenTests.expect(parent, "Message is at most 4000 characters long")
        try FullScreenTests.expect(parent, "long end")
        // Sixty words less, and it goes.
        try parent.type(String(repeating: "\u{17}", count: 60) + "gone\r")
        try FullScreenTests.expect(athlete, "long gone")
        let isEmpty = try parent.wait { $0.line(29).trimmed == ">" }
        #expect(isEmpty, "\(parent.screen.text)")
        try parent.type("/find WORLD\r")
        try FullScreenTests.expect(parent, "r comment  e rewrite  u undo")
        try parent.type("n")
        try FullScreenTests.expect(parent, "Nothing older that is loaded has “world” in it.")
        try parent.type("q/clear\r")
        let isClear = try parent.wait { !$0.text.contains("Message is at most") && !$0.text.contains("did you mean") }
        #expect(isClear, "\(parent.screen.text)")
        for terminal in [parent, athlete] {
            #expect(terminal.screen.unknown.isEmpty, "\(terminal.screen.unknown)")
            try terminal.type("/quit\r")
            let ending = try terminal.waitForEnd()
            #expect(ending == .exited(0))
        }
    }

    /// A day with `--plain`: every line can be read aloud.
    private static let day = """
        /status
        Good morning, is anybody up?
        /events
        /event 1
        /attend 1 --quick --metric velocity=81
        /metrics
        /interactions
        /undo
        /edit event 1 cost=75
        /history
        /add school name="Plain State" location="Ames, Iowa"
        /schools plain
        /coaches
        /trips
        /trip 1
        /itinerary
        /items
        /docs
        /members
        /me packs the car
        /find cooler
        /outbox
        /conflicts
        /status
        """

    @Test("--plain from morning to evening: no columns, arrows or ids that have to be heard, and a sentence for each thing")
    func plainDay() throws {
        let (_, demo, server) = try Demo.served()
        let huddle = HuddleProgram(server, token: demo.parents[0].token)
        let told = try huddle.run(["--plain", "--timeout", "60"], input: Self.day)
        #expect(told.ending == .exited(0), "\(told.output) \(told.errors)")
        let lines = told.output.split(separator: "\n").map(String.init)
        for line in lines {
            let words = line.drop { $0 == " " }
            #expect(!words.contains("  ") || line.contains("("), "columns: \(line)")
            #expect(!line.contains("→") && !line.contains("\u{1B}"), "\(line)")
            #expect(!["ID ", "NAME", "DATE"].contains { words.hasPrefix($0) }, "\(line)")
        }
        for wanted in [
            "Online: \(server.url).", "Showing everyone's season.", "Nobody else is here.", "Nothing waits to be sent.", "Nothing was refused.",
            "Plain State. Ames, Iowa.", " to ",
        ] {
            #expect(told.output.contains(wanted), "\(wanted) is not in:\n\(told.output)")
        }
        #expect(lines.contains { $0.hasPrefix("1. ") && $0.contains(", Registered.") }, "\(told.output)")
        #expect(lines.contains { $0.hasPrefix("Event type:") && $0.hasSuffix(".") })
        #expect(lines.contains { $0.contains("* \(demo.parents[0].name) packs the car") })
        #expect(lines.contains { $0.contains(". Fastball Velocity, 81") })
        #expect(lines.contains { $0.contains(": cost 75.00") })
        // The same of a list by itself, there with the id that the next command takes.
        let list = try huddle.run("trips", "--plain").output
        #expect(list.split(separator: "\n").allSatisfy { $0.contains(". Id ") && !$0.contains("  ") } && !list.isEmpty, "\(list)")
        try server.stop()
    }

    @Test("--plain asks field by field: each answer is checked immediately, the others stay, and the form can be discarded")
    func plainQuestions() throws {
        let (_, demo, server) = try Demo.served()
        let huddle = HuddleProgram(server, token: demo.parents[0].token)
        let terminal = try huddle.open("--plain", columns: 160)
        func answer(_ line: String, _ told: String) throws {
            try terminal.type(line + "\r")
            try FullScreenTests.expect(terminal, told)
        }
        try FullScreenTests.expect(terminal, "Next:")
        let athlete = demo.athletes[0].name
        try answer("/add event", "one of: \(demo.athletes.map(\.name).sorted().joined(separator: ", "))")
        try FullScreenTests.expect(terminal, "Enter leaves a field empty, /cancel gives it up.")
        try answer("Nobody", "There is no athlete 'Nobody'. Name one of ")
        try answer(demo.parents[0].name, "\(demo.parents[0].name) isn't an athlete. Name one of ")
        try answer(athlete, "Event type:")
        try answer("zoo", "Event type takes one of camp, ")
        try answer("/events", "Event type is asked for: answer it, or write /cancel.")
        try answer("Official Visit", "Event name:")
        try answer("Plain Visit", "Start date (YYYY-MM-DD):")
        try answer("2027-02-30", "Start date")
        try answer("2027-03-02", "End date (YYYY-MM-DD):")
        try answer("2027-03-01", "Start time (HH:MM):")
        for label in ["End time (HH:MM):", "City:", "State", "Cost"] { try answer("", label) }
        try answer("", "End date must be after start date")
        try answer("2027-03-03", "added Plain Visit, Mar 2 - 3, 2027")
        // Ctrl-C gives up the question, not the program.
        try answer("/add school", "School name:")
        try terminal.type("\u{3}")
        try FullScreenTests.expect(terminal, "Cancelled.")
        try answer("/add school", "School name:")
        try answer("/cancel", "Cancelled.")
        try terminal.type("/quit\r")
        let ending = try terminal.waitForEnd()
        #expect(ending == .exited(0) && !terminal.written.contains(0x1B))
    }

    @Test("--plain without a server says so, accepts messages, and /status shows the waiting ones")
    func plainOffline() throws {
        let (_, demo, server) = try Demo.served()
        let huddle = HuddleProgram(server, token: demo.parents[0].token)
        _ = try huddle.run(["--plain"], input: "/status\n")
        try server.stop()
        let told = try huddle.run(["--plain", "--timeout", "2"], input: "Written offline\n/status\n/reconnect\n")
        #expect(told.ending == .exited(5))
        for wanted in ["Waiting to be sent: message: Written offline", "Offline: ", "It is tried again by itself; /reconnect tries now.", "1 change waits to be sent: /outbox.", "Trying \(server.url) now."] {
            #expect(told.output.contains(wanted), "\(wanted) is not in:\n\(told.output)")
        }
    }

    @Test("set mouse off leaves the mouse to the terminal", arguments: [true, false])
    func mouse(isOn: Bool) throws {
        let (folder, demo, server) = try Demo.served()
        let member = demo.parents[0]
        let home = folder.path + "/" + member.name.replacing(" ", with: "")
        try Files.makeFolders(home + "/huddle")
        try Files.write(Array("set mouse \(isOn ? "on" : "off")\n".utf8), to: home + "/huddle/config")
        let terminal = try FullScreenTests.open(server, member, folder)
        try FullScreenTests.expect(terminal, "? for keys")
        #expect(terminal.screen.modes.contains(1002) == isOn)
        #expect(!terminal.screen.text.contains("is left out"), "\(terminal.screen.text)")
        try terminal.type("/quit\r")
        let ending = try terminal.waitForEnd()
        #expect(ending == .exited(0))
    }
}

extension SystemTests {
    @Suite("huddle, scripted: an error is one helpful line, with the documented status") struct ScriptingErrorTests {
        private let folder: TemporaryFolder
        private let demo: Demo
        private let server: RunningServer
        private let parent: HuddleProgram

        init() throws {
            (folder, demo, server) = try Demo.served()
            parent = HuddleProgram(server, token: demo.parents[0].token)
        }

        @Test("wrong words are refused in one line that says what to write", arguments: [
            ("evnts", "There is no command 'evnts': did you mean huddle events?"), ("upload x", "There is no command 'upload': did you mean huddle docs upload?"),
            ("xyzzy", "There is no command 'xyzzy'. See huddle --help."), ("events --upcomming", "There is no option --upcomming: did you mean --upcoming?"),
            ("events --xyzzy", "There is no option --xyzzy. See huddle help events."), ("help xyzzy", "There is no command or topic 'xyzzy'. huddle help lists them."),
            ("completions tcsh", "Write: huddle completions SHELL, with SHELL one of bash, zsh, fish"), ("history xyzzy", "No record is called 'xyzzy'."),
            ("edit event xyzzy cost=1", "There is no event 'xyzzy'. See the list of events."), ("rm xyzzy", "No record is called 'xyzzy'."),
            ("edit event Showcase cost=1", "There is no event 'Showcase'. Did you mean "), ("itinerary Prospect", "There is no trip 'Prospect'. Did you mean "),
        ])
        func wrongWords(words: String, sentence: String) throws {
            let answer = try parent.run(words.split(separator: " ").map(String.init))
            #expect(answer.ending == .exited(2) && answer.output.isEmpty)
            #expect(answer.errors.hasPrefix("huddle: \(sentence)") && answer.errors.count { $0 == "\n" } == 1, "\(answer.errors)")
        }

        @Test("1: what cannot be written is a failure, of every kind of command", arguments: [
            "events", "events --json", "stats", "export events", "help", "help --man", "completions bash", "outbox", "watch --json --since 1", "events --watch", "batch", "batch --json",
        ])
        func fullDevice(words: String) throws {
            let command = "exec '\(try Programs.path("huddle"))' \(words) > /dev/full"
            let answer = try Programs.run(
                "/bin/sh", ["-c", command],
                environment: ["PATH=/usr/bin:/bin", "HOME=\(folder.path)", "HUDDLE_SERVER=\(server.url)", "HUDDLE_TOKEN=\(demo.parents[0].token)"], input: Array("events\n".utf8))
            #expect(answer.ending == .exited(1), "\(answer.errors)")
            #expect(answer.errors.contains("The output could not be written: No space left on device."), "\(answer.errors)")
        }

        @Test("watch ends when nobody reads its output any more, without waiting for the next change", arguments: ["watch --json --since 1", "events --watch", "events --watch --json"])
        func brokenPipe(words: String) throws {
            let command = "'\(try Programs.path("huddle"))' \(words) | head -n 1"
            let answer = try Programs.run(
                "/bin/sh", ["-c", command],
                environment: ["PATH=/usr/bin:/bin", "HOME=\(folder.path)", "HUDDLE_SERVER=\(server.url)", "HUDDLE_TOKEN=\(demo.parents[0].token)"], input: [])
            #expect(answer.ending == .exited(0) && answer.output.count { $0 == "\n" } == 1, "\(answer.errors)")
        }

        @Test("the number of a closed standard stream is not used again", arguments: ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
        func closedStreams(redirection: String) throws {
            let command = "'\(try Programs.path("huddle"))' say 'streams \(redirection)' \(redirection); exit 0"
            _ = try Programs.run(
                "/bin/sh", ["-c", command],
                environment: ["PATH=/usr/bin:/bin", "HOME=\(folder.path)", "HUDDLE_SERVER=\(server.url)", "HUDDLE_TOKEN=\(demo.parents[0].token)"], input: [])
            #expect(try parent.run("messages", "--json").output.contains("streams \(redirection)"))
        }
    }
}

extension String {
    fileprivate var trimmed: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}

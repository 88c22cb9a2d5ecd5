import Bytes
import Commands
import Family
import Posix
import TestSupport
import Testing
import Words

extension SystemTests {
    /// Batches, lists that are watched, and `--json` of every command (`proto/cli.md`).
    @Suite("huddle, scripted: batch, --watch, --json of every command") struct ScriptingTests {
        private let folder: TemporaryFolder
        private let demo: Demo
        private let server: RunningServer
        private let parent: HuddleProgram

        init() throws {
            (folder, demo, server) = try Demo.served()
            parent = HuddleProgram(server, token: demo.parents[0].token)
        }

        @Test("a batch runs its lines over one connection, answers each with one line, and ends with the status of the first that failed")
        func batch() throws {
            let lines = """
                # a season
                add school name="Zed State"
                add coach first-name=Zoe last-name=Quill school="Zed State"

                coaches Quill
                events attend "no such event"
                add event type=camp name=Camp start=2030-02-02 end=2030-02-01 --athlete Elena
                huddle say Done
                stats
                """
            let answer = try parent.run(["batch", "--json"], input: lines)
            #expect(answer.ending == .exited(2))
            let results = try answer.lines()
            #expect(results.map { $0["line"]?.integer } == [2, 3, 5, 6, 7, 8, 9])
            #expect(results.map { $0["status"]?.integer } == [0, 0, 0, 2, 3, 0, 0])
            #expect(results.map { $0["output"]?.elements.first?["type"]?.string } == ["ack", "ack", nil, nil, "reject", "ack", "statistics"])
            #expect(results[2]["output"]?.elements.first?["fields"]?["last_name"]?.string == "Quill")
            #expect(results[3].keys == ["line", "status", "error", "output"] && results[0].keys == ["line", "status", "output"])
            #expect(results[3]["error"]?.string?.contains("no such event") == true)
            #expect(answer.errors.isEmpty)

            // As text: what each prints by itself, complaints with their line.
            let text = try parent.run(["-"], input: lines.replacing("Zed State", with: "Yot State"))
            #expect(text.ending == .exited(2) && text.output.contains("added Yot State"))
            #expect(text.errors.contains("huddle: line 6: ") && text.errors.contains("huddle: line 7: "), "\(text.errors)")
            let stopped = try parent.run(["batch", "--stop", "--json"], input: "events attend nothing\nsay Not said\n")
            #expect(try stopped.ending == .exited(2) && stopped.lines().count == 1)
            #expect(try parent.run("messages", "Not said", "--json").output.isEmpty)
        }

        @Test("a batch answers each line before the next is written, as a program at the other end of a pipe needs it")
        func coprocess() throws {
            let child = try ChildProcess.start(
                [Programs.path("huddle"), "batch", "--json", "--server", server.url],
                environment: ["HOME=\(folder.path)", "PATH=/usr/bin:/bin", "HUDDLE_TOKEN=\(demo.parents[0].token)"], input: .piped)
            for number in 1...3 {
                try child.write("say Number \(number)\n")
                let result = try JSONValue(try #require(try child.readLine(timeoutMilliseconds: 15_000)))
                #expect(result["line"]?.integer == Int64(number) && result["status"]?.integer == 0)
            }
            child.closeInput()
            #expect(try child.wait(timeoutMilliseconds: 10_000) == .exited(0))
        }

        @Test("a command that a batch does not support is refused with its line, the others continue", arguments: [
            "watch", "help", "join ABC", "batch", "docs upload", "events --offline", "events --watch", "events --server ws://x", "export events", "say \"x",
        ])
        func refusedLines(line: String) throws {
            let answer = try parent.run(["batch", "--json"], input: line + "\nsay On\n")
            #expect(answer.ending == .exited(2))
            #expect(try answer.lines().map { $0["status"]?.integer } == [2, 0])
        }

        @Test("--atomic makes all lines one change, which later lines may build on, and one undo takes back")
        func atomic() throws {
            let lines = """
                add trip name="Albany, one night" start=2031-06-11 end=2031-06-12
                add item trip="Albany, one night" title="Dinner by the lake" start-time=2031-06-11T18:00 end-time=2031-06-11T19:30
                add school name="Zed State"
                add coach first-name=Zoe last-name=Quill school="Zed State"
                """
            let answer = try parent.run(["batch", "--atomic", "--json"], input: lines)
            #expect(answer.ending == .exited(0), "\(answer.errors)\(answer.output)")
            let ack = try answer.json()
            #expect(ack["type"]?.string == "ack" && ack["records"]?.elements.count == 4)
            #expect(try parent.run("items", "Dinner by the lake", "--json").lines().count == 1)
            #expect(try parent.run("undo").ending == .exited(0))
            #expect(try parent.run("items", "Dinner by the lake", "--json").output.isEmpty)
            #expect(try parent.run("schools", "Zed State", "--json").output.isEmpty)

            // One that the rules refuse keeps all back.
            let refused = try parent.run(
                ["batch", "--atomic", "--json"],
                input: "say Not said\nadd event type=camp name=Camp start=2030-02-02 end=2030-02-01 --athlete Elena\n")
            #expect(refused.ending == .exited(3) && refused.errors.contains("Line 2"), "\(refused.errors)")
            for (line, word) in [("events", "every line is a change"), ("undo", "none an undo"), ("edit school Yale2 location=X", "Line 2")] {
                let wrong = try parent.run(["batch", "--atomic"], input: "say Not said\n\(line)\n")
                #expect(wrong.ending == .exited(2) && wrong.errors.contains(word), "\(wrong.errors)")
            }
            let twice = try parent.run(["batch", "--atomic"], input: "add school name=Yot\nedit school Yot location=Albany\n")
            #expect(twice.ending == .exited(2) && twice.errors.contains("already"), "\(twice.errors)")
            #expect(try parent.run("messages", "Not said", "--json").output.isEmpty)
            #expect(try parent.run(["batch", "--atomic"], input: "\n# nothing\n").ending == .exited(0))
        }

        @Test("without a server a batch ends with 5 and does nothing; one that loses it names the first line that was not run")
        func offline() throws {
            try server.stop()
            let answer = try parent.run(["batch", "--json", "--timeout", "1"], input: "say One\nsay Two\n")
            #expect(answer.ending == .exited(5) && answer.output.isEmpty)
            try server.restart()
            let child = try ChildProcess.start(
                [Programs.path("huddle"), "batch", "--json", "--timeout", "1", "--server", server.url],
                environment: ["HOME=\(folder.path)", "PATH=/usr/bin:/bin", "HUDDLE_TOKEN=\(demo.parents[0].token)"], input: .piped, errors: .piped)
            func next() throws -> JSONValue { try JSONValue(try #require(try child.readLine(timeoutMilliseconds: 15_000))) }
            try child.write("say One\n")
            #expect(try next()["status"]?.integer == 0)
            try server.kill()
            try child.write("say Two\nsay Three\n")
            let lost = try next()
            #expect(lost["line"]?.integer == 2 && lost["status"]?.integer == 5 && lost["output"]?.elements.first?["type"]?.string == "offline")
            #expect(try child.readLine(timeoutMilliseconds: 10_000) == nil)
            #expect(try child.wait(timeoutMilliseconds: 10_000) == .exited(5))
        }

        @Test("events --watch --json shows a state per line, again when it has changed, also after the server was away")
        func watch() throws {
            let watch = try parent.start("schools", "Zed", "--watch", "--json")
            func next() throws -> JSONValue { try JSONValue(try #require(try watch.readLine(timeoutMilliseconds: 20_000))) }
            let empty = try next()
            #expect(empty.keys == ["seq", "records"] && empty["records"]?.elements.isEmpty == true)
            let other = HuddleProgram(server, token: demo.parents[1].token)
            // A change outside the list shows nothing.
            #expect(try other.run("say", "Hello").ending == .exited(0))
            let added = try other.run("add", "school", "name=Zed State", "--json")
            let state = try next()
            #expect(state["records"]?.elements.map { $0["fields"]?["name"]?.string } == ["Zed State"])
            #expect(state["seq"]?.integer == (try added.json()["seq"]?.integer))
            try server.kill()
            try server.restart()
            #expect(try other.run("rm", "school", "Zed State").ending == .exited(0))
            #expect(try next()["records"]?.elements.isEmpty == true)
            watch.kill(Signals.terminate)
            #expect(try watch.wait(timeoutMilliseconds: 10_000) == .exited(0))
            // As text the table is printed again, after an empty line.
            let text = try parent.start("schools", "Zed", "--watch")
            #expect(try text.readLine()?.hasPrefix("No matches.") == true)
            #expect(try other.run("add", "school", "name=Zed Two").ending == .exited(0))
            #expect(try text.readLine() == "")
            _ = try text.readLine()
            #expect(try text.readLine()?.contains("Zed Two") == true)
        }

        /// A use of each command that has `--json`, in this order; a name in an argument means a record of the demo family.
        private static let uses: [(verb: Command.Verb, words: [String])] = [
            (.help, ["help", "events"]), (.add, ["add", "school", "name=Zed State"]), (.edit, ["edit", "school", "Zed State", "location=Albany"]),
            (.list, ["events"]), (.itinerary, ["itinerary"]), (.attend, ["attend", "Empire Underclass Showcase", "--quick"]),
            (.undo, ["undo"]), (.redo, ["redo"]), (.shift, ["shift", "event", "Empire Underclass Showcase", "7"]), (.copy, ["copy", "event", "Empire Underclass Showcase", "7"]),
            (.remove, ["rm", "school", "Zed State"]), (.deleted, ["deleted", "school"]), (.restore, ["restore", "school", "Zed State"]), (.say, ["say", "Hello"]),
            (.identity, ["whoami"]), (.status, ["status"]), (.open, ["open", "Thornbury Winter Elite Camp", "--map"]), (.history, ["history"]), (.since, ["since", "1"]), (.statistics, ["stats"]), (.access, ["access"]), (.audit, ["audit"]), (.reminders, ["reminders"]), (.remind, ["reminders", "set", "--events", "1d,2h"]), (.reminderRule, ["reminders", "rule"]),
            (.upload, ["docs", "upload", "FOLDER/film.pdf", "--type", "transcript", "--athlete", "Elena"]), (.share, ["docs", "share", "film", "--school", "Zed State"]),
            (.shares, ["docs", "shares", "film"]), (.versions, ["docs", "versions", "film"]), (.link, ["docs", "link", "film"]), (.download, ["docs", "download", "film", "--output", "FOLDER/copy.pdf"]),
            (.signIn, ["sign-in", "--profile", "zed"]), (.unshare, ["docs", "unshare", "film"]), (.outbox, ["outbox"]), (.batch, ["batch"]),
            (.invite, ["invite", "Zed"]), (.invites, ["invites"]), (.sessions, ["sessions"]), (.tokens, ["tokens"]), (.device, ["device", "add"]),
            (.consents, ["consents"]), (.family, ["family"]), (.exportFamily, ["export", "family", "FOLDER/family.tar"]),
            (.consent, ["consent", "Mateo Rivera", "--accept", ConsentText.standard.version]), (.birthDate, ["born", "Mateo Rivera", "2010-03-04"]),
            (.role, ["role", "David Rivera", "guest"]), (.lastDay, ["guest", "David Rivera", "--stays"]),
            (.role, ["role", "David Rivera", "parent"]), (.account, ["account"]), (.password, ["password", "set", "demo parent"]), (.confirm, ["confirm"]),
            (.factor, ["totp", "add"]), (.recovery, ["recovery", "codes"]), (.passkeys, ["passkeys"]), (.mail, ["mail"]), (.calendar, ["calendar"]), (.password, ["password", "remove"]), (.leave, ["leave", "--yes"]),
        ]

        @Test("every command that has --json prints objects, one per line, and nothing else; the others refuse the option")
        func json() throws {
            let verbs = Set(Self.uses.map(\.verb))
            for command in CommandTable.all where !command.words.isEmpty && command.output != nil && !verbs.contains(command.verb) {
                // These run until they are ended, or end what is there: their own tests read their lines.
                #expect([.join, .watch, .logout].contains(command.verb), "\(command.words)")
            }
            for command in CommandTable.all where !command.words.isEmpty && command.output == nil {
                #expect([.converse, .completions, .complete, .export, .set].contains(command.verb), "\(command.words)")
                let answer = try parent.run(command.words[0] + ["--json"] + (command.verb == .export ? ["events"] : command.verb == .completions ? ["bash"] : []))
                #expect(answer.ending == .exited(2) && answer.output.isEmpty && answer.errors.hasPrefix("huddle: "), "\(command.words)")
            }
            try Files.write(Array("%PDF-1.4\n%%EOF\n".utf8), to: folder.path + "/film.pdf")
            for (verb, words) in Self.uses {
                let words = words.map { $0.replacing("FOLDER", with: folder.path) }
                let answer = try parent.run(words + ["--json"], input: verb == .batch ? "stats\n" : [.password, .confirm].contains(verb) ? "correct horse battery\n" : "")
                #expect(answer.ending == .exited(0) && answer.errors.isEmpty, "\(words): \(answer.errors)")
                let lines = try answer.lines()
                #expect(lines.allSatisfy { !$0.keys.isEmpty } && (!lines.isEmpty || [.outbox, .itinerary, .reminders].contains(verb)), "\(words): \(answer.output)")
            }
            let version = try parent.run("--version", "--json")
            #expect(try version.json().keys == ["version"])
        }

        @Test("text of others cannot control the terminal through JSON or CSV, and JSON stays intact")
        func steering() throws {
            let hostile = "\u{9B}31m\u{202E}x\u{2028}\u{E0041}"
            let added = try parent.run("add", "event", "type=camp", "name=Steered", "start=2030-01-01", "stats-recorded={\"note\":\"\(hostile)\"}", "--athlete", demo.athletes[0].name, "--json")
            #expect(added.ending == .exited(0), "\(added.errors)")
            let sequence = try #require(try added.json()["seq"]?.integer)
            let watch = try parent.start("watch", "--json", "--since", "\(sequence - 1)")
            let list = try parent.start("events", "--search", "Steered", "--watch", "--json")
            var printed = [try #require(try watch.readLine(timeoutMilliseconds: 15_000)), try #require(try list.readLine(timeoutMilliseconds: 15_000))]
            for words in [["events", "--search", "Steered", "--json"], ["history", "--limit", "1", "--json"], ["export", "events", "--csv", "--search", "Steered"]] {
                printed.append(try parent.run(words).output)
            }
            printed.append(try parent.run(["batch", "--json"], input: "events --search Steered\n").output)
            for text in printed {
                #expect(text.contains("31m"), "\(text)")
                #expect(hostile.unicodeScalars.allSatisfy { $0.isASCII || !text.unicodeScalars.contains($0) }, "\(text.debugDescription)")
            }
            let event = try #require(try parent.run("events", "--search", "Steered", "--json").lines().first)
            #expect(event["fields"]?["stats_recorded"]?["note"]?.string == hostile)
            #expect(try JSONValue(printed[0])["changes"]?.elements.first?["fields"]?["stats_recorded"]?["note"]?.string == hostile)
        }

        @Test("1: failed on this machine, before anything was sent")
        func failed() throws {
            let path = folder.path + "/events.csv"
            #expect(try parent.run("export", "events", "--output", path).ending == .exited(0))
            let again = try parent.run("export", "events", "--output", path)
            #expect(again.ending == .exited(1) && again.errors.contains("already exists"), "\(again.errors)")
            try Files.write(Array("{".utf8), to: parent.profile)
            let damaged = try parent.run("events")
            #expect(damaged.ending == .exited(1) && damaged.errors.contains("Fix or delete it"), "\(damaged.errors)")
        }
    }
}

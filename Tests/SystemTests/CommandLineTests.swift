import Bytes
import Family
import Posix
import Testing
import Wire

extension SystemTests {
    /// The scripted side of the terminal client: keys and exit codes as `proto/cli.md` promises them.
    @Suite("huddle, scripted") struct CommandLineTests {
        private let demo: Demo
        private let server: RunningServer
        /// As the first parent.
        private let parent: HuddleProgram

        init() throws {
            (_, demo, server) = try Demo.served()
            parent = HuddleProgram(server, token: demo.parents[0].token)
        }

        private func expect(
            _ answer: Programs.Answer, _ status: Int32, _ location: SourceLocation = #_sourceLocation
        ) {
            #expect(answer.ending == .exited(status), "\(answer.errors)", sourceLocation: location)
            // The error is written once, on standard error.
            #expect(answer.errors.isEmpty == (status == 0), "\(answer.errors)", sourceLocation: location)
            if status != 0 { #expect(answer.errors.hasPrefix("huddle: "), sourceLocation: location) }
        }

        private func event(_ id: Identifier) throws -> JSONValue? {
            try parent.run("events", "--json").lines().first { $0["id"]?.string == "\(id)" }
        }

        @Test("events are added, listed, edited, attended and removed")
        func events() throws {
            let athlete = demo.athletes[0]
            let added = try parent.run(
                "events", "add", "--type", "camp", "--name", "Fall Camp", "--start", "2030-10-05", "--start-time", "09:00", "--cost", "150",
                "--athlete", "\(athlete.id)", "--json")
            expect(added, 0)
            let ack = try added.json()
            #expect(ack.keys == ["type", "mutation", "seq", "records"])
            #expect(ack["type"]?.string == "ack")
            let record = try #require(ack["records"]?.elements.first)
            #expect(record.keys == ["id", "version"])
            #expect(record["version"]?.integer == 1)
            let id = try #require(record["id"]?.string.flatMap { Identifier($0) })

            let listed = try #require(try event(id))
            #expect(listed.keys == ["kind", "id", "athlete", "version", "created_at", "created_by", "updated_at", "updated_by", "fields"])
            #expect(listed["athlete"]?.string == "\(athlete.id)")
            #expect(listed["created_by"]?.string == "\(demo.parents[0].id)")
            // The server's spelling and defaults.
            #expect(listed["fields"]?["cost"]?.string == "150.00")
            #expect(listed["fields"]?["end_date"]?.string == "2030-10-05")
            #expect(listed["fields"]?["end_time"]?.string == "10:00")

            let edited = try parent.run("events", "edit", "\(id)", "--city", "Austin", "--state", "tx", "--json")
            expect(edited, 0)
            #expect(try edited.json()["records"]?.elements.first?["version"]?.integer == 2)
            expect(try parent.run("events", "attend", "\(id)"), 0)
            let now = try #require(try event(id))
            #expect(now["version"]?.integer == 3)
            #expect(now["fields"]?["city"]?.string == "Austin")
            #expect(now["fields"]?["state"]?.string == "TX")
            #expect(now["fields"]?["attended"] == .bool(true))
            // An edit that changes nothing has no place in the log.
            let same = try parent.run("events", "edit", "\(id)", "--city", "Austin", "--json")
            expect(same, 0)
            #expect(try same.json().keys == ["type", "mutation", "records"])

            let upcoming = try parent.run("events", "--upcoming", "--type", "camp", "Fall Camp", "--json")
            expect(upcoming, 0)
            #expect(try upcoming.lines().contains { $0["id"]?.string == "\(id)" })
            #expect(try parent.run("events", "--past", "Fall Camp", "--json").lines().allSatisfy { $0["id"]?.string != "\(id)" })

            expect(try parent.run("events", "rm", "\(id)"), 0)
            #expect(try event(id) == nil)
        }

        @Test("schools and coaches are added and listed, each a line")
        func schools() throws {
            expect(try parent.run("schools", "add", "--name", "Zebra State"), 0)
            let schools = try parent.run("schools", "--json").lines()
            #expect(schools.count == 13)
            #expect(schools.allSatisfy { $0["kind"]?.string == "school" && $0["athlete"] == nil })
            let school = try #require(schools.first { $0["fields"]?["name"]?.string == "Zebra State" })
            expect(try parent.run("coaches", "add", "--first-name", "Zoe", "--last-name", "Quill", "--school", "Zebra State"), 0)
            let coaches = try parent.run("coaches", "Zoe Quill", "--json").lines()
            #expect(coaches.count == 1)
            #expect(coaches.first?["fields"]?["school_id"] == school["id"])
            let text = try parent.run("schools", "Zebra")
            expect(text, 0)
            #expect(text.output.contains("Zebra State"))
        }

        @Test("messages are listed, and watch shows each as a line that can be continued")
        func watches() throws {
            let other = HuddleProgram(server, token: demo.athletes[0].token)
            let said = try parent.run("say", "Practice", "moved", "--json")
            expect(said, 0)
            let first = try #require(try said.json()["seq"]?.integer)
            #expect(try other.run("messages", "Practice moved", "--json").lines().count == 1)

            // Only what follows a sequence.
            let watch = try other.start("watch", "--json", "--since", "\(first - 1)")
            func next(_ child: ChildProcess) throws -> JSONValue {
                try JSONValue(try #require(try child.readLine(timeoutMilliseconds: 15_000)))
            }
            let line = try next(watch)
            #expect(line.keys == ["type", "epoch", "seq", "at", "member", "client", "mutation", "changes"])
            #expect(line["type"]?.string == "change")
            #expect(line["seq"]?.integer == first)
            let change = try #require(line["changes"]?.elements.first)
            #expect(change.keys == ["op", "kind", "id", "version", "fields"])
            #expect(change["fields"]?["text"]?.string == "Practice moved")

            // The server is killed and comes back: nothing is missing, nothing comes twice.
            try server.kill()
            try server.restart()
            expect(try parent.run("say", "Still here"), 0)
            #expect(try next(watch)["seq"]?.integer == first + 1)
            watch.kill(Signals.terminate)
            #expect(try watch.wait(timeoutMilliseconds: 10_000) == .exited(0))

            // From where the last line was, epoch and all.
            let epoch = try #require(line["epoch"]?.string)
            let again = try other.start("watch", "--json", "--since", "\(epoch):\(first)")
            let missed = try next(again)
            #expect(missed["seq"]?.integer == first + 1)
            #expect(missed["changes"]?.elements.first?["fields"]?["text"]?.string == "Still here")
            let elsewhere = try other.start("watch", "--json", "--since", "00000000000000000000000000000000:\(first)")
            let reset = try next(elsewhere)
            #expect(reset == .object(["type": .string("reset"), "reason": .string("epoch_changed")]))
        }

        @Test("2: wrong use is refused before anything is sent", arguments: [
            ["dance"], ["events", "--loud"], ["events", "add", "--type", "camp", "--colour", "red"], ["events", "edit", "x"],
            ["events", "--type", "party"], ["say"], ["watch", "--since", "yesterday"], ["join"], ["events", "--server", "ftp://x"],
            ["events", "attend", "no such event"],
            // The athlete is not clear.
            ["events", "add", "--type", "camp", "--name", "Camp", "--start", "2030-01-01"],
        ])
        func usage(words: [String]) throws {
            let answer = try Programs.run(
                Programs.path("huddle"), words, environment: ["HUDDLE_TOKEN=\(demo.parents[0].token)", "HUDDLE_SERVER=\(server.url)"])
            expect(answer, 2)
            #expect(answer.output == "")
        }

        @Test("2 as well: nobody said who asks")
        func nobody() throws {
            expect(try HuddleProgram(server).run("events"), 2)
        }

        @Test("3: refused by the rules, or the token is none")
        func refused() throws {
            expect(try HuddleProgram(server, token: "nobody").run("events"), 3)
            // One athlete's events are not another athlete's to write.
            let athlete = HuddleProgram(server, token: demo.athletes[0].token)
            let listed = try parent.run("events", "--context", "all", "--json").lines()
            let foreign = try #require(listed.first { $0["athlete"]?.string == "\(demo.athletes[1].id)" }?["id"]?.string)
            let answer = try athlete.run("events", "edit", foreign, "--city", "Here", "--json")
            expect(answer, 3)
            let reject = try answer.json()
            #expect(reject["type"]?.string == "reject")
            #expect(reject["code"]?.string == "not_allowed")
            #expect(reject["retry"] == .bool(false))
            // A rule about content.
            let dates = try parent.run(
                "events", "add", "--type", "camp", "--name", "Camp", "--start", "2030-02-02", "--end", "2030-02-01", "--athlete",
                "\(demo.athletes[0].id)", "--json")
            expect(dates, 3)
            #expect(try dates.json()["code"]?.string == "end_before_start")
        }

        @Test("4: somebody else changed it between looking and sending")
        func conflict() throws {
            let event = try #require(try parent.run("events", "--json").lines().first)
            let id = try #require(event["id"]?.string)
            let version = try #require(event["version"]?.integer)
            let relay = try HoldingRelay(server)
            let late = HuddleProgram(server, token: demo.parents[1].token, url: relay.url)
            let child = try late.start("events", "edit", id, "--name", "Theirs", "--city", "Stays out", "--json")
            try relay.relay { expect(try parent.run("events", "edit", id, "--name", "Mine", "--host", "Other field"), 0) }
            #expect(try child.wait(timeoutMilliseconds: 10_000) == .exited(4))
            let reject = try JSONValue(try #require(try child.readLine()))
            #expect(reject.keys == ["type", "mutation", "code", "message", "operation", "kind", "id", "retry", "conflict"])
            #expect(reject["code"]?.string == "conflict")
            #expect(reject["conflict"]?["record"]?["version"]?.integer == version + 1)
            let fields = try #require(reject["conflict"]?["fields"]).elements
            #expect(fields.map { $0["field"]?.string } == ["name"])
            #expect(fields.first?["yours"]?.string == "Theirs")
            #expect(fields.first?["theirs"]?.string == "Mine")
            #expect(fields.first?["member"]?.string == "\(demo.parents[0].id)")
            // The reader sees who did what.
            let told = try #require(try child.readErrorLine())
            #expect(told.hasPrefix("huddle: ") && told.contains(demo.parents[0].name), "\(told)")

            // Edits of different fields are both kept.
            let second = try HoldingRelay(server)
            let other = HuddleProgram(server, token: demo.parents[1].token, url: second.url)
            let merged = try other.start("events", "edit", id, "--city", "Austin", "--json")
            try second.relay { expect(try parent.run("events", "edit", id, "--address", "1 Main Street"), 0) }
            #expect(try merged.wait(timeoutMilliseconds: 10_000) == .exited(0))
            let now = try #require(try parent.run("events", "--json").lines().first { $0["id"]?.string == id })
            #expect(now["fields"]?["city"]?.string == "Austin")
            #expect(now["fields"]?["address"]?.string == "1 Main Street")
            #expect(now["version"]?.integer == version + 3)
        }

        @Test("5: what was sent and not answered may have been done, and is said so")
        func unanswered() throws {
            let relay = try HoldingRelay(server)
            let program = HuddleProgram(server, token: demo.parents[1].token, url: relay.url)
            let child = try program.start("say", "Lost?", "--timeout", "2", "--json")
            do {
                try relay.relay { try server.kill() }
            } catch {
                // The server has gone, so the relay cannot deliver the response that it holds.
            }
            #expect(try child.wait(timeoutMilliseconds: 10_000) == .exited(5))
            let line = try JSONValue(try #require(try child.readLine()))
            #expect(line.keys == ["type", "mutation", "maybe_done"])
            #expect(line["type"]?.string == "offline")
            #expect(line["maybe_done"] == .bool(true))
            #expect(line["mutation"]?.integer ?? 0 > 0)
        }

        @Test("a server that is killed before it has answered is asked again, and does it once")
        func askedAgain() throws {
            let relay = try HoldingRelay(server)
            let child = try HuddleProgram(server, token: demo.parents[1].token, url: relay.url).start("say", "Once", "--json")
            do {
                try relay.relay { try server.kill() }
            } catch {
                // As above.
            }
            try server.restart()
            try relay.relay {}
            #expect(try child.wait(timeoutMilliseconds: 15_000) == .exited(0))
            let ack = try JSONValue(try #require(try child.readLine()))
            #expect(ack["type"]?.string == "ack")
            let messages = try parent.run("messages", "Once", "--json").lines()
            #expect(messages.map { $0["id"] } == [ack["records"]?.elements.first?["id"]])
        }

        @Test("One's own message is said in other words; another's is refused")
        func rewrites() throws {
            let other = HuddleProgram(server, token: demo.athletes[0].token)
            let said = try #require(try parent.run("say", "Practise at nien", "--json").json()["records"]?.elements.first?["id"]?.string)
            expect(try parent.run("edit", "message", said, "Practice at nine,", "@\(demo.athletes[0].name)", "--json"), 0)
            let messages = try other.run("messages", "Practice at nine", "--json").lines()
            #expect(messages.map { $0["id"]?.string } == [said])
            #expect(messages.first?["fields"]?["mentions"]?.elements.count == 1)
            expect(try other.run("messages", "edit", said, "Practice at ten"), 3)
            expect(try parent.run("edit", "message", said), 2)
            expect(try parent.run("edit", "message", "no-such-message", "x"), 2)
        }

        @Test("3: a guest gets the refusal of rights before any about a file, and has nothing to undo")
        func guest() throws {
            let invited = try Programs.huddled(
                "invite", "--data", server.folder, "--family", "\(demo.family)", "--name", "Ruth", "--role", "guest", "--by", "\(demo.parents[0].id)", "--json")
            let code = try #require(try invited.json()["code"]?.string)
            let guest = HuddleProgram(server)
            let asked = try guest.run("join", code, "--server", server.url)
            expect(asked, 2)
            #expect(asked.errors.contains("--name"))
            let wrong = try guest.run("join", code, "--name", "Rut", "--server", server.url)
            expect(wrong, 3)
            #expect(wrong.errors.contains("another name"))
            let joined = try guest.run("join", code, "--name", "ruth", "--server", server.url)
            expect(joined, 0)
            #expect(joined.output.hasPrefix("Welcome. You've joined ") && joined.output.contains(" as a guest. Your sign-in is kept in "), "\(joined.output)")
            let upload = try guest.run("docs", "upload", "/etc/hosts", "--type", "transcript", "--athlete", demo.athletes[0].name)
            expect(upload, 3)
            #expect(upload.errors.contains("Guests can read but not change anything"))
            let undo = try guest.run("undo")
            expect(undo, 3)
            #expect(undo.errors.contains("Nothing that you did lately can be undone."))
        }

        @Test("5: nobody answers")
        func offline() throws {
            try server.stop()
            let start = Clock.monotonicMilliseconds()
            let answer = try parent.run("say", "Anybody?", "--timeout", "1", "--json")
            #expect(answer.ending == .exited(5))
            #expect(try answer.json() == .object(["type": .string("offline"), "mutation": .integer(0), "maybe_done": .bool(false)]))
            #expect(answer.errors.contains("Nothing was done"))
            // A list has no such line.
            #expect(try parent.run("events", "--timeout", "1", "--json").output == "")
            #expect(Clock.monotonicMilliseconds() - start < 5_000)
            let joined = try parent.run("join", "AAAA-BBBB", "--timeout", "1")
            #expect(joined.ending == .exited(5))
        }
    }
}

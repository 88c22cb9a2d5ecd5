import Bytes
import Posix
import TestSupport
import Testing

extension SystemTests {
    /// The changes of `huddle` beyond single records: trips, batches, undo; and what it exports (`proto/cli.md`).
    @Suite("huddle, scripted: plans, batches, undo, export") struct CommandLineChangeTests {
        private let folder: TemporaryFolder
        private let demo: Demo
        private let server: RunningServer
        private let parent: HuddleProgram

        init() throws {
            (folder, demo, server) = try Demo.served()
            parent = HuddleProgram(server, token: demo.parents[0].token)
        }

        /// Runs it, and gives the ack.
        private func done(_ words: String..., location: SourceLocation = #_sourceLocation) throws -> JSONValue {
            let answer = try parent.run(words + ["--json"])
            try #require(answer.ending == .exited(0), "\(answer.errors)", sourceLocation: location)
            let ack = try answer.json()
            #expect(ack["type"]?.string == "ack", sourceLocation: location)
            return ack
        }

        private func id(_ ack: JSONValue) throws -> String { try #require(ack["records"]?.elements.first?["id"]?.string) }

        /// One object a line.
        private func list(_ words: String...) throws -> [JSONValue] {
            let answer = try parent.run(words + ["--json"])
            try #require(answer.ending == .exited(0), "\(answer.errors)")
            return try answer.lines()
        }

        @Test("undo walks back and redo walks forward, each named in words; with nothing left both say so")
        func walking() throws {
            func said(_ words: String...) throws -> String {
                let answer = try parent.run(words)
                return answer.ending == .exited(0) ? answer.output : answer.errors
            }
            let school = try id(try done("add", "school", "name=Zz State"))
            _ = try done("edit", "school", school, "location=Albany")
            _ = try done("edit", "school", school, "location=Troy")
            #expect(try said("undo").hasPrefix("Undone: changed Zz State: location"))
            #expect(try list("schools", "Zz State").first?["fields"]?["location"]?.string == "Albany")
            #expect(try said("undo").hasPrefix("Undone: changed Zz State: location"))
            #expect(try list("schools", "Zz State").first?["fields"]?["location"]?.string == nil)
            // The server says that the school was changed since, so nothing older is undone in its place.
            #expect(try said("undo").contains("cannot be undone: something of it was changed since"))
            #expect(try said("redo").hasPrefix("Redone: changed Zz State: location"))
            #expect(try list("schools", "Zz State").first?["fields"]?["location"]?.string == "Albany")
            // An undo after a redo takes the redone change back, and something new ends what can be redone.
            #expect(try said("undo").hasPrefix("Undone: changed Zz State: location"))
            _ = try done("edit", "school", school, "notes=New")
            let none = try parent.run("redo")
            #expect(none.ending == .exited(3) && none.errors.contains("Nothing that you undid can be done again"), "\(none.errors)")
        }

        @Test("Every kind is added, edited, removed and brought back, with the same words")
        func kinds() throws {
            let athlete = demo.athletes[0].name
            let event = try id(try done("add", "event", "type=camp", "name=Zz Camp", "start=2031-10-05", "--athlete", athlete))
            let additions = [
                ["school", "name=Zz State"], ["coach", "first-name=Zz", "last-name=Quill"],
                ["metric", "metric-type=pop_time", "value=1.89", "event=Zz Camp", "--athlete", athlete],
                ["interaction", "interaction-type=email", "direction=inbound", "content=Zz", "--athlete", athlete],
                ["trip", "name=Zz Trip", "start=2031-10-04"], ["item", "trip=Zz Trip", "title=Zz Zoo", "start-time=2031-10-04T10:00"],
            ]
            for words in additions {
                let answer = try parent.run(["add"] + words + ["--json"])
                try #require(answer.ending == .exited(0), "\(words): \(answer.errors)")
                let added = try id(try answer.json())
                let field = ["coach", "school", "metric", "trip"].contains(words[0]) ? "notes=Changed" : words[0] == "item" ? "description=Changed" : "subject=Changed"
                #expect(try id(try done("edit", words[0], added, field)) == added)
                _ = try done("rm", words[0], added)
                _ = try done("restore", words[0], added)
            }
            // A name alone is enough where it fits one thing.
            #expect(try done("rm", "Zz Camp")["records"]?.elements.contains { $0["id"]?.string == event } == true)
            #expect(try parent.run("rm", "Zz Camp").ending == .exited(2))
            #expect(try id(try done("restore", "Zz Camp")) == event)
        }

        @Test("A refusal by the rules is shown with its field and sentence", arguments: [
            (["add", "event", "type=camp", "start=2031-10-05", "--athlete", "Elena"], "required", "name", "Event name is required"),
            (["add", "event", "type=camp", "name=X", "start=2031-02-30", "--athlete", "Elena"], "invalid", "start_date", ""),
            (["add", "trip", "name=X", "start=2031-02-03", "end=2031-02-01"], "end_before_start", "end_date", ""),
            (["add", "metric", "metric-type=other", "value=1", "unit=x", "--athlete", "Elena"], "required", "label", "Label is required"),
            (["add", "item", "title=X", "start-time=2031-02-03T10:00"], "required", "trip_id", ""),
            (["add", "interaction", "interaction-type=email", "direction=inbound", "--athlete", "Elena"], "required", "content", ""),
        ])
        func refusals(words: [String], code: String, field: String, sentence: String) throws {
            let answer = try parent.run(words + ["--json"])
            #expect(answer.ending == .exited(3), "\(answer.errors)")
            let reject = try answer.json()
            #expect(reject["code"]?.string == code)
            #expect(reject["field"]?.string == field)
            #expect(reject["message"]?.string?.hasPrefix(sentence) == true, "\(answer.output)")
            #expect(answer.errors.hasPrefix("huddle: \(sentence)"))
        }

        @Test("Attending is one change with flag, coaches, notes, interaction and results, and one undo takes it all back")
        func attends() throws {
            let added = try id(try done("add", "event", "type=showcase", "name=Zz Show", "start=2026-01-03", "start-time=09:00", "--athlete", "Elena"))
            let ack = try done(
                "attend", "Zz Show", "--coaches", "Dana Whitlock,Priya Anand", "--notes", "Two throws", "--quick", "--with", "Dana Whitlock",
                "--sentiment", "positive", "--metric", "pop_time=1.88", "--metric", "velocity=61.5 mph")
            let sequence = try #require(ack["seq"]?.integer)
            #expect(ack["records"]?.elements.count == 4)
            let event = try #require(try list("events", "Zz Show").first)
            #expect(event["id"]?.string == added)
            #expect(event["fields"]?["attended"] == .bool(true))
            #expect(event["fields"]?["coaches_present"]?.elements.count == 2)
            let interaction = try #require(try list("interactions", "--event", "Zz Show").first)
            #expect(interaction["fields"]?["content"]?.string == "Attended Zz Show.")
            #expect(interaction["fields"]?["subject"]?.string == "Interaction at Zz Show")
            #expect(interaction["fields"]?["occurred_at"]?.string == "2026-01-03T09:00")
            #expect(interaction["fields"]?["coach_name"]?.string == "Dana Whitlock")
            let metrics = try list("metrics", "--event", "Zz Show")
            #expect(Set(metrics.compactMap { $0["fields"]?["unit"]?.string }) == ["sec", "mph"])

            let undone = try done("undo")
            #expect(undone["seq"]?.integer == sequence + 1)
            #expect(try list("events", "Zz Show").first?["fields"]?["attended"] == .bool(false))
            #expect(try list("metrics", "--event", "Zz Show").isEmpty && list("interactions", "--event", "Zz Show").isEmpty)
            // An undo can be undone, by its number.
            _ = try done("undo", "\(sequence + 1)")
            #expect(try list("metrics", "--event", "Zz Show").count == 2)
            // Not twice.
            let again = try parent.run("undo", "\(sequence + 1)", "--json")
            #expect(again.ending == .exited(3))
            #expect(try again.json()["code"]?.string == "contradicted")
            // Nothing of a batch is done when a part is refused.
            let refused = try parent.run("attend", "Zz Show", "--notes", "Other", "--metric", "other=3 x", "--json")
            #expect(refused.ending == .exited(3))
            #expect(try list("events", "Zz Show").first?["fields"]?["performance_notes"]?.string == "Two throws")
        }

        @Test("Items at the same time are refused with both, accepted with a reason, moved and copied with their trip")
        func trips() throws {
            _ = try done("add", "trip", "name=Zz Texas", "start=2031-03-07", "end=2031-03-09", "time-zone=America/Chicago")
            _ = try done("add", "item", "trip=Zz Texas", "title=Zoo", "start-time=2031-03-08T10:00", "end-time=2031-03-08T12:00")
            let lunch = ["add", "item", "trip=Zz Texas", "title=Lunch", "start-time=2031-03-08T11:00", "end-time=2031-03-08T13:00"]
            let refused = try parent.run(lunch + ["--json"])
            #expect(refused.ending == .exited(3))
            #expect(try refused.json()["code"]?.string == "overlap")
            for word in ["Zoo", "Lunch", "10:00 - 12:00", "--override --reason"] { #expect(refused.errors.contains(word), "\(refused.errors)") }
            #expect(try list("items", "--trip", "Zz Texas").count == 1)

            let accepted = try parent.run(lunch + ["--override", "--reason", "Tom joins later"])
            #expect(accepted.ending == .exited(0), "\(accepted.errors)")
            #expect(accepted.output.contains("Overlap:") && accepted.output.contains("added Lunch"))
            #expect(try list("items", "--trip", "Zz Texas").count == 2)
            // Where nothing overlaps, the words do no harm.
            _ = try done(
                "add", "item", "trip=Zz Texas", "title=Dinner", "start-time=2031-03-08T19:00", "end-time=2031-03-08T20:00", "--override", "--reason",
                "None")

            // Over the change of clocks of March 9: local times stay.
            _ = try done("shift", "trip", "Zz Texas", "7")
            #expect(try list("itinerary", "Zz Texas").map { $0["fields"]?["start_time"]?.string } == ["2031-03-15T10:00", "2031-03-15T11:00", "2031-03-15T19:00"])
            let copy = try done("copy", "trip", "Zz Texas", "7")
            #expect(copy["records"]?.elements.count == 4)
            let named = try parent.run("itinerary", "Zz Texas")
            #expect(named.ending == .exited(2), "two trips have this name now: \(named.output)")
            let both = try parent.run("itinerary")
            #expect(both.output.contains("Mar 15, 2031\n    10:00 - 12:00  Zoo (Activity, 2h 0m)"), "\(both.output)")
            #expect(both.output.contains("Mar 22, 2031"))
            #expect(try list("itinerary", "--day", "2031-03-22").count == 3)
        }

        @Test("Tables for spreadsheets hold what the list holds, and calculate nothing")
        func exports() throws {
            _ = try done("add", "event", "type=camp", "name==2+3", "start=2031-10-05", "city=Łódź, centre", "--athlete", "Elena")
            let answer = try parent.run("export", "events", "--csv", "--upcoming", "--type", "camp")
            #expect(answer.ending == .exited(0), "\(answer.errors)")
            let lines = answer.output.split(separator: "\r\n")
            #expect(lines.count == (try list("events", "--upcoming", "--type", "camp").count) + 1)
            #expect(lines.first?.hasPrefix("\u{FEFF}id,athlete,type,name") == true)
            #expect(lines.contains { $0.contains(",'=2+3,") && $0.contains("\"Łódź, centre\"") })
            let file = folder.path + "/metrics.csv"
            #expect(try parent.run("export", "metrics", "--output", file).ending == .exited(0))
            #expect(try Files.read(file).starts(with: [0xEF, 0xBB, 0xBF]))
            // It overwrites nothing.
            #expect(try parent.run("export", "metrics", "--output", file).ending == .exited(1))
        }

        @Test("R112 Pages to print hold what the list shows and all texts; a machine that cannot make them says what is missing")
        func pages() throws {
            _ = try done("add", "event", "type=camp", "name=Zażółć <b>Camp</b>", "start=2031-10-05", "city=Łódź", "description=Bring (two) gloves.\nAnd water.", "--athlete", "Elena")
            _ = try done("add", "metric", "metric-type=pop_time", "value=1.89", "event=Zażółć", "notes=Wind from the left", "--athlete", "Elena")
            let file = folder.path + "/metrics.pdf"
            let written = try parent.run("export", "metrics", "--event", "Zażółć", "--output", file)
            #expect(written.ending == .exited(0) && written.output == "\(file): 1 line\n" && written.errors.isEmpty, "\(written)")
            func text(_ octets: [UInt8]) throws -> String {
                try Files.write(octets, to: folder.path + "/read.pdf")
                let answer = try Programs.run("/usr/bin/pdftotext", ["-layout", folder.path + "/read.pdf", "-"])
                try #require(answer.ending == .exited(0) && answer.errors.isEmpty, "\(answer.errors)")
                return answer.output
            }
            let metrics = try text(try Files.read(file))
            for words in ["Metrics at Zażółć", "1 line, written", "Pop Time", "1.89 sec", "Zażółć <b>Camp</b>", "Elena Rivera", "Wind from the left", "Page 1"] {
                #expect(metrics.contains(words), "\(words) in \(metrics)")
            }
            // To standard output, with the filters of the list, without a server as well.
            let answer = try ChildProcess.run([Programs.path("huddle"), "export", "events", "--pdf", "--type", "camp", "--upcoming", "zażółć"], environment: parent.environment)
            #expect(answer.ending == .exited(0))
            let events = try text(answer.output)
            for words in ["Events", "Łódź", "Bring (two) gloves.", "And water."] { #expect(events.contains(words), "\(words) in \(events)") }
            #expect(!events.contains("Showcase"))
            #expect(try parent.run("export", "metrics", "--output", file).errors.contains("already exists"))
            #expect(try parent.run("export", "metrics", "--pdf", "--csv").ending == .exited(2))

            // A file of that name that is not a library simulates a machine without it.
            try Files.write([], to: folder.path + "/libpangocairo-1.0.so.0")
            let path = ([folder.path] + [Environment.value("LD_LIBRARY_PATH")].compactMap(\.self)).joined(separator: ":")
            let without = try Programs.run(
                Programs.path("huddle"), ["export", "metrics", "--output", folder.path + "/no.pdf"],
                environment: parent.environment.filter { !$0.hasPrefix("LD_LIBRARY_PATH=") } + ["LD_LIBRARY_PATH=\(path)"])
            #expect(without.ending == .exited(1) && without.errors.contains("install the package libpangocairo-1.0-0, or take CSV."), "\(without)")
            #expect(!Files.exists(folder.path + "/no.pdf"))
        }

        @Test("An option's value is not a command")
        func values() throws {
            let before = try list("events").count
            #expect(try list("events", "--search", "add").isEmpty)
            #expect(try parent.run("events", "--search", "rm", "--json").ending == .exited(0))
            #expect(try list("events").count == before)
        }

        @Test("The conversation takes them as well")
        func conversation() throws {
            let lines = """
                /add trip name="Zz Texas" start=2031-03-07
                /add item trip="Zz Texas" title=Zoo start-time=2031-03-08T10:00 end-time=2031-03-08T12:00
                /add item trip="Zz Texas" title=Lunch start-time=2031-03-08T11:00 end-time=2031-03-08T13:00
                """
            let first = try parent.run([], input: lines + "\n")
            #expect(first.ending == .exited(3), "a draft is left: \(first.output)")
            #expect(first.output.contains("/retry 1 --override --reason"), "\(first.output)")
            let second = try parent.run([], input: "/trips Zz\n/shift trip 1 7\n/undo\n/itinerary Zz Texas\n/help shift\n")
            #expect(second.ending == .exited(0), "\(second.errors)")
            #expect(second.output.contains("/shift [KIND] ID DAYS"), "\(second.output)")
            #expect(try list("itinerary", "Zz Texas").first?["fields"]?["start_time"]?.string == "2031-03-08T10:00")
            #expect(try list("history", "--limit", "1").first?["entries"]?.elements.first?["undoes"]?.integer ?? 0 > 0)
        }
    }
}

import Arguments
import ClientWorld
import Commands
import Dates
import Family
import Queries
import TestSupport
import Testing
import Words

@Suite("Words of huddle, proto/cli.md")
struct InvocationTests {
    static func words(_ line: String) -> [String] { (try? SlashCommand.split(line)) ?? [] }

    static func input(_ kind: Kind, _ name: String, _ text: String) -> FieldInput {
        FieldInput(field: kind.declaration.index(of: name) ?? -1, text: text)
    }

    static func ahead(_ text: String = "") -> ListFilter {
        var filter = ListFilter(.event)
        filter.time = .upcoming
        filter.text = text
        return filter
    }

    static func upcoming(_ text: String = "") -> CommandAction { .list(ahead(text)) }

    static func searched(_ text: String) -> CommandAction {
        var filter = ListFilter(.event)
        filter.text = text
        return .list(filter)
    }

    static func filtered() -> CommandAction {
        var filter = ListFilter(.event)
        filter.types = ["official_visit", "unofficial_visit"]
        filter.status = .attended
        filter.sort = .name
        filter.named = [.school: "Yale"]
        filter.from = CalendarDate("2026-01-02")
        return .list(filter)
    }

    static func columns() -> CommandAction {
        var filter = ListFilter(.event)
        (filter.columns, filter.limit) = (["id", "start_date"], 3)
        return .list(filter)
    }

    @Test("The reader refuses a filter that is not valid, and lists the valid ones", arguments: [
        ("events --type tournament", "official_visit"), ("events --status perhaps", "not_registered"), ("events --date soon", "this_month"),
        ("events --sort newest", "date_desc"), ("events --from tomorrow", "2026-12-01"), ("coaches --sort start", "name"),
        ("schools --type camp", "--type"), ("completions tcsh", "completions SHELL"), ("--json", "batch --json"), ("export events --json", "huddle events --json"),
        ("completions bash --json", "no --json"), ("events --watch --offline", "--offline"), ("add event --watch", "--watch"), ("history --before x", "change number"), ("since x", "change number"), ("stats coaches", "metrics"),
        ("history --limit 0", "--limit"), ("events --columns name,wages", "no column 'wages'. There are: id, athlete,"), ("events --columns ,", "--columns takes names"),
        ("events --columns name --json", "Leave --json or --columns out"), ("events --limit 0", "--limit"), ("deleted camp", "deleted [KIND]"),
    ])
    func refusals(line: String, hint: String) {
        let error = #expect(throws: UsageError.self) { try Invocation(Self.words(line)) }
        #expect(error?.message.contains(hint) == true, "\(error?.message ?? "")")
    }

    @Test("Commands", arguments: [
        ("", .interactive), ("--version", .version), ("--help", .help(topic: nil)), ("events --help", .help(topic: "events")),
        ("help watch", .help(topic: "watch")), ("events --upcoming", upcoming()), ("events --upcoming fall", upcoming("fall")),
        ("join ABC", .join(code: "ABC", name: nil, adds: nil)), ("join ABC --name Ruth", .join(code: "ABC", name: "Ruth", adds: nil)), ("join ABC --add", .join(code: "ABC", name: nil, adds: true)), ("join ABC --new", .join(code: "ABC", name: nil, adds: false)), ("sign-in", .signIn(replaces: false, origin: nil)), ("sign-in --replace --origin here", .signIn(replaces: true, origin: "here")), ("say hello there", .say("hello there")),
        ("batch", .batch(isAtomic: false, stops: false)), ("- --atomic", .batch(isAtomic: true, stops: false)),
        ("--json - --stop", .batch(isAtomic: false, stops: true)), ("help --man", .manual), ("completions zsh", .completions(.zsh)),
        ("complete -- events --ty", .complete(["events", "--ty"])), ("help connection", .help(topic: "connection")), ("say -- --loud", .say("--loud")),
        ("watch", .watch(since: nil)), ("watch --since 12", .watch(since: .sequence(12))),
        ("watch --since ab12:0", .watch(since: .cursor(epoch: "ab12", sequence: 0))),
        ("events rm abcd", .remove(.init(.event, "abcd"))), ("events attend 'Fall Camp'", .attend(Attendance(event: "Fall Camp"))),
        ("attend abcd", .attend(Attendance(event: "abcd"))), ("rm abcd", .remove(.init(nil, "abcd"))), ("rm trip Austin", .remove(.init(.trip, "Austin"))),
        ("rm message abcd", .remove(.init(.message, "abcd"))), ("restore item abcd", .restore(.init(.tripItem, "abcd"))),
        ("shift 'Fall Camp' -7", .shift(.init(nil, "Fall Camp"), days: -7)), ("copy trip abcd 364", .copy(.init(.trip, "abcd"), days: 364)),
        ("undo", .undo(nil)), ("undo 121", .undo(121)), ("undo '#121'", .undo(121)), ("itinerary", .itinerary(ItineraryFilter())),
        ("itinerary Austin --day 2026-12-05", .itinerary(ItineraryFilter(trip: "Austin", day: CalendarDate("2026-12-05")))),
        ("export events --csv --upcoming", .export(ahead(), .csv, file: nil)), ("export metrics --csv --output m.csv", .export(ListFilter(.metric), .csv, file: "m.csv")),
        ("export events --upcoming --pdf", .export(ahead(), .pdf, file: nil)), ("export metrics --output M.PDF", .export(ListFilter(.metric), .pdf, file: "M.PDF")),
        ("export metrics --csv --output m.pdf", .export(ListFilter(.metric), .csv, file: "m.pdf")), ("export metrics --output m", .export(ListFilter(.metric), .csv, file: "m")),
        ("add school name=Yale", .add(.school, [input(.school, "name", "Yale")], athlete: nil)),
        ("add trip_item title=Zoo trip=Austin", .add(.tripItem, [input(.tripItem, "trip_id", "Austin"), input(.tripItem, "title", "Zoo")], athlete: nil)),
        ("edit event abcd cost=150 --city Austin", .edit(.event, "abcd", [input(.event, "cost", "150"), input(.event, "city", "Austin")])),
        // A value may look like an assignment, and may contain an equals sign.
        ("events edit abcd --description cost=1", .edit(.event, "abcd", [input(.event, "description", "cost=1")])),
        ("edit event abcd description=a=b", .edit(.event, "abcd", [input(.event, "description", "a=b")])),
        // The search text of an option is not a command.
        ("events --search add", searched("add")), ("events --json --search rm", searched("rm")), ("--json events --search attend", searched("attend")),
        ("events --upcoming add", upcoming("add")), ("help add event", .help(topic: "add event")), ("events add --help", .help(topic: "events add")),
        ("schools add --name Yale", .add(.school, [input(.school, "name", "Yale")], athlete: nil)),
        ("history", .ask(.history(target: nil, before: nil, limit: 20))), ("history Fall Camp --before 9 --limit 3", .ask(.history(target: "Fall Camp", before: 9, limit: 3))),
        ("since", .ask(.since(nil))), ("since 12", .ask(.since(12))), ("stats", .ask(.statistics(.family))),
        ("stats metrics", .ask(.statistics(.metric))), ("access --limit 5", .ask(.accesses(before: nil, limit: 5))),
        ("events --date upcoming", upcoming()), ("events --upcoming --search fall", upcoming("fall")),
        ("events --type visit --status attended --sort name --school Yale --from 2026-01-02", filtered()),
        ("members", .list(ListFilter(.member))), ("messages", .list(ListFilter(.message))),
        ("events edit abcd --registered", .edit(.event, "abcd", [input(.event, "registered", "yes")])),
        ("events edit abcd --registered no", .edit(.event, "abcd", [input(.event, "registered", "no")])),
        ("events edit --attended abcd", .edit(.event, "abcd", [input(.event, "attended", "yes")])),
        ("deleted", .deleted(nil)), ("reminders", .reminders), ("reminders --json", .reminders), ("reminders rule", .reminderRule), ("reminders rule --json", .reminderRule), ("deleted item", .deleted(.tripItem)), ("whoami", .identity(showsState: false)), ("open 'Fall Camp' --map", .open("Fall Camp", isMap: true)), ("status --json", .identity(showsState: true)),
        ("events --columns id,start --limit 3", columns()), ("docs share Resume --school Yale --yes", .document(.share("Resume", school: "Yale", days: nil, isSure: true))),
        ("events edit abcd --cost=", .edit(.event, "abcd", [input(.event, "cost", "")])),
    ] as [(String, CommandAction)])
    func commands(line: String, command: CommandAction) throws {
        #expect(try Invocation(Self.words(line)).action == command)
    }

    @Test("The common options may come before or after a command", arguments: [
        "--server ws://h:1 --token t --family f --context c --json --timeout 3 events add --name N",
        "events --server ws://h:1 --token t --family f --context c --json --timeout 3 add --name N",
        "events add --name N --server=ws://h:1 --token=t --family=f --context=c --json --timeout=3",
    ])
    func options(line: String) throws {
        let invocation = try Invocation(Self.words(line))
        #expect(invocation.server == "ws://h:1")
        #expect(invocation.token == "t")
        #expect(invocation.family == "f")
        #expect(invocation.context == "c")
        #expect(invocation.isJSON)
        #expect(invocation.timeout == 3_000)
        #expect(invocation.action == .add(.event, [Self.input(.event, "name", "N")], athlete: nil))
    }

    @Test("Any command takes its sign-in from a profile or a file; standard input is such a file if nothing else reads it")
    func signIns() throws {
        let invocation = try Invocation(Self.words("--profile elena events --token-file - --upcoming"))
        #expect(invocation.profile == "elena" && invocation.tokenFile == "-" && invocation.token == nil && invocation.action == Self.upcoming())
        for line in ["batch --token-file -", "--token-file=-", "events --token T --token-file F", "--profile"] {
            #expect(throws: UsageError.self, "\(line)") { try Invocation(Self.words(line)) }
        }
    }

    @Test("Wrong use is one sentence", arguments: [
        "bogus", "events --upcoming --past", "events --type nonsense", "events add --nonsense 1", "events edit abcd",
        "events edit --name x",
        "events rm", "events rm a b", "join", "say", "watch --since x", "watch --since :3", "watch --since e:-1", "watch extra",
        "events add --start 1 --start-date 2", "add", "add bogus name=x", "edit event", "add event stray", "add event colour=red", "rm", "rm a b",
        "rm member abcd", "shift abcd", "shift abcd 0", "shift abcd soon", "shift school abcd 1", "copy item abcd 7", "undo x", "undo 1 2",
        "export", "export members", "export schools --upcoming", "export events --json", "itinerary a b", "attend x --sentiment positive",
        "attend x --metric pop_time", "add item title=x --override", "add item title=x --reason why", "add school name=x --override --reason y",
        "--timeout 0 events", "--token",
    ])
    func refuses(line: String) {
        #expect(throws: UsageError.self) { try Invocation(Self.words(line)) }
    }

    @Test("A refusal names the field, or the words to write instead", arguments: [
        ("add", "school"), ("edit", "interaction"), ("add event colour=red", "Event has no field 'colour'"), ("add item title=x --override", "--reason"),
        ("shift abcd 4000", "3660"), ("rm member x", "members"), ("events attend", "EVENT"),
    ])
    func hints(line: String, hint: String) {
        let error = #expect(throws: UsageError.self) { try Invocation(Self.words(line)) }
        #expect(error?.message.contains(hint) == true, "\(error?.message ?? "")")
    }

    @Test("Results at an event are read with it")
    func attends() throws {
        let line = "attend 'Fall Camp' --coaches 'Al Bo, Cy' --notes 'Two throws' --log 'They liked it' --with 'Al Bo' --sentiment positive"
            + " --metric pop_time=1.89 --metric 'velocity=82.5 mph'"
        var wanted = Attendance(event: "Fall Camp")
        wanted.coaches = ["Al Bo", "Cy"]
        wanted.notes = "Two throws"
        wanted.log = "They liked it"
        wanted.with = "Al Bo"
        wanted.sentiment = "positive"
        wanted.results = [.init(type: "pop_time", value: "1.89"), .init(type: "velocity", value: "82.5", unit: "mph")]
        #expect(try Invocation(Self.words(line)).action == .attend(wanted))
        #expect(try SlashCommand.parse("/" + line) == .action(.attend(wanted)))
    }

    @Test("The beginning of a field's name is enough if it fits only one field; dashes do not count; options keep their meaning", arguments: [
        (["--check-in", "07:45"], "checkin_time"), (["--checkin=07:45"], "checkin_time"), (["check-in=07:45"], "checkin_time"), (["--perf", "07:45"], "performance_notes"),
        (["--start", "07:45"], "start_date"), (["--start-t", "07:45"], "start_time"), (["--desc=07:45"], "description"),
    ])
    func beginnings(words: [String], field: String) throws {
        #expect(try FieldOptions.parse(words, .event).fields == [Self.input(.event, field, "07:45")])
    }

    @Test("A beginning that fits several fields, or none, is not an option", arguments: [["--sta", "x"], ["--ch", "x"], ["--colour", "x"]])
    func noBeginnings(words: [String]) {
        #expect(throws: UsageError.self) { try FieldOptions.parse(words, .event) }
    }

    @Test("Overlaps are accepted with a reason")
    func accepts() throws {
        #expect(try Invocation(Self.words("add item title=x --override --reason 'Tom joins later'")).acceptance == "Tom joins later")
        #expect(try Invocation(Self.words("undo 3 --override --reason y")).acceptance == "y")
        #expect(try Invocation(Self.words("undo 3")).acceptance == nil)
    }

    @Test("Every field that a person may write has an option, and help says it", arguments: CommandTable.kinds.filter(\.declaration.isCreatedByMutation).filter { $0 != .message })
    func everyField(kind: Kind) {
        let help = Help.text("add \(kind.name)")
        var all: [String] = []
        for (field, names) in FieldOptions.names(kind) {
            #expect(help.contains(kind.declaration.fields[field].label))
            #expect(help.contains(names.min { $0.count < $1.count } ?? "?"))
            all += names
        }
        #expect(Set(all).count == all.count, "no option means two fields")
        #expect(all.count >= kind.declaration.fields.count { !$0.isServerOnly })
    }
}

@Suite("Fresh ids, RFC 9562 §6.2")
struct IdentifierSourceTests {
    @Test("Each id is larger than the one before, within one millisecond and when the clock goes back")
    func grow() {
        var source = IdentifierSource()
        let ids = (0..<1_000).map { source.next($0 < 500 ? 1_795_000_000_000 : 1_794_999_999_000) }
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
    }
}

@Suite("Fields from words")
struct FieldOptionsTests {
    static let coach: Record = {
        var fields = Fields(.coach)
        fields["first_name"] = .text("Al")
        fields["last_name"] = .text("Bo")
        return Record(
            kind: .coach, id: World.id(41), athlete: nil, version: 1, createdAt: 0, createdBy: World.parent, updatedAt: 0,
            updatedBy: World.parent, fields: fields)
    }()
    static let names = RecordNames([World.school(20, "Ohio State"), World.school(21, "Ohio U"), coach])

    static func value(_ name: String, _ text: String) throws -> Value? {
        try FieldOptions.patch([InvocationTests.input(.event, name, text)], .event, names: names, today: TypedValueTests.today).assignments.first?.value
    }

    @Test("Values", arguments: [
        ("name", "Fall", .text("Fall")), ("type", "official visit", .text("official_visit")), ("type", "Camp", .text("camp")),
        ("registered", "Yes", .flag(true)), ("attended", "no", .flag(false)), ("school_id", "ohio state", .reference(World.id(20))),
        ("school_id", "ohio u", .reference(World.id(21))), ("coaches_present", "Al Bo", .set([SetElement(id: World.id(41))])),
        ("stats_recorded", #"{"a":[1,2]}"#, .json(Array(#"{"a":[1,2]}"#.utf8))), ("notes", "", nil),
    ] as [(String, String, Value?)])
    func values(name: String, text: String, value: Value?) throws {
        let field = name == "notes" ? "description" : name
        #expect(try Self.value(field, text) == value)
    }

    @Test("Additions and removals of a set")
    func sets() throws {
        let patch = try FieldOptions.patch(
            [InvocationTests.input(.event, "coaches_present", "+Al Bo, -\(World.id(41))")], .event, names: Self.names, today: TypedValueTests.today)
        #expect(patch.assignments.isEmpty)
        #expect(patch.setEdits.first?.add == [World.id(41)])
        #expect(patch.setEdits.first?.remove == [World.id(41)])
    }

    @Test("Values that are not valid", arguments: [
        ("type", "party"), ("registered", "maybe"), ("school_id", "ohio"), ("school_id", "nowhere"), ("stats_recorded", "[1]"),
        ("stats_recorded", "{\"a\":1,\"a\":2}"), ("coaches_present", "nobody"),
    ])
    func refuses(name: String, text: String) {
        #expect(throws: UsageError.self) { try Self.value(name, text) }
    }
}

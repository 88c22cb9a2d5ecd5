import Arguments
import Commands
import Family
import Testing

@Suite("Input in the interactive mode")
struct SlashCommandTests {
    static func events(_ time: ListFilter.Time, _ text: String = "") -> SlashCommand {
        var filter = ListFilter(.event)
        filter.time = time
        filter.text = text
        return .action(.list(filter))
    }

    static func input(_ kind: Kind, _ name: String, _ text: String) -> FieldInput {
        FieldInput(field: kind.declaration.index(of: name) ?? -1, text: text)
    }

    @Test("Lines mean", arguments: [
        ("", .nothing), ("  ", .nothing), ("hello there ", .action(.say("hello there"))), ("//shrug", .action(.say("/shrug"))),
        ("/help", .action(.help(topic: nil))), ("/", .action(.help(topic: nil))), ("/help add event", .action(.help(topic: "add event"))),
        ("/events", events(.upcoming)), ("/events past", events(.past)), ("/events all", events(.all)),
        ("/events fall camp", events(.all, "fall camp")), ("/events --search add", events(.all, "add")), ("/event 3", .show(.event, "3")),
        ("/event Fall Camp", .show(.event, "Fall Camp")), ("/trip_item 2", .show(.tripItem, "2")), ("/item 2", .show(.tripItem, "2")),
        ("/attend 2", .action(.attend(Attendance(event: "2")))), ("/attend Fall Camp", .action(.attend(Attendance(event: "Fall Camp")))),
        ("/rm 2", .action(.remove(.init(nil, "2")))), ("/rm trip Austin weekend", .action(.remove(.init(.trip, "Austin weekend")))),
        ("/restore Fall Camp", .action(.restore(.init(nil, "Fall Camp")))), ("/shift trip 2 -7", .action(.shift(.init(.trip, "2"), days: -7))),
        ("/copy Fall Camp 364", .action(.copy(.init(nil, "Fall Camp"), days: 364))), ("/undo", .action(.undo(nil))), ("/undo #12", .action(.undo(12))),
        ("/itinerary Austin weekend", .action(.itinerary(ItineraryFilter(trip: "Austin weekend")))),
        ("/context Maya", .context("Maya")), ("/drafts", .drafts),
        ("/history", .action(.ask(.history(target: nil, before: nil, limit: 20)))),
        ("/history Fall Camp", .action(.ask(.history(target: "Fall Camp", before: nil, limit: 20)))),
        ("/since", .action(.ask(.since(nil)))), ("/older", .action(.ask(.olderMessages(before: nil)))),
        ("/stats events", .action(.ask(.statistics(.event)))), ("/access", .action(.ask(.accesses(before: nil, limit: 20)))),
        ("/retry 1", .retry("1", acceptance: nil)), ("/retry 1 --override --reason 'Tom joins later'", .retry("1", acceptance: "Tom joins later")),
        ("/drop 1", .drop("1")), ("/edit message 2f5a packed, the car", .action(.edit(.message, "2f5a", [input(.message, "text", "packed, the car")]))), ("/outbox drop f1", .action(.outbox(.drop(number: "f1")))), ("/set", .configure(.list)), ("/set theme", .configure(.show(.theme))), ("/set Theme light", .configure(.set(.theme, ["light"]))),
        ("/set notify-command sh -c 'echo \"$HUDDLE_FROM\"'", .configure(.set(.notifyCommand, ["sh", "-c", "echo \"$HUDDLE_FROM\""]))),
        ("/bind @events ' season", .configure(.bind(["bind", "@events", "'", "season"]))), ("/unbind f2", .configure(.bind(["unbind", "f2"]))),
        ("/quit", .quit), ("/q", .quit), ("/add", .action(.add(.event, [], athlete: nil))),
        ("/add school", .action(.add(.school, [], athlete: nil))),
        ("/schools rm 2", .action(.remove(.init(.school, "2")))), ("/coaches", .action(.list(ListFilter(.coach)))),
        (#"/edit 2 --name "Fall \"X\" Camp" --city ''"#,
            .action(.edit(.event, "2", [input(.event, "name", "Fall \"X\" Camp"), input(.event, "city", "")]))),
        ("/edit 2 cost=150", .action(.edit(.event, "2", [input(.event, "cost", "150")]))),
        ("/add --type camp --name=A --start 2026-12-01 --registered --athlete Maya",
            .action(
                .add(
                    .event,
                    [
                        input(.event, "type", "camp"), input(.event, "name", "A"), input(.event, "start_date", "2026-12-01"),
                        input(.event, "registered", "yes"),
                    ], athlete: "Maya"))),
        ("/schools add --name Yale", .action(.add(.school, [input(.school, "name", "Yale")], athlete: nil))),
    ] as [(String, SlashCommand)])
    func parses(line: String, command: SlashCommand) throws {
        #expect(try SlashCommand.parse(line) == command)
    }

    @Test("A bare number refers to the list that was shown last, whatever its kind")
    func about() throws {
        #expect(try SlashCommand.parse("/edit 2 name=Yale", about: .school) == .action(.edit(.school, "2", [Self.input(.school, "name", "Yale")])))
        #expect(
            try SlashCommand.parse("/edit Camp name=Yale", about: .school) == .action(.edit(.event, "Camp", [Self.input(.event, "name", "Yale")])))
    }

    @Test("Mistakes get a sentence", arguments: [
        "/nope", "/edit 2", "/edit --name x", "/event", "/add --bogus 1", "/edit 1 --name \"x", "/add stray", "/watch", "/say hello", "/export events",
        "/undo x", "/shift 2", "/retry 1 --override", "/trips add --override --reason x",
    ])
    func refuses(line: String) {
        #expect(throws: UsageError.self) { try SlashCommand.parse(line) }
    }

    @Test("A command that carries files has its own page, and says so", arguments: ["/docs upload x.pdf", "/documents download Fall", "/docs share Fall --school Ashgrove"])
    func files(line: String) {
        #expect { try SlashCommand.parse(line) } throws: { ($0 as? UsageError)?.message.contains("page of documents (Alt-4)") == true }
    }

    @Test("Questions ask for the required fields, then for the usual ones, and repeat the required ones")
    func questions() throws {
        var questions = Questions(.school)
        #expect(questions.prompt == "School name: ")
        #expect(throws: UsageError.self) { try questions.answer("") }
        try questions.answer("Yale")
        #expect(questions.prompt == "Location: ")
        try questions.answer("")
        #expect(questions.isDone)
        #expect(questions.answers == [Self.input(.school, "name", "Yale")])
        var event = Questions(.event, asksAthlete: true, athletes: ["Maya", "Leo"])
        #expect(event.prompt == "Athlete (name): " && event.choices == "  one of: Maya, Leo" && event.label == "Name")
        try event.answer("Maya")
        #expect(event.athlete == "Maya")
        #expect(event.choices == "  one of: Camp, Showcase, Official Visit, Unofficial Visit, Game" && event.label == "Event type")
        try event.answer("camp")
        #expect(event.label == "Event name")
        let name = Kind.event.declaration.index(of: "name") ?? -1
        let wasAnswered = event.again(name)
        #expect(!wasAnswered, "it has not been answered yet")
        try event.answer("Fall Camp")
        let isAskedAgain = event.again(name)
        #expect(isAskedAgain && event.label == "Event name" && event.answers == [Self.input(.event, "type", "camp")])
        try event.answer("Other Camp")
        #expect(event.isDone && event.answers.count == 2)
    }

    @Test("Completion finds the word that is being typed, wherever its quotation began, and quotes it", arguments: [
        ("context Ma", ["context", "Ma"], 8), ("context ", ["context", ""], 8), ("edit event \"Fall C", ["edit", "event", "Fall C"], 11), ("", [""], 0),
        ("a  b'c d", ["a", "bc d"], 3), ("żółw 日本 x", ["żółw", "日本", "x"], 8), ("a\\ b", ["a b"], 0),
    ] as [(String, [String], Int)])
    func unfinished(text: String, words: [String], start: Int) {
        let found = SlashCommand.unfinished(text)
        #expect(found.words == words && found.start == start)
    }

    @Test("A quoted word reads back as the same word", arguments: ["a", "a b", "it's", "say \"x\"", "back\\slash", "", "日本 語"])
    func quoted(word: String) throws {
        #expect(try SlashCommand.split(SlashCommand.quoted(word)) == (word.isEmpty ? [] : [word]))
    }

    @Test("/me sends an action, apostrophes included; a word that is nearly a command is questioned", arguments: [
        ("/me doesn't know", nil), ("/me", "Write: /me TEXT…"), ("/contxt x", "There is no command /contxt: did you mean /context?"),
        ("/names", "There is no command /names: did you mean /members?"), ("/eve", "There is no command /eve: did you mean /event?"),
        ("/export events", "That is done in another terminal: huddle export … On the full screen E among the events (Alt-2) does it, too."),
        ("/watch", "That is done in another terminal: huddle watch …"), ("/say hello", "Leave /say out: text without a slash goes to the family."),
        ("/xyzzy", "There is no command /xyzzy. See /help."), ("/part", "There is no command /part: did you mean /quit?"),
    ] as [(String, String?)])
    func deeds(line: String, complaint: String?) {
        do throws(UsageError) {
            let command = try SlashCommand.parse(line)
            #expect(complaint == nil && command == .action(.say(line)))
        } catch {
            #expect(error.message == complaint)
        }
    }
}

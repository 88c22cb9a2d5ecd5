import Arguments
import Client
import Family
import Testing

@Suite("What is typed in the interactive mode")
struct SlashCommandTests {
    static func events(_ time: ListFilter.Time, _ text: String = "") -> SlashCommand {
        var filter = ListFilter(.event)
        filter.time = time
        filter.text = text
        return .list(filter)
    }

    static func input(_ kind: Kind, _ name: String, _ text: String) -> FieldInput {
        FieldInput(field: kind.declaration.index(of: name) ?? -1, text: text)
    }

    @Test("Lines mean", arguments: [
        ("", .nothing), ("  ", .nothing), ("hello there ", .say("hello there")), ("//shrug", .say("/shrug")), ("/help", .help),
        ("/events", events(.upcoming)), ("/events past", events(.past)), ("/events all", events(.all)),
        ("/events fall camp", events(.all, "fall camp")), ("/event 3", .show(.event, "3")),
        ("/event Fall Camp", .show(.event, "Fall Camp")),
        ("/attend 2", .attend("2")), ("/rm 2", .remove(.event, "2")), ("/context Maya", .context("Maya")), ("/drafts", .drafts),
        ("/history", .ask(.history(target: nil, before: nil, limit: 20))), ("/history Fall Camp", .ask(.history(target: "Fall Camp", before: nil, limit: 20))),
        ("/since", .ask(.since(nil))), ("/older", .ask(.olderMessages(before: nil))), ("/stats events", .ask(.statistics(.event))),
        ("/access", .ask(.accesses(before: nil, limit: 20))),
        ("/retry 1", .retry("1")), ("/drop 1", .drop("1")), ("/quit", .quit), ("/add", .add(.event, [], athlete: nil)),
        ("/schools rm 2", .remove(.school, "2")), ("/coaches", .list(ListFilter(.coach))),
        (#"/edit 2 --name "Fall \"X\" Camp" --city ''"#,
            .edit(.event, "2", [input(.event, "name", "Fall \"X\" Camp"), input(.event, "city", "")])),
        ("/add --type camp --name=A --start 2026-12-01 --registered --athlete Maya",
            .add(
                .event,
                [
                    input(.event, "type", "camp"), input(.event, "name", "A"), input(.event, "start_date", "2026-12-01"),
                    input(.event, "registered", "yes"),
                ], athlete: "Maya")),
        ("/schools add --name Yale", .add(.school, [input(.school, "name", "Yale")], athlete: nil)),
    ] as [(String, SlashCommand)])
    func parses(line: String, command: SlashCommand) throws {
        #expect(try SlashCommand.parse(line) == command)
    }

    @Test("Mistakes get a sentence", arguments: [
        "/nope", "/edit 2", "/edit --name x", "/event", "/add --bogus 1", "/edit 1 --name \"x", "/add stray",
    ])
    func refuses(line: String) {
        #expect(throws: UsageError.self) { try SlashCommand.parse(line) }
    }

    @Test("Questions ask what is needed, then what is common, and insist on what is needed")
    func questions() throws {
        var questions = Questions(.school)
        #expect(questions.prompt == "School name: ")
        #expect(throws: UsageError.self) { try questions.answer("") }
        try questions.answer("Yale")
        #expect(questions.prompt == "Location: ")
        try questions.answer("")
        #expect(questions.isDone)
        #expect(questions.answers == [Self.input(.school, "name", "Yale")])
        var event = Questions(.event, asksAthlete: true)
        #expect(event.prompt == "Whose (name): ")
        try event.answer("Maya")
        #expect(event.athlete == "Maya")
        #expect(event.choices == "  one of: Camp, Showcase, Official Visit, Unofficial Visit, Game")
    }
}

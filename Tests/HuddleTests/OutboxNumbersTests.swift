import ClientWorld
@testable import Documents
import Family
@testable import huddle
import Posix
@testable import Sessions
@testable import Sync
import Testing
import Wire

@Suite("Numbers of waiting and refused changes")
struct OutboxNumbersTests {
    /// A conversation with three drafts of schools, 41 to 43, and three files, all from an earlier run.
    private func conversation(_ home: CacheFixture) throws -> Conversation {
        do {
            var engine = SyncEngine(World.configuration())
            var durable = DurableSide(home.place, restoring: &engine)
            var actions = engine.start(now: 0) + engine.connected(now: 0)
            for frame in [World.welcome(), World.joined(10, byChanges: false), .snapshotEnd(sequence: 10), .live(sequence: 10)] {
                actions += engine.receive(frame, now: 0)
            }
            _ = durable.follow(actions, &engine, now: 0)
            for number in 41...43 {
                let (mutation, sent) = try engine.perform([World.create(UInt64(number), "School \(number)")], at: Int64(number) * 1_000, now: 0)
                _ = durable.follow(sent, &engine, now: 0)
                let refusal = engine.receive(.reject(mutation: mutation, Rejection(.required, "No.", operation: 0)), now: 0)
                _ = durable.follow(refusal, &engine, now: 0)
            }
            durable.save(engine)
            for number in 1...3 {
                try durable.cache?.keep(FileTransfer(.download(.init(document: World.id(5), octets: 9, sha256: "ab")), path: "/tmp/\(number)"), number: number + 6)
            }
        }
        let session = try ClientSession(try ServerAddress("ws://host:8787"), World.configuration(), cache: home.place)
        let conversation = Conversation(session, context: nil)
        conversation.begin()
        _ = conversation.takeOutput()
        return conversation
    }

    private func say(_ line: String, _ conversation: Conversation) -> String {
        conversation.submit(line)
        return conversation.takeOutput().joined(separator: "\n")
    }

    @Test("A number keeps its meaning from the list that was shown, when others of the list are gone", arguments: ["/drafts", "/outbox", "/conflicts"])
    func drafts(list: String) throws {
        let home = try CacheFixture()
        let conversation = try conversation(home)
        func left() -> [String] { conversation.session.engine.drafts.compactMap { $0.operations.first?.patch?.assignments.first?.value.map { "\($0)" } } }
        try #require(left().count == 3)
        _ = say(list, conversation)
        let first = say("/drop 1", conversation)
        #expect(first.hasPrefix("Discarded: ") && first.contains("School 41"))
        #expect(say("/drop 2", conversation).contains("School 42"))
        #expect(left().count == 1 && left()[0].contains("School 43"))
        #expect(say("/drop 2", conversation) == "The entry with the number 2 was sent again, decided or discarded already. /drafts numbers the rest.")
        #expect(say("/resolve 1 yours", conversation).contains("The entry with the number 1 was"))
        #expect(say("/drop 4", conversation).contains("Nothing that was refused has the number 4."))
        #expect(left().count == 1)
        // A mutation's number keeps its meaning, whatever list was shown.
        let last = try #require(conversation.session.engine.drafts.first?.id)
        #expect(say("/drop #\(last - 1)", conversation).contains("Nothing that was refused has the number #\(last - 1)."))
        // A new list has new numbers.
        #expect(say("/drafts", conversation).contains("1. "))
        #expect(say("/drop #\(last)", conversation).contains("School 43") && left().isEmpty)
    }

    @Test("The number of a file keeps its meaning, too")
    func files() throws {
        let home = try CacheFixture()
        let conversation = try conversation(home)
        let list = say("/outbox", conversation)
        #expect(list.contains("f1. ") && list.contains("f3. "))
        #expect(say("/outbox drop f1", conversation).contains("is stopped."))
        #expect(say("/drop f2", conversation).contains("is stopped."))
        #expect(try conversation.session.cache?.transfers().map(\.transfer.path) == ["/tmp/3"])
        #expect(say("/drop f2", conversation) == "The file that had the number f2 is done or stopped already. /outbox numbers what is left.")
        #expect(say("/drop f9", conversation).contains("No file on its way has the number f9."))
        #expect(try conversation.session.cache?.transfers().count == 1)
    }
}

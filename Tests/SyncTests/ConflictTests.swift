import Bytes
import ClientWorld
import Commands
import Family
import Sync
import Testing
import Wire
import Words

@Suite("Conflicts, field by field (no lost update, nothing lost at the client)")
struct ConflictTests {
    static let name = World.field(.school, "name")
    static let notes = World.field(.school, "notes")

    /// School 20 is "Ohio" at version 3; its author renamed it and wrote notes, Maya renamed it first.
    static func refused(_ record: Record? = nil, _ operation: Family.Operation? = nil) throws -> (SyncEngine, Int64) {
        var engine = World.live()
        let mine = operation ?? World.update(20, base: 3, ["name": .text("Mine"), "notes": .text("my notes")])
        let id = try engine.perform([World.create(30, "Beside"), mine], at: 1, now: 0).mutation
        let theirs = record ?? World.school(20, "Theirs", version: 4)
        let fields = theirs.isDeleted || operation != nil ? []
            : [Conflict.Field(field: name, base: .text("Ohio"), yours: .text("Mine"), theirs: .text("Theirs"), member: World.athlete, at: 9)]
        _ = engine.receive(World.change(11, [World.updated(20, version: 4, ["name": .text("Theirs")])]), now: 0)
        _ = engine.receive(
            .reject(mutation: id, Rejection(.conflict, "Maya changed it.", operation: 1, conflict: Conflict(record: theirs, fields: fields))), now: 0)
        return (engine, id)
    }

    @Test("A conflict has both sides and the previous value; only fields that both changed need a choice")
    func sides() throws {
        let (engine, id) = try Self.refused()
        let sides = try #require(engine.conflict(of: id))
        #expect(sides.matter == .fields && sides.operation == 1 && sides.record.version == 4)
        #expect(sides.fields.map(\.isContested) == sides.fields.map { $0.field == Self.name })
        let contested = try #require(sides.contested.first)
        #expect(contested.base == .text("Ohio") && contested.yours == .text("Mine") && contested.theirs == .text("Theirs") && contested.member == World.athlete)
        let lines = ChangeText(RecordNames([World.member(World.athlete, "Maya"), sides.record])) { _ in "09:14" }.conflict(sides)
        for text in ["before: Ohio", "yours:  Mine", "theirs: Theirs (Maya, 09:14)", "only yours: my notes"] {
            #expect(lines.contains { $0.contains(text) }, "\(text): \(lines)")
        }
    }

    @Test("The parser accepts choices in words", arguments: [
        (["yours"], [:], .yours), (["name=theirs"], [name: .theirs], nil), (["name=both", "mine"], [name: .both], .yours),
    ] as [([String], [Int: ConflictChoice], ConflictChoice?)])
    func words(words: [String], fields: [Int: ConflictChoice], whole: ConflictChoice?) throws {
        let (engine, id) = try Self.refused()
        let sides = try #require(engine.conflict(of: id))
        let found = try OutboxRequest.choices(words, sides)
        #expect(found.fields == fields && found.whole == whole)
    }

    @Test("The parser refuses other words", arguments: ["ours", "name", "name=hers", "city=yours", "=yours"])
    func wrongWords(word: String) throws {
        let (engine, id) = try Self.refused()
        let sides = try #require(engine.conflict(of: id))
        #expect(throws: (any Error).self) { try OutboxRequest.choices([word], sides) }
    }
}

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

    private func patch(_ actions: [SyncAction]) -> (base: Int64, values: [Int: Value?], count: Int)? {
        for case .mutation(_, .operations(let operations), _) in actions.sent {
            for operation in operations where operation.id == World.id(20) {
                guard case .update(let base, .disjoint, let patch) = operation.action else { continue }
                return (base, Dictionary(uniqueKeysWithValues: patch.assignments.map { ($0.field, $0.value) }), operations.count)
            }
        }
        return nil
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

    @Test("Each choice is based on the shown version, and includes the rest of the batch", arguments: [
        (ConflictChoice.yours, Value.text("Mine") as Value?), (.theirs, nil), (.both, .text("Theirs / Mine")), (.value(.text("Third")), .text("Third")),
    ])
    func choices(choice: ConflictChoice, value: Value?) throws {
        var (engine, id) = try Self.refused()
        let sides = try #require(engine.conflict(of: id))
        let (mutation, actions) = try engine.resolve(sides, [Self.name: choice], at: 2, now: 0)
        #expect(mutation != nil && mutation != id && engine.drafts.isEmpty)
        let sent = try #require(patch(actions))
        #expect(sent.base == 4 && sent.count == 2)
        #expect(sent.values[Self.name] == value.map { .some($0) })
        #expect(sent.values[Self.notes] == .some(.text("my notes")))
    }

    @Test("In a batch that edits the record twice, the uncontested part is based on the version in the refusal")
    func twice() throws {
        var engine = World.live()
        let first = World.update(20, base: 3, ["notes": .text("my notes")])
        let id = try engine.perform([first, World.update(20, base: 3, ["name": .text("Mine")])], at: 1, now: 0).mutation
        let fields = [Conflict.Field(field: Self.name, base: .text("Ohio"), yours: .text("Mine"), theirs: .text("Theirs"), member: World.athlete, at: 9)]
        let conflict = Conflict(record: World.school(20, "Theirs", version: 4), fields: fields)
        _ = engine.receive(.reject(mutation: id, Rejection(.conflict, "Maya changed it.", operation: 1, conflict: conflict)), now: 0)
        let sides = try #require(engine.conflict(of: id))
        let actions = try engine.resolve(sides, [:], whole: .yours, at: 2, now: 0).actions
        var bases: [Int64] = []
        for case .mutation(_, .operations(let operations), _) in actions.sent {
            for case .update(let base, _, _) in operations.map(\.action) { bases.append(base) }
        }
        #expect(bases == [4, 4])
    }

    @Test("Nothing is sent before every contested field is decided, and the draft stays")
    func undecided() throws {
        var (engine, id) = try Self.refused()
        let sides = try #require(engine.conflict(of: id))
        #expect(throws: Rejection.self) { try engine.resolve(sides, [:], at: 2, now: 0) }
        #expect(engine.drafts.map(\.id) == [id] && engine.pending.isEmpty)
    }

    @Test("A simultaneous change by another member is not overwritten: the choice is based on the shown version")
    func movedOn() throws {
        var (engine, id) = try Self.refused()
        let shown = try #require(engine.conflict(of: id))
        _ = engine.receive(World.change(12, [World.updated(20, version: 5, ["name": .text("Theirs again"), "notes": .text("their notes")])]), now: 0)
        let sent = try #require(patch(try engine.resolve(shown, [:], whole: .yours, at: 2, now: 0).actions))
        #expect(sent.base == 4, "not the version that its author never saw")
        (engine, id) = try Self.refused()
        _ = engine.receive(World.change(12, [World.updated(20, version: 5, ["notes": .text("their notes")])]), now: 0)
        let now = try #require(engine.conflict(of: id))
        #expect(now.record.version == 5 && now.contested.map(\.field).sorted() == [Self.name, Self.notes].sorted())
    }

    @Test("For a deleted record, yours restores it, theirs drops the change")
    func deleted() throws {
        var gone = World.school(20, "Theirs", version: 5)
        gone.deletedAt = 9
        for keepsMine in [true, false] {
            var (engine, id) = try Self.refused(gone)
            let sides = try #require(engine.conflict(of: id))
            #expect(sides.matter == .deleted && sides.contested.isEmpty)
            let (mutation, actions) = try engine.resolve(sides, [:], whole: keepsMine ? .yours : .theirs, at: 2, now: 0)
            #expect((mutation != nil) == keepsMine && engine.drafts.isEmpty)
            #expect(actions.sent.isEmpty != keepsMine)
        }
    }

    @Test("The author decides about deleting a record that another member changed")
    func deletion() throws {
        var (engine, id) = try Self.refused(nil, World.delete(20, base: 3))
        let sides = try #require(engine.conflict(of: id))
        #expect(sides.matter == .whole && sides.fields.isEmpty)
        #expect(throws: Rejection.self) { try engine.resolve(sides, [:], at: 2, now: 0) }
        let (mutation, actions) = try engine.resolve(sides, [:], whole: .yours, at: 2, now: 0)
        #expect(mutation != nil)
        #expect(actions.sent.contains { if case .mutation(_, .operations(let all), _) = $0 { all.contains(World.delete(20, base: 4)) } else { false } })
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

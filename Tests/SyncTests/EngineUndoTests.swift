import Bytes
import ClientWorld
import Family
import Sync
import Testing
import Wire

@Suite("Sync engine: undo, accepted overlaps")
struct EngineUndoTests {
    static let overlap = OverlapOverride(reason: "Tom joins later", pairs: [OverlapPair(World.id(20), World.id(21))])

    @Test("An undo is sent as it is, shows nothing before its response, and later requests wait for its change")
    func undo() throws {
        var engine = World.live()
        let (id, actions) = try engine.undo(9, at: 0, now: 1)
        #expect(actions.sent == [.mutation(id: id, body: .undo(sequence: 9), overlap: nil)])
        #expect(engine.name(20) == "Ohio")
        let later = try engine.perform([World.update(20, base: 3, ["notes": .text("n")])], at: 0, now: 2)
        #expect(later.actions.sentMutations == [])
        let ack = Ack(mutation: id, sequence: 11, records: [.init(id: World.id(20), version: 4)])
        #expect(engine.receive(.ack(ack), now: 3).sentMutations == [])
        let change = World.change(11, client: World.client, mutation: id, [World.updated(20, version: 4, ["name": .text("Old")])])
        // The later edit is based on the result of the undo.
        #expect(
            engine.receive(change, now: 4).sent
                == [.mutate(id: later.mutation, operations: [World.update(20, base: 4, ["notes": .text("n")])])])
        #expect(engine.name(20) == "Old")
    }

    @Test("An undo with a lost response is sent again under its number")
    func resent() throws {
        var engine = World.live()
        let id = try engine.undo(9, at: 0, now: 1).mutation
        _ = engine.disconnected(closeCode: nil, now: 2)
        #expect(World.resume(&engine, at: 10).sent.last == .mutation(id: id, body: .undo(sequence: 9), overlap: nil))
    }

    @Test("An edit is not folded to before an undo that was requested in between")
    func foldsNotAcross() throws {
        var engine = World.live()
        _ = engine.disconnected(closeCode: nil, now: 0)
        let first = try engine.perform([World.update(20, base: 3, ["name": .text("A")])], at: 0, now: 1).mutation
        let undo = try engine.undo(9, at: 0, now: 2).mutation
        let second = try engine.perform([World.update(20, base: 3, ["name": .text("B")])], at: 0, now: 3).mutation
        #expect(engine.pending.map(\.id) == [first, undo, second])
        #expect(World.resume(&engine, at: 10).sentMutations == [first, undo])
    }

    @Test("A refused undo is a draft, which a retry sends under a new number")
    func draft() throws {
        var engine = World.live()
        let id = try engine.undo(9, at: 0, now: 1).mutation
        _ = engine.receive(.reject(mutation: id, Rejection(.contradicted, "Later.", sequence: 10)), now: 2)
        #expect(engine.drafts.map(\.undo) == [9])
        let again = try #require(try engine.retry(draft: id, at: 0, now: 3))
        #expect(again.mutation > id)
        #expect(again.actions.sent == [.mutation(id: again.mutation, body: .undo(sequence: 9), overlap: nil)])
    }

    @Test("Accepted overlaps stay with their batch, which takes no folded edits, and with its draft")
    func overlaps() throws {
        var engine = World.live()
        _ = engine.disconnected(closeCode: nil, now: 0)
        let first = try engine.perform([World.update(20, base: 3, ["name": .text("A")])], accepting: Self.overlap, at: 0, now: 1).mutation
        let second = try engine.perform([World.update(20, base: 3, ["name": .text("B")])], at: 0, now: 2).mutation
        #expect(first != second)
        let operations = [World.update(20, base: 3, ["name": .text("A")])]
        #expect(World.resume(&engine, at: 10).sent.last == .mutation(id: first, body: .operations(operations), overlap: Self.overlap))
        _ = engine.receive(.reject(mutation: first, Rejection(.invalid, "No.")), now: 3)
        #expect(engine.drafts.map(\.overlap) == [Self.overlap])
    }

    @Test("A draft that was refused for overlaps is sent again with them accepted")
    func accepts() throws {
        var engine = World.live()
        let id = try engine.perform([World.update(20, base: 3, ["name": .text("A")])], at: 0, now: 1).mutation
        _ = engine.receive(.reject(mutation: id, Rejection(.overlap, "Both at once.")), now: 2)
        let again = try #require(try engine.retry(draft: id, accepting: Self.overlap, at: 0, now: 3))
        let operations = [World.update(20, base: 3, ["name": .text("A")])]
        #expect(again.actions.sent == [.mutation(id: again.mutation, body: .operations(operations), overlap: Self.overlap)])
    }
}

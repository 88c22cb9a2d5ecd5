import Bytes
import ClientWorld
import Family
import Sync
import TestSupport
import Testing

@Suite("Folding, semantics: offline edits")
struct EditFoldingTests {
    static let present = FieldPatch.SetEdit(field: World.field(.event, "coaches_present"), add: [], remove: [])

    @Test("A create absorbs later edits")
    func createUpdate() {
        let folded = EditFolding.fold(World.update(5, base: 0, ["notes": .text("n"), "name": .text("B")]), into: World.create(5, "A"))
        let expected = Operation(
            kind: .school, id: World.id(5),
            action: .create(athlete: nil, patch: World.patch(.school, ["name": .text("B"), "notes": .text("n")])))
        #expect(folded == .operation(expected))
    }

    @Test("Two updates become one with the earlier base")
    func updateUpdate() {
        let folded = EditFolding.fold(World.update(5, base: 4, ["notes": nil]), into: World.update(5, base: 3, ["name": .text("A")]))
        #expect(folded == .operation(World.update(5, base: 3, ["name": .text("A"), "notes": nil])))
    }

    @Test("A strict update stays strict when a tolerant one folds in")
    func strictness() {
        let folded = EditFolding.fold(
            World.update(5, base: 3, ["notes": nil]), into: World.update(5, base: 3, merge: .none, ["name": .text("A")]))
        #expect(folded == .operation(World.update(5, base: 3, merge: .none, ["name": .text("A"), "notes": nil])))
    }

    @Test("A delete replaces an update and keeps its own base")
    func updateDelete() {
        #expect(
            EditFolding.fold(World.delete(5, base: 4), into: World.update(5, base: 3, ["name": .text("A")]))
                == .operation(World.delete(5, base: 4)))
    }

    @Test("Operations that cancel out before sending leave nothing", arguments: [
        (World.create(5, "A"), World.delete(5, base: 0)),
        (World.delete(5, base: 3), World.restore(5, base: 3)),
        (World.restore(5, base: 3), World.delete(5, base: 3)),
    ])
    func cancels(earlier: Operation, later: Operation) {
        #expect(EditFolding.fold(later, into: earlier) == .nothing)
    }

    @Test("Operations that do not combine stay separate", arguments: [
        (World.delete(5, base: 3), World.update(5, base: 3, ["name": .text("A")])),
        (World.restore(5, base: 3), World.update(5, base: 3, ["name": .text("A")])),
        (World.create(5, "A"), World.create(5, "B")),
        (World.update(5, base: 1, ["name": .text("A")]), World.restore(5, base: 1)),
        (World.create(5, "A"), World.create(6, "A")),
    ])
    func separate(earlier: Operation, later: Operation) {
        #expect(EditFolding.fold(later, into: earlier) == .separate)
    }

    static func edit(add: [UInt64] = [], remove: [UInt64] = []) -> FieldPatch {
        FieldPatch(setEdits: [
            .init(field: World.field(.event, "coaches_present"), add: add.map(World.id), remove: remove.map(World.id))
        ])
    }

    static func assign(_ members: [UInt64]) -> FieldPatch {
        FieldPatch(assignments: [
            .init(
                field: World.field(.event, "coaches_present"),
                value: members.isEmpty ? nil : .set(members.map { SetElement(id: World.id($0)) }))
        ])
    }

    @Test("Set edits compose: the later edit of an element counts", arguments: [
        (edit(add: [1]), edit(add: [2]), edit(add: [1, 2])),
        (edit(add: [1, 2]), edit(remove: [1]), edit(add: [2], remove: [1])),
        (edit(remove: [1]), edit(add: [1]), edit(add: [1])),
        (assign([1]), edit(add: [2]), assign([1, 2])),
        (assign([1, 2]), edit(remove: [1, 2]), assign([])),
        (edit(add: [1]), assign([3]), assign([3])),
    ])
    func sets(earlier: FieldPatch, later: FieldPatch, expected: FieldPatch) {
        #expect(EditFolding.merge(later, over: earlier) == expected)
    }

    @Test("Applying the fold equals applying both")
    func equivalence() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<2_000 {
            let first = Self.randomPatch(&random)
            let second = Self.randomPatch(&random)
            var start = Fields(.event)
            start["coaches_present"] = .set([SetElement(id: World.id(1)), SetElement(id: World.id(2))])
            let after = Merge.apply(first, to: start, resolve: { _, _ in nil }).fields
            let apart = Merge.apply(second, to: after, resolve: { _, _ in nil }).fields
            let folded = Merge.apply(EditFolding.merge(second, over: first), to: start, resolve: { _, _ in nil }).fields
            #expect(apart == folded, "\(first) then \(second)")
        }
    }

    static func randomPatch(_ random: inout SplitMix64) -> FieldPatch {
        let members = (1...4).filter { _ in Bool.random(using: &random) }.map(UInt64.init)
        let others = (1...4).filter { !members.contains(UInt64($0)) && Bool.random(using: &random) }.map(UInt64.init)
        var patch = Bool.random(using: &random) ? assign(members) : edit(add: members, remove: others)
        if Bool.random(using: &random) {
            patch.assignments.insert(
                .init(field: World.field(.event, "name"), value: Bool.random(using: &random) ? nil : .text("n\(random.next() % 3)")), at: 0)
        }
        return patch
    }
}

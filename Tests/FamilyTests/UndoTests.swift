import Bytes
import Family
import TestSupport
import Testing

@Suite("Undo of one record (semantics.md, Undo)")
struct UndoTests {
    private let event = record(.event, 5, athlete: id(7), [
        "name": .text("Camp"), "cost": .text("10.00"), "city": .text("Waco"),
        "coaches_present": .set([SetElement(id: id(1), name: "Al"), SetElement(id: id(2), name: "Bo")]),
    ])

    private func assignments(_ values: KeyValuePairs<String, Value?>) -> [FieldPatch.Assignment] { patch(.event, values).assignments }

    private func outcome(
        _ before: KeyValuePairs<String, Value?>, _ after: KeyValuePairs<String, Value?>, now: KeyValuePairs<String, Value?> = [:]
    ) -> Result<Undo.Step, Undo.Contradiction> {
        var current = event
        for (name, value) in now { current.fields[name] = value }
        let entry = ChangeEntry(kind: .event, id: id(5), version: 2, effect: .update(assignments(after)))
        do {
            return .success(try Undo.step(entry, before: assignments(before), current: current))
        } catch {
            return .failure(error)
        }
    }

    @Test("Each field gets back what it had, if it still holds what the change gave it; other fields do not matter")
    func fieldByField() {
        let undone = outcome(
            ["cost": .text("8.00"), "state": .text("TX")], ["cost": .text("10.00"), "state": nil], now: ["name": .text("Later name")])
        #expect(undone == .success(.assign(assignments(["cost": .text("8.00"), "state": .text("TX")]))))
        let contradicted = outcome(
            ["cost": .text("8.00"), "city": .text("Austin")], ["cost": .text("10.00"), "city": .text("Waco")], now: ["cost": .text("12.00")])
        #expect(contradicted == .failure(Undo.Contradiction(fields: [Kind.event.field("cost")])))
        #expect(outcome(["cost": .text("10.00")], ["cost": .text("10.00")]) == .success(.nothing))
    }

    private static let al = SetElement(id: id(1), name: "Al")
    private static let bo = SetElement(id: id(2), name: "Bo")
    private static let cy = SetElement(id: id(3), name: "Cy")

    @Test("Sets are taken back element by element, with names as they were", arguments: [
        // before, after, now, undone (nil: contradicted)
        ([al], [al, bo], [al, bo], [al]), ([al, cy], [al], [al], [al, cy]), ([al], [al, bo], [al, bo, cy], [al, cy]),
        ([al, bo], [al], [al, cy], [al, bo, cy]), ([al], [al, bo], [al], nil), ([al, bo], [al], [al, bo], nil), ([], [al], [al], []),
        ([al], [], [], [al]),
    ] as [([SetElement], [SetElement], [SetElement], [SetElement]?)])
    func sets(_ before: [SetElement], _ after: [SetElement], _ now: [SetElement], _ undone: [SetElement]?) {
        func value(_ elements: [SetElement]) -> Value? { elements.isEmpty ? nil : .set(elements) }
        let result = outcome(["coaches_present": value(before)], ["coaches_present": value(after)], now: ["coaches_present": value(now)])
        if let undone {
            #expect(result == .success(.assign(assignments(["coaches_present": value(undone)]))))
        } else {
            #expect(result == .failure(Undo.Contradiction(fields: [Kind.event.field("coaches_present")])))
        }
    }

    @Test("A kept name follows its reference and contradicts nothing")
    func keptName() {
        let undone = outcome(
            ["school_id": nil, "school_name": nil], ["school_id": .reference(id(6)), "school_name": .text("Old")],
            now: ["school_id": .reference(id(6)), "school_name": .text("New")])
        #expect(undone == .success(.assign(assignments(["school_id": nil, "school_name": nil]))))
    }

    @Test("Creations, deletions and restorations are taken back as a whole, unless something came after", arguments: [
        (ChangeEntry.Effect.create(athlete: nil, fields: Fields(.event)), false, Undo.Step.delete), (.delete, true, .restore),
        (.restore(athlete: nil, fields: Fields(.event), createdAt: 0, createdBy: id(1)), false, .delete),
    ])
    func whole(_ effect: ChangeEntry.Effect, _ isDeleted: Bool, _ step: Undo.Step) throws {
        var current = event
        current.version = 4
        current.deletedAt = isDeleted ? 1 : nil
        let entry = ChangeEntry(kind: .event, id: id(5), version: 4, effect: effect)
        #expect(try Undo.step(entry, before: [], current: current) == step)
        current.version = 5
        #expect(throws: Undo.Contradiction(fields: [])) { try Undo.step(entry, before: [], current: current) }
        current.version = 4
        current.deletedAt = isDeleted ? nil : 1
        #expect(throws: Undo.Contradiction(fields: [])) { try Undo.step(entry, before: [], current: current) }
    }

    @Test("A record that was deleted since is not changed")
    func deletedSince() {
        var current = event
        current.deletedAt = 1
        let entry = ChangeEntry(kind: .event, id: id(5), version: 2, effect: .update(assignments(["cost": .text("10.00")])))
        #expect(throws: Undo.Contradiction(fields: [])) { try Undo.step(entry, before: [], current: current) }
    }

    @Test("Joining, leaving, roles, parents' access and reading positions are not undone; a member's name is")
    func notUndoable() {
        func member(_ names: [String]) -> Bool {
            let effect = ChangeEntry.Effect.update(names.map { .init(field: Kind.member.field($0), value: .text("x")) })
            return Undo.isUndoable(ChangeEntry(kind: .member, id: id(1), version: 2, effect: effect))
        }
        #expect(member(["name"]))
        #expect(!member(["role"]))
        #expect(!member(["name", "role"]))
        #expect(!member(["parent_access"]))
        #expect(!Undo.isUndoable(ChangeEntry(kind: .member, id: id(1), version: 2, effect: .delete)))
        #expect(!Undo.isUndoable(ChangeEntry(kind: .readingPosition, id: id(1), version: 2, effect: .update([]))))
        for kind in [Kind.school, .coach, .event, .metric, .interaction, .trip, .tripItem, .document, .message, .family] {
            #expect(Undo.isUndoable(ChangeEntry(kind: kind, id: id(1), version: 2, effect: .delete)))
        }
    }

    @Test("Undo after random later edits: either each field is as before, or a later edit touched one of them", arguments: [UInt64(3), 4, 5])
    func property(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let places = ["name", "cost", "city", "state", "location"].map(Kind.event.field)
        func someValue() -> Value? { Int.random(in: 0..<4, using: &random) == 0 ? nil : .text("\(Int.random(in: 0..<3, using: &random))") }
        for _ in 0..<2_000 {
            var original = Fields(.event)
            for place in places { original[place] = someValue() }
            var changed = original
            for place in places where Bool.random(using: &random) { changed[place] = someValue() }
            let touched = places.filter { changed[$0] != original[$0] }
            var now = changed
            for place in places where Int.random(in: 0..<5, using: &random) == 0 { now[place] = someValue() }
            var current = event
            current.fields = now
            let entry = ChangeEntry(
                kind: .event, id: id(5), version: 2, effect: .update(touched.map { .init(field: $0, value: changed[$0]) }))
            let contradicted = touched.filter { now[$0] != changed[$0] }
            do {
                let step = try Undo.step(entry, before: touched.map { .init(field: $0, value: original[$0]) }, current: current)
                #expect(contradicted.isEmpty, "seed \(seed)")
                var undone = now
                if case .assign(let assignments) = step { for assignment in assignments { undone[assignment.field] = assignment.value } }
                for place in touched { #expect(undone[place] == original[place], "seed \(seed)") }
                for place in places where !touched.contains(place) { #expect(undone[place] == now[place], "seed \(seed)") }
            } catch {
                #expect(error.fields == contradicted, "seed \(seed)")
            }
        }
    }
}

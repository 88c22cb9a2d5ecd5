import Bytes
import Family
import Store
import Testing
import Wire

@Suite("Batches, semantics.md: several operations on one record", .bothEngines)
struct BatchTests {
    /// An event at version 3 (Ana changed name and city, then Leo the city), a metric of it, a trip with two items, a coach, and an event at
    /// version 2 that Leo deleted.
    struct Scene {
        let world: World
        let home: World.Home
        let leo: Identifier
        let event, metric, trip, first, second, coach, gone, new: Identifier

        init() throws {
            world = try World()
            home = try world.home()
            leo = try world.athlete(home)
            (event, metric, trip, first) = (world.newID(), world.newID(), world.newID(), world.newID())
            (second, coach, gone, new) = (world.newID(), world.newID(), world.newID(), world.newID())
            try world.mutate(
                home, home.parent, camp(event, athlete: leo), StoreTests.metric(metric, athlete: leo, ["event_id": .reference(event)]),
                StoreTests.trip(trip), tripItem(first, trip), tripItem(second, trip, start: "2026-12-06T09:00"),
                StoreTests.coach(coach, "Jo", "Diaz"), camp(gone, athlete: leo, name: "Gone"))
            world.surroundings.now += 1000
            try world.mutate(home, home.parent, update(.event, event, base: 1, ["name": .text("Winter Camp"), "city": .text("Waco")]))
            world.surroundings.now += 1000
            try world.mutate(home, leo, update(.event, event, base: 2, ["city": .text("Austin")]), delete(.event, gone, base: 1))
            world.surroundings.now += 1000
        }

        func edit(_ base: Int64, _ field: String, _ text: String, _ merge: MergeMode = .none) -> Operation {
            update(.event, event, base: base, merge: merge, [field: .text(text)])
        }
        func measure(_ base: Int64) -> Operation { update(.metric, metric, base: base, ["notes": .text("By hand")]) }
        func move(_ base: Int64) -> Operation { update(.tripItem, first, base: base, ["title": .text("Zoo")]) }
        func shift(_ kind: Kind, _ id: Identifier, base: Int64) -> Operation {
            Operation(kind: kind, id: id, action: .shift(base: base, days: 1))
        }
        func copy(_ kind: Kind, from: Identifier) -> Operation { Operation(kind: kind, id: new, action: .copy(from: from, days: 30)) }
    }

    enum Outcome: Sendable {
        /// The versions in the ack, in its order.
        case done([Int64])
        /// Of the operation at this place, with these fields.
        case conflict(Int, [String])
        case refused(Int, ErrorCode)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let outcome: Outcome
        let operations: @Sendable (Scene) -> [Operation]

        init(_ name: String, _ outcome: Outcome, _ operations: @escaping @Sendable (Scene) -> [Operation]) {
            testDescription = name
            self.outcome = outcome
            self.operations = operations
        }
    }

    static let updates = [
        Case("two updates on the version before the batch", .done([5])) { [$0.edit(3, "name", "A"), $0.edit(3, "city", "B")] },
        Case("the same field twice", .done([5])) { [$0.edit(3, "name", "A"), $0.edit(3, "name", "B")] },
        Case("the second on the version that the first made", .done([5])) { [$0.edit(3, "name", "A"), $0.edit(4, "city", "B")] },
        Case("three, on old and new", .done([6])) { [$0.edit(3, "name", "A"), $0.edit(3, "city", "B"), $0.edit(4, "state", "TX")] },
        Case("an update and a deletion, by which a metric changes", .done([5, 2])) { [$0.edit(3, "name", "A"), delete(.event, $0.event, base: 3)] },
        Case("an update and a shift", .done([5])) { [$0.edit(3, "name", "A"), $0.shift(.event, $0.event, base: 3)] },
        Case("two set edits", .done([5])) {
            [editSet(.event, $0.event, base: 3, "coaches_present", add: [$0.coach]), editSet(.event, $0.event, base: 3, "coaches_present", remove: [$0.coach])]
        },
        Case("the first is stale", .conflict(0, ["city"])) { [$0.edit(2, "city", "A"), $0.edit(3, "name", "B")] },
        Case("the second is stale", .conflict(1, ["city"])) { [$0.edit(3, "name", "A"), $0.edit(2, "city", "B")] },
        Case("the second is stale, in a field that nobody else touched", .conflict(1, [])) { [$0.edit(3, "name", "A"), $0.edit(2, "state", "TX")] },
        Case("and merges", .done([5])) { [$0.edit(3, "name", "A"), $0.edit(2, "state", "TX", .disjoint)] },
        Case("what only the batch changed is not contested", .done([5])) { [$0.edit(3, "name", "A"), $0.edit(2, "name", "B", .disjoint)] },
        Case("their value is the committed one", .conflict(1, ["city"])) { [$0.edit(3, "city", "A"), $0.edit(2, "city", "B", .disjoint)] },
        Case("the deletion is stale", .conflict(1, [])) { [$0.edit(3, "name", "A"), delete(.event, $0.event, base: 2)] },
        Case("the shift is stale", .conflict(1, [])) { [$0.edit(3, "name", "A"), $0.shift(.event, $0.event, base: 2)] },
        Case("a base of the future", .conflict(1, ["city"])) { [$0.edit(3, "name", "A"), $0.edit(5, "city", "B")] },
        Case("a stale base that merged, then the version that it would have made", .conflict(1, ["city"])) {
            [$0.edit(2, "name", "A", .disjoint), $0.edit(3, "city", "B")]
        },
        Case("the same with another field", .done([5])) { [$0.edit(2, "name", "A", .disjoint), $0.edit(3, "state", "TX", .disjoint)] },
        Case("the same with a deletion", .conflict(1, [])) { [$0.edit(2, "name", "A", .disjoint), delete(.event, $0.event, base: 3)] },
        Case("an old set edit, then an update", .conflict(1, ["name"])) {
            [editSet(.event, $0.event, base: 1, "coaches_present", add: [$0.coach]), $0.edit(3, "name", "A")]
        },
    ]

    static let cascades = [
        Case("an event goes, its metric is edited on the version that everybody holds", .done([3, 4])) { [delete(.event, $0.event, base: 3), $0.measure(1)] },
        Case("or on the version that the deletion made", .done([3, 4])) { [delete(.event, $0.event, base: 3), $0.measure(2)] },
        Case("or before", .done([3, 4])) { [$0.measure(1), delete(.event, $0.event, base: 3)] },
        Case("a trip moves, its item is edited", .done([2, 3, 2])) { [$0.shift(.trip, $0.trip, base: 1), $0.move(1)] },
        Case("an item is edited, its trip moves", .done([3, 2, 2])) { [$0.move(1), $0.shift(.trip, $0.trip, base: 1)] },
        Case("a trip moves twice", .done([3, 3, 3])) { [$0.shift(.trip, $0.trip, base: 1), $0.shift(.trip, $0.trip, base: 1)] },
        Case("a trip moves, its item goes", .done([2, 3, 2])) { [$0.shift(.trip, $0.trip, base: 1), delete(.tripItem, $0.first, base: 1)] },
        Case("an item goes, then its trip", .done([2, 2, 2])) { [delete(.tripItem, $0.first, base: 1), delete(.trip, $0.trip, base: 1)] },
        Case("a copy is edited, and what it was made of moves", .done([2, 1, 1, 2, 2, 2])) {
            [$0.copy(.trip, from: $0.trip), update(.trip, $0.new, base: 1, ["name": .text("Again")]), $0.shift(.trip, $0.trip, base: 1)]
        },
    ]

    static let deletions = [
        Case("an update of what the batch deleted", .refused(1, .invalid)) { [delete(.event, $0.event, base: 3), $0.edit(3, "name", "A")] },
        Case("on the version of the deletion", .refused(1, .invalid)) { [delete(.event, $0.event, base: 3), $0.edit(4, "name", "A", .disjoint)] },
        Case("a set edit", .refused(1, .invalid)) {
            [delete(.event, $0.event, base: 3), editSet(.event, $0.event, base: 3, "coaches_present", add: [$0.coach])]
        },
        Case("a second deletion", .refused(1, .invalid)) { [delete(.event, $0.event, base: 3), delete(.event, $0.event, base: 4)] },
        Case("a restore", .refused(1, .invalid)) { [delete(.event, $0.event, base: 3), restore(.event, $0.event, base: 4)] },
        Case("a shift", .refused(1, .invalid)) { [delete(.event, $0.event, base: 3), $0.shift(.event, $0.event, base: 3)] },
        Case("a copy of it", .refused(1, .invalid)) { [delete(.event, $0.event, base: 3), $0.copy(.event, from: $0.event)] },
        Case("a record under its id", .refused(1, .invalid)) { [delete(.event, $0.event, base: 3), camp($0.event, athlete: $0.leo)] },
        Case("an item that went with its trip", .refused(1, .invalid)) { [delete(.trip, $0.trip, base: 1), $0.move(1)] },
        Case("the deletion of such an item", .refused(1, .invalid)) { [delete(.trip, $0.trip, base: 1), delete(.tripItem, $0.first, base: 1)] },
        Case("a reference to what the batch deleted", .refused(1, .unknownReference)) {
            [delete(.event, $0.event, base: 3), update(.metric, $0.metric, base: 1, ["event_id": .reference($0.event)])]
        },
    ]

    static let creations = [
        Case("a new record is updated twice", .done([3])) {
            [school($0.new, "A"), update(.school, $0.new, base: 1, ["name": .text("B")]), update(.school, $0.new, base: 1, ["name": .text("C")])]
        },
        Case("a new record is deleted", .done([2])) { [school($0.new, "A"), delete(.school, $0.new, base: 1)] },
        Case("a base that a new record cannot have", .refused(1, .invalid)) { [school($0.new, "A"), update(.school, $0.new, base: 2, ["name": .text("B")])] },
        Case("a stale deletion of a new record", .refused(1, .invalid)) { [school($0.new, "A"), delete(.school, $0.new, base: 3)] },
        Case("a restore of a new record", .refused(1, .invalid)) { [school($0.new, "A"), restore(.school, $0.new, base: 1)] },
        Case("a restored record is updated on its tombstone's version", .done([4])) {
            [restore(.event, $0.gone, base: 2), update(.event, $0.gone, base: 2, ["name": .text("Back")])]
        },
        Case("or on that of the restore", .done([4])) {
            [restore(.event, $0.gone, base: 2), update(.event, $0.gone, base: 3, ["name": .text("Back")])]
        },
        Case("a restored record is deleted", .done([4])) { [restore(.event, $0.gone, base: 2), delete(.event, $0.gone, base: 2)] },
        Case("a record is restored twice", .refused(1, .invalid)) { [restore(.event, $0.gone, base: 2), restore(.event, $0.gone, base: 2)] },
        Case("an edit that has not seen the deletion", .conflict(1, [])) {
            [restore(.event, $0.gone, base: 2), update(.event, $0.gone, base: 1, ["name": .text("Back")])]
        },
        Case("an edit of what is still deleted", .conflict(1, [])) { [school($0.new, "A"), update(.event, $0.gone, base: 2, ["name": .text("Back")])] },
    ]

    @Test("a batch never conflicts with itself, and its refusal shows committed records", arguments: updates + cascades + deletions + creations)
    func batches(_ one: Case) throws {
        let scene = try Scene()
        let (world, home) = (scene.world, scene.home)
        let before = try world.snapshot(home)
        let answer = try world.mutate(home, home.parent, operations: one.operations(scene))
        switch one.outcome {
        case .done(let versions):
            #expect(answer.rejection == nil)
            #expect(answer.versions == versions)
            #expect(Twin(try world.log(home)).faults == [])
            #expect(Twin(try world.log(home)).records == (try world.snapshot(home).records))
            return
        case .conflict(let place, let fields):
            #expect(answer.code == .conflict && answer.rejection?.operation == place)
            let conflict = try #require(answer.rejection?.conflict)
            #expect(conflict.record == before.records[conflict.record.id])
            #expect(conflict.fields.map { Kind.event.declaration.fields[$0.field].name } == fields)
            for field in conflict.fields { #expect(field.theirs == conflict.record.fields[field.field]) }
            let sentence = try #require(answer.rejection?.message)
            #expect(sentence.hasPrefix("Leo \(conflict.record.isDeleted ? "deleted" : "changed") this event"), "\(sentence)")
        case .refused(let place, let code):
            #expect(answer.code == code && answer.rejection?.operation == place)
            #expect(answer.rejection?.conflict == nil)
        }
        #expect(try world.snapshot(home) == before)
    }

    @Test("the values of a batch are those of its last operations, in one change with an entry for each")
    func order() throws {
        let scene = try Scene()
        let answer = try scene.world.mutate(
            scene.home, scene.home.parent, scene.edit(3, "name", "A"), scene.edit(3, "city", "B"), scene.edit(3, "name", "C"))
        let record = try scene.world.record(scene.home, scene.event)
        #expect(record.fields.text("name") == "C" && record.fields.text("city") == "B")
        #expect(answer.change?.entries.map(\.version) == [4, 5, 6])
        // One undo takes all of it back.
        let undone = try scene.world.undo(scene.home, scene.home.parent, try #require(answer.sequence))
        #expect(undone.rejection == nil)
        let back = try scene.world.record(scene.home, scene.event)
        #expect(back.fields.text("name") == "Winter Camp" && back.fields.text("city") == "Austin")
    }

    /// Two updates on one base, once such that nothing is in their way, once with a stale one.
    @Test("no lost update: an author who retries with an earlier answer does not overwrite later changes", arguments: [3, 2] as [Int64])
    func insists(second: Int64) throws {
        let scene = try Scene()
        let (world, home) = (scene.world, scene.home)
        let answer = try world.mutate(home, home.parent, scene.edit(3, "name", "Ana's"), scene.edit(second, "city", "Ana's"))
        let shown = try #require(answer.rejection?.conflict?.record.version ?? answer.versions.first)
        // Leo saves a version that Ana has not been shown, and Ana insists.
        let held = try world.record(home, scene.event).version
        try world.mutate(home, scene.leo, scene.edit(held, "city", "Leo's"))
        #expect(try world.mutate(home, home.parent, scene.edit(shown, "city", "Ana's")).code == .conflict)
        #expect(try world.record(home, scene.event).fields.text("city") == "Leo's")
    }

    @Test("where history does not reach back to a stale base, the batch's own versions do not replace it")
    func historyIsGone() throws {
        let scene = try Scene()
        try scene.world.change { _ = try $0.history.remove(family: 1, scene.event, version: 2) }
        let answer = try scene.world.mutate(
            scene.home, scene.home.parent, scene.edit(3, "name", "A"), scene.edit(1, "state", "TX", .disjoint))
        #expect(answer.code == .conflict && answer.rejection?.operation == 1)
    }
}

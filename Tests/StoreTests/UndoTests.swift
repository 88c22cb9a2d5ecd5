import Bytes
import Family
import Store
import TestSupport
import Testing
import Wire

@Suite("Undo, semantics.md (Undo) and guarantees.md", .bothEngines)
struct UndoTests {
    let world: World
    let home: World.Home
    let leo: Identifier

    init() throws {
        world = try World()
        home = try world.home()
        leo = try world.athlete(home)
    }

    /// The records as they are, without what every change raises.
    private func content(_ home: World.Home) throws -> [Identifier: [String]] {
        try world.snapshot(home).records.mapValues { ["\($0.kind) \($0.isDeleted) \(String(describing: $0.athlete))", "\($0.fields)"] }
    }

    @Test("an update is undone field by field, and the undo can be undone, any number of times")
    func updates() throws {
        let id = world.newID()
        try world.mutate(home, home.parent, camp(id, athlete: leo))
        let before = try content(home)
        let change = try world.mutate(home, home.parent, update(.event, id, base: 1, ["name": .text("Winter"), "city": .text("Waco")]))
        let after = try content(home)
        var last = try #require(change.sequence)
        for round in 1...4 {
            let undone = try world.undo(home, home.parent, last)
            #expect(undone.change?.undoes == last)
            #expect(try content(home) == (round % 2 == 1 ? before : after))
            last = try #require(undone.sequence)
        }
        #expect(try world.record(home, id).version == 6)
        #expect(Twin(try world.log(home)).faults == [])
    }

    @Test("a later change of another field stands; of the same field it contradicts, and is named")
    func contradictions() throws {
        let id = world.newID()
        let ben = try world.member(home, .parent, name: "Ben")
        try world.mutate(home, home.parent, camp(id, athlete: leo))
        let first = try world.mutate(home, home.parent, update(.event, id, base: 1, ["name": .text("Winter"), "city": .text("Waco")]))
        try world.mutate(home, ben, update(.event, id, base: 2, ["url": .text("https://example.org")]))
        let sequence = try #require(first.sequence)
        let later = try world.mutate(home, ben, update(.event, id, base: 3, ["city": .text("Austin")]))
        let refused = try world.undo(home, home.parent, sequence)
        #expect(refused.code == .contradicted)
        #expect(refused.rejection?.field == "city" && refused.rejection?.id == id && refused.rejection?.kind == .event)
        #expect(refused.rejection?.sequence == later.sequence)
        #expect(refused.rejection?.operation == nil)
        #expect(refused.rejection?.message.contains("Ben changed City of this event since then") == true)
        #expect(try world.record(home, id).version == 4, "whole or nothing")
        // The change in the way is undone first, then none is left.
        _ = try world.undo(home, home.parent, try #require(later.sequence))
        #expect(try world.undo(home, home.parent, sequence).sequence != nil)
        let fields = try world.record(home, id).fields
        #expect(fields.text("name") == "Fall Camp" && fields.text("url") == "https://example.org" && fields["city"] == nil)
    }

    @Test("P25 P26 one undo of a deletion restores the record and everything deleted or unlinked with it", arguments: [Kind.event, .trip, .school])
    func deletions(kind: Kind) throws {
        let rice = world.newID(), event = world.newID(), result = world.newID(), call = world.newID(), road = world.newID()
        try world.mutate(
            home, home.parent, school(rice, "Rice"), camp(event, athlete: leo), trip(road), tripItem(world.newID(), road),
            tripItem(world.newID(), road, start: "2026-12-06T09:00"))
        try world.mutate(home, home.parent, update(.event, event, base: 1, ["school_id": .reference(rice)]))
        try world.mutate(
            home, home.parent, metric(result, athlete: leo, ["event_id": .reference(event)]),
            interaction(call, athlete: leo, ["event_id": .reference(event)]), update(.school, rice, base: 1, ["name": .text("Rice U")]))
        let before = try content(home)
        let target = kind == .event ? event : kind == .trip ? road : rice
        let version = try world.record(home, target).version
        let deletion = try world.mutate(home, home.parent, delete(kind, target, base: version))
        #expect(try #require(deletion.change).entries.count >= 3)
        let after = try content(home)
        let undone = try world.undo(home, home.parent, try #require(deletion.sequence))
        #expect(try content(home) == before)
        #expect(undone.change?.entries.count == deletion.change?.entries.count)
        // And once more in the other direction.
        let redone = try world.undo(home, home.parent, try #require(undone.sequence))
        #expect(try content(home) == after)
        _ = try world.undo(home, home.parent, try #require(redone.sequence))
        #expect(try content(home) == before)
        let twin = Twin(try world.log(home))
        #expect(try twin.faults == [] && twin.records == world.snapshot(home).records)
    }

    @Test("the undo of a creation deletes, unless it was changed since, or something was put into it")
    func creations() throws {
        let road = world.newID(), event = world.newID()
        let made = try #require(try world.mutate(home, home.parent, trip(road)).sequence)
        let camped = try #require(try world.mutate(home, home.parent, camp(event, athlete: leo)).sequence)
        let item = try world.mutate(home, home.parent, tripItem(world.newID(), road))
        let refused = try world.undo(home, home.parent, made)
        #expect(refused.code == .contradicted && refused.rejection?.kind == .tripItem)
        #expect(refused.rejection?.sequence == item.sequence)
        _ = try world.undo(home, home.parent, try #require(item.sequence))
        #expect(try world.undo(home, home.parent, made).sequence != nil)
        #expect(try world.record(home, road).isDeleted)
        let renamed = try world.mutate(home, home.parent, update(.event, event, base: 1, ["name": .text("X")]))
        let contradicted = try world.undo(home, home.parent, camped)
        #expect(contradicted.code == .contradicted && contradicted.rejection?.sequence == renamed.sequence)
    }

    @Test("P21 mark attended, interaction, coaches and metrics are one change: wholly or not at all, one sequence, one undo")
    func batches() throws {
        let event = world.newID(), jo = world.newID()
        try world.mutate(home, home.parent, camp(event, athlete: leo), coach(jo, "Jo", "Diaz"))
        let before = try content(home)
        func batch(_ value: String) -> [Operation] {
            let attended = FieldPatch(
                assignments: [.init(field: Kind.event.field("attended"), value: .flag(true))],
                setEdits: [.init(field: Kind.event.field("coaches_present"), add: [jo])])
            return [
                Operation(kind: .event, id: event, action: .update(base: 1, merge: .none, patch: attended)),
                interaction(world.newID(), athlete: leo, ["event_id": .reference(event), "coach_id": .reference(jo)]),
                metric(world.newID(), athlete: leo, ["event_id": .reference(event)]),
                metric(world.newID(), athlete: leo, ["event_id": .reference(event), "value": .text(value)]),
            ]
        }
        let refused = try world.commit(world.proposal(home, home.parent, batch("fast")))
        #expect(refused.code == .invalid && refused.rejection?.operation == 3)
        #expect(try content(home) == before)
        let head = try world.snapshot(home).sequence
        let done = try world.commit(world.proposal(home, home.parent, batch("91.5")))
        #expect(done.sequence == head + 1 && done.change?.entries.count == 4)
        #expect(try world.record(home, event).fields.flag("attended"))
        let undone = try world.undo(home, home.parent, head + 1)
        #expect(undone.sequence == head + 2)
        // The four are as they were: the event's fields, and three records deleted.
        let after = try content(home)
        for (id, was) in before { #expect(after[id] == was) }
        #expect(try world.snapshot(home).records.values.count { $0.isDeleted } == 3)
    }

    @Test("an element that a change put into a set is taken out, whatever was added in the meantime")
    func sets() throws {
        let event = world.newID(), jo = world.newID(), mo = world.newID()
        try world.mutate(home, home.parent, camp(event, athlete: leo), coach(jo, "Jo", "Diaz"), coach(mo, "Mo", "Lee"))
        let added = try #require(try world.mutate(home, home.parent, editSet(.event, event, base: 1, "coaches_present", add: [jo])).sequence)
        try world.mutate(home, home.parent, editSet(.event, event, base: 2, "coaches_present", add: [mo]))
        _ = try world.undo(home, home.parent, added)
        #expect(try world.record(home, event).fields.set("coaches_present").map(\.name) == ["Mo Lee"])
        #expect(try world.undo(home, home.parent, added).code == .contradicted)
    }

    @Test("under the caller's present rights: an athlete may not undo a change that they may not write")
    func rights() throws {
        let mia = try world.athlete(home, name: "Mia")
        let event = world.newID()
        let made = try #require(try world.mutate(home, home.parent, camp(event, athlete: leo)).sequence)
        #expect(try world.undo(home, mia, made).code == .notAllowed)
        let gus = try world.member(home, .guest, name: "Gus")
        #expect(try world.undo(home, gus, made).code == .notAllowed)
        // Leo lets parents view from now on, so his parent may not undo her own change either.
        try world.mutate(home, leo, update(.member, leo, base: 1, ["parent_access": .text("view")]))
        #expect(try world.undo(home, home.parent, made).code == .notAllowed)
        #expect(try world.undo(home, leo, made).sequence != nil)
    }

    @Test("under the present rules: a value that a rule no longer allows is not restored")
    func rules() throws {
        let event = world.newID()
        try world.mutate(home, home.parent, camp(event, athlete: leo, date: "2026-12-05"))
        let moved = try #require(
            try world.mutate(home, home.parent, update(.event, event, base: 1, ["end_date": .text("2026-12-20")])).sequence)
        try world.mutate(home, home.parent, update(.event, event, base: 2, ["start_date": .text("2026-12-10")]))
        let refused = try world.undo(home, home.parent, moved)
        #expect(refused.code == .endBeforeStart && refused.rejection?.operation == nil)
    }

    @Test("an impossible undo is refused: people, roles, reading positions, missing changes, purged records")
    func refusals() throws {
        #expect(try world.undo(home, home.parent, 1).code == .notUndoable, "the founding")
        #expect(try world.undo(home, home.parent, 2).code == .notUndoable, "the invitation")
        let role = try world.mutate(home, home.parent, update(.member, leo, base: 1, ["name": .text("Leon")]))
        #expect(try world.undo(home, home.parent, try #require(role.sequence)).sequence != nil, "a name can be")
        let ben = try world.member(home, .parent, name: "Ben")
        let demoted = try world.mutate(home, home.parent, update(.member, ben, base: 1, ["role": .text("guest")]))
        #expect(try world.undo(home, home.parent, try #require(demoted.sequence)).code == .notUndoable)
        let position = try world.mutate(
            home, home.parent, create(.readingPosition, ReadingPosition.id(of: home.parent), ["sequence": .integer(3)]))
        #expect(try world.undo(home, home.parent, try #require(position.sequence)).code == .notUndoable)
        let head = try world.snapshot(home).sequence
        #expect(try world.undo(home, home.parent, head + 1).code == .notFound)
        #expect(try world.undo(home, home.parent, .max).code == .notFound)
        let id = world.newID()
        let made = try #require(try world.mutate(home, home.parent, school(id, "Rice")).sequence)
        let gone = try #require(try world.mutate(home, home.parent, delete(.school, id, base: 1)).sequence)
        world.surroundings.now += 30 * Surroundings.day
        // Past its 30 days, whether a purge came by or not.
        #expect(try world.undo(home, home.parent, gone).code == .purged)
        try world.purge()
        #expect(try world.undo(home, home.parent, made).code == .purged)
        #expect(try world.undo(home, home.parent, gone).code == .purged)
    }

    @Test("a reference to a record deleted since is not restored")
    func deadTargets() throws {
        let event = world.newID(), result = world.newID()
        try world.mutate(home, home.parent, camp(event, athlete: leo), metric(result, athlete: leo, ["event_id": .reference(event)]))
        let cut = try #require(try world.mutate(home, home.parent, update(.metric, result, base: 1, ["event_id": nil])).sequence)
        let deletion = try world.mutate(home, home.parent, delete(.event, event, base: 1))
        let refused = try world.undo(home, home.parent, cut)
        #expect(refused.code == .contradicted && refused.rejection?.kind == .event && refused.rejection?.sequence == deletion.sequence)
    }

    @Test("an undo is answered once: sent again it has no second effect")
    func exactlyOnce() throws {
        let id = world.newID()
        let made = try #require(try world.mutate(home, home.parent, school(id, "Rice")).sequence)
        let proposal = world.undoProposal(home, home.parent, made)
        let first = try world.commit(proposal)
        #expect(try world.commit(proposal).frame == first.frame)
        #expect(try world.record(home, id).version == 2)
        var other = proposal
        other.mutation.body = .undo(sequence: made + 1)
        #expect(try world.commit(other).code == .mutationReused)
    }

    @Test("another family's change of the same number is another change")
    func isolated() throws {
        let other = try world.home("Birch")
        let id = world.newID()
        let made = try #require(try world.mutate(home, home.parent, school(id, "Rice")).sequence)
        #expect(try world.undo(other, other.parent, made).code == .notFound)
        #expect(try !world.record(home, id).isDeleted)
    }

    @Test("any change is undone immediately and redone by an undo of the undo, and each time the records are as they were", arguments: [1, 2, 3])
    func property(seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        var before = try content(home)
        var changes = 0
        for _ in 0..<60 {
            let answer = try world.commit(world.proposal(home, home.parent, try Changes.random(world, home, leo, &dice)))
            guard let sequence = answer.sequence else { continue }
            changes += 1
            let after = try content(home)
            let undone = try world.undo(home, home.parent, sequence)
            // A created record is there as a tombstone now, and was not there before.
            #expect(try content(home).filter { before[$0.key] != nil } == before, "seed \(seed), undo of \(sequence)")
            let redone = try world.undo(home, home.parent, try #require(undone.sequence, "seed \(seed): \(String(describing: undone.rejection))"))
            #expect(try content(home) == after, "seed \(seed), undo of the undo of \(sequence): \(String(describing: redone.rejection))")
            before = after
        }
        #expect(changes > 25, "seed \(seed)")
        let twin = Twin(try world.log(home))
        #expect(try twin.faults == [] && twin.records == world.snapshot(home).records, "seed \(seed)")
    }
}

/// Changes that follow from a seed, of all kinds that families write.
enum Changes {
    static func random(_ world: World, _ home: World.Home, _ athlete: Identifier, _ dice: inout SplitMix64) throws -> [Operation] {
        let records = try world.snapshot(home).records.values.filter { $0.kind != .family && $0.kind != .member }.sorted { $0.id < $1.id }
        func living(_ kind: Kind) -> Record? { records.filter { $0.kind == kind && !$0.isDeleted }.randomElement(using: &dice) }
        let new = world.newID()
        let hour = Int.random(in: 10...20, using: &dice)
        switch Int.random(in: 0...13, using: &dice) {
        case 0: return [school(new, "School \(hour)")]
        case 1: return [create(.coach, new, ["first_name": .text("Jo"), "last_name": .text("\(hour)"), "school_id": living(.school).map { .reference($0.id) }])]
        case 2:
            return [
                create(.event, new, athlete: athlete, [
                    "type": .text("camp"), "name": .text("Camp \(hour)"), "start_date": .text("2026-12-\(hour)"),
                    "school_id": living(.school).map { .reference($0.id) },
                ])
            ]
        case 3: return [metric(new, athlete: athlete, ["event_id": living(.event).map { .reference($0.id) }])]
        case 4:
            return [
                interaction(new, athlete: athlete, [
                    "event_id": living(.event).map { .reference($0.id) }, "coach_id": living(.coach).map { .reference($0.id) },
                ])
            ]
        case 5: return [trip(new), tripItem(world.newID(), new, start: "2026-12-05T\(hour):00")]
        case 6:
            guard let trip = living(.trip) else { return [trip(new)] }
            return [tripItem(new, trip.id, start: "2026-12-05T\(hour):00", end: "2026-12-05T\(hour):30")]
        case 7, 8:
            guard let target = records.filter({ !$0.isDeleted }).randomElement(using: &dice) else { return [] }
            return [delete(target.kind, target.id, base: target.version)]
        case 9:
            guard let target = records.filter(\.isDeleted).randomElement(using: &dice) else { return [] }
            return [restore(target.kind, target.id, base: target.version)]
        case 10:
            guard let trip = living(.trip) else { return [] }
            return [Operation(kind: .trip, id: trip.id, action: .shift(base: trip.version, days: hour - 25))]
        case 11:
            guard let source = living(hour % 2 == 0 ? .trip : .event) else { return [] }
            return [Operation(kind: source.kind, id: new, action: .copy(from: source.id, days: hour))]
        case 12:
            guard let event = living(.event), let coach = living(.coach) else { return [] }
            return [editSet(.event, event.id, base: event.version, "coaches_present", add: [coach.id])]
        default:
            guard let event = living(.event) else { return [] }
            return [
                update(.event, event.id, base: event.version, ["name": .text("Named \(hour)"), "school_id": living(.school).map { .reference($0.id) }]),
                message(new, "Renamed"),
            ]
        }
    }

    private static func trip(_ id: Identifier) -> Operation { StoreTests.trip(id) }
}

extension World {
    func undoProposal(
        _ home: Home, _ member: Identifier, _ sequence: Int64, overlap: OverlapOverride? = nil
    ) -> Proposal {
        var proposal = proposal(home, member, [])
        proposal.mutation.body = .undo(sequence: sequence)
        proposal.mutation.overlap = overlap
        return proposal
    }

    func undo(_ home: Home, _ member: Identifier, _ sequence: Int64) throws -> Answer {
        try commit(undoProposal(home, member, sequence))
    }
}

import Bytes
import Family
import Store
import Testing
import Wire

/// The member who tries it, seen from the record.
private enum Tester: String, CaseIterable {
    case parent, owner, otherAthlete, guest
}

private enum Step: String, CaseIterable {
    case create, update, delete, restore
}

@Suite("The permission table through the writer (product.md, Who may do what)", .bothEngines)
struct PermissionMatrixTests {
    let world: World
    let ours: World.Home
    let leo: Identifier
    let mia: Identifier
    let gus: Identifier
    let trip: Identifier

    init() throws {
        world = try World()
        ours = try world.home("Rivera")
        leo = try world.athlete(ours)
        mia = try world.athlete(ours, name: "Mia")
        gus = try world.member(ours, .guest, name: "Gus")
        trip = world.newID()
        try world.mutate(ours, ours.parent, create(.trip, trip, ["name": .text("Texas"), "start_date": .text("2026-07-01")]))
    }

    /// The rule of the product, by the scope of the kind; written apart from `Permission` on purpose.
    private static func isAllowed(_ kind: Kind, _ step: Step, _ tester: Tester, parentsView: Bool) -> Bool {
        switch (kind, step) {
        case (.family, .update): return tester == .parent
        case (.family, _): return false
        case (.member, .create): return false
        case (.member, .update): return tester == .parent || tester == .owner
        case (.member, _): return tester == .parent
        case (.document, .create): return false
        case (.readingPosition, .create), (.readingPosition, .update): return tester == .owner
        case (.readingPosition, _): return false
        case (.reminderRule, _): return tester == .owner
        case (.message, .create): return tester != .guest
        case (.message, .update): return tester == .owner
        case (.message, _): return tester == .owner || tester == .parent
        default: break
        }
        switch kind.declaration.scope {
        case .athlete: return tester == .owner || (tester == .parent && !parentsView)
        case .family: return tester != .guest
        case .member: return false
        }
    }

    private func member(_ tester: Tester) -> Identifier {
        switch tester {
        case .parent: ours.parent
        case .owner: leo
        case .otherAthlete: mia
        case .guest: gus
        }
    }

    /// A good record of a kind, as its author writes it.
    private func creation(_ kind: Kind, _ id: Identifier) -> Operation? {
        let athlete = kind.declaration.scope == .athlete ? leo : nil
        switch kind {
        case .school: return create(kind, id, ["name": .text("Rice")])
        case .coach: return create(kind, id, ["first_name": .text("Al"), "last_name": .text("Bo")])
        case .event: return create(kind, id, athlete: athlete, ["type": .text("camp"), "name": .text("C"), "start_date": .text("2026-12-05")])
        case .message: return create(kind, id, ["text": .text("Hi")])
        case .metric: return create(kind, id, athlete: athlete, ["metric_type": .text("velocity"), "value": .text("90")])
        case .interaction:
            return create(kind, id, athlete: athlete, [
                "interaction_type": .text("email"), "direction": .text("inbound"), "content": .text("x"),
            ])
        case .trip: return create(kind, id, ["name": .text("T"), "start_date": .text("2026-07-01")])
        case .tripItem:
            return create(kind, id, ["trip_id": .reference(trip), "title": .text("Zoo"), "start_time": .text("2026-07-02T10:00")])
        case .readingPosition: return create(kind, id, ["sequence": .integer(1)])
        case .reminderRule: return create(kind, id, ["muted": .flag(true)])
        case .family, .member, .document: return nil
        }
    }

    private func edit(_ kind: Kind, _ id: Identifier, base: Int64) -> Operation {
        let name: (String, Value) =
            switch kind {
            case .coach: ("last_name", .text("Cy"))
            case .message: ("text", .text("Ho"))
            case .metric: ("value", .text("91"))
            case .interaction: ("content", .text("y"))
            case .tripItem: ("title", .text("Park"))
            case .document: ("title", .text("CV"))
            case .readingPosition: ("sequence", .integer(2))
            case .reminderRule: ("calendar_reminds", .flag(true))
            case .family, .member, .school, .event, .trip: ("name", .text("Other"))
            }
        return update(kind, id, base: base, [name.0: name.1])
    }

    /// The record that a step is tried on, made by who may; `nil` where nobody makes one by a mutation.
    private func target(_ kind: Kind, _ step: Step) throws -> (id: Identifier, version: Int64)? {
        switch kind {
        case .family: return (ours.family, 1)
        case .member:
            // Somebody whom nobody misses, or Leo himself where "own" matters.
            if step == .update { return (leo, try world.record(ours, leo).version) }
            let guest = try world.member(ours, .guest, name: "X")
            if step == .restore { try world.mutate(ours, ours.parent, delete(.member, guest, base: 1)) }
            return (guest, step == .restore ? 2 : 1)
        case .document: return step == .create ? (world.newID(), 0) : nil
        case .reminderRule:
            let id = ReminderRule.id(of: leo)
            guard step != .create else { return (id, 0) }
            if try world.snapshot(ours).records[id] == nil, let operation = creation(kind, id) { try world.mutate(ours, leo, operation) }
            let held = try world.record(ours, id)
            if held.isDeleted != (step == .restore) {
                try world.mutate(ours, leo, held.isDeleted ? restore(kind, id, base: held.version) : delete(kind, id, base: held.version))
            }
            return (id, try world.record(ours, id).version)
        default: break
        }
        let id = kind == .readingPosition ? ReadingPosition.id(of: leo) : world.newID()
        guard step != .create, let operation = creation(kind, id) else { return (id, 0) }
        if kind == .readingPosition, let held = try world.snapshot(ours).records[id] { return (id, held.version) }
        #expect(try world.mutate(ours, leo, operation).code == nil)
        guard step == .restore else { return (id, 1) }
        if kind.declaration.isDeletedByMutation { #expect(try world.mutate(ours, leo, delete(kind, id, base: 1)).code == nil) }
        return (id, 2)
    }

    @Test("R001 P06 every kind, step and role is as the product says", arguments: Kind.allCases)
    func matrix(_ kind: Kind) throws {
        for parentsView in kind.declaration.scope == .athlete ? [false, true] : [false] {
            if parentsView {
                let version = try world.record(ours, leo).version
                #expect(try world.mutate(ours, leo, update(.member, leo, base: version, ["parent_access": .text("view")])).code == nil)
            }
            for step in Step.allCases {
                for tester in Tester.allCases {
                    guard let target = try target(kind, step) else { continue }
                    let operation: Operation? =
                        switch step {
                        case .create:
                            creation(kind, target.id) ?? Operation(kind: kind, id: target.id, action: .create(athlete: nil, patch: FieldPatch()))
                        case .update: edit(kind, target.id, base: try version(target, kind))
                        case .delete: delete(kind, target.id, base: target.version)
                        case .restore: restore(kind, target.id, base: target.version)
                        }
                    guard let operation else { continue }
                    let before = try world.snapshot(ours)
                    let code = try world.mutate(ours, member(tester), operation).code
                    let isAllowed = Self.isAllowed(kind, step, tester, parentsView: parentsView)
                    #expect((code == nil) == isAllowed, "\(tester) \(step) \(kind.name), parents view: \(parentsView): \(code as Any)")
                    guard !isAllowed else { continue }
                    #expect(code == .notAllowed, "\(tester) \(step) \(kind.name): \(code as Any)")
                    #expect(try world.snapshot(ours) == before)
                }
            }
        }
    }

    private func version(_ target: (id: Identifier, version: Int64), _ kind: Kind) throws -> Int64 {
        kind == .family || kind == .member || kind == .readingPosition || kind == .reminderRule ? try world.record(ours, target.id).version : target.version
    }

    @Test("R001 P06 a stranger cannot tell a record of ours from one that is nowhere, for every kind and step", arguments: Kind.allCases)
    func stranger(_ kind: Kind) throws {
        let theirs = try world.home("Other")
        let kid = try world.athlete(theirs, name: "Kim")
        for step in [Step.update, .delete, .restore] {
            guard let existing = try target(kind, step) else { continue }
            let missing = world.newID()
            for member in [theirs.parent, kid] {
                for version in [Int64(1), 2] {
                    func answer(_ id: Identifier, _ home: World.Home) throws -> String {
                        let operation =
                            switch step {
                            case .delete: delete(kind, id, base: version)
                            case .restore: restore(kind, id, base: version)
                            default: edit(kind, id, base: version)
                            }
                        let answer = try world.mutate(home, member, operation, mutation: 1, client: world.newID())
                        #expect(answer.code == .notFound || answer.code == .notAllowed)
                        #expect(answer.change == nil)
                        return String(decoding: answer.frame, as: UTF8.self).replacing(id.description, with: "ID")
                    }
                    // In their own family, and knocking at ours.
                    #expect(try answer(existing.id, theirs) == answer(missing, theirs), "\(step) \(kind.name)")
                    #expect(try answer(existing.id, ours) == answer(missing, ours), "\(step) \(kind.name)")
                    let nowhere = World.Home(family: missing, parent: member)
                    #expect(try answer(existing.id, ours) == answer(existing.id, nowhere), "\(step) \(kind.name)")
                }
            }
        }
    }

    @Test("R001 a reference to a stranger's record is refused like a reference to nothing", arguments: Kind.allCases)
    func strangersReferences(_ kind: Kind) throws {
        let theirs = try world.home("Other")
        let kid = try world.athlete(theirs, name: "Kim")
        for field in kind.declaration.fields where !field.isServerOnly {
            var values: [(Identifier) -> Value] = []
            var targetKind = Kind.event
            switch field.type {
            case .reference(let of):
                targetKind = of
                values = [{ .reference($0) }]
            case .set(let of, _):
                targetKind = of
                values = [{ .set([SetElement(id: $0)]) }]
            case .link: values = [{ .link(.event, $0) }]
            default: continue
            }
            guard let existing = try target(targetKind, .update) else { continue }
            for value in values {
                func answer(_ id: Identifier) throws -> String {
                    let new = Identifier(high: 5, low: 5)
                    let patch = FieldPatch(assignments: [.init(field: kind.field(field.name), value: value(id))])
                    let owner = kind.declaration.scope == .athlete ? kid : nil
                    let operation = Operation(kind: kind, id: new, action: .create(athlete: owner, patch: patch))
                    let answer = try world.mutate(theirs, theirs.parent, operation, mutation: 1, client: world.newID())
                    #expect(answer.code == .unknownReference || answer.code == .notAllowed)
                    return String(decoding: answer.frame, as: UTF8.self).replacing(id.description, with: "ID")
                }
                #expect(try answer(existing.id) == answer(world.newID()), "\(kind.name).\(field.name)")
            }
        }
    }
}

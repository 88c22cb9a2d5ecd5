import Bytes
import EngineScripts
import Family
import Sync
import TestSupport
import WebSocket
import Wire

/// A member at a device: the real sync engine, with random input.
final class SimulatedClient {
    let name: String
    let family: SimulatedFamily
    private var scripted: ScriptedEngine
    /// The engine in JavaScript that takes this seat: it gets the same inputs, its frames are sent, and it must act as the
    /// Swift engine does, in every action and in the state.
    private let follower: (engines: NodeEngines, seat: Int)?
    private var steps = 0
    private(set) var link: Link?
    private var connectGeneration = 0
    private var wakeGeneration = 0
    /// Every mutation that the engine accepted, with its operations.
    private(set) var asked: [Int64: [Operation]] = [:]
    /// The mutations reported as done, and as refused.
    private(set) var acknowledged: [Int64: Ack] = [:]
    private(set) var refused: Set<Int64> = []
    /// The content of the conflicts.
    private(set) var shown: [Record] = []
    private(set) var stopped: StopReason?
    let slowness: Int64
    /// Entries of others' changes that will still be lost on the way to this client.
    var entriesToLose = 0
    /// Whether an entry was lost and nothing was loaded again since.
    private(set) var isSpoiled = false
    /// The number of times that the client detected a difference from the server's records.
    private(set) var differences = 0

    init(name: String, family: SimulatedFamily, token: String, client: Identifier, seed: UInt64, slowness: Int64, engines: NodeEngines? = nil) {
        self.name = name
        self.family = family
        self.slowness = slowness
        let configuration = SyncEngine.Configuration(token: token, client: client, family: family.id, seed: seed)
        scripted = ScriptedEngine(configuration)
        follower = engines.map { ($0, $0.begin(configuration)) }
    }

    var engine: SyncEngine { scripted.engine }
    var client: Identifier { engine.configuration.client }
    var isJavaScript: Bool { follower != nil }

    // MARK: The engine's environment

    func start(in world: World) { give(.start, in: world) }

    /// Gives the engine an input, and carries out its actions.
    ///
    /// - Returns: the id of the requested mutation, or the refusal.
    @discardableResult
    private func give(_ input: EngineInput, in world: World, prepare: (Int64) -> Void = { _ in }) -> Rejection? {
        let now = world.scheduler.now
        do {
            let outcome = try scripted.take(input, at: now, now: now)
            if let mutation = outcome.mutation { prepare(mutation) }
            let frames = try follow(input, outcome, now: now)
            perform(outcome.actions, frames, in: world)
            return outcome.refusal
        } catch {
            world.check(false, "\(name): \(error)")
            return nil
        }
    }

    /// The frames of the engine in JavaScript; `nil` for a Swift engine.
    private func follow(_ input: EngineInput, _ outcome: ScriptedEngine.Outcome, now: Int64) throws -> [[UInt8]]? {
        guard let follower else { return nil }
        steps += 1
        var touched: [Identifier]? = []
        for action in outcome.actions {
            if case .changed(let ids) = action { touched = ids }
            if case .replaced = action { touched = nil }
        }
        // Now and then the whole state, for records that changed and were not named.
        if steps.isMultiple(of: 32) { touched = nil }
        let state = scripted.changes(touched: touched)
        return try follower.engines.follow(follower.seat, input, outcome, state: state, touched: touched, at: now, now: now)
    }

    private func perform(_ actions: [SyncAction], _ frames: [[UInt8]]?, in world: World) {
        var frames = frames?[...]
        for action in actions {
            switch action {
            case .send(let frame):
                link?.sendUp(.text, frames?.popFirst() ?? frame.encode(), in: world)
            case .connect(let wait):
                connectGeneration += 1
                let generation = connectGeneration
                world.scheduler.after(wait) { [self] world in
                    guard generation == connectGeneration else { return }
                    connect(in: world)
                }
            case .disconnect(let code):
                guard let link else { continue }
                self.link = nil
                link.sendUp(.close, [UInt8(code >> 8), UInt8(code & 0xFF)], in: world)
                world.scheduler.after(50) { $0.cut(link) }
            case .wake(let wait):
                wakeGeneration += 1
                let generation = wakeGeneration
                world.scheduler.after(wait) { [self] world in
                    guard generation == wakeGeneration else { return }
                    give(.timer, in: world)
                }
            case .notify(.acknowledged(let ack)):
                world.check(acknowledged[ack.mutation] == nil, "exactly-once: \(name) got two receipts for mutation \(ack.mutation)")
                acknowledged[ack.mutation] = ack
            case .notify(.rejected(let mutation, let rejection)):
                refused.insert(mutation)
                if let conflict = rejection.conflict { shown.append(conflict.record) }
            case .notify(.fault(.differs)) where isSpoiled: differences += 1
            case .notify(.fault(.diverged)) where isSpoiled: break
            case .notify(.fault(let fault)): world.check(false, "\(name) saw the server break the protocol: \(fault)")
            case .stop(let reason): stopped = reason
            case .replaced: isSpoiled = false
            case .changed, .notify: break
            }
        }
    }

    private func connect(in world: World) {
        guard let link = world.connect(self) else {
            give(.disconnected(nil), in: world)
            return
        }
        self.link = link
        give(.connected, in: world)
    }

    func received(_ event: LinkEvent, on link: Link, in world: World) {
        guard link === self.link else { return }
        switch event {
        case .text(let octets):
            world.check(!family.strangersMarks.contains { octets.holds($0) }, "isolated: \(name) got a frame with another family's text")
            var frame: ServerFrame
            do {
                frame = try octets.withUnsafeBytes { raw throws(Rejection) in try ServerFrame.decode(raw) }
            } catch {
                world.check(false, "\(name) cannot read a frame: \(error)")
                return
            }
            let isWhole = !loseEntry(of: &frame, in: world)
            give(.receive(isWhole ? octets : frame.encode()), in: world)
            world.checkState(of: self)
        case .close(let code):
            world.cut(link)
            lost(link, code, in: world)
        case .broken: world.check(false, "\(name) got octets that are no WebSocket frames")
        }
    }

    /// - Returns: whether an entry was lost.
    private func loseEntry(of frame: inout ServerFrame, in world: World) -> Bool {
        guard entriesToLose > 0, case .change(var change) = frame, change.client != client, engine.phase == .live, world.dice.one(in: 4) else { return false }
        change.entries.removeLast()
        frame = .change(change)
        entriesToLose -= 1
        isSpoiled = true
        return true
    }

    /// Handles the end of the link.
    func lost(_ link: Link, _ code: UInt16?, in world: World) {
        guard link === self.link else { return }
        self.link = nil
        give(.disconnected(code), in: world)
    }

    // MARK: Input

    func act(in world: World) {
        let operations = chooseOperations(in: world)
        guard !operations.isEmpty else { return }
        let refusal = give(.perform(operations, nil), in: world) { asked[$0, default: []] += operations }
        if let refusal { world.check(refusal.code == .tooManyPending, "the engine refused what it should take: \(refusal)") }
    }

    private func chooseOperations(in world: World) -> [Operation] {
        let events = engine.records(of: .event).filter { !$0.isDeleted }
        let coaches = engine.records(of: .coach).filter { !$0.isDeleted }
        let deleted = engine.records(of: .event).filter(\.isDeleted)
        let event = world.dice.pick(events)
        switch world.dice.number(0...23) {
        case 12...19: return choosePlans(event, coaches, in: world)
        case 20...23: return chooseOthers(event, in: world)
        case 0...2:
            return [create(.message, [("text", .text("\(family.mark) \(name) says \(world.dice.next())"))], in: world)]
        case 3, 4:
            return [
                create(
                    .event,
                    [
                        ("type", .text("camp")), ("name", .text("\(family.mark) camp \(world.dice.number(0...99))")),
                        ("start_date", .text("2026-12-0\(world.dice.number(1...9))")),
                    ], athlete: family.athlete, in: world)
            ]
        case 5:
            return [create(.coach, [("first_name", .text(family.mark)), ("last_name", .text("\(world.dice.number(0...99))"))], in: world)]
        case 6:
            // A batch that edits one record twice, the second time based on the author's version or on the version that
            // the first edit makes.
            guard let event else { return [] }
            let merge: MergeMode = world.dice.one(in: 2) ? .disjoint : .none
            var again = update(event, [("city", .text("City \(world.dice.number(0...9))"))], merge: world.dice.one(in: 2) ? .disjoint : .none)
            // Only if nothing waits before it, so that the engine does not move the bases.
            if world.dice.one(in: 2), engine.pending.isEmpty, case .update(let base, let merge, let patch) = again.action {
                again.action = .update(base: base + 1, merge: merge, patch: patch)
            }
            return [update(event, [("name", .text("\(family.mark) named twice \(world.dice.next())"))], merge: merge), again]
        case 7:
            guard let event else { return [] }
            return [update(event, [("name", .text("\(family.mark) renamed \(world.dice.next())"))], merge: world.dice.one(in: 2) ? .disjoint : .none)]
        case 8:
            guard let event else { return [] }
            return [update(event, [("city", .text("City \(world.dice.number(0...9))")), ("attended", .flag(world.dice.one(in: 2)))], merge: .disjoint)]
        case 9:
            guard let event, let coach = world.dice.pick(coaches), let field = Kind.event.declaration.index(of: "coaches_present") else { return [] }
            let isAdding = world.dice.one(in: 2)
            let edit = FieldPatch.SetEdit(field: field, add: isAdding ? [coach.id] : [], remove: isAdding ? [] : [coach.id])
            return [Operation(kind: .event, id: event.id, action: .update(base: event.version, merge: .none, patch: FieldPatch(setEdits: [edit])))]
        case 10:
            guard let event else { return [] }
            let delete = Operation(kind: .event, id: event.id, action: .delete(base: event.version))
            // Together with a result of the event, which the deletion changes too.
            let metric = world.dice.pick(engine.records(of: .metric).filter { $0.fields.reference("event_id") == event.id })
            guard let metric, world.dice.one(in: 2) else { return [delete] }
            return [delete, update(metric, [("notes", .text("\(family.mark) without it \(world.dice.number(0...9))"))], merge: .disjoint)]
        default:
            if let gone = world.dice.pick(deleted) {
                return [Operation(kind: .event, id: gone.id, action: .restore(base: gone.version))]
            }
            // A batch, which commits completely or not at all.
            let school = create(.school, [("name", .text("\(family.mark) school"))], in: world)
            let coach = create(
                .coach, [("first_name", .text(family.mark)), ("last_name", .text("of a batch")), ("school_id", .reference(school.id))], in: world)
            return [school, coach]
        }
    }

    /// Records around events: trips and their items, results, calls, whole plans moved, and deletions with their
    /// dependent records.
    private func choosePlans(_ event: Record?, _ coaches: [Record], in world: World) -> [Operation] {
        let trip = world.dice.pick(engine.records(of: .trip).filter { !$0.isDeleted })
        let hour = world.dice.number(10...15)
        func item(of trip: Identifier) -> Operation {
            // Few hours on few days, so that members choose the same one.
            let day = world.dice.number(1...3)
            var fields: [(String, Value)] = [
                ("trip_id", .reference(trip)), ("title", .text("\(family.mark) item \(hour)")), ("start_time", .text("2026-12-0\(day)T\(hour):00")),
                ("end_time", .text("2026-12-0\(day)T\(hour):45")),
            ]
            if world.dice.one(in: 2) { fields.append(("participants", .set([SetElement(id: family.athlete)]))) }
            return create(.tripItem, fields, in: world)
        }
        switch world.dice.number(0...9) {
        case 0:
            let trip = create(.trip, [("name", .text("\(family.mark) trip")), ("start_date", .text("2026-12-01"))], in: world)
            return [trip, item(of: trip.id)]
        case 1, 2, 3: return trip.map { [item(of: $0.id)] } ?? []
        case 4:
            guard let event else { return [] }
            return [
                create(.metric, [("event_id", .reference(event.id)), ("metric_type", .text("velocity")), ("value", .text("\(hour).5"))], athlete: family.athlete, in: world)
            ]
        case 5:
            var fields: [(String, Value)] = [
                ("interaction_type", .text("email")), ("direction", .text("inbound")), ("content", .text("\(family.mark) asked")),
            ]
            if let event { fields.append(("event_id", .reference(event.id))) }
            if let coach = world.dice.pick(coaches) { fields.append(("coach_id", .reference(coach.id))) }
            return [create(.interaction, fields, athlete: family.athlete, in: world)]
        case 6:
            guard let target = world.dice.one(in: 2) ? trip : event else { return [] }
            return [Operation(kind: target.kind, id: target.id, action: .shift(base: target.version, days: Int(hour) - 20))]
        case 7:
            guard let target = world.dice.one(in: 2) ? trip : event else { return [] }
            return [Operation(kind: target.kind, id: world.identifier(), action: .copy(from: target.id, days: Int(hour)))]
        case 8:
            // An item that a member moves to another hour.
            guard let target = world.dice.pick(engine.records(of: .tripItem).filter({ !$0.isDeleted })) else { return [] }
            return [update(target, [("start_time", .text("2026-12-02T\(hour):15")), ("end_time", .text("2026-12-02T\(hour):50"))], merge: .none)]
        default:
            guard let target = world.dice.one(in: 2) ? trip : world.dice.pick(coaches) else { return [] }
            return [Operation(kind: target.kind, id: target.id, action: .delete(base: target.version))]
        }
    }

    /// Independent records: documents, reading positions, reminder rules, schools, messages about records, names and zone.
    private func chooseOthers(_ event: Record?, in world: World) -> [Operation] {
        func some(_ kind: Kind) -> Record? { world.dice.pick(engine.records(of: kind).filter { !$0.isDeleted }) }
        switch world.dice.number(0...8) {
        case 0, 1:
            guard let document = some(.document) else { return [] }
            if world.dice.one(in: 6) { return [Operation(kind: .document, id: document.id, action: .delete(base: document.version))] }
            return [update(document, [("title", .text("\(family.mark) paper \(world.dice.number(0...9))"))], merge: .disjoint)]
        case 2:
            guard let document = some(.document), let school = some(.school), let field = Kind.document.declaration.index(of: "shared_with_schools")
            else { return [] }
            let edit = FieldPatch.SetEdit(field: field, add: [school.id], remove: [])
            return [
                Operation(kind: .document, id: document.id, action: .update(base: document.version, merge: .none, patch: FieldPatch(setEdits: [edit])))
            ]
        case 3:
            // All devices of a person move the same position.
            guard let member = engine.member, let sequence = engine.cursor?.sequence else { return [] }
            let id = ReadingPosition.id(of: member)
            let fields = patch(.readingPosition, [("sequence", .integer(sequence))])
            guard let known = engine.record(id) else {
                return [Operation(kind: .readingPosition, id: id, action: .create(athlete: nil, patch: fields))]
            }
            return [Operation(kind: .readingPosition, id: id, action: .update(base: known.version, merge: .none, patch: fields))]
        case 4:
            guard let school = some(.school) else { return [] }
            if world.dice.one(in: 4) { return [Operation(kind: .school, id: school.id, action: .delete(base: school.version))] }
            return [update(school, [("notes", .text("\(family.mark) note \(world.dice.number(0...99))"))], merge: .disjoint)]
        case 5:
            guard let event else { return [] }
            return [
                create(.message, [
                    ("text", .text("\(family.mark) about it")), ("about", .link(.event, event.id)), ("mentions", .set([SetElement(id: family.athlete)])),
                ], in: world)
            ]
        case 6:
            guard let member = engine.member.flatMap({ engine.record($0) }) else { return [] }
            return [update(member, [("name", .text("\(family.mark) called \(world.dice.number(0...9))"))], merge: .disjoint)]
        case 7:
            // All devices of a person write the same rule.
            guard let member = engine.member else { return [] }
            let id = ReminderRule.id(of: member)
            var rule = ReminderRule()
            rule.leads[.event] = [world.dice.number(0...60)]
            let fields = Kind.reminderRule.declaration.fields.compactMap { field in rule.fields[field.name].map { (field.name, $0) } }
            guard let known = engine.record(id) else { return [Operation(kind: .reminderRule, id: id, action: .create(athlete: nil, patch: patch(.reminderRule, fields)))] }
            if known.isDeleted { return [Operation(kind: .reminderRule, id: id, action: .restore(base: known.version))] }
            if world.dice.one(in: 4) { return [Operation(kind: .reminderRule, id: id, action: .delete(base: known.version))] }
            return [update(known, fields, merge: .disjoint)]
        default:
            guard let own = engine.record(family.id) else { return [] }
            return [update(own, [("name", .text("\(family.mark) family \(world.dice.number(0...9))"))], merge: .disjoint)]
        }
    }

    private func create(_ kind: Kind, _ fields: [(String, Value)], athlete: Identifier? = nil, in world: World) -> Operation {
        Operation(kind: kind, id: world.identifier(), action: .create(athlete: athlete, patch: patch(kind, fields)))
    }

    private func update(_ record: Record, _ fields: [(String, Value)], merge: MergeMode) -> Operation {
        Operation(kind: record.kind, id: record.id, action: .update(base: record.version, merge: merge, patch: patch(record.kind, fields)))
    }

    private func patch(_ kind: Kind, _ fields: [(String, Value)]) -> FieldPatch {
        let assignments = fields.compactMap { name, value in
            kind.declaration.index(of: name).map { FieldPatch.Assignment(field: $0, value: value) }
        }
        return FieldPatch(assignments: assignments.sorted { $0.field < $1.field })
    }
}

/// A family of the simulation: its texts carry a mark that identifies a misrouted frame.
final class SimulatedFamily {
    let id: Identifier
    let athlete: Identifier
    /// A parent, for requests to the server without a client.
    let parent: Identifier
    let mark: String
    var strangersMarks: [[UInt8]] = []

    init(id: Identifier, athlete: Identifier, parent: Identifier, mark: String) {
        self.id = id
        self.athlete = athlete
        self.parent = parent
        self.mark = mark
    }
}

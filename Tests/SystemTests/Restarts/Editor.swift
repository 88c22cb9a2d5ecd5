import Bytes
import Crypto
import Family
import Posix
import Sync
import TestSupport

/// Decides what a client of the restart test does next.
struct Editor {
    private let side: Int
    private let athletes: [Identifier]
    private var random: SplitMix64
    private var events: [Identifier] = []
    private var coaches: [Identifier] = []
    private var count = 0

    /// Events that both clients edit most of the time.
    private static let shared = 16

    init(side: Int, athletes: [Identifier], seed: UInt64) {
        self.side = side
        self.athletes = athletes
        random = SplitMix64(seed: seed)
    }

    /// Takes the records of the snapshot. Its coaches are never deleted, so that everybody may always name them.
    mutating func learn(_ engine: borrowing SyncEngine) {
        events = engine.records(of: .event).map(\.id)
        coaches = engine.records(of: .coach).map(\.id)
    }

    mutating func learn(_ change: Change) {
        for entry in change.entries where entry.kind == .event {
            if case .create = entry.effect { events.append(entry.id) }
        }
    }

    /// How many mutations are to be under way.
    mutating func window() -> Int { random.number(1..<25) }

    mutating func draftToRetry(_ engine: borrowing SyncEngine) -> Int64? {
        guard engine.hasDrafts, random.chance(1) else { return nil }
        return engine.drafts[random.number(0..<engine.drafts.count)].id
    }

    /// - Returns: `nil` when what was thought of cannot be done now.
    mutating func operations(_ engine: borrowing SyncEngine) -> [Operation]? {
        count += 1
        switch random.number(0..<100) {
        case ..<20: return [create(.event, event(), athlete: athletes[random.number(0..<athletes.count)])]
        case ..<50:
            guard let event = living(engine) else { return nil }
            let fields = side == 0 ? ["city", "location", "address", "cost"] : ["host", "description", "performance_notes", "url"]
            let name = fields[random.number(0..<fields.count)]
            return [update(event, patch(.event, [(name, value(name))]))]
        case ..<68:
            guard let event = living(engine), !coaches.isEmpty else { return nil }
            let coach = coaches[random.number(0..<coaches.count)]
            guard let field = Kind.event.declaration.index(of: "coaches_present") else { return nil }
            let edit = event.fields.set("coaches_present").contains { $0.id == coach }
                ? FieldPatch.SetEdit(field: field, remove: [coach]) : FieldPatch.SetEdit(field: field, add: [coach])
            return [update(event, FieldPatch(setEdits: [edit]))]
        case ..<74:
            guard let event = living(engine) else { return nil }
            return [Operation(kind: .event, id: event.id, action: .delete(base: event.version))]
        case ..<82:
            guard let event = some(engine), event.isDeleted else { return nil }
            return [Operation(kind: .event, id: event.id, action: .restore(base: event.version))]
        case ..<92: return [create(.message, patch(.message, [("text", .text("Message \(count) of \(side)"))]))]
        case ..<95:
            // A batch whose later operations name what the earlier ones create.
            let school = create(.school, patch(.school, [("name", .text("School \(count) of \(side)"))]))
            let coach = create(
                .coach,
                patch(.coach, [("first_name", .text("Sam")), ("last_name", .text("\(count)")), ("school_id", .reference(school.id))]))
            return [school, coach, create(.event, event(), athlete: athletes[0])]
        default:
            // The field that both write: conflicts are to be had.
            guard let event = living(engine) else { return nil }
            return [update(event, patch(.event, [("name", .text("Name \(count) by \(side)"))]))]
        }
    }

    private mutating func some(_ engine: borrowing SyncEngine) -> Record? {
        guard !events.isEmpty else { return nil }
        let reach = random.chance(70) ? min(Self.shared, events.count) : events.count
        return engine.record(events[random.number(0..<reach)])
    }

    private mutating func living(_ engine: borrowing SyncEngine) -> Record? {
        guard let event = some(engine), !event.isDeleted else { return nil }
        return event
    }

    private mutating func event() -> FieldPatch {
        patch(.event, [
            ("type", .text("camp")), ("name", .text("Camp \(count) of \(side)")),
            ("start_date", .text("2027-0\(1 + count % 9)-1\(count % 10)")),
        ])
    }

    private func value(_ name: String) -> Value {
        switch name {
        case "cost": .text("\(count).50")
        case "url": .text("https://camps.example/\(side)/\(count)")
        default: .text("\(name) \(count) of \(side)")
        }
    }

    private func create(_ kind: Kind, _ patch: FieldPatch, athlete: Identifier? = nil) -> Operation {
        Operation(
            kind: kind, id: Random.identifier(milliseconds: Clock.wallMilliseconds()), action: .create(athlete: athlete, patch: patch))
    }

    private func update(_ record: Record, _ patch: FieldPatch) -> Operation {
        Operation(kind: record.kind, id: record.id, action: .update(base: record.version, merge: .disjoint, patch: patch))
    }

    private func patch(_ kind: Kind, _ values: [(String, Value)]) -> FieldPatch {
        FieldPatch(
            assignments: values.compactMap { name, value in
                kind.declaration.index(of: name).map { FieldPatch.Assignment(field: $0, value: value) }
            }.sorted { $0.field < $1.field })
    }
}

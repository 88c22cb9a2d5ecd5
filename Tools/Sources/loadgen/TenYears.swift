import Bytes
import Crypto
import Dates
import Family
import Posix
import Store
import Wire

/// A family that has used Huddle for ten years: `loadgen seed --years 10`.
///
/// Two parents and two athletes live through the years on a clock of their own, one mutation at a time, through the store's own code:
/// messages, schools, coaches, camps that are edited and attended, metrics, interactions, trips with their items, and now and then a
/// deletion that is regretted. The same seed makes the same life, but for ids.
struct TenYears {
    /// Changes that a family of five makes in ten years, some fourteen a day.
    static let changes = 50_000

    private let store: FamilyStore
    private let clock: TenYearsClock
    private let family: Identifier
    private let parent: Identifier
    private let athletes: [Identifier]
    private let client = TenYears.identifier(0)
    private var random = TenYearsDice(state: 10)
    private var mutation: Int64 = 0
    private var made = 0
    /// Living records, and how often each was changed.
    private var records: [Kind: [Identifier]] = [:]
    private var versions: [Identifier: Int64] = [:]
    private var deleted: [(kind: Kind, id: Identifier)] = []

    /// Adds the years to a family that was seeded a moment ago.
    static func grow(_ store: FamilyStore, _ clock: TenYearsClock, family: Identifier, parent: Identifier, changes: Int) throws {
        let athletes = try ["Robin", "Sasha"].map { name in
            let invite = NewInvite(family: family, name: name, role: .athlete, born: "2008-05-05", by: parent)
            guard case .invited(let invited) = try store.perform(.invite(invite)).0.get() else { preconditionFailure("an invite is answered so") }
            return invited.member
        }
        var years = TenYears(store: store, clock: clock, family: family, parent: parent, athletes: athletes)
        let step = (clock.end - clock.now) / Int64(changes + 1)
        while years.made < changes {
            clock.now = min(clock.now + step, clock.end)
            try years.live()
        }
    }

    private init(store: FamilyStore, clock: TenYearsClock, family: Identifier, parent: Identifier, athletes: [Identifier]) {
        self.store = store
        self.clock = clock
        self.family = family
        self.parent = parent
        self.athletes = athletes
    }

    /// One mutation of an ordinary day.
    private mutating func live() throws {
        let athlete = athletes[random.below(2)]
        let number = made
        let day = ZoneRules.utc.localDate(at: clock.now).adding(days: random.below(90))?.description ?? "2026-01-01"
        switch random.below(100) {
        case 0..<42: try create(.message, ["text": .text("Practice \(number) moved to six, bring the catcher's gear and water; who can drive?")])
        case 42..<50:
            try create(
                .event,
                [
                    "type": .text(["camp", "showcase", "game", "official_visit"][random.below(4)]), "name": .text("Infield camp \(number)"),
                    "start_date": .text(day), "start_time": .text("09:00"), "location": .text("Field \(number % 40), North Campus"),
                    "city": .text("Durham"), "state": .text("NC"), "school_id": any(.school).map(Value.reference),
                    "description": .text("Bring the catcher's gear and water. Registration closes a week before; ask for the group rate."),
                ], athlete)
        case 50..<72: try update(.event, ["performance_notes": .text("Two clean throws to second, \(number)."), "attended": .flag(number % 2 == 0)])
        case 72..<80:
            try create(
                .metric,
                [
                    "event_id": any(.event).map(Value.reference), "metric_type": .text(["velocity", "sixty_time", "pop_time"][random.below(3)]),
                    "value": .text("\(60 + number % 30).\(number % 10)"), "verified": .flag(number % 3 == 0),
                ], athlete)
        case 80..<84:
            try create(
                .interaction,
                [
                    "event_id": any(.event).map(Value.reference), "interaction_type": .text("phone_call"), "direction": .text("inbound"),
                    "content": .text("The coach asked about grades and about the summer, call \(number)."),
                ], athlete)
        case 84: try create(.school, ["name": .text("College \(number)"), "location": .text("Durham, NC")])
        case 85..<87:
            try create(
                .coach, ["first_name": .text("Jo"), "last_name": .text("Diaz \(number)"), "school_id": any(.school).map(Value.reference)])
        case 87: try create(.trip, ["name": .text("Trip \(number)"), "start_date": .text(day)])
        case 88..<93:
            guard let trip = any(.trip) else { return }
            try create(
                .tripItem, ["trip_id": .reference(trip), "title": .text("Leg \(number)"), "start_time": .text("\(day)T1\(random.below(10)):00")])
        case 93..<97: try update(.school, ["notes": .text("Coach answered in March, \(number).")])
        case 97, 98:
            let kind: Kind = [.event, .metric, .tripItem, .coach][random.below(4)]
            guard let id = any(kind), let version = versions[id] else { return }
            if try commit(Operation(kind: kind, id: id, action: .delete(base: version))) {
                records[kind]?.removeAll { $0 == id }
                deleted.append((kind, id))
                if deleted.count > 20 { deleted.removeFirst() }
            }
        default:
            guard let (kind, id) = deleted.popLast(), let version = versions[id] else { return }
            if try commit(Operation(kind: kind, id: id, action: .restore(base: version))) { records[kind, default: []].append(id) }
        }
    }

    private mutating func any(_ kind: Kind) -> Identifier? {
        guard let known = records[kind], !known.isEmpty else { return nil }
        // People mostly touch what is new.
        return known[max(0, known.count - 1 - random.below(min(known.count, 400)))]
    }

    private mutating func create(_ kind: Kind, _ values: KeyValuePairs<String, Value?>, _ athlete: Identifier? = nil) throws {
        let id = TenYears.identifier(clock.now)
        if try commit(Operation(kind: kind, id: id, action: .create(athlete: athlete, patch: patch(kind, values)))), kind != .message {
            records[kind, default: []].append(id)
        }
    }

    private mutating func update(_ kind: Kind, _ values: KeyValuePairs<String, Value?>) throws {
        guard let id = any(kind), let version = versions[id] else { return }
        try commit(Operation(kind: kind, id: id, action: .update(base: version, merge: .disjoint, patch: patch(kind, values))))
    }

    /// - Returns: whether it was done; refusals by the rules (two items at the same time) are expected.
    @discardableResult
    private mutating func commit(_ operation: Family.Operation) throws -> Bool {
        mutation += 1
        let results = try store.commit([
            Proposal(
                family: family, member: parent, context: .all, mutation: Mutation(client: client, id: mutation, operations: [operation]),
                session: 0)
        ])
        guard case .change(let committed)? = results.last, case .change(let change)? = try? ServerFrame.decode(committed.frame) else { return false }
        made += 1
        // Cascades change more than was asked for.
        for entry in change.entries { versions[entry.id] = entry.kind == .message ? nil : entry.version }
        try store.checkpointIfDue()
        return true
    }

    private func patch(_ kind: Kind, _ values: KeyValuePairs<String, Value?>) -> FieldPatch {
        var patch = FieldPatch()
        for (name, value) in values {
            guard let value else { continue }
            guard let field = kind.declaration.index(of: name) else { preconditionFailure("\(kind.name) declares no field \(name)") }
            patch.assignments.append(.init(field: field, value: value))
        }
        patch.assignments.sort { $0.field < $1.field }
        return patch
    }

    private static func identifier(_ at: Int64) -> Identifier {
        .version7(milliseconds: at, random: (Random.uint64(), Random.uint64()))
    }
}

/// The clock of a family that is seeded, moved by hand.
final class TenYearsClock {
    /// UTC milliseconds.
    var now: Int64
    let end: Int64

    init(years: Int) {
        end = Clock.wallMilliseconds()
        now = end - Int64(years) * 31_556_952_000
    }
}

/// SplitMix64: what happens in the years comes from one number.
private struct TenYearsDice {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }
}

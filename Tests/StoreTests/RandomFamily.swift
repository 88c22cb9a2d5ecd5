import Bytes
import Family
import Store
import TestSupport
import Testing
import Wire

/// A family that lives at random: creates, edits, deletes and restores records of every kind that mutations may create, with values made
/// from the declarations. The rules refuse some of it, and accept enough.
struct RandomFamily {
    let home: World.Home
    let athlete: Identifier
    private let world: World
    private var random: SplitMix64
    private(set) var twin = Twin()
    private(set) var accepted = 0
    /// Everything that was proposed, with its answer.
    private(set) var episodes: [(proposal: Proposal, answer: Answer)] = []
    /// Kinds of which at least one record came to be.
    private(set) var kinds: Set<Kind> = []

    init(_ world: World, seed: UInt64) throws {
        self.world = world
        random = SplitMix64(seed: seed)
        home = try world.home("The family \(seed)")
        athlete = try world.athlete(home)
        for change in try world.log(home) { twin.apply(change) }
    }

    mutating func live(steps: Int) throws {
        for step in 0..<steps {
            world.surroundings.now += Int64.random(in: 0...90_000_000, using: &random)
            let operations = (0..<Int.random(in: 1...3, using: &random)).map { _ in operation() }
            try propose(operations)
            if step % 50 == 49 { try world.store.checkpointIfDue() }
        }
    }

    /// Continues with undos, moved and copied plans and stale bases among the edits, all at one moment.
    mutating func hurry(steps: Int) throws {
        for _ in 0..<steps {
            let choice = Int.random(in: 0..<100, using: &random)
            if choice < 12 {
                let sequence = Int64.random(in: max(1, twin.sequence - 12)...max(1, twin.sequence), using: &random)
                try propose([], undo: sequence)
            } else {
                try propose((0..<Int.random(in: 1...4, using: &random)).map { _ in choice < 24 ? plan() : operation(isStale: choice > 88) })
            }
        }
    }

    private mutating func propose(_ operations: [Family.Operation], undo: Int64? = nil) throws {
        let author = Bool.random(using: &random) ? home.parent : athlete
        var proposal = world.proposal(home, author, operations, context: .athlete(athlete))
        if let undo { proposal.mutation.body = .undo(sequence: undo) }
        let answer = try world.commit(proposal)
        episodes.append((proposal, answer))
            if let change = answer.change {
                twin.apply(change)
                accepted += 1
                for entry in change.entries { kinds.insert(entry.kind) }
            }
        }

    /// A trip, an item or an event moved or copied by some days.
    private mutating func plan() -> Family.Operation {
        let plans = twin.records.values.filter { [.trip, .tripItem, .event].contains($0.kind) && !$0.isDeleted }.sorted { $0.id < $1.id }
        guard let record = plans.randomElement(using: &random) else { return operation() }
        let days = Int.random(in: -9...9, using: &random)
        guard record.kind != .tripItem, Bool.random(using: &random) else {
            return Operation(kind: record.kind, id: record.id, action: .shift(base: record.version, days: days))
        }
        return Operation(kind: record.kind, id: world.newID(), action: .copy(from: record.id, days: days))
    }

    private mutating func operation(isStale: Bool = false) -> Family.Operation {
        let known = twin.records.values.filter { $0.kind != .family && $0.kind != .member }.sorted { $0.id < $1.id }
        guard let record = known.randomElement(using: &random), Int.random(in: 0..<100, using: &random) >= 45 else {
            let kinds = Kind.allCases.filter { $0.declaration.isCreatedByMutation && ($0 != .reminderRule || twin.records[ReminderRule.id(of: athlete)] == nil) }
            let kind = kinds.randomElement(using: &random) ?? .message
            // A position and a rule have ids that follow from the member's, so they are created once; a rule only if there is none.
            let id = kind == .readingPosition ? ReadingPosition.id(of: athlete) : kind == .reminderRule ? ReminderRule.id(of: athlete) : world.newID()
            return Operation(kind: kind, id: id, action: .create(athlete: nil, patch: patch(kind, isWhole: true)))
        }
        if record.isDeleted { return Operation(kind: record.kind, id: record.id, action: .restore(base: record.version)) }
        if Int.random(in: 0..<100, using: &random) < 25 {
            return Operation(kind: record.kind, id: record.id, action: .delete(base: record.version))
        }
        return Operation(
            kind: record.kind, id: record.id,
            action: .update(base: max(1, record.version - (isStale ? 1 : 0)), merge: .disjoint, patch: patch(record.kind, isWhole: false)))
    }

    private mutating func patch(_ kind: Kind, isWhole: Bool) -> FieldPatch {
        var patch = FieldPatch()
        for (index, field) in kind.declaration.fields.enumerated() where !field.isServerOnly {
            guard field.isRequired && isWhole || Int.random(in: 0..<3, using: &random) == 0 else { continue }
            guard let value = kind == .reminderRule ? ruleValue(field.name) : value(field.type) else { continue }
            patch.assignments.append(.init(field: index, value: value))
        }
        return patch
    }

    /// A value of a reminder rule: its lead times are not any object, and quiet hours need both ends.
    private mutating func ruleValue(_ name: String) -> Value? {
        switch name {
        case "muted", "calendar_reminds": .flag(Bool.random(using: &random))
        case "leads": .json(Array("{\"event\": [\(Int.random(in: 0...40_320, using: &random))]}".utf8))
        default: nil
        }
    }

    private mutating func value(_ type: FieldType) -> Value? {
        let number = Int.random(in: 0..<1_000, using: &random)
        func living(_ kind: Kind) -> [Identifier] {
            twin.records.values.filter { $0.kind == kind && !$0.isDeleted }.map(\.id).sorted()
        }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        switch type {
        case .line(let max): return .text(String("Ł\"ine\\ \(number) = é 🥎".prefix(max)))
        case .text: return .text("Some\ntext, \t\(number)")
        case .choice(let words, _): return words.randomElement(using: &random).map(Value.text)
        case .flag: return .flag(number % 2 == 0)
        case .integer(let range): return .integer(min(max(Int64(number), range.lowerBound), range.upperBound))
        case .decimal: return .text("\(number).50")
        case .date: return .text("2026-\(two(1 + number % 12))-\(two(1 + number % 28))")
        case .time: return .text("\(two(number % 24)):\(two(number % 60))")
        case .zone: return .text(["UTC", "Europe/Warsaw"][number % 2])
        case .state: return .text("OH")
        case .reference(let kind): return living(kind).randomElement(using: &random).map(Value.reference)
        case .set(let kind, _):
            let some = Set(living(kind).shuffled(using: &random).prefix(number % 3))
            return .set(some.sorted().map { SetElement(id: $0) })
        // Free JSON keeps its white space, line breaks included.
        case .json: return .json(Array("{\"runs\":\n\t\(number), \"text\": \"\\n\"\r\n}".utf8))
        case .measure: return .text("\(number).5")
        case .localDateTime: return .text("2026-\(two(1 + number % 12))-\(two(1 + number % 28))T\(two(number % 24)):\(two(number % 60))")
        case .url: return .text("https://example.com/\(number)")
        case .link: return living(.event).randomElement(using: &random).map { .link(.event, $0) }
        }
    }
}

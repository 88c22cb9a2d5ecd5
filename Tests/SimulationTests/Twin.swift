import Bytes
import Family
import Wire

/// The naive interpretation of a family's log: the state after each sequence, with the simplest correct code.
struct Twin {
    struct Author: Equatable {
        var client: Identifier
        var mutation: Int64
    }

    private var states: [Int64: [Identifier: Record]] = [0: [:]]
    private var authors: [Int64: Author] = [:]
    private var changes: [Int64: Change] = [:]
    private(set) var head: Int64 = 0
    /// Every committed state of each record.
    private var committed: [Identifier: [Record]] = [:]

    /// Whether some sequence left a record in this state.
    func everHeld(_ record: Record) -> Bool { committed[record.id]?.contains(record) ?? false }

    func state(at sequence: Int64) -> [Identifier: Record]? { states[sequence] }

    func author(of sequence: Int64) -> Author? { authors[sequence] }

    /// The kinds that clients wrote.
    var touchedKinds: Set<Kind> { Set(changes.values.filter { $0.client != nil }.flatMap { $0.entries.map(\.kind) }) }

    /// Applies the next change; earlier ones are known.
    mutating func apply(_ change: Change) {
        guard change.sequence == head + 1 else { return }
        var state = states[head] ?? [:]
        for entry in change.entries {
            switch entry.effect {
            case .create(let athlete, let fields):
                state[entry.id] = Record(
                    kind: entry.kind, id: entry.id, athlete: athlete, version: entry.version, createdAt: change.at, createdBy: change.member,
                    updatedAt: change.at, updatedBy: change.member, fields: fields)
            case .update(let assignments):
                for assignment in assignments { state[entry.id]?.fields[assignment.field] = assignment.value }
                touch(&state, entry, change)
            case .delete:
                touch(&state, entry, change)
                state[entry.id]?.deletedAt = change.at
            case .restore(_, let fields, _, _):
                touch(&state, entry, change)
                state[entry.id]?.deletedAt = nil
                state[entry.id]?.fields = fields
            }
        }
        for id in Set(change.entries.map(\.id)) { if let record = state[id] { committed[id, default: []].append(record) } }
        if let undone = change.undoes { noteUndo(of: undone, by: change.sequence, state) }
        head = change.sequence
        states[head] = state
        changes[head] = change
        if let client = change.client, let mutation = change.mutation { authors[head] = Author(client: client, mutation: mutation) }
    }

    /// The errors of undos, and the number of undos.
    private(set) var falseUndos: [String] = []
    private(set) var undone = 0

    /// `undo`: records that lived before the undone change live, others do not, and every field that it wrote has its
    /// previous value.
    private mutating func noteUndo(of sequence: Int64, by later: Int64, _ state: [Identifier: Record]) {
        undone += 1
        guard let change = changes[sequence], let before = states[sequence - 1] else {
            falseUndos.append("\(later) undoes \(sequence), which is not before it")
            return
        }
        for entry in change.entries {
            let former = before[entry.id]
            let lived = former.map { !$0.isDeleted } ?? false
            let lives = state[entry.id].map { !$0.isDeleted } ?? false
            if lived != lives { falseUndos.append("\(later) undoes \(sequence), and \(entry.kind) \(entry.id) lives: \(lives)") }
            guard lived, lives, case .update(let assignments) = entry.effect else { continue }
            for assignment in assignments {
                if case .set = entry.kind.declaration.fields[assignment.field].type { continue }
                if state[entry.id]?.fields[assignment.field] != former?.fields[assignment.field] {
                    falseUndos.append("\(later) undoes \(sequence), and field \(assignment.field) of \(entry.kind) is not as it was")
                }
            }
        }
    }

    /// At the end: no record refers to a deleted one where the declaration forbids it, and no trip has the same person
    /// in two items at the same time.
    func brokenPlans(everybody: Set<Identifier>) -> [String] {
        guard let state = states[head] else { return [] }
        var violations: [String] = []
        for record in state.values where !record.isDeleted {
            for (index, field) in record.kind.declaration.fields.enumerated() where field.whenGone == .unlink || field.whenGone == .cascade {
                guard case .reference(let target)? = record.fields[index] else { continue }
                if state[target]?.isDeleted ?? true { violations.append("references: \(record.kind) \(record.id) refers to what is gone") }
            }
        }
        let accepted = Set(changes.values.flatMap { $0.overlap?.pairs ?? [] })
        let rules = RuleEnvironment(zoneExists: { _ in true })
        for trip in state.values where trip.kind == .trip && !trip.isDeleted {
            let items = state.values.filter { $0.kind == .tripItem && !$0.isDeleted && $0.fields.reference("trip_id") == trip.id }
                .compactMap { OverlapCheck.Item(id: $0.id, $0.fields, rules) }
            let found = OverlapCheck.overlaps(of: Set(items.map(\.id)), among: items, travellers: everybody, accepted: accepted)
            if !found.isEmpty { violations.append("trips: \(found.count) overlaps in \(trip.id)") }
        }
        return violations
    }

    private func touch(_ state: inout [Identifier: Record], _ entry: ChangeEntry, _ change: Change) {
        state[entry.id]?.version = entry.version
        state[entry.id]?.updatedAt = change.at
        state[entry.id]?.updatedBy = change.member
    }

    /// The values that operations write into one record, and the lowest of their bases, which is the version that their
    /// author saw; `nil` for other operations.
    private func updates(of id: Identifier, _ operations: [Operation]) -> (base: Int64, patch: FieldPatch)? {
        var least = Int64.max
        var patch = FieldPatch()
        for operation in operations {
            guard operation.id == id, case .update(let base, _, let one) = operation.action else { return nil }
            least = min(least, base)
            patch.assignments.removeAll { earlier in one.assignments.contains { $0.field == earlier.field } }
            patch.assignments += one.assignments
        }
        return (least, patch)
    }

    /// Updates that were applied although their author had not seen the overwritten values.
    func lostUpdates(_ clients: [SimulatedClient]) -> [String] {
        var violations: [String] = []
        for client in clients {
            for (mutation, ack) in client.acknowledged {
                guard let sequence = ack.sequence, let operations = client.asked[mutation], let operation = operations.first,
                    let (base, patch) = updates(of: operation.id, operations),
                    // A position only grows, so two devices cannot conflict.
                    operation.kind != .readingPosition
                else { continue }
                // A value equal to the current one, after another member undid a change, overwrites nothing.
                let written = changes[sequence]?.entries.filter { $0.id == operation.id }.flatMap(\.effect.fields) ?? []
                // Fields written by others between the base and this change.
                for (at, change) in changes where at < sequence {
                    guard change.client != client.client else { continue }
                    for entry in change.entries where entry.id == operation.id && entry.version > base {
                        guard case .update(let assignments) = entry.effect else {
                            // Deleted and restored in the meantime, it has the state that its author saw.
                            if states[sequence - 1]?[operation.id]?.isDeleted ?? true {
                                violations.append("mutation \(mutation) changed a record that was deleted after its base")
                            }
                            continue
                        }
                        for assignment in assignments
                        where written.contains(assignment.field)
                            && patch.assignments.contains(where: { $0.field == assignment.field && $0.value != assignment.value }) {
                            violations.append("mutation \(mutation) of \(client.name) overwrote field \(assignment.field) of sequence \(at)")
                        }
                    }
                }
            }
        }
        return violations
    }

    static func difference(_ left: [Identifier: Record], _ right: [Identifier: Record]) -> String {
        let ids = Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }.sorted()
        guard let id = ids.first else { return "nothing" }
        return "\(ids.count) records, first \(id): \(String(describing: left[id])) against \(String(describing: right[id]))"
    }
}

extension ChangeEntry.Effect {
    /// The fields that an update wrote.
    fileprivate var fields: [Int] {
        if case .update(let assignments) = self { return assignments.map(\.field) }
        return []
    }
}

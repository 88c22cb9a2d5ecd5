import Bytes
import Family
import Wire

/// The naive reading of a family's log: the state after each sequence, by the plainest code that can be right.
struct Twin {
    struct Author: Equatable {
        var client: Identifier
        var mutation: Int64
    }

    private var states: [Int64: [Identifier: Record]] = [0: [:]]
    private var authors: [Int64: Author] = [:]
    private var changes: [Int64: Change] = [:]
    private(set) var head: Int64 = 0

    func state(at sequence: Int64) -> [Identifier: Record]? { states[sequence] }

    func author(of sequence: Int64) -> Author? { authors[sequence] }

    /// Applies the change that comes next; earlier ones are known.
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
        head = change.sequence
        states[head] = state
        changes[head] = change
        if let client = change.client, let mutation = change.mutation { authors[head] = Author(client: client, mutation: mutation) }
    }

    private func touch(_ state: inout [Identifier: Record], _ entry: ChangeEntry, _ change: Change) {
        state[entry.id]?.version = entry.version
        state[entry.id]?.updatedAt = change.at
        state[entry.id]?.updatedBy = change.member
    }

    /// Updates that were done although their author had not seen what they overwrote.
    func lostUpdates(_ clients: [SimulatedClient]) -> [String] {
        var violations: [String] = []
        for client in clients {
            for (mutation, ack) in client.acknowledged {
                guard let sequence = ack.sequence, let operations = client.asked[mutation], operations.count == 1, let operation = operations.first,
                    case .update(let base, _, let patch) = operation.action
                else { continue }
                // Fields written by others between the base and this change.
                for (at, change) in changes where at < sequence {
                    guard change.client != client.client else { continue }
                    for entry in change.entries where entry.id == operation.id && entry.version > base {
                        guard case .update(let assignments) = entry.effect else {
                            violations.append("mutation \(mutation) changed a record that was deleted or restored after its base")
                            continue
                        }
                        for assignment in assignments where patch.assignments.contains(where: { $0.field == assignment.field && $0.value != assignment.value }) {
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

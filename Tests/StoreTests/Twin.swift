import Bytes
import Family
import Wire

/// A family as a reader of its log would know it: the plainest way to apply changes.
struct Twin {
    private(set) var sequence: Int64 = 0
    private(set) var records: [Identifier: Record] = [:]
    /// The differences, in words.
    private(set) var faults: [String] = []

    init(_ changes: [Change] = []) {
        for change in changes { apply(change) }
    }

    mutating func apply(_ change: Change) {
        if change.sequence != sequence + 1 { faults.append("\(change.sequence) after \(sequence)") }
        sequence = change.sequence
        for entry in change.entries {
            let known = records[entry.id]
            if entry.version != (known?.version ?? 0) + 1 { faults.append("version \(entry.version) after \(known?.version ?? 0)") }
            switch entry.effect {
            case .create(let athlete, let fields):
                records[entry.id] = Record(
                    kind: entry.kind, id: entry.id, athlete: athlete, version: entry.version, createdAt: change.at,
                    createdBy: change.member, updatedAt: change.at, updatedBy: change.member, fields: fields)
                continue
            case .update(let assignments):
                for assignment in assignments { records[entry.id]?.fields[assignment.field] = assignment.value }
            case .delete:
                records[entry.id]?.deletedAt = change.at
            case .restore(let athlete, let fields, let createdAt, let createdBy):
                if known?.fields != fields || known?.createdAt != createdAt || known?.createdBy != createdBy || known?.athlete != athlete {
                    faults.append("restored as another")
                }
                records[entry.id]?.deletedAt = nil
            }
            records[entry.id]?.version = entry.version
            records[entry.id]?.updatedAt = change.at
            records[entry.id]?.updatedBy = change.member
        }
    }
}

import Bytes
import Family

// Updates whose author did not see the current record (semantics.md, "Stale base").
extension Decider {
    /// Lets a stale update through where nobody's edit is lost: set edits alone always, other fields with `merge: disjoint`. The update is
    /// compared with the committed record: what its own mutation did is not an edit of somebody else.
    ///
    /// - Throws: `conflict` otherwise, and when history does not reach back to the base (a backup was restored, rows were
    ///   purged, or there is more of it than a mutation may read).
    func checkStale(
        _ subject: Subject, base: Int64, merge: MergeMode, _ patch: FieldPatch, _ operation: Operation, _ index: Int
    ) throws {
        guard let committed = subject.committed else { throw conflict(subject, [], operation, index) }
        // A base that never was (of another epoch, or hostile) has no history either.
        let isPast = (1..<committed.version).contains(base)
        let entries = isPast ? try view.history(of: committed, after: base, limit: Int(clamping: committed.version - base), &budget) : []
        guard isPast, entries.last?.version == committed.version, Int64(entries.count) == committed.version - base else {
            let differing = patch.assignments.map(\.field)
            let contested = Merge.contested(patch, current: committed.fields, changedSinceBase: Set(differing))
            throw conflict(subject, contested.map { unknown($0, patch, committed) }, operation, index)
        }
        if Merge.commutes(patch, committed.kind) { return }
        let changed = Set(entries.flatMap { ($0.before ?? []).map(\.field) })
        let contested = Merge.contested(patch, current: committed.fields, changedSinceBase: changed)
        if merge == .disjoint && contested.isEmpty { return }
        let fields = contested.map { field in
            // The author saw what the first change since then replaced; the person to ask made the last.
            let changes = entries.filter { $0.touches(field) }
            guard let first = changes.first, let last = changes.last else { return unknown(field, patch, committed) }
            return Conflict.Field(
                field: field, base: first.before?.first { $0.field == field }?.value, yours: patch.value(field),
                theirs: committed.fields[field], member: last.member, at: last.at)
        }
        throw conflict(subject, fields, operation, index)
    }

    /// A field whose value at the base is not known any more.
    private func unknown(_ field: Int, _ patch: FieldPatch, _ current: Record) -> Conflict.Field {
        Conflict.Field(
            field: field, base: nil, yours: patch.value(field), theirs: current.fields[field], member: current.updatedBy,
            at: current.updatedAt)
    }

    /// The refusal of an operation on a record that others have changed. It shows the committed record, never what the refused mutation made
    /// of it: an author who insists on a version must have seen it.
    ///
    /// - Parameter fields: the contested ones.
    /// - Returns: `invalid` for a record that the mutation created itself, which nobody else can have changed.
    func conflict(_ subject: Subject, _ fields: [Conflict.Field], _ operation: Operation, _ index: Int) -> Rejection {
        guard let current = subject.committed else { return createdEarlier(operation, index) }
        let label = operation.kind.declaration.label.lowercased()
        let who = family.members[current.updatedBy]?.name ?? "Somebody"
        let sentence =
            if current.isDeleted {
                "\(who) deleted this \(label) in the meantime, so your change was not made. Restore the \(label), then make your change again"
            } else {
                "\(who) changed this \(label) in the meantime, so your change was not made. Compare both versions, then make your change again"
            }
        return Rejection(
            .conflict, sentence, operation: index, kind: operation.kind, id: operation.id,
            conflict: Conflict(record: current, fields: current.isDeleted ? [] : fields))
    }
}

extension FieldPatch {
    /// The value that the patch assigns to a field; `nil` also when it clears it.
    fileprivate func value(_ field: Int) -> Value? {
        assignments.first { $0.field == field }?.value
    }
}

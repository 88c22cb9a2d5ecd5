import Bytes
import Family

// The undo of a change (semantics.md, "Undo"): one mutation, whole or nothing, under the rights and rules that the caller has
// now. Field by field: a later change by another author stays, and blocks the undo only in the same field.
extension Decider {
    /// Undoes a change of the family.
    ///
    /// - Throws: `not_found` for a sequence that the family does not have, `not_undoable`, `purged`, `contradicted` with the sequence that
    ///   stands in the way, and what any mutation is refused for.
    func undo(_ sequence: Int64) throws {
        guard (1...max(1, family.head)).contains(sequence), let undone = try view.change(sequence) else {
            throw Rejection(.notFound, "There is no change \(sequence) to undo. Look at the history again")
        }
        for entry in undone.entries where !Undo.isUndoable(entry) {
            throw Rejection(
                .notUndoable, "Changes of members, roles and reading positions cannot be undone. Make a new change instead", kind: entry.kind, id: entry.id)
        }
        var undoing = Undoing(undone)
        for entry in undone.entries where undoing.records[entry.id] == nil {
            undoing.records[entry.id] = try find(entry)
        }
        plans.undone = .init(sequence: sequence, restored: Set(undoing.records.keys.filter(undoing.isUntouched)))
        // The last first: what a deletion did to others came before it, so they are found again when their turn comes.
        for entry in undone.entries.reversed() { try undo(entry, undoing) }
    }

    private struct Undoing {
        var sequence: Int64
        var created: Set<Identifier> = []
        /// Of each record, the version after the change that is undone.
        var last: [Identifier: Int64] = [:]
        /// The records as they are now, before anything is undone.
        var records: [Identifier: Record] = [:]

        init(_ change: Change) {
            sequence = change.sequence
            for entry in change.entries {
                last[entry.id] = entry.version
                if case .create = entry.effect { created.insert(entry.id) }
            }
        }

        func isUntouched(_ id: Identifier) -> Bool { records[id]?.version == last[id] }
    }

    private func undo(_ entry: ChangeEntry, _ undoing: Undoing) throws {
        // Not read twice: only this undo itself can have changed it since.
        var current = try view.written(entry.id) ?? undoing.records[entry.id] ?? find(entry)
        let operation = Operation(kind: entry.kind, id: entry.id, action: .delete(base: current.version))
        func allow(_ action: AccessAction, _ fields: [Int] = []) throws {
            let patch = fields.isEmpty ? nil : FieldPatch(assignments: fields.map { .init(field: $0, value: nil) })
            try check(action, operation, 0, owner: current.athlete, author: current.createdBy, patch: patch)
        }
        // Changes that this undo itself made to the record do not count.
        var seen = current
        seen.version = undoing.isUntouched(entry.id) ? entry.version : 0
        // An update of a record that goes anyway needs no look.
        if case .update = entry.effect, undoing.created.contains(entry.id) { return }
        let before = try former(entry, current)
        let step: Undo.Step
        do throws(Undo.Contradiction) {
            step = try Undo.step(entry, before: before, current: seen)
        } catch {
            throw try contradicted(current, undoing, error.fields.first)
        }
        switch step {
        case .nothing: break
        case .delete:
            try allow(.delete)
            try refuseLivingParts(of: current, undoing)
            try remove(current, operation, 0)
        case .restore:
            try allow(.restore)
            try bringBack(current, operation, 0, isUndo: true)
        case .assign(let assignments):
            try allow(.update, assignments.map(\.field))
            var wanted = current
            for assignment in assignments { wanted.fields[assignment.field] = assignment.value }
            try requireTargets(of: wanted, assignments, undoing)
            try Validation.check(wanted.fields, operation: 0, id: entry.id, environment: environment.rules)
            try write(&current, wanted.fields, operation, 0)
        }
    }

    /// The values that an update replaced; none for other entries.
    private func former(_ entry: ChangeEntry, _ record: Record) throws -> [FieldPatch.Assignment] {
        guard case .update = entry.effect else { return [] }
        let found = try view.history(of: record, after: entry.version - 1, limit: 1, &budget).first
        guard !budget.isSpent else { throw tooMuch(entry) }
        guard let found, found.version == entry.version else { throw tooOld(entry) }
        return found.before ?? []
    }

    private func find(_ entry: ChangeEntry) throws -> Record {
        guard let record = try view.record(entry.id), record.kind == entry.kind, record.version >= entry.version, isKept(record) else {
            throw purged(entry)
        }
        return record
    }

    private func tooOld(_ entry: ChangeEntry) -> Rejection {
        Rejection(
            .purged,
            "This change is more than \(environment.limits.historyAge / 86_400_000) days old, and the values before it are no longer kept. Change the record by hand.",
            kind: entry.kind, id: entry.id)
    }

    private func tooMuch(_ entry: ChangeEntry) -> Rejection {
        Rejection(
            .tooMany, "This change replaced more than one undo can restore. Change the records by hand.", kind: entry.kind, id: entry.id)
    }

    private func purged(_ entry: ChangeEntry) -> Rejection {
        Rejection(.purged, "Records deleted more than 30 days ago are gone for good, so this cannot be undone", kind: entry.kind, id: entry.id)
    }

    /// Refuses to delete a record with parts that others have added since (items of a trip): the parts would be deleted with it.
    private func refuseLivingParts(of record: Record, _ undoing: Undoing) throws {
        for referrer in try view.referrers(of: record, limit: 1, &budget)
        where referrer.record.kind.declaration.fields[referrer.field].whenGone == .cascade {
            throw try contradicted(referrer.record, undoing, referrer.field)
        }
    }

    /// A reference that ends with its target cannot come back to one that is gone.
    private func requireTargets(of wanted: Record, _ assignments: [FieldPatch.Assignment], _ undoing: Undoing) throws {
        for assignment in assignments {
            guard case .reference(let id)? = assignment.value else { continue }
            let policy = wanted.kind.declaration.fields[assignment.field].whenGone
            guard policy == .unlink || policy == .cascade, let target = try view.record(id)
            else { continue }
            if target.isDeleted { throw try contradicted(target, undoing, nil) }
        }
    }

    /// - Parameter field: the one that was written since; `nil` for the record as a whole.
    private func contradicted(_ record: Record, _ undoing: Undoing, _ field: Int?) throws -> Rejection {
        // A record can have thousands of long versions: those that are read name the author, or else the next one does.
        var budget = ReadBudget(octets: environment.limits.relatedOctets / 4)
        let later = try view.history(of: record, after: undoing.last[record.id] ?? 0, limit: 1_000, &budget)
            .filter { $0.sequence > undoing.sequence && $0.sequence < self.sequence }
        let writer = field.flatMap { field in later.first { $0.touches(field) } } ?? later.first
        let sequence = try writer?.sequence ?? view.creation(of: record.id)
        let who = family.members[writer?.member ?? record.updatedBy]?.name ?? "Somebody"
        let label = record.kind.declaration.label.lowercased()
        let what = field.map { "\(record.kind.declaration.fields[$0].label) of this \(label)" } ?? "this \(label)"
        return Rejection(
            .contradicted, "\(who) changed \(what) since then. Nothing was undone: undo that first, or change it by hand",
            kind: record.kind, id: record.id, field: field.map { record.kind.declaration.fields[$0].name }, sequence: sequence)
    }
}

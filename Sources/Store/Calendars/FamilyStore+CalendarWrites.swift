import Bytes
import Calendar
import Family
import Ledger
import Wire

// Changes by calendar programs: each is one change under the rights of its member, decided with the mutations of its batch.
extension FamilyStore {
    /// Writes or deletes one object. The object is compared with the condition inside the transaction.
    ///
    /// - Throws: the `Rejection` of the rules, or a failure of the engine.
    func perform(_ write: CalendarWrite, at: Int64, _ batch: Batch, _ results: inout [CommitResult]) throws -> CalendarWriteAnswer {
        let name = write.calendar
        let (family, decider) = try decider(name.family, write.member, context: name.content == .season ? .athlete(name.subject) : .all, at: at, batch)
        let stored = try family.overlay.record(write.record)
        let current = stored.flatMap { isIn(name, $0) ? $0 : nil }
        if let refusal = refusal(write, current, zone: family.state.zone) { return refusal }
        let operations: [Operation]
        switch write.act {
        case .delete:
            guard let current else { return .missing }
            operations = [Operation(kind: name.kind, id: current.id, action: .delete(base: current.version))]
        case .put(let edit):
            do throws(CalendarFault) {
                guard edit.uid.lowercased() == write.record.description else {
                    return .refused(CalendarFault(.object, "The UID of the entry must be the name of its address without .ics."))
                }
                operations = try self.operations(write, edit, current: current, stored: stored, zone: family.state.zone)
            } catch { return .refused(error) }
        }
        guard !operations.isEmpty else { return .updated }
        let decision = try decider.decide(operations, acceptingOverlapsFor: CalendarWrite.overlapReason)
        try accept(decision, family, batch, &results)
        if case .delete = write.act { return .deleted }
        return current == nil ? .created : .updated
    }

    private func isIn(_ name: CalendarCollectionName, _ record: Record) -> Bool { name.has(record) && !record.isDeleted }

    /// - Returns: the answer if a condition is not met; `nil` if all are.
    private func refusal(_ write: CalendarWrite, _ current: Record?, zone: String) -> CalendarWriteAnswer? {
        let condition = write.condition
        guard let current else { return condition.tags != nil || condition.mustExist ? .stale : nil }
        if condition.mustBeNew { return .stale }
        if let tags = condition.tags {
            var builder = CalendarObjectBuilder(zone: zone, rules: environment.rules.zone)
            guard let tag = builder.object(current)?.tag, tags.contains(tag) else { return .stale }
        } else if case .put = write.act, !condition.mustExist {
            return .unconditional
        }
        return nil
    }

    private func operations(_ write: CalendarWrite, _ edit: CalendarEdit, current: Record?, stored: Record?, zone: String) throws(CalendarFault) -> [Operation] {
        let name = write.calendar
        if let current {
            let patch = try edit.patch(of: current, zone: zone, rules: environment.rules.zone)
            guard !patch.isEmpty else { return [] }
            return [Operation(kind: name.kind, id: current.id, action: .update(base: current.version, merge: .none, patch: patch))]
        }
        if let stored {
            // A program that undoes its deletion sends the object again.
            guard name.has(stored), stored.isDeleted else { throw CalendarFault(.uid, "Another entry has this UID already.") }
            var living = stored
            living.deletedAt = nil
            let patch = try edit.patch(of: living, zone: zone, rules: environment.rules.zone)
            let restore = Operation(kind: name.kind, id: stored.id, action: .restore(base: stored.version))
            guard !patch.isEmpty else { return [restore] }
            return [restore, Operation(kind: name.kind, id: stored.id, action: .update(base: stored.version, merge: .none, patch: patch))]
        }
        var patch = try edit.fields(of: name.kind, zone: zone, rules: environment.rules.zone)
        if name.content == .itinerary, let field = name.kind.declaration.index(of: "trip_id") {
            patch.assignments.append(.init(field: field, value: .reference(name.subject)))
            patch.assignments.sort { $0.field < $1.field }
        }
        let athlete = name.content == .season ? name.subject : nil
        return [Operation(kind: name.kind, id: write.record, action: .create(athlete: athlete, patch: patch))]
    }
}

/// The undo of one change (semantics.md, "Undo"): pure, for the writer that performs it and for history, which marks the undoable changes.
package enum Undo {
    /// The action on one record.
    package enum Step: Hashable, Sendable {
        /// These values again, fields that only the server writes included; `nil` empties. Never empty.
        case assign([FieldPatch.Assignment])
        case delete
        case restore
        /// The record is as it was before the change already.
        case nothing
    }

    /// A later change stands in the way.
    package struct Contradiction: Error, Hashable, Sendable {
        /// The fields that no longer hold what the change gave them; empty when the record as a whole was changed.
        package let fields: [Int]

        package init(fields: [Int]) { self.fields = fields }
    }

    /// The step that takes one entry of a change back.
    ///
    /// - A creation: deletes the record, if nothing changed it since. A deletion: restores it, if it is still that deletion. A
    ///   restoration: deletes it again, if nothing changed it since.
    /// - An update: each field gets the value it had, if it still holds the one that the change gave it. Sets are compared element by
    ///   element: an added element must still be there, a removed one must still be absent, others may have changed.
    ///   The kept name of a reference follows its reference.
    ///
    /// - Parameters:
    ///   - entry: as it is in the log.
    ///   - before: for an update, the values that its fields had.
    ///   - current: the record as it is now, deleted or not.
    package static func step(
        _ entry: ChangeEntry, before: [FieldPatch.Assignment], current: Record
    ) throws(Contradiction) -> Step {
        switch entry.effect {
        case .create, .restore:
            guard current.version == entry.version, !current.isDeleted else { throw Contradiction(fields: []) }
            return .delete
        case .delete:
            guard current.version == entry.version, current.isDeleted else { throw Contradiction(fields: []) }
            return .restore
        case .update(let after):
            guard !current.isDeleted else { throw Contradiction(fields: []) }
            return try update(before: before, after: after, current.fields)
        }
    }

    /// Whether the change of that entry may be taken back at all: joining and leaving, roles, what parents may do, reading positions and a
    /// request to delete the family may not.
    package static func isUndoable(_ entry: ChangeEntry) -> Bool {
        switch entry.kind {
        case .readingPosition: return false
        case .member:
            guard case .update(let assignments) = entry.effect else { return false }
            return assignments.allSatisfy { $0.field == memberName }
        case .family:
            guard case .update(let assignments) = entry.effect else { return true }
            return assignments.allSatisfy { $0.field != deletionDate }
        default: return true
        }
    }

    private static let memberName = Kind.member.declaration.index(of: "name")
    private static let deletionDate = Kind.family.declaration.index(of: FamilyDeletion.field)

    private static func update(
        before: [FieldPatch.Assignment], after: [FieldPatch.Assignment], _ current: Fields
    ) throws(Contradiction) -> Step {
        let declared = current.kind.declaration
        /// Whether a field keeps the name of a reference, which follows its reference.
        func isKeptName(_ field: Int) -> Bool {
            declared.fields.contains { other in
                if case .keep(let name) = other.whenGone { return declared.index(of: name) == field }
                return false
            }
        }
        var assignments: [FieldPatch.Assignment] = []
        var contradicted: [Int] = []
        for assignment in after where declared.fields.indices.contains(assignment.field) {
            let field = assignment.field
            let was = before.first { $0.field == field }?.value
            let present = current[field]
            let wanted: Value?
            if case .set = declared.fields[field].type {
                guard let set = unedited(elements(present), before: elements(was), after: elements(assignment.value)) else {
                    contradicted.append(field)
                    continue
                }
                wanted = set.isEmpty ? nil : .set(set)
            } else {
                guard present == assignment.value || isKeptName(field) else {
                    contradicted.append(field)
                    continue
                }
                wanted = was
            }
            if wanted != present { assignments.append(.init(field: field, value: wanted)) }
        }
        guard contradicted.isEmpty else { throw Contradiction(fields: contradicted) }
        return assignments.isEmpty ? .nothing : .assign(assignments)
    }

    private static func elements(_ value: Value?) -> [SetElement] {
        if case .set(let elements)? = value { return elements }
        return []
    }

    /// A set without what a change did to it; `nil` when somebody did the opposite since.
    private static func unedited(_ current: [SetElement], before: [SetElement], after: [SetElement]) -> [SetElement]? {
        let had = Set(before.map(\.id))
        let got = Set(after.map(\.id))
        let has = Set(current.map(\.id))
        let added = got.subtracting(had)
        let removed = had.subtracting(got)
        guard added.isSubset(of: has), removed.isDisjoint(with: has) else { return nil }
        let kept = current.filter { !added.contains($0.id) } + before.filter { removed.contains($0.id) }
        return kept.sorted { $0.id < $1.id }
    }
}

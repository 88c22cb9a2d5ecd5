internal import Bytes
package import Family

/// The folding of a later edit into an earlier, unsent edit of the same record.
package enum EditFolding {
    /// The result of folding two operations on one record.
    package enum Result: Hashable, Sendable {
        /// One operation does both.
        case operation(Operation)
        /// The operations cancel out: nothing is left to request.
        case nothing
        /// They have to be requested one after the other.
        case separate
    }

    /// Folds `later` into `earlier`; both name the same record.
    ///
    /// The base of an update stays that of the earlier operation: the edit is based on the version that the author saw
    /// first. A delete takes its own base, because it overwrites no part of the edit that it replaces.
    package static func fold(_ later: Operation, into earlier: Operation) -> Result {
        guard later.id == earlier.id, later.kind == earlier.kind else { return .separate }
        switch (earlier.action, later.action) {
        case (.create(let athlete, let first), .update(_, _, let second)):
            let patch = withoutSetEdits(merge(second, over: first))
            return .operation(Operation(kind: earlier.kind, id: earlier.id, action: .create(athlete: athlete, patch: patch)))
        case (.update(let base, let merge, let first), .update(_, let laterMerge, let second)):
            let mode: MergeMode = merge == .disjoint && laterMerge == .disjoint ? .disjoint : .none
            return .operation(
                Operation(
                    kind: earlier.kind, id: earlier.id,
                    action: .update(base: base, merge: mode, patch: Self.merge(second, over: first))))
        case (.update, .delete):
            return .operation(later)
        case (.create, .delete), (.delete, .restore), (.restore, .delete):
            return .nothing
        default:
            return .separate
        }
    }

    /// One patch with the effect of `earlier` followed by `later`.
    package static func merge(_ later: FieldPatch, over earlier: FieldPatch) -> FieldPatch {
        var assignments = Dictionary(earlier.assignments.map { ($0.field, $0.value) }, uniquingKeysWith: { _, last in last })
        var edits = Dictionary(earlier.setEdits.map { ($0.field, $0) }, uniquingKeysWith: { _, last in last })
        for assignment in later.assignments {
            assignments[assignment.field] = .some(assignment.value)
            edits[assignment.field] = nil
        }
        for edit in later.setEdits {
            if let assigned = assignments[edit.field] {
                assignments[edit.field] = .some(applying(edit, to: assigned))
            } else if let earlierEdit = edits[edit.field] {
                edits[edit.field] = compose(edit, over: earlierEdit)
            } else {
                edits[edit.field] = edit
            }
        }
        return FieldPatch(
            assignments: assignments.map { FieldPatch.Assignment(field: $0.key, value: $0.value) }.sorted { $0.field < $1.field },
            setEdits: edits.values.filter { !$0.add.isEmpty || !$0.remove.isEmpty }.sorted { $0.field < $1.field })
    }

    private static func applying(_ edit: FieldPatch.SetEdit, to assigned: Value?) -> Value? {
        var elements: [SetElement] = []
        if case .set(let held)? = assigned { elements = held }
        elements.removeAll { edit.remove.contains($0.id) }
        for id in edit.add where !elements.contains(where: { $0.id == id }) { elements.append(SetElement(id: id)) }
        return elements.isEmpty ? nil : .set(elements.sorted { $0.id < $1.id })
    }

    private static func compose(_ later: FieldPatch.SetEdit, over earlier: FieldPatch.SetEdit) -> FieldPatch.SetEdit {
        FieldPatch.SetEdit(
            field: later.field,
            add: earlier.add.filter { !later.remove.contains($0) && !later.add.contains($0) } + later.add,
            remove: earlier.remove.filter { !later.add.contains($0) && !later.remove.contains($0) } + later.remove)
    }

    /// A create has no earlier set, so the added elements are the set.
    private static func withoutSetEdits(_ patch: FieldPatch) -> FieldPatch {
        var values = Dictionary(patch.assignments.map { ($0.field, $0.value) }, uniquingKeysWith: { _, last in last })
        for edit in patch.setEdits { values[edit.field] = .some(applying(edit, to: nil)) }
        return FieldPatch(
            assignments: values.map { FieldPatch.Assignment(field: $0.key, value: $0.value) }.sorted { $0.field < $1.field })
    }
}

extension Operation {
    package var patch: FieldPatch? {
        switch action {
        case .create(_, let patch), .update(_, _, let patch): patch
        case .delete, .restore, .shift, .copy: nil
        }
    }

    /// All records that the values of this operation name.
    var references: [Identifier] {
        var found: [Identifier] = []
        if case .create(let athlete?, _) = action { found.append(athlete) }
        if case .copy(let from, _) = action { found.append(from) }
        guard let patch else { return found }
        for assignment in patch.assignments {
            switch assignment.value {
            case .reference(let id): found.append(id)
            case .link(_, let id): found.append(id)
            case .set(let elements): found += elements.map(\.id)
            default: break
            }
        }
        for edit in patch.setEdits { found += edit.add }
        return found
    }
}

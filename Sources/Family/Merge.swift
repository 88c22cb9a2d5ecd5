package import Bytes

/// How an operation changes the fields of a record, and when two authors contradict each other.
package enum Merge {
    /// Applies a canonical patch.
    ///
    /// An element that was in the set already keeps its name and role; a new one gets them from `resolve`, and stays without
    /// when that knows nothing (whether such an element may be added is the caller's to decide, see `introduced`).
    ///
    /// - Returns: the fields as they are now; those that differ with their new values (`nil`: now empty), in the order of the
    ///   declaration, none when the patch changed nothing; and the same fields with the values they had.
    package static func apply(
        _ patch: FieldPatch, to current: Fields, resolve: (Kind, Identifier) -> SetElement?
    ) -> (fields: Fields, changed: [FieldPatch.Assignment], before: [FieldPatch.Assignment]) {
        var fields = current
        let declarations = current.kind.declaration.fields
        for assignment in patch.assignments {
            if case .set(let elements)? = assignment.value {
                let held = current.elements(assignment.field)
                fields[assignment.field] = set(elements.map(\.id), keeping: held, assignment.field, current, resolve)
            } else if !isSame(assignment.value, current[assignment.field], declarations[assignment.field]) {
                fields[assignment.field] = assignment.value
            }
        }
        for edit in patch.setEdits {
            let held = fields.elements(edit.field)
            let ids = Set(held.map(\.id)).subtracting(edit.remove).union(edit.add)
            fields[edit.field] = set(Array(ids), keeping: held, edit.field, current, resolve)
        }
        let (changed, before) = difference(from: current, to: fields)
        return (fields, changed, before)
    }

    /// The fields in which two states of a record differ, in the order of the declaration: as they are now, and as they were.
    package static func difference(
        from current: Fields, to fields: Fields
    ) -> (changed: [FieldPatch.Assignment], before: [FieldPatch.Assignment]) {
        var changed: [FieldPatch.Assignment] = []
        var before: [FieldPatch.Assignment] = []
        for field in fields.values.indices where fields[field] != current[field] {
            changed.append(.init(field: field, value: fields[field]))
            before.append(.init(field: field, value: current[field]))
        }
        return (changed, before)
    }

    /// The fields in which a stale update and the changes since its base disagree. Only assignments can: set edits of both
    /// sides stand, and so does an assignment of the value that is there already.
    ///
    /// - Parameter changedSinceBase: positions of the fields that changes after the base version wrote.
    package static func contested(_ patch: FieldPatch, current: Fields, changedSinceBase: Set<Int>) -> [Int] {
        patch.assignments.compactMap { assignment in
            guard changedSinceBase.contains(assignment.field) else { return nil }
            let declaration = current.kind.declaration.fields[assignment.field]
            let isAgreed = agrees(assignment.value, current[assignment.field]) || isSame(assignment.value, current[assignment.field], declaration)
            return isAgreed ? nil : assignment.field
        }
    }

    /// Whether an update may be applied to any later version without asking: it only adds to sets, removes from them, and moves numbers
    /// on that only grow.
    package static func commutes(_ patch: FieldPatch, _ kind: Kind) -> Bool {
        !patch.isEmpty && patch.assignments.allSatisfy { kind.declaration.fields[$0.field].onlyGrows }
    }

    /// Whether assigning `new` leaves a field as it is: a measure of the same value, or a smaller number where numbers only grow.
    private static func isSame(_ new: Value?, _ current: Value?, _ field: FieldDeclaration) -> Bool {
        switch (field.type, new, current) {
        case (.measure, .text(let new)?, .text(let current)?):
            guard let new = DecimalText(new), let current = DecimalText(current) else { return false }
            return new.equals(current)
        case (.integer, .integer(let new)?, .integer(let current)?): return field.onlyGrows && new <= current
        default: return false
        }
    }

    /// A record that a patch begins to refer to.
    package struct Reference: Hashable, Sendable {
        package var field: Int
        package var kind: Kind
        package var id: Identifier

        package init(field: Int, kind: Kind, id: Identifier) {
            self.field = field
            self.kind = kind
            self.id = id
        }
    }

    /// The records that a patch refers to and `current` does not in the same field: each must exist and live, or the answer is
    /// `unknown_reference`. A reference that was there before may name a deleted record and stays.
    package static func introduced(by patch: FieldPatch, to current: Fields) -> [Reference] {
        let declarations = current.kind.declaration.fields
        var references: [Reference] = []
        for assignment in patch.assignments where assignment.value != current[assignment.field] {
            switch (declarations[assignment.field].type, assignment.value) {
            case (.reference(let kind), .reference(let id)?):
                references.append(Reference(field: assignment.field, kind: kind, id: id))
            case (.link, .link(let kind, let id)?):
                references.append(Reference(field: assignment.field, kind: kind, id: id))
            case (.set(let kind, _), .set(let elements)?):
                let held = Set(current.elements(assignment.field).map(\.id))
                for element in elements where !held.contains(element.id) {
                    references.append(Reference(field: assignment.field, kind: kind, id: element.id))
                }
            default: break
            }
        }
        for edit in patch.setEdits {
            guard case .set(let kind, _) = declarations[edit.field].type else { continue }
            let held = Set(current.elements(edit.field).map(\.id))
            for id in edit.add where !held.contains(id) {
                references.append(Reference(field: edit.field, kind: kind, id: id))
            }
        }
        return references
    }

    /// Elements of sets are the same when their ids are: names and roles were filled in at different moments.
    private static func agrees(_ left: Value?, _ right: Value?) -> Bool {
        if case .set(let left)? = left, case .set(let right)? = right { return left.map(\.id) == right.map(\.id) }
        return left == right
    }

    private static func set(
        _ ids: [Identifier], keeping held: [SetElement], _ field: Int, _ current: Fields,
        _ resolve: (Kind, Identifier) -> SetElement?
    ) -> Value? {
        guard case .set(let kind, _) = current.kind.declaration.fields[field].type, !ids.isEmpty else { return nil }
        let known = Dictionary(held.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return .set(ids.sorted().map { id in known[id] ?? resolve(kind, id) ?? SetElement(id: id) })
    }
}

extension Fields {
    /// The elements of a set-valued field; none when it is empty.
    fileprivate func elements(_ field: Int) -> [SetElement] {
        if case .set(let elements)? = self[field] { return elements }
        return []
    }
}

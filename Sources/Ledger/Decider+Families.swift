package import Bytes
package import Dates
package import Family

// Records that no mutation may create: a family's own, and its members'.
extension Decider {
    /// Adds the record of the family itself or of a member, with fields that `profile` made.
    ///
    /// - Parameter born: a member's birth date.
    package func add(_ id: Identifier, _ fields: Fields, born: CalendarDate? = nil) {
        let record = Record(
            kind: fields.kind, id: id, athlete: nil, version: 1, createdAt: at, createdBy: actor.member, updatedAt: at,
            updatedBy: actor.member, fields: fields)
        put(new: record)
        guard fields.kind == .member else { return }
        let state = MemberState(record, born: born, isRemoved: false)
        set(id, state)
        touchRights(of: id, role: state.role)
    }

    /// Writes into the family's record on which day the family will be deleted; `nil`: it stays.
    package func setDeletion(day: String?) throws {
        guard var record = try view.record(family.id), record.kind == .family else {
            throw Rejection(.notFound, ErrorCode.notFound.sentence, id: family.id)
        }
        var fields = record.fields
        fields[FamilyDeletion.field] = day.map { .text($0) }
        // Nobody asked for an operation; the record is named where a rejection has to name one.
        try write(&record, fields, Operation(kind: .family, id: record.id, action: .delete(base: record.version)), 0)
    }
}

extension LedgerEnvironment {
    /// Fields in canonical spelling, by the rules that hold for updates of the same kind.
    package func profile(_ kind: Kind, _ values: [(name: String, text: String)]) throws(Rejection) -> Fields {
        var patch = FieldPatch()
        for (name, text) in values {
            guard let field = kind.declaration.index(of: name) else { preconditionFailure("\(kind.name) declares no field \(name)") }
            patch.assignments.append(.init(field: field, value: .text(text)))
        }
        let nobody = Identifier(high: 0, low: 0)
        var operation = Operation(kind: kind, id: nobody, action: .update(base: 0, merge: .none, patch: patch))
        do throws(Rejection) {
            try Validation.canonicalize(&operation, index: 0, environment: rules)
            guard case .update(_, _, let canonical) = operation.action else { preconditionFailure("an update stays one") }
            let fields = Merge.apply(canonical, to: Fields(kind), resolve: { _, _ in nil }).fields
            try Validation.check(fields, operation: 0, id: nobody, environment: rules)
            return fields
        } catch {
            // There was no operation that the answer could name.
            throw Rejection(error.code, error.message, field: error.field)
        }
    }
}

package import Bytes
package import Family

// Steps that were allowed and checked, and the checks that they share.
extension Decider {
    /// Adds a record, after the permission was checked.
    func insert(_ id: Identifier, owner: Identifier?, _ fields: Fields, _ operation: Operation, _ index: Int) throws {
        let kind = fields.kind
        try Validation.check(fields, operation: index, id: id, environment: environment.rules)
        guard family.records < environment.limits.recordsPerFamily else {
            throw Rejection(.familyFull, ErrorCode.familyFull.sentence, operation: index, kind: kind, id: id)
        }
        guard try view.record(id) == nil else {
            throw Rejection(.alreadyExists, ErrorCode.alreadyExists.sentence, operation: index, kind: kind, id: id)
        }
        let record = Record(
            kind: kind, id: id, athlete: owner, version: 1, createdAt: at, createdBy: actor.member, updatedAt: at, updatedBy: actor.member,
            fields: fields)
        put(new: record)
        plans.note(from: nil, to: record, index)
    }

    /// Enters a new record into the change.
    func put(new record: Record) {
        view.put(record, created: sequence)
        count(record.id, version: record.version)
        add(record, .create(athlete: record.athlete, fields: record.fields))
    }

    /// Gives a living record new fields.
    func write(_ record: inout Record, _ fields: Fields, _ operation: Operation, _ index: Int) throws {
        let former = record
        let (changed, before) = Merge.difference(from: former.fields, to: fields)
        guard !changed.isEmpty else { return }
        endShares(from: former, to: fields)
        record.fields = fields
        try checkPeople(from: former, to: record, operation, index)
        put(&record, over: former, before)
        add(record, .update(changed))
        plans.note(from: former, to: record, index)
    }

    /// Deletes a living record, with what the deletion means for the records that refer to it.
    func remove(_ former: Record, _ operation: Operation, _ index: Int) throws {
        try letGo(of: former, operation, index)
        try passOn(former, operation, index)
        if former.kind == .document { endShares(of: former.id) }
        var record = former
        record.deletedAt = at
        try checkPeople(from: former, to: record, operation, index)
        put(&record, over: former, nil)
        add(record, .delete)
        plans.note(from: former, to: record, index)
    }

    /// Brings a deleted record back as it was. References whose targets are gone end now, in a second step.
    ///
    /// - Parameter isUndo: the undo itself takes back what the deletion did to other records.
    func bringBack(_ former: Record, _ operation: Operation, _ index: Int, isUndo: Bool = false) throws {
        var fields = try livingReferences(of: former, operation, index)
        if !isUndo { fields = try takeBack(former, fields, operation, index) }
        var record = former
        record.deletedAt = nil
        try checkPeople(from: former, to: record, operation, index)
        put(&record, over: former, nil)
        add(
            record,
            .restore(athlete: record.athlete, fields: record.fields, createdAt: record.createdAt, createdBy: record.createdBy))
        plans.note(from: nil, to: record, index)
        try write(&record, fields, operation, index)
    }

    /// Enters the next version of a record, with the values that it replaces.
    private func put(_ record: inout Record, over former: Record, _ before: [FieldPatch.Assignment]?) {
        record.version += 1
        record.updatedAt = at
        record.updatedBy = actor.member
        view.put(record, over: former)
        updateChecksum(
            of: record.id, from: former.isDeleted ? nil : former.version, to: record.isDeleted ? nil : record.version)
        view.append(
            HistoryEntry(version: record.version, sequence: sequence, member: actor.member, at: at, before: before), of: record)
    }

    // MARK: Checks

    /// The athlete that a new record belongs to: the one that the operation names, or else the context's.
    func owner(_ named: Identifier?, _ operation: Operation, _ index: Int) throws -> Identifier {
        let label = operation.kind.declaration.label
        var owner = named
        if owner == nil, case .athlete(let athlete) = context { owner = athlete }
        guard let owner else {
            throw Rejection(
                .required, "\(label): choose an athlete. Nothing was changed", operation: index, kind: operation.kind,
                id: operation.id, field: "athlete")
        }
        guard family.member(owner)?.role == .athlete else {
            throw Rejection(
                .unknownReference, "\(label): this athlete is not in the family. Nothing was changed; choose another athlete", operation: index,
                kind: operation.kind, id: operation.id, field: "athlete")
        }
        return owner
    }

    /// - Throws: `not_allowed`.
    package func check(
        _ action: AccessAction, _ operation: Operation, _ index: Int, owner: Identifier?, author: Identifier, patch: FieldPatch? = nil
    ) throws {
        let fields = patch.map { $0.assignments.map(\.field) + $0.setEdits.map(\.field) } ?? []
        let rights = Rights(actor, members: family.members) { [environment, zone = family.zone, at] born in
            environment.age(born: born, zone: zone, at: at)
        }
        let access = rights.access(action, operation.kind, operation.id, owner: owner, author: author, fields: fields)
        try Permission.check(access, operation: index, id: operation.id)
    }

    /// Checks that what a patch begins to refer to lives in this family.
    ///
    /// - Returns: these records as they are now, by id.
    func resolve(_ references: [Merge.Reference], _ operation: Operation, _ index: Int) throws -> [Identifier: Record] {
        var targets: [Identifier: Record] = [:]
        for reference in references {
            guard let found = try view.record(reference.id), found.kind == reference.kind, !found.isDeleted else {
                let field = operation.kind.declaration.fields[reference.field]
                throw Rejection(
                    .unknownReference,
                    "\(field.label): this \(reference.kind.declaration.label.lowercased()) no longer exists. "
                        + "Nothing was changed",
                    operation: index, kind: operation.kind, id: operation.id, field: field.name)
            }
            targets[reference.id] = found
        }
        return targets
    }
}

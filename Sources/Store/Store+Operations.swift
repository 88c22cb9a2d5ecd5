import Bytes
import Family

// One operation within the savepoint of its mutation. Order of the checks: is it well formed, is the record there, is it allowed,
// is the base current, are the rules kept. Each throws the `Rejection` that the author gets.
extension Store {
    func apply(_ asked: Operation, _ index: Int, to change: inout PendingChange) throws {
        var operation = asked
        try Validation.canonicalize(&operation, index: index, environment: environment.rules)
        try refuseRemoved(operation.id, operation, index, change)
        switch operation.action {
        case .create(let athlete, let patch):
            try create(operation, index, athlete: athlete, patch, &change)
        case .update(let base, let merge, let patch):
            try update(operation, index, base: base, merge: merge, patch, &change)
        case .delete(let base):
            try delete(operation, index, base: base, &change)
        case .restore(let base):
            try restore(operation, index, base: base, &change)
        case .shift(let base, let days):
            try shift(operation, index, base: base, days: Int(days), &change)
        case .copy(let source, let days):
            try copy(operation, index, from: source, days: Int(days), &change)
        }
    }

    private func create(
        _ operation: Operation, _ index: Int, athlete: Identifier?, _ patch: FieldPatch, _ change: inout PendingChange
    ) throws {
        let kind = operation.kind
        let owner = kind.declaration.scope == .athlete ? try owner(athlete, operation, index, change) : nil
        try check(.create, operation, index, owner: owner, author: change.actor.member, patch: patch, change)
        let empty = Fields(kind)
        let targets = try resolve(Merge.introduced(by: patch, to: empty), operation, index, change)
        var fields = Merge.apply(patch, to: empty, resolve: { targets[$1]?.asSetElement }).fields
        keepNames(&fields, from: empty, targets)
        Validation.applyDefaults(&fields, environment: environment.rules) {
            RuleContext(member: change.actor.member, now: change.at, zone: change.family.zone, targets: targets)
        }
        try insert(operation.id, owner: owner, fields, operation, index, &change)
    }

    /// Adds a record, after the rules were asked.
    func insert(
        _ id: Identifier, owner: Identifier?, _ fields: Fields, _ operation: Operation, _ index: Int, _ change: inout PendingChange
    ) throws {
        let kind = fields.kind
        try Validation.check(fields, operation: index, id: id, environment: environment.rules)
        guard change.family.records < environment.limits.recordsPerFamily else {
            throw Rejection(.familyFull, ErrorCode.familyFull.sentence, operation: index, kind: kind, id: id)
        }
        let record = Record(
            kind: kind, id: id, athlete: owner, version: 1, createdAt: change.at, createdBy: change.actor.member,
            updatedAt: change.at, updatedBy: change.actor.member, fields: fields)
        guard try records.insert(family: change.family.key, record, sequence: change.sequence) else {
            throw Rejection(.alreadyExists, ErrorCode.alreadyExists.sentence, operation: index, kind: kind, id: id)
        }
        change.family.records += 1
        change.add(record, from: nil, .create(athlete: owner, fields: fields))
        change.plans.note(from: nil, to: record, index)
    }

    private func update(
        _ operation: Operation, _ index: Int, base: Int64, merge: MergeMode, _ patch: FieldPatch, _ change: inout PendingChange
    ) throws {
        var row = try find(operation, index, change)
        let current = row.record
        try check(.update, operation, index, owner: current.athlete, author: current.createdBy, patch: patch, change)
        guard !current.isDeleted else { throw conflict(current, [], operation, index, change) }
        if !change.isCurrent(base, current) {
            try checkStale(current, base: change.effectiveBase(base, of: current.id), merge: merge, patch, operation, index, change)
            change.didMerge(from: base, current.id)
        }
        let targets = try resolve(Merge.introduced(by: patch, to: current.fields), operation, index, change)
        var fields = Merge.apply(patch, to: current.fields, resolve: { targets[$1]?.asSetElement }).fields
        keepNames(&fields, from: current.fields, targets)
        guard fields != current.fields else { return }
        try Validation.check(fields, operation: index, id: operation.id, environment: environment.rules)
        try write(&row, fields, operation, index, &change)
    }

    private func delete(_ operation: Operation, _ index: Int, base: Int64, _ change: inout PendingChange) throws {
        var row = try find(operation, index, change)
        let current = row.record
        try check(.delete, operation, index, owner: current.athlete, author: current.createdBy, change)
        guard !current.isDeleted, change.isCurrent(base, current) else { throw conflict(current, [], operation, index, change) }
        try remove(&row, operation, index, &change)
    }

    private func restore(_ operation: Operation, _ index: Int, base: Int64, _ change: inout PendingChange) throws {
        var row = try find(operation, index, change)
        let current = row.record
        try check(.restore, operation, index, owner: current.athlete, author: current.createdBy, change)
        if !current.isDeleted, change.committed(current)?.isDeleted == true {
            throw Rejection(
                .invalid,
                "This \(operation.kind.declaration.label.lowercased()) is restored earlier in the same change. Leave out the second restore",
                operation: index, kind: operation.kind, id: operation.id)
        }
        guard current.isDeleted, change.isCurrent(base, current) else { throw conflict(current, [], operation, index, change) }
        try bringBack(&row, operation, index, &change)
    }

    // MARK: Steps, allowed and checked

    /// Writes new fields into a living record and says so in history and change.
    func write(
        _ row: inout RecordRow, _ fields: Fields, _ operation: Operation, _ index: Int, _ change: inout PendingChange
    ) throws {
        let current = row.record
        let (changed, before) = Merge.difference(from: current.fields, to: fields)
        guard !changed.isEmpty else { return }
        try endShares(from: current, to: fields, change)
        row.record.fields = fields
        try checkPeople(from: current, to: row.record, operation, index, &change)
        raise(&row, change)
        try records.update(row)
        try history.append(family: change.family.key, row.record, sequence: change.sequence, before: before)
        change.add(row.record, from: current, .update(changed))
        change.plans.note(from: current, to: row.record, index)
    }

    /// Deletes a living record, with what that means for those that refer to it.
    func remove(_ row: inout RecordRow, _ operation: Operation, _ index: Int, _ change: inout PendingChange) throws {
        let current = row.record
        try letGo(of: current, operation, index, &change)
        try passOn(current, operation, index, &change)
        if current.kind == .document { try shares.end(family: change.family.key, document: current.id, at: change.at) }
        row.record.deletedAt = change.at
        try checkPeople(from: current, to: row.record, operation, index, &change)
        raise(&row, change)
        try records.update(row)
        try history.append(family: change.family.key, row.record, sequence: change.sequence, before: nil)
        change.add(row.record, from: current, .delete)
        change.plans.note(from: current, to: row.record, index)
    }

    /// Brings a deleted record back as it was. References that would have ended with their targets end now, in a second step.
    ///
    /// - Parameter isUndo: what the deletion did to others is undone by itself.
    func bringBack(
        _ row: inout RecordRow, _ operation: Operation, _ index: Int, isUndo: Bool = false, _ change: inout PendingChange
    ) throws {
        let current = row.record
        var fields = try livingReferences(of: current, operation, index, change)
        if !isUndo { fields = try takeBack(current, fields, operation, index, &change) }
        row.record.deletedAt = nil
        try checkPeople(from: current, to: row.record, operation, index, &change)
        raise(&row, change)
        try records.update(row)
        try history.append(family: change.family.key, row.record, sequence: change.sequence, before: nil)
        let record = row.record
        change.add(
            record, from: current,
            .restore(athlete: record.athlete, fields: record.fields, createdAt: record.createdAt, createdBy: record.createdBy))
        change.plans.note(from: nil, to: record, index)
        try write(&row, fields, operation, index, &change)
    }

    // MARK: Parts

    /// The record that an operation names. A tombstone past its 30 days counts as gone: snapshots no longer carry it.
    func find(_ operation: Operation, _ index: Int, _ change: PendingChange) throws -> RecordRow {
        guard let row = try records.find(family: change.family.key, operation.id), row.record.kind == operation.kind,
            row.record.deletedAt.map({ $0 > change.at - Self.retention }) ?? true
        else { throw Rejection.noSuchRecord(operation, index) }
        return row
    }

    /// Refuses an operation on a record that this mutation has deleted, by itself or with another record.
    func refuseRemoved(_ id: Identifier, _ operation: Operation, _ index: Int, _ change: PendingChange) throws {
        guard change.removed.contains(id) else { return }
        throw Rejection(
            .invalid,
            "This \(operation.kind.declaration.label.lowercased()) is deleted earlier in the same change. "
                + "Leave out the deletion, or the operations that follow it",
            operation: index, kind: operation.kind, id: operation.id)
    }

    private func raise(_ row: inout RecordRow, _ change: PendingChange) {
        row.record.version += 1
        row.record.updatedAt = change.at
        row.record.updatedBy = change.actor.member
    }

    /// Whose a new record is: the athlete that the operation names, or else the context's.
    func owner(_ named: Identifier?, _ operation: Operation, _ index: Int, _ change: PendingChange) throws -> Identifier {
        let label = operation.kind.declaration.label
        var owner = named
        if owner == nil, case .athlete(let athlete) = change.context { owner = athlete }
        guard let owner else {
            throw Rejection(
                .required, "\(label): choose whose it is. What you entered is kept as a draft", operation: index, kind: operation.kind,
                id: operation.id, field: "athlete")
        }
        guard change.family.member(owner)?.role == .athlete else {
            throw Rejection(
                .unknownReference, "\(label): this athlete is not in the family. What you entered is kept as a draft", operation: index,
                kind: operation.kind, id: operation.id, field: "athlete")
        }
        return owner
    }

    func check(
        _ action: AccessAction, _ operation: Operation, _ index: Int, owner: Identifier?, author: Identifier,
        patch: FieldPatch? = nil, _ change: PendingChange
    ) throws {
        var access = Access(actor: change.actor, kind: operation.kind, action: action, owner: owner, author: author, subject: operation.id)
        if let patch { access.fields = patch.assignments.map(\.field) + patch.setEdits.map(\.field) }
        if let owner, change.actor.role == .parent { access.ownerAllowsParents = parentAccess(of: owner, change.family, at: change.at) }
        // Only the own profile asks for it, and it takes a look at the calendar.
        if operation.kind == .member { access.actorAge = age(of: change.actor.member, change.family, at: change.at) }
        try Permission.check(access, operation: index, id: operation.id)
    }

    /// What parents may do with an athlete's records: as the athlete says, from 16 on.
    private func parentAccess(of athlete: Identifier, _ family: FamilyState, at: Int64) -> ParentAccess {
        // The setting is seldom `view`; the calendar is asked only then.
        guard let member = family.members[athlete], member.parentAccess == .view else { return .edit }
        return Age.parentAccess(member.parentAccess, age: age(of: athlete, family, at: at))
    }

    /// Whole years by the family's zone; `nil` when the birth date or the zone is not known.
    func age(of member: Identifier, _ family: FamilyState, at: Int64) -> Int? {
        environment.age(born: family.members[member]?.born, zone: family.zone, at: at)
    }

    /// Checks that what a patch begins to refer to lives in this family.
    ///
    /// - Returns: these records as they are now, by id.
    func resolve(
        _ references: [Merge.Reference], _ operation: Operation, _ index: Int, _ change: PendingChange
    ) throws -> [Identifier: Record] {
        var targets: [Identifier: Record] = [:]
        for reference in references {
            guard let found = try records.find(family: change.family.key, reference.id)?.record, found.kind == reference.kind,
                !found.isDeleted
            else {
                let field = operation.kind.declaration.fields[reference.field]
                throw Rejection(
                    .unknownReference,
                    "\(field.label): this \(reference.kind.declaration.label.lowercased()) is not there any more. "
                        + "Nothing was changed",
                    operation: index, kind: operation.kind, id: operation.id, field: field.name)
            }
            targets[reference.id] = found
        }
        return targets
    }
}

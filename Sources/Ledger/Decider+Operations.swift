import Bytes
package import Family

// One operation of a mutation.
extension Decider {
    package func apply(_ asked: Operation, _ index: Int) throws {
        var operation = asked
        try Validation.canonicalize(&operation, index: index, environment: environment.rules)
        try refuseRemoved(operation.id, operation, index)
        switch operation.action {
        case .create(let athlete, let patch): try create(operation, index, athlete: athlete, patch)
        case .update(let base, let merge, let patch): try update(operation, index, base: base, merge: merge, patch)
        case .delete(let base): try delete(operation, index, base: base)
        case .restore(let base): try restore(operation, index, base: base)
        case .shift(let base, let days): try shift(operation, index, base: base, days: Int(days))
        case .copy(let source, let days): try copy(operation, index, from: source, days: Int(days))
        }
    }

    private func create(_ operation: Operation, _ index: Int, athlete: Identifier?, _ patch: FieldPatch) throws {
        let kind = operation.kind
        let owner = kind.declaration.scope == .athlete ? try owner(athlete, operation, index) : nil
        try check(.create, operation, index, owner: owner, author: actor.member, patch: patch)
        let empty = Fields(kind)
        let targets = try resolve(Merge.introduced(by: patch, to: empty), operation, index)
        var fields = Merge.apply(patch, to: empty, resolve: { targets[$1]?.asSetElement }).fields
        keepNames(&fields, from: empty, targets)
        Validation.applyDefaults(&fields, environment: environment.rules) {
            RuleContext(member: actor.member, now: at, zone: family.zone, targets: targets)
        }
        try insert(operation.id, owner: owner, fields, operation, index)
    }

    private func update(_ operation: Operation, _ index: Int, base: Int64, merge: MergeMode, _ patch: FieldPatch) throws {
        let subject = try subject(of: operation, index)
        var current = subject.current
        try check(.update, operation, index, owner: current.athlete, author: current.createdBy, patch: patch)
        guard !current.isDeleted else { throw conflict(subject, [], operation, index) }
        if !isCurrent(base, subject) {
            try checkStale(subject, base: effectiveBase(base, of: current.id), merge: merge, patch, operation, index)
            didMerge(from: base, current.id)
        }
        let targets = try resolve(Merge.introduced(by: patch, to: current.fields), operation, index)
        var fields = Merge.apply(patch, to: current.fields, resolve: { targets[$1]?.asSetElement }).fields
        keepNames(&fields, from: current.fields, targets)
        guard fields != current.fields else { return }
        try Validation.check(fields, operation: index, id: operation.id, environment: environment.rules)
        try write(&current, fields, operation, index)
    }

    private func delete(_ operation: Operation, _ index: Int, base: Int64) throws {
        let subject = try subject(of: operation, index)
        let current = subject.current
        try check(.delete, operation, index, owner: current.athlete, author: current.createdBy)
        guard !current.isDeleted, isCurrent(base, subject) else { throw conflict(subject, [], operation, index) }
        try remove(current, operation, index)
    }

    private func restore(_ operation: Operation, _ index: Int, base: Int64) throws {
        let subject = try subject(of: operation, index)
        let current = subject.current
        try check(.restore, operation, index, owner: current.athlete, author: current.createdBy)
        if !current.isDeleted, subject.committed?.isDeleted == true {
            throw Rejection(
                .invalid,
                "This \(operation.kind.declaration.label.lowercased()) is restored earlier in the same change. Leave out the second restore",
                operation: index, kind: operation.kind, id: operation.id)
        }
        guard current.isDeleted, isCurrent(base, subject) else { throw conflict(subject, [], operation, index) }
        try bringBack(current, operation, index)
    }

    // MARK: The record that an operation names

    /// A record as this mutation left it, and as the family holds it without this mutation.
    struct Subject {
        var current: Record
        /// `nil` if this mutation creates the record.
        var committed: Record?
    }

    /// A tombstone past its 30 days counts as gone: snapshots no longer carry it.
    func subject(of operation: Operation, _ index: Int) throws -> Subject {
        guard let current = try view.record(operation.id), current.kind == operation.kind, isKept(current) else {
            throw Rejection.noSuchRecord(operation, index)
        }
        return Subject(current: current, committed: try view.written(current.id) == nil ? current : view.former(current.id))
    }

    /// Whether nobody but this mutation has changed a record since `base`: it is the version before the mutation, or one that the mutation
    /// itself made (semantics.md, "Batches").
    func isCurrent(_ base: Int64, _ subject: Subject) -> Bool {
        ((subject.committed?.version ?? 1)...subject.current.version).contains(effectiveBase(base, of: subject.current.id))
    }

    /// Refuses an operation on a record that this mutation has deleted, by itself or with another record.
    func refuseRemoved(_ id: Identifier, _ operation: Operation, _ index: Int) throws {
        guard isRemoved(id) else { return }
        throw Rejection(
            .invalid,
            "This \(operation.kind.declaration.label.lowercased()) is deleted earlier in the same change. "
                + "Leave out the deletion, or the operations that follow it",
            operation: index, kind: operation.kind, id: operation.id)
    }

    /// The refusal of a base that never was, of a record that this mutation creates.
    func createdEarlier(_ operation: Operation, _ index: Int) -> Rejection {
        Rejection(
            .invalid,
            "This \(operation.kind.declaration.label.lowercased()) is created earlier in the same change. "
                + "Put its values into the creation, and leave out this operation",
            operation: index, kind: operation.kind, id: operation.id)
    }

    /// Whether a record is in a snapshot: it lives, or was deleted at most 30 days ago.
    func isKept(_ record: Record) -> Bool { record.deletedAt.map { $0 > at - LedgerEnvironment.retention } ?? true }
}

extension Rejection {
    /// The one answer for an id that the family does not have, whether another family has it or not.
    static func noSuchRecord(_ operation: Operation, _ index: Int) -> Rejection {
        Rejection(.notFound, ErrorCode.notFound.sentence, operation: index, kind: operation.kind, id: operation.id)
    }
}

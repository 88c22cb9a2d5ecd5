package import Bytes
package import Family

extension SyncEngine {
    /// A record as its user sees it: confirmed, with pending mutations applied. The version is the base of a further
    /// edit: the confirmed one; while a mutation is pending, the base of that mutation; and 0 for a record that only
    /// this client has.
    package func record(_ id: Identifier) -> Record? { overlay[id] ?? confirmed[id] }

    /// A record in the server's state.
    package func confirmedRecord(_ id: Identifier) -> Record? { confirmed[id] }

    /// All records in the server's state.
    package var confirmedRecords: [Identifier: Record] { confirmed.all }

    /// The living records of a kind, as the user sees them, ordered by id.
    package func records(of kind: Kind) -> [Record] {
        var found = confirmed.all.values.filter { $0.kind == kind && overlay[$0.id] == nil && !$0.isDeleted }
        found += overlay.values.filter { $0.kind == kind && !$0.isDeleted }
        return found.sorted { $0.id < $1.id }
    }

    /// The living records of all kinds, as the user sees them, ordered by id.
    package var livingRecords: [Record] {
        var found = confirmed.all.values.filter { overlay[$0.id] == nil && !$0.isDeleted }
        found += overlay.values.filter { !$0.isDeleted }
        // The sort moves numbers instead of records.
        return found.indices.sorted { found[$0].id < found[$1].id }.map { found[$0] }
    }

    /// Whether part of this record has not been confirmed yet.
    package func isPending(_ id: Identifier) -> Bool { touchCount[id] != nil }

    /// The number of the user's own mutations that wait for the server.
    package var waitingCount: Int { pending.count { !$0.isReadingPosition } }

    /// Whether a mutation was refused and waits for its author's decision.
    package var hasDrafts: Bool { !drafts.isEmpty }

    /// Computes the shown state of a record again.
    mutating func refresh(_ id: Identifier) {
        touched.insert(id)
        guard touchCount[id] != nil else {
            overlay[id] = nil
            return
        }
        var record = confirmed[id]
        for mutation in pending {
            for operation in mutation.operations where operation.id == id { record = apply(operation, of: mutation, to: record) }
        }
        overlay[id] = record
    }

    /// Applies one more operation to the shown state.
    mutating func show(_ operation: Operation, of mutation: PendingMutation) {
        touched.insert(operation.id)
        overlay[operation.id] = apply(operation, of: mutation, to: record(operation.id))
    }

    /// Computes the shown states of all records with pending operations again.
    mutating func refreshAll() {
        overlay = [:]
        // In the order of the requests, so that a copy finds its source, and a set its element, if an earlier request
        // creates it.
        for mutation in pending {
            for operation in mutation.operations { show(operation, of: mutation) }
        }
    }

    private func apply(_ operation: Operation, of mutation: PendingMutation, to record: Record?) -> Record? {
        let author = member ?? configuration.client
        guard var record else {
            if case .copy(let from, let days) = operation.action { return copy(from, as: operation, days: days, of: mutation, by: author) }
            guard case .create(let athlete, let patch) = operation.action else { return nil }
            var fields = Fields(operation.kind)
            for (index, field) in operation.kind.declaration.fields.enumerated() { fields[index] = field.defaultValue }
            fields = Merge.apply(patch, to: fields, resolve: element).fields
            return Record(
                kind: operation.kind, id: operation.id, athlete: athlete, version: 0, createdAt: mutation.at, createdBy: author,
                updatedAt: mutation.at, updatedBy: author, fields: fields)
        }
        switch operation.action {
        case .create, .copy: return record
        case .shift(_, let days):
            guard record.kind == operation.kind, let moved = DateShift.moved(record.fields, days: days) else { return record }
            record.fields = moved
        case .update(_, _, let patch):
            guard record.kind == operation.kind else { return record }
            record.fields = Merge.apply(patch, to: record.fields, resolve: element).fields
        case .delete: record.deletedAt = mutation.at
        case .restore(let base):
            record.deletedAt = nil
            // Its author knows of the deletion, from a conflict that may have arrived before the change.
            record.version = max(record.version, base)
        }
        record.version = min(record.version, operation.base ?? 0)
        record.updatedAt = mutation.at
        record.updatedBy = author
        return record
    }

    /// The server's response contains the copied trip's items.
    private func copy(
        _ from: Identifier, as operation: Operation, days: Int, of mutation: PendingMutation, by author: Identifier
    ) -> Record? {
        guard let source = record(from), source.kind == operation.kind, let fields = DateShift.copied(source.fields, days: days) else {
            return nil
        }
        return Record(
            kind: operation.kind, id: operation.id, athlete: source.athlete, version: 0, createdAt: mutation.at, createdBy: author,
            updatedAt: mutation.at, updatedBy: author, fields: fields)
    }

    /// A provisional element of a set, until the server has filled it in.
    private func element(_ kind: Kind, _ id: Identifier) -> SetElement? {
        guard let record = record(id), record.kind == kind else { return nil }
        return record.asSetElement
    }
}

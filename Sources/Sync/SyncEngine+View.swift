package import Bytes
package import Family

extension SyncEngine {
    /// A record as its user sees it: confirmed, with what is pending applied. The version is the one that an edit of it rests on: the
    /// confirmed one, while something is pending the one that this rests on, and 0 for a record that only this client knows of.
    package func record(_ id: Identifier) -> Record? { overlay[id] ?? confirmed[id] }

    /// A record as the server has it.
    package func confirmedRecord(_ id: Identifier) -> Record? { confirmed[id] }

    /// All records as the server has them.
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
        // Numbers are moved about instead of records.
        return found.indices.sorted { found[$0].id < found[$1].id }.map { found[$0] }
    }

    /// Whether something of this record has not been confirmed yet.
    package func isPending(_ id: Identifier) -> Bool { touchCount[id] != nil }

    /// Mutations of the person's own that wait for the server; how far they have read is moved on by the program and would not be missed.
    package var waitingCount: Int {
        pending.count { $0.operations.isEmpty || $0.operations.contains { $0.kind != .readingPosition } }
    }

    /// Whether a mutation was refused and waits for its author's decision.
    package var hasDrafts: Bool { !drafts.isEmpty }

    /// Works out anew how a record looks.
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

    /// Shows one more operation on top of what is shown.
    mutating func show(_ operation: Operation, of mutation: PendingMutation) {
        touched.insert(operation.id)
        overlay[operation.id] = apply(operation, of: mutation, to: record(operation.id))
    }

    mutating func refreshAll() {
        overlay = [:]
        for id in touchCount.keys { refresh(id) }
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
            // Its author knows of the deletion, from a conflict that may have come before the change.
            record.version = max(record.version, base)
        }
        record.version = min(record.version, operation.base ?? 0)
        record.updatedAt = mutation.at
        record.updatedBy = author
        return record
    }

    /// A trip's items come with the server's answer.
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

    /// How an element of a set is shown until the server has filled it in.
    private func element(_ kind: Kind, _ id: Identifier) -> SetElement? {
        guard let record = record(id), record.kind == kind else { return nil }
        return record.asSetElement
    }
}

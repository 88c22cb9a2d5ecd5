import Bytes
import Family

// The effect of a deletion on the records that refer to the deleted one (`ReferencePolicy`), and the names that are kept for it.
extension Decider {
    /// Carries out the declared policies of all references to a record that is about to be deleted. Before the deletion itself, so
    /// that who reads the change backwards (undo) finds the record there again before the references to it.
    ///
    /// - Throws: `too_many` when it would be more than one change can hold, or than one undo could bring back.
    func letGo(of target: Record, _ operation: Operation, _ index: Int) throws {
        let limit = environment.limits.relatedRecords
        let found = try referrers(of: target, limit: limit + 1, operation, index)
        guard !found.isEmpty else { return }
        let name = target.fields.shownName
        var octets = 0
        var touched = 0
        for referrer in found {
            let field = referrer.field
            let declaration = referrer.record.kind.declaration.fields[field]
            // A record may refer twice (by a field each); the second time it has another version.
            guard var current = try view.record(referrer.record.id), !current.isDeleted else { continue }
            switch declaration.whenGone {
            case .stay: continue
            case .keep(let named):
                guard current.fields.text(named) != name, !name.isEmpty else { continue }
                var fields = current.fields
                fields[named] = .text(name)
                try write(&current, fields, operation, index)
            case .unlink:
                var fields = current.fields
                fields[field] = nil
                try write(&current, fields, operation, index)
            case .cascade:
                octets += environment.octets(current.fields) + Self.envelopeOctets
                try remove(current, operation, index)
            }
            touched += 1
            guard touched <= limit, octets <= environment.limits.changeOctets else {
                throw Rejection(
                    .tooMany,
                    "This \(target.kind.declaration.label.lowercased()) has too many related records to delete in one change: delete some of them first. "
                        + "Nothing was changed",
                    operation: index, kind: target.kind, id: target.id)
            }
        }
    }

    /// The living records that refer to one, in the order in which they were created. Engines keep them in different orders, and the order
    /// goes into the log.
    ///
    /// - Throws: `too_many` if they hold more octets than the mutation may still read.
    func referrers(of target: Record, limit: Int, _ operation: Operation, _ index: Int) throws -> [Referrer] {
        let found = try view.referrers(of: target, limit: limit, &budget)
        guard !budget.isSpent else { throw tooLarge(target, operation, index) }
        return found.sorted { ($0.record.createdAt, $0.record.id) < ($1.record.createdAt, $1.record.id) }
    }

    /// Octets of a record in a `change` frame besides its fields: ids, times, version and their keys.
    static let envelopeOctets = 512

    private func tooLarge(_ target: Record, _ operation: Operation, _ index: Int) -> Rejection {
        let label = target.kind.declaration.label.lowercased()
        return Rejection(
            .tooMany,
            "The texts in this \(label) have more than \(ByteCount.text(Int64(environment.limits.relatedOctets))) "
                + "in total, the limit of one change. Shorten or delete some of them first.",
            operation: index, kind: operation.kind, id: operation.id)
    }

    /// Fills in what the targets of references are called, where a field keeps that, for references that `patch` assigned.
    func keepNames(_ fields: inout Fields, from current: Fields, _ targets: [Identifier: Record]) {
        for (index, declaration) in fields.kind.declaration.fields.enumerated() {
            guard case .keep(let named) = declaration.whenGone, fields[index] != current[index] else { continue }
            guard case .reference(let id)? = fields[index] else {
                fields[named] = nil
                continue
            }
            guard let target = targets[id] else { continue }
            let name = target.fields.shownName
            fields[named] = name.isEmpty ? nil : .text(name)
        }
    }

    /// Drops the references of a restored record whose targets have been deleted in the meantime.
    ///
    /// - Returns: its fields without the references that end with their targets.
    /// - Throws: `unknown_reference` when it cannot be without one of them.
    func livingReferences(of record: Record, _ operation: Operation, _ index: Int) throws -> Fields {
        var fields = record.fields
        for (place, declaration) in record.kind.declaration.fields.enumerated() {
            guard declaration.whenGone == .unlink || declaration.whenGone == .cascade, case .reference(let id)? = fields[place],
                case .reference(let kind) = declaration.type
            else { continue }
            if let target = try view.record(id), !target.isDeleted { continue }
            guard declaration.whenGone == .unlink else {
                throw Rejection(
                    .unknownReference,
                    "The \(kind.declaration.label.lowercased()) of this \(record.kind.declaration.label.lowercased()) was deleted: "
                        + "restore that first. Nothing was changed",
                    operation: index, kind: record.kind, id: record.id, field: declaration.name)
            }
            fields[place] = nil
        }
        return fields
    }
}

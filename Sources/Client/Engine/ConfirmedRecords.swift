internal import Bytes
internal import Family

/// The records as the server has confirmed them: a snapshot and the changes after it, nothing else.
struct ConfirmedRecords: Sendable {
    private(set) var all: [Identifier: Record] = [:]

    init() {}

    init(_ records: [Record]) {
        all.reserveCapacity(records.count)
        for record in records { all[record.id] = record }
    }

    subscript(id: Identifier) -> Record? { all[id] }

    /// Applies one change, all or nothing.
    ///
    /// Old messages are not in a snapshot (they are paged), so a change of a message that is not held is passed over.
    ///
    /// - Throws: `.diverged` when the change does not continue what is held.
    mutating func apply(_ change: Change) throws(SyncFault) {
        var touched: [Identifier: Record] = [:]
        for entry in change.entries {
            let held = touched[entry.id] ?? all[entry.id]
            if let record = try Self.record(after: entry, of: change, held: held) { touched[entry.id] = record }
        }
        all.merge(touched) { _, new in new }
    }

    private static func record(after entry: ChangeEntry, of change: Change, held: Record?) throws(SyncFault) -> Record? {
        if case .create(let athlete, let fields) = entry.effect {
            guard held == nil, fields.kind == entry.kind else { throw .diverged(entry.id) }
            return Record(
                kind: entry.kind, id: entry.id, athlete: athlete, version: entry.version, createdAt: change.at, createdBy: change.member,
                updatedAt: change.at, updatedBy: change.member, fields: fields)
        }
        guard var record = held else {
            if case .restore(let athlete, let fields, let createdAt, let createdBy) = entry.effect, fields.kind == entry.kind {
                // The whole record travels, so nothing has to be held (its tombstone may have been older than the snapshot).
                return Record(
                    kind: entry.kind, id: entry.id, athlete: athlete, version: entry.version, createdAt: createdAt,
                    createdBy: createdBy, updatedAt: change.at, updatedBy: change.member, fields: fields)
            }
            guard entry.kind == .message else { throw .diverged(entry.id) }
            return nil
        }
        guard record.kind == entry.kind, record.version == entry.version - 1 else { throw .diverged(entry.id) }
        switch entry.effect {
        case .create: break
        case .update(let assignments):
            for assignment in assignments where record.fields.values.indices.contains(assignment.field) {
                record.fields[assignment.field] = assignment.value
            }
        case .delete: record.deletedAt = change.at
        case .restore(let athlete, let fields, _, _):
            guard fields.kind == record.kind else { throw .diverged(entry.id) }
            record.athlete = athlete
            record.fields = fields
            record.deletedAt = nil
        }
        record.version = entry.version
        record.updatedAt = change.at
        record.updatedBy = change.member
        return record
    }
}

internal import Bytes
internal import Family

/// The records as the server has confirmed them: only a snapshot and the changes after it.
struct ConfirmedRecords: Sendable {
    private(set) var all: [Identifier: Record] = [:]
    /// The checksum of the records in `all`.
    private var held = StateChecksum()
    /// The checksum of the family's records that are not in `all` (old messages, unknown kinds); `nil` if no server has
    /// reported it.
    private(set) var unsent: StateChecksum?

    init() {}

    /// - Parameter unsent: the checksum of the records that `records` leaves out.
    init(_ records: [Record], unsent: StateChecksum?) {
        all.reserveCapacity(records.count)
        for record in records { all[record.id] = record }
        held = StateChecksum(all.values)
        self.unsent = unsent
    }

    /// The checksum of all records of the family, as known to this client; `nil` if it does not know the checksum of
    /// the records that it does not hold.
    var checksum: StateChecksum? { unsent.map { held + $0 } }

    subscript(id: Identifier) -> Record? { all[id] }

    /// Applies one change, all or nothing.
    ///
    /// Old messages are not in a snapshot (they are paged), so a change of a message that is not held is ignored.
    ///
    /// The checksum follows: for a held record it uses the version that the record had here, so that a missed change is
    /// detected; for another record it uses the version that the entry implies.
    ///
    /// - Throws: `.diverged` if the change does not continue the held records.
    mutating func apply(_ change: Change) throws(SyncFault) {
        var touched: [Identifier: Record] = [:]
        var unsent = unsent.map { $0 + change.unknown }
        for entry in change.entries {
            let held = touched[entry.id] ?? all[entry.id]
            if let record = try Self.record(after: entry, of: change, held: held) {
                touched[entry.id] = record
            } else {
                unsent?.replace(entry)
            }
        }
        for (id, record) in touched { held.replace(all.updateValue(record, forKey: id), with: record) }
        self.unsent = unsent
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
                // The frame contains the whole record, so it need not be held (its tombstone may have been older than
                // the snapshot).
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

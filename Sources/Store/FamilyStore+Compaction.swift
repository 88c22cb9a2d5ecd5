import Family
import Wire

// Compaction of values that were replaced more than `Limits.historyAge` ago. The log and the history permanently keep
// who changed which record when. Of the values, the log keeps those that the record still has, so that records match
// their log (`StoreCheck`).
extension FamilyStore {
    /// The number of rows of the log that one portion reads, and the octets of frames after which it ends: some
    /// milliseconds.
    private static let rowsInPortion = 256
    private static let octetsOfPortion = 262_144

    /// Removes replaced values from the oldest rows of the log that are not compacted yet. Runs in the caller's
    /// transaction.
    ///
    /// A client that resumes from below the family's floor loads a snapshot, so no client receives a compacted frame.
    ///
    /// - Parameter limit: changes at or after this time stay complete, UTC milliseconds.
    /// - Returns: whether there may be more to do now.
    func compact(before limit: Int64) throws -> Bool {
        var rows: [LogScanRow] = []
        var octets = 0
        try log.uncompacted { row in
            // Rows that a running import has added belong to no family yet.
            guard row.at < limit, importing?.key != row.family else { return false }
            rows.append(row)
            octets += row.frame.count
            return rows.count < Self.rowsInPortion && octets < Self.octetsOfPortion
        }
        guard let last = rows.last else { return false }
        for row in rows { try compact(row.frame, family: row.family, sequence: row.sequence) }
        try log.setCompacted(upTo: last.position)
        return rows.count == Self.rowsInPortion || octets >= Self.octetsOfPortion
    }

    private func compact(_ frame: [UInt8], family: Int64, sequence: Int64) throws {
        // `huddled check` reports a row that cannot be read; it stays as it is.
        guard var change = LogCodec.decode(frame) else { return }
        var isShorter = false
        var freed = 0
        for place in change.entries.indices {
            let entry = change.entries[place]
            if try change.entries[place].keepOnly(record(family: family, entry.id)) { isShorter = true }
            if case .update = entry.effect { freed += try history.forgetValues(family: family, entry.id, version: entry.version) }
        }
        if isShorter {
            let short = LogCodec.encode(change)
            try log.replace(family: family, sequence: sequence, frame: short, outline: LogRow.outline(change, short))
            freed += frame.count - short.count
        }
        guard isShorter || freed > 0 else { return }
        try families.raiseFloor(family: family, to: sequence)
        try families.free(family: family, octets: freed)
        forgetFamily(key: family)
    }
}

extension ChangeEntry {
    /// Drops values that the record no longer has.
    ///
    /// - Parameter record: the current record; `nil`: it was purged, and its values are already blank.
    /// - Returns: whether there were any.
    fileprivate mutating func keepOnly(_ record: Record?) -> Bool {
        guard let record else { return false }
        func kept(_ fields: Fields) -> Fields {
            var kept = fields
            for field in fields.values.indices where fields[field] != record.fields[field] { kept[field] = nil }
            return kept
        }
        switch effect {
        case .create(let athlete, let fields):
            let short = kept(fields)
            effect = .create(athlete: athlete, fields: short)
            return short != fields
        case .restore(let athlete, let fields, let createdAt, let createdBy):
            let short = kept(fields)
            effect = .restore(athlete: athlete, fields: short, createdAt: createdAt, createdBy: createdBy)
            return short != fields
        case .update(let assignments):
            let short = assignments.filter { record.fields[$0.field] == $0.value }
            effect = .update(short)
            return short.count < assignments.count
        case .delete: return false
        }
    }
}

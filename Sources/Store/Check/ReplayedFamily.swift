import Bytes
import Family
import Wire

/// A family as its log makes it, by the simplest way to apply changes, for comparison with the tables.
struct ReplayedFamily {
    private(set) var sequence: Int64 = 0
    private(set) var records: [Identifier: Record] = [:]
    private(set) var checksum = StateChecksum()

    /// - Returns: a contradiction, in words; `nil` if there is none.
    mutating func apply(_ change: Change) -> String? {
        var fault: String?
        if change.sequence != sequence + 1 { fault = "after change \(sequence) comes change \(change.sequence)" }
        sequence = change.sequence
        for entry in change.entries {
            let before = records[entry.id]
            defer { checksum.replace(before, with: records[entry.id]) }
            let former = before?.version ?? 0
            if entry.version != former + 1 { fault = "change \(change.sequence) makes version \(entry.version) of a record out of version \(former)" }
            switch entry.effect {
            case .create(let athlete, let fields):
                records[entry.id] = Record(
                    kind: entry.kind, id: entry.id, athlete: athlete, version: entry.version, createdAt: change.at, createdBy: change.member,
                    updatedAt: change.at, updatedBy: change.member, fields: fields)
                continue
            case .update(let assignments):
                for assignment in assignments { records[entry.id]?.fields[assignment.field] = assignment.value }
            case .delete: records[entry.id]?.deletedAt = change.at
            case .restore: records[entry.id]?.deletedAt = nil
            }
            records[entry.id]?.version = entry.version
            records[entry.id]?.updatedAt = change.at
            records[entry.id]?.updatedBy = change.member
        }
        return fault
    }

    /// Removes a record.
    ///
    /// - Returns: the difference from the table, in words.
    mutating func compare(_ stored: Record) -> Difference? {
        guard var expected = records.removeValue(forKey: stored.id) else { return .unknown }
        // The values of a deleted record are blanked step by step after 30 days.
        if stored.isDeleted { expected.fields = stored.fields }
        if expected == stored { return nil }
        if expected.version != stored.version { return .differs("it has version \(stored.version), the log makes version \(expected.version)") }
        if expected.isDeleted != stored.isDeleted { return .differs("only one of the two says that it was deleted") }
        for index in expected.fields.values.indices where expected.fields[index] != stored.fields[index] {
            return .differs("'\(stored.kind.declaration.fields[index].name)' is another")
        }
        return .differs("its owner, authors or times differ")
    }

    enum Difference {
        case unknown
        case differs(String)
    }
}

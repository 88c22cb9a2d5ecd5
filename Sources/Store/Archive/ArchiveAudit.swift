import Bytes
import Family
import Wire

/// Checks whether the rows of an archive agree: its log leads to its records, and its history has the values that the
/// log replaced.
///
/// Digests only show that nobody changed the archive by accident. If the records and the log of a family differed, a
/// client that joins would see other values than a client that resumes, so such a family is refused before anybody sees
/// it.
///
/// Values are compared by hashes that nobody outside of this process can predict, so that a family costs some hundred
/// octets of memory per record, whatever its content.
struct ArchiveAudit {
    /// The known state of a record after a change.
    private struct State: Equatable {
        var kind: Kind
        var version: Int64
        var athlete: Identifier?
        var updatedAt: Int64
        var updatedBy: Identifier
        var deletedAt: Int64?
        /// The hash of each field's value, in the order of the declaration.
        var fields: [Int]

        init(_ record: Record) {
            kind = record.kind
            version = record.version
            athlete = record.athlete
            updatedAt = record.updatedAt
            updatedBy = record.updatedBy
            deletedAt = record.deletedAt
            fields = record.fields.values.map(\.hashValue)
        }
    }

    private var records: [Identifier: State] = [:]
    /// Records whose purge had begun: some of their values are blank.
    private var blank: Set<Identifier> = []
    private var states: [Identifier: State] = [:]
    /// Versions of records that the log names and the records do not: purged ones, of which nothing else is left.
    private var gone: [Identifier: Int64] = [:]
    /// The number of versions of each record in the history.
    private var replaced: [Identifier: Int64] = [:]

    mutating func add(_ row: ArchiveRow) throws(ArchiveError) {
        switch row {
        case .record(let record):
            records[record.id] = State(record)
            if record.isDeleted, record.fields.values.allSatisfy({ $0 == nil }) { blank.insert(record.id) }
        case .change(let change): try follow(change)
        case .replaced(let row): try check(row)
        case .purged(let purged):
            guard gone.removeValue(forKey: purged.id) != nil else { throw .inconsistent("it names a purged record that never existed") }
        case .client, .receipt, .person, .access, .file: break
        }
    }

    private mutating func follow(_ row: ArchiveRow.Change) throws(ArchiveError) {
        guard let change = LogCodec.decode(row.frame), change.at == row.at else {
            throw .inconsistent("a row of the log is not a change")
        }
        guard row.messages == Int64(change.entries.count { $0.isNewMessage }) else {
            throw .inconsistent("its log miscounts messages")
        }
        for entry in change.entries { try follow(entry, change) }
    }

    private mutating func follow(_ entry: ChangeEntry, _ change: Change) throws(ArchiveError) {
        guard records[entry.id] != nil else {
            guard entry.version == (gone[entry.id] ?? 0) + 1 else { throw .inconsistent("a version of a record is missing in its log") }
            gone[entry.id] = entry.version
            return
        }
        guard entry.version == (states[entry.id]?.version ?? 0) + 1 else { throw .inconsistent("a version of a record is missing in its log") }
        switch entry.effect {
        case .create(let athlete, let fields):
            guard entry.version == 1 else { throw .inconsistent("a record is created twice") }
            states[entry.id] = State(
                Record(
                    kind: entry.kind, id: entry.id, athlete: athlete, version: 1, createdAt: change.at, createdBy: change.member,
                    updatedAt: change.at, updatedBy: change.member, fields: fields))
        case .update(let assignments):
            for assignment in assignments { states[entry.id]?.fields[assignment.field] = assignment.value.hashValue }
        case .delete: states[entry.id]?.deletedAt = change.at
        case .restore(let athlete, let fields, _, _):
            states[entry.id]?.athlete = athlete
            states[entry.id]?.deletedAt = nil
            states[entry.id]?.fields = fields.values.map(\.hashValue)
        }
        guard states[entry.id]?.kind == entry.kind else { throw .inconsistent("a record changes before it is created, or its kind") }
        states[entry.id]?.version = entry.version
        states[entry.id]?.updatedAt = change.at
        states[entry.id]?.updatedBy = change.member
    }

    private mutating func check(_ row: ArchiveRow.Replaced) throws(ArchiveError) {
        guard let record = records[row.record], row.version > 1, row.version <= record.version else {
            throw .inconsistent("its history has versions that never existed")
        }
        if let before = row.before, (try? FormerValues.decode(record.kind, before)) == nil {
            throw .inconsistent("its history cannot be read")
        }
        replaced[row.record, default: 0] += 1
    }

    /// Checks the whole after the last row.
    func finish() throws(ArchiveError) {
        guard gone.isEmpty else { throw .inconsistent("a record of its log is missing") }
        for (id, record) in records {
            guard let state = states[id] else { throw .inconsistent("a record is not in its log") }
            if blank.contains(id) {
                guard state.version == record.version, state.deletedAt == record.deletedAt else {
                    throw .inconsistent("a record differs from its log")
                }
                continue
            }
            guard state == record else { throw .inconsistent("a record differs from its log") }
            // Rows are in order and none is there twice, so their number shows whether one is missing.
            guard replaced[id] ?? 0 == record.version - 1 else { throw .inconsistent("a version of a record is missing in its history") }
        }
    }
}

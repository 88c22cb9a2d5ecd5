package import Bytes
import Family
import SQLite
import Wire

// What ends with time: receipts, invites, sessions, deleted records, the access log. In portions, each a transaction of its own of
// some milliseconds at most, between which other writes are done.
extension Store {
    /// What one round of purging goes through.
    enum PurgeStep: Equatable {
        case receipts
        case people
        case accesses
        /// Deleted records of the families after this key.
        case records(after: Int64)
        /// Values that were replaced long ago.
        case history
    }

    /// Receipts that one portion forgets at most.
    private static let receiptsInPortion = 1_000
    /// Entries of the access log that one portion looks at.
    private static let accessesInPortion = 1_000
    /// Families that one portion looks through for deleted records.
    static let familiesInPortion = 200
    /// Frames of the log that one portion blanks at most, and octets of them after which it ends.
    static let framesInPortion = 16
    static let octetsInPortion = 65_536

    /// Does one portion of what time has come for; the next call goes on where this one ended. Call it now and then, again until a round is
    /// finished.
    ///
    /// - Returns: what was done now, what could not be read, and whether it ended a round. A full disk ends it, too.
    package func maintain() throws(StoreFailure) -> (purged: Purged, damaged: [DamagedRow], isFinished: Bool) {
        let now = environment.now()
        let step = purgeStep
        damagedRows = []
        let outcome = try transaction { () -> (Purged, PurgeStep?) in
            var purged = Purged()
            switch step {
            case .receipts:
                purged.receipts = try receipts.purge(before: now - Self.retention, count: Self.receiptsInPortion)
                return (purged, purged.receipts < Self.receiptsInPortion ? .people : .receipts)
            case .people:
                purged.invites = try people.purgeInvites(at: now)
                _ = try shares.purge(before: now - ShareTable.retention, count: Self.receiptsInPortion)
                purged.sessions = try people.purgeSessions(unusedSince: now - SessionToken.life, count: Self.receiptsInPortion)
                return (purged, purged.sessions < Self.receiptsInPortion ? .accesses : .people)
            case .accesses:
                let limit = now - AccessLogTable.retention
                purged.accesses = try accessLog.purge(before: limit, count: Self.accessesInPortion)
                return (purged, purged.accesses < Self.accessesInPortion ? .records(after: 0) : .accesses)
            case .records(let after):
                let (records, next) = try purgeRecords(after: after, deletedBefore: now - Self.retention)
                purged.records = records
                return (purged, next.map { .records(after: $0) } ?? .history)
            case .history:
                let hasMore = try compact(before: now - Int64(environment.limits.historyAge))
                return (purged, hasMore ? .history : nil)
            }
        }
        // Floors of clients have changed.
        if step == .receipts { forgetClients() }
        guard case .done((let purged, let next)) = outcome else {
            purgeStep = .receipts
            return (Purged(), [], true)
        }
        purgeStep = next ?? .receipts
        return (purged, damagedRows, next == nil)
    }

    // MARK: Deleted records

    /// - Returns: how many records are gone now, and the family after which the next portion goes on; `nil` when there is none.
    private func purgeRecords(after: Int64, deletedBefore limit: Int64) throws -> (records: Int, next: Int64?) {
        let due = try purges.nextDue(afterFamily: after, deletedBefore: limit, families: Self.familiesInPortion)
        if due.isDamaged { try noteDamage(.record(due.row?.record.id), family: due.family) }
        guard let row = due.row else { return (0, due.lastFamily) }
        let isDone = try purge(row, family: due.family)
        // Again from the same family: it may have more.
        return (isDone ? 1 : 0, due.family - 1)
    }

    /// Blanks the values of one deleted record in the log, the oldest first, and at last forgets the record.
    ///
    /// - Returns: whether nothing is left of it but its name among the purged.
    private func purge(_ row: RecordRow, family: Int64) throws -> Bool {
        let record = row.record
        let changes = try purges.changes(family: family, record.id, limit: Self.framesInPortion)
        if let deletion = try purges.lastChange(family: family, record.id) { try purges.raiseFloor(family: family, to: deletion) }
        // Whoever resumes from below the floor gets everything anew, and so never one of the blank frames.
        forgetFamily(key: family)
        var octets = 0
        if let created = try purges.creation(of: row.row) {
            octets += try blank(record.id, family: family, sequence: created)
            try purges.forgetValues(of: row.row)
        }
        if record.kind == .document { try forgetFile(of: record, row.row, family: family) }
        for change in changes {
            octets += try blank(record.id, family: family, sequence: change.sequence)
            try purges.deleteHistory(row: change.row, family: family)
            if octets >= Self.octetsInPortion { return false }
        }
        guard changes.count < Self.framesInPortion else { return false }
        try purges.finish(row, family: family)
        if record.kind == .member { try people.forgetBirth(family: family, member: record.id) }
        return true
    }

    /// The file of a purged document is not its any more, and its links are forgotten. Once, as long as the values are there.
    private func forgetFile(of document: Record, _ row: Int64, family: Int64) throws {
        try shares.forget(family: family, document: document.id)
        guard let sha256 = document.fields.text("sha256") else { return }
        try blobs.release(family: family, sha256: sha256, at: environment.now())
        try purges.forgetValues(of: row)
    }

    /// Takes the values of a record out of a frame. A frame that cannot be read is noted and stays as it is: one damaged row must not end the
    /// process, at each start again, for every family.
    ///
    /// - Returns: the octets of the frame.
    private func blank(_ id: Identifier, family: Int64, sequence: Int64) throws -> Int {
        guard let frame = try log.frame(family: family, sequence: sequence) else { return 0 }
        guard case .change(var change) = try? frame.withUnsafeBytes({ raw throws(Rejection) in try ServerFrame.decode(raw) }) else {
            try noteDamage(.change(sequence), family: family)
            return frame.count
        }
        for place in change.entries.indices where change.entries[place].id == id {
            change.entries[place].blank()
        }
        let blank = ServerFrame.change(change).encode()
        try log.replace(family: family, sequence: sequence, frame: blank, change)
        try purges.free(family: family, octets: frame.count - blank.count)
        return frame.count
    }

    private func noteDamage(_ row: DamagedRow.Row, family: Int64) throws {
        damagedRows.append(DamagedRow(family: try purges.family(family), row: row))
    }
}

/// A row that purging could not read. `huddled check` reports it as well.
package struct DamagedRow: Hashable, Sendable {
    package enum Row: Hashable, Sendable {
        /// A change, by its sequence: it was left as it is.
        case change(Int64)
        /// A deleted record. Where only its fields are damaged it was purged, but for the file of a document; `nil`: it was left as it is, because
        /// not even its id can be read.
        case record(Identifier?)
    }

    /// `nil` when its row cannot be read either.
    package var family: Identifier?
    package var row: Row
}

extension ChangeEntry {
    /// Leaves that something happened to the record, and no value of it.
    mutating func blank() {
        switch effect {
        case .create(let athlete, _): effect = .create(athlete: athlete, fields: Fields(kind))
        case .update: effect = .update([])
        case .restore(let athlete, _, let createdAt, let createdBy):
            effect = .restore(athlete: athlete, fields: Fields(kind), createdAt: createdAt, createdBy: createdBy)
        case .delete: break
        }
    }
}

/// The writer's statements for purging records. They run seldom, so they are compiled when they are used.
final class PurgeTable {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// The first deleted record whose time has come, of the next families in order of their keys.
    ///
    /// - Returns: the record, without fields when these are damaged, and its family; without a record, the last family that was looked at, `nil` when
    ///   there is none.
    func nextDue(
        afterFamily: Int64, deletedBefore limit: Int64, families: Int
    ) throws -> (row: RecordRow?, isDamaged: Bool, family: Int64, lastFamily: Int64?) {
        let find = try database.prepare(
            """
            SELECT f.key, (SELECT r.row FROM records r WHERE r.family = f.key AND r.deleted_at IS NOT NULL AND r.deleted_at <= ?2
                ORDER BY r.deleted_at LIMIT 1)
            FROM families f WHERE f.key > ?1 ORDER BY f.key LIMIT ?3
            """)
        find.bind(1, afterFamily)
        find.bind(2, limit)
        find.bind(3, Int64(families))
        var last: Int64?
        var found: Int64?
        var count = 0
        defer { find.reset() }
        while found == nil, try find.step() {
            last = find.int64(0)
            found = find.optionalInt64(1)
            count += 1
        }
        guard let found, let family = last else { return (nil, false, 0, count == families ? last : nil) }
        if let row = try row(found, RecordTable.columns) { return (row, false, family, nil) }
        let bare = RecordTable.columns.replacing("fields", with: "CAST('{}' AS BLOB)")
        return (try row(found, bare), true, family, family)
    }

    /// - Returns: `nil` when the row cannot be read.
    private func row(_ row: Int64, _ columns: String) throws -> RecordRow? {
        let read = try database.prepare("SELECT \(columns) FROM records WHERE row = ?")
        read.bind(1, row)
        do { return try read.one(RecordTable.decode) } catch is StoreFailure { return nil }
    }

    func family(_ key: Int64) throws -> Identifier? {
        let find = try database.prepare("SELECT uuid FROM families WHERE key = ?")
        find.bind(1, key)
        return try find.one { try $0.identifier(0) }
    }

    /// The changes of a record that are still in history, oldest first.
    func changes(family: Int64, _ id: Identifier, limit: Int) throws -> [(row: Int64, sequence: Int64)] {
        let list = try database.prepare("SELECT row, seq FROM history WHERE family = ? AND record = ? ORDER BY version LIMIT ?")
        list.bind(1, family)
        list.bind(2, id)
        list.bind(3, Int64(limit))
        return try list.all { ($0.int64(0), $0.int64(1)) }
    }

    /// The sequence of the last change of a record: of its deletion.
    func lastChange(family: Int64, _ id: Identifier) throws -> Int64? {
        let find = try database.prepare("SELECT seq FROM history WHERE family = ? AND record = ? ORDER BY version DESC LIMIT 1")
        find.bind(1, family)
        find.bind(2, id)
        return try find.one { $0.int64(0) }
    }

    func raiseFloor(family: Int64, to sequence: Int64) throws {
        try database.run("UPDATE families SET floor = max(floor, ?) WHERE key = ?", .integer(sequence), .integer(family))
    }

    /// The sequence that created a record, until `forgetValues`.
    func creation(of row: Int64) throws -> Int64? {
        let find = try database.prepare("SELECT created_seq FROM records WHERE row = ? AND created_seq > 0")
        find.bind(1, row)
        return try find.one { $0.int64(0) }
    }

    func forgetValues(of row: Int64) throws {
        let columns = RecordColumn.allCases.map { ", \($0.rawValue) = NULL" }.joined()
        try database.run("UPDATE records SET created_seq = 0, fields = CAST('{}' AS BLOB)\(columns) WHERE row = ?", .integer(row))
    }

    func deleteHistory(row: Int64, family: Int64) throws {
        let find = try database.prepare("SELECT coalesce(length(before), 0) FROM history WHERE row = ?")
        find.bind(1, row)
        let octets = try find.one { $0.int64(0) } ?? 0
        try database.run("DELETE FROM history WHERE row = ?", .integer(row))
        try free(family: family, octets: Int(octets + FamilyUsage.historyOverhead))
    }

    /// Notes that log or history of a family take less.
    func free(family: Int64, octets: Int) throws {
        try database.run("UPDATE families SET freed = freed + ? WHERE key = ?", .integer(Int64(octets)), .integer(family))
    }

    func finish(_ row: RecordRow, family: Int64) throws {
        let insert = try database.prepare("INSERT OR IGNORE INTO purged (family, id, kind, deleted_at) VALUES (?, ?, ?, ?)")
        insert.bind(1, family)
        insert.bind(2, row.record.id)
        insert.bind(3, Int64(row.record.kind.rawValue))
        insert.bind(4, row.record.deletedAt ?? 0)
        try insert.run()
        try database.run("DELETE FROM records WHERE row = ?", .integer(row.row))
    }

    /// Whether a record of that id was purged.
    func isPurged(family: Int64, _ id: Identifier) throws -> Bool {
        let find = try database.prepare("SELECT 1 FROM purged WHERE family = ? AND id = ?")
        find.bind(1, family)
        find.bind(2, id)
        return try find.one { _ in true } ?? false
    }
}

@available(*, unavailable)
extension PurgeTable: Sendable {}

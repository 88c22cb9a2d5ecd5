package import Bytes
import Family
import Wire

// Purges rows that expire: receipts, invites, sessions, deleted records, the access log, the audit log. It works in
// portions, each a transaction of its own of at most some milliseconds, between which the writer does other work.
extension FamilyStore {
    /// The steps of one round of purging.
    enum PurgeStep: Equatable {
        /// Receipts of the clients after this one.
        case receipts(after: ClientMark)
        case people
        /// The access log of the families after this key.
        case accesses(after: Int64)
        /// The audit log of the families after this key.
        case audits(after: Int64)
        /// Deleted records of the families after this key.
        case records(after: Int64)
        /// Values that were replaced long ago.
        case history
        /// Families whose deletion is due.
        case erasures
        /// Remainders of erased families in free space.
        case scrubbing

        /// The first step of a round.
        static let first = receipts(after: .beginning)
    }

    /// The largest number of receipts that one portion removes.
    private static let receiptsInPortion = 1_000
    /// The number of clients that one portion searches for them, about 2 us each.
    private static let clientsInPortion = 1_000
    /// The largest number of entries of the access log, or of the audit log, that one portion removes.
    private static let accessesInPortion = 1_000
    /// The number of families that one portion searches for deleted records, or for entries of the access log or the
    /// audit log.
    static let familiesInPortion = 200
    /// The largest number of frames of the log that one portion blanks, and of their octets after which it ends.
    static let framesInPortion = 16
    static let octetsInPortion = 65_536

    /// Carries out one portion of the due maintenance; the next call continues where this one ended. Call it regularly,
    /// each time until a round is finished.
    ///
    /// - Returns: the numbers of removed things, the rows that could not be read, and whether the round ended. A full
    ///   disk ends it, too.
    package func maintain() throws(StoreFailure) -> (purged: Purged, damaged: [DamagedRow], isFinished: Bool) {
        let now = environment.now()
        let step = purgeStep
        if step == .scrubbing { return (Purged(), [], try scrub(at: now)) }
        let outcome = try transaction { _ -> (Purged, PurgeStep?) in
            damagedRows = []
            var purged = Purged()
            switch step {
            case .receipts(let after):
                let portion = try receipts.purge(
                    before: now - Self.retention, after: after, count: Self.receiptsInPortion, clients: Self.clientsInPortion)
                purged.receipts = portion.count
                return (purged, portion.isLast ? .people : .receipts(after: portion.next))
            case .people:
                purged.invites = try people.purgeInvites(at: now)
                _ = try shares.purge(before: now - StoredShareLink.retention, count: Self.receiptsInPortion)
                _ = try reminders.purgeFired(before: now - Reminder.retention, count: Self.receiptsInPortion)
                purged.sessions = try people.purgeSessions(
                    at: now, unusedSince: now - SessionToken.life, count: Self.receiptsInPortion)
                return (purged, purged.sessions < Self.receiptsInPortion ? .accesses(after: 0) : .people)
            case .accesses(let after):
                let portion = try accesses.purge(
                    before: now - AccessRow.retention, afterFamily: after, count: Self.accessesInPortion, families: Self.familiesInPortion)
                purged.accesses = portion.count
                return (purged, portion.isLast ? .audits(after: 0) : .accesses(after: portion.next))
            case .audits(let after):
                let portion = try audits.purge(
                    before: now - Audit.retention, afterFamily: after, count: Self.accessesInPortion, families: Self.familiesInPortion)
                purged.accesses = portion.count
                return (purged, portion.isLast ? .records(after: 0) : .audits(after: portion.next))
            case .records(let after):
                let (records, next) = try purgeRecords(after: after, deletedBefore: now - Self.retention)
                purged.records = records
                return (purged, next.map { .records(after: $0) } ?? .history)
            case .history:
                let hasMore = try compact(before: now - Int64(environment.limits.historyAge))
                return (purged, hasMore ? .history : .erasures)
            case .erasures: return (purged, try eraseFamilies(at: now) ? .erasures : hasToScrub() ? .scrubbing : nil)
            case .scrubbing: preconditionFailure("scrubbing is no transaction")
            }
        }
        // Floors of clients have changed.
        if case .done((let purged, _)) = outcome, purged.receipts > 0 { forgetClients() }
        guard case .done((let purged, let next)) = outcome else {
            purgeStep = .first
            return (Purged(), [], true)
        }
        purgeStep = next ?? .first
        return (purged, damagedRows, next == nil)
    }

    // MARK: Deleted records

    /// - Returns: the number of records that were removed, and the family after which the next portion continues; `nil`
    ///   if there is none.
    private func purgeRecords(after: Int64, deletedBefore limit: Int64) throws -> (records: Int, next: Int64?) {
        let (due, lastFamily) = try records.nextDue(afterFamily: after, deletedBefore: limit, families: Self.familiesInPortion)
        guard let due else { return (0, lastFamily) }
        if due.isDamaged { try noteDamage(.record(due.record?.id), family: due.family) }
        guard let record = due.record else { return (0, due.family) }
        let isDone = try purge(record, family: due.family)
        // The same family again, because it may have more.
        return (isDone ? 1 : 0, due.family - 1)
    }

    /// Blanks the values of one deleted record in the log, oldest first, and finally removes the record.
    ///
    /// - Returns: whether only its name among the purged records remains.
    private func purge(_ record: Record, family: Int64) throws -> Bool {
        let versions = try history.versions(family: family, of: record.id, limit: Self.framesInPortion)
        if let deletion = try history.lastChange(family: family, of: record.id) { try families.raiseFloor(family: family, to: deletion) }
        // A client that resumes from below the floor receives a full snapshot, and so never one of the blank frames.
        forgetFamily(key: family)
        var octets = 0
        if let created = try records.head(family: family, record.id)?.created, created > 0 {
            octets += try blank(record.id, family: family, sequence: created)
            try records.forgetValues(family: family, record.id)
        }
        if record.kind == .document { try forgetFile(of: record, family: family) }
        for (version, sequence) in versions {
            octets += try blank(record.id, family: family, sequence: sequence)
            let freed = try history.remove(family: family, record.id, version: version)
            try families.free(family: family, octets: freed + Int(FamilyUsage.historyOverhead))
            if octets >= Self.octetsInPortion { return false }
        }
        guard versions.count < Self.framesInPortion else { return false }
        try records.insertPurged(family: family, PurgedRow(id: record.id, kind: record.kind, deletedAt: record.deletedAt ?? 0))
        try records.remove(family: family, record.id)
        if record.kind == .member { try people.forgetBirth(family: family, member: record.id) }
        return true
    }

    /// Releases the file of a purged document, and removes its links. Done once, while the values are there.
    private func forgetFile(of document: Record, family: Int64) throws {
        try shares.forget(family: family, document: document.id)
        guard let sha256 = document.fields.text("sha256") else { return }
        try blobs.release(family: family, sha256: sha256, at: environment.now())
        try records.forgetValues(family: family, document.id)
    }

    /// Removes the values of a record from a frame. A frame that cannot be read is noted and stays as it is: one
    /// damaged row must not end the process at each start, for every family.
    ///
    /// - Returns: the octets of the frame.
    private func blank(_ id: Identifier, family: Int64, sequence: Int64) throws -> Int {
        guard let frame = try log.frame(family: family, sequence: sequence) else { return 0 }
        guard var change = LogCodec.decode(frame) else {
            try noteDamage(.change(sequence), family: family)
            return frame.count
        }
        for place in change.entries.indices where change.entries[place].id == id {
            change.entries[place].blank()
        }
        let blank = LogCodec.encode(change)
        try log.replace(family: family, sequence: sequence, frame: blank, outline: LogRow.outline(change, blank))
        try families.free(family: family, octets: frame.count - blank.count)
        return frame.count
    }

    private func noteDamage(_ row: DamagedRow.Row, family: Int64) throws {
        damagedRows.append(DamagedRow(family: try families.id(of: family), row: row))
    }
}

/// A row that purging could not read. `huddled check` reports it as well.
package struct DamagedRow: Hashable, Sendable {
    package enum Row: Hashable, Sendable {
        /// A change, by its sequence: it stays as it is.
        case change(Int64)
        /// A deleted record. If only its fields are damaged, it was purged except for the file of a document; `nil`: it
        /// stays as it is, because not even its id can be read.
        case record(Identifier?)
    }

    /// `nil` if its row cannot be read either.
    package var family: Identifier?
    package var row: Row
}

extension ChangeEntry {
    /// Removes all values of the record, and keeps only that a change happened.
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

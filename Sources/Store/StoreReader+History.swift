package import Bytes
import Dates
package import Family
import Ledger
package import Wire

extension StoreReader {
    /// The largest number of octets of the changes in one answer, unless one change alone is larger.
    private static let historyOctets = 196_608

    /// The changes of the family, or of one record, newest first.
    ///
    /// - Parameter member: the member who asks, and who can undo only changes that they may write.
    /// - Returns: `not_found` for a record that the family does not have or of another kind, `purged` for one that was
    ///   deleted more than 30 days ago.
    package func history(
        family: Identifier, member: Identifier, _ request: HistoryRequest
    ) throws(StoreFailure) -> Result<HistoryPage, Rejection> {
        let limit = min(max(request.limit, 1), environment.limits.pageRecords)
        return try reading {
            let key = try key(family)
            let rights = try rights(of: member, key, family)
            var page = HistoryPage(request: request.request, entries: [])
            var octets = 0
            /// False if the change belongs to the next page.
            func add(_ sequence: Int64, _ frame: [UInt8]) throws -> Bool {
                octets += frame.count
                guard page.entries.isEmpty || (page.entries.count < limit && octets <= Self.historyOctets) else {
                    page.next = page.entries.last?.sequence
                    return false
                }
                guard let change = LogCodec.decode(frame) else { throw StoreFailure("a change is damaged") }
                page.entries.append(try item(change, of: request.record?.id, key, rights))
                return true
            }

            guard let target = request.record else {
                try engine.log.newestFrames(family: key, before: request.before ?? .max, add)
                return .success(page)
            }
            guard let head = try engine.records.head(family: key, target.id), head.kind == Int64(target.kind.rawValue) else {
                return .failure(try missing(target, key))
            }
            // The clock decides, not the progress of the purge.
            guard try !isExpired(target.id, key) else { return .failure(purged(target)) }
            let before = request.before ?? .max
            for sequence in try sequences(key, target.id, created: head.created, before: before, limit: limit + 1) {
                guard let frame = try engine.log.frame(family: key, sequence: sequence) else { continue }
                if !(try add(sequence, frame)) { break }
            }
            return .success(page)
        }
    }

    /// The changes of a record before a sequence, the latest first.
    private func sequences(_ family: Int64, _ id: Identifier, created: Int64, before: Int64, limit: Int) throws -> [Int64] {
        var sequences = try engine.history.sequences(family: family, of: id, before: before, limit: limit)
        if sequences.count < limit, created > 0, created < before, sequences.last != created { sequences.append(created) }
        return sequences
    }

    /// `purged` for a record that was deleted for good, which every member of the family could have seen; `not_found`
    /// for a record that the family never had.
    private func missing(_ target: HistoryRequest.Target, _ family: Int64) throws -> Rejection {
        guard try engine.records.isPurged(family: family, target.id, kind: target.kind) else {
            return Rejection(.notFound, ErrorCode.notFound.sentence, kind: target.kind, id: target.id)
        }
        return purged(target)
    }

    private func purged(_ target: HistoryRequest.Target) -> Rejection {
        Rejection(
            .purged, "This was deleted more than 30 days ago, and its history is gone with it. Look at the history of the family instead.",
            kind: target.kind, id: target.id)
    }

    /// Whether a record was deleted 30 days ago or earlier, so that it counts as purged for every request.
    private func isExpired(_ id: Identifier, _ family: Int64) throws -> Bool {
        guard let deletedAt = try engine.records.head(family: family, id)?.deletedAt else { return false }
        return deletedAt <= environment.now() - FamilyStore.retention
    }

    /// - Parameter record: the record whose history is requested: then the rest of a batch is left out.
    private func item(_ stored: Change, of record: Identifier?, _ family: Int64, _ rights: Rights?) throws -> HistoryItem {
        var change = stored
        for place in change.entries.indices where try isExpired(change.entries[place].id, family) { change.entries[place].blank() }
        let former = try change.entries.map { entry throws in try replaced(by: entry, family) }
        let changes = zip(change.entries, former).filter { record == nil || $0.0.id == record }
            .map { HistoryItem.Change(entry: $0, before: $1 ?? []) }
        return HistoryItem(
            sequence: change.sequence, at: change.at, member: change.member, isUndoable: try isUndoable(change, former, family, rights),
            undoes: change.undoes, changes: changes)
    }

    /// The values that an update replaced, empty for other entries; `nil` if they were purged.
    private func replaced(by entry: ChangeEntry, _ family: Int64) throws -> [FieldPatch.Assignment]? {
        guard case .update(let after) = entry.effect else { return [] }
        // Blank values are purged, or about to be.
        guard !after.isEmpty else { return nil }
        guard let found = try engine.history.replaced(family: family, entry.id, version: entry.version), !found.isEmpty,
            found != FormerValues.forgotten
        else { return nil }
        return try FormerValues.decode(entry.kind, found).sorted { $0.field < $1.field }
    }

    /// A member's current rights; `nil` for a member who is not in the family.
    ///
    /// - Parameter key: the integer of the family.
    func rights(of member: Identifier, _ key: Int64, _ family: Identifier) throws -> Rights? {
        let members = try engine.records.members(family: key)
        guard let own = members[member], !own.isRemoved else { return nil }
        let zone = try record(family: key, family)?.fields.text("time_zone") ?? "UTC"
        let (environment, now) = (environment, environment.now())
        return Rights(Actor(member: member, role: own.role), members: members) { environment.age(born: $0, zone: zone, at: now) }
    }

    /// Whether no later change contradicts undoing a change, and the member who asks may do so, by the rules of the
    /// writer (`Undo`, `Permission`). Only the writer checks later values of other members in the records.
    ///
    /// - Parameters:
    ///   - former: the values that each entry replaced.
    ///   - rights: the rights of the member who asks; `nil` for none.
    private func isUndoable(
        _ change: Change, _ former: [[FieldPatch.Assignment]?], _ family: Int64, _ rights: Rights?
    ) throws -> Bool {
        guard let rights, change.entries.allSatisfy(Undo.isUndoable) else { return false }
        var created: Set<Identifier> = []
        var last: [Identifier: Int64] = [:]
        for entry in change.entries {
            last[entry.id] = entry.version
            if case .create = entry.effect { created.insert(entry.id) }
        }
        var records: [Identifier: Record] = [:]
        // The last entry comes first, as in the writer.
        for (entry, before) in zip(change.entries, former).reversed() {
            guard let before, var now = try records[entry.id] ?? record(family: family, entry.id), try !isExpired(entry.id, family) else {
                return false
            }
            // An update of a record that the undo removes anyway needs no check.
            if case .update = entry.effect, created.contains(entry.id) { continue }
            var seen = now
            seen.version = now.version == last[entry.id] ? entry.version : 0
            guard let step = try? Undo.step(entry, before: before, current: seen), rights.allow(step, of: now) else { return false }
            switch step {
            case .nothing: break
            case .delete: now.deletedAt = change.at
            case .restore: now.deletedAt = nil
            case .assign(let assignments):
                for assignment in assignments { now.fields[assignment.field] = assignment.value }
            }
            records[entry.id] = now
        }
        return true
    }
}

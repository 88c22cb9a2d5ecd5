package import Bytes
package import Family
import SQLite
package import Wire

/// The statements of history, digest and access log.
final class HistoryStatements {
    let newest: Statement
    let ofSequence: Statement
    let changesOfRecord: Statement
    let creation: Statement
    let replaced: Statement
    let accesses: Statement
    let withoutLogin: Statement
    let isPurged: Statement

    init(_ database: Database) throws(SQLiteError) {
        newest = try database.prepare("SELECT seq, frame FROM log WHERE family = ? AND seq < ? ORDER BY seq DESC")
        ofSequence = try database.prepare("SELECT frame FROM log WHERE family = ? AND seq = ?")
        changesOfRecord = try database.prepare(
            "SELECT seq FROM history WHERE family = ? AND record = ? AND seq < ? ORDER BY version DESC")
        creation = try database.prepare("SELECT kind, created_seq FROM records WHERE family = ? AND id = ?")
        replaced = try database.prepare("SELECT before FROM history WHERE family = ? AND record = ? AND version = ?")
        accesses = try database.prepare(
            """
            SELECT at, member, what, record FROM access_log WHERE family = ? AND athlete = ? AND at <= ?
            ORDER BY at DESC, row DESC LIMIT ?
            """)
        withoutLogin = try database.prepare("SELECT member FROM memberships WHERE family = ? AND person IS NULL")
        isPurged = try database.prepare("SELECT 1 FROM purged WHERE family = ? AND id = ?")
    }
}

@available(*, unavailable)
extension HistoryStatements: Sendable {}

extension StoreReader {
    /// Octets of the changes in one answer, unless one alone has more.
    private static let historyOctets = 196_608

    /// Who changed what, newest first: of the family, or of one record.
    ///
    /// - Returns: the encoded `history` frame; `not_found` for a record that the family does not have or of another kind.
    package func history(family: Identifier, _ request: HistoryRequest) throws(StoreFailure) -> Result<[UInt8], Rejection> {
        let limit = min(max(request.limit, 1), environment.limits.pageRecords)
        return try reading {
            let key = try key(family)
            var page = HistoryPage(request: request.request, entries: [])
            var octets = 0
            /// False when the change belongs to the next page.
            func add(_ sequence: Int64, _ frame: [UInt8]) throws -> Bool {
                octets += frame.count
                guard page.entries.isEmpty || (page.entries.count < limit && octets <= Self.historyOctets) else {
                    page.next = page.entries.last?.sequence
                    return false
                }
                guard case .change(let change) = try ServerFrame.decode(frame) else { throw StoreFailure("a change is damaged") }
                page.entries.append(try item(change, of: request.record?.id, key))
                return true
            }

            guard let target = request.record else {
                let newest = histories.newest
                newest.bind(1, key)
                newest.bind(2, request.before ?? .max)
                defer { newest.reset() }
                while try newest.step(), try add(newest.int64(0), newest.octets(1)) {}
                return .success(ServerFrame.history(page).encode())
            }
            histories.creation.bind(1, key)
            histories.creation.bind(2, target.id)
            let found = try histories.creation.one { ($0.int64(0), $0.int64(1)) }
            guard let (kind, created) = found, kind == Int64(target.kind.rawValue) else { return .failure(try missing(target, key)) }
            let before = request.before ?? .max
            for sequence in try sequences(key, target.id, created: created, before: before, limit: limit + 1) {
                histories.ofSequence.bind(1, key)
                histories.ofSequence.bind(2, sequence)
                guard let frame = try histories.ofSequence.one({ $0.octets(0) }) else { continue }
                if !(try add(sequence, frame)) { break }
            }
            return .success(ServerFrame.history(page).encode())
        }
    }

    /// The changes of a record before a sequence, the latest first.
    private func sequences(_ family: Int64, _ id: Identifier, created: Int64, before: Int64, limit: Int) throws -> [Int64] {
        var sequences: [Int64] = []
        let statement = histories.changesOfRecord
        statement.bind(1, family)
        statement.bind(2, id)
        statement.bind(3, before)
        defer { statement.reset() }
        while sequences.count < limit, try statement.step() {
            // A batch may change a record more than once.
            if sequences.last != statement.int64(0) { sequences.append(statement.int64(0)) }
        }
        if sequences.count < limit, created > 0, created < before, sequences.last != created { sequences.append(created) }
        return sequences
    }

    private func missing(_ target: HistoryRequest.Target, _ family: Int64) throws -> Rejection {
        Rejection(.notFound, ErrorCode.notFound.sentence, kind: target.kind, id: target.id)
    }

    /// - Parameter record: the one that history is asked of: the rest of a batch is left out then.
    private func item(_ change: Change, of record: Identifier?, _ family: Int64) throws -> HistoryItem {
        var changes: [HistoryItem.Change] = []
        for entry in change.entries where record == nil || entry.id == record {
            var before: [FieldPatch.Assignment] = []
            if case .update = entry.effect {
                histories.replaced.bind(1, family)
                histories.replaced.bind(2, entry.id)
                histories.replaced.bind(3, entry.version)
                let found = try histories.replaced.one { $0.isNull(0) ? [] : $0.octets(0) } ?? []
                if !found.isEmpty { before = try FormerValues.decode(entry.kind, found).sorted { $0.field < $1.field } }
            }
            changes.append(HistoryItem.Change(entry: entry, before: before))
        }
        return HistoryItem(
            sequence: change.sequence, at: change.at, member: change.member, isUndoable: try isUndoable(change, family), changes: changes)
    }

    /// Whether each field still holds what the change made of it, and whether what it made, deleted and restored is still as it was then
    /// (`semantics.md`, "Undo"). What the writer says when it is asked for is what counts.
    private func isUndoable(_ change: Change, _ family: Int64) throws -> Bool {
        var left: [Identifier: (version: Int64, fields: [Int: Value?], isWhole: Bool, isDeleted: Bool)] = [:]
        for entry in change.entries {
            // Roles, invites and consent.
            if entry.kind == .member, case .update = entry.effect {} else if entry.kind == .member { return false }
            var touched = left[entry.id] ?? (entry.version, [:], false, false)
            touched.version = entry.version
            switch entry.effect {
            case .create, .restore: (touched.isWhole, touched.isDeleted) = (true, false)
            case .delete: (touched.isWhole, touched.isDeleted) = (true, true)
            case .update(let assignments):
                for assignment in assignments where !entry.kind.declaration.fields[assignment.field].isServerOnly {
                    touched.fields[assignment.field] = .some(assignment.value)
                }
                if entry.kind == .member, touched.fields[Self.memberRole] != nil { return false }
            }
            left[entry.id] = touched
        }
        for (id, expected) in left {
            guard let now = try record(family: family, id) else { return false }
            guard now.isDeleted == expected.isDeleted, !expected.isWhole || now.version == expected.version else { return false }
            for (field, value) in expected.fields where now.fields[field] != value { return false }
        }
        return true
    }

    private static let memberRole = Kind.member.declaration.index(of: "role") ?? 0
}

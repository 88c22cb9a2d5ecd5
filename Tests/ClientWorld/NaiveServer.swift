package import Bytes
package import Family
package import Wire

/// A server as one would write it on a napkin: one array of changes, one dictionary of records, one of answers. Synchronous and without
/// I/O; what it commits is durable by definition, what it sends may be lost on the way.
package struct NaiveServer {
    package struct Answer {
        package var operations: [Operation]
        package var frame: ServerFrame
    }

    package var epoch = "e1"
    package var log: [Change] = []
    package var records: [Identifier: Record] = [:]
    /// By client and mutation id.
    package var answers: [Identifier: [Int64: Answer]] = [:]
    /// Sequences up to here are no longer in the log.
    package var floor: Int64 = 0
    /// Told before an update is applied, for the check that nothing is overwritten unseen.
    package var willApply: (_ client: Identifier, _ operation: Operation, _ current: Record) -> Void = { _, _, _ in }

    package init() {}

    package var head: Int64 { Int64(log.count) }

    package var checksum: StateChecksum { StateChecksum(records.values) }

    /// The whole answer to a join.
    package func join(_ join: Join) -> [ServerFrame] {
        var byChanges = false
        var frames: [ServerFrame] = []
        var from = head
        if let cursor = join.cursor {
            if cursor.epoch == epoch, cursor.sequence > head { return [.error(Rejection(.cursorAhead, "ahead"), request: nil)] }
            byChanges = cursor.epoch == epoch && cursor.sequence >= floor
            if byChanges { from = cursor.sequence }
        }
        frames.append(
            .joined(
                Joined(
                    epoch: epoch, sequence: head, family: World.family, member: World.parent, role: .parent, context: .all,
                    resumesByChanges: byChanges, presence: [])))
        if !byChanges {
            if let cursor = join.cursor { frames.append(.reset(cursor.epoch == epoch ? .logTrimmed : .epochChanged)) }
            let all = records.values.sorted { $0.id < $1.id }
            frames.append(.snapshot(sequence: head, records: Array(all.prefix(all.count / 2))))
            frames.append(.snapshot(sequence: head, records: Array(all.dropFirst(all.count / 2))))
            frames.append(.snapshotEnd(sequence: head, verification: SnapshotVerification(checksum: checksum, unsent: StateChecksum())))
        } else {
            frames += log.dropFirst(Int(from)).map { .change($0) }
        }
        frames.append(.live(sequence: head, checksum: checksum))
        return frames
    }

    /// Commits or refuses. The change, if there is one, is for everybody.
    package mutating func mutate(_ client: Identifier, _ id: Int64, _ operations: [Operation]) -> (answer: ServerFrame, change: Change?) {
        if let known = answers[client]?[id] {
            return (known.operations == operations ? known.frame : .reject(mutation: id, Rejection(.mutationReused, "reused")), nil)
        }
        var after = records
        var entries: [ChangeEntry] = []
        var answer: ServerFrame
        do {
            for operation in operations { try apply(operation, by: client, to: &after, &entries) }
            if entries.isEmpty {
                answer = .ack(Ack(mutation: id, sequence: nil, records: []))
            } else {
                let versions = Dictionary(entries.map { ($0.id, $0.version) }, uniquingKeysWith: { _, last in last })
                answer = .ack(
                    Ack(
                        mutation: id, sequence: head + 1,
                        records: versions.map { Ack.Version(id: $0.key, version: $0.value) }.sorted { $0.id < $1.id }))
            }
        } catch {
            entries = []
            answer = .reject(mutation: id, error)
        }
        answers[client, default: [:]][id] = Answer(operations: operations, frame: answer)
        guard !entries.isEmpty else { return (answer, nil) }
        records = after
        let change = Change(sequence: head + 1, at: head + 1, member: World.parent, client: client, mutation: id, entries: entries)
        log.append(change)
        return (answer, change)
    }

    private func apply(
        _ operation: Operation, by client: Identifier, to records: inout [Identifier: Record], _ entries: inout [ChangeEntry]
    ) throws(Rejection) {
        let id = operation.id
        let at = head + 1
        if case .create(let athlete, let patch) = operation.action {
            guard records[id] == nil else { throw Rejection(.alreadyExists, "exists") }
            let fields = Merge.apply(patch, to: Fields(operation.kind), resolve: { _, _ in nil }).fields
            records[id] = Record(
                kind: operation.kind, id: id, athlete: athlete, version: 1, createdAt: at, createdBy: World.parent, updatedAt: at,
                updatedBy: World.parent, fields: fields)
            entries.append(ChangeEntry(kind: operation.kind, id: id, version: 1, effect: .create(athlete: athlete, fields: fields)))
            return
        }
        guard var record = records[id] else { throw Rejection(.notFound, "gone") }
        func conflict() -> Rejection { Rejection(.conflict, "conflict", conflict: Conflict(record: record, fields: [])) }
        switch operation.action {
        case .create, .shift, .copy: return
        case .update(let base, let merge, let patch):
            guard base <= record.version, !record.isDeleted else { throw conflict() }
            if base < record.version {
                guard merge == .disjoint, Merge.contested(patch, current: record.fields, changedSinceBase: changed(id, since: base)).isEmpty
                else { throw conflict() }
            }
            willApply(client, operation, record)
            let (fields, changed, _) = Merge.apply(patch, to: record.fields, resolve: { _, _ in nil })
            guard !changed.isEmpty else { return }
            record.fields = fields
            record.version += 1
            entries.append(ChangeEntry(kind: record.kind, id: id, version: record.version, effect: .update(changed)))
        case .delete(let base):
            guard base == record.version, !record.isDeleted else { throw conflict() }
            record.version += 1
            record.deletedAt = at
            entries.append(ChangeEntry(kind: record.kind, id: id, version: record.version, effect: .delete))
        case .restore(let base):
            guard base == record.version, record.isDeleted else { throw conflict() }
            record.version += 1
            record.deletedAt = nil
            entries.append(
                ChangeEntry(
                    kind: record.kind, id: id, version: record.version,
                    effect: .restore(
                        athlete: record.athlete, fields: record.fields, createdAt: record.createdAt, createdBy: record.createdBy)))
        }
        record.updatedAt = at
        record.updatedBy = World.parent
        records[id] = record
    }

    private func changed(_ id: Identifier, since base: Int64) -> Set<Int> {
        var fields: Set<Int> = []
        for change in log {
            for entry in change.entries where entry.id == id && entry.version > base {
                if case .update(let assignments) = entry.effect { fields.formUnion(assignments.map(\.field)) }
            }
        }
        return fields
    }
}

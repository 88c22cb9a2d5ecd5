internal import Bytes
internal import Family
internal import JSON
internal import SQLite
package import Sync
internal import Wire

extension Cache {
    /// Collects the effects of one engine input, to be written with the next `save`.
    package func note(_ actions: [SyncAction]) {
        guard !isBeside else { return }
        for action in actions {
            switch action {
            case .notify(.change(let change, _)):
                newChanges.append(change)
                if !isReplaced { dirty.formUnion(change.entries.map(\.id)) }
            case .replaced:
                isReplaced = true
                dirty = []
                newChanges = []
            default: break
            }
        }
    }

    /// Whether something must be on stable storage before the session continues: a mutation that is new or was folded,
    /// or a mutation whose first octet is about to leave.
    package func isUrgent(_ engine: borrowing SyncEngine) -> Bool {
        engine.pending.contains { mutation in
            guard let old = written[mutation.id] else { return true }
            return old.isUnsent != mutation.isUnsent || old.operations != mutation.operations || old.complaints != mutation.complaints
        } || engine.drafts.count > writtenDrafts.count
    }

    /// Writes the changes of the engine since the last `save`, in one transaction. If nothing has changed, it writes
    /// nothing.
    ///
    /// - Returns: false if there was nothing to write.
    /// - Throws: SQLite's error. The database is unchanged, and the next `save` tries the same changes again.
    @discardableResult
    package func save(_ engine: borrowing SyncEngine) throws -> Bool {
        guard var state = engine.savedState else { return false }
        // The records are in the member's own cache, which another process has.
        if isBeside { state.cursor = nil }
        let pending = engine.pending.map(\.asSaved)
        let changed = pending.filter { written[$0.id] != $0 }
        let known = pending.count { written[$0.id] != nil }
        let gone = known < written.count ? goneIDs(pending) : []
        let isHeadChanged = writtenHead != state.head
        let areDraftsChanged = writtenDrafts != engine.drafts
        guard !changed.isEmpty || !gone.isEmpty || areDraftsChanged || isHeadChanged || isReplaced || !dirty.isEmpty || !newChanges.isEmpty
        else { return false }
        // A change that was reported to its author as waiting must survive a power cut; the server sends everything
        // else again.
        let isUrgent = areDraftsChanged || changed.contains { written[$0.id]?.operations != $0.operations || written[$0.id] == nil }
        try transaction(synchronously: isUrgent) {
            for id in gone {
                statements.clearPending.bind(1, id)
                try statements.clearPending.run()
            }
            for mutation in changed { try write(mutation) }
            if areDraftsChanged { try write(engine.drafts) }
            try writeRecords(engine)
            if isHeadChanged { try write(head: state) }
        }
        for id in gone { written[id] = nil }
        for mutation in changed { written[mutation.id] = mutation }
        writtenDrafts = engine.drafts
        writtenHead = state.head
        (dirty, isReplaced, newChanges) = ([], false, [])
        return true
    }

    private func goneIDs(_ pending: [PendingMutation]) -> [Int64] {
        let held = Set(pending.map(\.id))
        return written.keys.filter { !held.contains($0) }
    }

    private func write(_ mutation: PendingMutation) throws {
        let statement = statements.setPending
        statement.bind(1, mutation.id)
        statement.bind(2, mutation.at)
        switch mutation.state {
        case .unsent: statement.bind(3, 0)
        case .inFlight, .resend: statement.bind(3, 1)
        case .acknowledged: statement.bind(3, 2)
        }
        if case .acknowledged(let sequence) = mutation.state { statement.bind(4, sequence) } else { statement.bindNull(4) }
        statement.bind(5, Int64(mutation.complaints))
        let (frame, unborn) = Self.frame(mutation.id, mutation.body, mutation.overlap)
        statement.bind(6, frame)
        statement.bind(7, unborn)
        try statement.run()
    }

    private func write(_ drafts: [Draft]) throws {
        try database.execute("DELETE FROM draft")
        for draft in drafts {
            let body = draft.undo.map { Mutation.Body.undo(sequence: $0) } ?? .operations(draft.operations)
            statements.setDraft.bind(1, draft.at)
            let (frame, unborn) = Self.frame(draft.id, body, draft.overlap)
            statements.setDraft.bind(2, frame)
            statements.setDraft.bind(3, unborn)
            statements.setDraft.bind(4, ServerFrame.reject(mutation: draft.id, draft.rejection).encode())
            try statements.setDraft.run()
        }
    }

    /// A mutation as it is sent, and the part that cannot be sent (`CacheStatements.schema`).
    private static func frame(_ id: Int64, _ body: Mutation.Body, _ overlap: OverlapOverride?) -> (frame: [UInt8], unborn: String) {
        guard case .operations(var operations) = body else {
            return (ClientFrame.mutation(id: id, body: body, overlap: overlap).encode(), "")
        }
        let unborn = operations.indices.filter { operations[$0].base == 0 }
        for place in unborn { operations[place].base = 1 }
        let frame = ClientFrame.mutation(id: id, body: .operations(operations), overlap: overlap).encode()
        return (frame, unborn.map(String.init).joined(separator: ","))
    }

    private func writeRecords(_ engine: borrowing SyncEngine) throws {
        if isReplaced {
            // The changes before the snapshot may belong to another log.
            try database.execute("DELETE FROM record; DELETE FROM change")
            for record in engine.confirmedRecords.values.sorted(by: { $0.id < $1.id }) { try write(record) }
        } else {
            for id in dirty {
                if let record = engine.confirmedRecord(id) { try write(record) }
            }
        }
        for change in newChanges.suffix(Int(Self.keptChanges)) {
            statements.setChange.bind(1, change.sequence)
            statements.setChange.bind(2, ServerFrame.change(change).encode())
            try statements.setChange.run()
        }
        // Trim only now and then: changes above the limit cost only disk space.
        if let last = newChanges.last?.sequence, last % 50 < Int64(newChanges.count) {
            statements.trimChanges.bind(1, last - Self.keptChanges)
            try statements.trimChanges.run()
        }
    }

    private func write(_ record: Record) throws {
        var writer = JSONWriter()
        RecordCodec.encode(record, into: &writer)
        statements.setRecord.bind(1, record.id)
        statements.setRecord.bind(2, writer.octets)
        try statements.setRecord.run()
    }

    private func write(head state: SavedState) throws {
        let context: String? =
            switch state.context {
            case nil: nil
            case .all?: "all"
            case .athlete(let id)?: id.description
            }
        let values: [(String, SQLiteValue?)] = [
            ("client", .text(state.client.description)), ("family", .text(state.family.description)),
            ("member", .text(state.member.description)), ("role", state.role.map { .text($0.rawValue) }), ("context", context.map { .text($0) }),
            // The value contains its sequence: a program that does not know this key moves the cursor and leaves this
            // value behind.
            ("unsent", state.cursor.flatMap { cursor in state.unsent.map { .text("\(cursor.sequence) \($0.value)") } }),
            ("epoch", state.cursor.map { .text($0.epoch) }), ("sequence", state.cursor.map { .integer($0.sequence) }),
            ("last_mutation", .integer(state.lastMutation)),
        ]
        for (name, value) in values {
            if let value {
                try statements.setMeta.run(.text(name), value)
            } else {
                try statements.clearMeta.run(.text(name))
            }
        }
    }
}

extension SavedState {
    /// The state without records, pending mutations and drafts.
    var head: SavedState {
        var head = self
        (head.records, head.pending, head.drafts) = ([], [], [])
        return head
    }
}

extension Draft {
    static func saved(id: Int64, body: Mutation.Body, overlap: OverlapOverride?, at: Int64, rejection: Rejection) -> Draft {
        switch body {
        case .operations(let operations): Draft(id: id, operations: operations, undo: nil, overlap: overlap, at: at, rejection: rejection)
        case .undo(let sequence): Draft(id: id, operations: [], undo: sequence, overlap: overlap, at: at, rejection: rejection)
        }
    }
}

package import Bytes
package import Family
package import Wire

/// The state that an engine needs to continue after an earlier one.
package struct SavedState: Hashable, Sendable {
    /// The installation that requested the mutations: their ids belong to it.
    package var client: Identifier
    package var family: Identifier
    package var member: Identifier
    package var role: Role?
    /// The last context.
    package var context: Context?
    /// The position of `records`; `nil` if there are none to continue from.
    package var cursor: Cursor?
    /// The records as the server has confirmed them.
    package var records: [Record] = []
    /// The checksum of the records that the server has and `records` does not; `nil` if unknown.
    package var unsent: StateChecksum?
    /// In the order of the requests.
    package var pending: [PendingMutation] = []
    package var drafts: [Draft] = []
    /// No smaller mutation id is ever used again.
    package var lastMutation: Int64 = 0

    package init(client: Identifier, family: Identifier, member: Identifier) {
        self.client = client
        self.family = family
        self.member = member
    }
}

extension PendingMutation {
    /// The mutation for storage: a mutation in flight when a program ended may have been applied, so it is sent again
    /// unchanged.
    package var asSaved: PendingMutation {
        var saved = self
        if isInFlight { saved.state = .resend }
        saved.notBefore = 0
        return saved
    }

    /// A stored mutation.
    ///
    /// - Parameter sequence: the sequence of its ack, if it had one.
    package static func saved(
        id: Int64, body: Mutation.Body, overlap: OverlapOverride?, at: Int64, wasSent: Bool, sequence: Int64?, complaints: Int
    ) -> PendingMutation {
        var mutation = PendingMutation(id: id, body: body, overlap: overlap, at: at)
        if let sequence { mutation.state = .acknowledged(sequence: sequence) } else if wasSent { mutation.state = .resend }
        mutation.complaints = max(0, complaints)
        return mutation
    }
}

extension SyncEngine {
    /// Continues from the state of an earlier engine; call it before `start`.
    ///
    /// The context is shown until the server reports the one in force. A client with a user interface requests it
    /// (`returnsToContext`), so that the user first sees, and then acts on, the same season.
    package mutating func restore(_ saved: SavedState) {
        precondition(phase == .stopped && confirmed.all.isEmpty, "an engine continues from one state, before it starts")
        configuration.client = saved.client
        if configuration.family == nil { configuration.family = saved.family }
        family = saved.family
        member = saved.member
        role = saved.role
        if context == nil {
            context = saved.context
            if configuration.returnsToContext { configuration.context = saved.context }
        }
        if let position = saved.cursor, configuration.holdsRecords {
            confirmed = ConfirmedRecords(saved.records, unsent: saved.unsent)
            cursor = position
            epoch = position.epoch
        }
        adopt(saved)
    }

    /// Takes over pending mutations and drafts, before the engine has any of its own.
    ///
    /// - Returns: false if they were requested under another client id, under which they have to be sent: call `rejoin`
    ///   then.
    @discardableResult
    package mutating func adopt(_ saved: SavedState) -> Bool {
        let own = Set(pending.map(\.id)).union(drafts.map(\.id))
        let older = saved.pending.filter { !own.contains($0.id) }
        pending = older + pending
        drafts = saved.drafts.filter { !own.contains($0.id) } + drafts
        lastMutation = max(lastMutation, saved.lastMutation, pending.map(\.id).max() ?? 0)
        suspects = pending.count { $0.complaints > 0 }
        for mutation in older {
            for operation in mutation.operations { touchCount[operation.id, default: 0] += 1 }
        }
        refreshAll()
        touched = []
        guard !older.isEmpty || !saved.drafts.isEmpty, configuration.client != saved.client else { return true }
        configuration.client = saved.client
        return false
    }

    /// Takes over the pending mutations of a program of the same person that ran beside another: after the ones here.
    ///
    /// - Returns: as `adopt`; `nil` if they were requested under another client id than the pending mutations here, and
    ///   have to stay where they are.
    package mutating func takeOver(_ left: SavedState) -> Bool? {
        guard left.client == configuration.client || pending.isEmpty || left.pending.isEmpty else { return nil }
        let held = drafts
        // Drafts belong to no client's id.
        var left = left
        if left.pending.isEmpty { left.client = configuration.client }
        let isOwn = adopt(left)
        drafts = held + drafts.filter { draft in !held.contains { $0.id == draft.id } }
        pending.sort { $0.id < $1.id }
        // The shown records result from the mutations in the order in which they are sent.
        refreshAll()
        touched = []
        return isOwn
    }

    /// Leaves the room and immediately returns, with the client id that the configuration has now.
    package mutating func rejoin(now: Int64) -> [SyncAction] {
        guard phase == .joining || isJoined else { return [] }
        cursor = nil
        snapshot = nil
        endForRejoin()
        return flush(now)
    }

    /// All state to store, except the records.
    package var savedState: SavedState? {
        guard let family, let member else { return nil }
        var saved = SavedState(client: configuration.client, family: family, member: member)
        saved.role = role
        saved.context = context
        saved.cursor = cursor
        saved.unsent = confirmed.unsent
        saved.pending = pending
        saved.drafts = drafts
        saved.lastMutation = lastMutation
        return saved
    }

    /// The operation that moves the member's reading position to the last applied change; `nil` if no other member's
    /// change followed it.
    package func readOperation(upTo sequence: Int64) -> Operation? {
        guard let member, let cursor, let field = Kind.readingPosition.declaration.index(of: "sequence") else { return nil }
        let id = ReadingPosition.id(of: member)
        let sequence = min(sequence, cursor.sequence)
        let patch = FieldPatch(assignments: [.init(field: field, value: .integer(sequence))])
        guard touchCount[id] == nil else { return nil }
        guard let held = confirmed[id] else {
            return Operation(kind: .readingPosition, id: id, action: .create(athlete: nil, patch: patch))
        }
        // The last move of the position is a change as well: reporting that again would never end.
        guard case .integer(let position)? = held.fields["sequence"], sequence > position + 1 else { return nil }
        return Operation(kind: .readingPosition, id: id, action: .update(base: held.version, merge: .disjoint, patch: patch))
    }
}

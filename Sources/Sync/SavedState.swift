package import Bytes
package import Family
package import Wire

/// What an engine needs to go on where an earlier one stopped.
package struct SavedState: Hashable, Sendable {
    /// The installation under which the mutations were asked for: their ids count under it.
    package var client: Identifier
    package var family: Identifier
    package var member: Identifier
    package var role: Role?
    /// What was looked at last.
    package var context: Context?
    /// Where `records` are; `nil`: there are none to continue from.
    package var cursor: Cursor?
    /// As the server had confirmed them.
    package var records: [Record] = []
    /// Of the records that the server has and `records` has not; `nil`: not known.
    package var unsent: StateChecksum?
    /// In the order in which they were asked for.
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
    /// As it is kept: what was under way when a program ended was perhaps done, so that it is sent again as it is.
    package var asSaved: PendingMutation {
        var saved = self
        if isInFlight { saved.state = .resend }
        saved.notBefore = 0
        return saved
    }

    /// One that was kept.
    ///
    /// - Parameter sequence: of its ack, when it had one.
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
    /// Goes on where an earlier engine stopped; before `start`.
    ///
    /// The context is shown until the server tells the one in force. A client that people look at asks for it (`returnsToContext`): what they
    /// see at once and what they do next are about the same season.
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

    /// Takes over what waited and what was refused, before anything of its own.
    ///
    /// - Returns: false when it was asked for under another client id, under which it has to be sent: `rejoin` then.
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

    /// Takes over what waited in a program of the same person that ran beside another: behind what is here.
    ///
    /// - Returns: as of `adopt`; `nil` when it was asked for under another client id than what waits here, and has to stay where it is.
    package mutating func takeOver(_ left: SavedState) -> Bool? {
        guard left.client == configuration.client || pending.isEmpty || left.pending.isEmpty else { return nil }
        let held = drafts
        // Drafts go under no client's id, and give none.
        var left = left
        if left.pending.isEmpty { left.client = configuration.client }
        let isOwn = adopt(left)
        drafts = held + drafts.filter { draft in !held.contains { $0.id == draft.id } }
        pending.sort { $0.id < $1.id }
        // What is shown is what comes of them in the order in which they are sent.
        refreshAll()
        touched = []
        return isOwn
    }

    /// Leaves the room and comes back at once, as the client that the configuration names now.
    package mutating func rejoin(now: Int64) -> [SyncAction] {
        guard phase == .joining || isJoined else { return [] }
        cursor = nil
        snapshot = nil
        endForRejoin()
        return flush(now)
    }

    /// All that has to be kept, but for the records.
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

    /// What moves the member's reading position to the last change that was applied; `nil` when nobody else did anything after it.
    package func readOperation(upTo sequence: Int64) -> Operation? {
        guard let member, let cursor, let field = Kind.readingPosition.declaration.index(of: "sequence") else { return nil }
        let id = ReadingPosition.id(of: member)
        let sequence = min(sequence, cursor.sequence)
        let patch = FieldPatch(assignments: [.init(field: field, value: .integer(sequence))])
        guard touchCount[id] == nil else { return nil }
        guard let held = confirmed[id] else {
            return Operation(kind: .readingPosition, id: id, action: .create(athlete: nil, patch: patch))
        }
        // The last move of it is a change as well: to tell of that again would never end.
        guard case .integer(let position)? = held.fields["sequence"], sequence > position + 1 else { return nil }
        return Operation(kind: .readingPosition, id: id, action: .update(base: held.version, merge: .disjoint, patch: patch))
    }
}

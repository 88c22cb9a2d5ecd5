internal import Bytes
package import Family
internal import Wire

/// One version of a record that arrived while an operation on it was pending.
struct VersionStep: Hashable, Sendable {
    var version: Int64
    var isOwn: Bool
    /// The fields it wrote; `nil` for a creation, deletion or restoration.
    var fields: Set<Int>?
}

extension SyncEngine {
    /// Requests a batch of operations, which commits completely or not at all. It is shown immediately, and sent as
    /// soon as possible.
    ///
    /// If every named record was edited before in one unsent mutation, the batch folds into that one. An owner that the
    /// context implies is fixed now, so that a later change of context does not change the owner of the record.
    ///
    /// - Parameter overlap: overlaps of trip items that the author has seen and accepts; such a batch is never folded.
    /// - Returns: the mutation's id, which `.acknowledged` or `.rejected` will carry.
    /// - Throws: a rejection if the batch could never be sent (`too_many`, `too_long`, `invalid`) or too many mutations
    ///   wait (`too_many_pending`); nothing has changed then.
    package mutating func perform(
        _ wanted: [Operation], accepting overlap: OverlapOverride? = nil, at: Int64, now: Int64
    ) throws(Rejection) -> (mutation: Int64, actions: [SyncAction]) {
        guard !wanted.isEmpty else { throw Rejection(.invalid, "There is nothing to do in this change.") }
        let operations = wanted.map { restingOnPending(withOwner($0)) }
        let mutation = PendingMutation(id: nextMutation(at), body: .operations(operations), overlap: overlap, at: at)
        try checkLimits(mutation)
        if overlap == nil, let folded = fold(operations) { return (folded, flush(now)) }
        try enqueue(mutation)
        for operation in operations {
            touchCount[operation.id, default: 0] += 1
            show(operation, of: mutation)
        }
        sendDue(now)
        return (mutation.id, flush(now))
    }

    /// Requests the undo of the change with a sequence. Only the server knows its effect, so nothing is shown before
    /// its response, and later requests wait for it.
    ///
    /// - Parameter overlap: as in `perform`.
    /// - Throws: `too_many_pending`.
    package mutating func undo(
        _ sequence: Int64, accepting overlap: OverlapOverride? = nil, at: Int64, now: Int64
    ) throws(Rejection) -> (mutation: Int64, actions: [SyncAction]) {
        let mutation = PendingMutation(id: nextMutation(at), body: .undo(sequence: sequence), overlap: overlap, at: at)
        try enqueue(mutation)
        sendDue(now)
        return (mutation.id, flush(now))
    }

    /// - Throws: `too_many_pending` where there is no room for `count` more.
    private func checkRoom(for count: Int) throws(Rejection) {
        guard pending.count + drafts.count + count <= Self.maxWaiting else {
            throw Rejection(.tooManyPending, "Too many changes wait already. Go online, or drop drafts, then try again.")
        }
    }

    private mutating func enqueue(_ mutation: PendingMutation) throws(Rejection) {
        try checkRoom(for: 1)
        lastMutation = mutation.id
        pending.append(mutation)
    }

    /// Sends a draft again, now based on the current records ("keep mine"), under a new mutation id. A record that was
    /// deleted in the meantime is restored first.
    ///
    /// - Parameter overlap: the overlaps to accept now; `nil`: those that the draft accepted already.
    /// - Returns: `nil` if there is no such draft.
    package mutating func retry(
        draft id: Int64, accepting overlap: OverlapOverride? = nil, at: Int64, now: Int64
    ) throws(Rejection) -> (mutation: Int64, actions: [SyncAction])? {
        guard let index = drafts.firstIndex(where: { $0.id == id }) else { return nil }
        let draft = drafts.remove(at: index)
        let accepted = overlap ?? draft.overlap
        var before: [SyncAction] = []
        do {
            if let sequence = draft.undo { return try undo(sequence, accepting: accepted, at: at, now: now) }
            var restores: [Operation] = []
            let operations = draft.operations.map { rebase($0, draft.rejection.conflict?.record, restores: &restores) }
            if !restores.isEmpty {
                // Both or neither: the actions of a restore whose change is refused here would be lost with the throw.
                try checkRoom(for: 2)
                // With the longest id, whichever it gets.
                try checkLimits(PendingMutation(id: (1 << 53) - 1, body: .operations(operations.map { withOwner($0) }), overlap: accepted, at: at))
                before = try perform(restores, at: at, now: now).actions
            }
            let (mutation, actions) = try perform(operations, accepting: accepted, at: at, now: now)
            return (mutation, before + actions)
        } catch {
            drafts.insert(draft, at: index)
            throw error
        }
    }

    /// Sends the operations of a draft one by one, in their order and unchanged. Operations that the server refuses
    /// again become separate drafts, which can be changed or decided individually.
    ///
    /// - Returns: the new mutations; `nil` for a draft that is gone, or that has a single operation. Operations for
    ///   which there was no room stay in the draft.
    /// - Throws: if not even the first could be requested; the draft is unchanged.
    package mutating func split(draft id: Int64, at: Int64, now: Int64) throws(Rejection) -> (mutations: [Int64], actions: [SyncAction])? {
        guard let index = drafts.firstIndex(where: { $0.id == id }), drafts[index].operations.count > 1 else { return nil }
        let draft = drafts.remove(at: index)
        var mutations: [Int64] = []
        var actions: [SyncAction] = []
        for (place, operation) in draft.operations.enumerated() {
            do throws(Rejection) {
                let (mutation, more) = try perform([operation], accepting: draft.overlap, at: at, now: now)
                mutations.append(mutation)
                actions += more
            } catch {
                let rest = Draft(id: draft.id, operations: Array(draft.operations[place...]), overlap: draft.overlap, at: draft.at, rejection: error)
                drafts.insert(place == 0 ? draft : rest, at: min(index, drafts.count))
                if place == 0 { throw error }
                break
            }
        }
        return (mutations, actions)
    }

    /// Removes a draft.
    package mutating func drop(draft id: Int64) -> Draft? {
        guard let index = drafts.firstIndex(where: { $0.id == id }) else { return nil }
        return drafts.remove(at: index)
    }

    private func withOwner(_ operation: Operation) -> Operation {
        guard operation.kind.declaration.scope == .athlete, case .create(nil, let patch) = operation.action,
            case .athlete(let athlete)? = configuration.context ?? context
        else { return operation }
        return Operation(kind: operation.kind, id: operation.id, action: .create(athlete: athlete, patch: patch))
    }

    /// A pending edit hides later changes by others to the same record, so an edit on top of it has the base of the
    /// pending edit.
    private func restingOnPending(_ operation: Operation) -> Operation {
        guard touchCount[operation.id] != nil, let base = operation.base, let shown = overlay[operation.id]?.version
        else { return operation }
        var operation = operation
        operation.base = min(base, shown)
        return operation
    }

    /// The next mutation id: larger than every earlier one; usually the wall clock in microseconds, so that two
    /// programs of one installation, and the same program after a restart, do not collide.
    private mutating func nextMutation(_ at: Int64) -> Int64 {
        // 2^53 microseconds end in the year 2255.
        let clock = at > 0 && at < 9_000_000_000_000 ? at * 1_000 + backoff.number(below: 1_000) : 0
        return max(lastMutation + 1, clock)
    }

    private func checkLimits(_ mutation: PendingMutation) throws(Rejection) {
        guard mutation.operations.count <= limits.operationsPerMutation else {
            throw Rejection(.tooMany, "At most \(limits.operationsPerMutation) records can be changed in one step.")
        }
        guard mutation.frame.encode().count <= limits.messageOctets else {
            throw Rejection(.tooLong, "This change is too large to send. Shorten the longest text, then try again.")
        }
    }

    /// Folds a batch into the unsent mutation that last touched all of its records.
    ///
    /// - Returns: that mutation's id; `nil` if the batch needs a mutation of its own.
    private mutating func fold(_ operations: [Operation]) -> Int64? {
        guard let first = operations.first, touchCount[first.id] != nil,
            let index = pending.lastIndex(where: { $0.touches(first.id) }), pending[index].isUnsent, pending[index].overlap == nil,
            // A request made after an undo stays after it.
            !pending[index...].contains(where: { $0.undo != nil })
        else { return nil }
        var folded = pending[index].operations
        var gone: [Identifier] = []
        var seen: Set<Identifier> = []
        for operation in operations {
            guard seen.insert(operation.id).inserted, pending.lastIndex(where: { $0.touches(operation.id) }) == index else { return nil }
            let places = folded.indices.filter { folded[$0].id == operation.id }
            guard places.count == 1, let place = places.first else { return nil }
            switch EditFolding.fold(operation, into: folded[place]) {
            case .operation(let both): folded[place] = both
            case .nothing:
                folded.remove(at: place)
                gone.append(operation.id)
            case .separate: return nil
            }
        }
        // Folding moves the batch forward: it must not name records that are created only later, nor remove records
        // that others name.
        let later = pending[(index + 1)...]
        let createdLater = Set(later.flatMap { $0.operations.filter(\.isCreate).map(\.id) })
        guard createdLater.isDisjoint(with: operations.flatMap(\.references)) else { return nil }
        let named = Set((folded + later.flatMap(\.operations)).flatMap(\.references))
        guard named.isDisjoint(with: gone) else { return nil }
        var whole = pending[index]
        whole.operations = folded
        guard (try? checkLimits(whole)) != nil else { return nil }

        let id = whole.id
        pending[index] = whole
        for record in gone { release(record) }
        if folded.isEmpty {
            pending.remove(at: index)
            output.append(.notify(.acknowledged(Ack(mutation: id, sequence: nil, records: []))))
        }
        for operation in operations { refresh(operation.id) }
        return id
    }

    /// A draft's operation, based on the current record.
    private func rebase(_ operation: Operation, _ conflicting: Record?, restores: inout [Operation]) -> Operation {
        var current = record(operation.id)
        // The conflict may contain a version whose change has not arrived yet.
        if let conflicting, conflicting.id == operation.id, conflicting.version > current?.version ?? 0 { current = conflicting }
        guard let current else { return operation }
        var operation = operation
        switch operation.action {
        case .create: break
        case .update(_, let merge, let patch):
            if current.isDeleted {
                restores.append(Operation(kind: current.kind, id: current.id, action: .restore(base: current.version)))
            }
            operation.action = .update(base: current.version, merge: merge, patch: patch)
        case .delete: operation.action = .delete(base: current.version)
        case .restore: operation.action = .restore(base: current.version)
        case .shift(_, let days): operation.action = .shift(base: current.version, days: days)
        case .copy: break
        }
        return operation
    }
}

extension SyncEngine {
    /// Sends the mutations that may be sent now, in order. One mutation per record is in flight at a time, so that the
    /// next can be based on its result; no mutation overtakes another, because a later one may name a record that an
    /// earlier one creates.
    mutating func sendDue(_ now: Int64) {
        guard phase == .live else { return }
        let window = suspects > 0 ? 1 : max(limits.pendingMutations, 1)
        var busy: Set<Identifier> = []
        var inFlight = 0
        var index = 0
        while index < pending.count, inFlight < window {
            let mutation = pending[index]
            switch mutation.state {
            case .inFlight, .acknowledged:
                if mutation.isInFlight { inFlight += 1 }
                if mutation.undo != nil { return }
                busy.formUnion(mutation.operations.map(\.id))
            case .unsent, .resend:
                guard mutation.notBefore <= now, busy.isDisjoint(with: mutation.operations.map(\.id)) else { return }
                do {
                    try checkLimits(mutation)
                } catch {
                    makeDraft(mutation, error)
                    continue
                }
                pending[index].state = .inFlight(since: now)
                busy.formUnion(mutation.operations.map(\.id))
                inFlight += 1
                output.append(.send(mutation.frame))
                // The records that it touches are unknown until it is done.
                if mutation.undo != nil { return }
            }
            index += 1
        }
    }

    mutating func receive(_ ack: Ack, _ now: Int64) {
        // The result is known already (from the change, or because the server responded twice).
        guard let index = pending.firstIndex(where: { $0.id == ack.mutation }), !pending[index].isAcknowledged, !pending[index].isUnsent
        else { return }
        faultsInRow = 0
        output.append(.notify(.acknowledged(ack)))
        if let sequence = ack.sequence, configuration.holdsRecords, sequence > cursor?.sequence ?? 0 || snapshot != nil {
            if pending[index].complaints > 0 { suspects -= 1 }
            pending[index].complaints = 0
            pending[index].state = .acknowledged(sequence: sequence)
        } else {
            settle(pending[index], versions: ack.records)
        }
        sendDue(now)
    }

    mutating func receiveRejection(of id: Int64, _ rejection: Rejection, _ now: Int64) {
        guard let index = pending.firstIndex(where: { $0.id == id }), !pending[index].isAcknowledged, !pending[index].isUnsent
        else { return }
        if rejection.code.isRetryable {
            // At least a short wait, so that a server that returns 0 is not asked in a loop.
            let wait = max(rejection.retryAfter ?? Self.defaultRetry, 50)
            pending[index].state = .resend
            pending[index].notBefore = now + min(wait, Self.answerTime)
            output.append(.notify(.postponed(mutation: id, rejection, retryAfter: wait)))
        } else {
            makeDraft(pending[index], rejection)
        }
        sendDue(now)
    }

    /// Counts a complaint against the mutations in flight; the second one makes a mutation a draft.
    ///
    /// - Returns: false if no mutation was in flight.
    mutating func complainAboutInFlight(_ code: UInt16) -> Bool {
        let accused = pending.filter(\.isInFlight)
        for mutation in accused {
            guard let index = pending.firstIndex(where: { $0.id == mutation.id }) else { continue }
            if pending[index].complaints == 0 { suspects += 1 }
            pending[index].complaints += 1
            if pending[index].complaints >= Self.maxComplaints {
                makeDraft(
                    pending[index],
                    Rejection(.badFrame, "The server ended the connection twice over this change (\(code)). It is kept as a draft."))
            }
        }
        return !accused.isEmpty
    }

    mutating func makeDraft(_ mutation: PendingMutation, _ rejection: Rejection) {
        remove(mutation.id)
        guard !mutation.isReadingPosition else { return }
        drafts.append(
            Draft(
                id: mutation.id, operations: mutation.operations, undo: mutation.undo, overlap: mutation.overlap, at: mutation.at,
                rejection: rejection))
        output.append(.notify(.rejected(mutation: mutation.id, rejection)))
    }

    /// Finishes a mutation whose change, if there is one, is among the confirmed records.
    mutating func settle(_ mutation: PendingMutation, versions: [Ack.Version]) {
        for version in versions { advanceBases(of: version.id, to: version.version) }
        remove(mutation.id)
    }

    /// Finishes acknowledged mutations whose change is among the records already. A program that ended between storing its
    /// records and removing the mutation restores one: that change does not come again.
    mutating func settleApplied(upTo applied: Int64) {
        for mutation in pending {
            guard case .acknowledged(let sequence) = mutation.state, sequence <= applied else { continue }
            settle(mutation, versions: mutation.operations.map { Ack.Version(id: $0.id, version: confirmed[$0.id]?.version ?? 0) })
        }
    }

    mutating func remove(_ id: Int64) {
        guard let index = pending.firstIndex(where: { $0.id == id }) else { return }
        let mutation = pending.remove(at: index)
        if mutation.complaints > 0 { suspects -= 1 }
        for operation in mutation.operations { release(operation.id) }
        for operation in mutation.operations { refresh(operation.id) }
    }

    private mutating func release(_ id: Identifier) {
        guard let count = touchCount[id] else { return }
        touchCount[id] = count > 1 ? count - 1 : nil
        if count == 1 { steps[id] = nil }
    }

    /// Remembers the effect of a change on records with pending operations.
    mutating func note(_ change: Change, isOwn: Bool) {
        for entry in change.entries where touchCount[entry.id] != nil {
            var fields: Set<Int>?
            if case .update(let assignments) = entry.effect { fields = Set(assignments.map(\.field)) }
            steps[entry.id, default: []].append(VersionStep(version: entry.version, isOwn: isOwn, fields: fields))
        }
    }

    /// Moves the bases of unsent operations on a record past this client's own version of it, which their author has
    /// seen.
    ///
    /// A version by another member in between is skipped only if it wrote other fields; otherwise the base stays, and
    /// the server will report the conflict. Therefore no update is lost, and no member is in conflict with themself.
    private mutating func advanceBases(of id: Identifier, to version: Int64) {
        for index in pending.indices where pending[index].isUnsent {
            for place in pending[index].operations.indices where pending[index].operations[place].id == id {
                guard let base = pending[index].operations[place].base, base < version,
                    mayPass(from: base, to: version, pending[index].operations[place])
                else { continue }
                pending[index].operations[place].base = version
            }
        }
    }

    private func mayPass(from base: Int64, to version: Int64, _ operation: Operation) -> Bool {
        // The next version is this client's own; a snapshot may have removed its step.
        if version == base + 1 { return true }
        let between = (steps[operation.id] ?? []).filter { $0.version > base && $0.version <= version }
        guard between.count == version - base else { return false }
        return between.allSatisfy { step in
            if step.isOwn { return true }
            guard let written = step.fields, case .update(_, _, let patch) = operation.action else { return false }
            return written.isDisjoint(with: patch.assignments.map(\.field))
        }
    }

    /// The earliest time at which something has to be done without an input.
    func nextDeadline(_ now: Int64) -> Int64? {
        var due: Int64?
        // Only the front of the queue can be in flight or wait for its turn.
        for mutation in pending.prefix(max(limits.pendingMutations, 1) + 1) {
            switch mutation.state {
            case .inFlight(let since): due = min(due ?? .max, since + Self.answerTime)
            case .resend where mutation.notBefore > now: due = min(due ?? .max, mutation.notBefore)
            default: break
            }
        }
        return due
    }

    func unansweredMutation(_ now: Int64) -> Int64? {
        pending.first { mutation in
            if case .inFlight(let since) = mutation.state { return now - since >= Self.answerTime }
            return false
        }?.id
    }
}

extension Operation {
    var isCreate: Bool {
        switch action {
        case .create, .copy: true
        case .update, .delete, .restore, .shift: false
        }
    }

    /// The version that the author saw; a create has none.
    package var base: Int64? {
        get {
            switch action {
            case .create, .copy: nil
            case .update(let base, _, _), .delete(let base), .restore(let base), .shift(let base, _): base
            }
        }
        set {
            guard let newValue else { return }
            switch action {
            case .create, .copy: break
            case .shift(_, let days): action = .shift(base: newValue, days: days)
            case .update(_, let merge, let patch): action = .update(base: newValue, merge: merge, patch: patch)
            case .delete: action = .delete(base: newValue)
            case .restore: action = .restore(base: newValue)
            }
        }
    }
}

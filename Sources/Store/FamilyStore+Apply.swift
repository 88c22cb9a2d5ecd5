import Bytes
import Family
import Ledger
import Wire

// Writes the ledger's decisions to the engine. Called within a transaction.
extension FamilyStore {
    /// Writes the decisions of a batch so far.
    func write(_ batch: Batch) throws {
        var writes = BatchWrites()
        writes.decisions.reserveCapacity(batch.decisions.count)
        for (family, decision) in batch.decisions { writes.decisions.append(DecisionWrites(decision, family: family.key, &family.usage)) }
        writes.receipts = batch.receipts
        let keys = try engine.apply(writes)
        for (family, decision) in batch.decisions {
            try auditRights(decision, family: family.key)
            try arm(decision, family: family.key)
        }
        batch.didWrite(of: self, keys)
        for (name, client) in batch.clients where client.kept.isTooMuch {
            if let shorter = try receipts.forgetOldest(family: name.family, client) { batch.set(shorter, name) }
        }
    }

    /// Makes a decision for one family and writes it, in the caller's transaction.
    ///
    /// - Parameter isAudited: false if the caller itself adds the change of rights to the audit log.
    /// - Returns: the result of `body`, and the change for the live rooms, if there is one.
    func decide<Value>(
        _ family: StoredFamily, actor: Actor, context: Context = .all, at: Int64, isAudited: Bool = true, _ body: (Decider) throws -> Value
    ) throws -> (Value, CommittedChange?) {
        let decider = Decider(family.state, actor: actor, context: context, at: at, on: view(of: family.key), ledger)
        let value = try body(decider)
        let decision = try decider.decision()
        var usage = family.usage
        var writes = BatchWrites()
        writes.decisions = [DecisionWrites(decision, family: family.key, &usage)]
        _ = try engine.apply(writes)
        if isAudited { try auditRights(decision, family: family.key) }
        try arm(decision, family: family.key)
        keep(StoredFamily(key: family.key, state: decision.family, usage: usage))
        return (value, CommittedChange(decision))
    }

    /// The stored data of one family, for the ledger.
    func view(of family: Int64) -> any FamilyView { StoredView(store: self, family: family) }
}

/// The stored data of one family.
struct StoredView: FamilyView {
    let store: FamilyStore
    let family: Int64

    func record(_ id: Identifier) throws -> Record? { try store.record(family: family, id) }

    func creation(of id: Identifier) throws -> Int64? {
        guard let created = try store.records.head(family: family, id)?.created, created > 0 else { return nil }
        return created
    }

    func referrers(of target: Record, limit: Int, _ budget: inout ReadBudget) throws -> [Referrer] {
        try store.records.referrers(family: family, target, limit: limit, &budget)
    }

    func plans(
        from first: String, before last: String, limit: Int, _ budget: inout ReadBudget
    ) throws -> (events: [Record], items: [Record]) {
        try store.records.plans(family: family, from: first, before: last, limit: limit, &budget)
    }

    func history(of record: Record, after version: Int64, limit: Int, _ budget: inout ReadBudget) throws -> [HistoryEntry] {
        try store.history.entries(family: family, record, after: version, limit: limit, &budget)
    }

    func change(_ sequence: Int64) throws -> Change? {
        guard let frame = try store.log.frame(family: family, sequence: sequence) else { return nil }
        if let change = LogCodec.decode(frame) { return change }
        // One unreadable row must not end the process for every family.
        throw Rejection(
            .notFound, "Change \(sequence) is damaged on the server's disk. Nothing was changed; tell the person who runs the server.", sequence: sequence)
    }

    func successor(of document: Identifier, excluding isExcluded: (Identifier) -> Bool) throws -> Record? {
        try store.records.successor(family: family, of: document, excluding: isExcluded)
    }

    func newestVersion(replacing document: Identifier) throws -> Int64 {
        try store.records.newestVersion(family: family, replacing: document)
    }

    func usage(besides sha256: String) throws -> (used: Int64, known: Int64) {
        try store.blobs.usage(family: family, besides: sha256)
    }
}

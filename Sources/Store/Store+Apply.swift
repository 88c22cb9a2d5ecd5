import Bytes
import Family
import Ledger
import Wire

// What the ledger decided, written into the tables. Within a transaction.
extension Store {
    /// Writes a batch as far as it was decided.
    func write(_ batch: Batch) throws {
        for (family, decision) in batch.decisions { family.usage = try apply(decision, family: family.key, family.usage) }
        var keys: [ClientName: Int64] = [:]
        for pending in batch.receipts {
            let name = pending.name
            var key = keys[name] ?? batch.clients[name]?.key
            if key == nil {
                key = try receipts.addClient(family: name.family, member: name.member, client: name.client)
                keys[name] = key
            }
            guard let key else { continue }
            try receipts.record(family: name.family, client: key, mutation: pending.mutation, at: pending.at, pending.receipt)
        }
        batch.didWrite(of: self, keys)
        for (name, client) in batch.clients where client.kept.isTooMuch {
            if let shorter = try receipts.forgetOldest(family: name.family, client) { batch.set(shorter, name) }
        }
    }

    /// Writes one decision.
    ///
    /// - Parameter usage: of the family before it.
    /// - Returns: and after it.
    func apply(_ decision: Decision, family key: Int64, _ usage: FamilyUsage) throws -> FamilyUsage {
        var usage = usage
        for write in decision.records {
            if let created = write.created {
                guard try records.insert(family: key, write.record, sequence: created) else { throw StoreFailure("an id came up twice") }
            } else {
                try records.update(family: key, write.record, over: write.former)
            }
        }
        for write in decision.history {
            usage.written += Int64(try history.append(family: key, write)) + FamilyUsage.historyOverhead
        }
        for share in decision.endedShares {
            switch share.links {
            case .document(let document, let school): try shares.end(family: key, document: document, school: school, at: share.at)
            case .creator(let member): try shares.end(family: key, creator: member, at: share.at)
            }
        }
        for membership in decision.memberships { try people.setRemoved(family: key, member: membership.member, at: membership.removedAt) }
        for blob in decision.blobs { try blobs.use(family: key, sha256: blob.sha256, octets: blob.octets) }
        if let entry = decision.entry {
            let messages = entry.change.entries.count { $0.isNewMessage }
            usage.written += Int64(entry.octets.count) + FamilyUsage.changeOverhead
            try log.append(
                family: key, sequence: entry.change.sequence, at: entry.change.at, messages: messages, frame: entry.octets, entry.change,
                checksum: entry.checksum, written: usage.written)
        }
        return usage
    }

    /// Decides something for one family and writes it, in the transaction of the caller.
    ///
    /// - Returns: what `body` returned, and the change for the live rooms, if there is one.
    func decide<Value>(
        _ family: StoredFamily, actor: Actor, context: Context = .all, at: Int64, _ body: (Decider) throws -> Value
    ) throws -> (Value, CommittedChange?) {
        let decider = Decider(family.state, actor: actor, context: context, at: at, on: view(of: family.key), ledger)
        let value = try body(decider)
        let decision = try decider.decision()
        let usage = try apply(decision, family: family.key, family.usage)
        keep(StoredFamily(key: family.key, state: decision.family, usage: usage))
        return (value, CommittedChange(decision))
    }

    /// The tables of one family, for the ledger.
    func view(of family: Int64) -> any FamilyView { StoredView(store: self, family: family) }
}

/// What the tables hold of one family.
struct StoredView: FamilyView {
    let store: Store
    let family: Int64

    func record(_ id: Identifier) throws -> Record? { try store.records.find(family: family, id) }

    func creation(of id: Identifier) throws -> Int64? { try store.records.creation(family: family, id) }

    func referrers(of target: Record, limit: Int, _ budget: inout ReadBudget) throws -> [Referrer] {
        try store.referrers.referrers(family: family, target, limit: limit, &budget)
    }

    func plans(
        from first: String, before last: String, limit: Int, _ budget: inout ReadBudget
    ) throws -> (events: [Record], items: [Record]) {
        try store.plans.plans(family: family, from: first, before: last, limit: limit, &budget)
    }

    func history(of record: Record, after version: Int64, limit: Int, _ budget: inout ReadBudget) throws -> [HistoryEntry] {
        try store.history.entries(family: family, record, after: version, limit: limit, &budget)
    }

    func change(_ sequence: Int64) throws -> Change? {
        guard let frame = try store.log.frame(family: family, sequence: sequence) else { return nil }
        if case .change(let change)? = try? ServerFrame.decode(frame) { return change }
        // One unreadable row must not end the process for every family.
        throw Rejection(
            .notFound, "Change \(sequence) is damaged on the server's disk. Nothing was changed; tell whoever runs the server.", sequence: sequence)
    }

    func successor(of document: Identifier, excluding isExcluded: (Identifier) -> Bool) throws -> Record? {
        try store.documents.successor(family: family, of: document, excluding: isExcluded)
    }

    func newestVersion(replacing document: Identifier) throws -> Int64 {
        try store.documents.newestVersion(family: family, replacing: document)
    }

    func usage(besides sha256: String) throws -> (used: Int64, known: Int64) {
        try store.blobs.usage(family: family, besides: sha256)
    }
}

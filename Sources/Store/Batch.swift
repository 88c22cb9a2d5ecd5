import Bytes
import Family
import Ledger
import Wire

/// The decisions of one transaction that are not written yet.
///
/// Proposals are decided one after the other, each on top of the decisions before it. The engine receives all writes of
/// the batch together, so that no write has to be undone if a proposal is refused.
final class Batch {
    final class Family {
        /// The integer that stands for the family in every key.
        let key: Int64
        private(set) var state: FamilyState
        private var laid: Overlay
        /// Decisions that are not in the overlay yet: only a further proposal of the batch pays for adding them.
        private var taken: [Decision] = []
        /// The space of the family's log and history in the tables.
        var usage: FamilyUsage

        init(_ stored: FamilyStore.StoredFamily, _ overlay: Overlay) {
            key = stored.key
            state = stored.state
            usage = stored.usage
            laid = overlay
        }

        /// The tables with the decisions so far on top of them.
        var overlay: Overlay {
            for decision in taken { laid.take(decision) }
            taken = []
            return laid
        }

        /// The number of decided records; a record that two decisions wrote counts twice.
        private(set) var writes = 0

        func take(_ decision: Decision) {
            taken.append(decision)
            writes += decision.records.count
            state = decision.family
        }

        /// Notes that the decisions are in the tables now.
        func didWrite(of store: FamilyStore) {
            guard writes > 0 else { return }
            (laid, taken, writes) = (Overlay(over: store.view(of: key)), [], 0)
        }
    }

    /// The number of records in a family's overlay after which its decisions are written, so that reads of the overlay
    /// stay fast.
    static let maxWrites = 512
    /// The weight of decisions after which they are written, so that the time of a batch includes their writing
    /// (`BatchTurn`): half of the largest change, or about two hundred usual ones.
    static let maxWeight = 262_144

    /// The approximate number of octets to be written; it grows until they are written.
    private(set) var weight = 0

    private(set) var families: [Identifier: Family] = [:]
    private(set) var clients: [ClientName: ClientState] = [:]
    private(set) var decisions: [(family: Family, decision: Decision)] = []
    private(set) var receipts: [ReceiptWrite] = []

    /// The heads of the families before the batch.
    private(set) var heads: [Identifier: Int64]
    /// The heads before an earlier run of the same batch with an unknown outcome; empty if there was none.
    let lost: [Identifier: Int64]

    init(lost: [Identifier: Int64] = [:]) {
        self.lost = lost
        heads = lost
    }

    /// A family after the decisions so far; `nil` if there is none with this id.
    func family(_ id: Identifier, of store: FamilyStore) throws -> Family? {
        if let known = families[id] { return known }
        guard let stored = try store.family(id) else { return nil }
        let family = Family(stored, Overlay(over: store.view(of: stored.key)))
        families[id] = family
        if heads[id] == nil { heads[id] = stored.state.head }
        return family
    }

    /// Adds a decision that changed something.
    func accept(_ decision: Decision, _ family: Family) {
        family.take(decision)
        decisions.append((family, decision))
        weight += decision.records.count * 512 + (decision.entry?.octets.count ?? 0)
        if family.writes >= Self.maxWrites || weight >= Self.maxWeight { isDue = true }
    }

    func record(_ receipt: RecordedReceipt, of mutation: Int64, _ name: ClientName, _ known: ClientState?, at: Int64) {
        weight += receipt.frame.count
        receipts.append(ReceiptWrite(name: name, client: known?.key, mutation: mutation, at: at, receipt: receipt))
        var client = known ?? ClientState(key: nil, floor: 0, newest: 0, kept: UnloggedReceipts())
        client.newest = max(client.newest, mutation)
        if !receipt.isOfChange { client.kept.add(receipt.keptOctets) }
        clients[name] = client
    }

    func set(_ client: ClientState, _ name: ClientName) { clients[name] = client }

    /// The clients of a member that receive their first receipt in this batch.
    func newClients(of member: Identifier, _ family: Int64) -> Int {
        clients.count { $0.key.family == family && $0.key.member == member && $0.value.key == nil }
    }

    /// The receipt of a mutation in this batch. A repetition within a batch is rare, so the receipts are searched.
    func receipt(of mutation: Int64, _ name: ClientName) -> RecordedReceipt? {
        receipts.last { $0.mutation == mutation && $0.name == name }?.receipt
    }

    /// Whether an overlay is so large that its decisions must be written before the batch continues.
    private(set) var isDue = false

    func didWrite(of store: FamilyStore, _ keys: [ClientName: Int64]) {
        decisions.removeAll(keepingCapacity: true)
        receipts.removeAll(keepingCapacity: true)
        isDue = false
        weight = 0
        for family in families.values { family.didWrite(of: store) }
        for (name, key) in keys { clients[name]?.key = key }
    }
}

@available(*, unavailable)
extension Batch: Sendable {}

@available(*, unavailable)
extension Batch.Family: Sendable {}

extension CommittedChange {
    /// `nil` if the decision changed nothing.
    init?(_ decision: Decision) {
        guard let entry = decision.entry else { return nil }
        self.init(
            family: decision.family.id, change: entry.change, frame: entry.octets, checksum: entry.checksum,
            members: decision.rights)
    }
}

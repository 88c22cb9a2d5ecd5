import Bytes
import Family
import Ledger
import Wire

/// What one transaction has decided and not written yet.
///
/// Proposals are decided one after the other, each on what those before it decided. The engine gets all writes of the batch together: no
/// write has to be taken back when a proposal is refused.
final class Batch {
    struct Family {
        /// The integer that stands for the family in every key.
        let key: Int64
        var state: FamilyState
        var overlay: Overlay
    }

    /// Records in the overlay of a family after which its decisions are written, so that reads of the overlay stay short.
    static let maxWrites = 512

    private(set) var families: [Identifier: Family] = [:]
    private(set) var clients: [Store.ClientName: ClientState] = [:]
    private(set) var decisions: [(key: Int64, decision: Decision)] = []
    private(set) var receipts: [PendingReceipt] = []

    struct PendingReceipt {
        let name: Store.ClientName
        let mutation: Int64
        let at: Int64
        let receipt: RecordedReceipt
    }

    /// A family as it is after the decisions so far; `nil` if there is none with this id.
    func family(_ id: Identifier, of store: Store) throws -> Family? {
        if let known = families[id] { return known }
        guard let stored = try store.family(id) else { return nil }
        let family = Family(key: stored.key, state: stored.state, overlay: Overlay(over: store.view(of: stored.key)))
        families[id] = family
        return family
    }

    /// Takes a decision that changed something.
    ///
    /// - Parameter family: with its state after the decision.
    func accept(_ decision: Decision, _ family: Family) {
        family.overlay.take(decision)
        families[family.state.id] = family
        decisions.append((family.key, decision))
    }

    func record(_ receipt: RecordedReceipt, of mutation: Int64, _ name: Store.ClientName, _ known: ClientState?, at: Int64) {
        receipts.append(PendingReceipt(name: name, mutation: mutation, at: at, receipt: receipt))
        var client = known ?? ClientState(key: nil, floor: 0, newest: 0)
        client.newest = max(client.newest, mutation)
        clients[name] = client
    }

    /// An answer of this batch. A repetition within a batch is rare, so the answers are searched.
    func receipt(of mutation: Int64, _ name: Store.ClientName) -> RecordedReceipt? {
        receipts.last { $0.mutation == mutation && $0.name == name }?.receipt
    }

    /// Whether an overlay is so large that its decisions are written before the batch goes on.
    var isDue: Bool { families.values.contains { $0.overlay.count >= Self.maxWrites } }

    func didWrite(of store: Store, _ keys: [Store.ClientName: Int64]) {
        decisions.removeAll(keepingCapacity: true)
        receipts.removeAll(keepingCapacity: true)
        for id in families.keys {
            guard let family = families[id], family.overlay.count > 0 else { continue }
            families[id]?.overlay = Overlay(over: store.view(of: family.key))
        }
        for (name, key) in keys { clients[name]?.key = key }
    }
}

@available(*, unavailable)
extension Batch: Sendable {}

extension CommittedChange {
    /// `nil` if the decision changed nothing.
    init?(_ decision: Decision) {
        guard let entry = decision.entry else { return nil }
        self.init(family: decision.family.id, sequence: entry.change.sequence, frame: entry.octets, members: decision.rights)
    }
}

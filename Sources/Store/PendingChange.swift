import Bytes
import Family
import Wire

/// A mutation while it is being applied: what it did so far, to become a change or to be forgotten.
struct PendingChange {
    /// As it is after what was applied so far; put back among the families when the change stands.
    var family: FamilyState
    let actor: Actor
    /// Owner of athlete-scope records that name none.
    let context: Context
    /// UTC milliseconds.
    let at: Int64
    private(set) var entries: [ChangeEntry] = []
    private(set) var versions: [Ack.Version] = []
    /// The records that it touched, as they were before; `nil` for a record that it created.
    private var committed: [Identifier: Record?] = [:]
    /// The records that it deleted. No later operation may name them.
    private(set) var removed: Set<Identifier> = []
    /// The lowest stale base that an operation on a record was merged from.
    private var mergedBases: [Identifier: Int64] = [:]
    /// What it planned anew, to be checked when all of it was applied.
    var plans = Plans()
    /// Whose rights it touched, with the role they have now; `nil`: removed.
    var members: [(member: Identifier, role: Role?)] = []

    init(family: FamilyState, actor: Actor, context: Context, at: Int64) {
        self.family = family
        self.actor = actor
        self.context = context
        self.at = at
    }

    /// The sequence that it gets if it changes anything.
    var sequence: Int64 { family.head + 1 }

    /// - Parameter before: the record before this step; `nil` when it is created.
    mutating func add(_ record: Record, from before: Record?, _ effect: ChangeEntry.Effect) {
        if !committed.keys.contains(record.id) { committed.updateValue(before, forKey: record.id) }
        if case .delete = effect { removed.insert(record.id) }
        entries.append(ChangeEntry(kind: record.kind, id: record.id, version: record.version, effect: effect))
        // One version a record: the last one counts for the author.
        if let place = versions.firstIndex(where: { $0.id == record.id }) {
            versions[place].version = record.version
        } else {
            versions.append(Ack.Version(id: record.id, version: record.version))
        }
    }

    // MARK: Bases (semantics.md, "Batches")

    /// The record without what this mutation did to it; `nil` when the mutation created it.
    ///
    /// - Parameter current: the record as it is now.
    func committed(_ current: Record) -> Record? { committed[current.id] ?? current }

    /// Whether nobody but this mutation has changed a record since `base`: it is the version before the mutation, or one that the mutation
    /// itself made.
    func isCurrent(_ base: Int64, _ current: Record) -> Bool {
        let first = committed(current)?.version ?? 1
        return (first...current.version).contains(effectiveBase(base, of: current.id))
    }

    /// The version that an operation rests on. An operation that follows one with an older base on the same record rests on that older base
    /// too: its own may count the versions of this mutation from there, and then it names a version that its author has not seen.
    func effectiveBase(_ base: Int64, of id: Identifier) -> Int64 { min(base, mergedBases[id] ?? base) }

    mutating func didMerge(from base: Int64, _ id: Identifier) { mergedBases[id] = effectiveBase(base, of: id) }
}

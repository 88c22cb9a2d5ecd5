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

    mutating func add(_ record: Record, _ effect: ChangeEntry.Effect) {
        entries.append(ChangeEntry(kind: record.kind, id: record.id, version: record.version, effect: effect))
        // One version a record: the last one counts for the author.
        if let place = versions.firstIndex(where: { $0.id == record.id }) {
            versions[place].version = record.version
        } else {
            versions.append(Ack.Version(id: record.id, version: record.version))
        }
    }
}

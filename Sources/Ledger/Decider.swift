import Bytes
package import Family

/// One mutation while it is being decided: the rules of the product, without storage.
///
/// Decisions are made against a `FamilyView`; later decisions read the results of earlier ones. A mutation that throws is
/// dropped with its decider and leaves nothing behind. The order of the checks of one operation is: is it well formed, is the record there,
/// is it allowed, is its base current, are the rules kept.
///
/// A decider serves one mutation and is confined to the thread of its view.
package final class Decider {
    let environment: LedgerEnvironment
    let actor: Actor
    /// The owner of athlete-scope records that name none.
    let context: Context
    /// UTC milliseconds.
    let at: Int64
    let view: Overlay
    /// The family after what was decided so far.
    package private(set) var family: FamilyState

    private var entries: [ChangeEntry] = []
    private var endedShares: [EndedShare] = []
    private var memberships: [(member: Identifier, removedAt: Int64?)] = []
    private var rights: [(member: Identifier, role: Role?)] = []
    /// The octets of records and versions that the mutation may still read, besides those that it names.
    var budget: ReadBudget
    /// The records that the mutation deleted. No later operation may name them.
    private var removed: Set<Identifier> = []
    /// The lowest stale base that an operation on a record was merged from.
    private var mergedBases: [Identifier: Int64] = [:]
    /// The plans that the mutation made, to be checked after the last operation.
    var plans = Plans()

    /// - Parameters:
    ///   - family: before the mutation.
    ///   - view: what the mutation sees, decisions of the same batch that were accepted before it included.
    package init(_ family: FamilyState, actor: Actor, context: Context, at: Int64, on view: any FamilyView, _ environment: LedgerEnvironment) {
        self.family = family
        self.actor = actor
        self.context = context
        self.at = at
        self.view = Overlay(over: view)
        self.environment = environment
        budget = ReadBudget(octets: environment.limits.relatedOctets)
    }

    /// The sequence of the change, if anything changes.
    var sequence: Int64 { family.head + 1 }

    /// Decides a whole mutation.
    ///
    /// - Throws: the `Rejection` that its author gets, or the failure of the engine.
    package func decide(_ mutation: Mutation) throws -> Decision {
        switch mutation.body {
        case .operations(let operations):
            guard operations.count <= environment.limits.operationsPerMutation else {
                throw Rejection(.tooMany, "A mutation is at most \(environment.limits.operationsPerMutation) operations")
            }
            for (index, operation) in operations.enumerated() { try apply(operation, index) }
        case .undo(let sequence):
            do {
                try undo(sequence)
            } catch var rejection as Rejection {
                // Nobody asked for operations, so none can be named.
                rejection.operation = nil
                throw rejection
            }
        }
        let warnings = try checkPlans(accepted: Set(mutation.overlap?.pairs ?? []))
        return try decision(for: mutation, warnings: warnings)
    }

    /// Closes the decision, as one change with the next sequence.
    ///
    /// - Parameters:
    ///   - mutation: the author's; `nil` for changes that the server makes itself.
    ///   - overlap: overlaps that are accepted without a mutation.
    /// - Throws: `too_many` for a change that would not fit beside anything else into the queue of a reader: a few ids can bring back or name
    ///   megabytes, and a frame that no client can be sent would keep every client from resuming.
    package func decision(for mutation: Mutation? = nil, overlap: OverlapOverride? = nil, warnings: [MutationWarning] = []) throws -> Decision {
        guard !entries.isEmpty else { return Decision(family: family, warnings: warnings) }
        var undone: Int64?
        if case .undo(let sequence)? = mutation?.body { undone = sequence }
        let change = Change(
            sequence: sequence, at: at, member: actor.member, client: mutation?.client, mutation: mutation?.id, overlap: mutation?.overlap ?? overlap,
            undoes: undone, entries: entries)
        let octets = environment.encode(change)
        guard octets.count <= environment.limits.changeOctets else {
            throw Rejection(.tooMany, "This change is too large. Make several smaller ones")
        }
        var family = family
        family.head = change.sequence
        return Decision(
            family: family, entry: LogEntry(change: change, octets: octets, checksum: family.checksum), 
            // One of each record: the last one counts for the author.
            versions: view.records.values.map { RecordVersion(id: $0.record.id, version: $0.record.version) }, warnings: warnings,
            records: view.records.values, history: view.history.values, endedShares: endedShares, memberships: memberships, blobs: view.blobs,
            rights: rights)
    }

    // MARK: Notes of the steps

    /// Notes that a record changed.
    func add(_ record: Record, _ effect: ChangeEntry.Effect) {
        if case .delete = effect { removed.insert(record.id) }
        entries.append(ChangeEntry(kind: record.kind, id: record.id, version: record.version, effect: effect))
    }

    func isRemoved(_ id: Identifier) -> Bool { removed.contains(id) }

    /// The version that an operation rests on. An operation that follows one with an older base on the same record rests on that older base
    /// too: its own may count the versions of this mutation from there, and then it names a version that its author has not seen.
    func effectiveBase(_ base: Int64, of id: Identifier) -> Int64 { min(base, mergedBases[id] ?? base) }

    func didMerge(from base: Int64, _ id: Identifier) { mergedBases[id] = effectiveBase(base, of: id) }

    /// Counts a new record of the family.
    func count(_ id: Identifier, version: Int64) { family.count(id, version: version) }

    /// Follows a record that is written, by its living versions (`nil`: deleted). So the checksum rests on the records, not on the entries of the
    /// change.
    func updateChecksum(of id: Identifier, from former: Int64?, to version: Int64?) {
        var checksum = family.checksum
        if let former { checksum.subtract(id, version: former) }
        if let version { checksum.add(id, version: version) }
        family.checksum = checksum
    }

    func setZone(_ zone: String) { family.zone = zone }

    func set(_ member: Identifier, _ state: MemberState) { family.members[member] = state }

    func endShares(of document: Identifier, school: Identifier? = nil) {
        endedShares.append(EndedShare(links: .document(document, school: school), at: at))
    }

    /// Ends the links that a member made.
    func endShares(by creator: Identifier) { endedShares.append(EndedShare(links: .creator(creator), at: at)) }

    func setMembership(of member: Identifier, removedAt: Int64?) { memberships.append((member, removedAt)) }

    func touchRights(of member: Identifier, role: Role?) { rights.append((member, role)) }
}

@available(*, unavailable)
extension Decider: Sendable {}

package import Bytes

/// The effect of one mutation: durable, with its number in the family's sequence.
package struct Change: Hashable, Sendable {
    /// 1, 2, 3, … in the family, ≤ 2^53−1.
    package var sequence: Int64
    /// UTC milliseconds of the commit.
    package var at: Int64
    /// The author.
    package var member: Identifier
    /// The author's client and mutation id, by which an author who lost the ack knows its own; `nil` for the server's own changes.
    package var client: Identifier?
    package var mutation: Int64?
    /// Overlaps that the author accepted.
    package var overlap: OverlapOverride?
    /// The change that this one takes back.
    package var undoes: Int64?
    /// In the order in which they were applied.
    package var entries: [ChangeEntry]
    /// How the checksum of the family moves by entries of kinds that this program does not know, which are not in `entries`. Not written.
    package var unknown = StateChecksum()

    package init(
        sequence: Int64, at: Int64, member: Identifier, client: Identifier?, mutation: Int64?, overlap: OverlapOverride? = nil,
        undoes: Int64? = nil, entries: [ChangeEntry]
    ) {
        self.sequence = sequence
        self.at = at
        self.member = member
        self.client = client
        self.mutation = mutation
        self.overlap = overlap
        self.undoes = undoes
        self.entries = entries
    }
}

/// The effect of a change on one record.
package struct ChangeEntry: Hashable, Sendable {
    package enum Effect: Hashable, Sendable {
        /// The whole record.
        case create(athlete: Identifier?, fields: Fields)
        /// The fields that changed, with their new values (`nil`: now empty). Sets appear whole, as they are now.
        case update([FieldPatch.Assignment])
        case delete
        /// The whole record, as it is again, with its creation as it was.
        case restore(athlete: Identifier?, fields: Fields, createdAt: Int64, createdBy: Identifier)
    }

    package var kind: Kind
    package var id: Identifier
    /// After the change.
    package var version: Int64
    package var effect: Effect

    package init(kind: Kind, id: Identifier, version: Int64, effect: Effect) {
        self.kind = kind
        self.id = id
        self.version = version
        self.effect = effect
    }
}

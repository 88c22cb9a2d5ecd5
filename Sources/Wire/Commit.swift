package import Bytes
package import Family

/// The writer's answer to one proposal, on its way back to the reactor.
package struct Receipt: Sendable {
    /// The session of the proposal (`Proposal.session`).
    package var session: UInt64
    package var family: Identifier
    /// The member whose account `owed` belongs to; `nil` charges the family alone.
    package var member: Identifier?
    package var mutation: Int64
    /// The `ack` or `reject` frame, encoded. Sent only when what it says is on stable storage.
    package var frame: [UInt8]
    /// Microseconds that the work took beyond `Proposal.reserved`; negative if it took less.
    package var owed: Int64

    package init(session: UInt64, family: Identifier, member: Identifier? = nil, mutation: Int64, frame: [UInt8], owed: Int64 = 0) {
        self.session = session
        self.family = family
        self.member = member
        self.owed = owed
        self.mutation = mutation
        self.frame = frame
    }
}

/// A change that is on stable storage, ready for everyone.
package struct CommittedChange: Sendable {
    package var family: Identifier
    package var change: Change
    /// The change as it is in the log, which is its `change` frame.
    package var frame: [UInt8]
    /// Of the family's records after the change.
    package var checksum: StateChecksum
    /// Members whose rights this change touched, or what others may do with their records, with the role they have now; `nil`: removed.
    package var members: [(member: Identifier, role: Role?)]

    package var sequence: Int64 { change.sequence }

    package init(family: Identifier, change: Change, frame: [UInt8], checksum: StateChecksum, members: [(member: Identifier, role: Role?)] = []) {
        self.family = family
        self.change = change
        self.frame = frame
        self.checksum = checksum
        self.members = members
    }
}

/// The results of one commit, in its order: for each proposal its receipt and, when it changed something, the change.
package enum CommitResult: Sendable {
    case receipt(Receipt)
    case change(CommittedChange)
}

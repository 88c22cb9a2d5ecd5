package import Bytes

/// Something that commits whole or not at all, under an id by which sending it again has no second effect.
package struct Mutation: Hashable, Sendable {
    /// The request.
    package enum Body: Hashable, Sendable {
        /// 1...`Limits.operationsPerMutation`, applied in this order.
        case operations([Operation])
        /// Takes back what the change with this sequence did.
        case undo(sequence: Int64)
    }

    /// The client that asks: one installation of a client program.
    package var client: Identifier
    /// 1...2^53−1, the client's own count. A new mutation takes a larger id than every earlier one of the same client.
    package var id: Int64
    package var body: Body
    /// Overlaps of trip items that the author accepts; `nil`: none.
    package var overlap: OverlapOverride?

    package init(client: Identifier, id: Int64, body: Body, overlap: OverlapOverride? = nil) {
        self.client = client
        self.id = id
        self.body = body
        self.overlap = overlap
    }

    package init(client: Identifier, id: Int64, operations: [Operation]) {
        self.init(client: client, id: id, body: .operations(operations))
    }

    /// None for an undo.
    package var operations: [Operation] {
        if case .operations(let operations) = body { return operations }
        return []
    }
}

/// How an update whose base version is no longer the current one is treated.
package enum MergeMode: String, CaseIterable, Sendable {
    /// It is a conflict (unless the update is made of set operations only).
    case none
    /// Edits of different fields both stand; only the same field is a conflict.
    case disjoint
}

/// One step of a mutation.
package struct Operation: Hashable, Sendable {
    package enum Action: Hashable, Sendable {
        /// A new record. `athlete` is the owner for kinds of scope `.athlete`; `nil` takes the connection's context.
        case create(athlete: Identifier?, patch: FieldPatch)
        case update(base: Int64, merge: MergeMode, patch: FieldPatch)
        case delete(base: Int64)
        /// Brings a deleted record back as it was; `base` is the tombstone's version.
        case restore(base: Int64)
        /// Moves all dates of a trip, a trip item or an event by whole days; local times stay. A trip takes its items along.
        case shift(base: Int64, days: Int)
        /// A new trip or event, copied from the one called `from`, this many days later; a trip is copied with its
        /// items.
        case copy(from: Identifier, days: Int)
    }

    package var kind: Kind
    package var id: Identifier
    package var action: Action

    package init(kind: Kind, id: Identifier, action: Action) {
        self.kind = kind
        self.id = id
        self.action = action
    }
}

/// A frame with a readable mutation id whose content its reader refused. The writer records the refusal like any other final answer.
package struct RefusedFrame: Sendable {
    package var rejection: Rejection
    /// The frame as it came: what it asks for is not known, so these octets are what is compared when it is sent again.
    package var octets: [UInt8]

    package init(_ rejection: Rejection, octets: [UInt8]) {
        self.rejection = rejection
        self.octets = octets
    }
}

/// A mutation on its way to the writer, with what the connection adds to it.
package struct Proposal: Sendable {
    /// The family that the session joined.
    package var family: Identifier
    package var member: Identifier
    /// The owner of athlete-scope records that name none.
    package var context: Context
    /// Without operations when `refused` is set.
    package var mutation: Mutation
    /// Set when nothing is to be done but to refuse the mutation.
    package var refused: RefusedFrame?
    /// The session is a token that only reads: nothing is changed.
    package var isReadOnly: Bool
    /// Where the answer goes; opaque to the store.
    package var session: UInt64
    /// The session in the database, for acts that need a fresh check of the person; `nil` where there is none.
    package var account: Int64?
    /// Microseconds of work that were charged when it was accepted; the receipt says how much more or less it was.
    package var reserved: Int64
    /// When it was given to the writer, nanoseconds of the monotonic clock; 0 if nobody measures.
    package var acceptedAt: Int64 = 0

    package init(
        family: Identifier, member: Identifier, context: Context, mutation: Mutation, refused: RefusedFrame? = nil, isReadOnly: Bool = false,
        session: UInt64, account: Int64? = nil, reserved: Int64 = 0
    ) {
        self.account = account
        self.isReadOnly = isReadOnly
        self.reserved = reserved
        self.family = family
        self.member = member
        self.context = context
        self.mutation = mutation
        self.refused = refused
        self.session = session
    }

    /// Whether it removes a member other than its author.
    package var removesSomebody: Bool {
        guard case .operations(let operations) = mutation.body else { return false }
        return operations.contains { operation in
            guard operation.kind == .member, operation.id != member, case .delete = operation.action else { return false }
            return true
        }
    }
}

package import Bytes

/// A batch of operations that commits whole or not at all, under an id by which sending it again has no second effect.
package struct Mutation: Hashable, Sendable {
    /// The client that asks: one installation of a client program.
    package var client: Identifier
    /// 1...2^53−1, the client's own count. A new mutation takes a larger id than every earlier one of the same client.
    package var id: Int64
    /// 1...`Limits.operationsPerMutation`.
    package var operations: [Operation]

    package init(client: Identifier, id: Int64, operations: [Operation]) {
        self.client = client
        self.id = id
        self.operations = operations
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

/// A mutation on its way to the writer, with what the connection adds to it.
package struct Proposal: Sendable {
    /// The family that the session joined.
    package var family: Identifier
    package var member: Identifier
    /// The owner of athlete-scope records that name none.
    package var context: Context
    package var mutation: Mutation
    /// Where the answer goes; opaque to the store.
    package var session: UInt64

    package init(family: Identifier, member: Identifier, context: Context, mutation: Mutation, session: UInt64) {
        self.family = family
        self.member = member
        self.context = context
        self.mutation = mutation
        self.session = session
    }
}

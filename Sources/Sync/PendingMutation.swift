internal import Bytes
package import Family
internal import Wire

/// A mutation without a final result from the server.
package struct PendingMutation: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// Never sent: later edits of its records may still fold into it.
        case unsent
        /// Sent on the current connection, and unanswered since that time of the engine's clock (milliseconds).
        case inFlight(since: Int64)
        /// Sent on an earlier connection, or refused for now. It is unknown whether the server applied it, so it is
        /// sent again unchanged.
        case resend
        /// Acknowledged; its change with this sequence has not arrived yet, so it is still shown from here.
        case acknowledged(sequence: Int64)
    }

    /// The mutation id, the same at every attempt.
    package let id: Int64
    package internal(set) var operations: [Operation]
    /// The sequence of the change to undo, in place of operations.
    package let undo: Int64?
    /// The overlaps of trip items that its author accepts.
    package let overlap: OverlapOverride?
    /// The time of the request in UTC milliseconds.
    package let at: Int64
    package internal(set) var state = State.unsent
    /// The number of connections that the server ended with a complaint while this was unanswered
    /// (`SyncEngine.isComplaint`).
    package internal(set) var complaints = 0
    /// Engine time before which it is not sent again.
    var notBefore: Int64 = 0

    init(id: Int64, body: Mutation.Body, overlap: OverlapOverride?, at: Int64) {
        self.id = id
        switch body {
        case .operations(let operations): (self.operations, undo) = (operations, nil)
        case .undo(let sequence): (operations, undo) = ([], sequence)
        }
        self.overlap = overlap
        self.at = at
    }

    package var body: Mutation.Body { undo.map { .undo(sequence: $0) } ?? .operations(operations) }

    var frame: ClientFrame { .mutation(id: id, body: body, overlap: overlap) }

    /// Whether it moves reading positions alone. The program requests that, not the user: there is nothing to decide about
    /// its refusal, and its loss would not be noticed.
    var isReadingPosition: Bool { !operations.isEmpty && operations.allSatisfy { $0.kind == .readingPosition } }

    /// Whether the server cannot have seen it yet.
    package var isUnsent: Bool { state == .unsent }

    var isInFlight: Bool {
        if case .inFlight = state { return true }
        return false
    }

    var isAcknowledged: Bool {
        if case .acknowledged = state { return true }
        return false
    }

    func touches(_ id: Identifier) -> Bool { operations.contains { $0.id == id } }
}

/// A mutation that was finally refused, kept for its author until it is retried or dropped. It blocks nothing.
package struct Draft: Hashable, Sendable {
    /// The id of the refused mutation.
    package let id: Int64
    package let operations: [Operation]
    /// The sequence of the change to undo, in place of operations.
    package var undo: Int64?
    /// The overlaps that its author accepted already.
    package var overlap: OverlapOverride?
    /// The time of the request in UTC milliseconds.
    package let at: Int64
    /// The rejection, with the conflict if there is one.
    package let rejection: Rejection

    package init(id: Int64, operations: [Operation], undo: Int64? = nil, overlap: OverlapOverride? = nil, at: Int64, rejection: Rejection) {
        self.id = id
        self.operations = operations
        self.undo = undo
        self.overlap = overlap
        self.at = at
        self.rejection = rejection
    }
}

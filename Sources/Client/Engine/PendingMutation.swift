internal import Bytes
package import Family

/// A mutation that the server has not finished with.
package struct PendingMutation: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// Never sent: later edits of its records may still fold into it.
        case unsent
        /// Sent on the connection that is open now, and unanswered since that moment of the engine's clock (milliseconds).
        case inFlight(since: Int64)
        /// Sent on an earlier connection, or refused for now. Whether the server did it is unknown, so it is sent again as it is.
        case resend
        /// Acknowledged; its change with this sequence has not arrived yet, so it still shows from here.
        case acknowledged(sequence: Int64)
    }

    /// The mutation id, the same at every attempt.
    package let id: Int64
    package internal(set) var operations: [Operation]
    /// UTC milliseconds at which it was asked for.
    package let at: Int64
    package internal(set) var state = State.unsent
    /// How many connections the server ended with a complaint while this was unanswered (`SyncEngine.isComplaint`).
    var complaints = 0
    /// Engine time before which it is not sent again.
    var notBefore: Int64 = 0

    init(id: Int64, operations: [Operation], at: Int64) {
        self.id = id
        self.operations = operations
        self.at = at
    }

    var isUnsent: Bool { state == .unsent }

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

/// A mutation that was refused for good, kept with its author until it is retried or dropped. It blocks nothing.
package struct Draft: Hashable, Sendable {
    /// The id of the mutation that was refused.
    package let id: Int64
    package let operations: [Operation]
    /// UTC milliseconds at which it was asked for.
    package let at: Int64
    /// Why, with the conflict if there is one.
    package let rejection: Rejection
}

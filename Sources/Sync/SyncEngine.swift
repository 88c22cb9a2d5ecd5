package import Bytes
package import Family
package import Wire

/// Keeps one member's view of one family in sync with the server: confirmed records, pending mutations, refused
/// mutations.
///
/// A value without I/O and without a clock: inputs are methods, each returns the actions to carry out (`SyncAction`),
/// in order. `now` is any monotonic clock in milliseconds; `at` is UTC milliseconds. A lost connection loses nothing:
/// pending mutations keep their ids and are sent again, drafts stay, and the position (`cursor`) moves only over
/// applied changes.
///
/// The rules are those of `semantics`: "Offline edits", "Cursor", "Snapshot", "Close codes".
package struct SyncEngine: Sendable {
    /// The sign-in, and the wanted scope.
    package struct Configuration: Sendable {
        package var token: String
        /// This installation; mutation ids count under it.
        package var client: Identifier
        /// The family to join; `nil` for the only one.
        package var family: Identifier?
        /// The wanted context; `nil` for the server's default (an athlete's own, `all` for others).
        package var context: Context?
        /// The position to continue from; only for an engine that holds no records.
        package var cursor: Cursor?
        /// Continue after this sequence in whatever epoch the server has; only for an engine that holds no records.
        package var resumeAfter: Int64?
        /// Whether records are kept; a program that only follows the log needs none.
        package var holdsRecords: Bool
        /// Whether other members get no presence for this connection: for a program that does one thing and ends.
        package var isQuiet = false
        /// Whether the last context is requested again, if no other is requested.
        package var returnsToContext = false
        /// For jitter and mutation ids; equal seeds and inputs give equal actions.
        package var seed: UInt64

        package init(
            token: String, client: Identifier, family: Identifier? = nil, context: Context? = nil, cursor: Cursor? = nil,
            resumeAfter: Int64? = nil, holdsRecords: Bool = true, seed: UInt64
        ) {
            precondition(!holdsRecords || (cursor == nil && resumeAfter == nil), "a position without its records cannot be continued")
            self.token = token
            self.client = client
            self.family = family
            self.context = context
            self.cursor = cursor
            self.resumeAfter = resumeAfter
            self.holdsRecords = holdsRecords
            self.seed = seed
        }
    }

    /// The state of the connection.
    package enum Phase: Hashable, Sendable {
        /// Not started, or given up: `start` begins again.
        case stopped
        /// No connection; one was requested.
        case offline
        case signingIn
        case joining
        /// In the room, receiving missed changes.
        case syncing
        case live
    }

    /// The milliseconds that a sent mutation may be unanswered on a connection that otherwise works. Far longer than
    /// the server's slowest commit; after it the connection counts as broken.
    package static let answerTime: Int64 = 30_000
    /// The largest number of pending mutations and drafts together. Edits of one record fold, so this allows that many
    /// different records during one absence.
    package static let maxWaiting = 4_096
    /// The wait after a retryable refusal without a time, in milliseconds.
    static let defaultRetry: Int64 = 1_000
    /// The largest number of connections that may end with a complaint about one mutation.
    static let maxComplaints = 2

    package internal(set) var configuration: Configuration
    package internal(set) var phase = Phase.stopped
    /// The position of the records: epoch and sequence; `nil` before the first snapshot and after a reset.
    package internal(set) var cursor: Cursor?
    /// In the order of the requests, which is the order of sending.
    package internal(set) var pending: [PendingMutation] = []
    /// The finally refused mutations, oldest first.
    package internal(set) var drafts: [Draft] = []
    /// The limits of the last `welcome`; the defaults before.
    package internal(set) var limits = Limits()
    /// The features of the last `welcome`: the additions to 0.1.0 that this server supports.
    package internal(set) var features: Set<Feature> = []
    package internal(set) var memberships: [Membership] = []
    /// The family, member and role of the last `joined`; they stay while offline.
    package internal(set) var family: Identifier?
    package internal(set) var member: Identifier?
    package internal(set) var role: Role?
    /// The context in force at the server; while offline, the context to request.
    package internal(set) var context: Context?
    /// The members present, by member; empty while offline.
    package internal(set) var presence: [Identifier: Presence] = [:]
    /// The uploads in progress, by the id that the document will have.
    package internal(set) var uploads: [Identifier: UploadProgress] = [:]
    /// The largest number of uploads that a family may have open.
    static let maxUploads = 100
    /// The reminders that no device of the member has seen, the oldest first.
    package internal(set) var reminders: [Reminder] = []
    /// The largest number of them: later ones replace the first.
    static let maxReminders = 200
    /// Faults since the start, for tests and logs.
    package internal(set) var faultCount = 0

    var confirmed = ConfirmedRecords()
    var verification = Verification()
    /// The records touched by pending mutations, in their future state.
    var overlay: [Identifier: Record] = [:]
    /// The number of pending operations that touch each record.
    var touchCount: [Identifier: Int] = [:]
    /// Versions that arrived while a record had pending operations, for moving bases forward.
    var steps: [Identifier: [VersionStep]] = [:]
    /// The records of an incomplete snapshot.
    var snapshot: [Record]?
    var snapshotCount = 0
    /// The checksum of its records of unknown kinds.
    var snapshotUnknown = StateChecksum()
    var epoch = ""
    var lastMutation: Int64 = 0
    var lastRequest: Int64 = 0
    /// The number of pending mutations with complaints: while there are any, one is sent at a time, so that the next
    /// complaint has one cause.
    var suspects = 0
    var askedForContext = false
    /// The number of the unanswered `context` frame; `nil` if the server has no such numbers.
    var contextRequest: Int64?
    var backoff: Backoff
    /// The number of consecutive attempts that did not reach `live`.
    var failures = 0
    /// The server's request before it shut down: milliseconds until the next attempt.
    var returnAfter: Int64?
    /// The longest accepted wait: no server asks for more.
    static let longestReturn: Int64 = 60_000
    var faultsInRow = 0
    /// The time for which the timer is set.
    var wakeAt: Int64?

    // Collected during one input, returned at its end.
    var output: [SyncAction] = []
    var touched: Set<Identifier> = []

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        cursor = configuration.cursor
        context = configuration.context
        backoff = Backoff(seed: configuration.seed)
    }

    /// Starts, or starts again after a stop: requests a connection immediately.
    package mutating func start(now: Int64) -> [SyncAction] {
        guard phase == .stopped else { return [] }
        phase = .offline
        failures = 0
        output.append(.connect(afterMilliseconds: 0))
        return flush(now)
    }

    /// Called when the requested connection is open and supports the subprotocol.
    package mutating func connected(now: Int64) -> [SyncAction] {
        guard phase == .offline else { return [] }
        phase = .signingIn
        output.append(.send(.signIn(token: configuration.token)))
        return flush(now)
    }

    /// Called when the connection has ended, or could not be opened.
    ///
    /// - Parameter closeCode: the server's, or 1006 or `nil` for an abrupt end.
    package mutating func disconnected(closeCode: UInt16?, now: Int64) -> [SyncAction] {
        guard phase != .stopped else { return [] }
        if let closeCode, !CloseCode.reconnects(closeCode) {
            guard Self.isComplaint(closeCode), complainAboutInFlight(closeCode) else {
                phase = .offline
                stop(.closed(closeCode))
                return flush(now)
            }
        }
        lose(closeCode: closeCode)
        return flush(now)
    }

    /// Called when the timer of the last `wake` has fired. A call too early only asks for the rest of the wait.
    package mutating func timerFired(now: Int64) -> [SyncAction] {
        wakeAt = nil
        if phase == .live || phase == .syncing, let late = unansweredMutation(now) {
            fail(.unanswered(mutation: late))
        } else {
            sendDue(now)
        }
        return flush(now)
    }

    /// Asks the server to change the context; repeated at each join.
    package mutating func setContext(_ wanted: Context, now: Int64) -> [SyncAction] {
        configuration.context = wanted
        if isJoined {
            askedForContext = true
            contextRequest = nil
            if features.contains(.requests) {
                lastRequest += 1
                contextRequest = lastRequest
            }
            output.append(.send(contextRequest.map { .tagged(.context(wanted), request: $0) } ?? .context(wanted)))
        } else {
            context = wanted
        }
        return flush(now)
    }

    /// Requests data that the snapshot does not have: older messages, figures, history. The response is `.answer` or
    /// `.failed` with the number that `make` receives.
    ///
    /// - Parameter make: returns the frame with that number.
    /// - Returns: `nil` outside the room.
    package mutating func ask(now: Int64, _ make: (Int64) -> ClientFrame) -> (request: Int64, actions: [SyncAction])? {
        guard isJoined else { return nil }
        lastRequest += 1
        output.append(.send(make(lastRequest)))
        return (lastRequest, flush(now))
    }

    /// Names the family to join, after a stop that asked for it; then call `start`.
    package mutating func choose(_ family: Identifier) {
        guard phase == .stopped else { return }
        configuration.family = family
    }

    /// Ends this session everywhere; the response is a stop with `.signedOut`.
    package mutating func signOut(now: Int64) -> [SyncAction] {
        if isJoined || phase == .joining { output.append(.send(.signOut)) }
        return flush(now)
    }

    /// Whether this connection is in the room for the server.
    package var isJoined: Bool { phase == .syncing || phase == .live }

    /// Whether the code means that the server refused a frame, so that a mutation in flight may be the cause.
    static func isComplaint(_ code: UInt16) -> Bool {
        switch code {
        case 1002, 1003, 1007...1010, CloseCode.badFrame.rawValue: true
        default: false
        }
    }
}

extension SyncEngine {
    /// Handles a lost connection: drops its state and requests another.
    mutating func lose(closeCode: UInt16?) {
        endConnection()
        var wait = backoff.wait(failures: max(failures, faultsInRow))
        if let returnAfter {
            // The server gave each client another time. A short wait of our own is added, for the clients of a machine
            // that was asleep.
            wait = min(returnAfter, Self.longestReturn) + backoff.wait(failures: 0)
            self.returnAfter = nil
        }
        failures += 1
        output.append(.notify(.offline(closeCode: closeCode, retryAfter: wait)))
        output.append(.connect(afterMilliseconds: wait))
    }

    /// Handles a violation of the protocol: leaves, and returns with the cursor.
    mutating func fail(_ fault: SyncFault) {
        faultCount += 1
        output.append(.notify(.fault(fault)))
        // The held records differ from the server's: only a snapshot can fix that.
        if case .diverged = fault { cursor = nil }
        if case .unanswered = fault {
            output.append(.disconnect(closeCode: CloseCode.goingAway.rawValue))
        } else {
            output.append(.disconnect(closeCode: CloseCode.protocolError.rawValue))
        }
        lose(closeCode: nil)
        faultsInRow += 1
    }

    mutating func stop(_ reason: StopReason) {
        let wasConnected = phase != .offline && phase != .stopped
        endConnection()
        phase = .stopped
        if wasConnected { output.append(.disconnect(closeCode: CloseCode.normal.rawValue)) }
        output.append(.stop(reason))
    }

    mutating func endConnection() {
        phase = .offline
        snapshot = nil
        presence = [:]
        if let wanted = configuration.context { context = wanted }
        askedForContext = false
        for index in pending.indices where pending[index].isInFlight { pending[index].state = .resend }
    }

    /// Returns the actions of one input, and sets the timer if it has to fire earlier than planned.
    mutating func flush(_ now: Int64) -> [SyncAction] {
        if !touched.isEmpty {
            output.append(.changed(touched.sorted()))
            touched = []
        }
        if isJoined, let due = nextDeadline(now), due < wakeAt ?? .max {
            wakeAt = due
            output.append(.wake(afterMilliseconds: max(due - now, 0)))
        }
        defer { output = [] }
        return output
    }
}

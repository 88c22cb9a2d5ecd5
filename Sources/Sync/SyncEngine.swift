package import Bytes
package import Family
package import Wire

/// Keeps one member's view of one family in step with the server: what is confirmed, what is on its way, what was refused.
///
/// A value without I/O and without a clock: inputs are methods, each answers what to do (`SyncAction`), in order. `now` is any clock of
/// milliseconds that never goes back; `at` is UTC milliseconds. Nothing is lost when a connection is: pending mutations keep their ids
/// and are sent again, drafts stay, and the position (`cursor`) moves only over changes that were applied.
///
/// The rules are those of `semantics`: "Offline edits", "Cursor", "Snapshot", "Close codes".
package struct SyncEngine: Sendable {
    /// Who signs in, and how much is wanted.
    package struct Configuration: Sendable {
        package var token: String
        /// This installation; mutation ids count under it.
        package var client: Identifier
        /// `nil`: the only one.
        package var family: Identifier?
        /// `nil`: the server's default (an athlete's own, `all` for others).
        package var context: Context?
        /// Where to continue; only for an engine that holds no records.
        package var cursor: Cursor?
        /// Continue after this sequence in whatever epoch the server has; only for an engine that holds no records.
        package var resumeAfter: Int64?
        /// Whether records are kept; a program that only follows the log does without.
        package var holdsRecords: Bool
        /// Whether the others are not to be told of this connection: of a program that does one thing and goes.
        package var isQuiet = false
        /// Whether the season that was looked at last is looked at again, where no other is asked for.
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

    /// How far the connection has come.
    package enum Phase: Hashable, Sendable {
        /// Not started, or given up: `start` begins anew.
        case stopped
        /// No connection; one was asked for.
        case offline
        case signingIn
        case joining
        /// In the room, receiving what was missed.
        case syncing
        case live
    }

    /// Milliseconds that a sent mutation may stay unanswered on a connection that is alive otherwise. Longer than the server's slowest
    /// commit by far; after it the connection is taken for broken.
    package static let answerTime: Int64 = 30_000
    /// Pending mutations and drafts together. Edits of one record fold, so that this is that many different records in one absence.
    package static let maxWaiting = 4_096
    /// Wait after a refusal that may be retried and names no time, milliseconds.
    static let defaultRetry: Int64 = 1_000
    /// How often a connection may end with a complaint over one mutation.
    static let maxComplaints = 2

    package internal(set) var configuration: Configuration
    package internal(set) var phase = Phase.stopped
    /// Where the records are: epoch and sequence; `nil` before the first snapshot and after a reset.
    package internal(set) var cursor: Cursor?
    /// In the order in which they were asked for, which is the order of sending.
    package internal(set) var pending: [PendingMutation] = []
    /// Refused for good, oldest first.
    package internal(set) var drafts: [Draft] = []
    /// From the last `welcome`; the defaults before.
    package internal(set) var limits = Limits()
    /// Of the last `welcome`: what may be sent to this server besides what 0.1.0 knew.
    package internal(set) var features: Set<Feature> = []
    package internal(set) var memberships: [Membership] = []
    /// Of the last `joined`; they stay while offline.
    package internal(set) var family: Identifier?
    package internal(set) var member: Identifier?
    package internal(set) var role: Role?
    /// In force at the server; while offline, what will be asked for.
    package internal(set) var context: Context?
    /// Who is here now, by member; empty while offline.
    package internal(set) var presence: [Identifier: Presence] = [:]
    /// Files on their way, by the id that the document will have.
    package internal(set) var uploads: [Identifier: UploadProgress] = [:]
    /// As many as a family may have open.
    static let maxUploads = 100
    /// Faults since the start, for tests and logs.
    package internal(set) var faultCount = 0

    var confirmed = ConfirmedRecords()
    var verification = Verification()
    /// Records touched by pending mutations, as they will look.
    var overlay: [Identifier: Record] = [:]
    /// How many pending operations touch each record.
    var touchCount: [Identifier: Int] = [:]
    /// Versions that arrived while a record had pending operations, for moving bases forward.
    var steps: [Identifier: [VersionStep]] = [:]
    /// Records of a snapshot that is not whole yet.
    var snapshot: [Record]?
    var snapshotCount = 0
    /// Of its records of kinds that are not known here.
    var snapshotUnknown = StateChecksum()
    var epoch = ""
    var lastMutation: Int64 = 0
    var lastRequest: Int64 = 0
    /// Pending mutations with complaints: while there are any, one is sent at a time, so that the next complaint names its cause.
    var suspects = 0
    var askedForContext = false
    /// The number of the `context` frame that waits for its answer; `nil` where the server knows no such numbers.
    var contextRequest: Int64?
    var backoff: Backoff
    /// Attempts in a row that did not come to `live`.
    var failures = 0
    /// What the server asked for before it went away: milliseconds until the next attempt.
    var returnAfter: Int64?
    /// No server sends anybody away for longer.
    static let longestReturn: Int64 = 60_000
    var faultsInRow = 0
    /// When the timer is set to fire.
    var wakeAt: Int64?

    // Collected during one input, given out at its end.
    var output: [SyncAction] = []
    var touched: Set<Identifier> = []

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        cursor = configuration.cursor
        context = configuration.context
        backoff = Backoff(seed: configuration.seed)
    }

    /// Begins, or begins again after a stop: asks for a connection at once.
    package mutating func start(now: Int64) -> [SyncAction] {
        guard phase == .stopped else { return [] }
        phase = .offline
        failures = 0
        output.append(.connect(afterMilliseconds: 0))
        return flush(now)
    }

    /// The connection that was asked for is open and speaks the subprotocol.
    package mutating func connected(now: Int64) -> [SyncAction] {
        guard phase == .offline else { return [] }
        phase = .signingIn
        output.append(.send(.signIn(token: configuration.token)))
        return flush(now)
    }

    /// The connection ended, or could not be opened.
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

    /// The time of the last `wake` has come; too early or too often does no harm.
    package mutating func timerFired(now: Int64) -> [SyncAction] {
        if let due = wakeAt, due <= now { wakeAt = nil }
        if phase == .live || phase == .syncing, let late = unansweredMutation(now) {
            fail(.unanswered(mutation: late))
        } else {
            sendDue(now)
        }
        return flush(now)
    }

    /// Asks the server to look at another season; it is asked again at each join.
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

    /// Asks for what the snapshot does not hold: older messages, figures, history. The answer is `.answer` or `.failed` with the number
    /// that `make` is given.
    ///
    /// - Parameter make: the frame with that number.
    /// - Returns: `nil` while not in the room.
    package mutating func ask(now: Int64, _ make: (Int64) -> ClientFrame) -> (request: Int64, actions: [SyncAction])? {
        guard isJoined else { return nil }
        lastRequest += 1
        output.append(.send(make(lastRequest)))
        return (lastRequest, flush(now))
    }

    /// Names the family to join, after a stop that asked which; then `start`.
    package mutating func choose(_ family: Identifier) {
        guard phase == .stopped else { return }
        configuration.family = family
    }

    /// Ends this session everywhere; the answer is a stop with `.signedOut`.
    package mutating func signOut(now: Int64) -> [SyncAction] {
        if isJoined || phase == .joining { output.append(.send(.signOut)) }
        return flush(now)
    }

    /// Whether the server knows this connection as one in the room.
    package var isJoined: Bool { phase == .syncing || phase == .live }

    /// Codes with which a server refuses what was sent, so that a mutation in flight may be the cause.
    static func isComplaint(_ code: UInt16) -> Bool {
        switch code {
        case 1002, 1003, 1007...1010, CloseCode.badFrame.rawValue: true
        default: false
        }
    }
}

extension SyncEngine {
    /// The connection is gone: forget what belonged to it and ask for another.
    mutating func lose(closeCode: UInt16?) {
        endConnection()
        var wait = backoff.wait(failures: max(failures, faultsInRow))
        if let returnAfter {
            // Each client was given another time. A little of our own on top, for clients of one machine that was asleep.
            wait = min(returnAfter, Self.longestReturn) + backoff.wait(failures: 0)
            self.returnAfter = nil
        }
        failures += 1
        output.append(.notify(.offline(closeCode: closeCode, retryAfter: wait)))
        output.append(.connect(afterMilliseconds: wait))
    }

    /// The server broke the protocol: leave, and come back with the cursor.
    mutating func fail(_ fault: SyncFault) {
        faultCount += 1
        output.append(.notify(.fault(fault)))
        // The records held are not the server's any more: only a snapshot mends that.
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

    /// Gives out what one input came to, and sets the timer when it has to fire earlier than it is set to.
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

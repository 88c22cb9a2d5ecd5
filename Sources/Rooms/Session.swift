import Bytes
import Family
import Wire

/// A snapshot in memory, on its way to one session.
final class SnapshotUnderWay {
    /// Still to send, last first.
    var frames: [[UInt8]]
    let sequence: Int64
    let verification: SnapshotVerification
    let octets: Int
    var sent = 0
    /// By the hub's clock.
    let since: Int64

    init(frames: [[UInt8]], sequence: Int64, verification: SnapshotVerification, octets: Int, since: Int64) {
        self.frames = frames
        self.sequence = sequence
        self.verification = verification
        self.octets = octets
        self.since = since
    }
}

@available(*, unavailable)
extension SnapshotUnderWay: Sendable {}

/// The join of a session, kept apart while the database reads it.
final class PendingJoin {
    let join: Join
    /// Of the `join` frame.
    let request: Int64?
    /// Reminders that fired, and those that were seen, while the seat was read.
    var reminders: [Reminder] = []
    var seen: Set<Reminder.Key> = []

    init(_ join: Join, _ request: Int64?) {
        self.join = join
        self.request = request
    }
}

@available(*, unavailable)
extension PendingJoin: Sendable {}

/// One authenticated connection, or one on its way there. Confined to its hub's thread.
///
/// Most sessions are idle, so short-lived state is in separate objects, and small fields are side by side.
final class Session {
    enum Phase: Equatable {
        /// Nobody yet: `sign_in` or `redeem` may come.
        case anonymous
        /// A sign-in or redemption is on its way; nothing else may come.
        case signingIn
        /// A person: `join` may come.
        case signedIn
        /// The database reads the join. The session is already in the room's list, so that a removal in the
        /// meantime reaches it.
        case joining
        /// In the room, and reading snapshot or log up to the head.
        case catchingUp
        /// In the room, and sent each change as it commits.
        case live
        /// Signed out, by itself or by another connection of the same session: without any rights, until that is
        /// durable and the session is notified.
        case ending
        case closed
    }

    let id: SessionID
    /// Ends the session when it has not signed in by then (milliseconds of the hub's clock).
    let signInDeadline: Int64

    /// The token of the cookie, or the one that is being looked up; `nil` again with the welcome.
    var token: String?
    /// Of the `sign_in`, `redeem` or `sign_out` that waits for its answer.
    var request: Int64?
    /// The name that came with a `redeem`, while a reader looks the code up.
    var redemptionName: String?
    /// A `redeem` of the person who is signed in is on its way.
    var isAddingFamily = false

    // From the sign-in.
    /// The session's name in the database; `nil` before the sign-in.
    var number: Int64?

    // Small fields stand where an optional leaves room: behind `number` and behind `context`.
    var phase = Phase.anonymous
    /// Codes tried; at most `Hub.maxRedemptions`.
    var redemptions: UInt8 = 0
    /// `sign_out` is on its way to the writer, once.
    var isSigningOut = false
    /// Of a token for a program; `nil`: whatever the person may do.
    var scope: TokenScope?
    var role = Role.guest
    /// A read for catching up is on its way.
    var isReading = false
    /// Has sent a full portion and resumes when the outbox is empty.
    var awaitsDrain = false
    /// At most `Hub.maxPendingPages`.
    var pendingPages: UInt8 = 0

    var person: Int64 = 0
    /// A recovery of the person's sign-in that is reported with the next `joined`: before it a client expects nothing
    /// else.
    var recovery: RecoveryNotice?
    var memberships: [Membership] = []

    // From the join.
    var room: Room?
    var member = Identifier(high: 0, low: 0)
    var context = Context.all
    /// `joined` was sent: presence may follow.
    var isSeated = false
    /// Whether the others are not notified that it is here.
    var isQuiet = false
    /// The time at which the access log last received a view of an athlete whose season is shown here, by the hub's
    /// clock.
    var visits: [Identifier: Int64] = [:]
    /// The join that waits while the database reads it.
    var pendingJoin: PendingJoin?
    var client = Identifier(high: 0, low: 0)
    /// The last sequence that was sent.
    var cursor: Int64 = 0

    // Flow.
    /// Changes that committed since that read was asked for, so that its answer need not be complete when it comes: otherwise a busy
    /// family could keep a session from ever being live. At most `Hub.portionOctets`; above that, the database is read again.
    private(set) var waiting: [CommittedChange] = []
    private var waitingOctets = 0
    /// The snapshot that is being sent; `nil` before and after.
    var snapshot: SnapshotUnderWay?
    /// Octets of the mutations that wait for their receipts, in order; receipts come in the order of the proposals.
    private(set) var pendingSizes: [Int] = []
    /// Of the command about members or invites that is at the writer.
    var commandRequest: Int64?
    /// Frames that were refused.
    var refusals = TokenBucket()

    var pendingMutations: Int { pendingSizes.count }

    func didPropose(octets: Int) { pendingSizes.append(octets) }

    /// - Returns: the octets that the oldest proposal held.
    func didAnswer() -> Int { pendingSizes.isEmpty ? 0 : pendingSizes.removeFirst() }

    /// - Returns: the octets that the newest proposal held.
    func didRefuse() -> Int { pendingSizes.popLast() ?? 0 }

    func keepWaiting(_ change: CommittedChange, limit: Int) {
        waitingOctets += change.frame.count
        if waitingOctets > limit { waiting.removeAll() } else { waiting.append(change) }
    }

    func forgetWaiting() {
        waiting = []
        waitingOctets = 0
    }

    init(id: SessionID, now: Int64, limits: Limits) {
        self.id = id
        signInDeadline = now + Int64(limits.signInTime)
    }
}

@available(*, unavailable)
extension Session: Sendable {}

import Bytes
import Family
import Wire

/// One authenticated connection, or one on its way there. Confined to its hub's thread.
final class Session {
    enum Phase: Equatable {
        /// Nobody yet: `sign_in` or `redeem` may come.
        case anonymous
        /// A sign-in or redemption is on its way; nothing else may come.
        case signingIn
        /// A person: `join` may come.
        case signedIn
        /// The database is asked for a seat. Already in the room's list, so that a removal meanwhile reaches it.
        case joining
        /// In the room, and reading snapshot or log up to the head.
        case catchingUp
        /// In the room, and sent each change as it commits.
        case live
        case closed
    }

    let id: SessionID
    var phase = Phase.anonymous
    /// Ends the session when it has not signed in by then (milliseconds of the hub's clock).
    let signInDeadline: Int64
    var redemptions = 0

    // From the sign-in.
    var token = ""
    /// The session's name in the database; `nil` before the sign-in.
    var number: Int64?
    var person: Int64 = 0
    var memberships: [Membership] = []

    // From the join.
    var room: Room?
    var member = Identifier(high: 0, low: 0)
    var role = Role.guest
    var context = Context.all
    var client = Identifier(high: 0, low: 0)
    /// The last sequence that was sent.
    var cursor: Int64 = 0
    /// `joined` was sent: presence may follow.
    var isSeated = false

    // Flow.
    /// A read for catching up is on its way.
    var isReading = false
    /// Snapshot frames still to send, last first.
    var snapshotFrames: [[UInt8]] = []
    var snapshotSequence: Int64 = 0
    var holdsSnapshotPermit = false
    /// Has sent a full portion and goes on when the outbox is empty.
    var awaitsDrain = false
    /// Octets of the mutations that wait for their receipts, in order; receipts come in the order of the proposals.
    private var pendingSizes: [Int] = []
    var pendingPages = 0
    var bucket: TokenBucket

    var pendingMutations: Int { pendingSizes.count }

    func didPropose(octets: Int) { pendingSizes.append(octets) }

    /// - Returns: the octets that the oldest proposal held.
    func didAnswer() -> Int { pendingSizes.isEmpty ? 0 : pendingSizes.removeFirst() }

    init(id: SessionID, now: Int64, limits: Limits) {
        self.id = id
        signInDeadline = now + Int64(limits.signInTime)
        bucket = TokenBucket(rate: limits.mutationsPerSecond, burst: limits.mutationBurst, now: now)
    }
}

@available(*, unavailable)
extension Session: Sendable {}

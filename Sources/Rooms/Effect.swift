package import Bytes
package import Family
package import Queries
package import Wire

/// Names a session from outside: its slot, and how often the slot was used before, so that a late answer for a session that
/// is gone finds nobody.
package typealias SessionID = UInt64

/// The actions that the hub asks for, in order. The caller takes `Hub.effects` after each input and performs them.
package enum Effect: Sendable {
    /// Sends one text message; the octets may be shared with other sessions.
    case send(SessionID, [UInt8])
    /// Closes after what was sent before it; with `dropsQueue`, what still waits for this session is not sent any more.
    case close(SessionID, CloseCode, reason: String, dropsQueue: Bool)
    /// To the writer. Its receipt comes back through `Hub.committed`.
    case propose(Proposal)
    /// To a reader thread. Its answer comes back through `Hub.answered`.
    case read(SessionID, ReadRequest)
    /// To a reader thread: reads the changes after a sequence that the family's room has not received. The answer comes back through
    /// `Hub.answeredMissing`.
    case readMissing(family: Identifier, after: Int64)
    /// To the writer, outside of a family's mutations. Its answer comes back through `Hub.commanded`.
    case command(SessionID, SessionCommand)
    /// To the hashers and the writer. Its answer comes back through `Hub.answered`.
    case signInByName(SessionID, NameSignIn)
    /// The same, by a session of the database and its person.
    case account(SessionID, AccountAct, session: Int64, person: Int64)
    /// To the writer, before all other work: this session of the database ends. `Hub.endSessions` or `Hub.didNotEnd` follows.
    case endSession(Int64)
    /// To the writer, before all other work: sessions of the person of `by` end, by the id of one; `nil`: all but `by`. `Hub.endSessions` follows for each
    /// that ended, then `Hub.didEndSessions`.
    case endSessions(SessionID, by: Int64, Identifier?)
    /// To the writer, before all other work: a calendar feed of the member ends. `Hub.didEndFeed` follows.
    case endFeed(SessionID, family: Identifier, member: Identifier, feed: Identifier)
    /// To the writer: a member has seen a reminder. `Hub.didSeeReminder` follows, unless the writer has no room; then the reminder comes again.
    case seeReminder(family: Identifier, member: Identifier, Reminder.Key)
    /// To the writer: somebody looked at what is an athlete's.
    case noteAccess(AccessNote)
    /// To the writer: these sessions of the database are in use.
    case renew(sessions: [Int64])
    /// One line for the operator: a client's records at `sequence` had another checksum than the server's, so the client loads them again.
    case noteDifference(SessionID, family: Identifier, member: Identifier, sequence: Int64)
    /// One line for the operator.
    case note(SessionID, event: StaticString, code: String)
}

/// A question of a session to the database.
package enum ReadRequest: Sendable {
    case signIn(token: String)
    /// Whether the writer is to be asked to redeem a code.
    case redemption(code: String, nonce: String)
    case join(person: Int64, Join)
    case changes(family: Identifier, after: Int64)
    case snapshot(family: Identifier)
    case page(family: Identifier, Query, ListRequest)
    /// `athlete`: whose records count; `nil` for everybody's.
    case statistics(family: Identifier, StatisticsRequest, athlete: Identifier?)
    /// `member`: who asks, and what they could undo.
    case history(family: Identifier, member: Identifier, HistoryRequest)
    /// `member`: who asks.
    case digest(family: Identifier, member: Identifier, DigestRequest)
    case accessLog(family: Identifier, member: Identifier, AccessLogRequest)
    case invites(family: Identifier, member: Identifier, InvitesRequest)
    case audit(family: Identifier, member: Identifier, AuditRequest)
    case standings(family: Identifier, member: Identifier, StandingsRequest)
    /// `current`: the session that asks.
    case sessions(person: Int64, current: Int64, request: Int64)
    case calendars(family: Identifier, member: Identifier, request: Int64)
}

/// The answer to a `ReadRequest`.
package enum ReadAnswer: Sendable {
    /// `nil`: no such session.
    case signIn(SignedIn?)
    /// The code with its nonce, and why it is refused; `nil`: the writer decides.
    case redemption(code: String, nonce: String, refusal: Rejection?)
    case join(Result<JoinResult, Rejection>)
    /// Encoded `change` frames that follow each other, whether the log ended there, and if so the checksum of the records at its end.
    case changes(frames: [[UInt8]], last: Int64, reachedEnd: Bool, checksum: StateChecksum?)
    /// The log no longer reaches back to where it was to be read from.
    case trimmed
    /// Encoded `snapshot` frames and the sequence that they are true at.
    case snapshot(frames: [[UInt8]], sequence: Int64, SnapshotVerification)
    /// The encoded frame that answers a request: a `page`, `statistics`, `history`, `digest`, `access_log`, `invites`, `audit`, `standings`, `sessions`, `calendars` or an `error`.
    case page([UInt8])
    /// The database could not be read; the session must come back later.
    case failed
}

/// The log's answer to `Effect.readMissing`.
package enum MissingAnswer: Sendable {
    case changes(MissedChanges)
    /// The log no longer reaches back to the first of them.
    case trimmed
    /// The database could not be read.
    case failed
}

/// Changes out of the log, in order, with what they mean for the people in a room.
package struct MissedChanges: Sendable {
    /// Encoded `change` frames that follow each other.
    package var changes: [(sequence: Int64, frame: [UInt8])]
    /// Members whose records the changes touched, with the role that they have now; `nil`: removed.
    package var rights: [(member: Identifier, role: Role?)]
    /// The log ended there when it was read.
    package var reachedEnd: Bool
    /// Of the family's records at the end of the log; `nil` if the changes end before it.
    package var checksum: StateChecksum?

    package init(
        changes: [(sequence: Int64, frame: [UInt8])], rights: [(member: Identifier, role: Role?)] = [], reachedEnd: Bool,
        checksum: StateChecksum? = nil
    ) {
        self.changes = changes
        self.rights = rights
        self.reachedEnd = reachedEnd
        self.checksum = checksum
    }
}

/// A person with the families they belong to.
package struct SignedIn: Sendable {
    /// Names the session in the database, so that its end finds every connection that uses it.
    package var session: Int64
    package var person: Int64
    package var memberships: [Membership]
    /// The session's use was last noted more than a day ago.
    package var isRenewalDue: Bool
    /// The code that gave the token can still be redeemed again.
    package var isRedemptionOpen: Bool
    /// Of a token for a program; `nil` for a session that may do whatever the person may do.
    package var scope: TokenScope?
    /// A recovery of the person's sign-in since the session was made.
    package var recovery: RecoveryNotice?

    package init(
        session: Int64, person: Int64, memberships: [Membership], isRenewalDue: Bool = false, isRedemptionOpen: Bool = false, scope: TokenScope? = nil,
        recovery: RecoveryNotice? = nil
    ) {
        self.scope = scope
        self.recovery = recovery
        self.session = session
        self.person = person
        self.memberships = memberships
        self.isRenewalDue = isRenewalDue
        self.isRedemptionOpen = isRedemptionOpen
    }
}

/// The result of a join, read in one transaction.
package struct JoinResult: Sendable {
    package enum Resume: Sendable, Hashable {
        case changes
        case snapshot
        case reset(ResetReason)
    }

    package var epoch: String
    /// The family's last sequence.
    package var head: Int64
    package var member: Identifier
    package var role: Role
    /// The family's athletes, by whom a context is checked.
    package var athletes: [Identifier]
    package var resume: Resume
    /// Those of the member that no device has seen, the oldest first.
    package var reminders: [Reminder]

    package init(
        epoch: String, head: Int64, member: Identifier, role: Role, athletes: [Identifier], resume: Resume, reminders: [Reminder] = []
    ) {
        self.reminders = reminders
        self.epoch = epoch
        self.head = head
        self.member = member
        self.role = role
        self.athletes = athletes
        self.resume = resume
    }
}

/// A session's requests to the writer besides mutations.
package enum SessionCommand: Sendable {
    /// `session`: of the person to whom the family is added; `nil`: of somebody who gets a session.
    case redeem(code: String, nonce: String, name: String?, session: Int64?)
    case invite(family: Identifier, member: Identifier, InviteRequest)
    case withdrawInvite(family: Identifier, member: Identifier, WithdrawInviteRequest)
    case consent(family: Identifier, member: Identifier, ConsentRequest)
    /// `by`: the session that asks.
    case renameSession(Identifier, String, by: Int64)
    case createToken(CreateTokenRequest, by: Int64)
    case addDevice(by: Int64)
    case calendars(family: Identifier, member: Identifier, CalendarsRequest, by: Int64)
    case deletion(family: Identifier, member: Identifier, DeletionRequest.Act, by: Int64)
    /// The code that gave this session's token is dead from now on.
    case closeRedemption(session: Int64)
}

package enum SessionCommandAnswer: Sendable {
    /// `ended`: the session that an earlier redemption of the same code made; it is over.
    case token(String, family: Identifier, member: Identifier, ended: Int64?)
    case redemptionClosed
    /// `code`: for the person who is invited.
    case invite(Invite, code: String?)
    case standing(Standing)
    case sessions([AccountSession])
    case membership(Membership)
    /// The secret, and the session that it opens.
    case programToken(String, AccountSession)
    case deviceCode(String, expiresAt: Int64)
    case calendars([CalendarFeed], CalendarMade?)
    case deletion(FamilyDeletion?)
    case rejected(Rejection)
}

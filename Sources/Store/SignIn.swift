package import Bytes
package import Family
package import Wire

/// Who holds a session.
package struct SignIn: Hashable, Sendable {
    /// Names the session within this database, for ending its connections (`AdminAnswer.signedOut`, `SessionCreated.endedSession`).
    package var session: Int64
    /// Names the person within this database; never leaves the server.
    package var person: Int64
    /// Every family that the person belongs to now, by the time of joining.
    package var memberships: [Membership]
    /// Its use is to be noted (`Store.renew`), so that its time begins anew.
    package var isRenewalDue: Bool
    /// The code that gave the token can still be redeemed again: `Store.closeRedemption` comes before the answer.
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

/// The answer to a wish to join.
package enum JoinAnswer: Hashable, Sendable {
    /// `not_found` to whoever is not a member, whether the family exists or not; `cursor_ahead`: join again without a cursor.
    case refused(Rejection)
    case joined(JoinState)
}

/// One family and one member of it at one moment.
package struct JoinState: Hashable, Sendable {
    package enum Resume: Hashable, Sendable {
        /// The changes after the client's own sequence follow.
        case changes(after: Int64)
        /// The client had no cursor: a snapshot follows.
        case snapshot
        /// The client's cursor cannot be used: `reset`, then a snapshot.
        case reset(ResetReason)
    }

    package var family: Identifier
    package var member: Identifier
    package var role: Role
    package var epoch: String
    /// The newest sequence.
    package var head: Int64
    /// Cursors below it get `reset`.
    package var floor: Int64
    package var resume: Resume
    /// Whose season one can look at.
    package var athletes: [Athlete]
    /// The member's age in whole years by the family's zone; `nil` when no birth date is known. For `Permission`; never sent.
    package var age: Int?

    package init(
        family: Identifier, member: Identifier, role: Role, epoch: String, head: Int64, floor: Int64, resume: Resume,
        athletes: [Athlete], age: Int?
    ) {
        self.family = family
        self.member = member
        self.role = role
        self.epoch = epoch
        self.head = head
        self.floor = floor
        self.resume = resume
        self.athletes = athletes
        self.age = age
    }
}

/// An athlete of the family, and what parents may do with their records now (below 16 always `edit`).
package struct Athlete: Hashable, Sendable {
    package var member: Identifier
    package var parentAccess: ParentAccess

    package init(member: Identifier, parentAccess: ParentAccess) {
        self.member = member
        self.parentAccess = parentAccess
    }
}

/// Some changes out of the log, in order.
package struct LogPage: Sendable {
    /// The changes as they stand in the log (`LogCodec`).
    package var frames: [(sequence: Int64, frame: [UInt8])]
    /// The last of `frames` was the newest when this was read.
    package var reachedEnd: Bool
    /// Of the family's records at the end of the log; `nil` if the page ends before it.
    package var checksum: StateChecksum?
    /// The log no longer reaches back to where the page was to begin: nothing is given.
    package var isTrimmed = false

    package init(frames: [(sequence: Int64, frame: [UInt8])], reachedEnd: Bool) {
        self.frames = frames
        self.reachedEnd = reachedEnd
    }
}

/// Some of the records of a family as they were at one sequence.
package struct SnapshotPortion: Sendable {
    package var sequence: Int64
    package var records: [Record]
}

/// All records of a family as they were at one sequence.
package struct Snapshot<Part> {
    package var sequence: Int64
    /// What the caller made of the portions, in order.
    package var parts: [Part]
    /// Of all records of the family, and of those that no portion holds.
    package var verification: SnapshotVerification
}

extension Snapshot: Sendable where Part: Sendable {}

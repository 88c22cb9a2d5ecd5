package import Bytes
package import Family
package import Wire

/// The holder of a session.
package struct SignIn: Hashable, Sendable {
    /// The name of the session within this database, for ending its connections (`AdminAnswer.signedOut`,
    /// `SessionCreated.endedSession`).
    package var session: Int64
    /// The name of the person within this database; it never leaves the server.
    package var person: Int64
    /// Every current family of the person, in the order of joining.
    package var memberships: [Membership]
    /// Whether its use must be noted (`FamilyStore.renew`), so that its time begins again.
    package var isRenewalDue: Bool
    /// Whether the code that gave the token can still be redeemed again: then `FamilyStore.closeRedemption` comes before the
    /// answer.
    package var isRedemptionOpen: Bool
    /// The scope of a token for a program; `nil` for a session that may do whatever the person may do.
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

/// The answer to a request to join.
package enum JoinAnswer: Hashable, Sendable {
    /// `not_found` for a person who is not a member, whether the family exists or not; `cursor_ahead`: join again
    /// without a cursor.
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
    /// The athletes whose seasons can be shown.
    package var athletes: [Athlete]
    /// The member's age in whole years by the family's zone; `nil` if no birth date is known. For `Permission`; never
    /// sent.
    package var age: Int?
    /// Reminders of this member that no device has seen, the oldest first.
    package var reminders: [Reminder] = []

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

/// An athlete of the family, and the current rights of parents on their records (below 16 always `edit`).
package struct Athlete: Hashable, Sendable {
    package var member: Identifier
    package var parentAccess: ParentAccess

    package init(member: Identifier, parentAccess: ParentAccess) {
        self.member = member
        self.parentAccess = parentAccess
    }
}

/// Some changes from the log, in order.
package struct LogPage: Sendable {
    /// The changes in their stored form (`LogCodec`).
    package var frames: [(sequence: Int64, frame: [UInt8])]
    /// Whether the last of `frames` was the newest change when this was read.
    package var reachedEnd: Bool
    /// The checksum of the family's records at the end of the log; `nil` if the page ends before it.
    package var checksum: StateChecksum?
    /// Whether the log no longer contains the beginning of the page: then the page is empty.
    package var isTrimmed = false

    package init(frames: [(sequence: Int64, frame: [UInt8])], reachedEnd: Bool) {
        self.frames = frames
        self.reachedEnd = reachedEnd
    }
}

/// Some of the records of a family at one sequence.
package struct SnapshotPortion: Sendable {
    package var sequence: Int64
    package var records: [Record]
}

/// All records of a family at one sequence.
package struct Snapshot<Part> {
    package var sequence: Int64
    /// The caller's results for the portions, in order.
    package var parts: [Part]
    /// The checksums of all records of the family, and of those that no portion contains.
    package var verification: SnapshotVerification
}

extension Snapshot: Sendable where Part: Sendable {}

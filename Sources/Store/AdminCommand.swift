package import Bytes
package import Family

/// A command to the writer by the person who runs the server, or by a person without a session.
package enum AdminCommand: Hashable, Sendable {
    /// A new family with its first parent. `zone` is an IANA name.
    case createFamily(name: String, zone: String, parent: String)
    /// An invite of a new member, or of one who has never signed in. Athletes and guests need `by`, the parent who approves.
    case invite(NewInvite)
    /// A new session for a member, made by the person who runs the server. If the member's invite is open, this accepts
    /// it: the code is dead afterwards.
    case token(member: Identifier)
    /// Turns an invite's one-time code into a session. With the same nonce, before the first sign-in and within 10
    /// minutes (because the answer was lost), it makes another session and ends the former one.
    ///
    /// `name` is the name or the e-mail address that the invite is bound to, as the person typed it.
    case redeem(code: String, nonce: String, name: String? = nil)
    /// A code, made by the person who runs the server, with which a member who has lost their sign-in signs in again.
    /// It opens the whole person.
    case recover(member: Identifier)
    /// Ends the session of a token.
    case signOut(token: String)
    /// Removes what has expired: receipts, invites, sessions, and records deleted 30 days ago.
    case purge
}

/// An invite that is requested.
package struct NewInvite: Hashable, Sendable {
    /// The way of the request.
    package enum Origin: Hashable, Sendable {
        /// By the person who runs the server. The id and the code are drawn.
        case host
        /// By a parent's session: the parent is `by`. The client makes the id, and the code follows from the nonce, so
        /// that a repetition gets the first answer.
        case session(id: Identifier, nonce: String)
    }

    /// An id, or a name that one family has.
    package var family: String
    /// A member who has never signed in, or who is invited and has not joined; `nil` for a new person.
    package var member: Identifier?
    /// The name of a new person, like `role` and `born`.
    package var name: String?
    package var role: Role?
    /// `YYYY-MM-DD`.
    package var born: String?
    package var email: String?
    /// The last day of a new guest, `YYYY-MM-DD`.
    package var lastDay: String?
    /// The parent who invites.
    package var by: Identifier?
    package var origin = Origin.host

    package init(family: Identifier, name: String, role: Role, born: String? = nil, by: Identifier? = nil) {
        self.init(family: family.description, name: name, role: role, born: born, by: by)
    }

    package init(
        family: String, member: Identifier? = nil, name: String? = nil, role: Role? = nil, born: String? = nil, email: String? = nil,
        lastDay: String? = nil, by: Identifier? = nil, origin: Origin = .host
    ) {
        self.family = family
        self.member = member
        self.name = name
        self.role = role
        self.born = born
        self.email = email
        self.lastDay = lastDay
        self.by = by
        self.origin = origin
    }
}

/// The result of an admin command. A refusal is a `Rejection`, as for mutations.
package enum AdminAnswer: Hashable, Sendable {
    case family(FamilyCreated)
    case invited(Invited)
    case token(SessionCreated)
    case recovery(RecoveryMade)
    /// The session that ended (`SignIn.session`); `nil` if the token belonged to none.
    case signedOut(session: Int64?)
    case purged(Purged)
}

package struct FamilyCreated: Hashable, Sendable {
    package var family: Identifier
    /// The first parent.
    package var member: Identifier
    /// One-time code for the parent, valid until `expiresAt` (UTC milliseconds).
    package var code: String
    package var expiresAt: Int64

    package init(family: Identifier, member: Identifier, code: String, expiresAt: Int64) {
        self.family = family
        self.member = member
        self.code = code
        self.expiresAt = expiresAt
    }
}

package struct Invited: Hashable, Sendable {
    package var family: Identifier
    /// The final id of the member. A parent or guest becomes a member with this id once they have joined.
    package var member: Identifier
    package var role: Role
    package var name: String
    /// One-time code; `nil` for an athlete below 13, whose profile a parent keeps, and for one below 18, until a parent consents.
    package var code: String?
    /// UTC milliseconds; `nil` without a code.
    package var expiresAt: Int64?

    package init(family: Identifier, member: Identifier, role: Role, name: String, code: String?, expiresAt: Int64?) {
        self.family = family
        self.member = member
        self.role = role
        self.name = name
        self.code = code
        self.expiresAt = expiresAt
    }
}

package struct SessionCreated: Hashable, Sendable {
    /// 43 characters of base64url. The token is shown only now: the database holds its hash.
    package var token: String
    package var family: Identifier
    package var member: Identifier
    package var role: Role
    /// A session that this command ended (`SignIn.session`): its connections must be closed.
    package var endedSession: Int64?

    package init(token: String, family: Identifier, member: Identifier, role: Role, endedSession: Int64? = nil) {
        self.token = token
        self.family = family
        self.member = member
        self.role = role
        self.endedSession = endedSession
    }
}

/// The numbers of removed things whose time was over.
package struct Purged: Hashable, Sendable {
    package var receipts = 0
    package var invites = 0
    package var sessions = 0
    /// Deleted records.
    package var records = 0
    /// Entries of the access log and of the audit log.
    package var accesses = 0

    package init(receipts: Int = 0, invites: Int = 0, sessions: Int = 0, records: Int = 0, accesses: Int = 0) {
        self.receipts = receipts
        self.invites = invites
        self.sessions = sessions
        self.records = records
        self.accesses = accesses
    }

    mutating func add(_ other: Purged) {
        receipts += other.receipts
        invites += other.invites
        sessions += other.sessions
        records += other.records
        accesses += other.accesses
    }
}

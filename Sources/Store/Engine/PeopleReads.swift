package import Bytes
package import Dates
package import Family

/// A member in the tables of people.
package struct MembershipRow: Hashable, Sendable {
    /// The integer that stands for the family.
    package var family: Int64
    package var familyID: Identifier
    package var member: Identifier
    /// `nil` until a person signs in as this member.
    package var person: Int64?
    package var hasConsent: Bool
    package var isRemoved: Bool
    package var born: CalendarDate?
    /// The last day of a guest.
    package var lastDay: CalendarDate?

    package init(
        family: Int64, familyID: Identifier, member: Identifier, person: Int64?, hasConsent: Bool, isRemoved: Bool, born: CalendarDate?,
        lastDay: CalendarDate?
    ) {
        self.family = family
        self.familyID = familyID
        self.member = member
        self.person = person
        self.hasConsent = hasConsent
        self.isRemoved = isRemoved
        self.born = born
        self.lastDay = lastDay
    }
}

/// A parent's consent to the login of an athlete below 18.
package struct Consent: Hashable, Sendable {
    package var by: Identifier
    package var at: Int64
    /// The version of the text (`ConsentText`).
    package var terms: String
    /// SHA-256 of the text, and the person who consented; `nil` for consents that a host entered before version 15 of
    /// the database.
    package var digest: [UInt8]?
    package var person: Int64?

    package init(by: Identifier, at: Int64, terms: String, digest: [UInt8]? = nil, person: Int64? = nil) {
        self.by = by
        self.at = at
        self.terms = terms
        self.digest = digest
        self.person = person
    }
}

/// A stored invite.
package struct InviteRow: Hashable, Sendable {
    /// The integer that stands for the family.
    package var family: Int64
    package var familyID: Identifier
    /// Never `expired`: that follows from the time (`Invite.current`).
    package var invite: Invite
    /// A hash of the client's request, so that a repetition differs from another invite with the same id; empty if no
    /// client made it.
    package var payload: [UInt8]
    /// Whether the code is accepted only with the name or the e-mail address of the invite. It is not for invites of a
    /// program before version 14 of the database.
    package var isBound: Bool

    package init(family: Int64, familyID: Identifier, invite: Invite, payload: [UInt8], isBound: Bool = true) {
        self.family = family
        self.familyID = familyID
        self.invite = invite
        self.payload = payload
        self.isBound = isBound
    }
}

/// A code that can be redeemed, for the first time or again.
package struct CodeRow: Hashable, Sendable {
    package var key: Int64
    /// The integer that stands for the family.
    package var family: Int64
    package var member: Identifier
    /// The invite whose code it is; `nil` for one that was redeemed under a program before version 14 of the database.
    package var invite: Identifier?
    /// Once redeemed: the time after which the redemption can no longer be repeated.
    package var expiresAt: Int64
    /// The hash of the nonce of the client that redeemed it; `nil` before.
    package var nonceHash: [UInt8]?
    /// The session that the last redemption made; `nil` before.
    package var session: Int64?
    /// The session that made the code for another device; `nil`: the code of an invite, or of a recovery.
    package var maker: Int64?
    /// How the code lets a member sign in again who has lost their sign-in; `nil` for other codes.
    package var recovery: RecoveryWay?
    /// The parent who made the recovery code.
    package var recoveryBy: Identifier?

    /// Milliseconds after the first redemption in which it can be repeated, because its answer may have been lost: 10
    /// minutes.
    package static let redemptionWindow: Int64 = 600_000

    package init(
        key: Int64, family: Int64, member: Identifier, invite: Identifier?, expiresAt: Int64, nonceHash: [UInt8]? = nil, session: Int64? = nil,
        maker: Int64? = nil
    ) {
        self.maker = maker
        self.key = key
        self.family = family
        self.member = member
        self.invite = invite
        self.expiresAt = expiresAt
        self.nonceHash = nonceHash
        self.session = session
    }
}

/// The data of a member in an archive that is never broadcast.
package struct PersonRow: Hashable, Sendable {
    package var member: Identifier
    /// `YYYY-MM-DD`.
    package var born: String?
    package var consentBy: Identifier?
    package var consentAt: Int64?
    package var consentTerms: String?

    package init(member: Identifier, born: String?, consentBy: Identifier?, consentAt: Int64?, consentTerms: String?) {
        self.member = member
        self.born = born
        self.consentBy = consentBy
        self.consentAt = consentAt
        self.consentTerms = consentTerms
    }
}

/// Memberships, people, sessions and invites.
package protocol PeopleReads: SessionReads, CredentialReads, PasskeyReads, MailReads {
    /// By the id of the member alone, which is unique because the server makes it.
    func membership(_ member: Identifier) throws -> MembershipRow?

    /// The living memberships of a person, by the ids of the members, which begin with the time of the invitation.
    func memberships(ofPerson person: Int64) throws -> [MembershipRow]

    /// The consent to a member's sign-in; `nil` if there is none.
    func consent(family: Int64, member: Identifier) throws -> Consent?

    /// Members of all families who are guests with a last day before `day` and are not removed; at most `limit`.
    func membersEnding(before day: CalendarDate, limit: Int) throws -> [MembershipRow]

    /// The member whose person this is in a family now; `nil` if the person is not in the family.
    func member(family: Int64, person: Int64) throws -> Identifier?

    /// Members without a person, because nobody has signed in as them.
    func membersWithoutLogin(family: Int64) throws -> Set<Identifier>

    /// The data of the members of a family in archives, in the order of their ids.
    func persons(family: Int64) throws -> [PersonRow]

    /// Whether a person has a session, used lately or not.
    func hasSession(person: Int64) throws -> Bool

    /// Whether a session exists.
    func hasSession(key: Int64) throws -> Bool

    /// A code by its hash; `nil` if there is none.
    func code(hash: [UInt8]) throws -> CodeRow?

    /// An invite; `nil` if the family has none with this id.
    func invite(family: Int64, id: Identifier) throws -> InviteRow?

    /// The pending invite of a member, also of one who has not joined, whether its code has expired or not; at most one is pending.
    func invite(ofMember member: Identifier) throws -> InviteRow?

    /// The pending invites of a family, also those whose codes have expired, the newest first.
    func pendingInvites(family: Int64, limit: Int) throws -> [InviteRow]

    /// The number of invites of a family with codes that can be redeemed, besides that of one member.
    func openInvites(family: Int64, at: Int64, besides member: Identifier) throws -> Int

    /// The number of invites that a family has made after a time, and the time of the first of these.
    func invites(family: Int64, after time: Int64) throws -> (count: Int, first: Int64?)
}

/// Changes people, sessions and invites.
package protocol PeopleWrites: PeopleReads, SessionWrites, CredentialWrites, PasskeyWrites, MailWrites {
    func addMembership(family: Int64, member: Identifier, born: CalendarDate?, consent: Consent?) throws

    /// The person of a member; a new person if there is none yet.
    func person(of membership: MembershipRow, at: Int64) throws -> Int64

    /// Sets the consent to a member's sign-in, or withdraws it (`nil`).
    func setConsent(_ consent: Consent?, family: Int64, member: Identifier) throws

    func setBirth(_ born: CalendarDate, family: Int64, member: Identifier) throws

    /// Sets the last day of a guest; `nil`: the guest stays.
    func setLastDay(_ day: CalendarDate?, family: Int64, member: Identifier) throws

    /// Separates a member from their person: no sign-in leads to the family as this member until somebody accepts an
    /// invite.
    func detach(family: Int64, member: Identifier) throws

    /// Makes a person this member.
    func attach(family: Int64, member: Identifier, person: Int64) throws

    /// Ends all sessions of a person.
    ///
    /// - Returns: their keys.
    func endAllSessions(ofPerson person: Int64) throws -> [Int64]

    /// Ends a membership, or begins it again (`at` is `nil`). With the last membership of a person their sessions end,
    /// and a pending invite is withdrawn.
    func setRemoved(family: Int64, member: Identifier, at: Int64?) throws

    /// Removes the birth date of a member.
    func forgetBirth(family: Int64, member: Identifier) throws

    /// - Returns: whether it existed.
    func endSession(key: Int64) throws -> Bool

    /// Notes that a session is in use.
    func renewSession(key: Int64, at: Int64) throws

    func addInvite(_ row: InviteRow) throws

    /// Makes the code of an invite.
    func addCode(of row: InviteRow, hash: [UInt8]) throws

    /// Notes that an invite was accepted. Its code can be redeemed again until `closeRedemption`.
    func acceptInvite(family: Int64, id: Identifier) throws

    /// Ends the pending invite of a member, if there is one. No code of the member can be redeemed afterwards.
    func endInvite(family: Int64, member: Identifier, as state: Invite.State) throws

    /// Notes the redemption of a code.
    ///
    /// - Parameter repeatableUntil: the time until which the code can be redeemed again, but never later than before.
    func redeem(_ code: CodeRow, nonceHash: [UInt8], session: Int64, repeatableUntil: Int64) throws

    /// Deletes the code that gave a session.
    func closeRedemption(session: Int64) throws

    /// Removes a portion of the people of a detached family (`DeletionWrites.beginErasure`): memberships, invites and
    /// codes, and every person who is in no other family, with sessions, tokens and credentials.
    ///
    /// - Parameter limit: the largest number of rows of one table.
    /// - Returns: the sessions that ended, and whether none was left.
    func erase(family: Int64, limit: Int) throws -> (sessions: [Int64], isFinished: Bool)

    /// Deletes codes that have expired, redeemed or not, and invites whose codes expired `Invite.retention` ago.
    ///
    /// - Returns: the number of codes and invites.
    func purgeInvites(at: Int64) throws -> Int
}

extension PeopleReads {
    /// Whether a code for another device is still valid: the session that made it has not ended. True for the codes of
    /// invites.
    func isMakerThere(_ code: CodeRow) throws -> Bool { try code.maker.map { try hasSession(key: $0) } ?? true }
}

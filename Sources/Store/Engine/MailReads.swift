package import Bytes
package import Family

/// The stored e-mail address of a person, and the codes that were sent to it.
package struct MailRow: Hashable, Sendable {
    package var person: Int64
    /// The address that the person has confirmed.
    package var address: String?
    /// An address that waits to be confirmed, with the SHA-256 of its code.
    package var pending: String?
    package var codeHash: [UInt8]?
    /// UTC milliseconds.
    package var codeExpiresAt: Int64?
    /// The reason why the mail to `pending` was abandoned.
    package var problem: MailProblem?
    /// The SHA-256 of the code that replaces the password once.
    package var recoveryHash: [UInt8]?
    package var recoveryExpiresAt: Int64?

    package init(
        person: Int64, address: String? = nil, pending: String? = nil, codeHash: [UInt8]? = nil, codeExpiresAt: Int64? = nil, problem: MailProblem? = nil,
        recoveryHash: [UInt8]? = nil, recoveryExpiresAt: Int64? = nil
    ) {
        self.person = person
        self.address = address
        self.pending = pending
        self.codeHash = codeHash
        self.codeExpiresAt = codeExpiresAt
        self.problem = problem
        self.recoveryHash = recoveryHash
        self.recoveryExpiresAt = recoveryExpiresAt
    }

    /// The part that the person sees; `nil` if there is none.
    package var account: AccountMail? {
        guard address != nil || pending != nil else { return nil }
        return AccountMail(address: address.map { MaskedAddress.text($0) }, pending: pending.map { MaskedAddress.text($0) }, problem: problem)
    }

    /// An address for comparison. Mail servers that distinguish `Ana@` from `ana@` are rarer than people who could not
    /// sign in again.
    package static func folded(_ address: String) -> String { address.lowercased() }
}

/// A mail that waits to be sent.
package struct OutgoingMail: Hashable, Sendable {
    package var key: Int64
    /// The permanent name of the mail, from which the Message-ID follows.
    package var name: String
    package var kind: MailKind
    /// The person who is notified if the mail is abandoned, and with whom it is removed; `nil`: nobody.
    package var person: Int64?
    /// The integer that stands for the family of `about`.
    package var family: Int64?
    /// The subject of the mail, such as an invite.
    package var about: Identifier?
    package var address: String
    package var subject: String
    package var body: String
    /// UTC milliseconds.
    package var createdAt: Int64
    /// The time of the next attempt.
    package var dueAt: Int64
    /// The time after which no attempt is made.
    package var expiresAt: Int64
    /// The number of attempts that have begun.
    package var tries: Int
    /// The time at which the current attempt began.
    package var claimedAt: Int64?

    package init(
        key: Int64 = 0, name: String, kind: MailKind, person: Int64?, family: Int64? = nil, about: Identifier? = nil, address: String, subject: String, body: String, createdAt: Int64,
        dueAt: Int64, expiresAt: Int64, tries: Int = 0, claimedAt: Int64? = nil
    ) {
        self.key = key
        self.name = name
        self.kind = kind
        self.person = person
        self.family = family
        self.about = about
        self.address = address
        self.subject = subject
        self.body = body
        self.createdAt = createdAt
        self.dueAt = dueAt
        self.expiresAt = expiresAt
        self.tries = tries
        self.claimedAt = claimedAt
    }
}

/// E-mail addresses of people, and mail that waits to be sent.
package protocol MailReads: AnyObject {
    /// `nil` for a person without an address, confirmed or not.
    func mail(person: Int64) throws -> MailRow?

    /// The people who have confirmed an address, by its folded form; at most `limit`, in the order of confirmation.
    func mails(folded: String, limit: Int) throws -> [MailRow]

    /// The person with a code for recovery; `nil` if nobody has it.
    func mail(recoveryHash: [UInt8]) throws -> MailRow?

    /// The number of waiting mails, of all people or of one.
    func outgoingMails(of person: Int64?) throws -> Int

    func outgoingMail(key: Int64) throws -> OutgoingMail?

    /// Mails without a current attempt that are due or have expired, in the order of their due times.
    func dueMails(at: Int64, limit: Int) throws -> [OutgoingMail]

    /// The time at which the next mail without a current attempt is due; `nil` if none waits.
    func nextMail() throws -> Int64?
}

/// Changes e-mail addresses and waiting mails.
package protocol MailWrites: MailReads {
    /// Adds the row of a person, or changes it.
    func setMail(_ row: MailRow) throws

    func removeMail(person: Int64) throws

    /// Queues a mail. Its key is drawn.
    func addOutgoing(_ mail: OutgoingMail) throws

    /// Sets the due time of a mail, its attempts, and the beginning of the current one.
    func setOutgoing(key: Int64, dueAt: Int64, tries: Int, claimedAt: Int64?) throws

    func removeOutgoing(key: Int64) throws

    /// Drops the waiting mails of one kind of a person.
    func removeOutgoing(person: Int64, kind: MailKind) throws

    /// Drops the waiting mail about an invite.
    func removeOutgoing(family: Int64, about: Identifier) throws

    /// Ends all current attempts, because the process that made them has ended.
    func releaseOutgoing() throws

    /// Notes the result of the mail with the code of an invite.
    func setInviteMail(_ state: InviteMail, family: Int64, id: Identifier) throws
}

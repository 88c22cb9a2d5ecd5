package import Bytes
package import Family

/// The e-mail address of a person, and the codes that were sent to it, as they are stored.
package struct MailRow: Hashable, Sendable {
    package var person: Int64
    /// The address that the person has confirmed.
    package var address: String?
    /// An address that waits to be confirmed, with the SHA-256 of its code.
    package var pending: String?
    package var codeHash: [UInt8]?
    /// UTC milliseconds.
    package var codeExpiresAt: Int64?
    /// The reason why the mail to `pending` was given up.
    package var problem: MailProblem?
    /// Of the code that stands for the password once, SHA-256.
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

    /// As the person sees it; `nil` if there is nothing to see.
    package var account: AccountMail? {
        guard address != nil || pending != nil else { return nil }
        return AccountMail(address: address.map { MaskedAddress.text($0) }, pending: pending.map { MaskedAddress.text($0) }, problem: problem)
    }

    /// An address for comparison: mail servers that tell `Ana@` from `ana@` are not worth a person who cannot come back.
    package static func folded(_ address: String) -> String { address.lowercased() }
}

/// A mail that waits to be sent.
package struct OutgoingMail: Hashable, Sendable {
    package var key: Int64
    /// Names the mail for ever; the Message-ID follows from it.
    package var name: String
    package var kind: MailKind
    /// The person who is told if it is given up, and with whom it goes; `nil`: nobody.
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
    /// The next try.
    package var dueAt: Int64
    /// No try is made from then on.
    package var expiresAt: Int64
    /// Tries that have begun.
    package var tries: Int
    /// A try is under way since then.
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

    /// The people who have confirmed an address, by its folded form; at most `limit`, the first first.
    func mails(folded: String, limit: Int) throws -> [MailRow]

    /// The person with a code for recovery; `nil` if nobody has it.
    func mail(recoveryHash: [UInt8]) throws -> MailRow?

    /// How many mails wait, of all people or of one.
    func outgoingMails(of person: Int64?) throws -> Int

    func outgoingMail(key: Int64) throws -> OutgoingMail?

    /// Mails without a try under way that are due or have expired, the one that is due first first.
    func dueMails(at: Int64, limit: Int) throws -> [OutgoingMail]

    /// When the next mail without a try under way is due; `nil` if none waits.
    func nextMail() throws -> Int64?
}

/// E-mail addresses and waiting mails come and go.
package protocol MailWrites: MailReads {
    /// Sets the row of a person, or changes it.
    func setMail(_ row: MailRow) throws

    func removeMail(person: Int64) throws

    /// Lets a mail wait. Its key is drawn.
    func addOutgoing(_ mail: OutgoingMail) throws

    /// Changes when a mail is due, its tries, and whether one is under way.
    func setOutgoing(key: Int64, dueAt: Int64, tries: Int, claimedAt: Int64?) throws

    func removeOutgoing(key: Int64) throws

    /// Drops the waiting mails of a person of one kind.
    func removeOutgoing(person: Int64, kind: MailKind) throws

    /// Drops the waiting mail about an invite.
    func removeOutgoing(family: Int64, about: Identifier) throws

    /// Lets no try be under way: the process that made them has ended.
    func releaseOutgoing() throws

    /// Enters what became of the mail with the code of an invite.
    func setInviteMail(_ state: InviteMail, family: Int64, id: Identifier) throws
}

package import Bytes

/// The purpose of a mail. The raw value is the word in frames, in the log and in the database: it never changes.
package enum MailKind: String, CaseIterable, Sendable {
    /// Asks whether an address is the person's.
    case confirm
    /// A code that stands for the password once.
    case recovery
    /// The code of an invite.
    case invite
    /// To an address that an account had: it has another one now, or none.
    case removed
}

/// The reason why a mail was given up.
package enum MailProblem: String, CaseIterable, Sendable {
    /// The mail server refused it for good.
    case refused
    /// It could not be handed over in time.
    case late
}

/// The state of the mail with the code of an invite.
package enum InviteMail: String, CaseIterable, Sendable {
    case waiting
    /// The mail server has accepted it.
    case sent
    case failed
}

/// A mail that was abandoned, in the form for the person who asked for it.
package struct MailNotice: Hashable, Sendable {
    package var kind: MailKind
    /// Masked (`MaskedAddress`).
    package var address: String
    package var problem: MailProblem
    /// The invite whose code was in it.
    package var invite: Identifier?

    package init(kind: MailKind, address: String, problem: MailProblem, invite: Identifier? = nil) {
        self.kind = kind
        self.address = address
        self.problem = problem
        self.invite = invite
    }
}

/// The e-mail address of a person as they see it. Whole addresses stay in the database.
package struct AccountMail: Hashable, Sendable {
    /// The address that the person has confirmed, masked.
    package var address: String?
    /// An address that waits to be confirmed, masked.
    package var pending: String?
    /// The reason why the mail to `pending` was given up.
    package var problem: MailProblem?

    package init(address: String? = nil, pending: String? = nil, problem: MailProblem? = nil) {
        self.address = address
        self.pending = pending
        self.problem = problem
    }
}

/// E-mail addresses as they are shown: enough for the person to know their own.
package enum MaskedAddress {
    /// `a…@example.org`
    package static func text(_ address: String) -> String {
        guard let at = address.lastIndex(of: "@") else { return "…" }
        let name = address[..<at]
        return "\(name.count > 1 ? name.prefix(1) : "")…\(address[at...])"
    }
}

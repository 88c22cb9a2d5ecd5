package import Bytes

/// A family's offer of a sign-in: to a new member, who joins by accepting it, or to a member who has never signed in.
///
/// The member's id is fixed when the invite is made. The record of a new parent or guest is created when the invite is accepted; an athlete's profile is
/// there from the start.
package struct Invite: Hashable, Sendable {
    package enum State: String, CaseIterable, Sendable {
        /// Its code can be redeemed.
        case pending
        /// An athlete of 13 to 17 is in the family, and a parent has to consent before there is a code.
        case proposed
        /// Its code was redeemed, or nothing has to be redeemed.
        case accepted
        /// A parent took it back, or another invite of the same member replaced it.
        case withdrawn
        /// Nobody redeemed the code in time. Another invite of the same member is possible.
        case expired
    }

    package var id: Identifier
    package var member: Identifier
    package var role: Role
    /// The code is accepted together with this name, or with `email`.
    package var name: String
    package var email: String?
    /// The parent who invites; `nil`: the person who runs the server.
    package var inviter: Identifier?
    /// UTC milliseconds, both.
    package var createdAt: Int64
    package var expiresAt: Int64
    package var state: State
    /// The last day of a guest, `YYYY-MM-DD`.
    package var lastDay: String?
    /// The state of the mail with the code; `nil` if none was sent.
    package var mail: InviteMail?

    package init(
        id: Identifier, member: Identifier, role: Role, name: String, email: String? = nil, inviter: Identifier?, createdAt: Int64, expiresAt: Int64,
        state: State = .pending, lastDay: String? = nil, mail: InviteMail? = nil
    ) {
        self.id = id
        self.member = member
        self.role = role
        self.name = name
        self.email = email
        self.inviter = inviter
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.state = state
        self.lastDay = lastDay
        self.mail = mail
    }

    /// How long a code can be redeemed, milliseconds: 7 days.
    package static let life: Int64 = 7 * 86_400_000
    /// How long an invite is kept after its code expired, milliseconds: 30 days.
    package static let retention: Int64 = 30 * 86_400_000
    /// Characters of an e-mail address at most (RFC 5321 §4.5.3.1.3).
    package static let emailLength = 254

    /// The invite as it is at one moment: a code that nobody redeemed in time has expired.
    package func current(at: Int64) -> Invite {
        guard state == .pending, at >= expiresAt else { return self }
        var expired = self
        expired.state = .expired
        return expired
    }

    /// An e-mail address without the spaces around it. Only its form is checked: a server without mail takes addresses that mail could not be sent to.
    ///
    /// - Throws: `invalid`, `too_long`.
    package static func canonicalEmail(_ text: String) throws(Rejection) -> String {
        let words = text.split(whereSeparator: \.isWhitespace)
        let parts = (words.first ?? "").split(separator: "@", omittingEmptySubsequences: false)
        guard words.count == 1, parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), let address = words.first.map(String.init),
            !address.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }), TextRules.visible(address) == address
        else { throw Rejection(.invalid, "An e-mail address is written like ana@example.org. Correct it, or leave it out", field: "email") }
        guard address.unicodeScalars.count <= emailLength else {
            throw Rejection(.tooLong, "An e-mail address is at most \(emailLength) characters long. Correct it, or leave it out", field: "email")
        }
        return address
    }
}

extension Rejection {
    /// The refusal of `invite`, `withdraw_invite` and `invites` to a member who may not create members.
    package static let notAnInviter = Rejection(.notAllowed, "Only parents can invite people and see the invites. Nothing was changed")
}

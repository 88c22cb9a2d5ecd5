package import Bytes

/// The way by which a person without their password or second factor came back.
package enum RecoveryWay: String, CaseIterable, Sendable {
    /// A recovery code of the person's own.
    case code
    /// A code that a parent of the family made.
    case parent
    /// A code that was sent to the person's confirmed e-mail address.
    case mail
    /// A code that the person who runs the server made.
    case host
}

/// A recovery of a person's sign-in, in the form that all devices of the person receive.
package struct RecoveryNotice: Hashable, Sendable {
    package var way: RecoveryWay
    /// UTC milliseconds.
    package var at: Int64

    package init(way: RecoveryWay, at: Int64) {
        self.way = way
        self.at = at
    }

    /// Milliseconds for which devices that connect later are notified: 7 days.
    package static let life: Int64 = 7 * 86_400_000
}

/// The ways in which a person can sign in by themselves, as they see them.
package struct AccountState: Hashable, Sendable {
    /// The sign-in name; `nil` without a password.
    package var name: String?
    /// Whether a one-time password is needed besides the password.
    package var hasFactor: Bool
    /// Recovery codes that were not used.
    package var recoveryCodes: Int
    /// Until then the session that asks may change passwords, factors and tokens, UTC milliseconds; `nil` if it has to confirm first.
    package var confirmedUntil: Int64?
    /// The first made first.
    package var passkeys: [AccountPasskey]
    /// `nil` without an address.
    package var mail: AccountMail?

    package init(
        name: String? = nil, hasFactor: Bool = false, recoveryCodes: Int = 0, confirmedUntil: Int64? = nil, passkeys: [AccountPasskey] = [], mail: AccountMail? = nil
    ) {
        self.name = name
        self.hasFactor = hasFactor
        self.recoveryCodes = recoveryCodes
        self.confirmedUntil = confirmedUntil
        self.passkeys = passkeys
        self.mail = mail
    }
}

/// The secrets with which a person proves their identity: the password, or a recovery code in its place, and the second factor.
package struct ShownSecrets: Hashable, Sendable {
    package var password: String?
    /// In the place of the password.
    package var recoveryCode: String?
    /// The one-time password, or another recovery code in its place.
    package var oneTime: String?

    package init(password: String? = nil, recoveryCode: String? = nil, oneTime: String? = nil) {
        self.password = password
        self.recoveryCode = recoveryCode
        self.oneTime = oneTime
    }
}

/// An act of a person on their own ways to sign in, or of a parent on a member's.
package enum AccountAct: Hashable, Sendable {
    case show
    /// Shows the password in the session that asks, which counts for 10 minutes.
    case confirm(ShownSecrets)
    /// Sets sign-in name and password, or changes them.
    case setPassword(name: String, password: String)
    case removePassword
    /// Draws the secret of a second factor, which counts once it is confirmed.
    case addFactor
    case confirmFactor(oneTime: String)
    case removeFactor
    case makeRecoveryCodes
    /// Removes a passkey.
    case removePasskey(Identifier)
    /// Makes a code by which a member comes back into one family.
    case recoverMember(Identifier, family: Identifier)
    /// Sends a code to an e-mail address, which is the person's once it is confirmed.
    case setMail(String)
    case confirmMail(code: String)
    /// Removes the e-mail address.
    case removeMail
}

/// The answer to an act on the account.
package struct AccountAnswer: Hashable, Sendable {
    package var state: AccountState
    /// Of a second factor that is to be confirmed: the secret as a person types it, and the address in a QR picture.
    package var secret: String?
    package var address: String?
    /// A new set of recovery codes, shown this once.
    package var codes: [String]
    /// The secret by which the account knows this device from now on.
    package var device: String?
    /// A code for a member, and its end, UTC milliseconds.
    package var code: String?
    package var expiresAt: Int64?

    package init(
        state: AccountState, secret: String? = nil, address: String? = nil, codes: [String] = [], device: String? = nil, code: String? = nil,
        expiresAt: Int64? = nil
    ) {
        self.state = state
        self.secret = secret
        self.address = address
        self.codes = codes
        self.device = device
        self.code = code
        self.expiresAt = expiresAt
    }
}

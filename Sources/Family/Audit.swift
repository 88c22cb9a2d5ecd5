package import Bytes

/// The audit log of a family: acts about sign-ins, rights, consents and copies of the family's data. Entries are only appended; they never contain a
/// secret, an address or a birth date.
package enum Audit {
    /// An act. The raw value is the word in frames and in the database: it never changes.
    package enum Act: String, CaseIterable, Sendable {
        // The family.
        case familyCreated = "family_created"
        case familyImported = "family_imported"
        /// Detail: the day on which the family will be deleted.
        case deletionRequested = "deletion_requested"
        case deletionWithdrawn = "deletion_withdrawn"
        // Members.
        /// Detail: the role.
        case invited
        case inviteWithdrawn = "invite_withdrawn"
        /// The invited person has joined, or a member has signed in for the first time.
        case inviteAccepted = "invite_accepted"
        /// Detail: the new role.
        case roleChanged = "role_changed"
        /// Detail: `edit` or `view`.
        case parentAccessChanged = "parent_access_changed"
        case memberRemoved = "member_removed"
        case memberLeft = "member_left"
        case memberRestored = "member_restored"
        case birthDateCorrected = "birth_date_corrected"
        /// Detail: the last day, or nothing if the guest stays.
        case guestEndSet = "guest_end_set"
        /// The last day of a guest is over.
        case guestEnded = "guest_ended"
        // Consent. Detail: the version of the text.
        case consentGiven = "consent_given"
        case consentWithdrawn = "consent_withdrawn"
        // Signing in.
        /// A new session. Detail: the way, such as `password` or `device`.
        case signedIn = "signed_in"
        /// The count says how many attempts failed.
        case signInFailed = "sign_in_failed"
        /// The person who runs the server made a session for the member (`huddled token`).
        case tokenByHost = "token_by_host"
        case passwordSet = "password_set"
        case passwordRemoved = "password_removed"
        case factorAdded = "factor_added"
        case factorRemoved = "factor_removed"
        case recoveryCodesMade = "recovery_codes_made"
        /// A parent or the host has made a code by which the member can come back, or the server has mailed one. Detail: `parent`, `host` or `mail`.
        case recoveryOffered = "recovery_offered"
        /// Detail: the way, such as `code`, `parent`, `host` or `mail`.
        case recoveryUsed = "recovery_used"
        /// The person has confirmed an e-mail address.
        case mailConfirmed = "mail_confirmed"
        case mailRemoved = "mail_removed"
        /// Detail: the name of the passkey.
        case passkeyAdded = "passkey_added"
        case passkeyRemoved = "passkey_removed"
        /// Detail: the reason, a word of `PasskeyRefusal`. The count says how often within an hour.
        case passkeyRefused = "passkey_refused"
        /// Detail: the name of the session.
        case deviceAdded = "device_added"
        /// The count says how many sessions ended.
        case sessionsEnded = "sessions_ended"
        /// Detail: the name of the token.
        case tokenCreated = "token_created"
        case tokenRevoked = "token_revoked"
        // Calendar feeds. Detail: the name of the feed.
        case calendarAdded = "calendar_added"
        case calendarChanged = "calendar_changed"
        case calendarRemoved = "calendar_removed"
        // Copies.
        /// Detail: `private` if birth dates and consents are in it.
        case exported
        case shared
        case shareEnded = "share_ended"
        // The host.
        case quotaSet = "quota_set"
    }

    /// The author of an act.
    package enum Author: Hashable, Sendable {
        case member(Identifier)
        /// The person who runs the server.
        case host
        /// The server by itself, because a day has come, or because of somebody who has not signed in.
        case server
    }

    /// One act.
    package struct Entry: Hashable, Sendable {
        /// UTC milliseconds; of acts that are counted together, the first.
        package var at: Int64
        /// A word of `Act`; another one if a newer server wrote it.
        package var act: String
        package var author: Author
        /// The member whom the act concerns; `nil`: the family.
        package var about: Identifier?
        /// How often, at least 1.
        package var count: Int64
        package var detail: String?

        package init(at: Int64, act: String, author: Author, about: Identifier? = nil, count: Int64 = 1, detail: String? = nil) {
            self.at = at
            self.act = act
            self.author = author
            self.about = about
            self.count = count
            self.detail = detail
        }
    }

    /// Entries are kept for two years, milliseconds.
    package static let retention: Int64 = 2 * 365 * 86_400_000
    /// Entries of one family at most; above it the oldest go.
    package static let maxEntries = 100_000
    /// Failed sign-ins of a member within an hour are one entry with a count, so that guessing does not fill the log.
    package static let failureWindow: Int64 = 3_600_000
    /// Characters of a detail at most.
    package static let detailLength = 100
}

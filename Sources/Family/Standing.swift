package import Bytes

/// A member's state as far as their sign-in depends on age, consent or a last day. Private: parents see those of the family, everybody else their own.
package struct Standing: Hashable, Sendable {
    package enum State: String, CaseIterable, Sendable {
        /// A parent, a guest whose last day is not over, or an athlete of 18 or older.
        case open
        /// An athlete below 13: no sign-in.
        case underAge = "under_age"
        /// An athlete whose birth date is not known: no sign-in.
        case ageUnknown = "age_unknown"
        /// An athlete of 13 to 17 without a consent: no sign-in.
        case consentNeeded = "consent_needed"
        /// An athlete of 13 to 17 with a consent.
        case consented
        /// A guest whose last day is over.
        case ended
    }

    package var member: Identifier
    package var role: Role
    package var state: State
    /// Somebody has signed in as this member.
    package var hasSignIn: Bool
    /// An invite of the member waits to be accepted.
    package var isInvited: Bool
    /// The parent who consented, and when (UTC milliseconds), and the version of the text.
    package var consent: Consented?
    /// The last day of a guest, `YYYY-MM-DD`.
    package var lastDay: String?

    /// A consent as it is shown.
    package struct Consented: Hashable, Sendable {
        package var by: Identifier
        package var at: Int64
        package var version: String

        package init(by: Identifier, at: Int64, version: String) {
            self.by = by
            self.at = at
            self.version = version
        }
    }

    package init(
        member: Identifier, role: Role, state: State, hasSignIn: Bool, isInvited: Bool, consent: Consented? = nil, lastDay: String? = nil
    ) {
        self.member = member
        self.role = role
        self.state = state
        self.hasSignIn = hasSignIn
        self.isInvited = isInvited
        self.consent = consent
        self.lastDay = lastDay
    }

    /// Whether a parent should act: an athlete has the age for a sign-in and neither has one nor is invited.
    package var isDue: Bool {
        switch state {
        case .consentNeeded: true
        case .consented: !hasSignIn && !isInvited
        case .open: role == .athlete && !hasSignIn && !isInvited
        case .underAge, .ageUnknown, .ended: false
        }
    }
}

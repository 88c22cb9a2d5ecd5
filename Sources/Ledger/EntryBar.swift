package import Dates
package import Family

/// The reason why a member may not enter the family now, although they are in it.
package enum EntryBar: Hashable, Sendable {
    /// An athlete below 13.
    case underAge
    /// An athlete whose birth date is not known.
    case ageUnknown
    /// An athlete of 13 to 17 to whose sign-in no parent consents.
    case noConsent
    /// A guest whose last day is over.
    case ended

    /// The refusal of a sign-in.
    package var rejection: Rejection {
        switch self {
        case .underAge: Rejection(.notAllowed, "Athletes below \(Age.login) have no sign-in: a parent keeps their profile")
        case .ageUnknown: Rejection(.notAllowed, "An athlete without a birth date has no sign-in. Ask a parent to enter the birth date")
        case .noConsent: Rejection(.notAllowed, "Athletes below \(Age.adult) need a parent's consent to sign in. Ask a parent to give it")
        case .ended: Rejection(.notAllowed, "The last day of this guest is over. A parent can set a later one")
        }
    }
}

extension LedgerEnvironment {
    /// Decides whether a member may enter the family, by the day in the family's zone.
    ///
    /// - Returns: `nil` if they may.
    package func bar(role: Role, born: CalendarDate?, hasConsent: Bool, lastDay: CalendarDate?, zone: String, at: Int64) -> EntryBar? {
        switch role {
        case .parent: return nil
        case .guest:
            guard let lastDay else { return nil }
            guard let today = localDate(zone, at).flatMap({ CalendarDate($0) }) else { return .ended }
            return today > lastDay ? .ended : nil
        case .athlete:
            guard let age = age(born: born, zone: zone, at: at) else { return .ageUnknown }
            if age < Age.login { return .underAge }
            return age >= Age.adult || hasConsent ? nil : .noConsent
        }
    }

    /// As above, for a member of a family.
    package func bar(_ member: MemberState, zone: String, at: Int64) -> EntryBar? {
        bar(role: member.role, born: member.born, hasConsent: member.hasConsent, lastDay: member.lastDay, zone: zone, at: at)
    }
}

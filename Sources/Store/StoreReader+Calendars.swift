package import Bytes
import Family
import Ledger

/// The athletes whose calendars a token opens now.
package struct CalendarAccess: Hashable, Sendable {
    /// As `SignIn.session`.
    package var session: Int64
    /// The athletes whom the person may see, each with their family.
    package var athletes: [CalendarAthlete]
    /// As `SignIn.isRenewalDue`.
    package var isRenewalDue: Bool
}

/// An athlete whose calendar a token opens.
package struct CalendarAthlete: Hashable, Sendable {
    package var family: Identifier
    /// The athlete.
    package var athlete: Identifier
    /// The member that the person of the token is in that family.
    package var member: Identifier
}

extension StoreReader {
    /// The athletes whose calendars a token opens: those that it names and whose families its person is in now.
    ///
    /// - Returns: `nil` for every other token, and for one that has ended.
    package func calendarAccess(token: String) throws(StoreFailure) -> CalendarAccess? {
        try reading {
            let now = environment.now()
            guard let session = try engine.people.session(hash: SessionToken.hash(token)), session.isAlive(at: now), session.scope == .calendar else {
                return nil
            }
            var athletes: [CalendarAthlete] = []
            for membership in try engine.people.memberships(ofPerson: session.person) {
                let members = try engine.records.members(family: membership.family)
                for athlete in session.athletes {
                    guard let member = members[athlete], !member.isRemoved, member.role == .athlete else { continue }
                    athletes.append(CalendarAthlete(family: membership.familyID, athlete: athlete, member: membership.member))
                }
            }
            return CalendarAccess(session: session.key, athletes: athletes, isRenewalDue: session.usedAt + SessionToken.renewal <= now)
        }
    }
}

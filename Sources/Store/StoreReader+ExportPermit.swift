package import Bytes
package import Family
import Ledger
import Wire

/// The right of a parent to a copy of their family.
package struct ExportPermit: Sendable {
    package var member: Identifier
    /// Octets that the copy takes, about.
    package var octets: Int64
}

extension StoreReader {
    /// Whether a person may have a copy of a family. With birth dates and consents in it, the session has to have shown the person's password or passkey
    /// within 10 minutes, if there is one to show.
    package func checkExport(_ family: Identifier, by signIn: SignIn, isPrivate: Bool) throws(StoreFailure) -> Result<ExportPermit, Rejection> {
        try reading {
            guard let membership = signIn.memberships.first(where: { $0.family == family }), let key = try engine.families.find(family)?.key,
                let member = try engine.records.members(family: key)[membership.member], !member.isRemoved
            else { return .failure(.noSuchFamily) }
            guard member.role == .parent else {
                return .failure(Rejection(.notAllowed, "Only parents get a copy of their family. Nothing was made"))
            }
            if isPrivate, try engine.people.hasCredential(person: signIn.person),
                try engine.people.accountState(ofPerson: signIn.person, session: signIn.session, at: environment.now()).confirmedUntil == nil
            { return .failure(.confirmFirst) }
            let usage = try engine.log.usage(family: key, head: engine.log.head(family: key))
            let files = try engine.blobs.usage(family: key, besides: "").used
            // The records are in the log as well, and each takes its space in the archive a second time.
            return .success(ExportPermit(member: membership.member, octets: files + 3 * usage.octets))
        }
    }
}

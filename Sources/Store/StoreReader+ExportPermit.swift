package import Bytes
package import Family
import Ledger
import Wire

/// The right of a parent to a copy of their family.
package struct ExportPermit: Sendable {
    package var member: Identifier
    /// The approximate octets of the copy.
    package var octets: Int64
}

extension StoreReader {
    /// Whether a person may receive a copy of a family. If it includes birth dates and consents, the session must have
    /// shown the person's password or passkey within the last 10 minutes, if they have one.
    package func checkExport(_ family: Identifier, by signIn: SignIn, isPrivate: Bool) throws(StoreFailure) -> Result<ExportPermit, Rejection> {
        try reading {
            guard let membership = signIn.memberships.first(where: { $0.family == family }), let key = try engine.families.find(family)?.key,
                let member = try engine.records.members(family: key)[membership.member], !member.isRemoved
            else { return .failure(.noSuchFamily) }
            guard member.role == .parent else {
                return .failure(Rejection(.notAllowed, "Only parents can get a copy of their family. Nothing was exported"))
            }
            if isPrivate, try engine.people.hasCredential(person: signIn.person),
                try engine.people.accountState(ofPerson: signIn.person, session: signIn.session, at: environment.now()).confirmedUntil == nil
            { return .failure(.confirmFirst) }
            let usage = try engine.log.usage(family: key, head: engine.log.head(family: key))
            let files = try engine.blobs.usage(family: key, besides: "").used
            // The records are also in the log, and both take space in the archive.
            return .success(ExportPermit(member: membership.member, octets: files + 3 * usage.octets))
        }
    }
}

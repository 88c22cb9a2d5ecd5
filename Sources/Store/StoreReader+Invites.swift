package import Bytes
package import Family
import Ledger

extension StoreReader {
    /// The largest number of invites in one answer: those with valid codes, and the newest of those that have expired.
    package static let maxInvites = 100

    /// The invites of a family that are pending or have expired, newest first. Invites by a member who is no longer a
    /// parent are not valid and are left out.
    ///
    /// - Returns: `not_allowed` for a member who is not a parent.
    package func invites(family: Identifier, member: Identifier) throws(StoreFailure) -> Result<[Invite], Rejection> {
        try reading {
            let key = try key(family)
            let members = try engine.records.members(family: key)
            func isParent(_ id: Identifier) -> Bool { members[id].map { !$0.isRemoved && $0.role == .parent } ?? false }
            guard isParent(member) else {
                return .failure(.notAnInviter)
            }
            let now = environment.now()
            let rows = try engine.people.pendingInvites(family: key, limit: Self.maxInvites)
            return .success(rows.filter { $0.invite.inviter.map(isParent) ?? true }.map { $0.invite.current(at: now) })
        }
    }
}

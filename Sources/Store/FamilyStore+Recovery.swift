package import Bytes
package import Family
import Ledger

// Recovery without mail, for a person who has lost their password, their second factor or all their devices.
//
// A code by a parent opens only that family: a person of several families leaves this one's membership to a new person,
// who has no password yet. A code by the host opens the whole person. Either is redeemed like the code of an invite,
// and opens a session that counts as confirmed, so that a new password can be set within 10 minutes. All devices of the
// person are notified.
extension FamilyStore {
    /// Makes the code for a member of a parent's family.
    ///
    /// - Parameter session: the parent's session, which must have confirmed if the parent has a password or passkey.
    package func makeRecovery(of member: Identifier, family: Identifier, by session: Int64) throws(StoreFailure) -> Result<RecoveryMade, Rejection> {
        try account(isDone: isRecoveryMade) { at in
            let person = try own(session, at: at).person
            guard let stored = try self.family(family), let parent = try people.member(family: stored.key, person: person),
                let role = try entered(parent, stored.state, at: at)?.role
            else { throw Rejection.noSuchFamily }
            guard role == .parent else { throw Rejection.notAnInviter }
            try requireCheck(session: session, at: at)
            guard member != parent else {
                throw Rejection(.contradicted, "You are signed in. Nothing was made; add another device with a code that you make here")
            }
            return try makeRecovery(of: member, in: stored, by: parent, at: at)
        }
    }

    /// Makes the code for a member, for the person who runs the server.
    func makeRecovery(of member: Identifier, at: Int64) throws -> RecoveryMade {
        guard let membership = try people.membership(member), let stored = try family(membership.familyID) else {
            throw Rejection(.notFound, "There is no such member. Nothing was changed")
        }
        return try makeRecovery(of: member, in: stored, by: nil, at: at)
    }

    private func makeRecovery(of member: Identifier, in family: StoredFamily, by parent: Identifier?, at: Int64) throws -> RecoveryMade {
        guard let membership = try people.membership(member), membership.family == family.key, !membership.isRemoved,
            let state = family.state.member(member)
        else { throw Rejection(.notFound, "There is no such member. Nothing was changed") }
        guard membership.person != nil else {
            throw Rejection(.contradicted, "This member has never signed in, so there is nothing to recover. Nothing was made; invite them", id: member)
        }
        if let bar = environment.bar(state, zone: family.state.zone, at: at) { throw bar.rejection }
        let code = InviteCode.make(environment.random)
        guard let hash = InviteCode.hash(code) else { preconditionFailure("a code of ours is a code") }
        let expiresAt = at + RecoveryMade.life
        try people.addRecoveryTicket(
            RecoveryTicket(family: family.key, member: member, by: parent, createdAt: at, expiresAt: expiresAt), hash: hash)
        try audit(
            .recoveryOffered, family: family.key, by: parent.map { .member($0) } ?? .host, about: member,
            detail: (parent == nil ? RecoveryWay.host : .parent).rawValue, at: at)
        return RecoveryMade(family: family.state.id, member: member, code: code, expiresAt: expiresAt)
    }

    func isRecoveryMade(_ made: RecoveryMade) throws -> Bool {
        try InviteCode.hash(made.code).flatMap { try people.code(hash: $0) } != nil
    }

    /// Whether the code of a recovery is valid: the parent who made it is a parent of the family now.
    func isRecoveryGood(_ code: CodeRow, family: Identifier) throws -> Bool {
        guard let parent = code.recoveryBy else { return true }
        return try self.family(family)?.state.member(parent)?.role == .parent
    }

    /// Notes a recovery, and queues a notice for the devices of the person after the commit.
    ///
    /// - Parameters:
    ///   - family: the only family that was opened; `nil`: all families of the person.
    ///   - session: the session that was opened.
    func recovered(_ person: Int64, _ way: RecoveryWay, by family: (key: Int64, member: Identifier)?, session: Int64, at: Int64) throws {
        let notice = RecoveryNotice(way: way, at: at)
        try people.setRecovery(notice, person: person)
        if let family {
            try audit(.recoveryUsed, family: family.key, by: .member(family.member), about: family.member, detail: way.rawValue, at: at)
        } else {
            try audit(.recoveryUsed, person: person, detail: way.rawValue, at: at)
        }
        pendingNotices.append(.recovered(person: person, notice, besides: session))
    }
}

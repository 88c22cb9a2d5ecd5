import Bytes
package import Family
import Ledger
package import Wire

// A signed-in person joins one more family: the membership is added to the person, and no second person with a second
// sign-in is made.
extension FamilyStore {
    /// The largest number of families of one person.
    static let maxFamiliesOfPerson = 64

    /// Redeems an invite's code for the person of a session, in one transaction. With the same nonce it can be
    /// repeated, like a redemption by a stranger, and nothing is done twice.
    ///
    /// - Parameters:
    ///   - session: the session of the person who redeems (`SignIn.session`).
    ///   - name: the name that the person typed; the code is bound to it.
    /// - Returns: the membership, or the reason why nothing was done; and the change for the live rooms.
    package func join(
        code typed: String, nonce: String, name: String?, session: Int64
    ) throws(StoreFailure) -> (Result<Membership, Rejection>, [CommitResult]) {
        let outcome = try transaction { _ in
            let at = environment.now()
            guard let person = try people.session(key: session)?.person else { throw Rejection(.notSignedIn, "Sign in first.") }
            return try join(typed, RedemptionNonce.hash(nonce), name, session: session, person: person, at: at)
        } as Outcome<(Membership, CommittedChange?)>
        switch outcome {
        case .done((let membership, let change)): return (.success(membership), change.map { [.change($0)] } ?? [])
        case .refused(let rejection): return (.failure(rejection), [])
        }
    }

    private func join(
        _ typed: String, _ nonceHash: [UInt8], _ name: String?, session: Int64, person: Int64, at: Int64
    ) throws -> (Membership, CommittedChange?) {
        let (code, row) = try redeemable(typed, nonceHash, name: name, at: at)
        // A recovery is for a person who cannot sign in; a person who is signed in would receive another membership's
        // rights.
        guard code.recovery == nil else { throw Rejection.recoveryWhileSignedIn }
        if let own = try people.member(family: code.family, person: person) {
            guard own == code.member else {
                throw Rejection(.alreadyExists, "You are in this family already. Nothing was changed; a parent can withdraw the invite")
            }
            return (try membership(of: own), nil)
        }
        guard try people.memberships(ofPerson: person).count < Self.maxFamiliesOfPerson else {
            throw Rejection(.tooMany, "You are in \(Self.maxFamiliesOfPerson) families, and that is the limit. Leave one first")
        }
        var change: CommittedChange?
        if try people.membership(code.member) == nil, let row, row.invite.state == .pending { change = try admit(row, at: at) }
        guard let found = try people.membership(code.member), !found.isRemoved else { throw Rejection.codeUnknown }
        // Somebody else may have signed in as this member since the invite was made.
        guard try !hasLogin(code.member) else { throw Rejection.codeUnknown }
        guard let family = try family(found.familyID), let member = family.state.member(code.member) else {
            throw StoreFailure("a membership without a member record")
        }
        if let bar = environment.bar(member, zone: family.state.zone, at: at) { throw bar.rejection }
        try people.attach(family: found.family, member: code.member, person: person)
        if let row { try people.acceptInvite(family: row.family, id: row.invite.id) }
        try people.redeem(code, nonceHash: nonceHash, session: session, repeatableUntil: at + CodeRow.redemptionWindow)
        try audit(.inviteAccepted, family: found.family, by: .member(code.member), about: code.member, detail: "person", at: at)
        return (try membership(of: code.member), change)
    }

    /// A membership, as its person sees it.
    private func membership(of member: Identifier) throws -> Membership {
        guard let row = try people.membership(member), let family = try family(row.familyID), let state = family.state.member(member) else {
            throw StoreFailure("a membership without a member record")
        }
        let name = try record(family: row.family, row.familyID)?.fields.text("name") ?? ""
        return Membership(family: row.familyID, name: name, member: member, role: state.role)
    }

    /// A code that can be redeemed now, with its invite, if the person has typed the name.
    ///
    /// - Throws: `code_unknown`; `required` or `invalid` with the field `name`.
    func redeemable(_ typed: String, _ nonceHash: [UInt8], name: String?, at: Int64) throws -> (CodeRow, InviteRow?) {
        guard let hash = InviteCode.hash(typed), let code = try people.code(hash: hash), at < code.expiresAt,
            code.nonceHash == nil || code.nonceHash == nonceHash, try people.isMakerThere(code)
        else { throw Rejection.codeUnknown }
        if code.recovery != nil {
            guard let id = try people.membership(code.member)?.familyID, try isRecoveryGood(code, family: id) else { throw Rejection.codeUnknown }
        }
        let row = try code.invite.flatMap { try people.invite(family: code.family, id: $0) }
        if let row {
            guard try row.invite.state != .pending || isInviterParent(row) else { throw Rejection.codeUnknown }
            try check(row, name: name)
        }
        return (code, row)
    }
}

extension Rejection {
    fileprivate static let recoveryWhileSignedIn = Rejection(
        .alreadySignedIn, "This recovery code is for a person who cannot sign in, but you are signed in. Sign out first, or let that person use it on their device")
}

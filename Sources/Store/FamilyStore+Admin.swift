import Bytes
import Dates
package import Family
import Ledger
package import Wire

// Commands for families, members and sessions, in the same writer as everything else.
extension FamilyStore {
    /// Carries out an admin command, in one transaction.
    ///
    /// - Parameter at: the time of the act, UTC milliseconds; `nil`: now. Only for invented families, in the order of
    ///   time.
    /// - Returns: the answer, or the reason why nothing was done (`storage_full` if the disk is full); and the changes
    ///   for the live rooms.
    package func perform(_ command: AdminCommand, at: Int64? = nil) throws(StoreFailure) -> (Result<AdminAnswer, Rejection>, [CommitResult]) {
        if case .purge = command { return try purge() }
        let outcome = try transaction(isDone: isDone) { _ in
            let at = at ?? environment.now()
            switch command {
            case .createFamily(let name, let zone, let parent): return try createFamily(name: name, zone: zone, parent: parent, at: at)
            case .invite(let new):
                let (made, change) = try invite(new, at: at)
                return (.invited(Invited(made)), change)
            case .token(let member): return try token(member, at: at)
            case .redeem(let code, let nonce, let name): return try redeem(code, nonce, name: name, at: at)
            case .recover(let member): return (.recovery(try makeRecovery(of: member, at: at)), nil)
            case .signOut(let token):
                guard let session = try people.session(hash: SessionToken.hash(token))?.key, try endSession(session, at: at) else {
                    return (AdminAnswer.signedOut(session: nil), nil)
                }
                return (AdminAnswer.signedOut(session: session), nil)
            case .purge: preconditionFailure("purges take several transactions")
            }
        } as Outcome<(AdminAnswer, CommittedChange?)>
        switch outcome {
        case .done((let answer, let change)): return (.success(answer), change.map { [.change($0)] } ?? [])
        case .refused(let rejection): return (.failure(rejection), [])
        }
    }

    /// Whether a command was carried out if its COMMIT had no answer.
    private func isDone(_ answer: AdminAnswer, _ change: CommittedChange?) throws -> Bool {
        if let change { return try isDone(change) }
        switch answer {
        case .invited(let invited): return try invited.code.flatMap { InviteCode.hash($0) }.flatMap { try people.code(hash: $0) } != nil
        case .token(let created): return try people.session(hash: SessionToken.hash(created.token)) != nil
        case .recovery(let made): return try isRecoveryMade(made)
        case .signedOut(let session?): return try !people.hasSession(key: session)
        default: return false
        }
    }

    /// Whether a change is in the log if its COMMIT had no answer.
    func isDone(_ change: CommittedChange) throws -> Bool {
        guard let key = try families.find(change.family)?.key else { return false }
        return try log.frame(family: key, sequence: change.sequence) == change.frame
    }

    // MARK: Families and members

    /// - Parameter id: the family's id; `nil` makes one.
    func createFamily(
        id: Identifier? = nil, name: String, zone: String, parent: String, at: Int64
    ) throws -> (AdminAnswer, CommittedChange?) {
        let familyID = id ?? identifier(at)
        try refuseErasing(familyID)
        let parentID = identifier(at)
        let profile = try ledger.profile(.family, [("name", name), ("time_zone", zone)])
        let member = try ledger.profile(.member, [("name", parent), ("role", Role.parent.rawValue)])

        let key = try families.nextKey()
        try families.insert(FamilyRow(key: key, id: familyID, floor: 0, createdAt: at))
        let family = StoredFamily(
            key: key,
            state: FamilyState(id: familyID, head: 0, zone: profile.text("time_zone") ?? zone, records: 0, checksum: StateChecksum(), members: [:]),
            usage: .none)
        let (_, change) = try decide(family, actor: Actor(member: parentID, role: .parent), at: at) { decider in
            decider.add(familyID, profile)
            decider.add(parentID, member)
        }
        try people.addMembership(family: family.key, member: parentID, born: nil, consent: nil)
        let invite = Invite(
            id: identifier(at), member: parentID, role: .parent, name: member.text("name") ?? parent, inviter: nil, createdAt: at,
            expiresAt: at + Invite.life)
        try audit(.familyCreated, family: key, by: .host, about: parentID, at: at)
        let code = try add(InviteRow(family: key, familyID: familyID, invite: invite, payload: []), code: InviteCode.make(environment.random))
        return (.family(FamilyCreated(family: familyID, member: parentID, code: code, expiresAt: invite.expiresAt)), change)
    }

    // MARK: Sessions

    private func token(_ member: Identifier, at: Int64) throws -> (AdminAnswer, CommittedChange?) {
        var change: CommittedChange?
        if try people.membership(member) == nil, let row = try people.invite(ofMember: member), try isInviterParent(row) {
            change = try admit(row, at: at)
        }
        guard let membership = try people.membership(member), !membership.isRemoved else {
            throw Rejection(.notFound, "There is no such member")
        }
        let created = try session(membership, at: at).created
        try people.endInvite(family: membership.family, member: member, as: .accepted)
        // The session opens every family of the person, so the audit log of each shows that the host made it.
        if let joined = try people.membership(member), let person = joined.person { try audit(.tokenByHost, person: person, by: .host, at: at) }
        return (.token(created), change)
    }

    /// Redeems a code for a browser: the session is of another kind, and may be brief. Otherwise the same as
    /// `AdminCommand.redeem`.
    package func redeem(
        code: String, nonce: String, name: String?, as kind: SessionKind, device: String, isBrief: Bool
    ) throws(StoreFailure) -> (Result<SessionCreated, Rejection>, [CommitResult]) {
        let outcome = try transaction(isDone: isDone) { _ in
            try redeem(code, nonce, name: name, at: environment.now(), kind: kind, device: device, isBrief: isBrief)
        } as Outcome<(AdminAnswer, CommittedChange?)>
        switch outcome {
        case .done((.token(let created), let change)): return (.success(created), change.map { [.change($0)] } ?? [])
        case .done: preconditionFailure("a redemption gives a token")
        case .refused(let rejection): return (.failure(rejection), [])
        }
    }

    private func redeem(
        _ typed: String, _ nonce: String, name: String?, at: Int64, kind: SessionKind = .terminal, device: String = "", isBrief: Bool = false
    ) throws -> (AdminAnswer, CommittedChange?) {
        let nonceHash = RedemptionNonce.hash(nonce)
        let (code, row) = try redeemable(typed, nonceHash, name: name, at: at)
        var change: CommittedChange?
        if try people.membership(code.member) == nil, let row, row.invite.state == .pending { change = try admit(row, at: at) }
        guard var membership = try people.membership(code.member), !membership.isRemoved else { throw Rejection.codeUnknown }
        let former = code.nonceHash == nil ? membership.person : nil
        if let person = former, code.maker == nil, code.recovery != .host, try people.memberships(ofPerson: person).count > 1 {
            // The code comes from a parent of this family, so it opens only this family: the person keeps the others,
            // and their sign-in.
            try people.detach(family: membership.family, member: membership.member)
            membership.person = nil
            pendingNotices.append(.moved(BarredMember(family: membership.familyID, member: membership.member, sessions: [])))
        }
        // The first answer was lost: nobody has its token, or the wrong person has it.
        var ended: Int64?
        if let lost = code.session, try endSession(key: lost) { ended = lost }
        var (created, session) = try session(
            membership, at: at, kind: kind, name: device, isBrief: isBrief, isChecked: code.recovery != nil)
        if let row { try people.acceptInvite(family: row.family, id: row.invite.id) }
        // The window begins with the first redemption: a repetition comes later, so the earlier end stays.
        try people.redeem(code, nonceHash: nonceHash, session: session, repeatableUntil: at + CodeRow.redemptionWindow)
        created.endedSession = ended
        let isRepeated = code.nonceHash != nil
        if let way = code.recovery, !isRepeated, let former {
            // The host opened the whole person. A parent opened one family, and the devices of the member's former
            // person are notified.
            try recovered(former, way, by: way == .host ? nil : (membership.family, membership.member), session: session, at: at)
            return (.token(created), change)
        }
        if code.maker != nil, let person = membership.person {
            try audit(isRepeated ? .signedIn : .deviceAdded, person: person, detail: device.isEmpty ? nil : device, at: at)
            return (.token(created), change)
        }
        try audit(
            isRepeated ? .signedIn : .inviteAccepted, family: membership.family, by: .member(membership.member), about: membership.member,
            detail: isRepeated ? "code" : nil, at: at)
        return (.token(created), change)
    }

    /// Ends a session, and adds that to the audit log.
    func endSession(_ key: Int64, at: Int64) throws -> Bool {
        let person = try people.session(key: key)?.person
        guard try people.endSession(key: key) else { return false }
        if let person { try audit(.sessionsEnded, person: person, at: at) }
        return true
    }

    /// Ends the code of a session's token, if there is one, because the token was used, so its owner has it.
    ///
    /// Call it for a sign-in with `isRedemptionOpen`, and answer the sign-in afterwards. In this order no crash leaves
    /// a member signed in while their code still works: if the server ends before this commit, it has sent no answer,
    /// and only the owner of the nonce can repeat the request. This is one commit per code.
    ///
    /// - Returns: `nil` if it is done, `storage_full` if the disk is full.
    package func closeRedemption(session: Int64) throws(StoreFailure) -> Rejection? {
        switch try transaction({ _ in try people.closeRedemption(session: session) }) {
        case .done: nil
        case .refused(let rejection): rejection
        }
    }

    func session(
        _ membership: MembershipRow, at: Int64, kind: SessionKind = .terminal, name: String = "", isBrief: Bool = false, isChecked: Bool = false
    ) throws -> (created: SessionCreated, key: Int64) {
        guard let family = try family(membership.familyID), let member = family.state.member(membership.member) else {
            throw StoreFailure("a membership without a member record")
        }
        if let bar = environment.bar(member, zone: family.state.zone, at: at) { throw bar.rejection }
        let made = try makeSession(NewSession(person: try people.person(of: membership, at: at), kind: kind, name: name, isBrief: isBrief, isChecked: isChecked), at: at)
        let created = SessionCreated(token: made.token, family: family.state.id, member: membership.member, role: member.role)
        return (created, made.session)
    }

    // MARK: Purge

    /// Runs `maintain` to completion. Requires exclusive use of the database.
    private func purge() throws(StoreFailure) -> (Result<AdminAnswer, Rejection>, [CommitResult]) {
        purgeStep = .first
        var purged = Purged()
        while true {
            let portion = try maintain()
            purged.add(portion.purged)
            if portion.isFinished { return (.success(.purged(purged)), []) }
        }
    }

    /// A fresh version 7 id.
    func identifier(_ at: Int64) -> Identifier {
        let octets = environment.random(16)
        func half(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
        return .version7(milliseconds: at, random: (half(octets.prefix(8)), half(octets.suffix(8))))
    }
}

extension Rejection {
    /// The refusal of codes that are unknown, used or expired, and of removed members' codes: it does not reveal which.
    static let codeUnknown = Rejection(.codeUnknown, ErrorCode.codeUnknown.sentence)
}

import Bytes
import Dates
package import Family
import Ledger
package import Wire

// Families, members and sessions come and go here, in the same writer as everything else.
extension Store {
    /// Carries out an admin command, in one transaction.
    ///
    /// - Parameter at: when it happened, UTC milliseconds; `nil`: now. Only for a family that is made up, in the order of time.
    /// - Returns: the answer, or why nothing was done (`storage_full` when the disk is full); and the changes for the live rooms.
    package func perform(_ command: AdminCommand, at: Int64? = nil) throws(StoreFailure) -> (Result<AdminAnswer, Rejection>, [CommitResult]) {
        if case .purge = command { return try purge() }
        let outcome = try transaction(isDone: isDone) { _ in
            let at = at ?? environment.now()
            switch command {
            case .createFamily(let name, let zone, let parent): return try createFamily(name: name, zone: zone, parent: parent, at: at)
            case .invite(let invite): return try self.invite(invite, at: at)
            case .token(let member): return (try token(member, at: at), nil)
            case .redeem(let code, let nonce): return (try redeem(code, nonce, at: at), nil)
            case .signOut(let token):
                guard let session = try people.session(hash: SessionToken.hash(token))?.key, try people.endSession(key: session) else {
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

    /// Whether a command whose COMMIT had no answer was carried out.
    private func isDone(_ answer: AdminAnswer, _ change: CommittedChange?) throws -> Bool {
        if let change { return try isDone(change) }
        switch answer {
        case .token(let created): return try people.session(hash: SessionToken.hash(created.token)) != nil
        case .signedOut(let session?): return try !people.hasSession(key: session)
        default: return false
        }
    }

    /// Whether a change whose COMMIT had no answer is in the log.
    func isDone(_ change: CommittedChange) throws -> Bool {
        guard let key = try families.find(change.family)?.key else { return false }
        return try log.frame(family: key, sequence: change.sequence) == change.frame
    }

    // MARK: Families and members

    /// - Parameter id: the family's; `nil` makes one.
    func createFamily(
        id: Identifier? = nil, name: String, zone: String, parent: String, at: Int64
    ) throws -> (AdminAnswer, CommittedChange?) {
        let familyID = id ?? identifier(at)
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
        let code = try makeInvite(family: family.key, member: parentID, at: at)
        return (.family(FamilyCreated(family: familyID, member: parentID, code: code.text, expiresAt: code.expiresAt)), change)
    }

    func invite(_ invite: Invite, at: Int64) throws -> (AdminAnswer, CommittedChange?) {
        let family = try family(called: invite.family)
        if let by = invite.by, family.state.member(by)?.role != .parent {
            throw Rejection(.unknownReference, "Whoever invites must be a parent of this family", field: "by")
        }
        let born = try born(invite)
        let age = try age(of: invite, born, family, at: at)
        var values = [("name", invite.name), ("role", invite.role.rawValue)]
        if invite.role == .athlete { values.append(("parent_access", ParentAccess.edit.rawValue)) }
        let profile = try ledger.profile(.member, values)
        guard family.state.records < environment.limits.recordsPerFamily else {
            throw Rejection(.familyFull, ErrorCode.familyFull.sentence)
        }

        let id = identifier(at)
        let author = invite.by ?? id
        let actor = Actor(member: author, role: family.state.member(author)?.role ?? invite.role)
        let (_, change) = try decide(family, actor: actor, at: at) { $0.add(id, profile, born: born) }
        let isMinor = age.map { $0 < Age.adult } ?? false
        let hasLogin = age.map { $0 >= Age.login } ?? true
        let consent = isMinor && hasLogin ? invite.by.map { Consent(by: $0, at: at, terms: Consent.currentTerms) } : nil
        try people.addMembership(family: family.key, member: id, born: born, consent: consent)
        let code = hasLogin ? try makeInvite(family: family.key, member: id, at: at) : nil
        let invited = Invited(family: family.state.id, member: id, role: invite.role, code: code?.text, expiresAt: code?.expiresAt)
        return (.invited(invited), change)
    }

    /// The one family that an id or a name means.
    private func family(called text: String) throws -> StoredFamily {
        let found = try FamilyNames.find(text, in: families) { key, id in try record(family: key, id) }
        guard found.count <= 1 else { throw Rejection.severalFamilies(text, found.count) }
        guard let id = found.first, let family = try family(id) else { throw Rejection.noFamily(text) }
        return family
    }

    /// - Throws: `required` for an athlete without one, `invalid` for what is no date.
    private func born(_ invite: Invite) throws -> CalendarDate? {
        guard let text = invite.born else {
            guard invite.role != .athlete else {
                throw Rejection(
                    .required, "An athlete needs a birth date: below 13 there is no login, below 18 a parent consents", field: "born")
            }
            return nil
        }
        guard let born = CalendarDate(text) else { throw Rejection.badBirthDate }
        return born
    }

    /// The age of who is invited, and the checks that hang on it; `nil` without a birth date.
    private func age(of invite: Invite, _ born: CalendarDate?, _ family: StoredFamily, at: Int64) throws -> Int? {
        guard let born else { return nil }
        guard let age = environment.age(born: born, zone: family.state.zone, at: at), (0...Age.oldest).contains(age) else {
            throw Rejection.badBirthDate
        }
        guard invite.by != nil || invite.role != .athlete else {
            throw Rejection(.required, "An athlete is invited by a parent of the family", field: "by")
        }
        return age
    }

    // MARK: Sessions

    private func token(_ member: Identifier, at: Int64) throws -> AdminAnswer {
        guard let membership = try people.membership(member), !membership.isRemoved else {
            throw Rejection(.notFound, "There is no such member")
        }
        return .token(try session(membership, at: at).created)
    }

    private func redeem(_ code: String, _ nonce: String, at: Int64) throws -> AdminAnswer {
        let nonceHash = RedemptionNonce.hash(nonce)
        guard let hash = InviteCode.hash(code), let invite = try people.invite(hash: hash), at < invite.expiresAt,
            invite.nonceHash == nil || invite.nonceHash == nonceHash,
            let membership = try people.membership(invite.member), !membership.isRemoved
        else { throw Rejection.codeUnknown }
        // The first answer was lost: its token is in nobody's hands, or in wrong ones.
        var ended: Int64?
        if let former = invite.session, try people.endSession(key: former) { ended = former }
        var (created, session) = try session(membership, at: at)
        // The window begins with the first redemption: a repetition is later, so the minimum stays.
        try people.redeem(invite, nonceHash: nonceHash, session: session, repeatableUntil: at + InviteRow.redemptionWindow)
        created.endedSession = ended
        return .token(created)
    }

    /// The token of a session was used, so its owner has it: the code that gave it, if one did, is dead.
    ///
    /// Call it for a sign-in with `isRedemptionOpen`, and answer the sign-in afterwards. In this order no crash leaves a member signed in
    /// whose code still works: if the server ends before this commit, nobody has been answered, and only the nonce's owner can repeat.
    /// It is one commit for each code, ever.
    ///
    /// - Returns: `nil` when it is done, `storage_full` when the disk is full.
    package func closeRedemption(session: Int64) throws(StoreFailure) -> Rejection? {
        switch try transaction({ _ in try people.closeRedemption(session: session) }) {
        case .done: nil
        case .refused(let rejection): rejection
        }
    }

    private func session(_ membership: MembershipRow, at: Int64) throws -> (created: SessionCreated, key: Int64) {
        guard let family = try family(membership.familyID), let member = family.state.member(membership.member) else {
            throw StoreFailure("a membership without a member record")
        }
        if member.role == .athlete {
            guard let age = environment.age(born: member.born, zone: family.state.zone, at: at), age >= Age.login else {
                throw Rejection(.notAllowed, "Athletes below \(Age.login) have no login: a parent keeps their profile")
            }
            guard age >= Age.adult || membership.hasConsent else {
                throw Rejection(.notAllowed, "Athletes below \(Age.adult) need a parent's consent: let a parent invite them")
            }
        }
        let token = SessionToken.make(environment.random)
        let key = try people.addSession(membership, hash: SessionToken.hash(token), at: at)
        return (SessionCreated(token: token, family: family.state.id, member: membership.member, role: member.role), key)
    }

    private func makeInvite(family: Int64, member: Identifier, at: Int64) throws -> (text: String, expiresAt: Int64) {
        let code = InviteCode.make(environment.random)
        guard let hash = InviteCode.hash(code) else { preconditionFailure("a code of ours is a code") }
        let expiresAt = at + InviteRow.life
        try people.addInvite(family: family, member: member, hash: hash, at: at, expiresAt: expiresAt)
        return (code, expiresAt)
    }

    // MARK: Purge

    /// A whole round of `maintain`, for who has the database alone.
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
    /// For codes that are unknown, used or expired, and those of removed members: nobody learns which.
    static let codeUnknown = Rejection(.codeUnknown, ErrorCode.codeUnknown.sentence)

    fileprivate static let badBirthDate = Rejection(.invalid, "The birth date is YYYY-MM-DD, a day in the past", field: "born")
}

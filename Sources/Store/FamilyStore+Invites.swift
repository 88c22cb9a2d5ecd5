package import Bytes
import Crypto
import Dates
package import Family
import Folding
import Ledger
package import Wire

/// A parent's request to the writer about invites.
package enum InviteCommand: Hashable, Sendable {
    case make(NewInvite)
    /// `by` is the parent who withdraws it.
    case withdraw(Identifier, family: Identifier, by: Identifier)
}

/// The current state of an invite.
package struct MadeInvite: Hashable, Sendable {
    package var family: Identifier
    package var invite: Invite
    /// The code for the person; `nil` if nothing can be redeemed.
    package var code: String?
}

// Invites: the right to make them, their persons, their number, and the conditions of a redemption.
//
//     (none) --make--> pending --redeem, host's token--> accepted
//                        | +----withdraw, another invite of the member, removal----> withdrawn
//                        +--7 days--> (pending in the tables, shown as expired) --make for the same member--> withdrawn
//
// A member has at most one pending invite. Its code is the only one that the member has.
extension FamilyStore {
    /// Carries out the request of a parent's session, in one transaction.
    ///
    /// - Returns: the current invite, or the reason why nothing was done; and the change for the live rooms.
    package func perform(_ command: InviteCommand) throws(StoreFailure) -> (Result<MadeInvite, Rejection>, [CommitResult]) {
        let outcome = try transaction(isDone: { made, change in
            if let change { return try self.isDone(change) }
            guard let key = try self.families.find(made.family)?.key else { return false }
            return try self.people.invite(family: key, id: made.invite.id)?.invite.state == made.invite.state
        }) { _ -> (MadeInvite, CommittedChange?) in
            let at = environment.now()
            switch command {
            case .make(let new): return try invite(new, at: at)
            case .withdraw(let id, let family, let by): return (try withdraw(id, family: family, by: by, at: at), nil)
            }
        }
        switch outcome {
        case .done((let made, let change)): return (.success(made), change.map { [.change($0)] } ?? [])
        case .refused(let rejection): return (.failure(rejection), [])
        }
    }

    // MARK: Making

    /// Makes an invite, or repeats the answer to the request that made it.
    func invite(_ new: NewInvite, at: Int64) throws -> (MadeInvite, CommittedChange?) {
        let family = try self.family(of: new)
        try checkInviter(new, family, at: at)
        let payload = new.payload
        if case .session(let id, let nonce) = new.origin, let known = try people.invite(family: family.key, id: id) {
            guard known.payload == payload, let by = known.invite.inviter else {
                throw Rejection(.alreadyExists, "An invite with this id already exists. Nothing was changed; use another id", id: id)
            }
            let invite = known.invite.current(at: at)
            let code = InviteCode.make(key: engine.linkKey, family: family.state.id, inviter: by, invite: id, nonce: nonce)
            return (MadeInvite(family: family.state.id, invite: invite, code: invite.state == .pending ? code : nil), nil)
        }
        let invitee = try self.invitee(of: new, family, at: at)
        try checkLimits(of: invitee, family, at: at)

        var change: CommittedChange?
        if let profile = invitee.profile {
            let author = new.by ?? invitee.member
            let actor = Actor(member: author, role: family.state.member(author)?.role ?? invitee.role)
            (_, change) = try decide(family, actor: actor, at: at) { $0.add(invitee.member, profile, born: invitee.born) }
            try people.addMembership(family: family.key, member: invitee.member, born: invitee.born, consent: nil)
        }
        var invite = Invite(
            id: identifier(at), member: invitee.member, role: invitee.role, name: invitee.name, email: invitee.email, inviter: new.by, createdAt: at,
            expiresAt: at + Invite.life, state: invitee.state, lastDay: invitee.lastDay?.description)
        var code = InviteCode.make(environment.random)
        if case .session(let id, let nonce) = new.origin, let by = new.by {
            invite.id = id
            code = InviteCode.make(key: engine.linkKey, family: family.state.id, inviter: by, invite: id, nonce: nonce)
        }
        if let former = try people.invite(ofMember: invite.member) { try people.removeOutgoing(family: family.key, about: former.invite.id) }
        try people.endInvite(family: family.key, member: invite.member, as: .withdrawn)
        try audit(.invited, family: family.key, by: new.author, about: invite.member, detail: invite.role.rawValue, at: at)
        // A parent's session asks for the mail; the host passes the code on. An address to which no mail can be sent is
        // only a word to type.
        let terms = environment.mail.flatMap { terms in invite.email.map { terms.isAddress($0) } == true ? terms : nil }
        if terms != nil, new.by != nil, case .session = new.origin, invitee.state == .pending { invite.mail = .waiting }
        let row = InviteRow(family: family.key, familyID: family.state.id, invite: invite, payload: payload)
        guard invitee.state == .pending else {
            try people.addInvite(row)
            return (MadeInvite(family: family.state.id, invite: invite, code: nil), change)
        }
        let made = MadeInvite(family: family.state.id, invite: invite, code: try add(row, code: code))
        if let terms, let email = invite.email, invite.mail == .waiting {
            let person = try new.by.flatMap { try people.membership($0)?.person }
            try send(
                MailText.invite(code, terms), .invite, to: email, name: outgoingName(.invite), person: person, about: (family.key, invite.id),
                until: at + Self.mailLife, at: at)
        }
        return (made, change)
    }

    /// Stores an invite with its code.
    func add(_ row: InviteRow, code: String) throws -> String {
        guard let hash = InviteCode.hash(code) else { preconditionFailure("a code of ours is a code") }
        try people.addInvite(row)
        try people.addCode(of: row, hash: hash)
        return code
    }

    private func withdraw(_ id: Identifier, family: Identifier, by: Identifier, at: Int64) throws -> MadeInvite {
        guard let stored = try self.family(family) else { throw Rejection.noSuchFamily }
        try checkRights(of: by, stored, subject: id, at: at)
        return MadeInvite(family: family, invite: try endInvite(id, of: stored, by: .member(by), at: at).invite, code: nil)
    }

    /// Withdraws an invite; an invite that was already withdrawn stays so.
    ///
    /// - Returns: the current invite.
    func endInvite(_ id: Identifier, of family: StoredFamily, by author: Audit.Author, at: Int64) throws -> InviteRow {
        guard var row = try people.invite(family: family.key, id: id) else {
            throw Rejection(.notFound, "There is no such invite. Nothing was changed", id: id)
        }
        switch row.invite.state {
        case .accepted:
            throw Rejection(.contradicted, "This invite was accepted already. Nothing was changed; remove the member to end their access", id: id)
        case .proposed:
            throw Rejection(.contradicted, "This athlete is in the family already. Nothing was changed; remove the athlete instead", id: id)
        case .pending, .expired:
            try people.removeOutgoing(family: family.key, about: id)
            try people.endInvite(family: family.key, member: row.invite.member, as: .withdrawn)
            try audit(.inviteWithdrawn, family: family.key, by: author, about: row.invite.member, at: at)
            row.invite.state = .withdrawn
        case .withdrawn: break
        }
        return row
    }

    /// The only family with this id or name.
    private func family(of new: NewInvite) throws -> StoredFamily {
        if case .session = new.origin {
            guard let id = Identifier(new.family), let family = try family(id) else { throw Rejection.noSuchFamily }
            return family
        }
        return try named(new.family)
    }

    private func checkInviter(_ new: NewInvite, _ family: StoredFamily, at: Int64) throws {
        switch (new.origin, new.by) {
        case (.host, let by):
            if let by, family.state.member(by)?.role != .parent {
                throw Rejection(.unknownReference, "The member who invites must be a parent of this family", field: "by")
            }
        case (.session(let id, _), let by?): try checkRights(of: by, family, subject: id, at: at)
        case (.session, nil): throw Rejection.noSuchFamily
        }
    }

    /// Checks the table of permissions: an invite creates a member.
    private func checkRights(of member: Identifier, _ family: StoredFamily, subject: Identifier, at: Int64) throws {
        guard let role = try entered(member, family.state, at: at)?.role else { throw Rejection.noSuchFamily }
        let rights = Rights(Actor(member: member, role: role), members: family.state.members) { [environment, zone = family.state.zone] born in
            environment.age(born: born, zone: zone, at: at)
        }
        guard Permission.allows(rights.access(.create, .member, subject, owner: nil)) else {
            throw Rejection.notAnInviter
        }
    }

    // MARK: The person

    /// The person who is invited.
    private struct Invitee {
        var member: Identifier
        var role: Role
        var name: String
        var email: String?
        /// An athlete's record, which is added with the invite; `nil` for an existing member, and for a parent or
        /// guest, whose record comes with the acceptance.
        var profile: Fields?
        var born: CalendarDate?
        /// `accepted` for an athlete below 13, whose profile a parent keeps; `proposed` for one below 18, until a parent consents.
        var state = Invite.State.pending
        /// The last day of a guest.
        var lastDay: CalendarDate?
    }

    private func invitee(of new: NewInvite, _ family: StoredFamily, at: Int64) throws -> Invitee {
        let email = try new.email.map { text throws(Rejection) in try Invite.canonicalEmail(text) }
        guard let member = new.member else { return try newcomer(new, email, family, at: at) }
        for (field, isThere) in [("name", new.name != nil), ("role", new.role != nil), ("born", new.born != nil), ("last_day", new.lastDay != nil)] where isThere {
            throw Rejection(.invalid, "An invite of a member takes name and role from the family. Leave out \(field)", field: field)
        }
        var invitee: Invitee
        if let state = family.state.member(member) {
            guard try !hasLogin(member) else {
                throw Rejection(.alreadyExists, "This member has signed in already and needs no invite. Nothing was changed", id: member)
            }
            invitee = Invitee(member: member, role: state.role, name: state.name, email: email)
            switch environment.bar(state, zone: family.state.zone, at: at) {
            case nil: break
            case .noConsent?: throw Rejection.consentFirst(environment.consent)
            case let bar?: throw bar.rejection
            }
            invitee.lastDay = state.role == .guest ? state.lastDay : nil
        } else if let former = try people.invite(ofMember: member), former.family == family.key, family.state.members[member] == nil {
            invitee = Invitee(
                member: member, role: former.invite.role, name: former.invite.name, email: email ?? former.invite.email,
                lastDay: former.invite.lastDay.flatMap { CalendarDate($0) })
        } else {
            throw Rejection(.notFound, "There is no such member, and no pending invite of one. Nothing was changed", id: member)
        }
        try checkApproval(of: invitee.role, new)
        return invitee
    }

    /// Whether somebody is signed in as a member, so that an invite must not open their place. A person whose sessions
    /// have all ended (the member was removed and restored, or nobody signed in for 90 days) may enter with an invite,
    /// but only this family.
    func hasLogin(_ member: Identifier) throws -> Bool {
        guard let person = try people.membership(member)?.person else { return false }
        return try people.hasSession(person: person)
    }

    private func newcomer(_ new: NewInvite, _ email: String?, _ family: StoredFamily, at: Int64) throws -> Invitee {
        guard let role = new.role else {
            throw Rejection(.required, "An invite of a new person needs a role: athlete, parent or guest", field: "role")
        }
        let born = try born(new, role)
        var values = [("name", new.name ?? ""), ("role", role.rawValue)]
        if role == .athlete { values.append(("parent_access", ParentAccess.edit.rawValue)) }
        let age = try born.map { try self.age(born: $0, family, at: at) }
        try checkApproval(of: role, new)
        let profile = try ledger.profile(.member, values)
        guard family.state.records < environment.limits.recordsPerFamily else {
            throw Rejection(.familyFull, ErrorCode.familyFull.sentence)
        }
        var invitee = Invitee(member: identifier(at), role: role, name: profile.text("name") ?? "", email: email)
        if let text = new.lastDay {
            guard role == .guest else { throw Rejection(.invalid, "Only a guest has a last day. Leave it out", field: "last_day") }
            invitee.lastDay = try lastDay(text, zone: family.state.zone, at: at)
        }
        guard role == .athlete, let age else { return invitee }
        invitee.profile = profile
        invitee.born = born
        invitee.state = age < Age.login ? .accepted : age < Age.adult ? .proposed : .pending
        return invitee
    }

    private func checkApproval(of role: Role, _ new: NewInvite) throws {
        guard new.by != nil || role == .parent else {
            throw Rejection(.required, "Athletes and guests are invited by a parent of the family", field: "by")
        }
    }

    /// - Throws: `required` for an athlete without one, `invalid` for a text that is not a date, and for the birth date
    ///   of a member who is not an athlete.
    private func born(_ new: NewInvite, _ role: Role) throws -> CalendarDate? {
        guard let text = new.born else {
            guard role != .athlete else {
                throw Rejection(.required, "An athlete needs a birth date: below 13 there is no sign-in, below 18 a parent consents", field: "born")
            }
            return nil
        }
        guard role == .athlete else {
            throw Rejection(.invalid, "The birth date of a parent or guest is not kept. Leave it out", field: "born")
        }
        guard let born = CalendarDate(text) else { throw Rejection.badBirthDate }
        return born
    }

    private func age(born: CalendarDate, _ family: StoredFamily, at: Int64) throws -> Int {
        guard let age = environment.age(born: born, zone: family.state.zone, at: at), (0...Age.oldest).contains(age) else {
            throw Rejection.badBirthDate
        }
        return age
    }

    private func checkLimits(of invitee: Invitee, _ family: StoredFamily, at: Int64) throws {
        let limits = environment.limits
        if invitee.state == .pending {
            let open = try people.openInvites(family: family.key, at: at, besides: invitee.member)
            guard open < limits.invitesPending else {
                throw Rejection(
                    .tooMany, "\(open) invites of this family wait to be accepted, and \(limits.invitesPending) is the limit. Withdraw one first")
            }
        }
        let day: Int64 = 86_400_000
        let (count, first) = try people.invites(family: family.key, after: at - day)
        guard count < limits.invitesPerDay else {
            throw Rejection(
                .rateLimited, "This family has made \(count) invites within 24 hours, and \(limits.invitesPerDay) is the limit. Try again later",
                retryAfter: (first ?? at) + day - at)
        }
    }

    // MARK: Accepting

    /// - Throws: `required` without a name, `invalid` with the name of another person.
    func check(_ row: InviteRow, name: String?) throws(Rejection) {
        guard row.isBound else { return }
        guard let name, !name.allSatisfy(\.isWhitespace) else {
            throw Rejection(.required, "Type the name or the e-mail address that the invite is for", field: "name")
        }
        let typed = Self.folded(name)
        guard typed == Self.folded(row.invite.name) || row.invite.email.map({ typed == Self.folded($0) }) ?? false else {
            throw Rejection(
                .invalid, "The invite is for another name or e-mail address. Type it as the person who invites you wrote it, or ask them for a new code",
                field: "name")
        }
    }

    /// A name without case, accents and extra spaces.
    private static func folded(_ name: String) -> FoldedText { FoldedText(name.split(whereSeparator: \.isWhitespace).joined(separator: " ")) }

    /// Whether an invite is still valid: the parent who made it is a parent of the family now.
    func isInviterParent(_ row: InviteRow) throws -> Bool {
        guard let inviter = row.invite.inviter else { return true }
        return try family(row.familyID)?.state.member(inviter)?.role == .parent
    }

    /// Makes the person of a pending invite a member of the family.
    ///
    /// - Throws: `family_full`.
    func admit(_ row: InviteRow, at: Int64) throws -> CommittedChange? {
        guard let family = try family(row.familyID) else { throw StoreFailure("an invite of no family") }
        guard family.state.records < environment.limits.recordsPerFamily else {
            throw Rejection(.familyFull, ErrorCode.familyFull.sentence)
        }
        let invite = row.invite
        let profile = try ledger.profile(.member, [("name", invite.name), ("role", invite.role.rawValue)])
        let (_, change) = try decide(family, actor: Actor(member: invite.member, role: invite.role), at: at) { $0.add(invite.member, profile) }
        try people.addMembership(family: family.key, member: invite.member, born: nil, consent: nil)
        if let day = invite.lastDay.flatMap({ CalendarDate($0) }) {
            try people.setLastDay(day, family: family.key, member: invite.member)
            forgetFamily(key: family.key)
        }
        return change
    }
}

extension NewInvite {
    /// A parent in a session of their own, or the host; a parent whom the host names has not acted.
    fileprivate var author: Audit.Author {
        guard case .session = origin, let by else { return .host }
        return .member(by)
    }

    /// A hash of a client's request, besides the id; empty for the host's commands.
    fileprivate var payload: [UInt8] {
        guard case .session(_, let nonce) = origin else { return [] }
        let parts = [by?.description, member?.description, name, role?.rawValue, born, email, nonce, lastDay]
        // Lengths separate the parts; a missing part differs from an empty one.
        let text = parts.map { part in part.map { "\($0.utf8.count):\($0)" } ?? "-" }.joined(separator: ",")
        return Array(Digest.sha256(Array(text.utf8)).prefix(16))
    }
}

extension Invited {
    init(_ made: MadeInvite) {
        self.init(
            family: made.family, member: made.invite.member, role: made.invite.role, name: made.invite.name, code: made.code,
            expiresAt: made.code == nil ? nil : made.invite.expiresAt)
    }
}

extension Rejection {
    /// The refusal of an invite for an athlete of 13 to 17 without a consent. It names the text in force.
    static func consentFirst(_ text: ConsentText) -> Rejection {
        Rejection(
            .required, "An athlete below \(Age.adult) needs a parent's consent (\(text.version)) before the invite. Give the consent first", field: "consent")
    }

    fileprivate static let badBirthDate = Rejection(.invalid, "The birth date must be a day in the past, written YYYY-MM-DD", field: "born")
}

package import Bytes
import Dates
package import Family
import Ledger
package import Wire

/// A parent's request to the writer about the sign-in of a member: consent, birth date, last day.
package struct MemberCommand: Hashable, Sendable {
    package enum Act: Hashable, Sendable {
        /// A parent has read the text with this version and SHA-256 (hexadecimal digits).
        case consent(version: String, digest: String)
        case withdrawConsent
        /// `YYYY-MM-DD`.
        case correctBirthDate(String)
        /// `YYYY-MM-DD`, or `nil`: the guest stays.
        case setLastDay(String?)
    }

    package var act: Act
    package var member: Identifier
    package var family: Identifier
    /// The parent who asks.
    package var by: Identifier

    package init(_ act: Act, member: Identifier, family: Identifier, by: Identifier) {
        self.act = act
        self.member = member
        self.family = family
        self.by = by
    }
}

// The state that determines whether an athlete may sign in, and the acts of parents that change it.
//
//     athlete: (under 13) --13th birthday--> consent needed --consent--> consented --18th birthday--> open
//                                                  ^---withdrawal, younger birth date---|
//
// Nothing here opens a sign-in by itself: an athlete who may sign in still needs an invite.
extension FamilyStore {
    /// Carries out the request of a parent's session, in one transaction. Each act can be repeated: an act that is
    /// already done changes nothing and adds no entry to the audit log.
    ///
    /// - Returns: the member's current state, or the reason why nothing was done; and the member, if their connections
    ///   must be closed.
    package func perform(_ command: MemberCommand) throws(StoreFailure) -> (Result<Standing, Rejection>, BarredMember?) {
        let outcome = try transaction { _ -> (Standing, BarredMember?) in
            let at = environment.now()
            let (family, target) = try self.target(of: command, at: at)
            switch command.act {
            case .consent(let version, let digest): try consent(command, family, target, version, digest, at: at)
            case .withdrawConsent: try withdrawConsent(command, family, at: at)
            case .correctBirthDate(let text): try correctBirthDate(command, family, target, text, at: at)
            case .setLastDay(let text): try setLastDay(command, family, target, text, at: at)
            }
            forgetFamily(key: family.key)
            guard let after = try self.family(command.family), let membership = try people.membership(command.member) else {
                throw StoreFailure("a membership is gone")
            }
            let barred = try shutOut(command.member, after, by: .member(command.by), at: at)
            return (try standing(membership, after.state.members[command.member], zone: after.state.zone, at: at, people), barred)
        }
        switch outcome {
        case .done((let standing, let barred)): return (.success(standing), barred)
        case .refused(let rejection): return (.failure(rejection), nil)
        }
    }

    /// The family and the member of a command, if the parent has the right to it.
    private func target(of command: MemberCommand, at: Int64) throws -> (StoredFamily, MemberState) {
        guard let family = try family(command.family), let role = try entered(command.by, family.state, at: at)?.role else {
            throw Rejection.noSuchFamily
        }
        guard role == .parent else { throw Rejection.notAManager(environment.consent) }
        guard let target = family.state.member(command.member) else {
            throw Rejection(.notFound, "There is no such member. Nothing was changed", id: command.member)
        }
        return (family, target)
    }

    // MARK: Consent

    private func consent(
        _ command: MemberCommand, _ family: StoredFamily, _ target: MemberState, _ version: String, _ digest: String, at: Int64
    ) throws {
        let text = environment.consent
        guard version == text.version, digest == text.digest else { throw Rejection.olderText(text) }
        guard target.role == .athlete else {
            throw Rejection(.invalid, "Only an athlete's sign-in needs a consent (\(text.version)). Nothing was changed", field: "member")
        }
        guard let age = environment.age(born: target.born, zone: family.state.zone, at: at) else { throw EntryBar.ageUnknown.rejection }
        guard age >= Age.login else { throw EntryBar.underAge.rejection }
        guard age < Age.adult else {
            throw Rejection(.contradicted, "From \(Age.adult) on no consent is needed. Nothing was changed", id: command.member)
        }
        let former = try people.consent(family: family.key, member: command.member)
        if let former, former.terms == version, former.digest.map({ Hex.encode($0) }) == digest { return }
        guard let octets = Hex.decode(digest) else { throw Rejection.olderText(text) }
        let person = try people.membership(command.by)?.person
        let consent = Consent(by: command.by, at: at, terms: version, digest: octets, person: person)
        try people.setConsent(consent, family: family.key, member: command.member)
        try audit(.consentGiven, family: family.key, by: .member(command.by), about: command.member, detail: version, at: at)
    }

    private func withdrawConsent(_ command: MemberCommand, _ family: StoredFamily, at: Int64) throws {
        guard let former = try people.consent(family: family.key, member: command.member) else { return }
        try people.setConsent(nil, family: family.key, member: command.member)
        try audit(.consentWithdrawn, family: family.key, by: .member(command.by), about: command.member, detail: former.terms, at: at)
    }

    // MARK: Birth date

    /// A correction never opens a sign-in by itself: if it removes a bar, the member's former sign-in no longer leads
    /// to the family, and a parent must invite them.
    private func correctBirthDate(_ command: MemberCommand, _ family: StoredFamily, _ target: MemberState, _ text: String, at: Int64) throws {
        guard target.role == .athlete else {
            throw Rejection(.invalid, "The birth date of a parent or guest is not kept. Nothing was changed", field: "born")
        }
        guard let born = CalendarDate(text), let age = environment.age(born: born, zone: family.state.zone, at: at), (0...Age.oldest).contains(age) else {
            throw Rejection(.invalid, "The birth date must be a day in the past, written YYYY-MM-DD", field: "born")
        }
        guard born != target.born else { return }
        let wasBarred = environment.bar(target, zone: family.state.zone, at: at) != nil
        try people.setBirth(born, family: family.key, member: command.member)
        try audit(.birthDateCorrected, family: family.key, by: .member(command.by), about: command.member, at: at)
        var corrected = target
        corrected.born = born
        guard wasBarred, environment.bar(corrected, zone: family.state.zone, at: at) == nil else { return }
        try people.detach(family: family.key, member: command.member)
    }

    // MARK: Last day

    private func setLastDay(_ command: MemberCommand, _ family: StoredFamily, _ target: MemberState, _ text: String?, at: Int64) throws {
        guard target.role == .guest else {
            throw Rejection(.invalid, "Only a guest has a last day. Nothing was changed", field: "member")
        }
        let day = try text.map { try lastDay($0, zone: family.state.zone, at: at) }
        guard day != target.lastDay else { return }
        try people.setLastDay(day, family: family.key, member: command.member)
        try audit(.guestEndSet, family: family.key, by: .member(command.by), about: command.member, detail: day?.description, at: at)
    }

    /// - Throws: `invalid` for a text that is not a day, or a day that is over.
    func lastDay(_ text: String, zone: String, at: Int64) throws -> CalendarDate {
        guard let day = CalendarDate(text), let today = environment.localDate(zone, at).flatMap({ CalendarDate($0) }), day >= today,
            day.year <= today.year + 10
        else {
            throw Rejection(.invalid, "The last day of a guest must be today or later, within ten years, written YYYY-MM-DD", field: "last_day")
        }
        return day
    }

    // MARK: Bars

    /// The member, if they are in the family and may enter it now.
    func entered(_ member: Identifier, _ state: FamilyState, at: Int64) throws -> MemberState? {
        guard let member = state.member(member), environment.bar(member, zone: state.zone, at: at) == nil else { return nil }
        return member
    }

    /// Withdraws the sign-in of a member who may no longer enter their family: an open invite, and, if the person can
    /// enter no other family, their sessions.
    ///
    /// - Returns: `nil` if the member may enter.
    func shutOut(_ member: Identifier, _ family: StoredFamily, by author: Audit.Author, at: Int64) throws -> BarredMember? {
        guard let state = family.state.member(member), environment.bar(state, zone: family.state.zone, at: at) != nil else { return nil }
        try people.endInvite(family: family.key, member: member, as: .withdrawn)
        var barred = BarredMember(family: family.state.id, member: member, sessions: [])
        guard let person = try people.membership(member)?.person else { return barred }
        let canEnter = try people.memberships(ofPerson: person).contains { membership in
            guard let family = try self.family(membership.familyID) else { return false }
            return try entered(membership.member, family.state, at: at) != nil
        }
        guard !canEnter else { return barred }
        barred.sessions = try people.endAllSessions(ofPerson: person)
        if !barred.sessions.isEmpty {
            try audit(.sessionsEnded, family: family.key, by: author, about: member, count: barred.sessions.count, at: at)
        }
        return barred
    }

    /// A member as parents see them.
    private func standing(_ membership: MembershipRow, _ state: MemberState?, zone: String, at: Int64, _ people: any PeopleReads) throws -> Standing {
        guard let state else { throw StoreFailure("a membership without a member record") }
        return try Standing(membership, state, bar: environment.bar(state, zone: zone, at: at), people)
    }
}

extension Standing {
    init(_ membership: MembershipRow, _ state: MemberState, bar: EntryBar?, _ people: any PeopleReads) throws {
        let consent = state.role == .athlete ? try people.consent(family: membership.family, member: membership.member) : nil
        let word: State =
            switch bar {
            case .underAge: .underAge
            case .ageUnknown: .ageUnknown
            case .noConsent: .consentNeeded
            case .ended: .ended
            case nil: consent == nil ? .open : .consented
            }
        self.init(
            member: membership.member, role: state.role, state: word, hasSignIn: membership.person != nil,
            isInvited: try people.invite(ofMember: membership.member) != nil,
            consent: consent.map { Consented(by: $0.by, at: $0.at, version: $0.terms) }, lastDay: state.role == .guest ? state.lastDay?.description : nil)
    }
}

extension Rejection {
    /// The refusal of acts about a member's sign-in by a member who is not a parent. It names the text in force.
    static func notAManager(_ text: ConsentText) -> Rejection {
        Rejection(.notAllowed, "Only parents can consent (\(text.version)), correct birth dates and set a guest's last day. Nothing was changed")
    }

    /// The refusal of a consent to a text that is not in force; it names the text in force.
    static func olderText(_ text: ConsentText) -> Rejection {
        Rejection(.invalid, "The text in force is \(text.version). Read it, then consent to it. Nothing was changed", field: "version")
    }
}

// MARK: Guests whose day is over

extension FamilyStore {
    /// The largest number of guests that one call removes.
    private static let guestsInPortion = 64

    /// Removes guests whose last day is over from their families. Until it is called, the writer refuses their
    /// mutations and the readers their joins, but their open connections continue to read.
    ///
    /// - Returns: the changes for the live rooms.
    package func endGuests() throws(StoreFailure) -> [CommitResult] {
        let outcome = try transaction { _ in
            let at = environment.now()
            var changes: [CommitResult] = []
            // East of Greenwich the next day may have begun already.
            guard let tomorrow = environment.localDate("UTC", at + 86_400_000).flatMap({ CalendarDate($0) }) else { return changes }
            for membership in try people.membersEnding(before: tomorrow, limit: Self.guestsInPortion) {
                guard let family = try family(membership.familyID), let member = family.state.member(membership.member),
                    environment.bar(member, zone: family.state.zone, at: at) == .ended,
                    let record = try record(family: family.key, membership.member)
                else { continue }
                let operation = Operation(kind: .member, id: record.id, action: .delete(base: record.version))
                let (_, change) = try decide(family, actor: Actor(member: record.id, role: .guest), at: at, isAudited: false) {
                    try $0.apply(operation, 0)
                }
                try audit(.guestEnded, family: family.key, by: .server, about: record.id, detail: member.lastDay?.description, at: at)
                if let change { changes.append(.change(change)) }
            }
            return changes
        }
        switch outcome {
        case .done(let changes): return changes
        // If the disk is full, the next call tries again.
        case .refused: return []
        }
    }
}

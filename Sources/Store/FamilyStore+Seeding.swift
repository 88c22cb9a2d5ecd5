package import Bytes
package import Family
import Ledger
package import Wire

/// A family for load tests. The caller chooses its id and tokens, so that programs without access to the database can
/// name them.
///
/// Its tokens can be guessed, so only a load generator may make such a family, and only in a folder of its own.
package struct SeededFamily: Sendable {
    package struct Parent: Sendable {
        package var name: String
        /// Signs in as this parent, besides the sessions that the parent gets later.
        package var token: String

        package init(name: String, token: String) {
            self.name = name
            self.token = token
        }
    }

    package var id: Identifier
    package var name: String
    /// IANA name.
    package var zone: String
    /// At least one.
    package var parents: [Parent]

    package init(id: Identifier, name: String, zone: String, parents: [Parent]) {
        self.id = id
        self.name = name
        self.zone = zone
        self.parents = parents
    }
}

extension FamilyStore {
    /// Makes a family with its parents and a session for each, by the same steps as the admin commands, in one
    /// transaction.
    ///
    /// - Returns: the parents' member ids, in order; or the reason why nothing was done (`already_exists` if the family
    ///   exists).
    package func seed(_ family: SeededFamily) throws(StoreFailure) -> Result<[Identifier], Rejection> {
        precondition(!family.parents.isEmpty, "a family has a parent")
        let outcome = try transaction(isDone: { members in try self.hasSeeded(family.id, members) }) { _ in
            let at = environment.now()
            if try self.family(family.id) != nil { throw Rejection(.alreadyExists, "A family with this id already exists.") }
            var members: [Identifier] = []
            for parent in family.parents {
                if let first = members.first {
                    members.append(try enroll(parent.name, .parent, in: family.id, by: first, at: at).member)
                } else {
                    let answer = try createFamily(id: family.id, name: family.name, zone: family.zone, parent: parent.name, at: at).0
                    guard case .family(let created) = answer else { preconditionFailure("this command answers so") }
                    members.append(created.member)
                }
                try insertSession(token: parent.token, member: members[members.count - 1], at: at)
            }
            return members
        } as Outcome<[Identifier]>
        switch outcome {
        case .done(let members): return .success(members)
        case .refused(let rejection): return .failure(rejection)
        }
    }

    /// Whether a run whose COMMIT had no answer made the family: no other run draws the same members.
    private func hasSeeded(_ family: Identifier, _ members: [Identifier]) throws -> Bool {
        guard let first = members.first else { return false }
        return try people.membership(first)?.familyID == family
    }

    /// Adds a parent or guest without an invite, for invented families.
    ///
    /// - Parameter at: the time of the act, UTC milliseconds; `nil`: now.
    /// - Returns: the member, or the reason why nothing was done; and the change for the live rooms.
    package func enroll(
        _ name: String, _ role: Role, in family: Identifier, by: Identifier, at: Int64? = nil
    ) throws(StoreFailure) -> (Result<Identifier, Rejection>, [CommitResult]) {
        precondition(role != .athlete, "an athlete needs a birth date: invite them")
        let outcome = try transaction(isDone: { enrolled in try enrolled.1.map { try self.isDone($0) } ?? false }) { _ in
            let enrolled = try enroll(name, role, in: family, by: by, at: at ?? environment.now())
            return (enrolled.member, enrolled.change)
        } as Outcome<(Identifier, CommittedChange?)>
        switch outcome {
        case .done((let member, let change)): return (.success(member), change.map { [.change($0)] } ?? [])
        case .refused(let rejection): return (.failure(rejection), [])
        }
    }

    /// Consents to the sign-in of an athlete, for invented families: nobody has read the text.
    ///
    /// - Returns: the reason why nothing was done; for an athlete of 18 that is not an error.
    @discardableResult
    package func approve(_ athlete: Identifier, in family: Identifier, by parent: Identifier) throws(StoreFailure) -> Rejection? {
        let act = MemberCommand.Act.consent(version: environment.consent.version, digest: environment.consent.digest)
        switch try perform(MemberCommand(act, member: athlete, family: family, by: parent)).0 {
        case .success: return nil
        case .failure(let rejection): return rejection
        }
    }

    private func enroll(
        _ name: String, _ role: Role, in family: Identifier, by: Identifier, at: Int64
    ) throws -> (member: Identifier, change: CommittedChange?) {
        guard let stored = try self.family(family) else { throw Rejection.noSuchFamily }
        let profile = try ledger.profile(.member, [("name", name), ("role", role.rawValue)])
        let member = identifier(at)
        let (_, change) = try decide(stored, actor: Actor(member: by, role: .parent), at: at) { $0.add(member, profile) }
        try people.addMembership(family: stored.key, member: member, born: nil, consent: nil)
        return (member, change)
    }

    /// Signs the parents of a seeded family in again with the same tokens, now, because their sessions may have ended
    /// since then.
    ///
    /// - Parameter members: the answer of `seed`.
    package func signInAgain(_ family: SeededFamily, _ members: [Identifier]) throws(StoreFailure) -> Result<Void, Rejection> {
        try account { at in
            for (parent, member) in zip(family.parents, members) {
                if let former = try people.session(hash: SessionToken.hash(parent.token)) { _ = try endSession(key: former.key) }
                try insertSession(token: parent.token, member: member, at: at)
            }
        }
    }

    /// A session with a token that the caller made.
    private func insertSession(token: String, member: Identifier, at: Int64) throws {
        guard let membership = try people.membership(member) else { throw StoreFailure("a member without a membership") }
        _ = try makeSession(NewSession(person: try people.person(of: membership, at: at), kind: .terminal), token: token, at: at)
    }
}

package import Accounts
package import Bytes
package import Family
import Ledger

/// A use of a passkey whose answer was right when a reader compared it with the stored key.
///
/// The writer does nothing if the passkey was removed in the meantime, or if its counter has changed.
package struct CheckedPasskey: Hashable, Sendable {
    package var person: Int64
    package var id: Identifier
    package var credential: [UInt8]
    /// The counter in the answer.
    package var counter: UInt32

    package init(person: Int64, id: Identifier, credential: [UInt8], counter: UInt32) {
        self.person = person
        self.id = id
        self.credential = credential
        self.counter = counter
    }
}

/// The values with which a browser makes a passkey for a person.
package struct PasskeyOffer: Hashable, Sendable {
    /// The octets by which authenticators know the person.
    package var handle: [UInt8]
    /// The name under which an authenticator shows the passkey: the sign-in name, or the person's name in a family.
    package var name: String
    /// The identifiers of the passkeys that the person has, so that no authenticator makes a second one.
    package var credentials: [[UInt8]]
}

/// Refused answers of one person, for one reason.
package struct PasskeyRefusals: Hashable, Sendable {
    package var person: Int64
    package var reason: PasskeyRefusal
    package var count: Int

    package init(person: Int64, reason: PasskeyRefusal, count: Int) {
        self.person = person
        self.reason = reason
        self.count = count
    }
}

// Passkeys: made, named, used, removed.
//
//     (none) --offer, add--> there --use--> there, with another counter ... --remove--> (none)
//
// Making and removing need a check within the last 10 minutes, if the person has a password or passkey. A new passkey
// ends the other sessions, as a new factor does. A passkey verifies its user by itself (UV), so its use counts as
// password and second factor together.
extension FamilyStore {
    /// The number of octets of a handle (Web Authentication Level 2, §5.4.3: at most 64, random).
    static let passkeyHandleOctets = 32

    // MARK: Making

    /// The values with which a browser makes a passkey for the session's person.
    package func offerPasskey(by session: Int64) throws(StoreFailure) -> Result<PasskeyOffer, Rejection> {
        let drawn = environment.random(Self.passkeyHandleOctets)
        return try account { at in
            let (person, passkeys) = try roomForPasskey(session, at: at)
            let handle = try people.passkeyHandle(person: person) ?? drawn
            if handle == drawn { try people.setPasskeyHandle(handle, person: person) }
            return PasskeyOffer(handle: handle, name: try passkeyName(ofPerson: person), credentials: passkeys.map(\.credential))
        }
    }

    /// Adds a passkey to the session's person. The other sessions end.
    ///
    /// - Returns: the passkeys of the person; `passkey_refused` if a person already has it.
    package func addPasskey(_ passkey: Passkey, name: String, by session: Int64) throws(StoreFailure) -> Result<[AccountPasskey], Rejection> {
        try passkeyAct(isDone: { _ in try self.people.passkey(credential: passkey.credential) != nil }) { at in
            let name = try AccountPasskey.canonicalName(name)
            let (person, _) = try roomForPasskey(session, at: at)
            guard try people.passkey(credential: passkey.credential) == nil else { return .refused(.taken, person: person) }
            try people.addPasskey(
                PasskeyRow(
                    id: identifier(at), person: person, credential: passkey.credential, algorithm: passkey.algorithm, key: passkey.key,
                    counter: passkey.counter, name: name, createdAt: at))
            try people.setHasCredential(true, person: person)
            try audit(.passkeyAdded, person: person, detail: name, at: at)
            let ended = try endSessions(ofPerson: person, besides: session)
            if ended > 0 { try audit(.sessionsEnded, person: person, count: ended, at: at) }
            // The authenticator has just verified its user.
            try people.setChecked(session: session, at: at)
            return .done(try people.passkeys(ofPerson: person).map(\.account))
        }
    }

    /// The person of a session that may make a passkey, and their passkeys.
    private func roomForPasskey(_ session: Int64, at: Int64) throws -> (Int64, [PasskeyRow]) {
        let person = try own(session, at: at).person
        try requireCheck(session: session, at: at)
        let passkeys = try people.passkeys(ofPerson: person)
        guard passkeys.count < Passkey.most else {
            throw Rejection(.tooMany, "You have \(passkeys.count) passkeys, and \(Passkey.most) is the limit. Remove one first")
        }
        return (person, passkeys)
    }

    private func passkeyName(ofPerson person: Int64) throws -> String {
        if let credential = try people.credential(person: person) { return credential.name }
        for membership in try people.memberships(ofPerson: person) {
            if let name = try family(membership.familyID)?.state.member(membership.member)?.name { return name }
        }
        return "Huddle"
    }

    // MARK: Names and ends

    /// Renames a passkey of the session's person.
    ///
    /// - Returns: the current passkeys of the person.
    package func renamePasskey(_ id: Identifier, to name: String, by session: Int64) throws(StoreFailure) -> Result<[AccountPasskey], Rejection> {
        try account { at in
            let name = try AccountPasskey.canonicalName(name)
            let (person, _) = try ownPasskey(id, session, at: at)
            try people.renamePasskey(id, name)
            return try people.passkeys(ofPerson: person).map(\.account)
        }
    }

    /// Removes a passkey of the session's person.
    ///
    /// - Returns: the account without it.
    package func removePasskey(_ id: Identifier, by session: Int64) throws(StoreFailure) -> Result<AccountState, Rejection> {
        try account(isDone: { try $0.passkeys == self.passkeys(ofSession: session) }) { at in
            let (person, row) = try ownPasskey(id, session, at: at)
            try requireCheck(session: session, at: at)
            try people.removePasskey(id)
            let left = try people.passkeys(ofPerson: person)
            try people.setHasCredential(!left.isEmpty, person: person)
            try audit(.passkeyRemoved, person: person, detail: row.name, at: at)
            return try people.accountState(ofPerson: person, session: session, at: at)
        }
    }

    private func passkeys(ofSession session: Int64) throws -> [AccountPasskey]? {
        try people.session(key: session).map { try people.passkeys(ofPerson: $0.person).map(\.account) }
    }

    private func ownPasskey(_ id: Identifier, _ session: Int64, at: Int64) throws -> (person: Int64, PasskeyRow) {
        let person = try own(session, at: at).person
        guard let row = try people.passkeys(ofPerson: person).first(where: { $0.id == id }) else {
            throw Rejection(.notFound, "There is no such passkey. Nothing was changed")
        }
        return (person, row)
    }

    // MARK: Using

    /// Opens a session for the person of a passkey whose answer was right.
    ///
    /// - Parameter new: `person` and `isChecked` are ignored.
    package func signIn(_ checked: CheckedPasskey, _ new: NewSession) throws(StoreFailure) -> Result<SessionMade, Rejection> {
        try passkeyAct(isDone: { try self.people.session(id: $0.id) != nil }) { at in
            if let refusal = try use(checked, at: at) { return .refused(refusal, person: checked.person) }
            var new = new
            new.person = checked.person
            new.isChecked = true
            let made = try makeSession(new, at: at)
            try audit(.signedIn, person: checked.person, detail: "passkey", at: at)
            return .done(made)
        }
    }

    /// Notes that a session has shown a passkey of its person.
    package func confirm(_ checked: CheckedPasskey, session: Int64) throws(StoreFailure) -> Result<AccountState, Rejection> {
        let isDone = { (state: AccountState) in
            try self.people.session(key: session)?.checkedAt.map { $0 + AccountSession.checkMinutes * 60_000 } == state.confirmedUntil
        }
        return try passkeyAct(isDone: isDone) { at in
            guard try own(session, at: at).person == checked.person else { return .refused(.unknown, person: checked.person) }
            if let refusal = try use(checked, at: at) { return .refused(refusal, person: checked.person) }
            try people.setChecked(session: session, at: at)
            return .done(try people.accountState(ofPerson: checked.person, session: session, at: at))
        }
    }

    /// Notes a use. Two answers may have been right against the same stored counter: the second one to arrive here is
    /// refused.
    private func use(_ checked: CheckedPasskey, at: Int64) throws -> PasskeyRefusal? {
        guard let row = try people.passkey(credential: checked.credential), row.id == checked.id, row.person == checked.person else { return .unknown }
        guard checked.counter > row.counter || (checked.counter == 0 && row.counter == 0) else { return .counter }
        guard try canSignIn(checked.person, at: at) else { return .barred }
        try people.usePasskey(row.id, counter: checked.counter, at: at)
        return nil
    }

    /// Adds answers that were refused before they reached the writer to the audit log.
    package func noteRefusals(_ refusals: [PasskeyRefusals]) throws(StoreFailure) {
        guard !refusals.isEmpty else { return }
        _ = try transaction { _ in
            let at = environment.now()
            for refusal in refusals {
                try audit(.passkeyRefused, person: refusal.person, by: .server, count: refusal.count, detail: refusal.reason.rawValue, at: at)
            }
        }
    }

    private enum PasskeyOutcome<Value> {
        case done(Value)
        /// The refusal is added to the audit log in the same transaction.
        case refused(PasskeyRefusal, person: Int64)
    }

    private func passkeyAct<Value>(
        isDone: @escaping (Value) throws -> Bool, _ body: (Int64) throws -> PasskeyOutcome<Value>
    ) throws(StoreFailure) -> Result<Value, Rejection> {
        let outcome = try account(isDone: { (outcome: PasskeyOutcome<Value>) in
            // A second entry in the audit log does no harm.
            if case .done(let value) = outcome { try isDone(value) } else { false }
        }) { at in
            let outcome = try body(at)
            if case .refused(let reason, let person) = outcome {
                try audit(.passkeyRefused, person: person, by: .server, detail: reason.rawValue, at: at)
            }
            return outcome
        }
        switch outcome {
        case .failure(let rejection): return .failure(rejection)
        case .success(.done(let value)): return .success(value)
        case .success(.refused): return .failure(.passkeyRefused)
        }
    }
}

extension Rejection {
    /// The same refusal for every fault of a passkey.
    package static let passkeyRefused = Rejection(.passkeyRefused, ErrorCode.passkeyRefused.sentence)
}

package import Accounts
package import Crypto
package import Family
import Folding

/// A sign-in by name, after the password was compared with the stored hash, or a recovery code with the stored ones.
///
/// A comparison takes tens of milliseconds on a thread of its own. The writer opens no session if the stored hash has
/// changed in the meantime.
package struct CheckedSecrets: Hashable, Sendable {
    /// The first proof.
    package enum Proof: Hashable, Sendable {
        /// The password is right for this hash. `renewed`: the same password at the cost that the server has now.
        case password(PasswordHash, renewed: PasswordHash?)
        /// A recovery code, which replaces the password.
        case recoveryCode(String)
    }

    package var person: Int64
    package var proof: Proof
    /// A one-time password, or another recovery code in its place.
    package var oneTime: String?

    package init(person: Int64, proof: Proof, oneTime: String?) {
        self.person = person
        self.proof = proof
        self.oneTime = oneTime
    }
}

/// A session that was opened by name.
package struct SignedInByName: Hashable, Sendable {
    package var session: SessionMade
    /// The secret by which the account knows the device: 43 characters of base64url.
    package var device: String
}

/// A second factor that waits for its confirmation.
package struct FactorMade: Hashable, Sendable {
    package var secret: [UInt8]
    package var name: String
}

// Names, passwords, second factors and recovery codes.
//
//     password:  (none) --set--> there --set--> there ... --remove--> (none)
//     factor:    (none) --make--> pending --confirm--> in force --remove--> (none)
//
// Each change needs a check within the last 10 minutes (`requireCheck`), if the person has a password or passkey. A new
// password or factor ends the other sessions.
extension FamilyStore {
    /// The largest number of devices known to a person.
    static let maxDevices = 20

    // MARK: Signing in

    /// Opens a session for a person whose password was right, if it is still the password, and the second factor is
    /// right.
    ///
    /// - Parameters:
    ///   - new: `person` and `isChecked` are ignored.
    ///   - device: the secret of a device that the account knows; it stays valid.
    /// - Returns: `sign_in_failed`, or `factor_required` if a second factor is needed and was not given.
    package func signIn(_ checked: CheckedSecrets, _ new: NewSession, device: String?) throws(StoreFailure) -> Result<SignedInByName, Rejection> {
        let known = device ?? SessionToken.make(environment.random)
        return try account(isDone: { try self.people.session(id: $0.session.id) != nil }) { at in
            let way = try prove(checked, at: at)
            var new = new
            new.person = checked.person
            new.isChecked = true
            let made = try makeSession(new, at: at)
            try people.addDevice(SessionToken.hash(known), person: checked.person, at: at, limit: Self.maxDevices)
            try audit(.signedIn, person: checked.person, detail: way?.rawValue ?? "password", at: at)
            if let way { try recovered(checked.person, way, by: nil, session: made.session, at: at) }
            return SignedInByName(session: made, device: known)
        }
    }

    /// Notes that a session has shown the secrets of its person, as `recordCheck`.
    package func confirm(_ checked: CheckedSecrets, session: Int64) throws(StoreFailure) -> Result<AccountState, Rejection> {
        // A one-time password that was used in a run with an unknown outcome cannot be used again.
        let isDone = { (state: AccountState) in
            try self.people.session(key: session)?.checkedAt.map { $0 + AccountSession.checkMinutes * 60_000 } == state.confirmedUntil
        }
        return try account(isDone: isDone) { at in
            guard try own(session, at: at).person == checked.person else { throw Rejection.signInFailed }
            let way = try prove(checked, at: at)
            try people.setChecked(session: session, at: at)
            if let way { try recovered(checked.person, way, by: nil, session: session, at: at) }
            return try people.accountState(ofPerson: checked.person, session: session, at: at)
        }
    }

    /// Checks that a person shows all required secrets. A one-time password and a recovery code are used up.
    ///
    /// A mailed code replaces the password, also for a person without one, but never the second factor.
    ///
    /// - Returns: the kind of recovery; `nil` if it was not a recovery.
    private func prove(_ checked: CheckedSecrets, at: Int64) throws -> RecoveryWay? {
        guard try canSignIn(checked.person, at: at) else { throw Rejection.signInFailed }
        let stored = try people.credential(person: checked.person)
        var way: RecoveryWay?
        if case .recoveryCode(let code) = checked.proof, try useMailCode(code, person: checked.person, at: at) {
            way = .mail
            if stored == nil { return way }
        }
        guard var credential = stored else { throw Rejection.signInFailed }
        switch checked.proof {
        case .password(let hash, let renewed):
            guard credential.hash == hash.text else { throw Rejection.signInFailed }
            if let renewed { credential.hash = renewed.text }
        case .recoveryCode(let code) where way == nil:
            try useRecoveryCode(code, person: checked.person)
            way = .code
        case .recoveryCode: break
        }
        if let factor = credential.factor {
            guard let oneTime = checked.oneTime else { throw Rejection.factorRequired }
            if let step = OneTimePassword(secret: factor).check(oneTime, at: at / 1_000, after: credential.step) {
                credential.step = step
            } else {
                try useRecoveryCode(oneTime, person: checked.person)
                way = way ?? .code
            }
        }
        try people.setCredential(credential)
        return way
    }

    private func useRecoveryCode(_ code: String, person: Int64) throws {
        var codes = RecoveryCodes(hashes: try people.recoveryCodes(person: person))
        guard let hash = RecoveryCodes.hash(code), codes.use(code) else { throw Rejection.signInFailed }
        try people.removeRecoveryCode(hash, person: person)
    }

    /// Whether a person may enter one of their families.
    func canSignIn(_ person: Int64, at: Int64) throws -> Bool {
        try people.memberships(ofPerson: person).contains { membership in
            guard let family = try family(membership.familyID) else { return false }
            return try entered(membership.member, family.state, at: at) != nil
        }
    }

    /// Notes failed attempts, by person.
    package func noteFailures(_ failures: [(person: Int64, count: Int)]) throws(StoreFailure) {
        guard !failures.isEmpty else { return }
        _ = try transaction { _ in
            let at = environment.now()
            for failure in failures { try audit(.signInFailed, person: failure.person, by: .server, count: failure.count, at: at) }
        }
    }

    // MARK: Name and password

    /// Sets or changes the name and the password of the session's person. The other sessions end, and the account knows
    /// no other device.
    ///
    /// - Returns: the account, and the secret by which it knows this device from now on.
    package func setPassword(
        _ name: SignInName, _ hash: PasswordHash, by session: Int64
    ) throws(StoreFailure) -> Result<(AccountState, device: String), Rejection> {
        let device = SessionToken.make(environment.random)
        // The salt makes each hash different.
        let isDone = { (_: (AccountState, device: String)) in
            try self.people.session(key: session).flatMap { try self.people.credential(person: $0.person) }?.hash == hash.text
        }
        return try account(isDone: isDone) { at in
            let person = try own(session, at: at).person
            try requireCheck(session: session, at: at)
            if let other = try people.credential(folded: name.folded.octets), other.person != person { throw Rejection.nameTaken }
            var row = try people.credential(person: person) ?? CredentialRow(person: person, name: "", folded: [], hash: "")
            row.name = name.text
            row.folded = name.folded.octets
            row.hash = hash.text
            try people.setCredential(row)
            try people.forgetDevices(person: person)
            try people.addDevice(SessionToken.hash(device), person: person, at: at, limit: Self.maxDevices)
            try audit(.passwordSet, person: person, at: at)
            try endOthers(person, session, at: at)
            try people.setChecked(session: session, at: at)
            return (try people.accountState(ofPerson: person, session: session, at: at), device)
        }
    }

    /// Removes name, password, second factor and recovery codes of the session's person.
    package func removePassword(by session: Int64) throws(StoreFailure) -> Result<AccountState, Rejection> {
        try account { at in
            let person = try own(session, at: at).person
            guard try people.credential(person: person) != nil else { return try people.accountState(ofPerson: person, session: session, at: at) }
            try requireCheck(session: session, at: at)
            try people.removeCredential(person: person)
            try audit(.passwordRemoved, person: person, at: at)
            try endOthers(person, session, at: at)
            return try people.accountState(ofPerson: person, session: session, at: at)
        }
    }

    private func endOthers(_ person: Int64, _ session: Int64, at: Int64) throws {
        let ended = try endSessions(ofPerson: person, besides: session)
        if ended > 0 { try audit(.sessionsEnded, person: person, count: ended, at: at) }
    }

    // MARK: Second factor

    /// Draws the secret of a second factor. It is in force once it is confirmed; until then the former one stays in
    /// force.
    package func makeFactor(by session: Int64) throws(StoreFailure) -> Result<(AccountState, FactorMade), Rejection> {
        try account { at in
            var row = try changeable(session, at: at)
            let secret = environment.random(OneTimePassword.secretOctets)
            row.pending = secret
            try people.setCredential(row)
            return (try people.accountState(ofPerson: row.person, session: session, at: at), FactorMade(secret: secret, name: row.name))
        }
    }

    /// Confirms the second factor that was drawn last, with one of its one-time passwords. The other sessions end.
    package func confirmFactor(_ oneTime: String, by session: Int64) throws(StoreFailure) -> Result<AccountState, Rejection> {
        let isDone = { (_: AccountState) in
            try self.people.session(key: session).flatMap { try self.people.credential(person: $0.person) }?.pending == nil
        }
        return try account(isDone: isDone) { at in
            var row = try changeable(session, at: at)
            guard let secret = row.pending else { throw Rejection.noFactorPending }
            guard let step = OneTimePassword(secret: secret).check(oneTime, at: at / 1_000, after: nil) else { throw Rejection.wrongOneTime }
            row.factor = secret
            row.step = step
            row.pending = nil
            try people.setCredential(row)
            try audit(.factorAdded, person: row.person, at: at)
            try endOthers(row.person, session, at: at)
            return try people.accountState(ofPerson: row.person, session: session, at: at)
        }
    }

    /// Removes the second factor. Doing it again changes nothing.
    package func removeFactor(by session: Int64) throws(StoreFailure) -> Result<AccountState, Rejection> {
        try account { at in
            var row = try changeable(session, at: at)
            if row.factor != nil { try audit(.factorRemoved, person: row.person, at: at) }
            row.factor = nil
            row.step = nil
            row.pending = nil
            try people.setCredential(row)
            return try people.accountState(ofPerson: row.person, session: session, at: at)
        }
    }

    /// Makes a set of recovery codes, which replaces the former one.
    package func makeRecoveryCodes(by session: Int64) throws(StoreFailure) -> Result<(AccountState, codes: [String]), Rejection> {
        let (codes, texts) = RecoveryCodes.make(random: environment.random(RecoveryCodes.randomOctets))
        let isDone = { (_: (AccountState, codes: [String])) in
            guard let person = try self.people.session(key: session)?.person else { return false }
            return Set(try self.people.recoveryCodes(person: person)) == Set(codes.hashes)
        }
        return try account(isDone: isDone) { at in
            let row = try changeable(session, at: at)
            try people.setRecoveryCodes(codes.hashes, person: row.person)
            try audit(.recoveryCodesMade, person: row.person, at: at)
            return (try people.accountState(ofPerson: row.person, session: session, at: at), texts)
        }
    }

    /// The credential of the session's person, if the session may change it.
    private func changeable(_ session: Int64, at: Int64) throws -> CredentialRow {
        let person = try own(session, at: at).person
        guard let row = try people.credential(person: person) else { throw Rejection.passwordFirst }
        try requireCheck(session: session, at: at)
        return row
    }
}

extension PeopleReads {
    /// A person's ways to sign in, for one of their sessions.
    func accountState(ofPerson person: Int64, session: Int64, at: Int64) throws -> AccountState {
        var state = AccountState()
        if let checked = try self.session(key: session)?.checkedAt, checked <= at {
            let end = checked + AccountSession.checkMinutes * 60_000
            if at < end { state.confirmedUntil = end }
        }
        state.passkeys = try passkeys(ofPerson: person).map(\.account)
        state.mail = try mail(person: person)?.account
        guard let row = try credential(person: person) else { return state }
        state.name = row.name
        state.hasFactor = row.factor != nil
        state.recoveryCodes = try recoveryCodes(person: person).count
        return state
    }
}

extension Rejection {
    /// The same refusal for an unknown name, a wrong password, a wrong one-time password and a wrong recovery code.
    package static let signInFailed = Rejection(.signInFailed, ErrorCode.signInFailed.sentence)
    package static let factorRequired = Rejection(.factorRequired, ErrorCode.factorRequired.sentence)
    static let nameTaken = Rejection(.alreadyExists, "Another person on this server already uses this name. Nothing was changed; choose another name", field: "name")
    package static let passwordFirst = Rejection(.contradicted, "A second factor and recovery codes belong to a password. Nothing was changed; set a password first")
    static let noFactorPending = Rejection(.contradicted, "No second factor waits to be confirmed. Nothing was changed; begin again")
    static let wrongOneTime = Rejection(
        .invalid, "This one-time password is wrong or has expired. Check the clock of your device, then type the next one", field: "one_time")
}

import Accounts
import Bytes
import Crypto
import Family
import HTTP1
import EventLoop
import Rooms
import Store
import Wire

/// Signs people in by name, and carries out their requests about their ways to sign in: for the socket and for HTTP
/// alike.
///
/// A sign-in takes four steps, on four threads: a reader looks the name up, the limits of guesses decide, a hasher
/// compares, and the writer opens the session if the compared hash is still the stored one. An unknown name takes the
/// same steps except for the last.
///
///     look up --unknown or known--> begin an attempt --delayed--> sign_in_failed with retry_after
///                                        |--> hash --wrong--> sign_in_failed
///                                               |---no room--> busy; the attempt does not count
///                                               |---right--> writer --> signed in, sign_in_failed or factor_required
final class AccountService {
    private let reactor: Reactor
    private let workers: Workers
    private var throttle = SignInThrottle()
    private var mailThrottle = MailThrottle()
    /// Set once before the loop runs: the server sends mail.
    var sendsMail = false
    /// Failures by person that are not in the audit log yet; at most as many as the hashes of one second.
    private var failures: [Int64: Int] = [:]
    /// The number of compared passwords, right or wrong, for known and for unknown names.
    private(set) var comparisons = 0
    /// Set once before the loop runs. Without it every password gets `busy`.
    var hasher: HasherPool?

    let passkeys: PasskeyService

    init(reactor: Reactor, workers: Workers) {
        self.reactor = reactor
        self.workers = workers
        passkeys = PasskeyService(reactor: reactor, workers: workers)
    }

    // MARK: Codes

    /// Milliseconds until an address may try a code again; `nil` if it may now. Codes and passwords share the limit of an address.
    func codeWait(_ address: NetworkAddress?) -> Int64? {
        guard address != nil else { return nil }
        switch throttle.begin(nil, from: .address(address), now: reactor.now) {
        case .failure(let delay): return delay.milliseconds
        case .success(let attempt):
            throttle.cancel(attempt, now: reactor.now)
            return nil
        }
    }

    /// Counts a code that was wrong.
    func missedCode(_ address: NetworkAddress?) {
        guard address != nil else { return }
        _ = throttle.begin(nil, from: .address(address), now: reactor.now)
    }

    // MARK: Signing in

    /// Signs a person in by name.
    ///
    /// - Parameters:
    ///   - address: the address by which limits count the client; `nil` if none counts it.
    ///   - then: called once, on this thread.
    func signIn(
        _ signIn: NameSignIn, _ new: NewSession, from address: NetworkAddress?, then: @escaping (Result<SignedInByName, Rejection>) -> Void
    ) {
        var new = new
        do throws(Rejection) {
            try Self.checkForm(signIn.secrets)
            if !signIn.label.isEmpty { new.name = try AccountSession.canonicalName(signIn.label) }
        } catch { return then(.failure(error)) }
        // A text that cannot be a name is treated as an unknown name.
        let name = try? SignInName(signIn.name)
        // The text may be an e-mail address, with the code that was mailed to it.
        guard name != nil || signIn.secrets.recoveryCode != nil else { return attempt(nil, nil, signIn, .address(address), new, then) }
        workers.read { [secrets = signIn.secrets, device = signIn.device, typed = signIn.name] reader throws(StoreFailure) in
            try reader.secrets(of: name, typed: typed, recoveryCode: secrets.recoveryCode, device: device)
        } then: { [self] (found: StoredSecrets??) in
            guard let stored = found else { return then(.failure(.busy)) }
            let source: SignInThrottle.Source = if let stored, stored.isKnownDevice, let device = signIn.device { .device(Self.name(of: device)) } else { .address(address) }
            attempt(name, stored, signIn, source, new, then)
        }
    }

    private func attempt(
        _ name: SignInName?, _ stored: StoredSecrets?, _ signIn: NameSignIn, _ source: SignInThrottle.Source, _ new: NewSession,
        _ then: @escaping (Result<SignedInByName, Rejection>) -> Void
    ) {
        let device = stored?.isKnownDevice == true ? signIn.device : nil
        prove(name.map { SignInThrottle.Account($0) }, source, stored, signIn.secrets) { [self] answer in
            switch answer {
            case .failure(let rejection): then(.failure(rejection))
            case .success(let (checked, attempt)):
                workers.write { store throws(StoreFailure) in (try store.signIn(checked, new, device: device), []) } then: {
                    [self] (answer: Result<SignedInByName, Rejection>?) in
                    settle(attempt, person: checked.person, answer.map { $0.map { _ in () } })
                    then(answer ?? .failure(.busy))
                }
            }
        }
    }

    /// Compares the shown secrets with the stored ones.
    ///
    /// - Parameter then: receives the values that the writer has to check again, and the attempt, which is still to be
    ///   settled.
    private func prove(
        _ account: SignInThrottle.Account?, _ source: SignInThrottle.Source, _ stored: StoredSecrets?, _ secrets: ShownSecrets,
        then: @escaping (Result<(CheckedSecrets, SignInThrottle.Attempt), Rejection>) -> Void
    ) {
        let attempt: SignInThrottle.Attempt
        switch throttle.begin(account, from: source, now: reactor.now) {
        case .failure(let delay): return then(.failure(.signInFailed(retryAfter: delay.milliseconds)))
        case .success(let begun): attempt = begun
        }
        // A recovery code takes the time of a password, so that its answer does not say whether somebody has the name.
        let password = Array((secrets.recoveryCode ?? secrets.password ?? "").utf8)
        let hash = secrets.recoveryCode == nil ? stored?.hash : nil
        check(password, hash) { [self] result in
            comparisons += 1
            switch result {
            case nil, .noMemory?:
                throttle.cancel(attempt, now: reactor.now)
                then(.failure(.busy))
            case .right(let renewed)?:
                guard let stored, let hash else { return miss(attempt, stored, then) }
                then(.success((CheckedSecrets(person: stored.person, proof: .password(hash, renewed: renewed), oneTime: secrets.oneTime), attempt)))
            case .wrong?:
                guard let stored, stored.hasRecoveryCode, let code = secrets.recoveryCode else { return miss(attempt, stored, then) }
                then(.success((CheckedSecrets(person: stored.person, proof: .recoveryCode(code), oneTime: secrets.oneTime), attempt)))
            }
        }
    }

    private func miss(
        _ attempt: SignInThrottle.Attempt, _ stored: StoredSecrets?, _ then: (Result<(CheckedSecrets, SignInThrottle.Attempt), Rejection>) -> Void
    ) {
        throttle.fail(attempt, now: reactor.now)
        if let stored { failures[stored.person, default: 0] += 1 }
        then(.failure(.signInFailed))
    }

    /// Ends an attempt by the writer's answer; `nil`: the writer had no room.
    private func settle(_ attempt: SignInThrottle.Attempt, person: Int64, _ answer: Result<Void, Rejection>?) {
        switch answer {
        case .success?: throttle.succeed(attempt)
        case .failure(let rejection)? where rejection.code == .signInFailed:
            throttle.fail(attempt, now: reactor.now)
            failures[person, default: 0] += 1
        // The password was right: this answer helps nobody to guess it.
        case .failure(let rejection)? where rejection.code == .factorRequired: throttle.fail(attempt, now: reactor.now)
        case .failure?, nil: throttle.cancel(attempt, now: reactor.now)
        }
    }

    /// - Parameter then: receives `nil` if there is no room.
    private func check(_ password: [UInt8], _ hash: PasswordHash?, then: @escaping (HasherPool.Check?) -> Void) {
        workers.hash { [hasher] in hasher?.check($0, password, hash) ?? false } then: { then($0) }
    }

    /// The secret of a device, in the form that the limits of guesses use.
    private static func name(of device: String) -> Identifier {
        let digest = Digest.sha256(Array(device.utf8))
        func half(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
        return Identifier(high: half(digest[..<8]), low: half(digest[8..<16]))
    }

    private static func checkForm(_ secrets: ShownSecrets) throws(Rejection) {
        guard (secrets.password == nil) != (secrets.recoveryCode == nil) else {
            throw Rejection(.required, "A sign-in by name needs a password or a recovery_code, not both", field: "password")
        }
    }

    // MARK: Recovery by mail

    /// Has a code mailed to the person with this sign-in name or e-mail address. The work begins after the answer,
    /// which reveals nothing about it.
    ///
    /// - Returns: the reason why nobody is looked up, which does not depend on the text.
    func offerRecovery(_ text: String, from address: NetworkAddress?) -> Rejection? {
        guard sendsMail else { return .noMail }
        if let wait = mailThrottle.count(address, now: reactor.now) { return .tooManyMails(wait) }
        guard mailThrottle.count([.recovery(text)], now: reactor.now) == nil else { return nil }
        let name = try? SignInName(text)
        workers.read { reader throws(StoreFailure) in try reader.hasMail(name: name, typed: text) } then: { [workers] (isThere: Bool?) in
            guard isThere == true else { return }
            workers.write { store throws(StoreFailure) in (try store.offerRecovery(name: name, typed: text), []) } then: { (_: Int?) in }
        }
        return nil
    }

    // MARK: The account

    /// Carries out a person's request about their account in a session.
    ///
    /// - Parameter then: called once, on this thread.
    func perform(_ act: AccountAct, session: Int64, person: Int64, then: @escaping (Result<AccountAnswer, Rejection>) -> Void) {
        switch act {
        case .show:
            workers.read { reader throws(StoreFailure) in try reader.accountState(ofPerson: person, session: session) } then: { (state: AccountState?) in
                then(state.map { .success(AccountAnswer(state: $0)) } ?? .failure(.busy))
            }
        case .confirm(let secrets): confirm(secrets, session, person, then)
        case .setPassword(let name, let password): setPassword(name, Array(password.utf8), session, person, then)
        case .removePassword: write(then) { store throws(StoreFailure) in try store.removePassword(by: session).map { AccountAnswer(state: $0) } }
        case .addFactor:
            write(then) { store throws(StoreFailure) in
                try store.makeFactor(by: session).map { state, made in
                    let factor = OneTimePassword(secret: made.secret)
                    return AccountAnswer(state: state, secret: factor.secretText, address: factor.address(issuer: "Huddle", account: made.name))
                }
            }
        case .confirmFactor(let oneTime):
            write(then) { store throws(StoreFailure) in try store.confirmFactor(oneTime, by: session).map { AccountAnswer(state: $0) } }
        case .removeFactor: write(then) { store throws(StoreFailure) in try store.removeFactor(by: session).map { AccountAnswer(state: $0) } }
        case .makeRecoveryCodes:
            write(then) { store throws(StoreFailure) in
                try store.makeRecoveryCodes(by: session).map { state, codes in AccountAnswer(state: state, codes: codes) }
            }
        case .removePasskey(let id): write(then) { store throws(StoreFailure) in try store.removePasskey(id, by: session).map { AccountAnswer(state: $0) } }
        case .setMail(let address):
            // Mails are counted for the person and for the address, so that nobody can fill another person's mailbox.
            if let wait = mailThrottle.count([.person(person), .address(address)], now: reactor.now) { return then(.failure(.tooManyMails(wait))) }
            write(then) { store throws(StoreFailure) in try store.setMail(address, by: session).map { AccountAnswer(state: $0) } }
        case .confirmMail(let code):
            if let wait = mailThrottle.count([.confirmation(of: person)], limit: MailThrottle.confirmations, now: reactor.now) { return then(.failure(.tooManyMails(wait))) }
            write(then) { store throws(StoreFailure) in try store.confirmMail(code, by: session).map { AccountAnswer(state: $0) } }
        case .removeMail: write(then) { store throws(StoreFailure) in try store.removeMail(by: session).map { AccountAnswer(state: $0) } }
        case .recoverMember(let member, let family):
            write({ [self] answer in
                // The answer contains the parent's account beside the code.
                guard case .success(let made) = answer else { return then(answer) }
                perform(.show, session: session, person: person) { then($0.map { AccountAnswer(state: $0.state, code: made.code, expiresAt: made.expiresAt) }) }
            }) { store throws(StoreFailure) in
                try store.makeRecovery(of: member, family: family, by: session).map {
                    AccountAnswer(state: AccountState(), code: $0.code, expiresAt: $0.expiresAt)
                }
            }
        }
    }

    private func write(
        _ then: @escaping (Result<AccountAnswer, Rejection>) -> Void,
        _ body: @escaping @Sendable (FamilyStore) throws(StoreFailure) -> Result<AccountAnswer, Rejection>
    ) {
        workers.write { store throws(StoreFailure) in (try body(store), []) } then: { (answer: Result<AccountAnswer, Rejection>?) in
            then(answer ?? .failure(.busy))
        }
    }

    private func confirm(_ secrets: ShownSecrets, _ session: Int64, _ person: Int64, _ then: @escaping (Result<AccountAnswer, Rejection>) -> Void) {
        do throws(Rejection) { try Self.checkForm(secrets) } catch { return then(.failure(error)) }
        workers.read { reader throws(StoreFailure) in
            try reader.secrets(ofPerson: person, recoveryCode: secrets.recoveryCode)
        } then: { [self] (found: StoredSecrets??) in
            guard let found else { return then(.failure(.busy)) }
            guard let stored = found else {
                return then(.failure(Rejection(.contradicted, "You have no password to confirm with. Nothing was changed")))
            }
            // A stolen session has its own count of failures, so that its guesses do not block anybody else.
            let source = SignInThrottle.Source.device(Identifier(high: 0, low: UInt64(bitPattern: session)))
            prove(stored.account, source, stored, secrets) { [self] answer in
                switch answer {
                case .failure(let rejection): then(.failure(rejection))
                case .success(let (checked, attempt)):
                    workers.write { store throws(StoreFailure) in (try store.confirm(checked, session: session), []) } then: {
                        [self] (answer: Result<AccountState, Rejection>?) in
                        settle(attempt, person: person, answer.map { $0.map { _ in () } })
                        then((answer ?? .failure(.busy)).map { AccountAnswer(state: $0) })
                    }
                }
            }
        }
    }

    private func setPassword(
        _ text: String, _ password: [UInt8], _ session: Int64, _ person: Int64, _ then: @escaping (Result<AccountAnswer, Rejection>) -> Void
    ) {
        let name: SignInName
        do throws(SignInName.Refusal) { name = try SignInName(text) } catch { return then(.failure(Self.rejection(error))) }
        workers.read { reader throws(StoreFailure) in
            try reader.refusal(ofChangeBy: session, person: person)
        } then: { [self] (found: Rejection??) in
            guard let refusal = found else { return then(.failure(.busy)) }
            if let refusal { return then(.failure(refusal)) }
            workers.hash { [hasher] in hasher?.make($0, password, name: name) ?? false } then: { [self] (made: HasherPool.Making?) in
                switch made {
                case nil, .noMemory?: then(.failure(.busy))
                case .refused(let refusal)?: then(.failure(Self.rejection(refusal)))
                case .made(let hash)?:
                    write(then) { store throws(StoreFailure) in
                        try store.setPassword(name, hash, by: session).map { AccountAnswer(state: $0, device: $1) }
                    }
                }
            }
        }
    }

    private static func rejection(_ refusal: SignInName.Refusal) -> Rejection {
        switch refusal {
        case .tooShort, .tooLong:
            Rejection(.outOfRange, "A sign-in name must have 3 to 64 characters. Nothing was changed; choose another name", field: "name")
        case .blankAtEnd, .invisible:
            Rejection(
                .invalid, "A sign-in name must begin and end with a visible character and contain no control characters. Nothing was changed",
                field: "name")
        }
    }

    private static func rejection(_ refusal: PasswordRules.Refusal) -> Rejection {
        switch refusal {
        case .tooShort, .tooLong:
            Rejection(.outOfRange, "A password must have 10 to 256 octets. Nothing was changed; choose another password", field: "password")
        case .containsName:
            Rejection(.invalid, "The password contains the sign-in name. Nothing was changed; choose another password", field: "password")
        case .known:
            Rejection(
                .invalid, "The password is on the lists that guessers try first. Nothing was changed; choose another password", field: "password")
        }
    }

    // MARK: Time

    /// Enters failures into the audit log together: each commit takes a sync, and there may be thirty failures per
    /// second.
    func everySecond() {
        passkeys.everySecond()
        guard !failures.isEmpty else { return }
        let list = failures.map { (person: $0.key, count: $0.value) }
        failures = [:]
        workers.write { store throws(StoreFailure) in
            try store.noteFailures(list)
            return (true, [])
        } then: { (_: Bool?) in }
    }
}

@available(*, unavailable) extension AccountService: Sendable {}

extension Rejection {
    static func tooManyMails(_ wait: Int64) -> Rejection {
        Rejection(.rateLimited, "Too many mails or codes within an hour. Nothing was changed; try again later", retryAfter: wait)
    }

    static func signInFailed(retryAfter: Int64) -> Rejection {
        Rejection(.signInFailed, ErrorCode.signInFailed.sentence, retryAfter: retryAfter)
    }
}

import Accounts
import Bytes
import Crypto
import Family
import HTTP1
import EventLoop
import Store

/// Gives challenges to browsers, and checks their answers: new passkeys, sign-ins with one, and confirmations.
///
/// An answer takes three steps, on three threads: this one uses up its challenge, a reader compares it with the stored
/// key, and the writer carries out its purpose, if the stored counter is still below that of the answer.
///
///     challenge: (none) --given--> waiting --answer, 5 minutes, too many others--> (none)
///
/// Challenges are only in memory: a restart loses them, and the browser begins again. The challenges of strangers are
/// in a table of their own, so that a flood of them never displaces the challenge of a person who is signed in.
final class PasskeyService {
    /// The server as browsers know it; `nil` without the option `public-url`: then there are no passkeys.
    var party: RelyingParty?
    private let reactor: Reactor
    private let workers: Workers
    private var signedIn = PasskeyChallenges(entries: 1_000)
    private var strangers = PasskeyChallenges(entries: 25_000)
    /// Challenges of strangers by address since `countedSince`.
    private var counts: [NetworkAddress: Int] = [:]
    private var countedSince: Int64 = 0
    private var refusals: [RefusalKey: Int] = [:]

    private struct RefusalKey: Hashable {
        var person: Int64
        var reason: PasskeyRefusal
    }

    /// The largest number of challenges of strangers from one address within the life of a challenge.
    static let perAddress = 300
    /// The largest number of addresses that are counted.
    static let mostAddresses = 20_000

    init(reactor: Reactor, workers: Workers) {
        self.reactor = reactor
        self.workers = workers
    }

    // MARK: Challenges

    /// The name of the use of a session's challenge: another session of the same person cannot use it.
    private static func name(_ session: Int64, _ person: Int64) -> Identifier {
        Identifier(high: UInt64(bitPattern: session), low: UInt64(bitPattern: person))
    }

    /// A challenge for a new passkey.
    func challengeToRegister(session: Int64, person: Int64) -> [UInt8] {
        let challenge = Random.octets(PasskeyChallenges.octets)
        signedIn.add(challenge, for: .register(person: Self.name(session, person)), now: reactor.now)
        return challenge
    }

    /// A challenge for a confirmation in a session.
    func challengeToConfirm(session: Int64, person: Int64) -> [UInt8] {
        let challenge = Random.octets(PasskeyChallenges.octets)
        signedIn.add(challenge, for: .confirm(person: Self.name(session, person)), now: reactor.now)
        return challenge
    }

    /// A challenge for a sign-in by a person who has not named themselves.
    ///
    /// - Parameter address: the address by which limits count the client; `nil` if none counts it.
    /// - Returns: `rate_limited` for an address that asked for too many.
    func challengeToSignIn(from address: NetworkAddress?) -> Result<[UInt8], Rejection> {
        if let address {
            if reactor.now - countedSince >= PasskeyChallenges.life || counts.count >= Self.mostAddresses {
                counts = [:]
                countedSince = reactor.now
            }
            guard counts[address, default: 0] < Self.perAddress else {
                return .failure(Self.tooMany(retryAfter: countedSince + PasskeyChallenges.life - reactor.now))
            }
            counts[address, default: 0] += 1
        }
        let challenge = Random.octets(PasskeyChallenges.octets)
        strangers.add(challenge, for: .signIn, now: reactor.now)
        return .success(challenge)
    }

    static func tooMany(retryAfter: Int64) -> Rejection {
        Rejection(.rateLimited, "Too many passkey requests come from your network. Try again in a moment.", retryAfter: retryAfter)
    }

    /// Uses up the challenge of an answer, whether or not the answer has other faults.
    ///
    /// - Returns: the reason why it cannot be used; `nil` if it can.
    private func use(_ clientData: [UInt8], _ purpose: PasskeyChallenges.Purpose) -> PasskeyRefusal? {
        do throws(PasskeyRefusal) {
            let challenge = try ClientData(clientData).challenge
            if case .signIn = purpose {
                try strangers.use(challenge, for: purpose, now: reactor.now)
            } else {
                try signedIn.use(challenge, for: purpose, now: reactor.now)
            }
            return nil
        } catch { return error }
    }

    // MARK: Answers

    /// A use of a passkey as a browser reports it.
    struct Use: Sendable {
        var credential: [UInt8]
        var assertion: Passkey.Assertion
        /// The octets by which the authenticator knows the person.
        var handle: [UInt8]?
    }

    private enum Finding: Sendable {
        case right(CheckedPasskey)
        case wrong(PasskeyRefusal, person: Int64?)
    }

    /// Adds a passkey to the person of a session.
    ///
    /// - Parameter then: called once, on this thread.
    func register(
        _ answer: Passkey.Registration, as credential: [UInt8], name: String, session: Int64, person: Int64,
        then: @escaping (Result<[AccountPasskey], Rejection>) -> Void
    ) {
        guard let party else { return then(.failure(.passkeyRefused)) }
        let used = use(answer.clientData, .register(person: Self.name(session, person)))
        let passkey: Passkey
        do throws(PasskeyRefusal) {
            passkey = try Passkey.register(answer, at: party) { _ throws(PasskeyRefusal) in if let used { throw used } }
            guard passkey.credential == credential else { throw .authenticatorData }
        } catch { return refuse(error, person: person, then) }
        workers.write { store throws(StoreFailure) in (try store.addPasskey(passkey, name: name, by: session), []) } then: {
            (answer: Result<[AccountPasskey], Rejection>?) in then(answer ?? .failure(.busy))
        }
    }

    /// Opens a session for the person of a passkey.
    func signIn(_ use: Use, _ new: NewSession, then: @escaping (Result<SessionMade, Rejection>) -> Void) {
        check(use, .signIn, person: nil, then) { [self] checked in
            workers.write { store throws(StoreFailure) in (try store.signIn(checked, new), []) } then: {
                (answer: Result<SessionMade, Rejection>?) in then(answer ?? .failure(.busy))
            }
        }
    }

    /// Notes that the person of a session has used one of their passkeys.
    func confirm(_ use: Use, session: Int64, person: Int64, then: @escaping (Result<AccountState, Rejection>) -> Void) {
        check(use, .confirm(person: Self.name(session, person)), person: person, then) { [self] checked in
            workers.write { store throws(StoreFailure) in (try store.confirm(checked, session: session), []) } then: {
                (answer: Result<AccountState, Rejection>?) in then(answer ?? .failure(.busy))
            }
        }
    }

    /// - Parameter person: the person who must own the passkey; `nil`: anybody, named by the handle.
    private func check<Answer>(
        _ use: Use, _ purpose: PasskeyChallenges.Purpose, person: Int64?, _ then: @escaping (Result<Answer, Rejection>) -> Void,
        right: @escaping (CheckedPasskey) -> Void
    ) {
        guard let party else { return then(.failure(.passkeyRefused)) }
        let used = self.use(use.assertion.clientData, purpose)
        workers.read { reader throws(StoreFailure) in
            guard let (row, handle) = try reader.passkey(credential: use.credential) else { return Finding.wrong(.unknown, person: person) }
            // If somebody tries a passkey of another person, their own audit log does not name that person.
            if let person, row.person != person { return Finding.wrong(.unknown, person: person) }
            var passkey = row.passkey
            do throws(PasskeyRefusal) {
                try passkey.verify(use.assertion, at: party) { _ throws(PasskeyRefusal) in if let used { throw used } }
                if person == nil || use.handle != nil { guard use.handle == handle else { throw .unknown } }
            } catch { return Finding.wrong(error, person: row.person) }
            return Finding.right(CheckedPasskey(person: row.person, id: row.id, credential: row.credential, counter: passkey.counter))
        } then: { [self] (found: Finding?) in
            switch found {
            case nil: then(.failure(.busy))
            case .wrong(let reason, let person)?: refuse(reason, person: person, then)
            case .right(let checked)?: right(checked)
            }
        }
    }

    private func refuse<Answer>(_ reason: PasskeyRefusal, person: Int64?, _ then: (Result<Answer, Rejection>) -> Void) {
        // An unknown passkey is in nobody's audit log.
        if let person { refusals[RefusalKey(person: person, reason: reason), default: 0] += 1 }
        then(.failure(.passkeyRefused))
    }

    // MARK: Time

    /// Enters refusals into the audit log, together: each commit takes a sync.
    func everySecond() {
        guard !refusals.isEmpty else { return }
        let list = refusals.map { PasskeyRefusals(person: $0.key.person, reason: $0.key.reason, count: $0.value) }
        refusals = [:]
        workers.write { store throws(StoreFailure) in
            try store.noteRefusals(list)
            return (true, [])
        } then: { (_: Bool?) in }
    }
}

@available(*, unavailable) extension PasskeyService: Sendable {}

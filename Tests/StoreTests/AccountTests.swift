import Accounts
import Bytes
import Crypto
import Family
import StoreMemory
import TestSupport
import Testing
import Wire

@testable import Store

/// One parent with a session, and what they do about their account.
private struct Owner {
    let world: World
    let home: World.Home
    let mine: SignIn

    init(_ world: World) throws {
        self.world = world
        home = try world.home()
        mine = try world.signIn(home.parent)
    }

    static let cost = PasswordHash.Cost(memory: 64, passes: 1, lanes: 1) ?? .standard

    static func hash(_ password: String, cost: PasswordHash.Cost = Owner.cost) throws -> PasswordHash {
        try #require(PasswordHash.make(Array(password.utf8), salt: [UInt8](repeating: 7, count: 16), cost: cost))
    }

    func set(_ password: PasswordHash, as name: String = "Ana", by session: Int64? = nil) throws -> Result<(AccountState, device: String), Rejection> {
        try world.store.setPassword(try SignInName(name), password, by: session ?? mine.session)
    }

    func stored() throws -> CredentialRow? { try world.reader.reading { try world.reader.engine.people.credential(person: mine.person) } }

    func signIn(
        _ hash: PasswordHash, renewed: PasswordHash? = nil, oneTime: String? = nil, device: String? = nil
    ) throws -> Result<SignedInByName, Rejection> {
        try world.store.signIn(
            CheckedSecrets(person: mine.person, proof: .password(hash, renewed: renewed), oneTime: oneTime),
            NewSession(person: 0, kind: .terminal, name: "Laptop"), device: device)
    }

    func signIn(code: String, oneTime: String? = nil) throws -> Result<SignedInByName, Rejection> {
        try world.store.signIn(
            CheckedSecrets(person: mine.person, proof: .recoveryCode(code), oneTime: oneTime), NewSession(person: 0, kind: .browser), device: nil)
    }

    /// A second factor in force.
    func factor() throws -> OneTimePassword {
        let made = try world.store.makeFactor(by: mine.session).get().1
        let factor = OneTimePassword(secret: made.secret)
        _ = try world.store.confirmFactor(password(factor), by: mine.session).get()
        world.surroundings.now += 30_000
        return factor
    }

    func password(_ factor: OneTimePassword) -> String { factor.password(at: OneTimePassword.step(at: world.surroundings.now / 1_000)) }

    func acts() throws -> [String] {
        try world.reader.reading {
            let key = try #require(try world.reader.engine.families.find(home.family)?.key)
            return try world.reader.engine.audits.entries(family: key, of: nil, before: .max, limit: 100).reversed().map(\.entry.act)
        }
    }
}

@Suite("Names and passwords in the database: set, checked, changed, removed", .bothEngines)
struct AccountPasswordTests {
    private let owner: Owner
    private var world: World { owner.world }

    init() throws { owner = try Owner(try World()) }

    /// SQL that makes a database of this program what the step before `accounts` made.
    static let takenBack = """
        \(PasskeyTests.takenBack)
        DROP TRIGGER credentials_of_person;
        DROP TABLE known_devices;
        DROP TABLE recovery_codes;
        DROP TABLE credentials;
        ALTER TABLE codes DROP COLUMN recovery_by;
        ALTER TABLE codes DROP COLUMN recovery;
        ALTER TABLE people DROP COLUMN recovered_by;
        ALTER TABLE people DROP COLUMN recovered_at;
        """

    @Test("The rows of a person go with the person", .sqliteOnly("It is a trigger of its schema"))
    func forgotten() throws {
        let world = try World()
        let owner = try Owner(world)
        _ = try owner.set(try Owner.hash("correct horse")).get()
        _ = try world.store.makeRecoveryCodes(by: owner.mine.session).get()
        try world.damage("DELETE FROM people WHERE key = \(owner.mine.person)")
        for table in ["credentials", "recovery_codes", "known_devices"] { #expect(try world.count(table) == 0, "\(table)") }
    }

    @Test("The first password needs no check; a session that it opens counts as checked, and its device is known")
    func first() throws {
        let hash = try Owner.hash("correct horse")
        let (state, device) = try owner.set(hash).get()
        #expect(state.name == "Ana" && !state.hasFactor && state.confirmedUntil == world.surroundings.now + 600_000)
        let found = try #require(try world.reader.secrets(of: try SignInName("ÁNA"), recoveryCode: nil, device: device))
        #expect(found.person == owner.mine.person && found.hash == hash && found.isKnownDevice)
        #expect(try world.reader.secrets(of: try SignInName("ana"), recoveryCode: nil, device: "another")?.isKnownDevice == false)
        #expect(try world.reader.secrets(of: try SignInName("nobody"), recoveryCode: nil, device: nil) == nil)
        let made = try owner.signIn(hash).get()
        let signIn = try #require(try world.reader.signIn(token: made.session.token))
        #expect(signIn.person == owner.mine.person && signIn.memberships.map(\.member) == [owner.home.parent])
        #expect(try world.reader.refusal(ofChangeBy: signIn.session, person: signIn.person) == nil)
        #expect(try world.reader.secrets(of: try SignInName("ana"), recoveryCode: nil, device: made.device)?.isKnownDevice == true)
        #expect(try owner.acts().suffix(2) == ["password_set", "signed_in"])
    }

    @Test("A password that changed between the check and the writer opens no session")
    func race() throws {
        let (old, new) = (try Owner.hash("correct horse"), try Owner.hash("battery staple"))
        _ = try owner.set(old).get()
        _ = try owner.set(new).get()
        let sessions = try world.count("sessions")
        #expect(try owner.signIn(old).failure?.code == .signInFailed)
        #expect(try world.count("sessions") == sessions)
        _ = try owner.signIn(new).get()
        _ = try world.store.removePassword(by: owner.mine.session).get()
        #expect(try owner.signIn(new).failure?.code == .signInFailed)
    }

    @Test("The hash at another cost replaces the stored one at the sign-in")
    func renewed() throws {
        let old = try Owner.hash("correct horse")
        let new = try Owner.hash("correct horse", cost: try #require(PasswordHash.Cost(memory: 128, passes: 1, lanes: 1)))
        _ = try owner.set(old).get()
        _ = try owner.signIn(old, renewed: new).get()
        #expect(try owner.stored()?.hash == new.text)
        #expect(try owner.signIn(old).failure?.code == .signInFailed)
    }

    @Test("A change needs a check within 10 minutes, ends the other sessions and tokens, and forgets the devices")
    func change() throws {
        let hash = try Owner.hash("correct horse")
        let (_, device) = try owner.set(hash).get()
        let other = try owner.signIn(hash).get()
        world.surroundings.now += 600_000
        for code in [
            try owner.set(hash).failure?.code, try world.store.removePassword(by: owner.mine.session).failure?.code,
            try world.store.makeFactor(by: owner.mine.session).failure?.code, try world.store.makeRecoveryCodes(by: owner.mine.session).failure?.code,
        ] { #expect(code == .confirmFirst) }
        let checked = CheckedSecrets(person: owner.mine.person, proof: .password(hash, renewed: nil), oneTime: nil)
        #expect(try world.store.confirm(checked, session: owner.mine.session).get().confirmedUntil == world.surroundings.now + 600_000)
        _ = world.store.takeEndedSessions()
        _ = try owner.set(try Owner.hash("battery staple")).get()
        #expect(try world.reader.signIn(token: other.session.token) == nil)
        #expect(world.store.takeEndedSessions() == [other.session.session])
        #expect(try world.reader.secrets(of: try SignInName("ana"), recoveryCode: nil, device: device)?.isKnownDevice == false)
        #expect(try world.count("known_devices") == 1)
    }

    @Test("Two people cannot have names that differ in case and accents only; a name that was given up is free")
    func unique() throws {
        let other = try world.signIn(try world.member(owner.home, .guest, name: "Gus"))
        let hash = try Owner.hash("correct horse")
        _ = try owner.set(hash, as: "Ana").get()
        #expect(try owner.set(hash, as: "ÄNA", by: other.session).failure?.field == "name")
        _ = try owner.set(hash, as: "Bea").get()
        _ = try owner.set(hash, as: "ana", by: other.session).get()
        #expect(try world.count("credentials") == 2)
    }

    @Test("Removed, nothing of the credential is left, and nothing has to be confirmed any more")
    func removed() throws {
        _ = try owner.set(try Owner.hash("correct horse")).get()
        _ = try owner.factor()
        _ = try world.store.makeRecoveryCodes(by: owner.mine.session).get()
        #expect(try world.store.removePassword(by: owner.mine.session).get().name == nil)
        for table in ["credentials", "recovery_codes", "known_devices"] { #expect(try world.count(table) == 0, "\(table)") }
        world.surroundings.now += 600_000
        _ = try world.store.makeToken(
            NewToken(id: world.newID(), nonce: World.nonce(3), name: "Export", scope: .read, days: 9), by: owner.mine.session).get()
    }

    @Test("At most 20 devices are known; the one that was not used for the longest time goes")
    func devices() throws {
        let hash = try Owner.hash("correct horse")
        let (_, first) = try owner.set(hash).get()
        for _ in 0..<20 {
            world.surroundings.now += 1
            _ = try owner.signIn(hash).get()
        }
        #expect(try world.count("known_devices") == 20)
        #expect(try world.reader.secrets(of: try SignInName("ana"), recoveryCode: nil, device: first)?.isKnownDevice == false)
    }

    @Test("A member who was removed signs in no more, and a token for a program changes nothing")
    func rights() throws {
        let gus = try world.member(owner.home, .guest, name: "Gus")
        let guest = try world.signIn(gus)
        let hash = try Owner.hash("correct horse")
        _ = try owner.set(hash, as: "Gus", by: guest.session).get()
        let token = try world.store.makeToken(
            NewToken(id: world.newID(), nonce: World.nonce(3), name: "Export", scope: .write, days: 9), by: guest.session).get()
        let program = try #require(try world.reader.signIn(token: token.token))
        #expect(try owner.set(hash, as: "Gus", by: program.session).failure?.code == .notAllowed)
        #expect(try world.store.makeRecovery(of: gus, family: owner.home.family, by: program.session).failure?.code == .notAllowed)
        try world.mutate(owner.home, owner.home.parent, delete(.member, gus, base: 1))
        let checked = CheckedSecrets(person: guest.person, proof: .password(hash, renewed: nil), oneTime: nil)
        #expect(try world.store.signIn(checked, NewSession(person: 0, kind: .terminal), device: nil).failure?.code == .signInFailed)
    }

    @Test("Whichever call of the engine fails, a sign-in with a one-time password opens one session", arguments: [
        MemoryDatabase.Fault.again, .unknownAndDone, .unknownAndLost,
    ])
    func repeated(_ fault: MemoryDatabase.Fault) throws {
        var call = 1
        while true {
            let world = try World(inMemory: Surroundings())
            let owner = try Owner(world)
            let hash = try Owner.hash("correct horse")
            _ = try owner.set(hash).get()
            let factor = try owner.factor()
            let memory = try #require(world.memory)
            let sessions = try world.count("sessions")
            memory.fail(at: call, of: nil, fault)
            let made = try owner.signIn(hash, oneTime: owner.password(factor)).get()
            #expect(try world.count("sessions") == sessions + 1, "call \(call)")
            #expect(try world.reader.signIn(token: made.session.token) != nil, "call \(call)")
            if memory.failures == 0 { break }
            call += 1
        }
        #expect(call > 5)
    }
}

@Suite("Second factors and recovery codes in the database", .bothEngines)
struct AccountFactorTests {
    private let owner: Owner
    private let hash: PasswordHash
    private var world: World { owner.world }

    init() throws {
        owner = try Owner(try World())
        hash = try Owner.hash("correct horse")
    }

    @Test("A second factor counts once it is confirmed; each of its passwords works once")
    func factor() throws {
        #expect(try world.store.makeFactor(by: owner.mine.session).failure?.code == .contradicted)
        _ = try owner.set(hash).get()
        #expect(try world.store.confirmFactor("000000", by: owner.mine.session).failure?.code == .contradicted)
        let (state, made) = try world.store.makeFactor(by: owner.mine.session).get()
        #expect(!state.hasFactor && made.name == "Ana" && made.secret.count == 20)
        let factor = OneTimePassword(secret: made.secret)
        let wrong = owner.password(OneTimePassword(secret: [UInt8](repeating: 9, count: 20)))
        #expect(try world.store.confirmFactor(wrong, by: owner.mine.session).failure?.field == "one_time")
        _ = try owner.signIn(hash).get()
        #expect(try world.store.confirmFactor(owner.password(factor), by: owner.mine.session).get().hasFactor)
        #expect(try owner.signIn(hash).failure?.code == .factorRequired)
        #expect(try owner.signIn(hash, oneTime: owner.password(factor)).failure?.code == .signInFailed, "used to confirm")
        world.surroundings.now += 30_000
        let password = owner.password(factor)
        _ = try owner.signIn(hash, oneTime: password).get()
        #expect(try owner.signIn(hash, oneTime: password).failure?.code == .signInFailed)
        #expect(try owner.signIn(try Owner.hash("battery staple"), oneTime: owner.password(factor)).failure?.code == .signInFailed)
        #expect(try world.store.removeFactor(by: owner.mine.session).get().hasFactor == false)
        _ = try owner.signIn(hash).get()
        #expect(try owner.acts().filter { $0.hasPrefix("factor") } == ["factor_added", "factor_removed"])
    }

    @Test("A factor ends the other sessions")
    func ends() throws {
        _ = try owner.set(hash).get()
        let other = try owner.signIn(hash).get()
        _ = try owner.factor()
        #expect(try world.reader.signIn(token: other.session.token) == nil)
        #expect(try world.reader.sessions(ofPerson: owner.mine.person, current: owner.mine.session).count == 1)
    }

    @Test("Ten recovery codes, each once, take the place of the password and of the second factor; a new set replaces them")
    func codes() throws {
        _ = try owner.set(hash).get()
        let factor = try owner.factor()
        let (state, codes) = try world.store.makeRecoveryCodes(by: owner.mine.session).get()
        #expect(state.recoveryCodes == 10 && Set(codes).count == 10)
        #expect(try world.reader.secrets(of: try SignInName("ana"), recoveryCode: codes[0].lowercased(), device: nil)?.hasRecoveryCode == true)
        #expect(try world.reader.secrets(of: try SignInName("ana"), recoveryCode: "no code", device: nil)?.hasRecoveryCode == false)
        #expect(try owner.signIn(code: codes[0]).failure?.code == .factorRequired)
        #expect(try owner.signIn(code: codes[0], oneTime: codes[0]).failure?.code == .signInFailed, "one code is not two")
        _ = world.store.takeNotices()
        let made = try owner.signIn(code: codes[0], oneTime: owner.password(factor)).get()
        #expect(
            world.store.takeNotices() == [
                .recovered(person: owner.mine.person, RecoveryNotice(way: .code, at: world.surroundings.now), besides: made.session.session)
            ])
        #expect(try owner.signIn(code: codes[0], oneTime: owner.password(factor)).failure?.code == .signInFailed)
        _ = try owner.signIn(hash, oneTime: codes[1]).get()
        #expect(try world.reader.accountState(ofPerson: owner.mine.person, session: owner.mine.session).recoveryCodes == 8)
        // The earlier session gets the notice for a week, the one that recovered does not.
        let row = try #require(try world.reader.sessions(ofPerson: owner.mine.person, current: owner.mine.session).first { $0.isCurrent })
        #expect(row.isCurrent)
        #expect(try world.reader.signIn(token: made.session.token)?.recovery == nil)
        // The password can be set again without the old one.
        _ = try world.store.setPassword(try SignInName("ana"), try Owner.hash("battery staple"), by: made.session.session).get()
        let again = try world.store.makeRecoveryCodes(by: made.session.session).get().codes
        #expect(try owner.signIn(code: codes[2], oneTime: again[0]).failure?.code == .signInFailed)
        #expect(try owner.acts().filter { $0.hasPrefix("recovery") } == ["recovery_codes_made", "recovery_used", "recovery_used", "recovery_codes_made"])
    }
}

@Suite("Recovery without mail: codes of a parent and of the host", .bothEngines)
struct RecoveryTests {
    private let world: World
    private let home: World.Home
    private let ana: SignIn
    private let gus: Identifier
    private let guest: SignIn
    private let guestToken: String

    init() throws {
        world = try World()
        home = try world.home()
        ana = try world.signIn(home.parent)
        gus = try world.member(home, .guest, name: "Gus")
        guard case .token(let created) = try world.store.perform(.token(member: gus)).0.get() else { throw Unexpected() }
        guestToken = created.token
        guest = try #require(try world.reader.signIn(token: created.token))
    }

    private func make(_ member: Identifier? = nil, by session: Int64? = nil) throws -> Result<RecoveryMade, Rejection> {
        try world.store.makeRecovery(of: member ?? gus, family: home.family, by: session ?? ana.session)
    }

    private func redeem(_ code: String, nonce: Int = 1) throws -> Result<SessionCreated, Rejection> {
        try world.store.perform(.redeem(code: code, nonce: World.nonce(nonce))).0.map {
            if case .token(let created) = $0 { created } else { preconditionFailure("a redemption gives a token") }
        }
    }

    @Test("A parent's code opens the person of one family: a new password can be set, and the devices of the person are notified")
    func whole() throws {
        _ = try world.store.setPassword(try SignInName("gus"), try Owner.hash("forgotten one"), by: guest.session).get()
        world.surroundings.now += 3_600_000
        let made = try make().get()
        #expect(made.expiresAt == world.surroundings.now + RecoveryMade.life && made.member == gus)
        _ = world.store.takeNotices()
        let created = try redeem(made.code).get()
        let signIn = try #require(try world.reader.signIn(token: created.token))
        #expect(signIn.person == guest.person && created.member == gus)
        #expect(
            world.store.takeNotices() == [
                .recovered(person: guest.person, RecoveryNotice(way: .parent, at: world.surroundings.now), besides: signIn.session)
            ])
        #expect(try world.reader.signIn(token: guestToken)?.recovery == RecoveryNotice(way: .parent, at: world.surroundings.now))
        #expect(signIn.recovery == nil)
        _ = try world.store.setPassword(try SignInName("gus"), try Owner.hash("remembered one"), by: signIn.session).get()
        #expect(try world.reader.signIn(token: guestToken) == nil, "a new password ends the other sessions")
        #expect(try redeem(made.code, nonce: 2).failure?.code == .codeUnknown)
    }

    @Test("The devices of the person get the notice for 7 days")
    func told() throws {
        world.surroundings.now += 1
        _ = try redeem(try make().get().code).get()
        world.surroundings.now += RecoveryNotice.life - 1
        #expect(try world.reader.signIn(token: guestToken)?.recovery?.way == .parent)
        world.surroundings.now += 1
        #expect(try world.reader.signIn(token: guestToken)?.recovery == nil)
    }

    @Test("Of a person in two families a parent's code opens one: the person keeps the other family and their password; the host's code opens both")
    func alone() throws {
        let other = try world.home("Other")
        let new = NewInvite(family: "\(other.family)", name: "Gus", role: .guest, by: other.parent, origin: .session(id: world.newID(), nonce: World.nonce(5)))
        let invited = try world.store.perform(.make(new)).0.get()
        _ = try world.store.join(code: try #require(invited.code), nonce: World.nonce(6), name: "Gus", session: guest.session).0.get()
        _ = try world.store.setPassword(try SignInName("gus"), try Owner.hash("forgotten one"), by: guest.session).get()
        guard case .recovery(let byHost) = try world.store.perform(.recover(member: gus)).0.get() else { throw Unexpected() }
        let whole = try #require(try world.reader.signIn(token: try redeem(byHost.code, nonce: 8).get().token))
        #expect(whole.person == guest.person && whole.memberships.count == 2)
        _ = world.store.takeNotices()
        let created = try redeem(try make().get().code).get()
        let signIn = try #require(try world.reader.signIn(token: created.token))
        #expect(signIn.person != guest.person && signIn.memberships.map(\.family) == [home.family])
        #expect(try world.reader.accountState(ofPerson: signIn.person, session: signIn.session).name == nil)
        #expect(try world.reader.signIn(token: guestToken)?.memberships.map(\.family) == [other.family])
        let notices = world.store.takeNotices()
        #expect(notices.contains(.moved(BarredMember(family: home.family, member: gus, sessions: []))))
        #expect(
            notices.contains(
                .recovered(person: guest.person, RecoveryNotice(way: .parent, at: world.surroundings.now), besides: signIn.session)))
    }

    @Test("Only a parent makes a code, for another member who has signed in; who has a password confirms first")
    func rights() throws {
        #expect(try make(home.parent, by: guest.session).failure?.code == .notAllowed)
        #expect(try make(home.parent).failure?.code == .contradicted)
        let lena = try world.athlete(home, name: "Lena", born: "2010-05-05")
        #expect(try make(lena).failure?.code == .contradicted, "nobody has signed in as her")
        #expect(try make(world.newID()).failure?.code == .notFound)
        let other = try world.home("Other")
        #expect(try world.store.makeRecovery(of: gus, family: other.family, by: ana.session).failure?.code == .notFound)
        #expect(try make(other.parent).failure?.code == .notFound)
        _ = try world.store.setPassword(try SignInName("ana"), try Owner.hash("correct horse"), by: ana.session).get()
        _ = try make().get()
        world.surroundings.now += 600_000
        #expect(try make().failure?.code == .confirmFirst)
    }

    @Test("The code dies with the next one, after 24 hours, with the membership, and with the role of the parent")
    func dies() throws {
        let first = try make().get().code, second = try make().get().code
        #expect(try redeem(first).failure?.code == .codeUnknown)
        world.surroundings.now += RecoveryMade.life
        #expect(try redeem(second).failure?.code == .codeUnknown)
        let third = try make().get().code
        #expect(try world.store.join(code: third, nonce: World.nonce(3), name: nil, session: ana.session).0.failure?.code == .alreadySignedIn)
        let bea = try world.member(home, .parent, name: "Bea")
        _ = try world.signIn(bea)
        let fromBea = try make(by: try world.signIn(bea).session).get().code
        try world.mutate(home, home.parent, update(.member, bea, base: 1, ["role": .text("guest")]))
        #expect(try redeem(fromBea).failure?.code == .codeUnknown)
        let last = try make().get().code
        try world.mutate(home, home.parent, delete(.member, gus, base: 1))
        #expect(try redeem(last).failure?.code == .codeUnknown)
    }

    @Test("The command of the host and its answer cross the admin socket as they are")
    func admin() throws {
        let command = AdminCommand.recover(member: gus)
        #expect(try AdminCommand.decode(command.encode()) == command)
        let answer = try world.store.perform(command).0
        #expect(try AdminAnswer.decode(AdminAnswer.encode(answer)) == answer)
    }
}

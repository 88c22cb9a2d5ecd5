import Accounts
import Bytes
import Crypto
import Family
import SQLite
import StoreMemory
import TestSupport
import Testing
import Wire

@testable import Store
@testable import StoreSQLite

/// One parent with a session, in a server that sends mail, and the mailbox of everybody.
private struct Owner {
    let world: World
    let home: World.Home
    let mine: SignIn

    init(_ world: World) throws {
        self.world = world
        home = try world.home()
        mine = try world.signIn(home.parent)
    }

    init(sendsMail: Bool = true) throws {
        try self.init(World { $0.mail = sendsMail ? Owner.terms : nil })
    }

    /// Addresses at `example` alone.
    static let terms = MailTerms(publicURL: "https://huddle.example") { $0.hasSuffix("@example.org") && !$0.contains(" ") }

    static func hash(_ password: String) throws -> PasswordHash {
        let cost = try #require(PasswordHash.Cost(memory: 64, passes: 1, lanes: 1))
        return try #require(PasswordHash.make(Array(password.utf8), salt: [UInt8](repeating: 7, count: 16), cost: cost))
    }

    /// The mails that wait, the one that is due first first.
    func waiting() throws -> [OutgoingMail] { try world.reader.reading { try world.reader.engine.people.dueMails(at: .max, limit: 100) } }

    func row(_ person: Int64? = nil) throws -> MailRow? { try world.reader.reading { try world.reader.engine.people.mail(person: person ?? mine.person) } }

    /// The code in the body of a mail.
    static func code(_ mail: OutgoingMail?) throws -> String {
        let body = try #require(mail?.body)
        return try #require(body.firstMatch(of: /[0-9A-Z]{5}(-[0-9A-Z]{5}){3}/).map { String($0.output.0) })
    }

    /// Sends what waits, as a server would that takes everything.
    @discardableResult
    func deliver() throws -> [OutgoingMail] {
        var sent: [OutgoingMail] = []
        while let mail = try #require(try world.store.claimMail(isFirst: false)).mail {
            sent.append(mail)
            #expect(try world.store.settleMail(mail.key, .sent).get() == nil)
        }
        return sent
    }

    /// Confirms an address.
    func confirm(_ address: String, by session: Int64? = nil) throws {
        _ = try world.store.setMail(address, by: session ?? mine.session).get()
        let code = try Owner.code(try deliver().last { $0.kind == .confirm })
        _ = try world.store.confirmMail(code, by: session ?? mine.session).get()
        try deliver()
    }

    func signIn(code: String, oneTime: String? = nil, person: Int64? = nil) throws -> Result<SignedInByName, Rejection> {
        try world.store.signIn(
            CheckedSecrets(person: person ?? mine.person, proof: .recoveryCode(code), oneTime: oneTime), NewSession(person: 0, kind: .browser), device: nil)
    }

    func acts() throws -> [Audit.Entry] {
        try world.reader.reading {
            let key = try #require(try world.reader.engine.families.find(home.family)?.key)
            return try world.reader.engine.audits.entries(family: key, of: nil, before: .max, limit: 100).reversed().map(\.entry)
        }
    }
}

@Suite("E-mail addresses of people: set, confirmed by a code, replaced, removed", .bothEngines)
struct MailAddressTests {
    private let owner: Owner
    private var world: World { owner.world }

    init() throws { owner = try Owner() }

    /// SQL that makes a database of this program what the step before `mail` made.
    static let takenBack = """
        DROP TRIGGER mail_of_person;
        DROP TRIGGER mail_of_family;
        DROP TABLE outbox;
        DROP TABLE mail_addresses;
        ALTER TABLE invites DROP COLUMN mail;
        """

    @Test("An address waits until its code is shown; the person sees it masked, and the audit log has the act and not the address")
    func confirmed() throws {
        let state = try world.store.setMail(" Ana.M@example.org ", by: owner.mine.session).get()
        #expect(state.mail == AccountMail(pending: "A…@example.org"))
        let mail = try #require(try owner.waiting().first)
        #expect(mail.address == "Ana.M@example.org" && mail.kind == .confirm && mail.person == owner.mine.person && mail.dueAt == world.surroundings.now)
        #expect(mail.expiresAt == world.surroundings.now + 1_800_000)
        let code = try Owner.code(mail)
        #expect(try owner.row()?.codeHash == InviteCode.hash(code), "the code is in the mail and its hash in the row")
        #expect(try world.store.confirmMail("00000-00000-00000-00000", by: owner.mine.session).failure?.code == .codeUnknown)
        #expect(try world.store.confirmMail(code.lowercased(), by: owner.mine.session).get().mail == AccountMail(address: "A…@example.org"))
        #expect(try owner.waiting().isEmpty, "nothing is sent any more")
        #expect(try world.store.confirmMail(code, by: owner.mine.session).failure?.code == .codeUnknown, "once")
        #expect(try owner.acts().last?.act == "mail_confirmed")
        #expect(try owner.acts().allSatisfy { !($0.detail ?? "").contains("@") })
    }

    @Test("A code is good for 30 minutes, for its session's person alone, and not after another one was sent")
    func codes() throws {
        _ = try world.store.setMail("ana@example.org", by: owner.mine.session).get()
        let first = try Owner.code(try owner.waiting().first)
        let other = try Owner(world)
        #expect(try world.store.confirmMail(first, by: other.mine.session).failure?.code == .codeUnknown)
        _ = try world.store.setMail("ana@example.org", by: owner.mine.session).get()
        #expect(try owner.waiting().count == 1, "the former mail is not sent any more")
        #expect(try world.store.confirmMail(first, by: owner.mine.session).failure?.code == .codeUnknown)
        let second = try Owner.code(try owner.waiting().first)
        world.surroundings.now += 1_800_000
        #expect(try world.store.confirmMail(second, by: owner.mine.session).failure?.code == .codeUnknown)
        #expect(try owner.row()?.address == nil)
    }

    @Test("With a password, setting and removing an address need a check within 10 minutes; a token for a program does neither")
    func checks() throws {
        _ = try world.store.setPassword(try SignInName("ana"), try Owner.hash("correct horse"), by: owner.mine.session).get()
        try owner.confirm("ana@example.org")
        let token = try world.store.makeToken(
            NewToken(id: world.newID(), nonce: World.nonce(3), name: "Export", scope: .write, days: 9), by: owner.mine.session).get()
        let program = try #require(try world.reader.signIn(token: token.token))
        #expect(try world.store.setMail("eve@example.org", by: program.session).failure?.code == .notAllowed)
        #expect(try world.store.removeMail(by: program.session).failure?.code == .notAllowed)
        world.surroundings.now += 600_000
        #expect(try world.store.setMail("eve@example.org", by: owner.mine.session).failure?.code == .confirmFirst)
        #expect(try world.store.removeMail(by: owner.mine.session).failure?.code == .confirmFirst)
        #expect(try owner.row() == MailRow(person: owner.mine.person, address: "ana@example.org"))
    }

    @Test("An address that is replaced or removed gets a mail that says so; the one before stays until the next is confirmed")
    func replaced() throws {
        try owner.confirm("ana@example.org")
        #expect(try world.store.setMail("new@example.org", by: owner.mine.session).get().mail == AccountMail(address: "a…@example.org", pending: "n…@example.org"))
        let code = try Owner.code(try owner.deliver().first)
        _ = try world.store.confirmMail(code, by: owner.mine.session).get()
        #expect(try owner.deliver().map { [$0.kind.rawValue, $0.address] } == [["removed", "ana@example.org"]])
        #expect(try world.store.removeMail(by: owner.mine.session).get().mail == nil)
        #expect(try owner.deliver().map { [$0.kind.rawValue, $0.address] } == [["removed", "new@example.org"]])
        #expect(try world.store.removeMail(by: owner.mine.session).get().mail == nil, "again")
        #expect(try world.count("mail_addresses") == 0 && world.count("outbox") == 0)
        #expect(try owner.acts().suffix(1).map(\.act) == ["mail_removed"])
    }

    @Test("An address that mail cannot be sent to is refused with its field; a server without mail refuses all of it")
    func refused() throws {
        for address in ["", "ana", "ana@elsewhere.example", "ana@example.org\r\nx@example.org", "a b@example.org"] {
            #expect(try world.store.setMail(address, by: owner.mine.session).failure?.field == "address", "\(address)")
        }
        let silent = try Owner(sendsMail: false)
        #expect(try silent.world.store.setMail("ana@example.org", by: silent.mine.session).failure?.code == .contradicted)
        #expect(try silent.world.store.offerRecovery(name: nil, typed: "ana@example.org") == 0)
        #expect(try silent.waiting().isEmpty)
    }

    @Test("The rows of a person go with the person, and those of a family with the family", .sqliteOnly("They are triggers of its schema"))
    func forgotten() throws {
        let owner = try Owner()
        try owner.confirm("ana@example.org")
        _ = try owner.world.store.setMail("new@example.org", by: owner.mine.session).get()
        try owner.world.damage("DELETE FROM people WHERE key = \(owner.mine.person)")
        #expect(try owner.world.count("mail_addresses") == 0 && owner.world.count("outbox") == 0)
    }

    @Test("Every question about addresses and waiting mail goes by an index", .sqliteOnly("It has indexes"))
    func plans() throws {
        let world = try World()
        for (query, index) in [
            (PeopleTable.addressQuery, "mail_addresses_by_address"), (PeopleTable.recoveryHashQuery, "sqlite_autoindex_mail_addresses_1"), (PeopleTable.dueQuery, "outbox_by_due"),
            (PeopleTable.nextMailQuery, "outbox_by_due"), (PeopleTable.outgoingOfPersonQuery, "outbox_by_person"), (PeopleTable.aboutQuery, "outbox_by_subject"),
        ] {
            let plan = try Database(path: world.path, mode: .readOnly).prepare("EXPLAIN QUERY PLAN " + query).all { $0.text(3) }.joined(separator: "; ")
            #expect(plan.contains(index) && !plan.contains("SCAN outbox;") && !plan.contains("TEMP B-TREE"), "\(query): \(plan)")
        }
    }

    @Test("Whichever call of the engine fails, one mail waits after a set and the address is confirmed after its code", arguments: [
        MemoryDatabase.Fault.again, .unknownAndDone, .unknownAndLost,
    ])
    func repeated(_ fault: MemoryDatabase.Fault) throws {
        var call = 1
        while true {
            let surroundings = Surroundings()
            surroundings.mail = Owner.terms
            let owner = try Owner(World(inMemory: surroundings))
            let memory = try #require(owner.world.memory)
            memory.fail(at: call, of: nil, fault)
            _ = try owner.world.store.setMail("ana@example.org", by: owner.mine.session).get()
            let wasSet = memory.failures == 0
            let mail = try owner.waiting()
            #expect(mail.count == 1, "call \(call)")
            _ = try owner.world.store.confirmMail(try Owner.code(mail.first), by: owner.mine.session).get()
            #expect(try owner.row()?.address == "ana@example.org" && owner.waiting().isEmpty, "call \(call)")
            if wasSet, memory.failures == 0 { break }
            call += 1
        }
        #expect(call > 5)
    }
}

@Suite("Recovery by mail", .bothEngines)
struct MailRecoveryTests {
    private let owner: Owner
    private var world: World { owner.world }

    init() throws {
        owner = try Owner()
        _ = try owner.world.store.setPassword(try SignInName("Ana"), try Owner.hash("correct horse"), by: owner.mine.session).get()
        try owner.confirm("ana@example.org")
    }

    private func offer(_ text: String) throws -> Int { try world.store.offerRecovery(name: try? SignInName(text), typed: text) }

    private func found(_ text: String, _ code: String) throws -> StoredSecrets? {
        try world.reader.secrets(of: try? SignInName(text), typed: text, recoveryCode: code, device: nil)
    }

    @Test("A code in the place of the password, by name or address, once; all devices are notified, and the audit log has it")
    func comesBack() throws {
        for (asked, typed) in [("ÁNA", "ana"), ("ANA@example.org", "ana@example.org"), ("ana", "Ana@Example.org")] {
            #expect(try offer(asked) == 1)
            let mail = try #require(try owner.deliver().first)
            #expect(mail.kind == .recovery && mail.address == "ana@example.org" && mail.body.contains("Name: Ana\n"))
            let code = try Owner.code(mail)
            let stored = try #require(try found(typed, code))
            #expect(stored.person == owner.mine.person && stored.hasRecoveryCode && stored.hash == nil)
            #expect(try found("ben", code) == nil, "the name must be theirs")
            _ = world.store.takeNotices()
            let made = try owner.signIn(code: code).get()
            let notice = RecoveryNotice(way: .mail, at: world.surroundings.now)
            #expect(world.store.takeNotices() == [.recovered(person: owner.mine.person, notice, besides: made.session.session)])
            #expect(try owner.signIn(code: code).failure?.code == .signInFailed, "once")
            #expect(try found(typed, code)?.hasRecoveryCode != true)
            // The new session counts as checked: a new password can be set without the old one.
            #expect(try world.reader.refusal(ofChangeBy: made.session.session, person: owner.mine.person) == nil)
            world.surroundings.now += 60_000
        }
        #expect(try owner.acts().suffix(3).map { [$0.act, $0.detail ?? ""] } == [["recovery_offered", "mail"], ["signed_in", "mail"], ["recovery_used", "mail"]])
    }

    @Test("The second factor is still required, and the mailed code does not stand for it")
    func factor() throws {
        let factor = OneTimePassword(secret: try world.store.makeFactor(by: owner.mine.session).get().1.secret)
        func password() -> String { factor.password(at: OneTimePassword.step(at: world.surroundings.now / 1_000)) }
        _ = try world.store.confirmFactor(password(), by: owner.mine.session).get()
        world.surroundings.now += 60_000
        #expect(try offer("ana") == 1)
        let mail = try #require(try owner.deliver().first)
        #expect(mail.body.contains("one-time password"))
        let code = try Owner.code(mail)
        #expect(try owner.signIn(code: code).failure?.code == .factorRequired)
        #expect(try owner.signIn(code: code, oneTime: code).failure?.code == .signInFailed)
        #expect(try owner.signIn(code: code, oneTime: "000000").failure?.code == .signInFailed)
        _ = try owner.signIn(code: code, oneTime: password()).get()
        world.surroundings.now += 60_000
        #expect(try offer("ana") == 1)
        let next = try Owner.code(try owner.deliver().first)
        let paper = try world.store.makeRecoveryCodes(by: owner.mine.session)
        // The check is older than 10 minutes only if the clock says so; a code on paper replaces the factor.
        let codes = try paper.get().codes
        _ = try owner.signIn(code: next, oneTime: codes[0]).get()
    }

    @Test("A code is good for 30 minutes, and the next one replaces it; within a minute nothing is sent again")
    func times() throws {
        #expect(try offer("ana") == 1)
        #expect(try offer("ana") == 0)
        let first = try Owner.code(try owner.deliver().first)
        world.surroundings.now += 60_000
        #expect(try offer("ana") == 1)
        #expect(try owner.signIn(code: first).failure?.code == .signInFailed)
        let second = try Owner.code(try owner.deliver().first)
        world.surroundings.now += 1_800_000
        #expect(try found("ana", second)?.hasRecoveryCode != true)
        #expect(try owner.signIn(code: second).failure?.code == .signInFailed)
    }

    @Test("Nobody gets a mail for a name or address that nobody has, for an address that is not confirmed, or for a member who was removed")
    func nobody() throws {
        #expect(try offer("nobody") == 0)
        #expect(try offer("nobody@example.org") == 0)
        _ = try world.store.setMail("new@example.org", by: owner.mine.session).get()
        try owner.deliver()
        #expect(try offer("new@example.org") == 0)
        let gus = try world.member(owner.home, .guest, name: "Gus")
        let guest = try world.signIn(gus)
        try owner.confirm("gus@example.org", by: guest.session)
        #expect(try world.reader.hasMail(name: nil, typed: "GUS@example.org"))
        try world.mutate(owner.home, owner.home.parent, delete(.member, gus, base: 1))
        #expect(try offer("gus@example.org") == 0)
        #expect(try owner.waiting().isEmpty)
    }

    @Test("Without a password the address is the name; people who share an address get a mail each, and each code opens its own person")
    func shared() throws {
        let gus = try world.member(owner.home, .guest, name: "Gus")
        let guest = try world.signIn(gus)
        try owner.confirm("ana@example.org", by: guest.session)
        #expect(try offer("ana@example.org") == 2)
        let mails = try owner.deliver()
        #expect(mails.compactMap(\.person) == [owner.mine.person, guest.person].sorted())
        let code = try Owner.code(mails.first { $0.person == guest.person })
        #expect(try found("ana@example.org", code)?.person == guest.person)
        #expect(try found("ana", code)?.hasRecoveryCode == false, "the name is of somebody else")
        let made = try owner.signIn(code: code, person: guest.person).get()
        #expect(try world.reader.signIn(token: made.session.token)?.memberships.map(\.member) == [gus])
        #expect(try owner.signIn(code: code).failure?.code == .signInFailed, "of another person")
    }

    @Test("A removed address opens nothing any more, and neither does a replaced one")
    func removed() throws {
        #expect(try offer("ana") == 1)
        let code = try Owner.code(try owner.waiting().first)
        _ = try world.store.removeMail(by: owner.mine.session).get()
        #expect(try owner.waiting().allSatisfy { $0.kind == .removed }, "the mail with the code is not sent")
        #expect(try owner.signIn(code: code).failure?.code == .signInFailed)
        #expect(try offer("ana") == 0)
    }
}

@Suite("The outbox: claimed, sent, marked", .bothEngines)
struct OutboxTests {
    private let owner: Owner
    private var world: World { owner.world }

    init() throws {
        owner = try Owner()
        _ = world.store.takeNewMail()
        _ = try world.store.setMail("ana@example.org", by: owner.mine.session).get()
    }

    private func claim(isFirst: Bool = false) throws -> OutgoingMail? { try #require(try world.store.claimMail(isFirst: isFirst)).mail }

    @Test("A waiting mail is reported once, claimed once, and gone when it is marked as sent")
    func whole() throws {
        #expect(world.store.takeNewMail())
        #expect(!world.store.takeNewMail())
        let claim = try #require(try world.store.claimMail(isFirst: true))
        let mail = try #require(claim.mail)
        #expect(mail.tries == 1 && claim.waiting == 1 && claim.next == nil)
        #expect(try self.claim() == nil, "a try is under way")
        #expect(try world.store.settleMail(mail.key, .sent).get() == nil)
        #expect(try world.count("outbox") == 0)
        #expect(try world.store.settleMail(mail.key, .sent).get() == nil, "again")
    }

    @Test("A process that ends between claim and mark leaves the mail to the next one, under the same name")
    func restarted() throws {
        let first = try #require(try claim())
        try world.reopen()
        #expect(try claim() == nil, "only the first claim of a process releases")
        let again = try #require(try claim(isFirst: true))
        #expect(again.name == first.name && again.key == first.key && again.tries == 2)
        // A mail that was stopped in good order is due immediately.
        #expect(try world.store.settleMail(again.key, .stopped).get() == nil)
        #expect(try claim()?.name == first.name)
    }

    @Test("After a 4xx the mail waits 10 s, 1, 5, 30 min and then 30 min each; a mail whose code has ended is given up, and the person is notified")
    func later() throws {
        for pause in [10_000, 60_000, 300_000] as [Int64] {
            let mail = try #require(try claim())
            #expect(try world.store.settleMail(mail.key, .later).get() == nil)
            world.surroundings.now += pause - 1
            #expect(try claim() == nil, "\(pause)")
            #expect(try #require(try world.store.claimMail(isFirst: false)).next == world.surroundings.now + 1)
            world.surroundings.now += 1
        }
        let mail = try #require(try claim())
        _ = world.store.takeNotices()
        #expect(try world.store.settleMail(mail.key, .later).get() == .late, "30 minutes more would be after the end of the code")
        #expect(world.store.takeNotices() == [.mailFailed(person: owner.mine.person, MailNotice(kind: .confirm, address: "a…@example.org", problem: .late))])
        let state = try world.reader.accountState(ofPerson: owner.mine.person, session: owner.mine.session)
        #expect(state.mail == AccountMail(pending: "a…@example.org", problem: .late))
        #expect(try world.count("outbox") == 0)
    }

    @Test("A 5xx ends the mail immediately, and the person is notified, now and at the next look; another try forgets it")
    func refused() throws {
        let mail = try #require(try claim())
        #expect(try world.store.settleMail(mail.key, .refused).get() == .refused)
        #expect(world.store.takeNotices() == [.mailFailed(person: owner.mine.person, MailNotice(kind: .confirm, address: "a…@example.org", problem: .refused))])
        #expect(try world.reader.accountState(ofPerson: owner.mine.person, session: owner.mine.session).mail?.problem == .refused)
        #expect(try world.store.setMail("ana@example.org", by: owner.mine.session).get().mail == AccountMail(pending: "a…@example.org"))
    }

    @Test("A mail that expired while no server ran is given up at the next claim, and the one behind it is claimed")
    func expired() throws {
        world.surroundings.now += 1_800_000
        let other = try Owner(world)
        _ = try world.store.setMail("ben@example.org", by: other.mine.session).get()
        _ = world.store.takeNotices()
        #expect(try claim(isFirst: true)?.address == "ben@example.org")
        #expect(world.store.takeNotices().count == 1)
        #expect(try world.count("outbox") == 1)
    }

    @Test("A recovery that is given up notifies nobody")
    func quiet() throws {
        try owner.confirm("ana@example.org")
        #expect(try world.store.offerRecovery(name: nil, typed: "ana@example.org") == 1)
        let mail = try #require(try claim())
        #expect(try world.store.settleMail(mail.key, .refused).get() == .refused)
        #expect(world.store.takeNotices().allSatisfy { if case .mailFailed = $0 { false } else { true } })
    }

    @Test("A mail whose person removed the address during the try is not sent again")
    func gone() throws {
        let mail = try #require(try claim())
        _ = try world.store.removeMail(by: owner.mine.session).get()
        #expect(try world.store.settleMail(mail.key, .later).get() == nil)
        #expect(try world.count("outbox") == 0)
    }

    @Test("One person has at most 50 mails waiting, and is refused with a time to wait")
    func bounded() throws {
        let text = MailText.removed(Owner.terms)
        let outcome = try world.store.transaction { _ in
            for number in 0..<FamilyStore.maxOutgoingOfPerson {
                try world.store.send(
                    text, .removed, to: "x@example.org", name: "x-\(number)", person: owner.mine.person, until: .max, at: world.surroundings.now)
            }
        } as FamilyStore.Outcome<Void>
        guard case .refused(let rejection) = outcome else { throw Unexpected() }
        #expect(rejection.code == .busy && rejection.retryAfter != nil)
        #expect(try world.count("outbox") == 1, "nothing of it happened")
    }

    @Test("Whichever call of the engine fails, a mail is claimed by one try and gone after its mark", arguments: [
        MemoryDatabase.Fault.again, .unknownAndDone, .unknownAndLost,
    ])
    func repeated(_ fault: MemoryDatabase.Fault) throws {
        var call = 1
        while true {
            let surroundings = Surroundings()
            surroundings.mail = Owner.terms
            let owner = try Owner(World(inMemory: surroundings))
            let store = owner.world.store
            _ = try store.setMail("ana@example.org", by: owner.mine.session).get()
            let memory = try #require(owner.world.memory)
            _ = store.takeNotices()
            memory.fail(at: call, of: nil, fault)
            let mail = try #require(try store.claimMail(isFirst: false)?.mail, "call \(call)")
            #expect(mail.tries == 1, "call \(call)")
            #expect(try store.settleMail(mail.key, .refused).get() == .refused, "call \(call)")
            #expect(try owner.world.count("outbox") == 0 && store.takeNotices().count == 1, "call \(call)")
            if memory.failures == 0 { break }
            call += 1
        }
        #expect(call > 5)
    }
}

@Suite("Invites by mail", .bothEngines)
struct InviteMailTests {
    private let owner: Owner
    private var world: World { owner.world }

    init() throws { owner = try Owner() }

    private func invite(_ email: String?, id: Identifier? = nil, in other: Owner? = nil) throws -> MadeInvite {
        let home = (other ?? owner).home
        let new = NewInvite(
            family: home.family.description, name: "Gus", role: .guest, email: email, by: home.parent, origin: .session(id: id ?? world.newID(), nonce: World.nonce(5)))
        return try world.store.perform(.make(new)).0.get()
    }

    private func listed() throws -> [Invite] { try world.reader.invites(family: owner.home.family, member: owner.home.parent).get().filter { $0.name == "Gus" } }

    @Test("The code of an invite with an address is mailed, without family or inviter; the invite says what became of the mail")
    func mailed() throws {
        let id = world.newID()
        let made = try invite("gus@example.org", id: id)
        #expect(made.invite.mail == .waiting)
        let mail = try #require(try owner.waiting().first)
        #expect(mail.kind == .invite && mail.address == "gus@example.org" && mail.person == owner.mine.person && mail.expiresAt == world.surroundings.now + 86_400_000)
        #expect(try Owner.code(mail) == made.code)
        for word in ["Ana", "Gus", "Rivera"] { #expect(!mail.body.contains(word) && !mail.subject.contains(word)) }
        #expect(try invite("gus@example.org", id: id) == made, "the same request again")
        #expect(try owner.waiting().count == 1)
        try owner.deliver()
        #expect(try listed().map(\.mail) == [.sent])
        // The address is enough at the acceptance.
        _ = try world.store.perform(.redeem(code: try #require(made.code), nonce: World.nonce(1), name: "GUS@example.org")).0.get()
    }

    @Test("A refused address is reported to the inviter, and is in the list of invites; the code can still be handed over")
    func refused() throws {
        let made = try invite("gus@example.org")
        let mail = try #require(try world.store.claimMail(isFirst: false)?.mail)
        #expect(try world.store.settleMail(mail.key, .refused).get() == .refused)
        #expect(
            world.store.takeNotices() == [
                .mailFailed(person: owner.mine.person, MailNotice(kind: .invite, address: "g…@example.org", problem: .refused, invite: made.invite.id))
            ])
        #expect(try listed().map(\.mail) == [.failed])
        _ = try world.store.perform(.redeem(code: try #require(made.code), nonce: World.nonce(1), name: "Gus")).0.get()
    }

    @Test("An invite that is withdrawn or replaced takes its mail along; the next one is mailed to the address of the first")
    func withdrawn() throws {
        let first = try invite("gus@example.org")
        let again = NewInvite(
            family: owner.home.family.description, member: first.invite.member, by: owner.home.parent, origin: .session(id: world.newID(), nonce: World.nonce(6)))
        let second = try world.store.perform(.make(again)).0.get()
        #expect(second.invite.mail == .waiting)
        #expect(try owner.waiting().map(\.about) == [second.invite.id])
        _ = try world.store.perform(.withdraw(second.invite.id, family: owner.home.family, by: owner.home.parent)).0.get()
        #expect(try owner.waiting().isEmpty)
    }

    @Test("No mail goes to an address that mail cannot be sent to, from the host's command, or without an address")
    func none() throws {
        #expect(try invite("gus@elsewhere.example").invite.mail == nil)
        #expect(try invite(nil).invite.mail == nil)
        let host = NewInvite(family: owner.home.family.description, name: "Gil", role: .guest, email: "gil@example.org", by: owner.home.parent)
        guard case .invited(let invited) = try world.store.perform(.invite(host)).0.get() else { throw Unexpected() }
        #expect(invited.code != nil)
        #expect(try owner.waiting().isEmpty)
    }

    @Test("Two families may choose the same id for an invite: neither touches the other's mail")
    func sameID() throws {
        let other = try Owner(world)
        let id = world.newID()
        let mine = try invite("gus@example.org", id: id)
        _ = try invite("gil@example.org", id: id, in: other)
        #expect(try owner.waiting().count == 2)
        _ = try world.store.perform(.withdraw(id, family: other.home.family, by: other.home.parent)).0.get()
        #expect(try owner.waiting().map(\.address) == ["gus@example.org"])
        try owner.deliver()
        #expect(try listed().map(\.mail) == [.sent])
        #expect(mine.invite.id == id)
    }
}

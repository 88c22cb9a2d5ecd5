import Bytes
import CFaultVFS
import Crypto
import Family
import SQLite
import TestSupport
import Testing
import Wire

@testable import Store
@testable import StoreSQLite

@Suite("Invites: made by parents, bound to a name, accepted once (product.md, People under age; semantics.md, People)", .bothEngines)
struct InviteTests {
    let world: World
    let home: World.Home
    private static let day = Surroundings.day

    init() throws {
        world = try World()
        home = try world.home()
    }

    // MARK: Short words

    private func new(
        _ name: String? = "Gus", _ role: Role? = .guest, born: String? = nil, email: String? = nil, member: Identifier? = nil, by: Identifier? = nil,
        id: Identifier? = nil, nonce: String = World.nonce(5), in family: Identifier? = nil
    ) -> InviteCommand {
        .make(
            NewInvite(
                family: (family ?? home.family).description, member: member, name: name, role: role, born: born, email: email, by: by ?? home.parent,
                origin: .session(id: id ?? world.newID(), nonce: nonce)))
    }

    private func resend(_ member: Identifier, by: Identifier? = nil) -> InviteCommand { new(nil, nil, member: member, by: by) }

    @discardableResult
    private func made(_ command: InviteCommand) throws -> MadeInvite { try world.store.perform(command).0.get() }

    private func refusal(_ command: InviteCommand) throws -> Rejection? {
        guard case .failure(let rejection) = try world.store.perform(command).0 else { return nil }
        return rejection
    }

    private func redeem(_ code: String?, _ name: String?, nonce: String = World.nonce(1)) throws -> Result<SessionCreated, Rejection> {
        let answer = try world.store.perform(.redeem(code: try #require(code), nonce: nonce, name: name)).0
        return answer.map { if case .token(let created) = $0 { created } else { preconditionFailure("a redemption gives a token") } }
    }

    private func listed(_ member: Identifier? = nil) throws -> [Invite] {
        try world.reader.invites(family: home.family, member: member ?? home.parent).get().filter { $0.name != "Ana" }
    }

    // MARK: Exactly once

    @Test("The same request twice makes one invite and gets the same code; with other content it is refused, and nothing changes")
    func repeated() throws {
        let id = world.newID()
        let first = try made(new(id: id))
        let rows = try world.count("invites"), codes = try world.count("codes")
        #expect(first.invite.id == id && first.invite.state == .pending && first.invite.inviter == home.parent)
        world.surroundings.now += 5
        try world.reopen()
        #expect(try made(new(id: id)) == first)
        #expect(try world.count("invites") == rows && world.count("codes") == codes)
        for other in [
            new("Gil", id: id), new("Gus", .parent, id: id), new(email: "g@example.org", id: id), new(id: id, nonce: World.nonce(6)),
        ] { #expect(try refusal(other)?.code == .alreadyExists) }
        let ben = try world.member(home, .parent, name: "Ben")
        #expect(try refusal(new(by: ben, id: id))?.code == .alreadyExists, "the request of another parent is another one")
        #expect(try redeem(first.code, "Gus").get().member == first.invite.member)
        // The repeated answer names the outcome, and has no code.
        let later = try made(new(id: id))
        #expect(later.invite.state == .accepted && later.code == nil && later.invite.member == first.invite.member)
    }

    @Test("Two families, two parents and two nonces never get one code, and no code is stored", .sqliteOnly("It looks into columns"))
    func codes() throws {
        let ben = try world.member(home, .parent, name: "Ben")
        let other = try world.home("Other")
        let id = world.newID()
        let made = try [
            made(new(id: id)), made(new(by: ben)), made(new()), made(new(nonce: World.nonce(6))), made(new(by: other.parent, id: id, in: other.family)),
        ]
        let codes = made.compactMap(\.code)
        #expect(Set(codes).count == 5)
        for code in codes {
            let plain = code.replacing("-", with: "")
            for (table, column) in [("invites", "payload"), ("codes", "hash"), ("invites", "name")] {
                #expect(try world.query("SELECT count(*) FROM \(table) WHERE instr(\(column), CAST('\(plain)' AS BLOB)) > 0") == 0)
            }
        }
    }

    // MARK: Joining

    @Test("A new member's record, room and membership begin with the acceptance; until then the id is nobody's")
    func reserved() throws {
        let made = try made(new("Gus", .guest))
        let member = made.invite.member
        #expect(try world.mutate(home, member, message(world.newID(), "Hi")).code == .notFound)
        #expect(try world.mutate(home, home.parent, delete(.member, member, base: 1)).code == .notFound)
        #expect(try world.snapshot(home).records[member] == nil)
        let joined = try redeem(made.code, "Gus").get()
        #expect(joined.member == member && joined.family == home.family && joined.role == .guest)
        #expect(try world.record(home, member).fields.text("role") == "guest")
        #expect(try world.signIn(home, member).memberships.map(\.member) == [member])
    }

    @Test("The code is accepted with the name, or the e-mail address, as people write them, and with nothing else")
    func bound() throws {
        let made = try made(new("Zoë  Müller-Łódź", .guest, email: " Zoe@Example.org "))
        #expect(made.invite.email == "Zoe@Example.org")
        let before = try world.snapshot(home)
        for (name, code) in [
            (nil, .required), ("", .required), (" \t", .required), ("Zoe", .invalid), ("Zoe Muller", .invalid), ("zoe@example.com", .invalid),
            ("Zoe Muller-Lodz x", .invalid),
        ] as [(String?, ErrorCode)] {
            guard case .failure(let rejection) = try redeem(made.code, name) else { throw Unexpected() }
            #expect(rejection.code == code && rejection.field == "name", "\(name ?? "–")")
            #expect(try world.snapshot(home) == before)
        }
        world.surroundings.now += 1
        #expect(try redeem(made.code, " zoe mULLER-lodz", nonce: World.nonce(2)).get().member == made.invite.member)
        // The same client again, by the other way.
        #expect(try redeem(made.code, "zoe@example.ORG", nonce: World.nonce(2)).get().member == made.invite.member)
        #expect(try redeem(made.code, "zoe@example.org").failure?.code == .codeUnknown)
    }

    @Test("A wrong code gets one answer, whatever name comes with it", arguments: [nil, "", "Gus", "Leo"])
    func unknownCode(name: String?) throws {
        #expect(try redeem("00000-00000-00000-00000", name).failure == .codeUnknown)
    }

    @Test("Resending makes a new code for the same person, and the former one is dead, also after it has expired")
    func resends() throws {
        let first = try made(new("Gus", .guest, email: "g@example.org"))
        for later in [0, 8 * Self.day] {
            world.surroundings.now += later
            let former = try #require(try listed().first)
            #expect(former.state == (later == 0 ? .pending : .expired))
            let again = try made(resend(former.member))
            #expect(again.invite.member == first.invite.member && again.invite.id != former.id)
            #expect(again.invite.name == "Gus" && again.invite.role == .guest && again.invite.email == "g@example.org")
            #expect(try redeem(first.code, "Gus").failure == .codeUnknown)
            #expect(try listed().map(\.id) == [again.invite.id], "one person is listed once")
        }
        let last = try made(resend(first.invite.member))
        #expect(try redeem(last.code, "Gus").get().member == first.invite.member)
        #expect(try refusal(resend(first.invite.member))?.code == .alreadyExists)
        #expect(try listed().isEmpty)
    }

    @Test("P09 An athlete below 13 has a profile and no code; on the 13th birthday a parent invites that profile", arguments: [
        ("2013-11-22", 1), ("2016-02-29", 831),
    ])
    func athlete(born: String, days: Int64) throws {
        let id = world.newID()
        let profile = try made(new("Mia", .athlete, born: born, id: id))
        #expect(profile.code == nil && profile.invite.state == .accepted)
        #expect(try made(new("Mia", .athlete, born: born, id: id)) == profile, "a lost answer doubles nobody")
        #expect(try world.record(home, profile.invite.member).fields.text("name") == "Mia")
        world.surroundings.now += (days - 1) * Self.day
        #expect(try refusal(resend(profile.invite.member))?.code == .notAllowed)
        world.surroundings.now += Self.day
        #expect(try refusal(resend(profile.invite.member))?.field == "consent")
        #expect(try world.store.approve(profile.invite.member, in: home.family, by: home.parent) == nil)
        let invited = try made(resend(profile.invite.member))
        #expect(invited.invite.member == profile.invite.member)
        #expect(try redeem(invited.code, "Mia").get().role == .athlete)
        #expect(try world.snapshot(home).records.values.filter { $0.kind == .member }.count == 2)
        #expect(try world.log(home).count == 2, "nobody joins who was there")
    }

    @Test("A member who signed in needs no invite; one who was removed and restored has no sign-in left and gets one, as the same person")
    func relogin() throws {
        let made = try made(new())
        let member = made.invite.member
        let token = try redeem(made.code, "Gus").get().token
        let person = try #require(try world.reader.signIn(token: token)).person
        #expect(try refusal(resend(member))?.code == .alreadyExists)
        #expect(try world.mutate(home, home.parent, delete(.member, member, base: 1)).code == nil)
        #expect(try refusal(resend(member))?.code == .notFound, "a former member is nobody's guest")
        #expect(try world.mutate(home, home.parent, restore(.member, member, base: 2)).code == nil)
        let again = try self.made(resend(member))
        let second = try redeem(again.code, "Gus", nonce: World.nonce(3)).get()
        #expect(try #require(try world.reader.signIn(token: second.token)).person == person)
    }

    @Test("The host's token accepts an open invite: the member joins, and the code is dead")
    func hostsToken() throws {
        let made = try made(new())
        guard case .token(let created) = try world.store.perform(.token(member: made.invite.member)).0.get() else { throw Unexpected() }
        #expect(created.member == made.invite.member && created.role == .guest)
        #expect(try redeem(made.code, "Gus").failure == .codeUnknown)
        #expect(try listed().isEmpty)
        #expect(try world.record(home, made.invite.member).fields.text("name") == "Gus")
    }

    // MARK: Taking back

    @Test("A withdrawn invite opens nothing; withdrawing it again changes nothing; an accepted one cannot be withdrawn")
    func withdraws() throws {
        let made = try made(new())
        let withdraw = InviteCommand.withdraw(made.invite.id, family: home.family, by: home.parent)
        for _ in 0..<2 {
            #expect(try self.made(withdraw).invite.state == .withdrawn)
            #expect(try redeem(made.code, "Gus").failure == .codeUnknown)
            #expect(try listed().isEmpty)
        }
        #expect(try refusal(resend(made.invite.member))?.code == .notFound)
        let accepted = try self.made(new("Gil"))
        _ = try redeem(accepted.code, "Gil").get()
        #expect(try refusal(.withdraw(accepted.invite.id, family: home.family, by: home.parent))?.code == .contradicted)
        #expect(try refusal(.withdraw(world.newID(), family: home.family, by: home.parent))?.code == .notFound)
    }

    @Test("A withdrawal of an invite that was resent leaves the newer one")
    func withdrawsOld() throws {
        let first = try made(new())
        let second = try made(resend(first.invite.member))
        #expect(try made(.withdraw(first.invite.id, family: home.family, by: home.parent)).invite.state == .withdrawn)
        #expect(try redeem(second.code, "Gus").get().member == first.invite.member)
    }

    @Test("An invite is good as long as the parent who made it is one", arguments: [false, true])
    func inviterLeaves(isRemoved: Bool) throws {
        let ben = try world.member(home, .parent, name: "Ben")
        let code = try made(new(by: ben)).code
        let step = isRemoved ? delete(.member, ben, base: 1) : update(.member, ben, base: 1, ["role": .text("guest")])
        #expect(try world.mutate(home, home.parent, step).code == nil)
        #expect(try redeem(code, "Gus").failure == .codeUnknown)
        #expect(try listed().isEmpty)
        let gus = try #require(try world.stored { try $0.people.pendingInvites(family: 1, limit: 9) }.first { $0.invite.name == "Gus" }).invite.member
        // Another parent takes it on.
        #expect(try redeem(try made(resend(gus)).code, "Gus").get().member == gus)
    }

    @Test("With the removal of a member the invite of their profile is withdrawn")
    func removal() throws {
        let leo = try made(resend(try world.athlete(home)))
        #expect(try world.mutate(home, home.parent, delete(.member, leo.invite.member, base: 1)).code == nil)
        #expect(try redeem(leo.code, "Leo").failure == .codeUnknown)
        #expect(try listed().isEmpty)
    }

    // MARK: Bounds

    @Test("20 invites wait at most: the next is refused with the figures; an expired, withdrawn or accepted one makes room, and so does resending")
    func pending() throws {
        var codes: [MadeInvite] = []
        // The first parent's own is the first.
        for number in 1..<20 { codes.append(try made(new("Guest \(number)"))) }
        let refused = try #require(try refusal(new("One more")))
        #expect(refused.code == .tooMany && refused.message.contains("20 invites") && refused.message.contains("20 is the limit"))
        _ = try made(resend(codes[0].invite.member))
        _ = try made(.withdraw(codes[1].invite.id, family: home.family, by: home.parent))
        _ = try made(new("In its place"))
        #expect(try refusal(new("One more"))?.code == .tooMany)
        _ = try redeem(codes[2].code, "Guest 3").get()
        _ = try made(new("In its place, too"))
        #expect(try refusal(new("One more"))?.code == .tooMany)
        let profile = try made(new("Mia", .athlete, born: "2020-01-01"))
        #expect(profile.code == nil, "a profile waits for nobody")
        #expect(try world.home("Other").parent != home.parent, "another family has its own")
        world.surroundings.now += 7 * Self.day
        _ = try made(new("One more"))
    }

    @Test("50 invites a day at most, by parents and the host together: the next is refused with the time to wait, and is made after it")
    func perDay() throws {
        // The first parent's own is one of them.
        for number in 2...50 {
            world.surroundings.now += 1
            _ = try made(.withdraw(try made(new("Guest \(number)")).invite.id, family: home.family, by: home.parent))
        }
        let refused = try #require(try refusal(new("One more")))
        #expect(refused.code == .rateLimited && refused.message.contains("50 invites"))
        let wait = try #require(refused.retryAfter)
        #expect(wait == Self.day - 49)
        let host = NewInvite(family: home.family, name: "By the host", role: .parent)
        #expect(try world.store.perform(.invite(host)).0.failure?.code == .rateLimited)
        world.surroundings.now += wait - 1
        #expect(try refusal(new("One more"))?.code == .rateLimited)
        world.surroundings.now += 1
        _ = try made(new("One more"))
    }

    @Test("An invite is forgotten 30 days after its code expired, and its code when it expires")
    func purged() throws {
        _ = try made(new())
        world.surroundings.now += 7 * Self.day
        _ = try world.purge()
        #expect(try world.count("codes") == 0 && world.count("invites") == 2)
        world.surroundings.now += 30 * Self.day - 1
        _ = try world.purge()
        #expect(try listed().count == 1)
        world.surroundings.now += 1
        _ = try world.purge()
        #expect(try world.count("invites") == 0)
    }

    @Test("The content of an invite is checked by field", arguments: [
        ("", Role.guest, nil, nil, "name", ErrorCode.required), ("Gus", nil, nil, nil, "role", .required), ("Leo", .athlete, nil, nil, "born", .required),
        ("Leo", .athlete, "2027-01-01", nil, "born", .invalid), ("Gus", .guest, "2000-01-01", nil, "born", .invalid),
        ("Gus", .guest, nil, "", "email", .invalid), ("Gus", .guest, nil, "gus", "email", .invalid), ("Gus", .guest, nil, "a@b@c", "email", .invalid),
        ("Gus", .guest, nil, "a b@c", "email", .invalid), ("Gus", .guest, nil, "a@\u{202E}b", "email", .invalid),
        ("Gus", .guest, nil, "a@" + String(repeating: "b", count: 253), "email", .tooLong), ("G\u{200B}us", .guest, nil, nil, "name", .invalid),
        (String(repeating: "G", count: 101), .guest, nil, nil, "name", .tooLong),
    ] as [(String, Role?, String?, String?, String, ErrorCode)])
    func content(name: String, role: Role?, born: String?, email: String?, field: String, code: ErrorCode) throws {
        let rows = try world.count("invites")
        let refused = try #require(try refusal(new(name, role, born: born, email: email)))
        #expect(refused.field == field && refused.code == code, "\(refused)")
        #expect(try world.count("invites") == rows)
    }

    @Test("An invite of a member takes name, role and birth date from the family", arguments: ["name", "role", "born"])
    func memberContent(field: String) throws {
        let leo = try world.athlete(home)
        let refused = try refusal(
            new(field == "name" ? "Leo" : nil, field == "role" ? .athlete : nil, born: field == "born" ? "2010-05-05" : nil, member: leo))
        #expect(refused?.code == .invalid && refused?.field == field)
    }

    @Test("A family that is full invites nobody new, and nobody joins it; its own members are invited")
    func full() throws {
        let world = try World { $0.limits.recordsPerFamily = 4 }
        let home = try world.home()
        let leo = try world.athlete(home)
        func invite(_ name: String?, _ role: Role?, _ member: Identifier? = nil) throws -> Result<MadeInvite, Rejection> {
            try world.store.perform(
                .make(
                    NewInvite(
                        family: "\(home.family)", member: member, name: name, role: role, by: home.parent,
                        origin: .session(id: world.newID(), nonce: World.nonce(1))))).0
        }
        let gus = try invite("Gus", .guest).get()
        try world.mutate(home, home.parent, school(world.newID(), "Rice"))
        #expect(try invite("Gil", .guest).failure?.code == .familyFull)
        let refused = try world.store.perform(.redeem(code: try #require(gus.code), nonce: World.nonce(1), name: "Gus")).0
        #expect(refused.failure?.code == .familyFull)
        #expect(try invite(nil, nil, leo).failure?.code == nil)
    }

    // MARK: Rights

    enum Act: CaseIterable { case make, resend, withdraw, list, remove, role, leave }
    enum Tester: CaseIterable { case parent, athlete, guest, stranger, former, invited }

    @Test("Every act on members by every role, a stranger, a former member and one who is only invited", arguments: Act.allCases, Tester.allCases)
    func matrix(act: Act, tester: Tester) throws {
        let leo = try world.athlete(home)
        let other = try world.home("Other")
        let ben = try world.member(home, .parent, name: "Ben"), gone = try world.member(home, .parent, name: "Gone")
        let gus = try world.member(home, .guest, name: "Gus"), target = try world.member(home, .guest, name: "Target")
        #expect(try world.mutate(home, home.parent, delete(.member, gone, base: 1)).code == nil)
        let invited = try made(new("Pia", .parent))
        let member =
            switch tester {
            case .parent: ben
            case .athlete: leo
            case .guest: gus
            case .stranger: other.parent
            case .former: gone
            case .invited: invited.invite.member
            }
        let before = (try world.snapshot(home), try listed(), try world.count("invites"))
        let code: ErrorCode?
        switch act {
        case .make: code = try refusal(new(by: member))?.code
        case .resend: code = try refusal(resend(invited.invite.member, by: member))?.code
        case .withdraw: code = try refusal(.withdraw(invited.invite.id, family: home.family, by: member))?.code
        case .list: code = try world.reader.invites(family: home.family, member: member).failure?.code
        case .remove: code = try world.mutate(home, member, delete(.member, target, base: 1)).code
        case .role: code = try world.mutate(home, member, update(.member, target, base: 1, ["role": .text("parent")])).code
        case .leave: code = try world.mutate(home, member, delete(.member, member, base: 1)).code
        }
        let isInside = [.parent, .athlete, .guest].contains(tester)
        let isAllowed = tester == .parent || (act == .leave && isInside)
        #expect((code == nil) == isAllowed, "\(code as Any)")
        guard !isAllowed else { return }
        // A list is asked by members alone: the hub answers others. The reader says the same to all of them.
        #expect(code == (isInside || act == .list ? .notAllowed : .notFound))
        #expect(try world.snapshot(home) == before.0 && listed() == before.1 && world.count("invites") == before.2)
    }

    @Test("R001 A stranger cannot tell an invite of ours, or a member, from one that is nowhere")
    func isolated() throws {
        let made = try made(new())
        let leo = try world.athlete(home)
        let other = try world.home("Other")
        func answer(_ command: InviteCommand) throws -> String {
            var rejection = try #require(try refusal(command))
            rejection.id = nil
            return "\(rejection)"
        }
        let nowhere = world.newID()
        // In their own family, by our ids; and in ours.
        for family in [other.family, home.family] {
            #expect(
                try answer(.withdraw(made.invite.id, family: family, by: other.parent)) == answer(.withdraw(nowhere, family: family, by: other.parent)))
            for member in [made.invite.member, leo, home.parent] {
                #expect(
                    try answer(new(nil, nil, member: member, by: other.parent, in: family))
                        == answer(new(nil, nil, member: nowhere, by: other.parent, in: family)))
            }
        }
        #expect(
            try answer(new(by: other.parent, in: home.family)) == answer(new(by: other.parent, in: nowhere)))
        // The same id in two families is two invites.
        let theirs = try self.made(new("Zed", by: other.parent, id: made.invite.id, in: other.family))
        #expect(theirs.invite.member != made.invite.member)
    }

    @Test("Leaving ends the sessions of that family and leaves those of another; the last parent stays; a parent brings the member back")
    func leaves() throws {
        let made = try made(new())
        let gus = made.invite.member
        let token = try redeem(made.code, "Gus").get().token
        #expect(try world.mutate(home, home.parent, delete(.member, home.parent, base: 1)).code == .lastParent)
        let left = try world.mutate(home, gus, delete(.member, gus, base: 1))
        #expect(left.committed?.members.map(\.member) == [gus] && left.committed?.members.map(\.role) == [nil])
        #expect(try world.reader.signIn(token: token) == nil)
        #expect(try world.mutate(home, gus, restore(.member, gus, base: 2)).code == .notFound)
        #expect(try world.mutate(home, home.parent, restore(.member, gus, base: 2)).code == nil)
    }
}

extension Result {
    /// The failure; `nil` for a success.
    var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}

@Suite("Invites of databases before version 14")
struct InviteMigrationTests {
    /// SQL that makes a database of this program what the step before `invites` made.
    static let takenBack = """
        \(AuditTests.takenBack)
        \(SessionTests.takenBack)
        DROP TABLE invites;
        DROP INDEX codes_by_member;
        DROP INDEX codes_by_session;
        ALTER TABLE codes DROP COLUMN invite;
        ALTER TABLE codes RENAME TO invites;
        CREATE INDEX invites_by_session ON invites (session) WHERE session IS NOT NULL;
        PRAGMA user_version = \(Schema.migrations.firstIndex(of: Schema.invites) ?? 0);
        """

    @Test("An open code joins without a name as before, is listed, can be resent and withdrawn; a redeemed one can be repeated")
    func migrates() throws {
        let folder = try TemporaryFolder()
        let surroundings = Surroundings()
        var members: [Identifier] = []
        let home: World.Home
        let nonce = World.nonce(1)
        do {
            let world = try World(path: folder.path + "/huddle.db", vfs: nil, surroundings: surroundings)
            home = try world.home()
            for name in ["Open", "Used", "Lost", "Late"] { members.append(try world.member(home, .guest, name: name)) }
        }
        let codes = (0..<4).map { "00000-00000-00000-0000\($0)" }
        let database = try Database(path: folder.path + "/huddle.db", mode: .readWrite)
        try database.execute(Self.takenBack)
        try database.execute("DELETE FROM invites")
        for (code, member) in zip(codes, members) {
            let hash = Hex.encode(try #require(InviteCode.hash(code)))
            let id = "\(member)".replacing("-", with: "")
            try database.execute(
                """
                INSERT INTO invites (hash, family, member, created_at, expires_at)
                VALUES (x'\(hash)', 1, x'\(id)', \(surroundings.now - 5), \(surroundings.now + 9_000))
                """)
        }
        let used = "\(members[1])".replacing("-", with: "")
        try database.execute("UPDATE invites SET nonce_hash = x'\(Hex.encode(RedemptionNonce.hash(nonce)))', session = 77 WHERE member = x'\(used)'")
        try database.execute("UPDATE invites SET expires_at = \(surroundings.now - 1) WHERE member = x'\("\(members[3])".replacing("-", with: ""))'")

        let world = try World(path: folder.path + "/huddle.db", vfs: nil, surroundings: surroundings)
        #expect(try world.query("SELECT user_version FROM pragma_user_version") == Schema.version)
        func redeem(_ code: String) throws -> Result<AdminAnswer, Rejection> { try world.store.perform(.redeem(code: code, nonce: nonce)).0 }
        let listed = try world.reader.invites(family: home.family, member: home.parent).get()
        #expect(Set(listed.map(\.name)) == ["Open", "Lost", "Late"])
        #expect(listed.first { $0.name == "Late" }?.state == .expired)
        #expect(listed.allSatisfy { $0.inviter == nil && $0.role == .guest })
        #expect(try redeem(codes[0]).failure == nil)
        #expect(try redeem(codes[1]).failure == nil, "the nonce's owner repeats")
        #expect(try redeem(codes[3]).failure == .codeUnknown)
        #expect(try world.store.perform(.redeem(code: codes[1], nonce: World.nonce(2))).0.failure == .codeUnknown)
        let again = NewInvite(family: "\(home.family)", member: members[2], by: home.parent)
        guard case .invited(let resent) = try world.store.perform(.invite(again)).0.get() else { throw Unexpected() }
        #expect(try redeem(codes[2]).failure == .codeUnknown)
        let named = try world.store.perform(.redeem(code: try #require(resent.code), nonce: nonce, name: "Lost")).0
        #expect(named.failure == nil)
    }
}

import Bytes
import Family
import StoreMemory
import TestSupport
import Testing
import Wire

@testable import Store

@Suite("One person in several families: a code adds the family to the person who is signed in (issue 15)", .bothEngines)
struct JoiningTests {
    let world: World
    /// The family of the person who joins another one.
    let home: World.Home
    /// The family that invites.
    let other: World.Home

    init() throws {
        world = try World()
        home = try world.home("Home")
        other = try world.home("Other")
    }

    // MARK: Short words

    private struct SignedInPerson {
        var token: String
        var session: Int64
        var person: Int64
    }

    private func seat(_ member: Identifier) throws -> SignedInPerson {
        guard case .token(let created) = try world.store.perform(.token(member: member)).0.get() else { throw Unexpected() }
        let found = try #require(try world.reader.signIn(token: created.token))
        return SignedInPerson(token: created.token, session: found.session, person: found.person)
    }

    private func invited(_ role: Role = .guest, _ name: String = "Ana", member: Identifier? = nil) throws -> MadeInvite {
        let new = NewInvite(
            family: "\(other.family)", member: member, name: member == nil ? name : nil, role: member == nil ? role : nil, by: other.parent,
            origin: .session(id: world.newID(), nonce: World.nonce(5)))
        return try world.store.perform(.make(new)).0.get()
    }

    private func join(_ code: String?, _ seat: SignedInPerson, name: String? = "Ana", nonce: String = World.nonce(7)) throws -> (Result<Membership, Rejection>, [CommitResult]) {
        try world.store.join(code: try #require(code), nonce: nonce, name: name, session: seat.session)
    }

    private func families(_ token: String) throws -> [Identifier] { try world.reader.signIn(token: token)?.memberships.map(\.family) ?? [] }

    // MARK: Adding

    @Test("The family is added to the person: one person, one session, two families, and the room of the second one receives the change")
    func adds() throws {
        let ana = try seat(home.parent)
        let made = try invited()
        let people = try world.stored { engine in try engine.people.membership(made.invite.member)?.person }
        #expect(people == nil)
        let (answer, changes) = try join(made.code, ana)
        let membership = try answer.get()
        #expect(membership == Membership(family: other.family, name: "Other", member: made.invite.member, role: .guest))
        guard case .change(let change)? = changes.first else { throw Unexpected() }
        #expect(changes.count == 1 && change.members.map(\.member) == [made.invite.member])
        #expect(Set(try families(ana.token)) == [home.family, other.family])
        #expect(try world.stored { try $0.people.membership(made.invite.member)?.person } == ana.person)
        guard case .joined = try world.reader.join(person: ana.person, Join(family: other.family, client: world.newID())) else { throw Unexpected() }
        let log = try world.reader.audit(family: other.family, member: other.parent, AuditRequest(request: 1, limit: 1)).get()
        #expect(log.entries.first?.act == "invite_accepted" && log.entries.first?.author == .member(made.invite.member))
    }

    @Test("The same frame again gets the same answer and changes nothing; after the next sign-in the code is dead")
    func repeated() throws {
        let ana = try seat(home.parent)
        let made = try invited()
        let first = try join(made.code, ana).0.get()
        let entries = try world.count("audit")
        let (again, changes) = try join(made.code, ana)
        #expect(try again.get() == first)
        #expect(changes.isEmpty)
        #expect(try world.count("audit") == entries)
        #expect(try world.store.join(code: try #require(made.code), nonce: World.nonce(8), name: "Ana", session: ana.session).0.failure?.code == .codeUnknown)
        #expect(try world.reader.signIn(token: ana.token)?.isRedemptionOpen == true)
        #expect(try world.store.closeRedemption(session: ana.session) == nil)
        #expect(try join(made.code, ana).0.failure?.code == .codeUnknown)
        #expect(try world.store.perform(.redeem(code: try #require(made.code), nonce: World.nonce(7), name: "Ana")).0.failure?.code == .codeUnknown)
    }

    @Test("The name, the end of the invite, and the family's rules hold as for a stranger; a person is in a family once")
    func refusals() throws {
        let ana = try seat(home.parent)
        let made = try invited()
        #expect(try join(made.code, ana, name: nil).0.failure?.code == .required)
        #expect(try join(made.code, ana, name: "Bo").0.failure?.code == .invalid)
        #expect(try join("00000-00000-00000-00000", ana).0.failure?.code == .codeUnknown)
        #expect(try world.store.join(code: try #require(made.code), nonce: World.nonce(7), name: "Ana", session: 4_711).0.failure?.code == .notSignedIn)
        #expect(try families(ana.token) == [home.family])
        _ = try join(made.code, ana).0.get()
        let second = try invited(.parent)
        #expect(try join(second.code, ana).0.failure?.code == .alreadyExists)
        let late = try invited(.parent, "Late")
        world.surroundings.now += Invite.life
        #expect(try join(late.code, ana, name: "Late").0.failure?.code == .codeUnknown)
        // An athlete who has to be consented to first has no code at all; one whose consent ends with the invite open has none any more.
        let leo = try world.athlete(other)
        let code = try invited(member: leo).code
        _ = try world.store.perform(MemberCommand(.withdrawConsent, member: leo, family: other.family, by: other.parent)).0.get()
        #expect(try join(code, ana, name: "Leo").0.failure?.code == .codeUnknown)
    }

    @Test("A person is in 64 families at most")
    func bounded() throws {
        let ana = try seat(home.parent)
        for number in 1..<64 {
            let home = try world.home("Family \(number)")
            let new = NewInvite(
                family: "\(home.family)", name: "Ana", role: .guest, by: home.parent, origin: .session(id: world.newID(), nonce: World.nonce(5)))
            let made = try world.store.perform(.make(new)).0.get()
            _ = try world.store.join(code: try #require(made.code), nonce: World.nonce(7), name: "Ana", session: ana.session).0.get()
        }
        let made = try invited()
        let refused = try #require(try join(made.code, ana).0.failure)
        #expect(refused.code == .tooMany && refused.message.contains("64"))
        #expect(try families(ana.token).count == 64)
        let withdrawn = try world.store.perform(.signOut(token: ana.token)).0
        #expect(withdrawn.failure == nil, "a sign-out is entered in every family")
    }

    // MARK: Isolation

    @Test("A parent's code for a member whose sessions have ended opens this family alone; the other family stays with the person")
    func detached() throws {
        let ana = try seat(home.parent)
        let made = try invited()
        _ = try join(made.code, ana).0.get()
        #expect(throws: Rejection.self) { try invited(member: made.invite.member) }
        _ = try world.store.perform(.signOut(token: ana.token)).0.get()
        let again = try invited(member: made.invite.member)
        guard case .token(let created) = try world.store.perform(.redeem(code: try #require(again.code), nonce: World.nonce(9), name: "Ana")).0.get()
        else { throw Unexpected() }
        #expect(try families(created.token) == [other.family])
        let fresh = try seat(home.parent)
        #expect(fresh.person == ana.person)
        #expect(try families(fresh.token) == [home.family])
    }

    @Test("The withdrawal of a consent in one family leaves the other one and the session; with the last family the sessions end")
    func consents() throws {
        let leo = try world.athlete(home), twin = try world.athlete(other, name: "Leo")
        let seat = try seat(leo)
        _ = try join(try invited(member: twin).code, seat, name: "Leo").0.get()
        #expect(Set(try families(seat.token)) == [home.family, other.family])
        func withdraw(_ member: Identifier, _ home: World.Home) throws -> BarredMember? {
            try world.store.perform(MemberCommand(.withdrawConsent, member: member, family: home.family, by: home.parent)).1
        }
        #expect(try withdraw(twin, other) == BarredMember(family: other.family, member: twin, sessions: []))
        #expect(try families(seat.token) == [home.family])
        guard case .refused = try world.reader.join(person: seat.person, Join(family: other.family, client: world.newID())) else { throw Unexpected() }
        #expect(try withdraw(leo, home) == BarredMember(family: home.family, member: leo, sessions: [seat.session]))
        #expect(try world.reader.signIn(token: seat.token) == nil)
    }

    @Test("Acts of the person are entered in both families, those of one family in that one alone")
    func audited() throws {
        let ana = try seat(home.parent)
        _ = try join(try invited().code, ana).0.get()
        func acts(_ home: World.Home) throws -> [String] {
            try world.reader.audit(family: home.family, member: home.parent, AuditRequest(request: 1, limit: 100)).get().entries.map(\.act)
        }
        let before = (try acts(home).count, try acts(other).count)
        _ = try seat(home.parent)
        #expect(try acts(home).first == "token_by_host" && acts(other).first == "token_by_host")
        try world.mutate(home, home.parent, message(world.newID(), "Hi"))
        _ = try world.athlete(home)
        #expect(try acts(home).count == before.0 + 3 && acts(other).count == before.1 + 1)
    }
}

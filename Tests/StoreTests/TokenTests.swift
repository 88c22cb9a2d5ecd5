import Bytes
import Family
import TestSupport
import Testing
import Wire

@testable import Store

@Suite("Tokens for programs: scopes, days, bounds, exactly once", .bothEngines)
struct TokenTests {
    let world: World
    let home: World.Home
    let session: Int64
    let person: Int64

    init() throws {
        world = try World()
        home = try world.home()
        guard case .token(let created) = try world.store.perform(.token(member: home.parent)).0.get() else { throw Unexpected() }
        let signIn = try #require(try world.reader.signIn(token: created.token))
        (session, person) = (signIn.session, signIn.person)
    }

    private func new(_ scope: TokenScope = .read, name: String = "Export", days: Int64 = 90, athletes: [Identifier] = [], id: Identifier? = nil) -> NewToken {
        NewToken(id: id ?? world.newID(), nonce: World.nonce(3), name: name, scope: scope, days: days, athletes: athletes)
    }

    private func make(_ new: NewToken) throws -> TokenMade { try world.store.makeToken(new, by: session).get() }

    private func refusal(_ new: NewToken, by other: Int64? = nil) throws -> ErrorCode? { try world.store.makeToken(new, by: other ?? session).failure?.code }

    @Test("A token signs in with its scope, is listed with the sessions, and ends on its day, used or not")
    func life() throws {
        let made = try make(new(.write, days: 100))
        #expect(made.token.utf8.count == 43 && made.session.kind == .token && made.session.scope == .write)
        let signIn = try #require(try world.reader.signIn(token: made.token))
        #expect(signIn.scope == .write && signIn.person == person && signIn.memberships.map(\.member) == [home.parent])
        #expect(try world.reader.sessions(ofPerson: person, current: session).contains(made.session))
        world.surroundings.now += 100 * Surroundings.day - 1
        #expect(try world.reader.signIn(token: made.token) != nil, "90 idle days do not end it")
        world.surroundings.now += 1
        #expect(try world.reader.signIn(token: made.token) == nil)
        #expect(try world.purge().sessions == 2)
    }

    @Test("The same request gets the same token and makes one; with other content, or the id of somebody else's session, it is refused")
    func repeated() throws {
        let id = world.newID()
        let first = try make(new(id: id))
        let rows = try world.count("sessions")
        world.surroundings.now += 5
        try world.reopen()
        #expect(try make(new(id: id)) == first)
        #expect(try world.count("sessions") == rows)
        var otherNonce = new(id: id)
        otherNonce.nonce = World.nonce(4)
        for other in [new(.write, id: id), new(name: "Other", id: id), new(days: 91, id: id), otherNonce] { #expect(try refusal(other) == .alreadyExists) }
        let mine = try #require(try world.reader.sessions(ofPerson: person, current: session).first { $0.isCurrent })
        #expect(try refusal(new(id: mine.id)) == .alreadyExists)
    }

    @Test("Days are 1 to 365, names are names, and the twenty-first token is refused until one has ended")
    func bounds() throws {
        for days in [0, -1, 366, Int64.max] { #expect(try refusal(new(days: days)) == .outOfRange) }
        #expect(try refusal(new(name: "")) == .required)
        #expect(try refusal(new(athletes: [home.parent])) == .invalid)
        _ = try make(new(days: 1))
        for _ in 1..<AccountSession.mostTokens { _ = try make(new(days: 365)) }
        #expect(try refusal(new()) == .tooMany)
        world.surroundings.now += Surroundings.day
        #expect(try make(new()).session.scope == .read, "one of them is over")
    }

    @Test("A token makes no token, ends nothing and makes no session; nobody makes one without the check that they can give")
    func rights() throws {
        for scope in [TokenScope.read, .write] {
            let signIn = try #require(try world.reader.signIn(token: try make(new(scope)).token))
            #expect(try refusal(new(), by: signIn.session) == .notAllowed)
            #expect(try world.store.revoke([.sessions(SessionsEnd(session: signIn.session, .others))])[0]?.code == .notAllowed)
            #expect(try world.store.openSession(beside: signIn.session, kind: .browser).failure?.code == .notAllowed)
            #expect(try world.store.recordCheck(session: signIn.session)?.code == .notAllowed)
        }
        _ = try world.store.account { _ in try world.store.people.setHasCredential(true, person: person) }.get()
        let id = world.newID()
        #expect(try refusal(new(id: id)) == .confirmFirst)
        #expect(try world.store.recordCheck(session: session) == nil)
        let made = try make(new(id: id))
        world.surroundings.now += 600_000
        #expect(try make(new(id: id)).token == made.token, "a repetition makes nothing, so it needs no second check")
        #expect(try refusal(new()) == .confirmFirst)
    }

    @Test("A mutation of a token that only reads is refused in the writer, whatever it is, and changes nothing; the same by a session is done")
    func readOnly() throws {
        let head = try world.snapshot(home).sequence
        for (mutation, operation) in [StoreTests.school(world.newID(), "One"), delete(.member, home.parent, base: 1)].enumerated() {
            let mutation = Mutation(client: world.newID(), id: Int64(mutation + 1), operations: [operation])
            let proposal = Proposal(family: home.family, member: home.parent, context: .all, mutation: mutation, isReadOnly: true, session: 7)
            for _ in 0..<2 {
                guard case .receipt(let receipt)? = try world.store.commit([proposal]).first else { throw Unexpected() }
                guard case .reject(let rejection)? = ReceiptCodec.decode(receipt.frame) else { throw Unexpected() }
                #expect(rejection.code == .notAllowed)
            }
        }
        #expect(try world.snapshot(home).sequence == head)
        #expect(try world.mutate(home, home.parent, StoreTests.school(world.newID(), "Two")).sequence == head + 1)
    }

    @Test("A token for calendars opens the athletes that it names, as long as the person shares a family with them; it signs nobody in")
    func calendar() throws {
        let leo = try world.athlete(home), mia = try world.athlete(home, name: "Mia"), stranger = try world.athlete(try world.home("Okafor"), name: "Uri")
        #expect(try refusal(new(.calendar)) == .required)
        #expect(try refusal(new(.calendar, athletes: [home.parent])) == .notFound)
        #expect(try refusal(new(.calendar, athletes: [leo, stranger])) == .notFound)
        #expect(try refusal(new(.calendar, athletes: Array(repeating: leo, count: 33))) == .tooMany)
        let made = try make(new(.calendar, athletes: [leo, mia]))
        #expect(made.session.athletes == [leo, mia])
        #expect(try world.reader.signIn(token: made.token) == nil)
        let access = try #require(try world.reader.calendarAccess(token: made.token))
        #expect(Set(access.athletes.map(\.athlete)) == [leo, mia] && access.athletes.allSatisfy { $0.family == home.family && $0.member == home.parent })
        #expect(try world.reader.calendarAccess(token: try make(new(.write)).token) == nil)
        try world.mutate(home, home.parent, delete(.member, mia, base: 1))
        #expect(try world.reader.calendarAccess(token: made.token)?.athletes.map(\.athlete) == [leo])
        world.surroundings.now += 90 * Surroundings.day
        #expect(try world.reader.calendarAccess(token: made.token) == nil)
    }
}

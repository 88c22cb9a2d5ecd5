import Bytes
import Family
import TestSupport
import Testing

@testable import Store

@Suite("Another device: a code by a session that is signed in", .bothEngines)
struct DeviceCodeTests {
    let world: World
    let home: World.Home
    let mine: SignIn

    init() throws {
        world = try World()
        home = try world.home()
        guard case .token(let created) = try world.store.perform(.token(member: home.parent)).0.get() else { throw Unexpected() }
        mine = try #require(try world.reader.signIn(token: created.token))
    }

    private func make() throws -> DeviceCodeMade { try world.store.makeDeviceCode(by: mine.session).get() }

    private func redeem(_ code: String, nonce: Int = 1) throws -> Result<SessionCreated, Rejection> {
        let answer = try world.store.perform(.redeem(code: code, nonce: World.nonce(nonce))).0
        return answer.map { if case .token(let created) = $0 { created } else { preconditionFailure("a redemption gives a token") } }
    }

    @Test("The other device signs in as the same person, without a name, once; its lost answer is repeated by its own nonce until the first use")
    func once() throws {
        let made = try make()
        #expect(made.expiresAt == world.surroundings.now + 600_000)
        #expect(try world.reader.refusal(ofCode: made.code, nonce: World.nonce(1)) == nil)
        let lost = try redeem(made.code).get()
        #expect(try redeem(made.code, nonce: 2).failure?.code == .codeUnknown)
        let created = try redeem(made.code).get()
        #expect(try world.reader.signIn(token: lost.token) == nil)
        let signIn = try #require(try world.reader.signIn(token: created.token))
        #expect(signIn.person == mine.person && signIn.session != mine.session && signIn.isRedemptionOpen && created.member == home.parent)
        #expect(try world.store.closeRedemption(session: signIn.session) == nil)
        #expect(try redeem(made.code).failure?.code == .codeUnknown)
        #expect(try world.reader.sessions(ofPerson: mine.person, current: mine.session).count == 2)
    }

    @Test("The code dies after 10 minutes, with the next one, with its session, and with the membership")
    func dies() throws {
        let first = try make(), second = try make()
        #expect(try redeem(first.code).failure?.code == .codeUnknown)
        world.surroundings.now += 600_000
        for refusal in [try redeem(second.code).failure, try world.reader.refusal(ofCode: second.code, nonce: World.nonce(1))] {
            #expect(refusal?.code == .codeUnknown)
        }
        let third = try make()
        #expect(try world.store.revoke([.session(mine.session)]) == [nil])
        for refusal in [try redeem(third.code).failure, try world.reader.refusal(ofCode: third.code, nonce: World.nonce(1))] {
            #expect(refusal?.code == .codeUnknown)
        }
        #expect(try world.store.makeDeviceCode(by: mine.session).failure?.code == .notSignedIn)
    }

    @Test("A removed member's code opens nothing, and a token for a program makes none")
    func rights() throws {
        let gus = try world.member(home, .guest, name: "Gus")
        guard case .token(let created) = try world.store.perform(.token(member: gus)).0.get() else { throw Unexpected() }
        let guest = try #require(try world.reader.signIn(token: created.token))
        let code = try world.store.makeDeviceCode(by: guest.session).get().code
        try world.mutate(home, home.parent, delete(.member, gus, base: 1))
        #expect(try redeem(code).failure?.code == .codeUnknown)
        let token = try world.store.makeToken(
            NewToken(id: world.newID(), nonce: World.nonce(3), name: "Export", scope: .write, days: 9), by: mine.session).get()
        let program = try #require(try world.reader.signIn(token: token.token))
        #expect(try world.store.makeDeviceCode(by: program.session).failure?.code == .notAllowed)
    }
}

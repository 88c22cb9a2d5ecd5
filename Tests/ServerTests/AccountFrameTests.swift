import Accounts
import Bytes
import Crypto
import Family
import Posix
import Store
import TestSupport
import Testing
import Wire

@testable import Server

@Suite("Signing in by name over the wire, and the notices to the person's devices", .serialized)
struct AccountFrameTests {
    private let server: TestShard

    init() throws { server = try TestShard() }

    private func say(_ client: TestClient, _ frame: ClientFrame) { client.say(String(decoding: frame.encode(), as: UTF8.self)) }

    private func set(_ client: TestClient, _ password: String = "correct horse", request: Int64 = 50) throws {
        say(client, .account(AccountRequest(request: request, .setPassword(name: "Ana", password: password))))
        #expect(try client.skip(to: "account") == "account")
    }

    private func signIn(_ client: TestClient, _ secrets: ShownSecrets, name: String = "ana", device: String? = nil) throws -> String {
        say(client, .signInByName(NameSignIn(name: name, secrets: secrets, device: device, label: "Laptop")))
        return try client.next()
    }

    @Test("A name with its password gives a token that signs in; a wrong one counts among the five tries of a connection")
    func signsIn() throws {
        let mine = try server.live(server.parent)
        try set(mine)
        #expect(mine.account?.state.name == "Ana" && mine.account?.device?.count == 43)
        let other = try server.open()
        #expect(try signIn(other, ShownSecrets(password: "wrong horse")) == "error sign_in_failed")
        #expect(try signIn(other, ShownSecrets()) == "error required")
        #expect(try signIn(other, ShownSecrets(password: "correct horse")) == "signed_in")
        let made = try #require(other.signedIn)
        other.say("{\"type\":\"sign_in\",\"token\":\"\(made.token)\"}")
        #expect(try other.next() == "welcome")
        #expect(other.memberships.map(\.member) == [server.parent.member])
        let guesser = try server.open()
        for _ in 0..<5 { #expect(try signIn(guesser, ShownSecrets(password: "wrong horse"), name: "nobody") == "error sign_in_failed") }
        say(guesser, .signInByName(NameSignIn(name: "nobody", secrets: ShownSecrets(password: "wrong horse"))))
        #expect(try guesser.rest() == ["close 1008", "end"])
    }

    @Test("account lists the passkeys; remove_passkey needs a check and removes one of the person's own")
    func passkeys() throws {
        let mine = try server.live(server.parent)
        let other = try server.live(server.athlete)
        let token = server.parent.token
        let added = try server.store { store throws(StoreFailure) in
            let passkey = Passkey(credential: [1, 2, 3], algorithm: -8, key: [7], counter: 1)
            return try store.addPasskey(passkey, name: "Phone", by: try store.sessionKey(of: token))
        }
        let id = try #require(try added.get().first).id
        say(mine, .account(AccountRequest(request: 1, .show)))
        #expect(try mine.skip(to: "account") == "account")
        #expect(mine.account?.state.passkeys.map(\.name) == ["Phone"] && mine.account?.state.name == nil)
        say(other, .account(AccountRequest(request: 1, .removePasskey(id))))
        #expect(try other.next() == "error not_found")
        server.passDay(milliseconds: 600_000)
        say(mine, .account(AccountRequest(request: 2, .removePasskey(id))))
        #expect(try mine.next() == "error confirm_first")
        #expect(try server.store { store throws(StoreFailure) in try store.recordCheck(session: try store.sessionKey(of: token)) } == nil)
        say(mine, .account(AccountRequest(request: 3, .removePasskey(id))))
        #expect(try mine.skip(to: "account") == "account")
        #expect(mine.account?.state.passkeys.isEmpty == true)
    }

    @Test("Another password ends the connections of the other sessions before the answer; a token for a program changes nothing")
    func ends() throws {
        let mine = try server.live(server.parent)
        try set(mine)
        let other = try server.open()
        #expect(try signIn(other, ShownSecrets(password: "correct horse")) == "signed_in")
        other.say("{\"type\":\"sign_in\",\"token\":\"\(try #require(other.signedIn).token)\"}")
        #expect(try other.next() == "welcome")
        try set(mine, "battery staple", request: 51)
        #expect(try other.rest() == ["signed_out", "close 4501", "end"])
        say(mine, .createToken(CreateTokenRequest(request: 60, id: Identifier(high: 1, low: 2), nonce: World.nonce, name: "Export", scope: .write, days: 9)))
        #expect(try mine.skip(to: "program_token") == "program_token")
        let token = try #require(mine.programToken).token
        let program = try server.live(SessionCreated(token: token, family: server.parent.family, member: server.parent.member, role: .parent), client: 9)
        for act in [AccountAct.show, .removePassword, .addFactor, .makeRecoveryCodes] {
            say(program, .account(AccountRequest(request: 1, act)))
            #expect(try program.skip(to: "error") == "error not_allowed")
        }
    }

    @Test("A second factor, recovery codes and confirm over the wire")
    func factor() throws {
        let mine = try server.live(server.parent)
        try set(mine)
        say(mine, .account(AccountRequest(request: 2, .addFactor)))
        #expect(try mine.skip(to: "account") == "account")
        #expect(mine.account?.address?.contains("otpauth://totp/") == true && mine.account?.state.hasFactor == false)
        say(mine, .account(AccountRequest(request: 3, .confirmFactor(oneTime: "000"))))
        #expect(try mine.skip(to: "error") == "error invalid")
        say(mine, .account(AccountRequest(request: 4, .makeRecoveryCodes)))
        #expect(try mine.skip(to: "account") == "account")
        #expect(mine.account?.codes.count == 10 && mine.account?.state.recoveryCodes == 10)
        server.passDay(milliseconds: 600_000)
        say(mine, .account(AccountRequest(request: 5, .makeRecoveryCodes)))
        #expect(try mine.skip(to: "error") == "error confirm_first")
        say(mine, .account(AccountRequest(request: 6, .confirm(ShownSecrets(password: "correct horse")))))
        #expect(try mine.skip(to: "account") == "account")
        say(mine, .account(AccountRequest(request: 7, .removePassword)))
        #expect(try mine.skip(to: "account") == "account")
        #expect(mine.account?.state.name == nil)
    }

    @Test("A recovery is reported on the live devices of the person and on those that join later, but not on the device that it opened")
    func told() throws {
        let parent = try server.live(server.parent), athlete = try server.live(server.athlete, client: 3)
        say(parent, .account(AccountRequest(request: 2, .recoverMember(server.athlete.member, family: server.parent.family))))
        #expect(try parent.skip(to: "account") == "account")
        let code = try #require(parent.account?.code)
        let back = try server.open()
        back.redeem(code)
        #expect(try back.next() == "token")
        #expect(try athlete.skip(to: "recovered parent") == "recovered parent")
        back.say("{\"type\":\"sign_in\",\"token\":\"\(back.token)\"}")
        #expect(try back.next() == "welcome")
        back.join(server.parent.family, 8)
        var heard = ""
        while !heard.hasPrefix("live") {
            heard = try back.next()
            #expect(!heard.hasPrefix("recovered"))
        }
        let later = try server.signedIn(server.athlete)
        later.join(server.athlete.family, 4)
        #expect(try later.skip(to: "recovered parent") == "recovered parent")
        #expect(try later.skip(to: "live").hasPrefix("live"))
    }
}

private enum World {
    static let nonce = "9d1f6b0c3e7a4852c06e5fb18a2d7394"
}

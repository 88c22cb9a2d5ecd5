import Bytes
import Family
import Store
import Testing
import Wire

@Suite("Consent and families over the wire", .serialized)
struct ConsentTests {
    private func enter(_ server: TestShard, _ token: String, _ client: UInt64) throws -> TestClient {
        let opened = try server.open()
        opened.say("{\"type\":\"sign_in\",\"token\":\"\(token)\"}")
        #expect(try opened.next() == "welcome")
        opened.join(server.parent.family, client)
        try opened.skip(to: "live")
        return opened
    }

    @Test("A withdrawal closes the athlete's connections before the parent has the answer, and their token is nobody's; a new consent opens nothing by itself")
    func withdrawal() throws {
        let server = try TestShard()
        let athlete = try enter(server, server.athlete.token, 2)
        let parent = try enter(server, server.parent.token, 3)
        parent.say("{\"type\":\"standings\",\"request\":1}")
        #expect(try parent.skip(to: "standings").contains("consented"))
        athlete.say("{\"type\":\"withdraw_consent\",\"request\":1,\"member\":\"\(server.athlete.member)\"}")
        #expect(try athlete.skip(to: "error") == "error not_allowed")
        parent.say("{\"type\":\"withdraw_consent\",\"request\":2,\"member\":\"\(server.athlete.member)\"}")
        #expect(try parent.skip(to: "standing") == "standing consent_needed")
        #expect(try athlete.rest().suffix(2) == ["close 4500", "end"])
        let again = try server.open()
        again.say("{\"type\":\"sign_in\",\"token\":\"\(server.athlete.token)\"}")
        #expect(try again.next() == "error token_unknown")
        let text = ConsentText.standard
        let consent = "{\"type\":\"consent\",\"request\":3,\"member\":\"\(server.athlete.member)\",\"version\":\"\(text.version)\",\"sha256\":\"\(text.digest)\"}"
        parent.say(consent)
        #expect(try parent.skip(to: "standing") == "standing consented")
        let still = try server.open()
        still.say("{\"type\":\"sign_in\",\"token\":\"\(server.athlete.token)\"}")
        #expect(try still.next() == "error token_unknown")
        parent.say(consent.replacing(text.version, with: "huddle-consent-1"))
        #expect(try parent.skip(to: "error") == "error invalid")
        parent.say("{\"type\":\"audit\",\"request\":4,\"limit\":3}")
        #expect(try parent.skip(to: "audit") == "audit consent_given sessions_ended consent_withdrawn")
    }

    @Test("A younger birth date closes the athlete's connection as well")
    func birthDate() throws {
        let server = try TestShard()
        let athlete = try enter(server, server.athlete.token, 2)
        let parent = try enter(server, server.parent.token, 3)
        parent.say("{\"type\":\"birth_date\",\"request\":2,\"member\":\"\(server.athlete.member)\",\"born\":\"2020-01-01\"}")
        #expect(try parent.skip(to: "standing") == "standing under_age")
        #expect(try athlete.rest().suffix(2) == ["close 4500", "end"])
    }

    @Test("A person who is signed in adds a family by its code, joins it, and finds it at the next sign-in")
    func families() throws {
        let server = try TestShard()
        let parent = try enter(server, server.parent.token, 3)
        parent.say(
            "{\"type\":\"invite\",\"request\":1,\"id\":\"01910000-0000-7000-8000-000000000777\",\"nonce\":\"\(TestClient.nonce)\",\"name\":\"Ruth\",\"role\":\"guest\"}")
        _ = try parent.skip(to: "invite")
        let code = try #require(parent.invite?.code)
        let stranger = try server.open()
        stranger.say("{\"type\":\"sign_in\",\"token\":\"\(server.stranger.token)\"}")
        #expect(try stranger.next() == "welcome")
        stranger.redeem(code, name: "Rita")
        #expect(try stranger.next() == "error invalid")
        stranger.redeem(code, name: "Ruth")
        #expect(try stranger.next() == "membership Rivera")
        #expect(try parent.skip(to: "change").hasPrefix("change"))
        stranger.join(server.parent.family, 9)
        try stranger.skip(to: "live")
        let later = try enter(server, server.stranger.token, 10)
        later.leave()
    }

    @Test("Frames of other forms are refused as bad frames", arguments: [
        "\"sha256\":\"00\"", "\"sha256\":7", "\"member\":\"7\"", "\"version\":7", "\"until\":\"2030-01-01\"",
    ])
    func badFrames(member: String) throws {
        let server = try TestShard()
        let parent = try enter(server, server.parent.token, 3)
        let name = member.split(separator: ":")[0]
        let digest = String(repeating: "0", count: 64)
        let rest = ["\"type\":\"consent\"", "\"request\":1", "\"member\":\"\(server.athlete.member)\"", "\"version\":\"x\"", "\"sha256\":\"\(digest)\""]
            .filter { !$0.hasPrefix(name) }
        parent.say("{" + (rest + [member]).joined(separator: ",") + "}")
        #expect(try parent.rest().suffix(3) == ["error bad_frame", "close 4502", "end"])
    }
}

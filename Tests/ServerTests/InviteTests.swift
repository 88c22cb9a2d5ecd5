import Bytes
import Family
import Store
import Testing
import Wire

@Suite("Invites over the wire", .serialized)
struct InviteTests {
    private static let id = Identifier(high: 0x0191_0000_0000_7000, low: 0x8000_0000_0000_0777)

    private func invite(_ request: Int, id: Identifier = id, name: String = "Ruth", more: String = "") -> String {
        "{\"type\":\"invite\",\"request\":\(request),\"id\":\"\(id)\",\"nonce\":\"\(TestClient.nonce)\",\"name\":\"\(name)\",\"role\":\"guest\"\(more)}"
    }

    private func enter(_ server: TestShard, _ token: String, _ client: UInt64) throws -> TestClient {
        let opened = try server.open()
        opened.say("{\"type\":\"sign_in\",\"token\":\"\(token)\"}")
        #expect(try opened.next() == "welcome")
        opened.join(server.parent.family, client)
        try opened.skip(to: "live")
        return opened
    }

    @Test("A parent invites; the room is silent until the person has joined, and a request that is sent again after a lost connection gets the same code")
    func flow() throws {
        let server = try TestShard()
        let athlete = try enter(server, server.athlete.token, 2)
        let lost = try enter(server, server.parent.token, 3)
        lost.say(invite(1))
        #expect(try lost.skip(to: "invite") == "invite pending")
        let code = try #require(lost.invite?.code)
        lost.leave()
        let parent = try enter(server, server.parent.token, 3)
        parent.say(invite(2))
        #expect(try parent.skip(to: "invite") == "invite pending")
        #expect(parent.invite?.code == code && parent.invite?.request == 2 && parent.invite?.invite == lost.invite?.invite)
        parent.say("{\"type\":\"invites\",\"request\":3}")
        // Those of the family's first parent and of the guest that the shard begins with are used or open.
        let listed = try parent.skip(to: "invites")
        parent.say(invite(4, name: "Rita"))
        #expect(try parent.skip(to: "error") == "error already_exists")

        let ruth = try server.open()
        ruth.redeem(code, name: "Rita")
        #expect(try ruth.next() == "error invalid")
        #expect(ruth.refusal?.field == "name")
        #expect(try athlete.soFar().allSatisfy { $0.hasPrefix("presence") || $0.hasPrefix("checksum") }, "nobody has joined yet")
        ruth.redeem(code, name: "RUTH")
        #expect(try ruth.next() == "token")
        #expect(try athlete.skip(to: "change").hasPrefix("change"))
        ruth.say("{\"type\":\"sign_in\",\"token\":\"\(ruth.token)\"}")
        #expect(try ruth.next() == "welcome")
        ruth.join(server.parent.family, 9)
        try ruth.skip(to: "live")
        ruth.say(invite(5))
        #expect(try ruth.skip(to: "error") == "error not_allowed")
        parent.say("{\"type\":\"invites\",\"request\":6}")
        #expect(try parent.skip(to: "invites") != listed)
        parent.say("{\"type\":\"withdraw_invite\",\"request\":7,\"id\":\"\(Self.id)\"}")
        #expect(try parent.skip(to: "error") == "error contradicted")
        // The audit log: everything for the parent, what concerns her for the guest.
        parent.say("{\"type\":\"audit\",\"request\":8,\"limit\":2}")
        #expect(try parent.skip(to: "audit") == "audit invite_accepted invited")
        parent.say("{\"type\":\"audit\",\"request\":9,\"limit\":200}")
        #expect(try parent.skip(to: "audit").contains("token_by_host"))
        ruth.say("{\"type\":\"audit\",\"request\":8,\"limit\":200}")
        #expect(try ruth.skip(to: "audit") == "audit invite_accepted invited")
    }

    @Test("A withdrawn invite is refused to the person, like a code that never was")
    func withdrawn() throws {
        let server = try TestShard()
        let parent = try enter(server, server.parent.token, 3)
        parent.say(invite(1))
        _ = try parent.skip(to: "invite")
        let code = try #require(parent.invite?.code)
        parent.say("{\"type\":\"withdraw_invite\",\"request\":2,\"id\":\"\(Self.id)\"}")
        #expect(try parent.skip(to: "invite") == "invite withdrawn")
        let ruth = try server.open()
        ruth.redeem(code, name: "Ruth")
        #expect(try ruth.next() == "error code_unknown")
    }

    @Test("Frames of other forms are refused as bad frames", arguments: [
        "\"role\":\"king\"", "\"nonce\":\"7\"", "\"id\":\"7\"", "\"name\":7", "\"until\":\"2030-01-01\"",
    ])
    func badFrames(member: String) throws {
        let server = try TestShard()
        let parent = try enter(server, server.parent.token, 3)
        let name = member.split(separator: ":")[0]
        let rest = ["\"type\":\"invite\"", "\"request\":1", "\"id\":\"\(Self.id)\"", "\"nonce\":\"\(TestClient.nonce)\"", "\"role\":\"guest\"", "\"name\":\"R\""]
            .filter { !$0.hasPrefix(name) }
        parent.say("{" + (rest + [member]).joined(separator: ",") + "}")
        #expect(try parent.rest().suffix(3) == ["error bad_frame", "close 4502", "end"])
    }
}

import Bytes
import Family
import Store
import TestSupport
import Testing
import Wire

@testable import Server

@Suite("Sessions over the wire", .serialized)
struct SessionFrameTests {
    private func enter(_ server: TestShard, _ token: String, _ client: UInt64) throws -> TestClient {
        let opened = try server.open()
        opened.say("{\"type\":\"sign_in\",\"token\":\"\(token)\"}")
        #expect(try opened.next() == "welcome")
        opened.join(server.parent.family, client)
        try opened.skip(to: "live")
        return opened
    }

    /// One more session of the parent.
    private func session(_ server: TestShard) throws -> SessionCreated {
        let member = server.parent.member
        let answer = try server.store { store throws(StoreFailure) in try store.perform(.token(member: member)).0 }
        guard case .token(let created) = try answer.get() else { throw Unexpected("no token") }
        return created
    }

    @Test("A person names their sessions and ends another one: its connection is closed before the list arrives; the others of the family stay")
    func flow() throws {
        let server = try TestShard()
        let other = try session(server)
        let lost = try enter(server, other.token, 2), athlete = try enter(server, server.athlete.token, 3), mine = try enter(server, server.parent.token, 4)
        mine.say("{\"type\":\"sessions\",\"request\":1}")
        #expect(try mine.skip(to: "sessions") == "sessions 2")
        let current = try #require(mine.sessions.first { $0.isCurrent }), target = try #require(mine.sessions.first { !$0.isCurrent })
        mine.say("{\"type\":\"rename_session\",\"request\":2,\"id\":\"\(current.id)\",\"name\":\"Kitchen\"}")
        try mine.skip(to: "sessions")
        #expect(mine.sessions.filter { $0.isCurrent }.map(\.name) == ["Kitchen"])
        athlete.say("{\"type\":\"end_session\",\"request\":1,\"id\":\"\(target.id)\"}")
        #expect(try athlete.skip(to: "error") == "error not_found", "it is somebody else's")
        mine.say("{\"type\":\"end_session\",\"request\":3,\"id\":\"\(target.id)\"}")
        #expect(try mine.skip(to: "sessions") == "sessions 1")
        #expect(try lost.rest().suffix(3) == ["signed_out", "close 4501", "end"])
        let again = try server.open()
        again.say("{\"type\":\"sign_in\",\"token\":\"\(other.token)\"}")
        #expect(try again.next() == "error token_unknown")
        athlete.say("{\"type\":\"sessions\",\"request\":2}")
        #expect(try athlete.skip(to: "sessions") == "sessions 1")
    }

    @Test("All others end within the one frame; a session that ends itself is signed out")
    func others() throws {
        let server = try TestShard()
        var lost: [TestClient] = []
        for number in 0..<3 {
            lost.append(try enter(server, try session(server).token, UInt64(10 + number)))
        }
        let mine = try enter(server, server.parent.token, 4)
        mine.say("{\"type\":\"end_other_sessions\",\"request\":1}")
        #expect(try mine.skip(to: "sessions") == "sessions 1")
        for client in lost { #expect(try client.rest().suffix(3) == ["signed_out", "close 4501", "end"]) }
        let id = try #require(mine.sessions.first?.id)
        mine.say("{\"type\":\"end_session\",\"request\":2,\"id\":\"\(id)\"}")
        #expect(try mine.rest().suffix(3) == ["signed_out", "close 4501", "end"])
    }

    @Test("A code of one device signs in another one as the same person, by the frame and over HTTP; used, it opens nothing")
    func device() throws {
        let server = try TestShard()
        server.shard.site.add(SessionRoutes.all(server.shard.services) + TokenRoutes.all(server.shard.services))
        let mine = try enter(server, server.parent.token, 4)
        mine.say("{\"type\":\"add_device\",\"request\":1}")
        #expect(try mine.skip(to: "device_code") == "device_code")
        let code = try #require(mine.deviceCode)
        let other = try server.open()
        other.redeem(code)
        #expect(try other.next() == "token")
        other.say("{\"type\":\"sign_in\",\"token\":\"\(other.token)\"}")
        #expect(try other.next() == "welcome")
        #expect(other.memberships.map(\.member) == [server.parent.member])
        let late = try server.open()
        late.redeem(code)
        #expect(try late.next() == "error code_unknown")
        mine.say("{\"type\":\"sessions\",\"request\":2}")
        #expect(try mine.skip(to: "sessions") == "sessions 2")
        let http = try server.connect()
        http.send(text: "POST /devices HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(server.parent.token)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        try server.until("the end of the answer") { try http.receive(); return http.hasEnded }
        let text = String(decoding: http.octets, as: UTF8.self)
        let second = try #require(text.firstMatch(of: /"code":"([^"]*)"/).map { String($0.1) })
        let third = try server.open()
        third.redeem(second)
        #expect(try third.next() == "token")
    }
}

import Bytes
import CFaultVFS
import Family
import HTTP1
import Posix
import EventLoop
import Store
import Testing

@testable import Server

@Suite("Rights that are taken away end when that is asked for, semantics.md (Taking rights away)", .serialized)
struct RevocationTests {
    private func ask(_ line: String, _ server: TestShard, _ who: SessionCreated? = nil) throws -> TestClient {
        let client = try server.connect()
        let bearer = who.map { "Authorization: Bearer \($0.token)\r\n" } ?? ""
        client.send(text: "\(line) HTTP/1.1\r\nHost: a\r\n\(bearer)Connection: close\r\n\r\n")
        return client
    }

    /// Work of other kinds that waits at the writer.
    private func queueOtherWork(_ server: TestShard) {
        for _ in 0..<100 { server.shard.workers.write({ _ throws(StoreFailure) in (true, []) }) { (_: Bool?) in } }
        _ = server.fillMutations(1_000)
    }

    @Test("a revoked share link opens nothing already before its commit; the answer waits for the commit, which overtakes all waiting jobs")
    func link() throws {
        let fixture = try DocumentFixture()
        let server = fixture.server
        let end = "DELETE \(fixture.path)/shares?share=\(try #require(fixture.share).link.id)"
        try server.holdWriter()
        queueOtherWork(server)
        // A member without the right to end it ends nothing.
        #expect(try ask(end, server, fixture.guest).status() == 403)
        #expect(try ask(end, server, server.stranger).status() == 404)
        #expect(try fixture.ask("GET \(fixture.sharePath)/file").status == 200)
        let first = try ask(end, server, server.parent)
        let second = try ask(end, server, server.athlete)
        try server.until("the link is closed") { try fixture.ask("GET \(fixture.sharePath)").status == 404 }
        #expect(try fixture.ask("GET \(fixture.sharePath)/file").status == 404)
        #expect(try fixture.ask("HEAD \(fixture.sharePath)/file").status == 404)
        for client in [first, second] {
            try client.receive()
            #expect(!client.hasEnded)
        }
        server.letWriterGo()
        #expect(try first.status() == 204)
        #expect(try second.status() == 204)
        #expect(try fixture.ask("GET \(fixture.sharePath)").status == 404)
        #expect(try fixture.read { try $0.shares(family: server.parent.family).first?.endedAt } != nil)
    }

    @Test("share links that a removed member made open nothing once the removal is acked; those of other members do")
    func creatorRemoved() throws {
        let fixture = try DocumentFixture()
        let server = fixture.server
        let other = Identifier(high: 5, low: 9)
        let parent = try server.live(server.parent)
        parent.say(
            "{\"type\":\"mutate\",\"mutation\":1,\"operations\":[{\"op\":\"create\",\"kind\":\"school\",\"id\":\"\(other)\",\"fields\":{\"name\":\"Oak\"}}]}")
        try parent.skip(to: "ack 1")
        let made = try fixture.ask("POST \(fixture.path)/shares", as: server.athlete, content: "{\"school\":\"\(other)\"}")
        #expect(made.status == 201)
        let text = String(decoding: made.content, as: UTF8.self)
        let link = String(try #require(text.split(separator: "\"").first { $0.hasPrefix("/s/") }))
        #expect(try fixture.ask("GET \(link)").status == 200)
        parent.say(
            "{\"type\":\"mutate\",\"mutation\":2,\"operations\":[{\"op\":\"delete\",\"kind\":\"member\",\"id\":\"\(server.athlete.member)\",\"base\":1}]}")
        try parent.skip(to: "ack 2")
        for path in [link, link + "/file"] { #expect(try fixture.ask("GET \(path)").status == 404) }
        #expect(try fixture.ask("GET \(fixture.sharePath)").status == 200)
    }

    @Test("a file that was looked up by a link before its end, or by a token before its sign-out, and is not open yet, is not given out")
    func lookedUp() throws {
        let fixture = try DocumentFixture()
        let server = fixture.server
        // Nothing of this document is opened while this runs.
        let (entered, gate) = (BlockingQueue<Bool>(limit: 1), BlockingQueue<Bool>(limit: 1))
        defer { gate.close() }
        server.shard.workers.work(fixture.document) { () -> Bool in
            _ = entered.put(true)
            _ = gate.take()
            return true
        } then: { (_: Bool?) in }
        try server.until("files are held") { entered.count > 0 }
        let byLink = try ask("GET \(fixture.sharePath)/file", server)
        let byToken = try ask("GET \(fixture.path)", server, server.athlete)
        let other = try ask("GET \(fixture.path)", server, server.parent)
        let member = try server.live(server.athlete)
        try server.until("all three were looked up") { server.waitingFiles == 4 }
        try server.holdWriter()
        let end = try ask("DELETE \(fixture.path)/shares?share=\(try #require(fixture.share).link.id)", server, server.parent)
        member.say("{\"type\":\"sign_out\"}")
        try server.until("both have ended") {
            let name = ShareLinkName(family: server.parent.family, link: try #require(fixture.share).link.id)
            let session = try fixture.read { try #require(try $0.signIn(token: server.athlete.token)).session }
            return server.shard.access.hasEnded(name) && server.shard.access.hasEnded(session)
        }
        gate.close()
        #expect(try byLink.status() == 404)
        #expect(try byToken.status() == 401)
        #expect(try other.status() == 200)
        server.letWriterGo()
        #expect(try end.status() == 204)
        try member.skip(to: "signed_out")
        #expect(try fixture.shareFigures() == (0, 0))
    }

    @Test("a sign-out takes the token's rights on every connection and over HTTP before its commit, which overtakes all waiting jobs")
    func signOut() throws {
        let fixture = try DocumentFixture()
        let server = fixture.server
        let one = try server.live(server.athlete, client: 1)
        let two = try server.live(server.athlete, client: 2)
        let parent = try server.live(server.parent, client: 3)
        _ = try (one.soFar(), two.soFar())
        try server.holdWriter()
        queueOtherWork(server)
        one.say("{\"type\":\"sign_out\"}")
        try server.until("its token opens nothing") { try fixture.ask("GET \(fixture.path)", as: server.athlete).status == 401 }
        for path in [fixture.path + "/shares", "/documents/\(Identifier(high: 1, low: 1))"] {
            #expect(try fixture.ask("GET \(path)", as: server.athlete).status == 401)
        }
        #expect(try fixture.ask("GET \(fixture.path)", as: server.parent).status == 200)
        let late = try server.open()
        late.say("{\"type\":\"sign_in\",\"token\":\"\(server.athlete.token)\"}")
        #expect(try late.next() == "error token_unknown")
        two.mutate(1)
        #expect(try two.skip(to: "reject") == "reject 1 not_signed_in")
        #expect(try one.soFar().contains("signed_out") == false)
        server.letWriterGo()
        for client in [one, two] {
            try client.skip(to: "signed_out")
            try client.skip(to: "close 4501")
        }
        parent.mutate(1)
        try parent.skip(to: "ack 1")
        #expect(try fixture.read { try $0.signIn(token: server.athlete.token) } == nil)
    }

    @Test("on a full disk the end of a right is answered with storage_full, stays in effect, and is made durable when there is room, without being asked for again")
    func fullDisk() throws {
        let disk = "server-revocations"
        #expect(faultvfs_register(disk) == 0)
        do {
            let fixture = try DocumentFixture(vfs: disk)
            let server = fixture.server
            let member = try server.live(server.athlete)
            faultvfs_fail_at(disk, 1, 13, -1)
            let refused = try fixture.ask("DELETE \(fixture.path)/shares?share=\(try #require(fixture.share).link.id)", as: server.parent)
            #expect(refused.status == 507 && refused.fields.only("retry-after") == "5")
            #expect(String(decoding: refused.content, as: UTF8.self).contains("storage_full"))
            #expect(try fixture.ask("GET \(fixture.sharePath)").status == 404)
            member.say("{\"type\":\"sign_out\"}")
            #expect(try member.skip(to: "error") == "error storage_full")
            #expect(try fixture.ask("GET \(fixture.path)", as: server.athlete).status == 401)
            // Tried again in vain, which is reported to nobody.
            server.pass(milliseconds: PendingRevocations.retryTime)
            #expect(try fixture.ask("GET \(fixture.sharePath)").status == 404)
            faultvfs_fail_at(disk, 0, 13, 0)
            // The try that is under way may still have found no room.
            try server.until("it is durable") {
                server.pass(milliseconds: PendingRevocations.retryTime)
                return try member.soFar().contains("signed_out")
            }
            #expect(try fixture.ask("GET \(fixture.path)", as: server.athlete).status == 401)
            let listed = try fixture.ask("GET \(fixture.path)/shares", as: server.parent)
            #expect(String(decoding: listed.content, as: UTF8.self).contains("\"ended_at\":"))
            #expect(server.shard.drain.failure == nil)
        }
        #expect(faultvfs_remove(disk) == 0)
    }
}

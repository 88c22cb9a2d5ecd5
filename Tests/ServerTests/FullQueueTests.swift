import Bytes
import Family
import Posix
import Rooms
import Store
import Testing
import Wire

@testable import Server

@Suite("A writer that does not come back: what finds no room is refused, and nothing ends", .serialized)
struct FullQueueTests {
    private func ask(_ line: String, _ server: TestShard, _ who: SessionCreated, content: String) throws -> TestClient {
        let client = try server.connect()
        client.send(
            text: "\(line) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(who.token)\r\nConnection: close\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)")
        return client
    }

    @Test("codes of strangers: their bounded number waits, the next is busy, and members have their own room")
    func strangers() throws {
        let server = try TestShard()
        let member = try server.live(server.parent)
        try server.holdWriter()
        var strangers: [TestClient] = []
        for number in 0...Hub.maxRedemptionsAtWriter {
            let client = try server.open()
            // A nonce of their own each: of a code that many try, one gets the token.
            client.redeem(server.code, nonce: String(repeating: "0", count: 30) + String(number + 100, radix: 16).suffix(2))
            strangers.append(client)
        }
        #expect(try strangers[Hub.maxRedemptionsAtWriter].next() == "error busy")
        member.mutate(1)
        for client in strangers.dropLast() { #expect(try client.soFar() == []) }
        // Requests that the hub keeps back do not reach the queue, whose bound is the same.
        #expect(Hub.maxRedemptionsAtWriter == WriterQueue.Class.stranger.limit)
        #expect(server.lines.count("event=writer_queue_full") == 0)
        server.letWriterGo()
        // Readers look the codes up at the same time, so any of them may be the first.
        let answers = try strangers.dropLast().map { try $0.next() }
        #expect(answers.count { $0 == "token" } == 1 && answers.count { $0 == "error code_unknown" } == answers.count - 1)
        // The one that was refused may try again.
        strangers[Hub.maxRedemptionsAtWriter].redeem(server.code)
        #expect(try strangers[Hub.maxRedemptionsAtWriter].next() == "error code_unknown")
        try member.skip(to: "ack 1")
        #expect(server.shard.drain.failure == nil)
    }

    @Test("mutations without room are busy and may be sent again")
    func mutations() throws {
        let server = try TestShard()
        let member = try server.live(server.parent)
        try server.holdWriter()
        #expect(server.fillMutations(WriterQueue.Class.mutation.limit - 1) == WriterQueue.Class.mutation.limit - 1)
        for number in 1...3 { member.mutate(number) }
        // The first of them had room; the answers to the others do not wait for the writer.
        #expect(try member.skip(to: "reject") == "reject 2 busy")
        #expect(try member.next() == "reject 3 busy")
        server.pass(milliseconds: 1_000)
        #expect(server.lines.count("event=writer_queue_full", "class=mutation") == 1)
        server.letWriterGo()
        try member.skip(to: "ack 1")
        for number in 2...3 { member.mutate(number) }
        try member.skip(to: "ack 2")
        try member.skip(to: "ack 3")
        #expect(server.shard.drain.failure == nil)
    }

    @Test("requests over HTTP: 503, with a time to come back")
    func requests() throws {
        let fixture = try DocumentFixture()
        let server = fixture.server
        try server.holdWriter()
        var (done, refused) = (0, 0)
        let nobody = Identifier(high: 0, low: 1)
        for _ in 0..<WriterQueue.Class.proposal.limit + 2 {
            server.shard.workers.propose(.share(NewShare(family: nobody, member: nobody, document: nobody, school: nobody))) { answer in
                if answer == nil { refused += 1 } else { done += 1 }
            }
        }
        server.turn()
        #expect(refused == 2 && done == 0)
        let client = try ask("POST \(fixture.path)/shares", server, server.parent, content: "{\"school\":\"\(fixture.school)\"}")
        #expect(try client.status() == 503)
        server.letWriterGo()
        try server.until("all others are done") { done == WriterQueue.Class.proposal.limit }
        #expect(server.shard.drain.failure == nil)
    }

    @Test("openings, looks and renewals are gathered while the writer is held, and written together; at a drain too")
    func usage() throws {
        let fixture = try DocumentFixture(octets: 10)
        let server = fixture.server
        try server.holdWriter()
        for number in 0..<10 {
            #expect(try fixture.ask("GET \(fixture.sharePath)").status == 200)
            #expect(try fixture.ask("GET \(fixture.path)", as: server.parent).status == 200)
            for session in 0..<100 { server.shard.usage.renew(Int64(number * 100 + session)) }
            server.pass(milliseconds: UsageRecorder.interval)
        }
        #expect(try fixture.shareFigures() == (0, 0))
        #expect(server.lines.count("event=writer_queue_full") == 0)
        server.shard.drain.start()
        server.letWriterGo()
        try server.until("the writer has stopped") { server.shard.drain.isWriterDone }
        #expect(try fixture.shareFigures() == (10, 0))
        let entries = try fixture.read { reader in
            try reader.accessLog(family: server.parent.family, member: server.athlete.member, AccessLogRequest(request: 1, limit: 10))
        }
        #expect(try entries.get().entries.contains { $0.what == "document" })
    }

    @Test("while the server ends, nothing is sent that could not be noted")
    func ending() throws {
        let fixture = try DocumentFixture(octets: 10)
        let paths = [fixture.sharePath, fixture.sharePath + "/file", fixture.path]
        // They were here before: no other client may join.
        let clients = try paths.map { _ in try fixture.server.connect() }
        try fixture.server.holdWriter()
        fixture.server.shard.drain.start()
        for (path, client) in zip(paths, clients) {
            client.send(text: "GET \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(fixture.server.parent.token)\r\nConnection: close\r\n\r\n")
        }
        for client in clients { #expect(try client.status() == 503) }
        fixture.server.letWriterGo()
    }
}

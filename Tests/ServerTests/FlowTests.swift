import Bytes
import CFaultVFS
import Family
import Posix
import SQLite
import Store
import TestSupport
import Testing
import WebSocket

@testable import Server

@Suite("Bounded, guarantees.md: rates, queues and slow readers", .serialized)
struct FlowTests {
    @Test("mutations: the burst is done, the next is refused with a wait, and the session continues")
    func rate() throws {
        var limits = Limits()
        limits.mutationBurst = 20
        limits.mutationsPerSecond = 1
        let server = try TestShard(limits)
        let client = try server.live(server.parent)
        for number in 1...21 { client.mutate(number) }
        var words: [String] = []
        while words.count(where: { $0.hasPrefix("ack") || $0.hasPrefix("reject") }) < 21 { words.append(try client.next()) }
        #expect(words.filter { $0.hasPrefix("ack") } == (1...20).map { "ack \($0)" })
        #expect(words.filter { $0.hasPrefix("reject") } == ["reject 21 rate_limited"])
        #expect(server.lines.count("event=rejected", "code=rate_limited") == 1)
    }

    @Test("unanswered mutations: the allowed number is done, those above it are refused with a wait")
    func pending() throws {
        var limits = Limits()
        limits.pendingMutations = 8
        let server = try TestShard(limits)
        let client = try server.live(server.parent)
        // All in one segment, so that they are read in one tick, before the writer can answer any.
        client.isReading = false
        for number in 1...10 { client.mutate(number) }
        client.isReading = true
        var words: [String] = []
        while words.count(where: { $0.hasPrefix("ack") || $0.hasPrefix("reject") }) < 10 { words.append(try client.next()) }
        #expect(words.filter { $0.hasPrefix("ack") } == (1...8).map { "ack \($0)" })
        #expect(words.filter { $0.hasPrefix("reject") } == ["reject 9 too_many_pending", "reject 10 too_many_pending"])
    }

    @Test("a flood of refused frames ends with 1008, and no other client is delayed")
    func refusals() throws {
        var limits = Limits()
        limits.refusals = 100
        let server = try TestShard(limits)
        let other = try server.live(server.athlete)
        let client = try server.signedIn(server.parent)
        let begun = Clock.monotonicMilliseconds()
        for number in 1...600 { client.mutate(number) }
        let words = try client.rest()
        // The allowance grows by 200 a second, so that a machine that is slow refuses a few more.
        let refused = words.count { $0.hasPrefix("reject") }
        #expect((100...101 + Int(Clock.monotonicMilliseconds() - begun) / 5).contains(refused))
        #expect(words == (0..<refused).map { "reject \($0 + 1) not_joined" } + ["close 1008", "end"])
        #expect(server.lines.count("event=closing", "code=1008") == 1)
        other.mutate(1)
        try other.skip(to: "ack 1")
    }

    @Test("a flood of pages: four at the same time are answered, the others are busy; above the rate they are rate_limited")
    func pages() throws {
        var limits = Limits()
        limits.mutationBurst = 6
        limits.mutationsPerSecond = 1
        let server = try TestShard(limits)
        let client = try server.live(server.parent)
        let list = "{\"type\":\"list\",\"request\":1,\"kind\":\"message\",\"limit\":200}"
        for _ in 0..<6 { client.say(list) }
        var words: [String] = []
        for _ in 0..<6 { words.append(try client.next()) }
        #expect(words.sorted() == ["error busy", "error busy", "page", "page", "page", "page"])
        for _ in 0..<3 { client.say(list) }
        words = []
        for _ in 0..<3 { words.append(try client.next()) }
        #expect(words.sorted() == ["error rate_limited", "page", "page"])
    }

    @Test("a client that never reads is closed with 4001 at the bound; the author's acks continue, and its memory is given back")
    func slowReader() throws {
        var limits = Limits()
        limits.outboxOctets = 200_000
        limits.mutationsPerSecond = 0
        let server = try TestShard(limits)
        let slow = try server.live(server.athlete)
        let writer = try server.live(server.parent)
        slow.isReading = false
        let text = String(repeating: "x", count: 4_000)
        var number = 0
        var passed: [String] = []
        while server.lines.count("event=slow_reader") == 0, number < 2_000 {
            for _ in 0..<20 {
                number += 1
                writer.mutate(number, text: text)
            }
            repeat { passed.append(try writer.next()) } while passed.last != "ack \(number)"
        }
        // The bound, and what the kernel holds between the two.
        #expect(number < 400, "\(number) messages of 4 kB were held for a reader who takes none")
        slow.isReading = true
        let words = try slow.rest()
        #expect(words.suffix(2) == ["close 4001", "end"])
        // The changes before it came in order, without a gap.
        let sequences = words.compactMap { $0.hasPrefix("change ") ? Int($0.dropFirst(7)) : nil }
        #expect(sequences == Array((sequences.first ?? 0)..<(sequences.first ?? 0) + sequences.count))
        // Where the last acks were several commits, it stood among them.
        if !passed.contains(where: { $0 == "presence 0" || $0.hasPrefix("presence 0 ") }) { try writer.skip(to: "presence 0") }
    }

    @Test("a client that reads nothing for 30 s is closed with 4001, also far below the bound, and cut off two seconds later")
    func oldOutbox() throws {
        var limits = Limits()
        limits.mutationsPerSecond = 0
        let server = try TestShard(limits)
        let slow = try server.live(server.athlete)
        let writer = try server.live(server.parent)
        slow.isReading = false
        // Until the kernel takes no more and something waits here.
        var number = 0
        repeat {
            number += 1
            writer.mutate(number, text: String(repeating: "x", count: 4_000))
            try writer.skip(to: "ack \(number)")
        } while server.shard.table.all.allSatisfy(\.isFlushed) && number < 500
        server.pass(milliseconds: Int64(server.limits.outboxAge) - 2_000)
        #expect(server.lines.count("event=slow_reader") == 0)
        server.pass(milliseconds: 2_000)
        #expect(server.lines.count("event=slow_reader") == 1)
        server.pass(milliseconds: Connection.closingTime)
        #expect(server.shard.table.all.count == 1)
    }

    @Test("a flood of pings from a client that never reads ends like any other")
    func pings() throws {
        var limits = Limits()
        limits.outboxOctets = 50_000
        let server = try TestShard(limits)
        let client = try server.signedIn(server.parent)
        client.isReading = false
        let payload = [UInt8](repeating: 1, count: 125)
        for _ in 0..<10_000 where server.lines.count("event=slow_reader") == 0 {
            for _ in 0..<50 { client.send(.ping, payload) }
            server.turn()
            try client.receive()
        }
        #expect(server.lines.count("event=slow_reader") == 1)
        client.isReading = true
        #expect(try client.rest().suffix(2) == ["close 4001", "end"])
    }

    @Test("fifty joins without a cursor at the same time: each gets its snapshot, then is live, and others are served in the meantime")
    func snapshotStorm() throws {
        var limits = Limits()
        limits.connectionsPerMember = 60
        let server = try TestShard(limits)
        let writer = try server.live(server.stranger)
        let clients = try (0..<50).map { number in
            let client = try server.signedIn(server.parent)
            client.join(server.parent.family, UInt64(number))
            return client
        }
        writer.mutate(1)
        try writer.skip(to: "ack 1")
        for client in clients {
            try client.skip(to: "snapshot")
            try client.skip(to: "snapshot_end")
            try client.skip(to: "live")
        }
    }

    @Test("connections of one member: one at the limit joins, one above it gets 4004")
    func connectionsPerMember() throws {
        var limits = Limits()
        limits.connectionsPerMember = 3
        let server = try TestShard(limits)
        let joined = try (1...3).map { try server.live(server.parent, client: UInt64($0)) }
        let client = try server.signedIn(server.parent)
        client.join(server.parent.family)
        #expect(try client.rest() == ["close 4004", "end"])
        #expect(joined.allSatisfy { !$0.hasEnded })
    }

    @Test("a client leaves during a commit or a read: the change stays and is sent once, and nothing else happens")
    func goesMeanwhile() throws {
        let server = try TestShard()
        let other = try server.live(server.athlete)
        for round in 1...20 {
            let client = try server.live(server.parent, client: UInt64(100 + round))
            client.mutate(round, text: "round \(round)")
            client.say("{\"type\":\"list\",\"request\":1,\"kind\":\"message\",\"limit\":200}")
            try server.until("the mutation is read") { try client.receive(); return !server.shard.table.all.isEmpty }
            server.turn()
            client.leave()
            let late = try server.signedIn(server.parent)
            late.join(server.parent.family)
            late.leave()
            try server.until("both have gone") { server.shard.table.all.count == 1 }
        }
        other.mutate(1)
        try other.skip(to: "ack 1")
    }
}

@Suite("Time, limits.json", .serialized)
struct TimeTests {
    @Test("sign-in: the connection is closed with 4003 at 10 s, and not earlier")
    func signIn() throws {
        let server = try TestShard()
        let client = try server.open()
        server.pass(milliseconds: Int64(server.limits.signInTime) - 500)
        #expect(try client.soFar() == [])
        server.pass(milliseconds: 500)
        #expect(try client.rest() == ["close 4003", "end"])
        #expect(server.lines.count("event=closing", "code=4003") == 1)
    }

    @Test("silence: after 25 s a ping, 10 s later 4002; a client that answers stays")
    func silence() throws {
        let server = try TestShard()
        let client = try server.live(server.parent)
        server.pass(milliseconds: Int64(server.limits.pingInterval) - 500)
        #expect(try client.soFar() == [])
        server.pass(milliseconds: 500)
        #expect(try client.next() == "ping")
        server.pass(milliseconds: Int64(server.limits.pongTime) - 500)
        client.send(.pong, [])
        server.turn()
        server.pass(milliseconds: 500)
        #expect(server.lines.count("code=4002") == 0)
        server.pass(milliseconds: Int64(server.limits.pingInterval))
        server.pass(milliseconds: Int64(server.limits.pongTime))
        #expect(try client.rest().suffix(3) == ["ping", "close 4002", "end"])
        #expect(server.lines.count("event=closing", "code=4002") == 1)
    }

    @Test("a peer that does not answer the close frame is cut two seconds after it")
    func closing() throws {
        let server = try TestShard()
        let client = try server.open()
        client.answersClose = false
        client.say("x")
        #expect(try client.next() == "error bad_frame")
        #expect(try client.next() == "close 4502")
        server.pass(milliseconds: Connection.closingTime)
        #expect(try client.next() == "end")
        #expect(server.shard.table.all.isEmpty)
    }
}

@Suite("The end: SIGTERM, and storage that fails", .serialized)
struct EndTests {
    @Test("a drain answers accepted requests, closes all with 4000, and ends with the last of them")
    func drain() throws {
        let server = try TestShard()
        let one = try server.live(server.parent)
        let two = try server.live(server.athlete)
        let quiet = try server.open()
        let halfway = try server.connect()
        halfway.send(text: "GET /ws")
        one.isReading = false
        for number in 1...50 { one.mutate(number) }
        server.turn()
        server.shard.drain.start()
        one.isReading = true
        let words = try one.rest()
        #expect(words.filter { $0.hasPrefix("ack") } == (1...50).map { "ack \($0)" })
        #expect(words.suffix(3) == ["drain", "close 4000", "end"])
        #expect(try two.rest().filter { $0.hasPrefix("change") }.count == 50)
        #expect(try quiet.rest() == ["drain", "close 4000", "end"])
        #expect(try halfway.rest() == ["end"])
        for client in [one, two, quiet] { client.leave() }
        try server.until("all have gone") { server.shard.table.all.isEmpty }
    }

    @Test("a mutation that comes during the drain is kept by its client, and a new client is asked to come back")
    func late() throws {
        let server = try TestShard()
        let client = try server.live(server.parent)
        server.shard.drain.start()
        client.mutate(1)
        let visitor = try server.connect()
        visitor.send(text: TestClient.request)
        #expect(try visitor.status() == 503)
        #expect(try client.rest().filter { $0.hasPrefix("ack") } == [])
    }

    @Test("clients that do not answer the close frame do not delay the end")
    func deaf() throws {
        let server = try TestShard()
        let client = try server.live(server.parent)
        client.answersClose = false
        server.shard.drain.start()
        try client.skip(to: "close 4000")
        #expect(server.shard.table.all.count == 1)
        server.pass(milliseconds: Connection.closingTime)
        #expect(server.shard.table.all.isEmpty)
    }

    @Test("a failed sync or write: no mutation is acked, everyone gets 1011, and the reason is kept for the exit",
        arguments: [10 | 4 << 8, 10 | 3 << 8])
    func storageFails(code: Int32) throws {
        let disk = "server-\(code)"
        #expect(faultvfs_register(disk) == 0)
        do {
            let server = try TestShard(vfs: disk)
            let one = try server.live(server.parent)
            let two = try server.live(server.athlete)
            faultvfs_fail_at(disk, 1, code, -1)
            one.mutate(1)
            #expect(try one.rest().suffix(2) == ["close 1011", "end"])
            let heard = try two.rest()
            #expect(heard.suffix(2) == ["close 1011", "end"])
            #expect(!heard.contains { $0.hasPrefix("change") })
            #expect(server.shard.drain.failure != nil)
            #expect(server.lines.count("level=error", "event=storage_failed") == 1)
        }
        #expect(faultvfs_remove(disk) == 0)
    }

    @Test("a full disk ends no connection: changes are refused with storage_full, and done once there is room")
    func diskFull() throws {
        let disk = "server-full"
        #expect(faultvfs_register(disk) == 0)
        do {
            let server = try TestShard(vfs: disk)
            let client = try server.live(server.parent)
            faultvfs_fail_at(disk, 1, 13, -1)
            client.mutate(1)
            #expect(try client.skip(to: "reject") == "reject 1 storage_full")
            client.say("{\"type\":\"list\",\"request\":1,\"kind\":\"message\",\"limit\":1}")
            #expect(try client.next() == "page")
            faultvfs_fail_at(disk, 0, 13, 0)
            client.mutate(1)
            try client.skip(to: "ack 1")
        }
        #expect(faultvfs_remove(disk) == 0)
    }

    @Test("a read that fails closes that session with 1011 and leaves one line; sessions that need no such read continue")
    func readFails() throws {
        let server = try TestShard()
        let live = try server.live(server.parent)
        let client = try server.signedIn(server.athlete)
        let database = try Database(path: server.folder.path + "/huddle.db", mode: .readWrite)
        try database.execute("ALTER TABLE memberships RENAME TO elsewhere")
        client.join(server.parent.family)
        #expect(try client.rest() == ["close 1011", "end"])
        #expect(server.lines.count("level=error", "event=read_failed") == 1)
        live.say("{\"type\":\"list\",\"request\":1,\"kind\":\"message\",\"limit\":1}")
        try live.skip(to: "page")
    }
}

import Family
import HTTP1
import Posix
import TLS
import TestCertificates
import Store
import TestSupport
import Testing
import WebSocket

@testable import Server

@Suite("Octets that drip, limits.json message_time", .serialized)
struct SlowSenderTests {
    /// A masked text frame of the given octets, cut after some of them.
    private func begin(_ client: TestClient, length: Int, sent: Int) {
        client.send([0x81, 0xFE, UInt8(length >> 8), UInt8(length & 0xFF), 0, 0, 0, 0] + [UInt8](repeating: UInt8(ascii: " "), count: sent))
    }

    @Test("a message that makes no progress is closed with 4005, at its time and not before it")
    func drip() throws {
        let server = try TestShard()
        let client = try server.signedIn(server.parent)
        begin(client, length: 1_000, sent: 0)
        try server.until("the head has come") { try client.receive(); return !server.shard.table.all.isEmpty }
        for _ in 0..<9 {
            server.pass(milliseconds: Int64(server.limits.messageTime) / 10)
            client.send([UInt8(ascii: " ")])
        }
        #expect(try client.soFar() == [])
        server.pass(milliseconds: Int64(server.limits.messageTime) / 10 + 1_000)
        #expect(try client.rest() == ["close 4005", "end"])
    }

    @Test("the head of a frame alone, and a fragment without its last one, are messages too", arguments: [[0x81], [0x01, 0x81, 0, 0, 0, 0, 0x61]])
    func parts(octets: [UInt8]) throws {
        let server = try TestShard()
        let client = try server.signedIn(server.parent)
        client.send(octets)
        for _ in 0..<3 { server.turn() }
        server.pass(milliseconds: Int64(server.limits.messageTime) + 1_000)
        #expect(try client.rest() == ["close 4005", "end"])
    }

    @Test("a slow link that makes progress is waited for")
    func slowLink() throws {
        let server = try TestShard()
        let client = try server.signedIn(server.parent)
        begin(client, length: 40_000, sent: 0)
        // Two kilobytes a second, for twice the time.
        for _ in 0..<19 {
            client.send([UInt8](repeating: UInt8(ascii: " "), count: 2_048))
            for _ in 0..<2 { server.turn() }
            server.pass(milliseconds: 1_000)
        }
        #expect(server.lines.count("code=4005") == 0)
        client.send([UInt8](repeating: UInt8(ascii: " "), count: 40_000 - 19 * 2_048))
        // Forty thousand blanks are no frame of ours, but they are a whole message.
        #expect(try client.next() == "error bad_frame")
    }

    @Test("a request head that drips is answered with 408 after 10 s in whole")
    func head() throws {
        let server = try TestShard()
        let client = try server.connect()
        for octet in TestClient.request.utf8.prefix(9) {
            client.send([octet])
            server.turn()
            server.pass(milliseconds: Connection.requestTime / 10)
        }
        #expect(try client.soFar() == [])
        server.pass(milliseconds: Connection.requestTime / 10 + 500)
        #expect(try client.status() == 408)
    }
}

@Suite("Connections of one address, limits.json connections_per_address", .serialized)
struct AddressLimitTests {
    private static func server(_ limit: Int) throws -> TestShard {
        var limits = Limits()
        limits.connectionsPerAddress = limit
        return try TestShard(limits)
    }

    @Test("one at the limit is accepted, one above it gets 429 with Retry-After, and when one leaves another is accepted",
        arguments: [("192.0.2.7", "192.0.2.7", "192.0.2.8"), ("2001:db8:1:2::7", "2001:db8:1:2:ffff::9", "2001:db8:1:3::7")])
    func limit(first: String, same: String, other: String) throws {
        let server = try Self.server(2)
        let one = try server.connect(from: first)
        let two = try server.connect(from: same)
        for client in [one, two] { try client.upgrade() }
        let third = try server.connect(from: same)
        #expect(try third.status() == 429)
        #expect(String(decoding: third.octets, as: UTF8.self).lowercased().contains("retry-after: 5"))
        let neighbour = try server.connect(from: other)
        try neighbour.upgrade()
        one.leave()
        try server.until("it has gone") { server.shard.table.all.count == 2 }
        try server.connect(from: same).upgrade()
        withExtendedLifetime([two, neighbour]) {}
    }

    @Test("a refusal at the limit has a date, also through TLS; above the number of refusals in progress, the connection is cut")
    func words() throws {
        var limits = Limits()
        limits.connections = 1
        let server = try TestShard(limits)
        let first = try server.open()
        let plain = try server.connect()
        #expect(try plain.status() == 503)
        let head = try #require(try ResponseHead.parse(plain.octets.span)).head
        #expect(head.fields.only("date").flatMap { HTTPDate.seconds($0, now: Clock.wallMilliseconds() / 1_000) } != nil && head.fields.only("retry-after") == "5")

        // OpenSSL writes into sockets whose other end may have gone.
        Signals.ignoreBrokenPipes()
        let (certificate, key) = (server.folder.path + "/cert.pem", server.folder.path + "/key.pem")
        try Files.write(Array(PEM.localhost.utf8), to: certificate)
        try Files.write(Array(PEM.localhostKey.utf8), to: key)
        var pair = try Socket.Pair()
        server.shard.acceptor.accept(try Transport(pair.takeSecond(), server: TLSServerContext(certificateFile: certificate, keyFile: key)))
        var secure = try Transport(pair.takeFirst(), client: TLSClientContext(authorities: certificate), host: "localhost")
        var heard: [UInt8] = []
        let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 16)
        defer { space.deallocate() }
        try server.until("the end") {
            switch try secure.receive(into: space) {
            case .wouldBlock: return false
            case .endOfStream: return true
            case .done(let count):
                heard += space[..<count]
                return false
            }
        }
        #expect(String(decoding: heard, as: UTF8.self).hasPrefix("HTTP/1.1 503 ") && heard.count > 100)

        var crowd = try (0..<ConnectionTable.maxRefused + 8).map { _ in try server.connect() }
        let last = Array(crowd.suffix(8))
        try server.until("the last ones are cut") {
            for one in last { try one.receive() }
            return last.allSatisfy { $0.hasEnded }
        }
        #expect(last.allSatisfy { $0.octets.isEmpty })
        crowd.removeAll()
        #expect(!first.hasEnded)
    }

    @Test("this machine's own connections are not counted", arguments: ["127.0.0.1", "127.8.0.1", "::1", "::ffff:127.0.0.1"])
    func loopback(address: String) throws {
        let server = try Self.server(1)
        let clients = try (0..<3).map { _ in try server.connect(from: address) }
        for client in clients { try client.upgrade() }
    }

    @Test("a connection whose address a proxy reports moves to that address, if it has room")
    func moves() throws {
        let server = try Self.server(1)
        let (direct, proxied) = (try server.connect(from: "192.0.2.7"), try server.connect(from: "127.0.0.1"))
        for client in [direct, proxied] { try client.upgrade() }
        let connection = try #require(server.shard.table.all.last)
        #expect(server.shard.table.move(connection, to: NetworkAddress("192.0.2.7")) == false)
        #expect(server.shard.table.move(connection, to: NetworkAddress("192.0.2.8")) == true)
        #expect(try server.connect(from: "192.0.2.8").status() == 429)
        withExtendedLifetime([direct, proxied]) {}
    }
}

@Suite("A flood of one member's frames")
struct FrameBudgetTests {
    @Test("one tick takes a bounded portion of a connection; the rest follows, and others are served in between")
    func portions() throws {
        let server = try TestShard()
        let flood = try server.live(server.parent)
        let other = try server.live(server.stranger)
        // Fills several portions before the server turns.
        for _ in 0..<8_000 { flood.send(.ping, [1, 2, 3]) }
        other.send(.ping, [])
        server.turn()
        server.turn()
        #expect(try other.soFar() == ["pong"])
        var pongs = try flood.soFar().count
        #expect(pongs <= 2 * Connection.octetsPerTick / 9)
        try server.until("all are answered") {
            pongs += try flood.soFar().count
            return pongs == 8_000
        }
    }

    @Test("one tick takes a limited number of messages of a connection, however small; none is lost or overtaken")
    func messages() throws {
        let server = try TestShard()
        let flood = try server.open()
        flood.say("{\"type\":\"sign_in\",\"token\":\"\(server.parent.token)\"}")
        #expect(try flood.next() == "welcome")
        let other = try server.live(server.stranger)
        // Refused without the writer, because nobody has joined.
        for number in 1...400 { flood.say("{\"type\":\"mutate\",\"mutation\":\(number),\"operations\":[{\"op\":\"none\"}]}") }
        other.send(.ping, [])
        var heard: [String] = []
        for turn in 1...20 {
            server.turn()
            heard += try flood.soFar().filter { $0.hasPrefix("reject") }
            #expect(heard.count <= turn * Connection.messagesPerTick)
            if turn == 2 { #expect(try other.soFar() == ["pong"]) }
        }
        #expect(heard.count == 400)
        #expect(zip(heard, 1...400).allSatisfy { $0.hasPrefix("reject \($1) ") }, "\(heard.prefix(3))")
    }

    @Test("octets that TLS holds back of a portion have their turn although the socket is silent")
    func pending() throws {
        Signals.ignoreBrokenPipes()
        let server = try TestShard()
        let (certificate, key) = (server.folder.path + "/cert.pem", server.folder.path + "/key.pem")
        try Files.write(Array(PEM.localhost.utf8), to: certificate)
        try Files.write(Array(PEM.localhostKey.utf8), to: key)
        var pair = try Socket.Pair()
        server.shard.acceptor.accept(try Transport(pair.takeSecond(), server: TLSServerContext(certificateFile: certificate, keyFile: key)))
        var client = try Transport(pair.takeFirst(), client: TLSClientContext(authorities: certificate), host: "localhost")
        try server.until("the handshake") { try client.handshake() == .done(0) }
        var heard = 0
        func receive() throws {
            let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
            defer { space.deallocate() }
            while case .done(let count) = try client.receive(into: space) { heard += count }
        }
        func send(_ octets: [UInt8]) throws {
            let sent = try octets.withUnsafeBytes { try client.send($0) }
            #expect(sent == .done(octets.count))
        }
        try send(Array(TestClient.request.utf8))
        try server.until("the upgrade") { try receive(); return heard > 0 && server.shard.table.all.first?.isUpgraded == true }
        // Pings in two records, the second of which ends behind the portion of a tick: its rest is in OpenSSL then.
        let ping: [UInt8] = [0x89, 0xFD, 0, 0, 0, 0] + [UInt8](repeating: 1, count: 125)
        let portion = Array([[UInt8]](repeating: ping, count: 76).joined())
        #expect(portion.count * 2 > Connection.octetsPerTick && portion.count < Connection.octetsPerTick)
        for round in 1...3 {
            heard = 0
            for _ in 0..<2 { try send(portion) }
            try server.until("all pongs of round \(round)") { try receive(); return heard >= 152 * 127 }
            #expect(heard == 152 * 127)
        }
    }

    @Test("inflated octets per tick are bounded in sum; every connection has its turn")
    func inflation() throws {
        let server = try TestShard()
        let floods = try (1...6).map { try server.live(server.parent, client: $0, offering: "permessage-deflate") }
        let other = try server.live(server.stranger, offering: "permessage-deflate")
        // As long as a message may be: 256 KiB of blanks, a thousandth of it on the wire.
        let blanks = [UInt8](repeating: UInt8(ascii: " "), count: server.limits.messageOctets)
        for flood in floods {
            flood.isCompressing = true
            flood.answersClose = false
            for _ in 0..<8 { flood.send(.text, blanks) }
        }
        other.isCompressing = true
        other.say("{\"type\":\"context\",\"context\":\"all\"\(String(repeating: " ", count: 999))}")
        var most = 0
        var turns = 0
        try server.until("the other has its answer") {
            turns += 1
            most = max(most, server.shard.queues.messages.inflated)
            return try other.soFar().contains("context")
        }
        // Four of the 48 in a tick; they are read away although the first of each was refused.
        #expect(turns <= 48 / 4 + 4, "\(turns)")
        #expect(most > 0 && most < TickQueues.inflatedPerTick + server.limits.messageOctets + 2_048, "\(most)")
        for flood in floods { #expect(try flood.rest().contains("close 4502")) }
    }
}

@Suite("A log that nobody reads")
struct LogThreadTests {
    @Test("a full pipe blocks no thread; dropped lines are counted once the pipe is read again")
    func blocked() throws {
        // As in the server, whichever test runs first: the reader of the pipe goes before its writer.
        Signals.ignoreBrokenPipes()
        var pipe = try Pipe()
        let reading = pipe.takeReading()
        let writing = pipe.takeWriting()
        let thread = LogThread(writing.raw)
        let line = String(repeating: "x", count: 999) + "\n"
        let start = Clock.monotonicMilliseconds()
        for _ in 0..<LogThread.maxWaiting * 3 { thread.write(line) }
        // Twelve million octets into a pipe of 65,536: waiting would be for ever.
        #expect(Clock.monotonicMilliseconds() - start < 10_000)
        let reader = LineReader(reading)
        var whole = 0
        while let next = try reader.line(10_000) {
            if next.contains("event=lines_dropped") {
                #expect(next.contains("count="))
                break
            }
            #expect(next.count == 999)
            whole += 1
            // The count follows what waited, with the next line that there is room for.
            if whole == LogThread.maxWaiting { thread.write(line) }
        }
        #expect(whole >= LogThread.maxWaiting && whole < LogThread.maxWaiting * 3)
        thread.finish()
        // Its descriptor is for the life of the process: the thread may still be at its last line.
        _ = writing.take()
    }
}

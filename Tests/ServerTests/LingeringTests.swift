import Family
import HTTP1
import Posix
import TLS
import TestCertificates
import TestSupport
import Testing
import WebSocket

@testable import Server

/// A client on TCP, plain or through TLS, that sends for as long as the server takes it.
private final class Flooder {
    private let server: TestShard
    private var transport: Transport
    /// Octets that the kernel took.
    private(set) var sent = 0
    private(set) var heard: [UInt8] = []
    /// The server has ended the stream in good order.
    private(set) var hasEnded = false
    private let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    init(_ server: TestShard, isSecure: Bool) throws {
        self.server = server
        let listener = try Socket.listenTCP(host: "127.0.0.1", port: 0)
        let socket = try Socket.startConnecting(to: try SocketAddress.local(of: listener.raw))
        _ = try Poll.wait(listener.raw, .readable, timeoutMilliseconds: 10_000)
        guard let accepted = try Socket.accept(on: listener.raw) else { throw Unexpected("nobody came") }
        guard isSecure else {
            transport = Transport(socket)
            server.shard.acceptor.accept(Transport(accepted), peer: nil)
            return
        }
        let (certificate, key) = (server.folder.path + "/cert.pem", server.folder.path + "/key.pem")
        try Files.write(Array(PEM.localhost.utf8), to: certificate)
        try Files.write(Array(PEM.localhostKey.utf8), to: key)
        server.shard.acceptor.accept(try Transport(accepted, server: TLSServerContext(certificateFile: certificate, keyFile: key)), peer: nil)
        transport = try Transport(socket, client: TLSClientContext(authorities: certificate), host: "localhost")
        try server.until("the handshake") {
            if case .done = try transport.handshake() { return true }
            return false
        }
    }

    deinit { space.deallocate() }

    /// Sends some of the octets.
    ///
    /// - Returns: how many; 0 when the kernel has no room.
    @discardableResult
    func send(_ octets: [UInt8]) throws -> Int {
        guard case .done(let count) = try octets.withUnsafeBytes({ all throws(TransportError) in try transport.send(all) }) else { return 0 }
        sent += count
        return count
    }

    func receive() throws {
        while !hasEnded {
            switch try transport.receive(into: space) {
            case .wouldBlock: return
            case .endOfStream: hasEnded = true
            case .done(let count): heard += space[..<count]
            }
        }
    }

    /// Of the response, when its head has come.
    func status() throws -> Int? {
        let all = heard
        return try ResponseHead.parse(all.span)?.0.status
    }
}

@Suite("Input after the last word of a connection, protocol.md (HTTP on the same port)", .serialized)
struct LingeringTests {
    /// Is refused with 431.
    private static let longHead = Array("GET /ws HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 17_000))\r\n\r\n".utf8)
    /// Is refused with 505, in one segment.
    private static let shortHead = "GET /ws HTTP/9.9\r\nHost: a\r\n\r\n"
    private static let limit = Int(Connection.maxDiscarded)

    private func connection(_ server: TestShard) throws -> Connection { try #require(server.shard.table.all.first as? Connection) }

    @Test("the server receives up to 1 MiB from a refused client that continues to send; the client reads the whole refusal, and is cut off after 2 s", arguments: [false, true])
    func flood(isSecure: Bool) throws {
        Signals.ignoreBrokenPipes()
        let server = try TestShard()
        let client = try Flooder(server, isSecure: isSecure)
        var head = Self.longHead[...]
        try server.until("the head is sent") {
            head = head.dropFirst(try client.send(Array(head)))
            return head.isEmpty
        }
        let piece = [UInt8](repeating: 65, count: 65_536)
        // More than the kernel's buffers of both ends hold.
        let most = 64 << 20
        try server.until("the server takes nothing more") {
            while try client.sent < most && client.send(piece) > 0 {}
            let discarded = try connection(server).discarded
            return client.sent >= most || discarded == Connection.maxDiscarded
        }
        #expect(client.sent < most)
        for _ in 0..<20 {
            _ = try client.send(piece)
            server.turn()
        }
        #expect(try connection(server).discarded == Connection.maxDiscarded)
        try server.until("the refusal and the end") { try client.receive(); return client.hasEnded }
        #expect(try client.status() == 431)
        #expect(String(decoding: client.heard, as: UTF8.self).contains("\"code\":\"fields_too_large\""))
        server.pass(milliseconds: Connection.closingTime)
        #expect(server.shard.table.all.isEmpty)
    }

    @Test("exactly 1 MiB is received, one octet more is not; a client that leaves is removed before the 2 s are over", arguments: [-1, 0, 1])
    func octets(beyond: Int) throws {
        let server = try TestShard()
        let client = try server.connect()
        client.send(text: Self.shortHead)
        #expect(try client.status() == 505)
        client.send([UInt8](repeating: 65, count: Self.limit + beyond))
        let expected = UInt32(Self.limit + min(beyond, 0))
        try server.until("the octets are received") {
            try client.receive()
            client.send([])
            return try connection(server).discarded == expected
        }
        for _ in 0..<10 { server.turn() }
        #expect(try connection(server).discarded == expected)
        client.leave()
        try server.until("the connection is forgotten") { server.shard.table.all.isEmpty }
    }

    @Test("the server receives from a dripping client for 2 s and no longer", arguments: [false, true])
    func drip(isSecure: Bool) throws {
        Signals.ignoreBrokenPipes()
        let server = try TestShard()
        let client = try Flooder(server, isSecure: isSecure)
        try client.send(Array(Self.shortHead.utf8))
        try server.until("the refusal and the end") { try client.receive(); return client.hasEnded }
        #expect(try client.status() == 505)
        server.pass(milliseconds: Connection.closingTime / 2)
        let before = try connection(server).discarded
        try client.send([65])
        try server.until("the octet is received") { try connection(server).discarded > before }
        server.pass(milliseconds: Connection.closingTime / 2)
        #expect(server.shard.table.all.isEmpty)
    }

    @Test("the 2 s begin with the last octet sent: a late close frame does not restart them")
    func closeFrame() throws {
        let server = try TestShard()
        let client = try server.signedIn(server.parent)
        client.answersClose = false
        client.say("{")
        #expect(try client.next() == "error bad_frame")
        #expect(try client.next() == "close 4502")
        server.pass(milliseconds: Connection.closingTime / 2)
        #expect(server.shard.table.all.count == 1)
        client.send(.close, [])
        #expect(try client.rest() == ["end"])
        #expect(server.shard.table.all.count == 1)
        server.pass(milliseconds: Connection.closingTime / 2)
        #expect(server.shard.table.all.isEmpty)
    }

    @Test("frames behind the close frame of the server count for the same 1 MiB")
    func frames() throws {
        let server = try TestShard()
        let client = try server.signedIn(server.parent)
        client.answersClose = false
        client.say("{")
        try client.skip(to: "close 4502")
        for _ in 0..<40 { client.say(String(repeating: " ", count: 65_000)) }
        try server.until("the server takes nothing more") {
            client.send([])
            return try connection(server).discarded == Connection.maxDiscarded
        }
        for _ in 0..<10 { server.turn() }
        #expect(try connection(server).discarded == Connection.maxDiscarded)
        server.pass(milliseconds: Connection.closingTime)
        #expect(server.shard.table.all.isEmpty)
        #expect(server.shard.drain.failure == nil)
    }
}

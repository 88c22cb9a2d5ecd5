import Posix
import Testing

@testable import TLS

/// Both ends of one connection in this thread, over a socket pair.
struct Ends: ~Copyable {
    var server: Transport
    var client: Transport

    static func plain() throws -> Ends {
        var pair = try Socket.Pair()
        return Ends(server: Transport(pair.takeFirst()), client: Transport(pair.takeSecond()))
    }

    static func secure(_ files: Certificate, host: String = "localhost", authorities: String? = nil) throws -> Ends {
        var pair = try Socket.Pair()
        let server = try TLSServerContext(certificateFile: files.certificate, keyFile: files.key)
        let client = try TLSClientContext(authorities: authorities ?? files.certificate)
        return Ends(
            server: try Transport(pair.takeFirst(), server: server),
            client: try Transport(pair.takeSecond(), client: client, host: host))
    }

    init(server: consuming Transport, client: consuming Transport) {
        self.server = server
        self.client = client
    }

    /// Lets both sides proceed alternately until the handshake is complete.
    mutating func shakeHands() throws {
        for _ in 0..<20 {
            _ = try client.handshake()
            _ = try server.handshake()
            if client.isEstablished, server.isEstablished { return }
        }
        Issue.record("the handshake does not end")
    }

    /// Sends `octets` from the client and returns the server's received octets, read through a buffer of `room` octets.
    mutating func carry(_ octets: [UInt8], room: Int) throws -> [UInt8] {
        var received: [UInt8] = []
        var sent = 0
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 16)
        defer { buffer.deallocate() }
        var idle = 0
        while received.count < octets.count, idle < 100 {
            idle += 1
            // The rest moves to another address each time, as an outbox's octets may.
            let rest = Array(octets[sent...])
            if !rest.isEmpty, case .done(let count) = try rest.withUnsafeBytes({ try client.send($0) }) {
                sent += count
                idle = 0
            }
            repeat {
                guard case .done(let count) = try server.receive(into: buffer) else { break }
                received += buffer[..<count]
                idle = 0
            } while server.hasMore
        }
        return received
    }
}

@Suite("Octets of a connection, plain and through TLS")
struct TransportTests {
    @Test("A megabyte arrives as it was sent, through small and large buffers", arguments: [false, true], [1000, 65_536])
    func carries(isSecure: Bool, room: Int) throws {
        let files = try Certificate()
        var ends = try isSecure ? Ends.secure(files) : Ends.plain()
        let octets = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) }
        let received = try ends.carry(octets, room: room)
        #expect(received == octets)
        #expect(ends.server.isSecure == isSecure)
        #expect(ends.server.isEstablished == true)
        #expect(ends.server.version == (isSecure ? "TLSv1.3" : nil))
    }

    @Test("Octets that do not fit the buffer are reported, because epoll cannot see them")
    func hasMore() throws {
        let files = try Certificate()
        var ends = try Ends.secure(files)
        try ends.shakeHands()
        let sent = try [UInt8](repeating: 7, count: 3000).withUnsafeBytes { try ends.client.send($0) }
        #expect(sent == .done(3000))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2000, alignment: 16)
        defer { buffer.deallocate() }
        #expect(try ends.server.receive(into: buffer) == .done(2000))
        #expect(ends.server.hasMore == true)
        #expect(try ends.server.receive(into: buffer) == .done(1000))
        #expect(ends.server.hasMore == false)
        #expect(try ends.server.receive(into: buffer) == .wouldBlock)
    }

    @Test("Before the handshake the connection is not established, and would-block is not an error")
    func beforeHandshake() throws {
        let files = try Certificate()
        var ends = try Ends.secure(files)
        #expect(ends.server.isEstablished == false)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 16)
        defer { buffer.deallocate() }
        #expect(try ends.server.receive(into: buffer) == .wouldBlock)
        let sent = try [UInt8](repeating: 1, count: 5).withUnsafeBytes { try ends.server.send($0) }
        #expect(sent == .wouldBlock)
        #expect(ends.server.sendWaitsForReadable == true)
        try ends.shakeHands()
        #expect(try ends.carry([1, 2, 3], room: 10) == [1, 2, 3])
    }

    @Test("An orderly end and a cut both end the stream", arguments: [false, true], [false, true])
    func ends(isSecure: Bool, isOrderly: Bool) throws {
        let files = try Certificate()
        var ends = try isSecure ? Ends.secure(files) : Ends.plain()
        try ends.shakeHands()
        #expect(try ends.carry([1], room: 10) == [1])
        let octets: [UInt8] = [2, 3]
        #expect(try octets.withUnsafeBytes { try ends.client.send($0) } == .done(2))
        if isOrderly { ends.client.finishSending() } else { try Socket.finishSending(ends.client.raw) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 16)
        defer { buffer.deallocate() }
        // Octets before the end are delivered first.
        #expect(try ends.server.receive(into: buffer) == .done(2))
        #expect(try ends.server.receive(into: buffer) == .endOfStream)
        #expect(try ends.server.receive(into: buffer) == .endOfStream)
    }

    @Test("Octets that are not TLS end the connection with an error")
    func noTLS() throws {
        let files = try Certificate()
        var pair = try Socket.Pair()
        let context = try TLSServerContext(certificateFile: files.certificate, keyFile: files.key)
        var server = try Transport(pair.takeFirst(), server: context)
        let peer = pair.takeSecond()
        try Socket.sendAll(peer.raw, Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 16)
        defer { buffer.deallocate() }
        var error: TransportError?
        do throws(TransportError) { _ = try server.receive(into: buffer) } catch let caught { error = caught }
        guard case .tls(let problem) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problem.reason == "http request")
        server.finishSending()
        withExtendedLifetime(peer) {}
    }

    @Test("A client refuses an untrusted server, or one with another host name", arguments: [
        ("localhost", false), ("other.example", true), ("127.0.0.2", true),
    ])
    func distrust(host: String, isTrusted: Bool) throws {
        let files = try Certificate()
        var ends = try Ends.secure(files, host: host, authorities: isTrusted ? files.certificate : "/etc/ssl/certs/ca-certificates.crt")
        _ = try ends.client.handshake()
        _ = try ends.server.handshake()
        var error: TransportError?
        do throws(TransportError) { _ = try ends.client.handshake() } catch let caught { error = caught }
        #expect(error == .tls(TLSError("TLS handshake", code: 0x0A00_0086)), "\(String(describing: error))")
    }

    @Test("A client accepts an address as a host")
    func address() throws {
        let files = try Certificate()
        var ends = try Ends.secure(files, host: "127.0.0.1")
        try ends.shakeHands()
        #expect(try ends.carry([9], room: 10) == [9])
    }
}

@Suite("TLS contexts")
struct TLSContextTests {
    @Test("The error says what is wrong with certificate and key")
    func refused() throws {
        let files = try Certificate()
        func what(_ certificate: String, _ key: String) -> String? {
            do throws(TLSError) { _ = try TLSServerContext(certificateFile: certificate, keyFile: key) } catch { return error.what }
            return nil
        }
        #expect(what(files.certificate, files.key) == nil)
        #expect(what("/nowhere/certificate.pem", files.key) == "reading the certificate")
        #expect(what(files.key, files.key) == "reading the certificate")
        #expect(what(files.certificate, "/nowhere/key.pem") == "reading the key")
        // OpenSSL compares the two already when it reads the key.
        #expect(what(files.certificate, files.otherKey) == "reading the key")
    }

    @Test("The error's text contains no path")
    func noPath() throws {
        let error = #expect(throws: TLSError.self) { try TLSServerContext(certificateFile: "/nowhere/c.pem", keyFile: "/nowhere/k.pem") }
        #expect(error?.description == "reading the certificate: No such file or directory")
    }
}

import COpenSSL
import Posix
import Testing

@testable import TLS

extension Ends {
    /// A server with the test's own contexts.
    static func between(_ server: TLSServerContext, _ client: TLSClientContext, host: String) throws -> Ends {
        var pair = try Socket.Pair()
        return Ends(
            server: try Transport(pair.takeFirst(), server: server), client: try Transport(pair.takeSecond(), client: client, host: host))
    }

    /// The error that ended the handshake, at each side.
    mutating func fail() throws -> (client: TransportError?, server: TransportError?) {
        var errors: (client: TransportError?, server: TransportError?)
        for _ in 0..<20 where errors.client == nil || errors.server == nil {
            do throws(TransportError) { _ = try client.handshake() } catch { errors.client = errors.client ?? error }
            do throws(TransportError) { _ = try server.handshake() } catch { errors.server = errors.server ?? error }
        }
        return errors
    }
}

@Suite("Several certificates, RFC 6066 §3, RFC 6125 §6.4")
struct ServerNameTests {
    @Test(
        "Each name gets its certificate, exact or by a wildcard of one label",
        arguments: ["localhost", "127.0.0.1", "club.example", "CLUB.example", "families.example", "rivera.families.example"])
    func named(host: String) throws {
        let files = try Certificate()
        let server = try TLSServerContext([files.local, files.club, files.families], tickets: TLSTicketKeys())
        var ends = try Ends.between(server, try TLSClientContext(authorities: files.authority), host: host)
        try ends.shakeHands()
        #expect(try ends.carry([1, 2], room: 10) == [1, 2])
    }

    @Test("A client that asks for another name gets the first certificate, and refuses it", arguments: ["other.example", "a.b.families.example"])
    func unknown(host: String) throws {
        let files = try Certificate()
        let server = try TLSServerContext([files.local, files.club, files.families], tickets: TLSTicketKeys())
        var ends = try Ends.between(server, try TLSClientContext(authorities: files.authority), host: host)
        guard case .tls(let error)? = try ends.fail().client else {
            Issue.record("it was accepted")
            return
        }
        #expect(error.isUntrusted)
        #expect(ends.client.distrust == "hostname mismatch")
    }

    @Test("The error names the unusable pair")
    func broken() throws {
        let files = try Certificate()
        let broken = TLSCertificateFiles(certificate: files.club.certificate, key: files.local.key)
        let problem = #expect(throws: TLSCertificateError.self) { try TLSServerContext([files.local, broken], tickets: TLSTicketKeys()) }
        #expect(problem?.files == broken)
        #expect(problem?.error.isMismatch == true)
    }
}

@Suite("Protocol names, RFC 7301")
struct ProtocolNameTests {
    @Test("A client that offers only other protocols is refused with no_application_protocol")
    func refused() throws {
        let files = try Certificate()
        let client = try TLSClientContext(authorities: files.authority)
        let h2: [UInt8] = [2, UInt8(ascii: "h"), UInt8(ascii: "2")]
        #expect(SSL_CTX_set_alpn_protos(client.context, h2, UInt32(h2.count)) == 0)
        var ends = try Ends.between(try TLSServerContext([files.local], tickets: TLSTicketKeys()), client, host: "localhost")
        let errors = try ends.fail()
        guard case .tls(let told)? = errors.client, case .tls(let own)? = errors.server else {
            Issue.record("\(errors)")
            return
        }
        #expect(told.reason == "tlsv1 alert no application protocol")
        #expect(own.reason == "no application protocol")
    }
}

@Suite("Resumption, RFC 5077 and RFC 8446 §2.2")
struct ResumptionTests {
    /// One connection with an exchange in both directions, after which the client has its ticket.
    private static func visit(_ server: TLSServerContext, _ client: TLSClientContext) throws -> Bool {
        var ends = try Ends.between(server, client, host: "localhost")
        try ends.shakeHands()
        #expect(try ends.carry([1], room: 10) == [1])
        #expect(try [UInt8(2)].withUnsafeBytes { try ends.server.send($0) } == .done(1))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 10, alignment: 16)
        defer { buffer.deallocate() }
        #expect(try ends.client.receive(into: buffer) == .done(1))
        #expect(ends.client.isResumed == ends.server.isResumed)
        return ends.client.isResumed
    }

    @Test("The second connection is shorter, also with a new certificate", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func resumes(version: Int32) throws {
        let files = try Certificate()
        let tickets = TLSTicketKeys()
        let client = try TLSClientContext(authorities: files.authority)
        #expect(copenssl_limit_version(client.context, version) == 1)
        let first = try TLSServerContext([files.club, files.local], tickets: tickets)
        #expect(try Self.visit(first, client) == false)
        #expect(try Self.visit(first, client) == true)
        let second = try TLSServerContext([files.local], tickets: tickets)
        #expect(try Self.visit(second, client) == true)
    }

    @Test("Tickets of the last two rotations are valid, older ones need a full handshake", arguments: [(0, true), (1, true), (2, true), (3, false)])
    func rotation(times: Int, isResumed: Bool) throws {
        let files = try Certificate()
        let tickets = TLSTicketKeys()
        let client = try TLSClientContext(authorities: files.authority)
        let server = try TLSServerContext([files.local], tickets: tickets)
        #expect(try Self.visit(server, client) == false)
        for _ in 0..<times { tickets.rotate() }
        #expect(try Self.visit(server, client) == isResumed)
        #expect(try Self.visit(server, client) == true)
    }

    @Test("Keys of another server open no ticket")
    func stranger() throws {
        let files = try Certificate()
        let client = try TLSClientContext(authorities: files.authority)
        #expect(try Self.visit(try TLSServerContext([files.local], tickets: TLSTicketKeys()), client) == false)
        #expect(try Self.visit(try TLSServerContext([files.local], tickets: TLSTicketKeys()), client) == false)
    }
}

@Suite("Versions, RFC 9325 §3.1")
struct VersionTests {
    @Test("The server supports 1.2 and 1.3", arguments: [(TLS1_2_VERSION, "TLSv1.2"), (TLS1_3_VERSION, "TLSv1.3")])
    func spoken(version: Int32, name: String) throws {
        let files = try Certificate()
        let client = try TLSClientContext(authorities: files.authority)
        #expect(copenssl_limit_version(client.context, version) == 1)
        var ends = try Ends.between(try TLSServerContext([files.local], tickets: TLSTicketKeys()), client, host: "localhost")
        try ends.shakeHands()
        #expect(ends.server.version == name)
    }

    @Test("The server refuses 1.1")
    func old() throws {
        let files = try Certificate()
        let client = try TLSClientContext(authorities: files.authority)
        #expect(copenssl_limit_version(client.context, TLS1_1_VERSION) == 1)
        var ends = try Ends.between(try TLSServerContext([files.local], tickets: TLSTicketKeys()), client, host: "localhost")
        let errors = try ends.fail()
        #expect(errors.client != nil || errors.server != nil)
    }
}

import Posix
import Sessions
import TestCertificates
import TestSupport
import Testing
import Wire

extension SystemTests {
    /// `huddled serve --tls-cert F --tls-key F` with the client of this package at the other end, and with clients of other protocols.
    @Suite("TLS") struct EncryptionTests {
        private let certificates: CertificateFolder
        private let folder: TemporaryFolder
        private let demo: Demo

        init() throws {
            certificates = try CertificateFolder()
            folder = try TemporaryFolder()
            demo = try Demo(in: folder.path)
        }

        private func connects(_ server: RunningServer, trusting authorities: String) throws -> Bool {
            do { try RawClient(try server.secureAddress(trusting: authorities)).leave() } catch is Unexpected { return false }
            return true
        }

        /// Until new connections get the certificate that `authorities` made.
        private func wait(_ server: RunningServer, trusting authorities: String) throws {
            let deadline = Clock.monotonicMilliseconds() + 20_000
            while try !connects(server, trusting: authorities) {
                guard Clock.monotonicMilliseconds() < deadline else { throw Unexpected("the certificate is not replaced") }
            }
        }

        @Test("a new certificate is served after SIGHUP, and when its files change; open connections stay; broken files change nothing")
        func reload() throws {
            let server = try RunningServer(folder.path, options: certificates.options)
            let client = try LiveClient(try server.secureAddress(trusting: certificates.authority), demo.parents[0].token)
            try client.waitUntilLive()
            #expect(try !connects(server, trusting: certificates.selfSigned))

            try certificates.replace(PEM.localhost, PEM.localhostKey)
            server.child.kill(Signals.hangUp)
            try wait(server, trusting: certificates.selfSigned)
            #expect(try !connects(server, trusting: certificates.authority))

            // It gets no signal this time.
            try certificates.replace(PEM.local, PEM.localKey)
            try wait(server, trusting: certificates.authority)

            try certificates.replace(PEM.club, PEM.localKey)
            server.child.kill(Signals.hangUp)
            for _ in 0..<5 { #expect(try connects(server, trusting: certificates.authority)) }

            // Still the connection of the beginning.
            _ = try client.perform(Ask.say("All the while.")).get()
            #expect(client.session.lastFailure == nil)
            try server.stop()
        }

        @Test("huddle connects through TLS, and names the reason for distrust")
        func program() throws {
            let server = try RunningServer(folder.path, options: certificates.options)
            let url = "wss://localhost:\(server.securePort)"
            let huddle = HuddleProgram(server, token: demo.parents[0].token, url: url)
            let said = try huddle.run("say", "Hello", "--tls-ca", certificates.authority)
            #expect(said.ending == .exited(0), "\(said.errors)")
            let distrusted = try huddle.run("say", "Hello", "--timeout", "2")
            #expect(distrusted.ending == .exited(5))
            #expect(distrusted.errors.contains("cannot prove that it is localhost") && distrusted.errors.contains("--tls-ca FILE"), "\(distrusted.errors)")
            let other = HuddleProgram(server, token: demo.parents[0].token, url: "wss://127.0.0.1:\(server.port)")
            #expect(try other.run("say", "Hello", "--timeout", "2").errors.contains("does not speak TLS"))
            try server.stop()
        }

        @Test("loadgen measures through TLS what it measures plainly, and does not connect to a server that it cannot trust")
        func load() throws {
            let data = folder.path + "/load"
            let loadgen = try Programs.path("loadgen")
            #expect(try Programs.run(loadgen, ["seed", "--data", data, "--families", "2", "--members", "3"]).ending == .exited(0))
            let server = try RunningServer(data, options: certificates.options + ["--mutations-per-second", "0"])
            func mutate(trusting authorities: String) throws -> Programs.Answer {
                try Programs.run(loadgen, [
                    "mutate", "--server", "localhost:\(server.securePort)", "--tls-ca", authorities, "--families", "2", "--members", "3", "--window", "8",
                    "--size", "4000", "--warmup", "0", "--duration", "0.3", "--drain", "20",
                ])
            }
            let measured = try mutate(trusting: certificates.authority)
            #expect(measured.ending == .exited(0) && measured.output.contains("each reached all of its family once and in order: yes"), "\(measured)")
            let distrusted = try mutate(trusting: certificates.selfSigned)
            #expect(distrusted.ending == .exited(1) && distrusted.errors.contains("certificate"), "\(distrusted.errors)")
            #expect(try mutate(trusting: folder.path + "/none.pem").ending == .exited(2))
            try server.stop()
        }

        /// Everything that comes, up to the end of the stream; a reset is an error.
        private func exchange(_ port: UInt16, _ octets: [UInt8]) throws -> [UInt8] {
            let socket = try Socket.connectTCP(host: "127.0.0.1", port: port)
            try Socket.setReceiveTimeout(socket.raw, milliseconds: 20_000)
            try Socket.sendAll(socket.raw, octets)
            var answer: [UInt8] = []
            let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 16)
            defer { space.deallocate() }
            while true {
                switch try Socket.receive(socket.raw, into: space) {
                case .done(let count): answer += space[..<count]
                case .endOfStream: return answer
                case .wouldBlock: throw Unexpected("no end after \(answer.count) octets")
                }
            }
        }

        @Test("a client with the wrong protocol for a port gets an error in its own where possible, and the stream ends in order")
        func wrongProtocol() throws {
            let server = try RunningServer(folder.path, options: certificates.options)
            let told = try exchange(server.securePort, Array("GET /ws HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            #expect(String(decoding: told, as: UTF8.self).hasPrefix("HTTP/1.1 400 "))
            // A TLS record with an alert, and nothing behind it.
            let alert = try exchange(server.securePort, Array("\u{16}\u{3}\u{1}\u{0}\u{5}nonsense".utf8))
            #expect(alert.first == 21 && alert.count == 7, "\(alert)")
            // The start of a ClientHello at the port for HTTP.
            let refused = try exchange(server.port, [22, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3] + [UInt8](repeating: 13, count: 80) + [10, 13, 10])
            #expect(String(decoding: refused, as: UTF8.self).hasPrefix("HTTP/1.1 400 "))
            try server.stop()
        }

        @Test("hundreds of handshakes that never continue delay nobody")
        func halfOpen() throws {
            let server = try RunningServer(folder.path, options: certificates.options)
            let client = try LiveClient(try server.secureAddress(trusting: certificates.authority), demo.parents[0].token)
            try client.waitUntilLive()
            var idle: [IdleSocket] = []
            for index in 0..<400 {
                let socket = try IdleSocket(server.securePort)
                // Half of them begin a record and leave it.
                if index % 2 == 0 { try Socket.sendAll(socket.raw, [22, 3, 1, 1, 0, 1]) }
                idle.append(socket)
            }
            _ = try client.perform(Ask.say("Still here.")).get()
            #expect(try connects(server, trusting: certificates.authority))
            withExtendedLifetime(idle) {}
            client.session.leave()
            try server.stop()
        }

        /// A connection that waits.
        private final class IdleSocket {
            private let descriptor: FileDescriptor

            init(_ port: UInt16) throws { descriptor = try Socket.connectTCP(host: "127.0.0.1", port: port) }

            var raw: Int32 { descriptor.raw }
        }
    }
}

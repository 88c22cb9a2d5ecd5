import Bytes
import Family
import Posix
import Sessions
import TestSupport
import Testing
import Wire

extension SystemTests {
    /// Exhausted resources, and their effect on others.
    @Suite("Overload") struct OverloadTests {
        private let folder: TemporaryFolder
        private let demo: Demo

        init() throws {
            folder = try TemporaryFolder()
            demo = try Demo(in: folder.path)
        }

        /// A connection that says nothing.
        private final class Silent {
            private let descriptor: FileDescriptor
            init(_ port: UInt16) throws { descriptor = try Socket.connectTCP(host: "127.0.0.1", port: port) }
        }

        @Test("descriptors run out: open connections continue, and when some leave others are accepted")
        func descriptors() throws {
            // Fewer than the server keeps for itself and those whom it refuses with a word, so that accepting itself fails.
            let server = try RunningServer(
                folder.path, launcher: ["/bin/sh", "-c", "ulimit -n 60; exec \"$@\"", "sh"], errors: .piped)
            let inside = try LiveClient(server, demo.parents[0].token)
            try inside.waitUntilLive()
            var crowd = try (0..<100).map { _ in try Silent(server.port) }
            while let line = try server.child.readErrorLine(timeoutMilliseconds: 20_000) {
                if line.contains("event=accept_paused") && line.contains("errno=EMFILE") { break }
            }
            _ = try inside.perform(Ask.say("Still here.")).get()
            crowd.removeAll()
            inside.session.leave()
            let next = try LiveClient(server, demo.parents[1].token)
            try next.waitUntilLive()
            _ = try next.perform(Ask.say("There is room again.")).get()
            next.session.leave()
            try server.stop()
        }

        @Test("an unread log blocks no client")
        func blockedLog() throws {
            let server = try RunningServer(folder.path, errors: .piped)
            // Through a descriptor of our own to the same pipe.
            let filler = try Files.openForAppending("/proc/\(server.child.pid)/fd/2")
            try Socket.setBlocking(filler.raw, false)
            var filled = 0
            let octets = [UInt8](repeating: UInt8(ascii: "x"), count: 4_096)
            let number = filler.raw
            while case .done(let count)? = try? octets.withUnsafeBytes({ raw throws(Errno) in try Octets.write(number, raw) }) { filled += count }
            withExtendedLifetime(filler) {}
            #expect(filled > 0)
            let client = try LiveClient(server, demo.parents[0].token)
            try client.waitUntilLive()
            for number in 0..<50 { _ = try client.perform(Ask.say("Message \(number)")).get() }
            client.session.leave()
            #expect(try server.stop() < 8_000)
        }
    }

    /// The work of systemd for a service, done by a few lines of Python.
    @Suite("Socket activation") struct ActivationTests {
        private static func launcher(_ name: String) -> [String] {
            let script = """
                import os, socket, sys
                s = socket.create_server(("127.0.0.1", 0)); os.dup2(s.fileno(), 3); os.set_inheritable(3, True)
                os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES="\(name)")
                os.execv(sys.argv[1], sys.argv[1:])
                """
            return ["python3", "-c", script]
        }

        @Test("a socket that was there before is served, whatever --listen says", arguments: ["plain", "huddled.socket"])
        func plain(name: String) throws {
            let folder = try TemporaryFolder()
            let demo = try Demo(in: folder.path)
            // An address that this machine does not have: listening there would fail.
            let server = try RunningServer(folder.path, listen: "192.0.2.1:1", launcher: Self.launcher(name))
            let client = try LiveClient(server, demo.parents[0].token)
            try client.waitUntilLive()
            client.session.leave()
            try server.stop()
        }

        @Test("a socket for TLS is served with TLS; without a certificate the start fails")
        func secure() throws {
            let folder = try TemporaryFolder()
            let demo = try Demo(in: folder.path)
            let certificates = try CertificateFolder()
            let options = ["--tls-cert", certificates.certificate, "--tls-key", certificates.key, "--listen-tls", "192.0.2.1:1"]
            let server = try RunningServer(folder.path, options: options, launcher: Self.launcher("tls"))
            let client = try LiveClient(try server.secureAddress(trusting: certificates.authority), demo.parents[0].token)
            try client.waitUntilLive()
            client.session.leave()
            try server.stop()
            let words = try Array(Self.launcher("tls").dropFirst()) + [Programs.path("huddled"), "serve", "--data", folder.path]
            let refused = try Programs.run("python3", words)
            #expect(refused.ending == .exited(1))
            #expect(refused.errors.contains("there is no --tls-cert"), "\(refused.errors)")
        }
    }
}

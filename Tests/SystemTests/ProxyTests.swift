import Bytes
import Posix
import Sessions
import Sync
import TestSupport
import Testing
import Wire

extension SystemTests {
    /// The files of `deploy/proxy`, with other ports and paths, in front of the built server.
    @Suite("Behind nginx, Caddy and Apache, deploy/proxy") struct ProxyTests {
        private let certificates: CertificateFolder
        private let folder: TemporaryFolder
        private let demo: Demo
        private var parent: Demo.Member { demo.parents[0] }

        init() throws {
            certificates = try CertificateFolder()
            folder = try TemporaryFolder()
            demo = try Demo(in: folder.path)
        }

        private func start() throws -> RunningServer { try RunningServer(folder.path, options: ["--trusted-proxy", "127.0.0.1"]) }

        @Test("Two members talk through it, a browser signs in, and web pages are known by the name that the browser used", arguments: ProxyProgram.Kind.allCases)
        func conversation(kind: ProxyProgram.Kind) throws {
            let server = try start()
            guard let proxy = try ProxyProgram(kind, port: server.port, certificates) else { return }
            let carmen = try LiveClient(proxy.address, parent.token)
            let elena = try LiveClient(proxy.address, demo.athletes[0].token)
            try carmen.waitUntilLive()
            try elena.waitUntilLive()
            let ack = try carmen.perform(Ask.say("Through the proxy.")).get()
            try elena.waitUntil(record: try #require(ack.records.first).id)
            for (origin, status) in [(proxy.url, "101"), ("https://evil.example", "403"), (proxy.url.replacing("https", with: "http"), "403")] {
                let told = try Programs.run("/usr/bin/curl", [
                    "-s", "-m", "3", "--http1.1", "--cacert", certificates.authority, "-o", "/dev/null", "-w", "%{http_code}",
                    "-H", "Connection: Upgrade", "-H", "Upgrade: websocket", "-H", "Sec-WebSocket-Version: 13", "-H", "Sec-WebSocket-Protocol: huddle.v1",
                    "-H", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "-H", "Origin: \(origin)", proxy.url + "/ws",
                ])
                #expect(told.output == status, "\(origin)")
                try signIn(through: proxy, origin: origin, isTaken: status == "101")
            }
            carmen.session.leave()
            elena.session.leave()
            try server.stop()
        }

        /// Signs a browser in, as a page of `origin` does. The cookie is for the name and port of the proxy, and for TLS.
        private func signIn(through proxy: ProxyProgram, origin: String, isTaken: Bool) throws {
            let common = ["-s", "-m", "20", "--http1.1", "--cacert", certificates.authority]
            let told = try Programs.run("/usr/bin/curl", common + [
                "-D", "-", "-o", "/dev/null", "-H", "Content-Type: application/json", "-H", "Origin: \(origin)", "-d", "{\"token\":\"\(parent.token)\"}",
                proxy.url + "/session",
            ])
            let cookie = told.output.firstMatch(of: #/[Ss]et-[Cc]ookie: (__Host-huddle-\d+=[^;]+); Path=\/; HttpOnly; SameSite=Strict; Secure;/#)
            #expect(told.output.hasPrefix(isTaken ? "HTTP/1.1 201" : "HTTP/1.1 403") && (cookie != nil) == isTaken, "\(origin): \(told.output)")
            guard let cookie else { return }
            #expect(cookie.output.1.hasPrefix("__Host-huddle-\(proxy.port)="), "\(told.output)")
            let person = try Programs.run("/usr/bin/curl", common + ["-H", "Cookie: \(cookie.output.1)", proxy.url + "/session"])
            #expect(person.output.contains("\"signed_in\":true"), "\(person.output)")
        }

        @Test("A restart of the server is over for its clients when they have resumed", arguments: ProxyProgram.Kind.allCases)
        func restart(kind: ProxyProgram.Kind) throws {
            let server = try start()
            guard let proxy = try ProxyProgram(kind, port: server.port, certificates) else { return }
            let carmen = try LiveClient(proxy.address, parent.token)
            try carmen.waitUntilLive()
            let before = try carmen.perform(Ask.say("Before the restart.")).get()
            try server.stop()
            try server.restart()
            // The client's own session connects again.
            let after = try carmen.perform(Ask.say("After the restart.")).get()
            #expect(try #require(after.sequence) == #require(before.sequence) + 1)
            carmen.session.leave()
            try server.stop()
        }

        @Test("The server learns the address of the client, and nothing that a client claims", arguments: ProxyProgram.Kind.allCases)
        func address(kind: ProxyProgram.Kind) throws {
            // A recorder stands where the server would, because the server counts no address of this machine.
            let recorder = try Socket.listenTCP(host: "127.0.0.1", port: 0)
            guard let proxy = try ProxyProgram(kind, port: SocketAddress.local(of: recorder.raw).port, certificates) else { return }
            let asked = try ChildProcess.start([
                "/usr/bin/curl", "-s", "-m", "20", "--http1.1", "--cacert", certificates.authority, "--interface", "127.0.0.7",
                "--resolve", "localhost:\(proxy.port):127.0.0.1", "-H", "X-Forwarded-For: 203.0.113.9", "-H", "Forwarded: for=203.0.113.9",
                "-H", "X-Forwarded-Proto: http", "-H", "X-Forwarded-Host: evil.example", proxy.url + "/documents/a%2Fb?x=%2F",
            ])
            let head = try Self.head(from: recorder)
            let lines = head.split(separator: "\r\n").map(String.init)
            #expect(lines.first == "GET /documents/a%2Fb?x=%2F HTTP/1.1")
            func values(_ name: String) -> [String] {
                lines.filter { $0.lowercased().hasPrefix(name.lowercased() + ":") }.map { $0.dropFirst(name.count + 1).trimmingPrefix(" ").description }
            }
            #expect(values("X-Forwarded-For") == ["127.0.0.7"], "\(head)")
            #expect(values("X-Forwarded-Proto") == ["https"], "\(head)")
            #expect(values("Forwarded").isEmpty && !head.contains("evil.example") && !head.contains("203.0.113.9"), "\(head)")
            #expect(values("Host") == ["localhost:\(proxy.port)"], "\(head)")
            asked.kill(Signals.kill)
            _ = try asked.wait(timeoutMilliseconds: 10_000)
        }

        /// The head of the first request that has one: Caddy and Apache may look whether anybody listens before.
        private static func head(from listener: borrowing FileDescriptor) throws -> String {
            let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)
            defer { space.deallocate() }
            while try Poll.wait(listener.raw, .readable, timeoutMilliseconds: 20_000) != [] {
                guard let socket = try Socket.accept(on: listener.raw) else { continue }
                var octets: [UInt8] = []
                while try Poll.wait(socket.raw, .readable, timeoutMilliseconds: 20_000) != [], case .done(let count) = try Socket.receive(socket.raw, into: space) {
                    octets += space[..<count]
                    let text = String(decoding: octets, as: UTF8.self)
                    if text.contains("\r\n\r\n") { return text }
                }
            }
            throw Unexpected("no request came")
        }

        @Test("A connection on which nobody says anything stays open", .enabled(if: Environment.value("HUDDLE_SILENCE") != nil), arguments: ProxyProgram.Kind.allCases)
        func silence(kind: ProxyProgram.Kind) throws {
            let seconds = try #require(Environment.value("HUDDLE_SILENCE").flatMap { Int64($0) })
            let server = try start()
            guard let proxy = try ProxyProgram(kind, port: server.port, certificates) else { return }
            let carmen = try LiveClient(proxy.address, parent.token)
            try carmen.waitUntilLive()
            let noticed = try carmen.notices(within: seconds * 1_000)
            #expect(!noticed.contains { if case .live = $0 { true } else { false } }, "it had to connect again")
            _ = try carmen.perform(Ask.say("After the silence.")).get()
            carmen.session.leave()
            try server.stop()
        }

        @Test("A document larger than a proxy takes by itself goes up and comes back octet for octet", arguments: ProxyProgram.Kind.allCases)
        func document(kind: ProxyProgram.Kind) throws {
            let server = try start()
            guard let proxy = try ProxyProgram(kind, port: server.port, certificates) else { return }
            let huddle = HuddleProgram(server, token: parent.token, url: proxy.url.replacing("https", with: "wss"))
            let content = Array("%PDF-1.4\n".utf8) + (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
            try Files.write(content, to: folder.path + "/a.pdf")
            let sent = try huddle.run(
                "docs", "upload", folder.path + "/a.pdf", "--type", "transcript", "--athlete", demo.athletes[0].name, "--json", "--tls-ca", certificates.authority)
            try #require(sent.ending == .exited(0), "\(sent.errors)")
            let id = try #require(try sent.json()["id"]?.string)
            let got = try huddle.run("docs", "download", id, "--output", folder.path + "/b.pdf", "--tls-ca", certificates.authority)
            #expect(got.ending == .exited(0), "\(got.errors)")
            #expect(try Files.read(folder.path + "/b.pdf", limit: 1 << 24) == content)
            try server.stop()
        }

        @Test(
            "100 MB are cut twice, continue from the offset of the server, and come back octet for octet", .enabled(if: Environment.value("HUDDLE_LARGE") != nil),
            arguments: ProxyProgram.Kind.allCases)
        func large(kind: ProxyProgram.Kind) throws {
            let server = try start()
            guard let proxy = try ProxyProgram(kind, port: server.port, certificates) else { return }
            let answer = try Programs.run(
                "/usr/bin/python3",
                [
                    Programs.root + "/Tests/Python/proxied_upload.py", proxy.url, certificates.authority, parent.token, "\(demo.family)", "\(demo.athletes[0].id)", "104857600",
                ], timeout: 600_000)
            #expect(answer.ending == .exited(0), "\(answer.errors)")
            try server.stop()
        }

        @Test(
            "An upload is passed on as it comes: the family sees it grow before it is whole, it pauses when its sender is cut, and it can be continued",
            arguments: ProxyProgram.Kind.allCases)
        func uploadUnbuffered(kind: ProxyProgram.Kind) throws {
            let server = try start()
            // Without TLS, because the test writes the octets of its requests itself.
            guard let proxy = try ProxyProgram(kind, port: server.port, certificates, isEncrypted: false) else { return }
            let watcher = try RawClient(server)
            try watcher.enter(demo.parents[1].token, demo.family, client: Ask.id())
            let total = 40_000_000
            let metadata = [
                ("family", "\(demo.family)"), ("athlete", "\(demo.athletes[0].id)"), ("type", "transcript"), ("title", "Slow"), ("filename", "a.txt"),
            ].map { "\($0) \(Base64.encode(Array($1.utf8)))" }.joined(separator: ",")
            let head = "Host: 127.0.0.1:\(proxy.port)\r\nAuthorization: Bearer \(parent.token)\r\nTus-Resumable: 1.0.0\r\n"
            var answer: [UInt8] = []
            do {
                let socket = try Socket.connectTCP(host: "127.0.0.1", port: proxy.port)
                try Socket.setReceiveTimeout(socket.raw, milliseconds: 20_000)
                try Socket.sendAll(socket.raw, Array("POST /files HTTP/1.1\r\n\(head)Upload-Length: \(total)\r\nUpload-Metadata: \(metadata)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8))
                let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 16)
                defer { space.deallocate() }
                while case .done(let count) = try Socket.receive(socket.raw, into: space) { answer += space[..<count] }
            }
            let text = String(decoding: answer, as: UTF8.self)
            let location = try #require(text.firstMatch(of: #/[Ll]ocation: (/files/[0-9a-f-]+)/#)?.output.1, "\(text)")
            var came: UploadProgress?
            do {
                let socket = try Socket.connectTCP(host: "127.0.0.1", port: proxy.port)
                try Socket.sendAll(socket.raw, Array("PATCH \(location) HTTP/1.1\r\n\(head)Content-Type: application/offset+octet-stream\r\nUpload-Offset: 0\r\nContent-Length: \(total)\r\n\r\n".utf8))
                // Little by little, and never all of it: a proxy that waits for the whole shows nothing.
                let piece = [UInt8](repeating: 0x61, count: 8_192)
                var sent = 0
                while came == nil, sent < total / 2 {
                    try Socket.sendAll(socket.raw, piece)
                    sent += piece.count
                    while let event = try? watcher.next(timeoutMilliseconds: 5) {
                        if case .frame(.upload(let progress)) = event, progress.octets > 0 { came = progress }
                    }
                }
                #expect((came?.octets ?? 0) > 0 && (came?.octets ?? 0) <= Int64(sent) && came?.total == Int64(total), "\(sent) octets")
            }
            let paused = try watcher.frame { if case .upload(let progress) = $0, progress.state == .paused { progress } else { nil } }
            #expect(paused.octets >= came?.octets ?? .max)
            // Where to continue: what the server has stored.
            let told = try Programs.run("/usr/bin/curl", [
                "-s", "-m", "20", "--http1.1", "-I", "-H", "Authorization: Bearer \(parent.token)", "-H", "Tus-Resumable: 1.0.0", proxy.url + location,
            ])
            let offset = try #require(told.output.firstMatch(of: #/[Uu]pload-[Oo]ffset: (\d+)/#).flatMap { Int64($0.output.1) }, "\(told.output)")
            #expect(offset >= paused.octets)
            watcher.leave()
            try server.stop()
        }
    }
}


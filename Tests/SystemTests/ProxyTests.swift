import Bytes
import Posix
import Sessions
import Sync
import TestSupport
import Testing
import Wire

extension SystemTests {
    /// The example for nginx of `deploy/RUNBOOK.md`, as it stands there, in front of the built server, by TLS and plain.
    @Suite("Behind nginx, deploy/RUNBOOK.md") struct ProxyTests {
        private let certificates: CertificateFolder
        private let folder: TemporaryFolder
        private let demo: Demo
        private var parent: Demo.Member { demo.parents[0] }

        init() throws {
            certificates = try CertificateFolder()
            folder = try TemporaryFolder()
            demo = try Demo(in: folder.path)
        }

        private func behind(_ server: RunningServer) throws -> Nginx? { try Nginx(server, certificates) }

        private func start() throws -> RunningServer { try RunningServer(folder.path, options: ["--trusted-proxy", "127.0.0.1"]) }

        @Test("two members talk through it, one by TLS, and web pages are known by the name that the browser used")
        func conversation() throws {
            let server = try start()
            guard let nginx = try behind(server) else { return }
            let carmen = try LiveClient(nginx.secureAddress, parent.token)
            let elena = try LiveClient(nginx.address, demo.athletes[0].token)
            try carmen.waitUntilLive()
            try elena.waitUntilLive()
            let ack = try carmen.perform(Ask.say("Through the proxy.")).get()
            let said = try #require(ack.records.first).id
            let deadline = Clock.monotonicMilliseconds() + 10_000
            while elena.session.engine.record(said) == nil {
                try #require(Clock.monotonicMilliseconds() < deadline)
                _ = try elena.session.turn(until: deadline)
            }
            // What it answers to a page of its own name, and of another.
            for (url, own) in [(nginx.url, "http"), (nginx.secureURL, "https")] {
                for (origin, status) in [(url, "101"), ("\(own)://evil.example", "403"), (url.replacing(own, with: own == "http" ? "https" : "http"), "403")] {
                    let told = try Programs.run("/usr/bin/curl", [
                        "-s", "-m", "3", "--http1.1", "--cacert", certificates.authority, "-o", "/dev/null", "-w", "%{http_code}",
                        "-H", "Connection: Upgrade", "-H", "Upgrade: websocket", "-H", "Sec-WebSocket-Version: 13", "-H", "Sec-WebSocket-Protocol: huddle.v1",
                        "-H", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "-H", "Origin: \(origin)", url + "/ws",
                    ])
                    #expect(told.output == status, "\(origin) at \(url)")
                }
            }
            carmen.session.leave()
            elena.session.leave()
            try server.stop()
        }

        @Test("a document larger than nginx takes by itself goes up and comes back octet for octet")
        func document() throws {
            let server = try start()
            guard let nginx = try behind(server) else { return }
            let huddle = HuddleProgram(server, token: parent.token, url: nginx.secureURL.replacing("https", with: "wss"))
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

        @Test("an upload is passed on as it comes: the family sees it grow before it is whole, and it pauses when its sender is cut")
        func uploadUnbuffered() throws {
            let server = try start()
            guard let nginx = try behind(server) else { return }
            let watcher = try RawClient(server)
            try watcher.enter(demo.parents[1].token, demo.family, client: Ask.id())
            let total = 40_000_000
            let metadata = [
                ("family", "\(demo.family)"), ("athlete", "\(demo.athletes[0].id)"), ("type", "transcript"), ("title", "Slow"), ("filename", "a.txt"),
            ].map { "\($0) \(Base64.encode(Array($1.utf8)))" }.joined(separator: ",")
            let head = "Host: 127.0.0.1:\(nginx.port)\r\nAuthorization: Bearer \(parent.token)\r\nTus-Resumable: 1.0.0\r\n"
            var answer: [UInt8] = []
            do {
                let socket = try Socket.connectTCP(host: "127.0.0.1", port: nginx.port)
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
                let socket = try Socket.connectTCP(host: "127.0.0.1", port: nginx.port)
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
            watcher.leave()
            try server.stop()
        }
    }
}

/// nginx with what `deploy/RUNBOOK.md` says of it; it ends with the last reference.
private final class Nginx {
    private let folder: TemporaryFolder
    private var child: ChildProcess?
    private(set) var port: UInt16 = 0
    private(set) var securePort: UInt16 = 0
    private let authority: String

    private static let program = "/usr/sbin/nginx"

    /// - Returns: `nil` with a printed line when there is no nginx; with HUDDLE_REQUIRE_NGINX=1 that is a failure.
    init?(_ server: RunningServer, _ certificates: CertificateFolder) throws {
        guard Files.exists(Self.program), Files.exists("/usr/bin/curl") else {
            print("Behind nginx: SKIPPED, because there is no nginx or no curl (apt install nginx-light curl)")
            if Environment.value("HUDDLE_REQUIRE_NGINX") == "1" { Issue.record("there is no nginx") }
            return nil
        }
        folder = try TemporaryFolder()
        authority = certificates.authority
        // Somebody else may be given a port between looking and listening.
        for _ in 0..<5 {
            (port, securePort) = try (Self.freePort(), Self.freePort())
            try Files.write(Array(try configuration(server, certificates).utf8), to: folder.path + "/nginx.conf")
            let child = try ChildProcess.start(
                [Self.program, "-e", folder.path + "/error.log", "-p", folder.path, "-c", folder.path + "/nginx.conf"], errors: .nothing)
            self.child = child
            if try isListening(child) { return }
        }
        throw Unexpected("nginx does not start: \(String(decoding: (try? Files.read(folder.path + "/error.log")) ?? [], as: UTF8.self))")
    }

    var url: String { "http://127.0.0.1:\(port)" }
    var secureURL: String { "https://localhost:\(securePort)" }
    var address: ServerAddress { get throws { try ServerAddress("ws://127.0.0.1:\(port)") } }
    var secureAddress: ServerAddress {
        get throws {
            var address = try ServerAddress("wss://localhost:\(securePort)")
            address.authorities = authority
            return address
        }
    }

    private static func freePort() throws -> UInt16 {
        let listener = try Socket.listenTCP(host: "127.0.0.1", port: 0)
        return try SocketAddress.local(of: listener.raw).port
    }

    private static func takesConnections(_ port: UInt16) -> Bool {
        do { _ = try Socket.connectTCP(host: "127.0.0.1", port: port) } catch { return false }
        return true
    }

    private func isListening(_ child: ChildProcess) throws -> Bool {
        let deadline = Clock.monotonicMilliseconds() + 20_000
        while Clock.monotonicMilliseconds() < deadline {
            if try child.wait(timeoutMilliseconds: 20) != nil { return false }
            if Self.takesConnections(port), Self.takesConnections(securePort) { return true }
        }
        return false
    }

    /// The example word for word, but for ports, paths and the second copy without TLS.
    private func configuration(_ server: RunningServer, _ certificates: CertificateFolder) throws -> String {
        let runbook = String(decoding: try Files.read(Programs.root + "/deploy/RUNBOOK.md"), as: UTF8.self)
        let after = try #require(runbook.split(separator: "\nnginx:\n```\n", maxSplits: 1).last)
        var example = String(try #require(after.split(separator: "\n```", maxSplits: 1).first))
        let note = try #require(example.split(separator: "\n").last { $0.hasPrefix("# in http { }:") })
        let map = note.dropFirst("# in http { }:".count)
        func replace(_ text: String, _ with: String) throws {
            try #require(example.contains(text), "the example has no \(text)")
            example = example.replacing(text, with: with)
        }
        try replace("http://127.0.0.1:8787", "http://127.0.0.1:\(server.port)")
        try replace("server_name huddle.example;", "server_name localhost 127.0.0.1;")
        let ssl = ["listen 443 ssl;", "ssl_certificate     /etc/huddle/fullchain.pem;", "ssl_certificate_key /etc/huddle/privkey.pem;"]
        let plain = ssl.dropFirst().reduce(example.replacing(ssl[0], with: "listen 127.0.0.1:\(port);")) { $0.replacing($1, with: "") }
        try replace(ssl[0], "listen 127.0.0.1:\(securePort) ssl;")
        try replace(ssl[1], "ssl_certificate \(certificates.certificate);")
        try replace(ssl[2], "ssl_certificate_key \(certificates.key);")
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder.path)/\($0);" }.joined(separator: " ")
        return """
            daemon off; master_process off; pid \(folder.path)/nginx.pid;
            events { worker_connections 256; }
            http {
            access_log off; \(temporary)
            \(map)
            \(example)
            \(plain)
            }

            """
    }
}

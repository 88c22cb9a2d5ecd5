import Posix
import TestSupport
import Testing

extension SystemTests {
    /// The port for HTTP without TLS, and the script that installs certificates.
    @Suite("HTTP without TLS, and renewed certificates") struct RedirectTests {
        private let folder: TemporaryFolder
        private let data: String
        private let demo: Demo
        private let certificates: CertificateFolder

        init() throws {
            folder = try TemporaryFolder()
            data = folder.path + "/data"
            demo = try Demo(in: data)
            certificates = try CertificateFolder()
            try Files.makeFolders(folder.path + "/web/.well-known/acme-challenge")
            try Files.write(Array("token-1.key".utf8), to: folder.path + "/web/.well-known/acme-challenge/token-1")
        }

        private func redirect(of server: RunningServer) throws -> String {
            let line = try #require(try server.child.readLine(timeoutMilliseconds: 10_000))
            try #require(line.hasPrefix("Redirects from http://"), "\(line)")
            return String(line.dropFirst("Redirects from ".count))
        }

        private func look(_ url: String, host: String) throws -> String {
            try Programs.run("/usr/bin/curl", ["-s", "-m", "10", "-H", "Host: \(host)", "-o", "/dev/null", "-w", "%{http_code} %header{location}", url]).output
        }

        private func check(_ url: String) throws {
            #expect(try look(url + "a?b=c", host: "huddle.example:80") == "308 https://huddle.example/a?b=c")
            #expect(try look(url, host: "evil.example") == "421 ")
            let challenge = try Programs.run("/usr/bin/curl", ["-s", "-m", "10", "-H", "Host: huddle.example", url + ".well-known/acme-challenge/token-1"])
            #expect(challenge.output == "token-1.key")
        }

        @Test("The server leads to https, and serves challenges; without a name for itself it does not start")
        func redirects() throws {
            let place = ["--listen-redirect", "127.0.0.1:0"]
            let nameless = try Programs.run(Programs.path("huddled"), ["serve", "--data", data] + place)
            #expect(nameless.ending == .exited(2) && nameless.errors.contains("--host"), "\(nameless.errors)")
            let server = try RunningServer(
                data, options: place + ["--host", "huddle.example", "--acme-webroot", folder.path + "/web"] + certificates.options)
            try check(try redirect(of: server))
            try server.stop()
        }

        @Test("A socket of the service manager is taken by its name, as systemd hands it over")
        func activated() throws {
            let program = "/usr/bin/systemd-socket-activate"
            guard Files.exists(program) else {
                print("socket activation: SKIPPED, because systemd-socket-activate is not installed (apt install systemd)")
                return
            }
            // It starts the program at the first connection, so a port is chosen before.
            let port = try freePort()
            let child = try ChildProcess.start(
                [
                    program, "--listen=127.0.0.1:\(port)", "--fdname=redirect", Programs.path("huddled"), "serve", "--data", data, "--listen", "127.0.0.1:0",
                    "--host", "huddle.example", "--acme-webroot", folder.path + "/web",
                ], errors: .nothing)
            try wait { (try? Socket.connectTCP(host: "127.0.0.1", port: port)) != nil }
            try check("http://127.0.0.1:\(port)/")
            #expect(try child.readLine(timeoutMilliseconds: 10_000)?.hasPrefix("Huddle ") == true)
            #expect(try child.readLine(timeoutMilliseconds: 10_000) == "Redirects from http://127.0.0.1:\(port)/")
            child.kill(Signals.terminate)
            #expect(try child.wait(timeoutMilliseconds: 10_000) == .exited(0))
        }

        private func freePort() throws -> UInt16 {
            let listener = try Socket.listenTCP(host: "127.0.0.1", port: 0)
            return try SocketAddress.local(of: listener.raw).port
        }

        // MARK: The hook

        /// A certificate of a day, and its key.
        private func make(_ name: String) throws -> (certificate: String, key: String) {
            let path = "\(folder.path)/\(name)"
            try Files.makeFolders(path)
            let made = try Programs.run(
                "/usr/bin/openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj", "/CN=\(name)", "-addext",
                    "subjectAltName=DNS:localhost", "-keyout", path + "/privkey.pem", "-out", path + "/fullchain.pem",
                ])
            try #require(made.ending == .exited(0), "\(made.errors)")
            return (path + "/fullchain.pem", path + "/privkey.pem")
        }

        private func install(_ words: [String] = [], _ variables: [String], reload: String) throws -> Programs.Answer {
            let group = try Programs.run("/usr/bin/id", ["-gn"]).output.split(separator: "\n")[0]
            let always = ["PATH=/usr/bin:/bin", "HUDDLE_TLS_FOLDER=\(folder.path)/etc", "HUDDLE_TLS_GROUP=\(group)", "HUDDLE_RELOAD=\(reload)"]
            return try Programs.run(Programs.root + "/deploy/tls/install-certificate", words, environment: always + variables)
        }

        private func name(of server: RunningServer) throws -> String {
            let command = "openssl s_client -connect 127.0.0.1:\(server.securePort) </dev/null 2>/dev/null | openssl x509 -noout -subject"
            return try Programs.run("/bin/sh", ["-c", command]).output
        }

        @Test("The hook of certbot and lego installs a certificate, and the server serves it after the signal", .enabled(if: Files.exists("/usr/bin/openssl")))
        func hook() throws {
            let etc = folder.path + "/etc"
            try Files.makeFolders(etc)
            let (first, second, third) = (try make("first"), try make("second"), try make("third"))
            #expect(try install([first.certificate, first.key], [], reload: "true").ending == .exited(0))
            let server = try RunningServer(
                data, options: ["--tls-cert", etc + "/fullchain.pem", "--tls-key", etc + "/privkey.pem", "--listen-tls", "127.0.0.1:0"])
            #expect(try name(of: server).contains("first"))
            let reload = "kill -HUP \(server.child.pid)"
            let byCertbot = try install([], ["RENEWED_LINEAGE=\(folder.path)/second", "RENEWED_DOMAINS=localhost"], reload: reload)
            #expect(byCertbot.ending == .exited(0), "\(byCertbot.errors)")
            try wait { try name(of: server).contains("second") }
            let byLego = try install([], ["LEGO_CERT_PATH=\(third.certificate)", "LEGO_CERT_KEY_PATH=\(third.key)", "LEGO_CERT_DOMAIN=localhost"], reload: reload)
            #expect(byLego.ending == .exited(0), "\(byLego.errors)")
            try wait { try name(of: server).contains("third") }
            #expect(try Files.status(etc + "/privkey.pem")?.mode == 0o640 && Files.status(etc + "/fullchain.pem")?.mode == 0o644)
            #expect(try Files.list(etc).sorted() == ["fullchain.pem", "privkey.pem"])

            // Files that cannot be used change nothing.
            let before = (try Files.read(etc + "/fullchain.pem"), try Files.read(etc + "/privkey.pem"))
            try Files.write(Array("nothing".utf8), to: folder.path + "/no.pem")
            let bad: [([String], [String], String)] = [
                ([], [], "no certificate to install"), ([second.certificate], [], "Give CERTIFICATE and KEY"), ([second.certificate, third.key], [], "does not belong"),
                ([folder.path + "/no.pem", third.key], [], "no certificate in PEM"), ([second.certificate, folder.path + "/no.pem"], [], "no private key"),
                ([second.certificate, "/nowhere"], [], "cannot be read"), ([second.certificate, second.key], ["HUDDLE_TLS_FOLDER=/nowhere"], "no folder"),
                ([second.certificate, second.key], ["HUDDLE_TLS_GROUP=no-such-group"], "no group"),
            ]
            for (words, variables, sentence) in bad {
                let told = try install(words, variables, reload: "false")
                #expect(told.ending == .exited(1) && told.errors.contains(sentence), "\(told.errors)")
            }
            #expect(try (Files.read(etc + "/fullchain.pem"), Files.read(etc + "/privkey.pem")) == before)
            let untold = try install([second.certificate, second.key], [], reload: "false")
            #expect(untold.ending == .exited(1) && untold.errors.contains("could not be told"))
            try server.stop()
        }

        private func wait(_ isSo: () throws -> Bool) throws {
            let deadline = Clock.monotonicMilliseconds() + 20_000
            while try !isSo() {
                guard Clock.monotonicMilliseconds() < deadline else { throw Unexpected("waited too long") }
            }
        }
    }
}

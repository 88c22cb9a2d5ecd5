import Family
import Posix
import TestSupport
import Testing
import Wire

extension SystemTests {
    @Suite("Options of huddled: flags, environment and file") struct ServerOptionTests {
        private let folder: TemporaryFolder
        private var data: String { folder.path + "/data" }
        private var path: String { folder.path + "/huddled.conf" }

        init() throws { folder = try TemporaryFolder() }

        private func write(_ text: String) throws { try Files.write(Array(text.utf8), to: path) }

        private func config(_ words: [String], _ environment: [String] = []) throws -> Programs.Answer {
            try Programs.run(Programs.path("huddled"), ["config"] + words, environment: environment + ["PATH=/usr/bin:/bin"])
        }

        @Test("config prints each value with its source, as a file that gives the same values again")
        func printed() throws {
            try write("# mine\nlisten = 127.0.0.1:9\ndata = \(data)\ntrusted-proxy = 10.0.0.7\ntrusted-proxy = ::1\ntls-cert = /a b/c.pem\ntls-key = /a b/k.pem\n")
            let words = ["--config", path, "--max-connections", "77"]
            let printed = try config(words, ["HUDDLED_FAMILY_STORAGE=2G", "HUDDLED_LISTEN=127.0.0.1:8"])
            #expect(printed.ending == .exited(0) && printed.errors.isEmpty, "\(printed.errors)")
            for part in [
                "# from \(path):4,5\ntrusted-proxy = 10.0.0.7\ntrusted-proxy = ::1\n", "# from HUDDLED_LISTEN\nlisten = 127.0.0.1:8\n", "# from --max-connections\nmax-connections = 77\n",
                "# from default\nmutations-per-second = 200\n", "# from HUDDLED_FAMILY_STORAGE\nfamily-storage = 2G\n", "# config is \(path), from --config\n", "# allow-origin is not set\n",
                "(the content of the file is secret and not shown)\ntls-key = /a b/k.pem\n",
            ] { #expect(printed.output.contains(part), "\(part) is not in \(printed.output)") }
            try write(printed.output)
            func values(_ text: String) -> [Substring] { text.split(separator: "\n").filter { !$0.hasPrefix("#") } }
            #expect(values(try config(["--config", path]).output) == values(printed.output))
            let json = try config(["--config", path, "--json"]).json()
            #expect(json["options"]?.elements.first { $0["name"]?.string == "tls-key" }?["secret"] == .bool(true))
            #expect(try config(["--check", "--config", path]).output == "The options can be used.\n")
        }

        @Test("The content of a key is in no output", arguments: [[], ["--json"], ["--check"]])
        func secret(words: [String]) throws {
            let secret = "hunter2-do-not-print"
            try Files.write(Array(secret.utf8), to: folder.path + "/key")
            let told = try config(["--data", data, "--tls-cert", "/c.pem", "--tls-key", folder.path + "/key"] + words)
            #expect(told.ending == .exited(0) && !told.output.contains(secret) && !told.errors.contains(secret))
        }

        @Test("A credential of the service manager is found in its folder, and its lack is a sentence")
        func credential() throws {
            let words = ["--data", data, "--listen", "127.0.0.1:0", "--tls-cert", "/nowhere/c.pem", "--tls-key", "credential:key.pem"]
            let missing = try config(words + ["--check"])
            #expect(missing.ending == .exited(2) && missing.errors.contains("there is no $CREDENTIALS_DIRECTORY"), "\(missing.errors)")
            #expect(try config(words + ["--check"], ["CREDENTIALS_DIRECTORY=\(folder.path)"]).ending == .exited(0))
            let certificates = try CertificateFolder()
            try Files.write(try Files.read(certificates.key), to: folder.path + "/key.pem")
            let server = try RunningServer(
                data, options: ["--tls-cert", certificates.certificate, "--tls-key", "credential:key.pem", "--listen-tls", "127.0.0.1:0"],
                launcher: ["/usr/bin/env", "CREDENTIALS_DIRECTORY=\(folder.path)"])
            #expect(server.securePort != 0)
            try server.stop()
        }

        @Test(
            "An unusable option ends config, serve and doctor with 2, file and line, and nothing is made",
            arguments: [
                ("lisen = 127.0.0.1:0", ":2: There is no option 'lisen'. Did you mean 'listen'?"), ("max-connections = 1\nmax-connections = 2", ":3: 'max-connections' is given twice"),
                ("family-storage = 5 GB", ":2: 'family-storage' takes octets"), ("config = /x", ":2: 'config' cannot be in a file"), ("tls-cert = /c.pem", "go in pairs"),
            ])
        func refused(text: String, sentence: String) throws {
            try write("# options\n\(text)\n")
            for command in [["config"], ["config", "--check"], ["serve"], ["doctor"]] {
                let told = try Programs.run(Programs.path("huddled"), command + ["--config", path, "--data", data])
                #expect(told.ending == .exited(2) && told.errors.contains(sentence), "\(command): \(told.errors)")
                if sentence.hasPrefix(":") { #expect(told.errors.contains("huddled: \(path):"), "\(told.errors)") }
            }
            #expect(!Files.exists(data))
        }

        @Test("config reports all mistakes of a file, not only the first")
        func all() throws {
            try write("a = 1\nlisten = x\nb = 2\n")
            let told = try config(["--check", "--config", path, "--data", data])
            #expect(told.ending == .exited(2) && told.errors.split(separator: "\n").count == 3, "\(told.errors)")
        }

        @Test("A file that cannot be read, a folder and a device without end are one sentence", arguments: ["/nowhere.conf", "/tmp", "/dev/zero"])
        func unreadable(path: String) throws {
            let told = try config(["--config", path, "--data", data])
            #expect(told.ending == .exited(2) && told.errors.hasPrefix("huddled: The file of options \(path) cannot be read: ") && told.errors.split(separator: "\n").count == 1, "\(told.errors)")
        }

        @Test("A server takes its options from a file and the environment; at SIGHUP it takes live ones, names the others, and keeps all when there is a mistake")
        func live() throws {
            let demo = try Demo(in: data)
            let log = folder.path + "/log"
            try write("free-space-floor = 1M\nmax-connections = 50\n")
            let server = try RunningServer(data, options: ["--config", path], launcher: ["/bin/sh", "-c", "HUDDLED_BACKUP_MAX_AGE=7d HUDDLED_LISTNE=x exec \"$@\" 2>\(log)", "sh"])
            let client = try RawClient(server)
            try client.enter(demo.parents[0].token, demo.family, client: Ask.id())
            func codes() throws -> [String] {
                let json = try Programs.huddled("doctor", "--data", data, "--json").json()
                return (json["checks"]?.elements ?? []).compactMap { $0["code"]?.string }
            }
            func logged(_ text: String) throws {
                let deadline = Clock.monotonicMilliseconds() + 20_000
                var lines = ""
                while !lines.contains(text) {
                    try #require(Clock.monotonicMilliseconds() < deadline, "\(text) is not in \(lines)")
                    _ = try codes()
                    lines = String(decoding: try Files.read(log), as: UTF8.self)
                }
            }
            try logged("event=option_unknown problem=\"HUDDLED_LISTNE is not an option. Did you mean HUDDLED_LISTEN?\"")
            #expect(try codes() == ["backup_missing"])
            try write("free-space-floor = 900000G\nmax-connections = 60\ntrusted-proxy = 127.0.0.1\n")
            server.child.kill(Signals.hangUp)
            try logged("event=options_reloaded changed=free-space-floor,trusted-proxy needs_restart=max-connections")
            #expect(try codes() == ["disk_low", "backup_missing"])
            // With a mistake in another line the good one waits, too.
            try write("free-space-floor = 0\nlisten = nowhere\n")
            server.child.kill(Signals.hangUp)
            try logged("event=options_reload_failed problem=\"\(path):2: 'listen' takes HOST:PORT")
            #expect(try codes() == ["disk_low", "backup_missing"])
            try Files.remove(path)
            server.child.kill(Signals.hangUp)
            try logged("cannot be read")
            try write("max-connections = 50\nfree-space-floor = 0\n")
            server.child.kill(Signals.hangUp)
            try logged("event=options_reloaded changed=free-space-floor,trusted-proxy needs_restart=\"\"")
            #expect(try codes() == ["backup_missing"])
            // The connection was there all the while.
            client.send(.mutate(id: 1, operations: [Ask.say("Still here")]))
            _ = try client.frame { if case .ack(let ack) = $0 { ack } else { nil } }
            client.leave()
            try server.stop()
        }
    }
}

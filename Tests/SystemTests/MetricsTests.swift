import Posix
import Sessions
import TestSupport
import Testing

extension SystemTests {
    /// The figures of a running server, as the programs that read them see them.
    @Suite("The figures of a server and Prometheus") struct MetricsTests {
        private let folder: TemporaryFolder
        private let data: String
        private let demo: Demo

        init() throws {
            folder = try TemporaryFolder()
            data = folder.path + "/data"
            demo = try Demo(in: data)
        }

        private func start(_ place: String, launcher: [String] = []) throws -> (server: RunningServer, place: String) {
            let server = try RunningServer(data, options: place.isEmpty ? [] : ["--metrics", place], launcher: launcher)
            let line = try #require(try server.child.readLine(timeoutMilliseconds: 10_000))
            try #require(line.hasPrefix("Figures at ") && line.hasSuffix("/metrics"), "\(line)")
            return (server, String(line.dropFirst("Figures at ".count)))
        }

        private func page(_ words: String...) throws -> (status: String, content: String) {
            let told = try Programs.run("/usr/bin/curl", ["-s", "-m", "10", "-w", "\n%{http_code}"] + words)
            let end = told.output.lastIndex(of: "\n") ?? told.output.startIndex
            return (String(told.output[told.output.index(after: end)...]), String(told.output[..<end]))
        }

        private static func isInstalled(_ program: String) -> Bool {
            if Files.exists(program) { return true }
            print("\(program): SKIPPED, because it is not installed (apt install prometheus)")
            if Environment.value("HUDDLE_REQUIRE_PROMETHEUS") == "1" { Issue.record("\(program) is not installed") }
            return false
        }

        private func freePort() throws -> UInt16 {
            let listener = try Socket.listenTCP(host: "127.0.0.1", port: 0)
            return try SocketAddress.local(of: listener.raw).port
        }

        @Test("promtool finds nothing wrong with the page")
        func promtool() throws {
            guard Self.isInstalled("/usr/bin/promtool") else { return }
            let (server, url) = try start("127.0.0.1:0")
            let carmen = try LiveClient(server, demo.parents[0].token)
            try carmen.waitUntilLive()
            _ = try carmen.perform(Ask.say("Counted.")).get()
            let (status, content) = try page(url)
            #expect(status == "200" && content.contains("huddle_commit_seconds_count"))
            let checked = try Programs.run("/usr/bin/promtool", ["check", "metrics"], input: Array((content + "\n").utf8))
            #expect(checked.ending == .exited(0), "\(checked.output)\(checked.errors)")
            carmen.session.leave()
            try server.stop()
        }

        @Test("Prometheus scrapes the server, and answers with its figures")
        func prometheus() throws {
            guard Self.isInstalled("/usr/bin/prometheus") else { return }
            let (server, url) = try start("127.0.0.1:0")
            let target = url.dropFirst("http://".count).dropLast("/metrics".count)
            let configuration = folder.path + "/prometheus.yml"
            try Files.write(
                Array("global: {scrape_interval: 1s}\nscrape_configs:\n  - job_name: huddle\n    static_configs: [{targets: [\"\(target)\"]}]\n".utf8), to: configuration)
            let port = try freePort()
            let child = try ChildProcess.start(
                [
                    "/usr/bin/prometheus", "--config.file=\(configuration)", "--storage.tsdb.path=\(folder.path)/tsdb", "--web.listen-address=127.0.0.1:\(port)",
                    "--log.level=error",
                ], output: .nothing, errors: .nothing)
            let deadline = Clock.monotonicMilliseconds() + 60_000
            var answer = ""
            while !answer.contains("\"huddle_ready\""), Clock.monotonicMilliseconds() < deadline {
                #expect(try child.wait(timeoutMilliseconds: 100) == nil, "prometheus ended")
                answer = try page("http://127.0.0.1:\(port)/api/v1/query?query=huddle_ready").content
            }
            #expect(answer.contains("\"job\":\"huddle\"") && answer.contains(",\"1\"]"), "\(answer)")
            child.kill(Signals.terminate)
            _ = try child.wait(timeoutMilliseconds: 20_000)
            try server.stop()
        }

        @Test("The figures are at a Unix socket that owner and group may open, and it is gone with the server")
        func unix() throws {
            let path = folder.path + "/metrics.sock"
            let (server, place) = try start(path)
            #expect(place == path + "/metrics")
            #expect(try Files.status(path)?.mode == 0o660)
            #expect(try page("--unix-socket", path, "http://localhost/metrics").content.contains("huddle_ready 1"))
            #expect(try page("--unix-socket", path, "-X", "POST", "http://localhost/metrics").status == "405")
            try server.stop()
            #expect(!Files.exists(path))
        }

        @Test("A web page whose name was made to lead to this machine reads nothing; without --metrics nothing is offered")
        func rebinding() throws {
            let (server, url) = try start("127.0.0.1:0")
            #expect(try page("-H", "Host: evil.example", url).status == "421")
            #expect(try page("http://127.0.0.1:\(server.port)/metrics").status == "404")
            try server.stop()
        }

        @Test("A bad place is refused, with the option")
        func refused() throws {
            let told = try Programs.huddled("serve", "--data", data, "--metrics", "nowhere")
            #expect(told.ending == .exited(2) && told.errors.contains("metrics"), "\(told.errors)")
            let taken = try Programs.huddled("serve", "--data", data, "--listen", "127.0.0.1:0", "--metrics", "/nowhere/metrics.sock")
            #expect(taken.ending == .exited(1) && taken.errors.contains("--metrics"), "\(taken.errors)")
        }
    }
}

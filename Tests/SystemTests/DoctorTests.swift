import Family
import Glibc
import Posix
import TestSupport
import Testing

extension SystemTests {
    /// Promise: honest errors, to those who run a server.
    @Suite("huddled doctor, /healthz and /readyz") struct DoctorTests {
        private func get(_ server: RunningServer, _ path: String, _ fields: String...) throws -> (status: String, content: String) {
            let arguments = ["-s", "-m", "5", "-w", "\n%{http_code}"] + fields.flatMap { ["-H", $0] } + ["http://127.0.0.1:\(server.port)\(path)"]
            let lines = try Programs.run("/usr/bin/curl", arguments).output.split(separator: "\n").map(String.init)
            return (lines.last ?? "", lines.dropLast().joined(separator: "\n"))
        }

        @Test("Beside a running server and without one it says in sentences that all is well")
        func well() throws {
            let folder = try TemporaryFolder()
            let data = folder.path + "/data"
            _ = try Demo(in: data)
            let alone = try Programs.huddled("doctor", "--data", data)
            let dead = try Programs.huddled("doctor", "--data", data, "--alive")
            #expect(dead.ending == .exited(1) && dead.output.isEmpty && dead.errors.contains("No server runs"), "\(dead.errors)")
            #expect(alone.ending == .exited(0) && alone.output.contains("No server runs") && alone.output.contains("ok      The database can be opened."), "\(alone.output)\(alone.errors)")
            let server = try RunningServer(data)
            #expect(try get(server, "/healthz") == ("200", "{\"status\":\"ok\"}"))
            #expect(try get(server, "/readyz") == ("200", "{\"status\":\"ready\",\"reasons\":[]}"))
            let beside = try Programs.huddled("doctor", "--data", data)
            #expect(beside.ending == .exited(0) && beside.output.contains("ok      The writer answers"), "\(beside.output)\(beside.errors)")
            let alive = try Programs.huddled("doctor", "--data", data, "--alive")
            #expect(alive.ending == .exited(0) && alive.output.isEmpty && alive.errors.isEmpty, "\(alive.errors)")
            let json = try Programs.huddled("doctor", "--data", data, "--json").json()
            #expect(json["ready"] == .bool(true) && json["running"] == .bool(true))
            try server.stop()
        }

        @Test("The server, the doctor and the log report a fault, and the doctor ends with 3")
        func wrong() throws {
            let folder = try TemporaryFolder()
            let data = folder.path + "/data"
            _ = try Demo(in: data)
            let log = folder.path + "/log"
            let server = try RunningServer(
                data, options: ["--free-space-floor", "900000G", "--backup-max-age", "36h"], launcher: ["/bin/sh", "-c", "exec \"$@\" 2>\(log)", "sh"])
            let (status, content) = try get(server, "/readyz", "X-Forwarded-For: 192.0.2.1")
            #expect(status == "503" && ["disk_low", "backup_missing", "proxy_not_trusted"].allSatisfy { content.contains("\"\($0)\"") }, "\(content)")
            let told = try Programs.huddled("doctor", "--data", data)
            #expect(told.ending == .exited(3), "\(told.output)\(told.errors)")
            #expect(told.output.contains("ERROR   The disk of the data folder has") && told.output.contains("warning A proxy on this machine"), "\(told.output)")
            #expect(try Programs.huddled("doctor", "--data", data, "--alive").ending == .exited(0))
            try Files.write([], to: data + "/backup.done")
            let deadline = Clock.monotonicMilliseconds() + 20_000
            while try get(server, "/readyz").content.contains("backup_missing") { try #require(Clock.monotonicMilliseconds() < deadline) }
            try server.stop()
            let lines = String(decoding: try Files.read(log), as: UTF8.self)
            #expect(lines.contains("event=not_ready reasons=disk_low") && lines.contains("event=proxy_not_trusted peer=127.0.0.1"), "\(lines)")
        }

        @Test("A server that stands still does not answer: the doctor says so instead of waiting for ever")
        func stopped() throws {
            let (_, _, server) = try Demo.served()
            Glibc.kill(server.child.pid, SIGSTOP)
            defer { Glibc.kill(server.child.pid, SIGCONT) }
            let told = try Programs.huddled("doctor", "--data", server.folder)
            let asked = try Programs.huddled("doctor", "--data", server.folder, "--alive")
            #expect(asked.ending == .exited(1) && asked.errors.contains("does not answer"), "\(asked.errors)")
            #expect(told.ending == .exited(3) && told.output.contains("ERROR   A process holds the data folder and does not answer"), "\(told.output)\(told.errors)")
        }

        @Test("A watched server is not ready for two seconds and serves in the meantime, then drains; all within eight seconds")
        func announced() throws {
            let (_, _, server) = try Demo.served()
            #expect(try get(server, "/readyz").status == "200")
            let took = try server.stop {
                let deadline = Clock.monotonicMilliseconds() + 5_000
                var statuses: [String] = []
                while statuses.last != "000", Clock.monotonicMilliseconds() < deadline { statuses.append(try get(server, "/readyz").status) }
                #expect(statuses.contains("503") && statuses.last == "000", "\(statuses)")
            }
            #expect((2_000..<8_000).contains(took), "\(took) ms")
        }

        @Test("A place that cannot be examined is one sentence", arguments: [["--data"], [], ["--data", "/nowhere/at/all"], ["--data", "/tmp", "extra"], ["--jsn"]])
        func refused(words: [String]) throws {
            let told = try Programs.run(Programs.path("huddled"), ["doctor"] + words)
            #expect(told.ending == .exited(words == ["--data", "/nowhere/at/all"] ? 1 : 2) && told.errors.split(separator: "\n").count == 1, "\(told.errors)")
        }

        @Test("Bounds that are none are refused when the server starts", arguments: [("--free-space-floor", "much"), ("--backup-max-age", "36"), ("--backup-max-age", "0h"), ("--backup-max-age", "1y")])
        func badBounds(option: String, value: String) throws {
            let folder = try TemporaryFolder()
            let told = try Programs.huddled("serve", "--data", folder.path, option, value)
            #expect(told.ending == .exited(2) && told.errors.contains(option) && told.errors.contains(value), "\(told.errors)")
        }
    }
}

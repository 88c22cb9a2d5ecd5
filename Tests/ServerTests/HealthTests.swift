import Bytes
import Family
import FrameCheck
import HTTP1
import JSON
import Locks
import Posix
import Store
import TestSupport
import Testing

@testable import Server

@Suite("Health of a server", .serialized)
struct HealthTests {
    // MARK: Each check

    @Test("A writer that does not answer for two seconds is an error, and none before")
    func writer() {
        #expect(HealthCheck.writer(waiting: nil).state == .ok && HealthCheck.writer(waiting: 2_000).state == .ok)
        let silent = HealthCheck.writer(waiting: 7_100)
        #expect(silent.code == "writer_silent" && silent.sentence.contains("7 s") && !silent.reason.contains("7"))
    }

    @Test("Free space counts from its floor on; a disk that does not answer is an error; a floor of nothing is none")
    func disk() {
        #expect(HealthCheck.disk(free: 100, floor: 100).state == .ok && HealthCheck.disk(free: 0, floor: 0).state == .ok)
        #expect(HealthCheck.disk(free: 99, floor: 100).code == "disk_low" && HealthCheck.disk(free: nil, floor: 0).code == "disk_silent")
    }

    @Test(
        "Three days of a certificate are enough, fewer than fourteen are a warning",
        arguments: [(nil, nil), (400, nil), (14, nil), (13, "certificate_ends_soon"), (3, "certificate_ends_soon"), (2, "certificate_ends"), (0, "certificate_ends"), (-1, "certificate_ends")]
            as [(Int?, String?)])
    func certificate(days: Int?, code: String?) {
        let check = HealthCheck.certificate(days: days)
        #expect(check.code == code)
        if days == -1 { #expect(check.sentence.contains("has expired")) }
    }

    @Test("A backup is missed only if its age is configured; one as old as that is good")
    func backup() {
        #expect(HealthCheck.backup(age: nil, most: nil).state == .ok && HealthCheck.backup(age: .max, most: nil).state == .ok)
        #expect(HealthCheck.backup(age: nil, most: 1).code == "backup_missing" && HealthCheck.backup(age: 1, most: 1).state == .ok)
        let old = HealthCheck.backup(age: 40 * 3_600_000, most: 36 * 3_600_000)
        #expect(old.code == "backup_old" && old.sentence.contains("40 h") && old.sentence.contains("36 h") && !old.reason.contains("40"))
    }

    @Test("Times are shown in the unit that a person would use", arguments: [(0, "0 s"), (119_999, "119 s"), (120_000, "2 min"), (7_200_000, "2 h"), (172_800_000, "2 days")] as [(Int64, String)])
    func times(milliseconds: Int64, text: String) { #expect(HealthCheck.hours(milliseconds) == text) }

    @Test("Every problem has a code and two sentences, and the one for strangers has no path, figure of the disk or address")
    func sentences() {
        let checks: [HealthCheck] = [
            .drain, .silentLoop("x."), .writer(waiting: 9_000), .database(problem: "/var/x"), .disk(free: 77, floor: 99), .disk(free: nil, floor: 1), .folder(mode: 0o755),
            .zones(arePresent: false), .certificate(days: 1), .certificate(problem: "/etc/x is no certificate."), .backup(age: nil, most: 7_777_000), .backup(age: 99_999_000, most: 7_777_000),
            .proxy(.notTrusted), .proxy(.hidesClients),
        ]
        for check in checks {
            #expect(check.state != .ok && check.code?.isEmpty == false && check.reason.hasSuffix(".") && check.sentence.hasSuffix("."), "\(check)")
            #expect(!check.reason.contains("/") && !check.reason.contains("77") && !check.reason.contains("99"), "\(check)")
        }
    }

    @Test("A report is read as it was written, and a damaged one is an error")
    func codec() throws {
        let report = HealthReport([.loop, .disk(free: 1, floor: 2), .proxy(.notTrusted)], isRunning: false)
        let octets = AdminReply.encode(.success(.health(report)))
        guard case .success(.health(let read)) = try AdminReply.decode(octets) else { throw Unexpected("another answer") }
        #expect(read.isRunning == false && read.checks.map(\.sentence) == report.checks.map(\.sentence) && read.checks.map(\.code) == report.checks.map(\.code))
        #expect(read.problems.count == 2 && !read.isReady)
        for count in 11..<octets.count { #expect(throws: JSONError.self, "\(count)") { try AdminReply.decode(Array(octets[..<count])) } }
    }

    @Test("The machine's readings: free space, zone data that is there, missing or damaged, and the time of the last backup")
    func machine() throws {
        let folder = try TemporaryFolder()
        let whole = MachineProbe.read(folder.path)
        #expect((whole.free ?? 0) > 0 && whole.hasZones && whole.backupAt == nil)
        #expect(!MachineProbe.read(folder.path, zones: folder.path).hasZones)
        try Files.makeFolders(folder.path + "/America")
        try Files.write(Array("TZif, but cut".utf8), to: folder.path + "/America/New_York")
        #expect(!MachineProbe.read(folder.path, zones: folder.path).hasZones)
        try Files.write([], to: folder.path + "/" + MachineProbe.backupFile)
        #expect(abs((MachineProbe.read(folder.path).backupAt ?? 0) - Clock.wallMilliseconds()) < 60_000)
        #expect(MachineProbe.read(folder.path + "/nowhere").free == nil)
    }

    // MARK: In a server

    private func ask(_ server: TestShard, _ path: String, from address: String? = nil, _ field: String = "X-Nothing: 1") throws -> (status: Int, content: String) {
        let one = try HTTPTests.ask(server, try server.connect(from: address), HTTPTests.request("GET " + path, field)).list[0]
        #expect(one.head.fields.only("cache-control") == "no-store" && one.head.fields.only("content-type") == "application/json")
        return (one.head.status, one.content)
    }

    @Test("A server that serves is healthy and ready")
    func ready() throws {
        let server = try TestShard()
        #expect(try ask(server, "/healthz") == (200, "{\"status\":\"ok\"}\n"))
        #expect(try ask(server, "/readyz") == (200, "{\"status\":\"ready\",\"reasons\":[]}\n"))
        for _ in 0..<5 {
            server.passWithHealth(milliseconds: 1_000)
            // The test's clock is faster than the writer.
            try server.until("the writer answers") { server.shard.health.hasWriterAnswered }
        }
        #expect(try ask(server, "/readyz").status == 200)
        #expect(!server.lines.all.contains { $0.contains("not_ready") })
    }

    @Test("A writer that stands still makes the server not ready within three seconds, healthy all the while, with one line in the log; then it is ready again")
    func silentWriter() throws {
        let server = try TestShard()
        try server.holdWriter()
        for _ in 0..<2 { server.passWithHealth(milliseconds: 1_000) }
        #expect(try ask(server, "/readyz").status == 200)
        for _ in 0..<8 { server.passWithHealth(milliseconds: 1_000) }
        let (status, content) = try ask(server, "/readyz")
        #expect(status == 503 && content.contains("\"status\":\"not_ready\"") && content.contains("\"code\":\"writer_silent\",\"severity\":\"error\""), "\(content)")
        #expect(try ask(server, "/healthz").status == 200)
        #expect(server.lines.count("event=not_ready reasons=writer_silent") == 1)
        server.letWriterGo()
        try server.until("it is ready") {
            server.passWithHealth(milliseconds: 10)
            return server.lines.count("event=ready_again") == 1
        }
        #expect(try ask(server, "/readyz").status == 200)
    }

    @Test("A writer whose queue is full is asked again, and the server is not ready in the meantime")
    func fullQueue() throws {
        let server = try TestShard()
        try server.holdWriter()
        for _ in 0..<WriterQueue.Class.request.limit { server.shard.workers.write({ _ throws(StoreFailure) in (true, []) }) { (_: Bool?) in } }
        for _ in 0..<4 { server.passWithHealth(milliseconds: 1_000) }
        #expect(try ask(server, "/readyz").status == 503)
        server.letWriterGo()
        try server.until("it is ready") {
            server.passWithHealth(milliseconds: 10)
            return try ask(server, "/readyz").status == 200
        }
    }

    @Test("The machine's state is looked at every five seconds: what is missing is a reason until it is there again")
    func machineInServer() throws {
        let server = try TestShard()
        let zones = try TemporaryFolder()
        try Files.makeFolders(zones.path + "/America")
        let rules = try Files.read(MachineEnvironment.zoneFolder + "/America/New_York")
        try Files.write(rules, to: zones.path + "/America/New_York")
        let probe = MachineProbe(folder: server.folder.path, zones: zones.path)
        defer { probe.stop() }
        server.shard.health.probe = probe
        #expect(try ask(server, "/readyz").status == 200)
        try Files.remove(zones.path + "/America/New_York")
        server.shard.health.settings.freeSpaceFloor = .max
        server.shard.health.settings.backupMaxAge = 1_000
        server.shard.health.certificateDays = { 2 }
        try server.until("all is found") {
            server.passWithHealth(milliseconds: 1_000)
            let (status, content) = try ask(server, "/readyz")
            return status == 503 && ["disk_low", "zones_missing", "certificate_ends", "backup_missing"].allSatisfy { content.contains("\"code\":\"\($0)\"") }
        }
        try Files.write(rules, to: zones.path + "/America/New_York")
        try Files.write([], to: server.folder.path + "/" + MachineProbe.backupFile)
        server.shard.health.settings.freeSpaceFloor = 0
        server.shard.health.settings.backupMaxAge = 3_600_000
        server.shard.health.certificateDays = { 20 }
        try server.until("it is ready") {
            server.passWithHealth(milliseconds: 1_000)
            return try ask(server, "/readyz").status == 200
        }
    }

    @Test("A proxy on this machine that is not trusted is a reason that does not keep new clients away, because every program of this machine could cause it")
    func proxy() throws {
        let server = try TestShard()
        #expect(try ask(server, "/readyz", from: "127.0.0.1") == (200, "{\"status\":\"ready\",\"reasons\":[]}\n"))
        let (status, content) = try ask(server, "/readyz", from: "127.0.0.1", "X-Forwarded-For: 192.0.2.1")
        #expect(status == 200 && content.contains("\"code\":\"proxy_not_trusted\",\"severity\":\"warning\""), "\(content)")
        server.passWithHealth(milliseconds: ProxyWatch.memory)
        #expect(try ask(server, "/readyz") == (200, "{\"status\":\"ready\",\"reasons\":[]}\n"))
    }

    // MARK: The end

    @Test("A drain is announced for two seconds if somebody watches: new connections are served and told, then it drains")
    func notice() throws {
        let server = try TestShard()
        #expect(try ask(server, "/readyz").status == 200)
        server.shard.health.end()
        #expect(!server.shard.drain.isEnding && server.lines.count("event=drain_announced") == 1)
        let (status, content) = try ask(server, "/readyz")
        #expect(status == 503 && content.contains("\"code\":\"draining\""))
        #expect(try ask(server, "/health") == (200, "{\"status\":\"ready\"}\n"))
        #expect(try server.signedIn(server.parent).isReading)
        server.passWithHealth(milliseconds: HealthMonitor.noticeTime - 200)
        #expect(!server.shard.drain.isEnding)
        server.passWithHealth(milliseconds: 300)
        #expect(server.shard.drain.isEnding)
    }

    @Test("Without a watcher, or with one that has gone, a drain begins immediately; a second signal ends the notice")
    func noNotice() throws {
        let unwatched = try TestShard()
        unwatched.shard.health.end()
        #expect(unwatched.shard.drain.isEnding)
        let left = try TestShard()
        #expect(try ask(left, "/readyz").status == 200)
        left.passWithHealth(milliseconds: HealthMonitor.watchTime)
        left.shard.health.end()
        #expect(left.shard.drain.isEnding)
        let twice = try TestShard()
        #expect(try ask(twice, "/readyz").status == 200)
        twice.shard.health.end()
        twice.shard.health.end()
        #expect(twice.shard.drain.isEnding)
    }
}

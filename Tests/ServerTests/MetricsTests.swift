import Bytes
import Crypto
import Family
import HTTP1
import Posix
import EventLoop
import Rooms
import Store
import TestSupport
import Testing
import Wire

@testable import Server

@Suite("Figures for a monitoring program", .serialized)
struct MetricsTests {
    /// A shard, and its figures behind a listener of their own.
    private final class Watched {
        let server: TestShard
        let pool: FilePool
        let metrics: Metrics
        let door: ShortHTTPServer

        init(_ limits: Limits = Limits(), isLoopback: Bool = true, bounds: ShortHTTPServer.Bounds = .init()) throws {
            let server = try TestShard(limits)
            let pool = FilePool(events: server.events, threads: 1, nice: 0, limit: 4)
            let metrics = Metrics(server.shard, pool: pool, database: server.folder.path + "/huddle.db", isLoopback: isLoopback)
            (self.server, self.pool, self.metrics) = (server, pool, metrics)
            door = ShortHTTPServer("metrics_refused", reactor: server.shard.reactor, log: server.lines.log, bounds: bounds) { metrics.answer($0, $1) }
        }

        deinit {
            door.endAll()
            pool.stop()
        }

        func connect(from address: String? = nil) throws -> TestClient {
            var pair = try Socket.Pair()
            let client = TestClient(server, pair.takeFirst())
            door.accept(pair.takeSecond(), from: address.flatMap { NetworkAddress($0) })
            return client
        }

        /// The answer to a request; its connection has ended then.
        func ask(_ line: String = "GET /metrics", host: String = "localhost:9464", _ more: String = "") throws -> (head: ResponseHead, content: [UInt8]) {
            let client = try connect()
            client.send(text: "\(line) HTTP/1.1\r\nHost: \(host)\r\n\(more)\r\n")
            try server.until("the end") { try client.receive(); return client.hasEnded }
            guard let (head, length) = try ResponseHead.parse(client.octets.span) else { throw Unexpected("no response") }
            return (head, Array(client.octets[length...]))
        }

        func figures() throws -> MetricsText {
            let answer = try ask()
            #expect(answer.head.status == 200 && answer.head.fields.only("content-type") == "text/plain; version=0.0.4; charset=utf-8")
            return try MetricsText(answer.content)
        }
    }

    /// Threads whose hashes cost little.
    private static func hashers(_ server: TestShard) throws -> HasherPool {
        let cost = try #require(PasswordHash.Cost(memory: 8, passes: 1, lanes: 1))
        return HasherPool(events: server.events, decoy: try #require(HasherPool.makeDecoy(cost)))
    }

    // MARK: The page

    @Test("A page is well-formed; values in labels are escaped")
    func format() throws {
        var page = MetricsPage()
        page.begin("huddle_a_total", .counter, "A.")
        page.add(3, ("b", "x\"\\\n"), ("c", ""))
        page.one("huddle_d", .gauge, 0.000012, "D.")
        let histogram = Histogram(.batch)
        for value in [1, 2, 3, 300] as [Int64] { histogram.record(value) }
        page.begin("huddle_e", .histogram, "E.")
        page.add(histogram.reading, ("k", "v"))
        let text = try MetricsText(page.octets)
        #expect(page.series == text.series.count)
        #expect(try text.value("huddle_a_total", ["b": "x\"\\\n", "c": ""]) == 3 && text.value("huddle_d") == 0.000012)
        #expect(try text.value("huddle_e_bucket", ["k": "v", "le": "2.0"]) == 2 && text.value("huddle_e_bucket", ["k": "v", "le": "4.0"]) == 3)
        #expect(try text.value("huddle_e_bucket", ["k": "v", "le": "+Inf"]) == 4 && text.value("huddle_e_sum", ["k": "v"]) == 306)
    }

    @Test("The parser of these tests refuses what is not well-formed", arguments: [
        "a 1\n", "# HELP a A.\n# TYPE a gauge\n", "# HELP a A.\n# TYPE a gauge\na 1", "# HELP a A.\n# TYPE a gauge\na 1\na 1\n", "# HELP a A.\n# TYPE a gauge\nb 1\n",
        "# HELP a A.\n# TYPE a counter\na 1\n", "# HELP a A.\n# TYPE a gauge\na{b=1} 1\n", "# HELP a A.\n# TYPE a gauge\na{b=\"\\x\"} 1\n", "# HELP a A.\n# TYPE a gauge\na x\n",
        "# HELP a A.\n# TYPE a histogram\na_bucket{le=\"+Inf\"} 2\na_sum 1\na_count 1\n",
        "# HELP a A.\n# TYPE a histogram\na_bucket{le=\"1\"} 3\na_bucket{le=\"+Inf\"} 2\na_sum 1\na_count 2\n",
    ])
    func parser(text: String) { #expect(throws: Unexpected.self) { try MetricsText(Array(text.utf8)) } }

    @Test("A value counts in the bucket whose bound it does not exceed; histograms of one scale are added up")
    func histogram() {
        let (one, other) = (Histogram(.time), Histogram(.time))
        for value in [0, 1_000_000, 1_000_001, 20_000_000_000] as [Int64] { one.record(value) }
        other.recordShared(1)
        let sum = one.reading + other.reading
        #expect(one.reading.counts.first == 2 && one.reading.counts[1] == 1 && one.reading.counts.last == 1)
        #expect(sum.count == 5 && sum.counts.first == 3 && sum.sum == 20_002_000_002)
    }

    // MARK: Values

    @Test("The figures move with what happens: frames, joins, commits, reads, rejections, requests")
    func values() throws {
        let watched = try Watched()
        let server = watched.server
        let before = try watched.figures()
        for name in ["huddle_frames_received_total", "huddle_commit_seconds_count", "huddle_sessions", "huddle_rooms", "huddle_people_connected"] {
            #expect(try before.value(name) == 0, "\(name)")
        }
        #expect(try before.value("process_open_fds") > 3 && before.value("process_threads") > 3 && before.value("process_resident_memory_bytes") > 1_048_576)
        #expect(try before.value("huddle_database_bytes") > 4_096 && before.value("huddle_wal_bytes") > 0)
        let ana = try server.live(server.parent)
        for number in 1...3 {
            ana.mutate(number)
            try ana.skip(to: "ack \(number)")
        }
        // The rules refuse this one, the hub the next one.
        ana.say("{\"type\":\"mutate\",\"mutation\":4,\"operations\":[{\"op\":\"create\",\"kind\":\"nothing\",\"id\":\"\(Identifier(high: 9, low: 9))\",\"fields\":{}}]}")
        try ana.skip(to: "reject")
        let stranger = try server.signedIn(server.stranger)
        stranger.mutate(1)
        try stranger.skip(to: "reject")
        stranger.join(server.parent.family)
        try stranger.skip(to: "error")
        _ = try HTTPTests.ask(server, try server.connect(), HTTPTests.request("GET /nothing"))
        let after = try watched.figures()
        #expect(try after.value("huddle_frames_received_total") >= 8 && after.value("huddle_frames_sent_total") >= 8)
        #expect(try after.value("huddle_frame_bytes_received_total") > 500 && after.value("huddle_frame_bytes_sent_total") > 500)
        #expect(try after.value("huddle_commit_seconds_count") >= 3 && after.value("huddle_commit_mutations_sum") == 4)
        #expect(try after.value("huddle_mutation_seconds_count") == 4 && after.value("huddle_mutation_seconds_sum") > 0)
        #expect(try after.value("huddle_joins_total", ["resume": "snapshot"]) == 1)
        #expect(try after.value("huddle_rejections_total", ["code": "unknown_kind"]) == 1 && after.value("huddle_rejections_total", ["code": "not_joined"]) == 1)
        #expect(try after.value("huddle_rejections_total", ["code": "not_found"]) == 1)
        #expect(try after.value("huddle_http_responses_total", ["code": "404"]) == 1 && after.value("huddle_http_request_seconds_count") >= 1)
        #expect(try after.value("huddle_sessions") == 2 && after.value("huddle_rooms") == 1 && after.value("huddle_people_connected") == 2)
        #expect(try after.value("huddle_connections", ["kind": "websocket"]) == 2)
        // A reader counts after it has answered.
        try server.until("the reads are counted") { server.shard.workers.readers.counts.reduce(0) { $0 + $1.time(.arrival).reading.count } >= 3 }
        #expect(try after.value("huddle_metrics_scrapes_total") == 2)
        #expect(try after.value("huddle_wal_bytes") > before.value("huddle_wal_bytes"))
        // A client that comes back with its cursor.
        ana.leave()
        let again = try server.signedIn(server.parent)
        again.join(server.parent.family, extra: ",\"cursor\":{\"epoch\":\"\(ana.epoch)\",\"seq\":1}")
        try again.skip(to: "live")
        #expect(try watched.figures().value("huddle_joins_total", ["resume": "changes"]) == 1)
    }

    @Test("Refusals beyond a family's limits are counted by the limit, and a value that the host sets acts on the open room")
    func quotas() throws {
        let watched = try Watched()
        let server = watched.server
        let family = server.parent.family
        func set(_ values: [FamilyQuota: Int]) throws {
            var own = FamilyQuotas()
            for (quota, value) in values { own[quota] = value }
            _ = try server.store { [own] store throws(StoreFailure) in
                try store.perform(.setQuotas(family: family.description, own: own, cleared: Set(FamilyQuota.allCases).subtracting(values.keys)))
            }.get()
        }
        func counted(_ quota: FamilyQuota) throws -> Double { try watched.figures().value("huddle_quota_refusals_total", ["limit": quota.rawValue]) }
        let ana = try server.live(server.parent)
        ana.mutate(1)
        try ana.skip(to: "ack 1")
        try set([.mutations: 1, .burst: 1])
        // The time since the first mutation decides how many find a permit. Not all do.
        for number in 2...9 { ana.mutate(number) }
        var answers: [String] = []
        while answers.count < 8 {
            let word = try ana.next()
            if word.hasPrefix("ack") || word.hasPrefix("reject") { answers.append(word) }
            if word == "end" || word == "reset" { break }
        }
        let refused = Double(answers.count { $0.hasPrefix("reject") })
        #expect(answers.count == 8 && refused > 0)
        #expect(try counted(.mutations) == refused)
        try set([.rows: 1])
        ana.mutate(10)
        try ana.skip(to: "reject")
        #expect(try counted(.rows) == 1 && counted(.mutations) == refused)
        try set([.connections: 1])
        let late = try server.signedIn(server.athlete)
        late.join(family)
        try late.skip(to: "error")
        #expect(try counted(.connections) == 1)
        try set([:])
        late.join(family)
        try late.skip(to: "live")
        ana.mutate(11)
        try ana.skip(to: "ack 11")
        #expect(try watched.figures().value("huddle_rejections_total", ["code": "quota_exceeded"]) == 1)
        try set([.connections: 1])
        try server.until("one connection is closed") { server.shard.hub.hub.connections(of: family) == 1 }
        #expect(try watched.figures().value("huddle_closes_total", ["code": "4004"]) == 1)
    }

    @Test("Waiting jobs, refused jobs, slow readers and connections above the limit are counted")
    func queues() throws {
        var limits = Limits()
        limits.connections = 1
        let watched = try Watched(limits)
        let server = watched.server
        try server.holdWriter()
        let most = WriterQueue.Class.mutation.limit
        #expect(server.fillMutations(most + 7) == most)
        server.shard.tick.everySecond(now: server.shard.reactor.now)
        let first = try server.connect()
        _ = try server.connect()
        let full = try watched.figures()
        #expect(try full.value("huddle_queue_jobs", ["queue": "writer", "class": "mutation"]) == Double(most))
        #expect(try full.value("huddle_queue_refused_total", ["queue": "writer", "class": "mutation"]) == 7)
        #expect(try full.value("huddle_connections_refused_total", ["reason": "full"]) == 1 && full.value("huddle_connections_accepted_total") == 1)
        server.letWriterGo()
        try server.until("the queue is empty") { server.shard.workers.writer.waiting.allSatisfy { $0.count == 0 } }
        first.leave()
    }

    @Test("The page has the same series, fewer than 500, for an empty server and for one with many families, all codes and threads that hash")
    func bound() throws {
        let watched = try Watched()
        let empty = try watched.figures()
        let server = watched.server
        for number in 0..<200 {
            _ = try server.store { store throws(StoreFailure) in
                try store.perform(.createFamily(name: "Family \(number)", zone: "UTC", parent: "Parent \(number)")).0
            }
        }
        for code in ErrorCode.allCases {
            server.shard.hub.counts.note("refused", code.rawValue)
            server.shard.workers.writer.counts.rejections.add(code)
        }
        for code in CloseCode.allCases { server.shard.hub.counts.note("closing", "\(code.rawValue)") }
        // Codes that are in no table, such as those that a client made up.
        server.shard.hub.counts.note("closing", "4999")
        server.shard.hub.counts.note("refused", "no_such_code")
        for status in 100..<600 { server.shard.site.counts.responses.add(status) }
        let family = try server.live(server.parent)
        let full = try watched.figures()
        #expect(full.series == empty.series)
        for code in ErrorCode.allCases { #expect(try full.value("huddle_rejections_total", ["code": code.rawValue]) == 2, "\(code)") }
        #expect(try full.value("huddle_http_responses_total", ["code": "other"]) > 400)
        let hashers = try Self.hashers(server)
        watched.metrics.hashers = hashers
        let all = try watched.figures()
        hashers.stop()
        #expect(all.series.isSuperset(of: full.series) && all.series.count > full.series.count)
        // Those of a certificate, of the machine's probe and of uploads come on top.
        #expect(all.series.count + 6 <= Metrics.maxSeries, "\(all.series.count)")
        #expect(!String(decoding: try watched.ask().content, as: UTF8.self).contains("Family 1"))
        family.leave()
    }

    @Test("docs/METRICS.md has a line for each metric, and for no other")
    func page() throws {
        let watched = try Watched()
        watched.metrics.hashers = try Self.hashers(watched.server)
        let path = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/") + "/docs/METRICS.md"
        let lines = String(decoding: try Files.read(path), as: UTF8.self).split(separator: "\n")
        let listed = lines.drop { $0 != "## All metrics" }.filter { $0.hasPrefix("| `") }.compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        #expect(Set(listed).count == listed.count)
        // They are on the page of a server with a certificate, a probe of the machine, uploads and mail.
        let others: Set = [
            "huddle_certificate_remaining_seconds", "huddle_disk_free_bytes", "huddle_backup_last_success_timestamp_seconds", "huddle_uploads", "huddle_upload_requests",
            "huddle_mail_waiting", "huddle_mail_sent_total", "huddle_mail_failed_total", "huddle_mail_given_up_total",
        ]
        #expect(Set(listed) == Set(try watched.figures().families.keys).union(others))
        watched.metrics.hashers?.stop()
    }

    // MARK: The listener

    @Test("The figures can only be read, at one path, by a name of this machine")
    func requests() throws {
        let watched = try Watched()
        #expect(try watched.ask("POST /metrics", "Content-Length: 0\r\n").head.status == 405)
        #expect(try watched.ask("HEAD /metrics").head.status == 405 && watched.ask("DELETE /metrics").head.fields.only("allow") == "GET")
        #expect(try watched.ask("GET /").head.status == 404 && watched.ask("GET /metrics/").head.status == 404 && watched.ask("GET /metrics?x=1").head.status == 200)
        // A name of somebody else that was made to lead here.
        #expect(try watched.ask(host: "evil.example").head.status == 421 && watched.ask(host: "[::1]:9464").head.status == 200 && watched.ask(host: "127.0.0.1").head.status == 200)
        #expect(try watched.ask("GET /metrics x").head.status == 400)
        let open = try Watched(isLoopback: false)
        #expect(try open.ask(host: "huddle.example:9464").head.status == 200)
        #expect(try watched.ask().head.fields.only("connection") == "close")
        try watched.server.until("all have ended") { watched.door.count == 0 }
    }

    @Test("Connections are bounded, in all and per address; each ends in time, whatever its peer does")
    func connections() throws {
        let watched = try Watched(bounds: .init(connections: 3, connectionsPerAddress: 2))
        let server = watched.server
        let silent = try watched.connect(from: "203.0.113.1")
        let half = try watched.connect(from: "203.0.113.1")
        half.send(text: "GET /metrics HT")
        let third = try watched.connect(from: "203.0.113.1")
        #expect(try third.next() == "end" && watched.door.count == 2)
        let deaf = try watched.connect()
        deaf.isReading = false
        deaf.send(text: "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let fourth = try watched.connect()
        #expect(try fourth.next() == "end" && watched.door.count == 3)
        #expect(server.lines.count("event=metrics_refused") == 2)
        for _ in 0..<20 { server.turn() }
        server.pass(milliseconds: ShortHTTPServer.time + 20)
        try server.until("all have ended") { watched.door.count == 0 }
        #expect(try silent.next() == "end" && half.next() == "end")
        // There is room again.
        #expect(try watched.figures().value("huddle_ready") == 1)
    }

    @Test("A page of 10,000 connections' figures is made in milliseconds", .enabled(if: Environment.value("HUDDLE_SCRAPE") != nil))
    func speed() throws {
        let watched = try Watched()
        var times: [Int64] = []
        for _ in 0..<50 {
            let begun = Clock.monotonicNanoseconds()
            _ = watched.metrics.page(MetricsReading.read(database: watched.server.folder.path + "/huddle.db"))
            times.append((Clock.monotonicNanoseconds() - begun) / 1_000)
        }
        print("page: \(times.sorted()[25]) µs in the middle, \(times.max() ?? 0) µs at most")
    }
}

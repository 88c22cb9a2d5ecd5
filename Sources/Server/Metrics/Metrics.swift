import Bytes
import Family
import HTTP1
import Mail
import Posix
import EventLoop
import Rooms
import Wire

/// `/metrics`: the figures of a server for a monitoring program. Everything runs on the reactor's thread.
///
/// No label depends on families, people or clients: the page has the same series for one family as for ten thousand.
/// `docs/METRICS.md` has a line for each metric; a test compares the two.
final class Metrics {
    /// The largest number of series on a page.
    static let maxSeries = 500

    private let shard: Shard
    private let pool: FilePool
    private let database: String
    /// Set once before the loop runs.
    var uploads: UploadTable?
    /// The threads that hash passwords, if there are any; set once before the loop runs.
    var hashers: HasherPool?
    /// The thread that sends mail, if there is one; set once before the loop runs.
    var mailer: Mailer?
    private let startedAt = Clock.wallMilliseconds()
    private let scrapes = Counter()
    /// Requests must name this machine, because only this machine can connect: a web page whose name was made to
    /// resolve to it must not read the figures.
    private let hosts: OriginPolicy?

    /// - Parameters:
    ///   - pool: reads the figures of the kernel and the disk.
    ///   - database: the path of the database.
    ///   - isLoopback: whether the listener is on a loopback address.
    init(_ shard: Shard, pool: FilePool, database: String, isLoopback: Bool) {
        self.shard = shard
        self.pool = pool
        self.database = database
        var hosts = OriginPolicy()
        hosts.isLoopback = true
        self.hosts = isLoopback ? hosts : nil
    }

    /// The handler of the listener.
    func answer(_ head: RequestHead, _ reply: @escaping (HTTPResponse) -> Void) {
        guard head.method == "GET" else { return reply(HTTPResponse(405, "The figures can only be read. Use GET.", [Field("Allow", "GET")])) }
        guard head.path == "/metrics" else { return reply(HTTPResponse(404, "There is no resource at this address. The figures are at /metrics.")) }
        if let hosts, let authority = head.authority, !hosts.takes(authority.host) {
            return reply(HTTPResponse(421, "This is not a name of this machine. Ask for localhost, or for its address."))
        }
        shard.workers.work(Self.key, on: pool) { [database] in MetricsReading.read(database: database) } then: { [self] (reading: MetricsReading?) in
            guard let reading else { return reply(HTTPResponse(503, "Too many programs are reading the figures. Try again in a moment.")) }
            scrapes.add()
            let fields = [Field("Content-Type", MetricsPage.contentType), Field("Cache-Control", "no-store")]
            reply(HTTPResponse(200, fields, content: page(reading).octets))
        }
    }

    /// All readings share one key, so they are made one after the other.
    private static let key = FilePool.Key(high: 0, low: 0)

    /// The page with the current figures.
    func page(_ reading: MetricsReading) -> MetricsPage {
        var page = MetricsPage()
        writeProcess(&page, reading)
        writeHealth(&page, reading)
        writeConnections(&page)
        writeSessions(&page)
        writeRequests(&page)
        writeWriter(&page)
        writeReaders(&page)
        writeQueues(&page)
        writeMail(&page)
        return page
    }

    private func writeProcess(_ page: inout MetricsPage, _ reading: MetricsReading) {
        page.begin("huddle_build_info", .gauge, "1, with the version of the server.")
        page.add(1, ("version", HuddleVersion.text))
        let usage = reading.usage
        page.one("process_cpu_seconds_total", .counter, Double(usage.processorTime) / 1e9, "Processor time of all threads, seconds.")
        page.one("process_resident_memory_bytes", .gauge, usage.resident, "Memory that is not swapped out.")
        page.one("process_virtual_memory_bytes", .gauge, usage.virtual, "Address space.")
        page.one("process_open_fds", .gauge, usage.openFiles, "Open file descriptors.")
        page.one("process_max_fds", .gauge, usage.maxOpenFiles, "File descriptors that the process may open.")
        page.one("process_threads", .gauge, usage.threads, "Threads.")
        page.one("process_start_time_seconds", .gauge, Double(startedAt) / 1e3, "The time at which the server started, seconds since 1970.")
        page.one("huddle_metrics_scrapes_total", .counter, scrapes.value, "Pages of figures that were made, with this one.")
    }

    private func writeHealth(_ page: inout MetricsPage, _ reading: MetricsReading) {
        let report = shard.health.report(now: shard.reactor.now)
        page.one("huddle_ready", .gauge, report.isReady ? 1 : 0, "1 while the server accepts new clients, as /readyz says.")
        page.begin("huddle_check_state", .gauge, "A check of /readyz: 0 ok, 1 warning, 2 error.")
        for name in HealthCheck.Name.allCases where name != .database && name != .mail {
            let states = report.problems.filter { $0.name == name }.map { $0.state == .error ? 2 : 1 }
            page.add(states.max() ?? 0, ("check", name.rawValue))
        }
        page.begin("huddle_event_loop_lag_seconds", .histogram, "The delay of the timer that is due once per second.")
        page.add(shard.tick.lag.reading)
        page.one("huddle_database_bytes", .gauge, reading.database, "The file of the database.")
        page.one("huddle_wal_bytes", .gauge, reading.writeAheadLog, "The write-ahead log of the database.")
        if let machine = shard.health.probe?.newest.reading {
            page.one("huddle_disk_free_bytes", .gauge, machine.free ?? 0, "Free space on the disk of the data folder; 0 if the disk does not answer.")
            page.one(
                "huddle_backup_last_success_timestamp_seconds", .gauge, Double(machine.backupAt ?? 0) / 1e3,
                "The time at which the last good backup ended, seconds since 1970; 0 without one.")
        }
        if let days = shard.health.certificateDays() {
            page.one("huddle_certificate_remaining_seconds", .gauge, days * 86_400, "The whole days left for the certificate that expires first, in seconds.")
        }
    }

    private func writeConnections(_ page: inout MetricsPage) {
        let table = shard.table
        var (sockets, waiting, most, slow) = (0, 0, 0, 0)
        for connection in table.all {
            if connection.isUpgraded { sockets += 1 }
            let octets = connection.waitingOctets
            guard octets > 0 else { continue }
            slow += 1
            waiting += octets
            most = max(most, octets)
        }
        page.begin("huddle_connections", .gauge, "Open connections by their state.")
        page.add(sockets, ("kind", "websocket"))
        page.add(max(table.all.count - sockets - table.refused - table.handshakes, 0), ("kind", "http"))
        page.add(table.handshakes, ("kind", "handshake"))
        page.add(table.refused, ("kind", "refused"))
        page.one("huddle_connections_limit", .gauge, table.limit, "The largest number of connections.")
        page.one("huddle_connections_accepted_total", .counter, table.counts.accepted.value, "Connections that were served.")
        page.begin("huddle_connections_refused_total", .counter, "Connections that were not served.")
        for (reason, count) in table.counts.refused.values { page.add(count, ("reason", reason.rawValue)) }
        page.one("huddle_tls_failures_total", .counter, table.counts.failedHandshakes.value, "Connections whose TLS failed.")
        page.one("huddle_outbox_bytes", .gauge, waiting, "Octets that wait for their readers, of all connections.")
        page.one("huddle_outbox_largest_bytes", .gauge, most, "Octets that wait for the slowest reader.")
        page.one("huddle_outbox_connections", .gauge, slow, "Connections for which octets wait.")
        page.one("huddle_slow_readers_total", .counter, table.counts.slowReaders.value, "Connections that were closed because they read too slowly.")
    }

    private func writeSessions(_ page: inout MetricsPage) {
        let (hub, counts) = (shard.hub.hub, shard.hub.counts)
        page.one("huddle_sessions", .gauge, hub.openSessions, "WebSockets that the hub knows, signed in or not.")
        page.one("huddle_people_connected", .gauge, hub.connectedPeople, "People who are signed in on a WebSocket.")
        page.one("huddle_rooms", .gauge, hub.openRooms, "Families with at least one member connected.")
        page.one("huddle_pending_mutation_bytes", .gauge, hub.pendingMutationOctets, "Octets of mutations that the writer has not answered.")
        page.one("huddle_snapshot_bytes", .gauge, hub.sentSnapshotOctets, "Octets of snapshots that are being sent.")
        page.one("huddle_frames_received_total", .counter, counts.framesReceived.value, "Frames of clients.")
        page.one("huddle_frame_bytes_received_total", .counter, counts.octetsReceived.value, "Octets of these frames.")
        page.one("huddle_frames_sent_total", .counter, counts.framesSent.value, "Frames to clients.")
        page.one("huddle_frame_bytes_sent_total", .counter, counts.octetsSent.value, "Octets of these frames, before compression.")
        page.begin("huddle_joins_total", .counter, "Joins, by the answer: the changes after the client's cursor, a snapshot, or a snapshot with a reset.")
        for (resume, count) in counts.joins.values { page.add(count, ("resume", resume.rawValue)) }
        page.begin("huddle_closes_total", .counter, "WebSockets that the server closed, by close code.")
        for (code, count) in counts.closes.values { page.add(count, ("code", "\(code.rawValue)")) }
        page.begin("huddle_rejections_total", .counter, "Frames and mutations that were refused, by error code.")
        for (one, other) in zip(counts.rejections.values, shard.workers.writer.counts.rejections.values) {
            page.add(one.count + other.count, ("code", one.label.rawValue))
        }
        page.begin("huddle_quota_refusals_total", .counter, "Refusals because a family has reached a limit, by the limit.")
        let written = shard.workers.writer.counts.quotaRefusals.values
        for (quota, count) in written {
            let uploads = uploads?.quotaRefusals.values.first { $0.label == quota }?.count ?? 0
            page.add(count + uploads + (hub.quotaRefusals[quota] ?? 0), ("limit", quota.rawValue))
        }
    }

    private func writeRequests(_ page: inout MetricsPage) {
        let counts = shard.site.counts
        page.begin("huddle_http_responses_total", .counter, "Responses over HTTP, by status.")
        for (status, count) in counts.responses.values { page.add(count, ("code", status == 0 ? "other" : "\(status)")) }
        page.begin("huddle_http_request_seconds", .histogram, "From the head of a request to the beginning of its response.")
        page.add(counts.time.reading)
        page.one("huddle_content_received_bytes_total", .counter, counts.contentReceived.value, "Octets of uploads.")
        page.one("huddle_content_sent_bytes_total", .counter, counts.contentSent.value, "Octets of files that were downloaded.")
        if let uploads {
            page.one("huddle_uploads", .gauge, uploads.count, "Uploads that are running or ended lately.")
            page.one("huddle_upload_requests", .gauge, uploads.openRequests, "Requests that are at an upload now.")
        }
    }

    private func writeWriter(_ page: inout MetricsPage) {
        let counts = shard.workers.writer.counts
        page.begin("huddle_commit_seconds", .histogram, "A commit, from the first rule to the end of its sync.")
        page.add(counts.commitTime.reading)
        page.begin("huddle_commit_mutations", .histogram, "Mutations, documents and share links that shared a commit.")
        page.add(counts.batchSize.reading)
        page.begin("huddle_mutation_seconds", .histogram, "From a mutation's way to the writer until its receipt is on stable storage.")
        page.add(counts.mutationTime.reading)
    }

    private func writeReaders(_ page: inout MetricsPage) {
        let readers = shard.workers.readers
        page.begin("huddle_read_seconds", .histogram, "A read of the database, without its wait in the queue.")
        for kind in ReaderQueue.Class.allCases {
            let readings = readers.counts.map { $0.time(kind).reading }
            guard var sum = readings.first else { continue }
            for reading in readings.dropFirst() { sum = sum + reading }
            page.add(sum, ("class", kind.rawValue))
        }
        page.one("huddle_reads_failed_total", .counter, readers.counts.reduce(0) { $0 + $1.failed.value }, "Reads that the database failed.")
        page.one("huddle_reads_stopped_total", .counter, readers.counts.reduce(0) { $0 + $1.stopped.value }, "Reads that were stopped because they took too long.")
        guard let hashers else { return }
        page.begin("huddle_hash_seconds", .histogram, "A hash of a password, without its wait in the queue.")
        page.add(hashers.time.reading)
    }

    private func writeMail(_ page: inout MetricsPage) {
        guard let mailer else { return }
        page.one("huddle_mail_waiting", .gauge, mailer.waiting, "Waiting mails at the last attempt.")
        page.one("huddle_mail_sent_total", .counter, mailer.counts.sent.value, "Mails that the mail server has accepted.")
        page.begin("huddle_mail_failed_total", .counter, "Failed attempts to send a mail, by reason.")
        for (reason, count) in mailer.counts.failed.values { page.add(count, ("reason", reason.rawValue)) }
        page.begin("huddle_mail_given_up_total", .counter, "Mails that were abandoned: refused, or late.")
        for (problem, count) in mailer.counts.givenUp.values { page.add(count, ("problem", problem.rawValue)) }
    }

    private func writeQueues(_ page: inout MetricsPage) {
        let workers = shard.workers
        page.begin("huddle_queue_jobs", .gauge, "Jobs that wait for other threads.")
        for (kind, count) in workers.writer.waiting { page.add(count, ("queue", "writer"), ("class", kind.rawValue)) }
        for (kind, count) in workers.readers.waiting { page.add(count, ("queue", "readers"), ("class", kind.rawValue)) }
        page.add(workers.files.count, ("queue", "files"), ("class", "all"))
        if let hashers { page.add(hashers.count, ("queue", "hashers"), ("class", "all")) }
        page.begin("huddle_queue_refused_total", .counter, "Jobs that found no room.")
        for (kind, count) in workers.counts.writerRefused.values { page.add(count, ("queue", "writer"), ("class", kind.rawValue)) }
        for (kind, count) in workers.counts.readerRefused.values { page.add(count, ("queue", "readers"), ("class", kind.rawValue)) }
        if let hashers { page.add(hashers.refused.value, ("queue", "hashers"), ("class", "all")) }
    }
}

@available(*, unavailable) extension Metrics: Sendable {}

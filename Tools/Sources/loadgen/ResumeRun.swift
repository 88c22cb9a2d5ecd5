import JSON
import Posix
import EventLoop
import Wire

/// The figures of a crowd that resumes after a restart of the server.
struct ResumeReport {
    var connections = 0
    /// From the first connection until the last one was live, nanoseconds.
    var took: Int64 = 0
    /// From the start of a connection until it was live.
    var waits = Histogram()
    /// Connections that got a snapshot instead of the changes after their cursor.
    var snapshots = 0

    /// No connection may wait longer, nanoseconds.
    static let longestWait: Int64 = 5_000_000_000

    var perSecond: Int64 { took == 0 ? 0 : Int64(connections) * 1_000_000_000 / took }
    var isFaultless: Bool { snapshots == 0 && waits.maximum <= Self.longestWait }

    var text: String {
        """
        \(connections) connections resumed in \(Figures.milliseconds(took)) ms: \(perSecond) per second, \(snapshots) with a snapshot
        from connect to live: p50 \(Figures.milliseconds(waits.percentile(0.5))) ms, p99 \(Figures.milliseconds(waits.percentile(0.99))) ms, \
        worst \(Figures.milliseconds(waits.maximum)) ms

        """
    }

    var json: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("mode")
        json.string("resume")
        let numbers: [(StaticString, Int64)] = [
            ("connections", Int64(connections)), ("took_ns", took), ("per_second", perSecond), ("snapshots", Int64(snapshots)),
            ("p50_ns", waits.percentile(0.5)), ("p99_ns", waits.percentile(0.99)), ("max_ns", waits.maximum),
        ]
        for (key, number) in numbers {
            json.key(key)
            json.integer(number)
        }
        json.endObject()
        return json.octets + [UInt8(ascii: "\n")]
    }
}

/// One crowd joins and notes its cursors; after a restart of the server another crowd resumes from them.
final class ResumeRun: ClientPool {
    private var cursors: [Cursor?]
    private var report = ResumeReport()
    private var started: [Int64]

    init(target: LoadTarget, cursors: [Cursor?], atOnce: Int) throws(Errno) {
        self.cursors = cursors
        started = Array(repeating: 0, count: cursors.count)
        try super.init(target: target, maxConnecting: atOnce)
    }

    static func run(_ plan: ResumePlan) throws -> ResumeReport {
        let cursors = try noteCursors(plan)
        Standard.write(error: "\(plan.connections) connections have a cursor. Restart the server, then send a line.\n")
        guard readLine() != nil else { throw LoadFailure("Standard input ended before a line came.") }

        let again = try ResumeRun(target: plan.target, cursors: cursors, atOnce: plan.atOnce)
        let begun = Clock.monotonicNanoseconds()
        try again.connect(count: plan.connections, members: plan.target.members)
        again.report.took = Clock.monotonicNanoseconds() - begun
        again.report.connections = plan.connections
        again.leave()
        return again.report
    }

    /// The connections end with this function: a process may not hold twice their number.
    private static func noteCursors(_ plan: ResumePlan) throws -> [Cursor?] {
        let pool = try ResumeRun(target: plan.target, cursors: Array(repeating: nil, count: plan.connections), atOnce: plan.atOnce)
        try pool.connect(count: plan.connections, members: plan.target.members)
        pool.leave()
        return pool.cursors
    }

    override func cursor(_ connection: Int) -> Cursor? { cursors[connection] }

    override func willConnect(_ connection: Int) { started[connection] = Clock.monotonicNanoseconds() }

    override func received(_ kind: ServerFrameKind, _ frame: UnsafeRawBufferPointer, _ connection: LoadConnection) {
        guard kind == .joined, case .joined(let joined)? = try? ServerFrame.decode(frame) else { return }
        if cursors[connection.index] != nil, !joined.resumesByChanges { report.snapshots += 1 }
        cursors[connection.index] = Cursor(epoch: joined.epoch, sequence: joined.sequence)
    }

    override func didBecomeLive(_ connection: LoadConnection, _ frame: UnsafeRawBufferPointer) {
        super.didBecomeLive(connection, frame)
        report.waits.record(Clock.monotonicNanoseconds() - started[connection.index])
    }
}

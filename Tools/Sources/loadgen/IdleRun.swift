import JSON
import Posix
import EventLoop

/// Memory and CPU that connections cost which do nothing.
struct IdleReport {
    var connections = 0
    /// Milliseconds until all were live.
    var connectTime: Int64 = 0
    var before = ProcessUse.Memory(resident: 0, private: 0)
    var after = ProcessUse.Memory(resident: 0, private: 0)
    /// While they were held: length and CPU time, nanoseconds.
    var held: Int64 = 0
    var serverCPU: Int64 = 0
    var closedEarly = 0
    var failure: String?

    var residentEach: Int64 { (after.resident - before.resident) / Int64(max(1, connections)) }
    var privateEach: Int64 { (after.private - before.private) / Int64(max(1, connections)) }

    var text: String {
        var text = """
            \(connections) idle connections, joined in \(connectTime) ms
            octets each: resident \(residentEach), private \(privateEach) (server \(before.resident) -> \(after.resident) resident)
            server CPU while held: \(Figures.microseconds(serverCPU)) us in \(Figures.milliseconds(held)) ms

            """
        if closedEarly > 0 { text += "\(closedEarly) connections were closed: \(failure ?? "")\n" }
        return text
    }

    var json: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("mode")
        json.string("idle")
        let numbers: [(StaticString, Int64)] = [
            ("connections", Int64(connections)), ("connect_ms", connectTime), ("resident_before", before.resident),
            ("resident_after", after.resident), ("private_before", before.private), ("private_after", after.private),
            ("resident_each", residentEach), ("private_each", privateEach), ("held_ns", held), ("server_cpu_ns", serverCPU),
            ("closed_early", Int64(closedEarly)),
        ]
        for (key, number) in numbers {
            json.key(key)
            json.integer(number)
        }
        json.endObject()
        return json.octets + [UInt8(ascii: "\n")]
    }
}

enum IdleRun {
    static func run(_ plan: IdlePlan) throws -> IdleReport {
        guard let pid = plan.target.pid, let before = ProcessUse.memory(pid: pid) else {
            throw LoadFailure("The memory of the server cannot be read: is --pid the server's, and may you look at it?")
        }
        let pool = try ClientPool(target: plan.target)
        var report = IdleReport(connections: plan.connections, before: before)
        let start = Clock.monotonicMilliseconds()
        try pool.connect(count: plan.connections, members: plan.target.members)
        report.connectTime = Clock.monotonicMilliseconds() - start
        let cpu = ProcessUse.cpu(pid: pid) ?? 0
        let begun = Clock.monotonicNanoseconds()
        while Clock.monotonicNanoseconds() < begun + plan.hold, pool.lost == 0 { pool.reactor.tick(waitingAtMost: 100) }
        report.held = Clock.monotonicNanoseconds() - begun
        guard let after = ProcessUse.memory(pid: pid), let cpuAfter = ProcessUse.cpu(pid: pid) else {
            throw LoadFailure("The server has gone.")
        }
        report.after = after
        report.serverCPU = cpuAfter - cpu
        report.closedEarly = pool.lost
        report.failure = pool.failure
        pool.leave()
        return report
    }
}

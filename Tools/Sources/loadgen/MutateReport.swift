import JSON

/// The counters of a run.
struct MutateTally {
    var acks = 0
    var deliveries = 0
    /// Frames that nobody should have got: another family's, or an answer to somebody who asked nothing.
    var strays = 0
    /// `error` frames, and changes without a sequence.
    var errors = 0
    /// Nanoseconds from the intended time.
    var ack = Histogram()
    var delivery = Histogram()
    var lag = Histogram()
    /// The first refusal, as the server wrote it.
    private(set) var firstRefusal: String?

    mutating func note(_ frame: UnsafeRawBufferPointer) {
        if firstRefusal == nil { firstRefusal = String(decoding: frame.prefix(400), as: UTF8.self) }
    }
}

/// The result of a run.
struct MutateReport {
    let plan: MutatePlan
    let tally: MutateTally

    /// Of the measured window: its length, what arrived in it, CPU time spent in it.
    var nanoseconds: Int64 = 1
    var acks = 0
    var deliveries = 0
    var ownCPU: Int64 = 0
    var serverCPU: Int64?

    // Of the whole run.
    var sent = 0
    var rejected = 0
    var unanswered = 0
    /// Messages that were due and never left.
    var unsent = 0
    var unexpectedAnswers = 0
    var lost = 0
    var duplicated = 0
    var outOfOrder = 0
    var sequenceMissing: Int64 = 0
    var sequenceRepeated = 0
    var closedEarly = 0
    var failure: String?

    init(plan: MutatePlan, tally: MutateTally) {
        self.plan = plan
        self.tally = tally
    }

    /// The counts that must be 0; anything else is a broken promise of the server.
    var faults: [(name: StaticString, count: Int64)] {
        [
            ("lost", Int64(lost)), ("duplicated", Int64(duplicated)), ("out_of_order", Int64(outOfOrder)),
            ("sequence_missing", sequenceMissing), ("sequence_repeated", Int64(sequenceRepeated)), ("rejected", Int64(rejected)),
            ("unanswered", Int64(unanswered)), ("unexpected_answers", Int64(unexpectedAnswers)), ("strays", Int64(tally.strays)),
            ("errors", Int64(tally.errors)), ("closed_early", Int64(closedEarly)),
        ]
    }

    /// A run in which nothing was answered has shown nothing.
    var isFaultless: Bool { faults.allSatisfy { $0.count == 0 } && acks > 0 }

    func perSecond(_ count: Int) -> Int64 { Int64((Double(count) * 1e9 / Double(nanoseconds)).rounded()) }

    /// Nanoseconds of the server's CPU for each of `count`.
    func serverCPU(per count: Int) -> Int64? {
        guard let serverCPU, count > 0 else { return nil }
        return serverCPU / Int64(count)
    }

    /// Thousandths of one core.
    func share(_ cpu: Int64) -> Int64 { cpu * 1_000 / nanoseconds }

    // MARK: Text

    var text: String {
        var lines: [String] = []
        let shape = "\(plan.families) families x \(plan.target.members), \(plan.publishers) publishing each"
        switch plan.pace {
        case .closed(let window): lines.append("\(shape), \(window) in flight, \(plan.size) octets")
        case .open(let rate): lines.append("\(shape), \(rate) messages/s on schedule, \(plan.size) octets")
        }
        lines.append("acks/s \(perSecond(acks))   deliveries/s \(perSecond(deliveries))   over \(Figures.milliseconds(nanoseconds)) ms")
        lines.append("latency, us     p50       p90       p99     p99.9       max")
        for (name, histogram) in [("ack     ", tally.ack), ("delivery", tally.delivery), ("send lag", tally.lag)] {
            lines.append(name + " " + Figures.columns(histogram))
        }
        if let serverCPU {
            let mutation = self.serverCPU(per: acks).map { Figures.microseconds($0) } ?? "-"
            let delivery = self.serverCPU(per: deliveries).map { Figures.microseconds($0) } ?? "-"
            lines.append(
                "server CPU \(Figures.percent(share(serverCPU))) of a core: \(mutation) us a mutation, \(delivery) us a delivery")
        }
        lines.append("generator CPU \(Figures.percent(share(ownCPU))) of a core")
        if unsent > 0 { lines.append("\(unsent) messages were due and never left: the server takes less than the schedule asks") }
        let found = faults.filter { $0.count > 0 }
        lines.append("sent \(sent), each reached all of its family once and in order: \(found.isEmpty ? "yes" : "NO")")
        for fault in found { lines.append("  \(fault.name): \(fault.count)") }
        if acks == 0 { lines.append("  nothing was answered in the measured window") }
        if let refusal = tally.firstRefusal { lines.append("  first refusal: \(refusal)") }
        if let failure { lines.append("  \(failure)") }
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: JSON

    /// One object on one line: counts, and times in nanoseconds.
    var json: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        func add(_ key: StaticString, _ number: Int64, _ json: inout JSONWriter) {
            json.key(key)
            json.integer(number)
        }
        json.key("mode")
        json.string("mutate")
        add("families", Int64(plan.families), &json)
        add("members", Int64(plan.target.members), &json)
        add("publishers", Int64(plan.publishers), &json)
        switch plan.pace {
        case .closed(let window): add("window", Int64(window), &json)
        case .open(let rate): add("rate", Int64(rate), &json)
        }
        add("size", Int64(plan.size), &json)
        add("measured_ns", nanoseconds, &json)
        add("sent", Int64(sent), &json)
        add("unsent", Int64(unsent), &json)
        add("acks", Int64(acks), &json)
        add("acks_per_s", perSecond(acks), &json)
        add("deliveries", Int64(deliveries), &json)
        add("deliveries_per_s", perSecond(deliveries), &json)
        for (name, histogram) in [("ack", tally.ack), ("delivery", tally.delivery), ("send_lag", tally.lag)] {
            json.key(name)
            Figures.encode(histogram, into: &json)
        }
        if let serverCPU {
            add("server_cpu_ns", serverCPU, &json)
            if let each = self.serverCPU(per: acks) { add("server_cpu_ns_per_mutation", each, &json) }
            if let each = self.serverCPU(per: deliveries) { add("server_cpu_ns_per_delivery", each, &json) }
        }
        add("generator_cpu_ns", ownCPU, &json)
        for fault in faults { add(fault.name, fault.count, &json) }
        json.key("ok")
        json.boolean(isFaultless)
        json.endObject()
        return json.octets + [UInt8(ascii: "\n")]
    }
}

/// Numbers for people, without Foundation.
enum Figures {
    /// Microseconds with one digit behind the point.
    static func microseconds(_ nanoseconds: Int64) -> String {
        let tenths = (nanoseconds + 50) / 100
        return "\(tenths / 10).\(tenths % 10)"
    }

    static func milliseconds(_ nanoseconds: Int64) -> String { String((nanoseconds + 500_000) / 1_000_000) }

    static func percent(_ thousandths: Int64) -> String { "\(thousandths / 10).\(thousandths % 10) %" }

    static let percentiles: [(name: StaticString, fraction: Double)] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99_9", 0.999)]

    static func columns(_ histogram: Histogram) -> String {
        let values = percentiles.map { histogram.percentile($0.fraction) } + [histogram.maximum]
        return values.map { value in
            let text = microseconds(value)
            return String(repeating: " ", count: max(1, 10 - text.count)) + text
        }.joined()
    }

    static func encode(_ histogram: Histogram, into json: inout JSONWriter) {
        json.beginObject()
        json.key("count")
        json.integer(Int64(histogram.count))
        for (name, fraction) in percentiles {
            json.key(name)
            json.integer(histogram.percentile(fraction))
        }
        json.key("max")
        json.integer(histogram.maximum)
        json.endObject()
    }
}

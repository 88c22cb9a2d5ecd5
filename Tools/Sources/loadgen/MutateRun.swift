import Posix
import EventLoop

/// Publishes messages at a pace and checks what comes of each.
///
/// Latency is counted from the moment at which a message was meant to leave, so that a late generator or a stalled server shows in full.
final class MutateRun: ClientPool {
    private let plan: MutatePlan
    private var frame: MutateFrame
    private var publishers: [AckLedger]
    private var receivers: [Receiver]
    private var tally = MutateTally()
    private var isPublishing = false
    /// Messages whose intended time lies within are measured, monotonic nanoseconds.
    private var window: Range<Int64> = 0..<0
    private var begun: Sample?
    private var ended: Sample?
    private var timer: PaceTimer?
    /// Of the open loop: when message 0 was meant to leave, and the next message.
    private var scheduleStart: Int64 = 0
    private var scheduled: Int64 = 0
    private var mutationHint = 0
    private var sequenceHint = 0
    private var tokenHint = 0

    /// One connection's view of its family.
    private struct Receiver {
        var sequence = SequenceCheck(head: 0)
        var deliveries: [DeliveryCheck]
    }

    /// Counters at one moment.
    private struct Sample {
        let time = Clock.monotonicNanoseconds()
        let own = ProcessUse.own()
        let server: Int64?
        let acks: Int
        let deliveries: Int
    }

    init(plan: MutatePlan) throws(Errno) {
        self.plan = plan
        frame = MutateFrame(size: plan.size)
        let limit: Int
        switch plan.pace {
        case .closed(let window): limit = window
        case .open: limit = MutatePlan.maxWindow
        }
        publishers = Array(repeating: AckLedger(limit: limit), count: plan.families * plan.publishers)
        receivers = Array(
            repeating: Receiver(deliveries: Array(repeating: DeliveryCheck(), count: plan.publishers)),
            count: plan.families * plan.target.members)
        try super.init(target: plan.target)
    }

    /// Connects, publishes, waits for what is under way, leaves.
    func run() throws(LoadFailure) -> MutateReport {
        try connect(count: plan.families * plan.target.members, members: plan.target.members)
        start()
        while Clock.monotonicNanoseconds() < window.upperBound, live > 0 { reactor.tick(waitingAtMost: 5) }
        stop()
        let deadline = Clock.monotonicNanoseconds() + plan.drain
        while !isComplete, Clock.monotonicNanoseconds() < deadline, live > 0 { reactor.tick(waitingAtMost: 5) }
        let report = report()
        leave()
        return report
    }

    private func start() {
        let now = Clock.monotonicNanoseconds()
        window = (now + plan.warmup)..<(now + plan.warmup + plan.duration)
        isPublishing = true
        switch plan.pace {
        case .closed(let window):
            for publisher in publishers.indices { for _ in 0..<window { publish(publisher, intended: Clock.monotonicNanoseconds()) } }
        case .open:
            scheduleStart = now
            timer = try? PaceTimer(reactor: reactor) { [unowned self] in self.publishDue() }
            timer?.arm(now)
        }
        beforeSleep()
    }

    private func stop() {
        // Late by the length of a tick at most; what was meant to leave before the end has to.
        if case .open = plan.pace { publishDue() }
        isPublishing = false
        timer?.arm(nil)
        if begun == nil { begun = sample() }
        if ended == nil { ended = sample() }
        beforeSleep()
    }

    // MARK: Publishing

    private func publishDue() {
        guard case .open(let rate) = plan.pace, isPublishing else { return }
        func time(_ number: Int64) -> Int64 { scheduleStart + number * 1_000_000_000 / Int64(rate) }
        let now = Clock.monotonicNanoseconds()
        while case let intended = time(scheduled), intended <= now, intended < window.upperBound {
            let publisher = Int(scheduled % Int64(publishers.count))
            scheduled += 1
            // In order: what waits goes first.
            if publishers[publisher].hasRoom, publishers[publisher].unsent == 0 {
                publish(publisher, intended: intended)
            } else {
                publishers[publisher].wait(intended: intended)
            }
        }
        timer?.arm(time(scheduled))
    }

    private func publish(_ publisher: Int, intended: Int64) {
        let (family, place) = publisher.quotientAndRemainder(dividingBy: plan.publishers)
        let index = family * plan.target.members + place
        let number = publishers[publisher].send(intended: intended)
        frame.write(
            mutation: number, record: recordID(connection: index, number: number),
            token: LoadToken(run: runID, family: Int64(family), publisher: Int64(place), number: number, intended: intended))
        connections[index].send(frame.octets)
        if window.contains(intended) { tally.lag.record(Clock.monotonicNanoseconds() - intended) }
    }

    // MARK: What comes back

    override func didBecomeLive(_ connection: LoadConnection, _ frame: UnsafeRawBufferPointer) {
        super.didBecomeLive(connection, frame)
        var hint = 0
        let head = Scan.number(after: ServerFrameKind.sequenceKey, in: frame, hint: &hint)
        receivers[connection.index].sequence = SequenceCheck(head: head ?? 0)
    }

    override func received(_ kind: ServerFrameKind, _ frame: UnsafeRawBufferPointer, _ connection: LoadConnection) {
        switch kind {
        case .change: didDeliver(frame, connection)
        case .ack: didAnswer(frame, connection, isAck: true)
        case .reject:
            tally.note(frame)
            didAnswer(frame, connection, isAck: false)
        case .error:
            tally.note(frame)
            tally.errors += 1
        case .welcome, .joined, .live, .other: break
        }
    }

    private func didDeliver(_ frame: UnsafeRawBufferPointer, _ connection: LoadConnection) {
        let now = Clock.monotonicNanoseconds()
        guard let sequence = Scan.number(after: ServerFrameKind.sequenceKey, in: frame, hint: &sequenceHint) else {
            tally.errors += 1
            return
        }
        receivers[connection.index].sequence.receive(sequence)
        guard let token = LoadToken.find(in: frame, hint: &tokenHint), token.run == runID else { return }
        guard token.family == connection.family, token.publisher >= 0, token.publisher < plan.publishers else {
            tally.strays += 1
            return
        }
        receivers[connection.index].deliveries[Int(token.publisher)].receive(token.number)
        tally.deliveries += 1
        if window.contains(token.intended) { tally.delivery.record(now - token.intended) }
    }

    private func didAnswer(_ frame: UnsafeRawBufferPointer, _ connection: LoadConnection, isAck: Bool) {
        let now = Clock.monotonicNanoseconds()
        guard connection.member < plan.publishers,
            let number = Scan.number(after: ServerFrameKind.mutationKey, in: frame, hint: &mutationHint)
        else {
            tally.strays += 1
            return
        }
        let publisher = connection.family * plan.publishers + connection.member
        guard let intended = publishers[publisher].answer(number, isAck: isAck) else { return }
        if isAck {
            tally.acks += 1
            if window.contains(intended) { tally.ack.record(now - intended) }
        }
        switch plan.pace {
        case .closed: if isPublishing { publish(publisher, intended: now) }
        case .open: if let next = publishers[publisher].takeWaiting() { publish(publisher, intended: next) }
        }
    }

    override func beforeSleep() {
        super.beforeSleep()
        guard begun == nil || ended == nil, !window.isEmpty else { return }
        let now = Clock.monotonicNanoseconds()
        if begun == nil, now >= window.lowerBound { begun = sample() }
        if ended == nil, now >= window.upperBound { ended = sample() }
    }

    private func sample() -> Sample {
        Sample(server: plan.target.pid.flatMap { ProcessUse.cpu(pid: $0) }, acks: tally.acks, deliveries: tally.deliveries)
    }

    /// Every message was answered and reached every member.
    private var isComplete: Bool {
        publishers.allSatisfy { $0.outstanding == 0 && $0.unsent == 0 } && receivers.indices.allSatisfy { lost(at: $0) == 0 }
    }

    /// Messages that a receiver should have got and did not.
    private func lost(at receiver: Int) -> Int {
        let first = receiver / plan.target.members * plan.publishers
        return receivers[receiver].deliveries.enumerated().reduce(0) { lost, each in
            let publisher = publishers[first + each.offset]
            return lost + each.element.lost(of: publisher.sent - Int64(publisher.rejected))
        }
    }

    // MARK: The report

    private func report() -> MutateReport {
        var report = MutateReport(plan: plan, tally: tally)
        if let begun, let ended, ended.time > begun.time {
            report.nanoseconds = ended.time - begun.time
            report.acks = ended.acks - begun.acks
            report.deliveries = ended.deliveries - begun.deliveries
            report.ownCPU = ended.own - begun.own
            if let before = begun.server, let after = ended.server { report.serverCPU = after - before }
        }
        for publisher in publishers {
            report.sent += Int(publisher.sent)
            report.rejected += publisher.rejected
            report.unanswered += publisher.outstanding
            report.unsent += publisher.unsent
            report.unexpectedAnswers += publisher.unexpected
        }
        for (index, receiver) in receivers.enumerated() {
            report.lost += lost(at: index)
            for check in receiver.deliveries {
                report.duplicated += check.duplicates
                report.outOfOrder += check.late
            }
            report.sequenceMissing += receiver.sequence.missing
            report.sequenceRepeated += receiver.sequence.repeated
        }
        report.closedEarly = lost
        report.failure = failure
        return report
    }
}

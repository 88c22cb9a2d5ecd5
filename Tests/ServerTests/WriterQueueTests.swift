import Bytes
import Family
import EventLoop
import Rooms
import Store
import Testing

@testable import Server

@Suite("Jobs that wait for the writer")
struct WriterQueueTests {
    private static func proposals(_ numbers: Range<Int>) -> [Proposal] {
        numbers.map { number in
            let mutation = Mutation(client: Identifier(high: 1, low: 1), id: Int64(number), operations: [])
            return Proposal(family: Identifier(high: 1, low: 2), member: Identifier(high: 1, low: 3), context: .all, mutation: mutation, session: 1)
        }
    }

    /// A job of each class that has jobs; the number shows in `told`.
    private static func job(_ kind: WriterQueue.Class, _ number: UInt64 = 0) -> WriterJob {
        switch kind {
        case .revocation, .mutation, .proposal: preconditionFailure("these are no jobs")
        case .admin: .admin(number, .demo)
        case .request: .request(number) { _ throws(StoreFailure) in (true, []) }
        case .stranger: .command(number, .redeem(code: "", nonce: "00", name: nil, session: nil))
        case .transfer: .exported(ExportNote(family: Identifier(high: 0, low: 1), athletes: [], isPrivate: false), answer: .init(limit: 1))
        case .sweep: .forget([], answer: .init(limit: 1))
        case .mail: .mail(.claim(isFirst: false), answer: .init(limit: 1))
        case .usage: .usage(UsageNotes())
        case .maintenance: .maintenance
        case .reminders: .reminders
        }
    }

    private static let jobKinds = WriterQueue.Class.allCases.filter { ![.revocation, .mutation, .proposal].contains($0) }

    /// The next job, in short words.
    private static func told(_ work: WriterQueue.Work?) -> String {
        switch work {
        case nil: "nothing"
        case .revocations(let revocations)?: "revoke \(revocations.map { if case .session(let number) = $0 { "\(number)" } else { "link" } }.joined(separator: " "))"
        case .batch(let proposals, let requests)?:
            "mutate \(proposals.first?.mutation.id ?? -1)..<\((proposals.last?.mutation.id ?? -2) + 1)"
                + (requests.isEmpty ? "" : " propose \(requests.map { "\($0.ticket)" }.joined(separator: " "))")
        case .job(.admin(let number, _))?: "admin \(number)"
        case .job(.request(let number, _))?: "request \(number)"
        case .job(.command(let number, _))?: "stranger \(number)"
        case .job(let job)?: job.kind?.rawValue ?? "stop"
        }
    }

    private static func requests(_ tickets: Range<UInt64>, of family: UInt64 = 2) -> [RequestProposal] {
        let id = Identifier(high: 1, low: family)
        return tickets.map { RequestProposal(ticket: $0, request: .share(NewShare(family: id, member: id, document: id, school: id))) }
    }

    @Test("Proposals of requests are in the batch of the mutations, families in turn, and those that were not done come first again")
    func proposals() {
        var queue = WriterQueue()
        #expect(queue.put(Self.requests(0..<2)) == 2 && queue.put(Self.requests(10..<12, of: 7)) == 2)
        #expect(queue.put(Self.proposals(0..<3)) == 3)
        #expect(queue.isAwaited(besides: Identifier(high: 1, low: 2)))
        guard case .batch(let mutations, let requests)? = queue.take() else { return #expect(Bool(false), "no batch") }
        #expect(mutations.map(\.mutation.id) == [0, 1, 2] && requests.map(\.ticket) == [0, 10, 1, 11])
        #expect(queue.take() == nil)
        queue.putBack(Array(mutations.suffix(1)), of: [], Array(requests.suffix(2)))
        #expect(Self.told(queue.take()) == "mutate 2..<3 propose 1 11")
        // Without mutations, too; a job of another class is next then.
        _ = queue.put(Self.requests(20..<21))
        _ = queue.put(Self.job(.admin, 1))
        #expect(Self.told(queue.take()) == "admin 1")
        #expect(Self.told(queue.take()) == "mutate -1..<-1 propose 20")
    }

    @Test("As many proposals wait as their bound says, and one batch has 64 at most")
    func proposalBounds() {
        var queue = WriterQueue()
        let limit = UInt64(WriterQueue.Class.proposal.limit)
        #expect(queue.put(Self.requests(0..<limit + 2)) == Int(limit))
        #expect(queue.takeRefusals() == [WriterQueue.Refusal(kind: .proposal, waiting: Int(limit), refused: 2)])
        guard case .batch(_, let requests)? = queue.take() else { return #expect(Bool(false), "no batch") }
        #expect(requests.count == FamilyStore.maxRequests)
    }

    @Test("each class accepts its bounded number of jobs and not one more, however full the others are", arguments: jobKinds)
    func bounds(kind: WriterQueue.Class) {
        var queue = WriterQueue()
        for other in Self.jobKinds where other != kind {
            while queue.put(Self.job(other)) {}
        }
        _ = queue.put(Self.proposals(0..<WriterQueue.Class.mutation.limit + 1))
        _ = queue.takeRefusals()
        for _ in 0..<kind.limit { #expect(queue.put(Self.job(kind)) == true) }
        #expect(queue.takeRefusals() == [])
        #expect(queue.put(Self.job(kind)) == false)
        #expect(queue.waiting(kind) == kind.limit)
        let refusal = WriterQueue.Refusal(kind: kind, waiting: kind.limit, refused: 1)
        #expect(queue.takeRefusals() == (kind.isMerged ? [] : [refusal]))
        #expect(queue.takeRefusals() == [])
    }

    @Test("mutations are taken up to their bound, the first of a tick; the others are refused")
    func mutations() {
        var queue = WriterQueue()
        let limit = WriterQueue.Class.mutation.limit
        #expect(queue.put(Self.proposals(0..<limit - 2)) == limit - 2)
        #expect(queue.put(Self.proposals(0..<5)) == 2)
        #expect(queue.put(Self.proposals(0..<1)) == 0)
        #expect(queue.put([Proposal]()) == 0)
        #expect(queue.takeRefusals() == [.init(kind: .mutation, waiting: limit, refused: 4)])
        var taken = 0
        while case .batch(let batch, _)? = queue.take() {
            #expect(batch.count <= FamilyStore.maxBatch)
            taken += batch.count
        }
        #expect(taken == limit && queue.waiting(.mutation) == 0)
        #expect(queue.put(Self.proposals(0..<1)) == 1)
    }

    @Test("revocations have room for all that can be pending, overtake everything, and go together")
    func revocations() {
        var queue = WriterQueue()
        for kind in Self.jobKinds { _ = queue.put(Self.job(kind)) }
        _ = queue.put(Self.proposals(0..<600))
        #expect(Self.told(queue.take()) == "mutate 0..<256")
        #expect(queue.put(.session(1)) == true)
        #expect(queue.put(.session(2)) == true)
        #expect(!queue.isBetweenRounds)
        #expect(Self.told(queue.take()) == "revoke 1 2")
        // A member who keeps ending rights does not stop others.
        #expect(queue.put(.session(3)) == true)
        #expect(Self.told(queue.take()) == "admin 0")
        #expect(Self.told(queue.take()) == "revoke 3")
        #expect(Self.told(queue.take()) == "mutate 256..<512")
        for number in 0..<WriterQueue.Class.revocation.limit { #expect(queue.put(.session(Int64(number))) == true) }
        #expect(queue.put(.session(-1)) == false)
        #expect(queue.takeRefusals() == [.init(kind: .revocation, waiting: WriterQueue.Class.revocation.limit, refused: 1)])
        var taken = 0
        while let work = queue.take() {
            guard case .revocations(let batch) = work else { continue }
            #expect(batch.count <= FamilyStore.maxBatch)
            taken += batch.count
        }
        #expect(taken == WriterQueue.Class.revocation.limit)
    }

    @Test("mutations go before other jobs, of which one is done after the mutations that waited when it was their turn")
    func order() {
        var queue = WriterQueue()
        for number in 1...3 { _ = queue.put(Self.job(.request, UInt64(number))) }
        _ = queue.put(Self.proposals(0..<10))
        #expect(Self.told(queue.take()) == "mutate 0..<10")
        #expect(queue.isBetweenRounds)
        // These come in the next round.
        _ = queue.put(Self.proposals(10..<20))
        #expect(Self.told(queue.take()) == "request 1")
        #expect(Self.told(queue.take()) == "mutate 10..<20")
        #expect(Self.told(queue.take()) == "request 2")
        #expect(Self.told(queue.take()) == "request 3")
        #expect(Self.told(queue.take()) == "nothing")
        for number in 0..<3 { _ = queue.put(Self.proposals(number * 100..<number * 100 + 100)) }
        // A batch cuts across ticks.
        #expect(Self.told(queue.take()) == "mutate 0..<256")
        #expect(!queue.isBetweenRounds)
        #expect(Self.told(queue.take()) == "mutate 256..<300")
        #expect(Self.told(queue.take()) == "nothing")
    }

    private static func proposal(_ family: UInt64, _ number: Int64) -> Proposal {
        Proposal(
            family: Identifier(high: 0, low: family), member: Identifier(high: 1, low: family), context: .all,
            mutation: Mutation(client: Identifier(high: 1, low: 1), id: number, operations: []), session: family)
    }

    /// The next batch, each mutation as its family and number.
    private static func batch(_ queue: inout WriterQueue) -> [Proposal] {
        guard case .batch(let batch, _)? = queue.take() else { return [] }
        return batch
    }

    private static func names(_ batch: some Sequence<Proposal>) -> String {
        batch.map { "\($0.session).\($0.mutation.id)" }.joined(separator: " ")
    }

    @Test("families take turns with one mutation each, in the order in which they came; each family's own order holds")
    func families() {
        var queue = WriterQueue()
        _ = queue.put((1...4).map { Self.proposal(1, $0) } + [Self.proposal(2, 1), Self.proposal(3, 1), Self.proposal(2, 2)])
        _ = queue.put([Self.proposal(1, 5)])
        #expect(Self.names(Self.batch(&queue)) == "1.1 2.1 3.1 1.2 2.2 1.3 1.4 1.5")
        // One that has thousands of mutations keeps another for one of them.
        _ = queue.put((1...2_000).map { Self.proposal(1, $0) })
        #expect(Self.batch(&queue).count == FamilyStore.maxBatch)
        _ = queue.put([Self.proposal(2, 3)])
        #expect(Self.names(Self.batch(&queue).prefix(3)) == "1.257 2.3 1.258")
    }

    @Test("mutations that a batch had no time for are the next ones of their families, and their turns come first")
    func putBack() {
        var queue = WriterQueue()
        _ = queue.put((1...3).map { Self.proposal(1, $0) } + (1...3).map { Self.proposal(2, $0) })
        let batch = Self.batch(&queue)
        #expect(Self.names(batch) == "1.1 2.1 1.2 2.2 1.3 2.3" && queue.isBetweenRounds)
        _ = queue.put([Self.proposal(3, 1), Self.proposal(1, 4)])
        // The first family had its share; the batch ended before the second one's last mutation.
        queue.putBack([batch[2], batch[4], batch[5]])
        #expect(queue.waiting(.mutation) == 5 && !queue.isBetweenRounds)
        #expect(Self.names(Self.batch(&queue)) == "1.2 2.3 3.1 1.3 1.4")
        queue.putBack([])
        #expect(queue.waiting(.mutation) == 0 && queue.isBetweenRounds)
    }

    @Test("a family with more work than a batch had time for skips the next batch if others wait, and no batch when it is alone")
    func resting() {
        var queue = WriterQueue()
        _ = queue.put((1...4).map { Self.proposal(1, $0) } + [Self.proposal(2, 1), Self.proposal(2, 2)])
        var batch = Self.batch(&queue)
        #expect(Self.names(batch) == "1.1 2.1 1.2 2.2 1.3 1.4")
        // The first family had its share of time, the batch ended in the middle of the second one's mutations; nothing of the third was done.
        _ = queue.put([Self.proposal(3, 1), Self.proposal(4, 1)])
        queue.putBack([batch[2], batch[3], batch[4], batch[5]], of: batch)
        batch = Self.batch(&queue)
        #expect(Self.names(batch) == "3.1 4.1")
        // One batch is enough.
        _ = queue.put([Self.proposal(3, 2)])
        batch = Self.batch(&queue)
        #expect(Self.names(batch) == "1.2 2.2 3.2 1.3 1.4")
        // All that wait have had something done: nobody sits out.
        queue.putBack([batch[3], batch[4]], of: batch)
        batch = Self.batch(&queue)
        #expect(Self.names(batch) == "1.3 1.4")
        // A family of which nothing was done has its turn, before those that came later.
        _ = queue.put([Self.proposal(5, 1)])
        queue.putBack(batch, of: batch)
        #expect(Self.names(Self.batch(&queue)) == "1.3 5.1 1.4")
    }

    @Test("a family that skips a batch makes room for the proposals of another family's requests, too")
    func restingBesideRequests() {
        var queue = WriterQueue()
        _ = queue.put((1...2).map { Self.proposal(1, $0) })
        let batch = Self.batch(&queue)
        _ = queue.put(Self.requests(7..<8, of: 7))
        queue.putBack([batch[1]], of: batch)
        #expect(Self.told(queue.take()) == "mutate -1..<-1 propose 7")
        #expect(Self.names(Self.batch(&queue)) == "1.2")
    }

    @Test("one other job is done after each batch, however many mutations wait; mutations that are put back come before the end")
    func jobsBetweenBatches() {
        var queue = WriterQueue()
        _ = queue.put((1...600).map { Self.proposal(1, $0) })
        for number in 1...2 { _ = queue.put(Self.job(.request, UInt64(number))) }
        let batch = Self.batch(&queue)
        #expect(Self.told(queue.take()) == "request 1")
        #expect(queue.put(.stop(UsageNotes())) == true)
        queue.putBack(Array(batch.suffix(200)))
        #expect(Self.told(queue.take()) == "mutate 57..<313")
        #expect(Self.told(queue.take()) == "request 2")
        #expect(Self.told(queue.take()) == "mutate 313..<569")
        #expect(Self.told(queue.take()) == "mutate 569..<601")
        #expect(Self.told(queue.take()) == "stop")
    }

    @Test("work of others is any job, any revocation and any other family's mutation")
    func awaited() {
        let one = Identifier(high: 0, low: 1)
        var queue = WriterQueue()
        #expect(!queue.isAwaited(besides: one))
        _ = queue.put([Self.proposal(1, 1)])
        #expect(!queue.isAwaited(besides: one))
        #expect(queue.isAwaited(besides: Identifier(high: 0, low: 2)))
        for put in [{ $0.put([Self.proposal(2, 1)]) == 1 }, { $0.put(.session(1)) }, { $0.put(Self.job(.request)) }] as [(inout WriterQueue) -> Bool] {
            var next = queue
            #expect(put(&next) && next.isAwaited(besides: one))
        }
    }

    @Test("classes take turns, so that many jobs of one do not keep another waiting")
    func turns() {
        var queue = WriterQueue()
        for number in 0..<60 { _ = queue.put(Self.job(.stranger, UInt64(number))) }
        for number in 0..<2 { _ = queue.put(Self.job(.request, UInt64(number))) }
        for kind in Self.jobKinds where kind != .stranger && kind != .request { _ = queue.put(Self.job(kind)) }
        var seen: [String] = []
        for _ in 0..<11 { seen.append(Self.told(queue.take())) }
        #expect(seen == ["admin 0", "request 0", "stranger 0", "transfer", "sweep", "mail", "usage", "maintenance", "reminders", "request 1", "stranger 1"])
    }

    @Test("stop finds room in a full queue, comes last, and nothing is taken after it")
    func stop() {
        var queue = WriterQueue()
        while queue.put(Self.job(.request)) {}
        _ = queue.put(Self.proposals(0..<WriterQueue.Class.mutation.limit))
        _ = queue.takeRefusals()
        #expect(queue.put(.stop(UsageNotes())) == true)
        #expect(queue.put(.session(1)) == false)
        #expect(queue.put(Self.job(.admin)) == false)
        #expect(queue.put(Self.proposals(0..<1)) == 0)
        #expect(queue.put(.stop(UsageNotes())) == false)
        #expect(queue.takeRefusals() == [], "an end is not a lack of room")
        var requests = 0
        while let work = queue.take() {
            if case .job(.stop) = work { break }
            if case .job = work { requests += 1 }
        }
        #expect(requests == WriterQueue.Class.request.limit && queue.waiting(.mutation) == 0)
        #expect(Self.told(queue.take()) == "nothing")
    }

    @Test("after a failure the queue accepts and gives nothing")
    func closed() {
        var queue = WriterQueue()
        _ = queue.put(Self.job(.admin))
        queue.close()
        #expect(queue.put(Self.job(.admin)) == false)
        #expect(queue.put(.stop(UsageNotes())) == false)
        #expect(Self.told(queue.take()) == "nothing")
    }
}

@Suite("Revocations that are not durable yet")
struct PendingRevocationTests {
    @Test("a right is given to the writer once; a repeated request waits with the first, up to a limit")
    func once() {
        var pending = PendingRevocations()
        var answers = 0
        #expect(pending.add(.session(1)) { _ in answers += 1 } == .submit)
        for _ in 1..<PendingRevocations.maxAnswers { #expect(pending.add(.session(1)) { _ in answers += 1 } == .waits) }
        #expect(pending.add(.session(1)) { _ in answers += 1 } == .full)
        #expect(pending.add(.session(1), nil) == .waits)
        for answer in pending.end(.session(1)) { answer(nil) }
        #expect(answers == PendingRevocations.maxAnswers)
        #expect(pending.end(.session(1)).isEmpty)
        #expect(pending.add(.session(1), nil) == .submit)
    }

    @Test("rights that wait are bounded")
    func bounded() {
        var pending = PendingRevocations()
        for number in 0..<PendingRevocations.maxPending { #expect(pending.add(.session(Int64(number)), nil) == .submit) }
        #expect(pending.add(.session(-1), nil) == .full)
        _ = pending.end(.session(0))
        #expect(pending.add(.session(-1), nil) == .submit)
    }

    @Test("a revocation that found the disk full is tried again after its time, once, or at a repeated request")
    func again() {
        var pending = PendingRevocations()
        _ = pending.add(.session(1)) { _ in }
        #expect(pending.due(now: .max) == [])
        #expect(pending.postpone(.session(1), now: 100).count == 1)
        #expect(pending.due(now: 100 + PendingRevocations.retryTime - 1) == [])
        #expect(pending.due(now: 100 + PendingRevocations.retryTime) == [.session(1)])
        #expect(pending.due(now: .max) == [])
        #expect(pending.postpone(.session(1), now: 100).isEmpty)
        #expect(pending.add(.session(1)) { _ in } == .submit)
        #expect(pending.due(now: .max) == [])
        _ = pending.postpone(.session(1), now: 100)
        #expect(pending.end(.session(1)).isEmpty)
        #expect(pending.due(now: .max) == [])
    }
}

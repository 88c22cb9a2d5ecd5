import Bytes
import Locks
import Posix
import EventLoop
import Synchronization
import Testing

@testable import Server

@Suite("The pool of threads for files")
struct FilePoolTests {
    private func pool(limit: Int = 1_000) throws -> (FilePool, Mailbox<ShardEvent>) {
        let events = Mailbox<ShardEvent>(waker: try Waker())
        return (FilePool(events: events, limit: limit), events)
    }

    @Test("does the jobs of a key in order and those of others side by side")
    func order() throws {
        let (pool, _) = try pool()
        let done = Lock<[UInt64: [Int]]>([:])
        let under = Lock<[UInt64: Int]>([:])
        let overlaps = Atomic<Int>(0)
        for turn in 0..<50 {
            for key in 0..<10 as Range<UInt64> {
                let isTaken = pool.submit(Identifier(high: 0, low: key)) {
                    if under.withLock({ $0[key, default: 0] += 1; return $0[key] ?? 0 }) > 1 { overlaps.add(1, ordering: .relaxed) }
                    done.withLock { $0[key, default: []].append(turn) }
                    under.withLock { $0[key, default: 0] -= 1 }
                    return nil
                }
                #expect(isTaken)
            }
        }
        pool.stop()
        #expect(overlaps.load(ordering: .relaxed) == 0)
        #expect(done.withLock { $0.count } == 10)
        for (_, turns) in done.withLock({ $0 }) { #expect(turns == Array(0..<50)) }
    }

    @Test("no job begins while a room waits for its commit, and all are done after it")
    func standsBack() throws {
        let policy = DiskPolicy(patience: 60_000)
        let pool = FilePool(events: Mailbox<ShardEvent>(waker: try Waker()), disk: policy)
        policy.begin()
        let isCommitted = Atomic<Bool>(false)
        let early = Atomic<Int>(0)
        let done = BlockingQueue<Int>(limit: 20)
        for key in 0..<20 as Range<UInt64> {
            _ = pool.submit(Identifier(high: 0, low: key)) {
                if !isCommitted.load(ordering: .sequentiallyConsistent) { early.add(1, ordering: .relaxed) }
                _ = done.put(1)
                return nil
            }
        }
        isCommitted.store(true, ordering: .sequentiallyConsistent)
        policy.end()
        pool.stop()
        #expect(done.count == 20 && early.load(ordering: .relaxed) == 0)
    }

    @Test("file jobs wait for a mutation from its submission to the writer until it is on disk")
    func commits() throws {
        let server = try TestShard()
        let room = try server.live(server.parent)
        #expect(server.disk.standBack())
        let gate = BlockingQueue<Int>(limit: 1)
        let entered = BlockingQueue<Int>(limit: 1)
        server.shard.workers.write(
            { _ in
                _ = entered.put(1)
                return (gate.take().count, [])
            }, then: { (_: Int?) in })
        try server.until("the writer is held up") { entered.count == 1 }
        room.mutate(1)
        // So the commit does not end before the gate is open.
        try server.until("files stand back") { !server.disk.standBack() }
        for _ in 0..<3 { #expect(!server.disk.standBack()) }
        _ = gate.put(1)
        try room.skip(to: "ack")
        try server.until("files continue") { server.disk.standBack() }
    }

    @Test("mutations go before all other work for the writer, of which one job is done at a time")
    func mutationsFirst() throws {
        let server = try TestShard()
        let room = try server.live(server.parent)
        let gate = BlockingQueue<Int>(limit: 21)
        let begun = BlockingQueue<Int>(limit: 21)
        var done = 0
        for _ in 0..<21 {
            server.shard.workers.write({ _ in
                _ = begun.put(1)
                return (gate.take(maximum: 1).count, [])
            }, then: { (count: Int?) in done += count ?? 0 })
        }
        // Otherwise the mutation could be first, and be done before the test looks for it.
        #expect(begun.take(maximum: 1) == [1])
        room.mutate(1)
        try server.until("the mutation is with the writer") { !server.disk.standBack() }
        // The first is under way already; the second would hold up the writer for good.
        _ = gate.put(1)
        try room.skip(to: "ack")
        #expect(done <= 1)
        for _ in 0..<20 { _ = gate.put(1) }
        try server.until("all are done") { done == 21 }
    }

    @Test("a key that waits for its disk does not hold up another")
    func sideBySide() throws {
        let (pool, _) = try pool()
        let slow = BlockingQueue<Int>(limit: 1)
        let fast = BlockingQueue<Int>(limit: 1)
        _ = pool.submit(Identifier(high: 0, low: 1)) {
            _ = slow.take()
            return nil
        }
        _ = pool.submit(Identifier(high: 0, low: 2)) {
            _ = fast.put(1)
            return nil
        }
        #expect(fast.take() == [1])
        _ = slow.put(1)
        pool.stop()
    }

    @Test("accepts a bounded number of jobs, and none after its end; accepted jobs are done")
    func bounded() throws {
        let (pool, events) = try pool(limit: 3)
        let gate = BlockingQueue<Int>(limit: 1)
        let key = Identifier(high: 0, low: 1)
        #expect(pool.submit(key) {
            _ = gate.take()
            return .stopAsked
        })
        #expect(pool.submit(key) { .stopAsked })
        #expect(pool.submit(key) { .stopAsked })
        #expect(!pool.submit(key) { .stopAsked })
        #expect(!pool.submit(Identifier(high: 0, low: 2)) { .stopAsked })
        _ = gate.put(1)
        pool.stop()
        #expect(!pool.submit(key) { nil })
        #expect(events.drain().count == 3)
        #expect(pool.count == 0)
    }

    @Test("Families take turns: however many files of one wait, another's next job comes after one of them")
    func families() throws {
        let pool = FilePool(events: Mailbox<ShardEvent>(waker: try Waker()), threads: 1)
        let (busy, other) = (Identifier(high: 1, low: 1), Identifier(high: 1, low: 2))
        let (entered, gate) = (BlockingQueue<Bool>(limit: 1), BlockingQueue<Bool>(limit: 1))
        let order = Lock<[String]>([])
        func submit(_ key: UInt64, of family: Identifier, _ name: String) {
            #expect(pool.submit(Identifier(high: 2, low: key), of: family) {
                order.withLock { $0.append(name) }
                return nil
            })
        }
        // The only thread is held until all wait.
        #expect(pool.submit(Identifier(high: 3, low: 1)) {
            _ = entered.put(true)
            _ = gate.take()
            return nil
        })
        _ = entered.take()
        for key in 0..<5 as Range<UInt64> { for part in 0..<2 { submit(key, of: busy, "busy \(key).\(part)") } }
        for part in 0..<3 { submit(9, of: other, "other \(part)") }
        _ = gate.put(true)
        pool.stop()
        #expect(order.withLock { $0 } == [
            "busy 0.0", "other 0", "busy 1.0", "other 1", "busy 2.0", "other 2", "busy 3.0", "busy 4.0", "busy 0.1", "busy 1.1", "busy 2.1", "busy 3.1", "busy 4.1",
        ])
    }

    @Test("A family with all the jobs that it may have is refused the next one, and another is not; what it has done it may have again")
    func boundOfFamily() throws {
        let pool = FilePool(events: Mailbox<ShardEvent>(waker: try Waker()), threads: 1)
        let (busy, other) = (Identifier(high: 1, low: 1), Identifier(high: 1, low: 2))
        let (entered, gate, done) = (BlockingQueue<Bool>(limit: 1), BlockingQueue<Bool>(limit: 1), BlockingQueue<Bool>(limit: 1))
        #expect(pool.submit(Identifier(high: 3, low: 1)) {
            _ = entered.put(true)
            _ = gate.take()
            return nil
        })
        _ = entered.take()
        for key in 0..<UInt64(FilePool.maxJobsOfFamily) { #expect(pool.submit(Identifier(high: 2, low: key % 100), of: busy) { nil }) }
        #expect(!pool.submit(Identifier(high: 2, low: 1), of: busy) { nil })
        #expect(!pool.submit(Identifier(high: 2, low: 5_000), of: busy) { nil })
        #expect(pool.submit(Identifier(high: 4, low: 1), of: other) {
            _ = done.put(true)
            return nil
        })
        _ = gate.put(true)
        _ = done.take()
        // One of the busy family's jobs was done before the other family's turn.
        #expect(pool.submit(Identifier(high: 2, low: 1), of: busy) { nil })
        pool.stop()
        #expect(pool.count == 0)
    }
}

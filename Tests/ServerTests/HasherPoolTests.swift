import Accounts
import Crypto
import Glibc
import Locks
import Posix
import EventLoop
import Synchronization
import Testing

@testable import Server

@Suite("The threads that hash passwords")
struct HasherPoolTests {
    private let small = PasswordHash.Cost(memory: 64, passes: 1, lanes: 1)!
    private let password = Array("a right password".utf8)
    private let name = try! SignInName("mira")

    private func pool(
        _ cost: PasswordHash.Cost? = nil, threads: Int = HasherPool.threads, limit: Int = HasherPool.maxWaiting
    ) throws -> (HasherPool, Mailbox<ShardEvent>) {
        let events = Mailbox<ShardEvent>(waker: try Waker())
        let decoy = try #require(HasherPool.makeDecoy(cost ?? small))
        return (HasherPool(events: events, decoy: decoy, threads: threads, limit: limit), events)
    }

    private func hash(_ cost: PasswordHash.Cost) throws -> PasswordHash { try #require(PasswordHash.make(password, salt: Random.octets(16), cost: cost)) }

    /// The results by ticket, after the pool has ended.
    private func results(_ pool: HasherPool, _ events: Mailbox<ShardEvent>) -> [UInt64: any Sendable] {
        pool.stop()
        var found: [UInt64: any Sendable] = [:]
        for event in events.drain() { if case .jobEnded(let ticket, let result?) = event { found[ticket] = result } }
        return found
    }

    @Test("A right password is right, a wrong one and one for a name of nobody are wrong")
    func check() throws {
        let (pool, events) = try pool()
        let stored = try hash(small)
        #expect(pool.check(1, password, stored))
        #expect(pool.check(2, password + [0], stored))
        #expect(pool.check(3, password, nil))
        #expect(pool.check(4, [], nil))
        #expect(pool.check(5, [UInt8](repeating: 1, count: 100_000), stored))
        let results = results(pool, events)
        #expect(results[1] as? HasherPool.Check == .right(renewed: nil))
        for ticket in 2...5 as ClosedRange<UInt64> { #expect(results[ticket] as? HasherPool.Check == .wrong) }
    }

    @Test("A right password whose hash has another cost comes back with a hash of the server's cost; a wrong one does not")
    func renewed() throws {
        let other = try #require(PasswordHash.Cost(memory: 128, passes: 2, lanes: 1))
        let (pool, events) = try pool(other)
        let stored = try hash(small)
        #expect(pool.check(1, password, stored))
        #expect(pool.check(2, password + [1], stored))
        let results = results(pool, events)
        guard case .right(let renewed?) = results[1] as? HasherPool.Check else { throw Failed() }
        #expect(renewed.cost == other && renewed.matches(password) == .right)
        #expect(results[2] as? HasherPool.Check == .wrong)
    }

    private struct Failed: Error {}

    @Test("A new password is hashed at the server's cost with a salt of its own, or refused by the first rule that it breaks")
    func make() throws {
        let (pool, events) = try pool()
        #expect(pool.make(1, password, name: name) { _ in false })
        #expect(pool.make(2, password, name: name) { _ in false })
        #expect(pool.make(3, Array("short".utf8), name: name) { _ in false })
        #expect(pool.make(4, Array("mira's own password".utf8), name: name) { _ in false })
        #expect(pool.make(5, password, name: name) { $0 == Array("a right password".utf8) })
        let results = results(pool, events)
        guard case .made(let first) = results[1] as? HasherPool.Making, case .made(let second) = results[2] as? HasherPool.Making else { throw Failed() }
        #expect(first.cost == small && first != second && first.matches(password) == .right && second.matches(password) == .right)
        #expect(results[3] as? HasherPool.Making == .refused(.tooShort))
        #expect(results[4] as? HasherPool.Making == .refused(.containsName))
        #expect(results[5] as? HasherPool.Making == .refused(.known))
    }

    @Test("Of many requests, 64 wait and the threads have one each; there is no room for more, and none after the end")
    func bounds() throws {
        let (pool, events) = try pool()
        let gate = BlockingQueue<Int>(limit: 1)
        let held = BlockingQueue<Int>(limit: HasherPool.threads)
        for ticket in 1...UInt64(HasherPool.threads) {
            #expect(pool.make(ticket, password, name: name) { _ in
                _ = held.put(1)
                _ = gate.take()
                return false
            })
        }
        // Both threads have their first job.
        for _ in 0..<HasherPool.threads { _ = held.take(maximum: 1) }
        for ticket in 100..<164 as Range<UInt64> { #expect(pool.check(ticket, password, nil)) }
        #expect(pool.count == 64)
        #expect(!pool.check(200, password, nil))
        #expect(!pool.make(201, password, name: name) { _ in false })
        gate.close()
        let results = results(pool, events)
        #expect(results.count == 66)
        #expect(results[200] == nil && results[201] == nil)
        #expect(!pool.check(202, password, nil))
    }

    /// Milliseconds of a check, from the request to its result.
    private func time(_ pool: HasherPool, _ events: Mailbox<ShardEvent>, _ waker: Waker, _ password: [UInt8], _ stored: PasswordHash?) throws -> Double {
        let start = Clock.monotonicNanoseconds()
        #expect(pool.check(1, password, stored))
        while events.drain().isEmpty {
            var items = [Poll.Item(waker.raw, .readable)]
            _ = try Poll.wait(&items, timeoutMilliseconds: -1)
            var counter: UInt64 = 0
            _ = read(waker.raw, &counter, 8)
        }
        return Double(Clock.monotonicNanoseconds() - start) / 1e6
    }

    private static let tries = Environment.value("HUDDLE_TRIES").flatMap { Int($0) }

    /// With a cheap hash a difference would be a larger part of the time than with the real one, so this finds smaller ones.
    @Test("Times of HUDDLE_TRIES checks do not tell names of somebody from names of nobody", .enabled(if: tries != nil))
    func timing() throws {
        let waker = try Waker()
        let events = Mailbox<ShardEvent>(waker: waker)
        let cost = try #require(PasswordHash.Cost(memory: 1_024, passes: 1, lanes: 1))
        let pool = HasherPool(events: events, decoy: try #require(HasherPool.makeDecoy(cost)), threads: 1)
        let stored = try hash(cost)
        var times: [(milliseconds: Double, isKnown: Bool)] = []
        for _ in 0..<(Self.tries ?? 0) {
            let isKnown = Bool.random()
            times.append((try time(pool, events, waker, Array("a wrong password".utf8), isKnown ? stored : nil), isKnown))
        }
        pool.stop()
        // The chance that a check of a known name took longer than one of an unknown name (Mann and Whitney): one half if nothing can be learned.
        let ranks = times.sorted { $0.milliseconds < $1.milliseconds }.enumerated().reduce(0.0) { $0 + ($1.element.isKnown ? Double($1.offset + 1) : 0) }
        let known = Double(times.count { $0.isKnown })
        let unknown = Double(times.count) - known
        let chance = (ranks - known * (known + 1) / 2) / (known * unknown)
        let deviation = ((known + unknown + 1) / (12 * known * unknown)).squareRoot()
        print("chance \(chance), deviation \(deviation)")
        #expect(abs(chance - 0.5) < 4 * deviation)
    }

    @Test("A check takes at most 1.1 times the bare hash, when HUDDLE_TRIES says how many to measure", .enabled(if: tries != nil))
    func cost() throws {
        let waker = try Waker()
        let events = Mailbox<ShardEvent>(waker: waker)
        let pool = HasherPool(events: events, decoy: try #require(HasherPool.makeDecoy(.standard)), threads: 1)
        let stored = try hash(.standard)
        var (bare, pooled): ([Double], [Double]) = ([], [])
        for _ in 0..<min(Self.tries ?? 0, 200) {
            // On a thread as nice as the pool's: beside other programs the machine gives it less.
            let took = Lock<Double>(0)
            Thread.start(name: "bare", nice: HasherPool.nice) { [password] in
                let start = Clock.monotonicNanoseconds()
                let isRight = stored.matches(password) == .right
                took.withLock { $0 = isRight ? Double(Clock.monotonicNanoseconds() - start) / 1e6 : .infinity }
            }.join()
            bare.append(took.withLock { $0 })
            pooled.append(try time(pool, events, waker, password, stored))
        }
        pool.stop()
        let (bareMedian, pooledMedian) = (bare.sorted()[bare.count / 2], pooled.sorted()[pooled.count / 2])
        print("bare \(bareMedian) ms, pool \(pooledMedian) ms, ratio \(pooledMedian / bareMedian)")
        #expect(pooledMedian <= 1.1 * bareMedian)
    }

    @Test("Where cracklib is installed, its words are known and long random passwords are not")
    func cracklib() {
        #expect(!KnownPasswords.contain(Array("k9#vLq2!xT7w-Zp4".utf8)))
        #expect(!KnownPasswords.contain(Array("password".utf8) + [0] + Array("password".utf8)))
        guard KnownPasswords.isInstalled else { return }
        #expect(KnownPasswords.contain(Array("password12".utf8)))
        #expect(KnownPasswords.contain(Array("aaaaaaaaaaaa".utf8)))
        #expect(KnownPasswords.contain(Array("1234567890".utf8)))
    }
}

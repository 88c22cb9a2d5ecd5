import Glibc
import Posix
import EventLoop
import TestSupport
import Testing

@Suite("Outbox: bounded, in order, nothing held when empty")
struct OutboxTests {
    private let large = [UInt8](repeating: 0xAB, count: Outbox.sharingThreshold)

    @Test("Small and shared frames arrive in the order in which they were queued")
    func order() throws {
        let link = try Link()
        let pool = BufferPool()
        var outbox = Outbox(pool: pool, limit: 1 << 20)
        var expected: [UInt8] = []
        for index in 0..<20 as Range<UInt8> {
            let frame = index % 3 == 2 ? large + [index] : [UInt8](repeating: index, count: Int(index) + 1)
            let queued = outbox.append(sharing: frame, now: 0)
            #expect(queued)
            expected += frame
        }
        #expect(outbox.octets == expected.count)
        var received: [UInt8] = []
        while try outbox.flush(to: link.near.raw) == .blocked { received += try link.receive() }
        received += try link.receive()
        #expect(received == expected)
        #expect(outbox.isEmpty && pool.lent == 0)
    }

    @Test("More shared frames than one send takes still leave complete and in order")
    func manyPieces() throws {
        let link = try Link()
        let pool = BufferPool()
        var outbox = Outbox(pool: pool, limit: 8 << 20)
        var expected: [UInt8] = []
        for index in 0..<150 as Range<UInt8> {
            let small = outbox.append(copying: [index, index], now: 0)
            let shared = outbox.append(sharing: large + [index], now: 0)
            #expect(small && shared)
            expected += [index, index] + large + [index]
        }
        var received: [UInt8] = []
        while try outbox.flush(to: link.near.raw) == .blocked { received += try link.receive() }
        received += try link.receive()
        #expect(received == expected)
    }

    @Test("The limit holds exactly, for copies and for shared frames, and a refused frame leaves nothing behind")
    func limit() throws {
        let pool = BufferPool()
        var outbox = Outbox(pool: pool, limit: large.count + 10)
        let first = outbox.append(sharing: large, now: 0)
        let over = outbox.append(copying: [UInt8](repeating: 1, count: 11), now: 0)
        let exact = outbox.append(copying: [UInt8](repeating: 1, count: 10), now: 0)
        let one = outbox.append(copying: [1], now: 0)
        let shared = outbox.append(sharing: large, now: 0)
        let nothing = outbox.append(copying: [], now: 0)
        #expect([first, over, exact, one, shared, nothing] == [true, false, true, false, false, true])
        #expect(outbox.octets == large.count + 10)
        #expect(outbox.room == 0)
    }

    @Test("A full kernel blocks, the rest goes when it has room, and memory is released at the end")
    func blocked() throws {
        let link = try Link()
        let pool = BufferPool()
        var outbox = Outbox(pool: pool, limit: 16 << 20)
        var expected: [UInt8] = []
        for index in 0..<4_000 {
            let frame = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 1_000)
            let queued = outbox.append(copying: frame, now: 0)
            #expect(queued)
            expected += frame
        }
        #expect(try outbox.flush(to: link.near.raw) == .blocked)
        #expect(outbox.octets > 0 && outbox.octets < expected.count)
        #expect(try outbox.flush(to: link.near.raw) == .blocked)
        var received: [UInt8] = []
        repeat { received += try link.receive() } while try outbox.flush(to: link.near.raw) == .blocked
        received += try link.receive()
        #expect(received == expected)
        #expect(pool.lent == 0)
    }

    @Test("In steady state every frame uses the same piece of the pool")
    func steady() throws {
        let link = try Link()
        let pool = BufferPool()
        for _ in 0..<3 {
            var outbox = Outbox(pool: pool, limit: 1 << 20)
            for _ in 0..<100 {
                let queued = outbox.append(copying: [1, 2, 3], now: 0)
                #expect(queued && pool.lent == BufferPool.smallest)
                #expect(try outbox.flush(to: link.near.raw) == .empty)
                #expect(pool.lent == 0 && pool.held == BufferPool.smallest)
                #expect(try link.receive() == [1, 2, 3])
            }
        }
    }

    @Test("A flush to a peer that has gone throws")
    func gone() throws {
        var pair = try Socket.Pair()
        let near = pair.takeFirst()
        _ = pair.takeSecond()
        var outbox = Outbox(pool: BufferPool(), limit: 100)
        let queued = outbox.append(copying: [1], now: 0)
        #expect(queued)
        var error: Errno?
        do throws(Errno) { _ = try outbox.flush(to: near.raw) } catch let thrown { error = thrown }
        #expect(error?.isPeerGone == true)
    }

    @Test("Dropping everything, and dropping the outbox, release the memory")
    func drop() {
        let pool = BufferPool()
        func use() {
            var outbox = Outbox(pool: pool, limit: 1 << 20)
            var queued = outbox.append(copying: [1, 2], now: 0) && outbox.append(sharing: large, now: 0)
            outbox.removeAll()
            #expect(queued && outbox.isEmpty && outbox.front.isEmpty && pool.lent == 0)
            queued = outbox.append(copying: [3], now: 0)
            #expect(queued && Array(outbox.front) == [3])
        }
        use()
        #expect(pool.lent == 0)
    }

    @Test("The reported age of the oldest octet is never too low, and decreases as the queue moves")
    func age() {
        var outbox = Outbox(pool: BufferPool(), limit: 1_000)
        #expect(outbox.oldest == nil)
        func queue(_ count: Int, _ now: Int64) {
            let queued = outbox.append(copying: [UInt8](repeating: 0, count: count), now: now)
            #expect(queued)
        }
        queue(10, 100)
        queue(10, 200)
        queue(10, 300)
        #expect(outbox.oldest == 100)
        outbox.consume(9)
        #expect(outbox.oldest == 100)
        outbox.consume(1)
        #expect(outbox.oldest == 200)
        queue(10, 400)
        outbox.consume(20)
        #expect(outbox.oldest == 400)
        outbox.consume(10)
        #expect(outbox.oldest == nil)
        queue(1, 500)
        #expect(outbox.oldest == 500)
    }

    @Test("Any mix of frames, taken in any portions, comes out unchanged", arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func model(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let pool = BufferPool()
        var outbox = Outbox(pool: pool, limit: 200_000)
        var model: [UInt8] = []
        var ages: [Int64] = []
        for now in 0..<3_000 as Range<Int64> {
            if random.below(2) == 0 {
                let count = random.below(6) == 0 ? Outbox.sharingThreshold + random.below(20_000) : random.below(3_000)
                let frame = [UInt8](repeating: UInt8(truncatingIfNeeded: random.next()), count: count)
                let queued = random.below(2) == 0 ? outbox.append(sharing: frame, now: now) : outbox.append(copying: frame, now: now)
                #expect(queued == (model.count + count <= 200_000), "seed \(seed)")
                if queued {
                    model += frame
                    ages += [Int64](repeating: now, count: count)
                }
            } else {
                let count = random.below(min(model.count, 40_000) + 1)
                outbox.consume(count)
                model.removeFirst(count)
                ages.removeFirst(count)
            }
            let front = outbox.front
            let same = model.withUnsafeBytes { model in
                guard front.count <= model.count, let left = front.baseAddress, let right = model.baseAddress else { return front.isEmpty }
                return memcmp(left, right, front.count) == 0
            }
            guard outbox.octets == model.count, front.isEmpty == model.isEmpty, same else {
                Issue.record("differs from the model, seed \(seed)")
                return
            }
            if let oldest = outbox.oldest, let truth = ages.first { #expect(oldest <= truth, "seed \(seed)") }
            if model.isEmpty { #expect(pool.lent == 0, "seed \(seed)") }
        }
    }
}

@Suite("BufferPool: pieces of powers of two")
struct BufferPoolTests {
    @Test("A piece has the requested size, rounded up to a power of two", arguments: [
        (0, 4_096), (1, 4_096), (4_096, 4_096), (4_097, 8_192), (65_536, 65_536), (1 << 20, 1 << 20), ((1 << 20) + 1, 2 << 20),
    ])
    func sizes(asked: Int, given: Int) {
        let pool = BufferPool()
        let piece = pool.take(atLeast: asked)
        #expect(piece.count == given && pool.lent == given)
        pool.give(piece)
        #expect(pool.lent == 0)
        #expect(pool.held == (given <= 1 << 20 ? given : 0), "the largest go back to the system")
    }

    @Test("A returned piece is lent again")
    func reuse() {
        let pool = BufferPool()
        let first = pool.take(atLeast: 100)
        let second = pool.take(atLeast: 100)
        pool.give(first)
        pool.give(second)
        #expect(pool.take(atLeast: 200).baseAddress == second.baseAddress)
        #expect(pool.take(atLeast: 5).baseAddress == first.baseAddress)
        #expect(pool.held == 0)
        pool.give(first)
        pool.give(second)
    }

    @Test("The pool keeps no more than its limit, however much was lent")
    func held() {
        let pool = BufferPool()
        let pieces = (0..<10).map { _ in pool.take(atLeast: 1 << 20) }
        for piece in pieces { pool.give(piece) }
        #expect(pool.held == BufferPool.maxHeld)
        #expect(pool.lent == 0)
    }
}

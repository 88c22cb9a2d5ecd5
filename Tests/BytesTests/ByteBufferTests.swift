import Bytes
import TestSupport
import Testing

@Suite("ByteBuffer: linear, bounded, nothing held when empty")
struct ByteBufferTests {
    @Test("Appended octets are read in order, and consumed from the front")
    func order() {
        var buffer = ByteBuffer(limit: 100)
        let first = buffer.append([1, 2, 3])
        let second = buffer.append([4, 5])
        #expect(first && second)
        #expect(Array(buffer.readable) == [1, 2, 3, 4, 5])
        buffer.consume(2)
        #expect(buffer.count == 3)
        #expect(buffer.withSpan { span in span[0] } == 3)
        buffer.mutableReadable[0] = 9
        #expect(Array(buffer.readable) == [9, 4, 5])
    }

    @Test("The limit holds exactly, and a refused append leaves the buffer as it was")
    func limit() {
        var buffer = ByteBuffer(limit: 8)
        let full = buffer.append([UInt8](repeating: 7, count: 8))
        let over = buffer.append([1])
        #expect(full && !over)
        #expect(buffer.count == 8)
        buffer.consume(1)
        let again = buffer.append([1])
        let overAgain = buffer.append([1, 2])
        #expect(again && !overAgain)
        #expect(Array(buffer.readable) == [7, 7, 7, 7, 7, 7, 7, 1])
        var none = ByteBuffer(limit: 0)
        let refused = none.append([1])
        let nothing = none.append([])
        #expect(!refused && nothing)
    }

    @Test("Memory is released when the last octet is consumed")
    func empty() {
        var buffer = ByteBuffer(limit: 1 << 20)
        #expect(buffer.capacity == 0)
        let appended = buffer.append([UInt8](repeating: 1, count: 100_000))
        #expect(appended && buffer.capacity >= 100_000)
        buffer.consume(99_999)
        #expect(buffer.capacity > 0)
        buffer.consume(1)
        #expect(buffer.capacity == 0 && buffer.isEmpty)
        #expect(buffer.readable.isEmpty)
    }

    @Test("Reserved memory is filled in place; committing nothing holds nothing")
    func reserve() {
        var buffer = ByteBuffer(limit: 1_000)
        if let space = buffer.reserve(4) {
            #expect(space.count >= 4 && space.count <= 1_000)
            space[0] = 1
            space[1] = 2
        } else {
            Issue.record("there was room for four octets")
        }
        buffer.commit(2)
        #expect(Array(buffer.readable) == [1, 2])
        let tooMuch = buffer.reserve(999) == nil
        #expect(tooMuch)
        buffer.consume(2)
        let lent = buffer.reserve(1_000)?.count
        #expect(lent == 1_000)
        buffer.commit(0)
        #expect(buffer.capacity == 0)
    }

    @Test("A long random run agrees with an array", arguments: [1, 2, 3] as [UInt64])
    func model(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var buffer = ByteBuffer(limit: 5_000)
        var model: [UInt8] = []
        for _ in 0..<4_000 {
            if random.next() & 1 == 0 {
                let count = Int(random.next() % 700)
                let octets = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                let fits = model.count + count <= 5_000
                let appended = buffer.append(octets)
                #expect(appended == fits, "seed \(seed)")
                if fits { model += octets }
            } else {
                let count = Int(random.next() % UInt64(model.count + 1))
                buffer.consume(count)
                model.removeFirst(count)
            }
            guard buffer.count == model.count, Array(buffer.readable) == model, buffer.capacity <= 5_000 else {
                Issue.record("differs from the model, seed \(seed)")
                return
            }
        }
    }
}


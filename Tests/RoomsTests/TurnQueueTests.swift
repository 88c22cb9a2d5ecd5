import Bytes
import TestSupport
import Testing

@testable import Rooms

@Suite("Queue of families that take turns")
struct TurnQueueTests {
    private func family(_ number: Int) -> Identifier { Identifier(high: 1, low: UInt64(number)) }

    @Test("Families that are passed over keep their places, and so do their items")
    func passesOver() {
        var queue = TurnQueue<String>()
        for (item, number) in [("a1", 1), ("a2", 1), ("b1", 2), ("c1", 3), ("c2", 3), ("d1", 4)] { queue.append(item, of: family(number)) }
        #expect(queue.removeFirst { $0 == family(3) } == "c1")
        #expect(queue.removeFirst { $0 == family(9) } == nil)
        #expect(queue.removeFirst { $0 != family(1) } == "b1")
        #expect(queue.removeFirst(9) == ["a1", "d1", "c2", "a2"])
        #expect(queue.isEmpty && queue.count == 0)
    }

    @Test("Random steps take what a list that is searched takes", arguments: 1...20 as ClosedRange<UInt64>)
    func twin(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var line = WaitingLine<Int>()
        var twin: [Int] = []
        for step in 0..<2_000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                line.append(step)
                twin.append(step)
            case 2 where !twin.isEmpty: #expect(line.removeFirst() == twin.removeFirst())
            case 3:
                let factor = Int.random(in: 1...9, using: &random)
                let place = twin.firstIndex { $0 % factor == 0 }
                #expect(line.removeFirst { $0 % factor == 0 } == place.map { twin.remove(at: $0) })
            default:
                line.putBack(-step)
                twin.insert(-step, at: 0)
            }
            #expect(line.count == twin.count)
        }
        #expect(line.removeFirst(.max) == twin)
    }

    @Test("Passing over one family among 30,000 keeps the order of the others")
    func many() {
        var queue = TurnQueue<Int>()
        for number in 0..<30_000 { queue.append(number, of: family(number)) }
        let taken = (1..<30_000).map { _ in queue.removeFirst { $0 != family(0) } }
        #expect(taken == Array(1..<30_000))
        #expect(queue.removeFirst { _ in true } == 0)
    }
}

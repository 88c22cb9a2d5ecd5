import TestSupport

/// Virtual time: the future events, in order of time. Nothing blocks, nothing runs in parallel.
struct Scheduler {
    private struct Entry {
        var at: Int64
        var order: Int
        var action: (World) -> Void
    }

    private(set) var now: Int64 = 1_000
    private var heap: [Entry] = []
    private var nextOrder = 0

    var isEmpty: Bool { heap.isEmpty }

    /// Events at the same time run in the order in which they were scheduled.
    mutating func after(_ milliseconds: Int64, _ action: @escaping (World) -> Void) {
        heap.append(Entry(at: now + max(0, milliseconds), order: nextOrder, action: action))
        nextOrder += 1
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard Scheduler.precedes(heap[child], heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Moves time to the next event and removes it.
    mutating func next() -> ((World) -> Void)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            var parent = 0
            while true {
                var smallest = parent
                for child in [2 * parent + 1, 2 * parent + 2]
                where child < heap.count && Scheduler.precedes(heap[child], heap[smallest]) { smallest = child }
                if smallest == parent { break }
                heap.swapAt(parent, smallest)
                parent = smallest
            }
        }
        now = first.at
        return first.action
    }

    private static func precedes(_ left: Entry, _ right: Entry) -> Bool {
        left.at == right.at ? left.order < right.order : left.at < right.at
    }
}

/// The randomness of one world.
struct WorldRandom: RandomNumberGenerator {
    private var random: SplitMix64

    /// Adjacent seeds give unrelated worlds.
    init(seed: UInt64) { random = SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1) }

    mutating func next() -> UInt64 { random.next() }

    /// True once in `sides` throws.
    mutating func one(in sides: Int) -> Bool { Int.random(in: 0..<sides, using: &self) == 0 }

    mutating func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &self) }

    mutating func pick<Value>(_ values: [Value]) -> Value? { values.randomElement(using: &self) }
}

/// A waiting timer: its index, and a generation that distinguishes the successive users of the index.
package struct TimerID: Hashable, Sendable {
    let index: Int32
    let generation: UInt32
}

/// Timers in a wheel of 10 ms steps: scheduling and cancelling cost the same for any number of timers.
///
/// It has no clock: `advance(to:)` moves the time, `takeDue` then returns the due timers one by one, so that their
/// handlers may schedule and cancel. Deadlines further away than one turn (41 s) are skipped once per turn.
///
/// Source: Varghese and Lauck, "Hashed and Hierarchical Timing Wheels", scheme 6.
package struct TimerWheel<Payload> {
    /// The milliseconds of one step: finer than any time-out here, coarse enough that an idle loop may sleep.
    package static var resolution: Int64 { 10 }
    /// The slots of a turn; a power of two so that a mask gives the slot.
    private static var slotCount: Int { 4_096 }
    /// The list after the slots: timers that are due and not yet taken.
    private static var dueList: Int { slotCount }
    private static var none: Int32 { -1 }

    /// The largest number of waiting timers.
    package let limit: Int
    /// The number of waiting timers, including due ones.
    package private(set) var count = 0

    private var nodes: [Node] = []
    private var freeNode = TimerWheel.none
    private var heads = [Int32](repeating: TimerWheel.none, count: TimerWheel.slotCount + 1)
    private var tails = [Int32](repeating: TimerWheel.none, count: TimerWheel.slotCount + 1)
    /// One bit for each slot that is not empty, to find the next one without a scan.
    private var occupied = [UInt64](repeating: 0, count: TimerWheel.slotCount / 64)
    private var step: Int64

    private struct Node {
        var payload: Payload?
        var step: Int64 = 0
        var next: Int32 = TimerWheel.none
        var previous: Int32 = TimerWheel.none
        var list: Int32 = 0
        var generation: UInt32 = 0
    }

    /// An empty wheel at the time `now`, in milliseconds (not negative), for at most `limit` timers.
    package init(now: Int64, limit: Int) {
        precondition(limit >= 0 && limit < Int(Int32.max), "places are numbered by 32 bits")
        self.limit = limit
        step = max(0, now) / Self.resolution
    }

    /// Schedules `payload` for the first step that is not before `deadline`, and never for a past step.
    ///
    /// - Returns: `nil` if `limit` timers wait.
    package mutating func schedule(at deadline: Int64, _ payload: Payload) -> TimerID? {
        guard count < limit else { return nil }
        let rounded = max(0, deadline) / Self.resolution + (deadline > 0 && deadline % Self.resolution != 0 ? 1 : 0)
        let due = max(rounded, step + 1)
        let index: Int32
        if freeNode != Self.none {
            index = freeNode
            freeNode = nodes[Int(index)].next
        } else {
            index = Int32(nodes.count)
            nodes.append(Node())
        }
        nodes[Int(index)].payload = payload
        nodes[Int(index)].step = due
        link(index, into: Int(due & Int64(Self.slotCount - 1)))
        count += 1
        return TimerID(index: index, generation: nodes[Int(index)].generation)
    }

    /// Cancels a timer that waits or is due; false if it was taken or cancelled before.
    @discardableResult
    package mutating func cancel(_ timer: TimerID) -> Bool {
        guard timer.index >= 0, Int(timer.index) < nodes.count else { return false }
        guard nodes[Int(timer.index)].generation == timer.generation, nodes[Int(timer.index)].payload != nil else { return false }
        unlink(timer.index)
        _ = release(timer.index)
        return true
    }

    /// Moves the time to `now`: timers with a deadline up to it become due, earlier steps first. The time never goes
    /// back.
    package mutating func advance(to now: Int64) {
        let target = max(0, now) / Self.resolution
        guard target > step else { return }
        if count > 0 {
            for offset in 1...min(target - step, Int64(Self.slotCount)) {
                let slot = Int((step + offset) & Int64(Self.slotCount - 1))
                guard occupied[slot >> 6] & (1 << UInt64(slot & 63)) != 0 else { continue }
                var index = heads[slot]
                while index != Self.none {
                    let next = nodes[Int(index)].next
                    if nodes[Int(index)].step <= target {
                        unlink(index)
                        link(index, into: Self.dueList)
                    }
                    index = next
                }
            }
        }
        step = target
    }

    /// The next due payload, or `nil` if none is due at this time.
    package mutating func takeDue() -> Payload? {
        let index = heads[Self.dueList]
        guard index != Self.none else { return nil }
        unlink(index)
        return release(index)
    }

    /// The time of the next call to `advance`, in milliseconds; `nil` while no timer waits. With distant timers it may
    /// be early, never late.
    package var nextDeadline: Int64? {
        guard count > 0 else { return nil }
        guard heads[Self.dueList] == Self.none else { return step * Self.resolution }
        let first = Int((step + 1) & Int64(Self.slotCount - 1))
        // The first word is examined twice: first its slots from `first` on, at the end those before it.
        for offset in 0...occupied.count {
            let word = (first >> 6 + offset) % occupied.count
            var bits = occupied[word]
            if offset == 0 { bits &= ~0 << UInt64(first & 63) }
            guard bits != 0 else { continue }
            let slot = word << 6 + bits.trailingZeroBitCount
            let distance = (slot - first + Self.slotCount) & (Self.slotCount - 1)
            return (step + 1 + Int64(distance)) * Self.resolution
        }
        return nil
    }

    private mutating func link(_ index: Int32, into list: Int) {
        let last = tails[list]
        nodes[Int(index)].list = Int32(list)
        nodes[Int(index)].previous = last
        nodes[Int(index)].next = Self.none
        if last == Self.none { heads[list] = index } else { nodes[Int(last)].next = index }
        tails[list] = index
        if list < Self.slotCount { occupied[list >> 6] |= 1 << UInt64(list & 63) }
    }

    private mutating func unlink(_ index: Int32) {
        let list = Int(nodes[Int(index)].list)
        let previous = nodes[Int(index)].previous
        let next = nodes[Int(index)].next
        if previous == Self.none { heads[list] = next } else { nodes[Int(previous)].next = next }
        if next == Self.none { tails[list] = previous } else { nodes[Int(next)].previous = previous }
        if list < Self.slotCount, heads[list] == Self.none { occupied[list >> 6] &= ~(1 << UInt64(list & 63)) }
    }

    private mutating func release(_ index: Int32) -> Payload? {
        let payload = nodes[Int(index)].payload.take()
        nodes[Int(index)].generation &+= 1
        nodes[Int(index)].next = freeNode
        freeNode = index
        count -= 1
        return payload
    }
}

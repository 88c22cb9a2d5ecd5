import EventLoop
import TestSupport
import Testing

@Suite("TimerWheel: a clock moved by hand")
struct TimerWheelTests {
    private func due(_ wheel: inout TimerWheel<Int>, at now: Int64) -> [Int] {
        wheel.advance(to: now)
        var all: [Int] = []
        while let payload = wheel.takeDue() { all.append(payload) }
        return all
    }

    private func expect(
        _ wheel: inout TimerWheel<Int>, at now: Int64, _ payloads: [Int], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let fired = due(&wheel, at: now)
        #expect(fired == payloads, sourceLocation: sourceLocation)
    }

    private func add(_ wheel: inout TimerWheel<Int>, _ deadline: Int64, _ payload: Int) throws -> TimerID {
        let id = wheel.schedule(at: deadline, payload)
        return try #require(id)
    }

    @Test("A timer fires in the first step that is not before its deadline, once", arguments: [
        (1, 10), (9, 10), (10, 10), (11, 20), (99, 100), (40_960, 40_960), (40_961, 40_970), (1_000_000, 1_000_000),
    ] as [(Int64, Int64)])
    func deadline(deadline: Int64, fires: Int64) throws {
        var wheel = TimerWheel<Int>(now: 0, limit: 10)
        _ = try add(&wheel, deadline, 1)
        expect(&wheel, at: fires - 1, [])
        expect(&wheel, at: fires, [1])
        expect(&wheel, at: fires + 100_000, [])
        #expect(wheel.count == 0)
    }

    @Test("A deadline in the past fires in the next step", arguments: [.min, -1, 0, 500, 1_000] as [Int64])
    func past(deadline: Int64) throws {
        var wheel = TimerWheel<Int>(now: 1_005, limit: 10)
        _ = try add(&wheel, deadline, 1)
        expect(&wheel, at: 1_009, [])
        expect(&wheel, at: 1_010, [1])
    }

    @Test("A deadline at the end of time is accepted and never comes")
    func farthest() throws {
        var wheel = TimerWheel<Int>(now: 0, limit: 1)
        _ = try add(&wheel, .max, 1)
        expect(&wheel, at: 1 << 40, [])
        #expect(wheel.count == 1)
    }

    @Test("A cancelled timer does not fire, even if it is due already, and its id becomes invalid")
    func cancel() throws {
        var wheel = TimerWheel<Int>(now: 0, limit: 10)
        let first = try add(&wheel, 50, 1)
        let second = try add(&wheel, 50, 2)
        _ = try add(&wheel, 50, 3)
        let didCancel = wheel.cancel(first)
        let again = wheel.cancel(first)
        #expect(didCancel && !again)
        wheel.advance(to: 100)
        let dueCancelled = wheel.cancel(second)
        #expect(dueCancelled)
        let taken = [wheel.takeDue(), wheel.takeDue()]
        #expect(taken == [3, nil])
        let reused = try add(&wheel, 200, 4)
        let old = [wheel.cancel(first), wheel.cancel(second)]
        #expect(old == [false, false])
        #expect(reused != first && reused != second)
        expect(&wheel, at: 200, [4])
    }

    @Test("The limit holds exactly, and a slot is free again after firing or cancelling")
    func limit() throws {
        var wheel = TimerWheel<Int>(now: 0, limit: 2)
        let first = try add(&wheel, 10, 1)
        _ = try add(&wheel, 10, 2)
        let refused = wheel.schedule(at: 10, 3)
        #expect(refused == nil)
        wheel.cancel(first)
        _ = try add(&wheel, 20, 4)
        let refusedAgain = wheel.schedule(at: 10, 5)
        #expect(refusedAgain == nil)
        expect(&wheel, at: 10, [2])
        let accepted = wheel.schedule(at: 30, 6)
        #expect(accepted != nil)
    }

    @Test("The next deadline is exact for near timers, early for far ones, and now if one is due")
    func nextDeadline() throws {
        var wheel = TimerWheel<Int>(now: 0, limit: 10)
        #expect(wheel.nextDeadline == nil)
        let near = try add(&wheel, 305, 1)
        #expect(wheel.nextDeadline == 310)
        _ = try add(&wheel, 100_000, 2)
        wheel.cancel(near)
        let early = try #require(wheel.nextDeadline)
        #expect(early > 0 && early <= 100_000)
        wheel.advance(to: 100_000)
        #expect(wheel.nextDeadline == 100_000)
        let taken = wheel.takeDue()
        #expect(taken == 2)
        #expect(wheel.nextDeadline == nil)
    }

    @Test("The time never goes back")
    func backwards() throws {
        var wheel = TimerWheel<Int>(now: 1_000, limit: 10)
        _ = try add(&wheel, 1_050, 1)
        expect(&wheel, at: 0, [])
        expect(&wheel, at: 1_050, [1])
    }

    @Test("Waiting only for the next deadline misses no timer, and a long random run agrees with a list", arguments: [1, 2, 3, 4] as [UInt64])
    func model(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var wheel = TimerWheel<Int>(now: 0, limit: 1_000)
        var model: [Int: (deadline: Int64, id: TimerID)] = [:]
        var now: Int64 = 0
        for name in 0..<3_000 {
            if random.below(3) > 0 {
                let deadline = now + Int64(random.below(random.below(10) == 0 ? 200_000 : 2_000))
                if let id = wheel.schedule(at: deadline, name) { model[name] = (deadline, id) } else { #expect(model.count == 1_000) }
            }
            if random.below(4) == 0, let entry = model[name - random.below(50)] {
                let cancelled = wheel.cancel(entry.id)
                #expect(cancelled, "seed \(seed)")
                model = model.filter { $0.value.id != entry.id }
            }
            if random.below(3) == 0 {
                let promised = wheel.nextDeadline
                let earliest = model.values.map(\.deadline).min()
                #expect((promised == nil) == (earliest == nil), "seed \(seed)")
                if let promised, let earliest { #expect(promised <= max(earliest + 9, now + 10), "seed \(seed)") }
                now += Int64(random.below(random.below(20) == 0 ? 100_000 : 300))
                let fired = due(&wheel, at: now)
                for name in fired {
                    let removed = model.removeValue(forKey: name)
                    let entry = try #require(removed, "fired once, seed \(seed)")
                    #expect(entry.deadline <= now, "not early, seed \(seed)")
                }
                #expect(!model.values.contains { $0.deadline <= now - 10 }, "not late, seed \(seed)")
            }
            #expect(wheel.count == model.count, "seed \(seed)")
        }
    }
}

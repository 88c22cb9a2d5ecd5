import Sessions
import Testing

@Suite("The server's response time")
struct LagMeterTests {
    @Test("The meter ignores fast responses, reports slow ones in whole seconds, until a response is fast again", arguments: [
        ([20], [0]), ([999], [0]), ([1_000], [1]), ([1_000, 900], [1, 1]), ([1_000, 750, 749], [1, 1, 0]), ([4_900, 1_100, 10], [4, 1, 0]), ([800, 800], [0, 0]),
    ] as [([Int64], [Int])])
    func answers(times: [Int64], told: [Int]) throws {
        var meter = LagMeter()
        var now: Int64 = 100
        for (time, seconds) in zip(times, told) {
            let payload = meter.ask(now: now)
            meter.receive(try #require(payload), now: now + time)
            #expect(meter.seconds == seconds)
            now += LagMeter.interval
        }
    }

    @Test("The meter reports a pending response second by second")
    func waiting() throws {
        var meter = LagMeter()
        #expect(meter.deadline == nil)
        let payload = meter.ask(now: 0)
        for second in 1...12 {
            #expect(meter.deadline == Int64(second) * 1_000)
            meter.timerFired(now: Int64(second) * 1_000 - 1)
            #expect(meter.seconds == second - 1)
            meter.timerFired(now: Int64(second) * 1_000)
            #expect(meter.seconds == second)
        }
        meter.receive(try #require(payload), now: 12_400)
        #expect(meter.seconds == 12 && meter.deadline == nil)
    }

    @Test("The meter pings after sent frames, one at a time and not too often; with the server's pings only while it reports a lag")
    func asking() throws {
        var meter = LagMeter()
        let idle = meter.askAgain(now: 0)
        #expect(idle == nil)
        let asked = meter.ask(now: 0)
        let first = try #require(asked)
        let twice = meter.ask(now: 60_000)
        #expect(twice == nil)
        meter.receive(first, now: 2_000)
        let early = [meter.ask(now: LagMeter.interval - 1), meter.askAgain(now: LagMeter.interval - 1)]
        #expect(early == [nil, nil])
        let again = meter.askAgain(now: LagMeter.interval)
        let second = try #require(again)
        #expect(second != first)
        // An old pong, an empty one, one for another ping.
        for payload in [[], first, second + second] { meter.receive(payload, now: 6_000) }
        #expect(meter.seconds == 2)
        meter.receive(second, now: 5_010)
        #expect(meter.seconds == 0)
        let over = meter.askAgain(now: 90_000)
        #expect(over == nil)
    }
}

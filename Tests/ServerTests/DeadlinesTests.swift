import Testing

@testable import Server

@Suite("The clocks of a connection")
struct DeadlinesTests {
    @Test("A silent peer gets a ping, and counts as gone when neither a pong nor anything else follows")
    func silence() {
        var clocks = Deadlines(now: 100)
        func look(_ now: Int64) -> Deadlines.Liveness { clocks.liveness(now: now, interval: 1_000, pongTime: 300) }
        #expect(look(1_099) == .quiet(until: 1_100))
        #expect(look(1_100) == .asks)
        clocks.pinged(now: 1_100)
        #expect(look(1_399) == .quiet(until: 1_400))
        #expect(look(1_400) == .gone)
    }

    @Test("A pong, or any octet after the ping, ends the wait for an answer; an octet that came before it does not")
    func answers() {
        var clocks = Deadlines(now: 0)
        clocks.pinged(now: 1_000)
        clocks.heard(now: 1_000)
        #expect(clocks.liveness(now: 1_300, interval: 1_000, pongTime: 300) == .gone)
        clocks.heard(now: 1_001)
        #expect(clocks.liveness(now: 1_300, interval: 1_000, pongTime: 300) == .quiet(until: 2_001))
        clocks.pinged(now: 2_001)
        clocks.ponged()
        #expect(clocks.liveness(now: 2_400, interval: 1_000, pongTime: 300) == .asks)
    }

    @Test("A message has its time, and a second more for each kilobyte that has come; the next message begins again")
    func messages() {
        var clocks = Deadlines(now: 0)
        #expect(clocks.messageDue(time: 10_000) == nil)
        let began = clocks.noteProgress(1_024, isWithinMessage: true, now: 50)
        #expect(began && clocks.messageDue(time: 10_000) == 11_050)
        let beganAgain = clocks.noteProgress(2_048, isWithinMessage: true, now: 9_000)
        #expect(!beganAgain && clocks.messageDue(time: 10_000) == 13_050)
        let ended = clocks.noteProgress(10, isWithinMessage: false, now: 9_100)
        #expect(!ended && clocks.messageDue(time: 10_000) == nil)
        let next = clocks.noteProgress(512, isWithinMessage: true, now: 9_200)
        #expect(next && clocks.messageDue(time: 10_000) == 19_700)
    }
}

/// The server's response time as the user sees it: whole seconds, from one second on.
///
/// The meter pings only after something else was sent, so that an idle client wakes nobody. A reported lag is reported
/// until a response is fast again; until then the meter also pings after each ping of the server. Pure: the caller
/// passes milliseconds of a monotonic clock.
package struct LagMeter: Hashable, Sendable {
    /// The smallest reported lag in milliseconds: users do not notice a shorter one.
    package static let least: Int64 = 1_000
    /// The lag in milliseconds below which it is not reported any more; less than `least`, so that the display does not
    /// flicker.
    package static let gone: Int64 = 750
    /// The milliseconds between two pings: often enough for a writing user, and negligible beside the traffic.
    package static let interval: Int64 = 5_000

    /// Whole seconds of the last response, or of the pending one; 0 if there is nothing to report.
    package private(set) var seconds = 0
    private var number: UInt8 = 0
    /// The time of the unanswered ping, and the time of the last ping.
    private var asked: Int64?
    private var askedLast: Int64?
    /// The whole seconds that the pending response is late.
    private var late = 0

    package init() {}

    /// Called when the client sends something.
    ///
    /// - Returns: the payload of a ping to send after it; `nil` for none.
    package mutating func ask(now: Int64) -> [UInt8]? {
        guard asked == nil, askedLast.map({ now - $0 >= Self.interval }) ?? true else { return nil }
        number &+= 1
        asked = now
        askedLast = now
        late = 0
        return [number]
    }

    /// Called when the server sends a ping: the reported lag may be over.
    package mutating func askAgain(now: Int64) -> [UInt8]? { seconds > 0 ? ask(now: now) : nil }

    /// Called when a pong arrives.
    package mutating func receive(_ payload: some Collection<UInt8>, now: Int64) {
        guard let since = asked, payload.elementsEqual([number]) else { return }
        asked = nil
        let time = now - since
        if time >= Self.least { seconds = Int(time / 1_000) } else if time < Self.gone { seconds = 0 }
    }

    /// The time at which the pending response is one second later; `nil` while no response is pending.
    package var deadline: Int64? { asked.map { $0 + (Int64(late) + 1) * 1_000 } }

    package mutating func timerFired(now: Int64) {
        guard let asked, now - asked >= Self.least else { return }
        late = Int((now - asked) / 1_000)
        seconds = max(seconds, late)
    }
}

/// How long the server takes to answer, as far as a person has to know: whole seconds, from one on.
///
/// It asks only behind something that is sent anyway, so that whoever does nothing wakes nobody. What was told is told until an answer was quick
/// again, and asked about as long, with the pings of the server. Pure: milliseconds of a monotonic clock are given.
package struct LagMeter: Hashable, Sendable {
    /// Milliseconds from which it is told: what is quicker nobody notices as the network's.
    package static let least: Int64 = 1_000
    /// Milliseconds below which it is told no more; less than `least`, so that nothing flickers around it.
    package static let gone: Int64 = 750
    /// Milliseconds between two questions: often enough for who writes, and nothing beside what they send.
    package static let interval: Int64 = 5_000

    /// Whole seconds of the last answer, or of the one that is not there yet; 0 while there is nothing to tell.
    package private(set) var seconds = 0
    private var number: UInt8 = 0
    /// When the question without an answer was asked, and when the last one was.
    private var asked: Int64?
    private var askedLast: Int64?
    /// Whole seconds that the awaited answer is known to take.
    private var late = 0

    package init() {}

    /// Something is sent now.
    ///
    /// - Returns: the payload of a ping to send behind it; `nil` for none.
    package mutating func ask(now: Int64) -> [UInt8]? {
        guard asked == nil, askedLast.map({ now - $0 >= Self.interval }) ?? true else { return nil }
        number &+= 1
        asked = now
        askedLast = now
        late = 0
        return [number]
    }

    /// The server asks whether the client is there: what was told may be over.
    package mutating func askAgain(now: Int64) -> [UInt8]? { seconds > 0 ? ask(now: now) : nil }

    /// A pong came.
    package mutating func receive(_ payload: some Collection<UInt8>, now: Int64) {
        guard let since = asked, payload.elementsEqual([number]) else { return }
        asked = nil
        let time = now - since
        if time >= Self.least { seconds = Int(time / 1_000) } else if time < Self.gone { seconds = 0 }
    }

    /// When the answer is late enough for another number; `nil` while none is awaited.
    package var deadline: Int64? { asked.map { $0 + (Int64(late) + 1) * 1_000 } }

    package mutating func timerFired(now: Int64) {
        guard let asked, now - asked >= Self.least else { return }
        late = Int((now - asked) / 1_000)
        seconds = max(seconds, late)
    }
}

/// The messages of one publisher: which wait for their answer, and which have not left yet.
struct AckLedger {
    /// Messages that may be unanswered at the same time.
    let limit: Int
    /// Messages that left; they are numbered from 1.
    private(set) var sent: Int64 = 0
    private(set) var acked = 0
    private(set) var rejected = 0
    /// Answers to messages that were answered before, or never sent.
    private(set) var unexpected = 0

    /// Intended times of messages that are unanswered, by number. Answers come in any order: a refusal overtakes what is being written.
    private var unanswered: [Int64: Int64] = [:]
    /// Intended times of messages that wait for room, from `firstWaiting`.
    private var waiting: [Int64] = []
    private var firstWaiting = 0

    /// Messages that may wait for room; past it the generator is not keeping its schedule and says so (`overflowed`).
    static let maxWaiting = 100_000
    private(set) var overflowed = 0

    init(limit: Int) {
        precondition(limit > 0, "nothing could be sent")
        self.limit = limit
        unanswered.reserveCapacity(limit)
    }

    var outstanding: Int { unanswered.count }

    var hasRoom: Bool { outstanding < limit }

    /// Messages whose time has come and that have not left.
    var unsent: Int { waiting.count - firstWaiting + overflowed }

    /// A message leaves now. Returns its number.
    mutating func send(intended: Int64) -> Int64 {
        precondition(hasRoom, "a message waits until there is room")
        sent += 1
        unanswered[sent] = intended
        return sent
    }

    /// A message's time has come and there is no room: it leaves later, and its latency counts from `intended` all the same.
    mutating func wait(intended: Int64) {
        guard waiting.count - firstWaiting < AckLedger.maxWaiting else {
            overflowed += 1
            return
        }
        waiting.append(intended)
    }

    /// The intended time of the message that has waited longest.
    mutating func takeWaiting() -> Int64? {
        guard firstWaiting < waiting.count else { return nil }
        let intended = waiting[firstWaiting]
        firstWaiting += 1
        if firstWaiting == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            firstWaiting = 0
        }
        return intended
    }

    /// The answer to message `number` came. Returns its intended time; `nil` when no answer to it was expected.
    mutating func answer(_ number: Int64, isAck: Bool) -> Int64? {
        guard let intended = unanswered.removeValue(forKey: number) else {
            unexpected += 1
            return nil
        }
        if isAck { acked += 1 } else { rejected += 1 }
        return intended
    }
}

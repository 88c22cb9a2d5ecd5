/// What other threads do for requests, and who on this one waits for what comes of it.
///
/// Each connection's requests are done one at a time, and a request has a handful of errands at most. Those of clients that have gone are bounded by the
/// queues of the threads that do them.
struct Errands {
    private var waiting: [UInt64: ((any Sendable)?) -> Void] = [:]
    private var next: UInt64 = 0

    /// - Returns: the ticket by which the result comes back.
    mutating func begin(_ then: @escaping ((any Sendable)?) -> Void) -> UInt64 {
        next += 1
        waiting[next] = then
        return next
    }

    /// Takes out who waits for a result; call it with that.
    mutating func end(_ ticket: UInt64) -> (((any Sendable)?) -> Void)? { waiting.removeValue(forKey: ticket) }
}

@available(*, unavailable) extension Errands: Sendable {}

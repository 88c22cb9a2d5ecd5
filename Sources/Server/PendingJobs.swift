/// Jobs that other threads run for requests, with the completion handlers that wait on the reactor's thread.
///
/// The requests of a connection are answered one at a time, and a request has at most a handful of jobs. Jobs of
/// clients that have disconnected are bounded by the queues of the threads that run them.
struct PendingJobs {
    private var handlers: [UInt64: ((any Sendable)?) -> Void] = [:]
    private var next: UInt64 = 0

    /// - Returns: the ticket with which the result comes back.
    mutating func begin(_ then: @escaping ((any Sendable)?) -> Void) -> UInt64 {
        next += 1
        handlers[next] = then
        return next
    }

    /// Removes the completion handler of a job; call it with the result.
    mutating func end(_ ticket: UInt64) -> (((any Sendable)?) -> Void)? { handlers.removeValue(forKey: ticket) }
}

@available(*, unavailable) extension PendingJobs: Sendable {}

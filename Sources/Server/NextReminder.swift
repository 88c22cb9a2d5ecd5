import Locks

/// The time of the next reminder of all families, from the writer to the reactor.
final class NextReminder: Sendable {
    private let next = Lock<Int64?>(nil)

    /// - Parameter time: UTC milliseconds; `nil` for never.
    func set(_ time: Int64?) { next.withLock { $0 = time } }

    /// Whether a reminder may be due at a time, UTC milliseconds.
    func isDue(at now: Int64) -> Bool { next.withLock { $0.map { $0 <= now } ?? false } }
}

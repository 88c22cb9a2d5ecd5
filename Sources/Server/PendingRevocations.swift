import Bytes
import Family
import Store

/// Revocations that are in effect but not durable yet, each with the writer once, and the requests that wait for them.
struct PendingRevocations {
    typealias Answer = (Rejection?) -> Void

    enum Acceptance { case submit, waits, full }

    private struct Entry {
        var answers: [Answer] = []
        /// The time of the next attempt; `nil` while the writer has it.
        var retryAt: Int64?
    }

    /// The largest number, as many as the writer's queue accepts.
    static let maxPending = WriterQueue.Class.revocation.limit
    /// The largest number of requests that wait for the same revocation.
    static let maxAnswers = 16
    /// Milliseconds until the next attempt for a revocation that found the disk full.
    static let retryTime: Int64 = 5_000

    private var entries: [Revocation: Entry] = [:]
    private var postponed = 0

    /// - Returns: `submit` if the writer must be asked; `waits` if it has been asked; `full` if there is no room, and
    ///   nothing was added.
    mutating func add(_ revocation: Revocation, _ answer: Answer?) -> Acceptance {
        guard var entry = entries[revocation] else {
            guard entries.count < Self.maxPending else { return .full }
            entries[revocation] = Entry(answers: answer.map { [$0] } ?? [])
            return .submit
        }
        if let answer {
            guard entry.answers.count < Self.maxAnswers else { return .full }
            entry.answers.append(answer)
        }
        let isIdle = entry.retryAt != nil
        if isIdle { postponed -= 1 }
        entry.retryAt = nil
        entries[revocation] = entry
        return isIdle ? .submit : .waits
    }

    /// Removes a revocation that is durable, or was refused for good.
    ///
    /// - Returns: the handlers that wait for that.
    mutating func end(_ revocation: Revocation) -> [Answer] {
        guard let entry = entries.removeValue(forKey: revocation) else { return [] }
        if entry.retryAt != nil { postponed -= 1 }
        return entry.answers
    }

    /// Postpones a revocation to a later attempt.
    ///
    /// - Returns: the waiting handlers, which must report that it is not durable.
    mutating func postpone(_ revocation: Revocation, now: Int64) -> [Answer] {
        guard let entry = entries[revocation] else { return [] }
        if entry.retryAt == nil { postponed += 1 }
        entries[revocation] = Entry(retryAt: now + Self.retryTime)
        return entry.answers
    }

    /// The revocations to give to the writer again now.
    mutating func due(now: Int64) -> [Revocation] {
        guard postponed > 0 else { return [] }
        let due = entries.filter { $0.value.retryAt.map { $0 <= now } ?? false }.map(\.key)
        for revocation in due { entries[revocation]?.retryAt = nil }
        postponed -= due.count
        return due
    }
}

@available(*, unavailable) extension PendingRevocations: Sendable {}

/// The name of a share link among those of all families.
struct ShareLinkName: Hashable, Sendable {
    var family: Identifier
    var link: Identifier
}

extension ShareEnd {
    var name: ShareLinkName { ShareLinkName(family: family, link: link) }
}

extension Rejection {
    /// The refusal if nothing was done because too many revocations wait.
    static let busy = Rejection(.busy, "The server is busy. Try again in a moment.", retryAfter: 1_000)
}

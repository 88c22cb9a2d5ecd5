/// Rights that have ended for this process although the database may still contain them: from the moment of the request for
/// their end until no answer from before the commit can be on its way.
///
/// A right that waits for its commit is never dropped. Of those that have committed it remembers the last `maxLately`: more than can commit while
/// one answer is on its way.
package struct EndedRights<Right: Hashable & Sendable>: Sendable {
    /// Rights that may wait for their commits. A disk that stalls or is full makes them wait.
    package static var maxPending: Int { 4_096 }
    package static var maxLately: Int { 1_024 }

    /// With how often each was asked for.
    private var pending: [Right: Int] = [:]
    private var lately: [Right] = []

    package init() {}

    package func contains(_ right: Right) -> Bool {
        if pending.isEmpty, lately.isEmpty { return false }
        return pending[right] != nil || lately.contains(right)
    }

    /// Somebody who may asks for the end of a right.
    ///
    /// - Returns: false if too many wait; the right then continues.
    package mutating func begin(_ right: Right) -> Bool {
        guard pending[right] != nil || pending.count < Self.maxPending else { return false }
        pending[right, default: 0] += 1
        return true
    }

    /// The end of a right is durable, regardless of which request asked for it.
    package mutating func didCommit(_ right: Right) {
        pending[right] = nil
        if lately.count >= Self.maxLately { lately.removeFirst(Self.maxLately / 2) }
        lately.append(right)
    }

    /// One of the requests for the end was refused: the right continues, unless other requests wait.
    package mutating func lift(_ right: Right) {
        guard let count = pending[right] else { return }
        pending[right] = count > 1 ? count - 1 : nil
    }
}

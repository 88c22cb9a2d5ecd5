import Bytes

extension StoreReader {
    /// The largest number of positions that one portion reads, also if they contain nothing: some milliseconds.
    package static let followedPositions = 1_024
    /// The largest number of octets of frames in one portion, unless one frame alone is larger.
    package static let followedOctets = 262_144

    /// The changes of all families after a position, in the order of commits.
    ///
    /// - Parameters:
    ///   - position: 0 begins with the first change in the log.
    ///   - limit: the number of positions to read.
    ///   - maxOctets: the octets of all frames together; the first one is returned whatever its size.
    package func follow(
        after position: Int64, limit: Int = StoreReader.followedPositions, maxOctets: Int = StoreReader.followedOctets
    ) throws(StoreFailure) -> FollowAnswer {
        try reading {
            var page = FollowedPage(items: [], position: position, reachedEnd: true)
            var octets = 0
            var looked = 0
            try engine.log.follow(after: position) { row in
                if case .change(_, _, let frame) = row.content { octets += frame.count }
                guard looked < max(limit, 1), octets <= maxOctets || page.items.isEmpty else {
                    page.reachedEnd = false
                    return false
                }
                looked += 1
                page.position = row.position
                if let item = FollowedItem(row) { page.items.append(item) }
                return true
            }
            if looked == 0 {
                let newest = try engine.log.newestPosition()
                guard position <= newest else { return .ahead(newest: newest) }
            }
            return .page(page)
        }
    }

    /// The position up to which a consumer has handled everything; `nil` if it was never registered.
    package func cursor(of consumer: ConsumerName) throws(StoreFailure) -> Int64? {
        try reading { try engine.consumers.find(consumer.text)?.position }
    }
}

extension FollowedItem {
    /// `nil` if a follower has nothing to do at this position.
    fileprivate init?(_ row: FollowedRow) {
        switch row.content {
        case .change(let family, let sequence, let frame):
            self = .change(FollowedChange(position: row.position, family: family, sequence: sequence, frame: frame))
        case .arrival(let family, let sequence):
            self = .reload(FamilyReload(position: row.position, family: family, through: sequence, reason: .imported))
        case .trimmed(let family, let sequence, let floor):
            // One reload for all of them, at the last: the floor is a sequence of the log.
            guard sequence == floor else { return nil }
            self = .reload(FamilyReload(position: row.position, family: family, through: sequence, reason: .trimmed))
        case .imported: return nil
        }
    }
}

/// Follows the log of all families for one consumer, from the cursor that is stored for it.
///
/// The consumer reads a portion, handles it, and only then confirms it. So each change is handled at least once, in
/// order, and none is left out: after a crash the portions that were not confirmed are read again. A consumer that
/// stores its own results in the same transaction as its cursor handles each change exactly once.
package struct LogFollower: Sendable {
    package let consumer: ConsumerName
    /// The position at which the next portion begins.
    package private(set) var position: Int64
    /// The stored position.
    package private(set) var confirmed: Int64

    /// - Returns: `nil` if the consumer was never registered.
    package init?(_ consumer: ConsumerName, from reader: StoreReader) throws(StoreFailure) {
        guard let position = try reader.cursor(of: consumer) else { return nil }
        self.consumer = consumer
        self.position = position
        confirmed = position
    }

    /// The next portion.
    package mutating func next(
        from reader: StoreReader, limit: Int = StoreReader.followedPositions, maxOctets: Int = StoreReader.followedOctets
    ) throws(StoreFailure) -> FollowAnswer {
        let answer = try reader.follow(after: position, limit: limit, maxOctets: maxOctets)
        if case .page(let page) = answer { position = page.position }
        return answer
    }

    /// Goes back to the last confirmation, because the portions since then could not be handled.
    package mutating func goBack() { position = confirmed }

    /// Confirms all portions that were read. This is one commit, unless nothing was read since the last one.
    ///
    /// - Returns: whether it is stored. If the disk is full it is not; try again with a later portion.
    package mutating func confirm(in store: FamilyStore) throws(StoreFailure) -> Bool {
        guard position > confirmed else { return true }
        guard try store.move(consumer, to: position) == nil else { return false }
        confirmed = position
        return true
    }
}

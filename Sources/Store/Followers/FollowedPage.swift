package import Bytes
package import Family

/// A change, as a follower of the log of all families reads it.
package struct FollowedChange: Sendable {
    /// Its place in the log of all families.
    package var position: Int64
    package var family: Identifier
    package var sequence: Int64
    /// The change as it stands in the log (`LogCodec`), octet for octet as it was sent.
    package var frame: [UInt8]

    /// `nil` if the row of the log is damaged; `huddled check` finds it.
    package var value: Change? { LogCodec.decode(frame) }
}

/// Changes of one family that a follower cannot read one by one: it reads the family's records instead.
package struct FamilyReload: Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// The family came with an import.
        case imported
        /// Values that the changes made are purged or compacted.
        case trimmed
    }

    /// Its place in the log of all families.
    package var position: Int64
    package var family: Identifier
    /// The last sequence of these changes. Later ones are read one by one.
    package var through: Int64
    package var reason: Reason
}

/// What a follower reads, in the order of positions. Of each family, sequences rise, and none is left out: it is read as a change, or a reload
/// stands for it.
package enum FollowedItem: Sendable {
    case change(FollowedChange)
    case reload(FamilyReload)

    package var position: Int64 {
        switch self {
        case .change(let change): change.position
        case .reload(let reload): reload.position
        }
    }
}

/// One portion of the log of all families.
package struct FollowedPage: Sendable {
    package var items: [FollowedItem]
    /// The next portion begins after this position, which can be beyond that of the last item.
    package var position: Int64
    /// The log ended here when it was read.
    package var reachedEnd: Bool
}

/// The answer to somebody who follows the log.
package enum FollowAnswer: Sendable {
    case page(FollowedPage)
    /// The log of this database ends before the position that was asked for: the position is of another database, or damaged.
    case ahead(newest: Int64)
}

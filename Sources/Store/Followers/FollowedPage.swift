package import Bytes
package import Family

/// A change in the log of all families, for a follower.
package struct FollowedChange: Sendable {
    /// Its position in the log of all families.
    package var position: Int64
    package var family: Identifier
    package var sequence: Int64
    /// The change in its stored form (`LogCodec`), octet for octet as it was sent.
    package var frame: [UInt8]

    /// `nil` if the row of the log is damaged; `huddled check` finds it.
    package var value: Change? { LogCodec.decode(frame) }
}

/// Changes of one family that a follower cannot read one by one, so that it must read the family's records instead.
package struct FamilyReload: Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// The family came with an import.
        case imported
        /// Values of the changes are purged or compacted.
        case trimmed
    }

    /// Its position in the log of all families.
    package var position: Int64
    package var family: Identifier
    /// The last sequence of these changes. Later ones are read one by one.
    package var through: Int64
    package var reason: Reason
}

/// An item for a follower, in the order of positions. The sequences of each family rise, and none is left out: each is
/// a change, or part of a reload.
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
    /// Whether the log ended here when it was read.
    package var reachedEnd: Bool
}

/// The answer to a follower of the log.
package enum FollowAnswer: Sendable {
    case page(FollowedPage)
    /// The log of this database ends before the requested position: the position belongs to another database, or is
    /// damaged.
    case ahead(newest: Int64)
}

package import Bytes
package import Family

/// A stored calendar feed.
package struct FeedRow: Hashable, Sendable {
    package var family: Int64
    package var familyID: Identifier
    package var member: Identifier
    package var feed: CalendarFeed

    package init(family: Int64, familyID: Identifier, member: Identifier, feed: CalendarFeed) {
        self.family = family
        self.familyID = familyID
        self.member = member
        self.feed = feed
    }
}

/// Fetches of a feed that are counted together.
package struct FeedFetches: Hashable, Sendable {
    package var count: Int64
    /// The time of the last one, UTC milliseconds.
    package var last: Int64
    package var program: String

    package init(count: Int64, last: Int64, program: String) {
        self.count = count
        self.last = last
        self.program = program
    }
}

/// The calendar feeds of members. `family` is the integer that stands for one.
package protocol FeedReads: AnyObject {
    /// The feed with the hash of a token; one look-up for all cases, so that its time reveals nothing about a guess.
    func feed(hash: [UInt8]) throws -> FeedRow?

    /// The feed with an id; `nil` if the family has none with it.
    func feed(family: Int64, id: Identifier) throws -> FeedRow?

    /// The feeds of a member, oldest first.
    func feeds(family: Int64, member: Identifier) throws -> [CalendarFeed]
}

package protocol FeedWrites: FeedReads {
    /// Adds a feed with an id that the family does not have.
    func addFeed(_ row: FeedRow, hash: [UInt8]) throws

    /// Changes the settings of a feed.
    func setFeed(family: Int64, id: Identifier, _ settings: FeedSettings) throws

    /// Removes a feed.
    func removeFeed(family: Int64, id: Identifier) throws

    /// Removes all feeds of a member.
    func removeFeeds(family: Int64, member: Identifier) throws

    /// Counts fetches of a feed. Does nothing for a feed that no longer exists.
    func note(family: Int64, id: Identifier, _ fetches: FeedFetches) throws
}

package import Bytes
package import Family

/// A calendar feed as it is stored.
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
    /// The last one, UTC milliseconds.
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
    /// The feed with the hash of a token; one look-up for all cases, so that its time says nothing about how good a guess is.
    func feed(hash: [UInt8]) throws -> FeedRow?

    /// The feed with an id; `nil` if the family has none with it.
    func feed(family: Int64, id: Identifier) throws -> FeedRow?

    /// The feeds of a member, the first made first.
    func feeds(family: Int64, member: Identifier) throws -> [CalendarFeed]
}

package protocol FeedWrites: FeedReads {
    /// Adds a feed with an id that the family has not.
    func addFeed(_ row: FeedRow, hash: [UInt8]) throws

    /// Gives a feed other settings.
    func setFeed(family: Int64, id: Identifier, _ settings: FeedSettings) throws

    /// Removes a feed.
    func removeFeed(family: Int64, id: Identifier) throws

    /// Removes all feeds of a member.
    func removeFeeds(family: Int64, member: Identifier) throws

    /// Counts fetches of a feed. Does nothing for a feed that is gone.
    func note(family: Int64, id: Identifier, _ fetches: FeedFetches) throws
}

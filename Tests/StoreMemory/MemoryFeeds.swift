import Bytes
import Family
import Store

final class MemoryFeeds: FeedWrites {
    private let connection: MemoryConnection

    init(_ connection: MemoryConnection) { self.connection = connection }

    func feed(hash: [UInt8]) throws -> FeedRow? {
        for family in try connection.read().families.values {
            if let found = family.feeds.values.first(where: { $0.hash == hash }) { return found.row }
        }
        return nil
    }

    func feed(family: Int64, id: Identifier) throws -> FeedRow? { try connection.read().family(family).feeds[id]?.row }

    func feeds(family: Int64, member: Identifier) throws -> [CalendarFeed] {
        try connection.read().family(family).feeds.values.map(\.row).filter { $0.member == member }.map(\.feed)
            .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    func addFeed(_ row: FeedRow, hash: [UInt8]) throws { try connection.write { $0.families[row.family]?.feeds[row.feed.id] = (row, hash) } }

    func setFeed(family: Int64, id: Identifier, _ settings: FeedSettings) throws {
        try connection.write { $0.families[family]?.feeds[id]?.row.feed.settings = settings }
    }

    func removeFeed(family: Int64, id: Identifier) throws { try connection.write { $0.families[family]?.feeds[id] = nil } }

    func removeFeeds(family: Int64, member: Identifier) throws { try connection.write { $0.removeFeeds(family: family, member: member) } }

    func note(family: Int64, id: Identifier, _ fetches: FeedFetches) throws {
        try connection.write { tables in
            tables.families[family]?.feeds[id]?.row.feed.fetches += fetches.count
            tables.families[family]?.feeds[id]?.row.feed.fetchedAt = fetches.last
            tables.families[family]?.feeds[id]?.row.feed.program = fetches.program
        }
    }
}

@available(*, unavailable)
extension MemoryFeeds: Sendable {}

extension MemoryTables {
    /// Removes all feeds of a member.
    mutating func removeFeeds(family: Int64, member: Identifier) {
        for (id, feed) in self.family(family).feeds where feed.row.member == member { families[family]?.feeds[id] = nil }
    }
}

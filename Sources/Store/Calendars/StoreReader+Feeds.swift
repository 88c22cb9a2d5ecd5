package import Bytes
package import Calendar
import Crypto
package import Family
package import Dates
import Ledger

/// A feed to which a token gives access now.
package struct OpenFeed: Hashable, Sendable {
    package var family: Identifier
    package var id: Identifier
    package var owner: FeedOwner
    package var settings: FeedSettings
    /// The family's last sequence: the octets of the feed follow from the records at that sequence, the settings and
    /// the day.
    package var head: Int64

    package init(family: Identifier, id: Identifier, owner: FeedOwner, settings: FeedSettings, head: Int64) {
        self.family = family
        self.id = id
        self.owner = owner
        self.settings = settings
        self.head = head
    }
}

extension StoreReader {
    /// The feed of a token; `nil` for an unknown token, for a feed that has ended, and for a feed whose member has left
    /// or may not enter the family now.
    package func feed(token: String) throws(StoreFailure) -> OpenFeed? {
        try reading {
            guard let row = try engine.feeds.feed(hash: FeedToken.hash(token)) else { return nil }
            return try open(row)
        }
    }

    /// The current feed, and the records that it can show.
    ///
    /// - Returns: `nil` if the feed has ended in the meantime.
    package func feedRecords(_ id: Identifier, family: Identifier) throws(StoreFailure) -> (feed: OpenFeed, records: FeedRecords)? {
        try reading {
            guard let family = try engine.families.find(family), let row = try engine.feeds.feed(family: family.key, id: id), let open = try open(row) else {
                return nil
            }
            var records = FeedRecords(zone: try record(family: row.family, row.familyID)?.fields.text("time_zone") ?? "UTC")
            let isFull = open.settings.detail == .full
            // Older tombstones are not shown.
            let limit = environment.now() - Int64(FeedFile.cancelledDays + 1) * 86_400_000
            func all(_ kind: Kind, isLiving: Bool = false) throws -> [Record] {
                var found: [Record] = []
                try engine.records.forEach(family: row.family, of: kind, after: nil) { stored in
                    guard let record = readable(stored), record.deletedAt.map({ !isLiving && $0 > limit }) ?? true else { return }
                    found.append(record)
                }
                return found
            }
            let kinds = open.settings.kinds
            if kinds.contains(.event) { records.events = try all(.event) }
            // Items need the name and the participants of their trips.
            if kinds.contains(.trip) || kinds.contains(.tripItem) { records.trips = try all(.trip) }
            if kinds.contains(.tripItem) { records.items = try all(.tripItem) }
            if open.settings.hasAlarms { records.rule = ReminderRule(try record(family: row.family, ReminderRule.id(of: row.member))) }
            guard isFull else { return (open, records) }
            if kinds.contains(.event) {
                records.schools = try all(.school, isLiving: true)
                records.coaches = try all(.coach, isLiving: true)
            }
            for (id, member) in try engine.records.members(family: row.family) { records.names[id] = member.name }
            return (open, records)
        }
    }

    /// The feeds of a member, oldest first.
    package func feeds(family: Identifier, member: Identifier) throws(StoreFailure) -> [CalendarFeed] {
        try reading { try engine.feeds.feeds(family: try key(family), member: member) }
    }

    private func open(_ row: FeedRow) throws -> OpenFeed? {
        let now = environment.now()
        guard row.feed.settings.expiresAt.map({ now < $0 }) ?? true, let member = try engine.records.members(family: row.family)[row.member], !member.isRemoved
        else { return nil }
        let zone = try record(family: row.family, row.familyID)?.fields.text("time_zone") ?? "UTC"
        guard environment.bar(member, zone: zone, at: now) == nil else { return nil }
        return OpenFeed(
            family: row.familyID, id: row.feed.id, owner: FeedOwner(member: row.member, role: member.role), settings: row.feed.settings,
            head: try head(row.family))
    }
}

/// The octets of a feed, and the state of the family from which they follow.
package struct FeedContent: Sendable {
    package var feed: OpenFeed
    /// The day in UTC on which they were made.
    package var day: CalendarDate
    package var file: FeedFile
}

extension StoreReader {
    /// Today in UTC: the octets of a feed depend on it.
    package static func feedDay(at now: Int64) -> CalendarDate { CalendarDate(utc: now) }

    /// Makes the octets of a feed.
    ///
    /// - Parameter address: the address of the feed.
    /// - Returns: `nil` if the feed has ended in the meantime.
    package func feedContent(_ id: Identifier, family: Identifier, address: String?) throws(StoreFailure) -> FeedContent? {
        let day = Self.feedDay(at: environment.now())
        guard let (feed, records) = try feedRecords(id, family: family) else { return nil }
        let file = FeedFile(
            records, feed.settings, of: feed.owner, id: feed.id, address: address, today: day, rules: environment.rules.zone)
        return FeedContent(feed: feed, day: day, file: file)
    }
}

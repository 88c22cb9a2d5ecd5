package import Bytes
import Dates
package import Family
package import Queries
import SQLite
package import Wire

/// The statements of lists.
final class ListStatements {
    let rowsOfKind: Statement
    let ofRow: Statement
    let comments: Statement
    let countComments: Statement
    let countKinds: Statement
    let countMessages: Statement
    let storage: Statement

    init(_ database: Database) throws(SQLiteError) {
        let columns = RecordTable.columns
        let messages = Kind.message.rawValue
        // The second condition is the index's own, which a bound kind does not imply.
        rowsOfKind = try database.prepare("SELECT row FROM records WHERE family = ? AND kind = ? AND kind <> \(messages)")
        ofRow = try database.prepare("SELECT \(columns) FROM records WHERE row = ?")
        comments = try database.prepare(
            """
            SELECT \(columns), created_seq FROM records WHERE family = ?1 AND about = ?2 AND (created_seq, id) < (?3, ?4)
            AND (deleted_at IS NULL) = ?5 ORDER BY created_seq DESC, id DESC
            """)
        countComments = try database.prepare(
            "SELECT count(*) FROM records WHERE family = ? AND about = ? AND (deleted_at IS NULL) = ?")
        storage = try database.prepare(BlobTable.usage)
        countKinds = try database.prepare(
            """
            SELECT kind, count(*) FROM records WHERE family = ?1 AND kind <> \(messages) AND deleted_at IS NULL
            AND (?2 IS NULL OR athlete IS NULL OR athlete = ?2) GROUP BY kind
            """)
        // All records but the others and the deleted: each part is counted in an index, and messages need none of their own.
        countMessages = try database.prepare(
            """
            SELECT (SELECT count(*) FROM records WHERE family = ?1)
                - (SELECT count(*) FROM records WHERE family = ?1 AND kind <> \(messages))
                - (SELECT count(*) FROM records WHERE family = ?1 AND deleted_at IS NOT NULL AND kind = \(messages))
            """)
    }
}

@available(*, unavailable)
extension ListStatements: Sendable {}

extension StoreReader {
    /// Changes that a listing follows one by one; past it, it is read anew, which costs the same then.
    private static let followedChanges: Int64 = 2_000

    /// Messages that one search looks at: some milliseconds. Its page then ends early, and the mark goes on from there.
    private static let searchedMessages = 500

    /// A page of a list.
    ///
    /// - Parameters:
    ///   - query: what `request` asks for (`ListRequest.query`).
    ///   - request: its number, page mark, size and wish to count.
    /// - Returns: the encoded `page` frame; `invalid` for a mark that is not of this list.
    package func page(family: Identifier, _ query: Query, _ request: ListRequest) throws(StoreFailure) -> Result<[UInt8], Rejection> {
        var after: Place?
        if let before = request.before {
            do { after = try PageMark.place(before, query) } catch { return .failure(error) }
        }
        let limit = min(max(request.limit, 1), environment.limits.pageRecords)
        return try reading {
            let key = try key(family)
            let sequence = try head(key)
            let (filled, total) = try fill(key, family, query, sequence, after: after, limit: limit)
            return .success(
                ServerFrame.page(
                    Page(
                        request: request.request, sequence: sequence, records: filled.records,
                        next: filled.next.map { PageMark.text($0, query) }, total: request.counts ? total : nil)
                ).encode())
        }
    }

    /// - Returns: the page, and how long the whole list is; `nil` where nobody counts (all messages).
    private func fill(
        _ key: Int64, _ family: Identifier, _ query: Query, _ sequence: Int64, after: Place?, limit: Int
    ) throws -> (PageFill, Int?) {
        var page = PageFill(limit: limit)
        let oldest = environment.now() - Store.retention
        guard query.kind == .message else {
            let listing = try listing(key, query.kind, sequence: sequence)
            let today = try today(key, family)
            let selection: Selection
            if query.isDeleted {
                // Those that can still be restored.
                let keys = listing.keys.filter { ($0.deletedAt ?? .min) > oldest }
                selection = query.select(keys, today: today, after: after, limit: limit)
            } else {
                selection = query.select(listing.keys, today: today, after: after, limit: limit)
            }
            for place in selection.places {
                findRecord.bind(1, key)
                findRecord.bind(2, place.id)
                let found = try findRecord.one { row in (try readable(row), row.withOctets(10) { $0.count }) }
                // Purged: only a list of the deleted can name it, until this listing is read anew.
                guard case let (record?, size)? = found else { continue }
                if !page.add(record, size: size, place) { return (page, selection.total) }
            }
            if selection.hasMore { page.end() }
            return (page, selection.total)
        }
        let matcher = Query.Matcher(query, today: try today(key, family))
        var looked = 0
        func isWanted(_ record: Record) -> Bool {
            looked += 1
            return matcher.matches(keys(record)) && record.deletedAt.map { $0 > oldest } ?? true
        }
        guard let about = query.filter.about else {
            let end = try walkMessages(key, before: after ?? Self.newestMessage) { record, size, place in
                if isWanted(record) { return page.add(record, size: size, place) }
                guard looked < Self.searchedMessages else {
                    page.next = place
                    return false
                }
                return true
            }
            if page.next == nil { page.next = end }
            return (page, nil)
        }
        let comments = lists.comments
        comments.bind(1, key)
        comments.bind(2, about.description)
        comments.bind(3, after.map { ~$0.first } ?? .max)
        comments.bind(4, after?.id ?? Identifier(high: .max, low: .max))
        comments.bind(5, query.isDeleted ? 0 : 1)
        defer { comments.reset() }
        while try comments.step() {
            guard let record = try readable(comments) else { continue }
            let place = Place(first: ~comments.int64(11), id: record.id)
            if isWanted(record) {
                if !page.add(record, size: comments.withOctets(10) { $0.count }, place) { break }
            } else if looked >= Self.searchedMessages {
                page.next = place
                break
            }
        }
        guard query.search.isEmpty else { return (page, nil) }
        lists.countComments.bind(1, key)
        lists.countComments.bind(2, about.description)
        lists.countComments.bind(3, query.isDeleted ? 0 : 1)
        return (page, try lists.countComments.one { Int($0.int64(0)) })
    }

    /// Figures of one kind.
    ///
    /// - Parameter athlete: whose records count; `nil` for everybody's.
    /// - Returns: the encoded `statistics` frame; `invalid` for a kind that has none.
    package func statistics(
        family: Identifier, _ request: StatisticsRequest, athlete: Identifier?
    ) throws(StoreFailure) -> Result<[UInt8], Rejection> {
        guard Statistics.kinds.contains(request.kind) else {
            return .failure(
                Rejection(
                    .invalid, "There are figures of events, documents, metrics and the family: choose one of these", kind: request.kind,
                    field: "kind"))
        }
        return try reading {
            let key = try key(family)
            let sequence = try head(key)
            var statistics: Statistics
            if request.kind == .family {
                var counts: [Statistics.Count] = []
                lists.countKinds.bind(1, key)
                lists.countKinds.bind(2, athlete)
                try lists.countKinds.each { row in
                    guard let kind = UInt8(exactly: row.int64(0)).flatMap({ Kind(rawValue: $0) }) else { return }
                    counts.append(Statistics.Count(kind: kind, records: Int(row.int64(1))))
                }
                lists.countMessages.bind(1, key)
                let messages = try lists.countMessages.one { Int($0.int64(0)) } ?? 0
                if messages > 0 { counts.append(Statistics.Count(kind: .message, records: messages)) }
                statistics = .family(counts.sorted { $0.kind.rawValue < $1.kind.rawValue })
            } else {
                let keys = try listing(key, request.kind, sequence: sequence).keys
                guard let made = Statistics(request.kind, keys, athlete: athlete, today: try today(key, family)) else {
                    throw StoreFailure("statistics of a kind that has none")
                }
                statistics = made
                if case .documents(var documents) = made {
                    documents.storageUsed = try storage(key)
                    documents.storageQuota = Int64(environment.limits.familyStorage)
                    statistics = .documents(documents)
                }
            }
            return .success(
                ServerFrame.statistics(
                    StatisticsAnswer(request: request.request, sequence: sequence, statistics: statistics)
                ).encode())
        }
    }

    /// Which day it is for the family.
    private func today(_ key: Int64, _ family: Identifier) throws -> CalendarDate {
        let zone = try record(family: key, family)?.fields.text("time_zone") ?? "UTC"
        return environment.rules.rules(zone).localDate(at: environment.now())
    }

    /// Changes that a family has before its listings are prepared: with fewer a list finds its records as quickly.
    package static let largeFamily: Int64 = 500

    /// Reads what lists of a family look at, so that the first one need not: some 6 us a record.
    ///
    /// - Parameter goesOn: asked before each kind; false when there is something better to do.
    package func prepareLists(family: Identifier, while goesOn: () -> Bool) throws(StoreFailure) {
        for kind in Kind.allCases where kind != .message && !QueryDeclaration.of(kind).sorts.isEmpty {
            guard goesOn() else { return }
            try reading {
                let key = try key(family)
                // What is held stays as old as it is: the next list brings it up to date.
                guard listings.find(.init(family: key, kind: kind)) == nil else { return }
                _ = try listing(key, kind, sequence: try head(key))
            }
        }
    }

    /// The listing of a kind, brought up to `sequence`.
    private func listing(_ family: Int64, _ kind: Kind, sequence: Int64) throws -> Listing {
        let name = ListingCache.Name(family: family, kind: kind)
        if let found = listings.find(name) ?? shelf.take(name, upTo: sequence).map(Listing.init), found.sequence <= sequence,
            sequence - found.sequence <= Self.followedChanges
        {
            if found.sequence < sequence {
                do { try follow(found, family, kind, to: sequence) } catch {
                    // Half brought up to date is worse than none.
                    listings.forget(name)
                    throw error
                }
            }
            listings.keep(found, name)
            listings.trim()
            return found
        }
        // A read that was stopped leaves what it has read, so that the next one gets further.
        let begun = listings.takeBegun(name)
        let listing: Listing
        if let begun, begun.sequence <= sequence, sequence - begun.sequence <= Self.followedChanges { listing = begun } else { listing = Listing(sequence: sequence) }
        do {
            if listing.sequence < sequence { try follow(listing, family, kind, to: sequence) }
            lists.rowsOfKind.bind(1, family)
            lists.rowsOfKind.bind(2, Int64(kind.rawValue))
            // The index alone answers this, in a fraction of the time that the records take.
            let rows = try lists.rowsOfKind.all { $0.int64(0) }.filter { $0 > listing.lastRow }.sorted()
            for row in rows {
                lists.ofRow.bind(1, row)
                if let record = try lists.ofRow.one({ try readable($0) }) ?? nil { listing.set(keys(record)) }
                listing.lastRow = row
            }
        } catch {
            // Half followed is worse than none.
            if listing.sequence == sequence { listings.keepBegun(listing, name) }
            throw error
        }
        listings.keep(listing, name)
        listings.trim()
        shelf.put(listing, name)
        return listing
    }

    private func follow(_ listing: Listing, _ family: Int64, _ kind: Kind, to sequence: Int64) throws {
        var changed: Set<Identifier> = []
        try outlines(family, after: listing.sequence) { change in
            for entry in change.entries where entry.kind == kind { changed.insert(entry.id) }
        }
        for id in changed {
            if let record = try record(family: family, id) { listing.set(keys(record)) }
        }
        listing.sequence = sequence
    }

    private func keys(_ record: Record) -> ListKeys {
        ListKeys(record) { zone, local in environment.rules.zone(zone)?.instant(of: local) }
    }
}

/// The records of one page while it fills.
struct PageFill {
    private(set) var records: [Record] = []
    /// Where the next page begins; `nil` as long as the list may have ended.
    var next: Place?
    private var octets = 0
    private var last: Place?
    private let limit: Int

    /// Octets of the records in one page, unless one record alone has more.
    private static let maxOctets = 196_608

    init(limit: Int) { self.limit = limit }

    /// - Parameter size: octets of the fields as they are stored, which is how they travel.
    /// - Returns: false when the record belongs to the next page.
    mutating func add(_ record: Record, size: Int, _ place: Place) -> Bool {
        octets += size
        guard records.isEmpty || (records.count < limit && octets <= Self.maxOctets) else {
            end()
            return false
        }
        records.append(record)
        last = place
        return true
    }

    /// The list goes on behind what is here.
    mutating func end() { next = last }
}
